//! MADs of performance management.
use super::super::record::Record;
use super::{Header, Method, Status, MAD_BYTES};
use deku::{DekuRead, DekuWrite};

/// Size of the attribute in bytes.
pub const DATA_BYTES: usize = 192;

/// A MAD of performance management (`protocol/mad.md` section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, DekuRead, DekuWrite)]
#[deku(endian = "big")]
pub struct PerformanceMad {
    pub header: Header,
    pub reserved: [u8; 40],
    /// The data of the attribute.
    pub data: [u8; DATA_BYTES],
}

impl Record for PerformanceMad {
    const BYTES: usize = MAD_BYTES;
}

impl PerformanceMad {
    /// Returns the response to this request, with the request's data.
    pub fn response(&self, status: Status) -> PerformanceMad {
        let mut response = *self;
        response.header.method = Method::GetResp as u8;
        response.header.status = status as u16;
        response
    }
}
