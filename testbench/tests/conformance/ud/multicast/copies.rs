//! CF229, CF351, CF352, CF356, CF360: each member gets its copy (`ud.md` section 4.2).
use super::{another, attach, each, members, multicast, one, MGID, SECOND, THIRD};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, Bench, PEER_QPN, QPN, UNTOUCHED};
use crate::ud::{flushed, packet, success, Q_KEY};
use hca_golden::event::DropReason;
use hca_golden::modification::QpChanges;
use hca_golden::verbs::{DatagramSource, QpState};
use hca_golden::wire::packet::Packet;

on_both!(behind super::super::eight_lids();
    cf351_cf356_every_member_gets_the_whole,
    cf351_long_packets_come_one_behind_the_other,
    cf352_a_member_that_fails_hinders_no_other,
    cf352_a_member_with_a_short_buffer_hinders_no_other,
    cf360_a_member_that_takes_nothing_hinders_no_other,
    cf229_the_order_of_each_member_is_kept,
);

fn unicast(psn: u32) -> Packet {
    let mut packet = packet(0x64, psn, &[2; 2]);
    packet.lrh_mut().unwrap().dlid = 0x28;
    packet
}

/// The path bits are 0, whatever those of the LID are.
fn cf351_cf356_every_member_gets_the_whole(y: &mut Bench) {
    members(y);
    y.take(&[multicast(0, &[7; 9])]);
    for (n, qpn) in (0..).zip([QPN, SECOND, THIRD]) {
        y.turn_to(qpn);
        let completed: Vec<_> = y
            .taken()
            .iter()
            .map(|c| (c.wr_id, c.byte_count, c.datagram))
            .collect();
        let source = DatagramSource {
            qpn: PEER_QPN,
            slid: 1,
            lid: 0x28,
            grh: true,
            ..DatagramSource::default()
        };
        assert_eq!(completed, [(1, 49, Some(source))]);
        let placed = y.buffer(64 * n, 64);
        assert_eq!(placed[..4], [0x60, 0, 0, 0]);
        assert_eq!(placed[24..40], MGID);
        assert_eq!(placed[40..], [vec![7; 9], vec![UNTOUCHED; 15]].concat());
    }
    assert_eq!(y.drops(), []);
    y.turn_to(QPN);
}

/// The first member has no receive WQE for the last of them.
fn cf351_long_packets_come_one_behind_the_other(y: &mut Bench) {
    y.datagrams();
    another(y, SECOND);
    let lengths = [300, 0, 511];
    let places = [0, 352, 400];
    for (n, qpn) in (0..).zip([QPN, SECOND]) {
        assert_eq!(y.attempt(attach(qpn)), DONE);
        y.turn_to(qpn);
        for (wr_id, (place, length)) in (1..).zip(places.into_iter().zip(lengths)).take(2 + n as usize) {
            y.post_receive(wr_id, 1024 * n + place, 40 + length as u32);
        }
    }
    let data = |length: u64| (0..length).map(|i| (i * 13 + length) as u8).collect::<Vec<u8>>();
    let packets: Vec<_> = (0..)
        .zip(lengths)
        .map(|(psn, length)| multicast(psn, &data(length)).encode().unwrap())
        .collect();
    y.receive(&packets);
    assert_eq!(y.drops(), [(DropReason::NoReceiveWqe, 1)]);
    let rows = [success(1, 340), success(2, 40), success(3, 551)];
    assert_eq!(each(y), [rows[..2].to_vec(), rows.to_vec(), vec![]]);
    for (n, place, length) in [(0, 0, 300), (1, 0, 300), (1, 400, 511)] {
        assert_eq!(y.buffer(1024 * n + place + 40, length as usize), data(length));
    }
}

/// One has no receive WQE, one another Q_Key.
fn cf352_a_member_that_fails_hinders_no_other(y: &mut Bench) {
    members(y);
    y.take(&[multicast(0, &[7; 4])]);
    assert_eq!(each(y), [one(44), one(44), one(44)]);
    y.turn_to(THIRD);
    y.post_receive(1, 128, 64);
    y.turn_to(SECOND);
    y.post_receive(1, 64, 64);
    let changes = QpChanges {
        q_key: Some(Q_KEY + 1),
        ..Default::default()
    };
    assert_eq!(y.attempt_set(QpState::Rts, &changes), DONE);
    y.take(&[multicast(1, &[8; 4])]);
    assert_eq!(y.drops(), [(DropReason::NoReceiveWqe, 1), (DropReason::QKey, 1)]);
    assert_eq!(each(y), [vec![], vec![], one(44)]);
}

/// The WQE stays at the head, and the next datagram fits it.
fn cf352_a_member_with_a_short_buffer_hinders_no_other(y: &mut Bench) {
    y.datagrams();
    another(y, SECOND);
    another(y, THIRD);
    for (n, qpn, length) in [(0, QPN, 64), (1, SECOND, 50), (2, THIRD, 64)] {
        assert_eq!(y.attempt(attach(qpn)), DONE);
        y.turn_to(qpn);
        y.post_receive(1, 64 * n, length);
    }
    y.take(&[multicast(0, &[7; 20])]);
    assert_eq!(y.drops(), [(DropReason::BufferTooSmall, 1)]);
    assert_eq!(each(y), [one(60), vec![], one(60)]);
    y.take(&[multicast(1, &[8; 10])]);
    assert_eq!(y.drops(), [(DropReason::NoReceiveWqe, 2)]);
    assert_eq!(each(y), [vec![], one(50), vec![]]);
}

/// In Init and in Error.
fn cf360_a_member_that_takes_nothing_hinders_no_other(y: &mut Bench) {
    members(y);
    y.turn_to(SECOND);
    y.modify(QpState::Error);
    y.turn_to(THIRD);
    y.modify(QpState::Reset);
    y.modify(QpState::Init);
    assert_eq!(each(y), [vec![], vec![flushed(1)], vec![]]);
    y.take(&[multicast(0, &[7; 4])]);
    assert_eq!(y.drops(), [(DropReason::QpState, 2)]);
    assert_eq!(each(y), [one(44), vec![], vec![]]);
}

fn cf229_the_order_of_each_member_is_kept(y: &mut Bench) {
    members(y);
    for (n, qpn) in (0..).zip([QPN, SECOND, THIRD]) {
        y.turn_to(qpn);
        for wr_id in 2..5 {
            y.post_receive(wr_id, 512 + 256 * n + 64 * (wr_id - 2), 64);
        }
    }
    let unicast = |psn, qpn| crate::bench::peer::to(qpn, unicast(psn));
    let packets = [
        multicast(0, &[1; 1]),
        unicast(1, SECOND),
        multicast(2, &[3; 3]),
        unicast(3, QPN),
    ];
    let bytes: Vec<_> = packets.iter().map(|p| p.encode().unwrap()).collect();
    y.receive(&bytes);
    let rows = |lengths: &[u32]| -> Vec<_> { (1..).zip(lengths).map(|(n, &l)| success(n, 40 + l)).collect() };
    assert_eq!(each(y), [rows(&[1, 3, 2]), rows(&[1, 2, 3]), rows(&[1, 3])]);
}
