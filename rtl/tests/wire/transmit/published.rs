//! Rows of `protocol/crc_vectors.csv` that a sender can make.
use super::transmitter;
use hca_host::profile::Link;
use hca_sim::wire::transmit::{Header, TransmitPauses};

/// V1 and, on another VL, V3.
pub fn native(stream_bits: usize) {
    const BEHIND_VL: &str =
        "012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc069\
                      0ed40000";
    for (vl, crcs) in [(7, "9625b75a45fa"), (3, "9625b75a7797")] {
        let header = Header {
            vl,
            sl: 1,
            dlid: 0x375C,
            slid: 0x17D2,
            opcode: 0x0A,
            p_key: 0x2487,
            dest_qp: 0x87_B1B3,
            psn: 0x0D_EC2A,
            va: 0x0171_0A1C_015D_4002,
            r_key: 0x38F2_7A05,
            dma_len: 14,
            ..Header::default()
        };
        let payload = hex("bb884d85fd5cfba4728bc0690ed4");
        let expected = hex(&format!("{vl}{BEHIND_VL}{crcs}"));
        made(stream_bits, Link::InfiniBand, header, payload, &expected);
    }
}

/// V10 and V9 as far as a sender may choose: UDP checksum 0, which changes no ICRC, and in V9 identification 0, with
/// the IPv4 checksum and the ICRC recomputed for it.
pub fn roce(stream_bits: usize) {
    const ETHERNET: &str = "525400000001525400000002";
    const V9: &str = "080045010040000040004011b94dc0a80007c0a80007c00012b7002c00002460ffff000000d300cf17104630818be28935d90e9a95\
                      505401be885e500000ed874275";
    const V10: &str = "86dd6e21face002c11ff2022000000000000000000000000102320230000000000000000000000001024c00012b7002c00002460ff\
                      ff000000d300cf17104630818be28935d90e9a95505401be885e5000003e5b743b";
    let header = Header {
        dest_mac: [0x52, 0x54, 0, 0, 0, 1],
        source_mac: [0x52, 0x54, 0, 0, 0, 2],
        source_port: 0xC000,
        opcode: 0x24,
        migrated: true,
        p_key: 0xFFFF,
        dest_qp: 0xD3,
        psn: 0xCF_1710,
        ..Header::default()
    };
    let mapped = 0xFFFF_C0A8_0007u128.to_be_bytes();
    let v9 = Header {
        ipv4: true,
        traffic_class: 1,
        hop_limit: 0x40,
        sgid: mapped,
        dgid: mapped,
        ..header.clone()
    };
    let v10 = Header {
        traffic_class: 0xE2,
        flow_label: 0x1_FACE,
        hop_limit: 0xFF,
        sgid: (0x2022u128 << 112 | 0x1023).to_be_bytes(),
        dgid: (0x2023u128 << 112 | 0x1024).to_be_bytes(),
        ..header
    };
    for (header, rest) in [(v9, V9), (v10, V10)] {
        let payload = hex("4630818be28935d90e9a95505401be885e50");
        let expected = hex(&format!("{ETHERNET}{rest}"));
        made(stream_bits, Link::Roce, header, payload, &expected);
    }
}

fn made(stream_bits: usize, link: Link, header: Header, payload: Vec<u8>, expected: &[u8]) {
    let built = transmitter(stream_bits, link, 4).run(&[(header, payload)], TransmitPauses::EAGER);
    let built = built.expect("the builder obeys its ports");
    assert_eq!(built[0].bytes, expected);
}

fn hex(text: &str) -> Vec<u8> {
    let digit = |i: usize| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hexadecimal");
    (0..text.len() / 2).map(digit).collect()
}
