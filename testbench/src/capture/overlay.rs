//! The headers around a datagram of RDMA: VLAN tags, MPLS labels, tunnels and the headers of mirrors.
//!
//! etherparse reads the headers that it knows. Those of tunnels have a few fields each, and are read here.
mod tag;
#[cfg(test)]
mod tests;
mod tunnel;

use super::layer::Layer;
use etherparse::{Ipv4HeaderSlice, Ipv6HeaderSlice, SingleVlanHeaderSlice};

/// Largest number of layers. Real traffic has fewer.
const DEEPEST: usize = 16;

const ETHERNET_BYTES: usize = 14;
const GRH_BYTES: usize = 40;

const ETHER_IPV4: u16 = 0x0800;
const ETHER_IPV6: u16 = 0x86DD;
/// EtherType of RoCEv1 (`headers.md` section 1).
pub const ETHER_ROCE_V1: u16 = 0x8915;
const ETHER_MPLS: [u16; 2] = [0x8847, 0x8848];
/// EtherTypes of VLAN tags: IEEE 802.1Q, 802.1ad, and those that switches used before.
const ETHER_TAGS: [u16; 4] = [0x8100, 0x88A8, 0x9100, 0x9200];
const ETHER_PPPOE: u16 = 0x8864;

const IP_IPV4: u8 = 4;
const IP_UDP: u8 = 17;
const IP_IPV6: u8 = 41;
const IP_GRE: u8 = 47;
const IP_AUTHENTICATION: u8 = 51;
const IP_ETHERNET: u8 = 97;
const IP_MPLS: u8 = 137;
const IP_BRIDGED: u8 = 143;
/// IPv6 headers to skip: hop-by-hop, routing and destination options.
const IPV6_OPTIONS: [u8; 3] = [0, 43, 60];

const PORT_ROCE_V2: u16 = 4791;

/// A datagram of RoCEv2, or a packet of RoCEv1, within a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inner {
    /// Offset of its Ethernet header, if it has its own.
    ethernet: Option<usize>,
    pub ether_type: u16,
    /// Offset of its IP header or GRH.
    pub begin: usize,
    /// Offset of its end, by its own length. Padding, trailers and an FCS may follow.
    pub end: usize,
    pub layers: Vec<Layer>,
}

impl Inner {
    /// Finds the datagram in the kept part of a frame whose length on the wire is `wire_length`.
    pub fn of(frame: &[u8], wire_length: usize) -> Option<Inner> {
        let mut search = Search {
            frame,
            wire_length,
            ethernet: None,
            layers: Vec::new(),
        };
        search.ethernet(0)
    }

    /// Returns the addresses of its Ethernet header; zeros if it has none.
    pub fn addresses<'a>(&self, frame: &'a [u8]) -> &'a [u8] {
        let addresses = self.ethernet.and_then(|at| frame.get(at..at + 12));
        addresses.unwrap_or(&[0; 12])
    }

    /// Returns the kept part of the datagram, behind an Ethernet header without tags.
    pub fn untagged(&self, frame: &[u8]) -> Vec<u8> {
        let mut untagged = self.addresses(frame).to_vec();
        untagged.extend(self.ether_type.to_be_bytes());
        untagged.extend(frame.get(self.begin..self.end.min(frame.len())).unwrap_or(&[]));
        untagged
    }

    /// Returns the tags and numbers that distinguish one tenant's addresses from another's.
    pub fn tenant(&self) -> Vec<Layer> {
        let parts = |layer: &Layer| layer.parts_tenants();
        self.layers.iter().copied().filter(parts).collect()
    }

    /// Returns true if only VLAN tags are around the datagram.
    pub fn is_plain(&self) -> bool {
        self.ethernet == Some(0) && self.layers.iter().all(|layer| matches!(layer, Layer::Vlan(_)))
    }
}

struct Search<'a> {
    frame: &'a [u8],
    wire_length: usize,
    ethernet: Option<usize>,
    layers: Vec<Layer>,
}

impl Search<'_> {
    fn bytes<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.frame.get(at..)?.first_chunk().copied()
    }

    fn half(&self, at: usize) -> Option<u16> {
        self.bytes(at).map(u16::from_be_bytes)
    }

    /// Notes a header that the search passes.
    fn enter(&mut self, layer: Layer) -> Option<()> {
        self.layers.push(layer);
        (self.layers.len() <= DEEPEST).then_some(())
    }

    fn ethernet(&mut self, at: usize) -> Option<Inner> {
        self.ethernet = Some(at);
        self.network(self.half(at + 12)?, at + ETHERNET_BYTES)
    }

    /// Finds what an EtherType announces.
    fn network(&mut self, ether_type: u16, at: usize) -> Option<Inner> {
        match ether_type {
            tag if ETHER_TAGS.contains(&tag) => {
                let tag = SingleVlanHeaderSlice::from_slice(self.frame.get(at..)?).ok()?;
                self.enter(Layer::Vlan(tag.vlan_identifier().value()))?;
                self.network(tag.ether_type().0, at + 4)
            }
            ETHER_IPV4 => self.ipv4(at),
            ETHER_IPV6 => self.ipv6(at),
            ETHER_ROCE_V1 => {
                let length = GRH_BYTES + usize::from(self.half(at + 4)?);
                Some(self.found(ETHER_ROCE_V1, at, length))
            }
            ETHER_PPPOE => {
                self.enter(Layer::Pppoe)?;
                match self.half(at + 6)? {
                    0x0021 => self.ipv4(at + 8),
                    0x0057 => self.ipv6(at + 8),
                    _ => None,
                }
            }
            mpls if ETHER_MPLS.contains(&mpls) => self.mpls(at),
            other => self.tag(other, at),
        }
    }

    fn found(&mut self, ether_type: u16, begin: usize, length: usize) -> Inner {
        let end = begin + length;
        Inner {
            ethernet: self.ethernet,
            ether_type,
            begin,
            // A length that does not even cover its header has no meaning.
            end: if length < 20 { self.wire_length } else { end },
            layers: std::mem::take(&mut self.layers),
        }
    }

    /// Skips labels up to the last. The first nibble behind it says what follows (RFC 4928).
    fn mpls(&mut self, mut at: usize) -> Option<Inner> {
        loop {
            self.enter(Layer::Mpls)?;
            let is_last = self.bytes::<4>(at)?[2] & 1 != 0;
            at += 4;
            if is_last {
                break;
            }
        }
        match self.bytes::<1>(at)?[0] >> 4 {
            // The frame of a pseudowire may begin with a MAC address whose first nibble is the same.
            4 => self.or_frame(at, Self::ipv4),
            6 => self.or_frame(at, Self::ipv6),
            // A control word comes first, then a frame.
            0 if self.bytes::<4>(at)?[0] == 0 => self.or_frame(at, |search, at| search.ethernet(at + 4)),
            _ => self.ethernet(at),
        }
    }

    /// Returns what `first` finds at this place, or else the result for a frame that begins there.
    fn or_frame(&mut self, at: usize, first: impl Fn(&mut Self, usize) -> Option<Inner>) -> Option<Inner> {
        let (layers, ethernet) = (self.layers.clone(), self.ethernet);
        first(self, at).or_else(|| {
            (self.layers, self.ethernet) = (layers, ethernet);
            self.ethernet(at)
        })
    }

    fn ipv4(&mut self, at: usize) -> Option<Inner> {
        let header = Ipv4HeaderSlice::from_slice(self.frame.get(at..)?).ok()?;
        if header.fragments_offset().value() != 0 {
            return None;
        }
        let behind = at + usize::from(header.ihl()) * 4;
        let length = usize::from(header.total_len());
        self.transport(header.protocol().0, behind, (ETHER_IPV4, at, length))
    }

    fn ipv6(&mut self, at: usize) -> Option<Inner> {
        let header = Ipv6HeaderSlice::from_slice(self.frame.get(at..)?).ok()?;
        let length = 40 + usize::from(header.payload_length());
        let (mut next, mut behind) = (header.next_header().0, at + 40);
        let mut options = 0;
        while IPV6_OPTIONS.contains(&next) && options < DEEPEST {
            let [following, words] = self.bytes(behind)?;
            behind += 8 + usize::from(words) * 8;
            next = following;
            options += 1;
        }
        self.transport(next, behind, (ETHER_IPV6, at, length))
    }

    /// Finds what an IP datagram carries. `datagram` is its EtherType, its begin and its length.
    fn transport(&mut self, protocol: u8, at: usize, datagram: (u16, usize, usize)) -> Option<Inner> {
        match protocol {
            IP_UDP => self.udp(at, datagram),
            IP_GRE => self.gre(at),
            IP_MPLS => self.mpls(at),
            // The header of RFC 4302 (authentication) leaves its payload readable.
            IP_AUTHENTICATION => {
                let [next, words] = self.bytes(at)?;
                self.transport(next, at + 8 + usize::from(words) * 4, datagram)
            }
            // EtherIP (RFC 3378), and the frames of segment routing (RFC 8986).
            IP_ETHERNET | IP_BRIDGED => {
                self.enter(Layer::EtherIp)?;
                self.ethernet(at + if protocol == IP_ETHERNET { 2 } else { 0 })
            }
            IP_IPV4 => {
                self.enter(Layer::Ip)?;
                self.ethernet = None;
                self.ipv4(at)
            }
            IP_IPV6 => {
                self.enter(Layer::Ip)?;
                self.ethernet = None;
                self.ipv6(at)
            }
            _ => None,
        }
    }
}
