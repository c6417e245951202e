//! Judges packet by packet, each with what is known of its connection.
use super::finding::{Finding, Findings, Rule};
use super::flow::Flow;
use super::pairing::Pairs;
use super::requests::Requests;
use super::responses::Responses;
use hca_golden::wire::opcode::Transport;
use hca_golden::wire::packet::Packet;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Requests of one direction, and the answers to them.
#[derive(Debug, Default)]
struct Direction {
    requests: Requests,
    responses: Responses,
}

/// What a capture holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets of RC.
    pub packets: u64,
    /// Answers among them to requests that the capture does not hold: not judged.
    pub unasked: u64,
    /// Packets of other services: not judged.
    pub others: u64,
    /// Directions of connections that requests were seen of.
    pub directions: usize,
}

/// Judges packets in the order of a capture.
#[derive(Debug)]
pub struct Judge {
    directions: BTreeMap<Flow, Direction>,
    /// Flow of answers, and of the requests that they answer.
    answers: BTreeMap<Flow, Flow>,
    /// Flows of answers that went to another queue pair, and are told of.
    strays: BTreeSet<Flow>,
    findings: Vec<Finding>,
    counts: Counts,
}

impl Judge {
    /// For the capture that these pairs are of.
    pub fn new(pairs: Pairs) -> Judge {
        Judge {
            directions: BTreeMap::new(),
            answers: pairs.0,
            strays: BTreeSet::new(),
            findings: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// What breaks a rule, in the order of the capture.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    pub fn counts(&self) -> Counts {
        Counts {
            directions: self.directions.len(),
            ..self.counts
        }
    }

    /// A packet that no port would take; where its headers can be read, the packet.
    pub fn malformed(&mut self, number: u64, packet: Option<&Packet>, why: String) {
        let flow = packet.map(Flow::of);
        if let (Some(packet), Some(flow)) = (packet, flow) {
            // It counts as sent, but nobody took it.
            if let Some(direction) = self.directions.get_mut(&flow) {
                direction.requests.spoiled(packet.bth.psn);
            }
        }
        self.findings.push(Finding {
            packet: number,
            rule: Rule::Malformed,
            flow: flow.map_or_else(|| "a packet".to_owned(), |flow| flow.to_string()),
            detail: why,
        });
    }

    /// A packet of another service.
    pub fn foreign(&mut self) {
        self.counts.others += 1;
    }

    /// A packet of whatever connection that cannot be read: what follows in each begins anew.
    pub fn cut(&mut self) {
        for direction in self.directions.values_mut() {
            direction.requests.lose_track();
        }
    }

    /// The next packet, and when it was captured.
    pub fn packet(&mut self, number: u64, time: Duration, packet: &Packet) {
        if Transport::of(packet.bth.opcode) != Transport::Rc {
            self.counts.others += 1;
            return;
        }
        let Some(opcode) = packet.opcode() else {
            let why = format!("opcode {:02X}h", packet.bth.opcode);
            self.malformed(number, Some(packet), why);
            return;
        };
        self.counts.packets += 1;
        let flow = Flow::of(packet);
        let asked = match opcode.is_response() {
            false => Some(flow),
            true => self.answers.get(&flow).copied(),
        };
        let Some(asked) = asked else {
            return self.stray(number, flow, packet.bth.psn);
        };
        let Judge {
            directions, findings, ..
        } = self;
        let name = flow.to_string();
        let mut findings = Findings {
            packet: number,
            time,
            flow: &name,
            found: findings,
        };
        let direction = directions.entry(asked).or_default();
        let Direction { requests, responses } = direction;
        if opcode.is_response() {
            responses.packet(requests, packet, opcode, &mut findings);
        } else {
            responses.requested(packet.bth.psn, &mut findings);
            requests.packet(packet, opcode, &mut findings);
        }
    }

    /// An answer to a queue pair that nothing was seen to ask for: it may be what another one waits for.
    fn stray(&mut self, number: u64, flow: Flow, psn: u32) {
        self.counts.unasked += 1;
        let waits = |(asked, direction): &(&Flow, &Direction)| {
            flow.is_opposite(asked) && direction.requests.waits_for(psn)
        };
        let Some((asked, _)) = self.directions.iter().find(waits) else {
            return;
        };
        let right = self.answers.iter().find(|(_, pair)| *pair == asked);
        if let (Some((right, _)), true) = (right, self.strays.insert(flow)) {
            let detail = format!(
                "PSN {psn} is of {asked}, whose answers go to QP {:06X}h",
                right.dest_qp
            );
            self.findings.push(Finding {
                packet: number,
                rule: Rule::AnswerQp,
                flow: flow.to_string(),
                detail,
            });
        }
    }
}
