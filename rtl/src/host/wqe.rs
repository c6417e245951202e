//! Work queue entries: 64 bytes each, in rings in host memory. A ring's entry `i` is at `base + 64 * (i mod size)`.
//!
//! | bytes | send WQE | receive WQE |
//! |---|---|---|
//! | 0 | operation | 0 |
//! | 1 | flags | 0 |
//! | 2 | number of SGEs | number of SGEs |
//! | 4..8 | immediate data | 0 |
//! | 8..16 | remote VA | 0 |
//! | 16..20 | R_Key | 0 |
//! | 20..24 | message length in bytes | sum of the SGE lengths |
//! | 32..48 | SGE 0: address 8, length 4, L_Key 4 | the same |
//! | 48..64 | SGE 1 | SGE 1 |

/// Bytes of an entry.
pub const BYTES: usize = 64;
/// SGEs that the hardware takes today.
pub const MAX_SGES: usize = 1;

/// Operation codes of a send WQE.
pub const OP_SEND: u8 = 0;

/// Flag: write a CQE on success.
pub const FLAG_SIGNALED: u8 = 1;
/// Flag: set SE on the last packet.
pub const FLAG_SOLICITED: u8 = 2;

/// Scatter/gather element as it stands in an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    pub addr: u64,
    pub length: u32,
    pub l_key: u32,
}

/// A work queue entry, send or receive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wqe {
    pub operation: u8,
    pub flags: u8,
    pub immediate: [u8; 4],
    pub remote_va: u64,
    pub r_key: u32,
    pub length: u32,
    pub segments: Vec<Segment>,
}

impl Wqe {
    /// The entry's bytes.
    ///
    /// # Panics
    /// With more than two segments; the driver refuses those before.
    pub fn to_bytes(&self) -> [u8; BYTES] {
        assert!(self.segments.len() <= 2, "a WQE holds two SGEs");
        let mut b = [0; BYTES];
        b[0] = self.operation;
        b[1] = self.flags;
        b[2] = self.segments.len() as u8;
        b[4..8].copy_from_slice(&self.immediate);
        b[8..16].copy_from_slice(&self.remote_va.to_be_bytes());
        b[16..20].copy_from_slice(&self.r_key.to_be_bytes());
        b[20..24].copy_from_slice(&self.length.to_be_bytes());
        for (slot, s) in b[32..].chunks_exact_mut(16).zip(&self.segments) {
            slot[..8].copy_from_slice(&s.addr.to_be_bytes());
            slot[8..12].copy_from_slice(&s.length.to_be_bytes());
            slot[12..].copy_from_slice(&s.l_key.to_be_bytes());
        }
        b
    }
}
