//! The header of every MAD.
use super::super::record::Record;
use super::Method;
use deku::ctx::Endian;
use deku::{DekuRead, DekuWrite};

/// Management classes (`protocol/mad.md` section 2).
pub mod class {
    /// Subnet management, routed by LID.
    pub const SUBNET: u8 = 0x01;
    /// Subnet administration.
    pub const ADMINISTRATION: u8 = 0x03;
    /// Performance management.
    pub const PERFORMANCE: u8 = 0x04;
    /// Subnet management by a directed route.
    pub const SUBNET_DIRECTED: u8 = 0x81;
}

/// The first 24 bytes of a MAD (`protocol/mad.md` section 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite)]
// The record is big-endian by itself as well as inside a MAD.
#[deku(endian = "endian", ctx = "endian: Endian", ctx_default = "Endian::Big")]
pub struct Header {
    pub base_version: u8,
    /// Management class, one of [`class`].
    pub class: u8,
    pub class_version: u8,
    /// Code of the method; bit 7 is set in a response. [`Method`] lists the codes.
    pub method: u8,
    /// Status. In an SMP with a directed route, bit 15 is D: the MAD is on its way back.
    pub status: u16,
    /// Hop pointer of a directed route; class-specific in other MADs.
    pub hop_pointer: u8,
    /// Hop count of a directed route; class-specific in other MADs.
    pub hop_count: u8,
    pub transaction: u64,
    pub attribute: u16,
    pub reserved: u16,
    pub modifier: u32,
}

impl Record for Header {
    const BYTES: usize = 24;
}

impl Header {
    /// Returns the method, if the agents know it.
    pub fn method(&self) -> Option<Method> {
        Method::of(self.method)
    }

    /// Returns true if the MAD is a response. Its transaction says which request it answers.
    pub fn is_response(&self) -> bool {
        self.method & 0x80 != 0
    }
}
