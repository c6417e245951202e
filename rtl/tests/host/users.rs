//! Who uses a completion queue, and which queue pairs have failed: of every number, in every order.
use crate::bench::{library, Bench};
use crate::rig::Rig;
use fastrand::Rng;
use hca_host::command::*;
use hca_rtl::control::Commands;

/// Queue pairs that are neither QP0 nor QP1 nor at their places.
const INDICES: std::ops::Range<u8> = 2..16;

fn qpn(index: u8) -> u32 {
    0x0B00 | u32::from(index)
}

/// Either side may report one in any clock, and both sides one in the same clock.
#[test]
fn those_fail_that_either_side_reports_and_no_others() {
    let mut rig = Rig::new();
    rig.delay = 0;
    rig.create_cq(1);
    rig.create_cq(2);
    for index in INDICES {
        assert_eq!(rig.create_qp(qpn(index), 1, 2), OK);
        rig.bring_to(qpn(index), 1);
    }
    let mut rng = Rng::with_seed(0xFA1);
    for _ in 0..60 {
        let mut failed = Vec::new();
        for _ in 0..rng.usize(1..3) {
            for side in ["responder", "requester"] {
                let index = rng.u8(INDICES);
                let fails = rng.u8(..4) != 0;
                rig.bench.set(&format!("{side}_failed_valid"), fails.into());
                rig.bench.set(&format!("{side}_failed_index"), index.into());
                failed.extend(fails.then_some(index));
            }
            rig.clock();
        }
        rig.bench.set("responder_failed_valid", 0);
        rig.bench.set("requester_failed_valid", 0);
        for index in INDICES {
            let expected = if failed.contains(&index) { STATE_ERROR } else { 1 };
            assert_eq!(rig.run(QUERY_QP, &[(0, qpn(index))]), OK);
            assert_eq!(rig.arguments[1] & 7, expected, "QP {index} of {failed:?}");
        }
        for index in INDICES.filter(|index| failed.contains(index)) {
            assert_eq!(rig.modify(qpn(index), STATE_RESET, 0, &[]), OK);
            rig.bring_to(qpn(index), 1);
        }
    }
}

/// As long as one queue pair is left, whatever number there were.
#[test]
fn a_completion_queue_stays_while_anyone_uses_it() {
    const QPS: u32 = 256;
    let library = library::<Commands<8, 256, 13, 4, 6, 6, 10, 0>>("commands");
    let mut rig = Rig::of(Bench::new(&library, 1), 4_000);
    rig.delay = 0;
    rig.create_cq(1);
    rig.create_cq(2);
    let mut rng = Rng::with_seed(0xC9);
    let mut left: Vec<u32> = (2..QPS).collect();
    rng.shuffle(&mut left);
    let other = left.pop().expect("there are some");
    assert_eq!(rig.create_qp(other, 2, 2), OK);
    for qpn in &left {
        assert_eq!(rig.create_qp(*qpn, 1, 1), OK);
        assert_eq!(rig.run(DESTROY_CQ, &[(0, 1)]), IN_USE);
    }
    rng.shuffle(&mut left);
    while let Some(qpn) = left.pop() {
        assert_eq!(
            rig.run(DESTROY_CQ, &[(0, 1)]),
            IN_USE,
            "{} use it",
            left.len() + 1
        );
        assert_eq!(rig.run(DESTROY_QP, &[(0, qpn)]), OK);
    }
    assert_eq!(rig.run(DESTROY_CQ, &[(0, 1)]), OK, "nobody uses it");
    assert_eq!(rig.run(DESTROY_CQ, &[(0, 2)]), IN_USE);
}
