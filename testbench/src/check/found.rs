//! Findings that later packets may still withdraw, and those that stand.
use super::finding::{Finding, Rule};
use super::flow::Flow;
use super::history::Room;
use super::ladder::Rung;
use std::collections::VecDeque;

/// Most findings that may still be withdrawn; older ones stand, so that memory is bounded.
const OPEN: usize = 1 << 14;

/// Findings in the order of the packets.
#[derive(Debug, Default)]
pub struct Found {
    open: VecDeque<Finding>,
    /// Number of open findings that were shown already; they are the oldest.
    shown: usize,
    /// Findings that were shown and then withdrawn.
    withdrawn: Vec<Finding>,
    /// Number of findings that can no longer be withdrawn.
    closed: u64,
}

impl Found {
    /// Adds a finding in the order of the packets. A fault may show only after later packets.
    pub(super) fn add(&mut self, finding: Finding) {
        let behind = self.open.partition_point(|other| other.packet <= finding.packet);
        self.open.insert(behind.max(self.shown), finding);
    }

    /// Adds the packets that lead to the newest findings about this packet.
    pub(super) fn lead(&mut self, packet: u64, ladder: impl Fn() -> Vec<Rung>) {
        let new = self.open.iter_mut().rev();
        for finding in new.take_while(|finding| finding.packet == packet) {
            finding.ladder = ladder();
        }
    }

    /// Withdraws the first matching finding about this packet.
    pub(super) fn withdraw(&mut self, packet: u64, is_meant: impl Fn(&Finding) -> bool) {
        let begin = self.open.partition_point(|finding| finding.packet < packet);
        let of_packet = self.open.range(begin..);
        let at = of_packet
            .take_while(|finding| finding.packet == packet)
            .position(is_meant);
        if let Some(at) = at {
            self.remove(begin + at);
        }
    }

    /// Withdraws all matching findings.
    pub(super) fn withdraw_all(&mut self, is_meant: impl Fn(&Finding) -> bool) {
        for at in (0..self.open.len()).rev() {
            if is_meant(&self.open[at]) {
                self.remove(at);
            }
        }
    }

    fn remove(&mut self, at: usize) {
        let Some(finding) = self.open.remove(at) else {
            return;
        };
        if at < self.shown {
            self.shown -= 1;
            self.withdrawn.push(finding);
        }
    }

    /// Number of findings.
    pub fn count(&self) -> u64 {
        self.closed + self.open.len() as u64
    }

    /// Removes and returns the next finding that can no longer be withdrawn and was not shown. With `last`, no packet
    /// follows.
    pub fn close(&mut self, last: bool) -> Option<Finding> {
        while last || self.open.len() > OPEN {
            let finding = self.open.pop_front()?;
            self.closed += 1;
            match self.shown {
                0 => return Some(finding),
                _ => self.shown -= 1,
            }
        }
        None
    }

    /// Returns the next finding from before this time, in nanoseconds since 1970, that was not shown. It may still be
    /// withdrawn.
    pub fn show(&mut self, before: u64) -> Option<&Finding> {
        let finding = self
            .open
            .get(self.shown)
            .filter(|finding| finding.time < before)?;
        self.shown += 1;
        Some(finding)
    }

    /// Takes the findings that were shown and then withdrawn.
    pub fn take_withdrawn(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.withdrawn)
    }
}

/// Findings of one packet, as they are made.
pub(super) struct Findings<'a> {
    pub packet: u64,
    /// When it was captured, in nanoseconds since 1970; zero if the file does not say.
    pub time: u64,
    pub flow: Flow,
    /// The connection's requests.
    pub of: Flow,
    /// How much each direction may remember.
    pub room: Room,
    pub found: &'a mut Found,
}

impl Findings<'_> {
    /// Withdraws the finding that this packet breaks this rule.
    pub fn withdraw(&mut self, packet: u64, rule: Rule) {
        self.found.withdraw(packet, |finding| finding.rule == rule);
    }

    /// Withdraws the finding about an answer: the capture lacks its request, or the request came later.
    pub fn withdraw_answer(&mut self, packet: u64) {
        self.withdraw(packet, Rule::UnknownPsn);
    }

    /// Adds that the present packet breaks this rule.
    pub fn add(&mut self, rule: Rule, detail: String) {
        self.add_to(self.packet, rule, detail);
    }

    /// Adds that an earlier packet of the flow of requests breaks this rule, as the present one shows.
    pub fn add_to(&mut self, packet: u64, rule: Rule, detail: String) {
        let flow = match packet == self.packet {
            true => self.flow,
            false => self.of,
        };
        self.found.add(Finding {
            packet,
            rule,
            flow: flow.to_string(),
            detail,
            ladder: Vec::new(),
            of: Some(self.of),
            time: self.time,
        });
    }
}
