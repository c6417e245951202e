//! UC and UD, each fault beside sound traffic of the same shape.
use super::*;
use hca_golden::wire::deth::Deth;
use hca_golden::wire::packet::Route;
use hca_golden::wire::reth::Reth;
use hca_golden::wire::roce::{Endpoint, Roce};

/// A packet of UC: its opcode, PSN and bytes.
fn unreliable(opcode: u8, psn: u32, bytes: usize) -> Packet {
    let mut packet = packets("rc_send.pcap").swap_remove(0);
    (packet.bth.opcode, packet.bth.psn, packet.bth.a, packet.bth.se) = (opcode, psn, false, false);
    packet.payload = vec![7; bytes];
    packet.extensions.clear();
    // Writes: first, only.
    if matches!(opcode, 0x26 | 0x2A) {
        let (va, r_key, dma_len) = (0, 1, 1024 + 1024 + 100);
        packet
            .extensions
            .push(Extension::Reth(Reth { va, r_key, dma_len }));
    }
    packet
}

/// A Send of three packets, and a Write of three.
pub(super) fn messages() -> Vec<Packet> {
    [
        (0x20, 5, 1024),
        (0x21, 6, 1024),
        (0x22, 7, 100),
        (0x26, 8, 1024),
        (0x27, 9, 1024),
        (0x28, 10, 100),
    ]
    .map(|(opcode, psn, bytes)| unreliable(opcode, psn, bytes))
    .to_vec()
}

#[test]
fn sound_messages_of_uc() {
    judged(&messages())
        .code(0)
        .stdout(contains("6 packets of UC: no rule is broken"));
    for begin in 0..6 {
        judged(&messages()[begin..]).code(0);
    }
}

/// What is lost, overtaken or comes twice on its way to the capture is no fault of the requester.
#[test]
fn psns_that_do_not_come() {
    for lost in 1..5 {
        let mut packets = messages();
        packets.remove(lost);
        judged(&packets)
            .code(0)
            .stdout(contains("; 1 PSN of UC that did not come"));
        let mut packets = messages();
        packets.swap(lost, lost + 1);
        judged(&packets).code(0);
        let mut packets = messages();
        packets.insert(lost, packets[lost].clone());
        judged(&packets).code(0);
    }
}

/// A message that breaks off at a fault of the sender's memory is followed by another with the next PSN.
#[test]
fn a_message_that_breaks_off() {
    let mut packets = messages();
    packets.remove(2);
    for packet in &mut packets[2..] {
        packet.bth.psn -= 1;
    }
    judged(&packets).code(0);
}

#[test]
fn a_packet_of_uc_that_asks_for_an_ack() {
    let mut packets = messages();
    packets[2].bth.a = true;
    packets[5].bth.a = true;
    finds(&packets, 3, "CF167");
    judged(&packets).stdout(contains(": 1 finding"));
}

#[test]
fn a_middle_of_uc_without_its_first() {
    let mut packets = messages();
    packets.remove(3);
    for packet in &mut packets[3..] {
        packet.bth.psn -= 1;
    }
    finds(&packets, 4, "CF298");
    let mut packets = messages();
    packets[1].bth.opcode = 0x27;
    finds(&packets, 2, "CF298");
}

#[test]
fn lengths_of_uc() {
    for (at, bytes) in [(1, 512), (2, 0), (2, 2048), (4, 0)] {
        let mut packets = messages();
        packets[at].payload.resize(bytes, 0);
        finds(&packets, at + 1, "CF288");
    }
    let mut packets = messages();
    packets[5].payload.resize(96, 0);
    finds(&packets, 6, "CF304");
}

#[test]
fn fields_of_uc() {
    let mut packets = messages();
    packets[0].bth.se = true;
    finds(&packets, 1, "CF160");
    let mut packets = messages();
    packets[5].bth.se = true;
    finds(&packets, 6, "CF161");
    let mut packets = messages();
    packets[2].bth.se = true;
    judged(&packets).code(0);
    let mut packets = messages();
    packets[3].bth.p_key = 0x8123;
    finds(&packets, 4, "CF050");
}

/// A datagram to this queue pair.
pub(super) fn datagram(dest_qp: u32, q_key: u32, bytes: usize) -> Packet {
    let mut packet = unreliable(0x64, 9, bytes);
    packet.bth.dest_qp = dest_qp;
    let (resv8, src_qp) = (0, 0x77);
    packet
        .extensions
        .push(Extension::Deth(Deth { q_key, resv8, src_qp }));
    packet
}

#[test]
fn sound_datagrams() {
    let packets = [
        datagram(0x40, 1, 0),
        datagram(0x40, 2, 4096),
        datagram(0x40, 2, 100),
    ];
    judged(&packets)
        .code(0)
        .stdout(contains("3 datagrams: no rule is broken"));
}

/// The packet, sent by this queue pair.
pub(super) fn sent_by(mut packet: Packet, by: u32) -> Packet {
    for extension in &mut packet.extensions {
        if let Extension::Deth(deth) = extension {
            deth.src_qp = by;
        }
    }
    packet
}

/// A datagram that QP1 sends with this Q_Key to another queue pair.
pub(super) fn from_qp1(q_key: u32) -> Packet {
    sent_by(datagram(0x40, q_key, 256), 1)
}

/// QP1 sends its fixed key in place of any with bit 31 set, and others as they are.
#[test]
fn q_keys_that_qp1_sends() {
    for q_key in [0, 5, 0x8001_0000] {
        judged(&[from_qp1(q_key)]).code(0);
    }
    for q_key in [0x8000_0000, 0x8001_0001, 0xFFFF_FFFF] {
        finds(&[from_qp1(q_key)], 1, "CF219");
    }
    // QP0's key is as the work request says, with bit 31 set, too.
    judged(&[sent_by(datagram(0, 0x8000_0003, 256), 0)]).code(0);
}

#[test]
fn a_datagram_that_asks_for_an_ack() {
    let mut packets = [datagram(0x40, 1, 8), datagram(0x40, 1, 8)];
    packets[1].bth.a = true;
    finds(&packets, 2, "CF167");
}

/// A message of the communication manager.
pub(super) fn mad(attribute: u16) -> Packet {
    let mut packet = datagram(1, 0x8001_0000, 256);
    packet.payload.fill(0);
    packet.payload[..4].copy_from_slice(&[1, 0x07, 2, 0x03]);
    packet.payload[16..18].copy_from_slice(&attribute.to_be_bytes());
    packet
}

#[test]
fn mads_are_named() {
    judged(&[mad(0x10), mad(0x13), mad(0x14), mad(0x10)])
        .code(0)
        .stdout(contains(
            "; MADs: 2 CM ConnectRequest, 1 CM ConnectReply, 1 CM ReadyToUse",
        ));
}

#[test]
fn datagrams_that_qp1_does_not_take() {
    let mut packet = mad(0x10);
    packet.payload.pop();
    finds(&[packet], 1, "CF424");
    let mut packet = mad(0x10);
    packet.extensions = datagram(1, 0x8001_0001, 0).extensions;
    finds(&[packet], 1, "CF228");
}

#[test]
fn a_group_that_is_none() {
    finds(&[datagram(0xFF_FFFF, 1, 8)], 1, "CF354");
    let mut packet = datagram(0xFF_FFFF, 1, 8);
    let port = |mac, ip: [u8; 4]| Endpoint {
        mac,
        gid: std::net::Ipv4Addr::from(ip).to_ipv6_mapped().octets(),
    };
    let group = port([0x01, 0x00, 0x5E, 1, 2, 3], [239, 1, 2, 3]);
    packet.route = Route::Roce(Roce::between(port([2; 6], [192, 0, 2, 1]), group, 0xC000));
    judged(&[packet]).code(0);
}

#[test]
fn opcodes_that_uc_and_ud_have_not() {
    for (opcode, row) in [(0x36, "CF003"), (0x66, "CF004")] {
        let bytes = datagram(0x40, 1, 8).encode().unwrap();
        let mut edited = bytes.clone();
        edited[42] = opcode;
        let end = edited.len() - 4;
        let icrc = hca_golden::wire::crc::icrc_roce_v2(&edited[14..end]);
        edited[end..].copy_from_slice(&icrc);
        let length = edited.len();
        recorded([(edited, length)])
            .code(1)
            .stdout(contains(format!("  {row}  ")));
    }
}
