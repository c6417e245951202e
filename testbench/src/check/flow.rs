//! The source and the destination of a packet.
use crate::capture::layer::Layer;
use hca_golden::wire::packet::{Packet, Route};
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// The first LID of a group (`ud.md` section 4).
const MULTICAST_LID: u16 = 0xC000;

/// A port, by the address in its packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Address {
    Lid(u16),
    Gid([u8; 16]),
}

impl Address {
    /// Returns true if the address is, or may be, that of a group. A group needs a GRH, too, which a LID does not show.
    pub fn may_be_multicast(self) -> bool {
        match self {
            Address::Lid(lid) => lid >= MULTICAST_LID,
            Address::Gid(gid) => IpAddr::from(gid).to_canonical().is_multicast(),
        }
    }

    /// Returns the IP address or GID.
    pub fn ip(self) -> Option<IpAddr> {
        match self {
            Address::Lid(_) => None,
            Address::Gid(gid) => Some(IpAddr::from(gid).to_canonical()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Lid(lid) => write!(f, "LID {lid:04X}h"),
            Address::Gid(gid) => {
                let address = Ipv6Addr::from(*gid);
                match address.to_ipv4_mapped() {
                    Some(ipv4) => ipv4.fmt(f),
                    None => address.fmt(f),
                }
            }
        }
    }
}

/// The network to which addresses belong, as the tags and tunnels around a packet show, or the port that it crossed.
/// Two tenants may use the same addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tenant([Option<Layer>; 3]);

impl Tenant {
    /// Makes a tenant of these layers, from the outside inwards. Layers beyond the third distinguish nothing.
    pub fn of(layers: &[Layer]) -> Tenant {
        let mut tenant = Tenant::default();
        for (kept, layer) in tenant.0.iter_mut().zip(layers) {
            *kept = Some(*layer);
        }
        tenant
    }
}

/// Packets from one port to one queue pair of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Flow {
    pub tenant: Tenant,
    pub from: Address,
    pub to: Address,
    pub dest_qp: u32,
}

impl Flow {
    pub fn of(tenant: Tenant, packet: &Packet) -> Flow {
        let (from, to) = match &packet.route {
            Route::Local(lrh) => (Address::Lid(lrh.slid), Address::Lid(lrh.dlid)),
            Route::Global(_, grh) => (Address::Gid(grh.sgid), Address::Gid(grh.dgid)),
            Route::Roce(roce) => (
                Address::Gid(roce.network.sgid()),
                Address::Gid(roce.network.dgid()),
            ),
        };
        let dest_qp = packet.bth.dest_qp;
        Flow {
            tenant,
            from,
            to,
            dest_qp,
        }
    }

    /// Makes the flow to this queue pair, between ports with these IP addresses or GIDs.
    pub fn between(tenant: Tenant, [from, to]: [[u8; 16]; 2], dest_qp: u32) -> Flow {
        Flow {
            tenant,
            from: Address::Gid(from),
            to: Address::Gid(to),
            dest_qp,
        }
    }
}

impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Flow {
            tenant,
            from,
            to,
            dest_qp,
        } = self;
        for layer in tenant.0.iter().flatten() {
            write!(f, "{layer}, ")?;
        }
        write!(f, "{from} to QP {dest_qp:06X}h of {to}")
    }
}
