//! Which packets belong together.
use super::finding::{Finding, Findings, Rule};
use super::requests::Requests;
use super::responses::Responses;
use hca_golden::wire::opcode::Transport;
use hca_golden::wire::packet::{Packet, Route};
use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv6Addr;

/// A port, as packets name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Address {
    Lid(u16),
    Gid([u8; 16]),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Lid(lid) => write!(f, "LID {lid:04X}h"),
            Address::Gid(gid) => {
                let address = Ipv6Addr::from(*gid);
                match address.to_ipv4_mapped() {
                    Some(ipv4) => ipv4.fmt(f),
                    None => address.fmt(f),
                }
            }
        }
    }
}

/// Packets from one port to one queue pair of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Flow {
    from: Address,
    to: Address,
    dest_qp: u32,
}

impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Flow { from, to, dest_qp } = self;
        write!(f, "{from} to QP {dest_qp:06X}h of {to}")
    }
}

/// Requests of one direction, and the answers to them.
#[derive(Debug, Default)]
struct Direction {
    requests: Requests,
    responses: Responses,
}

/// Judges packets in the order of a capture.
#[derive(Debug, Default)]
pub struct Judge {
    directions: BTreeMap<Flow, Direction>,
    /// Flow of answers, and of the requests that they answer.
    answers: BTreeMap<Flow, Flow>,
    findings: Vec<Finding>,
    /// Packets of RC.
    judged: u64,
    /// Packets of other services.
    others: u64,
}

impl Judge {
    /// What breaks a rule, in the order of the capture.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Packets of RC, and of other services, which are not judged.
    pub fn counts(&self) -> (u64, u64) {
        (self.judged, self.others)
    }

    /// Directions of connections that requests were seen of.
    pub fn directions(&self) -> usize {
        self.directions.len()
    }

    /// A packet that no port would take.
    pub fn malformed(&mut self, number: u64, why: String) {
        let flow = String::from("any");
        self.findings.push(Finding {
            packet: number,
            rule: Rule::Malformed,
            flow,
            detail: why,
        });
    }

    /// The next packet.
    pub fn packet(&mut self, number: u64, packet: &Packet) {
        let Some(opcode) = packet
            .opcode()
            .filter(|o| Transport::of(o.value) == Transport::Rc)
        else {
            self.others += 1;
            return;
        };
        self.judged += 1;
        let (from, to) = ends(packet);
        let flow = Flow {
            from,
            to,
            dest_qp: packet.bth.dest_qp,
        };
        let asked = match opcode.is_response() {
            false => Some(flow),
            true => self.answered(flow, packet.bth.psn),
        };
        let Some(asked) = asked else { return };
        let Judge {
            directions, findings, ..
        } = self;
        let name = flow.to_string();
        let mut findings = Findings {
            packet: number,
            flow: &name,
            found: findings,
        };
        let direction = directions.entry(asked).or_default();
        if opcode.is_response() {
            let Direction { requests, responses } = direction;
            responses.packet(requests, packet, opcode, &mut findings);
        } else {
            direction.responses.requested(packet.bth.psn);
            direction.requests.packet(packet, opcode, &mut findings);
        }
    }

    /// The requests that answers of this flow are for: no packet names both queue pairs, so a PSN that only one
    /// direction between the two ports has tells.
    fn answered(&mut self, flow: Flow, psn: u32) -> Option<Flow> {
        if let Some(asked) = self.answers.get(&flow) {
            return Some(*asked);
        }
        let taken: Vec<Flow> = self.answers.values().copied().collect();
        let between: Vec<(&Flow, &Direction)> = self
            .directions
            .iter()
            .filter(|(asked, _)| (asked.from, asked.to) == (flow.to, flow.from) && !taken.contains(asked))
            .collect();
        let fitting: Vec<Flow> = between
            .iter()
            .filter(|(_, direction)| direction.requests.history.of(psn).is_some())
            .map(|(asked, _)| **asked)
            .collect();
        let asked = match (&fitting[..], &between[..]) {
            ([only], _) => *only,
            // The only connection there is, and an answer that does not fit it.
            ([], [(only, _)]) => **only,
            _ => return None,
        };
        self.answers.insert(flow, asked);
        Some(asked)
    }
}

fn ends(packet: &Packet) -> (Address, Address) {
    match &packet.route {
        Route::Local(lrh) => (Address::Lid(lrh.slid), Address::Lid(lrh.dlid)),
        Route::Global(_, grh) => (Address::Gid(grh.sgid), Address::Gid(grh.dgid)),
        Route::Roce(roce) => (
            Address::Gid(roce.network.sgid()),
            Address::Gid(roce.network.dgid()),
        ),
    }
}
