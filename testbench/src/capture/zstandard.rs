//! Zstandard (RFC 8878): frames one behind another, as `pzstd` and `cat` make them.
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, Read};

/// First bytes of a frame.
const FRAME: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// First bytes of a frame that holds no data. The low four bits of the first byte are arbitrary.
const SKIPPABLE: [u8; 4] = [0x50, 0x2A, 0x4D, 0x18];

/// Returns true if a file that begins with these bytes is compressed.
pub fn begins(file: &[u8]) -> bool {
    let is_skippable = |magic: &[u8]| magic[0] & 0xF0 == SKIPPABLE[0] && magic[1..] == SKIPPABLE[1..];
    file.starts_with(&FRAME) || file.get(..4).is_some_and(is_skippable)
}

/// Decompresses all frames of a source.
pub struct Zstandard<R> {
    source: R,
    decoder: FrameDecoder,
    /// True while a frame has begun and not all of it was returned.
    within: bool,
}

impl<R: BufRead> Zstandard<R> {
    pub fn new(source: R) -> Zstandard<R> {
        Zstandard {
            source,
            decoder: FrameDecoder::new(),
            within: false,
        }
    }

    /// Reads the header of the next frame. Frames without data are skipped.
    fn begin(&mut self) -> io::Result<()> {
        use FrameDecoderError::ReadFrameHeaderError as Header;
        match self.decoder.init(&mut self.source) {
            Ok(()) => self.within = true,
            Err(Header(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let mut skipped = self.source.by_ref().take(length.into());
                io::copy(&mut skipped, &mut io::sink())?;
            }
            Err(e) => return Err(io::Error::other(e)),
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Zstandard<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.within {
                if self.source.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.begin()?;
                continue;
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                let decoded = self.decoder.decode_blocks(&mut self.source, one);
                decoded.map_err(io::Error::other)?;
            }
            let got = self.decoder.read(out)?;
            if got > 0 || out.is_empty() {
                return Ok(got);
            }
            self.within = false;
        }
    }
}
