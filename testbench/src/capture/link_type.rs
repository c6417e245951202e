//! The beginnings of records.

/// The header with which a file's records begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkType {
    /// An Ethernet header (link type 1).
    Ethernet,
    /// An ERF header (link type 197).
    Erf,
    /// An LRH (link type 247).
    InfiniBand,
    /// Linux's header of 16 bytes in place of Ethernet's (link type 113), or of 20 bytes (276): the number of bytes,
    /// and the place of its EtherType.
    Cooked(usize, usize),
    /// An IP header (link types 12, 14, 101, 228 and 229).
    Ip,
    Unknown(u32),
}

impl LinkType {
    /// Returns the link type for the number in a pcap or of an interface.
    pub(super) fn of(number: u32) -> LinkType {
        match number {
            1 => LinkType::Ethernet,
            12 | 14 | 101 | 228 | 229 => LinkType::Ip,
            113 => LinkType::Cooked(16, 14),
            197 => LinkType::Erf,
            247 => LinkType::InfiniBand,
            276 => LinkType::Cooked(20, 0),
            _ => LinkType::Unknown(number),
        }
    }
}
