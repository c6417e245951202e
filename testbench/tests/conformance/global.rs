//! A connection across subnets: every packet carries a GRH, and only the peer's is accepted.
use super::bench::peer::read;
use super::bench::requester::{all_rights, decoded};
use super::bench::{attributes, on_both, port, Bench, UNTOUCHED};
use super::by_bits::{sealed, with_vcrc};
use super::wire_bench::bytes;
use hca_golden::event::DropReason;
use hca_golden::port::PortConfig;
use hca_golden::verbs::{GlobalRoute, QpAttributes, QpState, Status};
use hca_golden::wire::grh::Grh;
use hca_golden::wire::packet::Route;

/// The peer's Send only of 33 bytes at the expected PSN.
const FROM_THE_PEER: &str = "0003000200190001
    6000000000341b3f fe800000000000000002c90300000001 fe800000000000000002c90300000002
    0430ffff00000b2380000064
    070707070707070707070707070707070707070707070707070707070707070707 000000 ded2f57c d5a7";
/// Its ack of a Send with PSN 2000.
const ACK: &str = "0003000200110001
    6000000000141b3f fe800000000000000002c90300000001 fe800000000000000002c90300000002
    1100ffff00000b23000007d0 1f000001 360cc7ed 80bf";
/// fe80::2:c903:0:1 and fe80::2:c903:0:2.
const PEER_GID: [u8; 16] = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xC9, 3, 0, 0, 0, 1];
const OWN_GID: [u8; 16] = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xC9, 3, 0, 0, 0, 2];

on_both!(behind super::with_gid();
    cf012_cf013_cf014_a_request_with_grh,
    cf132_an_ack_with_grh,
    cf132_a_read_response_with_grh,
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

/// The peer's request with one bit or more flipped in a byte, both CRCs right.
fn flipped(at: usize, bits: u8) -> Vec<u8> {
    let mut packet = bytes(FROM_THE_PEER);
    packet[at] ^= bits;
    packet.truncate(packet.len() - 6);
    sealed(packet)
}

/// With the VCRC of what it is now.
fn resealed(mut packet: Vec<u8>) -> Vec<u8> {
    packet.truncate(packet.len() - 2);
    with_vcrc(packet)
}

fn leaves_no_trace(y: &mut Bench, reason: DropReason, packet: Vec<u8>) {
    connect(y);
    y.receive(&[packet]);
    assert_eq!(y.packets(), Vec::<Vec<u8>>::new());
    assert_eq!(y.drops(), [(reason, 1)]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.buffer(0, 64), [UNTOUCHED; 64]);
    y.receive(&[bytes(FROM_THE_PEER)]);
    assert_eq!(y.packets().len(), 1);
    assert_eq!(y.completions(), [(1, Status::Success, 33)]);
}

/// 33 bytes of payload and 3 of pad: 19 words after the GRH but the BTH's 3 and the ICRC.
fn cf012_cf013_cf014_a_request_with_grh(y: &mut Bench) {
    connect(y);
    y.post_send(9, 33);
    let sent = "0003000100190002
        65aabcde00341b3f fe800000000000000002c90300000002 fe800000000000000002c90300000001
        0430ffff00000a12800007d0
        00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0 000000 df04b191 89c2";
    assert_eq!(y.packets(), [bytes(sent)]);
    y.receive(&[bytes(ACK)]);
    assert_eq!(y.completions(), [(9, Status::Success, 0)]);
}

fn cf132_an_ack_with_grh(y: &mut Bench) {
    connect(y);
    y.receive(&[bytes(FROM_THE_PEER)]);
    let ack = "0003000100110002
        65aabcde00141b3f fe800000000000000002c90300000002 fe800000000000000002c90300000001
        1100ffff00000a1200000064 1f000001 64c780cb 3370";
    assert_eq!(y.packets(), [bytes(ack)]);
    assert_eq!(y.completions(), [(1, Status::Success, 33)]);
    assert_eq!(y.buffer(0, 33), [7; 33]);
}

fn cf132_a_read_response_with_grh(y: &mut Bench) {
    y.create(&QpAttributes {
        access: all_rights().access,
        max_dest_rd_atomic: 4,
        ..global_attributes()
    });
    y.enter_rts();
    let mut request = read(100, 0, 0);
    let grh = Grh {
        ipver: 6,
        nxt_hdr: 0x1B,
        hop_lmt: 3,
        sgid: PEER_GID,
        dgid: OWN_GID,
        ..Grh::default()
    };
    request.route = Route::Global(*request.lrh().unwrap(), grh);
    y.receive(&[request.encode().unwrap()]);
    let packets = y.packets();
    assert_eq!(packets.len(), 1);
    let answer = decoded(&packets[0]);
    let reply = answer.grh().unwrap();
    assert_eq!((answer.bth.opcode, answer.lrh().unwrap().lnh), (0x10, 0b11));
    assert_eq!((reply.sgid, reply.dgid), (OWN_GID, PEER_GID));
    assert_eq!((reply.ipver, reply.nxt_hdr, reply.pay_len), (6, 0x1B, 20));
    assert_eq!(
        (reply.tclass, reply.flow_label, reply.hop_lmt),
        (0x5A, 0xABCDE, 0x3F)
    );
}

fn cf032_what_routers_change(y: &mut Bench) {
    connect(y);
    let mut packet = bytes(FROM_THE_PEER);
    packet[8..12].copy_from_slice(&[0x6F, 0x12, 0x34, 0x56]);
    packet[15] = 2;
    packet[52] = 0x81;
    y.receive(&[resealed(packet)]);
    assert_eq!(y.packets().len(), 1);
    assert_eq!(y.drops(), []);
    assert_eq!(y.completions(), [(1, Status::Success, 33)]);
}

/// IPVer 4.
fn cf053_ipver_not_6(y: &mut Bench) {
    leaves_no_trace(y, DropReason::Grh, flipped(8, 0x20));
}

/// UDP.
fn cf054_nxt_hdr_not_1b(y: &mut Bench) {
    leaves_no_trace(y, DropReason::Grh, flipped(14, 0x1B ^ 0x11));
}

/// `headers.md` section 3.
fn pay_len_not_of_pkt_len(y: &mut Bench) {
    leaves_no_trace(y, DropReason::Length, flipped(13, 0x0C));
}

/// `responder.md` section 1 step 3.
fn another_dgid(y: &mut Bench) {
    leaves_no_trace(y, DropReason::Dgid, flipped(47, 4));
}

fn cf049_another_sgid(y: &mut Bench) {
    leaves_no_trace(y, DropReason::Source, flipped(16, 1));
}

fn cf049_no_grh(y: &mut Bench) {
    let mut packet = bytes(FROM_THE_PEER);
    packet.drain(8..48);
    (packet[1], packet[5]) = (0x02, 15);
    packet.truncate(packet.len() - 6);
    leaves_no_trace(y, DropReason::Source, sealed(packet));
}

fn cf034_a_wrong_icrc(y: &mut Bench) {
    let mut packet = bytes(FROM_THE_PEER);
    packet[70] ^= 1;
    leaves_no_trace(y, DropReason::Icrc, resealed(packet));
}
