//! Legal packets of every opcode, route and size, their fields full of bits.
use hca_golden::port::Link;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::grh::Grh;
use hca_golden::wire::header::HeaderFormat;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::opcode::Opcode;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::raw::{Raw, RawHeader};
use hca_golden::wire::roce::{Endpoint, Network, Roce};
use hca_golden::wire::rwh::Rwh;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The same cases on every machine.
pub fn seeded(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

/// How the packet is framed.
pub fn link_of(packet: &Packet) -> Link {
    match packet.route {
        Route::Local(_) | Route::Global(..) => Link::InfiniBand,
        Route::Roce(_) => Link::Roce,
    }
}

pub fn packet() -> impl Strategy<Value = Packet> {
    (route(), opcode(), any::<[u8; 12]>(), any::<[u8; 64]>(), payload()).prop_map(
        |(route, opcode, bth, extended, payload)| Packet {
            route,
            bth: Bth {
                opcode: opcode.value,
                tver: 0,
                ..Bth::parse(&bth).unwrap()
            },
            extensions: opcode
                .headers
                .iter()
                .enumerate()
                .map(|(n, &kind)| Extension::parse(kind, &extended[n * 8..][..kind.bytes()]).unwrap())
                .collect(),
            payload: if opcode.has_payload() { payload } else { Vec::new() },
        },
    )
}

pub fn raw() -> impl Strategy<Value = Raw> {
    let ether_type = any::<[u8; 4]>().prop_map(|bytes| RawHeader::EtherType(Rwh::parse(&bytes).unwrap()));
    let ipv6 = any::<[u8; 40]>().prop_map(|mut bytes| {
        bytes[0] = 0x60 | bytes[0] & 0xF;
        let (header, _) = etherparse::Ipv6Header::from_slice(&bytes).unwrap();
        RawHeader::Ipv6(header)
    });
    let header = prop_oneof![ether_type, ipv6];
    (lrh(), header, 2..1043_usize, any::<u8>()).prop_map(|(lrh, header, words, salt)| Raw {
        lrh,
        header,
        payload: bytes(4 * words, salt),
    })
}

fn route() -> impl Strategy<Value = Route> {
    prop_oneof![
        lrh().prop_map(Route::Local),
        (lrh(), any::<[u8; 40]>()).prop_map(|(lrh, grh)| Route::Global(lrh, Grh::parse(&grh).unwrap())),
        roce().prop_map(Route::Roce),
    ]
}

fn lrh() -> impl Strategy<Value = Lrh> {
    any::<[u8; 8]>().prop_map(|bytes| Lrh {
        lver: 0,
        ..Lrh::parse(&bytes).unwrap()
    })
}

fn roce() -> impl Strategy<Value = Roce> {
    let gid = prop_oneof![
        any::<[u8; 16]>(),
        any::<[u8; 4]>().prop_map(|a| std::net::Ipv4Addr::from(a).to_ipv6_mapped().octets()),
    ];
    let endpoint = || (any::<[u8; 6]>(), gid.clone()).prop_map(|(mac, gid)| Endpoint { mac, gid });
    let ip = (
        any::<u8>(),
        0..1_u32 << 20,
        any::<u8>(),
        any::<u16>(),
        any::<bool>(),
    );
    let udp = (any::<u16>(), any::<u16>());
    (endpoint(), endpoint(), ip, udp).prop_map(|(from, to, ip, (source_port, checksum))| {
        let mut roce = Roce::between(from, to, source_port);
        roce.udp.checksum = checksum;
        roce.network.set_traffic_class(ip.0);
        roce.network.set_flow_label(ip.1).unwrap();
        roce.network.set_hop_limit(ip.2);
        if let Network::Ipv4(header) = &mut roce.network {
            (header.identification, header.dont_fragment) = (ip.3, ip.4);
        }
        roce
    })
}

fn opcode() -> impl Strategy<Value = &'static Opcode> {
    prop::sample::select(Opcode::all().iter().collect::<Vec<_>>())
}

fn payload() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![
        0..=8_usize,
        0..=300_usize,
        0..=4096_usize,
        prop::sample::select(vec![256, 512, 1024, 2048, 4096]),
    ];
    (length, any::<u8>()).prop_map(|(length, salt)| bytes(length, salt))
}

fn bytes(length: usize, salt: u8) -> Vec<u8> {
    (0..length).map(|i| (i * 7 + i / 251) as u8 ^ salt).collect()
}
