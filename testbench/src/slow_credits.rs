//! A neighbour that gives the credits of one data VL slowly: it holds flow-control packets back, and adds few blocks
//! with each.
use crate::case::SlowVl;
use hca_golden::wire::flow_control::{FlowControl, Op};

/// Number of values of a count of blocks.
const COUNTS: u16 = 4096;

/// The credits of the VL on their way to one side.
pub struct SlowCredits {
    vl: SlowVl,
    /// Number of blocks of the neighbour's buffer.
    buffer: u16,
    /// The last flow-control packet of the VL that the neighbour sent; `None` before the first.
    latest: Option<FlowControl>,
    /// FCCL of the last packet that was passed on.
    given: u16,
    /// Clock cycle from which more blocks may be given.
    due: u64,
}

impl SlowCredits {
    /// Makes the credits before the first packet. `buffer`: number of blocks of the neighbour's buffer.
    pub fn new(vl: SlowVl, buffer: u16) -> SlowCredits {
        SlowCredits {
            vl,
            buffer,
            latest: None,
            given: 0,
            due: 0,
        }
    }

    /// Returns the VL, the side that waits for its credits, and how slowly they come.
    pub fn vl(&self) -> SlowVl {
        self.vl
    }

    /// Takes a link packet on its way to the slow side, and returns the packet that passes on at once: one of another
    /// VL as it is, one of Init with few blocks, and any other only if all its blocks are given.
    pub fn take(&mut self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        let packet = match FlowControl::decode(&bytes) {
            Ok(packet) if packet.vl == self.vl.vl => packet,
            _ => return Some(bytes),
        };
        let begins = packet.op() == Some(Op::Initialise);
        if begins && self.latest.is_none_or(|latest| latest.op != packet.op) {
            self.given = packet.fccl.min(self.vl.blocks);
        }
        self.latest = Some(packet);
        match begins || self.missing(packet) == 0 {
            true => self.with_given(packet).encode().ok(),
            false => None,
        }
    }

    /// Returns the packet that gives more blocks, if it is due. `fctbs` is the neighbour's count at this moment.
    pub fn due(&mut self, cycle: u64, fctbs: u16) -> Option<Vec<u8>> {
        let is_normal = |packet: &FlowControl| packet.op() == Some(Op::Normal);
        let latest = self.latest.filter(is_normal)?;
        let missing = self.missing(latest);
        if missing == 0 || cycle < self.due {
            return None;
        }
        self.due = cycle + u64::from(self.vl.every);
        self.given = (self.given + missing.min(self.vl.blocks)) % COUNTS;
        let packet = FlowControl { fctbs, ..latest };
        self.with_given(packet).encode().ok()
    }

    /// Returns the number of blocks of the packet that are not given. If more are given than the packet has, or more
    /// would be missing than the buffer holds, the neighbour's count was wrong before: then the packet's count is given
    /// at once.
    fn missing(&mut self, packet: FlowControl) -> u16 {
        let missing = packet.fccl.wrapping_sub(self.given) % COUNTS;
        if missing > self.buffer {
            self.given = packet.fccl;
            return 0;
        }
        missing
    }

    fn with_given(&self, packet: FlowControl) -> FlowControl {
        let fccl = self.given;
        FlowControl { fccl, ..packet }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Side;

    fn credits() -> SlowCredits {
        let vl = SlowVl {
            to: Side::X,
            vl: 1,
            blocks: 10,
            every: 100,
        };
        SlowCredits::new(vl, 30)
    }

    fn packet(op: u8, vl: u8, fctbs: u16, fccl: u16) -> Vec<u8> {
        let packet = FlowControl { op, fctbs, vl, fccl };
        packet.encode().unwrap()
    }

    #[test]
    fn other_vls_are_as_they_are() {
        assert_eq!(credits().take(packet(0, 0, 7, 90)), Some(packet(0, 0, 7, 90)));
        let broken = vec![0; 5];
        assert_eq!(credits().take(broken.clone()), Some(broken));
    }

    #[test]
    fn blocks_come_few_at_a_time() {
        let mut credits = credits();
        assert_eq!(credits.take(packet(1, 1, 0, 25)), Some(packet(1, 1, 0, 10)));
        assert_eq!(credits.due(500, 0), None);
        assert_eq!(credits.take(packet(0, 1, 0, 25)), None);
        assert_eq!(credits.due(600, 3), Some(packet(0, 1, 3, 20)));
        assert_eq!(credits.due(699, 3), None);
        assert_eq!(credits.due(700, 4), Some(packet(0, 1, 4, 25)));
        assert_eq!(credits.due(800, 4), None);
        assert_eq!(credits.take(packet(0, 1, 5, 25)), Some(packet(0, 1, 5, 25)));
    }

    #[test]
    fn a_port_that_begins_anew_gets_few_blocks_again() {
        let mut credits = credits();
        credits.take(packet(0, 1, 0, 9));
        assert_eq!(credits.due(1, 0), Some(packet(0, 1, 0, 9)));
        assert_eq!(credits.take(packet(1, 1, 0, 25)), Some(packet(1, 1, 0, 10)));
        assert_eq!(credits.take(packet(1, 1, 0, 25)), Some(packet(1, 1, 0, 10)));
    }

    #[test]
    fn what_was_promised_and_is_no_longer_is_not_given() {
        let mut credits = credits();
        credits.take(packet(0, 1, 0, 9));
        credits.due(1, 0);
        assert_eq!(credits.take(packet(0, 1, 0, 5)), Some(packet(0, 1, 0, 5)));
    }

    /// A forged FCTBS moves the neighbour's FCCL away, and the next one moves it back.
    #[test]
    fn a_count_that_was_wrong_is_set_right_at_once() {
        for wrong in [2048, 1000] {
            let mut credits = credits();
            credits.take(packet(1, 1, 0, 10));
            let [away, back] = [(wrong + 10) % COUNTS, 10];
            assert_eq!(credits.take(packet(0, 1, 0, away)), Some(packet(0, 1, 0, away)));
            assert_eq!(credits.take(packet(0, 1, 0, back)), Some(packet(0, 1, 0, back)));
        }
    }
}
