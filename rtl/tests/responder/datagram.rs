//! What a queue pair that has failed since admission still says of a datagram (`protocol/ud.md` section 3.1 steps 4 to
//! 10, `special_qps.md` section 3).
use crate::bench::{bits, library, vector, Bench};
use hca_host::retire::drop;
use hca_rtl::receive::RequestArrival;
use hca_rtl::responder::{RequestFlags, UdDecision};

/// The reason of the drop that follows one of admission.
fn reason(bench: &mut Bench, arrival: RequestArrival, flags: RequestFlags) -> u64 {
    bench.set_bytes("arrival", &vector::<428>(arrival.into()));
    bench.set_bytes("flags", &vector(flags.into()));
    bench.set("wqe_length", 0);
    bench.follow();
    let verdict = bench.bytes("verdict");
    assert_eq!(bits(&verdict, 0, 1), 1, "dropped");
    bits(&verdict, 1, 8)
}

#[test]
fn the_state_hides_what_is_checked_behind_it() {
    let mut bench = Bench::without_clock(&library::<UdDecision>("ud_decision"), 1);
    let refused = |dest_qp: u64, drop_reason: u8| RequestArrival {
        dest_qp: dest_qp.into(),
        general: dest_qp == 1,
        drop: true,
        drop_reason: u64::from(drop_reason).into(),
        ..Default::default()
    };
    for (arrival, hidden) in [
        (refused(0x107, drop::OPCODE), false),
        (refused(0x107, drop::P_KEY), true),
        (refused(0x107, drop::Q_KEY), true),
        (refused(0x107, drop::DLID), true),
        (refused(1, drop::P_KEY), true),
        (refused(1, drop::Q_KEY), true),
        (refused(1, drop::DLID), false),
        (
            RequestArrival {
                grouped: true,
                copy: true,
                ..refused(0x107, drop::DLID)
            },
            true,
        ),
        (
            RequestArrival {
                grouped: true,
                ..refused(0x107, drop::DLID)
            },
            false,
        ),
    ] {
        let own: u64 = bits(&vector::<8>(arrival.drop_reason), 0, 8);
        for receives in [true, false] {
            let flags = RequestFlags {
                receives,
                length_legal: true,
                ..Default::default()
            };
            let expected = match receives || !hidden {
                true => own,
                false => drop::QP_STATE.into(),
            };
            let found = reason(&mut bench, arrival, flags);
            assert_eq!(found, expected, "reason {own} of admission, receives: {receives}");
        }
    }
}

/// To QP1 alone.
#[test]
fn a_length_is_checked_before_the_keys() {
    let mut bench = Bench::without_clock(&library::<UdDecision>("ud_decision"), 2);
    for (dest_qp, why, expected) in [
        (1_u64, drop::P_KEY, drop::PAYLOAD_LENGTH),
        (1, drop::Q_KEY, drop::PAYLOAD_LENGTH),
        (1, drop::OPCODE, drop::OPCODE),
        (0x107, drop::P_KEY, drop::P_KEY),
        (0x107, drop::Q_KEY, drop::Q_KEY),
    ] {
        let arrival = RequestArrival {
            dest_qp: dest_qp.into(),
            general: dest_qp == 1,
            drop: true,
            drop_reason: u64::from(why).into(),
            ..Default::default()
        };
        let flags = RequestFlags {
            receives: true,
            ..Default::default()
        };
        let found = reason(&mut bench, arrival, flags);
        assert_eq!(
            found,
            u64::from(expected),
            "to QP {dest_qp}, reason {why} of admission"
        );
    }
}
