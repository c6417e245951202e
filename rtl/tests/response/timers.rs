//! Ack timeouts end within [T, 4 T), RNR waits not before their delay, and what was cancelled never.
use crate::bench::{self, Bench};
use hca_rtl::requester::{timers, Timers};
use hca_sim::verilated::Library;

const QPS: usize = 16;
/// Of the profile `small`.
const CLOCKS_PER_US: f64 = 125.0;

/// `protocol/rnr_timer.csv`, the codes up to 160 us.
const RNR_US: [f64; 9] = [655_360.0, 10.0, 20.0, 30.0, 40.0, 60.0, 80.0, 120.0, 160.0];

#[derive(Clone, Copy, Debug)]
struct Timer {
    kind: u8,
    /// Clocks of the earliest and of the latest expiry.
    from: u64,
    to: u64,
}

fn timer(kind: u8, code: usize, now: u64) -> Option<Timer> {
    let (from, to) = match kind {
        timers::ACK if code > 0 => {
            let t = 4.096 * f64::from(1 << code);
            (t, 4.0 * t)
        }
        timers::RNR => (RNR_US[code], RNR_US[code] + 10.0),
        _ => return None,
    };
    let clock = |us: f64| now + (us * CLOCKS_PER_US).ceil() as u64;
    Some(Timer {
        kind,
        from: clock(from),
        to: clock(to),
    })
}

#[test]
fn timers_expire_in_their_time_unless_they_are_set_again() {
    let library = bench::library::<Timers<4, 16>>("timers");
    for seed in 0..3 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut bench = Bench::new(&library, seed);
        let mut set: [Option<Timer>; QPS] = [None; QPS];
        let mut expiries = 0;
        let mut held_since = 0;
        for now in 0..120_000 {
            // Sets come thick where an expiry is near, too.
            let sets = rng.u32(..[3000, 600, 200][seed as usize]) == 0
                || (bench.is_set("expired_valid") && rng.u32(..8) == 0);
            let index = if rng.bool() {
                bench.get("expired_index") as usize
            } else {
                rng.usize(..QPS)
            };
            let kind = rng.u8(..3);
            let code = rng.usize(..if kind == timers::ACK { 6 } else { RNR_US.len() });
            bench.set("set_valid", sets.into());
            bench.set("set_index", index as u64);
            bench.set("set_kind", kind.into());
            bench.set("set_code", code as u64);
            let ready = rng.u32(..6) == 0;
            bench.set("expired_ready", ready.into());
            bench.settle();
            if bench.is_set("expired_valid") {
                let index = bench.get("expired_index") as usize;
                let timer = set[index].expect("nothing was set");
                assert_eq!(u64::from(timer.kind), bench.get("expired_kind"));
                assert!(timer.from <= now, "QP {index}: {timer:?} expired at {now}");
                if ready {
                    set[index] = None;
                    expiries += 1;
                }
            } else {
                held_since = now;
            }
            for timer in set.iter().flatten() {
                assert!(
                    now < timer.to || held_since < now,
                    "{timer:?} did not expire by {now}"
                );
            }
            if sets {
                set[index] = timer(kind, code, now);
            }
            bench.tick();
        }
        assert!(expiries > 20, "{expiries}");
    }
}

/// Every row of `protocol/rnr_timer.csv`, all QPs at once; code 0 of an ack timeout is none.
#[test]
fn every_rnr_delay_is_waited_for() {
    const CLOCKS_PER_US: u64 = 2;
    /// A tick is three clocks: not less than 1.024 us.
    const TICK: u64 = 3;
    let delays_ms = [
        655.36, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24, 0.32, 0.48, 0.64, 0.96, 1.28, 1.92,
        2.56, 3.84, 5.12, 7.68, 10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76,
        327.68, 491.52,
    ];
    let library = bench::library_of(Timers::<4, 16>::new(CLOCKS_PER_US * 1_000_000), "timers");
    for codes in [0..16, 16..32] {
        let mut bench = Bench::new(&library, 1);
        let set = |bench: &mut Bench, index: usize, kind: u8, code: usize| {
            bench.set("set_index", index as u64);
            bench.set("set_kind", kind.into());
            bench.set("set_code", code as u64);
            bench.settle();
            bench.tick();
        };
        bench.set("expired_ready", 1);
        bench.set("set_valid", 1);
        for code in codes.clone() {
            set(&mut bench, code % QPS, timers::RNR, code);
        }
        bench.set("set_valid", 0);
        let mut waiting = codes.len();
        while waiting > 0 {
            bench.settle();
            if bench.is_set("expired_valid") {
                let index = bench.get("expired_index") as usize;
                let delay_us = (delays_ms[codes.start + index] * 1000.0) as u64;
                let waited = bench.cycle - index as u64;
                let most = (delay_us * 1000).div_ceil(1024) * TICK + 2 * TICK + 2 * QPS as u64;
                assert!(
                    waited >= delay_us * CLOCKS_PER_US,
                    "{delay_us} us: {waited} clocks"
                );
                assert!(waited <= most, "{delay_us} us: {waited} clocks");
                waiting -= 1;
            }
            bench.tick();
        }
        bench.set("set_valid", 1);
        set(&mut bench, 3, timers::ACK, 0);
        bench.set("set_valid", 0);
        for _ in 0..200_000 {
            bench.settle();
            assert!(!bench.is_set("expired_valid"));
            bench.tick();
        }
    }
}

/// Every code of `protocol/ack_timeout.csv`: the short ones end in their time, the long ones not before.
#[test]
fn every_ack_timeout_lasts() {
    let slow = Timers::<4, 16>::new(2_000_000);
    lasts(&bench::library_of(slow, "timers"), 2);
    lasts(&bench::library::<Timers<4, 16>>("timers"), 125);
}

fn lasts(library: &Library, clocks_per_us: u64) {
    // Of the first codes some end; of the others none has to yet.
    for (codes, run) in [(0..16_u64, 1_100_000), (16..32, 400_000)] {
        let mut bench = Bench::new(library, 1);
        bench.set("expired_ready", 1);
        bench.set("set_valid", 1);
        bench.set("set_kind", timers::ACK.into());
        for code in codes.clone() {
            bench.set("set_index", code % QPS as u64);
            bench.set("set_code", code);
            bench.settle();
            bench.tick();
        }
        bench.set("set_valid", 0);
        // T in clocks; code 0 never ends.
        let ends = |code: u64| (code > 0).then(|| (4096 << code) * clocks_per_us / 1000);
        let mut waiting: Vec<u64> = codes.clone().collect();
        while bench.cycle < run {
            bench.settle();
            if bench.is_set("expired_valid") {
                let code = codes.start + bench.get("expired_index");
                let clocks = ends(code).expect("code 0 has no end");
                assert!(
                    (clocks..4 * clocks).contains(&bench.cycle),
                    "code {code}: {} clocks",
                    bench.cycle
                );
                waiting.retain(|&other| other != code);
            }
            bench.tick();
        }
        let late = waiting
            .iter()
            .find(|&&code| ends(code).is_some_and(|clocks| 4 * clocks < run));
        assert_eq!(late, None, "a code whose timeout did not end");
    }
}

/// A round of the scan begins with a tick, and none while no timer runs: one that is set in whatever clock before,
/// during or after a round is seen.
#[test]
fn a_timer_is_seen_whenever_it_is_set() {
    const TICK: u64 = 128;
    let library = bench::library::<Timers<4, 16>>("timers");
    for index in [0, 7, 15] {
        let mut bench = Bench::new(&library, 1);
        bench.set("expired_ready", 1);
        bench.set("set_kind", timers::RNR.into());
        bench.set("set_code", 1);
        for phase in 0..TICK {
            while bench.cycle % TICK != phase {
                bench.settle();
                assert!(!bench.is_set("expired_valid"));
                bench.tick();
            }
            bench.set("set_index", index);
            bench.set("set_valid", 1);
            bench.settle();
            bench.tick();
            bench.set("set_valid", 0);
            let mut waited = 0;
            loop {
                bench.settle();
                let expired = bench.is_set("expired_valid");
                bench.tick();
                if expired {
                    break;
                }
                waited += 1;
                assert!(
                    waited < 1250 + 3 * TICK,
                    "QP {index}, set in clock {phase} of a tick"
                );
            }
            assert!(waited >= 1250, "QP {index}: {waited} clocks");
        }
    }
}

/// All fall due with one tick, and are taken one by one, however late.
#[test]
fn what_falls_due_together_expires_each() {
    let library = bench::library::<Timers<4, 16>>("timers");
    for pause in [1, 2, 3, 15, 16, 17, 300] {
        let mut bench = Bench::new(&library, 1);
        bench.set("expired_ready", 0);
        bench.set("set_kind", timers::RNR.into());
        bench.set("set_code", 1);
        bench.set("set_valid", 1);
        for index in 0..QPS {
            bench.set("set_index", index as u64);
            bench.settle();
            bench.tick();
        }
        bench.set("set_valid", 0);
        let mut fired = Vec::new();
        while bench.cycle < 1700 + QPS as u64 * (pause + 40) {
            bench.set("expired_ready", u64::from(bench.cycle.is_multiple_of(pause)));
            bench.settle();
            if bench.is_set("expired_valid") && bench.cycle.is_multiple_of(pause) {
                fired.push(bench.get("expired_index") as usize);
            }
            bench.tick();
        }
        fired.sort_unstable();
        assert_eq!(fired, (0..QPS).collect::<Vec<_>>(), "taken every {pause} clocks");
    }
}
