//! Checks of RoCEv2 frames, first byte of Ethernet to last byte of the ICRC or of Ethernet's padding.
use super::transport::Transport;
use super::{bytes_at, first_fault, Check};
use crate::event::DropReason;
use crate::port::PortConfig;
use crate::wire::bth::Bth;
use crate::wire::crc::{icrc_roce_v2, ICRC_BYTES};
use crate::wire::header::HeaderFormat;
use crate::wire::length::MAX_PAYLOAD_BYTES;
use crate::wire::malformed::{Fault, Malformed};
use crate::wire::multicast;
use crate::wire::packet::{Packet, Route};
use crate::wire::roce::{Network, Roce, ROCE_V2_PORT};
use etherparse::checksum::Sum16BitWords;
use etherparse::{EtherType, Ethernet2Header, IpNumber, Ipv4Header, Ipv6Header, UdpHeader};

/// Ethernet pads shorter frames to this many bytes, without the FCS.
const PADDED_BYTES: usize = 60;
/// Length of Ethernet, IPv4, UDP, BTH and ICRC in bytes.
const MIN_BYTES: usize =
    Ethernet2Header::LEN + Ipv4Header::MIN_LEN + UdpHeader::LEN + Bth::BYTES + ICRC_BYTES;
/// Length of UDP header, BTH and ICRC in bytes.
const MIN_UDP_LENGTH: usize = UdpHeader::LEN + Bth::BYTES + ICRC_BYTES;
/// Length in bytes of the UDP header, and of the longest headers and ICRC that accompany the largest payload.
const MAX_OVERHEAD_BYTES: usize = UdpHeader::LEN + 76;

struct Datagram<'a> {
    bytes: &'a [u8],
    /// The port; `None` to accept packets for any port.
    port: Option<&'a PortConfig>,
    /// The port takes packets for multicast groups.
    groups: bool,
}

type DatagramCheck = Check<fn(&Datagram<'_>) -> Option<Fault>>;

const CHECKS: [DatagramCheck; 14] = [
    Check {
        reason: DropReason::Length,
        citation: "headers.md section 1",
        fault: |d| (d.bytes.len() < MIN_BYTES).then_some(Fault::FrameSize(d.bytes.len())),
    },
    Check {
        reason: DropReason::Dlid,
        citation: "responder.md section 1 step 1",
        fault: |d| {
            let (destination, port) = (bytes_at(d.bytes, 0), d.port?.mac);
            (destination != port && !d.is_multicast()).then_some(Fault::Mac { destination, port })
        },
    },
    Check {
        // A VLAN tag is another EtherType.
        reason: DropReason::NetworkHeader,
        citation: "headers.md section 1",
        fault: |d| {
            let known = [EtherType::IPV4, EtherType::IPV6].contains(&d.ether_type());
            (!known).then_some(Fault::EtherType(d.ether_type().0))
        },
    },
    Check {
        reason: DropReason::Grh,
        citation: "headers.md section 7, CA17-27",
        fault: |d| {
            let expected = if d.is_ipv4() { 4 } else { 6 };
            let found = d.ip_byte(0) >> 4;
            (found != expected).then_some(Fault::IpVersion { found, expected })
        },
    },
    Check {
        reason: DropReason::Grh,
        citation: "headers.md section 1",
        fault: |d| {
            let ihl = d.ip_byte(0) & 0xF;
            (d.is_ipv4() && ihl != 5).then_some(Fault::Ihl(ihl))
        },
    },
    Check {
        reason: DropReason::Grh,
        citation: "headers.md section 7, CA17-24",
        fault: |d| {
            let flags = u16::from_be_bytes(d.ip_bytes(6));
            let (more, offset) = (flags & 0x2000 != 0, flags & 0x1FFF);
            (d.is_ipv4() && (more || offset != 0)).then_some(Fault::Fragment { more, offset })
        },
    },
    Check {
        reason: DropReason::Grh,
        citation: "headers.md section 7, CA17-24",
        fault: |d| {
            let header: [u8; Ipv4Header::MIN_LEN] = d.ip_bytes(0);
            let received = u16::from_be_bytes(d.ip_bytes(10));
            let (before, after) = (&header[..10], &header[12..]);
            let sum = Sum16BitWords::new().add_slice(before).add_slice(after);
            let computed = sum.ones_complement().to_be();
            // Either of the two zeros of ones' complement is accepted.
            let right = received == computed || received == 0xFFFF && computed == 0;
            (d.is_ipv4() && !right).then_some(Fault::HeaderChecksum { received, computed })
        },
    },
    Check {
        reason: DropReason::NetworkHeader,
        citation: "headers.md section 7, CA17-27",
        fault: |d| {
            let (found, expected) = (d.ip_byte(if d.is_ipv4() { 9 } else { 6 }), IpNumber::UDP.0);
            (found != expected).then_some(Fault::NextHeader { found, expected })
        },
    },
    Check {
        reason: DropReason::NetworkHeader,
        citation: "headers.md section 7, CA17-20",
        fault: |d| {
            let port = u16::from_be_bytes(bytes_at(d.bytes, d.udp_at() + 2));
            (port != ROCE_V2_PORT).then_some(Fault::Port(port))
        },
    },
    Check {
        reason: DropReason::Length,
        citation: "headers.md section 3, CA17-21",
        fault: |d| {
            let udp = d.udp_length();
            let ip = if d.is_ipv4() {
                i32::from(u16::from_be_bytes(d.ip_bytes(2))) - Ipv4Header::MIN_LEN as i32
            } else {
                i32::from(u16::from_be_bytes(d.ip_bytes(4)))
            };
            (ip != i32::from(udp)).then_some(Fault::IpLength { ip, udp })
        },
    },
    Check {
        reason: DropReason::Length,
        citation: "headers.md sections 1 and 3, link.md section 13",
        fault: |d| {
            let (udp, most) = (d.udp_length(), d.mtu() + MAX_OVERHEAD_BYTES);
            let legal = (MIN_UDP_LENGTH..=most).contains(&udp.into()) && udp % 4 == 0;
            (!legal).then_some(Fault::UdpLength(udp))
        },
    },
    Check {
        reason: DropReason::Length,
        citation: "headers.md section 3, CA17-24",
        fault: |d| {
            let (received, expected) = (d.bytes.len(), d.end());
            let padded = received == PADDED_BYTES && expected < PADDED_BYTES;
            (received != expected && !padded).then_some(Fault::FrameLength { received, expected })
        },
    },
    Check {
        reason: DropReason::Dgid,
        citation: "responder.md section 1 step 3, headers.md section 7",
        fault: |d| {
            let (dgid, port) = (d.network()?.dgid(), d.port?.gid);
            // Whether the address of a group is complete is checked later (`ud.md` section 4).
            (dgid != port && !d.is_multicast()).then_some(Fault::Dgid { dgid, port })
        },
    },
    Check {
        reason: DropReason::Icrc,
        citation: "responder.md section 1 step 2, crc.md section 4, CF034",
        fault: |d| {
            let covered = d.between(Ethernet2Header::LEN, d.end() - ICRC_BYTES);
            let (received, computed) = (bytes_at(d.bytes, d.end() - ICRC_BYTES), icrc_roce_v2(covered));
            (received != computed).then_some(Fault::Icrc { received, computed })
        },
    },
];

/// Returns the packet if these bytes pass all checks. `groups` says whether the port takes multicast packets.
pub fn judge(bytes: &[u8], port: Option<&PortConfig>, groups: bool) -> Result<Packet, Malformed> {
    let datagram = Datagram { bytes, port, groups };
    first_fault(&CHECKS, |check| check(&datagram))?;
    let unreadable = Malformed {
        reason: DropReason::Length,
        citation: "headers.md section 1",
        fault: Fault::FrameSize(bytes.len()),
    };
    let route = Route::Roce(datagram.headers().ok_or(unreadable)?);
    let transport = datagram.between(datagram.udp_at() + UdpHeader::LEN, datagram.end() - ICRC_BYTES);
    Transport::read(transport, port.map(|port| port.mtu)).judge(route)
}

impl<'a> Datagram<'a> {
    /// Returns true if the packet is for a multicast group. A later step looks the group up.
    fn is_multicast(&self) -> bool {
        self.groups && multicast::is_group_mac(&bytes_at(self.bytes, 0))
    }

    /// Returns the active MTU of the port, in bytes.
    fn mtu(&self) -> usize {
        self.port.map_or(MAX_PAYLOAD_BYTES, |port| port.mtu.bytes())
    }

    fn ether_type(&self) -> EtherType {
        EtherType(u16::from_be_bytes(bytes_at(self.bytes, 12)))
    }

    fn is_ipv4(&self) -> bool {
        self.ether_type() == EtherType::IPV4
    }

    fn ip_bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        bytes_at(self.bytes, Ethernet2Header::LEN + at)
    }

    fn ip_byte(&self, at: usize) -> u8 {
        let [byte] = self.ip_bytes(at);
        byte
    }

    fn udp_at(&self) -> usize {
        Ethernet2Header::LEN
            + if self.is_ipv4() {
                Ipv4Header::MIN_LEN
            } else {
                Ipv6Header::LEN
            }
    }

    fn udp_length(&self) -> u16 {
        u16::from_be_bytes(bytes_at(self.bytes, self.udp_at() + 4))
    }

    /// Returns the end of the ICRC according to the UDP length.
    fn end(&self) -> usize {
        self.udp_at() + usize::from(self.udp_length())
    }

    fn between(&self, from: usize, to: usize) -> &'a [u8] {
        self.bytes.get(from..to).unwrap_or_default()
    }

    fn network(&self) -> Option<Network> {
        let bytes = self.bytes.get(Ethernet2Header::LEN..)?;
        if self.is_ipv4() {
            let (header, _) = Ipv4Header::from_slice(bytes).ok()?;
            Some(Network::Ipv4(header))
        } else {
            let (header, _) = Ipv6Header::from_slice(bytes).ok()?;
            Some(Network::Ipv6(header))
        }
    }

    fn headers(&self) -> Option<Roce> {
        let (ethernet, _) = Ethernet2Header::from_slice(self.bytes).ok()?;
        let (udp, _) = UdpHeader::from_slice(self.bytes.get(self.udp_at()..)?).ok()?;
        Some(Roce {
            ethernet,
            network: self.network()?,
            udp,
        })
    }
}
