//! Rings that fill up, change their size, and end.
use crate::record::Completion;
use crate::rig::{build, Doorbell, Rig, CONSUMED, CREATE, DESTROY, OVERFLOW, QUERY, RESIZE, RINGS, WRITTEN};

/// A success of the receive queue.
fn success(cqn: u16, salt: u64) -> Completion {
    Completion {
        cqn,
        fence: 0,
        salt: salt & 0x0FFF_00FF_FFFF_FFFF,
    }
}

/// CF255: the completion that finds no room is lost, the CQ fails once, others are not disturbed.
#[test]
fn a_full_ring_loses_what_comes_and_fails() {
    let library = build();
    let mut rig = Rig::new(&library, 1);
    rig.create(3, 2);
    rig.create(5, 4);
    let mut kinds = Vec::new();
    let (mut failed, mut events) = (Vec::new(), Vec::new());
    let mut left = [7, 7];
    for _ in 0..200 {
        for (side, cqn) in [(0, 3), (1, 5)] {
            if rig.offered[side].is_none() && left[side] > 0 {
                left[side] -= 1;
                rig.offered[side] = Some(success(cqn, 77));
            }
        }
        let clock = rig.step();
        if let Some(record) = clock.record {
            assert_eq!(
                clock.failed.is_some(),
                record.kind == OVERFLOW && failed.is_empty(),
                "in the very clock of the first that is lost"
            );
            kinds.push((record.psn, record.kind));
        }
        failed.extend(clock.failed);
        events.extend(clock.event);
    }
    let of = |cqn: u64, kind: u64| kinds.iter().filter(|&&k| k == (cqn, kind)).count();
    assert_eq!((of(3, WRITTEN), of(3, OVERFLOW)), (4, 3));
    assert_eq!((of(5, WRITTEN), of(5, OVERFLOW)), (7, 0));
    assert_eq!((failed, events), (vec![3], vec![(2, 3)]));
    // Room does not mend it.
    rig.doorbell = Some(Doorbell {
        cqn: 3,
        arm: false,
        value: 4,
    });
    rig.step();
    rig.offered[0] = Some(success(3, 78));
    let late: Vec<_> = (0..40).filter_map(|_| rig.step().record).collect();
    assert_eq!(
        late.iter().map(|r| r.kind).collect::<Vec<_>>(),
        [CONSUMED, OVERFLOW]
    );
    let answer = rig.command(QUERY, 3, 0, 0);
    assert!(answer.failed);
    assert_eq!((answer.producer, answer.consumer), (4, 4));
    // A new CQ at its number knows nothing of it.
    rig.command(DESTROY, 3, 0, 0);
    rig.create(3, 1);
    assert!(!rig.command(QUERY, 3, 0, 0).failed);
    rig.offered[0] = Some(success(3, 79));
    let again: Vec<_> = (0..40).filter_map(|_| rig.step().record).collect();
    assert_eq!(again.iter().map(|r| r.kind).collect::<Vec<_>>(), [WRITTEN]);
}

#[derive(Clone, Copy, Default)]
struct Ring {
    base: u64,
    log_size: u64,
    producer: u16,
    consumer: u16,
    exists: bool,
    failed: bool,
}

impl Ring {
    fn unpolled(&self) -> u16 {
        self.producer.wrapping_sub(self.consumer)
    }
}

/// CF247, CF248: completions, polling, resizing, destroying and creating in any order, each CQE where it has to be.
#[test]
fn rings_change_in_traffic() {
    let library = build();
    for seed in 1..=8 {
        let mut rig = Rig::new(&library, seed);
        let mut rings = [Ring::default(); RINGS];
        for (cqn, ring) in rings.iter_mut().enumerate() {
            // Few CQs meet often.
            if cqn < 4 {
                rig.create(cqn, 3);
                *ring = Ring {
                    base: Rig::base(cqn),
                    log_size: 3,
                    exists: true,
                    ..Ring::default()
                };
            }
        }
        rig.ready = 200;
        let mut expected = std::collections::VecDeque::new();
        let (mut written, mut lost, mut refusals) = (0, 0, 0);
        for _ in 0..6000 {
            for side in 0..2 {
                if rig.offered[side].is_none() && rig.rng.u8(..4) > 0 {
                    rig.offered[side] = Some(success(rig.rng.u16(..4), rig.rng.u64(..)));
                }
            }
            if rig.doorbell.is_none() && rig.rng.u8(..8) == 0 {
                let cqn = rig.rng.usize(..4);
                let polled = rig.rng.u16(..=rings[cqn].unpolled());
                rig.doorbell = Some(Doorbell {
                    cqn: cqn as u64,
                    arm: false,
                    value: u64::from(rings[cqn].consumer.wrapping_add(polled)),
                });
            }
            if rig.command.is_none() && rig.rng.u8(..16) == 0 {
                let cqn = rig.rng.usize(..4);
                let operation = match (rings[cqn].exists, rig.rng.u8(..8)) {
                    (false, _) => CREATE,
                    (true, 0) => DESTROY,
                    (true, 1) => QUERY,
                    _ => RESIZE,
                };
                rig.command = Some(crate::rig::Command {
                    operation,
                    cqn,
                    base: rig.rng.u64(..1 << 40) << 6,
                    log_size: rig.rng.u64(..5),
                });
            }
            let command = rig.command;
            let clock = rig.step();
            if let Some(answer) = clock.answer {
                let command = command.expect("it was offered");
                let ring = &mut rings[command.cqn];
                let before = *ring;
                if before.exists {
                    assert_eq!(
                        (answer.base, answer.log_size, answer.producer, answer.consumer, answer.failed),
                        (before.base, before.log_size, before.producer, before.consumer, before.failed)
                    );
                }
                let small = command.operation == RESIZE && before.unpolled() > 1 << command.log_size;
                assert_eq!(answer.refused, small);
                refusals += u32::from(small);
                match command.operation {
                    CREATE => {
                        *ring = Ring {
                            base: command.base,
                            log_size: command.log_size,
                            exists: true,
                            ..Ring::default()
                        }
                    }
                    RESIZE if !small && !before.failed => {
                        ring.base = command.base;
                        ring.log_size = command.log_size;
                    }
                    DESTROY => *ring = Ring::default(),
                    _ => {}
                }
            }
            if let Some(record) = clock.record {
                match record.kind {
                    CONSUMED => {
                        rings[record.qpn as usize].consumer = record.index as u16;
                    }
                    kind => {
                        let ring = &mut rings[record.psn as usize];
                        assert!(ring.exists);
                        let full = ring.unpolled() >= 1 << ring.log_size;
                        assert_eq!(kind == OVERFLOW, ring.failed || full, "{record:?}");
                        assert_eq!(clock.failed.is_some(), full && !ring.failed);
                        if kind == OVERFLOW {
                            ring.failed = true;
                            lost += 1;
                        } else {
                            let place = u64::from(ring.producer) % (1 << ring.log_size);
                            let phase = ring.producer >> ring.log_size & 1 == 0;
                            expected.push_back((ring.base + 32 * place, phase));
                            ring.producer = ring.producer.wrapping_add(1);
                            written += 1;
                        }
                    }
                }
            }
            if let Some((address, cqe)) = clock.entry {
                let (at, phase) = expected.pop_front().expect("it was reported");
                assert_eq!((address, cqe[31]), (at, 2 | u8::from(phase)));
            }
        }
        assert!(
            written > 100 && lost > 10 && refusals > 0,
            "{written} {lost} {refusals}"
        );
    }
}

/// What had come in on either side at a mark is acknowledged when the mark is passed, whatever comes meanwhile.
#[test]
fn a_mark_is_passed_when_all_before_it_is_in_memory() {
    let library = build();
    for seed in 1..=6 {
        let mut rig = Rig::new(&library, seed);
        rig.create(0, 15);
        rig.ready = 100;
        rig.answers = 60;
        let (mut taken, mut answered) = (0, 0);
        let mut goal = None;
        let mut passed = 0;
        for i in 0..4000 {
            for side in 0..2 {
                if rig.offered[side].is_none() && rig.rng.u8(..8) == 0 {
                    rig.offered[side] = Some(success(0, rig.rng.u64(..)));
                }
            }
            let marks = goal.is_none() && rig.rng.u8(..30) == 0;
            rig.bench.set("drain_mark", u64::from(marks));
            let clock = rig.step();
            taken += u32::from(clock.taken[0]) + u32::from(clock.taken[1]);
            if marks {
                goal = Some((taken, i));
            } else if let Some((goal_count, since)) = goal {
                if rig.bench.is_set("drain_passed") {
                    assert!(answered >= goal_count, "{answered} of {goal_count}");
                    passed += 1;
                    goal = None;
                } else {
                    assert!(i - since < 1500, "never passed");
                }
            }
            answered += u32::from(clock.answered.is_some());
        }
        assert!(passed > 10, "{passed}");
    }
}
