//! Who an end of the wire is: its addresses follow from its number.
use hca_golden::port::{Link, PortConfig};
use std::net::{Ipv4Addr, Ipv6Addr};

/// An end of the wire by its number, from 1 to 254: 10.0.0.N, fe80::N, and a MAC address of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(pub u8);

impl Address {
    /// The end that is up first, and the adapter's before a guest.
    pub const FIRST: Address = Address(1);
    /// The peer of the first.
    pub const SECOND: Address = Address(2);

    /// The IPv4 address.
    pub fn ipv4(self) -> Ipv4Addr {
        Ipv4Addr::new(10, 0, 0, self.0)
    }

    /// The link-local IPv6 address.
    pub fn ipv6(self) -> Ipv6Addr {
        Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0, 0, self.0.into())
    }

    /// The MAC address of the adapter with this number, or of the guest, which QEMU takes from its command line.
    pub fn mac(self) -> [u8; 6] {
        [2, 0, 0, 0, 0, self.0]
    }

    /// The GID: the IPv4 address within IPv6.
    pub fn gid(self) -> [u8; 16] {
        self.ipv4().to_ipv6_mapped().octets()
    }

    /// The port of an adapter with this number, on a RoCE link.
    pub fn port(self) -> PortConfig {
        PortConfig {
            link: Link::Roce,
            gid: self.gid(),
            mac: self.mac(),
            ..PortConfig::default()
        }
    }
}
