//! RoCEv2 (`headers.md` section 7): Ethernet, IP and UDP take the place of LRH and GRH. Frames come without FCS, which
//! belongs to the MAC.
use super::header::Unencodable;
use etherparse::{
    EtherType, Ethernet2Header, IpDscp, IpEcn, IpNumber, Ipv4Header, Ipv6FlowLabel, Ipv6Header, UdpHeader,
};
use std::net::{Ipv4Addr, Ipv6Addr};

/// UDP destination port of RoCEv2.
pub const ROCE_V2_PORT: u16 = 4791;
/// TTL or hop limit of the packets that [`Roce::between`] makes.
const HOP_LIMIT: u8 = 64;

/// The headers before the BTH.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roce {
    pub ethernet: Ethernet2Header,
    pub network: Network,
    pub udp: UdpHeader,
}

/// The IP header; an IPv4 header has no options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Network {
    Ipv4(Ipv4Header),
    Ipv6(Ipv6Header),
}

/// The addresses of a port for RoCEv2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub mac: [u8; 6],
    /// GID; `::ffff:a.b.c.d` for an IPv4 address.
    pub gid: [u8; 16],
}

impl Roce {
    /// Makes the headers of a packet between two ports: IPv4 if both GIDs are IPv4 addresses, UDP checksum 0. Fields
    /// that depend on the rest of the packet are set when the packet is encoded.
    pub fn between(source: Endpoint, destination: Endpoint, source_port: u16) -> Roce {
        let addresses = [source.gid, destination.gid].map(Ipv6Addr::from);
        let network = match addresses.map(|gid| gid.to_ipv4_mapped()) {
            [Some(source), Some(destination)] => Network::ipv4(source, destination),
            _ => Network::ipv6(source.gid, destination.gid),
        };
        Roce {
            ethernet: Ethernet2Header {
                source: source.mac,
                destination: destination.mac,
                ..Ethernet2Header::default()
            },
            network,
            udp: UdpHeader {
                source_port,
                ..UdpHeader::default()
            },
        }
    }

    /// Returns the length on the wire in bytes.
    pub fn bytes(&self) -> usize {
        Ethernet2Header::LEN + self.network.bytes() + UdpHeader::LEN
    }

    /// Returns the headers with the fields set that follow from their kind, and from `transport`, the number of bytes
    /// after the UDP header.
    pub(super) fn completed(mut self, transport: usize) -> Result<Roce, Unencodable> {
        let length = transport + UdpHeader::LEN;
        self.udp.destination_port = ROCE_V2_PORT;
        self.udp.length = u16::try_from(length).map_err(|_| Unencodable::Length(length, "UDP"))?;
        self.ethernet.ether_type = match &mut self.network {
            Network::Ipv4(header) => {
                header.protocol = IpNumber::UDP;
                header
                    .set_payload_len(length)
                    .map_err(|_| Unencodable::Length(length, "IPv4"))?;
                header.header_checksum = header.calc_header_checksum();
                EtherType::IPV4
            }
            Network::Ipv6(header) => {
                header.next_header = IpNumber::UDP;
                header.payload_length = self.udp.length;
                EtherType::IPV6
            }
        };
        Ok(self)
    }

    /// Appends the headers' bytes.
    pub(super) fn emit(&self, to: &mut Vec<u8>) {
        to.extend(self.ethernet.to_bytes());
        match &self.network {
            Network::Ipv4(header) => to.extend(header.to_bytes()),
            Network::Ipv6(header) => to.extend(header.to_bytes()),
        }
        to.extend(self.udp.to_bytes());
    }
}

impl Network {
    fn ipv4(source: Ipv4Addr, destination: Ipv4Addr) -> Network {
        Network::Ipv4(Ipv4Header {
            time_to_live: HOP_LIMIT,
            dont_fragment: true,
            source: source.octets(),
            destination: destination.octets(),
            ..Ipv4Header::default()
        })
    }

    fn ipv6(source: [u8; 16], destination: [u8; 16]) -> Network {
        Network::Ipv6(Ipv6Header {
            hop_limit: HOP_LIMIT,
            source,
            destination,
            ..Ipv6Header::default()
        })
    }

    /// Returns the length on the wire in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Network::Ipv4(header) => header.header_len(),
            Network::Ipv6(_) => Ipv6Header::LEN,
        }
    }

    /// Returns TOS or traffic class.
    pub fn traffic_class(&self) -> u8 {
        match self {
            Network::Ipv4(header) => header.dscp.value() << 2 | header.ecn.value(),
            Network::Ipv6(header) => header.traffic_class,
        }
    }

    /// Sets TOS or traffic class.
    pub fn set_traffic_class(&mut self, class: u8) {
        match self {
            Network::Ipv4(header) => {
                header.dscp = IpDscp::try_new(class >> 2).unwrap_or_default();
                header.ecn = IpEcn::try_new(class & 0x3).unwrap_or_default();
            }
            Network::Ipv6(header) => header.traffic_class = class,
        }
    }

    /// Returns the flow label, 20 bits; 0 for IPv4.
    pub fn flow_label(&self) -> u32 {
        match self {
            Network::Ipv4(_) => 0,
            Network::Ipv6(header) => header.flow_label.value(),
        }
    }

    /// Sets the flow label; changes nothing for IPv4, which has none. Returns `Err` for a value above 20 bits.
    pub fn set_flow_label(&mut self, label: u32) -> Result<(), Unencodable> {
        if let Network::Ipv6(header) = self {
            header.flow_label = Ipv6FlowLabel::try_new(label).map_err(|_| Unencodable::Field {
                header: format!("IPv6 flow label {label:X}h"),
                rule: "flow label < 1 << 20".to_owned(),
            })?;
        }
        Ok(())
    }

    /// Returns TTL or hop limit.
    pub fn hop_limit(&self) -> u8 {
        match self {
            Network::Ipv4(header) => header.time_to_live,
            Network::Ipv6(header) => header.hop_limit,
        }
    }

    /// Sets TTL or hop limit.
    pub fn set_hop_limit(&mut self, limit: u8) {
        match self {
            Network::Ipv4(header) => header.time_to_live = limit,
            Network::Ipv6(header) => header.hop_limit = limit,
        }
    }

    /// Returns the source GID; `::ffff:a.b.c.d` for IPv4.
    pub fn sgid(&self) -> [u8; 16] {
        match self {
            Network::Ipv4(header) => mapped(header.source),
            Network::Ipv6(header) => header.source,
        }
    }

    /// Returns the destination GID; `::ffff:a.b.c.d` for IPv4.
    pub fn dgid(&self) -> [u8; 16] {
        match self {
            Network::Ipv4(header) => mapped(header.destination),
            Network::Ipv6(header) => header.destination,
        }
    }
}

fn mapped(address: [u8; 4]) -> [u8; 16] {
    Ipv4Addr::from(address).to_ipv6_mapped().octets()
}
