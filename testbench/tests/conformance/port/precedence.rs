//! CF278, CF282, CF449, CF451: SMPs go before flow-control packets, and these before data (`link.md` section 6); and
//! what becomes of packets that wait when their turn never comes.
use super::arbitration::{
    arbitrate, credits, lanes, leave, post, post_from, post_smp, restart, stand_in_front, CQN, IN_FRONT,
};
use super::steps::data;
use crate::bench::verbs::DONE;
use crate::bench::{on_both, Bench, QPN};
use crate::ud::attributes;
use crate::ud::qp0::four_lids;
use hca_golden::event::DropReason;
use hca_golden::port::PortState::Down;
use hca_golden::verbs::QpAttributes;
use hca_golden::wire::packet::Packet;
use hca_testbench::device::Verb;

on_both!(behind super::four_lids();
    cf278_a_packet_under_way_is_not_interrupted,
    cf282_an_smp_goes_before_waiting_data_and_flow_control,
    cf449_without_credits_on_one_vl_the_others_and_smps_leave,
    cf449_however_much_waits_on_one_vl_the_others_leave,
    cf451_a_flow_control_packet_goes_before_waiting_data,
    cf437_all_that_waits_is_discarded_when_the_port_goes_down,
    cf437_what_waits_for_its_turn_then_leaves_or_is_discarded,
    cf455_what_waits_on_a_vl_that_is_taken_out_of_use_is_discarded,
);

/// A datagram of 65 blocks for a QP that does not exist: once it is dropped, more than a quarter of the buffer is free
/// beyond the last FCCL, and a flow-control packet of VL 0 is due (`link.md` section 4.2).
fn make_flow_control_due(y: &mut Bench) {
    let mut datagram = data();
    datagram.bth.dest_qp = QPN + 1;
    datagram.payload = vec![3; 4096];
    y.arrive(datagram.encode().unwrap());
    y.run_cycles(4_000);
    assert_eq!(y.drops(), [(DropReason::DestQp, 1)]);
}

/// All VLs may send, and the link takes nothing.
fn hold(y: &mut Bench) {
    lanes(y);
    y.receive_link(&[credits(0, 1000), credits(1, 1000)]);
    y.sequence();
    y.hold_link(true);
}

/// Words from LRH to ICRC, payload and both CRCs of what left.
fn is_whole(packet: &Packet, words: u16, payload: usize) -> bool {
    packet.lrh().unwrap().pkt_len == words && packet.payload.len() == payload
}

/// The link stops in the middle of a packet of 1 KB, and an SMP, a flow-control packet and a packet of the high table
/// become due. Each packet that leaves is compared with the one of the model byte by byte.
fn cf278_a_packet_under_way_is_not_interrupted(y: &mut Bench) {
    hold(y);
    arbitrate(y, &[(1, 255)], &[(0, 255)], 255);
    post(y, 0, 16);
    y.gather(1);
    // 16 beats at most.
    y.hold_link(false);
    y.run_cycles(16);
    y.hold_link(true);
    post(y, 1, 1);
    post_smp(y);
    y.gather(2);
    make_flow_control_due(y);
    y.hold_link(false);
    y.settle();
    let sequence = y.sequence();
    let packets: Vec<u8> = sequence.iter().copied().flatten().collect();
    assert_eq!(packets, [0, 15, 1]);
    let first = sequence.iter().position(|vl| *vl == Some(0));
    let due = sequence.iter().rposition(|vl| vl.is_none());
    assert!(first < due, "{sequence:?}");
    let sent = y.sent();
    assert!(is_whole(&sent[0], 255, 988), "{:?}", sent[0]);
    assert!(is_whole(&sent[1], 72, 256), "{:?}", sent[1]);
    assert!(is_whole(&sent[2], 15, 28), "{:?}", sent[2]);
    forget_completions(y, 2, 1);
}

/// It is posted last. A single packet, of data or of flow control, has started before.
fn cf282_an_smp_goes_before_waiting_data_and_flow_control(y: &mut Bench) {
    hold(y);
    post(y, 0, 16);
    y.gather(1);
    for sl in [0, 1, 1, 0] {
        post(y, sl, 4);
    }
    make_flow_control_due(y);
    post_smp(y);
    y.gather(6);
    y.hold_link(false);
    y.settle();
    let sequence = y.sequence();
    let smp = sequence.iter().position(|vl| *vl == Some(15)).unwrap();
    assert_eq!((smp, sequence[2]), (1, None), "{sequence:?}");
    assert_eq!(y.packets().len(), 6);
    forget_completions(y, 5, 1);
}

/// Whichever VL has no credits.
fn cf449_without_credits_on_one_vl_the_others_and_smps_leave(y: &mut Bench) {
    lanes(y);
    for (vl, other) in [(0, 1), (1, 0)] {
        restart(y);
        y.submit_link(&[credits(other, 500)]);
        for sl in [vl, other, vl, other, other] {
            post(y, sl, 6);
        }
        post_smp(y);
        y.settle();
        let mut left: Vec<u8> = y.sequence().into_iter().flatten().collect();
        left.sort_unstable();
        assert_eq!(left, [other, other, other, 15]);
        // Credits for one of two.
        for fccl in [6, 12] {
            y.receive_link(&[credits(vl, fccl)]);
            let left: Vec<u8> = y.sequence().into_iter().flatten().collect();
            assert_eq!(left, [vl]);
        }
        assert_eq!(y.packets().len(), 6);
        forget_completions(y, 5, 1);
    }
    assert_eq!(y.xmit_discards(), 0);
}

/// 55 KB wait on VL 0, seven times what its queue holds in `small`. Another queue pair and QP0 go on.
fn cf449_however_much_waits_on_one_vl_the_others_leave(y: &mut Bench) {
    const MANY: u16 = 60;
    lanes(y);
    let other = QPN + 2;
    y.submit(Verb::CreateQp {
        attributes: QpAttributes {
            qpn: other,
            send_cq: CQN,
            receive_cq: CQN,
            ..attributes()
        },
        send_entries: 16,
        receive_entries: 16,
    });
    y.turn_to(other);
    y.enter_rts();
    y.submit_link(&[credits(1, 500)]);
    for _ in 0..MANY {
        post(y, 0, 15);
    }
    y.settle();
    assert_eq!(y.sequence().into_iter().flatten().count(), 0);
    for _ in 0..3 {
        post_from(y, other, 1, 15);
    }
    post_smp(y);
    y.settle();
    let mut left: Vec<u8> = y.sequence().into_iter().flatten().collect();
    left.sort_unstable();
    assert_eq!(left, [1, 1, 1, 15]);
    y.receive_link(&[credits(0, 15 * MANY)]);
    let left: Vec<u8> = y.sequence().into_iter().flatten().collect();
    assert_eq!(left, [0; MANY as usize]);
    assert_eq!(y.packets().len(), usize::from(MANY) + 4);
    y.turn_to(other);
    assert_eq!(y.completions().len(), 3);
    forget_completions(y, usize::from(MANY), 1);
    assert_eq!(y.xmit_discards(), 0);
}

/// One is due for each VL since the port is Active, and once more when a buffer empties.
fn cf451_a_flow_control_packet_goes_before_waiting_data(y: &mut Bench) {
    hold(y);
    stand_in_front(y);
    for sl in [0, 1, 0] {
        post(y, sl, 4);
    }
    y.gather(IN_FRONT + 3);
    make_flow_control_due(y);
    y.hold_link(false);
    y.settle();
    let left = y.sequence();
    let of_packets: Vec<u8> = left.iter().copied().flatten().collect();
    assert_eq!(of_packets, [15, 15, 0, 0, 1]);
    let smp = left.iter().rposition(|vl| *vl == Some(15)).unwrap();
    assert_eq!(left[smp + 1], None, "{left:?}");
    assert_eq!(y.packets().len(), 5);
    forget_completions(y, 3, IN_FRONT);
}

/// Without credits on either VL. Nothing of it leaves later.
fn cf437_all_that_waits_is_discarded_when_the_port_goes_down(y: &mut Bench) {
    lanes(y);
    for sl in [0, 1, 1, 0, 1] {
        post(y, sl, 6);
    }
    y.settle();
    restart(y);
    assert_eq!(y.xmit_discards(), 5);
    y.receive_link(&[credits(0, 500), credits(1, 500)]);
    assert_eq!(y.packets().len(), 0);
    forget_completions(y, 5, 0);
    post(y, 0, 1);
    post(y, 1, 1);
    let mut left = leave(y);
    left.sort_unstable();
    assert_eq!(left, [0, 1]);
    assert_eq!(y.xmit_discards(), 5);
}

/// With credits, behind SMPs that the link holds. The SMPs leave; each data packet leaves or is discarded.
fn cf437_what_waits_for_its_turn_then_leaves_or_is_discarded(y: &mut Bench) {
    hold(y);
    stand_in_front(y);
    for sl in [0, 1, 1, 0, 1] {
        post(y, sl, 6);
    }
    y.gather(IN_FRONT + 5);
    y.submit(Verb::SetPortState { state: Down });
    y.run_cycles(2_000);
    y.hold_link(false);
    y.settle();
    let left: Vec<u8> = y.sequence().into_iter().flatten().collect();
    assert_eq!(left[..IN_FRONT], [15; IN_FRONT]);
    assert_eq!(left.len(), y.packets().len());
    assert_eq!(left.len() as u32 + y.xmit_discards(), 7);
    forget_completions(y, 5, IN_FRONT);
    y.told();
}

/// What waits on the other VL stays, and nothing of it leaves when the VL is in use again.
fn cf455_what_waits_on_a_vl_that_is_taken_out_of_use_is_discarded(y: &mut Bench) {
    lanes(y);
    for sl in [1, 0, 1, 1] {
        post(y, sl, 6);
    }
    y.settle();
    for (data_vls, discards) in [(2, 0), (1, 3), (2, 3)] {
        assert_eq!(y.attempt(Verb::SetDataVls { data_vls }), DONE);
        y.settle();
        assert_eq!(y.xmit_discards(), discards, "{data_vls} data VLs");
    }
    y.receive_link(&[credits(0, 500), credits(1, 500)]);
    let left: Vec<u8> = y.sequence().into_iter().flatten().collect();
    assert_eq!(left, [0]);
    assert_eq!(y.packets().len(), 1);
    forget_completions(y, 4, 0);
    post(y, 1, 1);
    assert_eq!(leave(y), [1]);
}

/// So many datagrams, and SMPs, are complete.
fn forget_completions(y: &mut Bench, datagrams: usize, smps: usize) {
    for (qpn, number) in [(0, smps), (QPN, datagrams)] {
        y.turn_to(qpn);
        assert_eq!(y.completions().len(), number, "of QP {qpn:06X}h");
    }
}
