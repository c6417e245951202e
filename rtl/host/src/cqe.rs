//! Completion queue entries: 32 bytes each, in a ring in host memory, entry `i` at `base + 32 * (i mod size)`.
//! [`LAYOUT`] gives the layout.
use super::field::{code, field, Code, Field};
use super::layout::{member, Layout};

/// Size of an entry in bytes.
pub const BYTES: usize = 32;

/// Operation codes of a CQE of the receive queue; a CQE of the send queue has the code of its WQE
/// ([`wqe`](crate::wqe)).
pub const OP_RECEIVE: u8 = 128;
/// Operation code of a receive WQE that a Write with immediate has consumed.
pub const OP_RECEIVE_WRITE: u8 = 129;

/// The source of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// SLID of the packet.
    pub slid: u16,
    /// SL of the packet.
    pub sl: u8,
    /// QPN of the sender.
    pub source_qpn: u32,
    /// With RoCEv2 the source MAC address. On a native link the base LID of the receiving port, or-ed with the path
    /// bits, then zeros.
    pub sender: [u8; 6],
    /// Low bits of the DLID, which say by which of the port's LIDs the datagram came.
    pub path_bits: u8,
    /// Port by which the datagram came, from 1.
    pub port: u8,
    /// True if bytes 0 to 39 of the message hold the network header.
    pub grh: bool,
}

/// A decoded completion queue entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cqe {
    /// Index of the WQE, modulo 2^16.
    pub wqe_index: u16,
    /// Status, one of [`STATUSES`].
    pub status: u8,
    /// True if the WQE is a receive WQE.
    pub receive: bool,
    /// Operation that has completed.
    pub operation: u8,
    /// QPN of the queue pair.
    pub qpn: u32,
    /// Length of the message in bytes.
    pub byte_count: u32,
    /// Immediate data, if the message has any.
    pub immediate: Option<[u8; 4]>,
    /// Index of the P_Key that matched, if the packet came to QP1.
    pub p_key_index: Option<u16>,
    /// R_Key that the message has invalidated, if it has invalidated one.
    pub invalidated: Option<u32>,
    /// Source of a datagram; `None` for other services.
    pub datagram: Option<Datagram>,
    /// True if the entry was written. A ring of zeros has no valid entry, whatever the phase.
    pub written: bool,
    /// Phase bit, which changes each time the ring wraps.
    pub phase: bool,
}

impl Cqe {
    /// Decodes an entry.
    pub fn from_bytes(b: &[u8; BYTES]) -> Cqe {
        Cqe {
            wqe_index: u16::from_be_bytes([b[0], b[1]]),
            status: b[2],
            receive: b[3] & 1 != 0,
            operation: b[4],
            qpn: u32::from_be_bytes([0, b[5], b[6], b[7]]),
            byte_count: u32::from_be_bytes([b[8], b[9], b[10], b[11]]),
            immediate: (b[3] & 2 != 0).then(|| [b[12], b[13], b[14], b[15]]),
            p_key_index: (b[3] & 4 != 0).then(|| u16::from_be_bytes([b[16], b[17]])),
            invalidated: (b[3] & 8 != 0).then(|| u32::from_be_bytes([b[12], b[13], b[14], b[15]])),
            datagram: (b[3] & 32 != 0).then(|| Datagram {
                slid: u16::from_be_bytes([b[18], b[19]]),
                sl: b[20],
                source_qpn: u32::from_be_bytes([0, b[21], b[22], b[23]]),
                sender: [b[24], b[25], b[26], b[27], b[28], b[29]],
                path_bits: b[30] & 0x7F,
                port: (b[30] >> 7) + 1,
                grh: b[3] & 16 != 0,
            }),
            written: b[31] & 2 != 0,
            phase: b[31] & 1 != 0,
        }
    }
}

/// Statuses that the hardware reports, numbered as in `protocol/qp_cq.md` section 5.
pub const SUCCESS: u8 = 0;
pub const LOC_LEN_ERR: u8 = 1;
pub const LOC_QP_OP_ERR: u8 = 2;
pub const LOC_PROT_ERR: u8 = 4;
pub const WR_FLUSH_ERR: u8 = 5;
pub const BAD_RESP_ERR: u8 = 7;
pub const LOC_ACCESS_ERR: u8 = 8;
pub const REM_INV_REQ_ERR: u8 = 9;
pub const REM_ACCESS_ERR: u8 = 10;
pub const REM_OP_ERR: u8 = 11;
pub const RETRY_EXC_ERR: u8 = 12;
pub const RNR_RETRY_EXC_ERR: u8 = 13;

/// Statuses.
pub const STATUSES: &[Code] = &[
    code("SUCCESS", SUCCESS as u32, "success"),
    code(
        "LOC_LEN_ERR",
        LOC_LEN_ERR as u32,
        "a message longer than permitted, or than its receive WQE",
    ),
    code(
        "LOC_QP_OP_ERR",
        LOC_QP_OP_ERR as u32,
        "malformed WQE, or host memory failed",
    ),
    code(
        "LOC_PROT_ERR",
        LOC_PROT_ERR as u32,
        "an SGE that its L_Key does not permit",
    ),
    code(
        "WR_FLUSH_ERR",
        WR_FLUSH_ERR as u32,
        "outstanding when the QP entered Error",
    ),
    code(
        "BAD_RESP_ERR",
        BAD_RESP_ERR as u32,
        "a response of an unexpected kind",
    ),
    code(
        "LOC_ACCESS_ERR",
        LOC_ACCESS_ERR as u32,
        "arriving data that its key does not permit",
    ),
    code(
        "REM_INV_REQ_ERR",
        REM_INV_REQ_ERR as u32,
        "NAK 61h, invalid request",
    ),
    code(
        "REM_ACCESS_ERR",
        REM_ACCESS_ERR as u32,
        "NAK 62h, remote access error",
    ),
    code(
        "REM_OP_ERR",
        REM_OP_ERR as u32,
        "NAK 63h, remote operational error",
    ),
    code("RETRY_EXC_ERR", RETRY_EXC_ERR as u32, "no retry was left"),
    code(
        "RNR_RETRY_EXC_ERR",
        RNR_RETRY_EXC_ERR as u32,
        "no retry after RNR NAKs was left",
    ),
];

/// Operations of CQEs of the receive queue.
pub const RECEIVED: &[Code] = &[
    code("RECEIVE", OP_RECEIVE as u32, "a Send came"),
    code(
        "RECEIVE_WRITE",
        OP_RECEIVE_WRITE as u32,
        "a Write with immediate came",
    ),
];

/// Flags of a CQE.
pub const FLAGS: &[Field] = &[
    field("receive", 0, 0, "from the receive queue"),
    field("immediate", 1, 1, "immediate data valid"),
    field("p_key_index", 2, 2, "P_Key index valid"),
    field("invalidated", 3, 3, "invalidated R_Key valid"),
    field(
        "grh",
        4,
        4,
        "bytes 0 to 39 of the datagram hold its network header",
    ),
    field("datagram", 5, 5, "slid to path_bits valid"),
];

/// A CQE.
pub const LAYOUT: Layout = Layout {
    name: "CQE",
    bytes: BYTES,
    meaning: "entry i of a completion ring is at base + 32 * (i mod size)",
    members: &[
        member("wqe_index", 0, 2, "WQE that completed, modulo 2^16"),
        member("status", 2, 1, "status"),
        member("flags", 3, 1, "flags"),
        member("operation", 4, 1, "of the send WQE, or what came"),
        member("qpn", 5, 3, "QPN"),
        member("byte_count", 8, 4, "bytes of the message"),
        member(
            "immediate",
            12,
            4,
            "immediate data, or the R_Key that was invalidated",
        ),
        member(
            "p_key_index",
            16,
            2,
            "entry of PORT_P_KEY that the message matched; of QP1 only",
        ),
        member("slid", 18, 2, "SLID of a datagram"),
        member("sl", 20, 1, "SL of a datagram"),
        member("source_qpn", 21, 3, "QPN of its sender"),
        member(
            "sender",
            24,
            6,
            "RoCEv2: source MAC address; native: base LID of the receiving port or-ed with path_bits, then 0",
        ),
        member(
            "path_bits",
            30,
            1,
            "bits 6 to 0: low bits of its DLID; bit 7: it came by port 2",
        ),
        member(
            "phase",
            31,
            1,
            "bit 0: 1 on the first pass over the ring, then alternating; bit 1: always 1; written last",
        ),
    ],
};
