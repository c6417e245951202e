//! A recorded session: all inputs of the adapter, with their clock cycles, and the results.
//!
//! The file is JSON, one entry a line, compressed with xz. The first line says what was recorded, the last one gives
//! the result of the session. A file without that last line is incomplete.
use crate::device::Verb;
use crate::trace::lines::{Hex, LineReader, LineWriter, RecordingError};
use crate::trace::output::OutputError;
use hca_golden::verbs::{Completion, Status};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Name of the format in the first line.
const FORMAT: &str = "hca live 1";

/// The adapter of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub format: String,
    /// Number of the adapter's end of the wire, from which its addresses follow.
    pub host: u8,
    /// Configuration of the hardware.
    pub profile: String,
    /// Seed of the latencies and pauses of its memory.
    pub seed: u64,
    /// The adapter was the golden model alone.
    pub golden_only: bool,
}

impl Header {
    /// Makes the header of a session of this adapter.
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

/// How far the adapter had come when something happened. A replay gives it the same input at the same point, though on
/// another build that may be in another clock cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Clock cycles since reset.
    pub at: u64,
    /// Number of frames that it had sent, without plain acknowledges: the adapter chooses how many requests share one
    /// of those.
    pub sent: u64,
    /// Number of completions that software had taken.
    pub done: u64,
    /// Number of verbs without an outcome.
    pub open: usize,
}

/// A completion in a recording. Byte count and immediate data have no meaning if its status is an error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ended {
    pub qpn: u32,
    pub wr_id: u64,
    /// Status, as numbered in `qp_cq.md` section 5.
    pub status: u8,
    pub bytes: u32,
    pub immediate: Option<[u8; 4]>,
}

impl Ended {
    /// Makes the recorded form of a completion.
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

/// The result of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// Number of clock cycles.
    pub cycles: u64,
    /// Number of frames that left, acknowledges included.
    pub frames: u64,
    /// CRC-32 of all these frames, one after another, each with its clock cycle.
    pub digest: u32,
}

/// An input of the adapter, or an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A frame arrived.
    Frame(Hex),
    /// Software submitted this verb.
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
pub struct Recorder(LineWriter);

impl Recorder {
    /// Begins the file.
    pub fn create(path: &Path, header: &Header) -> Result<Recorder, OutputError> {
        let mut lines = LineWriter::create(path)?;
        lines.line(header)?;
        Ok(Recorder(lines))
    }

    /// Appends an entry.
    pub fn entry(&mut self, moment: Moment, what: What) -> Result<(), OutputError> {
        self.0.line(&Entry { moment, what })
    }

    /// Ends the recording and gives the file its name.
    pub fn finish(self, moment: Moment, sum: Sum) -> Result<(), OutputError> {
        let mut recorder = self;
        recorder.entry(moment, What::End(sum))?;
        recorder.0.finish()
    }
}

/// A complete recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    pub header: Header,
    /// All entries but the last.
    pub entries: Vec<Entry>,
    pub sum: Sum,
}

impl Recording {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Recording, RecordingError> {
        let mut lines = LineReader::open(path, "hca live")?;
        let header: Header = lines.header()?;
        if header.format != FORMAT {
            return Err(lines.foreign());
        }
        let mut entries = Vec::new();
        while let Some(entry) = lines.entry::<Entry>()? {
            match entry.what {
                What::End(sum) => {
                    return match lines.entry::<Entry>()? {
                        None => Ok(Recording { header, entries, sum }),
                        Some(_) => Err(lines.foreign()),
                    };
                }
                _ => entries.push(entry),
            }
        }
        Err(lines.cut())
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
        assert!(matches!(
            Recording::read(&path),
            Err(RecordingError::Foreign { .. })
        ));
        written(&path);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 30]).unwrap();
        assert!(Recording::read(&path).is_err());
    }

    #[test]
    fn a_wrong_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session");
        let mut lines = LineWriter::create(&path).unwrap();
        lines.line(&Header::new(1, "small", 7, true)).unwrap();
        let wrong = r#"{"at":4,"sent":3,"done":2,"open":1,"what":{"frame":"0g"}}"#;
        lines
            .line(&serde_json::from_str::<serde_json::Value>(wrong).unwrap())
            .unwrap();
        lines.finish().unwrap();
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
    }
}
