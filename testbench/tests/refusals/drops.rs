//! Packets that leave no trace (`responder.md` section 1 steps 1 to 7): no response, no completion, memory untouched, and
//! the next packet works.
use super::bench::{on_both, packet, request, Bench, UNTOUCHED};
use hca_golden::verbs::{QpState, Status};
use hca_golden::wire::crc::vcrc;
use hca_golden::wire::packet::Packet;

const ONLY: u8 = 0x04;

on_both!(
    another_p_key,
    unknown_qps,
    another_slid,
    another_dlid,
    icrc_wrong,
    vcrc_wrong,
    lver_1,
    tver_1,
    truncated,
    longer_than_pkt_len,
    another_transport,
    a_raw_packet,
);

fn leaves_no_trace(y: &mut Bench, bytes: &[Vec<u8>]) {
    y.connect(100);
    y.post_receive(1, 0, 64);
    for bytes in bytes {
        y.receive(std::slice::from_ref(bytes));
        assert_eq!(y.answers(), []);
    }
    assert_eq!(y.completions(), []);
    assert_eq!(y.buffer(0, 64), [UNTOUCHED; 64]);
    y.receive(&[packet(ONLY, 100, &[7; 33])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 33)]);
    assert_eq!(y.buffer(0, 33), [7; 33]);
    assert_eq!(y.buffer(33, 31), [UNTOUCHED; 31]);
    assert_eq!(y.state(), QpState::Rts);
}

fn changed(change: impl FnOnce(&mut Packet)) -> Vec<u8> {
    let mut packet = request(ONLY, 100, &[1; 33]);
    change(&mut packet);
    packet.encode()
}

fn sound() -> Vec<u8> {
    packet(ONLY, 100, &[1; 33])
}

/// With the VCRC of what is left.
fn with_vcrc(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() - 2);
    let crc = vcrc(&bytes);
    bytes.extend(crc);
    bytes
}

fn another_p_key(y: &mut Bench) {
    let with = |p_key| changed(|p| p.bth.p_key = p_key);
    leaves_no_trace(y, &[with(0x8001), with(0x8000), with(0x0000), with(0xFFFE)]);
}

/// The last of them shares the low bits that index the QP.
fn unknown_qps(y: &mut Bench) {
    let to = |qpn| changed(|p| p.bth.dest_qp = qpn);
    leaves_no_trace(y, &[to(0x00_0B24), to(0), to(1), to(0xFF_FFFF), to(0x80_0B23)]);
}

fn another_slid(y: &mut Bench) {
    let from = |slid| changed(|p| p.lrh.slid = slid);
    leaves_no_trace(y, &[from(2), from(0), from(0x0101)]);
}

fn another_dlid(y: &mut Bench) {
    let to = |dlid| changed(|p| p.lrh.dlid = dlid);
    leaves_no_trace(y, &[to(1), to(3), to(0x0202), to(0xFFFF)]);
}

/// A payload bit, a header bit and a bit of the ICRC itself, the VCRC right.
fn icrc_wrong(y: &mut Bench) {
    let end = sound().len();
    let flipped = |at: usize| {
        let mut bytes = sound();
        bytes[at] ^= 0x10;
        with_vcrc(bytes)
    };
    leaves_no_trace(y, &[flipped(24), flipped(19), flipped(end - 3)]);
}

fn vcrc_wrong(y: &mut Bench) {
    let end = sound().len();
    let flipped = |at: usize| {
        let mut bytes = sound();
        bytes[at] ^= 0x01;
        bytes
    };
    leaves_no_trace(y, &[flipped(end - 1), flipped(end - 2), flipped(1), flipped(30)]);
}

fn lver_1(y: &mut Bench) {
    leaves_no_trace(y, &[changed(|p| p.lrh.lver = 1)]);
}

fn tver_1(y: &mut Bench) {
    leaves_no_trace(y, &[changed(|p| p.bth.tver = 1)]);
}

/// Cut as it is, and with the VCRC of what is left.
fn truncated(y: &mut Bench) {
    let cut = |by: usize| sound()[..sound().len() - by].to_vec();
    let packets = [cut(4), with_vcrc(cut(4)), cut(32), with_vcrc(cut(32)), cut(1)];
    leaves_no_trace(y, &packets);
}

fn longer_than_pkt_len(y: &mut Bench) {
    let mut bytes = sound();
    bytes.extend([0; 8]);
    leaves_no_trace(y, &[with_vcrc(bytes)]);
}

/// Opcodes of UC, RD and UD at an RC QP.
fn another_transport(y: &mut Bench) {
    leaves_no_trace(y, &[0x24, 0x44, 0x64].map(|opcode| packet(opcode, 100, &[1; 33])));
}

/// LNH 00: no transport header at all.
fn a_raw_packet(y: &mut Bench) {
    let mut bytes = sound();
    bytes[1] &= !3;
    leaves_no_trace(y, &[with_vcrc(bytes)]);
}
