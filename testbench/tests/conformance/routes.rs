//! Queue pairs of one device that lead to different places: every packet takes the way of its own QP, however long it
//! has waited behind that of another.
use super::bench::{attributes_on, on_both, port, request, Bench};
use super::wire_bench::bytes;
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_golden::verbs::{EthernetRoute, GlobalRoute, QpAttributes, QpState, Status};
use hca_golden::wire::grh::Grh;
use hca_golden::wire::packet::Route;
use hca_golden::wire::roce::{Endpoint, Roce};
use hca_testbench::device::port_on;
use hca_testbench::Side;
use std::net::Ipv4Addr;

on_both!(behind super::native_port(); cf267_cf271_native_packets_without_and_with_grh);

/// A RoCEv2 device.
mod roce {
    use super::super::bench::on_both;
    use super::{packets_to_three_hosts, roce_port};
    on_both!(behind super::roce_port(); packets_to_three_hosts);
}

/// One of Y's QPs and what its packets begin with.
struct Way {
    qpn: u32,
    peer: u32,
    /// Before the BTH of a request of 256 bytes.
    request: &'static str,
    /// Before the BTH of an ack.
    ack: &'static str,
}

/// LID 1 within the subnet; two GIDs, one of them behind LID 7.
const NATIVE: [Way; 3] = [
    Way {
        qpn: 0x00_0B23,
        peer: 0x00_0A12,
        request: "0002000100460002",
        ack: "0002000100070002",
    },
    Way {
        qpn: 0x00_0B24,
        peer: 0x00_0A13,
        request: "0003000100500002
            6221111101101b33 fe800000000000000002c90300000002 fe800000000000000002c90300000001",
        ack: "0003000100110002
            6221111100141b33 fe800000000000000002c90300000002 fe800000000000000002c90300000001",
    },
    Way {
        qpn: 0x00_0B25,
        peer: 0x00_0A14,
        request: "0003000700500002
            6442222201101b55 fe800000000000000002c90300000002 20010db8000000000000000000000007",
        ack: "0003000700110002
            6442222200141b55 fe800000000000000002c90300000002 20010db8000000000000000000000007",
    },
];

/// Three hosts, each with its MAC address, IP address, TTL and UDP source port.
const ROCE: [Way; 3] = [
    Way {
        qpn: 0x00_0B23,
        peer: 0x00_0A12,
        request: "020000000001 020000000002 0800
            4500012c00004000 401125bf 0a000002 0a000001 c00112b701180000",
        ack: "020000000001 020000000002 0800
            4500003000004000 401126bb 0a000002 0a000001 c00112b7001c0000",
    },
    Way {
        qpn: 0x00_0B24,
        peer: 0x00_0A13,
        request: "020000000005 020000000002 0800
            4520012c00004000 2011449b 0a000002 0a000105 c00512b701180000",
        ack: "020000000005 020000000002 0800
            4520003000004000 20114597 0a000002 0a000105 c00512b7001c0000",
    },
    Way {
        qpn: 0x00_0B25,
        peer: 0x00_0A14,
        request: "0200000000a6 020000000002 0800
            4540012c00004000 10119ed1 0a000002 c0a80006 c0a612b701180000",
        ack: "0200000000a6 020000000002 0800
            4540003000004000 10119fcd 0a000002 c0a80006 c0a612b7001c0000",
    },
];

/// fe80::2:c903:0:2.
const OWN_GID: [u8; 16] = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xC9, 3, 0, 0, 0, 2];
/// PSNs of two Sends of three packets, and of four requests of a peer.
const SENT: [u32; 6] = [2000, 2001, 2002, 2003, 2004, 2005];
const RECEIVED: [u32; 4] = [100, 101, 102, 103];

fn native_port() -> PortConfig {
    PortConfig {
        gid: OWN_GID,
        ..port()
    }
}

fn roce_port() -> PortConfig {
    port_on(Link::Roce, Side::Y)
}

fn native_attributes(way: usize) -> QpAttributes {
    let to = |dgid: u128, flow_label, traffic_class, hop_limit| GlobalRoute {
        dgid: dgid.to_be_bytes(),
        flow_label,
        traffic_class,
        hop_limit,
    };
    let global = [
        None,
        Some(to(0xFE80_0000_0000_0000_0002_C903_0000_0001, 0x11111, 0x22, 0x33)),
        Some(to(0x2001_0DB8_0000_0000_0000_0000_0000_0007, 0x22222, 0x44, 0x55)),
    ];
    QpAttributes {
        dlid: [1, 1, 7][way],
        global: global[way],
        ..attributes_of(&NATIVE[way], Link::InfiniBand)
    }
}

fn roce_attributes(way: usize) -> QpAttributes {
    let hosts = [[10, 0, 0, 1], [10, 0, 1, 5], [192, 168, 0, 6]];
    let global = GlobalRoute {
        dgid: Ipv4Addr::from(hosts[way]).to_ipv6_mapped().octets(),
        flow_label: 0,
        traffic_class: [0, 0x20, 0x40][way],
        hop_limit: [64, 32, 16][way],
    };
    let ethernet = EthernetRoute {
        dest_mac: [2, 0, 0, 0, 0, [1, 5, 0xA6][way]],
        source_port: [0xC001, 0xC005, 0xC0A6][way],
    };
    QpAttributes {
        global: Some(global),
        ethernet: Some(ethernet),
        ..attributes_of(&ROCE[way], Link::Roce)
    }
}

fn attributes_of(way: &Way, link: Link) -> QpAttributes {
    QpAttributes {
        qpn: way.qpn,
        dest_qpn: way.peer,
        ..attributes_on(link, RECEIVED[0])
    }
}

/// Makes the three QPs and takes them to RTS.
fn connect(y: &mut Bench, attributes: &[QpAttributes]) {
    for (n, attributes) in attributes.iter().enumerate() {
        match n {
            0 => y.create(attributes),
            _ => y.create_another(attributes),
        }
        for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
            y.modify(state);
        }
    }
}

/// PSNs of the packets that came out, by these headers, one of which each of them begins with.
fn psns(y: &mut Bench, headers: &[(u32, Vec<u8>)]) -> Vec<Vec<u32>> {
    let mut psns = vec![Vec::new(); headers.len()];
    for packet in y.packets() {
        let begins = |(peer, headers): &(u32, Vec<u8>)| {
            let bth = packet.get(headers.len()..).unwrap_or_default();
            bth.get(5..8) == Some(&peer.to_be_bytes()[1..]) && packet.starts_with(headers)
        };
        let of = headers.iter().position(begins);
        let of = of.unwrap_or_else(|| panic!("a packet with headers of no way: {packet:02X?}"));
        let at = headers[of].1.len() + 9;
        psns[of].push(u32::from_be_bytes([
            0,
            packet[at],
            packet[at + 1],
            packet[at + 2],
        ]));
    }
    psns
}

/// Two Sends of every QP at once, and four requests of every peer, those of the three in turn.
fn traffic(
    y: &mut Bench,
    ways: &[Way; 3],
    attributes: fn(usize) -> QpAttributes,
    route: fn(&QpAttributes) -> Route,
) {
    let attributes = [0, 1, 2].map(attributes);
    connect(y, &attributes);
    for way in ways {
        y.turn_to(way.qpn);
        for wr_id in 0..4 {
            y.post_receive(wr_id, 0, 64);
        }
    }
    for wr_id in 0..2 {
        for way in ways {
            y.turn_to(way.qpn);
            y.submit_send(wr_id, 3 * 256);
        }
    }
    let mut arriving = Vec::new();
    for psn in RECEIVED {
        for attributes in &attributes {
            let mut packet = request(0x04, psn, &[7; 4]);
            packet.route = route(attributes);
            packet.bth.dest_qp = attributes.qpn;
            arriving.push(packet.encode().unwrap());
        }
    }
    y.receive(&arriving);
    let requests = ways.iter().map(|way| (way.peer, bytes(way.request)));
    let acks = ways.iter().map(|way| (way.peer, bytes(way.ack)));
    let psns = psns(y, &requests.chain(acks).collect::<Vec<_>>());
    let (sent, acked) = psns.split_at(ways.len());
    for (n, way) in ways.iter().enumerate() {
        assert_eq!(sent[n], SENT, "QP {:06X}h", way.qpn);
        assert!(acked[n].is_sorted(), "QP {:06X}h: {:?}", way.qpn, acked[n]);
        assert_eq!(acked[n].last(), Some(&103), "QP {:06X}h", way.qpn);
        y.turn_to(way.qpn);
        assert_eq!(
            y.completions(),
            [0, 1, 2, 3].map(|wr_id| (wr_id, Status::Success, 4))
        );
    }
}

/// As the peer sends to it.
fn native_route(attributes: &QpAttributes) -> Route {
    let Route::Local(mut lrh) = request(0x04, 0, &[]).route else {
        panic!("the bench's requests are local");
    };
    lrh.slid = attributes.dlid;
    match attributes.global {
        None => Route::Local(lrh),
        Some(global) => Route::Global(
            lrh,
            Grh {
                sgid: global.dgid,
                dgid: OWN_GID,
                ..Grh::default()
            },
        ),
    }
}

fn roce_route(attributes: &QpAttributes) -> Route {
    let own = roce_port();
    let peer = Endpoint {
        mac: attributes.ethernet.map_or([0; 6], |e| e.dest_mac),
        gid: attributes.global.map_or([0; 16], |g| g.dgid),
    };
    let own = Endpoint {
        mac: own.mac,
        gid: own.gid,
    };
    Route::Roce(Roce::between(peer, own, 0xD000))
}

fn cf267_cf271_native_packets_without_and_with_grh(y: &mut Bench) {
    traffic(y, &NATIVE, native_attributes, native_route);
}

fn packets_to_three_hosts(y: &mut Bench) {
    traffic(y, &ROCE, roce_attributes, roce_route);
}
