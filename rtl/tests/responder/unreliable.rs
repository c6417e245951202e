//! What is decided of a packet of UC (`protocol/uc.md` section 3): the checks in their order.
use crate::bench::{bits, library, vector, Bench};
use hca_host::retire::drop;
use hca_rtl::receive::RequestArrival;
use hca_rtl::responder::{RequestFlags, UcDecision};

const SEQUENCE: Option<u8> = Some(drop::UNRELIABLE_SEQUENCE);
const ACCESS: Option<u8> = Some(drop::UNRELIABLE_ACCESS);
const LENGTH: Option<u8> = Some(drop::UNRELIABLE_LENGTH);
const NO_WQE: Option<u8> = Some(drop::NO_RECEIVE_WQE);

struct Rig(Bench);

impl Rig {
    fn new(seed: u64) -> Rig {
        Rig(Bench::without_clock(&library::<UcDecision>("uc_decision"), seed))
    }

    /// The reason for which the packet is dropped, or `None` if it is executed. `open`: a Send, a Write is open.
    fn decided(&mut self, flags: RequestFlags, open: [bool; 2], room: u32) -> Option<u8> {
        let bench = &mut self.0;
        bench.set_bytes("arrival", &vector::<428>(RequestArrival::default().into()));
        bench.set_bytes("flags", &vector(flags.into()));
        bench.set("open_send", open[0].into());
        bench.set("open_write", open[1].into());
        bench.set("wqe_length", room.into());
        bench.follow();
        let verdict = bench.bytes("verdict");
        let flag = |at| bits(&verdict, at, 1) == 1;
        let reason = bits(&verdict, 1, 8) as u8;
        assert_eq!(flag(0), !flag(33), "it is dropped or executed");
        assert_eq!(
            flag(29),
            flag(0) && Some(reason) == NO_WQE,
            "it waits for a WQE alone"
        );
        // Keys are walked before the room of a Send's WQE is known, and before a Write looks for its own.
        let is_refused = flag(0) && [SEQUENCE, ACCESS, Some(drop::QP_STATE)].contains(&Some(reason));
        let walks = !is_refused && flags.length_legal && (flags.write || flags.posted);
        assert_eq!(bench.is_set("passes"), walks, "keys are walked");
        flag(0).then_some(reason)
    }
}

/// The first packet of a Send that is taken.
fn send() -> RequestFlags {
    RequestFlags {
        receives: true,
        expected: true,
        send: true,
        begins: true,
        enabled: true,
        takes_wqe: true,
        posted: true,
        length_legal: true,
        total: 100_u64.into(),
        ..Default::default()
    }
}

/// The first packet of a Write that is taken.
fn write() -> RequestFlags {
    RequestFlags {
        send: false,
        write: true,
        takes_wqe: false,
        posted: false,
        ..send()
    }
}

#[test]
fn only_what_continues_an_open_message_goes_on() {
    let mut rig = Rig::new(1);
    for first in [send(), write()] {
        // A first packet resynchronises, whatever is open (steps 8 and 9).
        for open in [[false, false], [true, false], [false, true]] {
            for expected in [true, false] {
                let flags = RequestFlags { expected, ..first };
                assert_eq!(rig.decided(flags, open, 100), None);
            }
        }
    }
    for (flags, open, expected, result) in [
        (send(), [true, false], true, None),
        (send(), [false, true], true, SEQUENCE),
        (send(), [false, false], true, SEQUENCE),
        (send(), [true, false], false, SEQUENCE),
        (write(), [false, true], true, None),
        (write(), [true, false], true, SEQUENCE),
        (write(), [false, false], true, SEQUENCE),
        (write(), [false, true], false, SEQUENCE),
    ] {
        let middle = RequestFlags {
            begins: false,
            expected,
            ..flags
        };
        let what = format!("send {}, open {open:?}, expected {expected}", flags.send);
        assert_eq!(rig.decided(middle, open, 100), result, "{what}");
    }
}

/// One check fails more each time, from the last of them to the first.
#[test]
fn the_first_check_that_fails_counts() {
    let mut rig = Rig::new(2);
    let mut flags = send();
    assert_eq!(rig.decided(flags, [false; 2], 100), None);
    assert_eq!(rig.decided(flags, [false; 2], 99), LENGTH);
    flags.length_legal = false;
    assert_eq!(rig.decided(flags, [false; 2], 100), LENGTH);
    flags.posted = false;
    assert_eq!(rig.decided(flags, [false; 2], 99), NO_WQE);
    flags.enabled = false;
    assert_eq!(rig.decided(flags, [false; 2], 99), ACCESS);
    flags.begins = false;
    assert_eq!(rig.decided(flags, [false; 2], 99), SEQUENCE);
    flags.receives = false;
    assert_eq!(rig.decided(flags, [false; 2], 99), Some(drop::QP_STATE));

    // A Write looks for its WQE last (step 14), and at no length of it.
    let mut flags = RequestFlags {
        takes_wqe: true,
        ..write()
    };
    assert_eq!(rig.decided(flags, [false; 2], 0), NO_WQE);
    flags.posted = true;
    assert_eq!(rig.decided(flags, [false; 2], 0), None);
    flags.posted = false;
    flags.length_legal = false;
    assert_eq!(rig.decided(flags, [false; 2], 0), LENGTH);
    flags.enabled = false;
    assert_eq!(rig.decided(flags, [false; 2], 0), ACCESS);
}

/// A Send fits its WQE, or not, by each bit of both lengths.
#[test]
fn every_bit_of_a_length_counts() {
    let mut rig = Rig::new(3);
    let mut fits = |total: u64, room: u32| {
        let flags = RequestFlags {
            total: total.into(),
            ..send()
        };
        rig.decided(flags, [false; 2], room)
    };
    for bit in 0..32 {
        let room = 1 << bit;
        assert_eq!(fits(room.into(), room), None, "{room} bytes");
        assert_eq!(fits(u64::from(room) - 1, room), None, "less than {room} bytes");
        assert_eq!(fits(u64::from(room) + 1, room), LENGTH, "more than {room} bytes");
        assert_eq!(fits(room.into(), room - 1), LENGTH, "{room} bytes into one less");
    }
    assert_eq!(fits(1 << 32, u32::MAX), LENGTH);
}
