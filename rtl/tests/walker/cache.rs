//! The cache of work queue entries between a driver that posts, a memory that answers late, and an engine that takes.
use crate::bench::{bits, library, Bench};
use fastrand::Rng;
use hca_host::retire::{kind, Record, QUEUE_RECEIVE, QUEUE_SEND};
use hca_rtl::queue::WqeCache;
use hca_sim::verilated::Library;
use rust_hdl_core::prelude::Block;
use std::collections::{HashMap, HashSet, VecDeque};

const QPS: usize = 16;
const RESET: u32 = 0;
const RTS: u32 = 3;

/// A queue as its driver sees it.
#[derive(Clone, Copy, Debug, Default)]
struct Ring {
    live: bool,
    base: u64,
    log_size: u32,
    producer: u16,
    consumer: u16,
    arrived: u16,
}

struct Cache {
    bench: Bench,
    rng: Rng,
    receive: bool,
    /// Bits of the memory bus.
    bus: usize,
    slots: u16,
    rings: [Ring; QPS],
    memory: HashMap<u64, [u8; 64]>,
    latency: u64,
    /// One read in so many fails; none if 0.
    failing: u32,
    /// Addresses of entries whose read failed.
    failed: HashSet<u64>,
    /// Due clock, data, last of its read, failed.
    beats: VecDeque<(u64, Vec<u8>, bool, bool)>,
    /// Clock, address, entries.
    reads: Vec<(u64, u64, u64)>,
    /// Clock, QP, entries there.
    arrivals: Vec<(u64, usize, u16)>,
    /// Clock of the last beat given.
    last_beat: u64,
}

/// Whatever host memory gave of it: operation FFh, no flags, 255 SGEs, 2^31 bytes and more.
fn refuse(entry: &mut [u8; 64]) {
    (entry[0], entry[1], entry[2]) = (0xFF, 0, 0xFF);
    entry[20] |= 0x80;
}

fn build<B: Block + Default>() -> Library {
    library::<B>("wqe_cache")
}

impl Cache {
    fn new(library: &Library, bus: usize, slots: u16, receive: bool, seed: u64) -> Cache {
        let mut bench = Bench::new(library, seed);
        for name in [
            "doorbell_valid", "consumer_valid", "modify_valid", "read_valid", "data_error", "read_ready",
        ] {
            bench.set(name, 0);
        }
        for name in [
            "read_index", "read_slot", "read_hold", "first_index", "second_index",
        ] {
            bench.set(name, 0);
        }
        bench.set("refused_ready", 1);
        bench.set("ahead_valid", 0);
        bench.set("ahead_index", 0);
        bench.set("ahead_producer", 0);
        let mut cache = Cache {
            bench,
            rng: Rng::with_seed(seed),
            receive,
            bus,
            slots,
            rings: [Ring::default(); QPS],
            memory: HashMap::new(),
            latency: 1,
            failing: 0,
            failed: HashSet::new(),
            beats: VecDeque::new(),
            reads: Vec::new(),
            arrivals: Vec::new(),
            last_beat: 0,
        };
        for qp in 0..QPS {
            cache.modify(qp, RESET, 0, 0);
        }
        cache
    }

    /// One read is within the ring, its burst and the slots.
    fn check_read(&self, address: u64, entries: u64) {
        let ring = self
            .rings
            .iter()
            .find(|ring| ring.base <= address && address < ring.base + (64 << ring.log_size))
            .unwrap_or_else(|| panic!("{address:x} is in no ring"));
        assert!((1..=8).contains(&entries) && address.is_multiple_of(64));
        assert!(
            address + 64 * entries <= ring.base + (64 << ring.log_size),
            "over the ring's end"
        );
        assert_eq!(
            address / 1024,
            (address + 64 * entries - 1) / 1024,
            "over a boundary"
        );
    }

    /// One clock: memory answers, arrivals are counted.
    fn clock(&mut self) {
        let clock = self.bench.cycle;
        let ready = self.latency == 1 || self.rng.bool();
        self.bench.set("read_ready", ready.into());
        let gap = self.latency > 1 && self.rng.u8(..4) == 0;
        let due = self.beats.front().is_some_and(|beat| beat.0 <= clock) && !gap;
        self.bench.set("read_valid", due.into());
        if due {
            let (_, data, last, error) = self.beats.pop_front().expect("it is due");
            self.bench.set("data_error", error.into());
            let data: Vec<u8> = data.into_iter().rev().collect();
            self.bench.set_bytes("data", &data);
            self.bench.set("data_last", last.into());
            self.last_beat = clock;
        }
        self.bench.settle();
        if ready && self.bench.is_set("read_request") {
            let address = self.bench.get("read_address");
            let per_entry = 512 / self.bus as u64;
            let beats = self.bench.get("read_beats") + 1;
            assert_eq!(beats % per_entry, 0);
            self.check_read(address, beats / per_entry);
            self.reads.push((clock, address, beats / per_entry));
            let due = clock
                + if self.latency == 1 {
                    1
                } else {
                    self.rng.u64(1..=self.latency)
                };
            let fails = self.failing > 0 && self.rng.u32(..self.failing) == 0;
            for entry in (address..address + 64 * (beats / per_entry)).step_by(64) {
                if fails {
                    self.failed.insert(entry);
                } else {
                    self.failed.remove(&entry);
                }
            }
            for beat in 0..beats {
                let at = address + beat * self.bus as u64 / 8;
                let entry = self
                    .memory
                    .get(&(at / 64 * 64))
                    .expect("only posted entries are read");
                let from = (at % 64) as usize;
                let data = entry[from..from + self.bus / 8].to_vec();
                self.beats.push_back((due, data, beat + 1 == beats, fails));
            }
        }
        let arrived = self.bench.is_set("arrived_valid");
        assert_eq!(arrived, self.bench.is_set("retire_valid"));
        if arrived {
            let qp = self.bench.get("arrived_index") as usize;
            let count = self.bench.get("arrived_producer") as u16;
            let record = self.bench.bytes("retire_record");
            let record = u128::from(bits(&record, 0, 64)) | u128::from(bits(&record, 64, 32)) << 64;
            let expected = Record {
                order: 0,
                kind: kind::DOORBELL,
                code: if self.receive { QUEUE_RECEIVE } else { QUEUE_SEND },
                qpn: 0xA00 + qp as u32,
                psn: 0,
                index: count.into(),
            };
            assert_eq!(Record::from_bits(0, record), expected);
            let ring = &mut self.rings[qp];
            assert!(ring.live, "an arrival for QP {qp} in Reset");
            let new = count.wrapping_sub(ring.arrived);
            assert!((1..=8).contains(&new), "{count} after {}", ring.arrived);
            assert!(
                count.wrapping_sub(ring.consumer) <= self.slots,
                "over slots in use"
            );
            assert!(count.wrapping_sub(ring.consumer) <= ring.producer.wrapping_sub(ring.consumer));
            ring.arrived = count;
            self.arrivals.push((clock, qp, count));
        }
        self.bench.tick();
    }

    fn modify(&mut self, qp: usize, state: u32, base: u64, log_size: u32) {
        let mut words = [0u32; 14];
        words[0] = 0xA00 + qp as u32;
        words[1] = state;
        words[2] = if self.receive { log_size << 8 } else { log_size };
        let at = if self.receive { 5 } else { 3 };
        words[at] = (base >> 32) as u32;
        words[at + 1] = base as u32;
        let row: Vec<u8> = words.iter().rev().flat_map(|word| word.to_le_bytes()).collect();
        self.bench.set("modify_valid", 1);
        self.bench.set("modify_index", qp as u64);
        self.bench.set_bytes("modify_row", &row);
        self.clock();
        self.bench.set("modify_valid", 0);
        if state == RESET {
            self.rings[qp] = Ring::default();
        }
        self.rings[qp].base = base;
        self.rings[qp].log_size = log_size;
        self.rings[qp].live = state != RESET;
        // A driver's next command is further away than this.
        for _ in 0..40 {
            self.clock();
        }
    }

    /// Writes entries into the ring; at most as many as there is room for.
    fn post(&mut self, qp: usize, entries: u16) {
        let ring = self.rings[qp];
        let room = (1u16 << ring.log_size) - ring.producer.wrapping_sub(ring.consumer);
        for i in 0..entries.min(room) {
            let index = ring.producer.wrapping_add(i);
            let address = ring.base + 64 * (u64::from(index) % (1 << ring.log_size));
            let entry = [(); 64].map(|()| self.rng.u8(..));
            self.memory.insert(address, entry);
            self.rings[qp].producer = index.wrapping_add(1);
        }
    }

    fn doorbell(&mut self, index: u64, producer: u16) {
        self.bench.set("ahead_valid", 1);
        self.bench.set("ahead_index", index);
        self.bench.set("ahead_producer", producer.into());
        self.clock();
        self.bench.set("ahead_valid", 0);
        self.bench.set("doorbell_valid", 1);
        self.bench.set("doorbell_index", index);
        self.bench.set("doorbell_producer", producer.into());
        loop {
            self.bench.settle();
            let ready = self.bench.is_set("doorbell_ready");
            assert!(!self.bench.is_set("refused_valid"), "QP {index} to {producer}");
            self.clock();
            if ready {
                break;
            }
        }
        self.bench.set("doorbell_valid", 0);
    }

    fn post_and_ring(&mut self, qp: usize, entries: u16) {
        self.post(qp, entries);
        self.doorbell(qp as u64, self.rings[qp].producer);
    }

    /// Looks the entry at the consumer up; three clocks.
    fn check_entry(&mut self, qp: usize, index: u16) {
        let ring = self.rings[qp];
        self.bench.set("read_index", qp as u64);
        self.bench.set("read_slot", u64::from(index % self.slots));
        self.clock();
        self.bench.settle();
        let seen: Vec<u8> = self.bench.bytes("wqe").into_iter().rev().collect();
        let address = ring.base + 64 * (u64::from(index) % (1 << ring.log_size));
        let mut entry = self.memory[&address];
        if self.failed.contains(&address) {
            refuse(&mut entry);
        }
        assert_eq!(seen, entry, "entry {index} of QP {qp}");

        // Held, it stays whatever else is asked for.
        self.bench.set("read_hold", 1);
        self.bench.set("read_index", ((qp + 1) % QPS) as u64);
        self.clock();
        self.bench.settle();
        let kept: Vec<u8> = self.bench.bytes("wqe").into_iter().rev().collect();
        assert_eq!(kept, seen, "entry {index} of QP {qp}, held");
        self.bench.set("read_hold", 0);
    }

    fn consume(&mut self, qp: usize, entries: u16) {
        let ring = &mut self.rings[qp];
        ring.consumer = ring.consumer.wrapping_add(entries);
        self.bench.set("consumer_valid", 1);
        self.bench.set("consumer_index", qp as u64);
        self.bench.set("consumer", ring.consumer.into());
        self.clock();
        self.bench.set("consumer_valid", 0);
    }

    fn looked_up(&mut self, first: usize, second: usize) -> (u16, u16) {
        self.bench.set("first_index", first as u64);
        self.bench.set("second_index", second as u64);
        self.bench.settle();
        let arrived = |name: &str| self.bench.get(name) as u16;
        (arrived("first_arrived"), arrived("second_arrived"))
    }
}

/// Many queues at random: whatever is posted arrives once, in order and unchanged but where a read failed, through
/// counter wraps, Resets with reads under way, doorbells that are not to count, and a memory that takes its time.
fn posts_arrive(library: &Library, bus: usize, slots: u16, receive: bool, latency: u64) {
    let seed = bus as u64 + latency;
    let mut cache = Cache::new(library, bus, slots, receive, seed);
    cache.failing = 8;
    let mut rng = Rng::with_seed(seed);
    cache.latency = latency;
    let rings: Vec<(u64, u32)> = (0..QPS as u64)
        .map(|qp| ((qp << 32) + 64 * rng.u64(..4096), rng.u32(0..9)))
        .collect();
    let mut resets = 0;
    for step in 0..15_000u32 {
        let qp = rng.usize(..QPS);
        let ring = cache.rings[qp];
        match rng.u8(..16) {
            _ if !ring.live => {
                // In Reset a doorbell is swallowed.
                cache.doorbell(qp as u64, rng.u16(..));
                let (base, log_size) = rings[qp];
                cache.modify(qp, RESET, base, log_size);
                cache.modify(qp, RTS, base, log_size);
            }
            0 => {
                cache.doorbell(rng.u64(QPS as u64..4096), rng.u16(..));
            }
            1..=4 => cache.post_and_ring(qp, rng.u16(1..=4)),
            5 => cache.post_and_ring(qp, rng.u16(1..=200)),
            6 if step % 8 == 0 => {
                let (base, log_size) = rings[qp];
                cache.modify(qp, RESET, base, log_size);
                cache.rings[qp].live = false;
                resets += 1;
                assert_eq!(cache.looked_up(qp, qp), (0, 0), "after Reset");
            }
            7..=12 if ring.arrived != ring.consumer => {
                let there = ring.arrived.wrapping_sub(ring.consumer);
                let index = ring.consumer.wrapping_add(rng.u16(..there));
                cache.check_entry(qp, index);
                let entries = if rng.bool() { 1 } else { rng.u16(1..=there) };
                cache.consume(qp, entries);
            }
            _ => cache.clock(),
        }
        let (first, second) = (rng.usize(..QPS), rng.usize(..QPS));
        // What the pulse will tell in this clock is there already.
        let pulse = |cache: &Cache, qp: usize| {
            let told = cache.bench.is_set("arrived_valid") && cache.bench.get("arrived_index") as usize == qp;
            if told {
                cache.bench.get("arrived_producer") as u16
            } else {
                cache.rings[qp].arrived
            }
        };
        let seen = cache.looked_up(first, second);
        assert_eq!(seen, (pulse(&cache, first), pulse(&cache, second)));
    }
    for _ in 0..latency * 40 + 4000 {
        cache.clock();
    }
    for (qp, ring) in cache.rings.iter().enumerate().filter(|(_, ring)| ring.live) {
        let posted = ring.producer.wrapping_sub(ring.consumer);
        let arrived = ring.arrived.wrapping_sub(ring.consumer);
        assert!(arrived >= posted.min(slots - 7), "QP {qp}: {arrived} of {posted}");
    }
    assert!(
        resets > 50 && cache.arrivals.len() > 1500,
        "{resets} Resets, {} arrivals",
        cache.arrivals.len()
    );
}

#[test]
fn send_entries_arrive_over_128_bits() {
    let library = build::<WqeCache<4, 16, 6, 10, 128, 4, 0>>();
    for latency in [1, 20, 300] {
        posts_arrive(&library, 128, 64, false, latency);
    }
}

#[test]
fn receive_entries_arrive_over_64_to_512_bits() {
    let narrow = build::<WqeCache<4, 16, 5, 9, 64, 8, 1>>();
    let middle = build::<WqeCache<4, 16, 5, 9, 128, 4, 1>>();
    let wide = build::<WqeCache<4, 16, 5, 9, 512, 1, 1>>();
    for latency in [1, 50] {
        posts_arrive(&narrow, 64, 32, true, latency);
        posts_arrive(&middle, 128, 32, true, latency);
        posts_arrive(&wide, 512, 32, true, latency);
    }
}

/// A doorbell is judged before it is valid, and is a read two clocks after; and its entry there one clock after the
/// last beat.
#[test]
fn a_doorbell_is_answered_at_once() {
    let library = build::<WqeCache<4, 16, 6, 10, 128, 4, 0>>();
    let mut cache = Cache::new(&library, 128, 64, false, 1);
    cache.modify(5, RTS, 0x1_0000, 6);
    let rung = cache.bench.cycle;
    cache.post_and_ring(5, 1);
    for _ in 0..20 {
        cache.clock();
    }
    assert_eq!(cache.reads, [(rung + 3, 0x1_0000, 1)]);
    assert_eq!(cache.arrivals, [(cache.last_beat + 1, 5, 1)]);
    assert_eq!(cache.last_beat, rung + 3 + 4);
}

/// Entries that are taken one by one, every 8 clocks, from a memory 200 clocks away: 64 at hand or on their way, so
/// the queue never runs dry, and the reads stay long.
#[test]
fn a_queue_is_read_ahead_of_its_consumer() {
    let library = build::<WqeCache<4, 16, 6, 10, 128, 4, 0>>();
    let mut cache = Cache::new(&library, 128, 64, false, 9);
    cache.modify(0, RTS, 0x4_0000, 10);
    cache.post_and_ring(0, 1024);
    cache.latency = 200;
    while cache.rings[0].arrived < 32 {
        cache.clock();
    }
    let from = cache.reads.len();
    for taken in 0..900u16 {
        assert_ne!(cache.rings[0].arrived, taken, "dry");
        let before = cache.bench.cycle;
        cache.consume(0, 1);
        while cache.bench.cycle < before + 8 {
            cache.clock();
        }
    }
    let reads = &cache.reads[from..];
    let entries: u64 = reads.iter().map(|read| read.2).sum();
    assert!(
        entries >= 7 * reads.len() as u64,
        "{entries} entries in {} reads",
        reads.len()
    );
}
