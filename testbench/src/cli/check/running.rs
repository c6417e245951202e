//! A running judgement, and what it skipped.
use super::copies::Copies;
use super::look::{Linked, Look, Packeted};
use crate::check::{Ahead, Counts, Found, Seen, What};
use crate::cli::intake::filter::Selection;
use std::collections::BTreeMap;

/// In a growing capture, packets are judged once the latest packet is this many nanoseconds later.
const PATIENCE: u64 = 1_000_000_000;
/// Number of packets between two checks of that time.
const OFTEN: u64 = 256;

/// The results so far.
pub struct Running<'a> {
    ahead: Ahead,
    selection: &'a Selection,
    follow: bool,
    copies: Copies,
    /// The time, in nanoseconds since 1970, before which everything is judged and findings are shown.
    pub passed: u64,
    newest: u64,
    looked: u64,
    /// Packets whose ICRC was not computed yet.
    pub unprotected: u64,
    pub not_rdma: u64,
    /// Link packets that were judged.
    pub link_packets: u64,
    /// Packets of unsupported link types, by number of the type.
    pub other_links: BTreeMap<u32, u64>,
    /// Packets whose ICRC is 0 and counts as wrong.
    pub zero: u64,
    /// Packets that the user did not select.
    pub left_out: u64,
}

impl Running<'_> {
    pub fn new(selection: &Selection, follow: bool) -> Running<'_> {
        Running {
            ahead: Ahead::of(&selection.qp),
            selection,
            follow,
            copies: Copies::default(),
            passed: 0,
            newest: 0,
            looked: 0,
            unprotected: 0,
            not_rdma: 0,
            link_packets: 0,
            other_links: BTreeMap::new(),
            zero: 0,
            left_out: 0,
        }
    }

    /// Takes the next record.
    pub fn look(&mut self, look: Look) {
        match look {
            Look::Rdma(packet) => self.packet(*packet),
            Look::Link(_) if self.selection.is_of_ends() => self.left_out += 1,
            Look::Link(packet) => self.link_packet(packet),
            Look::NotRdma => self.not_rdma += 1,
            Look::OtherLink(number) => *self.other_links.entry(number).or_default() += 1,
        }
        self.looked += 1;
        if self.follow && self.looked.is_multiple_of(OFTEN) {
            self.pass(self.newest.saturating_sub(PATIENCE));
        }
    }

    /// Notes that nothing has come for a while: what is known is judged.
    pub fn idle(&mut self) {
        self.pass(u64::MAX);
    }

    fn pass(&mut self, before: u64) {
        self.ahead.pass(before);
        self.passed = before;
    }

    /// Takes a link packet. The same one comes again and again on a link where nothing moves, so it is no copy.
    fn link_packet(&mut self, packet: Linked) {
        let Linked { number, time, fault } = packet;
        self.newest = self.newest.max(time);
        self.link_packets += 1;
        if let Some((rule, why)) = fault.map(|fault| *fault) {
            self.ahead.packet(Seen {
                number,
                time,
                is_repeated: false,
                is_copied: false,
                what: What::Malformed(None, rule, why),
            });
        }
    }

    fn packet(&mut self, packet: Packeted) {
        let Packeted {
            number,
            time,
            what,
            mark,
            tenant,
            ..
        } = packet;
        self.newest = self.newest.max(time);
        let addresses = what.packet().map(|packet| packet.addresses());
        if !self.selection.holds(addresses.into_iter().flatten().flatten()) {
            self.left_out += 1;
            return;
        }
        self.unprotected += u64::from(packet.unprotected);
        self.zero += u64::from(packet.zero);
        let alike = self.copies.next(mark, tenant, time);
        self.ahead.packet(Seen {
            number,
            time,
            is_repeated: alike.is_repeated,
            is_copied: alike.is_copied,
            what,
        });
    }

    /// Notes that nothing more will come.
    pub fn end(&mut self) {
        self.ahead.end();
    }

    pub fn counts(&self) -> Counts {
        self.ahead.judge.counts()
    }

    pub fn found(&mut self) -> &mut Found {
        &mut self.ahead.judge.found
    }

    /// Returns the number of findings.
    pub fn findings(&self) -> u64 {
        self.ahead.judge.found.count()
    }

    /// Returns the number of packets that came twice.
    pub fn twice(&self) -> u64 {
        self.ahead.twice
    }

    pub fn cut(&self) -> u64 {
        self.ahead.cut
    }

    /// Returns true if at least one packet was judged by a rule.
    pub fn is_judged(&self) -> bool {
        self.counts().are_judged() || self.findings() + self.link_packets > 0
    }
}
