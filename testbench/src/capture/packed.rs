//! Captures that are compressed, by their first bytes: gzip, Zstandard, xz.
use std::io::{self, BufRead, Read};

const GZIP: [u8; 2] = [0x1F, 0x8B];
const ZSTANDARD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
const XZ: [u8; 6] = [0xFD, b'7', b'z', b'X', b'Z', 0];

/// The bytes of a file, unpacked if it is compressed.
pub fn unpacked<'a>(mut file: impl BufRead + 'a) -> io::Result<Box<dyn Read + 'a>> {
    // A pipe may give one byte at a time.
    let mut begin = [0; 6];
    let mut got = 0;
    while got < begin.len() {
        match file.read(&mut begin[got..])? {
            0 => break,
            n => got += n,
        }
    }
    let whole = io::Cursor::new(begin).take(got as u64).chain(file);
    let is = |magic: &[u8]| begin[..got].starts_with(magic);
    if is(&GZIP) {
        return Ok(Box::new(flate2::bufread::MultiGzDecoder::new(whole)));
    }
    if is(&XZ) {
        return Ok(Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(whole)));
    }
    if is(&ZSTANDARD) {
        let decoder = ruzstd::decoding::StreamingDecoder::new(whole);
        return Ok(Box::new(decoder.map_err(io::Error::other)?));
    }
    Ok(Box::new(whole))
}
