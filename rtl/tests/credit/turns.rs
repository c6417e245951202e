//! Whose credits are looked at (`protocol/aeth.md` section 5).
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::credit::CreditTurns;

const QPS: usize = 16;

/// Of a QP that supplies credits: what asks for a turn, the turns that came of it, and whether the latest has had one
/// since.
#[derive(Clone, Copy, Default)]
struct Asked {
    causes: u32,
    turns: u32,
    waits: bool,
}

/// A QP has a turn after each doorbell and when it comes to RTR, but only if it supplies credits, and none without
/// cause.
#[test]
fn a_turn_for_each_cause_and_for_nothing_else() {
    let library = library::<CreditTurns<4, 16>>("credit_turns");
    let mut rng = Rng::with_seed(0xC7ED);
    for seed in 0..4 {
        let mut bench = Bench::new(&library, seed);
        for input in ["connected_valid", "rung_valid", "turn_ready", "connected_index"] {
            bench.set(input, 0);
        }
        let supplied = rng.u16(..);
        let supplies = |qp: usize| supplied >> qp & 1 == 1;
        for qp in 0..QPS {
            bench.set("modify_valid", 1);
            bench.set("modify_index", qp as u64);
            bench.set("modify_supplied", supplies(qp).into());
            bench.settle();
            bench.tick();
        }
        bench.set("modify_valid", 0);
        let mut asked = [Asked::default(); QPS];
        for clock in 0..6000 {
            let (rung, connected) = (rng.usize(0..QPS), rng.usize(0..QPS));
            // In the end all have had their turns.
            let busy = clock < 5500;
            let waiting = asked.iter().filter(|of| of.waits).count();
            let rings = busy && rng.u8(0..4) == 0;
            let connects = busy && waiting < 6 && rng.u8(0..8) == 0;
            let ready = rng.u8(0..3) == 0;
            bench.set("rung_valid", rings.into());
            bench.set("rung_index", rung as u64);
            bench.set("connected_valid", connects.into());
            // It comes to RTR by a modification.
            bench.set("connected_index", connected as u64);
            bench.set("modify_index", connected as u64);
            bench.set("turn_ready", ready.into());
            bench.settle();
            if ready && bench.is_set("turn_valid") {
                let qp = bench.get("turn") as usize;
                let of = &mut asked[qp];
                of.turns += 1;
                of.waits = false;
                assert!(
                    of.turns <= of.causes,
                    "clock {clock}: QP {qp} has a turn for nothing"
                );
            }
            for (qp, asks) in [(rung, rings), (connected, connects)] {
                if asks && supplies(qp) {
                    asked[qp].causes += 1;
                    asked[qp].waits = true;
                }
            }
            bench.tick();
        }
        for (qp, of) in asked.iter().enumerate() {
            assert!(!of.waits, "QP {qp} waits for its turn");
            assert_eq!(of.turns > 0, supplies(qp), "QP {qp}");
        }
    }
}
