//! What goes out by the clock.
use super::requester::decoded;
use super::Bench;
use hca_testbench::station::Station;

impl Bench {
    /// Clock cycles since reset.
    pub fn now(&self) -> u64 {
        self.station.now()
    }

    /// Opcodes and PSNs of what goes out within so many clock cycles; the clock stands once it is `count` packets.
    pub fn rows_within(&mut self, cycles: u64, count: usize) -> Vec<(u8, u32)> {
        for _ in 0..cycles {
            if self.packets.len() >= count {
                break;
            }
            self.step();
        }
        let packets = self.packets();
        packets
            .iter()
            .map(|bytes| {
                let bth = decoded(bytes).bth;
                (bth.opcode, bth.psn)
            })
            .collect()
    }
}
