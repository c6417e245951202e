//! Packets with published or recomputed CRCs (`crc_vectors.csv`), at the ports that they were sent to.
use super::super::crc::{frame_icrc, native_icrc, vcrc};
use super::super::judge::reason;
use super::super::packet::{Route, PORT};
use super::super::Block;
use hca_sim::wire::receive::{Addresses, Arrival, Manners, Outcome, Receiver};

const V1: &str = "7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed40000\
                  9625b75a45fa";
const V2: &str = "7013375c001817d2600000000032001000000000000001250000000000000026000000000000011700000000000000960a202487\
                  0087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed400001493ec467c44";
/// V1 with another VL.
const V3: &str = "3012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed40000\
                  9625b75a7797";
/// V2 with all variant fields changed.
const V4: &str = "2043375c001817d26abcdef10032000500000000000001250000000000000026000000000000011700000000000000960a202487\
                  c087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed400001493ec46f5dc";
/// Raw.
const V5: &str = "200000040005000300000800000102030405060727ca";
/// From the IP header on: a congestion notification; UC Send only over IPv4 and over IPv6.
const V8: &str =
    "45c2003c718c4000401191610a0011010a001201000012b7002800008100ffff40000118000000000000000000000000\
                  000000000000000082fd002a";
const V9: &str =
    "45010040047840004011b4d5c0a80007c0a80007c00012b7002caca22460ffff000000d300cf17104630818be28935d9\
                  0e9a95505401be885e50000078f353f3";
const V10: &str =
    "6e21face002c11ff2022000000000000000000000000102320230000000000000000000000001024c00012b7002ce7c5\
                   2460ffff000000d300cf17104630818be28935d90e9a95505401be885e5000003e5b743b";
const PAYLOAD: &str = "4630818be28935d90e9a95505401be885e50";

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hexadecimal"))
        .collect()
}

fn framed(kind: u16, packet: &str) -> Vec<u8> {
    let mut bytes = [PORT.mac, [2, 0, 0, 0, 0, 9]].concat();
    bytes.extend(kind.to_be_bytes());
    bytes.extend(hex(packet));
    bytes
}

fn at(block: &Block, addresses: Addresses, packets: &[Vec<u8>]) -> Vec<Arrival> {
    let receiver = Receiver::new(&block.library, block.stream_bits, &addresses, 41);
    let arrivals = receiver.expect("the model runs").run(packets, Manners::EAGER);
    arrivals.expect("the block obeys its ports")
}

pub fn published(block: &Block) {
    if block.routes == Route::NATIVE {
        native(block);
    } else {
        frames(block);
    }
}

fn native(block: &Block) {
    let addresses = Addresses {
        lid: 0x375C,
        lmc: 0,
        ..PORT
    };
    let packets = [V1, V3, V2, V4].map(hex);
    let arrivals = at(block, addresses, &packets);
    for (arrival, packet) in arrivals[..2].iter().zip(&packets) {
        let Outcome::Accepted { header, payload } = &arrival.outcome else {
            panic!("{arrival:?}");
        };
        assert_eq!(
            (header.slid, header.opcode, header.psn),
            (0x17D2, 0x0A, 0x0D_EC2A)
        );
        assert_eq!(
            (header.p_key, header.dest_qp, header.ack_req),
            (0x2487, 0x87_B1B3, false)
        );
        assert_eq!(
            (header.va, header.r_key, header.dma_len),
            (0x0171_0A1C_015D_4002, 0x38F2_7A05, 14)
        );
        assert_eq!(*payload, packet[36..50]);
    }
    // The sample's GRH names no transport behind it.
    for arrival in &arrivals[2..] {
        assert_eq!(arrival.outcome, Outcome::Dropped(reason::GRH));
    }
    let raw = at(block, Addresses { lid: 4, ..addresses }, &[hex(V5)]);
    assert_eq!(raw[0].outcome, Outcome::Dropped(reason::NETWORK_HEADER));
}

fn frames(block: &Block) {
    let gid = |text: &str| hex(text).try_into().expect("sixteen bytes");
    for (kind, packet, address, expected) in [
        (
            0x0800,
            V8,
            "00000000000000000000ffff0a001201",
            Some(reason::OPCODE),
        ),
        (0x0800, V9, "00000000000000000000ffffc0a80007", None),
        (0x86DD, V10, "20230000000000000000000000001024", None),
    ] {
        let addresses = Addresses {
            gid: gid(address),
            ..PORT
        };
        let arrivals = at(block, addresses, &[framed(kind, packet)]);
        match (&arrivals[0].outcome, expected) {
            (Outcome::Accepted { header, payload }, None) => {
                assert_eq!((header.opcode, header.psn), (0x24, 0xCF_1710));
                assert_eq!((header.dest_qp, header.source_port), (0xD3, 0xC000));
                assert_eq!(header.dgid, addresses.gid);
                assert_eq!(*payload, hex(PAYLOAD));
            }
            (outcome, expected) => assert_eq!(Some(outcome), expected.map(Outcome::Dropped).as_ref()),
        }
    }
}

#[test]
fn the_bench_knows_the_published_crcs() {
    for text in [V1, V2, V3, V4] {
        let packet = hex(text);
        let (body, crcs) = packet.split_at(packet.len() - 6);
        assert_eq!(native_icrc(body), crcs[..4]);
        assert_eq!(vcrc(&packet[..packet.len() - 2]), crcs[4..]);
    }
    let v5 = hex(V5);
    assert_eq!(vcrc(&v5[..20]), v5[20..]);
    for (kind, text) in [(0x0800, V8), (0x0800, V9), (0x86DD, V10)] {
        let frame = framed(kind, text);
        let (body, icrc) = frame.split_at(frame.len() - 4);
        assert_eq!(frame_icrc(body), icrc);
    }
}
