//! The addresses that a receive side knows.

/// Addresses and VLs of the port; the link ignores those that it does not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// Base LID, its low `lmc` bits zero.
    pub lid: u16,
    pub lmc: u8,
    /// Entry 0 of the GID table.
    pub gid: [u8; 16],
    /// GUIDs of entries 1 to 3 of the GID table, on a native link; 0: an empty entry.
    pub guids: [u64; 3],
    pub mac: [u8; 6],
    /// Data VLs that are operational, from VL 0 on.
    pub data_vls: u8,
}
