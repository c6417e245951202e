//! VLArbitrationTable.
use super::{SmpData, SMP_DATA_BYTES};

/// An entry of an arbitration table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArbitrationEntry {
    /// Virtual lane, 0 to 14.
    pub vl: u8,
    /// Weight in units of 64 bytes; 0 skips the entry.
    pub weight: u8,
}

/// A block of an arbitration table: 32 entries (`protocol/mad.md` section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArbitrationBlock {
    pub entries: [ArbitrationEntry; ArbitrationBlock::ENTRIES],
}

impl ArbitrationBlock {
    /// Number of entries in a block.
    pub const ENTRIES: usize = 32;

    /// Decodes a block. Each entry is a byte with the VL in its low nibble, and a byte with the weight.
    pub fn decode(data: &SmpData) -> ArbitrationBlock {
        let mut block = ArbitrationBlock::default();
        for (entry, pair) in block.entries.iter_mut().zip(data.chunks_exact(2)) {
            *entry = ArbitrationEntry {
                vl: pair[0] & 0xF,
                weight: pair[1],
            };
        }
        block
    }

    /// Returns the block as the data of an SMP.
    pub fn encode(&self) -> SmpData {
        let mut data = [0; SMP_DATA_BYTES];
        for (pair, entry) in data.chunks_exact_mut(2).zip(&self.entries) {
            pair.copy_from_slice(&[entry.vl & 0xF, entry.weight]);
        }
        data
    }
}
