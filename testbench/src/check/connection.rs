//! Judges packet by packet, each with what is known of its connection.
use super::datagram;
use super::finding::{Finding, Findings, Rule};
use super::flow::{Address, Flow, Tenant};
use super::found::Found;
use super::ladder::Ladder;
use super::message::Room;
use super::observed::{Observed, Own};
use super::pairing::Pairs;
use super::requests::Requests;
use super::responses::Responses;
use super::unreliable::Unreliable;
use crate::trace::mad::Mad;
use hca_golden::wire::opcode::{Opcode, Transport};
use hca_golden::wire::reth::Reth;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Opcode of an RDMA READ request.
const READ_REQUEST: u8 = 0x0C;
/// As many answers of a flow to requests that were not seen are held against other connections.
const STRAYS: u32 = 8;

/// Requests of one direction, and the answers to them.
#[derive(Debug, Default)]
struct Direction {
    requests: Requests,
    responses: Responses,
    ladder: Ladder,
}

/// Packets of UC to one queue pair, or datagrams from one port to one.
#[derive(Debug, Default)]
struct OneWay {
    unreliable: Unreliable,
    ladder: Ladder,
    /// True once a finding has said that a datagram of this flow asked for an ack.
    asked: bool,
}

/// What a capture holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// Packets of connections that were not asked for.
    pub left_out: u64,
    /// Packets of UC, and datagrams.
    pub unreliable: u64,
    pub datagrams: u64,
    /// PSNs of UC that did not come.
    pub lost: u64,
    /// MADs among the datagrams, by kind.
    pub mads: BTreeMap<Mad, u64>,
}

/// Judges packets in the order of a capture.
#[derive(Debug, Default)]
pub struct Judge {
    directions: Vec<Direction>,
    /// Where each flow of requests is among them.
    numbers: HashMap<Flow, usize>,
    /// Flow of answers, and of the requests that they answer; and the other way round.
    answers: HashMap<Flow, Flow>,
    answered_by: HashMap<Flow, Flow>,
    /// Flows of UC and UD.
    one_way: HashMap<Flow, OneWay>,
    /// Flows that are not judged, because their answers fit too many flows of requests.
    alike: BTreeSet<Flow>,
    /// Flows of answers whose requests are not known, and how many came.
    strays: HashMap<Flow, u32>,
    /// Ports that asked others, and in which networks.
    networks: BTreeMap<(Address, Address), BTreeSet<Tenant>>,
    /// Connections of these queue pairs are judged, or all if there are none.
    selected: Vec<u32>,
    pub found: Found,
    counts: Counts,
}

impl Counts {
    /// At least one packet was held to a rule; of a direction whose answers are all in another network too little is
    /// known.
    pub fn are_judged(&self) -> bool {
        let left = self.unasked + self.alike + self.newer_answers;
        let is_connection_judged = self.packets > left && (self.elsewhere == 0 || self.answered > 0);
        is_connection_judged || self.unreliable + self.datagrams > 0
    }
}

impl Judge {
    /// A judge that has seen no packet, and knows these pairs of request and answer flows.
    pub fn new(pairs: Pairs) -> Judge {
        let mut judge = Judge::default();
        judge.learn(pairs);
        judge
    }

    /// Judges connections of these queue pairs alone, or of all if there are none.
    pub fn select(&mut self, queue_pairs: &[u32]) {
        self.selected = queue_pairs.to_vec();
    }

    /// A packet is not asked for: neither it nor its answers go to a queue pair that is, nor does one send it.
    fn is_left_out(&self, packet: &Observed) -> bool {
        if self.selected.is_empty() {
            return false;
        }
        if matches!(packet.own, Own::Datagram { src_qp, .. } if self.selected.contains(&src_qp)) {
            return false;
        }
        let flow = &packet.flow;
        let other = self.answers.get(flow).or_else(|| self.answered_by.get(flow));
        let ends = [Some(flow), other];
        let is_selected = |flow: &Flow| self.selected.contains(&flow.dest_qp);
        !ends.into_iter().flatten().any(is_selected)
    }

    /// Takes more pairs of request and answer flows. Returns those that the judge did not know.
    pub(super) fn learn(&mut self, pairs: Pairs) -> Vec<(Flow, Flow)> {
        let mut new = Vec::new();
        for (answers, asked) in pairs.answers {
            if self.answers.contains_key(&answers) || self.answered_by.contains_key(&asked) {
                continue;
            }
            self.answers.insert(answers, asked);
            self.answered_by.insert(asked, answers);
            new.push((answers, asked));
            if self.strays.remove(&answers).is_some() || self.alike.contains(&asked) {
                self.begin_anew(asked);
            }
        }
        self.alike = pairs.alike;
        new
    }

    /// Answers to these requests were not taken for them: what was made of that stands for nothing.
    fn begin_anew(&mut self, asked: Flow) {
        if let Some(number) = self.numbers.get(&asked) {
            self.directions[*number].requests.lose_track();
        }
        let may_be_lacking = |rule| matches!(rule, Rule::RequestPsn | Rule::GoneBack | Rule::OutstandingPsns);
        let is_of = |finding: &Finding| finding.of == Some(asked) && may_be_lacking(finding.rule);
        self.found.withdraw_all(is_of);
    }

    pub fn counts(&self) -> Counts {
        let directions = self.directions.iter();
        Counts {
            directions: self.directions.len(),
            overtaken: directions
                .clone()
                .map(|direction| direction.responses.overtaken)
                .sum(),
            lacks: directions.map(|direction| direction.requests.lacking()).sum(),
            lost: self.one_way.values().map(|flow| flow.unreliable.lost).sum(),
            ..self.counts.clone()
        }
    }

    /// A packet that no port would take; where its headers can be read, the packet.
    pub fn malformed(
        &mut self,
        number: u64,
        time: u64,
        packet: Option<&Observed>,
        (rule, why): (Rule, String),
    ) {
        let flow = packet.map(|packet| packet.flow);
        if !self.selected.is_empty() && packet.is_none_or(|packet| self.is_left_out(packet)) {
            self.counts.left_out += 1;
            return;
        }
        if let Some(packet) = packet {
            // It counts as sent, but nobody took it.
            if let Some(direction) = self.numbers.get(&packet.flow) {
                self.directions[*direction].requests.spoiled(packet.psn);
            }
        }
        self.found.add(Finding {
            packet: number,
            rule,
            flow: flow.map_or_else(|| "a packet".to_owned(), |flow| flow.to_string()),
            detail: why,
            ladder: Vec::new(),
            of: flow,
            time,
        });
    }

    /// A packet of another service.
    pub fn foreign(&mut self) {
        self.counts.others += 1;
    }

    /// A packet of whatever connection that cannot be read: what follows in each begins anew.
    pub fn cut(&mut self) {
        for direction in &mut self.directions {
            direction.requests.lose_track();
        }
    }

    /// The next packet, and when it was captured, in nanoseconds since 1970.
    pub fn packet(&mut self, number: u64, time: u64, packet: &Observed) {
        let transport = Transport::of(packet.opcode);
        let is_judged = matches!(transport, Transport::Rc | Transport::Uc | Transport::Ud);
        if !is_judged {
            self.counts.others += 1;
            return;
        }
        let Some(opcode) = packet.opcode() else {
            let rule = match transport {
                Transport::Uc => Rule::UnreliableOpcode,
                Transport::Ud => Rule::DatagramOpcode,
                _ => Rule::UnknownOpcode,
            };
            let why = format!("opcode {:02X}h", packet.opcode);
            self.malformed(number, time, Some(packet), (rule, why));
            return;
        };
        if self.is_left_out(packet) {
            self.counts.left_out += 1;
            return;
        }
        if transport != Transport::Rc {
            return self.take_one_way(number, time, packet, opcode);
        }
        self.counts.packets += 1;
        self.take(number, time, packet, opcode);
    }

    /// A packet that nothing answers.
    fn take_one_way(&mut self, number: u64, time: u64, packet: &Observed, opcode: &'static Opcode) {
        let flow = packet.flow;
        let way = self.one_way.entry(flow).or_default();
        way.ladder.packet(number, packet, opcode);
        let mut findings = Findings {
            packet: number,
            time,
            flow,
            of: flow,
            room: Room::among(self.directions.len()),
            found: &mut self.found,
        };
        if let Own::Datagram { mad, .. } = packet.own {
            self.counts.datagrams += 1;
            if let Some(mad) = mad {
                *self.counts.mads.entry(mad).or_default() += 1;
            }
            datagram::judge(packet, &mut way.asked, &mut findings);
        } else {
            self.counts.unreliable += 1;
            way.unreliable.packet(packet, opcode, &mut findings);
        }
        self.found.lead(number, || way.ladder.rungs());
    }

    /// A packet of an opcode that RC was given later, FLUSH or ATOMIC WRITE: it takes a PSN and is a message, as a Read
    /// of no byte is; its own rules are not judged.
    pub fn newer(&mut self, number: u64, time: u64, packet: &Observed) {
        if self.is_left_out(packet) {
            self.counts.left_out += 1;
            return;
        }
        self.counts.newer += 1;
        let read = Reth {
            va: 0,
            r_key: 0,
            dma_len: 0,
        };
        let packet = Observed {
            asks: true,
            solicits: false,
            own: Own::Reth(read),
            ..packet.without_payload()
        };
        if let Some(read) = Opcode::of(READ_REQUEST) {
            self.take(number, time, &packet, read);
        }
    }

    fn take(&mut self, number: u64, time: u64, packet: &Observed, opcode: &'static Opcode) {
        let flow = packet.flow;
        if !self.alike.is_empty() && self.alike.contains(&flow) {
            self.counts.alike += 1;
            return;
        }
        let asked = match opcode.is_response() {
            false => Some(flow),
            true => self.answers.get(&flow).copied(),
        };
        let Some(asked) = asked else {
            return self.stray(number, time, flow, packet.psn);
        };
        let at = self.direction(asked);
        let mut findings = Findings {
            packet: number,
            time,
            flow,
            of: asked,
            room: Room::among(self.directions.len()),
            found: &mut self.found,
        };
        let Direction {
            requests,
            responses,
            ladder,
        } = &mut self.directions[at];
        ladder.packet(number, packet, opcode);
        if opcode.is_response() {
            match requests.history.of(packet.psn) {
                Some(sent) if !sent.is_known() => self.counts.newer_answers += 1,
                _ => self.counts.answered += 1,
            }
            responses.packet(requests, packet, opcode, &mut findings);
        } else {
            responses.requested(packet.psn, &mut findings);
            requests.packet(packet, opcode, &mut findings);
        }
        self.found.lead(number, || ladder.rungs());
    }

    /// The direction of these requests.
    fn direction(&mut self, asked: Flow) -> usize {
        if let Some(number) = self.numbers.get(&asked) {
            return *number;
        }
        let ports = (asked.from, asked.to);
        self.networks.entry(ports).or_default().insert(asked.tenant);
        self.numbers.insert(asked, self.directions.len());
        self.directions.push(Direction::default());
        self.directions.len() - 1
    }

    /// An answer to a queue pair that nothing was seen to ask for: it may be what another one waits for.
    fn stray(&mut self, number: u64, time: u64, flow: Flow, psn: u32) {
        self.counts.unasked += 1;
        let networks = self.networks.get(&(flow.to, flow.from));
        self.counts.elsewhere += u64::from(networks.is_some_and(|known| !known.contains(&flow.tenant)));
        let strays = self.strays.entry(flow).or_default();
        *strays = strays.saturating_add(1);
        // The search below looks at every connection: for one flow of strays it ends after `STRAYS` packets.
        if *strays > STRAYS {
            return;
        }
        let Some((asked, right)) = self.waiting(&flow, psn) else {
            return;
        };
        self.strays.insert(flow, STRAYS);
        self.found.add(Finding {
            packet: number,
            rule: Rule::AnswerQp,
            flow: flow.to_string(),
            detail: format!(
                "PSN {psn} is of {asked}, whose answers go to QP {:06X}h",
                right.dest_qp
            ),
            ladder: Vec::new(),
            of: Some(asked),
            time,
        });
    }

    /// The connection between the same ports that waits for an answer to this PSN, and where its answers go.
    fn waiting(&self, answer: &Flow, psn: u32) -> Option<(Flow, Flow)> {
        let between = answer.opposites();
        let waits = |(flow, at): &(&Flow, &usize)| {
            between.contains(flow) && self.directions[**at].requests.waits_for(psn)
        };
        let (asked, _) = self.numbers.iter().filter(waits).min_by_key(|(flow, _)| **flow)?;
        Some((*asked, *self.answered_by.get(asked)?))
    }
}
