//! The verbs as a test author has them, on two of the project's HCAs.
use hca_host::command;
use hca_host::profile::SMALL;
use hca_sim::driver::{DriverError, Operation, QpChanges, QpState, ReceiveWork, SendWork, Service};
use hca_sim::verbs::{Connection, Error, MrAttributes, Pair, QpInitAttributes};
use hca_sim::SimConfig;

const BUFFER: u64 = 0x2000_0000;

fn pair() -> Pair {
    let library = hca_sim::design::library(&hca_rtl::export::hca(&SMALL).unwrap()).unwrap();
    Pair::new(&library, &SimConfig::default()).unwrap()
}

fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> u32 {
    match result {
        Err(Error::Refused(DriverError::Refused(code))) => code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_adapter_tells_its_limits() {
    let limits = pair().x().query_hca().unwrap();
    assert_eq!(limits.version, (0, 3));
    assert_eq!(
        (limits.queue_pairs, limits.completion_queues, limits.memory_regions),
        (16, 16, 64)
    );
    assert_eq!((limits.stream_bytes, limits.roce, limits.ports), (8, false, 1));
    assert_eq!(
        (limits.max_cqe, limits.max_send_wr, limits.max_recv_wr),
        (32_768, 64, 32_768)
    );
    assert_eq!(
        (limits.max_rd_atomic, limits.max_sge, limits.max_inline),
        (16, 16, 256)
    );
    assert_eq!(limits.services, [Service::Rc, Service::Uc, Service::Ud]);
    assert!(!limits.reliable_datagrams && !limits.raw_packets);
    assert!(limits.cq_resize && limits.end_to_end_credits && !limits.memory_windows);
    assert_eq!((limits.address_handles, limits.gids), (64, 4));
}

/// CF536.
#[test]
fn a_completion_queue_is_made_and_resized_with_the_number_of_its_entries() {
    let mut pair = pair();
    let mut x = pair.x();
    for (asked, actual) in [(1, 1), (3, 4), (64, 64), (65, 128), (32_768, 32_768)] {
        let (cq, entries) = x.create_cq(asked).unwrap();
        assert_eq!(entries, actual);
        assert_eq!(x.query_cq(cq).unwrap().books.entries, actual);
        x.destroy_cq(cq).unwrap();
    }
    for asked in [0, 32_769] {
        let refused = x.create_cq(asked).unwrap_err();
        assert!(
            matches!(&refused, Error::Refused(DriverError::BadRingSize(n)) if *n == asked),
            "{refused}"
        );
    }
    let (cq, _) = x.create_cq(3).unwrap();
    for (asked, actual) in [(5, 8), (2, 2)] {
        assert_eq!(x.resize_cq(cq, asked).unwrap(), actual);
        assert_eq!(x.entries(cq).unwrap(), actual);
    }
}

#[test]
fn refusals_say_why_and_change_nothing() {
    let mut pair = pair();
    let mut x = pair.x();
    let (cq, _) = x.create_cq(3).unwrap();
    let attributes = QpInitAttributes::new(cq, cq);
    let qp = x.create_qp(&attributes).unwrap();
    let before = x.query_qp(qp).unwrap();
    assert_eq!(before.state, QpState::Reset);
    assert_eq!(refusal(x.destroy_cq(cq)), command::IN_USE);
    let none = QpChanges::default();
    assert_eq!(
        refusal(x.modify_qp(qp, QpState::Rts, &none)),
        command::BAD_TRANSITION
    );
    assert_eq!(
        refusal(x.modify_qp(qp, QpState::Init, &none)),
        command::MISSING_ATTRIBUTE
    );
    let large = QpInitAttributes {
        max_send_wr: 65,
        ..attributes
    };
    assert_eq!(refusal(x.create_qp(&large)), command::BAD_SIZE);
    assert_eq!(x.query_qp(qp).unwrap(), before);
    x.destroy_qp(qp).unwrap();
    x.destroy_cq(cq).unwrap();
    assert_eq!(refusal(x.query_cq(cq)), command::NOT_FOUND);
    assert_eq!(refusal(x.query_qp(qp)), command::NOT_FOUND);
}

#[test]
fn what_is_made_anew_knows_nothing_of_what_was_there() {
    let mut pair = pair();
    let region = MrAttributes::shared(BUFFER, 4096);
    for round in 0..3u64 {
        let (mr_x, mr_y) = (
            pair.x().reg_mr(&region).unwrap(),
            pair.y().reg_mr(&region).unwrap(),
        );
        let ((cq_x, _), (cq_y, _)) = (pair.x().create_cq(4).unwrap(), pair.y().create_cq(4).unwrap());
        let qp_x = pair.x().create_qp(&QpInitAttributes::new(cq_x, cq_x)).unwrap();
        let qp_y = pair.y().create_qp(&QpInitAttributes::new(cq_y, cq_y)).unwrap();
        let fresh = pair.y().query_qp(qp_y).unwrap();
        assert_eq!(
            (fresh.state, fresh.attributes.dest_qpn),
            (QpState::Reset, Some(0))
        );
        let connection = Connection {
            sq_psn: 1000 * round as u32,
            rq_psn: 1000 * round as u32,
            ..Connection::default()
        };
        pair.connect(qp_x, qp_y, &connection).unwrap();
        // One message arrives, one receive and one completion are left behind.
        for wr_id in 0..2 {
            let segments = vec![mr_y.sge(BUFFER, 64)];
            let work = ReceiveWork { wr_id, segments };
            pair.y().post_recv(qp_y, &work).unwrap();
        }
        let segments = vec![mr_x.sge(BUFFER, 16)];
        let work = SendWork::signaled(round, Operation::Send, segments);
        pair.x().post_send(qp_x, &work).unwrap();
        assert_eq!(pair.x().next_completion(cq_x).unwrap().wr_id, Some(round));
        pair.x().destroy_qp(qp_x).unwrap();
        pair.y().destroy_qp(qp_y).unwrap();
        assert_eq!(
            pair.y().poll_cq(cq_y).unwrap(),
            None,
            "its completions go with a queue pair"
        );
        pair.x().destroy_cq(cq_x).unwrap();
        pair.x().dereg_mr(mr_x).unwrap();
        pair.y().destroy_cq(cq_y).unwrap();
        pair.y().dereg_mr(mr_y).unwrap();
    }
}
