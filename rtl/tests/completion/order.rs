//! Places in the rings, and that no completion is seen before its data.
use crate::record::Completion;
use crate::rig::{build, Record, Rig, CONSUMED, CREATE, RINGS, WRITTEN};
use crate::rig::{Clock, Doorbell};
use std::collections::VecDeque;

struct Ring {
    base: u64,
    log_size: u64,
    producer: u64,
}

fn create(rig: &mut Rig) -> Vec<Ring> {
    (0..RINGS)
        .map(|cqn| {
            let base = (cqn as u64) << 40 | rig.rng.u64(..1 << 20) << 12;
            let log_size = rig.rng.u64(3..8);
            rig.command(CREATE, cqn, base, log_size);
            Ring {
                base,
                log_size,
                producer: 0,
            }
        })
        .collect()
}

/// Software polls each CQE at once.
fn poll(rig: &mut Rig, rings: &[Ring], polled: &mut [u64; RINGS]) {
    let behind = (0..RINGS).find(|&cqn| rings[cqn].producer > polled[cqn]);
    if let (None, Some(cqn)) = (rig.doorbell, behind) {
        polled[cqn] = rings[cqn].producer;
        rig.doorbell = Some(Doorbell {
            cqn: cqn as u64,
            arm: false,
            value: polled[cqn] & 0xFFFF,
        });
    }
}

fn completion_record(clock: &Clock) -> Option<Record> {
    clock.record.filter(|record| record.kind != CONSUMED)
}

#[test]
fn each_leaves_in_order_when_its_data_are_there() {
    let library = build();
    for seed in 1..=6 {
        let mut rig = Rig::new(&library, seed);
        let mut rings = create(&mut rig);
        let mut polled = [0; RINGS];
        // Counters start short of their wrap.
        rig.written = [0xFF80, 0xFFF0];
        let mut fence = rig.written;
        let mut waiting: [VecDeque<Completion>; 2] = Default::default();
        let mut retired = VecDeque::new();
        let mut left = 1500;
        rig.ready = 128;
        while left > 0 {
            let mut offered = [None; 2];
            for side in 0..2 {
                let behind = fence[side].wrapping_sub(rig.written[side]);
                if behind > 0 && rig.rng.u8(..3) == 0 {
                    rig.written[side] = rig.written[side].wrapping_add(rig.rng.u16(1..=behind.min(8)));
                }
                // No more of one CQ on their way than its ring takes.
                let under_way = waiting[0].len() + waiting[1].len() + retired.len();
                if rig.offered[side].is_none() && under_way < 7 && rig.rng.u8(..3) > 0 {
                    fence[side] = fence[side].wrapping_add(rig.rng.u16(..3));
                    rig.offered[side] = Some(Completion::random(&mut rig.rng, fence[side]));
                }
                offered[side] = rig.offered[side];
            }
            let broken = rig.rng.u64(..1 << 16);
            let takes_fault = broken & rig.rng.u64(..);
            rig.bench.set("broken", broken);
            rig.bench.set("takes_fault", takes_fault);
            poll(&mut rig, &rings, &mut polled);
            let written = rig.written;
            let clock = rig.step();
            for side in 0..2 {
                if clock.taken[side] {
                    waiting[side].extend(offered[side]);
                }
            }
            if let Some(record) = completion_record(&clock) {
                assert_eq!(record.kind, WRITTEN);
                let side = usize::from(record.index >> 16 & 1 == 0);
                let completion = waiting[side].pop_front().expect("one that was handed in");
                assert!(
                    written[side].wrapping_sub(completion.fence) < 0x8000,
                    "{completion:?} at {written:?}"
                );
                let fails = completion.fails(side == 0, broken, takes_fault);
                let status = if fails { 2 } else { completion.status() };
                assert_eq!(record.code, status);
                assert_eq!(clock.fault_taken, (side == 1).then_some(completion.qpn() & 0xF));
                assert_eq!(record.qpn, completion.qpn());
                assert_eq!(record.psn, u64::from(completion.cqn));
                assert_eq!(record.index & 0xFFFF, completion.wqe());
                retired.push_back((side, completion, fails));
            } else {
                assert_eq!(clock.fault_taken, None);
            }
            if let Some((address, cqe)) = clock.entry {
                let (side, completion, failed) = retired.pop_front().expect("it was reported");
                let ring = &mut rings[completion.cqn as usize];
                let place = ring.producer % (1 << ring.log_size);
                let phase = ring.producer >> ring.log_size & 1 == 0;
                ring.producer += 1;
                assert_eq!(address, ring.base + 32 * place);
                let expected = match failed {
                    true => completion.failed(side == 0, phase),
                    false => completion.cqe(side == 0, phase),
                };
                assert_eq!(cqe, expected, "{completion:?}");
                left -= 1;
            }
        }
    }
}

/// A completion whose data are not there holds up its own side alone; the other's leave every two clocks.
#[test]
fn one_side_does_not_wait_for_the_other() {
    let library = build();
    for stuck in 0..2 {
        let mut rig = Rig::new(&library, 1);
        for cqn in 0..RINGS {
            rig.create(cqn, 15);
        }
        let mut left = 0;
        for _ in 0..400 {
            for side in 0..2 {
                if rig.offered[side].is_none() {
                    rig.offered[side] = Some(Completion::random(&mut rig.rng, u16::from(side == stuck)));
                }
            }
            if let Some(record) = rig.step().record {
                assert_eq!(
                    record.index >> 16 & 1 == 1,
                    stuck == 1,
                    "the side that does not wait"
                );
                left += 1;
            }
        }
        assert!(left >= 195, "{left} in 400 clocks");
    }
}
