//! Responses (`responder.md` section 8 and 9, CF127 to CF143).
use super::case::*;
use super::pair::*;
use hca_golden::event::Event;
use hca_golden::hca::Rule;
use hca_golden::port::PortConfig;
use hca_golden::verbs::*;
use hca_golden::wire::grh::Grh;
use hca_golden::wire::packet::Route;

#[test]
fn cf127_a_request_with_ack_req_gets_a_response() {
    let mut y = responder(1);
    let packets = [
        request(0x04, 100, &[]),
        rdma(0x0A, 101, TARGET, 0, &[]),
        read(102, TARGET, 0),
        atomic(0x13, 103, TARGET, 0, 1),
    ];
    let answers = rows(&answered(&mut y, &packets));
    assert_eq!(answers, [(0x11, 100), (0x11, 101), (0x10, 102), (0x12, 103)]);
}

#[test]
fn cf128_the_psn_of_an_ack_is_that_of_the_request() {
    let mut y = responder(1);
    let packets = [request(0x00, 100, &[1; 256]), request(0x02, 101, &[1])];
    assert_eq!(replies(&mut y, &packets), [ack(100, 0), ack(101, 1)]);
}

#[test]
fn cf129_lids_are_swapped_and_sl_is_copied() {
    let mut y = responder(1);
    let mut packet = request(0x04, 100, &[]);
    packet.lrh_mut().unwrap().sl = 9;
    let mut read = read(101, TARGET, 4);
    read.lrh_mut().unwrap().sl = 5;
    let answers = answered(&mut y, &[packet, read]);
    for (answer, sl) in answers.iter().zip([9, 5]) {
        let lrh = answer.lrh().unwrap();
        assert_eq!((lrh.slid, lrh.dlid, lrh.sl), (Y_LID, X_LID, sl));
    }
}

#[test]
fn cf130_an_ack_goes_to_the_connected_qp() {
    let answers = answered(
        &mut responder(1),
        &[request(0x04, 100, &[]), read(101, TARGET, 4)],
    );
    assert!(answers
        .iter()
        .all(|p| (p.bth.dest_qp, p.bth.p_key) == (X_QPN, 0xFFFF)));
}

#[test]
fn cf131_an_ack_asks_for_nothing_and_carries_nothing() {
    let mut packet = request(0x04, 100, &[1, 2, 3]);
    packet.bth.se = true;
    let answers = answered(&mut responder(1), &[packet]);
    let bth = answers[0].bth;
    assert_eq!((bth.a, bth.se, bth.pad_cnt), (false, false, 0));
    assert_eq!(
        (answers[0].payload.len(), answers[0].lrh().unwrap().pkt_len),
        (0, 7)
    );
}

#[test]
fn cf132_the_ack_of_a_request_with_grh_has_one_too() {
    let (mine, peers) = ([0x11; 16], [0x22; 16]);
    let mut y = hca_golden::hca::Hca::new(PortConfig {
        lid: Y_LID,
        gid: mine,
        ..PortConfig::default()
    });
    y.create_cq(CQN, 8).unwrap();
    let attributes = QpAttributes {
        global: Some(GlobalRoute {
            dgid: peers,
            flow_label: 0xA_BCDE,
            traffic_class: 0x77,
            hop_limit: 9,
        }),
        ..responder_attributes()
    };
    y.create_qp(&attributes).unwrap();
    for state in [QpState::Init, QpState::Rtr] {
        y.move_qp(&attributes, state).unwrap();
    }
    let grh = Grh {
        ipver: 6,
        nxt_hdr: 0x1B,
        hop_lmt: 3,
        sgid: peers,
        dgid: mine,
        ..Grh::default()
    };
    let with_grh = |mut packet: hca_golden::wire::packet::Packet| {
        packet.route = Route::Global(*packet.lrh().unwrap(), grh);
        packet
    };
    let packets = [rdma(0x0A, 100, TARGET, 0, &[]), read(101, TARGET, 0)].map(with_grh);
    for answer in answered(&mut y, &packets) {
        let reply = answer.grh().unwrap();
        assert_eq!((reply.sgid, reply.dgid), (mine, peers));
        assert_eq!((reply.ipver, reply.nxt_hdr, reply.pay_len), (6, 0x1B, 20));
        assert_eq!(
            (reply.tclass, reply.flow_label, reply.hop_lmt),
            (0x77, 0xA_BCDE, 9)
        );
        assert_eq!(answer.lrh().unwrap().lnh, 0b11);
    }
}

fn doorbell(y: &mut hca_golden::hca::Hca) {
    let first = y.choices()[0];
    assert!(matches!(first, Event::Doorbell { .. }));
    y.apply(&first).unwrap();
}

/// Y has executed Send 100, Read 101 and 102, Send 103, and has answered nothing.
fn executed() -> hca_golden::hca::Hca {
    let mut y = responder(2);
    doorbell(&mut y);
    let packets = [
        request(0x04, 100, &[1]),
        read(101, TARGET, 300),
        request(0x04, 103, &[1]),
    ];
    for packet in &packets {
        y.receive(&packet.encode().unwrap());
    }
    loop {
        let next = y.choices()[0];
        match next {
            Event::AckEmitted { .. } => return y,
            other => y.apply(&other).unwrap(),
        };
    }
}

fn broken(y: &mut hca_golden::hca::Hca, event: Event) -> Rule {
    y.apply(&event).unwrap_err().rule
}

const fn emit_ack(psn: u32) -> Event {
    let (qpn, syndrome) = (Y_QPN, 0x1F);
    Event::AckEmitted { qpn, psn, syndrome }
}

const fn emit_data(psn: u32) -> Event {
    let (qpn, syndrome) = (Y_QPN, 0x1F);
    Event::ReadResponseEmitted { qpn, psn, syndrome }
}

#[test]
fn cf133_an_ack_covers_no_read() {
    let mut y = executed();
    assert_eq!(broken(&mut y, emit_ack(103)), Rule::ResponsePassed);
    y.apply(&emit_data(101)).unwrap();
    assert_eq!(broken(&mut y, emit_ack(103)), Rule::ResponsePassed);
    y.apply(&emit_data(102)).unwrap();
    y.apply(&emit_ack(103)).unwrap();
}

#[test]
fn cf134_responses_leave_in_psn_order() {
    let mut y = executed();
    assert_eq!(broken(&mut y, emit_data(102)), Rule::ResponseNotPermitted);
    y.apply(&emit_data(101)).unwrap();
    assert_eq!(broken(&mut y, emit_data(101)), Rule::ResponseNotPermitted);
    assert_eq!(
        broken(&mut y, emit_ack(100)),
        Rule::AckNotPermitted,
        "told by PSN 101"
    );
    let rest = rows(&settle(&mut y).0);
    assert_eq!(rest, [(0x0F, 102), (0x11, 103)]);
}

/// FB06.
#[test]
fn cf135_msn_counts_each_new_message_once() {
    let mut y = responder(2);
    let packets = [
        request(0x00, 100, &[1; 256]),
        request(0x02, 101, &[1]),
        rdma(0x06, 102, TARGET, 257, &[1; 256]),
        request(0x08, 103, &[1]),
        atomic(0x14, 104, TARGET, 1, 0),
        read(105, TARGET, 300),
        request(0x04, 107, &[]),
    ];
    let msns: Vec<u32> = replies(&mut y, &packets).iter().map(|r| r.2.unwrap().1).collect();
    assert_eq!(msns, [0, 1, 1, 2, 3, 4, 4, 5]);
    assert_eq!(replies(&mut y, &packets[6..]), [ack(107, 5)], "a duplicate");
}

#[test]
fn cf136_the_msn_of_a_read_response_counts_the_read() {
    let mut y = responder(0);
    assert_eq!(
        replies(&mut y, &[read(100, TARGET, 513)]),
        [
            (0x0D, 100, Some((0x1F, 1))),
            (0x0E, 101, None),
            (0x0F, 102, Some((0x1F, 1)))
        ]
    );
}

#[test]
fn cf137_the_ack_of_a_first_packet_keeps_the_old_msn() {
    let mut y = responder(2);
    let packets = [
        request(0x04, 100, &[]),
        request(0x00, 101, &[1; 256]),
        request(0x01, 102, &[1; 256]),
    ];
    assert_eq!(replies(&mut y, &packets), [ack(100, 1), ack(101, 1), ack(102, 1)]);
}

#[test]
fn cf138_bit_7_of_the_syndrome_is_0() {
    let packets = [
        request(0x04, 100, &[]),
        read(101, TARGET, 4),
        request(0x04, 109, &[]),
    ];
    for (_, _, aeth) in replies(&mut responder(1), &packets) {
        assert_eq!(aeth.unwrap().0 & 0x80, 0);
    }
}

#[test]
fn cf139_opcodes_of_read_responses() {
    let opcodes = |length| -> Vec<u8> {
        let packets = answered(&mut responder(0), &[read(100, TARGET, length)]);
        packets.iter().map(|p| p.bth.opcode).collect()
    };
    assert_eq!(opcodes(256), [0x10]);
    assert_eq!(opcodes(257), [0x0D, 0x0F]);
    assert_eq!(opcodes(1024), [0x0D, 0x0E, 0x0E, 0x0F]);
}

#[test]
fn cf140_read_response_psns_run_from_the_request() {
    let packets = answered(&mut responder(0), &[read(100, TARGET, 1000)]);
    let rows: Vec<_> = packets.iter().map(|p| (p.bth.psn, p.payload.len())).collect();
    assert_eq!(rows, [(100, 256), (101, 256), (102, 256), (103, 232)]);
}

/// FB35.
#[test]
fn cf141_a_read_of_no_bytes_has_one_empty_response() {
    let packets = answered(&mut responder(0), &[read(100, TARGET, 0)]);
    assert_eq!((rows(&packets), packets[0].payload.len()), (vec![(0x10, 100)], 0));
}

/// The region goes away between the first response and the second.
#[test]
fn cf142_a_fault_while_a_read_is_answered_is_a_nak_at_the_failing_psn() {
    let mut y = responder_of_region(|_| {});
    doorbell(&mut y);
    let packet = with_reth(request(0x0C, 100, &[]), TARGET, 0x22, 700);
    y.receive(&packet.encode().unwrap());
    let (qpn, psn) = (Y_QPN, 100);
    y.apply(&Event::RequestExecuted { packet: 0, qpn, psn }).unwrap();
    y.apply(&emit_data(100)).unwrap();
    let refusal = |psn, syndrome| Event::ReadRefused { qpn, psn, syndrome };
    assert_eq!(
        broken(&mut y, refusal(101, 0x62)),
        Rule::Protection,
        "no fault yet"
    );
    y.dereg_mr(0x11).unwrap();
    y.region_is_gone();
    assert_eq!(broken(&mut y, emit_data(101)), Rule::Protection);
    assert_eq!(broken(&mut y, refusal(101, 0x61)), Rule::Syndrome);
    let (packets, _) = settle(&mut y);
    let aeth = packets[0].aeth().unwrap();
    assert_eq!(
        (rows(&packets), aeth.syndrome, aeth.msn),
        (vec![(0x11, 101)], 0x62, 1)
    );
    assert_eq!(state(&y), QpState::Error);
    assert_eq!(y.poll_async(), Some(AsyncEvent::AccessError { qpn }));
}

/// max_dest_rd_atomic is 4; the fifth comes before a response is sent.
#[test]
fn cf143_more_reads_than_max_dest_rd_atomic() {
    let mut y = responder(0);
    for psn in 100..105 {
        y.receive(&read(psn, TARGET, 1).encode().unwrap());
    }
    for packet in 0..4 {
        let (qpn, psn) = (Y_QPN, 100 + packet);
        y.apply(&Event::RequestExecuted { packet, qpn, psn }).unwrap();
    }
    let (qpn, psn) = (Y_QPN, 104);
    let executed = Event::RequestExecuted { packet: 4, qpn, psn };
    assert_eq!(broken(&mut y, executed), Rule::Decision);
    let last = y.clone();
    y.apply(&emit_data(100)).unwrap();
    y.apply(&executed).unwrap();
    let mut y = last;
    let refused = Event::RequestRefused {
        packet: 4,
        qpn,
        psn,
        syndrome: 0x61,
    };
    y.apply(&refused).unwrap();
    let mut none = responder_with(
        &QpAttributes {
            max_dest_rd_atomic: 0,
            ..responder_attributes()
        },
        0,
    );
    assert_eq!(replies(&mut none, &[read(100, TARGET, 1)]), [nak(100, 0x61, 0)]);
}

/// The data of a response is that of the moment at which it was fetched, where the device says so.
#[test]
fn a_fetched_response_keeps_its_data() {
    for fetched in [false, true] {
        let mut y = responder(0);
        y.receive(&read(100, TARGET, 4).encode().unwrap());
        let (qpn, psn) = (Y_QPN, 100);
        y.apply(&Event::RequestExecuted { packet: 0, qpn, psn }).unwrap();
        if fetched {
            y.apply(&Event::ReadFetched { qpn, psn }).unwrap();
            assert_eq!(
                broken(&mut y, Event::ReadFetched { qpn, psn }),
                Rule::ResponseNotPermitted
            );
        }
        y.memory_mut().write(TARGET, &[9; 4]);
        let payload = decoded(&transmitted(&mut y, emit_data(100))).payload;
        assert_eq!(payload, if fetched { message(4) } else { vec![9; 4] });
    }
}
