//! Link packets leave the stream whatever the rest of it waits for.
use super::crc::link_packet;
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::link::FlowControlTake;
use std::collections::VecDeque;

const LANES: usize = 8;

/// Fields of the link packet that was taken in a clock: whether Op is 1, VL, FCTBS, FCCL. `None`: it had an error.
type Credit = Option<(bool, u64, u64, u64)>;

struct Take {
    bench: Bench,
    /// By clock.
    out: Vec<(u64, Credit)>,
    passed: Vec<Vec<u8>>,
    current: Vec<u8>,
}

impl Take {
    fn new() -> Take {
        let mut bench = Bench::new(&library::<FlowControlTake<64, 8, 2>>("flow_control_take"), 1);
        for (input, value) in [("s_axis_tvalid", 0), ("looks", 1), ("armed", 1), ("data_vls", 2)] {
            bench.set(input, value);
        }
        Take {
            bench,
            out: Vec::new(),
            passed: Vec::new(),
            current: Vec::new(),
        }
    }

    /// A clock; whether the beat is taken.
    fn clock(&mut self, beat: Option<(&[u8], bool, bool)>, ready: bool) -> bool {
        self.bench.set("s_axis_tvalid", beat.is_some().into());
        if let Some((bytes, last, is_link)) = beat {
            let data = bytes
                .iter()
                .rev()
                .fold(0, |data, byte| data << 8 | u64::from(*byte));
            self.bench.set("s_axis_tdata", data);
            self.bench.set("s_axis_tkeep", (1u64 << bytes.len()) - 1);
            self.bench.set("s_axis_tlast", last.into());
            self.bench.set("is_link", is_link.into());
        }
        self.bench.set("m_axis_tready", ready.into());
        self.bench.settle();
        let at = self.bench.cycle;
        if self.bench.is_set("taken_valid") {
            let [vl, fctbs, fccl] =
                ["taken_vl", "taken_fctbs", "taken_fccl"].map(|name| self.bench.get(name));
            let initialises = self.bench.is_set("taken_initialises");
            self.out.push((at, Some((initialises, vl, fctbs, fccl))));
        }
        if self.bench.is_set("faulty") {
            self.out.push((at, None));
        }
        if self.bench.is_set("m_axis_tvalid") && ready {
            let count = self.bench.get("m_axis_tkeep").count_ones() as usize;
            let data = self.bench.get("m_axis_tdata").to_le_bytes();
            self.current.extend(&data[..count]);
            if self.bench.is_set("m_axis_tlast") {
                self.passed.push(std::mem::take(&mut self.current));
            }
        }
        let taken = beat.is_some() && self.bench.is_set("s_axis_tready");
        self.bench.tick();
        taken
    }
}

#[test]
fn two_clocks_later_it_says_what_came() {
    let mut take = Take::new();
    let initial = link_packet(1, 0, 0, 64);
    let normal = link_packet(0, 0x123, 1, 0x456);
    let long = [normal.clone(), vec![0; 4]].concat();
    let start = take.bench.cycle;
    // One behind the other, while nothing else may leave.
    assert!(take.clock(Some((&initial, true, true)), false));
    assert!(take.clock(Some((&normal, true, true)), false));
    // A byte too short, a byte too long, a beat too long, and VL 2.
    assert!(take.clock(Some((&normal[..5], true, true)), false));
    assert!(take.clock(Some((&long[..7], true, true)), false));
    assert!(take.clock(Some((&long[..8], false, true)), false));
    assert!(take.clock(Some((&long[..6], true, true)), false));
    assert!(take.clock(Some((&link_packet(0, 1, 2, 3), true, true)), false));
    assert!(take.clock(Some((&normal, true, true)), false));
    assert!(!take.clock(Some((&normal, true, false)), false));
    assert!(take.clock(Some((&normal, true, false)), true));
    for _ in 0..4 {
        take.clock(None, true);
    }
    let out: Vec<_> = take
        .out
        .iter()
        .map(|(at, credit)| (at - start, *credit))
        .collect();
    let said = Some((false, 1, 0x123, 0x456));
    let expected = [
        (2, Some((true, 0, 0, 64))),
        (3, said),
        (4, None),
        (5, None),
        (7, None),
        (8, None),
        (9, said),
    ];
    assert_eq!(out, expected);
    assert_eq!(take.passed, [normal]);
}

#[test]
fn packets_between_them_pass_whole() {
    let mut take = Take::new();
    let mut rng = Rng::with_seed(0xFC);
    let (mut data, mut credits) = (Vec::new(), Vec::new());
    for _ in 0..3000 {
        let is_link = rng.bool();
        let bytes: Vec<u8> = if is_link {
            let (op, vl) = (rng.u8(..2), rng.u8(..2));
            let (fctbs, fccl) = (rng.u16(..4096), rng.u16(..4096));
            credits.push(Some((op == 1, vl.into(), fctbs.into(), fccl.into())));
            link_packet(op, fctbs, vl, fccl)
        } else {
            let bytes: Vec<u8> = (0..rng.usize(1..60)).map(|_| rng.u8(..)).collect();
            data.push(bytes.clone());
            bytes
        };
        let mut beats: VecDeque<&[u8]> = bytes.chunks(LANES).collect();
        while let Some(beat) = beats.front() {
            let offers = rng.u8(..4) > 0;
            let offer = offers.then_some((*beat, beats.len() == 1, is_link));
            let ready = rng.u8(..3) > 0;
            let taken = take.clock(offer, ready);
            assert_eq!(taken, offers && (ready || is_link));
            if taken {
                beats.pop_front();
            }
        }
    }
    for _ in 0..4 {
        take.clock(None, true);
    }
    let out: Vec<_> = take.out.iter().map(|out| out.1).collect();
    assert_eq!(out, credits);
    assert_eq!(take.passed, data);
}
