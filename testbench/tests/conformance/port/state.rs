//! CF429, CF430, CF437: what a port sends and takes in each state.
use crate::bench::peer::to;
use crate::bench::requester::{work, SEND};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, request, Bench, FIRST_PSN};
use crate::ud::qp0::requester::message;
use crate::ud::qp0::{connect, four_lids, qp0, smp};
use crate::ud::{peer, send, success, with_q_key};
use hca_golden::event::DropReason;
use hca_golden::port::PortState;
use hca_golden::verbs::{Completion, PortCounter, QpAttributes, Status};
use hca_golden::wire::packet::Packet;
use hca_testbench::device::Verb;
use PortState::{Active, Armed, Down};

on_both!(behind super::four_lids();
    cf429_in_init_smps_alone_leave_and_arrive,
    cf430_an_armed_port_sends_no_data_and_takes_it,
    cf437_messages_of_uc_complete_and_are_counted,
    cf437_a_connection_goes_on_by_its_timer,
    cf437_the_count_stays_at_ffff,
);

/// Y's QP0 and QP1, with a receive WQE each.
fn queue_pairs(y: &mut Bench) {
    connect(y, peer(), 1);
    y.create_another(&QpAttributes { qpn: 1, ..qp0() });
    y.enter_rts();
    y.post_receive(1, 640, 296);
}

/// A datagram for QP1 at LID 10h.
fn data() -> Packet {
    let mut data = to(1, with_q_key(0x8001_0000, request(0x64, 7, &[1; 256])));
    data.lrh_mut().unwrap().dlid = 0x10;
    data
}

/// Completions of this QP: work request and bytes.
fn completed(y: &mut Bench, qpn: u32) -> Vec<(u64, u32)> {
    y.turn_to(qpn);
    let taken = y.taken().into_iter();
    let of = |c: Completion| (c.wr_id, c.byte_count);
    taken.filter(|c| c.status == Status::Success).map(of).collect()
}

/// QP and VL of what leaves.
fn sent(y: &mut Bench) -> Vec<(u32, u8)> {
    let sent = y.sent();
    let of = |p: &Packet| (p.deth().unwrap().src_qp, p.lrh().unwrap().vl);
    sent.iter().map(of).collect()
}

fn cf429_in_init_smps_alone_leave_and_arrive(y: &mut Bench) {
    queue_pairs(y);
    y.set_port_state(&[Down]);
    y.take(&[data(), smp(0x81), data()]);
    assert_eq!(y.drops(), [(DropReason::PortState, 2)]);
    assert_eq!(completed(y, 0), [(70, 296)]);
    // The state comes before every other check.
    let mut bad = data().encode().unwrap();
    *bad.last_mut().unwrap() ^= 1;
    y.receive(&[bad]);
    assert_eq!(y.drops(), [(DropReason::PortState, 1)]);
    // What is shorter than an LRH is dropped for either reason.
    y.receive(&[vec![0xF0], vec![0xF0; 7], vec![0x50; 7]]);
    assert_eq!(y.drops().iter().map(|(_, count)| count).sum::<u64>(), 3);
    y.turn_to(1);
    y.post(message(2, SEND, 256));
    assert_eq!(sent(y), []);
    assert_eq!((completed(y, 1), y.xmit_discards()), (vec![(2, 0)], 1));
    y.turn_to(0);
    y.post(message(3, SEND, 256));
    assert_eq!(sent(y), [(0, 15)]);
    assert_eq!((completed(y, 0), y.xmit_discards()), (vec![(3, 0)], 1));
}

fn cf430_an_armed_port_sends_no_data_and_takes_it(y: &mut Bench) {
    queue_pairs(y);
    y.set_port_state(&[Down, Armed]);
    y.post(message(2, SEND, 256));
    y.post(message(3, SEND, 256));
    assert_eq!(sent(y), []);
    assert_eq!(completed(y, 1), [(2, 0), (3, 0)]);
    assert_eq!(y.xmit_discards(), 2);
    y.turn_to(0);
    y.post(message(4, SEND, 256));
    assert_eq!(sent(y), [(0, 15)]);
    y.take(&[smp(0x81)]);
    assert_eq!(completed(y, 0), [(4, 0), (70, 296)]);
    y.take(&[data()]);
    assert_eq!(completed(y, 1), [(1, 296)]);
    assert_eq!(y.port_state(), Active);
    y.post(message(5, SEND, 256));
    assert_eq!(sent(y), [(1, 0)]);
    assert_eq!((completed(y, 1), y.xmit_discards()), (vec![(5, 0)], 2));
    assert_eq!(y.drops(), []);
}

/// Every packet counts.
fn cf437_messages_of_uc_complete_and_are_counted(y: &mut Bench) {
    y.connect_unreliably();
    y.set_port_state(&[Down]);
    y.post(work(1, SEND, 600));
    y.settle();
    assert_eq!(y.packets(), Vec::<Vec<u8>>::new());
    assert_eq!((y.completions(), y.xmit_discards()), (vec![success(1, 0)], 3));
    y.set_port_state(&[Armed, Active]);
    y.post(work(2, SEND, 600));
    y.settle();
    assert_eq!(y.packets().len(), 3);
    assert_eq!((y.completions(), y.xmit_discards()), (vec![success(2, 0)], 3));
}

/// It asks again after the time of its ack timer, and once the port is Active the request leaves.
fn cf437_a_connection_goes_on_by_its_timer(y: &mut Bench) {
    y.connect_with(|a| (a.timeout, a.retry_cnt) = (3, 7));
    y.set_port_state(&[Down]);
    y.post(work(1, SEND, 4));
    y.settle();
    assert_eq!(y.packets(), Vec::<Vec<u8>>::new());
    assert_eq!((y.completions(), y.xmit_discards()), (vec![], 1));
    y.set_port_state(&[Armed, Active]);
    assert_eq!(y.next_packet(1 << 16).0, (0x04, FIRST_PSN));
}

fn cf437_the_count_stays_at_ffff(y: &mut Bench) {
    y.datagrams();
    let counter = PortCounter::XmitDiscards;
    let count = 0xFFFE;
    assert_eq!(y.attempt(Verb::SetPortCounter { counter, count }), DONE);
    y.set_port_state(&[Down]);
    for wr_id in 1..=3 {
        y.post(send(wr_id, 4));
    }
    y.settle();
    assert_eq!(y.xmit_discards(), 0xFFFF);
    assert_eq!(y.completions(), [success(1, 0), success(2, 0), success(3, 0)]);
}
