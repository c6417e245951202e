//! Fields of the headers that route a packet.

/// Fields of the GRH of a QP's packets (`headers.md` section 5); on a RoCE link, of the IP header in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GlobalRoute {
    /// Destination GID; `::ffff:a.b.c.d` for an IPv4 address.
    pub dgid: [u8; 16],
    /// Flow label, 20 bits. IPv4 has none.
    pub flow_label: u32,
    pub traffic_class: u8,
    pub hop_limit: u8,
}

/// Additional fields for a RoCE link (`headers.md` section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EthernetRoute {
    pub dest_mac: [u8; 6],
    /// UDP source port, which is constant for a QP.
    pub source_port: u16,
}
