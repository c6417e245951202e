//! What the model fills in by itself when it encodes a packet (`headers.md`); whole packets are conformance cases.
use super::{bytes, decoded, stands_for};
use hca_golden::port::Link;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::deth::Deth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::grh::Grh;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::rdeth::Rdeth;
use hca_golden::wire::roce::{Endpoint, Network, Roce};

/// From LID 1 to LID 2 with SL 3, P_Key FFFFh, QP 12h, PSN 64h.
pub fn packet(opcode: u8, extensions: &[Extension], payload: &[u8]) -> Packet {
    Packet {
        route: Route::Local(Lrh {
            sl: 3,
            dlid: 2,
            slid: 1,
            ..Lrh::default()
        }),
        bth: Bth {
            opcode,
            p_key: 0xFFFF,
            dest_qp: 0x12,
            psn: 0x64,
            ..Bth::default()
        },
        extensions: extensions.to_vec(),
        payload: payload.to_vec(),
    }
}

/// `packet` with AckReq.
pub fn asking(opcode: u8, extensions: &[Extension], payload: &[u8]) -> Packet {
    let mut packet = packet(opcode, extensions, payload);
    packet.bth.a = true;
    packet
}

pub const AETH: Extension = Extension::Aeth(Aeth {
    syndrome: 0x1F,
    msn: 1,
});

pub fn encoded(packet: &Packet) -> Vec<u8> {
    packet.encode().unwrap()
}

fn ethernet(gids: [u128; 2], source_port: u16) -> Roce {
    let [source, destination] = [(1, gids[0]), (2, gids[1])].map(|(mac, gid)| Endpoint {
        mac: [2, 0, 0, 0, 0, mac],
        gid: gid.to_be_bytes(),
    });
    Roce::between(source, destination, source_port)
}

#[test]
fn roce_v2_over_ipv4_with_an_identification() {
    let gids = [0xFFFF_C0A8_0001, 0xFFFF_C0A8_0002];
    let mut roce = ethernet(gids, 0xC000);
    roce.network.set_traffic_class(0x02);
    let Network::Ipv4(header) = &mut roce.network else {
        panic!("{roce:?}");
    };
    header.identification = 0x1234;
    assert_eq!(roce.network.sgid(), gids[0].to_be_bytes());
    assert_eq!(roce.network.dgid(), gids[1].to_be_bytes());
    let packet = Packet {
        route: Route::Roce(roce),
        ..asking(0x04, &[], &[0xA1])
    };
    stands_for(
        &packet,
        Link::Roce,
        "020000000002 020000000001 0800 4502003012344000 4011a733 c0a80001 c0a80002 c00012b7001c0000
         0430ffff0000001280000064 a1000000 14025c5b",
    );
}

#[test]
fn roce_v2_over_ipv6_with_a_udp_checksum() {
    let gids = [
        0xFE80_0000_0000_0000_0000_0000_0000_0001,
        0xFE80_0000_0000_0000_0000_0000_0000_0002,
    ];
    let mut roce = ethernet(gids, 0xC001);
    roce.network.set_traffic_class(0xA5);
    roce.network.set_flow_label(0xB_CDEF).unwrap();
    roce.udp.checksum = 0xBEEF;
    let packet = Packet {
        route: Route::Roce(roce),
        ..packet(0x11, &[AETH], &[])
    };
    stands_for(
        &packet,
        Link::Roce,
        "020000000002 020000000001 86dd 6a5bcdef001c1140
         fe800000000000000000000000000001 fe800000000000000000000000000002 c00112b7001cbeef
         1100ffff0000001200000064 1f000001 e7e06c13",
    );
}

/// LRH, BTH and ICRC are 6 words, a GRH 10.
#[test]
fn pkt_len_counts_words_without_the_vcrc() {
    for (payload, words) in [(0, 6), (1, 7), (4, 7), (5, 8), (256, 70), (4096, 1030)] {
        let mut packet = packet(0x04, &[], &vec![0; payload]);
        let frame = encoded(&packet);
        assert_eq!(frame[4..6], u16::to_be_bytes(words));
        assert_eq!(frame.len(), usize::from(words) * 4 + 2);
        packet.route = Route::Global(Lrh::default(), Grh::default());
        assert_eq!(encoded(&packet)[4..6], u16::to_be_bytes(words + 10));
    }
}

/// BTH and ICRC are 16 bytes, pad counts.
#[test]
fn pay_len_counts_bytes_after_the_grh_to_the_icrc() {
    for (payload, pay_len) in [(0, 16_u16), (1, 20), (4, 20), (5, 24), (4096, 4112)] {
        let packet = Packet {
            route: Route::Global(Lrh::default(), Grh::default()),
            ..packet(0x04, &[], &vec![0; payload])
        };
        assert_eq!(encoded(&packet)[12..14], pay_len.to_be_bytes());
    }
}

#[test]
fn a_grh_is_present_exactly_when_lnh_is_11() {
    let local = packet(0x04, &[], &[]);
    let global = Packet {
        route: Route::Global(Lrh::default(), Grh::default()),
        ..local.clone()
    };
    let (local, global) = (encoded(&local), encoded(&global));
    assert_eq!((local[1] & 0x3, local.len()), (0b10, 26));
    assert_eq!((global[1] & 0x3, global.len()), (0b11, 66));
    assert_eq!(local[8..20], global[48..60], "the BTH");
    assert!(decoded(Link::InfiniBand, &local).grh().is_none());
    assert!(decoded(Link::InfiniBand, &global).grh().is_some());
}

#[test]
fn a_grh_is_sent_with_ipver_6_and_nxthdr_1b() {
    let packet = Packet {
        route: Route::Global(Lrh::default(), Grh::default()),
        ..packet(0x04, &[], &[])
    };
    let frame = encoded(&packet);
    assert_eq!((frame[8] >> 4, frame[14]), (6, 0x1B));
}

/// Resv2 and Resv5 of the LRH, Resv8a and Resv7 of the BTH, Resv8 of RDETH and DETH.
#[test]
fn reserved_fields_are_sent_as_zero() {
    let frame = encoded(&asking(
        0x44,
        &[
            Extension::Rdeth(Rdeth::default()),
            Extension::Deth(Deth::default()),
        ],
        &[],
    ));
    assert_eq!((frame[1] & 0x0C, frame[4] & 0xF8), (0, 0));
    assert_eq!((frame[12], frame[16] & 0x7F), (0, 0));
    assert_eq!((frame[20], frame[28]), (0, 0));
}

#[test]
fn versions_are_sent_as_zero() {
    let frame = encoded(&packet(0x11, &[AETH], &[]));
    assert_eq!((frame[0] & 0x0F, frame[9] & 0x0F), (0, 0));
    assert_eq!(
        frame,
        bytes("0032000200070001 1100ffff0000001200000064 1f000001 482a8d63 83e1")
    );
}
