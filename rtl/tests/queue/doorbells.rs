//! Doorbells that lie, and those that do not.
use crate::bench::{bits, library, Bench};
use hca_rtl::queue::DoorbellCheck;
use hca_sim::verilated::Library;

const QPN: u64 = 0xABC0;

/// What became of a doorbell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Honest,
    Refused,
}

struct Queues {
    bench: Bench,
    receive: bool,
}

impl Queues {
    fn new(library: &Library, receive: bool, seed: u64) -> Queues {
        let mut bench = Bench::new(library, seed);
        for input in [
            "doorbell_valid", "doorbell_index", "doorbell_producer", "modify_valid",
        ] {
            bench.set(input, 0);
        }
        for input in ["consumer_valid", "consumer_index", "consumer", "modify_index"] {
            bench.set(input, 0);
        }
        bench.set_bytes("modify_row", &[0; 56]);
        for input in ["ahead_valid", "ahead_index", "ahead_producer"] {
            bench.set(input, 0);
        }
        bench.set("accepted_ready", 1);
        bench.set("refused_ready", 1);
        let mut queues = Queues { bench, receive };
        for index in 0..16 {
            queues.modify(index, 0, 0);
        }
        queues
    }

    fn tick(&mut self) {
        self.bench.settle();
        self.bench.tick();
    }

    /// MODIFY_QP: state and ring; the other queue's ring is of another size.
    fn modify(&mut self, index: u64, state: u32, log_size: u32) {
        let sizes = match self.receive {
            true => log_size << 8 | 1,
            false => log_size | 1 << 8,
        };
        let mut words = [0_u32; 14];
        words[0] = (QPN + index) as u32;
        words[1] = state;
        words[2] = sizes;
        let row: Vec<u8> = words.iter().rev().flat_map(|word| word.to_le_bytes()).collect();
        self.bench.set_bytes("modify_row", &row);
        self.bench.set("modify_index", index);
        self.bench.set("modify_valid", 1);
        self.tick();
        self.bench.set("modify_valid", 0);
        self.tick();
    }

    fn consume(&mut self, index: u64, consumer: u16) {
        self.bench.set("consumer_valid", 1);
        self.bench.set("consumer_index", index);
        self.bench.set("consumer", u64::from(consumer));
        self.tick();
        self.bench.set("consumer_valid", 0);
    }

    fn ring(&mut self, index: u64, producer: u16) -> Fate {
        // Every other is announced in the clock before.
        let announced = self.bench.cycle.is_multiple_of(2);
        if announced {
            self.bench.set("ahead_valid", 1);
            self.bench.set("ahead_index", index);
            self.bench.set("ahead_producer", u64::from(producer));
            self.tick();
        }
        self.bench.set("ahead_valid", 0);
        self.bench.set("ahead_index", 0xFFF);
        self.bench.set("ahead_producer", 0x5A5A);
        self.bench.set("doorbell_valid", 1);
        self.bench.set("doorbell_index", index);
        self.bench.set("doorbell_producer", u64::from(producer));
        let rung = self.bench.cycle;
        for _ in 0..10 {
            self.bench.settle();
            if self.bench.is_set("doorbell_ready") {
                let refused = self.bench.is_set("refused_valid");
                assert_eq!(self.bench.cycle - rung, u64::from(!announced));
                assert_ne!(refused, self.bench.is_set("accepted_valid"));
                assert_eq!(refused, self.bench.is_set("retire_valid"));
                if refused {
                    let record = self.bench.bytes("retire_record");
                    assert_eq!(bits(&record, 88, 8), 27);
                    assert_eq!(bits(&record, 80, 8), u64::from(self.receive));
                    assert_eq!(bits(&record, 56, 24), QPN + index);
                    assert_eq!(bits(&record, 0, 32), u64::from(producer));
                    assert_eq!(self.bench.get("refused"), index);
                }
                self.bench.tick();
                self.bench.set("doorbell_valid", 0);
                return if refused { Fate::Refused } else { Fate::Honest };
            }
            self.bench.tick();
        }
        panic!("the doorbell is not taken");
    }
}

fn both(test: impl Fn(&mut Queues)) {
    test(&mut Queues::new(
        &library::<DoorbellCheck<4, 0>>("doorbell_check"),
        false,
        1,
    ));
    test(&mut Queues::new(
        &library::<DoorbellCheck<4, 1>>("doorbell_check"),
        true,
        1,
    ));
}

#[test]
fn a_doorbell_beyond_the_ring_or_backwards_is_refused() {
    both(|queues| {
        queues.modify(3, 3, 4);
        assert_eq!(queues.ring(3, 17), Fate::Refused);
        assert_eq!(queues.ring(3, 5), Fate::Honest);
        assert_eq!(queues.ring(3, 5), Fate::Honest, "nothing new is no lie");
        assert_eq!(queues.ring(3, 4), Fate::Refused, "backwards");
        assert_eq!(queues.ring(3, 16), Fate::Honest, "full");
        assert_eq!(queues.ring(3, 17), Fate::Refused);
        queues.consume(3, 2);
        assert_eq!(queues.ring(3, 18), Fate::Honest);
        assert_eq!(queues.ring(3, 19), Fate::Refused);
        assert_eq!(queues.ring(3, 3), Fate::Refused);
    });
}

/// Those are swallowed later.
#[test]
fn a_doorbell_of_no_queue_is_passed_on() {
    both(|queues| {
        assert_eq!(queues.ring(5, 999), Fate::Honest, "in Reset");
        assert_eq!(queues.ring(16, 999), Fate::Honest, "beyond the QPs there are");
        queues.modify(0, 3, 2);
        assert_eq!(queues.ring(16, 999), Fate::Honest, "though QP 0 is not in Reset");
        assert_eq!(queues.ring(0, 999), Fate::Refused);
    });
}

#[test]
fn reset_starts_from_nothing() {
    both(|queues| {
        queues.modify(9, 3, 3);
        assert_eq!(queues.ring(9, 8), Fate::Honest);
        queues.consume(9, 6);
        queues.modify(9, 0, 3);
        queues.modify(9, 1, 2);
        assert_eq!(queues.ring(9, 5), Fate::Refused);
        assert_eq!(queues.ring(9, 4), Fate::Honest);
    });
}

/// As a reference does, over the wrap of the counters.
#[test]
fn at_random() {
    both(|queues| {
        let mut rng = fastrand::Rng::with_seed(2);
        let log_sizes: Vec<u32> = (0..16).map(|_| rng.u32(..=6)).collect();
        let (mut producers, mut consumers) = ([0_u16; 16], [0_u16; 16]);
        for (index, &log_size) in log_sizes.iter().enumerate() {
            queues.modify(index as u64, 3, log_size);
        }
        let mut refused = 0;
        for _ in 0..30_000 {
            let index = rng.usize(..16);
            let size = 1 << log_sizes[index];
            let used = producers[index].wrapping_sub(consumers[index]);
            if rng.bool() {
                consumers[index] = consumers[index].wrapping_add(rng.u16(..=used));
                queues.consume(index as u64, consumers[index]);
            } else {
                let ahead = match rng.u8(..8) {
                    0 => size - used + rng.u16(1..20),
                    1 => rng.u16(1..20).wrapping_neg(),
                    _ => rng.u16(..=size - used),
                };
                let producer = producers[index].wrapping_add(ahead);
                let wrong = ahead > size - used;
                let expected = if wrong { Fate::Refused } else { Fate::Honest };
                assert_eq!(queues.ring(index as u64, producer), expected);
                if !wrong {
                    producers[index] = producer;
                }
                refused += u32::from(wrong);
            }
        }
        assert!(refused > 1000);
    });
}
