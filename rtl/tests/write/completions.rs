//! Places in the rings, and that no completion is seen before its data.
use crate::bench::{bits, library, Bench};
use hca_rtl::completion::CompletionQueue;
use std::collections::VecDeque;

const RINGS: usize = 16;

/// Fields of a record that the test tells apart; the others come from `salt`.
#[derive(Clone, Copy, Debug)]
struct Completion {
    cqn: u16,
    fence: u16,
    salt: u64,
}

impl Completion {
    fn random(rng: &mut fastrand::Rng, fence: u16) -> Completion {
        Completion {
            cqn: rng.u16(..RINGS as u16),
            fence,
            salt: rng.u64(..),
        }
    }

    fn qpn(&self) -> u64 {
        self.salt & 0xFF_FFFF
    }

    fn wqe(&self) -> u64 {
        self.salt >> 24 & 0xFFFF
    }

    fn status(&self) -> u64 {
        // Success and flushed among them often.
        [0, 5, self.salt >> 40 & 0x0F][(self.salt >> 50) as usize % 3]
    }

    fn operation(&self) -> u64 {
        self.salt >> 44 & 0xFF
    }

    fn bytes(&self) -> u64 {
        self.salt >> 8 & 0xFFFF_FFFF
    }

    fn immediate(&self) -> u64 {
        self.salt >> 16 & 0xFFFF_FFFF
    }

    /// Invalidated, P_Key index and immediate valid.
    fn has(&self) -> [u64; 3] {
        [self.salt >> 61 & 1, self.salt >> 62 & 1, self.salt >> 63]
    }

    /// The port's vector, least significant byte first.
    fn record(&self, receive: bool) -> Vec<u8> {
        let [invalidated, p_key, immediate] = self.has();
        let fields = [
            (u64::from(self.cqn), 16),
            (self.qpn(), 24),
            (self.wqe(), 16),
            (self.status(), 8),
            (u64::from(receive), 1),
            (self.operation(), 8),
            (self.bytes(), 32),
            (immediate, 1),
            (self.immediate(), 32),
            (p_key, 1),
            (self.salt & 3, 2),
            (u64::from(self.fence), 16),
            (invalidated, 1),
        ];
        let mut vector = vec![0; 20];
        let mut at = 0;
        for (value, width) in fields {
            for bit in (0..width).filter(|bit| value >> bit & 1 == 1) {
                vector[(at + bit) / 8] |= 1 << ((at + bit) % 8);
            }
            at += width;
        }
        vector
    }

    /// Host memory has failed its QP, and so this completion: nothing else of it is defined.
    fn fails(&self, receive: bool, broken: u64, bears: u64) -> bool {
        let of = |queue_pairs: u64| queue_pairs >> (self.qpn() & 0xF) & 1 == 1;
        match self.status() {
            0 => of(broken),
            5 => !receive && of(bears),
            _ => false,
        }
    }

    /// A completion in error as of a QP that host memory has failed.
    fn failed(self, receive: bool, phase: bool) -> [u8; 32] {
        let mut cqe = [0; 32];
        let whole = self.cqe(receive, phase);
        cqe[..8].copy_from_slice(&whole[..8]);
        cqe[2] = 2;
        cqe[3] = u8::from(receive);
        cqe[31] = whole[31];
        cqe
    }

    fn cqe(&self, receive: bool, phase: bool) -> [u8; 32] {
        let [invalidated, p_key, immediate] = self.has();
        let mut cqe = [0; 32];
        cqe[0..2].copy_from_slice(&(self.wqe() as u16).to_be_bytes());
        cqe[2] = self.status() as u8;
        cqe[3] = (u64::from(receive) | immediate << 1 | p_key << 2 | invalidated << 3) as u8;
        cqe[4] = self.operation() as u8;
        cqe[5..8].copy_from_slice(&(self.qpn() as u32).to_be_bytes()[1..]);
        cqe[8..12].copy_from_slice(&(self.bytes() as u32).to_be_bytes());
        cqe[12..16].copy_from_slice(&(self.immediate() as u32).to_be_bytes());
        cqe[17] = (self.salt & 3) as u8;
        cqe[31] = phase as u8;
        cqe
    }
}

struct Ring {
    base: u64,
    log_size: u64,
    producer: u64,
}

fn create(bench: &mut Bench, rng: &mut fastrand::Rng) -> Vec<Ring> {
    let rings: Vec<Ring> = (0..RINGS as u64)
        .map(|i| Ring {
            base: i << 40 | rng.u64(..1 << 20) << 12,
            log_size: rng.u64(..8),
            producer: 0,
        })
        .collect();
    for (i, ring) in rings.iter().enumerate() {
        bench.set("create_valid", 1);
        bench.set("create_index", i as u64);
        bench.set("create_base", ring.base);
        bench.set("create_log_size", ring.log_size);
        bench.settle();
        bench.tick();
    }
    bench.set("create_valid", 0);
    rings
}

fn quiet(bench: &mut Bench) {
    for input in [
        "create_valid",
        "receive_valid",
        "send_valid",
        "responder_written",
        "requester_written",
        "broken",
        "bears",
        "cqe_ready",
    ] {
        bench.set(input, 0);
    }
}

#[test]
fn each_leaves_in_order_when_its_data_are_there() {
    let library = library::<CompletionQueue<4, 4, 16>>("completion_queue");
    for seed in 1..=6 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut bench = Bench::new(&library, seed);
        quiet(&mut bench);
        let mut rings = create(&mut bench, &mut rng);
        // Counters start short of their wrap.
        let mut written = [0xFF80_u16, 0xFFF0];
        let mut fence = written;
        let mut waiting: [VecDeque<Completion>; 2] = Default::default();
        let mut offered: [Option<Completion>; 2] = [None; 2];
        let mut retired = VecDeque::new();
        let mut left = 1500;
        while left > 0 {
            for side in 0..2 {
                let behind = fence[side].wrapping_sub(written[side]);
                if behind > 0 && rng.u8(..3) == 0 {
                    written[side] = written[side].wrapping_add(rng.u16(1..=behind.min(8)));
                }
                if offered[side].is_none() && rng.u8(..3) > 0 {
                    fence[side] = fence[side].wrapping_add(rng.u16(..3));
                    offered[side] = Some(Completion::random(&mut rng, fence[side]));
                }
                let name = ["receive", "send"][side];
                bench.set(&format!("{name}_valid"), u64::from(offered[side].is_some()));
                let shown = offered[side].unwrap_or_else(|| Completion::random(&mut rng, 0));
                bench.set_bytes(name, &shown.record(side == 0));
            }
            bench.set("responder_written", u64::from(written[0]));
            bench.set("requester_written", u64::from(written[1]));
            bench.set("cqe_ready", rng.u64(..2));
            let broken = rng.u64(..1 << 16);
            let bears = broken & rng.u64(..);
            bench.set("broken", broken);
            bench.set("bears", bears);
            bench.settle();
            for side in 0..2 {
                let name = ["receive_ready", "send_ready"][side];
                if offered[side].is_some() && bench.is_set(name) {
                    waiting[side].extend(offered[side].take());
                }
            }
            if bench.is_set("retire_valid") {
                let record = bench.bytes("retire_record");
                assert_eq!(bits(&record, 88, 8), 10, "COMPLETION_WRITTEN");
                let side = usize::from(bits(&record, 16, 1) == 0);
                let completion = waiting[side].pop_front().expect("one that was handed in");
                assert!(
                    written[side].wrapping_sub(completion.fence) < 0x8000,
                    "{completion:?} at {written:?}"
                );
                let fails = completion.fails(side == 0, broken, bears);
                let status = if fails { 2 } else { completion.status() };
                assert_eq!(bits(&record, 80, 8), status);
                assert_eq!(bench.is_set("borne_valid"), side == 1);
                assert_eq!(bench.get("borne_index"), completion.qpn() & 0xF);
                assert_eq!(bits(&record, 56, 24), completion.qpn());
                assert_eq!(bits(&record, 32, 24), u64::from(completion.cqn));
                assert_eq!(bits(&record, 0, 16), completion.wqe());
                retired.push_back((side, completion, fails));
            } else {
                assert!(!bench.is_set("borne_valid"));
            }
            if bench.is_set("cqe_valid") && bench.is_set("cqe_ready") {
                let (side, completion, failed) = retired.pop_front().expect("it was reported");
                let ring = &mut rings[completion.cqn as usize];
                let place = ring.producer % (1 << ring.log_size);
                let phase = ring.producer >> ring.log_size & 1 == 0;
                ring.producer += 1;
                assert_eq!(bench.get("cqe_address"), ring.base + 32 * place);
                let cqe: Vec<u8> = bench.bytes("cqe").into_iter().rev().collect();
                let expected = match failed {
                    true => completion.failed(side == 0, phase),
                    false => completion.cqe(side == 0, phase),
                };
                assert_eq!(cqe, expected, "{completion:?}");
                left -= 1;
            }
            bench.tick();
        }
    }
}

/// A completion whose data are not there holds up its own side alone; the other's leave every four clocks or faster.
#[test]
fn one_side_does_not_wait_for_the_other() {
    let library = library::<CompletionQueue<4, 4, 16>>("completion_queue");
    for stuck in 0..2 {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut bench = Bench::new(&library, 1);
        quiet(&mut bench);
        create(&mut bench, &mut rng);
        bench.set("cqe_ready", 1);
        for side in 0..2 {
            let name = ["receive", "send"][side];
            let completion = Completion::random(&mut rng, u16::from(side == stuck));
            bench.set_bytes(name, &completion.record(side == 0));
            bench.set(&format!("{name}_valid"), 1);
        }
        let mut left = 0;
        for _ in 0..400 {
            bench.settle();
            if bench.is_set("retire_valid") {
                let receive = bits(&bench.bytes("retire_record"), 16, 1) == 1;
                assert_eq!(receive, stuck == 1, "the side that does not wait");
                left += 1;
            }
            bench.tick();
        }
        assert!(left >= 100, "{left} in 400 clocks");
    }
}
