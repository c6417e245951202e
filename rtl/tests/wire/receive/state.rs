//! What the state of a native port lets in (`link.md` sections 1 and 9), and what an armed port hears.
use super::judge::reason;
use super::packet::{Packet, Route};
use super::Block;
use hca_sim::wire::receive::{LinkCounts, Manners, Outcome, Receiver};

/// It is dropped for the state of the port.
const KEPT_OUT: Option<u8> = Some(reason::PORT_STATE);

fn smp() -> Packet {
    Packet {
        vl: 15,
        opcode: 0x64,
        dest_qp: 0,
        extended: vec![0; 8],
        ..Packet::send(Route::Local, 256)
    }
}

/// With its last byte, of the VCRC, inverted.
fn broken(packet: &Packet) -> Vec<u8> {
    let mut bytes = packet.bytes();
    *bytes.last_mut().expect("it has a VCRC") ^= 0xFF;
    bytes
}

/// What it is, its bytes, why it is dropped in Down, in Init, and in Armed and Active, and whether an armed port hears
/// it.
type Case = (&'static str, Vec<u8>, [Option<u8>; 3], bool);

fn cases() -> Vec<Case> {
    let data = Packet::send(Route::Local, 40);
    let dlid = |dlid| Packet { dlid, ..data.clone() };
    let raw = |packet: &Packet| super::named::changed(packet, |b| b[1] &= !3);
    let mut transport = data.bytes();
    transport[9] ^= 0x10;
    super::packet::reseal_link(true, &mut transport);
    vec![
        ("an SMP", smp().bytes(), [KEPT_OUT, None, None], false),
        ("data", data.bytes(), [KEPT_OUT, KEPT_OUT, None], true),
        (
            "an SMP, VCRC",
            broken(&smp()),
            [KEPT_OUT, Some(reason::VCRC), Some(reason::VCRC)],
            false,
        ),
        (
            "data, VCRC",
            broken(&data),
            [KEPT_OUT, KEPT_OUT, Some(reason::VCRC)],
            false,
        ),
        (
            "the next port's",
            dlid(0x1234).bytes(),
            [KEPT_OUT, KEPT_OUT, Some(reason::DLID)],
            false,
        ),
        (
            "a group's",
            dlid(0xD230).bytes(),
            [KEPT_OUT, KEPT_OUT, None],
            true,
        ),
        (
            "a VL that is not operational",
            super::named::changed(&data, |b| b[0] = 0xE0),
            [KEPT_OUT, KEPT_OUT, Some(reason::VL)],
            false,
        ),
        (
            "an SMP with raw LNH",
            raw(&smp()),
            [KEPT_OUT, Some(reason::VL15), Some(reason::VL15)],
            false,
        ),
        (
            "raw data",
            raw(&data),
            [KEPT_OUT, KEPT_OUT, Some(reason::NETWORK_HEADER)],
            true,
        ),
        (
            "data, ICRC",
            transport,
            [KEPT_OUT, KEPT_OUT, Some(reason::ICRC)],
            true,
        ),
        (
            "a byte",
            vec![0x5A],
            [KEPT_OUT, KEPT_OUT, Some(reason::LENGTH)],
            false,
        ),
    ]
}

/// CF429 to CF432.
pub fn states(block: &Block) {
    let states = [(false, false), (true, false), (true, true)];
    for (n, (management, data)) in states.into_iter().enumerate() {
        let mut receiver = block.receiver(41);
        receiver.accept(management, data);
        for (name, packet, expected, heard) in cases() {
            let before = receiver.heard();
            let arrivals = receiver.run(&[packet], Manners::EAGER);
            let arrivals = arrivals.expect("the block obeys its ports");
            let reason = match arrivals[0].outcome {
                Outcome::Dropped(reason) => Some(reason),
                _ => None,
            };
            assert_eq!(reason, expected[n], "{name} in state {n}");
            assert_eq!(
                receiver.heard() - before,
                u32::from(heard && data),
                "{name} heard"
            );
        }
    }
}

/// Why the packet is dropped, and what it counts as.
fn outcome(receiver: &mut Receiver, packet: &[u8]) -> (Option<u8>, LinkCounts) {
    let before = receiver.counts();
    let arrivals = receiver.run(&[packet], Manners::EAGER);
    let reason = match arrivals.expect("the block obeys its ports")[0].outcome {
        Outcome::Dropped(reason) => Some(reason),
        _ => None,
    };
    let now = receiver.counts();
    let counts = LinkCounts {
        faulty: now.faulty - before.faulty,
        ended_bad: now.ended_bad - before.ended_bad,
        overran: now.overran - before.overran,
        management_overran: now.management_overran - before.management_overran,
        received: now.received - before.received,
        words: now.words - before.words,
        multicast: now.multicast - before.multicast,
    };
    (reason, counts)
}

const NOTHING: LinkCounts = LinkCounts {
    faulty: 0,
    ended_bad: 0,
    overran: 0,
    management_overran: 0,
    received: 0,
    words: 0,
    multicast: 0,
};
const FAULTY: LinkCounts = LinkCounts { faulty: 1, ..NOTHING };

fn received(words: u32) -> LinkCounts {
    LinkCounts {
        received: 1,
        words,
        ..NOTHING
    }
}

/// What it is, its bytes, and what it counts as in Init, and in Armed and Active: CF456, CF457, CF465.
fn counted() -> Vec<(&'static str, Vec<u8>, [LinkCounts; 2])> {
    let data = Packet::send(Route::Local, 40);
    let changed = |change: &dyn Fn(&mut Vec<u8>)| super::named::changed(&data, change);
    let longest = Packet {
        extended: vec![0; 0],
        ..Packet::send(Route::Global, 4096)
    };
    let to = |dlid: u16| changed(&|b| b[2..4].copy_from_slice(&dlid.to_be_bytes()));
    let multicast = LinkCounts {
        multicast: 1,
        ..received(16)
    };
    vec![
        // A MAD has 72 words.
        ("an SMP", smp().bytes(), [received(72); 2]),
        ("data", data.bytes(), [NOTHING, received(16)]),
        ("much data", longest.bytes(), [NOTHING, received(1040)]),
        ("an SMP, VCRC", broken(&smp()), [FAULTY; 2]),
        ("data, VCRC", broken(&data), [NOTHING, FAULTY]),
        ("LVer", changed(&|b| b[0] |= 1), [NOTHING, FAULTY]),
        ("PktLen", changed(&|b| b[5] += 1), [NOTHING, FAULTY]),
        ("five words", vec![0; 22], [NOTHING, FAULTY]),
        ("DLID 0000h", changed(&|b| b[2..4].fill(0)), [NOTHING, FAULTY]),
        ("VL 14", changed(&|b| b[0] = 0xE0), [NOTHING, FAULTY]),
        (
            "an SMP for a group",
            super::named::changed(&smp(), |b| b[2] = 0xC0),
            [FAULTY; 2],
        ),
        (
            "an SMP with raw LNH",
            super::named::changed(&smp(), |b| b[1] &= !3),
            [FAULTY; 2],
        ),
        // What is dropped later was received.
        (
            "the next port's",
            changed(&|b| b[3] = 0x34),
            [NOTHING, received(16)],
        ),
        ("raw data", changed(&|b| b[1] &= !3), [NOTHING, received(16)]),
        // CF485: a packet is multicast if its DLID is one of C000h to FFFEh, whether the port has such a group or not.
        ("DLID BFFFh", to(0xBFFF), [NOTHING, received(16)]),
        ("DLID C000h", to(0xC000), [NOTHING, multicast]),
        ("DLID FFFEh", to(0xFFFE), [NOTHING, multicast]),
        ("DLID FFFFh", to(0xFFFF), [NOTHING, received(16)]),
        (
            "an unknown opcode",
            changed(&|b| b[8] = 0xFF),
            [NOTHING, received(16)],
        ),
    ]
}

/// What a native port counts (`link.md` section 9).
pub fn counts(block: &Block) {
    for (n, data) in [false, true].into_iter().enumerate() {
        let mut receiver = block.receiver(43);
        receiver.accept(false, false);
        for (name, packet, _) in counted() {
            let expected = (KEPT_OUT, NOTHING);
            assert_eq!(outcome(&mut receiver, &packet), expected, "{name} in Down");
        }
        receiver.accept(true, data);
        for (name, packet, expected) in counted() {
            assert_eq!(
                outcome(&mut receiver, &packet).1,
                expected[n],
                "{name}, data: {data}"
            );
        }
        // CF459, whatever else is wrong with it.
        receiver.mark(true, false);
        let ended_bad = LinkCounts {
            ended_bad: 1,
            ..NOTHING
        };
        let smps = [smp().bytes(), broken(&smp()), smp().bytes()[..40].to_vec()];
        for packet in smps {
            let expected = (Some(reason::VCRC), ended_bad);
            assert_eq!(outcome(&mut receiver, &packet), expected);
        }
        let dropped = match data {
            false => (KEPT_OUT, NOTHING),
            true => (Some(reason::VCRC), ended_bad),
        };
        let bytes = Packet::send(Route::Local, 40).bytes();
        assert_eq!(outcome(&mut receiver, &bytes), dropped);
        assert_eq!(outcome(&mut receiver, &bytes[..13]), dropped);
        // Packets without room (CF452, and CF283 on VL 15): the buffer passes on no more than their first beat.
        receiver.mark(false, true);
        let beat = block.stream_bits / 8;
        let overran = LinkCounts { overran: 1, ..FAULTY };
        let dropped = match data {
            false => (KEPT_OUT, NOTHING),
            true => (Some(reason::OVERRUN), overran),
        };
        assert_eq!(outcome(&mut receiver, &bytes[..bytes.len().min(beat)]), dropped);
        let dropped = (
            Some(reason::VL15),
            LinkCounts {
                management_overran: 1,
                ..NOTHING
            },
        );
        assert_eq!(outcome(&mut receiver, &[0xF0, 0, 0, 0]), dropped);
        receiver.mark(false, false);
        assert_eq!(outcome(&mut receiver, &smp().bytes()), (None, received(72)));
    }
}
