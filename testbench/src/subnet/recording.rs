//! A recorded subnet: all actions of its clients and its operator, with the time, and the messages to the clients. The
//! file is a recording of [`crate::trace::lines`]; its first line says what was recorded, its last one gives the result
//! of the session. Numbers in the messages are in the byte order of the machine that recorded them.
use super::cable::{Cable, FIRST};
use super::socket::{Control, Data, DATA_BYTES};
use super::{Node, Nodes, Outbound};
use crate::trace::lines::{Hex, LineReader, LineWriter, RecordingError};
use crate::trace::output::OutputError;
use hca_sim::subnet::Record;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::time::Duration;

/// Name of the format in the first line.
const FORMAT: &str = "hca subnet 1";

/// What was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    format: String,
    /// Name of the step that the programs played.
    pub step: String,
    /// Configuration of the two adapters; `None` if registers and link were memory.
    pub profile: Option<String>,
    /// Number of the ports that the programs managed. A recording of the first does not name it.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub port: u8,
    /// Seed of the adapters' surroundings.
    pub seed: u64,
    /// Milliseconds after which a request without a response is repeated, and number of repetitions.
    pub repeat_after: u64,
    pub repeats: u32,
}

impl Header {
    /// Makes the header of a session of this step.
    pub fn new(
        step: String,
        profile: Option<String>,
        port: u8,
        seed: u64,
        repeat_after: u64,
        repeats: u32,
    ) -> Header {
        Header {
            format: FORMAT.to_owned(),
            step,
            profile,
            port,
            seed,
            repeat_after,
            repeats,
        }
    }
}

fn first() -> u8 {
    FIRST
}

fn is_first(port: &u8) -> bool {
    *port == FIRST
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A control message came, and got this reply.
    Control { request: Hex, reply: Hex },
    /// A data message came from a client.
    Data { client: usize, message: Hex },
    /// A client was disconnected.
    Gone { client: usize },
    /// Time passed: something was due, or what had come was handled.
    Step,
    /// The cable between the ports of this number was pulled, or plugged in.
    Cable {
        #[serde(default = "first", skip_serializing_if = "is_first")]
        port: u8,
        is_in: bool,
    },
    /// A data message went to a client.
    Sent { client: usize, message: Hex },
    /// The session ended. The fields are the number of MADs over the links, and PortInfo of the port of each node that
    /// was managed.
    End { crossed: u64, ports: [Hex; 2] },
}

/// A line of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Nanoseconds since the beginning.
    pub at: u64,
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
    pub fn entry(&mut self, now: Duration, what: What) -> Result<(), OutputError> {
        let at = now.as_nanos() as u64;
        self.0.line(&Entry { at, what })
    }

    /// Ends the recording and gives the file its name.
    pub fn finish(self, now: Duration, end: What) -> Result<(), OutputError> {
        let mut recorder = self;
        recorder.entry(now, end)?;
        recorder.0.finish()
    }
}

/// A complete recording. The last entry is its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    pub header: Header,
    pub entries: Vec<Entry>,
}

impl Recording {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Recording, RecordingError> {
        let mut lines = LineReader::open(path, "hca subnet")?;
        let header: Header = lines.header()?;
        if header.format != FORMAT {
            return Err(lines.foreign());
        }
        let mut entries: Vec<Entry> = Vec::new();
        while let Some(entry) = lines.entry()? {
            entries.push(entry);
        }
        match entries.last() {
            Some(Entry {
                what: What::End { .. },
                ..
            }) => Ok(Recording { header, entries }),
            _ => Err(lines.cut()),
        }
    }

    /// Writes the file.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        let Recorder(mut lines) = Recorder::create(path, &self.header)?;
        self.entries.iter().try_for_each(|entry| lines.line(entry))?;
        lines.finish()
    }
}

/// Returns the end entry for the present state of the nodes' ports of this number.
pub fn end_of<C: Cable>(nodes: &mut Nodes<C>, port: u8) -> Result<What, C::Error> {
    let mut shown = |node| {
        let (agent, ports) = nodes.agent(node);
        let info = agent.port_info(ports, port)?;
        let bytes: [u8; DATA_BYTES] = info.encode();
        Ok(Hex(bytes.to_vec()))
    };
    let ports = [shown(Node::Alpha)?, shown(Node::Beta)?];
    let crossed = nodes.cable().crossed();
    Ok(What::End { crossed, ports })
}

/// The result of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Number of messages to clients, all of them as recorded.
    pub messages: u64,
    /// Number of MADs over the link.
    pub crossed: u64,
}

/// How a replay differs from its session.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    #[error("at {at} ns: {what}")]
    Differs { at: u64, what: String },
    #[error("the cable failed: {0}")]
    Cable(#[source] Box<dyn std::error::Error>),
}

/// Repeats the actions of a recording on these nodes, which are at reset, at the same times.
pub fn play<C: Cable>(recording: &Recording, nodes: &mut Nodes<C>) -> Result<Played, PlayError> {
    let mut played = Played::default();
    let mut sent: BTreeMap<usize, VecDeque<Data>> = BTreeMap::new();
    for Entry { at, what } in &recording.entries {
        let differs = |what: String| PlayError::Differs { at: *at, what };
        let unknown = || differs("no message that a subnet knows".to_owned());
        let now = Duration::from_nanos(*at);
        match what {
            What::Control { request, reply } => {
                let request = Control::parse(&request.0).ok_or_else(unknown)?;
                let found = nodes.control(&request, now).map_err(failed)?;
                if found.bytes().as_slice() != reply.0 {
                    return Err(differs(format!("the reply to {:?} is another", request.kind())));
                }
            }
            What::Data { client, message } => {
                let data = Data::parse(&message.0).ok_or_else(unknown)?;
                nodes.from_client(*client, &data, now).map_err(failed)?;
            }
            What::Gone { client } => nodes.disconnect(*client),
            What::Step => nodes.step(now).map_err(failed)?,
            What::Cable { port, is_in } => nodes.cable().plug(*port, *is_in).map_err(failed)?,
            What::Sent { client, message } => {
                let data = Data::parse(&message.0).ok_or_else(unknown)?;
                let found = sent.get_mut(client).and_then(VecDeque::pop_front);
                if found != Some(data) {
                    return Err(differs(format!("client {client} is not sent the same message")));
                }
                played.messages += 1;
            }
            What::End { crossed, .. } => {
                let found = end_of(nodes, recording.header.port).map_err(failed)?;
                if found != *what {
                    return Err(differs(format!("at the end there is {found:?}, not {what:?}")));
                }
                played.crossed = *crossed;
            }
        }
        while let Some(Outbound { client, data }) = nodes.outbound() {
            sent.entry(client).or_default().push_back(data);
        }
    }
    Ok(played)
}

fn failed(error: impl std::error::Error + 'static) -> PlayError {
    PlayError::Cable(Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn recording() -> Recording {
        let whats = [
            What::Data {
                client: 3,
                message: Hex(vec![0x0A, 0xF5]),
            },
            What::Step,
            What::End {
                crossed: 7,
                ports: [Hex(vec![1]), Hex(vec![2])],
            },
        ];
        let entry = |(n, what)| Entry { at: n, what };
        Recording {
            header: Header::new("sweep".to_owned(), Some("small".to_owned()), 1, 1, 200, 3),
            entries: (0..).zip(whats).map(entry).collect(),
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        recording().write(file.path()).unwrap();
        assert_eq!(Recording::read(file.path()).unwrap(), recording());
    }

    #[test]
    fn a_line_reads_as_it_is_documented() {
        let line = r#"{"at":0,"what":{"data":{"client":3,"message":"0af5"}}}"#;
        assert_eq!(serde_json::to_string(&recording().entries[0]).unwrap(), line);
    }

    #[test]
    fn without_its_end_it_was_cut() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut cut = recording();
        cut.entries.pop();
        cut.write(file.path()).unwrap();
        assert!(matches!(
            Recording::read(file.path()),
            Err(RecordingError::Cut(_))
        ));
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
