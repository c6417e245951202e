//! CF229, CF345 to CF358, CF360, CF361: multicast groups, and the copies of their packets (`ud.md` section 4).
use super::{attributes, datagram, flushed, packet, peer, success, HANDLE, Q_KEY};
use crate::bench::requester::{all_rights, SEND};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, port, Bench, PEER_QPN, QPN, UNTOUCHED};
use hca_golden::event::DropReason;
use hca_golden::port::{Link, PortConfig};
use hca_golden::verbs::{
    AddressHandle, Datagram, DatagramSource, GlobalRoute, QpAttributes, QpState, SendRequest, Service, Status,
};
use hca_golden::wire::grh::Grh;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::roce::{Endpoint, Roce};
use hca_testbench::device::{port_on, Reason, Verb};
use hca_testbench::Side;

mod native {
    use super::*;

    on_both!(behind super::super::eight_lids();
        cf345_only_datagrams_have_groups,
        cf346_attach_needs_a_port,
        cf347_addresses_that_no_group_has,
        cf348_attaching_twice_makes_one_copy,
        cf349_a_detach_of_no_member,
        cf350_a_member_cannot_be_destroyed,
        the_groups_are_limited,
        cf351_cf356_every_member_gets_the_whole,
        cf351_long_packets_come_one_behind_the_other,
        cf352_a_member_that_fails_hinders_no_other,
        cf353_a_group_is_known_by_both_its_addresses,
        cf354_cf355_half_an_address_is_none,
        cf354_the_checks_of_the_link_come_first,
        cf358_the_packet_of_the_port_itself_is_dropped,
        cf360_a_member_that_takes_nothing_hinders_no_other,
        cf229_cf357_the_other_members_get_one_copy_of_what_is_sent,
        cf229_the_order_of_each_member_is_kept,
        cf229_two_send_while_one_leaves,
        cf229_what_does_not_leave_has_no_copy,
        other_opcodes_are_dropped,
    );
}

mod roce {
    use super::*;

    on_both!(behind super::super::roce_port();
        cf361_a_group_of_ipv4_is_known_by_its_address,
        cf354_one_queue_pair_is_no_group,
        cf357_cf358_over_roce,
    );
}

/// Two more members.
const SECOND: u32 = 0x00_0C04;
const THIRD: u32 = 0x00_0D05;
const MGID: [u8; 16] = [0xFF, 0x12, 0x40, 0x1B, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5];
const MLID: u16 = 0xC005;

fn eight_lids() -> PortConfig {
    PortConfig {
        lid: 0x28,
        lmc: 3,
        ..port()
    }
}

fn roce_port() -> PortConfig {
    port_on(Link::Roce, Side::Y)
}

fn attach(qpn: u32) -> Verb {
    Verb::Attach {
        qpn,
        mgid: MGID,
        mlid: MLID,
    }
}

fn detach(qpn: u32) -> Verb {
    Verb::Detach {
        qpn,
        mgid: MGID,
        mlid: MLID,
    }
}

/// Y's three QPs in RTS, members of the group; each has a receive WQE of 64 bytes, 64 bytes behind that of the one
/// before.
fn members(y: &mut Bench) {
    y.datagrams();
    another(y, SECOND);
    another(y, THIRD);
    for (n, qpn) in (0..).zip([QPN, SECOND, THIRD]) {
        assert_eq!(y.attempt(attach(qpn)), DONE);
        y.turn_to(qpn);
        y.post_receive(1, 64 * n, 64);
    }
    y.turn_to(QPN);
}

fn another(y: &mut Bench, qpn: u32) {
    y.create_another(&QpAttributes { qpn, ..attributes() });
    y.enter_rts();
}

/// A packet of the peer for the group.
fn multicast(psn: u32, payload: &[u8]) -> Packet {
    to_group(packet(0x64, psn, payload), MGID, MLID)
}

fn to_group(mut packet: Packet, dgid: [u8; 16], dlid: u16) -> Packet {
    packet.bth.dest_qp = 0xFF_FFFF;
    let lrh = packet.lrh_mut().unwrap();
    (lrh.dlid, lrh.slid) = (dlid, 1);
    let lrh = *lrh;
    let grh = Grh {
        hop_lmt: 1,
        sgid: [0xFE; 16],
        dgid,
        ..Grh::default()
    };
    packet.route = Route::Global(lrh, grh);
    packet
}

/// Completions of each of the three since the last look.
fn each(y: &mut Bench) -> [Vec<(u64, Status, u32)>; 3] {
    let all = [QPN, SECOND, THIRD].map(|qpn| {
        y.turn_to(qpn);
        y.completions()
    });
    y.turn_to(QPN);
    all
}

fn one(bytes: u32) -> Vec<(u64, Status, u32)> {
    vec![success(1, bytes)]
}

fn cf345_only_datagrams_have_groups(y: &mut Bench) {
    y.create(&all_rights());
    y.enter_rts();
    assert_eq!(y.refusal_of(attach(QPN)), Reason::BadAttribute);
    y.create_another(&QpAttributes {
        qpn: SECOND,
        service: Service::Uc,
        ..all_rights()
    });
    assert_eq!(y.refusal_of(attach(SECOND)), Reason::BadAttribute);
    assert_eq!(y.refusal_of(attach(0x00_0EE7)), Reason::NotFound);
    assert_eq!(y.refusal_of(attach(0x100_0000)), Reason::BadIndex);
}

fn cf346_attach_needs_a_port(y: &mut Bench) {
    y.create(&attributes());
    assert_eq!(y.refusal_of(attach(QPN)), Reason::BadTransition);
    y.modify(QpState::Init);
    assert_eq!(y.attempt(attach(QPN)), DONE);
    assert_eq!(y.attempt(detach(QPN)), DONE);
}

fn cf347_addresses_that_no_group_has(y: &mut Bench) {
    y.datagrams();
    let with = |mgid: [u8; 16], mlid| Verb::Attach { qpn: QPN, mgid, mlid };
    let ipv4 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 224, 1, 2, 3];
    let unicast = [0xFE; 16];
    for (mgid, mlid) in [
        (unicast, MLID),
        (ipv4, MLID),
        (MGID, 0xBFFF),
        (MGID, 0xFFFF),
        (MGID, 0),
    ] {
        let reason = y.refusal_of(with(mgid, mlid));
        assert_eq!(reason, Reason::BadAttribute, "{mlid:04X}h");
    }
    assert_eq!(y.attempt(attach(QPN)), DONE);
    assert_eq!(y.refusal_of(with(MGID, MLID + 1)), Reason::BadAttribute);
    // Once nobody is attached, the group may have another LID.
    assert_eq!(y.attempt(detach(QPN)), DONE);
    assert_eq!(y.attempt(with(MGID, MLID + 1)), DONE);
    // Two groups of one LID.
    let mut other = MGID;
    other[15] = 6;
    assert_eq!(y.attempt(with(other, MLID + 1)), DONE);
}

fn cf348_attaching_twice_makes_one_copy(y: &mut Bench) {
    y.datagrams();
    y.post_receive(1, 0, 64);
    y.post_receive(2, 64, 64);
    assert_eq!(y.attempt(attach(QPN)), DONE);
    assert_eq!(y.attempt(attach(QPN)), DONE);
    y.take(&[multicast(0, &[7; 4])]);
    assert_eq!(y.completions(), [success(1, 44)]);
    assert_eq!(y.attempt(detach(QPN)), DONE);
    y.take(&[multicast(1, &[8; 4])]);
    assert_eq!(y.drops(), [(DropReason::MulticastAddress, 1)]);
    assert_eq!(y.refusal_of(detach(QPN)), Reason::NotFound);
}

fn cf349_a_detach_of_no_member(y: &mut Bench) {
    y.datagrams();
    assert_eq!(y.refusal_of(detach(QPN)), Reason::NotFound);
    another(y, SECOND);
    assert_eq!(y.attempt(attach(QPN)), DONE);
    assert_eq!(y.refusal_of(detach(SECOND)), Reason::NotFound);
}

/// Reset keeps the membership, and the QP gets nothing.
fn cf350_a_member_cannot_be_destroyed(y: &mut Bench) {
    y.datagrams();
    assert_eq!(y.attempt(attach(QPN)), DONE);
    let destroy = Verb::DestroyQp { qpn: QPN };
    assert_eq!(y.refusal_of(destroy.clone()), Reason::InUse);
    y.modify(QpState::Reset);
    assert_eq!(y.refusal_of(destroy.clone()), Reason::InUse);
    y.take(&[multicast(0, &[7; 4])]);
    y.drops();
    y.enter_rts();
    y.post_receive(1, 0, 64);
    y.take(&[multicast(1, &[7; 4])]);
    assert_eq!(y.completions(), [success(1, 44)]);
    assert_eq!(y.attempt(detach(QPN)), DONE);
    assert_eq!(y.attempt(destroy), DONE);
}

/// Eight groups at least.
fn the_groups_are_limited(y: &mut Bench) {
    y.datagrams();
    let group = |n: u16| {
        let mut mgid = MGID;
        mgid[14..].copy_from_slice(&n.to_be_bytes());
        let mlid = 0xC000 + n;
        Verb::Attach { qpn: QPN, mgid, mlid }
    };
    for n in 0..8 {
        assert_eq!(y.attempt(group(n)), DONE, "{n}");
    }
    assert_eq!(y.refusal_of(group(8)), Reason::BadSize);
    // A member of a group that is there needs no room.
    assert_eq!(y.attempt(group(7)), DONE);
}

/// The path bits are 0, whatever those of the LID are.
fn cf351_cf356_every_member_gets_the_whole(y: &mut Bench) {
    members(y);
    y.take(&[multicast(0, &[7; 9])]);
    for (n, qpn) in (0..).zip([QPN, SECOND, THIRD]) {
        y.turn_to(qpn);
        let told: Vec<_> = y
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
        assert_eq!(told, [(1, 49, Some(source))]);
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
    let changes = hca_golden::modification::QpChanges {
        q_key: Some(Q_KEY + 1),
        ..Default::default()
    };
    assert_eq!(y.attempt_set(QpState::Rts, &changes), DONE);
    y.take(&[multicast(1, &[8; 4])]);
    assert_eq!(y.drops(), [(DropReason::NoReceiveWqe, 1), (DropReason::QKey, 1)]);
    assert_eq!(each(y), [vec![], vec![], one(44)]);
}

/// The same GID with another LID, the same LID with another GID.
fn cf353_a_group_is_known_by_both_its_addresses(y: &mut Bench) {
    members(y);
    let mut other = MGID;
    other[15] ^= 1;
    for (mgid, mlid) in [(MGID, MLID + 1), (other, MLID), (MGID, 0xFFFE)] {
        y.take(&[to_group(packet(0x64, 0, &[7; 4]), mgid, mlid)]);
        assert_eq!(y.drops(), [(DropReason::MulticastAddress, 1)], "{mlid:04X}h");
    }
    assert_eq!(each(y), [vec![], vec![], vec![]]);
}

fn cf354_cf355_half_an_address_is_none(y: &mut Bench) {
    members(y);
    let local = |packet: Packet| Packet {
        route: Route::Local(*packet.lrh().unwrap()),
        ..packet
    };
    let without_grh = local(multicast(0, &[7; 4]));
    let mut to_unicast = without_grh.clone();
    to_unicast.lrh_mut().unwrap().dlid = 0x28;
    let unicast_gid = to_group(packet(0x64, 0, &[7; 4]), [0xFE; 16], MLID);
    let mut to_one = multicast(0, &[7; 4]);
    to_one.bth.dest_qp = QPN;
    for wrong in [
        without_grh,
        to_unicast,
        unicast_gid,
        local(to_one.clone()),
        to_one,
    ] {
        y.take(&[wrong]);
        assert_eq!(y.drops(), [(DropReason::MulticastAddress, 1)]);
    }
    assert_eq!(each(y), [vec![], vec![], vec![]]);
}

/// A unicast LID has to be the port's, and the GID with it.
fn cf354_the_checks_of_the_link_come_first(y: &mut Bench) {
    members(y);
    let gid = eight_lids().gid;
    for (gid, lid, reason) in [
        (gid, 0x28, DropReason::MulticastAddress),
        (MGID, 0x28, DropReason::Dgid),
        (MGID, 0x30, DropReason::Dlid),
        (MGID, 0xFFFF, DropReason::Dlid),
    ] {
        y.take(&[to_group(packet(0x64, 0, &[7; 4]), gid, lid)]);
        assert_eq!(y.drops(), [(reason, 1)], "{lid:04X}h");
    }
    assert_eq!(each(y), [vec![], vec![], vec![]]);
}

/// From any of its LIDs: the fabric has sent it back.
fn cf358_the_packet_of_the_port_itself_is_dropped(y: &mut Bench) {
    members(y);
    for slid in [0x28, 0x2F] {
        let mut own = multicast(0, &[7; 4]);
        own.lrh_mut().unwrap().slid = slid;
        y.take(&[own]);
        assert_eq!(y.drops(), [(DropReason::SelfMulticast, 1)], "{slid:04X}h");
    }
    let mut other = multicast(0, &[7; 4]);
    other.lrh_mut().unwrap().slid = 0x30;
    y.take(&[other]);
    assert_eq!(each(y), [one(44), one(44), one(44)]);
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

/// The address of the group, for Y.
fn group_address(path_bits: u8) -> AddressHandle {
    AddressHandle {
        dlid: MLID,
        source_path_bits: path_bits,
        global: Some(GlobalRoute {
            dgid: MGID,
            flow_label: 0,
            traffic_class: 0,
            hop_limit: 1,
        }),
        ..peer()
    }
}

fn to_the_group(wr_id: u64, handle: u32) -> SendRequest {
    SendRequest {
        datagram: Some(Datagram {
            handle,
            dest_qpn: 0xFF_FFFF,
            q_key: Q_KEY,
            p_key_index: 0,
        }),
        ..datagram(wr_id, SEND, 4)
    }
}

/// The sender gets none, also when the fabric sends the packet back; the same of a sender that is no member.
fn cf229_cf357_the_other_members_get_one_copy_of_what_is_sent(y: &mut Bench) {
    members(y);
    y.address(HANDLE + 1, group_address(3));
    y.post(to_the_group(9, HANDLE + 1));
    let sent = y.packets_after();
    assert_eq!(sent.len(), 1);
    y.receive(&sent);
    assert_eq!(y.drops(), [(DropReason::SelfMulticast, 1)]);
    assert_eq!(each(y), [vec![success(9, 0)], one(44), one(44)]);
    let placed = y.buffer(64, 64);
    assert_eq!(placed[24..44], [&MGID[..], &[0, 7, 14, 21]].concat());
    assert_eq!(y.buffer(128, 44), placed[..44]);
    // Nobody else has a receive WQE now.
    assert_eq!(y.attempt(detach(QPN)), DONE);
    y.post(to_the_group(9, HANDLE + 1));
    assert_eq!(y.packets_after().len(), 1);
    assert_eq!(y.drops(), [(DropReason::NoReceiveWqe, 2)]);
    assert_eq!(y.completions(), [success(9, 0)]);
    // A packet for one of the own LIDs is sent like any other.
    y.address(HANDLE + 2, AddressHandle { dlid: 0x28, ..peer() });
    let mut request = datagram(9, SEND, 4);
    request.datagram.as_mut().unwrap().handle = HANDLE + 2;
    y.post(request);
    assert_eq!(y.packets_after().len(), 1);
    assert_eq!(y.completions(), [success(9, 0)]);
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

fn unicast(psn: u32) -> Packet {
    let mut packet = packet(0x64, psn, &[2; 2]);
    packet.lrh_mut().unwrap().dlid = 0x28;
    packet
}

/// Two members send at once, and the third leaves meanwhile.
fn cf229_two_send_while_one_leaves(y: &mut Bench) {
    members(y);
    for (n, qpn) in (0..).zip([QPN, SECOND, THIRD]) {
        y.turn_to(qpn);
        for wr_id in 2..9 {
            y.post_receive(wr_id, 512 * n, 512);
        }
    }
    y.address(HANDLE + 1, group_address(0));
    for qpn in [QPN, SECOND, QPN, SECOND, QPN, SECOND] {
        y.turn_to(qpn);
        y.post(to_the_group(9, HANDLE + 1));
    }
    assert_eq!(y.attempt(detach(THIRD)), DONE);
    assert_eq!(y.packets_after().len(), 6);
    let [first, second, third] = each(y);
    for mut rows in [first, second] {
        rows.sort_by_key(|row| row.0);
        assert_eq!(rows[..3], [success(1, 44), success(2, 44), success(3, 44)]);
        assert_eq!(rows[3..], vec![success(9, 0); 3]);
    }
    // Of those that left before it did, in their order.
    let all: Vec<_> = (1..7).map(|wr_id| success(wr_id, 44)).collect();
    assert_eq!(third, all[..third.len()]);
    assert_eq!(y.attempt(attach(THIRD)), DONE);
    y.turn_to(QPN);
    y.post(datagram_to_the_group(24));
    assert_eq!(y.packets_after().len(), 1);
    let next = third.len() as u64 + 1;
    assert_eq!(
        each(y),
        [vec![success(9, 0)], vec![success(4, 64)], vec![success(next, 64)]]
    );
}

/// To the group of [`HANDLE`] + 1, of so many bytes.
fn datagram_to_the_group(length: u32) -> SendRequest {
    SendRequest {
        datagram: to_the_group(9, HANDLE + 1).datagram,
        ..datagram(9, SEND, length)
    }
}

/// It is longer than the MTU, its keys are bad, or its data cannot be read; the next one has its copies.
fn cf229_what_does_not_leave_has_no_copy(y: &mut Bench) {
    members(y);
    y.address(HANDLE + 1, group_address(0));
    y.post(datagram_to_the_group(4097));
    assert_eq!(y.packets_after(), Vec::<Vec<u8>>::new());
    assert_eq!(each(y), [vec![success(9, 0)], vec![], vec![]]);
    let mut bad = datagram_to_the_group(4);
    bad.sges[0].l_key += 1;
    y.post(bad);
    assert_eq!(y.packets_after(), Vec::<Vec<u8>>::new());
    assert_eq!(each(y), [vec![(9, Status::LocProtErr, 0)], vec![], vec![]]);
    y.turn_to(SECOND);
    y.post(datagram_to_the_group(4));
    assert_eq!(y.packets_after().len(), 1);
    assert_eq!(each(y), [one(44), vec![success(9, 0)], one(44)]);
    y.turn_to(SECOND);
    y.fail_source(0, 64);
    y.post(datagram_to_the_group(4));
    y.settle();
    assert_eq!(y.drop_spoiled(), 1);
    assert_eq!(each(y), [vec![], vec![(9, Status::LocQpOpErr, 0)], vec![]]);
    assert_eq!(y.drops(), []);
    y.turn_to(THIRD);
    let mut sound = datagram_to_the_group(4);
    sound.sges[0].addr += 64;
    y.post(sound);
    assert_eq!(y.packets_after().len(), 1);
    assert_eq!(y.drops(), [(DropReason::NoReceiveWqe, 1)]);
    assert_eq!(each(y), [vec![], one(44), vec![success(9, 0)]]);
}

fn other_opcodes_are_dropped(y: &mut Bench) {
    members(y);
    for opcode in [0x04, 0x24, 0x66] {
        y.take(&[to_group(packet(opcode, 0, &[]), MGID, MLID)]);
        assert_eq!(y.drops(), [(DropReason::Opcode, 1)], "{opcode:02X}h");
    }
    assert_eq!(each(y), [vec![], vec![], vec![]]);
}

/// 224.1.2.3 and its MAC address, and another of the same MAC address.
fn ipv4(first: u8, second: u8) -> [u8; 16] {
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, first, second, 2, 3]
}

const GROUP_MAC: [u8; 6] = [0x01, 0x00, 0x5E, 0x01, 2, 3];

/// From X, or from Y itself.
fn over_ip(from: Side, mac: [u8; 6], gid: [u8; 16]) -> Vec<u8> {
    let mut sent = packet(0x64, 0, &[7; 4]);
    sent.bth.dest_qp = 0xFF_FFFF;
    sent.route = route(from, mac, gid);
    sent.encode().unwrap()
}

fn route(from: Side, mac: [u8; 6], gid: [u8; 16]) -> Route {
    let source = port_on(Link::Roce, from);
    let source = Endpoint {
        mac: source.mac,
        gid: source.gid,
    };
    Route::Roce(Roce::between(source, Endpoint { mac, gid }, 0xC000))
}

fn cf361_a_group_of_ipv4_is_known_by_its_address(y: &mut Bench) {
    y.create(&attributes());
    y.enter_rts();
    y.post_receive(1, 0, 64);
    let packet = over_ip(Side::X, GROUP_MAC, ipv4(224, 1));
    // Nobody is attached: a foreign MAC address.
    y.receive(std::slice::from_ref(&packet));
    assert_eq!(y.drops(), [(DropReason::Dlid, 1)]);
    let attach = |mgid| Verb::Attach {
        qpn: QPN,
        mgid,
        mlid: 0,
    };
    assert_eq!(y.refusal_of(attach(ipv4(223, 1))), Reason::BadAttribute);
    assert_eq!(y.attempt(attach(ipv4(224, 1))), DONE);
    y.receive(&[packet]);
    let told: Vec<_> = y.taken().iter().map(|c| (c.wr_id, c.byte_count)).collect();
    assert_eq!(told, [(1, 44)]);
    assert_eq!(y.buffer(36, 8), [224, 1, 2, 3, 7, 7, 7, 7]);
    for (mac, gid, reason) in [
        // 225.129.2.3 has the same MAC address.
        (GROUP_MAC, ipv4(225, 129), DropReason::MulticastAddress),
        (GROUP_MAC, roce_port().gid, DropReason::MulticastAddress),
        (GROUP_MAC, ipv4(10, 1), DropReason::MulticastAddress),
        (roce_port().mac, roce_port().gid, DropReason::MulticastAddress),
        (roce_port().mac, ipv4(224, 1), DropReason::Dgid),
    ] {
        y.receive(&[over_ip(Side::X, mac, gid)]);
        assert_eq!(y.drops(), [(reason, 1)], "{mac:02X?} {gid:?}");
    }
    assert_eq!(y.completions(), []);
}

/// The MAC address of a group that there is, and a destination QP.
fn cf354_one_queue_pair_is_no_group(y: &mut Bench) {
    y.create(&attributes());
    y.enter_rts();
    y.post_receive(1, 0, 64);
    let (qpn, mgid) = (QPN, ipv4(224, 1));
    assert_eq!(y.attempt(Verb::Attach { qpn, mgid, mlid: 0 }), DONE);
    for gid in [roce_port().gid, mgid] {
        let mut packet = packet(0x64, 0, &[7; 4]);
        packet.route = route(Side::X, GROUP_MAC, gid);
        y.receive(&[packet.encode().unwrap()]);
        assert_eq!(y.drops(), [(DropReason::MulticastAddress, 1)], "{gid:?}");
    }
    assert_eq!(y.completions(), []);
}

fn cf357_cf358_over_roce(y: &mut Bench) {
    y.create(&attributes());
    y.enter_rts();
    another(y, SECOND);
    y.post_receive(1, 0, 64);
    for qpn in [QPN, SECOND] {
        let mgid = ipv4(224, 1);
        assert_eq!(y.attempt(Verb::Attach { qpn, mgid, mlid: 0 }), DONE);
    }
    y.turn_to(QPN);
    y.address(
        HANDLE,
        AddressHandle {
            port: 1,
            global: Some(GlobalRoute {
                dgid: ipv4(224, 1),
                flow_label: 0,
                traffic_class: 0,
                hop_limit: 1,
            }),
            dest_mac: Some(GROUP_MAC),
            ..AddressHandle::default()
        },
    );
    y.post(to_the_group(9, HANDLE));
    let sent = y.packets_after();
    assert_eq!((sent.len(), &sent[0][..6]), (1, &GROUP_MAC[..]));
    y.receive(&sent);
    assert_eq!(y.drops(), [(DropReason::SelfMulticast, 1)]);
    assert_eq!(y.completions(), [success(9, 0)]);
    y.turn_to(SECOND);
    assert_eq!(y.completions(), [success(1, 44)]);
    y.receive(&[over_ip(Side::Y, GROUP_MAC, ipv4(224, 1))]);
    assert_eq!(y.drops(), [(DropReason::SelfMulticast, 1)]);
}
