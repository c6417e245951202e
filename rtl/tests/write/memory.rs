//! Host memory behind the write channels, and behind the read port of the atomics.
use crate::bench::Bench;
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;

/// Write IDs that the port uses.
pub const RESPONDER: usize = 0;
pub const REQUESTER: usize = 1;
pub const CQE: usize = 2;
pub const ATOMIC: usize = 3;
pub const IDS: usize = 4;

/// How the memory, and all that feeds the hardware, answer.
#[derive(Clone)]
pub struct Timing {
    /// Chance of a valid or a ready in a clock, of 100.
    pub eager: u8,
    /// Clocks from the last beat of a burst to its response, and from a read request to its data.
    pub latency: RangeInclusive<u64>,
}

/// A byte that nobody has written.
pub fn untouched(address: u64) -> u8 {
    (address.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8
}

/// A word that an atomic wants.
struct Read {
    due: u64,
    address: u64,
    /// What it held when it was asked for, if that is what the answer says.
    early: Option<u64>,
}

struct Burst {
    id: usize,
    address: u64,
    beats: u64,
    received: u64,
    writes: Vec<(u64, u8)>,
    due: u64,
}

/// Writes take effect when they are acknowledged, never earlier; IDs are answered in any order, one ID in its own. A
/// read takes effect when it is asked for or when it is answered.
pub struct Memory {
    timing: Timing,
    lanes: usize,
    addressed: VecDeque<Burst>,
    complete: [VecDeque<Burst>; IDS],
    reads: VecDeque<Read>,
    answering: bool,
    /// Most that were under way at once.
    pub most_reads: usize,
    /// Bytes that were written.
    pub bytes: BTreeMap<u64, u8>,
    /// Address and beats of each burst, by ID.
    pub bursts: [Vec<(u64, u64)>; IDS],
    /// Responses given, by ID.
    pub responses: [u64; IDS],
    /// Clock of the last response.
    pub last_response: u64,
}

impl Memory {
    pub fn new(timing: Timing, lanes: usize) -> Memory {
        Memory {
            timing,
            lanes,
            addressed: VecDeque::new(),
            complete: Default::default(),
            reads: VecDeque::new(),
            answering: false,
            most_reads: 0,
            bytes: BTreeMap::new(),
            bursts: Default::default(),
            responses: [0; IDS],
            last_response: 0,
        }
    }

    pub fn byte(&self, address: u64) -> u8 {
        self.bytes
            .get(&address)
            .copied()
            .unwrap_or_else(|| untouched(address))
    }

    /// Sets the inputs of a clock.
    pub fn drive(&mut self, bench: &mut Bench, rng: &mut fastrand::Rng) {
        let eager = self.timing.eager;
        for ready in ["axi_awready", "axi_wready", "read_ready"] {
            bench.set(ready, u64::from(rng.u8(..100) < eager));
        }
        let due: Vec<usize> = (0..IDS)
            .filter(|id| {
                self.complete[*id]
                    .front()
                    .is_some_and(|burst| burst.due <= bench.cycle)
            })
            .collect();
        let answer = rng.choice(due);
        bench.set("axi_bresp", 0);
        bench.set("read_error", 0);
        bench.set("responder_fault_ready", 1);
        bench.set("requester_fault_ready", 1);
        bench.set("axi_bvalid", u64::from(answer.is_some()));
        bench.set("axi_bid", answer.map_or_else(|| rng.u64(..16), |id| id as u64));
        if let Some(id) = answer {
            let burst = self.complete[id].pop_front().expect("it is due");
            self.bytes.extend(burst.writes);
            self.responses[id] += 1;
            self.last_response = bench.cycle;
        }
        self.answering = self.reads.front().is_some_and(|read| read.due <= bench.cycle);
        bench.set("read_valid", u64::from(self.answering));
        bench.set("read_data", rng.u64(..));
        if let (true, Some(read)) = (self.answering, self.reads.front()) {
            bench.set("read_data", read.early.unwrap_or_else(|| self.word(read.address)));
        }
    }

    /// Byte 0 at the most significant end.
    fn word(&self, address: u64) -> u64 {
        (0..8).fold(0, |data, i| data << 8 | u64::from(self.byte(address + i)))
    }

    /// Takes what the outputs say in this clock.
    pub fn sample(&mut self, bench: &Bench, rng: &mut fastrand::Rng) {
        assert!(bench.is_set("axi_bready"), "responses are always taken");
        let later = bench.cycle + 1 + rng.u64(self.timing.latency.clone());
        if self.answering {
            self.reads.pop_front();
        }
        if bench.is_set("read_request") && bench.is_set("read_ready") {
            let address = bench.get("read_address");
            let after = self.reads.back().map_or(0, |former| former.due);
            let early = rng.bool().then(|| self.word(address));
            self.reads.push_back(Read {
                due: later.max(after),
                address,
                early,
            });
            self.most_reads = self.most_reads.max(self.reads.len());
        }
        if bench.is_set("axi_wvalid") && bench.is_set("axi_wready") {
            self.data(bench, later);
        }
        if bench.is_set("axi_awvalid") && bench.is_set("axi_awready") {
            let (id, address) = (bench.get("axi_awid") as usize, bench.get("axi_awaddr"));
            let beats = bench.get("axi_awlen") + 1;
            let lanes = self.lanes as u64;
            assert_eq!(address % lanes, 0, "aligned");
            assert_eq!(
                address / 1024,
                (address + beats * lanes - 1) / 1024,
                "within 1024 bytes"
            );
            self.bursts[id].push((address, beats));
            self.addressed.push_back(Burst {
                id,
                address,
                beats,
                received: 0,
                writes: Vec::new(),
                due: 0,
            });
        }
    }

    fn data(&mut self, bench: &Bench, later: u64) {
        let burst = self.addressed.front_mut().expect("no beat before its address");
        let (data, strobe) = (bench.bytes("axi_wdata"), bench.get("axi_wstrb"));
        let at = burst.address + burst.received * self.lanes as u64;
        let lanes = (0..self.lanes).filter(|lane| strobe >> lane & 1 == 1);
        burst
            .writes
            .extend(lanes.map(|lane| (at + lane as u64, data[lane])));
        burst.received += 1;
        assert_eq!(
            bench.is_set("axi_wlast"),
            burst.received == burst.beats,
            "the last beat says so"
        );
        if burst.received == burst.beats {
            let mut burst = self.addressed.pop_front().expect("it was there");
            let after = self.complete[burst.id].back().map_or(0, |former| former.due);
            burst.due = later.max(after);
            self.complete[burst.id].push_back(burst);
        }
    }
}
