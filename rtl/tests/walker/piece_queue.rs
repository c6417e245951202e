//! The piece queue against a list of packets.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::memory::PieceQueue;
use std::collections::VecDeque;

/// Address, length, kind, last.
type Entry = (u64, u64, u64, bool);

fn entries(pieces: &[(u64, u64)], kind: u64) -> Vec<Entry> {
    if pieces.is_empty() {
        return vec![(0, 0, kind, true)];
    }
    let last = pieces.len() - 1;
    let entry = |(i, &(address, length)): (usize, &(u64, u64))| (address, length, kind, i == last);
    pieces.iter().enumerate().map(entry).collect()
}

/// Packets of 0 to 16 pieces come out whole and in order, those aborted leave nothing, whoever waits for whom.
#[test]
fn committed_pieces_leave_in_order() {
    let library = library::<PieceQueue<5>>("piece_queue");
    let mut rng = Rng::with_seed(0x51E);
    for drain in [0, 30, 90] {
        let mut bench = Bench::new(&library, rng.u64(..));
        let mut expected = VecDeque::new();
        let mut pushed = Vec::new();
        let mut planned = None;
        let (mut packets, mut aborts, mut stalls) = (0, 0, 0);
        for _ in 0..24_000 {
            if planned.is_none() && rng.u8(..100) < 70 {
                bench.settle();
                if bench.is_set("ready") {
                    planned = Some(if rng.u8(..3) == 0 { 16 } else { rng.usize(..=16) });
                } else {
                    stalls += 1;
                }
            }
            let (mut push, mut commit, mut abort) = (false, false, false);
            if let Some(pieces) = planned {
                push = pushed.len() < pieces && rng.u8(..100) < 80;
                let whole = pushed.len() + usize::from(push) == pieces;
                if whole && rng.bool() {
                    commit = rng.u8(..4) != 0;
                    abort = !commit;
                }
            }
            let (address, length, kind) = (rng.u64(..), rng.u64(1..=4096), rng.u64(..2));
            bench.set("push_valid", push.into());
            bench.set("push_address", address);
            bench.set("push_length", length);
            bench.set("commit_valid", commit.into());
            bench.set("commit_kind", kind);
            bench.set("abort_valid", abort.into());
            bench.set("piece_ready", u64::from(rng.u8(..100) < drain));
            bench.settle();
            assert_eq!(
                bench.is_set("piece_valid"),
                !expected.is_empty(),
                "clock {}",
                bench.cycle
            );
            if let Some(&(address, length, kind, last)) = expected.front() {
                assert_eq!(
                    (bench.get("length"), bench.get("kind"), bench.is_set("last")),
                    (length, kind, last)
                );
                if length != 0 {
                    assert_eq!(bench.get("address"), address);
                }
                if bench.is_set("piece_ready") {
                    expected.pop_front();
                }
            }
            if push {
                pushed.push((address, length));
            }
            if commit {
                expected.extend(entries(&pushed, kind));
                packets += 1;
            }
            aborts += usize::from(abort);
            if commit || abort {
                pushed.clear();
                planned = None;
            }
            bench.tick();
        }
        if drain == 0 {
            // Nothing left, so it filled: 15 places are enough for a packet's 16 only while 14 are used at most.
            assert!(
                packets >= 1 && stalls > 10_000,
                "{packets} packets, {stalls} stalls"
            );
        } else {
            assert!(
                packets > 500 && aborts > 200,
                "{packets} packets, {aborts} aborts"
            );
        }
    }
}

/// A packet that is pushed and committed in one clock leaves in the next, and so each clock.
#[test]
fn one_piece_a_clock() {
    let library = library::<PieceQueue<5>>("piece_queue");
    let mut bench = Bench::new(&library, 1);
    for name in ["commit_kind", "abort_valid"] {
        bench.set(name, 0);
    }
    for name in ["push_valid", "commit_valid", "piece_ready"] {
        bench.set(name, 1);
    }
    for clock in 0..100 {
        bench.set("push_address", 0x1000 + clock);
        bench.set("push_length", 1 + clock);
        bench.settle();
        assert!(bench.is_set("ready"));
        assert_eq!(bench.is_set("piece_valid"), clock > 0);
        if clock > 0 {
            assert_eq!(
                (bench.get("address"), bench.get("length")),
                (0xFFF + clock, clock)
            );
            assert!(bench.is_set("last"));
        }
        bench.tick();
    }
}
