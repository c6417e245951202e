//! One beat a clock, whatever comes.
use super::packet::{reseal_link, Packet, Route};
use super::Block;
use hca_sim::wire::receive::{Manners, Outcome};

/// Clocks from a packet's last beat to its header, and the payload's way out behind it.
const LATENCY: u64 = 10;

/// Opcode, bytes of extended headers, payload: RC Write only with immediate, RC atomic acknowledge, RD CompareSwap.
const LONG_HEADERS: [(u8, usize, usize); 6] = [
    (0x0B, 20, 1),
    (0x0B, 20, 77),
    (0x0B, 20, 4096),
    (0x12, 12, 0),
    (0x53, 40, 0),
    (0x53, 40, 4096),
];

/// Every length that is special at some width, each route: beats come in without an idle clock between them.
pub fn full(block: &Block) {
    for route in block.routes {
        let acks: Vec<_> = (0..400).map(|psn| Packet::ack(route, psn).bytes()).collect();
        runs_full(block, &acks, "acks");
        for length in (0..=70).chain([256, 1024, 4096]) {
            let count = (4000 / (length + 40)).max(6);
            let packets = vec![Packet::send(route, length).bytes(); count];
            runs_full(block, &packets, &format!("{length} bytes"));
        }
        for (opcode, extended, length) in LONG_HEADERS {
            let mut packet = Packet::send(route, length);
            (packet.opcode, packet.extended) = (opcode, vec![0x5A; extended]);
            let count = (4000 / (length + 40)).max(6);
            let what = format!("{length} bytes behind opcode {opcode:02X}h");
            runs_full(block, &vec![packet.bytes(); count], &what);
        }
    }
    mixed(block);
}

/// Routes, lengths and drops mixed.
fn mixed(block: &Block) {
    let native = block.routes == Route::NATIVE;
    let packets: Vec<_> = (0..600)
        .map(|n| {
            let mut bytes = Packet::send(block.routes[n / 3 % 2], n % 97).bytes();
            match n % 7 {
                2 => bytes[29] ^= 1,
                4 => {
                    bytes[28] ^= 1;
                    reseal_link(native, &mut bytes);
                }
                5 => bytes.truncate(20 + n % 30),
                _ => {}
            }
            bytes
        })
        .collect();
    runs_full(block, &packets, "mixed");
    let bad: Vec<_> = packets.iter().map(|bytes| bytes[..20].to_vec()).collect();
    runs_full(block, &bad, "runts");
}

fn runs_full(block: &Block, packets: &[Vec<u8>], what: &str) {
    let arrivals = block.receiver(7).run(packets, Manners::EAGER).expect(what);
    let beats: usize = packets
        .iter()
        .map(|packet| packet.len().div_ceil(block.stream_bits / 8))
        .sum();
    let (first, last) = (arrivals[0].first_beat, arrivals[arrivals.len() - 1].last_beat);
    let clocks = last - first + 1;
    assert_eq!(clocks, beats as u64, "clocks for {beats} beats of {what}");
    for (number, arrival) in arrivals.iter().enumerate() {
        let after = arrival.known - arrival.last_beat;
        if matches!(arrival.outcome, Outcome::Dropped(_)) {
            assert!(after < LATENCY, "drop {number} of {what} {after} clocks late");
        }
    }
    let late = arrivals[arrivals.len() - 1].done - last;
    let drain = packets.iter().map(Vec::len).max().unwrap_or_default() * 8 / block.stream_bits;
    assert!(
        late <= LATENCY + 8 + drain as u64,
        "{what} leave {late} clocks after the last beat"
    );
}
