//! Judges packet by packet, each with what is known of its connection.
use super::finding::{Finding, Findings, Rule};
use super::flow::{Address, Flow, Tenant};
use super::ladder::Ladder;
use super::pairing::Pairs;
use super::requests::Requests;
use super::responses::Responses;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::opcode::{Opcode, Transport};
use hca_golden::wire::packet::Packet;
use hca_golden::wire::reth::Reth;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Opcode of an RDMA READ request.
const READ_REQUEST: u8 = 0x0C;

/// Requests of one direction, and the answers to them.
#[derive(Debug, Default)]
struct Direction {
    requests: Requests,
    responses: Responses,
    ladder: Ladder,
}

/// What a capture holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets of RC.
    pub packets: u64,
    /// Answers among them to requests that the capture does not hold: not judged.
    pub unasked: u64,
    /// Answers among those whose requests came in another VLAN or tunnel only.
    pub elsewhere: u64,
    /// Packets of connections whose answers each fit too many of them to be paired: not judged.
    pub alike: u64,
    /// Packets of other services: not judged.
    pub others: u64,
    /// Packets of opcodes that RC was given later (`opcodes.csv`): not judged.
    pub newer: u64,
    /// Answers to those.
    pub newer_answers: u64,
    /// Answers that were held to a rule.
    answered: u64,
    /// PSNs that were acknowledged and whose requests the capture lacks.
    pub lacks: u64,
    /// Acks behind newer ones that are right for their place: they left in order, as far as the capture shows.
    pub overtaken: u64,
    /// Directions of connections that requests were seen of.
    pub directions: usize,
}

/// Judges packets in the order of a capture.
#[derive(Debug)]
pub struct Judge {
    directions: BTreeMap<Flow, Direction>,
    /// Flow of answers, and of the requests that they answer.
    answers: BTreeMap<Flow, Flow>,
    /// Flows that are not judged, because their answers fit too many flows of requests.
    alike: BTreeSet<Flow>,
    /// Flows of answers that went to another queue pair, and are told of.
    strays: BTreeSet<Flow>,
    /// Ports that asked others, and in which networks.
    networks: BTreeMap<(Address, Address), BTreeSet<Tenant>>,
    findings: Vec<Finding>,
    counts: Counts,
}

impl Counts {
    /// At least one packet was held to a rule; of a direction whose answers are all in another network too little is
    /// known.
    pub fn are_judged(&self) -> bool {
        let left = self.unasked + self.alike + self.newer_answers;
        self.packets > left && (self.elsewhere == 0 || self.answered > 0)
    }
}

impl Judge {
    /// For the capture that these pairs are of.
    pub fn new(pairs: Pairs) -> Judge {
        Judge {
            directions: BTreeMap::new(),
            answers: pairs.answers,
            alike: pairs.alike,
            strays: BTreeSet::new(),
            networks: BTreeMap::new(),
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
            overtaken: self
                .directions
                .values()
                .map(|direction| direction.responses.overtaken)
                .sum(),
            lacks: self
                .directions
                .values()
                .map(|direction| direction.requests.lacking())
                .sum(),
            ..self.counts
        }
    }

    /// A packet that no port would take; where its headers can be read, the packet.
    pub fn malformed(
        &mut self,
        number: u64,
        tenant: Tenant,
        packet: Option<&Packet>,
        (rule, why): (Rule, String),
    ) {
        let flow = packet.map(|packet| Flow::of(tenant, packet));
        if let (Some(packet), Some(flow)) = (packet, flow) {
            // It counts as sent, but nobody took it.
            if let Some(direction) = self.directions.get_mut(&flow) {
                direction.requests.spoiled(packet.bth.psn);
            }
        }
        self.findings.push(Finding {
            packet: number,
            rule,
            flow: flow.map_or_else(|| "a packet".to_owned(), |flow| flow.to_string()),
            detail: why,
            ladder: Vec::new(),
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
    pub fn packet(&mut self, number: u64, time: Duration, tenant: Tenant, packet: &Packet) {
        if Transport::of(packet.bth.opcode) != Transport::Rc {
            self.counts.others += 1;
            return;
        }
        let Some(opcode) = packet.opcode() else {
            let why = format!("opcode {:02X}h", packet.bth.opcode);
            self.malformed(number, tenant, Some(packet), (Rule::UnknownOpcode, why));
            return;
        };
        self.counts.packets += 1;
        self.take(number, time, Flow::of(tenant, packet), packet, opcode);
    }

    /// A packet of an opcode that RC was given later, FLUSH or ATOMIC WRITE: it takes a PSN and is a message, as a Read
    /// of no byte is; its own rules are not judged.
    pub fn newer(&mut self, number: u64, time: Duration, tenant: Tenant, packet: &Packet) {
        self.counts.newer += 1;
        let mut packet = packet.clone();
        (packet.bth.a, packet.bth.se) = (true, false);
        packet.extensions = vec![Extension::Reth(Reth {
            va: 0,
            r_key: 0,
            dma_len: 0,
        })];
        if let Some(read) = Opcode::of(READ_REQUEST) {
            let flow = Flow::of(tenant, &packet);
            self.take(number, time, flow, &packet, read);
        }
    }

    fn take(&mut self, number: u64, time: Duration, flow: Flow, packet: &Packet, opcode: &'static Opcode) {
        if self.alike.contains(&flow) {
            self.counts.alike += 1;
            return;
        }
        let asked = match opcode.is_response() {
            false => Some(flow),
            true => self.answers.get(&flow).copied(),
        };
        let Some(asked) = asked else {
            return self.stray(number, flow, packet.bth.psn);
        };
        let Judge {
            directions,
            networks,
            findings,
            counts,
            ..
        } = self;
        let name = flow.to_string();
        let mut findings = Findings {
            packet: number,
            time,
            flow: &name,
            found: findings,
        };
        let direction = directions.entry(asked).or_insert_with(|| {
            let ports = (asked.from, asked.to);
            networks.entry(ports).or_default().insert(asked.tenant);
            Direction::default()
        });
        let Direction {
            requests,
            responses,
            ladder,
        } = direction;
        ladder.packet(number, packet, opcode);
        if opcode.is_response() {
            match requests.history.of(packet.bth.psn) {
                Some(sent) if !sent.is_known() => counts.newer_answers += 1,
                _ => counts.answered += 1,
            }
            responses.packet(requests, packet, opcode, &mut findings);
        } else {
            responses.requested(packet.bth.psn, &mut findings);
            requests.packet(packet, opcode, &mut findings);
        }
        let new = findings.found.iter_mut().rev();
        for finding in new.take_while(|finding| finding.packet == number) {
            finding.ladder = ladder.rungs();
        }
    }

    /// An answer to a queue pair that nothing was seen to ask for: it may be what another one waits for.
    fn stray(&mut self, number: u64, flow: Flow, psn: u32) {
        self.counts.unasked += 1;
        let networks = self.networks.get(&(flow.to, flow.from));
        self.counts.elsewhere += u64::from(networks.is_some_and(|known| !known.contains(&flow.tenant)));
        let waits = |(_, direction): &(&Flow, &Direction)| direction.requests.waits_for(psn);
        let Some((asked, _)) = self.directions.range(flow.opposites()).find(waits) else {
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
                ladder: Vec::new(),
            });
        }
    }
}
