//! Notice.
use super::super::record::Record;
use deku::{DekuRead, DekuWrite};

/// What a Trap reports (`protocol/mad.md` section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, DekuRead, DekuWrite)]
#[deku(endian = "big")]
pub struct Notice {
    /// Type of the notice in the low 7 bits; bit 7 is set for a generic notice.
    pub notice_type: u8,
    /// Type of the producer, 24 bits; 1 is a channel adapter.
    #[deku(bits = 24)]
    pub producer: u32,
    pub number: u16,
    pub issuer_lid: u16,
    pub toggle_and_count: u16,
    pub details: [u8; 54],
}

impl Record for Notice {
    const BYTES: usize = 64;
}
