//! The golden model's packets as Wireshark reads them: every opcode of RC, UC and UD, every header, every route.
//!
//! RD is left out: Wireshark takes its opcodes for a vendor's format (`headers.md` section 6).
mod tshark;

use hca_golden::capabilities::Capabilities;
use hca_golden::port::Link;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::grh::Grh;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::opcode::{Opcode, Transport};
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::roce::{Endpoint, Roce};
use hca_testbench::device::golden::GoldenDevice;
use hca_testbench::device::port_of;
use hca_testbench::fabric::{Fabric, Observer, Reaped};
use hca_testbench::scenario::services::Services;
use hca_testbench::scenario::Scenario;
use hca_testbench::scoreboard::Checked;
use hca_testbench::trace::output::OutputError;
use hca_testbench::trace::pcap::PcapTrace;
use hca_testbench::trace::{LinkRecord, PacketRecord};
use hca_testbench::Side;
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::DataLink;
use std::net::Ipv6Addr;
use std::time::Duration;

/// What is asked of Wireshark: its name, and the value that it must show; none if the packet has no such field.
type Expected = Vec<(&'static str, Option<String>)>;

/// Clock cycles of the traces a second.
const CLOCK_HZ: u64 = 125_000_000;

const GIDS: [[u8; 16]; 2] = [
    [0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [0xFD; 16],
];
const IPV4: [u128; 2] = [0xFFFF_0A01_0203, 0xFFFF_0A04_0506];

fn lrh() -> Lrh {
    Lrh {
        sl: 5,
        dlid: 0x1234,
        slid: 0x2345,
        ..Lrh::default()
    }
}

fn grh() -> Grh {
    Grh {
        tclass: 0xA5,
        flow_label: 0xB_CDEF,
        hop_lmt: 0x40,
        sgid: GIDS[0],
        dgid: GIDS[1],
        ..Grh::default()
    }
}

fn roce([source, destination]: [[u8; 16]; 2]) -> Roce {
    let at = |mac, gid| Endpoint { mac: [mac; 6], gid };
    Roce::between(at(2, source), at(4, destination), 0xC123)
}

/// One packet of each opcode on this route; its headers' bytes are all different.
fn packets(route: &Route) -> Vec<Packet> {
    let legible = |o: &&Opcode| Transport::of(o.value) != Transport::Rd;
    let of = |opcode: &Opcode| Packet {
        route: route.clone(),
        bth: Bth {
            opcode: opcode.value,
            se: true,
            p_key: 0x8765,
            dest_qp: 0x12_3456,
            a: true,
            psn: 0x65_4321,
            ..Bth::default()
        },
        extensions: opcode
            .headers
            .iter()
            .map(|&h| Extension::parse(h, &(0x11..).take(h.bytes()).collect::<Vec<u8>>()).unwrap())
            .collect(),
        payload: if opcode.has_payload() {
            vec![0x5A; 21]
        } else {
            Vec::new()
        },
    };
    Opcode::all().iter().filter(legible).map(of).collect()
}

/// Of any route.
fn transport_fields(p: &Packet, icrc: &[u8]) -> Expected {
    let dec = |v: u64| Some(v.to_string());
    let hex = |width: usize, v: u64| Some(format!("0x{v:0width$x}"));
    let bytes = |b: &[u8]| Some(b.iter().map(|b| format!("{b:02x}")).collect());
    vec![
        ("infiniband.bth.opcode", dec(p.bth.opcode.into())),
        (
            "infiniband.bth.padcnt",
            dec(if p.payload.is_empty() { 0 } else { 3 }),
        ),
        ("infiniband.bth.p_key", dec(0x8765)),
        ("infiniband.bth.destqp", hex(6, 0x12_3456)),
        ("infiniband.bth.psn", dec(0x65_4321)),
        (
            "infiniband.deth.q_key",
            p.deth().and_then(|_| hex(16, 0x1112_1314)),
        ),
        ("infiniband.deth.srcqp", p.deth().and_then(|_| hex(8, 0x16_1718))),
        ("infiniband.reth.dmalen", p.reth().and_then(|_| dec(0x1D1E_1F20))),
        (
            "infiniband.atomiceth.swapdt",
            p.atomic_eth().and_then(|_| dec(0x1D1E_1F20_2122_2324)),
        ),
        (
            "infiniband.atomiceth.cmpdt",
            p.atomic_eth().and_then(|_| dec(0x2526_2728_292A_2B2C)),
        ),
        ("infiniband.aeth.msn", p.aeth().and_then(|_| dec(0x12_1314))),
        (
            "infiniband.atomicacketh.origremdt",
            p.atomic_ack_eth().and_then(|_| dec(0x1112_1314_1516_1718)),
        ),
        (
            "infiniband.immdt",
            p.immediate().and_then(|_| bytes(&[0x11, 0x12, 0x13, 0x14])),
        ),
        (
            "infiniband.ieth",
            p.ieth().and_then(|_| bytes(&[0x11, 0x12, 0x13, 0x14])),
        ),
        (
            "infiniband.invariant.crc",
            bytes(icrc).map(|b: String| format!("0x{b}")),
        ),
        ("_ws.malformed", None),
    ]
}

fn native_fields(p: &Packet, bytes: &[u8]) -> Expected {
    let end = bytes.len();
    let dec = |v: usize| Some(v.to_string());
    let global = p.grh().map(|_| ());
    let mut fields = transport_fields(p, &bytes[end - 6..end - 2]);
    fields.extend([
        ("infiniband.lrh.dlid", dec(0x1234)),
        ("infiniband.lrh.slid", dec(0x2345)),
        ("infiniband.lrh.sl", dec(5)),
        ("infiniband.lrh.pktlen", dec((end - 2) / 4)),
        ("infiniband.grh.ipver", global.and_then(|_| dec(6))),
        ("infiniband.grh.flowlabel", global.and_then(|_| dec(0xB_CDEF))),
        ("infiniband.grh.paylen", global.and_then(|_| dec(end - 50))),
        ("infiniband.grh.nxthdr", global.and_then(|_| dec(0x1B))),
        (
            "infiniband.grh.dgid",
            global.map(|_| Ipv6Addr::from(GIDS[1]).to_string()),
        ),
    ]);
    fields
}

fn roce_fields(p: &Packet, bytes: &[u8], ip: usize) -> Expected {
    let dec = |v: usize| Some(v.to_string());
    let v4 = (ip == 20).then_some(());
    let mut fields = transport_fields(p, &bytes[bytes.len() - 4..]);
    fields.extend([
        ("eth.dst", Some("04:04:04:04:04:04".to_owned())),
        ("ip.dst", v4.map(|_| "10.4.5.6".to_owned())),
        ("ip.ttl", v4.and_then(|_| dec(64))),
        ("ip.checksum.status", v4.and_then(|_| dec(1))),
        (
            "ipv6.dst",
            Some(Ipv6Addr::from(GIDS[1]).to_string()).filter(|_| v4.is_none()),
        ),
        ("udp.srcport", dec(0xC123)),
        ("udp.dstport", dec(4791)),
        ("udp.length", dec(bytes.len() - 14 - ip)),
    ]);
    fields
}

/// What Wireshark shows of the trace under these names: a packet's values; nothing if it is not installed.
fn shown(trace: &[u8], options: &[&str], names: &[&str]) -> Option<Vec<Vec<String>>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.pcap");
    std::fs::write(&path, trace).unwrap();
    tshark::fields(&path, options, names)
}

/// Holds what Wireshark shows of the trace against the packets, one line each.
fn compare(name: &str, trace: &[u8], expected: &[Expected]) {
    let names: Vec<&str> = expected[0].iter().map(|(name, _)| *name).collect();
    let Some(lines) = shown(trace, &["-o", "ip.check_checksum:TRUE"], &names) else {
        return;
    };
    assert_eq!(lines.len(), expected.len(), "{name}: {lines:?}");
    for (line, expected) in lines.iter().zip(expected) {
        for (shown, (field, value)) in line.iter().zip(expected) {
            let value = value.as_deref().unwrap_or_default();
            assert_eq!(shown, value, "{name}, {field} of {line:?}");
        }
    }
}

#[test]
fn native_packets() {
    for (name, route) in [
        ("local", Route::Local(lrh())),
        ("global", Route::Global(lrh(), grh())),
    ] {
        let mut trace = PcapTrace::new(Vec::new(), Link::InfiniBand, CLOCK_HZ).unwrap();
        let mut expected = Vec::new();
        for packet in packets(&route) {
            let bytes = packet.encode().unwrap();
            expected.push(native_fields(&packet, &bytes));
            let from = Side::X;
            let record = PacketRecord {
                cycle: 1,
                from,
                port: 1,
                link: Link::InfiniBand,
                bytes,
            };
            trace.packet(&record).unwrap();
        }
        compare(name, &trace.into_inner(), &expected);
    }
}

#[test]
fn roce_frames() {
    for (name, gids, ip) in [("IPv4", IPV4.map(u128::to_be_bytes), 20), ("IPv6", GIDS, 40)] {
        let header = PcapHeader {
            datalink: DataLink::ETHERNET,
            ..PcapHeader::default()
        };
        let mut trace = PcapWriter::with_header(Vec::new(), header).unwrap();
        let mut expected = Vec::new();
        for packet in packets(&Route::Roce(roce(gids))) {
            let bytes = packet.encode().unwrap();
            expected.push(roce_fields(&packet, &bytes, ip));
            let record = PcapPacket::new(Duration::ZERO, bytes.len() as u32, &bytes);
            trace.write_packet(&record).unwrap();
        }
        compare(name, &trace.into_writer(), &expected);
    }
}

/// What an observer writes: packets and link packets, and the link packets once more.
struct Recorded {
    trace: PcapTrace<Vec<u8>>,
    packets: usize,
    link_packets: Vec<LinkRecord>,
}

impl Observer for Recorded {
    fn packet(&mut self, packet: &PacketRecord) -> Result<(), OutputError> {
        self.packets += 1;
        self.trace.packet(packet).unwrap();
        Ok(())
    }

    fn link_packet(&mut self, packet: &LinkRecord) -> Result<(), OutputError> {
        self.link_packets.push(packet.clone());
        self.trace.link_packet(packet).unwrap();
        Ok(())
    }

    fn completion(&mut self, _: &Reaped) -> Result<(), OutputError> {
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) {}
}

/// The capture of a run whose two VLs have flow control.
fn by_credits() -> Recorded {
    let mut recorded = Recorded {
        trace: PcapTrace::new(Vec::new(), Link::InfiniBand, CLOCK_HZ).unwrap(),
        packets: 0,
        link_packets: Vec::new(),
    };
    let patience = 20_000;
    let station = |side| {
        let device = GoldenDevice::with(port_of(side), Capabilities::HARDWARE);
        Box::new(Checked::new(side, Box::new(device), port_of(side), patience))
    };
    let mut fabric = Fabric::new(station(Side::X), station(Side::Y), patience, &mut recorded);
    let run = Scenario::Services(Services::CREDITS).run(&mut fabric, 1);
    drop(fabric);
    run.unwrap();
    recorded
}

#[test]
fn link_packets_of_a_run() {
    let Recorded {
        trace,
        packets,
        link_packets,
    } = by_credits();
    // Wireshark 4.0 guesses this in payload, and runs off its end.
    let options = ["--disable-protocol", "vlan"];
    let shown = shown(
        &trace.into_inner(),
        &options,
        &[
            "frame.protocols", "_ws.malformed", "erf.types.type", "erf.flags.cap", "frame.time_epoch",
            "infiniband_link.op", "infiniband_link.fctbs", "infiniband_link.vl", "infiniband_link.fccl",
            "infiniband_link.lpcrc",
        ],
    );
    let Some(shown) = shown else {
        return;
    };
    assert_eq!(shown.len(), packets + link_packets.len());
    let is_link = |fields: &&Vec<String>| fields[0].contains("infiniband_link");
    for fields in &shown {
        assert_eq!(fields[1], "", "{fields:?}");
    }
    let of_link: Vec<&Vec<String>> = shown.iter().filter(is_link).collect();
    assert_eq!(of_link.len(), link_packets.len());
    for (fields, packet) in of_link.into_iter().zip(&link_packets) {
        let [a, b, c, d, e, f] = packet.bytes[..] else {
            panic!("{packet:?}")
        };
        let dec = |high: u8, low: u8| (u16::from(high) << 8 | u16::from(low)).to_string();
        let nanoseconds = packet.cycle * 1_000_000_000 / CLOCK_HZ;
        let expected = [
            "25".to_owned(),
            (packet.from as u8).to_string(),
            format!(
                "{}.{:09}",
                nanoseconds / 1_000_000_000,
                nanoseconds % 1_000_000_000
            ),
            (a >> 4).to_string(),
            dec(a & 15, b),
            (c >> 4).to_string(),
            dec(c & 15, d),
            format!("0x{e:02x}{f:02x}"),
        ];
        assert_eq!(fields[2..], expected, "{packet:?}");
    }
    // Both ports say both kinds of both VLs.
    for (from, op, vl) in (0..8).map(|n| (n & 1, n >> 1 & 1, n >> 2)) {
        let said = |packet: &&LinkRecord| {
            (packet.from as u8, packet.bytes[0] >> 4, packet.bytes[2] >> 4) == (from, op, vl)
        };
        assert!(
            link_packets.iter().any(|packet| said(&packet)),
            "Op {op}, VL {vl}"
        );
    }
}
