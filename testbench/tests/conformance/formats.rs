//! Rows of the area `packet` that take headers which no engine sends yet, byte by byte.
use super::opcodes::{packet, AETH, ATOMIC_ETH, DETH, IMM_DT, RDETH, RETH};
use super::wire_bench::{on_both_wires, reads, stands_for, Wire, NATIVE, ROCE_V4, ROCE_V6};
use hca_golden::wire::atomic_eth::AtomicEth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::grh::Grh;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::reth::Reth;
use hca_golden::wire::roce::{Endpoint, Roce};

on_both_wires!(
    cf001_lrh_and_bth,
    cf001_lrh_grh_bth_reth_and_immdt,
    cf001_rdeth_deth_and_atomic_eth,
    cf001_over_ipv4,
    cf001_over_ipv6,
    cf005_immdt_follows_reth,
    cf005_immdt_follows_deth,
    cf010_cf011_pad_and_pkt_len,
    cf012_pay_len,
    cf016_reserved_fields_set,
    cf010_pad_bytes_that_are_not_zero,
    cf018_the_longest_and_the_shortest_message,
    cf019_the_addend_stands_in_the_swap_field,
    cf020_immediate_data_in_the_order_of_the_wire,
);

const GIDS: [u128; 2] = [
    0xFE80_0000_0000_0000_0000_0000_0000_0001,
    0xFE80_0000_0000_0000_0000_0000_0000_0002,
];
const IPV4_GIDS: [u128; 2] = [0xFFFF_C0A8_0001, 0xFFFF_C0A8_0002];
const DATA: [u8; 5] = [0xA1, 0xA2, 0xA3, 0xA4, 0xA5];

fn asking(packet: Packet) -> Packet {
    let mut asking = packet;
    asking.bth.a = true;
    asking
}

/// From GID fe80::1 to fe80::2.
fn global(packet: Packet, grh: Grh) -> Packet {
    let [sgid, dgid] = GIDS.map(u128::to_be_bytes);
    let lrh = *packet.lrh().unwrap();
    Packet {
        route: Route::Global(lrh, Grh { sgid, dgid, ..grh }),
        ..packet
    }
}

/// From MAC 02:00:00:00:00:01 to 02:00:00:00:00:02, traffic class A5h.
fn ethernet(packet: Packet, gids: [u128; 2], source_port: u16) -> Packet {
    let [source, destination] = [(1, gids[0]), (2, gids[1])].map(|(mac, gid)| Endpoint {
        mac: [2, 0, 0, 0, 0, mac],
        gid: gid.to_be_bytes(),
    });
    let mut roce = Roce::between(source, destination, source_port);
    roce.network.set_traffic_class(0xA5);
    Packet {
        route: Route::Roce(roce),
        ..packet
    }
}

/// Every field has its ends set, or its neighbours'.
fn cf001_lrh_and_bth(wire: &dyn Wire) {
    let mut packet = asking(packet(0x04, &[], &DATA[..1]));
    let lrh = packet.lrh_mut().unwrap();
    (lrh.vl, lrh.sl, lrh.slid) = (14, 15, 0xBFFF);
    packet.bth.m = true;
    packet.bth.p_key = 0xABCD;
    (packet.bth.dest_qp, packet.bth.psn) = (0xFE_DCBA, 0xFE_DCBA);
    stands_for(
        wire,
        &NATIVE,
        &packet,
        "e0f200020007bfff 0470abcd00fedcba80fedcba a1000000 46ac9365 4974",
    );
}

fn cf001_lrh_grh_bth_reth_and_immdt(wire: &dyn Wire) {
    let mut packet = asking(packet(0x0B, &[RETH, IMM_DT], &DATA));
    packet.bth.se = true;
    let grh = Grh {
        tclass: 0xA5,
        flow_label: 0xB_CDEF,
        hop_lmt: 0x40,
        ..Grh::default()
    };
    stands_for(
        wire,
        &NATIVE,
        &global(packet, grh),
        "0033000200170001
         6a5bcdef002c1b40 fe800000000000000000000000000001 fe800000000000000000000000000002
         0bb0ffff0000001280000064 01020304050607081112131400001400 deadbeef
         a1a2a3a4a5000000 6098a8ca 592a",
    );
}

fn cf001_rdeth_deth_and_atomic_eth(wire: &dyn Wire) {
    stands_for(
        wire,
        &NATIVE,
        &asking(packet(0x53, &[RDETH, DETH, ATOMIC_ETH], &[])),
        "0032000200100001 5300ffff0000001280000064 00a1b2c3 8001000000d1d2d3
         010203040506070811121314 2122232425262728 3132333435363738 28c850e3 c71b",
    );
}

fn cf001_over_ipv4(wire: &dyn Wire) {
    let to_the_wire = |packet| {
        let mut packet = ethernet(asking(packet), IPV4_GIDS, 0xC000);
        let Route::Roce(roce) = &mut packet.route else {
            panic!("{packet:?}");
        };
        roce.network.set_hop_limit(0x3F);
        packet
    };
    stands_for(
        wire,
        &ROCE_V4,
        &to_the_wire(packet(0x04, &[], &DATA[..1])),
        "020000000002 020000000001 0800 45a50030000040003f11b9c4 c0a80001 c0a80002 c00012b7001c0000
         0430ffff0000001280000064 a1000000 fafacd9f",
    );
    let mut write = packet(0x0B, &[RETH, IMM_DT], &DATA);
    write.bth.se = true;
    stands_for(
        wire,
        &ROCE_V4,
        &to_the_wire(write),
        "020000000002 020000000001 0800 45a50048000040003f11b9ac c0a80001 c0a80002 c00012b700340000
         0bb0ffff0000001280000064 01020304050607081112131400001400 deadbeef a1a2a3a4a5000000 7ba933bd",
    );
}

fn cf001_over_ipv6(wire: &dyn Wire) {
    let to_the_wire = |packet| {
        let mut packet = ethernet(packet, GIDS, 0xC001);
        let Route::Roce(roce) = &mut packet.route else {
            panic!("{packet:?}");
        };
        roce.network.set_flow_label(0xB_CDEF).unwrap();
        packet
    };
    stands_for(
        wire,
        &ROCE_V6,
        &to_the_wire(packet(0x11, &[AETH], &[])),
        "020000000002 020000000001 86dd 6a5bcdef001c1140
         fe800000000000000000000000000001 fe800000000000000000000000000002 c00112b7001c0000
         1100ffff0000001200000064 1f000007 d2450ffa",
    );
    stands_for(
        wire,
        &ROCE_V6,
        &to_the_wire(asking(packet(0x53, &[RDETH, DETH, ATOMIC_ETH], &[]))),
        "020000000002 020000000001 86dd 6a5bcdef00401140
         fe800000000000000000000000000001 fe800000000000000000000000000002 c00112b700400000
         5300ffff0000001280000064 00a1b2c3 8001000000d1d2d3
         010203040506070811121314 2122232425262728 3132333435363738 94572905",
    );
}

fn cf005_immdt_follows_reth(wire: &dyn Wire) {
    stands_for(
        wire,
        &NATIVE,
        &packet(0x0B, &[RETH, IMM_DT], &DATA),
        "00320002000d0001 0b30ffff0000001200000064 01020304050607081112131400001400 deadbeef
         a1a2a3a4a5000000 333009af bafc",
    );
}

fn cf005_immdt_follows_deth(wire: &dyn Wire) {
    stands_for(
        wire,
        &NATIVE,
        &packet(0x65, &[DETH, IMM_DT], &DATA[..1]),
        "00320002000a0001 6530ffff0000001200000064 8001000000d1d2d3 deadbeef a1000000 61f7941b 38c9",
    );
}

/// LRH, BTH and ICRC are 6 words.
fn cf010_cf011_pad_and_pkt_len(wire: &dyn Wire) {
    let frames = [
        "0032000200060001 0400ffff0000001200000064 a3d17e1c 5074",
        "0032000200070001 0430ffff0000001200000064 a1000000 2e61feb9 c251",
        "0032000200070001 0420ffff0000001200000064 a1a20000 6f776027 d778",
        "0032000200070001 0410ffff0000001200000064 a1a2a300 9439ed6e 1fb4",
        "0032000200070001 0400ffff0000001200000064 a1a2a3a4 2ac134fb 9944",
        "0032000200080001 0430ffff0000001200000064 a1a2a3a4a5000000 f3cb90d6 a0de",
    ];
    for (length, frame) in frames.into_iter().enumerate() {
        stands_for(wire, &NATIVE, &packet(0x04, &[], &DATA[..length]), frame);
    }
}

/// The receiver ignores their value (`headers.md` section 4).
fn cf010_pad_bytes_that_are_not_zero(wire: &dyn Wire) {
    let frame = "0032000200070001 0430ffff0000001200000064 a1ffeedd c825f93f bbdf";
    reads(wire, &NATIVE, frame, &packet(0x04, &[], &DATA[..1]));
}

/// Without payload, with pad and without, with more words than one.
fn cf012_pay_len(wire: &dyn Wire) {
    let frames = [
        (0, "10", "10", "0400", "", "c451f078 d7b4"),
        (1, "11", "14", "0430", "a1000000", "06e71e58 a7a7"),
        (2, "11", "14", "0420", "a1a20000", "47f180c6 b28e"),
        (3, "11", "14", "0410", "a1a2a300", "bcbf0d8f 7a42"),
        (4, "11", "14", "0400", "a1a2a3a4", "0247d41a fcb2"),
        (5, "12", "18", "0430", "a1a2a3a4a5000000", "1b83bfea bfcd"),
    ];
    for (length, pkt_len, pay_len, start, payload, crcs) in frames {
        let grh = Grh {
            hop_lmt: 0x40,
            ..Grh::default()
        };
        let frame = format!(
            "0033000200{pkt_len}0001
             6000000000{pay_len}1b40 fe800000000000000000000000000001 fe800000000000000000000000000002
             {start}ffff0000001200000064 {payload} {crcs}"
        );
        let packet = global(packet(0x04, &[], &DATA[..length]), grh);
        stands_for(wire, &NATIVE, &packet, &frame);
    }
}

/// Resv2 and Resv5 of the LRH, Resv6 and Resv7 of the BTH with F and B; Resv8 of RDETH and DETH.
fn cf016_reserved_fields_set(wire: &dyn Wire) {
    let mut send = asking(packet(0x04, &[], &DATA[..4]));
    (send.bth.m, send.bth.f, send.bth.b) = (true, true, true);
    reads(
        wire,
        &NATIVE,
        "003e0002f8070001 0440ffffff000012ff000064 a1a2a3a4 a293892e c0ed",
        &send,
    );
    reads(
        wire,
        &NATIVE,
        "0032000200090001 5500ffff0000001200000064 ffa1b2c3 80010000ffd1d2d3 1e60a8d6 25f5",
        &packet(0x55, &[RDETH, DETH], &[]),
    );
}

/// A Read of 2^31 bytes, a Write of none.
fn cf018_the_longest_and_the_shortest_message(wire: &dyn Wire) {
    let reth = |dma_len| {
        vec![Extension::Reth(Reth {
            va: 0x0102_0304_0506_0708,
            r_key: 0x1112_1314,
            dma_len,
        })]
    };
    let mut read = asking(packet(0x0C, &[], &[]));
    read.extensions = reth(1 << 31);
    stands_for(
        wire,
        &NATIVE,
        &read,
        "00320002000a0001 0c00ffff0000001280000064 01020304050607081112131480000000 c232ecfc 32a6",
    );
    let mut write = packet(0x0A, &[], &[]);
    write.extensions = reth(0);
    stands_for(
        wire,
        &NATIVE,
        &write,
        "00320002000a0001 0a00ffff0000001200000064 01020304050607081112131400000000 9bcaf87f a119",
    );
}

fn cf019_the_addend_stands_in_the_swap_field(wire: &dyn Wire) {
    let mut add = asking(packet(0x14, &[], &[]));
    add.extensions = vec![Extension::AtomicEth(AtomicEth {
        va: 0x0102_0304_0506_0708,
        r_key: 0x1112_1314,
        swap_dt_add_dt: 0x2122_2324_2526_2728,
        cmp_dt: 0,
    })];
    stands_for(
        wire,
        &NATIVE,
        &add,
        "00320002000d0001 1400ffff0000001280000064 010203040506070811121314 2122232425262728
         0000000000000000 f4cef617 5b3e",
    );
}

fn cf020_immediate_data_in_the_order_of_the_wire(wire: &dyn Wire) {
    stands_for(
        wire,
        &NATIVE,
        &packet(0x05, &[IMM_DT], &DATA[..4]),
        "0032000200080001 0500ffff0000001200000064 deadbeef a1a2a3a4 e1a06d94 b04a",
    );
}
