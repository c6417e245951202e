//! Headers that an EtherType announces, other than VLAN tags and MPLS labels: those of providers, switch fabrics and
//! rings.
use super::super::layer::Layer;
use super::{Inner, Search};
use etherparse::MacsecHeaderSlice;

const ETHER_TRILL: u16 = 0x22F3;
const ETHER_MACSEC: u16 = 0x88E5;
const ETHER_BACKBONE: u16 = 0x88E7;
const ETHER_FABRIC_PATH: u16 = 0x8903;
const ETHER_VN_TAG: u16 = 0x8926;
const ETHER_HSR: u16 = 0x892F;
const ETHER_E_TAG: u16 = 0x893F;
const ETHER_NSH: u16 = 0x894F;
/// An EtherType up to this value is a length, and LLC follows it.
const LARGEST_LENGTH: u16 = 1500;
/// The LLC of SNAP, and the organisations whose protocol numbers are EtherTypes (RFC 1042, 802.1H).
const SNAP: [u8; 3] = [0xAA, 0xAA, 3];
const ENCAPSULATED: [[u8; 3]; 2] = [[0; 3], [0, 0, 0xF8]];

impl Search<'_> {
    /// Finds what one of these EtherTypes announces. `at` is the offset of its header.
    pub(super) fn tag(&mut self, ether_type: u16, at: usize) -> Option<Inner> {
        match ether_type {
            ..=LARGEST_LENGTH => self.llc(at),
            ETHER_BACKBONE => {
                let service = u32::from_be_bytes(self.bytes(at)?) & 0xFF_FFFF;
                self.enter(Layer::Backbone(service))?;
                self.ethernet(at + 4)
            }
            ETHER_E_TAG => self.before_ether_type(Layer::PortExtender, at, 6),
            ETHER_VN_TAG => self.before_ether_type(Layer::PortExtender, at, 4),
            ETHER_HSR => self.before_ether_type(Layer::Hsr, at, 4),
            ETHER_MACSEC => {
                let tag = MacsecHeaderSlice::from_slice(self.frame.get(at..)?).ok()?;
                // Encrypted data has no readable EtherType.
                let next = tag.next_ether_type()?.0;
                let behind = at + tag.header_len();
                self.enter(Layer::Macsec)?;
                self.network(next, behind)
            }
            ETHER_TRILL => {
                let words = (self.half(at)? >> 6) & 0x1F;
                self.enter(Layer::Trill)?;
                self.ethernet(at + 6 + usize::from(words) * 4)
            }
            ETHER_FABRIC_PATH => {
                self.enter(Layer::FabricPath)?;
                self.ethernet(at + 2)
            }
            ETHER_NSH => self.nsh(at),
            _ => None,
        }
    }

    /// Skips a tag of this many bytes, which an EtherType follows.
    fn before_ether_type(&mut self, layer: Layer, at: usize, bytes: usize) -> Option<Inner> {
        self.enter(layer)?;
        self.network(self.half(at + bytes)?, at + bytes + 2)
    }

    fn llc(&mut self, at: usize) -> Option<Inner> {
        let [l0, l1, l2, organisation @ ..] = self.bytes::<6>(at)?;
        if [l0, l1, l2] != SNAP || !ENCAPSULATED.contains(&organisation) {
            return None;
        }
        self.before_ether_type(Layer::Llc, at, 6)
    }

    /// Skips the header of service chains (RFC 8300).
    pub(super) fn nsh(&mut self, at: usize) -> Option<Inner> {
        let [_, words, _, next] = self.bytes::<4>(at)?;
        self.enter(Layer::Nsh)?;
        self.next_protocol(next, at + usize::from(words & 0x3F) * 4)
    }

    /// Finds what NSH and VXLAN-GPE announce by a protocol number of their own (RFC 8300 section 2.2).
    pub(super) fn next_protocol(&mut self, next: u8, at: usize) -> Option<Inner> {
        match next {
            1 => self.bare(super::ETHER_IPV4, at),
            2 => self.bare(super::ETHER_IPV6, at),
            3 => self.ethernet(at),
            4 => self.nsh(at),
            5 => self.mpls(at),
            _ => None,
        }
    }
}
