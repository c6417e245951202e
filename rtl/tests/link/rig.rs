//! The receive buffer and its two streams.
use super::crc::crc;
use crate::bench::{bits, Bench};
use hca_sim::verilated::Library;

/// A packet of so many words on a VL, with a good VCRC; a raw one if it is too short for another.
pub fn packet(vl: u8, words: u16) -> Vec<u8> {
    let mut bytes = vec![vl << 4, if words < 6 { 0 } else { 2 }, 0x12, 0x30, 0, 0, 0, 7];
    bytes[4..6].copy_from_slice(&words.to_be_bytes());
    bytes.extend((8..4 * words).map(|at| (at ^ u16::from(vl)) as u8 ^ (words % 251) as u8));
    bytes.extend(crc(&bytes));
    bytes
}

/// Blocks of a packet (`link.md` section 5).
pub fn blocks(bytes: &[u8]) -> u32 {
    bytes.len().div_ceil(64) as u32
}

/// What came out for a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    pub bytes: Vec<u8>,
    pub bad: bool,
    pub overran: bool,
    /// Clock of its last beat.
    pub at: u64,
}

pub struct Rig {
    pub bench: Bench,
    lanes: usize,
    /// Packets that came out, and the beats of the next.
    pub out: Vec<Out>,
    current: Vec<u8>,
}

impl Rig {
    /// With flow control.
    pub fn new(library: &Library, stream_bits: usize) -> Rig {
        let mut bench = Bench::new(library, 1);
        for input in ["s_axis_tvalid", "credit_update_valid", "down", "m_axis_tready"] {
            bench.set(input, 0);
        }
        bench.set("flow_control", 1);
        let mut rig = Rig {
            bench,
            lanes: stream_bits / 8,
            out: Vec::new(),
            current: Vec::new(),
        };
        rig.rest(1, false);
        rig
    }

    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Whole blocks that have come out of a packet whose end has not.
    pub fn partly_out(&self) -> u32 {
        (self.current.len() / 64) as u32
    }

    /// A clock with a beat of a packet, if one is offered: its bytes, whether they are the last, and whether those end
    /// as bad. Returns whether it is taken.
    pub fn clock(&mut self, beat: Option<(&[u8], bool, bool)>, ready: bool) -> bool {
        self.bench.set("s_axis_tvalid", beat.is_some().into());
        if let Some((bytes, last, bad)) = beat {
            let mut lanes = bytes.to_vec();
            lanes.resize(self.lanes, 0xA5);
            self.bench.set_bytes("s_axis_tdata", &lanes);
            self.bench
                .set("s_axis_tkeep", (1u128 << bytes.len()).wrapping_sub(1) as u64);
            self.bench.set("s_axis_tlast", last.into());
            self.bench.set("s_axis_bad", (last && bad).into());
        }
        self.bench.set("m_axis_tready", ready.into());
        self.bench.settle();
        if self.bench.is_set("m_axis_tvalid") && ready {
            let last = self.bench.is_set("m_axis_tlast");
            let count = self.bench.get("m_axis_tkeep").count_ones() as usize;
            assert!(last || count == self.lanes, "only a last beat may be partial");
            self.current.extend(&self.bench.bytes("m_axis_tdata")[..count]);
            if last {
                self.out.push(Out {
                    bytes: std::mem::take(&mut self.current),
                    bad: self.bench.is_set("m_axis_bad"),
                    overran: self.bench.is_set("m_axis_overran"),
                    at: self.bench.cycle,
                });
            }
        }
        let taken = beat.is_some() && self.bench.is_set("s_axis_tready");
        self.bench.tick();
        taken
    }

    /// Lets this number of clocks pass without a packet.
    pub fn rest(&mut self, clocks: usize, ready: bool) {
        for _ in 0..clocks {
            self.clock(None, ready);
        }
    }

    /// Sends a packet and expects the buffer to take a beat in every clock.
    pub fn send(&mut self, bytes: &[u8], bad: bool, ready: bool) {
        let count = bytes.len().div_ceil(self.lanes);
        for (n, beat) in bytes.chunks(self.lanes).enumerate() {
            assert!(
                self.clock(Some((beat, n + 1 == count, bad)), ready),
                "beat {n} waits"
            );
        }
    }

    /// Reports a link packet, as if its beat had come one clock before the last beat.
    pub fn tell(&mut self, vl: u8, fctbs: u32) {
        self.bench.set("credit_update_valid", 1);
        self.bench.set("credit_update_vl", vl.into());
        self.bench.set("credit_update_fctbs", fctbs.into());
        self.rest(1, false);
        self.bench.set("credit_update_valid", 0);
    }

    /// Number of blocks by which FCCL must be ahead for a flow-control packet to be due.
    pub fn step(&mut self, vl: u8) -> u32 {
        self.bench.settle();
        bits(&self.bench.bytes("fccl_step"), 8 * usize::from(vl), 8) as u32
    }

    /// FCCL of a VL.
    pub fn fccl(&mut self, vl: u8) -> u32 {
        self.bench.settle();
        bits(&self.bench.bytes("fccl"), 12 * usize::from(vl), 12) as u32
    }
}
