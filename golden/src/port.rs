//! A port, and how its link frames packets.
pub use crate::port_number::FIRST;

use crate::arbitration::Arbitration;
use crate::verbs::Pmtu;

/// How a link frames packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Link {
    /// Native InfiniBand: first LRH byte to last VCRC byte.
    #[default]
    #[cfg_attr(feature = "serde", serde(rename = "ib"))]
    InfiniBand,
    /// RoCEv2: an Ethernet frame without FCS.
    Roce,
}

/// State of a native port (`protocol/link.md` section 1), with its code in PortInfo. A port over Ethernet is always
/// Active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PortState {
    Down = 1,
    Init = 2,
    Armed = 3,
    #[default]
    Active = 4,
    /// The physical link of an Active port is lost. PortInfo shows this state as Active.
    ActiveDefer = 5,
}

/// Number of service levels.
pub const SLS: usize = 16;
/// Number of entries of a port's P_Key table.
pub const P_KEYS: usize = 4;
/// Number of entries of a native port's GID table; a port over Ethernet has the first alone (`protocol/link.md`
/// section 2).
pub const GIDS: usize = 4;
/// The P_Key of the default partition, full member (`headers.md` section 5).
const DEFAULT_P_KEY: u16 = 0xFFFF;

/// A port of a device (`protocol/link.md` section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortConfig {
    /// Number of the port, from [`FIRST`] on.
    pub number: u8,
    pub link: Link,
    /// Base LID. Its low `lmc` bits are zero.
    pub lid: u16,
    /// LID mask control, 0 to 7.
    pub lmc: u8,
    /// Entry 0 of the GID table; `::ffff:a.b.c.d` on a RoCE link with IPv4.
    pub gid: [u8; 16],
    /// GUIDs of the other entries of a native port's GID table, which share the prefix of `gid`; 0: an empty entry.
    pub guids: [u64; GIDS - 1],
    /// MAC address, on a RoCE link.
    pub mac: [u8; 6],
    /// Active MTU: the largest payload of a packet that the port sends or takes (`protocol/link.md` section 13).
    pub mtu: Pmtu,
    /// Number of operational data VLs, from VL 0 on, of a native link (`protocol/link.md` section 3).
    pub data_vls: u8,
    /// The VL of each SL, on a native link.
    pub sl_to_vl: [u8; SLS],
    /// The turns of the data VLs, on a native link with flow control.
    pub arbitration: Arbitration,
    /// P_Key table. An entry of 0 is empty.
    pub p_keys: [u16; P_KEYS],
}

impl Default for PortConfig {
    /// Returns the first port without addresses and with one data VL, to which all SLs map. The first entry of its
    /// P_Key table is the default partition's.
    fn default() -> PortConfig {
        PortConfig {
            number: FIRST,
            link: Link::default(),
            lid: 0,
            lmc: 0,
            gid: [0; 16],
            guids: [0; GIDS - 1],
            mac: [0; 6],
            mtu: Pmtu::B4096,
            data_vls: 1,
            sl_to_vl: [0; SLS],
            arbitration: Arbitration::of(1),
            p_keys: [DEFAULT_P_KEY, 0, 0, 0],
        }
    }
}

impl PortConfig {
    /// Returns the mask of the LID bits that choose one of the port's LIDs.
    pub fn path_bits(&self) -> u16 {
        (1 << self.lmc.min(7)) - 1
    }

    /// Returns the number of entries of the GID table.
    pub fn gid_entries(&self) -> u8 {
        match self.link {
            Link::InfiniBand => GIDS as u8,
            Link::Roce => 1,
        }
    }

    /// Returns the GID at an index of the table: the prefix joined with the GUID of the entry (CF267); 0 beyond its
    /// end.
    pub fn gid_at(&self, index: u8) -> [u8; 16] {
        if index == 0 {
            return self.gid;
        }
        let other = usize::from(index) - 1;
        match self.guids.get(other) {
            Some(guid) if index < self.gid_entries() => {
                let prefix = u128::from_be_bytes(self.gid) >> 64 << 64;
                (prefix | u128::from(*guid)).to_be_bytes()
            }
            _ => [0; 16],
        }
    }

    /// Returns true if packets to this GID are for the port. No packet is for an empty entry of the table.
    pub fn has_gid(&self, gid: [u8; 16]) -> bool {
        let is_filled = |index: u8| index == 0 || self.guids[usize::from(index) - 1] != 0;
        (0..self.gid_entries()).any(|index| is_filled(index) && self.gid_at(index) == gid)
    }

    /// Returns the VL of a packet with this SL, which has 4 bits.
    pub fn vl(&self, sl: u8) -> u8 {
        self.sl_to_vl[usize::from(sl) % SLS]
    }

    /// Returns the P_Key at an index of the table; beyond its end 0, which matches no P_Key.
    pub fn p_key(&self, index: u16) -> u16 {
        self.p_keys.get(usize::from(index)).copied().unwrap_or_default()
    }
}
