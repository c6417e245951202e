//! GUIDInfo.
use super::super::record::Record;
use deku::{DekuRead, DekuWrite};

/// A block of the GUID table of a port: eight GUIDs (`protocol/mad.md` section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite)]
#[deku(endian = "big")]
pub struct GuidInfo {
    pub guids: [u64; GuidInfo::ENTRIES],
}

impl GuidInfo {
    /// Number of GUIDs in a block.
    pub const ENTRIES: usize = 8;
}

impl Record for GuidInfo {
    const BYTES: usize = 64;
}
