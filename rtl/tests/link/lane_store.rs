//! The beats of each VL come out as they went in.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::link::LaneStore;
use hca_sim::verilated::Library;
use std::collections::VecDeque;

/// Bytes of a beat, and whether it is the last of its packet.
type Beat = (Vec<u8>, bool);

/// A packet of so many bytes, in beats.
fn packet(rng: &mut Rng, vl: u8, bytes: usize, lanes: usize) -> VecDeque<Beat> {
    let mut all: Vec<u8> = std::iter::repeat_with(|| rng.u8(..)).take(bytes).collect();
    all[0] = vl << 4 | all[0] & 15;
    let count = bytes.div_ceil(lanes);
    let beats = all.chunks(lanes).enumerate();
    beats.map(|(n, beat)| (beat.to_vec(), n + 1 == count)).collect()
}

fn keeps_each_vl_in_order(library: &Library, lanes: usize, vls: u8, beats_of_a_vl: usize) {
    let mut bench = Bench::new(library, 1);
    bench.set("discards", 0);
    let mut rng = Rng::with_seed(77);
    let mut kept: Vec<VecDeque<Beat>> = vec![VecDeque::new(); 16];
    let mut coming: VecDeque<Beat> = VecDeque::new();
    let mut vl = 0;
    let (mut came, mut waited, mut most) = (0, 0, 0);
    // Some VLs are not read for a while.
    let mut shut = 0_u16;
    while came < 20_000 {
        if rng.u16(..400) == 0 {
            shut = rng.u16(..);
        }
        if coming.is_empty() {
            vl = if rng.u8(..8) == 0 { 15 } else { rng.u8(..vls) };
            let longest = if vl == 15 { 290 } else { 1_000 };
            let bytes = 4 * rng.usize(6..longest / 4) + 2;
            coming = packet(&mut rng, vl, bytes, lanes);
        }
        let offers = rng.u8(..8) > 0;
        bench.set("s_axis_tvalid", offers.into());
        let (bytes, last) = coming[0].clone();
        let mut beat = bytes.clone();
        beat.resize(lanes, 0x5A);
        bench.set_bytes("s_axis_tdata", &beat);
        bench.set("s_axis_tkeep", (1u128 << bytes.len()).wrapping_sub(1) as u64);
        bench.set("s_axis_tlast", last.into());
        let out = match rng.u8(..=vls) {
            vl if vl == vls => 15,
            vl => vl,
        };
        bench.set("vl", out.into());
        let ready = shut >> out & 1 == 0;
        bench.set("m_axis_tready", ready.into());
        bench.settle();
        let stands = bench.get("stands");
        for (vl, kept) in kept.iter().enumerate() {
            assert!(!kept.is_empty() || stands >> vl & 1 == 0, "VL {vl} is empty");
        }
        assert_eq!(stands >> out & 1 == 1, bench.is_set("m_axis_tvalid"));
        let ends = bench.get("ends");
        for (vl, kept) in kept.iter().enumerate().take(usize::from(vls)) {
            let is_last = stands >> vl & 1 == 1 && kept[0].1;
            assert!(stands >> vl & 1 == 0 || ends >> vl & 1 == u64::from(is_last));
        }
        // Some beats are discarded, of any VLs at once.
        let discards = match rng.u8(..16) {
            0 => rng.u64(..1 << vls),
            _ => 0,
        };
        bench.set("discards", discards);
        for vl in (0..vls).filter(|vl| (discards & stands & !(1 << out)) >> vl & 1 == 1) {
            kept[usize::from(vl)].pop_front();
        }
        let is_discarded = discards >> out & stands >> out & 1 == 1;
        bench.settle();
        if is_discarded && !(bench.is_set("m_axis_tvalid") && ready) {
            kept[usize::from(out)].pop_front();
        }
        if bench.is_set("m_axis_tvalid") && ready {
            let (bytes, last) = kept[usize::from(out)].pop_front().expect("it is not empty");
            let count = bench.get("m_axis_tkeep").count_ones() as usize;
            assert_eq!(bench.is_set("m_axis_tlast"), last);
            assert_eq!(bench.bytes("m_axis_tdata")[..count], bytes);
        }
        if offers && bench.is_set("s_axis_tready") {
            kept[usize::from(vl)].extend(coming.pop_front());
            came += 1;
            waited = 0;
        } else if offers {
            // Only a queue that is full does not take it.
            let room = if vl == 15 { 128 } else { beats_of_a_vl };
            most = most.max(kept[usize::from(vl)].len());
            assert!(kept[usize::from(vl)].len() >= room, "VL {vl} has room");
            waited += 1;
            if waited > 2_000 {
                shut = 0;
            }
        }
        bench.tick();
    }
    assert!(most >= beats_of_a_vl, "no data VL was full");
}

#[test]
fn two_vls_of_64_bits() {
    let library = library::<LaneStore<64, 8, 72, 10, 2>>("lane_store");
    keeps_each_vl_in_order(&library, 8, 2, 1024);
}

#[test]
fn eight_vls_of_512_bits() {
    let library = library::<LaneStore<512, 64, 520, 9, 8>>("lane_store_of_8");
    keeps_each_vl_in_order(&library, 64, 8, 512);
}
