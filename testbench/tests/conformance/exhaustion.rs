//! What runs out, and what software gets wrong: the outcome of `qp_cq.md` and `requester.md`, while another QP
//! exchanges messages all along.
use super::bench::neighbour::{Neighbour, NEIGHBOUR};
use super::bench::peer::{data, response_packet, to};
use super::bench::requester::{all_rights, work, FETCH_ADD, READ, SEND, WRITE};
use super::bench::{on_both, packet, queue_pairs, response, Bench, QPN, SOURCE};
use hca_golden::event::DropReason;
use hca_golden::verbs::{Defect, QpAttributes, QpState, QueueSide, SendRequest, Service, Sge, Status};
use hca_golden::wire::packet::Packet;
use hca_testbench::device::Verb;
use hca_testbench::scenario::region::L_KEY;

on_both!(
    cf242_a_full_send_queue,
    cf242_a_full_receive_queue,
    unsignaled_wqes_fill_the_queue_until_a_later_one_completes,
    cf164_cf165_all_read_resources_are_taken,
    reads_without_any_resource,
    a_wqe_of_no_operation,
    a_wqe_of_too_many_sges,
    a_wqe_of_too_many_bytes,
    a_wqe_of_no_operation_behind_a_read,
    more_queue_pairs_than_there_are,
    every_queue_pair_goes_round_its_ring,
    a_doorbell_in_reset,
    cf235_work_for_a_queue_pair_in_reset,
);

fn rows(packets: &[Packet]) -> Vec<(u8, u32)> {
    packets.iter().map(|p| (p.bth.opcode, p.bth.psn)).collect()
}

/// Y's QP in RTS, and its neighbour.
fn with_neighbour(y: &mut Bench, change: impl FnOnce(&mut QpAttributes)) -> Neighbour {
    y.connect_with(change);
    Neighbour::connected(y)
}

/// Destroyed and made again, the QP starts over and works.
fn starts_over(y: &mut Bench) {
    y.submit(Verb::DestroyQp { qpn: QPN });
    y.create_another(&all_rights());
    y.enter_rts();
    y.post(work(1, SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
    y.receive(&[response(2000, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
}

/// 16 entries.
fn cf242_a_full_send_queue(y: &mut Bench) {
    let mut neighbour = with_neighbour(y, |_| {});
    neighbour.begin(y);
    for n in 0..16 {
        y.post(work(n, SEND, 8));
    }
    let sent: Vec<_> = (0..16).map(|n| (0x04, 2000 + n)).collect();
    assert_eq!(rows(&neighbour.end(y)), sent);
    for _ in 0..2 {
        y.post(work(16, SEND, 8));
        y.refusal();
        neighbour.exchange(y);
    }
    y.receive(&[response(2000, 0x1F, 1)]);
    assert_eq!(y.completions(), [(0, Status::Success, 0)]);
    y.post(work(17, SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2016)]);
    y.refused_send(8);
    y.receive(&[response(2016, 0x1F, 17)]);
    let ended: Vec<_> = (1..16).chain([17]).map(|n| (n, Status::Success, 0)).collect();
    assert_eq!(y.completions(), ended);
    neighbour.exchange(y);
}

fn cf242_a_full_receive_queue(y: &mut Bench) {
    let mut neighbour = with_neighbour(y, |_| {});
    for n in 0..16 {
        y.post_receive(n, 0, 64);
    }
    y.submit_receive(16, 0, 64);
    y.refusal();
    neighbour.exchange(y);
    y.receive(&[packet(0x04, 100, &[1; 8])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    assert_eq!(y.completions(), [(0, Status::Success, 8)]);
    y.post_receive(17, 0, 64);
    y.submit_receive(18, 0, 64);
    y.refusal();
    neighbour.exchange(y);
}

/// `requester.md` section 8: an unsignaled success frees its slot when a later WQE completes.
fn unsignaled_wqes_fill_the_queue_until_a_later_one_completes(y: &mut Bench) {
    let mut neighbour = with_neighbour(y, |_| {});
    for n in 0..16 {
        y.post(SendRequest {
            signaled: n == 14,
            ..work(n, SEND, 8)
        });
    }
    assert_eq!(y.sent_rows().len(), 16);
    y.receive(&[response(2013, 0x1F, 14)]);
    assert_eq!(y.completions(), []);
    y.refused_send(8);
    neighbour.exchange(y);
    y.receive(&[response(2015, 0x1F, 16)]);
    assert_eq!(y.completions(), [(14, Status::Success, 0)]);
    for n in 16..31 {
        y.post(work(n, SEND, 8));
    }
    assert_eq!(y.sent_rows().len(), 15);
    y.refused_send(8);
    y.receive(&[response(2030, 0x1F, 31)]);
    let ended: Vec<_> = (16..31).map(|n| (n, Status::Success, 0)).collect();
    assert_eq!(y.completions(), ended);
    neighbour.exchange(y);
}

/// The fifth waits, and all behind it; nothing else does.
fn cf164_cf165_all_read_resources_are_taken(y: &mut Bench) {
    let mut neighbour = with_neighbour(y, |_| {});
    neighbour.begin(y);
    for n in 0..4 {
        y.post(work(n, READ, 8));
    }
    y.post(work(4, FETCH_ADD, 8));
    y.post(work(5, SEND, 8));
    let reads: Vec<_> = (0..4).map(|n| (0x0C, 2000 + n)).collect();
    assert_eq!(rows(&neighbour.end(y)), reads);
    neighbour.exchange(y);
    y.receive(&[packet(0x04, 100, &[1; 8])]);
    assert_eq!(y.answers(), [(100, 0x2C, 0)], "its responder serves");
    assert_eq!(
        y.sent_after(&[data(0x10, 2000, &[1; 8])]),
        [(0x14, 2004), (0x04, 2005)]
    );
    assert_eq!(y.completions(), [(0, Status::Success, 8)]);
    neighbour.exchange(y);
}

/// `qp_cq.md` section 3: max_rd_atomic 0 is an immediate error.
fn reads_without_any_resource(y: &mut Bench) {
    let mut neighbour = with_neighbour(y, |a| a.max_rd_atomic = 0);
    for operation in [READ, FETCH_ADD] {
        y.post(work(1, operation, 8));
        y.refusal();
        neighbour.exchange(y);
    }
    y.post(work(2, SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
}

/// The WQE before it completes first, it ends in this error, the one behind it is flushed; its bytes stay where they
/// are.
fn defective(y: &mut Bench, request: SendRequest, defect: Defect, status: Status) {
    let mut neighbour = with_neighbour(y, |_| {});
    neighbour.begin(y);
    y.post(work(1, WRITE, 8));
    let qpn = QPN;
    let request = SendRequest {
        signaled: false,
        ..request
    };
    y.submit(Verb::PostDefective { qpn, request, defect });
    y.post(work(3, SEND, 8));
    assert_eq!(rows(&neighbour.end(y)), [(0x0A, 2000)]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.state(), QpState::Rts);
    neighbour.begin(y);
    y.arrive(response(2000, 0x1F, 1));
    assert_eq!(neighbour.end(y), []);
    let ended = [
        (1, Status::Success, 0),
        (2, status, 0),
        (3, Status::WrFlushErr, 0),
    ];
    assert_eq!(y.completions(), ended);
    assert_eq!(y.state(), QpState::Error);
    neighbour.exchange(y);
    starts_over(y);
    neighbour.exchange(y);
}

/// The first code that none has, and the last.
fn a_wqe_of_no_operation(y: &mut Bench) {
    defective(y, work(2, SEND, 8), Defect::Operation(8), Status::LocQpOpErr);
}

fn a_wqe_of_too_many_sges(y: &mut Bench) {
    let sge = |n: u64| Sge {
        addr: SOURCE + 8 * n,
        length: 8,
        l_key: L_KEY,
    };
    let request = SendRequest {
        sges: (0..16).map(sge).collect(),
        ..work(2, SEND, 0)
    };
    defective(y, request, Defect::Sges(17), Status::LocQpOpErr);
}

fn a_wqe_of_too_many_bytes(y: &mut Bench) {
    let length = (1 << 31) + 1;
    defective(y, work(2, SEND, 8), Defect::Length(length), Status::LocLenErr);
}

/// Alone on the queue it ends at once; an entry of two SGEs that says three, or 255.
fn a_wqe_of_no_operation_behind_a_read(y: &mut Bench) {
    let mut neighbour = with_neighbour(y, |_| {});
    let qpn = QPN;
    y.post(work(1, READ, 8));
    assert_eq!(y.sent_rows(), [(0x0C, 2000)]);
    y.submit(Verb::PostDefective {
        qpn,
        request: work(2, SEND, 8),
        defect: Defect::Operation(0xFF),
    });
    neighbour.exchange(y);
    assert_eq!(y.completions(), []);
    assert_eq!(y.sent_after(&[data(0x10, 2000, &[7; 8])]), []);
    let ended = [(1, Status::Success, 8), (2, Status::LocQpOpErr, 0)];
    assert_eq!(y.completions(), ended);
    assert_eq!(y.buffer(0, 8), [7; 8]);
    for count in [3, 255] {
        starts_over(y);
        y.submit(Verb::PostDefective {
            qpn,
            request: work(2, WRITE, 8),
            defect: Defect::Sges(count),
        });
        neighbour.exchange(y);
        assert_eq!(y.completions(), [(2, Status::LocQpOpErr, 0)]);
        assert_eq!(y.state(), QpState::Error);
    }
}

/// Places of the send queue come back, of whichever QP they are.
fn every_queue_pair_goes_round_its_ring(y: &mut Bench) {
    const ENTRIES: u32 = 16;
    let count = queue_pairs() as u32;
    y.connect_with(|_| {});
    // QP0 and QP1 have work of another kind. Of many the rest is like these.
    for number in (2..count).step_by(queue_pairs().div_ceil(16)) {
        let mut qpn = 0xC00 + number;
        if number == QPN % count {
            qpn = QPN;
            y.turn_to(qpn);
        } else {
            y.connect_another(qpn, |_| {});
        }
        for round in 0..3 {
            for wr_id in 0..u64::from(ENTRIES) {
                y.post(work(wr_id, SEND, 0));
            }
            let first = 2000 + round * ENTRIES;
            let rows: Vec<_> = (first..first + ENTRIES).map(|psn| (0x04, psn)).collect();
            assert_eq!(y.sent_rows(), rows, "QP {qpn:x}h, round {round}");
            let ack = response_packet(first + ENTRIES - 1, 0x1F, (round + 1) * ENTRIES);
            let ack = to(qpn, ack).encode().unwrap();
            y.receive(&[ack]);
            assert_eq!(y.completions().len(), ENTRIES as usize);
        }
    }
}

/// Y's, its neighbour, and all others, QP0 and QP1 among them.
fn more_queue_pairs_than_there_are(y: &mut Bench) {
    let mut neighbour = with_neighbour(y, |_| {});
    let count = queue_pairs() as u32;
    let taken = [QPN % count, NEIGHBOUR % count];
    let free: Vec<u32> = (0..count).filter(|n| !taken.contains(n)).collect();
    assert_eq!(free.len() + 2, queue_pairs());
    // CQs of QP0 and QP1 serve no other QP.
    let special_cq = 3;
    y.submit(Verb::CreateCq {
        cqn: special_cq,
        entries: 16,
    });
    let create = |qpn| Verb::CreateQp {
        attributes: match qpn {
            0 | 1 => QpAttributes {
                qpn,
                send_cq: special_cq,
                receive_cq: special_cq,
                service: Service::Ud,
                ..all_rights()
            },
            _ => QpAttributes { qpn, ..all_rights() },
        },
        send_entries: 16,
        receive_entries: 16,
    };
    for &n in &free {
        y.submit(create(if n < 2 { n } else { 0x0E00 | n }));
    }
    y.settle();
    for qpn in [0x0F02, 0x0F0F, NEIGHBOUR, QPN] {
        y.submit(create(qpn));
        y.refusal();
        neighbour.exchange(y);
    }
    let stranger = |psn| to(0x0F02, super::bench::request(0x04, psn, &[1; 8]));
    y.receive(&[stranger(100).encode().unwrap()]);
    assert_eq!(y.drops(), [(DropReason::DestQp, 1)]);
    y.submit(Verb::DestroyQp { qpn: 0x0E02 });
    y.submit(create(0x0F02));
    y.settle();
    neighbour.exchange(y);
    y.post(work(1, SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
}

/// Doorbells of a QP in Reset, of one that never was, and of one whose index is another's. Taken to RTS it knows of
/// none.
fn a_doorbell_in_reset(y: &mut Bench) {
    let mut neighbour = with_neighbour(y, |_| {});
    y.modify(QpState::Reset);
    for qpn in [QPN, 0x0E06] {
        for side in [QueueSide::Send, QueueSide::Receive] {
            for producer in [3, 0xFFFF] {
                neighbour.begin(y);
                y.submit(Verb::RingInReset { qpn, side, producer });
                assert_eq!(neighbour.end(y), []);
            }
        }
    }
    y.enter_rts();
    assert_eq!(y.sent(), []);
    y.receive(&[packet(0x04, 100, &[1; 8])]);
    assert_eq!(y.answers(), [(100, 0x2C, 0)], "no receive WQE");
    y.post(work(1, SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
    y.post_receive(2, 0, 64);
    y.receive(&[packet(0x04, 100, &[1; 8]), response(2000, 0x1F, 1)]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    let mut completions = y.completions();
    completions.sort_unstable_by_key(|c| c.0);
    assert_eq!(completions, [(1, Status::Success, 0), (2, Status::Success, 8)]);
    neighbour.exchange(y);
}

/// And for one in Init or RTR, sends.
fn cf235_work_for_a_queue_pair_in_reset(y: &mut Bench) {
    let mut neighbour = with_neighbour(y, |_| {});
    y.modify(QpState::Reset);
    y.submit_receive(1, 0, 64);
    y.refusal();
    for state in [QpState::Init, QpState::Rtr] {
        y.refused_send(8);
        y.modify(state);
        neighbour.exchange(y);
    }
    y.refused_send(8);
    y.modify(QpState::Rts);
    y.post(work(1, SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
}
