//! The receive side under Verilator: dispatch, and the responder's every decision beside a plain reference.
mod answered;
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod burst;
mod completion;
mod datagram;
mod dispatch;
mod events;
mod flush;
mod packet;
mod reference;
mod replay;
mod steps;
mod traffic;
mod transition;
mod unreliable;
mod violation_copy;
mod world;

use hca_rtl::receive::ReceiveSide;
use hca_sim::verilated::Library;
use reference::report;
use traffic::Faults;
use world::{Surroundings, World};

fn side() -> Library {
    bench::library::<ReceiveSide<4, 8, 1>>("receive_side")
}

const GOOD: Faults = Faults {
    lost: 0,
    repeated: 0,
    wrong: 0,
    plain: true,
};

/// CF057 to CF143 as far as the responder goes: streams of several QPs with packets lost, repeated and wrong, receive
/// WQEs that come late or are bad, and sides that fail.
#[test]
fn every_decision_is_that_of_the_reference() {
    let library = side();
    let mut counts = [0; 32];
    let mut refusals = [0; 256];
    let mut flushed = 0;
    for seed in 0..24 {
        let how = Surroundings {
            faults: Faults {
                lost: [0, 40, 12][seed as usize % 3],
                repeated: [6, 0, 20][seed as usize % 3],
                wrong: [0, 60, 25, 400][seed as usize % 4],
                plain: false,
            },
            ready: [8, 6, 3][seed as usize % 3],
            bad_wqes: [0, 30][seed as usize % 2],
            failures: [0, 0, 3000][seed as usize % 3],
            pause: [1, 12, 40][seed as usize / 3 % 3],
            posts: [24, 80][seed as usize / 2 % 2],
            room: [1, 1, 2][seed as usize % 3],
        };
        let mut world = World::new(&library, [8, 1, 3][seed as usize % 3], seed, how);
        for _ in 0..30_000 {
            world.step();
        }
        assert!(world.decided > 50, "seed {seed}: {} decisions", world.decided);
        flushed += world.flushed;
        for (sum, n) in counts.iter_mut().zip(world.counts) {
            *sum += n;
        }
        for (sum, n) in refusals.iter_mut().zip(world.refusals) {
            *sum += n;
        }
    }
    assert!(counts[usize::from(report::EXECUTED)] > 8_000);
    for kind in [
        report::EXECUTED,
        report::DUPLICATE,
        report::REFUSED,
        report::DROPPED,
        report::STATE,
    ] {
        assert!(counts[usize::from(kind)] > 20, "no report of kind {kind}");
    }
    for code in [10, 7, 11, 12, 13, 14, 23, 0x22, 0x60, 0x61, 0x62, 0x63] {
        assert!(refusals[code] > 0, "nothing was refused with {code:x}");
    }
    assert!(flushed > 50, "only {flushed} WQEs were flushed");
}

/// A packet of one piece at least every eight clocks, on one QP and on several.
#[test]
fn packets_keep_their_rate() {
    let library = side();
    for qps in [1, 8] {
        let how = Surroundings {
            faults: GOOD,
            ready: 8,
            bad_wqes: 0,
            failures: 0,
            pause: 1,
            posts: 5,
            room: 1,
        };
        let mut world = World::new(&library, qps, 7, how);
        for _ in 0..2_000 {
            world.step();
        }
        let (before, cycle) = (world.executed(), world.cycle());
        for _ in 0..8_000 {
            world.step();
        }
        let clocks = (world.cycle() - cycle) as f64 / (world.executed() - before) as f64;
        assert!(clocks <= 8.0, "{qps} QPs: {clocks:.2} clocks a packet");
    }
}
