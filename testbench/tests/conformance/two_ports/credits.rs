//! CF462: each port keeps to the credits of its neighbour, and grants its own (`link.md` section 5).
use super::{datagrams, FIRST_HANDLE, FIRST_QPN, SECOND_HANDLE, SECOND_QPN};
use crate::bench::requester::SEND;
use crate::bench::two_ports::{at_second, on_both_with_two_ports};
use crate::bench::verbs::DONE;
use crate::bench::Bench;
use crate::ud::{datagram, packet, success};
use hca_golden::arbitration::{Arbitration, Entry};
use hca_golden::event::DropReason;
use hca_golden::port::PortState::{Active, Armed, Down};
use hca_golden::verbs::{Datagram, SendRequest};
use hca_golden::wire::flow_control::FlowControl;
use hca_testbench::device::Verb;

on_both_with_two_ports!(
    cf462_credits_are_of_one_port,
    cf462_one_port_needs_credits_and_the_other_none,
    cf462_counts_of_blocks_are_of_one_port,
    cf462_an_arbitration_is_of_one_port,
);

/// Clock cycles in which every VL speaks, and a packet on its way.
const PERIOD: u64 = 32_768 + 1_024;

/// A flow-control packet for VL 0.
fn credits(fctbs: u16, fccl: u16) -> Vec<u8> {
    let (op, vl) = (0, 0);
    FlowControl { op, vl, fctbs, fccl }.encode().unwrap()
}

/// Takes this port from Down to Active with flow control; its counts are 0.
fn control(y: &mut Bench, port: u8) {
    let step = |state| Verb::SetPortState { state };
    for verb in [
        Verb::SetFlowControl { is_on: true },
        step(Down),
        step(Armed),
        step(Active),
    ] {
        assert_eq!(y.attempt(verb.on_port(port)), DONE);
    }
    y.told();
}

/// Posts a datagram of so many bytes at each port; true for the ports that it has left.
fn send_both(y: &mut Bench, length: u32) -> [bool; 2] {
    for (qpn, handle) in [(FIRST_QPN, FIRST_HANDLE), (SECOND_QPN, SECOND_HANDLE)] {
        let sent = datagram(1, SEND, length);
        y.turn_to(qpn);
        y.post(SendRequest {
            datagram: sent.datagram.map(|d| Datagram { handle, ..d }),
            ..sent
        });
    }
    left(y)
}

fn left(y: &mut Bench) -> [bool; 2] {
    y.left().map(|packets| !packets.is_empty())
}

/// Each of the QPs has completed so many datagrams.
fn complete(y: &mut Bench, datagrams: [usize; 2]) {
    for (qpn, number) in [FIRST_QPN, SECOND_QPN].into_iter().zip(datagrams) {
        y.turn_to(qpn);
        assert_eq!(y.completions(), vec![success(1, 0); number]);
    }
}

fn cf462_credits_are_of_one_port(y: &mut Bench) {
    datagrams(y, 0);
    control(y, 1);
    control(y, 2);
    assert_eq!(send_both(y, 4), [false, false]);
    y.receive_link_at(2, &[credits(0, 1)]);
    assert_eq!(left(y), [false, true]);
    y.receive_link_at(1, &[credits(0, 1)]);
    assert_eq!(left(y), [true, false]);
    complete(y, [1, 1]);
}

fn cf462_one_port_needs_credits_and_the_other_none(y: &mut Bench) {
    datagrams(y, 0);
    control(y, 2);
    assert_eq!(send_both(y, 4), [true, false]);
    assert_eq!(send_both(y, 4), [true, false]);
    y.receive_link_at(2, &[credits(0, 2)]);
    assert_eq!(left(y), [false, true]);
    complete(y, [2, 2]);
}

/// A datagram of 600 bytes has 10 blocks, one of 4 bytes has one.
fn cf462_counts_of_blocks_are_of_one_port(y: &mut Bench) {
    datagrams(y, 0);
    control(y, 1);
    control(y, 2);
    y.receive_link_at(1, &[credits(0, 64)]);
    assert_eq!(send_both(y, 600), [true, false]);
    y.arrive_at(2, &[at_second(packet(0x64, 7, &[1; 4]))]);
    assert_eq!(y.drops(), [(DropReason::DestQp, 1)]);
    let last = |y: &mut Bench, port| {
        let mut of_vl_0 = y
            .link_packets_of(port)
            .into_iter()
            .filter(|(_, packet)| packet.vl == 0);
        of_vl_0.next_back().map(|(_, packet)| (packet.fctbs, packet.fccl))
    };
    for port in [1, 2] {
        last(y, port);
    }
    y.run_for(PERIOD);
    let buffer = crate::bench::profile().receive_blocks as u16;
    assert_eq!(last(y, 1), Some((10, buffer)));
    assert_eq!(last(y, 2), Some((0, buffer + 1)));
    y.receive_link_at(2, &[credits(0, 64)]);
    assert_eq!(left(y), [false, true]);
    complete(y, [1, 1]);
}

/// A port whose tables serve VL 1 alone sends nothing on VL 0.
fn cf462_an_arbitration_is_of_one_port(y: &mut Bench) {
    datagrams(y, 0);
    control(y, 1);
    control(y, 2);
    let mut arbitration = Arbitration::of(2);
    arbitration.low[0] = Entry { vl: 1, weight: 64 };
    assert_eq!(y.attempt(Verb::SetArbitration { arbitration }.on_port(2)), DONE);
    for port in [1, 2] {
        y.receive_link_at(port, &[credits(0, 64)]);
    }
    assert_eq!(send_both(y, 4), [true, false]);
    let arbitration = Arbitration::of(2);
    assert_eq!(y.attempt(Verb::SetArbitration { arbitration }.on_port(2)), DONE);
    y.settle();
    assert_eq!(left(y), [false, true]);
    complete(y, [1, 1]);
}
