//! What the state of a native port lets in (`link.md` sections 1 and 9), and what an armed port hears.
use super::judge::reason;
use super::packet::{Packet, Route};
use super::Block;
use hca_sim::wire::receive::{Manners, Outcome};

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
