//! The addresses of an end of the wire, which follow from its number.
use hca_golden::port::{Link, PortConfig};
use std::net::{Ipv4Addr, Ipv6Addr};

/// An end of the wire by its number, from 1 to 254: 10.0.0.N, fe80::N, and its own MAC address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(pub u8);

impl Address {
    /// The end that comes up first, which before a guest is the adapter.
    pub const FIRST: Address = Address(1);
    /// The peer of the first end.
    pub const SECOND: Address = Address(2);

    /// Returns the IPv4 address.
    pub fn ipv4(self) -> Ipv4Addr {
        Ipv4Addr::new(10, 0, 0, self.0)
    }

    /// Returns the link-local IPv6 address.
    pub fn ipv6(self) -> Ipv6Addr {
        Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0, 0, self.0.into())
    }

    /// Returns the MAC address of the adapter with this number, or of the guest, which QEMU takes from its command
    /// line.
    pub fn mac(self) -> [u8; 6] {
        [2, 0, 0, 0, 0, self.0]
    }

    /// Returns the GID: the IPv4 address within IPv6.
    pub fn gid(self) -> [u8; 16] {
        self.ipv4().to_ipv6_mapped().octets()
    }

    /// Returns the port of an adapter with this number, on a RoCE link.
    pub fn port(self) -> PortConfig {
        PortConfig {
            link: Link::Roce,
            gid: self.gid(),
            mac: self.mac(),
            ..PortConfig::default()
        }
    }
}
