//! A cable between two simulated adapters, which carries packets while they are still being sent.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A beat of a packet on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Beat {
    pub bytes: Vec<u8>,
    /// True for the last beat of a packet.
    pub last: bool,
    /// True for a link packet.
    pub is_link: bool,
}

/// The beats of one direction, each with the clock cycle in which it arrives.
type Strand = Arc<Mutex<VecDeque<(u64, Beat)>>>;

/// An end of a cable. It joins the first ports of two adapters that run clock by clock, side by side: each beat that
/// leaves one of them comes to the other a fixed number of clock cycles later.
#[derive(Clone, Debug)]
pub struct CableEnd {
    delay: u64,
    sent: Strand,
    received: Strand,
}

impl CableEnd {
    /// Returns the two ends of a cable that a beat passes in `delay` clock cycles, at least one.
    pub fn pair(delay: u64) -> [CableEnd; 2] {
        let (there, back) = (Strand::default(), Strand::default());
        let end = |sent: &Strand, received: &Strand| CableEnd {
            delay: delay.max(1),
            sent: sent.clone(),
            received: received.clone(),
        };
        [end(&there, &back), end(&back, &there)]
    }

    /// Takes a beat that leaves in this clock cycle.
    pub(crate) fn send(&self, cycle: u64, beat: Beat) {
        beats(&self.sent).push_back((cycle + self.delay, beat));
    }

    /// Returns the next beat if it has arrived by this clock cycle.
    pub(crate) fn arrived(&self, cycle: u64) -> Option<Beat> {
        let mut received = beats(&self.received);
        if received.front().is_none_or(|(at, _)| cycle < *at) {
            return None;
        }
        received.pop_front().map(|(_, beat)| beat)
    }

    /// Returns true if no beat is on its way to this end.
    pub(crate) fn is_empty(&self) -> bool {
        beats(&self.received).is_empty()
    }
}

fn beats(strand: &Strand) -> MutexGuard<'_, VecDeque<(u64, Beat)>> {
    strand.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beat(byte: u8, last: bool) -> Beat {
        Beat {
            bytes: vec![byte; 8],
            last,
            is_link: false,
        }
    }

    #[test]
    fn a_beat_arrives_before_its_packet_has_left() {
        let [x, y] = CableEnd::pair(3);
        x.send(10, beat(1, false));
        x.send(11, beat(2, true));
        assert_eq!(y.arrived(12), None);
        assert_eq!(y.arrived(13), Some(beat(1, false)));
        assert_eq!(y.arrived(13), None);
        assert_eq!(y.arrived(20), Some(beat(2, true)));
        assert!(y.is_empty());
    }

    #[test]
    fn each_direction_is_its_own() {
        let [x, y] = CableEnd::pair(0);
        y.send(5, beat(7, true));
        assert!(y.is_empty());
        assert_eq!(x.arrived(5), None);
        assert_eq!(x.arrived(6), Some(beat(7, true)));
    }
}
