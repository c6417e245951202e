//! CF048, CF339: packets for a queue pair of the other port.
use super::{
    completions_of, connections, datagrams, first, second, to_first, to_second, FIRST_QPN, SECOND_QPN,
};
use crate::bench::peer::{acknowledge, to};
use crate::bench::requester::{work, SEND};
use crate::bench::two_ports::{at_second, on_both_with_two_ports, SECOND_LID};
use crate::bench::{Bench, FIRST_PSN};
use crate::ud::{packet, success, with_q_key};
use hca_golden::event::DropReason;
use hca_golden::verbs::PortCounter::{PKeyViolations, QKeyViolations, RcvErrors, RcvPackets};
use hca_golden::verbs::{QpAttributes, QpState, Service};
use hca_golden::wire::packet::Packet;

on_both_with_two_ports!(
    cf048_a_request_at_the_other_port_is_dropped,
    cf048_a_request_at_the_own_port_is_executed,
    cf048_a_response_at_the_other_port_is_dropped,
    cf048_an_unreliable_connection_drops_it_too,
    cf048_the_other_port_violates_no_p_key,
    cf339_a_datagram_at_the_other_port_is_dropped,
    cf339_steps_before_the_port_come_first,
);

/// The packet for a LID of this port, from where it comes.
fn strays_to(port: u8, mut packet: Packet) -> Packet {
    packet.lrh_mut().unwrap().dlid = match port {
        1 => 2,
        _ => SECOND_LID,
    };
    packet
}

/// Expects that no port has sent a packet or counted one, and that software has got no event.
fn is_silent(y: &mut Bench) {
    assert_eq!(y.left(), [vec![], vec![]]);
    assert_eq!(y.told(), []);
    for counter in [PKeyViolations, QKeyViolations, RcvErrors] {
        assert_eq!(y.counts(counter), [0, 0], "{counter:?}");
    }
}

fn cf048_a_request_at_the_other_port_is_dropped(y: &mut Bench) {
    connections(y, 1);
    y.arrive_at(2, &[strays_to(2, to_first(0x04, 100, &[1; 4]))]);
    assert_eq!(y.drops(), [(DropReason::Source, 1)]);
    y.arrive_at(1, &[strays_to(1, to_second(0x04, 100, &[1; 4]))]);
    assert_eq!(y.drops(), [(DropReason::Source, 1)]);
    is_silent(y);
    // It came whole: the link counts it.
    assert_eq!(y.counts(RcvPackets), [1, 1]);
    assert_eq!(completions_of(y, FIRST_QPN), []);
    assert_eq!(completions_of(y, SECOND_QPN), []);
}

/// The answer leaves by the port of the queue pair, between the LIDs of that port and its peer.
fn cf048_a_request_at_the_own_port_is_executed(y: &mut Bench) {
    connections(y, 1);
    y.arrive_at(2, &[to_second(0x04, 100, &[1; 4])]);
    let [of_first, of_second] = y.left();
    assert_eq!(of_first, []);
    let lids = |packet: &Packet| packet.lrh().map(|lrh| (lrh.slid, lrh.dlid));
    assert_eq!(
        of_second.iter().map(lids).collect::<Vec<_>>(),
        [Some((0x22, 0x11))]
    );
    assert_eq!((of_second[0].bth.opcode, of_second[0].bth.psn), (0x11, 100));
    y.arrive_at(1, &[to_first(0x04, 100, &[2; 4])]);
    let [of_first, of_second] = y.left();
    assert_eq!(of_first.iter().map(lids).collect::<Vec<_>>(), [Some((2, 1))]);
    assert_eq!(of_second, []);
    assert_eq!(completions_of(y, FIRST_QPN), [success(70, 4)]);
    assert_eq!(completions_of(y, SECOND_QPN), [success(70, 4)]);
    assert_eq!((y.buffer(0, 4), y.buffer(0x400, 4)), (vec![2; 4], vec![1; 4]));
}

fn cf048_a_response_at_the_other_port_is_dropped(y: &mut Bench) {
    connections(y, 0);
    y.turn_to(SECOND_QPN);
    y.post(work(1, SEND, 4));
    let [of_first, of_second] = y.left();
    assert_eq!((of_first.len(), of_second.len()), (0, 1));
    let ack = at_second(to(SECOND_QPN, acknowledge(FIRST_PSN, 0x1F)));
    y.arrive_at(1, &[strays_to(1, ack.clone())]);
    assert_eq!(y.drops(), [(DropReason::Source, 1)]);
    is_silent(y);
    assert_eq!(y.completions(), []);
    y.arrive_at(2, &[ack]);
    assert_eq!(y.completions(), [success(1, 0)]);
}

fn cf048_an_unreliable_connection_drops_it_too(y: &mut Bench) {
    let of_uc = |like: QpAttributes| QpAttributes {
        service: Service::Uc,
        max_rd_atomic: 0,
        max_dest_rd_atomic: 0,
        ..like
    };
    super::both(y, [first(), second()].map(of_uc), 1);
    let silent = |mut packet: Packet| {
        packet.bth.a = false;
        packet
    };
    y.arrive_at(1, &[strays_to(1, silent(to_second(0x24, 100, &[1; 4])))]);
    assert_eq!(y.drops(), [(DropReason::Source, 1)]);
    is_silent(y);
    y.arrive_at(2, &[silent(to_second(0x24, 100, &[2; 4]))]);
    assert_eq!(completions_of(y, SECOND_QPN), [success(70, 4)]);
}

/// The P_Key is that of no entry. At the port of the queue pair it counts.
fn cf048_the_other_port_violates_no_p_key(y: &mut Bench) {
    connections(y, 1);
    let mut other = to_second(0x04, 100, &[1; 4]);
    other.bth.p_key = 0x9777;
    y.arrive_at(1, &[strays_to(1, other.clone())]);
    assert_eq!(y.drops(), [(DropReason::Source, 1)]);
    is_silent(y);
    y.arrive_at(2, &[other]);
    assert_eq!(y.drops(), [(DropReason::PKey, 1)]);
    assert_eq!(y.counts(PKeyViolations), [0, 1]);
}

/// Before its P_Key and its Q_Key are looked at.
fn cf339_a_datagram_at_the_other_port_is_dropped(y: &mut Bench) {
    datagrams(y, 1);
    let sound = to(SECOND_QPN, packet(0x64, 7, &[1; 4]));
    let other_q_key = to(SECOND_QPN, with_q_key(5, packet(0x64, 7, &[1; 4])));
    let mut other_p_key = sound.clone();
    other_p_key.bth.p_key = 0x9777;
    for wrong in [sound.clone(), other_q_key, other_p_key] {
        y.arrive_at(1, &[strays_to(1, wrong)]);
        assert_eq!(y.drops(), [(DropReason::Source, 1)]);
    }
    is_silent(y);
    y.arrive_at(2, &[at_second(sound)]);
    y.turn_to(SECOND_QPN);
    let taken = y.taken();
    let places: Vec<_> = taken
        .iter()
        .map(|c| c.datagram.map(|d| (d.port, d.slid, d.lid)))
        .collect();
    assert_eq!(places, [Some((2, 0x11, 0x22))]);
    let to_first = to(FIRST_QPN, packet(0x64, 7, &[1; 4]));
    y.arrive_at(2, &[at_second(to_first.clone())]);
    assert_eq!(y.drops(), [(DropReason::Source, 1)]);
    y.arrive_at(1, &[strays_to(1, to_first)]);
    y.turn_to(FIRST_QPN);
    let places: Vec<_> = y
        .taken()
        .iter()
        .map(|c| c.datagram.map(|d| (d.port, d.slid, d.lid)))
        .collect();
    assert_eq!(places, [Some((1, 1, 2))]);
}

/// The opcode, the state and the permissive SLID (`ud.md` section 3.1 steps 5 to 7).
fn cf339_steps_before_the_port_come_first(y: &mut Bench) {
    datagrams(y, 1);
    let of_rc = strays_to(1, to(SECOND_QPN, to_first(0x04, 7, &[1; 4])));
    y.arrive_at(1, &[of_rc]);
    assert_eq!(y.drops(), [(DropReason::Opcode, 1)]);
    let mut permissive = strays_to(1, to(SECOND_QPN, packet(0x64, 7, &[1; 4])));
    permissive.lrh_mut().unwrap().slid = 0xFFFF;
    y.arrive_at(1, &[permissive.clone()]);
    assert_eq!(y.drops(), [(DropReason::Dlid, 1)]);
    y.turn_to(SECOND_QPN);
    y.modify(QpState::Error);
    assert_eq!(y.completions().len(), 1);
    y.arrive_at(
        1,
        &[permissive, strays_to(1, to(SECOND_QPN, packet(0x64, 7, &[1; 4])))],
    );
    assert_eq!(y.drops(), [(DropReason::QpState, 2)]);
}
