//! CF463: an index into a table means the table of the port (`link.md` section 8).
use super::{
    completions_of, connections, datagrams, first, of_datagrams, second, second_peer, to_first, to_second,
    FIRST_QPN, SECOND_HANDLE, SECOND_QPN,
};
use crate::bench::peer::to;
use crate::bench::requester::{work, SEND};
use crate::bench::two_ports::{at_second, on_both_with_two_ports};
use crate::bench::verbs::DONE;
use crate::bench::{request, Bench};
use crate::ud::{datagram, packet, send, success, with_q_key};
use hca_golden::event::DropReason;
use hca_golden::verbs::PortCounter::PKeyViolations;
use hca_golden::verbs::{AddressHandle, Datagram, GlobalRoute, QpAttributes, SendRequest};
use hca_golden::wire::packet::Packet;
use hca_testbench::device::Verb;

on_both_with_two_ports!(
    cf463_a_request_has_the_p_key_of_its_port,
    cf463_a_request_is_checked_by_the_table_of_its_port,
    cf463_a_datagram_has_the_p_key_of_its_port,
    cf463_qp1_names_the_entry_of_its_port,
    cf463_an_entry_that_changes_is_of_one_port,
    cf463_a_request_has_the_gid_of_its_port,
    cf463_a_datagram_has_the_gid_of_its_handles_port,
);

/// P_Keys of entry 1 at port 1 and at port 2.
const P_KEYS: [u16; 2] = [0x9111, 0x9222];
const GIDS: [u128; 2] = [
    0xFE80_0000_0000_0000_0002_C903_0000_0002,
    0xFE80_0000_0000_0001_0002_C903_0000_0022,
];
/// GUIDs of entry 1 of each port's GID table.
const GUIDS: [u64; 2] = [0x0002_C903_0000_0102, 0x0002_C903_0000_0122];
/// The GIDs of those entries: each has the prefix of its port.
const ENTRIES: [u128; 2] = [
    0xFE80_0000_0000_0000_0002_C903_0000_0102,
    0xFE80_0000_0000_0001_0002_C903_0000_0122,
];
const TO_PEER: GlobalRoute = GlobalRoute {
    dgid: 0x2001_0DB8_0000_0000_0000_0000_0000_0007_u128.to_be_bytes(),
    flow_label: 0x11111,
    traffic_class: 0x22,
    hop_limit: 0x33,
};

fn set_p_key(y: &mut Bench, port: u8, index: u16, p_key: u16) {
    let verb = Verb::SetPKey { index, p_key }.on_port(port);
    assert_eq!(y.attempt(verb), DONE);
}

/// Entry 1 of both tables.
fn set_tables(y: &mut Bench) {
    for (port, p_key) in (1..).zip(P_KEYS) {
        set_p_key(y, port, 1, p_key);
    }
}

fn of_entry_1(like: QpAttributes) -> QpAttributes {
    QpAttributes {
        p_key_index: 1,
        ..like
    }
}

fn with_p_key(p_key: u16, mut packet: Packet) -> Packet {
    packet.bth.p_key = p_key;
    packet
}

/// P_Keys of what leaves by each port.
fn p_keys(y: &mut Bench) -> [Vec<u16>; 2] {
    y.left()
        .map(|packets| packets.iter().map(|p| p.bth.p_key).collect())
}

/// SGIDs of what leaves by each port.
fn sgids(y: &mut Bench) -> [Vec<u128>; 2] {
    let sgid = |p: &Packet| p.sgid().map_or(0, u128::from_be_bytes);
    y.left().map(|packets| packets.iter().map(sgid).collect())
}

fn cf463_a_request_has_the_p_key_of_its_port(y: &mut Bench) {
    set_tables(y);
    super::both(y, [first(), second()].map(of_entry_1), 0);
    for qpn in [FIRST_QPN, SECOND_QPN] {
        y.turn_to(qpn);
        y.post(work(1, SEND, 4));
    }
    assert_eq!(p_keys(y), [vec![0x9111], vec![0x9222]]);
}

/// Its answer has that P_Key, too. A P_Key of the other port is a violation at the port at which it arrives.
fn cf463_a_request_is_checked_by_the_table_of_its_port(y: &mut Bench) {
    set_tables(y);
    super::both(y, [first(), second()].map(of_entry_1), 1);
    y.arrive_at(2, &[with_p_key(0x9111, to_second(0x04, 100, &[1; 4]))]);
    assert_eq!(y.drops(), [(DropReason::PKey, 1)]);
    assert_eq!(y.counts(PKeyViolations), [0, 1]);
    y.arrive_at(1, &[with_p_key(0x9222, to_first(0x04, 100, &[1; 4]))]);
    assert_eq!(y.drops(), [(DropReason::PKey, 1)]);
    assert_eq!(y.counts(PKeyViolations), [1, 1]);
    y.arrive_at(2, &[with_p_key(0x9222, to_second(0x04, 100, &[1; 4]))]);
    y.arrive_at(1, &[with_p_key(0x9111, to_first(0x04, 100, &[1; 4]))]);
    assert_eq!(p_keys(y), [vec![0x9111], vec![0x9222]]);
    assert_eq!(completions_of(y, FIRST_QPN), [success(70, 4)]);
    assert_eq!(completions_of(y, SECOND_QPN), [success(70, 4)]);
}

fn cf463_a_datagram_has_the_p_key_of_its_port(y: &mut Bench) {
    set_tables(y);
    let of = |like| of_entry_1(of_datagrams(like));
    super::both(y, [first(), second()].map(of), 1);
    y.address(SECOND_HANDLE, second_peer());
    y.turn_to(SECOND_QPN);
    y.post(to_handle(SECOND_HANDLE));
    assert_eq!(p_keys(y), [vec![], vec![0x9222]]);
    assert_eq!(y.completions(), [success(1, 0)]);
    let of_port = |p_key| at_second(to(SECOND_QPN, with_p_key(p_key, packet(0x64, 7, &[1; 4]))));
    y.arrive_at(2, &[of_port(0x9111)]);
    assert_eq!(y.drops(), [(DropReason::PKey, 1)]);
    y.arrive_at(2, &[of_port(0x1222)]);
    assert_eq!(y.completions(), [success(70, 44)]);
}

fn cf463_qp1_names_the_entry_of_its_port(y: &mut Bench) {
    let of = |qpn| QpAttributes {
        qpn,
        ..of_datagrams(first())
    };
    y.create(&of(1));
    y.enter_rts();
    y.create_another(&of(3));
    y.enter_rts();
    set_p_key(y, 1, 3, 0x9333);
    set_p_key(y, 2, 2, 0x9333);
    for qpn in [1, 3] {
        y.turn_to(qpn);
        y.post_receive(70, 320 * u64::from(qpn), 296);
    }
    let mad = to(
        1,
        with_p_key(0x9333, with_q_key(0x8001_0000, request(0x64, 7, &[1; 256]))),
    );
    y.arrive_at(1, std::slice::from_ref(&mad));
    y.arrive_at(2, &[at_second(mad)]);
    y.turn_to(1);
    assert_eq!(y.p_key_indices(), [(70, Some(3))]);
    y.turn_to(3);
    assert_eq!(y.p_key_indices(), [(70, Some(2))]);
}

fn cf463_an_entry_that_changes_is_of_one_port(y: &mut Bench) {
    connections(y, 1);
    set_p_key(y, 2, 0, 0x9222);
    y.arrive_at(1, &[to_first(0x04, 100, &[1; 4])]);
    assert_eq!(p_keys(y), [vec![0xFFFF], vec![]]);
    y.arrive_at(2, &[to_second(0x04, 100, &[1; 4])]);
    assert_eq!(y.drops(), [(DropReason::PKey, 1)]);
    y.arrive_at(2, &[with_p_key(0x1222, to_second(0x04, 100, &[1; 4]))]);
    assert_eq!(p_keys(y), [vec![], vec![0x9222]]);
    assert_eq!(completions_of(y, FIRST_QPN), [success(70, 4)]);
    assert_eq!(completions_of(y, SECOND_QPN), [success(70, 4)]);
}

fn set_gids(y: &mut Bench) {
    for (port, (gid, guid)) in (1..).zip(GIDS.into_iter().zip(GUIDS)) {
        let verb = Verb::SetGids {
            gid: gid.to_be_bytes(),
            guids: [guid, 0, 0],
        };
        assert_eq!(y.attempt(verb.on_port(port)), DONE);
    }
    y.settle();
}

fn cf463_a_request_has_the_gid_of_its_port(y: &mut Bench) {
    set_gids(y);
    for (index, gids) in [(0, GIDS), (1, ENTRIES)] {
        let routed = |like: QpAttributes| QpAttributes {
            qpn: like.qpn + 2 * u32::from(index),
            global: Some(TO_PEER),
            sgid_index: index,
            ..like
        };
        for qp in [first(), second()].map(routed) {
            match (index, qp.port) {
                (0, 1) => y.create(&qp),
                _ => y.create_another(&qp),
            }
            y.enter_rts();
            y.post(work(1, SEND, 4));
        }
        assert_eq!(sgids(y), gids.map(|gid| vec![gid]), "index {index}");
    }
}

fn to_handle(handle: u32) -> SendRequest {
    let sent = datagram(1, SEND, 4);
    SendRequest {
        datagram: sent.datagram.map(|d| Datagram { handle, ..d }),
        ..sent
    }
}

fn cf463_a_datagram_has_the_gid_of_its_handles_port(y: &mut Bench) {
    set_gids(y);
    datagrams(y, 0);
    for (index, gids) in [(0, GIDS), (1, ENTRIES)] {
        let routed = |like: AddressHandle| AddressHandle {
            global: Some(TO_PEER),
            sgid_index: index,
            ..like
        };
        y.address(20 + u32::from(index), routed(crate::ud::peer()));
        y.address(30 + u32::from(index), routed(second_peer()));
        y.turn_to(FIRST_QPN);
        y.post(to_handle(20 + u32::from(index)));
        y.turn_to(SECOND_QPN);
        y.post(to_handle(30 + u32::from(index)));
        assert_eq!(sgids(y), gids.map(|gid| vec![gid]), "index {index}");
        assert_eq!(completions_of(y, FIRST_QPN), [success(1, 0)]);
        assert_eq!(completions_of(y, SECOND_QPN), [success(1, 0)]);
    }
    // Without a GRH neither counts.
    y.turn_to(FIRST_QPN);
    y.post(send(1, 4));
    assert_eq!(sgids(y), [vec![0], vec![]]);
    assert_eq!(y.completions(), [success(1, 0)]);
}
