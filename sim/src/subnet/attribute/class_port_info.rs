//! ClassPortInfo.
use super::super::record::Record;
use deku::{DekuRead, DekuWrite};

/// The capabilities of an agent of a class (`protocol/mad.md` section 7). The fields of redirection and traps, which
/// follow, are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, DekuRead, DekuWrite)]
#[deku(endian = "big")]
pub struct ClassPortInfo {
    pub base_version: u8,
    pub class_version: u8,
    pub capability_mask: u16,
    /// 27 bits.
    #[deku(bits = 27)]
    pub capability_mask2: u32,
    /// The agent answers within 4.096 us * 2^n, where n is this value; 5 bits.
    #[deku(bits = 5)]
    pub response_time: u8,
}

impl Record for ClassPortInfo {
    const BYTES: usize = 8;
}
