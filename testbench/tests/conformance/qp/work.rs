//! CF235, CF236, CF241 to CF244: work requests that are refused at once (`qp_cq.md` section 1 and 3).
use crate::bench::requester::{all_rights, work, FETCH_ADD, SEND};
use crate::bench::verbs::{Told, DONE};
use crate::bench::{on_both, Bench, BUFFER, QPN, SOURCE};
use hca_golden::verbs::{QpState, ReceiveRequest, SendRequest, Sge, Status};
use hca_testbench::device::{Reason, Verb};
use hca_testbench::scenario::region::L_KEY;

on_both!(
    cf235_cf236_work_by_state,
    cf241_an_atomic_of_a_queue_pair_without_read_depth,
    cf242_more_sges_than_a_work_request_has,
    cf243_a_refused_work_request_stops_its_list,
    cf244_the_target_of_an_atomic,
);

fn post(y: &mut Bench, request: SendRequest) -> Told {
    y.attempt(Verb::PostSend { qpn: QPN, request })
}

fn post_receive(y: &mut Bench, wr_id: u64, sges: Vec<Sge>) -> Told {
    let request = ReceiveRequest { wr_id, sges };
    y.attempt(Verb::PostReceive { qpn: QPN, request })
}

fn sges(count: usize) -> Vec<Sge> {
    let sge = |n: u64| Sge {
        addr: SOURCE + 8 * n,
        length: 8,
        l_key: L_KEY,
    };
    (0..count as u64).map(sge).collect()
}

fn cf235_cf236_work_by_state(y: &mut Bench) {
    y.create(&all_rights());
    let wrong = Err(Reason::WrongState);
    assert_eq!(post(y, work(1, SEND, 8)), wrong);
    // Before that its max_rd_atomic is 0.
    assert_eq!(post(y, work(1, FETCH_ADD, 8)), wrong);
    assert_eq!(post_receive(y, 2, Vec::new()), wrong);
    for state in [QpState::Init, QpState::Rtr] {
        assert_eq!(y.attempt_move(state), DONE);
        assert_eq!(post(y, work(1, SEND, 8)), wrong);
        assert_eq!(post_receive(y, 2, Vec::new()), DONE);
    }
    assert_eq!(y.attempt_move(QpState::Rts), DONE);
    assert_eq!(post(y, work(1, SEND, 8)), DONE);
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
    let nowhere = Verb::PostSend {
        qpn: 0x0C05,
        request: work(1, SEND, 8),
    };
    assert_eq!(y.attempt(nowhere), Err(Reason::NotFound));
}

/// `qp_cq.md` section 3: refused at once, also where the QP would flush it. In a QP that has not been in RTS
/// max_rd_atomic is 0.
fn cf241_an_atomic_of_a_queue_pair_without_read_depth(y: &mut Bench) {
    y.create(&all_rights());
    assert_eq!(y.attempt_move(QpState::Error), DONE);
    assert_eq!(post(y, work(1, FETCH_ADD, 8)), Err(Reason::NoReadDepth));
    assert_eq!(post(y, work(2, SEND, 8)), DONE);
    y.settle();
    assert_eq!(y.completions(), [(2, Status::WrFlushErr, 0)]);
}

fn cf242_more_sges_than_a_work_request_has(y: &mut Bench) {
    y.connect_with(|_| {});
    let of = |count| SendRequest {
        sges: sges(count),
        ..work(1, SEND, 0)
    };
    assert_eq!(post(y, of(17)), Err(Reason::TooManySges));
    assert_eq!(post_receive(y, 2, sges(17)), Err(Reason::TooManySges));
    assert_eq!(y.sent_rows(), []);
    assert_eq!(post_receive(y, 2, sges(16)), DONE);
    assert_eq!(post(y, of(16)), DONE);
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
}

/// The third of four is refused: the first two are posted, the fourth is not.
fn cf243_a_refused_work_request_stops_its_list(y: &mut Bench) {
    y.connect_with(|_| {});
    let list = [
        work(1, SEND, 8),
        work(2, SEND, 8),
        SendRequest {
            sges: sges(17),
            ..work(3, SEND, 0)
        },
        work(4, SEND, 8),
    ];
    let mut posted = list.into_iter().map(|request| post(y, request));
    let stopped = posted.by_ref().position(|told| told.is_err());
    assert_eq!(stopped, Some(2), "the work request that software is told of");
    drop(posted);
    assert_eq!(y.sent_rows(), [(0x04, 2000), (0x04, 2001)]);
    y.receive(&[crate::bench::response(2001, 0x1F, 2)]);
    assert_eq!(
        y.completions(),
        [(1, Status::Success, 0), (2, Status::Success, 0)]
    );
}

fn cf244_the_target_of_an_atomic(y: &mut Bench) {
    y.connect_with(|_| {});
    let with = |addr, length, count: usize| {
        let sge = Sge {
            addr,
            length,
            l_key: L_KEY,
        };
        SendRequest {
            sges: vec![sge; count],
            ..work(1, FETCH_ADD, 8)
        }
    };
    let refused = Err(Reason::AtomicTarget);
    assert_eq!(post(y, with(BUFFER, 7, 1)), refused);
    assert_eq!(post(y, with(BUFFER + 4, 8, 1)), refused);
    assert_eq!(post(y, with(BUFFER, 8, 0)), refused);
    assert_eq!(post(y, with(BUFFER, 8, 2)), refused);
    assert_eq!(y.sent_rows(), []);
    assert_eq!(post(y, with(BUFFER, 8, 1)), DONE);
    assert_eq!(y.sent_rows(), [(0x14, 2000)]);
}
