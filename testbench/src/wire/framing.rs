//! The framing of a port.
use super::draw::Draw;
use crate::device::translation;
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_golden::verbs::Pmtu;
use hca_host::profile;
use hca_sim::wire::receive::Addresses;
use std::fmt;

/// A link, and the kind of addresses that its port has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    InfiniBand,
    RoceV4,
    RoceV6,
}

impl Framing {
    /// Returns the link as the model names it.
    pub fn link(self) -> Link {
        match self {
            Framing::InfiniBand => Link::InfiniBand,
            Framing::RoceV4 | Framing::RoceV6 => Link::Roce,
        }
    }

    /// Returns the link as the hardware names it.
    pub fn hardware(self) -> profile::Link {
        translation::link(self.link())
    }

    /// Draws a GID that a port of this framing may have.
    pub(super) fn gid(self, draw: &mut Draw) -> [u8; 16] {
        let mut gid = draw.array::<16>();
        match self {
            Framing::InfiniBand | Framing::RoceV6 => gid[0] |= 0x20,
            Framing::RoceV4 => {
                gid[..10].fill(0);
                gid[10..12].fill(0xFF);
            }
        }
        gid
    }

    /// Draws a port of this framing: any LMC, any unicast LID, any addresses, any number of data VLs, any MTU.
    pub(super) fn port(self, draw: &mut Draw) -> PortConfig {
        let lmc = draw.below(8) as u8;
        PortConfig {
            link: self.link(),
            lid: (1 + draw.below(0xBF00) as u16).next_multiple_of(1 << lmc),
            lmc,
            gid: self.gid(draw),
            guids: std::array::from_fn(|_| match draw.below(4) {
                0 => 0,
                _ => u64::from_be_bytes(draw.array()),
            }),
            mac: draw.array(),
            data_vls: draw.one_of(&[1, 2, 4, 8, 15]),
            mtu: match draw.below(3) {
                0 => draw.one_of(&[Pmtu::B256, Pmtu::B512, Pmtu::B1024, Pmtu::B2048]),
                _ => Pmtu::B4096,
            },
            ..PortConfig::default()
        }
    }
}

impl fmt::Display for Framing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Framing::InfiniBand => "InfiniBand",
            Framing::RoceV4 => "RoCEv2 over IPv4",
            Framing::RoceV6 => "RoCEv2 over IPv6",
        })
    }
}

/// Returns the port's addresses for the bench.
pub fn addresses(port: &PortConfig) -> Addresses {
    Addresses {
        lid: port.lid,
        lmc: port.lmc,
        gid: port.gid,
        guids: port.guids,
        mac: port.mac,
        mtu: port.mtu.code(),
        data_vls: port.data_vls,
    }
}
