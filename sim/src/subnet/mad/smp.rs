//! Subnet management packets.
use super::super::record::Record;
use super::{class, Header, MadBytes, Method, Status, MAD_BYTES};
use deku::{DekuRead, DekuWrite};

/// A MAD of subnet management. If its route is not directed, the fields of the route and the paths are reserved
/// (`protocol/mad.md` section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, DekuRead, DekuWrite)]
#[deku(endian = "big")]
pub struct Smp {
    pub header: Header,
    pub m_key: u64,
    /// LID at which the directed part of the route begins; FFFFh if it begins at the requester.
    pub dr_slid: u16,
    /// LID at which the directed part of the route ends; FFFFh if it ends at the responder.
    pub dr_dlid: u16,
    pub reserved: [u8; 28],
    /// The data of the attribute.
    pub data: [u8; 64],
    /// Ports by which a request leaves each node; entry 0 is unused.
    pub initial_path: [u8; 64],
    /// Ports at which a request arrived at each node; entry 0 is unused.
    pub return_path: [u8; 64],
}

impl Record for Smp {
    const BYTES: usize = MAD_BYTES;
}

/// Bit D of the status.
const RETURNING: u16 = 1 << 15;

impl Smp {
    /// Decodes a MAD.
    pub fn of(mad: &MadBytes) -> Smp {
        Smp::decode(mad)
    }

    /// Returns true if its route is directed.
    pub fn is_directed(&self) -> bool {
        self.header.class == class::SUBNET_DIRECTED
    }

    /// Returns true if it is on its way back to the requester (bit D).
    pub fn is_returning(&self) -> bool {
        self.header.status & RETURNING != 0
    }

    /// Returns the response to this request, with the request's data.
    pub fn response(&self, status: Status) -> Smp {
        let mut response = *self;
        response.header.method = Method::GetResp as u8;
        response.header.status = status as u16;
        if self.is_directed() {
            response.header.status |= RETURNING;
        }
        response
    }
}
