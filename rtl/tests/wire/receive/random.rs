//! Random packets, legal ones and spoilt ones.
use super::judge::{extended, known_opcodes};
use super::packet::{reseal, reseal_link, Packet, Route, PORT};
use fastrand::Rng;

/// A packet that the port accepts: any opcode, its headers, and up to `longest` bytes of payload.
pub fn legal(rng: &mut Rng, routes: [Route; 2], longest: usize) -> Packet {
    let opcodes = known_opcodes();
    let opcode = opcodes[rng.usize(..opcodes.len())];
    let headers = extended(opcode).unwrap_or_default();
    let length = match rng.u8(..5) {
        0 => 0,
        1 => rng.usize(..9),
        2 => rng.usize(..longest.min(80) + 1),
        3 => rng.usize(..longest + 1),
        _ => longest,
    };
    let bytes = |rng: &mut Rng, count: usize| (0..count).map(|_| rng.u8(..)).collect::<Vec<u8>>();
    let extended = bytes(rng, headers.iter().map(|header| header.bytes()).sum());
    Packet {
        route: routes[rng.usize(..2)],
        vl: rng.u8(..PORT.data_vls),
        sl: rng.u8(..16),
        dlid: PORT.lid | rng.u16(..1 << PORT.lmc),
        slid: rng.u16(..),
        traffic_class: rng.u8(..),
        flow_label: rng.u32(..1 << 20),
        hop_limit: rng.u8(..),
        sgid: std::array::from_fn(|_| rng.u8(..)),
        dgid: match rng.usize(..3) {
            0 => PORT.gid,
            filled => with_guid(PORT.guids[[0, 2][filled - 1]]),
        },
        source_mac: std::array::from_fn(|_| rng.u8(..)),
        source_port: rng.u16(..),
        opcode,
        solicited: rng.bool(),
        migrated: rng.bool(),
        p_key: rng.u16(..),
        resv8a: rng.u8(..),
        dest_qp: rng.u32(..1 << 24),
        ack_req: rng.bool(),
        psn: rng.u32(..1 << 24),
        extended,
        payload: bytes(rng, length),
    }
}

/// The port's prefix, and this GUID.
fn with_guid(guid: u64) -> [u8; 16] {
    let mut gid = PORT.gid;
    gid[8..].copy_from_slice(&guid.to_be_bytes());
    gid
}

/// One to three bits flipped, headers more often than payload; its CRCs as they were or made right again.
pub fn mutant(rng: &mut Rng, routes: [Route; 2], longest: usize) -> Vec<u8> {
    let native = routes == Route::NATIVE;
    let mut packet = legal(rng, routes, longest);
    if rng.u8(..16) == 0 {
        // That of an empty entry of the table.
        packet.dgid = with_guid(0);
    }
    let mut bytes = packet.bytes();
    for _ in 0..rng.usize(1..=3) {
        let range = if rng.bool() {
            bytes.len().min(70)
        } else {
            bytes.len()
        };
        bytes[rng.usize(..range)] ^= 1 << rng.u8(..8);
    }
    match rng.u8(..3) {
        0 => {}
        1 => reseal_link(native, &mut bytes),
        _ => reseal(native, &mut bytes),
    }
    bytes
}

/// A packet cut or stretched to this length, its CRCs right for what is left.
pub fn resized(rng: &mut Rng, route: Route, length: usize) -> Vec<u8> {
    let mut bytes = Packet::send(route, 100).bytes();
    bytes.resize_with(length, || rng.u8(..));
    reseal(Route::NATIVE.contains(&route), &mut bytes);
    bytes
}
