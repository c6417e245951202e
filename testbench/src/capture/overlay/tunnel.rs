//! Tunnels over UDP and GRE, and the mirrors' ERSPAN.
use super::super::layer::Layer;
use super::{Inner, Search, PORT_ROCE_V2};
use etherparse::UdpHeaderSlice;

/// EtherType of an Ethernet frame in another frame.
const ETHER_BRIDGED: u16 = 0x6558;
const ETHER_ERSPAN: u16 = 0x88BE;
const ETHER_ERSPAN_3: u16 = 0x22EB;
const PORT_VXLAN: [u16; 2] = [4789, 8472];
const PORT_VXLAN_GPE: u16 = 4790;
const PORT_GENEVE: u16 = 6081;
const PORT_MPLS: u16 = 6635;
const PORT_GRE: u16 = 4754;
const PORT_GTP: u16 = 2152;
const PORT_TZSP: u16 = 37008;

impl Search<'_> {
    /// Finds what a UDP datagram carries.
    pub(super) fn udp(
        &mut self,
        at: usize,
        (ether_type, begin, length): (u16, usize, usize),
    ) -> Option<Inner> {
        let udp = UdpHeaderSlice::from_slice(self.frame.get(at..)?).ok()?;
        let behind = at + 8;
        match udp.destination_port() {
            PORT_ROCE_V2 => Some(self.found(ether_type, begin, length)),
            port if PORT_VXLAN.contains(&port) || port == PORT_VXLAN_GPE => {
                let [flags, .., next, v0, v1, v2, _] = self.bytes::<8>(behind)?;
                self.enter(Layer::Vxlan(u32::from_be_bytes([0, v0, v1, v2])))?;
                match port == PORT_VXLAN_GPE && flags & 0x04 != 0 {
                    true => self.next_protocol(next, behind + 8),
                    false => self.ethernet(behind + 8),
                }
            }
            PORT_GENEVE => {
                let [words, _, t0, t1, v0, v1, v2, _] = self.bytes::<8>(behind)?;
                self.enter(Layer::Geneve(u32::from_be_bytes([0, v0, v1, v2])))?;
                let inner = behind + 8 + usize::from(words & 0x3F) * 4;
                self.bare(u16::from_be_bytes([t0, t1]), inner)
            }
            PORT_MPLS => self.mpls(behind),
            PORT_GRE => self.gre(behind),
            PORT_GTP => self.gtp(behind),
            PORT_TZSP => self.tzsp(behind),
            _ => None,
        }
    }

    /// Finds a user's packet in GTP-U (3GPP TS 29.281), behind its extension headers.
    fn gtp(&mut self, at: usize) -> Option<Inner> {
        let [flags, kind] = self.bytes::<2>(at)?;
        if flags & 0xF0 != 0x30 || kind != 0xFF {
            return None;
        }
        self.enter(Layer::Gtp)?;
        let mut behind = at + 8;
        if flags & 0x07 != 0 {
            behind += 4;
            let mut more = flags & 0x04 != 0 && self.bytes::<1>(behind - 1)? != [0];
            while more {
                let [words] = self.bytes::<1>(behind)?;
                behind += usize::from(words.max(1)) * 4;
                more = self.bytes::<1>(behind - 1)? != [0];
            }
        }
        self.ethernet = None;
        match self.bytes::<1>(behind)?[0] >> 4 {
            4 => self.ipv4(behind),
            6 => self.ipv6(behind),
            _ => None,
        }
    }

    /// Finds a frame that an access point has mirrored, behind tagged fields. Two of these fields have no length:
    /// padding, and the last one.
    fn tzsp(&mut self, at: usize) -> Option<Inner> {
        let [1, 0, 0, 1] = self.bytes::<4>(at)? else {
            return None;
        };
        self.enter(Layer::Tzsp)?;
        let mut field = at + 4;
        loop {
            match self.bytes::<1>(field)?[0] {
                0 => field += 1,
                1 => return self.ethernet(field + 1),
                _ => field += 2 + usize::from(self.bytes::<1>(field + 1)?[0]),
            }
        }
    }

    /// Finds what a tunnel announces by an EtherType: a frame, or a datagram without one.
    pub(super) fn bare(&mut self, ether_type: u16, at: usize) -> Option<Inner> {
        if ether_type == ETHER_BRIDGED {
            return self.ethernet(at);
        }
        self.ethernet = None;
        self.network(ether_type, at)
    }

    /// Skips GRE (RFC 2784, RFC 2890), NVGRE, whose key holds the number of its tenant (RFC 7637), and ERSPAN, the
    /// mirrors' header in GRE. ERSPAN type I has neither a sequence number nor its own header.
    pub(super) fn gre(&mut self, at: usize) -> Option<Inner> {
        let flags = self.half(at)?;
        let kind = self.half(at + 2)?;
        let is_routed = flags & 0x4000 != 0;
        if is_routed || flags & 0x7 != 0 {
            return None;
        }
        let given = |flag: u16| if flags & flag != 0 { 4 } else { 0 };
        let sequence = given(0x1000);
        let behind = at + 4 + given(0x8000) + given(0x2000) + sequence;
        match kind {
            ETHER_ERSPAN => {
                if sequence == 0 {
                    self.enter(Layer::Erspan(0))?;
                    return self.ethernet(behind);
                }
                self.enter(Layer::Erspan(self.half(behind)? & 0xFFF))?;
                self.ethernet(behind + 8)
            }
            ETHER_ERSPAN_3 => {
                self.enter(Layer::Erspan(self.half(behind)? & 0xFFF))?;
                let has_more = self.bytes::<12>(behind)?[11] & 1 != 0;
                self.ethernet(behind + if has_more { 20 } else { 12 })
            }
            ETHER_BRIDGED if given(0x2000) > 0 => {
                let key = self.bytes::<4>(at + 4 + given(0x8000))?;
                self.enter(Layer::Nvgre(u32::from_be_bytes(key) >> 8))?;
                self.bare(kind, behind)
            }
            _ => {
                self.enter(Layer::Gre)?;
                self.bare(kind, behind)
            }
        }
    }
}
