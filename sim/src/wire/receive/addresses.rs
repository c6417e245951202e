//! The addresses that a receive side uses.

/// The addresses and VLs of a port. A link ignores those that it does not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// Base LID. Its low `lmc` bits are zero.
    pub lid: u16,
    pub lmc: u8,
    /// Entry 0 of the GID table.
    pub gid: [u8; 16],
    /// GUIDs of entries 1 to 3 of the GID table, on a native link; 0: an empty entry.
    pub guids: [u64; 3],
    pub mac: [u8; 6],
    /// Active MTU, a code of `protocol/pmtu.csv`.
    pub mtu: u8,
    /// Number of operational data VLs, from VL 0 on.
    pub data_vls: u8,
}
