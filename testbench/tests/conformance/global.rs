//! A connection across subnets: every packet carries a GRH, and only the peer's is accepted.
use super::bench::{attributes, on_both, port, request, Bench, UNTOUCHED};
use hca_golden::event::DropReason;
use hca_golden::verbs::{GlobalRoute, PortConfig, QpAttributes, QpState, Status};
use hca_golden::wire::crc::{icrc, vcrc};
use hca_golden::wire::grh::Grh;
use hca_golden::wire::packet::{Packet, Route};

const ONLY: u8 = 0x04;
/// fe80::2:c903:0:1 and fe80::2:c903:0:2.
const PEER_GID: [u8; 16] = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xC9, 3, 0, 0, 0, 1];
const OWN_GID: [u8; 16] = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xC9, 3, 0, 0, 0, 2];

on_both!(behind super::with_gid();
    cf012_cf013_cf014_a_request_with_grh,
    cf132_an_ack_with_grh,
    cf032_what_routers_change,
    cf053_ipver_not_6,
    cf054_nxt_hdr_not_1b,
    pay_len_not_of_pkt_len,
    another_dgid,
    cf049_another_sgid,
    cf049_no_grh,
    cf034_a_wrong_icrc,
);

fn with_gid() -> PortConfig {
    PortConfig {
        gid: OWN_GID,
        ..port()
    }
}

fn global_attributes() -> QpAttributes {
    QpAttributes {
        global: Some(GlobalRoute {
            dgid: PEER_GID,
            flow_label: 0xABCDE,
            traffic_class: 0x5A,
            hop_limit: 0x3F,
        }),
        ..attributes(100)
    }
}

fn connect(y: &mut Bench) {
    y.create(&global_attributes());
    for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
        y.modify(state);
    }
    y.post_receive(1, 0, 64);
}

/// The peer's request of 33 bytes at the expected PSN.
fn from_the_peer(change: impl FnOnce(&mut Grh)) -> Packet {
    let mut packet = request(ONLY, 100, &[7; 33]);
    let Route::Local(lrh) = packet.route else {
        panic!("requests of the bench are local");
    };
    let mut grh = Grh {
        ipver: 6,
        nxt_hdr: 0x1B,
        hop_lmt: 0x3F,
        sgid: PEER_GID,
        dgid: OWN_GID,
        ..Grh::default()
    };
    change(&mut grh);
    packet.route = Route::Global(lrh, grh);
    packet
}

/// With both CRCs of what it is now.
fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() - 6);
    let crc = icrc(&bytes);
    bytes.extend(crc);
    let crc = vcrc(&bytes);
    bytes.extend(crc);
    bytes
}

fn leaves_no_trace(y: &mut Bench, reason: DropReason, bytes: Vec<u8>) {
    connect(y);
    y.receive(&[bytes]);
    assert_eq!(y.packets(), Vec::<Vec<u8>>::new());
    assert_eq!(y.drops(), [(reason, 1)]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.buffer(0, 64), [UNTOUCHED; 64]);
    y.receive(&[from_the_peer(|_| ()).encode().unwrap()]);
    assert_eq!(y.packets().len(), 1);
    assert_eq!(y.completions(), [(1, Status::Success, 33)]);
}

/// GRH of what Y sends: IPVer 6, TClass, FlowLabel, PayLen, NxtHdr, HopLmt, SGID, DGID.
fn own_grh(pay_len: u8) -> Vec<u8> {
    let mut grh = vec![0x65, 0xAA, 0xBC, 0xDE, 0, pay_len, 0x1B, 0x3F];
    grh.extend(OWN_GID);
    grh.extend(PEER_GID);
    grh
}

/// 33 bytes of payload and 3 of pad: 19 words after the GRH but the BTH's 3 and the ICRC.
fn cf012_cf013_cf014_a_request_with_grh(y: &mut Bench) {
    connect(y);
    y.post_send(9, 33);
    let packets = y.packets();
    let [packet] = &packets[..] else {
        panic!("one packet, not {}", packets.len());
    };
    assert_eq!(packet.len(), 8 + 40 + 12 + 36 + 4 + 2);
    assert_eq!(packet[..8], [0x00, 0x03, 0, 1, 0, 25, 0, 2]);
    assert_eq!(packet[8..48], own_grh(52));
    assert_eq!(packet[48..52], [0x04, 0x30, 0xFF, 0xFF]);
    y.receive(&[ack()]);
    assert_eq!(y.completions(), [(9, Status::Success, 0)]);
}

fn ack() -> Vec<u8> {
    let mut packet = from_the_peer(|_| ());
    packet.bth.opcode = 0x11;
    packet.bth.psn = 2000;
    packet.bth.a = false;
    packet.extensions = vec![hca_golden::wire::extension::Extension::Aeth(
        hca_golden::wire::aeth::Aeth {
            syndrome: 0x1F,
            msn: 1,
        },
    )];
    packet.payload.clear();
    packet.encode().unwrap()
}

fn cf132_an_ack_with_grh(y: &mut Bench) {
    connect(y);
    y.receive(&[from_the_peer(|_| ()).encode().unwrap()]);
    let packets = y.packets();
    let [ack] = &packets[..] else {
        panic!("one packet, not {}", packets.len());
    };
    assert_eq!(ack[..8], [0x00, 0x03, 0, 1, 0, 17, 0, 2]);
    assert_eq!(ack[8..48], own_grh(20));
    let bth_aeth = [0x11, 0, 0xFF, 0xFF, 0, 0, 0x0A, 0x12, 0, 0, 0, 100, 0x1F, 0, 0, 1];
    assert_eq!(ack[48..64], bth_aeth);
    assert_eq!(y.completions(), [(1, Status::Success, 33)]);
    assert_eq!(y.buffer(0, 33), [7; 33]);
}

fn cf032_what_routers_change(y: &mut Bench) {
    connect(y);
    let mut bytes = from_the_peer(|_| ()).encode().unwrap();
    bytes[0] = 0x50;
    bytes[8..12].copy_from_slice(&[0x6F, 0x12, 0x34, 0x56]);
    bytes[15] = 2;
    bytes[52] = 0x81;
    let end = bytes.len() - 2;
    let crc = vcrc(&bytes[..end]);
    bytes[end..].copy_from_slice(&crc);
    y.receive(&[bytes]);
    assert_eq!(y.packets().len(), 1);
    assert_eq!(y.drops(), []);
    assert_eq!(y.completions(), [(1, Status::Success, 33)]);
}

fn cf053_ipver_not_6(y: &mut Bench) {
    let mut bytes = from_the_peer(|_| ()).encode().unwrap();
    bytes[8] = 0x40;
    leaves_no_trace(y, DropReason::Grh, resealed(bytes));
}

fn cf054_nxt_hdr_not_1b(y: &mut Bench) {
    let mut bytes = from_the_peer(|_| ()).encode().unwrap();
    bytes[14] = 0x11;
    leaves_no_trace(y, DropReason::Grh, resealed(bytes));
}

/// `headers.md` section 3.
fn pay_len_not_of_pkt_len(y: &mut Bench) {
    let mut bytes = from_the_peer(|_| ()).encode().unwrap();
    bytes[13] += 4;
    leaves_no_trace(y, DropReason::Length, resealed(bytes));
}

/// `responder.md` section 1 step 3.
fn another_dgid(y: &mut Bench) {
    let bytes = from_the_peer(|grh| grh.dgid[15] ^= 4).encode().unwrap();
    leaves_no_trace(y, DropReason::Dgid, bytes);
}

fn cf049_another_sgid(y: &mut Bench) {
    let bytes = from_the_peer(|grh| grh.sgid[0] ^= 1).encode().unwrap();
    leaves_no_trace(y, DropReason::Source, bytes);
}

fn cf049_no_grh(y: &mut Bench) {
    let bytes = request(ONLY, 100, &[7; 33]).encode().unwrap();
    leaves_no_trace(y, DropReason::Source, bytes);
}

fn cf034_a_wrong_icrc(y: &mut Bench) {
    let mut bytes = from_the_peer(|_| ()).encode().unwrap();
    bytes[70] ^= 1;
    let end = bytes.len() - 2;
    let crc = vcrc(&bytes[..end]);
    bytes[end..].copy_from_slice(&crc);
    leaves_no_trace(y, DropReason::Icrc, bytes);
}
