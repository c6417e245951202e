//! Compressed captures, recognised by their first bytes: gzip, Zstandard and xz.
use super::zstandard::{self, Zstandard};
use std::io::{self, BufRead, Cursor, Read};

/// Length of the longest magic number in bytes.
const MAGIC_BYTES: u64 = 6;
const GZIP: [u8; 2] = [0x1F, 0x8B];
const XZ: [u8; 6] = [0xFD, b'7', b'z', b'X', b'Z', 0];

/// Returns the bytes of a file, decompressed if it is compressed. Damage to a compressed file shows when the damaged
/// part is read.
pub fn unpacked<'a>(mut file: impl BufRead + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
    let mut begin = Vec::new();
    file.by_ref().take(MAGIC_BYTES).read_to_end(&mut begin)?;
    let kind = begin.clone();
    let whole = Cursor::new(begin).chain(file);
    Ok(if kind.starts_with(&GZIP) {
        Box::new(flate2::bufread::MultiGzDecoder::new(whole))
    } else if kind.starts_with(&XZ) {
        Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(whole))
    } else if zstandard::begins(&kind) {
        Box::new(Zstandard::new(whole))
    } else {
        Box::new(whole)
    })
}
