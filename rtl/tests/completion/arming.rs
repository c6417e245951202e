//! For which completions software gets an event (`protocol/qp_cq.md` section 7).
use crate::record::Completion;
use crate::rig::{build, Doorbell, Rig, ARMED, DESTROY, RINGS};

const NEXT: u64 = 0;
const SOLICITED: u64 = 1;

fn completion(cqn: u16, status: u8, se: bool) -> Completion {
    // `Completion::status` picks by bits 50 and up.
    let pick = match status {
        0 => 0_u64,
        5 => 1 << 50,
        _ => unreachable!("success or flushed"),
    };
    Completion {
        cqn,
        fence: 0,
        // The operation repeats SE, for the CQE does not say it.
        salt: pick | u64::from(se) << 60 | u64::from(se) << 44 | 0x77,
    }
}

fn arm(cqn: u64, value: u64) -> Option<Doorbell> {
    Some(Doorbell {
        cqn,
        arm: true,
        value,
    })
}

/// CF254 to CF257: by armament and completion.
#[test]
fn what_fits_fires_once() {
    let library = build();
    for (value, status, se, receive, fires) in [
        (NEXT, 0, false, true, true),
        (NEXT, 0, false, false, true),
        (SOLICITED, 0, false, true, false),
        (SOLICITED, 0, true, true, true),
        (SOLICITED, 0, false, false, false),
        (SOLICITED, 5, false, true, true),
        (SOLICITED, 5, false, false, true),
    ] {
        let mut rig = Rig::new(&library, 1);
        rig.create(9, 4);
        rig.doorbell = arm(9, value);
        let record = rig.step().armed.expect("it is reported");
        assert_eq!((record.kind, record.code, record.qpn), (ARMED, value, 9));
        let mut events = Vec::new();
        for i in 0..120 {
            if i == 0 || i == 40 {
                rig.offered[usize::from(!receive)] = Some(completion(9, status, se));
            }
            events.extend(rig.step().event);
        }
        let expected = if fires { vec![(1, 9)] } else { Vec::new() };
        assert_eq!(events, expected, "{value} {status} {se} {receive}");
    }
}

/// CF258: the wider of two armings holds, in either order.
#[test]
fn armings_widen() {
    let library = build();
    for order in [[NEXT, SOLICITED], [SOLICITED, NEXT]] {
        let mut rig = Rig::new(&library, 1);
        rig.create(0, 4);
        for value in order {
            rig.doorbell = arm(0, value);
            rig.step();
        }
        assert_eq!(rig.command(crate::rig::QUERY, 0, 0, 0).armed, 2);
        rig.offered[0] = Some(completion(0, 0, false));
        let events: Vec<_> = (0..60).filter_map(|_| rig.step().event).collect();
        assert_eq!(events, [(1, 0)]);
    }
}

/// Armed in each clock around a completion: either its CQE was in memory before, or it fires; never both, never twice.
#[test]
fn no_completion_falls_between_poll_and_arm() {
    let library = build();
    let (mut before, mut after) = (0, 0);
    for at in 0..40 {
        let mut rig = Rig::new(&library, at);
        rig.create(4, 4);
        rig.offered[0] = Some(completion(4, 0, false));
        let (mut armed, mut answered) = (None, None);
        let mut events = 0;
        for clock in 0..80 {
            if clock == at {
                rig.doorbell = arm(4, NEXT);
            }
            let happened = rig.step();
            armed = armed.or(happened.armed.map(|_| clock));
            answered = answered.or(happened.answered.map(|_| clock));
            events += u32::from(happened.event.is_some());
        }
        let (armed, answered) = (armed.expect("armed"), answered.expect("written"));
        // Its acknowledgement takes effect in the next clock.
        let fires = answered + 1 >= armed;
        assert_eq!(
            events,
            u32::from(fires),
            "armed at {armed}, in memory at {answered}"
        );
        before += u32::from(!fires);
        after += u32::from(fires);
        // The next one fires if this one did not.
        rig.offered[0] = Some(completion(4, 0, false));
        let late = (0..60).filter(|_| rig.step().event.is_some()).count();
        assert_eq!(late, usize::from(!fires));
    }
    assert!(before > 5 && after > 5, "{before} {after}");
}

/// What is known of a CQ's arming from outside.
#[derive(Clone, Copy, Default)]
struct Arming {
    /// 0 not, 1 solicited, 2 next.
    width: u64,
    /// An event may come, and has to.
    may: bool,
    must: bool,
    /// Clocks in which CQEs were acknowledged last: any, and a solicited one.
    seen: [u64; 2],
}

/// CF259 and the storm: many CQs, every arming at most one event, none missing, however long software keeps the
/// event queue full.
#[test]
fn each_arming_gets_its_event() {
    let library = build();
    for seed in 1..=8 {
        let mut rig = Rig::new(&library, seed);
        for cqn in 0..RINGS {
            rig.create(cqn, 15);
        }
        rig.answers = 80;
        rig.listens = [255, 20, 2][seed as usize % 3];
        let mut armings = [Arming::default(); RINGS];
        let mut kinds = std::collections::VecDeque::new();
        let mut given = 0;
        for i in 0..9000_u64 {
            if i == 8000 {
                rig.listens = 255;
                rig.answers = 255;
            }
            for side in 0..2 {
                if i < 7500 && rig.offered[side].is_none() && rig.rng.u8(..3) == 0 {
                    let status = [0, 0, 0, 5][rig.rng.usize(..4)];
                    rig.offered[side] = Some(completion(
                        rig.rng.u16(..16),
                        status,
                        side == 0 && rig.rng.u8(..4) == 0,
                    ));
                }
            }
            if i < 7500 && rig.doorbell.is_none() && rig.rng.u8(..4) == 0 {
                rig.doorbell = arm(rig.rng.u64(..16), rig.rng.u64(..2));
            }
            let now = rig.clock + 100;
            let clock = rig.step();
            if let Some((kind, cqn)) = clock.event {
                let arming = &mut armings[cqn as usize];
                assert_eq!(kind, 1);
                assert!(arming.width > 0 && arming.may, "CQ {cqn} in clock {i}");
                (arming.width, arming.may, arming.must) = (0, false, false);
                given += 1;
            }
            if clock.answered.is_some() {
                let (cqn, solicited): (usize, bool) = kinds.pop_front().expect("it left");
                let arming = &mut armings[cqn];
                arming.seen[0] = now;
                if solicited {
                    arming.seen[1] = now;
                }
                if arming.width == 2 || (arming.width == 1 && solicited) {
                    (arming.may, arming.must) = (true, true);
                }
            }
            if let Some(record) = clock.armed {
                let arming = &mut armings[record.qpn as usize];
                arming.width = arming.width.max(2 - record.code);
                // One acknowledged just before may count.
                let seen = arming.seen[2 - arming.width as usize];
                arming.may |= seen + 8 >= now;
            }
            if let Some((address, cqe)) = clock.entry {
                let cqn = (address >> 32) as usize - 1;
                kinds.push_back((cqn, cqe[2] != 0 || cqe[4] & 1 != 0));
            }
        }
        assert!(armings.iter().all(|arming| !arming.must), "an event is missing");
        assert!(given > 30, "{given}");
    }
}

/// A destroyed CQ's event, and its arming, do not reach the next one of its number.
#[test]
fn nothing_is_left_of_a_destroyed_cq() {
    let library = build();
    let mut rig = Rig::new(&library, 1);
    rig.create(6, 4);
    rig.listens = 0;
    rig.doorbell = arm(6, NEXT);
    rig.step();
    rig.offered[0] = Some(completion(6, 0, false));
    for _ in 0..60 {
        assert_eq!(rig.step().event, None);
    }
    rig.command(DESTROY, 6, 0, 0);
    rig.create(6, 4);
    rig.listens = 255;
    rig.offered[0] = Some(completion(6, 0, false));
    for _ in 0..60 {
        assert_eq!(rig.step().event, None);
    }
    // It can be armed anew.
    rig.doorbell = arm(6, NEXT);
    rig.step();
    rig.offered[0] = Some(completion(6, 0, false));
    let events: Vec<_> = (0..60).filter_map(|_| rig.step().event).collect();
    assert_eq!(events, [(1, 6)]);
    // A CQ that does not exist is not armed.
    rig.doorbell = arm(7, NEXT);
    assert_eq!(rig.step().armed, None);
    rig.doorbell = arm(4095, NEXT);
    assert!(rig.step().rung);
}
