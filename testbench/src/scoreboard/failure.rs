//! Failed checks, with the data that explains them.
use crate::device::Outcome;
use crate::report::side_by_side::{self, telling_field, Row};
use crate::Side;
use hca_golden::datagram::DatagramSource;
use hca_golden::event::Event;
use hca_golden::hca::Violation;
use hca_golden::port::Link;
use hca_golden::verbs::{Completion, HostEvent, Status};

/// The first failed check of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The device concerned; `None` for the pair.
    pub side: Option<Side>,
    /// Clock cycle in which it was seen.
    pub cycle: u64,
    /// The reported decision that caused it, if there is one.
    pub event: Option<Event>,
    pub kind: Kind,
    /// The last 16 log lines of the QP that failed, oldest first, each with its clock cycle. If no single QP failed,
    /// these are the last 16 lines of all QPs together.
    pub history: Vec<String>,
    pub link: Link,
}

/// The kind of a failed check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A reported decision was not permitted. The two packets are the one that the model would have sent and the one
    /// that was sent.
    Violation {
        violation: Violation,
        expected: Option<Vec<u8>>,
        actual: Option<Vec<u8>>,
    },
    /// A packet differs from the one that had to come out.
    Packet { expected: Vec<u8>, actual: Vec<u8> },
    /// A packet left without a reported decision. `first_sent` is given if it repeats one.
    ExtraPacket {
        actual: Vec<u8>,
        first_sent: Option<u64>,
    },
    /// A completion differs.
    Completion {
        cqn: u32,
        expected: Completion,
        actual: Completion,
    },
    /// Host memory differs from the rules. The fields are the first differing address, the bytes from there on, and the
    /// number of bytes of the compared range that differ.
    Memory {
        what: String,
        addr: u64,
        expected: Vec<u8>,
        actual: Vec<u8>,
        differing: u64,
    },
    /// Device and model disagree about a verb.
    Verb {
        verb: String,
        expected: Result<Outcome, String>,
        actual: Result<Outcome, String>,
    },
    /// An event for software differs from the one that the device reported.
    Event { expected: HostEvent, actual: HostEvent },
    /// There was no progress for `cycles` clock cycles although something was due.
    Stalled { cycles: u64, due: Vec<String> },
    /// The run ended without an expected result.
    Missing { due: Vec<String> },
    /// The device broke a rule of its ports.
    Fault { rule: String },
    /// A literal expectation of the scenario does not hold.
    Expectation {
        field: String,
        expected: String,
        actual: String,
    },
}

impl Failure {
    /// Returns the packet that should not have left as it did, if the failure is about one.
    pub fn packet(&self) -> Option<&[u8]> {
        match &self.kind {
            Kind::Violation { actual, .. } => actual.as_deref(),
            Kind::Packet { actual, .. } | Kind::ExtraPacket { actual, .. } => Some(actual),
            _ => None,
        }
    }

    /// Returns the most informative field or rule.
    pub fn field(&self) -> String {
        match &self.kind {
            Kind::Violation { violation, .. } => violation.rule.name().to_owned(),
            Kind::Packet { expected, actual } => {
                telling_field(&side_by_side::rows(self.link, expected, actual))
                    .unwrap_or("packet")
                    .to_owned()
            }
            Kind::ExtraPacket {
                first_sent: Some(_), ..
            } => "packet sent twice".to_owned(),
            Kind::ExtraPacket { first_sent: None, .. } => "packet without a reported decision".to_owned(),
            Kind::Completion { expected, actual, .. } => {
                let differing = completion_rows(expected, actual).into_iter().find(|r| r.differs);
                format!("CQE.{}", differing.map_or("entry".to_owned(), |r| r.field))
            }
            Kind::Memory { .. } => "memory".to_owned(),
            Kind::Verb { .. } => "verb".to_owned(),
            Kind::Event { .. } => "event".to_owned(),
            Kind::Stalled { .. } => "liveness".to_owned(),
            Kind::Missing { .. } => "missing at the end".to_owned(),
            Kind::Fault { .. } => "port rule".to_owned(),
            Kind::Expectation { field, .. } => field.clone(),
        }
    }
}

/// Returns the fields of two completions side by side; of failed ones only those that `qp_cq.md` section 4 defines.
pub fn completion_rows(expected: &Completion, actual: &Completion) -> Vec<Row> {
    let row = |field: &str, text: &dyn Fn(&Completion) -> String| Row {
        field: field.to_owned(),
        differs: text(expected) != text(actual),
        expected: text(expected),
        actual: text(actual),
    };
    let mut rows = vec![
        row("wr_id", &|c| c.wr_id.to_string()),
        row("status", &|c| format!("{:?}", c.status)),
        row("qpn", &|c| format!("{:06X}h", c.qpn)),
    ];
    if expected.status == Status::Success {
        rows.push(row("operation", &|c| format!("{:?}", c.operation)));
        rows.push(row("byte_count", &|c| c.byte_count.to_string()));
        rows.push(row("immediate", &|c| match c.immediate {
            Some(bytes) => format!("{bytes:02X?}"),
            None => "none".to_owned(),
        }));
        rows.push(row("p_key_index", &|c| match c.p_key_index {
            Some(index) => index.to_string(),
            None => "none".to_owned(),
        }));
        rows.push(row("invalidated", &|c| match c.invalidated {
            Some(r_key) => format!("{r_key:08X}h"),
            None => "none".to_owned(),
        }));
        if expected.datagram.is_some() || actual.datagram.is_some() {
            let of_source = |field: &str, text: fn(&DatagramSource) -> String| {
                row(field, &|c| c.datagram.as_ref().map_or("none".to_owned(), text))
            };
            rows.extend([
                of_source("port", |d| d.port.to_string()),
                of_source("source_qpn", |d| format!("{:06X}h", d.qpn)),
                of_source("slid", |d| format!("{:04X}h", d.slid)),
                of_source("sl", |d| d.sl.to_string()),
                of_source("lid", |d| format!("{:04X}h", d.lid)),
                of_source("path_bits", |d| d.path_bits.to_string()),
                of_source("grh", |d| d.grh.to_string()),
                of_source("source_mac", |d| match d.source_mac {
                    Some(bytes) => format!("{bytes:02X?}"),
                    None => "none".to_owned(),
                }),
            ]);
        }
    }
    rows
}

/// Returns true if a completion is the expected one, in all fields of a success and in the three fields of a failed one
/// that `qp_cq.md` section 4 defines.
pub fn is_expected(expected: &Completion, actual: &Completion) -> bool {
    let defined = |c: &Completion| (c.wr_id, c.status, c.qpn);
    match expected.status {
        Status::Success => expected == actual,
        _ => defined(expected) == defined(actual),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hca_golden::verbs::CompletedOperation;

    /// Each change of a completion that differs has a row that names it.
    #[test]
    fn every_field_of_a_completion_has_a_row() {
        let expected = Completion {
            wr_id: 1,
            status: Status::Success,
            qpn: 2,
            operation: CompletedOperation::Receive,
            byte_count: 48,
            immediate: None,
            invalidated: None,
            p_key_index: None,
            datagram: Some(DatagramSource::default()),
        };
        let source = |change: fn(&mut DatagramSource)| {
            let mut source = DatagramSource::default();
            change(&mut source);
            Completion {
                datagram: Some(source),
                ..expected.clone()
            }
        };
        let of = |change: fn(&mut Completion)| {
            let mut actual = expected.clone();
            change(&mut actual);
            actual
        };
        for (field, actual) in [
            ("wr_id", of(|c| c.wr_id = 0)),
            ("status", of(|c| c.status = Status::WrFlushErr)),
            ("qpn", of(|c| c.qpn = 3)),
            ("operation", of(|c| c.operation = CompletedOperation::Send)),
            ("byte_count", of(|c| c.byte_count = 47)),
            ("immediate", of(|c| c.immediate = Some([0; 4]))),
            ("invalidated", of(|c| c.invalidated = Some(0))),
            ("p_key_index", of(|c| c.p_key_index = Some(0))),
            ("port", of(|c| c.datagram = None)),
            ("port", source(|d| d.port += 1)),
            ("source_qpn", source(|d| d.qpn += 1)),
            ("slid", source(|d| d.slid += 1)),
            ("sl", source(|d| d.sl += 1)),
            ("lid", source(|d| d.lid += 1)),
            ("path_bits", source(|d| d.path_bits += 1)),
            ("grh", source(|d| d.grh = !d.grh)),
            ("source_mac", source(|d| d.source_mac = Some([0; 6]))),
        ] {
            assert!(!is_expected(&expected, &actual), "{field}");
            let rows = completion_rows(&expected, &actual);
            let differing = rows.iter().find(|row| row.differs).map(|row| row.field.as_str());
            assert_eq!(differing, Some(field));
        }
    }

    #[test]
    fn a_failed_completion_has_three_fields() {
        let failed = |byte_count, wr_id| Completion {
            wr_id,
            status: Status::WrFlushErr,
            qpn: 2,
            operation: CompletedOperation::Receive,
            byte_count,
            immediate: None,
            invalidated: None,
            p_key_index: None,
            datagram: None,
        };
        assert!(is_expected(&failed(0, 1), &failed(8, 1)));
        assert!(!is_expected(&failed(0, 1), &failed(0, 2)));
    }
}
