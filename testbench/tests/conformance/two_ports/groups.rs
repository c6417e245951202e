//! CF462: a multicast group is one of its members' port (`link.md` section 8).
use super::{
    completions_of, datagrams, first, of_datagrams, second, second_peer, FIRST_HANDLE, FIRST_QPN,
    SECOND_HANDLE, SECOND_QPN,
};
use crate::bench::requester::SEND;
use crate::bench::two_ports::{on_both_with_two_ports, SECOND_PEER};
use crate::bench::verbs::DONE;
use crate::bench::Bench;
use crate::ud::{datagram, packet, peer, success};
use hca_golden::event::DropReason;
use hca_golden::verbs::{AddressHandle, Datagram, GlobalRoute, QpAttributes, SendRequest};
use hca_golden::wire::grh::Grh;
use hca_golden::wire::packet::{Packet, Route};
use hca_testbench::device::{Reason, Verb};

on_both_with_two_ports!(
    cf462_a_multicast_packet_reaches_the_members_of_its_port,
    cf462_a_group_of_one_port_is_unknown_at_the_other,
    cf462_a_group_has_a_lid_at_each_port,
    cf462_copies_stay_at_the_port_of_the_sender,
);

const MGID: [u8; 16] = [0xFF, 0x12, 0x40, 0x1B, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5];
const MLID: u16 = 0xC005;
/// Another member at port 1, and one at port 2.
const THIRD_QPN: u32 = 0x00_0D2B;
const FOURTH_QPN: u32 = 0x00_0E2C;

fn attach(qpn: u32, mlid: u16) -> Verb {
    let mgid = MGID;
    Verb::Attach { qpn, mgid, mlid }
}

/// A packet from this LID for the group.
fn multicast(slid: u16) -> Packet {
    let mut packet = packet(0x64, 7, &[1; 4]);
    packet.bth.dest_qp = 0xFF_FFFF;
    let lrh = packet.lrh_mut().unwrap();
    (lrh.dlid, lrh.slid) = (MLID, slid);
    let grh = Grh {
        hop_lmt: 1,
        sgid: [0xFE; 16],
        dgid: MGID,
        ..Grh::default()
    };
    packet.route = Route::Global(*packet.lrh().unwrap(), grh);
    packet
}

/// A packet from LID 2 is port 1's own packet come back, and is dropped there. At port 2, LID 2 is another node's.
fn cf462_a_multicast_packet_reaches_the_members_of_its_port(y: &mut Bench) {
    datagrams(y, 2);
    for qpn in [FIRST_QPN, SECOND_QPN] {
        assert_eq!(y.attempt(attach(qpn, MLID)), DONE);
    }
    y.arrive_at(2, &[multicast(SECOND_PEER)]);
    assert_eq!(completions_of(y, FIRST_QPN), []);
    assert_eq!(completions_of(y, SECOND_QPN), [success(70, 44)]);
    y.arrive_at(1, &[multicast(1)]);
    assert_eq!(completions_of(y, FIRST_QPN), [success(70, 44)]);
    assert_eq!(completions_of(y, SECOND_QPN), []);
    y.arrive_at(2, &[multicast(2)]);
    assert_eq!(completions_of(y, SECOND_QPN), [success(71, 44)]);
    y.arrive_at(1, &[multicast(2)]);
    assert_eq!(y.drops(), [(DropReason::SelfMulticast, 1)]);
}

fn cf462_a_group_of_one_port_is_unknown_at_the_other(y: &mut Bench) {
    datagrams(y, 1);
    assert_eq!(y.attempt(attach(FIRST_QPN, MLID)), DONE);
    y.arrive_at(2, &[multicast(SECOND_PEER)]);
    assert_eq!(y.drops(), [(DropReason::MulticastAddress, 1)]);
    y.arrive_at(1, &[multicast(1)]);
    assert_eq!(completions_of(y, FIRST_QPN), [success(70, 44)]);
    // The queue pair of port 2 is no member of the group of the same address at port 2.
    let (qpn, mgid, mlid) = (SECOND_QPN, MGID, MLID);
    assert_eq!(y.attempt(Verb::Detach { qpn, mgid, mlid }), Err(Reason::NotFound));
}

fn cf462_a_group_has_a_lid_at_each_port(y: &mut Bench) {
    datagrams(y, 0);
    assert_eq!(y.attempt(attach(FIRST_QPN, MLID)), DONE);
    assert_eq!(y.attempt(attach(SECOND_QPN, MLID + 1)), DONE);
    y.create_another(&QpAttributes {
        qpn: THIRD_QPN,
        ..of_datagrams(first())
    });
    y.enter_rts();
    assert_eq!(y.attempt(attach(THIRD_QPN, MLID + 1)), Err(Reason::BadAttribute));
    assert_eq!(y.attempt(attach(THIRD_QPN, MLID)), DONE);
}

/// The packet leaves by one port, and its copies reach the members there.
fn cf462_copies_stay_at_the_port_of_the_sender(y: &mut Bench) {
    datagrams(y, 1);
    for (qpn, like) in [(THIRD_QPN, first()), (FOURTH_QPN, second())] {
        y.create_another(&QpAttributes {
            qpn,
            ..of_datagrams(like)
        });
        y.enter_rts();
        y.post_receive(80, 0x700, 64);
    }
    for qpn in [FIRST_QPN, SECOND_QPN, THIRD_QPN, FOURTH_QPN] {
        assert_eq!(y.attempt(attach(qpn, MLID)), DONE);
    }
    let of_group = |like: AddressHandle| AddressHandle {
        dlid: MLID,
        global: Some(GlobalRoute {
            dgid: MGID,
            flow_label: 0,
            traffic_class: 0,
            hop_limit: 1,
        }),
        ..like
    };
    y.address(FIRST_HANDLE + 10, of_group(peer()));
    y.address(SECOND_HANDLE + 10, of_group(second_peer()));
    for (sender, handle, other) in [
        (SECOND_QPN, SECOND_HANDLE + 10, FOURTH_QPN),
        (FIRST_QPN, FIRST_HANDLE + 10, THIRD_QPN),
    ] {
        let sent = datagram(1, SEND, 4);
        y.turn_to(sender);
        y.post(SendRequest {
            datagram: sent.datagram.map(|d| Datagram {
                handle,
                dest_qpn: 0xFF_FFFF,
                q_key: crate::ud::attributes().q_key,
                ..d
            }),
            ..sent
        });
        let number = y.left().map(|packets| packets.len());
        assert_eq!(number, if sender == FIRST_QPN { [1, 0] } else { [0, 1] });
        assert_eq!(completions_of(y, sender), [success(1, 0)]);
        assert_eq!(completions_of(y, other), [success(80, 44)]);
    }
    for qpn in [FIRST_QPN, SECOND_QPN, THIRD_QPN, FOURTH_QPN] {
        assert_eq!(completions_of(y, qpn), []);
    }
}
