//! Packets that leave no trace (`responder.md` section 1 steps 1 to 7): no response, no completion, memory untouched, a
//! counter of the right reason, and the next packet works. CF048 has no case: the adapter has one port.
use super::bench::{attributes, on_both, packet, request, Bench, UNTOUCHED};
use hca_golden::event::DropReason;
use hca_golden::verbs::{QpState, Status};
use hca_golden::wire::crc::vcrc;
use hca_golden::wire::packet::Packet;

const ONLY: u8 = 0x04;

on_both!(
    cf034_a_wrong_icrc,
    cf035_a_wrong_vcrc,
    cf039_lver_1,
    cf040_tver_1,
    cf041_unknown_qps,
    cf042_another_transport,
    cf043_reset,
    cf043_init,
    cf044_error,
    cf045_rtr_rts_and_sqd,
    cf046_another_dlid,
    cf049_another_slid,
    cf050_another_p_key,
    cf055_shorter_than_pkt_len,
    cf055_longer_than_pkt_len,
    cf055_no_whole_words,
    a_raw_packet,
);

fn leaves_no_trace(y: &mut Bench, reason: DropReason, bytes: &[Vec<u8>]) {
    y.connect(100);
    y.post_receive(1, 0, 64);
    for bytes in bytes {
        y.receive(std::slice::from_ref(bytes));
        assert_eq!(y.answers(), []);
        assert_eq!(y.drops(), [(reason, 1)]);
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
    packet.encode().unwrap()
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

/// A payload bit, a header bit and a bit of the ICRC itself, the VCRC right.
fn cf034_a_wrong_icrc(y: &mut Bench) {
    let end = sound().len();
    let flipped = |at: usize| {
        let mut bytes = sound();
        bytes[at] ^= 0x10;
        with_vcrc(bytes)
    };
    leaves_no_trace(y, DropReason::Icrc, &[flipped(24), flipped(19), flipped(end - 3)]);
}

fn cf035_a_wrong_vcrc(y: &mut Bench) {
    let end = sound().len();
    let flipped = |at: usize| {
        let mut bytes = sound();
        bytes[at] ^= 0x01;
        bytes
    };
    let packets = [flipped(end - 1), flipped(end - 2), flipped(1), flipped(30)];
    leaves_no_trace(y, DropReason::Vcrc, &packets);
}

fn cf039_lver_1(y: &mut Bench) {
    leaves_no_trace(
        y,
        DropReason::LinkVersion,
        &[changed(|p| p.lrh_mut().unwrap().lver = 1)],
    );
}

fn cf040_tver_1(y: &mut Bench) {
    leaves_no_trace(y, DropReason::TransportVersion, &[changed(|p| p.bth.tver = 1)]);
}

/// The last of them shares the low bits that index the QP.
fn cf041_unknown_qps(y: &mut Bench) {
    let to = |qpn| changed(|p| p.bth.dest_qp = qpn);
    let packets = [to(0x00_0B24), to(0), to(1), to(0xFF_FFFF), to(0x80_0B23)];
    leaves_no_trace(y, DropReason::DestQp, &packets);
}

/// Opcodes of UC, RD and UD at an RC QP.
fn cf042_another_transport(y: &mut Bench) {
    let packets = [0x24, 0x44, 0x64].map(|opcode| packet(opcode, 100, &[1; 33]));
    leaves_no_trace(y, DropReason::Opcode, &packets);
}

/// A device that was never told more of the QP than Reset need not know it.
fn cf043_reset(y: &mut Bench) {
    y.create(&attributes(100));
    y.receive(&[sound()]);
    assert_eq!(y.answers(), []);
    let drops = y.drops();
    assert!(
        drops == [(DropReason::QpState, 1)] || drops == [(DropReason::DestQp, 1)],
        "{drops:?}"
    );
}

fn cf043_init(y: &mut Bench) {
    y.create(&attributes(100));
    y.modify(QpState::Init);
    y.post_receive(1, 0, 64);
    y.receive(&[sound()]);
    assert_eq!(y.answers(), []);
    assert_eq!(y.drops(), [(DropReason::QpState, 1)]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.buffer(0, 64), [UNTOUCHED; 64]);
}

fn cf044_error(y: &mut Bench) {
    y.connect(100);
    y.modify(QpState::Error);
    y.receive(&[sound()]);
    assert_eq!(y.answers(), []);
    assert_eq!(y.drops(), [(DropReason::QpState, 1)]);
    assert_eq!(y.buffer(0, 64), [UNTOUCHED; 64]);
}

fn cf045_rtr_rts_and_sqd(y: &mut Bench) {
    y.create(&attributes(100));
    y.modify(QpState::Init);
    for (n, state) in [QpState::Rtr, QpState::Rts, QpState::Sqd].into_iter().enumerate() {
        y.modify(state);
        y.post_receive(n as u64, 0, 64);
        let psn = 100 + n as u32;
        y.receive(&[packet(ONLY, psn, &[n as u8; 5])]);
        assert_eq!(y.answers(), [(psn.into(), 0x1F, n as u64 + 1)], "{state:?}");
        assert_eq!(y.completions(), [(n as u64, Status::Success, 5)]);
    }
    assert_eq!(y.drops(), []);
}

fn cf046_another_dlid(y: &mut Bench) {
    let to = |dlid| changed(|p| p.lrh_mut().unwrap().dlid = dlid);
    leaves_no_trace(y, DropReason::Dlid, &[to(1), to(3), to(0x0202), to(0xFFFF)]);
}

fn cf049_another_slid(y: &mut Bench) {
    let from = |slid| changed(|p| p.lrh_mut().unwrap().slid = slid);
    leaves_no_trace(y, DropReason::Source, &[from(2), from(0), from(0x0101)]);
}

fn cf050_another_p_key(y: &mut Bench) {
    let with = |p_key| changed(|p| p.bth.p_key = p_key);
    let packets = [with(0x8001), with(0x8000), with(0x0000), with(0xFFFE)];
    leaves_no_trace(y, DropReason::PKey, &packets);
}

fn cf055_shorter_than_pkt_len(y: &mut Bench) {
    let cut = |by: usize| with_vcrc(sound()[..sound().len() - by].to_vec());
    leaves_no_trace(y, DropReason::Length, &[cut(4), cut(32)]);
}

fn cf055_longer_than_pkt_len(y: &mut Bench) {
    let mut bytes = sound();
    bytes.extend([0; 8]);
    leaves_no_trace(y, DropReason::Length, &[with_vcrc(bytes)]);
}

fn cf055_no_whole_words(y: &mut Bench) {
    let cut = |by: usize| sound()[..sound().len() - by].to_vec();
    leaves_no_trace(y, DropReason::Length, &[cut(1), with_vcrc(cut(2)), cut(3)]);
}

/// LNH 00: no transport header at all (`responder.md` section 1 step 3).
fn a_raw_packet(y: &mut Bench) {
    let mut bytes = sound();
    bytes[1] &= !3;
    leaves_no_trace(y, DropReason::NetworkHeader, &[with_vcrc(bytes)]);
}

/// A port of four LIDs.
mod lmc {
    use super::super::bench::{on_both, request, Bench, UNTOUCHED};
    use hca_golden::event::DropReason;
    use hca_golden::verbs::{PortConfig, Status};

    on_both!(behind super::four_lids(); cf047_every_lid_of_the_port, cf046_the_lids_beside);

    fn four_lids() -> PortConfig {
        PortConfig {
            lid: 0x40,
            lmc: 2,
            ..PortConfig::default()
        }
    }

    fn to(dlid: u16, psn: u32) -> Vec<u8> {
        let mut packet = request(super::ONLY, psn, &[3; 9]);
        packet.lrh_mut().unwrap().dlid = dlid;
        packet.encode().unwrap()
    }

    fn cf047_every_lid_of_the_port(y: &mut Bench) {
        y.connect(100);
        for n in 0..4 {
            y.post_receive(n.into(), 0, 64);
            y.receive(&[to(0x40 + n, 100 + u32::from(n))]);
            let answer = y.answers_from(0x40 + n);
            assert_eq!(answer, [(100 + u64::from(n), 0x1F, 1 + u64::from(n))]);
            assert_eq!(y.completions(), [(n.into(), Status::Success, 9)]);
        }
    }

    fn cf046_the_lids_beside(y: &mut Bench) {
        y.connect(100);
        y.post_receive(1, 0, 64);
        for dlid in [0x3F, 0x44, 0x140] {
            y.receive(&[to(dlid, 100)]);
            assert_eq!(y.drops(), [(DropReason::Dlid, 1)], "DLID {dlid:04X}h");
        }
        assert_eq!(y.buffer(0, 64), [UNTOUCHED; 64]);
        y.receive(&[to(0x40, 100)]);
        assert_eq!(y.answers_from(0x40), [(100, 0x1F, 1)]);
        assert_eq!(y.completions(), [(1, Status::Success, 9)]);
    }
}
