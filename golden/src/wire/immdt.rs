//! Immediate data: four bytes that nobody in between interprets (CF020).

/// ImmDt, 4 bytes, as they stand on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImmDt(pub [u8; 4]);

impl ImmDt {
    /// Bytes on the wire.
    pub const BYTES: usize = 4;

    /// Reads the header.
    pub fn parse(bytes: &[u8; Self::BYTES]) -> ImmDt {
        ImmDt(*bytes)
    }

    /// Writes the header.
    pub fn emit(&self) -> [u8; Self::BYTES] {
        self.0
    }
}
