//! The link drain against a list of packets.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::transmit::LinkDrain;
use std::collections::VecDeque;

/// Clocks between the last that it waits for and `passed`.
const LATE: u32 = 4;

/// A packet on its way out.
#[derive(Clone, Copy, PartialEq)]
struct Departed {
    /// The mark that it is older than, counted from 1.
    before: u32,
    /// A NAK, which is never spoiled.
    nak: bool,
}

/// What a mark waits for is over when, and only when, all that had departed then has left, and so have the NAKs in the
/// place of what was spoiled.
#[test]
fn passes_when_what_had_departed_is_out() {
    let library = library::<LinkDrain>("link_drain");
    let mut rng = Rng::with_seed(0x11D);
    for (departs, leaves) in [(90, 20), (50, 50), (90, 95), (10, 90)] {
        let mut bench = Bench::new(&library, rng.u64(..));
        let mut out = VecDeque::new();
        let mut naks = VecDeque::new();
        let (mut mark, mut waits, mut over, mut passes) = (1, false, 0, 0);
        for clock in 0..20_000 {
            let nak_departs = !naks.is_empty() && out.len() < 31 && rng.u8(..4) == 0;
            let data_departs = !nak_departs && out.len() < 31 - naks.len() && rng.u8(..100) < departs;
            let leaves = !out.is_empty() && rng.u8(..100) < leaves;
            let marks = !waits && rng.u8(..50) == 0;
            bench.set("departs", (nak_departs || data_departs).into());
            bench.set("leaves", leaves.into());
            bench.set("naks_wait", (!naks.is_empty()).into());
            bench.set("mark", marks.into());
            bench.settle();
            if waits {
                let there = out.iter().chain(&naks).any(|d: &Departed| d.before < mark);
                let passed = bench.is_set("passed");
                assert!(!(passed && there), "clock {clock}: before all were out");
                // Younger NAKs and what departs with them may be waited for, too.
                over = if there || !naks.is_empty() || !out.is_empty() {
                    0
                } else {
                    over + 1
                };
                assert!(passed || over <= LATE, "clock {clock}: all are out");
                if passed {
                    (waits, passes) = (false, passes + 1);
                }
            }
            if marks {
                (waits, over, mark) = (true, 0, mark + 1);
            }
            let before = mark;
            if leaves {
                let left: Option<Departed> = out.pop_front();
                naks.extend(
                    left.filter(|d| !d.nak && rng.u8(..6) == 0)
                        .map(|d| Departed { nak: true, ..d }),
                );
            }
            if nak_departs {
                out.extend(naks.pop_front());
            }
            if data_departs {
                out.push_back(Departed { before, nak: false });
            }
            bench.tick();
        }
        assert!(passes > 50, "{passes} marks passed");
    }
}
