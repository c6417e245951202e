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
// It is big-endian by itself as well as inside a MAD.
#[deku(endian = "endian", ctx = "endian: Endian", ctx_default = "Endian::Big")]
pub struct Header {
    pub base_version: u8,
    /// One of [`class`].
    pub class: u8,
    pub class_version: u8,
    /// Bit 7 is set in a response; [`Method`] names the others.
    pub method: u8,
    /// In an SMP with a directed route bit 15 is D: the MAD is on its way back.
    pub status: u16,
    /// Class-specific where the route is not directed.
    pub hop_pointer: u8,
    /// Class-specific where the route is not directed.
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
    /// The method, if the agents know it.
    pub fn method(&self) -> Option<Method> {
        Method::of(self.method)
    }

    /// Whether the MAD is a response, to be matched with its request by the transaction.
    pub fn is_response(&self) -> bool {
        self.method & 0x80 != 0
    }
}
