//! Other members of the kinds that `field.rs` has one of each of: overlays, copies in groups, orders, holes.
use super::*;

/// Exchanges of three Sends of one packet and an ack each; `messages` is the number of Sends in all.
fn exchanges(messages: u32) -> Vec<Packet> {
    let captured = packets("rc_send.pcap");
    let ack = &captured[nth(&captured, Operation::Acknowledge, 0)];
    let mut packets = Vec::new();
    for psn in 0..messages {
        packets.push(send(1000 + psn));
        if psn % 3 == 2 {
            packets.push(answer(ack, 1000 + psn, 0x1F, psn + 1));
        }
    }
    packets
}

fn send(psn: u32) -> Packet {
    let mut send = packets("rc_send.pcap").swap_remove(0);
    (send.bth.opcode, send.bth.psn, send.bth.a) = (0x04, psn, true);
    send.payload = vec![psn as u8; 64];
    send
}

fn answer(ack: &Packet, psn: u32, syndrome: u8, msn: u32) -> Packet {
    let mut ack = ack.clone();
    ack.bth.psn = psn;
    let aeth = aeth(&mut ack);
    (aeth.syndrome, aeth.msn) = (syndrome, msn);
    ack
}

/// Six Sends; a NAK of this syndrome for the one at `start`, or nobody answers; the requester goes back and leaves out
/// some, then goes on with new ones.
fn goes_back(syndrome: Option<u8>, start: u32, left_out: &[u32]) -> Vec<Packet> {
    let captured = packets("rc_send.pcap");
    let ack = &captured[nth(&captured, Operation::Acknowledge, 0)];
    let mut packets: Vec<Packet> = (0..6).map(|n| send(1000 + n)).collect();
    packets.extend(syndrome.map(|syndrome| answer(ack, 1000 + start, syndrome, start)));
    let again = (start..6).filter(|n| !left_out.contains(n));
    packets.extend(again.map(|n| send(1000 + n)));
    packets.extend((6..9).map(|n| send(1000 + n)));
    packets
}

/// A millisecond apart, so that what an RNR NAK asks for is waited for.
fn slowly(packets: &[Packet]) -> assert_cmd::assert::Assert {
    recorded_at(packets.iter().zip(1..).map(|(packet, n)| {
        let bytes = packet.encode().unwrap();
        (Duration::from_millis(n), bytes.len(), bytes)
    }))
}

/// Any part of a replay may be missing, whatever began the replay.
#[test]
fn holes_in_what_is_sent_again() {
    let captured = packets("rc_send.pcap");
    let ack = &captured[nth(&captured, Operation::Acknowledge, 0)];
    for syndrome in [Some(0x60), Some(0x21), None] {
        for (start, left_out) in [
            (0, &[0][..]),
            (0, &[1]),
            (1, &[2, 3]),
            (1, &[5]),
            (3, &[3]),
            (3, &[4, 5]),
        ] {
            let sent = goes_back(syndrome, start, left_out);
            // A requester that goes back after a timeout to a later packet may have had an answer that was not
            // captured.
            let may_be_answered = syndrome.is_none() && left_out[0] == start;
            let judged = slowly(&sent);
            match may_be_answered {
                true => judged.code(0),
                false => judged
                    .code(1)
                    .stdout(contains("  CF177  ").and(contains(": 1 finding"))),
            };
            // The NAK of the responder names the packet that is missing.
            let first = left_out[0];
            let named = [sent.clone(), vec![answer(ack, 1000 + first, 0x60, first)]].concat();
            slowly(&named).code(1).stdout(contains("  CF177  "));
            // The responder acknowledges all packets: only the capture lacks one.
            let acknowledged = [sent, vec![answer(ack, 1008, 0x1F, 9)]].concat();
            slowly(&acknowledged).code(0);
        }
        slowly(&goes_back(syndrome, 1, &[])).code(0);
    }
}

/// Two captures merged, or mirrored ports that are read in turn.
#[test]
fn copies_in_groups() {
    let captured = packets("rc_send.pcap");
    let ack = &captured[nth(&captured, Operation::Acknowledge, 0)];
    let mut lossy = vec![send(998), send(1000), answer(ack, 999, 0x60, 1)];
    lossy.extend([send(999), send(1000), answer(ack, 1000, 0x1F, 3)]);
    for packet in &mut lossy {
        packet.bth.psn -= 1;
    }
    let mut all = exchanges(30);
    for packet in &mut all {
        if packet.aeth().is_some() {
            aeth(packet).msn += 3;
        }
    }
    let all = [lossy, all].concat();
    let several = contains("byte for byte: judged once");
    for group in [2, 3, 5, 20] {
        let twice: Vec<Packet> = all
            .chunks(group)
            .flat_map(|group| [group, group].concat())
            .collect();
        judged(&twice).code(0).stdout(several.clone());
        let mut wrong = all.clone();
        let last = wrong.len() - 1;
        aeth(&mut wrong[last]).msn += 40;
        let twice: Vec<Packet> = wrong
            .chunks(group)
            .flat_map(|group| [group, group].concat())
            .collect();
        judged(&twice)
            .code(1)
            .stdout(contains("  CF135  ").and(contains(": 1 finding")));
    }
}

/// With adaptive routing, or several capture points, up to `distance` packets overtake one.
#[test]
fn requests_in_any_order() {
    for distance in [2, 3, 5, 8] {
        let whole = exchanges(60);
        // Acks stay where they are; requests between two of them change places, and some with those behind the ack.
        let mut mixed: Vec<(usize, Packet)> = whole
            .iter()
            .enumerate()
            .map(|(at, packet)| {
                let late = match packet.aeth() {
                    Some(_) => distance,
                    None => at * 7 % (distance + 1),
                };
                (at + late, packet.clone())
            })
            .collect();
        mixed.sort_by_key(|(at, _)| *at);
        let mixed: Vec<Packet> = mixed.into_iter().map(|(_, packet)| packet).collect();
        judged(&mixed).code(0);
        let last = mixed.iter().rposition(|packet| packet.aeth().is_some()).unwrap();
        let mut wrong = mixed.clone();
        wrong[last].bth.p_key ^= 5;
        judged(&wrong)
            .code(1)
            .stdout(contains("  CF050  ").and(contains(": 1 finding")));
    }
}

/// Returns a frame with this EtherType.
fn frame(ether_type: u16, parts: &[&[u8]]) -> Vec<u8> {
    [&[2; 12][..], &ether_type.to_be_bytes(), &parts.concat()].concat()
}

fn ipv4(protocol: u8, rest: &[u8]) -> Vec<u8> {
    let length = (20 + rest.len()) as u16;
    let mut header = vec![0x45, 0];
    header.extend(length.to_be_bytes());
    header.extend([0, 0, 0x40, 0, 64, protocol, 0, 0, 203, 0, 113, 1, 203, 0, 113, 2]);
    [header, rest.to_vec()].concat()
}

fn ipv6(next: u8, rest: &[u8]) -> Vec<u8> {
    let length = (rest.len() as u16).to_be_bytes();
    [
        &[0x60, 0, 0, 0, length[0], length[1], next, 64][..],
        &[0x20; 32],
        rest,
    ]
    .concat()
}

fn udp(port: u16, rest: &[u8]) -> Vec<u8> {
    let length = (8 + rest.len()) as u16;
    [
        &[0xC0, 0][..],
        &port.to_be_bytes(),
        &length.to_be_bytes(),
        &[0, 0],
        rest,
    ]
    .concat()
}

fn vxlan(frame: &[u8]) -> Vec<u8> {
    udp(4789, &[&[8, 0, 0, 0, 0, 0, 7, 0][..], frame].concat())
}

/// Puts something around a frame.
type Around = fn(&[u8]) -> Vec<u8>;

const OVERLAYS: [(&str, Around); 20] = [
    ("VXLAN in two tags", |f| {
        frame(0x88A8, &[&[0, 5, 0x81, 0, 0, 7, 8, 0], &ipv4(17, &vxlan(f))])
    }),
    ("VXLAN over IPv6", |f| frame(0x86DD, &[&ipv6(17, &vxlan(f))])),
    ("VXLAN over IPv6 with options", |f| {
        frame(
            0x86DD,
            &[&ipv6(0, &[&[17, 0, 1, 4, 0, 0, 0, 0][..], &vxlan(f)].concat())],
        )
    }),
    ("GENEVE with options", |f| {
        let options = [3, 0, 0x65, 0x58, 0, 0, 7, 0, 1, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0];
        frame(0x0800, &[&ipv4(17, &udp(6081, &[&options, f].concat()))])
    }),
    ("GRE over IPv6", |f| {
        frame(0x86DD, &[&ipv6(47, &[&[0, 0, 8, 0], &f[14..]].concat())])
    }),
    ("GRE with key and sequence number", |f| {
        frame(
            0x0800,
            &[&ipv4(
                47,
                &[&[0x30, 0, 8, 0, 0, 0, 0, 5, 0, 0, 0, 1], &f[14..]].concat(),
            )],
        )
    }),
    ("ERSPAN III with its subheader", |f| {
        let header = [
            0x10, 0, 0x22, 0xEB, 0, 0, 0, 1, 0x20, 5, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1,
        ];
        frame(0x0800, &[&ipv4(47, &[&header[..], &[0; 8], f].concat())])
    }),
    ("ERSPAN II over IPv6", |f| {
        let header = [0x10, 0, 0x88, 0xBE, 0, 0, 0, 1, 0x10, 5, 0, 0, 0, 0, 0, 0];
        frame(0x86DD, &[&ipv6(47, &[&header, f].concat())])
    }),
    ("three labels", |f| {
        frame(0x8847, &[&[0, 1, 0, 64, 0, 2, 0, 64, 0, 3, 1, 64], &f[14..]])
    }),
    ("labels in UDP", |f| {
        frame(
            0x0800,
            &[&ipv4(17, &udp(6635, &[&[0, 3, 1, 64], &f[14..]].concat()))],
        )
    }),
    ("IPv4 in IPv6", |f| frame(0x86DD, &[&ipv6(4, &f[14..])])),
    ("a provider's backbone", |f| {
        frame(0x88A8, &[&[0, 9, 0x88, 0xE7, 0, 0, 1, 2], f])
    }),
    ("a port extender's tag", |f| {
        frame(0x893F, &[&[0, 1, 2, 3, 4, 5], &f[12..]])
    }),
    ("MACsec that does not encrypt", |f| {
        frame(0x88E5, &[&[0x20, 0], &[7; 12], &f[12..], &[3; 16]])
    }),
    ("a ring's tag", |f| frame(0x892F, &[&[0, 60, 0, 3], &f[12..]])),
    ("LLC and SNAP", |f| {
        let length = (f.len() - 6) as u16;
        frame(length.min(1500), &[&[0xAA, 0xAA, 3, 0, 0, 0], &f[12..]])
    }),
    ("GTP-U", |f| {
        let header = [0x32, 0xFF, 0, 0, 0, 0, 0, 9, 0, 1, 0, 0];
        frame(0x0800, &[&ipv4(17, &udp(2152, &[&header, &f[14..]].concat()))])
    }),
    ("an access point's mirror", |f| {
        let header = [1, 0, 0, 1, 10, 1, 0x2E, 0, 1];
        frame(0x0800, &[&ipv4(17, &udp(37008, &[&header, f].concat()))])
    }),
    ("a service chain", |f| {
        frame(0x894F, &[&[0x0F, 0xC2, 2, 3, 0, 0, 1, 255], f])
    }),
    ("a trailer and an FCS", |f| {
        [f, &[0xAA; 12], &[1, 2, 3, 4]].concat()
    }),
];

#[test]
fn other_overlays_and_trailers() {
    let sent = exchanges(9);
    for (name, around) in OVERLAYS {
        let put = |packets: &[Packet]| {
            let records = packets.iter().map(|packet| around(&packet.encode().unwrap()));
            recorded(records.map(|bytes| (bytes.clone(), bytes.len())))
        };
        let told = format!(
            "{} packets of RC, requests of 1 direction: no rule is broken",
            sent.len()
        );
        let silent = put(&sent);
        let output = String::from_utf8_lossy(&silent.get_output().stdout).into_owned();
        assert!(output.starts_with(&told), "{name}: {output}");
        let mut wrong = sent.clone();
        let last = wrong.len() - 1;
        aeth(&mut wrong[last]).msn += 40;
        put(&wrong).code(1).stdout(contains("  CF135  "));
    }
}

/// The same addresses and queue pairs in two VLANs, and without a tag in a VXLAN.
#[test]
fn three_tenants_with_the_same_addresses() {
    let sent = exchanges(18);
    let tagged = |bytes: &[u8], tag: u8| [&bytes[..12], &[0x81, 0, 0, tag], &bytes[12..]].concat();
    let records = sent.iter().flat_map(|packet| {
        let bytes = packet.encode().unwrap();
        let mut other = packet.clone();
        other.bth.psn += 50_000;
        let other = other.encode().unwrap();
        let overlay = frame(0x0800, &[&ipv4(17, &vxlan(&bytes))]);
        [tagged(&bytes, 10), tagged(&other, 11), overlay]
    });
    recorded(records.map(|bytes| (bytes.clone(), bytes.len())))
        .code(0)
        .stdout(contains("requests of 3 directions: no rule is broken"));
}
