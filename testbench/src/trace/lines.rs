//! Recordings: JSON, one entry a line, compressed with xz.
use super::output::{OutputError, OutputFile};
use liblzma::read::XzDecoder;
use liblzma::write::XzEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// First bytes of every file compressed with xz.
const MAGIC: [u8; 6] = [0xFD, b'7', b'z', b'X', b'Z', 0];
/// Level of compression, 0 to 9. At 6 a megabyte of recording takes a tenth of a second.
const LEVEL: u32 = 6;
/// Length of the longest line that is read, in bytes: a write of 8 MiB to memory has 16 MiB of digits.
const LONGEST: u64 = 64 << 20;

/// Bytes, written as hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hex(pub Vec<u8>);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
        let digits = self
            .0
            .iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
        serializer.serialize_str(&digits.collect::<String>())
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hex, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digit = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
        let byte = |pair: &[u8]| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        };
        let bytes = text.as_bytes().chunks(2).map(byte).collect::<Option<Vec<u8>>>();
        bytes
            .map(Hex)
            .ok_or_else(|| serde::de::Error::custom("bytes are pairs of hexadecimal digits"))
    }
}

/// A recording being written. Its file appears when it is finished.
pub struct LineWriter {
    path: PathBuf,
    packed: XzEncoder<OutputFile>,
}

impl LineWriter {
    /// Begins the file.
    pub fn create(path: &Path) -> Result<LineWriter, OutputError> {
        Ok(LineWriter {
            path: path.to_owned(),
            packed: XzEncoder::new(OutputFile::create(path)?, LEVEL),
        })
    }

    /// Appends a line.
    pub fn line(&mut self, line: &impl Serialize) -> Result<(), OutputError> {
        let written = serde_json::to_writer(&mut self.packed, line).map_err(io::Error::other);
        written
            .and_then(|()| self.packed.write_all(b"\n"))
            .map_err(|e| OutputFile::error(&self.path, e))
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<(), OutputError> {
        let path = self.path;
        let packed = self.packed.finish().map_err(|e| OutputFile::error(&path, e))?;
        packed.finish()
    }
}

/// Why a file is not a recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error("cannot read the recording `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("`{}` is no recording of `{program}`, or one of another version", path.display())]
    Foreign { path: PathBuf, program: &'static str },
    #[error("line {line} of the recording `{}` is wrong: {reason}", path.display())]
    Line {
        path: PathBuf,
        line: u64,
        reason: String,
    },
    #[error("the recording `{}` ends in the middle", .0.display())]
    Cut(PathBuf),
}

/// A recording being read.
pub struct LineReader {
    path: PathBuf,
    /// Name of the program that made the recording.
    program: &'static str,
    packed: BufReader<XzDecoder<io::Chain<io::Cursor<[u8; MAGIC.len()]>, File>>>,
    /// Number of lines read.
    lines: u64,
}

impl LineReader {
    /// Opens a recording of this program.
    pub fn open(path: &Path, program: &'static str) -> Result<LineReader, RecordingError> {
        let io = |source| RecordingError::Io {
            path: path.to_owned(),
            source,
        };
        let mut file = File::open(path).map_err(io)?;
        let mut magic = [0; MAGIC.len()];
        let is_packed = file.read_exact(&mut magic).is_ok() && magic == MAGIC;
        let reader = LineReader {
            path: path.to_owned(),
            program,
            packed: BufReader::new(XzDecoder::new(io::Cursor::new(magic).chain(file))),
            lines: 0,
        };
        match is_packed {
            true => Ok(reader),
            false => Err(reader.foreign()),
        }
    }

    /// Returns the error for a file that is something else.
    pub fn foreign(&self) -> RecordingError {
        RecordingError::Foreign {
            path: self.path.clone(),
            program: self.program,
        }
    }

    /// Returns the error for a file without its last line.
    pub fn cut(&self) -> RecordingError {
        RecordingError::Cut(self.path.clone())
    }

    fn bytes(&mut self) -> Result<Option<Vec<u8>>, RecordingError> {
        let mut line = Vec::new();
        match Read::take(&mut self.packed, LONGEST).read_until(b'\n', &mut line) {
            Ok(0) => Ok(None),
            Ok(_) => {
                self.lines += 1;
                Ok(Some(line))
            }
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Err(self.cut()),
            Err(_) => Err(self.foreign()),
        }
    }

    /// Reads the first line.
    pub fn header<T: DeserializeOwned>(&mut self) -> Result<T, RecordingError> {
        let line = self.bytes()?.ok_or_else(|| self.foreign())?;
        serde_json::from_slice(&line).map_err(|_| self.foreign())
    }

    /// Reads the next line; `None` at the end of the file, after a check of the sums of xz.
    pub fn entry<T: DeserializeOwned>(&mut self) -> Result<Option<T>, RecordingError> {
        let Some(line) = self.bytes()? else {
            return Ok(None);
        };
        serde_json::from_slice(&line)
            .map(Some)
            .map_err(|e| RecordingError::Line {
                path: self.path.clone(),
                line: self.lines,
                reason: e.to_string(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_pass_as_digits(bytes in prop::collection::vec(any::<u8>(), 0..99)) {
            let digits = serde_json::to_string(&Hex(bytes.clone())).unwrap();
            prop_assert_eq!(serde_json::from_str::<Hex>(&digits).unwrap(), Hex(bytes));
        }
    }
}
