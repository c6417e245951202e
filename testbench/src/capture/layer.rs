//! Headers around a datagram.
use std::fmt;

/// One header around the datagram, with the number that tells its tenants apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    Vlan(u16),
    Mpls,
    Gre,
    Nvgre(u32),
    /// A mirror's, with the VLAN that it took off the frame; 0 if it says none.
    Erspan(u16),
    Ip,
    Pppoe,
    Vxlan(u32),
    Geneve(u32),
    /// A provider's backbone (802.1ah), with the number of its service.
    Backbone(u32),
    /// Tags between a switch and what extends it: 802.1BR, and VN-Tag before it.
    PortExtender,
    /// A ring's, or that of two networks in parallel (IEC 62439-3).
    Hsr,
    Macsec,
    Llc,
    Trill,
    FabricPath,
    Nsh,
    EtherIp,
    /// A mobile network's.
    Gtp,
    /// A mirror's of access points.
    Tzsp,
}

impl Layer {
    /// Connections are told apart by it. Labels and the sessions of a mirror differ by direction, so they are not.
    pub fn parts_tenants(self) -> bool {
        matches!(
            self,
            Layer::Vlan(1..)
                | Layer::Erspan(1..)
                | Layer::Nvgre(_)
                | Layer::Vxlan(_)
                | Layer::Geneve(_)
                | Layer::Backbone(_)
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
        }
    }
}
