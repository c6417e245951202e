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
                if bench.is_set("command_ready") {
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
            bench.set("command_close", 0);
            bench.set("command_commit", commit.into());
            bench.set("command_kind", kind);
            bench.set("command_abort", abort.into());
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
                    (
                        bench.get("piece_length"),
                        bench.get("piece_kind"),
                        bench.is_set("piece_last")
                    ),
                    (length, kind, last)
                );
                if length != 0 {
                    assert_eq!(bench.get("piece_address"), address);
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

/// Up to four packets are closed before the first is committed; an abort removes them all.
#[test]
fn closed_packets_wait_for_their_commits() {
    let library = library::<PieceQueue<5>>("piece_queue");
    let mut rng = Rng::with_seed(0x51F);
    let mut bench = Bench::new(&library, 1);
    let (mut expected, mut closed, mut open) = (VecDeque::new(), VecDeque::new(), Vec::new());
    let (mut packets, mut aborts, mut most) = (0, 0, 0);
    for clock in 0..40_000 {
        bench.set("piece_ready", u64::from(rng.u8(..4) != 0));
        bench.settle();
        // Packets of two pieces at most: 17 places are room for four.
        let push = open.len() < 2 && rng.bool() && (!open.is_empty() || bench.is_set("command_ready"));
        let piece = (rng.u64(..), rng.u64(1..=4096));
        open.extend(push.then_some(piece));
        let close =
            closed.len() < 4 && (!open.is_empty() || bench.is_set("command_ready")) && rng.u8(..3) == 0;
        if close {
            closed.push_back(std::mem::take(&mut open));
        }
        let commit = !closed.is_empty() && rng.u8(..3) == 0;
        let abort = !commit && rng.u8(..60) == 0;
        most = most.max(closed.len());
        let kind = rng.u64(..2);
        bench.set("push_valid", push.into());
        bench.set("push_address", piece.0);
        bench.set("push_length", piece.1);
        bench.set("command_close", close.into());
        bench.set("command_commit", commit.into());
        bench.set("command_kind", kind);
        bench.set("command_abort", abort.into());
        bench.settle();
        assert_eq!(bench.is_set("piece_valid"), !expected.is_empty(), "clock {clock}");
        if let Some(&(address, length, kind, last)) = expected.front() {
            let seen = (
                bench.get("piece_length"),
                bench.get("piece_kind"),
                bench.is_set("piece_last"),
            );
            assert_eq!(seen, (length, kind, last), "clock {clock}");
            assert!(
                length == 0 || bench.get("piece_address") == address,
                "clock {clock}"
            );
            if bench.is_set("piece_ready") {
                expected.pop_front();
            }
        }
        if commit {
            expected.extend(entries(&closed.pop_front().expect("one is closed"), kind));
            packets += 1;
        }
        if abort {
            closed.clear();
            open.clear();
            aborts += 1;
        }
        bench.tick();
    }
    assert!(
        packets > 5000 && aborts > 300 && most == 4,
        "{packets}, {aborts}, {most}"
    );
}

/// Where `command_ready` is high for the last time, 17 pieces may begin, and the walk before them brings four more.
#[test]
fn a_queue_of_64_has_room_for_two_walks() {
    let library = library::<PieceQueue<6>>("piece_queue_64");
    let mut bench = Bench::new(&library, 1);
    for name in ["command_kind", "command_abort", "command_commit", "piece_ready"] {
        bench.set(name, 0);
    }
    bench.set("push_length", 64);
    let (mut number, mut left, mut sizes) = (0, None, Vec::new());
    let mut size = 0;
    while left != Some(0) {
        bench.settle();
        if left.is_none() && !bench.is_set("command_ready") {
            // It was high in the clock before, whose piece is the first of these.
            left = Some(4 + 16);
        }
        left = left.map(|left| left - 1);
        assert!(number < 63, "there is no room for piece {number}");
        size += 1;
        let closes = size == 16 || left == Some(0);
        bench.set("push_valid", 1);
        bench.set("push_address", 0x1000 + number);
        bench.set("command_close", closes.into());
        if closes {
            sizes.push(size);
            size = 0;
        }
        number += 1;
        bench.tick();
    }
    bench.set("push_valid", 0);
    bench.set("command_close", 0);
    for _ in &sizes {
        bench.set("command_commit", 1);
        bench.settle();
        bench.tick();
    }
    bench.set("command_commit", 0);
    bench.set("piece_ready", 1);
    for piece in 0..number {
        bench.settle();
        assert!(bench.is_set("piece_valid"), "piece {piece} is lost");
        assert_eq!(bench.get("piece_address"), 0x1000 + piece);
        bench.tick();
    }
    bench.settle();
    assert!(!bench.is_set("piece_valid") && number > 55, "{number} pieces");
}

/// A packet that is pushed and committed in one clock leaves in the next, and so each clock.
#[test]
fn one_piece_a_clock() {
    let library = library::<PieceQueue<5>>("piece_queue");
    let mut bench = Bench::new(&library, 1);
    for name in ["command_kind", "command_abort", "command_close"] {
        bench.set(name, 0);
    }
    for name in ["push_valid", "command_commit", "piece_ready"] {
        bench.set(name, 1);
    }
    for clock in 0..100 {
        bench.set("push_address", 0x1000 + clock);
        bench.set("push_length", 1 + clock);
        bench.settle();
        assert!(bench.is_set("command_ready"));
        assert_eq!(bench.is_set("piece_valid"), clock > 0);
        if clock > 0 {
            assert_eq!(
                (bench.get("piece_address"), bench.get("piece_length")),
                (0xFFF + clock, clock)
            );
            assert!(bench.is_set("piece_last"));
        }
        bench.tick();
    }
}
