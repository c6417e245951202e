//! CF220 to CF223, CF326 to CF329, CF332, CF333: where a datagram goes, and what its receive WQE must hold (`ud.md`
//! sections 3.1 and 3.2).
use super::{packet, success, AREA};
use crate::bench::responder::message;
use crate::bench::{on_both, Bench, BUFFER, PEER_QPN, UNTOUCHED};
use crate::wire_bench::bytes;
use hca_golden::event::DropReason;
use hca_golden::port::PortConfig;
use hca_golden::verbs::{CompletedOperation, DatagramSource, QpState, Sge, Status};
use hca_golden::wire::grh::Grh;
use hca_golden::wire::packet::{Packet, Route};
use hca_testbench::scenario::region::L_KEY;

on_both!(behind super::with_gid();
    cf220_cf222_cf327_without_grh_the_first_bytes_stay,
    cf220_cf221_cf328_with_grh_they_are_its_bytes,
    cf326_no_bytes_at_all,
    cf327_bytes_that_are_skipped_need_no_key,
    cf329_grh_and_payload_span_the_list,
    cf329_each_datagram_has_the_list_of_its_own_receive_wqe,
    cf332_a_bad_key_of_the_payload_ends_the_queue_pair,
    cf332_a_bad_key_of_the_grh_ends_the_queue_pair,
    cf223_cf333_a_buffer_that_is_too_small_takes_the_next,
    cf222_a_datagram_of_the_mtu,
);

const BAD_KEY: u32 = 0x7777_7777;
/// The 40 bytes of [`with_grh`] of 5 bytes.
const GRH: &str = "65aabcde001c1b3f fe800000000000000002c90300000001 fe800000000000000002c90300000002";

fn with_gid() -> PortConfig {
    super::routes::with_gid()
}

/// From another subnet, or from this one.
fn with_grh(mut packet: Packet) -> Packet {
    let gid = |last| [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xC9, 3, 0, 0, 0, last];
    let grh = Grh {
        tclass: 0x5A,
        flow_label: 0xA_BCDE,
        hop_lmt: 0x3F,
        sgid: gid(1),
        dgid: gid(2),
        ..Grh::default()
    };
    packet.route = Route::Global(*packet.lrh().unwrap(), grh);
    packet
}

fn sge(offset: u64, length: u32, l_key: u32) -> Sge {
    Sge {
        addr: BUFFER + offset,
        length,
        l_key,
    }
}

fn untouched(bytes: usize) -> Vec<u8> {
    vec![UNTOUCHED; bytes]
}

/// Whether the completions since the last look have the GRH flag, each a success of so many bytes.
fn grh_flags(y: &mut Bench, bytes: u32) -> Vec<bool> {
    let flag = |c: hca_golden::verbs::Completion| {
        assert_eq!((c.status, c.byte_count), (Status::Success, bytes));
        assert_eq!(c.operation, CompletedOperation::Receive);
        c.datagram.unwrap().grh
    };
    y.taken().into_iter().map(flag).collect()
}

fn cf220_cf222_cf327_without_grh_the_first_bytes_stay(y: &mut Bench) {
    y.datagrams();
    y.post_receive(1, 0, 64);
    y.take(&[packet(0x64, 0, &[7; 9])]);
    assert_eq!(grh_flags(y, 49), [false]);
    assert_eq!(
        y.buffer(0, 64),
        [untouched(40), vec![7; 9], untouched(15)].concat()
    );
}

/// With immediate data beside it, and the completion names the sender.
fn cf220_cf221_cf328_with_grh_they_are_its_bytes(y: &mut Bench) {
    y.datagrams();
    y.post_receive(1, 0, 64);
    let sent = with_grh(packet(0x64, 0, &[7; 4]));
    y.take(&[sent]);
    assert_eq!(y.buffer(0, 64), [bytes(GRH), vec![7; 4], untouched(20)].concat());
    let completions = y.taken();
    let expected = DatagramSource {
        qpn: PEER_QPN,
        slid: 1,
        lid: 2,
        grh: true,
        ..DatagramSource::default()
    };
    assert_eq!(completions.len(), 1);
    assert_eq!((completions[0].wr_id, completions[0].byte_count), (1, 44));
    assert_eq!(completions[0].datagram, Some(expected));
}

fn cf326_no_bytes_at_all(y: &mut Bench) {
    y.datagrams();
    for wr_id in [1, 2] {
        y.post_receive(wr_id, 64 * wr_id, 40);
    }
    y.take(&[packet(0x64, 0, &[]), with_grh(packet(0x64, 1, &[]))]);
    assert_eq!(grh_flags(y, 40), [false, true]);
    assert_eq!(y.buffer(64, 64), untouched(64));
    let with_its_length = [&bytes(GRH)[..4], &[0, 0x18], &bytes(GRH)[6..]].concat();
    assert_eq!(y.buffer(128, 64), [with_its_length, untouched(24)].concat());
}

/// An SGE that holds only these bytes, and one that holds but one of them.
fn cf327_bytes_that_are_skipped_need_no_key(y: &mut Bench) {
    y.datagrams();
    y.post_receive_of(1, &[sge(0, 40, BAD_KEY), sge(64, 16, L_KEY)]);
    y.post_receive_of(
        2,
        &[sge(128, 1, BAD_KEY), sge(192, 38, BAD_KEY), sge(256, 17, L_KEY)],
    );
    // A bad key behind the payload is not met either.
    y.post_receive_of(3, &[sge(320, 44, L_KEY), sge(384, 8, BAD_KEY)]);
    y.take(&[
        packet(0x64, 0, &[1; 16]),
        packet(0x64, 1, &[2; 16]),
        packet(0x64, 2, &[3; 4]),
    ]);
    assert_eq!(y.completions(), [success(1, 56), success(2, 56), success(3, 44)]);
    assert_eq!(
        y.buffer(0, 81),
        [untouched(64), vec![1; 16], untouched(1)].concat()
    );
    assert_eq!(
        y.buffer(255, 19),
        [untouched(2), vec![2; 16], untouched(1)].concat()
    );
    assert_eq!(
        y.buffer(359, 6),
        [untouched(1), vec![3; 4], untouched(1)].concat()
    );
}

/// SGEs of 16, 30 and 60 bytes; the same without GRH.
fn cf329_grh_and_payload_span_the_list(y: &mut Bench) {
    y.datagrams();
    let list = |base| {
        [
            sge(base, 16, L_KEY),
            sge(base + 100, 30, L_KEY),
            sge(base + 200, 60, L_KEY),
        ]
    };
    y.post_receive_of(1, &list(0));
    y.post_receive_of(2, &list(512));
    let payload = message(66);
    y.take(&[with_grh(packet(0x64, 0, &payload)), packet(0x64, 1, &payload)]);
    assert_eq!(y.completions(), [success(1, 106), success(2, 106)]);
    let mut grh = bytes(GRH);
    grh[4..6].copy_from_slice(&[0, 0x5C]);
    let stream = [&grh[..], &payload[..]].concat();
    for (base, expected) in [(0, stream), (512, [&untouched(40)[..], &payload[..]].concat())] {
        let placed = [
            y.buffer(base, 16),
            y.buffer(base + 100, 30),
            y.buffer(base + 200, 60),
        ]
        .concat();
        assert_eq!(placed, expected);
        assert_eq!(y.buffer(base + 260, 8), untouched(8));
        assert_eq!(y.buffer(base + 130, 70), untouched(70));
    }
}

/// The queue has 16 places: the list of the seventeenth WQE stands where that of the first was. The GRH of the first
/// datagram ends where the payload of the last one begins.
fn cf329_each_datagram_has_the_list_of_its_own_receive_wqe(y: &mut Bench) {
    y.datagrams();
    let list = |base| {
        [
            sge(base, 20, L_KEY),
            sge(base + 20, 20, L_KEY),
            sge(base + 40, 24, L_KEY),
        ]
    };
    y.post_receive_of(1, &list(0));
    y.take(&[with_grh(packet(0x64, 0, &[]))]);
    for wr_id in 2..=16 {
        y.post_receive(wr_id, 64, 64);
        y.take(&[packet(0x64, 0, &[1; 4])]);
    }
    y.post_receive_of(17, &list(128));
    y.take(&[packet(0x64, 0, &[2; 4])]);
    assert_eq!(y.completions().len(), 17);
    assert_eq!(y.buffer(40, 24), untouched(24));
    assert_eq!(
        y.buffer(128, 64),
        [untouched(40), vec![2; 4], untouched(20)].concat()
    );
}

fn cf332_a_bad_key_of_the_payload_ends_the_queue_pair(y: &mut Bench) {
    ends(
        y,
        &[sge(0, 44, L_KEY), sge(64, 40, BAD_KEY)],
        packet(0x64, 0, &[7; 5]),
    );
}

fn cf332_a_bad_key_of_the_grh_ends_the_queue_pair(y: &mut Bench) {
    let sges = [sge(0, 40, BAD_KEY), sge(64, 40, L_KEY)];
    ends(y, &sges, with_grh(packet(0x64, 0, &[7; 4])));
}

/// Both queues are flushed, and no event tells of it (AD).
fn ends(y: &mut Bench, sges: &[Sge], packet: Packet) {
    y.datagrams();
    y.post_receive_of(1, sges);
    y.post_receive(2, 512, 64);
    y.take(std::slice::from_ref(&packet));
    assert_eq!(
        y.completions(),
        [(1, Status::LocProtErr, 0), (2, Status::WrFlushErr, 0)]
    );
    assert_eq!((y.state(), y.told()), (QpState::Error, vec![]));
    y.post(super::send(3, 4));
    assert_eq!(
        (y.sent_rows(), y.completions()),
        (vec![], vec![super::flushed(3)])
    );
    y.take(&[packet]);
    assert_eq!(y.drops(), [(DropReason::QpState, 1)]);
}

/// Payload and 39 bytes; the WQE stays at the head, and the second datagram to fit it consumes it.
fn cf223_cf333_a_buffer_that_is_too_small_takes_the_next(y: &mut Bench) {
    y.datagrams();
    y.post_receive(1, 0, AREA as u32 + 20);
    y.post_receive(2, 128, 39);
    y.post_receive(3, 256, 64);
    y.take(&[packet(0x64, 0, &[1; 21]), with_grh(packet(0x64, 1, &[2; 21]))]);
    assert_eq!(y.drops(), [(DropReason::BufferTooSmall, 2)]);
    assert_eq!((y.completions(), y.state()), (vec![], QpState::Rts));
    assert_eq!(y.buffer(0, 64), untouched(64));
    y.take(&[packet(0x64, 2, &[3; 20])]);
    assert_eq!(y.completions(), [success(1, 60)]);
    // Not even an empty one fits 39 bytes.
    y.take(&[packet(0x64, 3, &[]), packet(0x64, 4, &[5; 4])]);
    assert_eq!(y.drops(), [(DropReason::BufferTooSmall, 2)]);
    assert_eq!((y.completions(), y.told()), (vec![], vec![]));
}

fn cf222_a_datagram_of_the_mtu(y: &mut Bench) {
    y.datagrams();
    y.post_receive_of(1, &[sge(0, 1024, L_KEY), sge(2048, 3112, L_KEY)]);
    let payload = message(4096);
    y.take(&[packet(0x64, 0, &payload)]);
    assert_eq!(y.completions(), [success(1, 4136)]);
    let placed = [y.buffer(40, 984), y.buffer(2048, 3112)].concat();
    assert!(placed == payload);
}
