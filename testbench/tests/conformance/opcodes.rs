//! Opcodes and the headers behind them: CF002 to CF004, CF017 to CF020 on a packet of each kind.
use super::by_bits::sealed;
use super::wire_bench::{bytes, on_both_wires, reads, stands_for, Wire, NATIVE};
use hca_golden::event::DropReason;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::atomic_ack_eth::AtomicAckEth;
use hca_golden::wire::atomic_eth::AtomicEth;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::deth::Deth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::ieth::Ieth;
use hca_golden::wire::immdt::ImmDt;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::rdeth::Rdeth;
use hca_golden::wire::reth::Reth;

on_both_wires!(
    cf002_cf017_rc_opcodes,
    cf003_uc_opcodes,
    rd_opcodes,
    cf004_ud_opcodes,
    cf003_cf004_other_opcodes,
    cf056_a_word_less_than_the_headers,
    cf073_reserved_rc_opcodes_have_a_bth_alone,
);

/// A header and its bytes.
type Literal = (Extension, &'static str);

pub const RDETH: Literal = (
    Extension::Rdeth(Rdeth {
        resv8: 0,
        ee_context: 0xA1_B2C3,
    }),
    "00a1b2c3",
);
pub const DETH: Literal = (
    Extension::Deth(Deth {
        q_key: 0x8001_0000,
        resv8: 0,
        src_qp: 0xD1_D2D3,
    }),
    "8001000000d1d2d3",
);
pub const RETH: Literal = (
    Extension::Reth(Reth {
        va: 0x0102_0304_0506_0708,
        r_key: 0x1112_1314,
        dma_len: 5120,
    }),
    "01020304050607081112131400001400",
);
pub const ATOMIC_ETH: Literal = (
    Extension::AtomicEth(AtomicEth {
        va: 0x0102_0304_0506_0708,
        r_key: 0x1112_1314,
        swap_dt_add_dt: 0x2122_2324_2526_2728,
        cmp_dt: 0x3132_3334_3536_3738,
    }),
    "01020304050607081112131421222324252627283132333435363738",
);
pub const AETH: Literal = (
    Extension::Aeth(Aeth {
        syndrome: 0x1F,
        msn: 7,
    }),
    "1f000007",
);
pub const ATOMIC_ACK_ETH: Literal = (
    Extension::AtomicAckEth(AtomicAckEth {
        orig_rem_dt: 0x4142_4344_4546_4748,
    }),
    "4142434445464748",
);
pub const IMM_DT: Literal = (
    Extension::ImmDt(ImmDt {
        imm_data: [0xDE, 0xAD, 0xBE, 0xEF],
    }),
    "deadbeef",
);
const IETH: Literal = (Extension::Ieth(Ieth { r_key: 0x1112_1314 }), "11121314");

const DATA: &str = "a1a2a3a4";
const NONE: &str = "";

/// Opcode, PktLen, headers behind the BTH, payload, both CRCs.
pub type Row = (u8, u8, &'static [Literal], &'static str, &'static str);

#[rustfmt::skip]
const RC: [Row; 23] = [
    (0x00, 0x07, &[], DATA, "ad8d052fcb74"),
    (0x01, 0x07, &[], DATA, "3c1c6d81ec44"),
    (0x02, 0x07, &[], DATA, "cea8a5a830db"),
    (0x03, 0x08, &[IMM_DT], DATA, "343d4e105a8f"),
    (0x04, 0x07, &[], DATA, "2ac134fb9944"),
    (0x05, 0x08, &[IMM_DT], DATA, "e1a06d94b04a"),
    (0x06, 0x0B, &[RETH], DATA, "b9ab1f7594f8"),
    (0x07, 0x07, &[], DATA, "d875fcd245db"),
    (0x08, 0x07, &[], DATA, "e212165cdadb"),
    (0x09, 0x08, &[IMM_DT], DATA, "0a9d5b47c0ae"),
    (0x0A, 0x0B, &[RETH], DATA, "c78581e712c5"),
    (0x0B, 0x0C, &[RETH, IMM_DT], DATA, "ef1a81fe4985"),
    (0x0C, 0x0A, &[RETH], NONE, "8013ea543034"),
    (0x0D, 0x08, &[AETH], DATA, "4f7da2a10f90"),
    (0x0E, 0x07, &[], DATA, "067b870f7344"),
    (0x0F, 0x08, &[AETH], DATA, "c30b6c6b3a96"),
    (0x10, 0x08, &[AETH], DATA, "c7d035f78627"),
    (0x11, 0x07, &[AETH], NONE, "7d8fee8a352e"),
    (0x12, 0x09, &[AETH, ATOMIC_ACK_ETH], NONE, "e2580ad009bd"),
    (0x13, 0x0D, &[ATOMIC_ETH], NONE, "2d4fc2f80a23"),
    (0x14, 0x0D, &[ATOMIC_ETH], NONE, "7abcff02b16c"),
    (0x16, 0x08, &[IETH], DATA, "a04fdf34660e"),
    (0x17, 0x08, &[IETH], DATA, "e674b85174dd"),
];

#[rustfmt::skip]
const UC: [Row; 12] = [
    (0x20, 0x07, &[], DATA, "d0f63a3809e7"),
    (0x21, 0x07, &[], DATA, "416752962ed7"),
    (0x22, 0x07, &[], DATA, "b3d39abff248"),
    (0x23, 0x08, &[IMM_DT], DATA, "3f6db20a28e1"),
    (0x24, 0x07, &[], DATA, "57ba0bec5bd7"),
    (0x25, 0x08, &[IMM_DT], DATA, "eaf0918ec224"),
    (0x26, 0x0B, &[RETH], DATA, "6b76ad4fff63"),
    (0x27, 0x07, &[], DATA, "a50ec3c58748"),
    (0x28, 0x07, &[], DATA, "9f69294b1848"),
    (0x29, 0x08, &[IMM_DT], DATA, "01cda75db2c0"),
    (0x2A, 0x0B, &[RETH], DATA, "155833dd795e"),
    (0x2B, 0x0C, &[RETH, IMM_DT], DATA, "16d872e75bc6"),
];

#[rustfmt::skip]
pub const RD: [Row; 22] = [
    (0x40, 0x0A, &[RDETH, DETH], DATA, "ded4ae8f68d5"),
    (0x41, 0x0A, &[RDETH, DETH], DATA, "c3291b8ed9c1"),
    (0x42, 0x0A, &[RDETH, DETH], DATA, "e42ec58c0afc"),
    (0x43, 0x0B, &[RDETH, DETH, IMM_DT], DATA, "8668a44e985e"),
    (0x44, 0x0A, &[RDETH, DETH], DATA, "aa207989ac87"),
    (0x45, 0x0B, &[RDETH, DETH, IMM_DT], DATA, "b97feb075b40"),
    (0x46, 0x0E, &[RDETH, DETH, RETH], DATA, "3bc294e082be"),
    (0x47, 0x0A, &[RDETH, DETH], DATA, "8d27a78b7fba"),
    (0x48, 0x0A, &[RDETH, DETH], DATA, "363c0182e070"),
    (0x49, 0x0B, &[RDETH, DETH, IMM_DT], DATA, "c7517595dd7d"),
    (0x4A, 0x0E, &[RDETH, DETH, RETH], DATA, "e2e604c28fff"),
    (0x4B, 0x0F, &[RDETH, DETH, RETH, IMM_DT], DATA, "17773d7e6f6f"),
    (0x4C, 0x0D, &[RDETH, DETH, RETH], NONE, "eec5165c6e8f"),
    (0x4D, 0x09, &[RDETH, AETH], DATA, "b121002aa06a"),
    (0x4E, 0x08, &[RDETH], DATA, "ab972334ee49"),
    (0x4F, 0x09, &[RDETH, AETH], DATA, "beed3bf300e2"),
    (0x50, 0x09, &[RDETH, AETH], DATA, "4a99456f3a8e"),
    (0x51, 0x08, &[RDETH, AETH], NONE, "70e1de45b86c"),
    (0x52, 0x0A, &[RDETH, AETH, ATOMIC_ACK_ETH], NONE, "ccf66dc61a12"),
    (0x53, 0x10, &[RDETH, DETH, ATOMIC_ETH], NONE, "75b0612d1aa1"),
    (0x54, 0x10, &[RDETH, DETH, ATOMIC_ETH], NONE, "174276eb1977"),
    (0x55, 0x09, &[RDETH, DETH], NONE, "8a17b43e8151"),
];

const UD: [Row; 2] = [
    (0x64, 0x09, &[DETH], DATA, "b878a196472d"),
    (0x65, 0x0A, &[DETH, IMM_DT], DATA, "4b0b6477f141"),
];

/// From LID 1 to LID 2 with SL 3, P_Key FFFFh, QP 12h, PSN 64h.
pub fn packet(opcode: u8, headers: &[Literal], payload: &[u8]) -> Packet {
    Packet {
        route: Route::Local(Lrh {
            sl: 3,
            dlid: 2,
            slid: 1,
            ..Lrh::default()
        }),
        bth: Bth {
            opcode,
            p_key: 0xFFFF,
            dest_qp: 0x12,
            psn: 0x64,
            ..Bth::default()
        },
        extensions: headers.iter().map(|(header, _)| *header).collect(),
        payload: payload.to_vec(),
    }
}

fn each(wire: &dyn Wire, rows: &[Row]) {
    for (opcode, words, headers, payload, crcs) in rows {
        let headers_bytes: String = headers.iter().map(|(_, bytes)| *bytes).collect();
        let lrh_bth = format!("0032000200{words:02x}0001 {opcode:02x}00ffff0000001200000064");
        let frame = format!("{lrh_bth} {headers_bytes} {payload} {crcs}");
        let packet = packet(*opcode, headers, &bytes(payload));
        stands_for(wire, &NATIVE, &packet, &frame);
    }
}

/// CF017 (AETH), CF018 (RETH), CF019 (AtomicETH) and CF020 (ImmDt) among them.
fn cf002_cf017_rc_opcodes(wire: &dyn Wire) {
    each(wire, &RC);
}

fn cf003_uc_opcodes(wire: &dyn Wire) {
    each(wire, &UC);
    for ((uc, _, uc_headers, ..), (rc, _, rc_headers, ..)) in UC.iter().zip(&RC) {
        assert_eq!((*uc, uc_headers), (rc + 0x20, rc_headers));
    }
}

fn rd_opcodes(wire: &dyn Wire) {
    each(wire, &RD);
}

fn cf004_ud_opcodes(wire: &dyn Wire) {
    each(wire, &UD);
}

/// 52 bytes behind the BTH, as many as the longest headers have.
fn of(opcode: u8) -> Vec<u8> {
    let mut frame = bytes("0032000200130001 0000ffff0000001200000064");
    frame[8] = opcode;
    frame.resize(frame.len() + 52, 0);
    sealed(frame)
}

fn cf003_cf004_other_opcodes(wire: &dyn Wire) {
    let others = (0x2C..=0x3F).chain(0x56..=0x63).chain(0x66..=0xFF);
    let frames: Vec<_> = others.map(of).collect();
    assert_eq!(frames.len(), 256 - 32 - UC.len() - RD.len() - UD.len());
    let dropped = vec![Err(DropReason::Opcode); frames.len()];
    assert_eq!(wire.read(&NATIVE, &frames), dropped);
}

/// Then with PadCnt 3, which is not looked at before.
fn cf056_a_word_less_than_the_headers(wire: &dyn Wire) {
    let rows = [&RC[..], &UC, &RD, &UD].concat();
    let mut frames = Vec::new();
    for (opcode, _, headers, ..) in rows {
        let headers: String = headers.iter().map(|(_, bytes)| *bytes).collect();
        let Some(short) = bytes(&headers).len().checked_sub(4) else {
            continue;
        };
        for start in [[opcode, 0], [opcode, 0x30]] {
            let mut frame = bytes("0032000200000001 0000ffff0000001200000064");
            frame[8..10].copy_from_slice(&start);
            frame.extend(&bytes(&headers)[..short]);
            frame[5] = (frame.len() / 4 + 1) as u8;
            frames.push(sealed(frame));
        }
    }
    // Of RC 16 opcodes have headers, of UC 6, of the others all.
    assert_eq!(frames.len(), 2 * (16 + 6 + RD.len() + UD.len()));
    let dropped = vec![Err(DropReason::HeaderIncomplete); frames.len()];
    assert_eq!(wire.read(&NATIVE, &frames), dropped);
}

/// Their responder answers them.
fn cf073_reserved_rc_opcodes_have_a_bth_alone(wire: &dyn Wire) {
    for (opcode, crcs) in [
        (0x15, "256e7bb38d8a"),
        (0x18, "7c2c31bae925"),
        (0x19, "edbd5914ce15"),
        (0x1A, "1f09913d128a"),
        (0x1B, "8e98f99335ba"),
        (0x1C, "fb60006ebb15"),
        (0x1D, "6af168c09c25"),
        (0x1E, "9845a0e940ba"),
        (0x1F, "09d4c847678a"),
    ] {
        let frame = format!("0032000200070001 {opcode:02x}00ffff0000001200000064 {DATA} {crcs}");
        reads(wire, &NATIVE, &frame, &packet(opcode, &[], &bytes(DATA)));
    }
}
