//! Link packets between packets: each is one beat, none is inside a packet, and offers stand.
use crate::bench::{library, Bench};
use hca_rtl::link::LinkInsert;
use std::collections::VecDeque;

const PACKET: u64 = 0x0123_3456_D19F;
/// Its bytes in the lanes of a beat.
const BEAT: u64 = 0x9FD1_5634_2301;

fn fresh() -> Bench {
    let mut bench = Bench::new(&library::<LinkInsert<64, 8>>("link_insert"), 1);
    for input in ["s_axis_tvalid", "urgent", "hold", "packet_valid"] {
        bench.set(input, 0);
    }
    bench.set("packet", PACKET);
    bench.set("m_axis_tready", 1);
    bench
}

/// What the link takes in this clock: `None`, the link packet or the data.
fn clock(bench: &mut Bench) -> Option<(bool, u64)> {
    bench.settle();
    let link = bench.is_set("m_axis_tuser");
    assert_eq!(link, bench.is_set("packet_offered"));
    let taken = bench.is_set("m_axis_tvalid") && bench.is_set("m_axis_tready");
    assert_eq!(bench.is_set("packet_taken"), taken && link);
    assert_eq!(bench.is_set("taken"), taken && !link);
    let beat = (link, bench.get("m_axis_tdata"));
    if link {
        assert_eq!(bench.get("m_axis_tkeep"), 0x3F);
        assert!(bench.is_set("m_axis_tlast") && bench.is_set("m_axis_tvalid"));
    }
    bench.tick();
    taken.then_some(beat)
}

fn data(bench: &mut Bench, data: u64, last: bool, urgent: bool) {
    bench.set("s_axis_tvalid", 1);
    bench.set("s_axis_tdata", data);
    bench.set("s_axis_tkeep", 0xFF);
    bench.set("s_axis_tlast", last.into());
    bench.set("urgent", urgent.into());
}

/// CF451.
#[test]
fn a_link_packet_goes_after_an_urgent_packet_and_before_others() {
    let mut bench = fresh();
    data(&mut bench, 1, false, false);
    assert_eq!(clock(&mut bench), Some((false, 1)));
    bench.set("hold", 1);
    bench.set("packet_valid", 1);
    // In a packet, with and without a beat.
    bench.set("s_axis_tvalid", 0);
    assert_eq!(clock(&mut bench), None);
    data(&mut bench, 2, true, false);
    assert_eq!(clock(&mut bench), Some((false, 2)));
    // Two urgent packets, the latter of two beats.
    data(&mut bench, 3, true, true);
    assert_eq!(clock(&mut bench), Some((false, 3)));
    data(&mut bench, 4, false, true);
    assert_eq!(clock(&mut bench), Some((false, 4)));
    data(&mut bench, 5, true, false);
    assert_eq!(clock(&mut bench), Some((false, 5)));
    data(&mut bench, 6, true, false);
    assert_eq!(clock(&mut bench), Some((true, BEAT)));
    bench.set("packet_valid", 0);
    assert_eq!(clock(&mut bench), None, "it is held");
    bench.set("hold", 0);
    assert_eq!(clock(&mut bench), Some((false, 6)));
}

#[test]
fn an_offer_stands() {
    let mut bench = fresh();
    bench.set("m_axis_tready", 0);
    data(&mut bench, 7, true, false);
    assert_eq!(clock(&mut bench), None);
    bench.set("hold", 1);
    bench.set("packet_valid", 1);
    assert_eq!(clock(&mut bench), None);
    bench.set("m_axis_tready", 1);
    assert_eq!(clock(&mut bench), Some((false, 7)));
    // The link packet stands though an urgent packet comes, and though it is withdrawn.
    bench.set("s_axis_tvalid", 0);
    bench.set("m_axis_tready", 0);
    assert_eq!(clock(&mut bench), None);
    data(&mut bench, 8, true, true);
    bench.set("packet_valid", 0);
    assert_eq!(clock(&mut bench), None);
    bench.set("m_axis_tready", 1);
    assert_eq!(clock(&mut bench), Some((true, BEAT)));
    assert_eq!(clock(&mut bench), Some((false, 8)));
}

#[test]
fn nothing_is_lost_or_doubled() {
    let mut bench = fresh();
    let mut rng = fastrand::Rng::with_seed(451);
    let mut expected = VecDeque::new();
    let (mut left, mut offered, mut open, mut links) = (0, false, false, 0);
    let mut waits: Option<(u64, bool)> = None;
    for n in 0..50_000 {
        if left == 0 {
            left = rng.u64(1..5);
            open = false;
        }
        if !offered && rng.u8(..4) > 0 {
            offered = true;
            data(&mut bench, n, left == 1, !open && rng.u8(..4) == 0);
        } else if !offered {
            bench.set("s_axis_tvalid", 0);
        }
        bench.set("hold", (rng.u8(..4) == 0).into());
        bench.set("packet_valid", (rng.u8(..4) == 0).into());
        let ready = rng.u8(..4) > 0;
        bench.set("m_axis_tready", ready.into());
        bench.settle();
        if offered && bench.is_set("s_axis_tready") {
            expected.push_back(bench.get("s_axis_tdata"));
        }
        let moved = offered && bench.is_set("s_axis_tready");
        let valid = bench.is_set("m_axis_tvalid");
        let beat = (bench.get("m_axis_tdata"), bench.is_set("m_axis_tuser"));
        if let Some(before) = waits {
            assert_eq!((valid, beat), (true, before), "clock {n}");
        }
        waits = (valid && !ready).then_some(beat);
        match clock(&mut bench) {
            Some((true, _)) => {
                assert!(!open, "clock {n}: inside a packet");
                links += 1;
            }
            Some((false, beat)) => assert_eq!(Some(beat), expected.pop_front()),
            None => {}
        }
        if moved {
            offered = false;
            open = true;
            left -= 1;
        }
    }
    assert!(links > 2_000 && expected.is_empty(), "{links}");
}
