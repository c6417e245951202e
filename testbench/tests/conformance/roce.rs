//! A device on a RoCEv2 link: what it drops before the transport sees it (`headers.md` section 7), and what it answers.
use super::bench::{attributes_on, on_both, request, Bench, UNTOUCHED};
use hca_golden::event::DropReason;
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_golden::verbs::{QpState, Status};
use hca_golden::wire::crc::icrc_roce_v2;
use hca_golden::wire::packet::Route;
use hca_golden::wire::roce::{Endpoint, Roce};
use hca_testbench::device::port_on;
use hca_testbench::Side;

const ONLY: u8 = 0x04;
/// Bytes before the IP header.
const ETHERNET: usize = 14;

on_both!(behind super::roce_port();
    a_send_is_executed_and_acknowledged,
    a_frame_filled_up_to_60_bytes,
    another_destination_mac,
    another_ether_type,
    a_wrong_ipv4_header_checksum,
    a_fragment,
    another_protocol,
    another_udp_port,
    tot_len_not_of_the_udp_length,
    longer_than_the_ip_length,
    another_destination_address,
    cf034_a_wrong_icrc,
    cf040_tver_1,
    cf049_another_source_address,
);

fn roce_port() -> PortConfig {
    port_on(Link::Roce, Side::Y)
}

fn connect(y: &mut Bench) {
    y.create(&attributes_on(Link::Roce, 100));
    for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
        y.modify(state);
    }
    y.post_receive(1, 0, 64);
}

/// The peer's Send at the expected PSN: Ethernet, IPv4 at byte 14, UDP at 34, BTH at 42.
fn send(payload: &[u8]) -> Vec<u8> {
    let end = |side| {
        let port = port_on(Link::Roce, side);
        Endpoint {
            mac: port.mac,
            gid: port.gid,
        }
    };
    let mut packet = request(ONLY, 100, payload);
    packet.route = Route::Roce(Roce::between(end(Side::X), end(Side::Y), 0xC001));
    packet.encode().unwrap()
}

/// 33 bytes of payload, some bytes changed, the IPv4 header checksum and the ICRC those of the change.
fn changed(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = send(&[7; 33]);
    change(&mut bytes);
    bytes[24..26].fill(0);
    let words = bytes[ETHERNET..34]
        .chunks(2)
        .map(|w| u32::from(w[0]) << 8 | u32::from(w[1]));
    let sum: u32 = words.sum();
    let checksum = !(((sum >> 16) + (sum & 0xFFFF)) as u16);
    bytes[24..26].copy_from_slice(&checksum.to_be_bytes());
    resealed(bytes)
}

fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 4;
    let icrc = icrc_roce_v2(&bytes[ETHERNET..end]);
    bytes[end..].copy_from_slice(&icrc);
    bytes
}

fn leaves_no_trace(y: &mut Bench, reason: DropReason, bytes: Vec<u8>) {
    connect(y);
    y.receive(&[bytes]);
    assert_eq!(y.packets(), Vec::<Vec<u8>>::new());
    assert_eq!(y.drops(), [(reason, 1)]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.buffer(0, 64), [UNTOUCHED; 64]);
    y.receive(&[send(&[7; 33])]);
    assert_eq!(y.packets().len(), 1);
    assert_eq!(y.completions(), [(1, Status::Success, 33)]);
    assert_eq!(y.buffer(0, 33), [7; 33]);
}

fn a_send_is_executed_and_acknowledged(y: &mut Bench) {
    connect(y);
    y.receive(&[send(&[7; 33])]);
    let packets = y.packets();
    let [ack] = &packets[..] else {
        panic!("one packet, not {}", packets.len());
    };
    let ethernet = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00];
    let ipv4 = [
        0x45, 0, 0, 48, 0, 0, 0x40, 0, 64, 17, 0x26, 0xBB, 10, 0, 0, 2, 10, 0, 0, 1,
    ];
    let udp = [0xC0, 0x01, 0x12, 0xB7, 0, 28, 0, 0];
    let bth_aeth = [0x11, 0, 0xFF, 0xFF, 0, 0, 0x0A, 0x12, 0, 0, 0, 100, 0x1F, 0, 0, 1];
    assert_eq!(ack[..58], [&ethernet[..], &ipv4, &udp, &bth_aeth].concat());
    assert_eq!(ack.len(), 62);
    assert_eq!(y.completions(), [(1, Status::Success, 33)]);
    assert_eq!(y.buffer(0, 33), [7; 33]);
    assert_eq!(y.drops(), []);
}

fn a_frame_filled_up_to_60_bytes(y: &mut Bench) {
    connect(y);
    let mut bytes = send(&[]);
    assert_eq!(bytes.len(), 58);
    bytes.extend([0xAB, 0xCD]);
    y.receive(&[bytes]);
    assert_eq!(y.packets().len(), 1);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    assert_eq!(y.buffer(0, 64), [UNTOUCHED; 64]);
}

fn another_destination_mac(y: &mut Bench) {
    leaves_no_trace(y, DropReason::Dlid, changed(|b| b[5] ^= 4));
}

fn another_ether_type(y: &mut Bench) {
    leaves_no_trace(y, DropReason::NetworkHeader, changed(|b| b[13] = 0x06));
}

fn a_wrong_ipv4_header_checksum(y: &mut Bench) {
    let mut bytes = send(&[7; 33]);
    bytes[25] ^= 1;
    leaves_no_trace(y, DropReason::Grh, resealed(bytes));
}

fn a_fragment(y: &mut Bench) {
    leaves_no_trace(y, DropReason::Grh, changed(|b| b[20] = 0x20));
}

fn another_protocol(y: &mut Bench) {
    leaves_no_trace(y, DropReason::NetworkHeader, changed(|b| b[23] = 6));
}

fn another_udp_port(y: &mut Bench) {
    leaves_no_trace(y, DropReason::NetworkHeader, changed(|b| b[37] = 0xB8));
}

fn tot_len_not_of_the_udp_length(y: &mut Bench) {
    leaves_no_trace(y, DropReason::Length, changed(|b| b[17] += 4));
}

fn longer_than_the_ip_length(y: &mut Bench) {
    leaves_no_trace(y, DropReason::Length, changed(|b| b.extend([0; 4])));
}

fn another_destination_address(y: &mut Bench) {
    leaves_no_trace(y, DropReason::Dgid, changed(|b| b[33] = 3));
}

fn cf034_a_wrong_icrc(y: &mut Bench) {
    let mut bytes = send(&[7; 33]);
    bytes[60] ^= 1;
    leaves_no_trace(y, DropReason::Icrc, bytes);
}

fn cf040_tver_1(y: &mut Bench) {
    leaves_no_trace(y, DropReason::TransportVersion, changed(|b| b[43] |= 1));
}

fn cf049_another_source_address(y: &mut Bench) {
    leaves_no_trace(y, DropReason::Source, changed(|b| b[29] = 9));
}
