//! Responses that end a WQE, and with it the QP (`requester.md` section 6, `qp_cq.md` section 5). More of CF178 and
//! CF181 is in `requester`.
use super::resp::{ack, around_a_read, nak, three_sends, with, SUCCESS};
use crate::bench::peer::{atomic_ack, data};
use crate::bench::requester::{work, FETCH_ADD, READ, RESULT, SEND, WRITE};
use crate::bench::{on_both, packet, Bench, BUFFER, SOURCE, UNTOUCHED};
use hca_golden::verbs::{QpState, SendOperation, SendRequest, Sge, Status};
use hca_golden::wire::packet::Packet;
use hca_testbench::scenario::region::{l_key, L_KEY};

on_both!(
    cf178_cf179_cf180_cf182_fatal_naks,
    cf181_after_a_fatal_nak_the_rest_is_flushed_in_order,
    cf184_a_read_response_of_the_wrong_length,
    cf185_a_response_of_the_wrong_opcode_for_the_wqe,
    cf185_a_read_response_out_of_its_place,
    a_nak_in_the_middle_of_read_responses_ends_the_read,
    data_that_may_not_be_written_ends_the_read,
    data_of_which_some_may_not_be_written_changes_nothing,
    a_local_fault_ends_the_qp_in_post_order,
    a_read_with_a_local_fault_ends_the_qp_in_post_order,
);

/// At the first and the last packet of the first WQE, and at the last WQE.
fn cf178_cf179_cf180_cf182_fatal_naks(y: &mut Bench) {
    let statuses = [
        (0x61, Status::RemInvReqErr),
        (0x62, Status::RemAccessErr),
        (0x63, Status::RemOpErr),
    ];
    for (syndrome, status) in statuses {
        for psn in [2000, 2001] {
            three_sends(y, |_| {});
            let flushed = |id| (id, Status::WrFlushErr, 0);
            let expected = [(1, status, 0), flushed(2), flushed(3)];
            assert_eq!(with(y, &[nak(psn, syndrome)]), expected);
            assert_eq!(y.state(), QpState::Error);
        }
        three_sends(y, |_| {});
        let expected = [(1, SUCCESS, 0), (2, SUCCESS, 0), (3, status, 0)];
        assert_eq!(with(y, &[nak(2003, syndrome)]), expected, "CF182");
    }
}

/// FB23: of both queues, and what is posted later.
fn cf181_after_a_fatal_nak_the_rest_is_flushed_in_order(y: &mut Bench) {
    three_sends(y, |_| {});
    y.post_receive(50, 0, 16);
    y.post_receive(51, 16, 16);
    let flushed = |id| (id, Status::WrFlushErr, 0);
    let mut all = with(y, &[nak(2002, 0x61)]);
    y.post(work(4, SEND, 1));
    assert_eq!(y.sent_rows(), []);
    all.extend(y.completions());
    // The order between two queues is free.
    all.sort_by_key(|&(id, _, _)| id >= 50);
    let expected = [
        (1, SUCCESS, 0),
        (2, Status::RemInvReqErr, 0),
        flushed(3),
        flushed(4),
        flushed(50),
        flushed(51),
    ];
    assert_eq!(all, expected);
    assert_eq!(with(y, &[ack(2003)]), [], "responses are ignored");
    y.receive(&[packet(0x04, 100, &[1; 4])]);
    assert_eq!(y.answers(), [], "so are requests");
}

/// The second WQE ends with this status; the Send before it is done, the one behind it flushed.
fn ends_the_second(y: &mut Bench, responses: &[Packet], status: Status) {
    let expected = [(1, SUCCESS, 0), (2, status, 0), (3, Status::WrFlushErr, 0)];
    assert_eq!(with(y, responses), expected, "{responses:?}");
    assert_eq!(y.state(), QpState::Error);
}

fn cf184_a_read_response_of_the_wrong_length(y: &mut Bench) {
    for length in [255, 260, 0] {
        around_a_read(y);
        let wrong = data(0x0D, 2001, &vec![1; length]);
        ends_the_second(y, &[wrong], Status::LocLenErr);
        assert_eq!(y.buffer(0, 264), [UNTOUCHED; 264]);
    }
    for length in [84, 87, 89, 92] {
        around_a_read(y);
        let packets = [
            data(0x0D, 2001, &[1; 256]),
            data(0x0E, 2002, &[1; 256]),
            data(0x0F, 2003, &vec![1; length]),
        ];
        ends_the_second(y, &packets, Status::LocLenErr);
        assert_eq!(y.buffer(512, 128), [UNTOUCHED; 128]);
    }
}

/// Data or an atomic ack for a Send; an ack or an atomic ack for a Read; data for an atomic.
fn cf185_a_response_of_the_wrong_opcode_for_the_wqe(y: &mut Bench) {
    for wrong in [data(0x10, 2000, &[]), atomic_ack(2000, 0)] {
        around_a_read(y);
        let flushed = |id| (id, Status::WrFlushErr, 0);
        let expected = [(1, Status::BadRespErr, 0), flushed(2), flushed(3)];
        assert_eq!(with(y, &[wrong]), expected);
    }
    for wrong in [ack(2001), atomic_ack(2001, 0)] {
        around_a_read(y);
        ends_the_second(y, &[wrong], Status::BadRespErr);
    }
    y.renew(|_| {});
    y.post(work(1, FETCH_ADD, 8));
    assert_eq!(y.sent_rows(), [(0x14, 2000)]);
    assert_eq!(
        with(y, &[data(0x10, 2000, &[1; 8])]),
        [(1, Status::BadRespErr, 0)]
    );
    assert_eq!(y.buffer(RESULT, 8), [UNTOUCHED; 8]);
}

fn cf185_a_read_response_out_of_its_place(y: &mut Bench) {
    for opcode in [0x0E, 0x0F, 0x10] {
        around_a_read(y);
        ends_the_second(y, &[data(opcode, 2001, &[1; 256])], Status::BadRespErr);
        assert_eq!(y.buffer(0, 256), [UNTOUCHED; 256]);
    }
    for opcode in [0x0D, 0x0F, 0x10] {
        around_a_read(y);
        let packets = [data(0x0D, 2001, &[1; 256]), data(opcode, 2002, &[2; 256])];
        ends_the_second(y, &packets, Status::BadRespErr);
        assert_eq!(y.buffer(256, 256), [UNTOUCHED; 256]);
    }
}

/// FB22.
fn a_nak_in_the_middle_of_read_responses_ends_the_read(y: &mut Bench) {
    around_a_read(y);
    let packets = [data(0x0D, 2001, &[1; 256]), nak(2002, 0x62)];
    ends_the_second(y, &packets, Status::RemAccessErr);
}

/// Eight bytes of the buffer from there on, with this key.
fn sge(at: u64, l_key: u32) -> Sge {
    Sge {
        addr: BUFFER + at,
        length: 8,
        l_key,
    }
}

/// `qp_cq.md` section 5: LOC_PROT_ERR, or LOC_ACCESS_ERR on inbound data; the memory is as it was.
fn ends_by_its_data(y: &mut Bench, sges: Vec<Sge>) {
    let length = 8 * sges.len();
    y.connect_with(|_| {});
    y.post(SendRequest {
        sges,
        ..work(1, READ, 0)
    });
    let mut completions = Vec::new();
    // The SGE may be looked at before the request leaves.
    if y.sent_rows() == [(0x0C, 2000)] {
        completions = with(y, &[data(0x10, 2000, &vec![1; length])]);
    } else {
        completions.extend(y.completions());
    }
    let told = [(1, Status::LocProtErr, 0), (1, Status::LocAccessErr, 0)];
    assert!(
        completions.len() == 1 && told.contains(&completions[0]),
        "{completions:?}"
    );
    assert_eq!(y.buffer(0, length), vec![UNTOUCHED; length]);
    assert_eq!(y.state(), QpState::Error);
}

fn data_that_may_not_be_written_ends_the_read(y: &mut Bench) {
    ends_by_its_data(y, vec![sge(0, l_key(9))]);
}

/// The SGE behind one that may be written.
fn data_of_which_some_may_not_be_written_changes_nothing(y: &mut Bench) {
    ends_by_its_data(y, vec![sge(0, L_KEY), sge(8, l_key(9))]);
}

/// A Send, then this operation into or out of 256 sound bytes and 300 that no region has, then a Send; opcodes and PSNs
/// of what leaves.
fn around_a_local_fault(y: &mut Bench, operation: SendOperation) -> Vec<(u8, u32)> {
    y.renew(|_| {});
    y.post(work(1, SEND, 1));
    let sound = work(2, operation, 256);
    let stranger = Sge {
        addr: SOURCE + 256,
        length: 300,
        l_key: l_key(9),
    };
    y.post(SendRequest {
        sges: vec![sound.sges[0], stranger],
        ..sound
    });
    y.post(work(3, SEND, 1));
    y.sent_rows()
}

/// `requester.md` section 8: what came before it completes first, what comes after it is flushed.
fn a_local_fault_ends_the_qp_in_post_order(y: &mut Bench) {
    for operation in [SEND, WRITE] {
        let sent = around_a_local_fault(y, operation);
        assert!(sent.iter().all(|&(_, psn)| psn <= 2001), "{sent:?}");
        assert_eq!(y.completions(), []);
        ends_the_second(y, &[ack(2000)], Status::LocProtErr);
    }
}

/// The SGE may be looked at before the request leaves, or when its data comes.
fn a_read_with_a_local_fault_ends_the_qp_in_post_order(y: &mut Bench) {
    assert!(around_a_local_fault(y, READ).starts_with(&[(0x04, 2000)]));
    assert_eq!(y.completions(), []);
    let responses = [
        ack(2000),
        data(0x0D, 2001, &[1; 256]),
        data(0x0E, 2002, &[2; 256]),
        data(0x0F, 2003, &[3; 44]),
    ];
    let ended = |status| [(1, SUCCESS, 0), (2, status, 0), (3, Status::WrFlushErr, 0)];
    let completions = with(y, &responses);
    let told = [Status::LocProtErr, Status::LocAccessErr].map(ended);
    assert!(told.iter().any(|told| completions == told), "{completions:?}");
    assert_eq!(y.state(), QpState::Error);
}
