//! Native packets of the two ports of an adapter: equal addresses at different ports are different connections.
use super::*;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::packet::Route;
use hca_testbench::trace::pcap::PcapTrace;
use hca_testbench::trace::PacketRecord;
use hca_testbench::Side;

/// A packet of RoCEv2 as one of native InfiniBand from LID 1 to LID 2, or back.
fn native(like: &Packet, from: Side, psn: u32) -> Packet {
    let mut packet = like.clone();
    let (slid, dlid) = match from {
        Side::X => (1, 2),
        Side::Y => (2, 1),
    };
    packet.route = Route::Local(Lrh {
        slid,
        dlid,
        ..Lrh::default()
    });
    packet.bth.psn = psn;
    packet
}

/// Sends of one packet, each with its ack, from this PSN and this MSN on.
fn exchanges(psn: u32, msn: u32, messages: u32) -> Vec<(Side, Packet)> {
    let captured = packets("rc_send.pcap");
    let ack = &captured[nth(&captured, Operation::Acknowledge, 0)];
    let mut packets = Vec::new();
    for n in 0..messages {
        let mut send = native(&captured[0], Side::X, psn + n);
        (send.bth.opcode, send.bth.a) = (0x04, true);
        packets.push((Side::X, send));
        let mut ack = native(ack, Side::Y, psn + n);
        let acked = aeth(&mut ack);
        (acked.syndrome, acked.msn) = (0x1F, msn + n);
        packets.push((Side::Y, ack));
    }
    packets
}

/// What is said of packets of these ports, a microsecond apart.
fn told(packets: &[(u8, &(Side, Packet))], command: &str) -> assert_cmd::assert::Assert {
    let mut trace = PcapTrace::new(Vec::new(), Link::InfiniBand, 1_000_000).unwrap();
    for (cycle, (port, (from, packet))) in (0..).zip(packets) {
        let record = PacketRecord {
            cycle,
            from: *from,
            port: *port,
            link: Link::InfiniBand,
            bytes: packet.encode().unwrap(),
        };
        trace.packet(&record).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ports.pcap");
    std::fs::write(&path, trace.into_inner()).unwrap();
    let mut hca = Command::cargo_bin("hca").unwrap();
    hca.arg(command).arg(&path).assert()
}

/// Two connections of the same LIDs and queue pairs, by turns.
fn by_turns<'a>(
    first: &'a [(Side, Packet)],
    second: &'a [(Side, Packet)],
    port: u8,
) -> Vec<(u8, &'a (Side, Packet))> {
    let pairs = first.iter().zip(second);
    pairs.flat_map(|(a, b)| [(1, a), (port, b)]).collect()
}

#[test]
fn each_port_has_connections_of_its_own() {
    let (first, second) = (exchanges(1_000, 1, 20), exchanges(700_000, 1, 20));
    told(&by_turns(&first, &second, 2), "check")
        .code(0)
        .stdout(contains("requests of 2 directions").and(contains("no rule is broken")));
    let mixed = told(&by_turns(&first, &second, 1), "check");
    mixed.stdout(contains("requests of 1 direction"));
}

#[test]
fn a_finding_names_the_port() {
    let first = exchanges(1_000, 1, 20);
    let mut second = exchanges(700_000, 1, 20);
    aeth(&mut second[21].1).msn += 40;
    told(&by_turns(&first, &second, 2), "check")
        .code(1)
        .stdout(contains("port 2, LID"));
}

#[test]
fn decode_shows_the_port() {
    let (first, second) = (exchanges(1_000, 1, 1), exchanges(700_000, 1, 1));
    let output = told(&by_turns(&first, &second, 2), "decode").code(0);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let shown: Vec<bool> = text
        .lines()
        .filter(|line| line.contains(" RC_"))
        .take(4)
        .map(|line| line.contains(" in=port:2 "))
        .collect();
    assert_eq!(shown, [false, true, false, true], "{text}");
}
