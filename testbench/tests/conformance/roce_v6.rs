//! A connection over RoCEv2 and IPv6 (`headers.md` section 7): requests and acks either way, every byte literal.
use super::bench::{attributes_on, on_both, Bench, UNTOUCHED};
use super::wire_bench::bytes;
use hca_golden::event::DropReason;
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_golden::verbs::{EthernetRoute, GlobalRoute, QpAttributes, QpState, Status};

/// The peer's Send only of 33 bytes at the expected PSN.
const FROM_THE_PEER: &str = "020000000002 020000000001 86dd
    60000000003c1140 fd000000000000000000000000000001 fd000000000000000000000000000002 c00112b7003c0000
    0430ffff00000b2380000064
    070707070707070707070707070707070707070707070707070707070707070707 000000 3d59f747";
/// Its ack of a Send with PSN 2000.
const ACK: &str = "020000000002 020000000001 86dd
    60000000001c1140 fd000000000000000000000000000001 fd000000000000000000000000000002 c00112b7001c0000
    1100ffff00000b23000007d0 1f000001 367f9160";
/// fd00::1 and fd00::2.
const PEER: [u8; 16] = [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
const OWN: [u8; 16] = [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];

on_both!(behind super::v6_port();
    a_send_and_its_ack,
    a_request_and_its_ack,
    cf049_another_source_address,
    another_destination_address,
    over_ipv4,
);

fn v6_port() -> PortConfig {
    PortConfig {
        link: Link::Roce,
        gid: OWN,
        mac: [2, 0, 0, 0, 0, 2],
        ..PortConfig::default()
    }
}

fn connect(y: &mut Bench) {
    y.create(&QpAttributes {
        global: Some(GlobalRoute {
            dgid: PEER,
            flow_label: 0xABCDE,
            traffic_class: 0x5A,
            hop_limit: 0x3F,
        }),
        ethernet: Some(EthernetRoute {
            dest_mac: [2, 0, 0, 0, 0, 1],
            source_port: 0xC001,
        }),
        ..attributes_on(Link::Roce, 100)
    });
    for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
        y.modify(state);
    }
    y.post_receive(1, 0, 64);
}

fn a_send_and_its_ack(y: &mut Bench) {
    connect(y);
    y.post_send(9, 33);
    let sent = "020000000001 020000000002 86dd
        65aabcde003c113f fd000000000000000000000000000002 fd000000000000000000000000000001 c00112b7003c0000
        0430ffff00000a12800007d0
        00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0 000000 dc9dbf50";
    assert_eq!(y.packets(), [bytes(sent)]);
    y.receive(&[bytes(ACK)]);
    assert_eq!(y.completions(), [(9, Status::Success, 0)]);
    assert_eq!(y.drops(), []);
}

fn a_request_and_its_ack(y: &mut Bench) {
    connect(y);
    y.receive(&[bytes(FROM_THE_PEER)]);
    let ack = "020000000001 020000000002 86dd
        65aabcde001c113f fd000000000000000000000000000002 fd000000000000000000000000000001 c00112b7001c0000
        1100ffff00000a1200000064 1f000001 045fff98";
    assert_eq!(y.packets(), [bytes(ack)]);
    assert_eq!(y.completions(), [(1, Status::Success, 33)]);
    assert_eq!(y.buffer(0, 33), [7; 33]);
    assert_eq!(y.drops(), []);
}

fn leaves_no_trace(y: &mut Bench, reason: DropReason, packet: &str) {
    connect(y);
    y.receive(&[bytes(packet)]);
    assert_eq!(y.packets(), Vec::<Vec<u8>>::new());
    assert_eq!(y.drops(), [(reason, 1)]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.buffer(0, 64), [UNTOUCHED; 64]);
    y.receive(&[bytes(FROM_THE_PEER)]);
    assert_eq!(y.packets().len(), 1);
    assert_eq!(y.completions(), [(1, Status::Success, 33)]);
}

/// fd00::9.
fn cf049_another_source_address(y: &mut Bench) {
    let packet = "020000000002 020000000001 86dd
        60000000003c1140 fd000000000000000000000000000009 fd000000000000000000000000000002 c00112b7003c0000
        0430ffff00000b2380000064
        070707070707070707070707070707070707070707070707070707070707070707 000000 49a05194";
    leaves_no_trace(y, DropReason::Source, packet);
}

/// To fd00::9.
fn another_destination_address(y: &mut Bench) {
    let packet = "020000000002 020000000001 86dd
        60000000003c1140 fd000000000000000000000000000001 fd000000000000000000000000000009 c00112b7003c0000
        0430ffff00000b2380000064
        070707070707070707070707070707070707070707070707070707070707070707 000000 b1bc5eab";
    leaves_no_trace(y, DropReason::Dgid, packet);
}

/// To 10.0.0.2: not this port's address.
fn over_ipv4(y: &mut Bench) {
    let packet = "020000000002 020000000001 0800
        4500005000004000 4011269b 0a000001 0a000002 c00112b7003c0000
        0430ffff00000b2380000064
        070707070707070707070707070707070707070707070707070707070707070707 000000 6c1e62df";
    leaves_no_trace(y, DropReason::Dgid, packet);
}
