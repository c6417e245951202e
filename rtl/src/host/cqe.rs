//! Completion queue entries: 32 bytes each, in a ring in host memory, entry `i` at `base + 32 * (i mod size)`.
//!
//! | bytes | content |
//! |---|---|
//! | 0..2 | WQE index (modulo 2^16) that completed |
//! | 2 | status, numbered as in `protocol/qp_cq.md` section 5 |
//! | 3 | bit 0: 1 = from the receive queue; bit 1: immediate data valid; bit 2: P_Key index valid; bit 3: invalidated R_Key valid |
//! | 4 | operation |
//! | 5..8 | QPN |
//! | 8..12 | byte count |
//! | 12..16 | immediate data, or the R_Key that was invalidated |
//! | 16..18 | entry of `PORT_P_KEY` that the message matched; of QP1 only |
//! | 18..31 | 0 |
//! | 31 | bit 0: phase, 1 on the first pass over the ring, then alternating; written last |

/// Bytes of an entry.
pub const BYTES: usize = 32;

/// Operation codes of a CQE of the receive queue; one of the send queue has that of its WQE (`host::wqe`).
pub const OP_RECEIVE: u8 = 128;
/// A receive WQE that Write with immediate has used.
pub const OP_RECEIVE_WRITE: u8 = 129;

/// A decoded completion queue entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cqe {
    pub wqe_index: u16,
    pub status: u8,
    pub receive: bool,
    pub operation: u8,
    pub qpn: u32,
    pub byte_count: u32,
    pub immediate: Option<[u8; 4]>,
    pub p_key_index: Option<u16>,
    /// R_Key that the message has taken out of use.
    pub invalidated: Option<u32>,
    pub phase: bool,
}

impl Cqe {
    /// Reads an entry.
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
            phase: b[31] & 1 != 0,
        }
    }
}

/// Statuses that the hardware gives, numbered as in `protocol/qp_cq.md` section 5.
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
