//! Addresses of datagrams as values (`ud.md`).
use crate::port_number::FIRST;
use crate::route::GlobalRoute;

/// Attributes of an address handle (`ud.md` section 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AddressHandle {
    /// Protection domain, 24 bits.
    pub pd: u32,
    /// Port number; the first port is 1.
    pub port: u8,
    /// Destination LID; 0 on a RoCE link.
    pub dlid: u16,
    /// Service level, 4 bits. On a RoCE link it is the priority, 3 bits.
    pub sl: u8,
    /// Offset from the port's base LID. Bits above the port's LMC have no effect.
    pub source_path_bits: u8,
    /// Static rate, a code of `static_rate.csv`.
    pub static_rate: u8,
    /// Fields of the GRH; `None` for packets without a GRH. Always given on a RoCE link, where the UDP source port
    /// follows from the flow label.
    pub global: Option<GlobalRoute>,
    /// Index into the port's GID table; used only with a GRH.
    pub sgid_index: u8,
    /// Destination MAC address; given on a RoCE link only.
    pub dest_mac: Option<[u8; 6]>,
}

/// The destination of a datagram, as its work request says it (`ud.md` section 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Datagram {
    /// Address handle, 24 bits.
    pub handle: u32,
    /// Destination QPN, 24 bits.
    pub dest_qpn: u32,
    /// Q_Key of the packet. If bit 31 is set, the packet carries the QP's own Q_Key instead.
    pub q_key: u32,
    /// Index into the port's P_Key table; used by QP0 and QP1 only.
    pub p_key_index: u16,
}

/// Where a datagram came from, as its receive completion says it (`ud.md` section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatagramSource {
    /// Number of the port by which the datagram came.
    pub port: u8,
    /// QPN of the sender, 24 bits.
    pub qpn: u32,
    /// Source LID; 0 on a RoCE link.
    pub slid: u16,
    /// Service level. On a RoCE link it is the priority, or 0 for a frame without a VLAN tag.
    pub sl: u8,
    /// Base LID of the port, or-ed with `path_bits`; 0 on a RoCE link.
    pub lid: u16,
    /// Low bits of the DLID, which say by which of the port's LIDs the datagram came; 0 for a multicast packet.
    pub path_bits: u8,
    /// True if bytes 0 to 39 of the receive buffer are valid.
    pub grh: bool,
    /// Source MAC address; given on a RoCE link only.
    pub source_mac: Option<[u8; 6]>,
}

impl Default for DatagramSource {
    /// Returns a source behind the first port.
    fn default() -> DatagramSource {
        DatagramSource {
            port: FIRST,
            qpn: 0,
            slid: 0,
            sl: 0,
            lid: 0,
            path_bits: 0,
            grh: false,
            source_mac: None,
        }
    }
}
