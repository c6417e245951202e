//! CF318, CF330, CF331: datagrams over RoCEv2 (`ud.md` sections 1, 2 and 3.2).
use super::{attributes, packet, send, success, HANDLE};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, request, Bench, PEER_QPN, UNTOUCHED};
use crate::wire_bench::bytes;
use hca_golden::event::DropReason;
use hca_golden::port::{Link, PortConfig};
use hca_golden::verbs::{AddressHandle, DatagramSource, GlobalRoute, PortCounter};
use hca_golden::wire::crc::icrc_roce_v2;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::roce::{Endpoint, Network, Roce};
use hca_testbench::device::{port_on, Verb};
use hca_testbench::Side;

mod v4 {
    use super::*;

    on_both!(behind super::super::v4_port();
        cf318_the_udp_source_port_follows_from_the_flow_label,
        cf330_cf331_an_ipv4_header_is_placed_behind_zeros,
        cf330_the_header_is_placed_as_it_came,
        a_frame_for_another_port_is_dropped,
        cf319_the_longest_datagram_has_the_active_mtu,
        the_longest_frame_that_arrives_follows_from_the_active_mtu,
    );
}

mod v6 {
    use super::*;

    on_both!(behind super::super::v6_port();
        cf318_over_ipv6_the_flow_label_is_there_as_well,
        cf331_an_ipv6_header_fills_the_first_bytes,
    );
}

const PEER_MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];
/// fd00::1 and fd00::2.
const PEER_V6: [u8; 16] = [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
const OWN_V6: [u8; 16] = [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];
/// Bytes before the IP header.
const ETHERNET: usize = 14;

fn v4_port() -> PortConfig {
    port_on(Link::Roce, Side::Y)
}

fn v6_port() -> PortConfig {
    PortConfig {
        gid: OWN_V6,
        ..v4_port()
    }
}

fn address(dgid: [u8; 16], flow_label: u32) -> AddressHandle {
    AddressHandle {
        port: 1,
        sl: 5,
        global: Some(GlobalRoute {
            dgid,
            flow_label,
            traffic_class: 0x5A,
            hop_limit: 0x3F,
        }),
        dest_mac: Some(PEER_MAC),
        ..AddressHandle::default()
    }
}

fn peer_v4() -> [u8; 16] {
    port_on(Link::Roce, Side::X).gid
}

/// A datagram of the peer of 5 bytes, with this network header.
fn arriving(gids: [[u8; 16]; 2], change: impl FnOnce(&mut Network)) -> Vec<u8> {
    framed(packet(0x64, 7, &[7; 5]), gids, change)
}

/// A packet of the peer with this network header.
fn framed(mut sent: Packet, gids: [[u8; 16]; 2], change: impl FnOnce(&mut Network)) -> Vec<u8> {
    let end = |mac, gid| Endpoint { mac, gid };
    let mut roce = Roce::between(end(PEER_MAC, gids[0]), end([2, 0, 0, 0, 0, 2], gids[1]), 0xC123);
    change(&mut roce.network);
    sent.route = Route::Roce(roce);
    sent.encode().unwrap()
}

/// Sources of the completions since the last look, each a success of so many bytes.
fn sources(y: &mut Bench, bytes: u32) -> Vec<DatagramSource> {
    let completions = y.taken();
    assert!(completions.iter().all(|c| c.byte_count == bytes));
    completions.iter().filter_map(|c| c.datagram).collect()
}

fn of_the_peer() -> DatagramSource {
    DatagramSource {
        qpn: PEER_QPN,
        grh: true,
        source_mac: Some(PEER_MAC),
        ..DatagramSource::default()
    }
}

/// All of the first packet but its ICRC, and of the others the port.
fn cf318_the_udp_source_port_follows_from_the_flow_label(y: &mut Bench) {
    y.datagrams_to(address(peer_v4(), 0));
    y.post(send(1, 5));
    let sent = y.packets_after();
    let expected = "020000000001 020000000002 0800
        455a003c 00004000 3f112755 0a000002 0a000001 c00012b7 00280000
        6430ffff00000a1200fffffe 0055667700000b23 00070e151c 000000";
    assert_eq!(sent[0][..sent[0].len() - 4], bytes(expected));
    assert_eq!(
        sent[0][sent[0].len() - 4..],
        icrc_roce_v2(&bytes(expected)[ETHERNET..])
    );
    let labels = [
        (1, 0xC001),
        (0x1_2345, 0xE341),
        (0xF_C000, 0xC03F),
        (0xF_FFFF, 0xFFC0),
    ];
    for (handle, (flow_label, port)) in (HANDLE + 1..).zip(labels) {
        y.address(handle, address(peer_v4(), flow_label));
        let mut request = send(1, 5);
        request.datagram.as_mut().unwrap().handle = handle;
        y.post(request);
        let sent = y.packets_after();
        assert_eq!(sent[0][34..36], u16::to_be_bytes(port), "{flow_label:05X}h");
    }
    assert_eq!(y.completions(), [success(1, 0); 5]);
}

fn cf318_over_ipv6_the_flow_label_is_there_as_well(y: &mut Bench) {
    y.datagrams_to(address(PEER_V6, 0x1_2345));
    y.post(send(1, 4));
    let sent = y.packets_after();
    let expected = "020000000001 020000000002 86dd
        65a12345 0024113f fd000000000000000000000000000002 fd000000000000000000000000000001
        e34112b7 00240000 6400ffff00000a1200fffffe 0055667700000b23 00070e15";
    assert_eq!(sent[0][..sent[0].len() - 4], bytes(expected));
    assert_eq!(y.completions(), [success(1, 0)]);
}

fn cf330_cf331_an_ipv4_header_is_placed_behind_zeros(y: &mut Bench) {
    y.create(&attributes());
    y.enter_rts();
    y.post_receive(1, 0, 64);
    y.receive(&[arriving([peer_v4(), v4_port().gid], |network| {
        network.set_hop_limit(0x2A);
        network.set_traffic_class(0x5A);
    })]);
    assert_eq!(sources(y, 45), [of_the_peer()]);
    let header = "455a003c 00004000 2a113c55 0a000001 0a000002";
    let expected = [vec![0; 20], bytes(header), vec![7; 5], vec![UNTOUCHED; 19]].concat();
    assert_eq!(y.buffer(0, 64), expected);
}

/// Every bit of it: also one that has no meaning, and a checksum that may be FFFFh in place of 0.
fn cf330_the_header_is_placed_as_it_came(y: &mut Bench) {
    y.create(&attributes());
    y.enter_rts();
    y.post_receive(1, 0, 64);
    let mut frame = arriving([peer_v4(), v4_port().gid], |_| {});
    // The bit of the flags that is reserved, and the identification.
    frame[20] |= 0x80;
    (frame[18], frame[19]) = (0xBE, 0xEF);
    frame[24..26].fill(0);
    let words = frame[ETHERNET..34]
        .chunks(2)
        .map(|w| u32::from(w[0]) << 8 | u32::from(w[1]));
    let sum: u32 = words.sum();
    let folded = (sum >> 16) + (sum & 0xFFFF);
    frame[24..26].copy_from_slice(&(!(folded as u16)).to_be_bytes());
    let end = frame.len() - 4;
    let icrc = icrc_roce_v2(&frame[ETHERNET..end]);
    frame[end..].copy_from_slice(&icrc);
    let header = frame[ETHERNET..34].to_vec();
    y.receive(&[frame]);
    assert_eq!(sources(y, 45), [of_the_peer()]);
    assert_eq!(y.buffer(20, 25), [header, vec![7; 5]].concat());
}

fn cf331_an_ipv6_header_fills_the_first_bytes(y: &mut Bench) {
    y.create(&attributes());
    y.enter_rts();
    y.post_receive(1, 0, 64);
    y.receive(&[arriving([PEER_V6, OWN_V6], |network| {
        network.set_flow_label(0xF_1234).unwrap();
    })]);
    assert_eq!(sources(y, 45), [of_the_peer()]);
    let header = "600f1234 00281140 fd000000000000000000000000000001 fd000000000000000000000000000002";
    let expected = [bytes(header), vec![7; 5], vec![UNTOUCHED; 19]].concat();
    assert_eq!(y.buffer(0, 64), expected);
}

/// Another MAC, another address.
fn a_frame_for_another_port_is_dropped(y: &mut Bench) {
    y.create(&attributes());
    y.enter_rts();
    y.post_receive(1, 0, 64);
    let mut elsewhere = arriving([peer_v4(), v4_port().gid], |_| {});
    elsewhere[5] ^= 4;
    y.receive(&[elsewhere, arriving([v4_port().gid, peer_v4()], |_| {})]);
    assert_eq!(y.drops(), [(DropReason::Dgid, 1), (DropReason::Dlid, 1)]);
    assert_eq!(y.completions(), []);
}

/// `link.md` section 13. Nothing counts what is not sent.
fn cf319_the_longest_datagram_has_the_active_mtu(y: &mut Bench) {
    y.datagrams_to(address(peer_v4(), 0));
    for (mtu, bytes) in [(5, 4096), (1, 256), (0, 256), (6, 256), (4, 2048)] {
        assert_eq!(y.attempt(Verb::SetMtu { mtu }), DONE);
        y.settle();
        y.post(send(1, bytes));
        y.post(send(2, bytes + 1));
        // Ethernet, IPv4, UDP, BTH, DETH and ICRC are 66 bytes.
        let sent: Vec<_> = y.packets_after().iter().map(Vec::len).collect();
        assert_eq!(sent, [66 + bytes as usize]);
        assert_eq!(y.completions(), [success(1, 0), success(2, 0)]);
    }
    assert_eq!(y.port_counter(PortCounter::XmitDiscards), 0);
}

/// UDP header, BTH, DETH and ICRC are 32 bytes, without the DETH 24: a UDP length of 340 is the longest at 256 bytes.
fn the_longest_frame_that_arrives_follows_from_the_active_mtu(y: &mut Bench) {
    y.create(&attributes());
    y.enter_rts();
    y.post_receive(1, 0, 300);
    assert_eq!(y.attempt(Verb::SetMtu { mtu: 1 }), DONE);
    y.settle();
    let gids = [peer_v4(), v4_port().gid];
    let datagram = |bytes| packet(0x64, 7, &vec![7; bytes]);
    let of_a_connection = |bytes| request(0x04, 100, &vec![7; bytes]);
    for (packet, reason) in [
        (datagram(257), DropReason::PayloadLength),
        (datagram(308), DropReason::PayloadLength),
        (datagram(309), DropReason::Length),
        (of_a_connection(316), DropReason::Opcode),
        (of_a_connection(317), DropReason::Length),
    ] {
        y.receive(&[framed(packet, gids, |_| {})]);
        assert_eq!(y.drops(), [(reason, 1)]);
    }
    y.receive(&[framed(datagram(256), gids, |_| {})]);
    assert_eq!(sources(y, 296), [of_the_peer()]);
}
