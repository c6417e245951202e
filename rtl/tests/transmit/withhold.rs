//! Packets that the state of the port lets leave, and others, which leave nothing but their end.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::transmit::Withhold;
use std::collections::VecDeque;

/// In Down, Init and Armed, and Active: SMPs and data are sent.
const STATES: [[bool; 2]; 3] = [[false, false], [true, false], [true, true]];

fn library_of_withhold() -> hca_sim::verilated::Library {
    library::<Withhold<64, 8>>("withhold")
}

fn idle(bench: &mut Bench) {
    for input in [
        "departed_valid", "starts", "flow_control", "too_long", "s_axis_tvalid", "s_axis_tlast",
        "m_axis_tready",
    ] {
        bench.set(input, 0);
    }
}

/// A packet with a VL to leave on departs, then its two beats come; whether they reached the link, and the clocks that
/// they took.
fn passes(bench: &mut Bench, [management, data]: [bool; 2], vl: u64, link_ready: bool) -> (bool, u32) {
    bench.set("sends_management", management.into());
    bench.set("sends_data", data.into());
    bench.set("management", (vl == 15).into());
    bench.set("unusable", 0);
    bench.set("departed_valid", 1);
    bench.settle();
    bench.tick();
    // It is judged by the state of that clock.
    for port in ["departed_valid", "sends_management", "sends_data"] {
        bench.set(port, 0);
    }
    bench.set("m_axis_tready", link_ready.into());
    bench.set("starts", 1);
    bench.settle();
    let discarded = bench.is_set("discarded");
    assert_eq!(bench.is_set("verdict"), discarded);
    bench.tick();
    bench.set("starts", 0);
    let (mut reached, mut clocks) = (0, 0);
    for last in [0, 1] {
        bench.set("s_axis_tvalid", 1);
        bench.set("s_axis_tlast", last);
        bench.set("s_axis_tdata", 0x1234);
        loop {
            bench.settle();
            let ready = bench.is_set("s_axis_tready");
            assert_eq!(bench.is_set("withholds"), discarded);
            reached += u32::from(bench.is_set("m_axis_tvalid") && link_ready);
            clocks += 1;
            bench.tick();
            if ready {
                break;
            }
            assert!(clocks < 10, "it is stuck");
        }
    }
    idle(bench);
    bench.settle();
    assert!(!bench.is_set("withholds"));
    assert_eq!(reached, if discarded { 0 } else { 2 });
    (reached > 0, clocks)
}

/// CF429 to CF431.
#[test]
fn each_state_lets_out_what_it_may() {
    let mut bench = Bench::new(&library_of_withhold(), 1);
    idle(&mut bench);
    let expected = [[false, false], [true, false], [true, true]];
    for (state, [smp, data]) in STATES.into_iter().zip(expected) {
        assert_eq!(passes(&mut bench, state, 15, true), (smp, 2));
        assert_eq!(passes(&mut bench, state, 0, true), (data, 2));
        assert_eq!(passes(&mut bench, state, 14, true), (data, 2));
    }
    // The link keeps nobody waiting whose packet it does not get.
    assert_eq!(passes(&mut bench, STATES[1], 0, false), (false, 2));
}

/// CF455: as in a state that sends no data, whatever the state is.
#[test]
fn a_packet_without_a_vl_is_discarded() {
    let mut bench = Bench::new(&library_of_withhold(), 3);
    idle(&mut bench);
    for state in STATES {
        for (unusable, management) in [(1, 0), (0, 0), (0, 1)] {
            bench.set("sends_management", state[0].into());
            bench.set("sends_data", state[1].into());
            bench.set("management", management);
            bench.set("unusable", unusable);
            bench.set("departed_valid", 1);
            bench.settle();
            bench.tick();
            bench.set("departed_valid", 0);
            bench.set("starts", 1);
            bench.settle();
            let discarded = bench.is_set("discarded");
            bench.tick();
            bench.set("starts", 0);
            bench.set("s_axis_tvalid", 1);
            bench.set("s_axis_tlast", 1);
            bench.settle();
            let sent = [[0, 0, 0], [0, 0, 1], [0, 1, 1]];
            let row = STATES
                .iter()
                .position(|other| *other == state)
                .expect("it is one");
            let column = if unusable == 1 { 0 } else { 1 + management as usize };
            let expected = sent[row][column] == 1;
            assert_eq!(
                bench.is_set("m_axis_tvalid"),
                expected,
                "{state:?} {unusable} {management}"
            );
            assert_eq!(discarded, !expected);
            bench.set("m_axis_tready", 1);
            bench.settle();
            bench.tick();
            idle(&mut bench);
            bench.settle();
        }
    }
}

/// `link.md` section 13: on any VL, and it alone.
#[test]
fn a_packet_of_more_than_the_active_mtu_is_discarded() {
    let mut bench = Bench::new(&library_of_withhold(), 4);
    idle(&mut bench);
    for vl in [0, 15] {
        bench.set("too_long", 1);
        assert_eq!(passes(&mut bench, STATES[2], vl, true), (false, 2));
        assert_eq!(passes(&mut bench, STATES[2], vl, true), (true, 2));
    }
}

/// Packets of many kinds under way at once, each by the state in which it departed.
#[test]
fn the_state_of_the_departure_counts() {
    let mut bench = Bench::new(&library_of_withhold(), 2);
    idle(&mut bench);
    let mut rng = Rng::with_seed(0x417);
    // Packets on their way: beats, and whether they reach the link.
    let mut way: VecDeque<(Vec<u64>, bool)> = VecDeque::new();
    let mut expected: VecDeque<(u64, bool)> = VecDeque::new();
    let (mut sent, mut offered, mut withheld, mut counted) = (0, false, 0, 0);
    // Whether the packet that has departed leaves, until it starts, and whether it is one on a data VL.
    let mut departed: Option<bool> = None;
    let mut is_data = false;
    let mut flow_control = false;
    for _ in 0..20_000 {
        let state = STATES[rng.usize(..3)];
        flow_control ^= rng.u8(..64) == 0;
        let vl = [0, 15][rng.usize(..2)];
        let unusable = vl == 0 && rng.u8(..4) == 0;
        let starts = departed.is_some() && rng.bool();
        let departs = way.len() < 30 && departed.is_none() && rng.u8(..2) == 0;
        bench.set("starts", starts.into());
        bench.set("flow_control", flow_control.into());
        bench.set("sends_management", state[0].into());
        bench.set("sends_data", state[1].into());
        bench.set("management", (vl == 15).into());
        bench.set("unusable", unusable.into());
        bench.set("departed_valid", departs.into());
        offered |= !way.is_empty() && rng.bool();
        if let Some((beats, _)) = way.front().filter(|_| offered) {
            bench.set("s_axis_tdata", beats[sent]);
            bench.set("s_axis_tkeep", 0xFF);
            bench.set("s_axis_tlast", (sent + 1 == beats.len()).into());
        }
        bench.set("s_axis_tvalid", offered.into());
        bench.set("m_axis_tready", (rng.u8(..3) > 0).into());
        bench.settle();
        counted += u32::from(bench.is_set("discarded"));
        if bench.is_set("m_axis_tvalid") && bench.is_set("m_axis_tready") {
            let beat = (bench.get("m_axis_tdata"), bench.is_set("m_axis_tlast"));
            assert_eq!(Some(beat), expected.pop_front());
        }
        if offered && bench.is_set("s_axis_tready") {
            offered = false;
            sent += 1;
            if sent == way[0].0.len() {
                way.pop_front();
                sent = 0;
            }
        }
        if let Some(leaves) = departed.take_if(|_| starts) {
            let beats: Vec<u64> = (0..rng.usize(1..5)).map(|_| rng.u64(..)).collect();
            if leaves {
                let last = beats.len() - 1;
                expected.extend(beats.iter().enumerate().map(|(n, beat)| (*beat, n == last)));
            }
            withheld += u32::from(!leaves);
            way.push_back((beats, leaves));
        }
        // Without flow control only the state of the departure counts.
        if let Some(leaves) = departed.as_mut().filter(|_| flow_control && !state[1] && is_data) {
            *leaves = false;
        }
        if departs {
            departed = Some((state[1] && !unusable) || (state[0] && vl == 15));
            is_data = vl != 15;
        }
        bench.tick();
    }
    assert!(withheld > 500, "{withheld} packets");
    // The last ones have departed, and not started, or are counted in the next clock.
    assert!(counted.abs_diff(withheld) <= 1, "{counted} of {withheld}");
}
