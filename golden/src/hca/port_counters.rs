//! Counters of a port.
use super::arrival::{Arrival, Sound};
use crate::decision::partition::QP0;
use crate::event::DropReason;
use crate::extended_counters::ExtendedCounters;
use crate::verbs::PortCounter;
use crate::wire::check::native::{AtLink, Traffic};
use crate::wire::multicast::is_for_group;
use std::collections::BTreeMap;

/// The port's counts since software last set them. Each count stays at its largest value (CF337, `port_counters.csv`).
#[derive(Clone, Debug, Default)]
pub(super) struct PortCounters {
    pub counts: BTreeMap<PortCounter, u32>,
    /// By how much each count may be higher. Packets on VL 15 that are not SMPs and may have found no room count as
    /// received or faulty, or as dropped for lack of a buffer.
    pub unclear: BTreeMap<PortCounter, u32>,
    /// What the port has counted since its reset.
    pub extended: ExtendedCounters,
    /// What it may have counted beyond that since its reset; see `unclear`.
    pub extended_unclear: ExtendedCounters,
}

/// Returns the largest value of a counter.
pub(super) fn full(counter: PortCounter) -> u32 {
    u32::MAX >> (32 - counter.bits())
}

/// Returns the counters to which a packet that the port's state lets pass adds, with the amounts (`link.md` section 9).
fn counts(at_link: AtLink) -> Vec<(PortCounter, u32)> {
    match at_link {
        AtLink::Received { words, .. } => vec![(PortCounter::RcvPackets, 1), (PortCounter::RcvData, words)],
        AtLink::Error => vec![(PortCounter::RcvErrors, 1)],
        AtLink::EndedBad => vec![(PortCounter::RcvRemotePhysicalErrors, 1)],
    }
}

impl PortCounters {
    pub(super) fn of(&mut self, counter: PortCounter) -> &mut u32 {
        self.counts.entry(counter).or_default()
    }

    /// Adds one to a counter.
    pub(super) fn count(&mut self, counter: PortCounter) {
        self.add(counter, 1);
    }

    fn add(&mut self, counter: PortCounter, number: u32) {
        let count = self.of(counter);
        *count = count.saturating_add(number).min(full(counter));
    }

    /// Counts a packet that leaves. A native one has words from the LRH to the ICRC, and a VCRC behind them.
    pub(super) fn sent(&mut self, packet: &[u8]) {
        self.count(PortCounter::XmitPackets);
        let words = (packet.len() / 4) as u32;
        self.add(PortCounter::XmitData, words);
        self.extended.send(words, is_for_group(packet));
    }

    /// Counts an arriving packet that the port's state lets pass.
    pub(super) fn met(&mut self, at_link: AtLink) {
        for (counter, number) in counts(at_link) {
            self.add(counter, number);
        }
        if let AtLink::Received { words, is_multicast } = at_link {
            self.extended.receive(words, is_multicast);
        }
    }

    /// Notes that the device may have added one to a counter.
    pub(super) fn perhaps(&mut self, counter: PortCounter) {
        let most = self.unclear.entry(counter).or_default();
        *most = most.saturating_add(1);
    }

    /// Takes one count back.
    pub(super) fn take_back(&mut self, counter: PortCounter) {
        let count = self.of(counter);
        *count = count.saturating_sub(1);
    }

    /// Counts a packet that may have found no room, and that is dropped for the same reason if it found some.
    pub(super) fn unclear(&mut self, at_link: AtLink) {
        let mut add = |counter, number: u32| {
            let most: &mut u32 = self.unclear.entry(counter).or_default();
            *most = most.saturating_add(number);
        };
        add(PortCounter::Vl15Dropped, 1);
        for (counter, number) in counts(at_link) {
            add(counter, number);
        }
        if let AtLink::Received { words, is_multicast } = at_link {
            self.extended_unclear.receive(words, is_multicast);
        }
    }

    /// Counts a packet that found no room in the buffer of its VL (CF283, CF452).
    pub(super) fn overrun(&mut self, traffic: Traffic) {
        match traffic {
            Traffic::Management => self.count(PortCounter::Vl15Dropped),
            _ => {
                self.count(PortCounter::RcvErrors);
                self.count(PortCounter::BufferOverrun);
            }
        }
    }

    /// Counts a packet, or a member's copy of it, that is dropped.
    pub(super) fn drop(&mut self, reason: DropReason, arrival: &Arrival) {
        let is_smp = matches!(arrival, Arrival::Sound(Sound { packet, .. }) if packet.bth.dest_qp == QP0);
        let counter = match reason {
            DropReason::PKey => PortCounter::PKeyViolations,
            DropReason::QKey => PortCounter::QKeyViolations,
            // `special_qps.md` section 3 steps 8, 12 and 13 (CF423).
            DropReason::QpState | DropReason::NoReceiveWqe | DropReason::BufferTooSmall if is_smp => {
                PortCounter::Vl15Dropped
            }
            _ => return,
        };
        self.count(counter);
    }
}
