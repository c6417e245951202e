//! Copies of own packets between those of the link.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::wire::Loopback;
use std::collections::VecDeque;

const LANES: usize = 8;

/// Data and byte enables of a beat.
fn beat(bytes: &[u8]) -> (u64, u64) {
    let data = bytes
        .iter()
        .rev()
        .fold(0, |data, byte| data << 8 | u64::from(*byte));
    (data, (1 << bytes.len()) - 1)
}

fn packet(rng: &mut Rng, longest: usize) -> Vec<u8> {
    (0..rng.usize(1..=longest)).map(|_| rng.u8(..)).collect()
}

#[test]
fn both_streams_come_through_whole_and_in_order() {
    let mut bench = Bench::new(&library::<Loopback<64, 8, 10>>("loopback"), 1);
    let mut rng = Rng::with_seed(0x100B);
    for input in ["s_axis_tvalid", "copy_valid", "m_axis_tready"] {
        bench.set(input, 0);
    }
    // Sent and not yet out, of the link and of the port itself.
    let mut due: [VecDeque<Vec<u8>>; 2] = Default::default();
    let (mut arriving, mut at, mut offered) = (packet(&mut rng, 300), 0, false);
    // An own packet that is being handed to the link, and how far.
    let mut leaving: Option<(Vec<u8>, usize)> = None;
    let mut out: (Vec<u8>, Option<bool>) = (Vec::new(), None);
    let mut whole = [0, 0];
    for clock in 0..60_000 {
        // The link is quiet at times, and so is the receiver.
        offered |= clock % 8000 < 6000 && rng.u8(..4) > 0;
        let end = arriving.len().min(at + LANES);
        let (data, keep) = beat(&arriving[at..end]);
        bench.set("s_axis_tvalid", offered.into());
        bench.set("s_axis_tdata", data);
        bench.set("s_axis_tkeep", keep);
        bench.set("s_axis_tlast", (end == arriving.len()).into());
        // One at a time, the next after the former is through.
        if leaving.is_none() && due[1].is_empty() && rng.u8(..50) == 0 {
            let longest = if rng.u8(..4) == 0 { 4222 } else { 60 };
            leaving = Some((packet(&mut rng, longest), 0));
        }
        let hands = leaving.is_some() && rng.u8(..3) > 0;
        bench.set("copy_valid", hands.into());
        if let Some((bytes, from)) = leaving.as_mut().filter(|_| hands) {
            let to = bytes.len().min(*from + LANES);
            let (data, keep) = beat(&bytes[*from..to]);
            bench.set("copy_data", data);
            bench.set("copy_keep", keep);
            bench.set("copy_last", (to == bytes.len()).into());
            *from = to;
        }
        bench.set("m_axis_tready", (rng.u8(..5) > 0).into());
        bench.settle();
        if bench.is_set("s_axis_tready") && offered {
            (at, offered) = (end, false);
            if at == arriving.len() {
                due[0].push_back(arriving);
                (arriving, at) = (packet(&mut rng, 300), 0);
            }
        }
        if bench.is_set("m_axis_tvalid") && bench.is_set("m_axis_tready") {
            let own = bench.is_set("own");
            assert!(out.1.is_none_or(|was| was == own), "one packet in another");
            let last = bench.is_set("m_axis_tlast");
            let data = bench.get("m_axis_tdata").to_le_bytes();
            let count = if last {
                bench.get("m_axis_tkeep").count_ones() as usize
            } else {
                LANES
            };
            out.0.extend(&data[..count]);
            out.1 = Some(own);
            if last {
                let expected = due[usize::from(own)].pop_front();
                assert_eq!(expected.as_ref(), Some(&out.0), "own: {own}");
                whole[usize::from(own)] += 1;
                out = (Vec::new(), None);
            }
        }
        bench.tick();
        if let Some((bytes, _)) = leaving.take_if(|(bytes, from)| *from == bytes.len()) {
            due[1].push_back(bytes);
        }
    }
    assert!(whole[0] > 500 && whole[1] > 100, "{whole:?}");
}
