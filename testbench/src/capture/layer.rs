//! The headers around a datagram, and the port that a packet of native InfiniBand crossed.
use std::fmt;

/// A header around the datagram, with the number that distinguishes its tenants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    Vlan(u16),
    Mpls,
    Gre,
    Nvgre(u32),
    /// ERSPAN header of a mirror, with the VLAN that it removed from the frame; 0 if it names none.
    Erspan(u16),
    Ip,
    Pppoe,
    Vxlan(u32),
    Geneve(u32),
    /// Header of a provider's backbone (802.1ah), with the number of its service.
    Backbone(u32),
    /// Tag between a switch and a port extender: 802.1BR, or VN-Tag, which preceded it.
    PortExtender,
    /// Tag of a ring, or of two parallel networks (IEC 62439-3).
    Hsr,
    Macsec,
    Llc,
    Trill,
    FabricPath,
    Nsh,
    EtherIp,
    /// GTP header of a mobile network.
    Gtp,
    /// TZSP header of a mirror of access points.
    Tzsp,
    /// Port of the captured adapter, from 1. What crosses another port is of another subnet, or of another connection.
    Port(u8),
    /// Interface of a pcapng, from 0.
    Interface(u32),
}

impl Layer {
    /// Returns true if connections are distinguished by this header. Labels and the sessions of a mirror differ by
    /// direction, so they are not used.
    pub fn parts_tenants(self) -> bool {
        matches!(
            self,
            Layer::Vlan(1..)
                | Layer::Erspan(1..)
                | Layer::Nvgre(_)
                | Layer::Vxlan(_)
                | Layer::Geneve(_)
                | Layer::Backbone(_)
                | Layer::Port(2..)
                | Layer::Interface(1..)
        )
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Layer::Vlan(id) => write!(f, "VLAN {id}"),
            Layer::Mpls => write!(f, "MPLS"),
            Layer::Gre => write!(f, "GRE"),
            Layer::Nvgre(id) => write!(f, "NVGRE {id}"),
            Layer::Erspan(0) => write!(f, "ERSPAN"),
            Layer::Erspan(vlan) => write!(f, "ERSPAN of VLAN {vlan}"),
            Layer::Ip => write!(f, "IP"),
            Layer::Pppoe => write!(f, "PPPoE"),
            Layer::Vxlan(id) => write!(f, "VXLAN {id}"),
            Layer::Geneve(id) => write!(f, "GENEVE {id}"),
            Layer::Backbone(id) => write!(f, "PBB {id}"),
            Layer::PortExtender => write!(f, "802.1BR"),
            Layer::Hsr => write!(f, "HSR"),
            Layer::Macsec => write!(f, "MACsec"),
            Layer::Llc => write!(f, "LLC"),
            Layer::Trill => write!(f, "TRILL"),
            Layer::FabricPath => write!(f, "FabricPath"),
            Layer::Nsh => write!(f, "NSH"),
            Layer::EtherIp => write!(f, "EtherIP"),
            Layer::Gtp => write!(f, "GTP-U"),
            Layer::Tzsp => write!(f, "TZSP"),
            Layer::Port(number) => write!(f, "port {number}"),
            Layer::Interface(number) => write!(f, "interface {number}"),
        }
    }
}
