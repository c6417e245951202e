//! SLtoVLMappingTable.
use super::{SmpData, SMP_DATA_BYTES};

/// The VL of each SL (`protocol/mad.md` section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlToVl {
    /// VL of each SL; 15 discards the packet.
    pub vls: [u8; 16],
}

impl SlToVl {
    /// Decodes the table: SL 0 stands in the high nibble of byte 0.
    pub fn decode(data: &SmpData) -> SlToVl {
        let mut vls = [0; 16];
        for (pair, byte) in vls.chunks_exact_mut(2).zip(data) {
            pair.copy_from_slice(&[byte >> 4, byte & 0xF]);
        }
        SlToVl { vls }
    }

    /// Returns the table in the first 8 bytes, followed by zeros.
    pub fn encode(&self) -> SmpData {
        let mut data = [0; SMP_DATA_BYTES];
        for (byte, pair) in data.iter_mut().zip(self.vls.chunks_exact(2)) {
            *byte = pair[0] << 4 | pair[1] & 0xF;
        }
        data
    }
}
