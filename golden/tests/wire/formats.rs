//! Conformance rows of the area `packet`, CF001 to CF021, but for those about opcodes.
use super::{bytes, decoded, stands_for};
use hca_golden::port::Link;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::atomic_ack_eth::AtomicAckEth;
use hca_golden::wire::atomic_eth::AtomicEth;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::deth::Deth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::grh::Grh;
use hca_golden::wire::ieth::Ieth;
use hca_golden::wire::immdt::ImmDt;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::rdeth::Rdeth;
use hca_golden::wire::reth::Reth;
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

const RETH: Extension = Extension::Reth(Reth {
    va: 0x0102_0304_0506_0708,
    r_key: 0x1112_1314,
    dma_len: 5,
});
const IMM_DT: Extension = Extension::ImmDt(ImmDt {
    imm_data: [0xDE, 0xAD, 0xBE, 0xEF],
});
pub const AETH: Extension = Extension::Aeth(Aeth {
    syndrome: 0x1F,
    msn: 1,
});

pub fn encoded(packet: &Packet) -> Vec<u8> {
    packet.encode().unwrap()
}

#[test]
fn cf001_lrh_grh_bth_reth_and_immdt() {
    let mut packet = asking(0x0B, &[RETH, IMM_DT], &[0xA1, 0xA2, 0xA3, 0xA4, 0xA5]);
    packet.bth.se = true;
    packet.route = Route::Global(
        *packet.lrh().unwrap(),
        Grh {
            tclass: 0xA5,
            flow_label: 0xB_CDEF,
            hop_lmt: 0x40,
            sgid: 0xFE80_0000_0000_0000_0000_0000_0000_0001_u128.to_be_bytes(),
            dgid: 0xFE80_0000_0000_0000_0000_0000_0000_0002_u128.to_be_bytes(),
            ..Grh::default()
        },
    );
    stands_for(
        &packet,
        Link::InfiniBand,
        "0033000200170001
         6a5bcdef002c1b40 fe800000000000000000000000000001 fe800000000000000000000000000002
         0bb0ffff0000001280000064 01020304050607081112131400000005 deadbeef
         a1a2a3a4a5000000 049899a8 c6c7",
    );
}

#[test]
fn cf001_rdeth_deth_and_atomic_eth() {
    let rdeth = Extension::Rdeth(Rdeth {
        resv8: 0,
        ee_context: 0xA1_B2C3,
    });
    let deth = Extension::Deth(Deth {
        q_key: 0x8001_0000,
        resv8: 0,
        src_qp: 0xD1_D2D3,
    });
    let atomic = Extension::AtomicEth(AtomicEth {
        va: 0x0102_0304_0506_0708,
        r_key: 0x1112_1314,
        swap_dt_add_dt: 0x2122_2324_2526_2728,
        cmp_dt: 0x3132_3334_3536_3738,
    });
    stands_for(
        &asking(0x53, &[rdeth, deth, atomic], &[]),
        Link::InfiniBand,
        "0032000200100001 5300ffff0000001280000064 00a1b2c3 8001000000d1d2d3
         010203040506070811121314 2122232425262728 3132333435363738 28c850e3 c71b",
    );
}

#[test]
fn cf001_aeth_and_atomic_ack_eth() {
    let aeth = Extension::Aeth(Aeth {
        syndrome: 0x1F,
        msn: 7,
    });
    let original = Extension::AtomicAckEth(AtomicAckEth {
        orig_rem_dt: 0x4142_4344_4546_4748,
    });
    stands_for(
        &packet(0x12, &[aeth, original], &[]),
        Link::InfiniBand,
        "0032000200090001 1200ffff0000001200000064 1f000007 4142434445464748 e2580ad0 09bd",
    );
}

#[test]
fn cf001_ieth() {
    let ieth = Extension::Ieth(Ieth { r_key: 0x1112_1314 });
    stands_for(
        &packet(0x17, &[ieth], &[0xA1, 0xA2, 0xA3, 0xA4]),
        Link::InfiniBand,
        "0032000200080001 1700ffff0000001200000064 11121314 a1a2a3a4 e674b851 74dd",
    );
}

fn ethernet(gids: [u128; 2], source_port: u16) -> Roce {
    let [source, destination] = [(1, gids[0]), (2, gids[1])].map(|(mac, gid)| Endpoint {
        mac: [2, 0, 0, 0, 0, mac],
        gid: gid.to_be_bytes(),
    });
    Roce::between(source, destination, source_port)
}

#[test]
fn cf001_roce_v2_over_ipv4() {
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
fn cf001_roce_v2_over_ipv6() {
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

#[test]
fn cf005_immdt_follows_reth() {
    stands_for(
        &packet(0x0B, &[RETH, IMM_DT], &[0xA1, 0xA2, 0xA3, 0xA4, 0xA5]),
        Link::InfiniBand,
        "00320002000d0001 0b30ffff0000001200000064 01020304050607081112131400000005 deadbeef
         a1a2a3a4a5000000 573038cd 2511",
    );
}

#[test]
fn cf005_immdt_follows_deth() {
    let deth = Extension::Deth(Deth {
        q_key: 0x1111_1111,
        resv8: 0,
        src_qp: 0xD1_D2D3,
    });
    stands_for(
        &packet(0x65, &[deth, IMM_DT], &[0xA1]),
        Link::InfiniBand,
        "00320002000a0001 6530ffff0000001200000064 1111111100d1d2d3 deadbeef a1000000 908868d9 f541",
    );
}

#[test]
fn cf010_pad_fills_the_last_word_with_zeros() {
    let payload = [0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7];
    let frames = [
        "0032000200070001 0400ffff0000001200000064 a1a2a3a4 2ac134fb 9944",
        "0032000200080001 0430ffff0000001200000064 a1a2a3a4a5000000 f3cb90d6 a0de",
        "0032000200080001 0420ffff0000001200000064 a1a2a3a4a5a60000 2bd12718 ed2a",
        "0032000200080001 0410ffff0000001200000064 a1a2a3a4a5a6a700 1bb6a7cc 803e",
    ];
    for (length, frame) in (4..).zip(frames) {
        stands_for(&packet(0x04, &[], &payload[..length]), Link::InfiniBand, frame);
    }
}

/// LRH, BTH and ICRC are 6 words, a GRH 10.
#[test]
fn cf011_pkt_len_counts_words_without_the_vcrc() {
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
fn cf012_pay_len_counts_bytes_after_the_grh_to_the_icrc() {
    for (payload, pay_len) in [(0, 16_u16), (1, 20), (4, 20), (5, 24), (4096, 4112)] {
        let packet = Packet {
            route: Route::Global(Lrh::default(), Grh::default()),
            ..packet(0x04, &[], &vec![0; payload])
        };
        assert_eq!(encoded(&packet)[12..14], pay_len.to_be_bytes());
    }
}

#[test]
fn cf013_grh_present_exactly_when_lnh_is_11() {
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
fn cf014_grh_is_sent_with_ipver_6_and_nxthdr_1b() {
    let packet = Packet {
        route: Route::Global(Lrh::default(), Grh::default()),
        ..packet(0x04, &[], &[])
    };
    let frame = encoded(&packet);
    assert_eq!((frame[8] >> 4, frame[14]), (6, 0x1B));
}

/// Resv2 and Resv5 of the LRH, Resv8a and Resv7 of the BTH, Resv8 of RDETH and DETH.
#[test]
fn cf015_reserved_fields_are_sent_as_zero() {
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

/// All of them set.
#[test]
fn cf016_received_reserved_fields_are_ignored() {
    let frame = bytes("003e0002f8070001 0440ffffff000012ff000064 a1a2a3a4 a293892e c0ed");
    let packet = decoded(Link::InfiniBand, &frame);
    assert_eq!(packet.payload, [0xA1, 0xA2, 0xA3, 0xA4]);
    assert_eq!(packet.encode().unwrap(), frame);
}

#[test]
fn cf019_the_addend_stands_in_the_swap_field() {
    let addend = Extension::AtomicEth(AtomicEth {
        va: 0x0102_0304_0506_0708,
        r_key: 0x1112_1314,
        swap_dt_add_dt: 0x2122_2324_2526_2728,
        cmp_dt: 0,
    });
    stands_for(
        &asking(0x14, &[addend], &[]),
        Link::InfiniBand,
        "00320002000d0001 1400ffff0000001280000064 010203040506070811121314 2122232425262728
         0000000000000000 f4cef617 5b3e",
    );
}

#[test]
fn cf020_immediate_data_is_carried_unchanged() {
    let frame = encoded(&packet(0x05, &[IMM_DT], &[]));
    assert_eq!(frame[20..24], [0xDE, 0xAD, 0xBE, 0xEF]);
    let immediate = decoded(Link::InfiniBand, &frame).immediate();
    assert_eq!(immediate, Some([0xDE, 0xAD, 0xBE, 0xEF]));
}

#[test]
fn cf021_versions_are_sent_as_zero() {
    let frame = encoded(&packet(0x11, &[AETH], &[]));
    assert_eq!((frame[0] & 0x0F, frame[9] & 0x0F), (0, 0));
    assert_eq!(
        frame,
        bytes("0032000200070001 1100ffff0000001200000064 1f000001 482a8d63 83e1")
    );
}
