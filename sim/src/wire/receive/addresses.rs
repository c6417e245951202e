//! The addresses that a receive side uses.

/// The addresses and VLs of a port. A link ignores those that it does not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// Base LID. Its low `lmc` bits are zero.
    pub lid: u16,
    pub lmc: u8,
    pub gid: [u8; 16],
    pub mac: [u8; 6],
    /// Number of operational data VLs, from VL 0 on.
    pub data_vls: u8,
}
