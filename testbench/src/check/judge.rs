//! Judges a capture packet by packet, each with what is known about its connection.
use super::agreement::{Agreements, Limits};
use super::datagram;
use super::finding::{Finding, Rule};
use super::flow::{Address, Flow, Tenant};
use super::found::Findings;
use super::found::Found;
use super::history::Room;
use super::ladder::Ladder;
use super::observed::{Observed, Own};
use super::pairing::Pairs;
use super::q_keys::QKeys;
use super::renewed::Renewed;
use super::requests::Requests;
use super::responses::Responses;
use super::unreliable::Unreliable;
use crate::trace::mad::Mad;
use hca_golden::wire::opcode::{Opcode, Transport};
use hca_golden::wire::reth::Reth;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Opcode of an RDMA READ request.
const READ_REQUEST: u8 = 0x0C;

/// The requests of one direction, and the answers to them.
#[derive(Debug, Default)]
pub(super) struct Direction {
    pub requests: Requests,
    pub responses: Responses,
    ladder: Ladder,
    /// Number of answers that were judged, and the packet of the latest.
    pub answers: u64,
    pub latest_answer: u64,
}

/// The packets of UC to one queue pair, or the datagrams from one port to another.
#[derive(Debug, Default)]
struct OneWay {
    unreliable: Unreliable,
    ladder: Ladder,
    /// True once a finding has said that a datagram of this flow asked for an ack.
    asked: bool,
}

/// The counts of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of packets of RC.
    pub packets: u64,
    /// Answers among them whose requests the capture does not hold. They are not judged.
    pub unasked: u64,
    /// Answers among those whose requests are only in another VLAN or tunnel.
    pub elsewhere: u64,
    /// Answers that may belong to other requests than the earlier ones of their queue pair. They are not judged.
    pub held: u64,
    /// Packets of connections that cannot be paired, because their answers fit too many of them. They are not judged.
    pub alike: u64,
    /// Packets of other services. They are not judged.
    pub others: u64,
    /// Packets of opcodes that were added to RC later (`opcodes.csv`). They are not judged.
    pub newer: u64,
    /// Answers to packets of those opcodes.
    pub newer_answers: u64,
    /// Answers that were judged by a rule.
    answered: u64,
    /// PSNs that were acknowledged and whose requests the capture lacks.
    pub lacks: u64,
    /// Acks that come after newer ones and are right for their place: they left in order, as far as the capture shows.
    pub overtaken: u64,
    /// Directions whose requester went back again and again and got no answer until the capture ended.
    pub unanswered: u64,
    /// Directions of connections of which requests were seen.
    pub directions: usize,
    /// Packets of connections that the user did not select.
    pub left_out: u64,
    /// Packets of UC, and datagrams.
    pub unreliable: u64,
    pub datagrams: u64,
    /// PSNs of UC that did not come.
    pub lost: u64,
    /// Messages of UC whose lengths could not be judged: those whose first packets came before the capture, those that
    /// lack packets or whose packets are in another order, and those that have not ended.
    pub headless: u64,
    pub broken: u64,
    pub unfinished: u64,
    /// Datagrams to queue pairs whose Q_Keys the capture has not shown, and those among them with another one than the
    /// datagram before.
    pub q_keys_unknown: u64,
    pub q_keys_differing: u64,
    /// Datagrams with another Q_Key than the one that their queue pair has shown, and those that show another own Q_Key
    /// of their sender than before.
    pub q_keys_refused: u64,
    pub q_keys_changed: u64,
    /// MADs among the datagrams, by kind.
    pub mads: BTreeMap<Mad, u64>,
}

/// Judges packets in the order of a capture.
#[derive(Debug, Default)]
pub struct Judge {
    pub(super) directions: Vec<Direction>,
    /// For each flow of requests, the index of its direction.
    pub(super) numbers: HashMap<Flow, usize>,
    /// For each flow of answers the flow of requests that they answer, and the reverse.
    pub(super) answers: HashMap<Flow, Flow>,
    pub(super) answered_by: HashMap<Flow, Flow>,
    /// Flows of answers that may belong to other requests than before.
    pub(super) renewed: Renewed,
    agreements: Agreements,
    /// Limits from REQ and REP, by the flow of requests.
    pub(super) limits: HashMap<Flow, Limits>,
    /// Flows of UC and UD.
    one_way: HashMap<Flow, OneWay>,
    q_keys: QKeys,
    /// Flows that are not judged, because their answers fit too many flows of requests.
    pub(super) alike: BTreeSet<Flow>,
    /// Flows of answers for which no waiting requests were known, and how often that was so.
    pub(super) strays: HashMap<Flow, u32>,
    /// Flows of requests from one port to another, by network.
    pub(super) networks: BTreeMap<(Address, Address), BTreeMap<Tenant, Vec<Flow>>>,
    /// Queue pairs whose connections are judged; if empty, all are judged.
    selected: Vec<u32>,
    pub found: Found,
    pub(super) counts: Counts,
}

impl Counts {
    /// Returns true if at least one packet was judged by a rule. Too little is known about a direction whose answers
    /// are all in another network.
    pub fn are_judged(&self) -> bool {
        let left = self.unasked + self.held + self.alike + self.newer_answers;
        let is_connection_judged = self.packets > left && (self.elsewhere == 0 || self.answered > 0);
        is_connection_judged || self.unreliable + self.datagrams > 0
    }
}

impl Judge {
    /// Makes a judge that has seen no packet and knows these pairs of request and answer flows.
    pub fn new(pairs: Pairs) -> Judge {
        let mut judge = Judge::default();
        judge.learn(pairs);
        judge
    }

    /// Restricts the judge to connections of these queue pairs; an empty list selects all.
    pub fn select(&mut self, queue_pairs: &[u32]) {
        self.selected = queue_pairs.to_vec();
    }

    /// Returns true if the user did not select the packet: neither its queue pair nor that of its answers is selected.
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
        // REQ and REP have shown which answers belong to these requests.
        self.alike.retain(|flow| !self.limits.contains_key(flow));
        new
    }

    /// Withdraws the findings about missing requests of this flow, whose answers were not recognised so far.
    fn begin_anew(&mut self, asked: Flow) {
        if let Some(number) = self.numbers.get(&asked) {
            self.directions[*number].requests.lose_track();
        }
        let may_be_lacking = |rule| matches!(rule, Rule::RequestPsn | Rule::GoneBack | Rule::OutstandingPsns);
        let is_of = |finding: &Finding| finding.of == Some(asked) && may_be_lacking(finding.rule);
        self.found.withdraw_all(is_of);
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> Counts {
        let directions = self.directions.iter();
        let messages = |count: fn(&Unreliable) -> u64| {
            let flows = self.one_way.values();
            flows.map(|flow| count(&flow.unreliable)).sum()
        };
        Counts {
            directions: self.directions.len(),
            overtaken: directions
                .clone()
                .map(|direction| direction.responses.overtaken)
                .sum(),
            lacks: directions
                .clone()
                .map(|direction| direction.requests.lacking())
                .sum(),
            unanswered: directions
                .filter(|direction| direction.requests.is_unanswered())
                .count() as u64,
            lost: messages(|flow| flow.lost),
            headless: messages(|flow| flow.headless),
            broken: messages(|flow| flow.broken),
            unfinished: messages(|flow| flow.is_open().into()),
            q_keys_unknown: self.q_keys.unknown,
            q_keys_differing: self.q_keys.differing,
            q_keys_refused: self.q_keys.refused,
            q_keys_changed: self.q_keys.changed,
            ..self.counts.clone()
        }
    }

    /// Takes a packet that no port accepts, with its fields if its headers can be read.
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
            // The packet counts as sent, but no port took it.
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

    /// Takes a packet of another service.
    pub fn foreign(&mut self) {
        self.counts.others += 1;
    }

    /// Takes a packet that cannot be read. It may belong to any connection, so the next packet of each connection is
    /// judged as its first.
    pub fn cut(&mut self) {
        for direction in &mut self.directions {
            direction.requests.lose_track();
        }
    }

    /// Takes the next packet, captured at this time in nanoseconds since 1970.
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

    /// Takes a packet that has no answer.
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
        let mut agreed = None;
        if let Own::Datagram {
            q_key,
            src_qp,
            mad,
            statement,
        } = packet.own
        {
            self.counts.datagrams += 1;
            agreed = statement.and_then(|statement| self.agreements.message(&flow, statement));
            if let Some(mad) = mad {
                *self.counts.mads.entry(mad).or_default() += 1;
            }
            datagram::judge(packet, &mut way.asked, &mut findings);
            self.q_keys.datagram(&flow, src_qp, q_key, &mut findings);
        } else {
            self.counts.unreliable += 1;
            way.unreliable.packet(packet, opcode, &mut findings);
        }
        self.found.lead(number, || way.ladder.rungs());
        for direction in agreed.into_iter().flatten() {
            self.limits.insert(direction.asked, direction.limits);
            self.renew(direction.answers, direction.asked);
        }
    }

    /// Takes a packet of an opcode that was added to RC later, FLUSH or ATOMIC WRITE. It takes a PSN and is a message,
    /// like a Read of no bytes; the opcode's own rules are not judged.
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
            true => self.asked(number, time, packet),
        };
        let Some(asked) = asked else { return };
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
            answers,
            latest_answer,
        } = &mut self.directions[at];
        ladder.packet(number, packet, opcode);
        if opcode.is_response() {
            match requests.history.of(packet.psn) {
                Some(sent) if !sent.is_known() => self.counts.newer_answers += 1,
                _ => self.counts.answered += 1,
            }
            *answers += 1;
            *latest_answer = number;
            responses.packet(requests, packet, opcode, &mut findings);
        } else {
            responses.requested(packet.psn, &mut findings);
            requests.packet(packet, opcode, &mut findings);
        }
        self.found.lead(number, || ladder.rungs());
    }

    /// Returns the index of the direction of these requests.
    fn direction(&mut self, asked: Flow) -> usize {
        if let Some(number) = self.numbers.get(&asked) {
            return *number;
        }
        let ports = (asked.from, asked.to);
        let networks = self.networks.entry(ports).or_default();
        networks.entry(asked.tenant).or_default().push(asked);
        self.numbers.insert(asked, self.directions.len());
        let mut direction = Direction::default();
        direction.requests.limits = self.limits.get(&asked).copied();
        self.directions.push(direction);
        self.directions.len() - 1
    }
}
