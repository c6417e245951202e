//! What packets say of who sends them to whom.
use hca_golden::wire::packet::{Packet, Route};
use std::fmt;
use std::net::Ipv6Addr;

/// A port, as packets name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Address {
    Lid(u16),
    Gid([u8; 16]),
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

/// Packets from one port to one queue pair of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Flow {
    pub from: Address,
    pub to: Address,
    pub dest_qp: u32,
}

impl Flow {
    pub fn of(packet: &Packet) -> Flow {
        let (from, to) = match &packet.route {
            Route::Local(lrh) => (Address::Lid(lrh.slid), Address::Lid(lrh.dlid)),
            Route::Global(_, grh) => (Address::Gid(grh.sgid), Address::Gid(grh.dgid)),
            Route::Roce(roce) => (
                Address::Gid(roce.network.sgid()),
                Address::Gid(roce.network.dgid()),
            ),
        };
        let dest_qp = packet.bth.dest_qp;
        Flow { from, to, dest_qp }
    }

    /// The two flows are between the same two ports, in opposite directions.
    pub fn is_opposite(&self, other: &Flow) -> bool {
        (self.from, self.to) == (other.to, other.from)
    }
}

impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Flow { from, to, dest_qp } = self;
        write!(f, "{from} to QP {dest_qp:06X}h of {to}")
    }
}
