//! `link.md` sections 9 and 13: the largest packet, and the largest datagram, at each active MTU.
use super::super::judge::reason;
use super::super::packet::{Packet, Route, PORT};
use super::super::Block;
use hca_sim::wire::receive::{Addresses, Manners, Outcome, Receiver};

pub fn of_each_mtu(block: &Block) {
    for (mtu, bytes) in [(1, 256), (2, 512), (3, 1024), (4, 2048), (5, 4096)] {
        for route in block.routes {
            let addresses = Addresses { mtu, ..PORT };
            let cases = cases(route, bytes);
            let packets: Vec<_> = cases.iter().map(|case| case.0.bytes()).collect();
            let receiver = Receiver::new(&block.library, block.stream_bits, &addresses, 43);
            let arrivals = receiver.expect("the model runs").run(&packets, Manners::EAGER);
            for ((packet, expected), arrival) in
                cases.iter().zip(arrivals.expect("the block obeys its ports"))
            {
                let found = match arrival.outcome {
                    Outcome::Dropped(reason) => Some(reason),
                    _ => None,
                };
                let length = packet.payload.len();
                assert_eq!(
                    found, *expected,
                    "opcode {:02X}h, {length} bytes, {route:?}",
                    packet.opcode
                );
            }
        }
    }
}

/// Packets at an active MTU of so many bytes, and why they are dropped.
fn cases(route: Route, mtu: usize) -> Vec<(Packet, Option<u8>)> {
    let datagram = |payload: usize| Packet {
        opcode: 0x64,
        extended: vec![7; 8],
        ..Packet::send(route, payload)
    };
    // What the MTU and 124 bytes, or 76 behind the UDP header, leave for a Send of RC.
    let most = match route {
        Route::Local => mtu + 124 - 24,
        Route::Global => mtu + 124 - 64,
        Route::Ipv4 | Route::Ipv6 => mtu + 76 - 16,
    };
    let mut cases = vec![
        (datagram(mtu), None),
        (datagram(mtu - 3), None),
        (datagram(mtu + 1), Some(reason::PAYLOAD_LENGTH)),
        (datagram(mtu + 48), Some(reason::PAYLOAD_LENGTH)),
        (Packet::send(route, mtu), None),
        (Packet::send(route, most + 1), Some(reason::LENGTH)),
        (datagram(most), Some(reason::LENGTH)),
    ];
    // No packet of a connection is longer than the largest PMTU.
    if mtu < 4096 {
        cases.push((Packet::send(route, most), None));
    }
    cases
}
