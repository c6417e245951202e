//! The vectors of `crc_vectors.csv` with their CRCs, and the ports that they were sent to.
use super::opcodes::packet;
use super::wire_bench::{bytes, NATIVE, ROCE_V4};
use hca_golden::port::PortConfig;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::roce::{Endpoint, Roce};

pub const V1: &str = "
    7012375c000e17d2 0a2024870087b1b3000dec2a 01710a1c015d400238f27a050000000e
    bb884d85fd5cfba4728bc0690ed40000 9625b75a 45fa";
pub const V2: &str = "
    7013375c001817d2 6000000000320010 00000000000001250000000000000026 00000000000001170000000000000096
    0a2024870087b1b3000dec2a 01710a1c015d400238f27a050000000e bb884d85fd5cfba4728bc0690ed40000 1493ec46 7c44";
/// V2 with PayLen 48 and NxtHdr 1Bh.
pub const V2_GRH: &str = "
    7013375c001817d2 6000000000301b10 00000000000001250000000000000026 00000000000001170000000000000096
    0a2024870087b1b3000dec2a 01710a1c015d400238f27a050000000e bb884d85fd5cfba4728bc0690ed40000 adbf9e56 e971";
/// V1 with VL 3.
pub const V3: &str = "
    3012375c000e17d2 0a2024870087b1b3000dec2a 01710a1c015d400238f27a050000000e
    bb884d85fd5cfba4728bc0690ed40000 9625b75a 7797";
/// V2 with VL, SL, TClass, FlowLabel, HopLmt and byte 4 of the BTH changed.
pub const V4: &str = "
    2043375c001817d2 6abcdef100320005 00000000000001250000000000000026 00000000000001170000000000000096
    0a202487c087b1b3000dec2a 01710a1c015d400238f27a050000000e bb884d85fd5cfba4728bc0690ed40000 1493ec46 f5dc";
/// V4 with PayLen 48 and NxtHdr 1Bh.
pub const V4_GRH: &str = "
    2043375c001817d2 6abcdef100301b05 00000000000001250000000000000026 00000000000001170000000000000096
    0a202487c087b1b3000dec2a 01710a1c015d400238f27a050000000e bb884d85fd5cfba4728bc0690ed40000 adbf9e56 60e9";
/// Raw, EtherType.
pub const V5: &str = "2000000400050003 00000800 0001020304050607 27ca";
/// RoCEv1 from the GRH to the ICRC: RC Write only.
pub const V6: &str = "
    6020000000281b40 00000000000000000000ffff0f000002 00000000000000000000ffff0f000002
    0a70ffff0000010a80a788bc 000055d4c0726000000047b300000005 0000000001000000 e3d856bb";
/// RoCEv1 from the GRH to the ICRC: RC Acknowledge.
pub const V7: &str = "
    6020000000141b40 00000000000000000000ffff0f000002 00000000000000000000ffff0f000002
    1140ffff0000010900a788c0 00000005 25f0c038";
/// From the IPv4 header on: congestion notification.
pub const V8: &str = "
    45c2003c718c400040119161 0a001101 0a001201 000012b700280000 8100ffff4000011800000000
    00000000000000000000000000000000 82fd002a";
/// From the IPv4 header on: UC Send only.
pub const V9: &str = "
    45010040047840004011b4d5 c0a80007 c0a80007 c00012b7002caca2 2460ffff000000d300cf1710
    4630818be28935d90e9a95505401be885e500000 78f353f3";
/// From the IPv6 header on: UC Send only.
pub const V10: &str = "
    6e21face002c11ff 20220000000000000000000000001023 20230000000000000000000000001024 c00012b7002ce7c5
    2460ffff000000d300cf1710 4630818be28935d90e9a95505401be885e500000 3e5b743b";
/// Payload of V9 and V10.
pub const UC_PAYLOAD: &str = "4630818be28935d90e9a95505401be885e50";

/// Of V1 to V4.
pub const WRITE_PORT: PortConfig = PortConfig {
    lid: 0x375C,
    gid: 0x0117_0000_0000_0000_0096_u128.to_be_bytes(),
    ..NATIVE
};
pub const V8_PORT: PortConfig = PortConfig {
    gid: 0xFFFF_0A00_1201_u128.to_be_bytes(),
    ..ROCE_V4
};
/// Of V9.
pub const IPV4_PORT: PortConfig = PortConfig {
    gid: 0xFFFF_C0A8_0007_u128.to_be_bytes(),
    ..ROCE_V4
};
/// Of V10.
pub const IPV6_PORT: PortConfig = PortConfig {
    gid: 0x2023_0000_0000_0000_0000_0000_0000_1024_u128.to_be_bytes(),
    ..ROCE_V4
};
const SOURCE_MAC: [u8; 6] = [2, 0, 0, 0, 0, 9];

/// A native port of this LID alone.
pub fn at_lid(lid: u16) -> PortConfig {
    PortConfig { lid, ..NATIVE }
}

/// The frame of an IP datagram to the ports above.
pub fn ethernet(ether_type: u16, datagram: &str) -> Vec<u8> {
    let mut frame = [ROCE_V4.mac, SOURCE_MAC].concat();
    frame.extend(ether_type.to_be_bytes());
    frame.extend(bytes(datagram));
    frame
}

/// V10 in its fields.
pub fn v10() -> Packet {
    let source = Endpoint {
        mac: SOURCE_MAC,
        gid: 0x2022_0000_0000_0000_0000_0000_0000_1023_u128.to_be_bytes(),
    };
    let destination = Endpoint {
        mac: IPV6_PORT.mac,
        gid: IPV6_PORT.gid,
    };
    let mut roce = Roce::between(source, destination, 0xC000);
    roce.network.set_traffic_class(0xE2);
    roce.network.set_flow_label(0x1_FACE).unwrap();
    roce.network.set_hop_limit(0xFF);
    let mut send = packet(0x24, &[], &bytes(UC_PAYLOAD));
    send.route = Route::Roce(roce);
    send.bth.m = true;
    (send.bth.dest_qp, send.bth.psn) = (0xD3, 0xCF_1710);
    send
}
