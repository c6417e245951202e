//! The pauses of a golden device's sources of packets (`protocol/link.md` section 7).
use hca_golden::decision::static_rate::spacing;
use hca_golden::hca::{Pace, Source};
use std::collections::BTreeMap;

/// The sources that may send nothing now.
#[derive(Default)]
pub struct Pacing {
    closed: BTreeMap<Source, Closed>,
}

enum Closed {
    /// Until this packet, whose source has this IPD, has started.
    UnderWay(Vec<u8>, u32),
    /// Until this time, in picoseconds.
    Until(u64),
}

impl Pacing {
    /// Closes the source of a packet that is handed over.
    pub fn departs(&mut self, pace: Pace, bytes: &[u8]) {
        let packet = Closed::UnderWay(bytes.to_vec(), pace.ipd);
        self.closed.insert(pace.source, packet);
    }

    /// Notes that these bytes start at this time, in picoseconds. `rate`: that of the port in units of 2.5 Gb/s.
    pub fn starts(&mut self, bytes: &[u8], at: u64, rate: u32) {
        for closed in self.closed.values_mut() {
            if let Closed::UnderWay(packet, ipd) = closed {
                if packet == bytes {
                    *closed = Closed::Until(at + spacing(bytes.len(), *ipd, rate));
                    return;
                }
            }
        }
    }

    /// Opens the sources whose pause is over. A source whose packet does not wait any more (`waits`) opens too: its
    /// packet was discarded.
    pub fn open(&mut self, now: u64, waits: impl Fn(&[u8]) -> bool) {
        self.closed.retain(|_, closed| match closed {
            Closed::UnderWay(packet, _) => waits(packet),
            Closed::Until(time) => now < *time,
        });
    }

    /// Returns true if no source is closed.
    pub fn is_open(&self) -> bool {
        self.closed.is_empty()
    }

    /// Returns true if this source may send nothing now.
    pub fn is_closed(&self, source: Source) -> bool {
        self.closed.contains_key(&source)
    }
}
