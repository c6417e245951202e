//! The addresses and numbers of a case: small ones that a reader recognises, or arbitrary ones.
use super::addresses;
use crate::case::frame::Frame;
use crate::case::limits::INVALIDATED;
use crate::case::{PKey, SecondPort};
use crate::device::port_on;
use crate::Side;
use hca_golden::port::{Link, PortConfig, GIDS, P_KEYS};
use hca_golden::verbs::{MemoryAccess, MemoryRegion, Pmtu};
use hca_sim::driver::RINGS;
use std::net::Ipv4Addr;

/// Number of bytes that a case's addresses and rings span.
const SPAN: u64 = 1 << 31;
/// Border of addresses: data is below it, rings are above.
const HALF: u64 = 1 << 62;
/// Offset beyond the part of a region that a case uses.
const LENGTH: u64 = 0x5000_0000;
/// Largest LMC.
const MAX_LMC: u8 = 3;

/// The use of a drawn number.
#[derive(Clone, Copy)]
pub(super) enum Use {
    Memory,
    Rings,
    Bounds,
    Qpn,
    Key,
    Domain,
    Psn,
    Lid,
    Path,
    Gid,
    Mac,
    Partition,
    PartitionIndex,
    Route,
    WorkRequest,
    Value,
    Handle,
    QKey,
    Group,
}

/// The addresses and numbers of a case. With spread 0 they are small numbers, else each number takes its bits from the
/// spread.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    pub(super) link: Link,
    spread: u64,
    /// The QPN of the last queue pair, if it is QP0 or QP1.
    pub(super) management: Option<u8>,
    /// The link has flow control.
    has_credits: bool,
    /// Software changes the states and VLs of ports with flow control.
    changes_link: bool,
    /// What is on port 2; `None` for adapters with one port.
    pub(super) second_port: Option<SecondPort>,
    /// Active MTUs of the ports of X and of Y.
    mtus: [Pmtu; 2],
}

impl Places {
    /// Makes the addresses and numbers of a case.
    pub fn of(frame: &Frame) -> Places {
        Places {
            management: frame.management,
            has_credits: frame.credits.is_some() && frame.link == Link::InfiniBand,
            changes_link: frame.controlled().is_some(),
            second_port: frame.second_port.filter(|_| frame.has_two_ports()),
            mtus: frame.mtus.map_or([Pmtu::B4096; 2], |codes| {
                codes.map(|code| Pmtu::of_code(code).unwrap_or(Pmtu::B4096))
            }),
            ..Places::new(frame.link, frame.spread.into())
        }
    }

    /// Makes the addresses and numbers of a case without QP0, QP1, flow control and port 2.
    pub fn new(link: Link, spread: u64) -> Places {
        Places {
            link,
            spread,
            management: None,
            has_credits: false,
            changes_link: false,
            second_port: None,
            mtus: [Pmtu::B4096; 2],
        }
    }

    /// Returns true if software has to leave the port Active. With credits, a port that goes down takes its neighbour
    /// with it, and software of the neighbour that requests nothing would wait for ever.
    pub fn keeps_port(&self) -> bool {
        self.has_credits && !self.changes_link
    }

    /// Returns true if the ports have flow control, and software changes their states and VLs: it brings both ends of
    /// the link up again.
    pub(super) fn changes_link(&self) -> bool {
        self.changes_link
    }

    /// Returns the link of the case.
    pub fn link(&self) -> Link {
        self.link
    }

    pub(super) fn is_plain(&self) -> bool {
        self.spread == 0
    }

    /// Returns 64 bits for this use, mixed as in SplitMix64; 0 with spread 0.
    pub(super) fn bits(&self, of: Use) -> u64 {
        if self.is_plain() {
            return 0;
        }
        let mut z = self
            .spread
            .wrapping_add((of as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// Returns such bits, different for each side.
    fn bits_of(&self, of: Use, side: Side) -> u64 {
        self.bits(of).rotate_left(24 * side as u32)
    }

    /// Returns the device's port.
    pub fn port(&self, side: Side) -> PortConfig {
        let plain = PortConfig {
            mtu: self.mtus[side as usize],
            ..port_on(self.link, side)
        };
        if self.is_plain() {
            return plain;
        }
        let [a, b, c, d, ..] = self.bits_of(Use::Mac, side).to_le_bytes();
        let number = plain.mac[5];
        let mut gid = [0xFE; 16];
        gid[8..].copy_from_slice(&self.bits_of(Use::Gid, side).to_be_bytes());
        match self.link {
            Link::InfiniBand => PortConfig {
                // Only unicast LIDs are drawn.
                lid: plain.lid << MAX_LMC | (self.bits_of(Use::Lid, side) & 0x7FE0) as u16,
                lmc: self.lmc(side),
                gid,
                guids: self.guids(side),
                p_keys: self.p_keys(side),
                ..plain
            },
            Link::Roce => PortConfig {
                gid: Ipv4Addr::new(10, gid[8], gid[9], number)
                    .to_ipv6_mapped()
                    .octets(),
                mac: [2, a, b, c, d, number],
                p_keys: self.p_keys(side),
                ..plain
            },
        }
    }

    /// GUIDs behind the first; the second of them is empty in half of the cases.
    fn guids(&self, side: Side) -> [u64; GIDS - 1] {
        let bits = self.bits_of(Use::Gid, side);
        let empty = bits >> 63 == 1;
        [!bits, if empty { 0 } else { bits ^ 1 << 31 }, bits ^ 1]
    }

    /// Entry of the GID table that packets of this side's queue pairs name.
    pub(super) fn sgid_index(&self, side: Side) -> u8 {
        if self.link == Link::Roce || self.is_plain() {
            return 0;
        }
        let index = (self.bits_of(Use::Path, side) >> 24) as u8 % GIDS as u8;
        let port = self.port(side);
        if port.has_gid(port.gid_at(index)) {
            index
        } else {
            0
        }
    }

    /// The GID that the peer knows this side's queue pairs by.
    pub(super) fn gid(&self, side: Side) -> [u8; 16] {
        self.port(side).gid_at(self.sgid_index(side))
    }

    fn lmc(&self, side: Side) -> u8 {
        self.bits_of(Use::Path, side) as u8 % (MAX_LMC + 1)
    }

    /// Returns the path bits of packets of a queue pair of this side.
    pub(super) fn path_bits(&self, side: Side, qp: u8) -> u8 {
        let bits = (self.bits_of(Use::Path, side) >> 8) as u8;
        bits.wrapping_add(qp) & ((1 << self.port(side).lmc) - 1)
    }

    /// Returns the LID by which the peer knows this side's queue pair.
    pub fn lid(&self, side: Side, qp: u8) -> u16 {
        self.port(side).lid | u16::from(self.path_bits(side, qp))
    }

    /// Returns four partitions. The other side has them at other indices, and may be a limited member.
    fn p_keys(&self, side: Side) -> [u16; P_KEYS] {
        let bits = self.bits(Use::Partition);
        let key = |n: usize| (bits >> 8 & 0x7FF8) as u16 | (n as u16 + 1);
        let member = |n: usize| match side {
            Side::X => 0x8000,
            Side::Y => (bits >> n & 1) as u16 * 0x8000,
        };
        let mut keys = std::array::from_fn(|n| key(n) | member(n));
        keys.rotate_left(side as usize);
        keys
    }

    /// Returns the index into the P_Key table for connections.
    pub(super) fn p_key_index(&self, side: Side) -> u16 {
        let index = self.bits(Use::PartitionIndex) as usize % P_KEYS;
        match self.is_plain() {
            true => 0,
            false => ((index + P_KEYS - side as usize) % P_KEYS) as u16,
        }
    }

    /// Returns the P_Key of packets of this side.
    pub fn p_key(&self, side: Side) -> u16 {
        self.port(side).p_keys[usize::from(self.p_key_index(side))]
    }

    /// Returns the new value of an entry of this side's table.
    pub(super) fn changed_p_key(&self, side: Side, index: u8, to: PKey) -> u16 {
        let first = self.port(side).p_keys[usize::from(index)];
        match to {
            PKey::First => first,
            PKey::OtherMember => first ^ 0x8000,
            PKey::Empty => 0,
        }
    }

    /// Returns an address in host memory.
    pub fn address(&self, place: u64) -> u64 {
        self.base() + place
    }

    /// Returns the address of the same place for use with keys.
    pub fn va(&self, place: u64) -> u64 {
        match self.zero_based() {
            true => place,
            false => self.address(place),
        }
    }

    fn base(&self) -> u64 {
        self.bits(Use::Memory) % HALF / SPAN * SPAN
    }

    fn zero_based(&self) -> bool {
        self.bits(Use::Bounds) >> 63 == 1
    }

    /// Returns the address of the driver's rings.
    pub fn rings(&self) -> u64 {
        match self.is_plain() {
            true => RINGS,
            false => RINGS + HALF + self.bits(Use::Rings) % HALF / SPAN * SPAN,
        }
    }

    /// Returns the keys of a region that was registered this often.
    pub fn keys(&self, region: u8, times: u32) -> (u32, u32) {
        let entry = (u32::from(region) + 1) << 8;
        // The tag excludes the entry, and the bit that distinguishes the two keys.
        let tag = (times & 0x7F) ^ (self.bits(Use::Key) as u32 & 0xFFFC_007F);
        (0x5100_0000 ^ entry ^ tag, 0xA200_0080 ^ entry ^ tag)
    }

    /// Returns a region of all memory of a case. Regions 0 and 2 permit everything, region 1 no remote access; each
    /// fourth time that region 2 is registered, it is of another protection domain.
    pub fn region(&self, region: u8, times: u32) -> MemoryRegion {
        let (l_key, r_key) = self.keys(region, times);
        let remote = region != 1;
        MemoryRegion {
            l_key,
            r_key,
            pd: self.domain() ^ u32::from(region == INVALIDATED && times.is_multiple_of(4)),
            base: self.base(),
            length: match self.is_plain() {
                true => u64::MAX,
                false => LENGTH + self.bits(Use::Bounds) % LENGTH,
            },
            access: MemoryAccess {
                local_write: true,
                remote_write: remote,
                remote_read: remote,
                remote_atomic: remote,
            },
            zero_based: self.zero_based(),
        }
    }

    pub(super) fn domain(&self) -> u32 {
        self.bits(Use::Domain) as u32 & 0xFF_FFFF
    }

    /// Returns the first PSN of this side. In half of the cases it is near the end of the 24 bits.
    pub(super) fn psn(&self, qp: u8, side: Side) -> u32 {
        let bits = self.bits(Use::Psn);
        let from = if bits >> 63 == 1 { bits as u32 } else { 0xFF_FFF8 };
        (from.wrapping_add(u32::from(qp) + 4 * side as u32)) & 0xFF_FFFF
    }

    /// Returns the number that is added to the numbers of work requests.
    pub fn first_wr_id(&self) -> u64 {
        self.bits(Use::WorkRequest)
    }

    /// Returns a value that is sent or in memory, after an exclusive or that is the same for all, so that equal values
    /// stay equal.
    pub fn value(&self, value: u64) -> u64 {
        value ^ self.bits(Use::Value)
    }

    /// Returns the initial values for the peer's atomics.
    pub fn all_words(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        addresses::all_words().map(|(place, value)| (self.address(place), self.value(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::limits;
    use hca_sim::driver::RINGS_SIZE;

    const PLACES: [u64; 5] = [0, 1, 2, 0x1234_5678, u64::MAX];

    #[test]
    fn both_sides_know_each_other() {
        for link in [Link::InfiniBand, Link::Roce] {
            for places in PLACES.map(|spread| Places::new(link, spread)) {
                let [x, y] = Side::BOTH.map(|side| places.p_key(side));
                assert_eq!(x & 0x7FFF, y & 0x7FFF, "{places:?}: one partition");
                assert_ne!((x | y) & 0x8000, 0, "{places:?}: one of them a full member");
                let [x, y] = Side::BOTH.map(|side| places.port(side));
                assert!(x.lid != y.lid || x.gid != y.gid, "{places:?}");
                for (side, port) in [(Side::X, x), (Side::Y, y)] {
                    assert_eq!(port.lid & ((1 << port.lmc) - 1), 0, "{places:?}: a base LID");
                    for qp in 0..limits::QPS {
                        assert_eq!(
                            places.lid(side, qp) >> port.lmc,
                            port.lid >> port.lmc,
                            "{places:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_lies_where_something_else_does() {
        for places in PLACES.map(|spread| Places::new(Link::InfiniBand, spread)) {
            let region = places.region(0, 1);
            let (sources, length) = addresses::all_sources();
            assert!(region.length > sources + length, "{places:?}");
            let data = places.address(sources)..places.address(SPAN);
            let rings = places.rings()..places.rings() + RINGS_SIZE;
            assert!(rings.end <= data.start || data.end <= rings.start, "{places:?}");
            let keys: Vec<u32> = (0..limits::REGIONS)
                .flat_map(|n| <[u32; 2]>::from(places.keys(n, 1)))
                .collect();
            for (n, key) in keys.iter().enumerate() {
                assert!(!keys[..n].contains(key), "{places:?}");
                assert_eq!(key >> 8 & 0x3FF, n as u32 / 2 + 1, "{places:?}: the entry");
            }
        }
    }
}
