//! Which entries are read, of rings that go round, fill, run dry and are emptied: each that is posted once and in
//! order, none that is not.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::queue::Prefetch;
use hca_sim::verilated::Library;
use std::collections::VecDeque;

const QPS: usize = 16;
/// Bytes of an entry; no read crosses a multiple of so many.
const ENTRY: u64 = 64;
const BURST: u64 = 1024;
const RESET: u32 = 0;
const INIT: u32 = 1;

#[derive(Clone, Default)]
struct Ring {
    base: u64,
    log_size: u32,
    producer: u16,
    fetched: u16,
    consumer: u16,
    /// How often it was emptied, and how often it was to be.
    emptied: u64,
    to_empty: u64,
}

struct Rings {
    bench: Bench,
    rng: Rng,
    receive: bool,
    slots: u16,
    rings: Vec<Ring>,
    /// Reads under way: of which ring, and how often that had been emptied.
    reads: VecDeque<(usize, u64)>,
    modifying: Option<usize>,
}

impl Rings {
    fn new(library: &Library, receive: bool, slots: u16) -> Rings {
        let mut bench = Bench::new(library, 1);
        for input in ["doorbell_valid", "consumer_valid", "modify_valid", "landed_valid"] {
            bench.set(input, 0);
        }
        bench.set("issue_ready", 1);
        bench.set("read_ready", 1);
        let mut rings = Rings {
            bench,
            rng: Rng::with_seed(0x93EF),
            receive,
            slots,
            rings: vec![Ring::default(); QPS],
            reads: VecDeque::new(),
            modifying: None,
        };
        for qp in 0..QPS {
            rings.modify(qp, RESET);
            rings.modify(qp, INIT);
        }
        rings
    }

    /// MODIFY_QP, in force. A ring that leaves Reset is a new one.
    fn modify(&mut self, qp: usize, state: u32) {
        let ring = &mut self.rings[qp];
        if state == INIT {
            ring.base = self.rng.u64(..) & !(ENTRY - 1) & (u64::MAX >> 1);
            ring.log_size = self.rng.u32(3..if self.receive { 12 } else { 7 });
        }
        ring.to_empty += u64::from(state == RESET);
        let base = [(ring.base >> 32) as u32, ring.base as u32];
        let mut words: [u32; 14] = std::array::from_fn(|_| self.rng.u32(..));
        words[0] = qp as u32;
        words[1] = state;
        let sizes = words[2] & 0xF0F0;
        if self.receive {
            words[2] = sizes | ring.log_size << 8;
            words[5..7].copy_from_slice(&base);
        } else {
            words[2] = sizes | ring.log_size;
            words[3..5].copy_from_slice(&base);
        }
        let row: Vec<u8> = words.iter().rev().flat_map(|word| word.to_le_bytes()).collect();
        self.bench.set("modify_valid", 1);
        self.bench.set("modify_index", qp as u64);
        self.bench.set_bytes("modify_row", &row);
        self.modifying = Some(qp);
        self.clock(None, None);
        self.bench.set("modify_valid", 0);
        while self.modifying.is_some() {
            self.clock(None, None);
        }
    }

    /// A clock in which things happen with this chance in 256; a few queues have most of the work.
    fn clock_of_work(&mut self, chance: u8) {
        let pick = |rng: &mut Rng| {
            if rng.bool() {
                rng.usize(0..3) * 5
            } else {
                rng.usize(0..QPS)
            }
        };
        let qp = pick(&mut self.rng);
        let ring = &self.rings[qp];
        let posted = ring.producer.wrapping_sub(ring.consumer);
        let room = (1_u16 << ring.log_size).saturating_sub(posted);
        let doorbell = (room > 0 && self.rng.u8(..) < chance)
            .then(|| (qp, ring.producer.wrapping_add(self.rng.u16(1..=room))));
        let qp = pick(&mut self.rng);
        let ring = &self.rings[qp];
        let held = ring.fetched.wrapping_sub(ring.consumer);
        let consumer = (held > 0 && self.rng.u8(..) < chance)
            .then(|| (qp, ring.consumer.wrapping_add(self.rng.u16(1..=held))));
        self.clock(doorbell, consumer);
    }

    /// One clock; a doorbell waits for none.
    fn clock(&mut self, doorbell: Option<(usize, u16)>, consumer: Option<(usize, u16)>) {
        let doorbell = doorbell.filter(|_| self.modifying.is_none());
        for (name, count, value) in [
            ("doorbell", "doorbell_producer", doorbell),
            ("consumer", "consumer", consumer),
        ] {
            self.bench.set(&format!("{name}_valid"), value.is_some().into());
            let (qp, to) = value.unwrap_or((self.rng.usize(0..QPS), self.rng.u16(..)));
            self.bench.set(&format!("{name}_index"), qp as u64);
            self.bench.set(count, to.into());
        }
        let lands = self.reads.front().copied().filter(|_| self.rng.u8(0..4) == 0);
        self.bench.set("landed_valid", lands.is_some().into());
        if let Some((qp, epoch)) = lands {
            self.bench.set("landed_index", qp as u64);
            self.bench.set("landed_epoch", epoch % 16);
        }
        let ready = self.rng.u8(0..4) != 0;
        self.bench.set("read_ready", ready.into());
        self.bench.set("issue_ready", u64::from(self.reads.len() < 30));
        self.bench.settle();

        if let Some((qp, epoch)) = lands {
            let stale = epoch != self.rings[qp].to_empty;
            assert_eq!(self.bench.is_set("landed_stale"), stale, "QP {qp}");
            self.reads.pop_front();
        }
        if ready && self.bench.is_set("read_request") {
            self.read();
        }
        if let Some((qp, producer)) = doorbell.filter(|_| self.bench.is_set("doorbell_ready")) {
            self.rings[qp].producer = producer;
        }
        if let Some((qp, consumer)) = consumer {
            self.rings[qp].consumer = consumer;
        }
        if self.bench.is_set("apply_valid") {
            let qp = self.modifying.take().expect("one was asked for");
            assert_eq!(self.bench.get("apply_index"), qp as u64);
            let ring = &mut self.rings[qp];
            let empties = self.bench.is_set("apply_empties");
            assert_eq!(empties, ring.emptied != ring.to_empty);
            if empties {
                (ring.producer, ring.fetched, ring.consumer) = (0, 0, 0);
                ring.emptied += 1;
            }
        }
        self.bench.tick();
    }

    /// A read goes to host memory.
    fn read(&mut self) {
        let qp = self.bench.get("issue_index") as usize;
        let ring = &mut self.rings[qp];
        let stale = self.bench.get("issue_epoch") != ring.emptied % 16;
        self.reads.push_back((qp, ring.emptied - u64::from(stale)));
        if stale {
            // It was asked for before the queue was emptied.
            return;
        }
        let (count, end) = (self.bench.get("read_count"), self.bench.get("issue_end") as u16);
        let place = u64::from(ring.fetched) % (1 << ring.log_size);
        let address = ring.base + ENTRY * place;
        assert_eq!(self.bench.get("read_address"), address, "QP {qp}");
        assert!((1..=8).contains(&count), "QP {qp}: a read of {count}");
        assert!(place + count <= 1 << ring.log_size, "QP {qp}: behind the ring");
        assert!(
            address % BURST + ENTRY * count <= BURST,
            "QP {qp}: too long a burst"
        );
        assert_eq!(end, ring.fetched.wrapping_add(count as u16), "QP {qp}");
        let held = end.wrapping_sub(ring.consumer);
        assert!(
            held <= ring.producer.wrapping_sub(ring.consumer),
            "QP {qp}: not posted"
        );
        assert!(held <= self.slots, "QP {qp}: no slot is free");
        ring.fetched = end;
    }

    /// What is posted is read once all consumers have caught up.
    fn drain(&mut self) {
        for _ in 0..400 {
            for qp in 0..QPS {
                let ring = &self.rings[qp];
                let consumer = (ring.consumer != ring.fetched).then_some((qp, ring.fetched));
                self.clock(None, consumer);
            }
            for _ in 0..100 {
                self.clock(None, None);
            }
            if self.rings.iter().all(|ring| ring.fetched == ring.producer) {
                return;
            }
        }
        for (qp, ring) in self.rings.iter().enumerate() {
            assert_eq!(
                ring.fetched, ring.producer,
                "QP {qp}: entries that are never read"
            );
        }
    }
}

/// The queues of few QPs are emptied again and again; those of others go round their rings, and their counters round
/// 2^16.
fn run(library: &Library, receive: bool, slots: u16) {
    let mut rings = Rings::new(library, receive, slots);
    let mut most = 0;
    for round in 0..60 {
        let chance = [20, 60, 120, 250][round % 4];
        for clock in 0..1500 {
            if clock % 97 == 0 {
                let qp = 1 + rings.rng.usize(0..3);
                rings.modify(qp, RESET);
                rings.modify(qp, INIT);
            }
            rings.clock_of_work(chance);
        }
        rings.drain();
        most = most.max(rings.rings[0].fetched);
    }
    assert!(most > 0x8000, "a counter comes to {most} only");
}

#[test]
fn send_queues() {
    run(&library::<Prefetch<4, 16, 6, 0>>("prefetch"), false, 64);
}

#[test]
fn receive_queues() {
    run(&library::<Prefetch<4, 16, 5, 1>>("prefetch"), true, 32);
}
