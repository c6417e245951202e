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

/// What is decided of a datagram that admission let through: its drop reason, or `None` if it is executed. Second,
/// whether it waits for a WQE that may be on its way.
fn decided(bench: &mut Bench, flags: RequestFlags, wqe_length: u32) -> (Option<u64>, bool) {
    let arrival = RequestArrival {
        dest_qp: 0x107_u64.into(),
        ..Default::default()
    };
    bench.set_bytes("arrival", &vector::<428>(arrival.into()));
    bench.set_bytes("flags", &vector(flags.into()));
    bench.set("wqe_length", wqe_length.into());
    bench.follow();
    let verdict = bench.bytes("verdict");
    let flag = |at| bits(&verdict, at, 1) == 1;
    let (drops, waits, executes) = (flag(0), flag(29), flag(33));
    assert_eq!(drops, !executes);
    let passes = flags.receives && flags.length_legal && flags.posted;
    assert_eq!(bench.is_set("passes"), passes);
    (drops.then(|| bits(&verdict, 1, 8)), waits)
}

/// Steps 6 and 11 to 13, the first that fails.
#[test]
fn state_length_and_wqe_are_checked_in_turn() {
    let mut bench = Bench::without_clock(&library::<UdDecision>("ud_decision"), 3);
    for (receives, length_legal, posted, room, expected, waits) in [
        (false, false, false, 0, Some(drop::QP_STATE), false),
        (true, false, false, 0, Some(drop::PAYLOAD_LENGTH), false),
        (true, true, false, 0, Some(drop::NO_RECEIVE_WQE), true),
        (true, true, true, 99, Some(drop::BUFFER_TOO_SMALL), false),
        (true, true, true, 100, None, false),
        (false, true, true, 100, Some(drop::QP_STATE), false),
        (true, false, true, 100, Some(drop::PAYLOAD_LENGTH), false),
        (true, true, false, 100, Some(drop::NO_RECEIVE_WQE), true),
    ] {
        let flags = RequestFlags {
            receives,
            length_legal,
            posted,
            total: 100_u64.into(),
            ..Default::default()
        };
        let found = decided(&mut bench, flags, room);
        let what = format!("receives {receives}, length {length_legal}, posted {posted}, room {room}");
        assert_eq!(found, (expected.map(u64::from), waits), "{what}");
    }
}

/// A datagram and its 40 bytes in front fit, or not, by each bit of both lengths.
#[test]
fn every_bit_of_a_length_counts() {
    let mut bench = Bench::without_clock(&library::<UdDecision>("ud_decision"), 4);
    let small = (Some(u64::from(drop::BUFFER_TOO_SMALL)), false);
    let mut fits = |total: u64, room: u32| {
        let flags = RequestFlags {
            receives: true,
            length_legal: true,
            posted: true,
            total: total.into(),
            ..Default::default()
        };
        match decided(&mut bench, flags, room) {
            (None, false) => true,
            found => {
                assert_eq!(found, small);
                false
            }
        }
    };
    for bit in 0..32 {
        let room = 1 << bit;
        assert!(fits(room.into(), room), "{room} bytes");
        assert!(fits(u64::from(room) - 1, room), "{} bytes into {room}", room - 1);
        assert!(
            !fits(u64::from(room) + 1, room),
            "{} bytes into {room}",
            u64::from(room) + 1
        );
        assert!(!fits(u64::from(room), room - 1), "{room} bytes into {}", room - 1);
    }
    assert!(!fits(1 << 32, u32::MAX));
}
