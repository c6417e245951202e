//! A recorded session: everything that reached the adapter, with its clock cycle, and what came of it.
//!
//! The file is JSON, a line an entry, packed with xz. The first line says what was recorded, the last one what the
//! session came to; a file without that last line was cut.
use crate::device::Verb;
use crate::trace::output::{OutputError, OutputFile};
use hca_golden::verbs::{Completion, Status};
use liblzma::read::XzDecoder;
use liblzma::write::XzEncoder;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// What the first line calls the format.
const FORMAT: &str = "hca live 1";
/// What every file packed with xz begins with.
const MAGIC: [u8; 6] = [0xFD, b'7', b'z', b'X', b'Z', 0];
/// Strength of the packing, 0 to 9: at 6 a megabyte of recording takes a tenth of a second.
const LEVEL: u32 = 6;
/// Bytes of the longest line that is read: a write of 8 MiB to memory has 16 MiB of digits.
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

/// The adapter of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub format: String,
    /// Number of its end of the wire, from which its addresses follow.
    pub host: u8,
    /// Configuration of the hardware.
    pub profile: String,
    /// Seed of its memory's latencies and pauses.
    pub seed: u64,
    /// The model alone was the adapter.
    pub golden_only: bool,
}

impl Header {
    /// The header of a session of this adapter.
    pub fn new(host: u8, profile: &str, seed: u64, golden_only: bool) -> Header {
        Header {
            format: FORMAT.to_owned(),
            host,
            profile: profile.to_owned(),
            seed,
            golden_only,
        }
    }
}

/// How far the adapter was when something happened: the same input comes to it as far on, though on another build that
/// may be in another clock cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Clock cycles since reset.
    pub at: u64,
    /// Frames that it had sent, plain acknowledges aside: how many requests share one of those is the adapter's choice.
    pub sent: u64,
    /// Completions that software had taken.
    pub done: u64,
    /// Verbs without an outcome.
    pub open: usize,
}

/// A completion in a recording. Byte count and immediate data have no meaning if its status is an error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ended {
    pub qpn: u32,
    pub wr_id: u64,
    /// Number of `qp_cq.md` section 5.
    pub status: u8,
    pub bytes: u32,
    pub immediate: Option<[u8; 4]>,
}

impl Ended {
    /// What a recording keeps of it.
    pub fn of(completion: &Completion) -> Ended {
        let succeeded = completion.status == Status::Success;
        Ended {
            qpn: completion.qpn,
            wr_id: completion.wr_id,
            status: completion.status as u8,
            bytes: if succeeded { completion.byte_count } else { 0 },
            immediate: completion.immediate.filter(|_| succeeded),
        }
    }
}

/// What the session came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// Clock cycles.
    pub cycles: u64,
    /// Frames that left, acknowledges too.
    pub frames: u64,
    /// CRC-32 of all of them, one after the other, each with its clock cycle.
    pub digest: u32,
}

/// Something that reached the adapter, or that came from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A frame arrived.
    Frame(Hex),
    /// Software asked for this.
    Verb(Verb),
    /// Software wrote host memory.
    Write { addr: u64, bytes: Hex },
    /// These bytes of host memory are compared at the end.
    Compare { addr: u64, length: u64 },
    /// A completion was taken.
    Completion(Ended),
    /// The session ended.
    End(Sum),
}

/// A line of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    #[serde(flatten)]
    pub moment: Moment,
    pub what: What,
}

/// A recording being written. Its file appears when it is finished.
pub struct Recorder {
    path: PathBuf,
    packed: XzEncoder<OutputFile>,
}

impl Recorder {
    /// Begins the file.
    pub fn create(path: &Path, header: &Header) -> Result<Recorder, OutputError> {
        let mut recorder = Recorder {
            path: path.to_owned(),
            packed: XzEncoder::new(OutputFile::create(path)?, LEVEL),
        };
        recorder.line(header)?;
        Ok(recorder)
    }

    /// Appends an entry.
    pub fn entry(&mut self, moment: Moment, what: What) -> Result<(), OutputError> {
        self.line(&Entry { moment, what })
    }

    fn line(&mut self, line: &impl Serialize) -> Result<(), OutputError> {
        let written = serde_json::to_writer(&mut self.packed, line).map_err(io::Error::other);
        written
            .and_then(|()| self.packed.write_all(b"\n"))
            .map_err(|e| OutputFile::error(&self.path, e))
    }

    /// Everything is recorded: gives the file its name.
    pub fn finish(self, moment: Moment, sum: Sum) -> Result<(), OutputError> {
        let mut recorder = self;
        recorder.entry(moment, What::End(sum))?;
        let path = recorder.path;
        let packed = recorder
            .packed
            .finish()
            .map_err(|e| OutputFile::error(&path, e))?;
        packed.finish()
    }
}

/// Why a file is no recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error("cannot read the recording `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("`{}` is no recording of `hca live`, or one of another version", .0.display())]
    Foreign(PathBuf),
    #[error("line {line} of the recording `{}` is wrong: {reason}", path.display())]
    Line {
        path: PathBuf,
        line: u64,
        reason: String,
    },
    #[error("the recording `{}` ends in the middle", .0.display())]
    Cut(PathBuf),
}

/// A whole recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    pub header: Header,
    /// All but the end.
    pub entries: Vec<Entry>,
    pub sum: Sum,
}

impl Recording {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Recording, RecordingError> {
        let io = |source| RecordingError::Io {
            path: path.to_owned(),
            source,
        };
        let mut file = File::open(path).map_err(io)?;
        let mut magic = [0; MAGIC.len()];
        if file.read_exact(&mut magic).is_err() || magic != MAGIC {
            return Err(RecordingError::Foreign(path.to_owned()));
        }
        let mut packed = BufReader::new(XzDecoder::new(magic.as_slice().chain(file)));
        let mut line = Vec::new();
        let mut next = |line: &mut Vec<u8>| {
            line.clear();
            let read = io::Read::take(&mut packed, LONGEST).read_until(b'\n', line);
            match read {
                Ok(0) => Ok(false),
                Ok(_) => Ok(true),
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                    Err(RecordingError::Cut(path.to_owned()))
                }
                Err(_) => Err(RecordingError::Foreign(path.to_owned())),
            }
        };
        let foreign = || RecordingError::Foreign(path.to_owned());
        if !next(&mut line)? {
            return Err(foreign());
        }
        let header: Header = serde_json::from_slice(&line).map_err(|_| foreign())?;
        if header.format != FORMAT {
            return Err(foreign());
        }
        let mut entries = Vec::new();
        while next(&mut line)? {
            let entry: Entry = serde_json::from_slice(&line).map_err(|e| RecordingError::Line {
                path: path.to_owned(),
                line: entries.len() as u64 + 2,
                reason: e.to_string(),
            })?;
            match entry.what {
                What::End(sum) => {
                    // To the end of the file, where the sums of xz are.
                    return match next(&mut line)? {
                        false => Ok(Recording { header, entries, sum }),
                        true => Err(foreign()),
                    };
                }
                _ => entries.push(entry),
            }
        }
        Err(RecordingError::Cut(path.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SUM: Sum = Sum {
        cycles: 900,
        frames: 2,
        digest: 0xDEAD_BEEF,
    };

    fn written(path: &Path) -> Vec<Entry> {
        let mut recorder = Recorder::create(path, &Header::new(1, "small", 7, true)).unwrap();
        let whats = [
            What::Verb(Verb::DestroyCq { cqn: 5 }),
            What::Frame(Hex(vec![0, 0xAB, 9])),
            What::Write {
                addr: 0x2000_0000,
                bytes: Hex(vec![0xFF; 3]),
            },
        ];
        let entries = whats.into_iter().enumerate().map(|(n, what)| Entry {
            moment: Moment {
                at: 10 * n as u64,
                sent: 1,
                done: 2,
                open: 3,
            },
            what,
        });
        let entries: Vec<Entry> = entries.collect();
        for entry in &entries {
            recorder.entry(entry.moment, entry.what.clone()).unwrap();
        }
        recorder.finish(Moment::default(), SUM).unwrap();
        entries
    }

    #[test]
    fn what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session");
        let entries = written(&path);
        let read = Recording::read(&path).unwrap();
        assert_eq!((read.entries, read.sum), (entries, SUM));
        assert_eq!(read.header, Header::new(1, "small", 7, true));
    }

    #[test]
    fn a_line_reads_as_it_is_documented() {
        let entry = Entry {
            moment: Moment {
                at: 4,
                sent: 3,
                done: 2,
                open: 1,
            },
            what: What::Frame(Hex(vec![0x0A, 0xF5])),
        };
        let line = r#"{"at":4,"sent":3,"done":2,"open":1,"what":{"frame":"0af5"}}"#;
        assert_eq!(serde_json::to_string(&entry).unwrap(), line);
    }

    #[test]
    fn what_is_no_recording_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session");
        assert!(matches!(Recording::read(&path), Err(RecordingError::Io { .. })));
        std::fs::write(&path, "none").unwrap();
        assert!(matches!(Recording::read(&path), Err(RecordingError::Foreign(_))));
        written(&path);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 30]).unwrap();
        assert!(Recording::read(&path).is_err());
    }

    #[test]
    fn a_wrong_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session");
        let mut packed = XzEncoder::new(File::create(&path).unwrap(), LEVEL);
        let header = serde_json::to_string(&Header::new(1, "small", 7, true)).unwrap();
        let wrong = r#"{"at":4,"sent":3,"done":2,"open":1,"what":{"frame":"0g"}}"#;
        write!(packed, "{header}\n{wrong}\n").unwrap();
        packed.finish().unwrap();
        let error = Recording::read(&path).unwrap_err().to_string();
        assert!(
            error.contains("line 2") && error.contains("hexadecimal"),
            "{error}"
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_recording_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &bytes).unwrap();
            prop_assert!(Recording::read(file.path()).is_err());
        }

        #[test]
        fn any_bytes_pass_as_digits(bytes in prop::collection::vec(any::<u8>(), 0..99)) {
            let digits = serde_json::to_string(&Hex(bytes.clone())).unwrap();
            prop_assert_eq!(serde_json::from_str::<Hex>(&digits).unwrap(), Hex(bytes));
        }
    }
}
