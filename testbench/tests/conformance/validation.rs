//! Packets that leave no trace (`responder.md` section 1 steps 1 to 7): no response, no completion, memory untouched, a
//! counter of the right reason, and the next packet works. CF048 has no case: the adapter has one port.
use super::bench::{attributes, on_both, Bench, QPN, UNTOUCHED};
use super::by_bits::{sealed, with_vcrc};
use super::opcodes;
use super::wire_bench::bytes;
use hca_golden::event::DropReason;
use hca_golden::verbs::{QpState, Status};

/// The peer's Send only of 33 bytes with PSN 100, from LID 1 to LID 2.
const SOUND: &str = "00020002000f0001 0430ffff00000b2380000064
    010101010101010101010101010101010101010101010101010101010101010101 000000 5c8d968c 2061";
// Where its fields stand.
const DLID: usize = 2;
const SLID: usize = 6;
const OPCODE: usize = 8;
const P_KEY: usize = 10;
const DEST_QP: usize = 13;
const PSN: usize = 17;
const PAYLOAD: usize = 20;

on_both!(
    cf034_a_wrong_icrc,
    cf035_a_wrong_vcrc,
    cf039_lver_1,
    cf040_tver_1,
    cf041_unknown_qps,
    cf042_another_transport,
    cf232_reliable_datagrams,
    cf043_reset,
    cf043_init,
    cf044_error,
    cf045_rtr_rts_and_sqd,
    cf046_another_dlid,
    cf354_cf355_half_the_address_of_a_group,
    cf049_another_slid,
    cf050_another_p_key,
    cf055_shorter_than_pkt_len,
    cf055_longer_than_pkt_len,
    cf055_no_whole_words,
    cf056_too_short_for_its_headers,
    cf056_too_short_for_its_pad,
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
    y.receive(&[changed(PAYLOAD, &[7; 33])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 33)]);
    assert_eq!(y.buffer(0, 33), [7; 33]);
    assert_eq!(y.buffer(33, 31), [UNTOUCHED; 31]);
    assert_eq!(y.state(), QpState::Rts);
}

fn sound() -> Vec<u8> {
    bytes(SOUND)
}

/// With other bytes from this one on, both CRCs right.
fn changed(at: usize, to: &[u8]) -> Vec<u8> {
    let mut packet = sound();
    packet[at..at + to.len()].copy_from_slice(to);
    packet.truncate(packet.len() - 6);
    sealed(packet)
}

/// The sound packet with each bit of a field of so many turned around, from the first.
fn each_bit_of(at: usize, bits: usize) -> Vec<Vec<u8>> {
    let turned = |bit: usize| {
        let byte = at + bit / 8;
        changed(byte, &[sound()[byte] ^ 0x80 >> (bit % 8)])
    };
    (0..bits).map(turned).collect()
}

/// With the VCRC of what is left.
fn resealed(mut packet: Vec<u8>) -> Vec<u8> {
    packet.truncate(packet.len() - 2);
    with_vcrc(packet)
}

/// A payload bit, a header bit and a bit of the ICRC itself, the VCRC right.
fn cf034_a_wrong_icrc(y: &mut Bench) {
    let end = sound().len();
    let flipped = |at: usize| {
        let mut bytes = sound();
        bytes[at] ^= 0x10;
        resealed(bytes)
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
    leaves_no_trace(y, DropReason::LinkVersion, &[changed(0, &[0x01])]);
}

fn cf040_tver_1(y: &mut Bench) {
    leaves_no_trace(y, DropReason::TransportVersion, &[changed(9, &[0x31])]);
}

/// The last of them shares the low bits that index the QP.
fn cf041_unknown_qps(y: &mut Bench) {
    let qpns = [[0, 0x0B, 0x24], [0, 0, 2], [0, 0, 1], [0x80, 0x0B, 0x23]];
    let packets = qpns.map(|qpn| changed(DEST_QP, &qpn));
    leaves_no_trace(y, DropReason::DestQp, &packets);
}

/// Opcodes of UC, RD and UD at an RC QP, of a congestion notification, and of a class that is not defined.
fn cf042_another_transport(y: &mut Bench) {
    let packets = [0x24, 0x44, 0x64, 0x80, 0xC4].map(|opcode| changed(OPCODE, &[opcode]));
    leaves_no_trace(y, DropReason::Opcode, &packets);
}

/// Of every kind: the adapter has no EE context, so none is for one of its own.
fn cf232_reliable_datagrams(y: &mut Bench) {
    let packets = opcodes::RD.iter().map(|(opcode, _, headers, payload, _)| {
        let mut packet = opcodes::packet(*opcode, headers, &bytes(payload));
        packet.bth.dest_qp = QPN;
        packet.bth.psn = 100;
        packet.encode().unwrap()
    });
    leaves_no_trace(y, DropReason::Opcode, &packets.collect::<Vec<_>>());
}

/// Both reasons are lawful: the QP exists and takes nothing, and a device that was never told more of it than Reset
/// need not know it.
fn cf043_reset(y: &mut Bench) {
    y.create(&attributes(100));
    y.receive(&[sound()]);
    assert_eq!(y.answers(), []);
    let drops = y.drops();
    assert!(
        drops == [(DropReason::QpState, 1)] || drops == [(DropReason::DestQp, 1)],
        "{drops:?}"
    );
    assert_eq!(y.completions(), []);
    assert_eq!(y.buffer(0, 64), [UNTOUCHED; 64]);
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
        let psn = 100 + n as u8;
        y.receive(&[changed(PSN, &[0, 0, psn])]);
        assert_eq!(y.answers(), [(psn.into(), 0x1F, n as u64 + 1)], "{state:?}");
        assert_eq!(y.completions(), [(n as u64, Status::Success, 33)]);
    }
    assert_eq!(y.drops(), []);
}

fn cf046_another_dlid(y: &mut Bench) {
    let mut packets = each_bit_of(DLID, 16);
    packets.push(changed(DLID, &[0xFF, 0xFF]));
    leaves_no_trace(y, DropReason::Dlid, &packets);
}

/// The QPN or the LID of a group, and not the other (`ud.md` section 3.1 steps 2 and 3).
fn cf354_cf355_half_the_address_of_a_group(y: &mut Bench) {
    let packets = [changed(DEST_QP, &[0xFF; 3]), changed(DLID, &[0xC0, 0x20])];
    leaves_no_trace(y, DropReason::MulticastAddress, &packets);
}

fn cf049_another_slid(y: &mut Bench) {
    let mut packets = each_bit_of(SLID, 16);
    packets.push(changed(SLID, &[0, 2]));
    leaves_no_trace(y, DropReason::Source, &packets);
}

fn cf050_another_p_key(y: &mut Bench) {
    // But for the membership, its first bit.
    let mut packets = each_bit_of(P_KEY, 16).split_off(1);
    let p_keys = [[0x80, 0x01], [0x80, 0x00], [0x00, 0x00]];
    packets.extend(p_keys.map(|p_key| changed(P_KEY, &p_key)));
    leaves_no_trace(y, DropReason::PKey, &packets);
}

fn cf055_shorter_than_pkt_len(y: &mut Bench) {
    let cut = |by: usize| resealed(sound()[..sound().len() - by].to_vec());
    leaves_no_trace(y, DropReason::Length, &[cut(4), cut(32)]);
}

fn cf055_longer_than_pkt_len(y: &mut Bench) {
    let mut bytes = sound();
    bytes.extend([0; 8]);
    leaves_no_trace(y, DropReason::Length, &[resealed(bytes)]);
}

fn cf055_no_whole_words(y: &mut Bench) {
    let cut = |by: usize| sound()[..sound().len() - by].to_vec();
    leaves_no_trace(y, DropReason::Length, &[cut(1), resealed(cut(2)), cut(3)]);
}

/// Acknowledge; Write only, with half a RETH too; Send only with immediate; CompareSwap with half an AtomicETH.
fn cf056_too_short_for_its_headers(y: &mut Bench) {
    let packets = [
        "0002000200060001 1100ffff00000b23000007d0 f686c8c8 0ac6",
        "0002000200060001 0a00ffff00000b2380000064 6d9856db f685",
        "0002000200090001 0a00ffff00000b2380000064 010203040506070811121314 f28f9663 e50b",
        "0002000200060001 0500ffff00000b2380000064 1c07c2a9 f55e",
        "00020002000a0001 1300ffff00000b2380000064 01020304050607081112131421222324 c07462b1 caa4",
    ];
    leaves_no_trace(y, DropReason::HeaderIncomplete, &packets.map(bytes));
}

/// PadCnt 3 without payload, and 1 behind the ImmDt.
fn cf056_too_short_for_its_pad(y: &mut Bench) {
    let packets = [
        "0002000200060001 0430ffff00000b2380000064 6f000d1a 0292",
        "0002000200070001 0510ffff00000b2380000064 deadbeef 6fec5aa6 c544",
    ];
    leaves_no_trace(y, DropReason::PadCount, &packets.map(bytes));
}

/// LNH 00: no transport header at all (`responder.md` section 1 step 3).
fn a_raw_packet(y: &mut Bench) {
    let mut bytes = sound();
    bytes[1] &= !3;
    leaves_no_trace(y, DropReason::NetworkHeader, &[resealed(bytes)]);
}

/// A port of four LIDs.
mod lmc {
    use super::super::bench::verbs::DONE;
    use super::super::bench::{attributes, on_both, Bench, UNTOUCHED};
    use hca_golden::event::DropReason;
    use hca_golden::port::PortConfig;
    use hca_golden::verbs::{QpAttributes, QpState, Status};
    use hca_testbench::device::Verb;
    use hca_testbench::trace::dissection::Dissection;

    on_both!(behind super::four_lids(); cf047_cf284_every_lid_of_the_port, cf046_cf284_the_lids_beside, cf264_the_lid_of_the_path, cf284_another_base_lid_and_lmc);

    fn four_lids() -> PortConfig {
        PortConfig {
            lid: 0x40,
            lmc: 2,
            ..PortConfig::default()
        }
    }

    fn to(dlid: u16, psn: u8) -> Vec<u8> {
        let [high, low] = dlid.to_be_bytes();
        let mut packet = super::changed(super::PSN, &[0, 0, psn]);
        packet[super::DLID..super::DLID + 2].copy_from_slice(&[high, low]);
        packet.truncate(packet.len() - 6);
        super::sealed(packet)
    }

    fn cf047_cf284_every_lid_of_the_port(y: &mut Bench) {
        y.connect(100);
        for n in 0..4 {
            y.post_receive(n.into(), 0, 64);
            y.receive(&[to(0x40 + n, 100 + n as u8)]);
            let answer = y.answers_from(0x40 + n);
            assert_eq!(answer, [(100 + u64::from(n), 0x1F, 1 + u64::from(n))]);
            assert_eq!(y.completions(), [(n.into(), Status::Success, 33)]);
        }
    }

    fn cf046_cf284_the_lids_beside(y: &mut Bench) {
        y.connect(100);
        y.post_receive(1, 0, 64);
        for dlid in [0x3F, 0x44, 0x140] {
            y.receive(&[to(dlid, 100)]);
            assert_eq!(y.drops(), [(DropReason::Dlid, 1)], "DLID {dlid:04X}h");
        }
        assert_eq!(y.buffer(0, 64), [UNTOUCHED; 64]);
        y.receive(&[to(0x40, 100)]);
        assert_eq!(y.answers_from(0x40), [(100, 0x1F, 1)]);
        assert_eq!(y.completions(), [(1, Status::Success, 33)]);
    }

    /// What software sets while the adapter runs.
    fn cf284_another_base_lid_and_lmc(y: &mut Bench) {
        y.connect(100);
        y.post_receive(1, 0, 64);
        assert_eq!(y.attempt(Verb::SetLid { lid: 0x80, lmc: 1 }), DONE);
        for dlid in [0x40, 0x43, 0x7F, 0x82] {
            y.receive(&[to(dlid, 100)]);
            assert_eq!(y.drops(), [(DropReason::Dlid, 1)], "DLID {dlid:04X}h");
        }
        y.receive(&[to(0x81, 100)]);
        assert_eq!(y.answers_from(0x81), [(100, 0x1F, 1)]);
        assert_eq!(y.completions(), [(1, Status::Success, 33)]);
    }

    /// Offset 0 and the last: what was asked for leaves from the QP's own LID, what answers from the one it came to.
    fn cf264_the_lid_of_the_path(y: &mut Bench) {
        let (first, last) = (attributes(100), attributes(100).qpn + 1);
        let to_last = QpAttributes {
            qpn: last,
            source_path_bits: 3,
            ..first.clone()
        };
        for (n, attributes) in [first, to_last].iter().enumerate() {
            match n {
                0 => y.create(attributes),
                _ => y.create_another(attributes),
            }
            for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
                y.modify(state);
            }
            y.post_send(1, 16);
            let sent = y.packets();
            let slids = sent.iter().map(|bytes| Dissection::of(bytes).value("LRH.SLID"));
            assert_eq!(slids.collect::<Vec<_>>(), [Some([0x40, 0x43][n])]);
        }
        y.turn_to(last - 1);
        y.post_receive(2, 0, 64);
        y.receive(&[to(0x42, 100)]);
        assert_eq!(y.answers_from(0x42), [(100, 0x1F, 1)]);
        assert_eq!(y.completions(), [(2, Status::Success, 33)]);
    }
}
