//! Tunnels over UDP and GRE, and the mirrors' ERSPAN.
use super::super::layer::Layer;
use super::{Inner, Search, ETHER_IPV4, ETHER_IPV6, PORT_ROCE_V2};
use etherparse::UdpHeaderSlice;

/// Ethernet in another frame.
const ETHER_BRIDGED: u16 = 0x6558;
const ETHER_ERSPAN: u16 = 0x88BE;
const ETHER_ERSPAN_3: u16 = 0x22EB;
const PORT_VXLAN: [u16; 2] = [4789, 8472];
const PORT_VXLAN_GPE: u16 = 4790;
const PORT_GENEVE: u16 = 6081;
const PORT_MPLS: u16 = 6635;

impl Search<'_> {
    /// What a UDP datagram carries.
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
                match (port, flags & 0x04 != 0, next) {
                    (PORT_VXLAN_GPE, true, 1) => self.bare(ETHER_IPV4, behind + 8),
                    (PORT_VXLAN_GPE, true, 2) => self.bare(ETHER_IPV6, behind + 8),
                    _ => self.ethernet(behind + 8),
                }
            }
            PORT_GENEVE => {
                let [words, _, t0, t1, v0, v1, v2, _] = self.bytes::<8>(behind)?;
                self.enter(Layer::Geneve(u32::from_be_bytes([0, v0, v1, v2])))?;
                let inner = behind + 8 + usize::from(words & 0x3F) * 4;
                self.bare(u16::from_be_bytes([t0, t1]), inner)
            }
            PORT_MPLS => self.mpls(behind),
            _ => None,
        }
    }

    /// What a tunnel announces by an EtherType: a frame, or a datagram without one.
    fn bare(&mut self, ether_type: u16, at: usize) -> Option<Inner> {
        if ether_type == ETHER_BRIDGED {
            return self.ethernet(at);
        }
        self.ethernet = None;
        self.network(ether_type, at)
    }

    /// GRE (RFC 2784, RFC 2890), NVGRE, whose key holds the number of its tenant (RFC 7637), and the mirrors in it:
    /// ERSPAN of type I has no sequence number and no header of its own.
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
