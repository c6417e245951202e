//! What finds room, what does not, and what the neighbour may send.
use super::rig::{blocks, packet, Rig};
use crate::bench::library;
use hca_rtl::link::ReceiveBuffer;
use hca_sim::verilated::Library;

/// Blocks of a data VL in `small`.
const QUOTA: u32 = 180;
/// Clocks after which FCCL is that of what came.
const SETTLED: usize = 8;

fn small() -> Library {
    library::<ReceiveBuffer<64, 8, 72, 12, 2>>("receive_buffer")
}

impl Rig {
    fn limits(&mut self) -> [u32; 2] {
        self.rest(SETTLED, false);
        [self.fccl(0), self.fccl(1)]
    }

    /// All packets that came out, once no more come.
    fn drained(&mut self) -> Vec<(Vec<u8>, bool, bool)> {
        self.rest(4000, true);
        let out = std::mem::take(&mut self.out);
        out.into_iter().map(|o| (o.bytes, o.bad, o.overran)).collect()
    }
}

fn good(bytes: &[u8]) -> (Vec<u8>, bool, bool) {
    (bytes.to_vec(), false, false)
}

/// CF452 and CF283: 66 + 66 + 48 blocks on a data VL, two SMPs on VL 15.
#[test]
fn a_packet_without_room_leaves_a_stub() {
    let mut rig = Rig::new(&small(), 64);
    assert_eq!(rig.limits(), [QUOTA, QUOTA]);
    // PktLen 1055 has 66 blocks, 767 has 48, 768 has 49 (link.md section 5).
    let (largest, fitting, over) = (packet(0, 1055), packet(0, 767), packet(0, 768));
    assert_eq!([&largest, &fitting, &over].map(|p| blocks(p)), [66, 48, 49]);
    let (smp, other) = (packet(15, 72), packet(1, 6));
    rig.send(&largest, false, false);
    rig.send(&largest, false, false);
    rig.send(&over, false, false);
    rig.send(&fitting, false, false);
    for _ in 0..3 {
        rig.send(&smp, false, false);
    }
    rig.send(&packet(0, 5), false, false);
    rig.send(&other, false, false);
    // 66 + 66 + 49 + 48 + 1 blocks came on VL 0, discarded ones too, and none is free.
    assert_eq!(rig.limits(), [230, QUOTA]);
    let stub = |vl: u8| (vec![vl << 4, 0, 0, 0], false, true);
    let expected = [
        good(&largest),
        good(&largest),
        stub(0),
        good(&fitting),
        good(&smp),
        good(&smp),
        stub(15),
        stub(0),
        good(&other),
    ];
    assert_eq!(rig.drained(), expected);
    assert_eq!(rig.limits(), [230 + QUOTA, 1 + QUOTA]);
    // The next packets are fine.
    rig.send(&largest, false, false);
    rig.send(&smp, false, false);
    assert_eq!(rig.drained(), [good(&largest), good(&smp)]);
    assert_eq!(rig.limits(), [230 + 66 + QUOTA, 1 + QUOTA]);
}

/// Room that comes while a packet without it still arrives is for the next.
#[test]
fn room_comes_too_late_within_a_packet() {
    let mut rig = Rig::new(&small(), 64);
    let (largest, fitting) = (packet(0, 1055), packet(0, 767));
    rig.send(&largest, false, false);
    rig.send(&largest, false, false);
    rig.send(&fitting, false, false);
    rig.send(&largest, false, true);
    rig.send(&fitting, false, true);
    let stub = (vec![0; 4], false, true);
    let expected = [
        good(&largest),
        good(&largest),
        good(&fitting),
        stub,
        good(&fitting),
    ];
    assert_eq!(rig.drained(), expected);
    assert_eq!(rig.limits(), [3 * 66 + 2 * 48 + QUOTA, QUOTA]);
}

/// A block of a packet is free before the whole packet has left, so that a long one makes room for the next.
#[test]
fn a_packet_gives_its_room_back_block_by_block() {
    let mut rig = Rig::new(&small(), 64);
    rig.send(&packet(0, 1055), false, false);
    assert_eq!(rig.limits(), [QUOTA, QUOTA]);
    for blocks in 1..66 {
        rig.rest(8, true);
        assert_eq!(rig.limits(), [QUOTA + blocks, QUOTA]);
    }
    assert_eq!(rig.drained(), [good(&packet(0, 1055))]);
    assert_eq!(rig.limits(), [QUOTA + 66, QUOTA]);
}

/// Rows of `link.md` section 5.
#[test]
fn packets_take_their_blocks() {
    let mut rig = Rig::new(&small(), 64);
    let rows = [
        (5, 1),
        (15, 1),
        (16, 2),
        (31, 2),
        (32, 3),
        (72, 5),
        (82, 6),
        (518, 33),
        (1032, 65),
        (1055, 66),
    ];
    let mut total = 0;
    for (words, blocks) in rows {
        rig.send(&packet(1, words), false, false);
        // What came is what was promised, so that the promise stands until it has left.
        assert_eq!(rig.limits(), [QUOTA, total + QUOTA], "PktLen {words}");
        total += blocks;
        assert_eq!(rig.drained(), [good(&packet(1, words))]);
        assert_eq!(rig.limits(), [QUOTA, total + QUOTA], "PktLen {words}");
    }
}

/// CF447, and what is not added to ABR: bad VCRC, bad end, bad length.
#[test]
fn what_is_lost_comes_back_with_the_next_link_packet() {
    let mut rig = Rig::new(&small(), 64);
    let sound = packet(0, 72);
    let mut flipped = sound.clone();
    flipped[100] ^= 4;
    let mut length = sound[..sound.len() - 2].to_vec();
    length[5] += 1;
    length.extend(super::crc::crc(&length));
    let lost: [(&[u8], bool); 4] = [
        (&flipped, false),
        (&sound, true),
        (&length, false),
        (&sound[..200], true),
    ];
    let mut sent = 0;
    for (bytes, bad) in lost {
        rig.send(bytes, bad, false);
        sent += blocks(&sound);
        let there = blocks(bytes);
        assert_eq!(rig.limits(), [sent - 5 + QUOTA - there, QUOTA]);
        rig.rest(100, true);
        assert_eq!(rig.limits(), [sent - 5 + QUOTA, QUOTA]);
        rig.tell(0, sent);
        assert_eq!(rig.limits(), [sent + QUOTA, QUOTA]);
        let out = rig.drained();
        assert_eq!(out, [(bytes.to_vec(), bad, false)]);
    }
    // FCTBS goes around, and another VL has its own.
    rig.tell(1, 4095);
    assert_eq!(rig.limits(), [sent + QUOTA, QUOTA - 1]);
    rig.send(&packet(1, 5), false, true);
    rig.rest(100, true);
    assert_eq!(rig.limits(), [sent + QUOTA, QUOTA]);
    // Entering Init clears them (section 1).
    rig.bench.set("down", 1);
    rig.rest(2, true);
    rig.bench.set("down", 0);
    assert_eq!(rig.limits(), [QUOTA, QUOTA]);
}

/// FCCL does not go back for a packet whose room was promised: the neighbour would wait for the next link packet.
#[test]
fn a_promise_stands_while_packets_come() {
    let mut rig = Rig::new(&small(), 64);
    rig.rest(SETTLED, false);
    let mut highest = QUOTA;
    for words in [5, 72, 5, 5, 1055] {
        let bytes = packet(0, words);
        let count = bytes.len().div_ceil(8);
        for (n, beat) in bytes.chunks(8).enumerate() {
            rig.clock(Some((beat, n + 1 == count, false)), true);
            let limit = rig.fccl(0);
            assert!(
                limit >= highest,
                "{highest} to {limit} at beat {n} of {words} words"
            );
            highest = limit;
        }
    }
    rig.rest(1000, true);
    assert_eq!(rig.limits()[0], QUOTA + 1 + 5 + 1 + 1 + 66);
}

/// A quarter of the buffer; less, down to 8 blocks, while a limit that leaves a packet of 66 blocks may follow one that
/// does not (link.md section 4.2).
#[test]
fn credits_for_a_largest_packet_are_due_sooner() {
    let mut rig = Rig::new(&small(), 64);
    assert_eq!(rig.limits(), [QUOTA, QUOTA]);
    assert_eq!([rig.step(0), rig.step(1)], [45, 45]);
    for (blocks, step) in [
        (70, 45),
        (71, 44),
        (88, 27),
        (106, 9),
        (107, 8),
        (114, 8),
        (115, 45),
        (132, 45),
    ] {
        rig.send(&packet(0, 1055), false, false);
        rig.send(&packet(0, 16 * (blocks - 66) - 1), false, false);
        rig.limits();
        assert_eq!(
            [rig.step(0), rig.step(1)],
            [step, 45],
            "{blocks} blocks are taken"
        );
        rig.drained();
    }
}

/// A link packet stands in the order of the packets before and behind it.
#[test]
fn link_packets_keep_their_place() {
    for gap in 0..6 {
        let mut rig = Rig::new(&small(), 64);
        // Two clocks from the beat of a link packet to here.
        let tell = |rig: &mut Rig| {
            rig.bench.set("credit_update_valid", 1);
            rig.bench.set("credit_update_vl", 0);
            rig.bench.set("credit_update_fctbs", 1000);
        };
        // A packet of one block, its last beat right before the link packet: its block is in FCTBS already.
        rig.send(&packet(0, 5), false, false);
        rig.rest(1 + gap, false);
        rig.rest(1, false);
        tell(&mut rig);
        rig.rest(1, false);
        rig.bench.set("credit_update_valid", 0);
        assert_eq!(rig.limits()[0], 1000 + QUOTA - 1, "gap {gap}");
        rig.drained();

        // And one whose last beat comes right behind the link packet.
        let mut rig = Rig::new(&small(), 64);
        let bytes = packet(0, 5);
        let beats: Vec<_> = bytes.chunks(8).collect();
        assert_eq!(beats.len(), 3);
        rig.rest(gap, false);
        for (n, beat) in beats.iter().enumerate() {
            // The link packet's beat would have been the clock before the first.
            if n == 1 {
                tell(&mut rig);
            }
            rig.clock(Some((beat, n == 2, false)), false);
            rig.bench.set("credit_update_valid", 0);
        }
        assert_eq!(rig.limits()[0], 1000 + QUOTA, "gap {gap}");
    }
}

#[test]
fn an_overlong_packet_is_a_runt() {
    let mut rig = Rig::new(&small(), 64);
    for (bytes, bad) in [
        (packet(0, 1072), false),
        (packet(15, 2000), false),
        (packet(1, 1072), true),
    ] {
        rig.send(&bytes, bad, false);
        rig.send(&packet(0, 5), false, false);
        let stub = (vec![bytes[0] & 0xF0, 0, 0, 0], bad, false);
        assert_eq!(rig.drained(), [stub, good(&packet(0, 5))]);
    }
    // One word of VL 15 that ends as bad is no stub, and gives its block back.
    for _ in 0..30 {
        rig.send(&[0xF0, 0, 0, 0], true, true);
        rig.rest(4, true);
    }
    rig.send(&packet(15, 72), false, true);
    let out = rig.drained();
    assert!(out[..30].iter().all(|o| *o == (vec![0xF0, 0, 0, 0], true, false)));
    assert_eq!(out[30..], [good(&packet(15, 72))]);
}

/// A VL that the port does not have comes through, to be dropped for it.
#[test]
fn another_vl_comes_through() {
    let mut rig = Rig::new(&small(), 64);
    let bytes = packet(9, 72);
    rig.send(&bytes, false, false);
    assert_eq!(rig.limits(), [QUOTA, QUOTA - 5]);
    assert_eq!(rig.drained(), [good(&bytes)]);
    assert_eq!(rig.limits(), [QUOTA, QUOTA]);
}

/// Packets that no one takes do not let the port forget how many came.
#[test]
fn stubs_wait_when_nothing_is_left() {
    let mut rig = Rig::new(&small(), 64);
    for vl in 0..2 {
        for words in [1055, 1055, 767] {
            rig.send(&packet(vl, words), false, false);
        }
    }
    rig.send(&packet(15, 72), false, false);
    rig.send(&packet(15, 72), false, false);
    let (mut came, mut waits) = (0, 0);
    while waits < 5 {
        let bytes = packet(0, 5);
        for (n, beat) in bytes.chunks(8).enumerate() {
            let mut taken = rig.clock(Some((beat, n == 2, false)), false);
            while !taken && waits < 5 {
                taken = rig.clock(Some((beat, n == 2, false)), false);
                waits += 1;
            }
            came += usize::from(taken && n == 2);
        }
        assert!(came < 2048, "it never waits");
    }
    assert!(came > 100, "{came} stubs");
    let out = rig.drained();
    assert_eq!(out[8..].len(), came);
    assert!(out[8..].iter().all(|o| *o == (vec![0; 4], false, true)));
}

/// Without flow control packets pass in the clock in which they come, and wait for what takes them.
#[test]
fn without_flow_control_packets_pass_by() {
    let mut rig = Rig::new(&small(), 64);
    rig.bench.set("flow_control", 0);
    rig.rest(2, false);
    for vl in [0, 1, 15, 0] {
        let bytes = packet(vl, 1055);
        let count = bytes.len().div_ceil(8);
        for (n, beat) in bytes.chunks(8).enumerate() {
            let beat = Some((beat, n + 1 == count, vl == 1));
            assert!(!rig.clock(beat, false));
            assert!(rig.clock(beat, true));
        }
        let out = rig.out.pop().expect("it has passed");
        assert_eq!((out.bytes, out.bad, out.overran), (bytes, vl == 1, false));
        assert_eq!(out.at + 1, rig.bench.cycle);
    }
}

/// It is turned on and off between packets, and none is lost, cut or overtaken.
#[test]
fn flow_control_comes_and_goes() {
    let mut rig = Rig::new(&small(), 64);
    let mut rng = fastrand::Rng::with_seed(0xF10);
    let mut sent = Vec::new();
    for _ in 0..2000 {
        let bytes = packet(rng.u8(..2), rng.u16(5..40));
        let count = bytes.len().div_ceil(8);
        for (n, beat) in bytes.chunks(8).enumerate() {
            loop {
                if rng.u8(..30) == 0 {
                    rig.bench.set("flow_control", rng.bool().into());
                }
                let offer = (rng.u8(..3) > 0).then_some((beat, n + 1 == count, false));
                if rig.clock(offer, rng.u8(..6) > 0) {
                    break;
                }
            }
        }
        sent.push(good(&bytes));
    }
    assert_eq!(rig.drained(), sent);
    rig.bench.set("flow_control", 1);
    assert_eq!(rig.limits().map(|limit| limit >= QUOTA), [true; 2]);
}
