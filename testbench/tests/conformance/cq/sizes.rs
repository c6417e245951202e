//! CF245 to CF254: making, resizing and sharing completion queues (`qp_cq.md` section 6).
use crate::bench::neighbour::Neighbour;
use crate::bench::requester::{all_rights, work, SEND};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, packet, response, Bench, QPN};
use hca_golden::verbs::{QpAttributes, Service, Status};
use hca_testbench::device::{Outcome, Reason, Verb};
use hca_testbench::scenario::connection::{RECEIVE_CQ, SEND_CQ};

on_both!(
    cf245_cf246_cf536_sizes_that_are_asked_for,
    cf247_cf536_a_resize_below_what_it_holds,
    cf248_a_resize_keeps_order_and_contents,
    cf248_a_resize_in_mid_traffic,
    cf249_a_queue_in_use_cannot_be_destroyed,
    cf250_cf251_cf254_polling,
    cf252_one_queue_for_several_work_queues,
    cf253_queues_of_qp0_and_qp1,
    a_queue_made_again_is_empty,
);

/// A queue that no QP uses.
const CQN: u32 = 5;

fn create(cqn: u32, entries: u32) -> Verb {
    Verb::CreateCq { cqn, entries }
}

fn resize(entries: u32) -> Verb {
    let cqn = RECEIVE_CQ;
    Verb::ResizeCq { cqn, entries }
}

fn cf245_cf246_cf536_sizes_that_are_asked_for(y: &mut Bench) {
    for (entries, actual) in [(1, 1), (2, 2), (3, 4), (64, 64), (65, 128), (1000, 1024)] {
        assert_eq!(y.attempt(create(CQN, entries)), Ok(Outcome::Entries(actual)));
        assert_eq!(y.query_cq(CQN), (actual, false));
        assert_eq!(y.attempt(Verb::DestroyCq { cqn: CQN }), DONE);
    }
    for entries in [0, 32_769, u32::MAX] {
        assert_eq!(y.attempt(create(CQN, entries)), Err(Reason::BadSize));
    }
    assert_eq!(y.attempt(Verb::QueryCq { cqn: CQN }), Err(Reason::NotFound));
    assert_eq!(y.attempt(create(0x00FF_FFFF, 4)), Err(Reason::BadIndex));
    assert_eq!(y.attempt(create(CQN, 4)), Ok(Outcome::Entries(4)));
    assert_eq!(y.attempt(create(CQN, 4)), Err(Reason::InUse));
}

/// `count` messages of 8 bytes from this PSN on, each into a WQE of its own, WR id its PSN.
fn messages(y: &mut Bench, first: u32, count: u32) {
    for psn in first..first + count {
        y.post_receive(psn.into(), 0, 64);
        y.receive(&[packet(0x04, psn, &[1; 8])]);
    }
    assert_eq!(y.answers().len(), count as usize);
}

fn ids(y: &mut Bench) -> Vec<u64> {
    y.settle();
    y.completions().iter().map(|c| c.0).collect()
}

fn cf247_cf536_a_resize_below_what_it_holds(y: &mut Bench) {
    y.connect_with(|_| {});
    y.poll_completions(false);
    messages(y, 100, 5);
    assert_eq!(y.attempt(resize(4)), Err(Reason::BadSize));
    assert_eq!(y.query_cq(RECEIVE_CQ), (128, false), "nothing changed");
    assert_eq!(y.attempt(resize(5)), Ok(Outcome::Entries(8)));
    assert_eq!(y.query_cq(RECEIVE_CQ), (8, false));
    for entries in [0, 32_769] {
        assert_eq!(y.attempt(resize(entries)), Err(Reason::BadSize));
    }
    y.poll_completions(true);
    assert_eq!(ids(y), [100, 101, 102, 103, 104]);
    let cqn = CQN;
    assert_eq!(
        y.attempt(Verb::ResizeCq { cqn, entries: 8 }),
        Err(Reason::NotFound)
    );
}

/// Larger and smaller, at every place of the ring, with CQEs before and behind.
fn cf248_a_resize_keeps_order_and_contents(y: &mut Bench) {
    y.connect_with(|_| {});
    assert_eq!(y.attempt(resize(8)), Ok(Outcome::Entries(8)));
    let mut psn = 100;
    for (n, entries) in [4, 16, 8, 8, 32, 4, 8].into_iter().enumerate() {
        y.poll_completions(false);
        messages(y, psn, 3);
        assert_eq!(
            y.attempt(resize(entries)),
            Ok(Outcome::Entries(entries)),
            "resize {n}"
        );
        messages(y, psn + 3, 1);
        y.poll_completions(true);
        let expected: Vec<u64> = (psn..psn + 4).map(u64::from).collect();
        assert_eq!(ids(y), expected, "resize {n}");
        messages(y, psn + 4, 1);
        assert_eq!(ids(y), [u64::from(psn + 4)]);
        psn += 5;
    }
}

/// The command comes while CQEs are on their way.
fn cf248_a_resize_in_mid_traffic(y: &mut Bench) {
    y.connect_with(|_| {});
    for n in 0..16 {
        y.submit_receive(n, 0, 64);
    }
    y.settle();
    for (round, entries) in [16, 64, 16, 32].into_iter().enumerate() {
        let first = 4 * round as u32;
        for psn in first..first + 4 {
            y.arrive(packet(0x04, 100 + psn, &[1; 8]));
        }
        assert_eq!(y.attempt(resize(entries)), Ok(Outcome::Entries(entries)));
        y.settle();
        assert_eq!(y.answers().last().map(|a| a.0), Some(u64::from(103 + first)));
    }
    assert_eq!(ids(y), (0..16).collect::<Vec<u64>>());
}

fn cf249_a_queue_in_use_cannot_be_destroyed(y: &mut Bench) {
    y.connect_with(|_| {});
    for cqn in [SEND_CQ, RECEIVE_CQ] {
        assert_eq!(y.attempt(Verb::DestroyCq { cqn }), Err(Reason::InUse));
        assert_eq!(y.query_cq(cqn), (128, false));
    }
    assert_eq!(y.attempt(Verb::DestroyQp { qpn: QPN }), DONE);
    for cqn in [SEND_CQ, RECEIVE_CQ] {
        assert_eq!(y.attempt(Verb::DestroyCq { cqn }), DONE);
        assert_eq!(y.attempt(Verb::DestroyCq { cqn }), Err(Reason::NotFound));
    }
}

/// Oldest first, each with WR id and status; an empty queue has none.
fn cf250_cf251_cf254_polling(y: &mut Bench) {
    y.connect_with(|_| {});
    assert_eq!(y.completions(), [], "nothing to poll");
    y.poll_completions(false);
    messages(y, 100, 3);
    y.post_receive(7, 0, 4);
    y.post_receive(8, 0, 64);
    y.receive(&[packet(0x04, 103, &[1; 8])]);
    assert_eq!(y.answers(), [(103, 0x61, 3)], "a message longer than its WQE");
    y.poll_completions(true);
    y.settle();
    let ended = [
        (100, Status::Success, 8),
        (101, Status::Success, 8),
        (102, Status::Success, 8),
        (7, Status::LocLenErr, 0),
        (8, Status::WrFlushErr, 0),
    ];
    assert_eq!(y.completions(), ended);
    assert_eq!(y.completions(), []);
}

/// Both queues of one QP and those of another; each CQE names its QP.
fn cf252_one_queue_for_several_work_queues(y: &mut Bench) {
    let share = |a: &mut QpAttributes| a.receive_cq = SEND_CQ;
    y.connect_with(share);
    let mut neighbour = Neighbour::connected(y);
    messages(y, 100, 1);
    y.post(work(1, SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
    neighbour.exchange(y);
    y.receive(&[response(2000, 0x1F, 1)]);
    let taken = y.taken();
    let told: Vec<_> = taken.iter().map(|c| (c.wr_id, c.qpn)).collect();
    assert_eq!(told, [(100, QPN), (1, QPN)]);
}

fn cf253_queues_of_qp0_and_qp1(y: &mut Bench) {
    y.connect_with(|_| {});
    for cqn in [CQN, CQN + 1] {
        assert_eq!(y.attempt(create(cqn, 16)), Ok(Outcome::Entries(16)));
    }
    let make = |qpn, send_cq, receive_cq| Verb::CreateQp {
        attributes: QpAttributes {
            qpn,
            send_cq,
            receive_cq,
            service: Service::Ud,
            ..all_rights()
        },
        send_entries: 16,
        receive_entries: 16,
    };
    assert_eq!(y.attempt(make(0, CQN, RECEIVE_CQ)), Err(Reason::CqReserved));
    assert_eq!(y.attempt(make(1, SEND_CQ, CQN)), Err(Reason::CqReserved));
    assert_eq!(y.attempt(make(0, CQN, CQN)), DONE);
    assert_eq!(y.attempt(make(1, CQN, CQN)), DONE, "QP0 and QP1 share");
    assert_eq!(y.attempt(make(0x0C05, CQN, CQN + 1)), Err(Reason::CqReserved));
    assert_eq!(y.attempt(make(0x0C05, CQN + 1, CQN)), Err(Reason::CqReserved));
    for qpn in [0, 1] {
        assert_eq!(y.attempt(Verb::DestroyQp { qpn }), DONE);
    }
    assert_eq!(
        y.attempt(make(0x0C05, CQN, CQN + 1)),
        DONE,
        "it serves neither any more"
    );
    assert_eq!(y.attempt(make(1, CQN + 1, CQN + 1)), Err(Reason::CqReserved));
}

/// Destroyed with CQEs in it.
fn a_queue_made_again_is_empty(y: &mut Bench) {
    y.connect_with(|_| {});
    y.poll_completions(false);
    messages(y, 100, 3);
    assert_eq!(y.attempt(Verb::DestroyQp { qpn: QPN }), DONE);
    for cqn in [SEND_CQ, RECEIVE_CQ] {
        assert_eq!(y.attempt(Verb::DestroyCq { cqn }), DONE);
        assert_eq!(y.attempt(create(cqn, 4)), Ok(Outcome::Entries(4)));
    }
    y.poll_completions(true);
    y.create_another(&all_rights());
    y.enter_rts();
    assert_eq!(y.completions(), []);
    for round in 0..3 {
        messages(y, 100 + 3 * round, 3);
        assert_eq!(ids(y).len(), 3);
    }
}
