//! Lists of SGEs of messages that go on side by side: each walk has its own message's, and a list that was fetched not
//! long ago is not fetched again.
use crate::bench::{bits, library, Bench};
use fastrand::Rng;
use hca_rtl::memory::SegmentList;
use std::collections::{HashMap, HashSet, VecDeque};

const LINE: u64 = 64;
const SEGMENTS_A_LINE: usize = 4;
/// Lists that are kept.
const KEPT: u32 = 4;
/// Of a packet.
const PMTU: u64 = 1024;

/// A message under way: its list, and how far it is.
#[derive(Clone)]
struct Message {
    address: u64,
    segments: Vec<[u8; 16]>,
    offset: u64,
    /// Lists that were fetched since its own was.
    /// It has no other walk.
    alone: bool,
    fetched_since: u32,
}

struct World {
    bench: Bench,
    rng: Rng,
    memory: HashMap<u64, Vec<u8>>,
    /// Requests that are not answered, with the clock in which they may be.
    requests: VecDeque<(u64, u64)>,
    /// Bytes of a beat.
    beat: usize,
    /// Beats of the line that comes in, and the number of the one that fails.
    coming: VecDeque<Vec<u8>>,
    failing: Option<usize>,
    /// Lines that failed when they were read last.
    failed: HashSet<u64>,
    asked: usize,
}

impl World {
    fn new<const M: usize>(seed: u64) -> World {
        let mut bench = Bench::new(&library::<SegmentList<M>>("segment_list"), seed);
        for input in ["start_valid", "segment_ready", "list_ready", "list_valid"] {
            bench.set(input, 0);
        }
        World {
            bench,
            rng: Rng::with_seed(seed),
            memory: HashMap::new(),
            requests: VecDeque::new(),
            beat: M / 8,
            coming: VecDeque::new(),
            failing: None,
            failed: HashSet::new(),
            asked: 0,
        }
    }

    /// A new message's list. Places are few, far apart or next to each other.
    fn message(&mut self, others: &[Message]) -> Message {
        let high = [0, 1 << 53, 0xFFFF << 40][self.rng.usize(..3)];
        let address = high + self.rng.u64(..32) * 4 * LINE;
        if others.iter().any(|other| other.address == address) {
            return self.message(others);
        }
        let count = self.rng.usize(1..=16);
        let segments: Vec<[u8; 16]> = (0..count)
            .map(|_| std::array::from_fn(|_| self.rng.u8(..)))
            .collect();
        for (line, of_line) in segments.chunks(SEGMENTS_A_LINE).enumerate() {
            // The first is at the most significant end, here as on the port.
            let mut bytes: Vec<u8> = of_line.iter().rev().flatten().copied().collect();
            bytes.splice(0..0, vec![0xEE; 64 - bytes.len()]);
            self.memory.insert(address + line as u64 * LINE, bytes);
        }
        Message {
            address,
            segments,
            offset: 0,
            alone: false,
            fetched_since: KEPT,
        }
    }

    fn clock(&mut self) {
        let ready = self.rng.bool();
        self.bench.set("list_ready", ready.into());
        let now = self.bench.cycle;
        let due = self.requests.front().is_some_and(|(_, when)| *when <= now);
        if self.coming.is_empty() && due {
            let (address, _) = self.requests.pop_front().expect("one is due");
            // Byte 0 is at the most significant end.
            let beats = self.memory[&address].rchunks(self.beat);
            self.coming = beats.map(<[u8]>::to_vec).collect();
            self.failing = (self.rng.u8(..16) == 0).then(|| self.rng.usize(..self.coming.len()));
            match self.failing {
                Some(_) => self.failed.insert(address),
                None => self.failed.remove(&address),
            };
        }
        self.bench.set("list_valid", 0);
        let pauses = self.rng.u8(..4) == 0;
        let beat = if pauses { None } else { self.coming.pop_front() };
        if let Some(beat) = beat {
            self.bench.set("list_valid", 1);
            self.bench.set_bytes("list_data", &beat);
            self.bench.set("list_last", self.coming.is_empty().into());
            let left = self.coming.len();
            let number = LINE as usize / self.beat - 1 - left;
            self.bench
                .set("list_error", (self.failing == Some(number)).into());
        }
        self.bench.settle();
        if ready && self.bench.is_set("list_request") {
            let when = now + self.rng.u64(1..30);
            self.requests.push_back((self.bench.get("list_address"), when));
            self.asked += 1;
        }
        self.bench.tick();
        self.bench.set("start_valid", 0);
    }

    /// One packet of a message. Whether its list was fetched.
    fn walk(&mut self, message: &mut Message, length: u64) -> bool {
        while !self.bench.is_set("drained") {
            self.clock();
            self.bench.settle();
        }
        self.asked = 0;
        for (port, value) in [
            ("start_valid", 1),
            ("start_address", message.address),
            ("start_count", message.segments.len() as u64),
            ("start_offset", message.offset),
            ("start_alone", u64::from(message.alone)),
            ("start_length", length),
        ] {
            self.bench.set(port, value);
        }
        message.offset += length;
        self.clock();
        let wanted = self.rng.usize(1..=message.segments.len());
        let mut taken = 0;
        let end = self.bench.cycle + 400;
        while taken < wanted {
            assert!(self.bench.cycle < end, "no SGE comes");
            self.bench.settle();
            let takes = self.bench.is_set("segment_valid") && self.rng.u8(..4) > 0;
            self.bench.set("segment_ready", takes.into());
            if takes {
                let segment = self.bench.bytes("segment");
                let got = [0, 64].map(|at| bits(&segment, at, 64));
                let line = message.address + (taken / SEGMENTS_A_LINE) as u64 * LINE;
                let expected = match self.failed.contains(&line) {
                    true => [u64::MAX; 2],
                    false => [0, 64].map(|at| bits(&message.segments[taken], at, 64)),
                };
                assert_eq!(got, expected, "SGE {taken} of the list at {:x}", message.address);
                taken += 1;
            }
            self.clock();
            self.bench.set("segment_ready", 0);
            self.bench.settle();
        }
        while !self.bench.is_set("drained") {
            self.clock();
            self.bench.settle();
        }
        let lines = message.segments.len().div_ceil(SEGMENTS_A_LINE);
        assert!(
            self.asked == 0 || self.asked == lines,
            "{} of {lines} lines",
            self.asked
        );
        self.asked > 0
    }
}

/// Packets are mostly as long as each other, so that messages are often equally far.
#[test]
fn each_walk_has_its_messages_list_and_fetches_it_once() {
    fetches_once::<128>();
    fetches_once::<256>();
    fetches_once::<512>();
}

fn fetches_once<const M: usize>() {
    for (seed, side_by_side) in [(1, 1), (2, 3), (3, 4), (4, 7)] {
        let mut world = World::new::<M>(seed);
        let mut messages: Vec<Message> = Vec::new();
        let (mut fetched, mut kept) = (0, 0);
        for _ in 0..1_500 {
            if messages.len() < side_by_side {
                let message = world.message(&messages);
                messages.push(message);
            }
            let n = world.rng.usize(..messages.len());
            let length = if world.rng.u8(..8) == 0 {
                world.rng.u64(1..=PMTU)
            } else {
                PMTU
            };
            let mut message = messages[n].clone();
            if world.walk(&mut message, length) {
                assert!(message.fetched_since >= KEPT, "{:x} is kept", message.address);
                messages.iter_mut().for_each(|other| other.fetched_since += 1);
                message.fetched_since = 0;
                fetched += 1;
            } else {
                assert!(message.offset > length, "a new message finds nothing");
                kept += 1;
            }
            messages[n] = message;
            if world.rng.u8(..6) == 0 {
                messages.swap_remove(n);
            }
        }
        assert!(fetched > 200 && kept > 300, "{fetched} fetched, {kept} kept");
    }
}

/// The list of another message stands at the same place, where an earlier walk ended.
#[test]
fn the_only_walk_of_a_message_finds_no_other_list() {
    let mut world = World::new::<128>(5);
    for (alone, is_read) in [(true, true), (false, false)] {
        let mut earlier = world.message(&[]);
        assert!(world.walk(&mut earlier, 40));
        let mut later = Message { alone, ..earlier };
        assert_eq!(world.walk(&mut later, 4), is_read);
    }
}
