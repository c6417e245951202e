//! CF003, CF042, CF045, CF208, CF218, CF224, CF227, CF334 to CF338, CF340, CF341, CF343, CF344: which datagrams
//! arrive, and what their completions say (`ud.md` section 3).
use super::{attributes, packet, success, with_q_key, Q_KEY, VIOLATION};
use crate::bench::peer::with_immediate;
use crate::bench::requester::all_rights;
use crate::bench::verbs::DONE;
use crate::bench::{on_both, request, Bench, BUFFER, UNTOUCHED};
use hca_golden::event::DropReason;
use hca_golden::verbs::{CompletedOperation, DatagramSource, PortCounter, QpState, Sge, Status};
use hca_golden::wire::deth::Deth;
use hca_golden::wire::extension::Extension;
use hca_testbench::device::Verb;
use hca_testbench::scenario::connection::RECEIVE_CQ;
use hca_testbench::scenario::region::L_KEY;

on_both!(
    cf045_datagrams_arrive_from_rtr_on_but_not_in_error,
    cf003_cf042_cf343_other_opcodes_are_dropped,
    cf042_cf343_the_opcode_counts_before_the_state,
    cf218_cf335_a_wrong_q_key_is_dropped,
    cf224_the_completion_names_the_sender,
    cf227_the_psn_is_not_looked_at,
    cf334_without_a_receive_wqe_it_is_dropped,
    cf336_a_wrong_p_key_is_dropped_before_the_q_key,
    cf337_counts_of_violations_stay_at_ffff,
    cf338_anyone_may_send,
    cf340_the_permissive_lid_is_no_source,
    cf208_cf341_nothing_is_answered,
    cf343_datagrams_for_connections_are_dropped,
    cf344_no_communication_is_established,
    the_solicited_bit_wakes_software,
);

fn cf045_datagrams_arrive_from_rtr_on_but_not_in_error(y: &mut Bench) {
    y.create(&attributes());
    let arrive = |y: &mut Bench| y.take(&[packet(0x64, 7, &[1; 4])]);
    arrive(y);
    // A device that was not informed of the QP does not know it.
    let drops = y.drops();
    assert!(
        matches!(drops[..], [(DropReason::DestQp | DropReason::QpState, 1)]),
        "Reset: {drops:?}"
    );
    y.modify(QpState::Init);
    for wr_id in 1..6 {
        y.post_receive(wr_id, 0, 64);
    }
    arrive(y);
    assert_eq!(y.drops(), [(DropReason::QpState, 1)], "Init");
    for (wr_id, state) in [(1, QpState::Rtr), (2, QpState::Rts), (3, QpState::Sqd)] {
        y.modify(state);
        arrive(y);
        assert_eq!(y.completions(), [success(wr_id, 44)], "{state:?}");
    }
    y.modify(QpState::Rts);
    y.post(super::datagram(9, crate::bench::requester::READ, 8));
    y.settle();
    assert_eq!(y.completions(), [(9, Status::LocQpOpErr, 0)]);
    assert_eq!(y.query().0, QpState::Sqe);
    arrive(y);
    assert_eq!(y.completions(), [success(4, 44)], "SQE");
    y.modify(QpState::Error);
    assert_eq!(y.completions(), [super::flushed(5)]);
    arrive(y);
    assert_eq!(y.drops(), [(DropReason::QpState, 1)], "Error");
}

/// 66h to 7Fh are none, those of other services are of another class; the responses of connections, too.
fn cf003_cf042_cf343_other_opcodes_are_dropped(y: &mut Bench) {
    y.datagrams();
    y.post_receive(1, 0, 640);
    for opcode in (0x66..=0x7F).chain([0x00, 0x04, 0x0A, 0x0C, 0x11, 0x14, 0x20, 0x24, 0x2B, 0x44, 0x55]) {
        y.take(&[packet(opcode, 7, &[])]);
        let drops = y.drops();
        assert_eq!(drops, [(DropReason::Opcode, 1)], "opcode {opcode:02X}h");
    }
    y.take(&[packet(0x65, 7, &[1; 4])]);
    assert_eq!(y.completions(), [success(1, 44)]);
}

/// The first packet moves the QP to Error; the others are right behind it.
fn cf042_cf343_the_opcode_counts_before_the_state(y: &mut Bench) {
    y.datagrams();
    let bad = Sge {
        addr: BUFFER,
        length: 64,
        l_key: L_KEY + 1,
    };
    y.post_receive_of(1, &[bad]);
    let opcodes = [0x64, 0x14, 0x65, 0x24];
    let packets = opcodes.map(|opcode| packet(opcode, 7, &[1; 4]).encode().unwrap());
    y.receive(&packets);
    assert_eq!(y.drops(), [(DropReason::Opcode, 2), (DropReason::QpState, 1)]);
    assert_eq!(
        (y.completions(), y.state()),
        (vec![(1, Status::LocProtErr, 0)], QpState::Error)
    );
}

/// All 32 bits count.
fn cf218_cf335_a_wrong_q_key_is_dropped(y: &mut Bench) {
    y.datagrams();
    y.post_receive(1, 0, 64);
    for bit in 0..32 {
        let wrong = with_q_key(Q_KEY ^ 1 << bit, packet(0x64, 7, &[1; 4]));
        y.take(&[wrong]);
        assert_eq!(y.drops(), [(DropReason::QKey, 1)], "bit {bit}");
    }
    assert_eq!((y.completions(), y.told()), (vec![], vec![VIOLATION]));
    assert_eq!(y.buffer(0, 64), [UNTOUCHED; 64]);
    y.take(&[packet(0x64, 7, &[1; 4])]);
    assert_eq!(y.completions(), [success(1, 44)]);
}

fn cf224_the_completion_names_the_sender(y: &mut Bench) {
    y.datagrams();
    y.post_receive(1, 0, 64);
    y.post_receive(2, 64, 64);
    let from = |src_qp, slid, sl, mut packet: hca_golden::wire::packet::Packet| {
        let lrh = packet.lrh_mut().unwrap();
        (lrh.slid, lrh.sl) = (slid, sl);
        for extension in &mut packet.extensions {
            if let Extension::Deth(deth) = extension {
                *deth = Deth { src_qp, ..*deth };
            }
        }
        packet
    };
    let immediate = [9, 8, 7, 6];
    y.take(&[
        from(0xFE_DCBA, 0xBFFF, 15, packet(0x64, 7, &[1; 2])),
        from(1, 1, 0, with_immediate(packet(0x65, 8, &[2; 3]), immediate)),
    ]);
    let completions = y.taken();
    let completed: Vec<_> = completions
        .iter()
        .map(|c| {
            (
                c.wr_id, c.operation, c.byte_count, c.immediate, c.p_key_index, c.datagram,
            )
        })
        .collect();
    let source = |qpn, slid, sl| {
        Some(DatagramSource {
            qpn,
            slid,
            sl,
            lid: 2,
            ..DatagramSource::default()
        })
    };
    let receive = CompletedOperation::Receive;
    assert_eq!(
        completed,
        [
            (1, receive, 42, None, None, source(0xFE_DCBA, 0xBFFF, 15)),
            (2, receive, 43, Some(immediate), None, source(1, 1, 0)),
        ]
    );
}

fn cf227_the_psn_is_not_looked_at(y: &mut Bench) {
    y.datagrams();
    for (wr_id, psn) in (1..).zip([100, 100, 99, 0xFF_FFFF, 0]) {
        y.post_receive(wr_id, 0, 64);
        y.take(&[packet(0x64, psn, &[1; 4])]);
        assert_eq!(y.completions(), [success(wr_id, 44)], "PSN {psn}");
    }
    assert_eq!(y.drops(), []);
}

fn cf334_without_a_receive_wqe_it_is_dropped(y: &mut Bench) {
    y.datagrams();
    y.take(&[packet(0x64, 7, &[1; 4]), packet(0x65, 8, &[])]);
    assert_eq!(y.drops(), [(DropReason::NoReceiveWqe, 2)]);
    assert_eq!((y.query().0, y.told()), (QpState::Rts, vec![]));
    y.post_receive(1, 0, 64);
    y.take(&[packet(0x64, 9, &[1; 4])]);
    assert_eq!(y.completions(), [success(1, 44)]);
}

/// The QP's is FFFFh.
fn cf336_a_wrong_p_key_is_dropped_before_the_q_key(y: &mut Bench) {
    y.datagrams();
    y.post_receive(1, 0, 64);
    for (p_key, q_key) in [(0x9234, Q_KEY), (0xFFFE, Q_KEY ^ 1), (0x0000, Q_KEY), (0x8000, 0)] {
        let mut wrong = with_q_key(q_key, packet(0x64, 7, &[1; 4]));
        wrong.bth.p_key = p_key;
        y.take(&[wrong]);
        assert_eq!(y.drops(), [(DropReason::PKey, 1)], "{p_key:04X}h");
    }
    let mut limited = packet(0x64, 7, &[1; 4]);
    limited.bth.p_key = 0x7FFF;
    y.take(&[limited]);
    assert_eq!(y.completions(), [success(1, 44)]);
}

/// Both keys have a counter of their own, which counts those of their mismatches alone, up to FFFFh.
fn cf337_counts_of_violations_stay_at_ffff(y: &mut Bench) {
    y.datagrams();
    let wrong_q_key = with_q_key(Q_KEY ^ 1, packet(0x64, 7, &[1; 4]));
    let mut wrong_p_key = wrong_q_key.clone();
    wrong_p_key.bth.p_key = 0x9234;
    assert_eq!(violations(y), [0, 0]);
    y.take(&[wrong_p_key.clone(), wrong_q_key.clone(), wrong_p_key.clone()]);
    assert_eq!(violations(y), [2, 1]);
    for counter in [PortCounter::PKeyViolations, PortCounter::QKeyViolations] {
        assert_eq!(
            y.attempt(Verb::SetPortCounter {
                counter,
                count: 0xFFFE
            }),
            DONE
        );
    }
    y.take(std::slice::from_ref(&wrong_q_key));
    assert_eq!(violations(y), [0xFFFE, 0xFFFF]);
    y.take(&[wrong_p_key.clone(), wrong_p_key, wrong_q_key]);
    assert_eq!(violations(y), [0xFFFF, 0xFFFF]);
}

/// Counts of P_Keys and Q_Keys.
fn violations(y: &mut Bench) -> [u32; 2] {
    [PortCounter::PKeyViolations, PortCounter::QKeyViolations].map(|counter| y.port_counter(counter))
}

/// The peer is at LID 1, and no attribute of the QP says so.
fn cf338_anyone_may_send(y: &mut Bench) {
    y.datagrams();
    for (wr_id, slid) in (1..).zip([1, 9, 0x1234, 0xBFFF]) {
        y.post_receive(wr_id, 0, 64);
        let mut sent = packet(0x64, 7, &[1; 4]);
        sent.lrh_mut().unwrap().slid = slid;
        y.take(&[sent]);
        assert_eq!(y.completions(), [success(wr_id, 44)], "{slid:04X}h");
    }
}

fn cf340_the_permissive_lid_is_no_source(y: &mut Bench) {
    y.datagrams();
    y.post_receive(1, 0, 64);
    let with = |slid, dlid| {
        let mut sent = packet(0x64, 7, &[1; 4]);
        let lrh = sent.lrh_mut().unwrap();
        (lrh.slid, lrh.dlid) = (slid, dlid);
        sent
    };
    y.take(&[with(0xFFFF, 2), with(1, 0xFFFF), with(0xFFFF, 0xFFFF)]);
    assert_eq!(y.drops(), [(DropReason::Dlid, 3)]);
    y.take(&[with(0xFFFE, 2)]);
    assert_eq!(y.completions(), [success(1, 44)]);
}

/// AckReq is ignored (AD).
fn cf208_cf341_nothing_is_answered(y: &mut Bench) {
    y.datagrams();
    y.post_receive(1, 0, 64);
    let mut asks = packet(0x64, 7, &[1; 4]);
    asks.bth.a = true;
    y.take(&[asks]);
    assert_eq!(y.completions(), [success(1, 44)]);
}

fn cf343_datagrams_for_connections_are_dropped(y: &mut Bench) {
    y.create(&all_rights());
    y.enter_rts();
    y.post_receive(1, 0, 64);
    y.take(&[packet(0x64, 100, &[1; 4]), packet(0x65, 100, &[1; 4])]);
    assert_eq!(y.drops(), [(DropReason::Opcode, 2)]);
    let reply = y.replies_to(&[request(0x04, 100, &[1; 4])]);
    assert_eq!(reply, [crate::bench::responder::ack(100, 1)]);
    assert_eq!(y.completions(), [success(1, 4)]);
}

fn cf344_no_communication_is_established(y: &mut Bench) {
    y.create(&attributes());
    for state in [QpState::Init, QpState::Rtr] {
        y.modify(state);
    }
    y.post_receive(1, 0, 64);
    y.take(&[packet(0x64, 7, &[1; 4])]);
    assert_eq!(y.completions(), [success(1, 44)]);
    y.modify(QpState::Rts);
    assert_eq!((y.events(), y.told()), (vec![], vec![]));
}

fn the_solicited_bit_wakes_software(y: &mut Bench) {
    y.datagrams();
    y.post_receive(1, 0, 64);
    y.post_receive(2, 0, 64);
    let armed = Verb::RequestNotify {
        cqn: RECEIVE_CQ,
        solicited: true,
    };
    assert_eq!(y.attempt(armed), crate::bench::verbs::DONE);
    y.settle();
    y.take(&[packet(0x64, 7, &[1; 4])]);
    assert_eq!(y.told(), []);
    let mut solicits = packet(0x64, 8, &[1; 4]);
    solicits.bth.se = true;
    y.take(&[solicits]);
    let cqn = RECEIVE_CQ;
    assert_eq!(y.told(), [hca_golden::verbs::HostEvent::Completion { cqn }]);
    assert_eq!(y.completions(), [success(1, 44), success(2, 44)]);
}
