//! Addresses of datagrams as values (`ud.md`).
use crate::route::GlobalRoute;

/// Attributes of an address handle (`ud.md` section 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AddressHandle {
    /// Protection domain, 24 bits.
    pub pd: u32,
    /// From 1 on.
    pub port: u8,
    /// 0 on a RoCE link.
    pub dlid: u16,
    /// 4 bits; on a RoCE link 3, the priority.
    pub sl: u8,
    /// Offset to the port's base LID; bits above the port's LMC have no effect.
    pub source_path_bits: u8,
    /// Code of `static_rate.csv`.
    pub static_rate: u8,
    /// `None`: packets without GRH. Always given on a RoCE link, whose UDP source port follows from the flow label.
    pub global: Option<GlobalRoute>,
    /// Entry of the port's GID table; counts only with a GRH.
    pub sgid_index: u8,
    /// Given on a RoCE link.
    pub dest_mac: Option<[u8; 6]>,
}

/// The destination of a datagram, as its work request says it (`ud.md` section 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Datagram {
    /// Address handle, 24 bits.
    pub handle: u32,
    /// 24 bits.
    pub dest_qpn: u32,
    /// The QP's own Q_Key replaces it if bit 31 is set.
    pub q_key: u32,
    /// Entry of the port's P_Key table; counts for QP0 and QP1 only.
    pub p_key_index: u16,
}

/// Where a datagram came from, as its receive completion says it (`ud.md` section 3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DatagramSource {
    /// The sender, 24 bits.
    pub qpn: u32,
    /// 0 on a RoCE link.
    pub slid: u16,
    /// On a RoCE link the priority, 0 without a tag.
    pub sl: u8,
    /// Base LID of the port, or-ed with the path bits; 0 on a RoCE link.
    pub lid: u16,
    /// By which of the port's LIDs it came: the low bits of DLID; 0 for a multicast packet.
    pub path_bits: u8,
    /// Bytes 0 to 39 of the receive buffer are valid.
    pub grh: bool,
    /// Given on a RoCE link.
    pub source_mac: Option<[u8; 6]>,
}
