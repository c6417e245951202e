//! Address handles and datagrams, as a case describes them.
use serde::{Deserialize, Serialize};

/// A Q_Key, by how it differs from that of the receiving queue pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QKey {
    /// The key that queue pairs of this number have in Init.
    #[default]
    Right,
    /// The key that a modify_qp gives them later.
    Other,
    /// The right one except for this bit. Bit 31 of a work request stands for the sender's own key (`ud.md` section 2).
    Wrong(u8),
}

impl QKey {
    pub(super) fn is_right(&self) -> bool {
        *self == QKey::Right
    }
}

/// Where a datagram goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Destination {
    pub handle: u8,
    /// Queue pair of the peer.
    pub qp: u8,
    #[serde(default, skip_serializing_if = "QKey::is_right")]
    pub q_key: QKey,
    /// The QPN is that of multicast packets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multicast: bool,
}

/// Attributes of an address handle: those of the peer's address, except for the given ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Address {
    /// Queue pair whose path it is.
    #[serde(default)]
    pub qp: u8,
    /// Multicast group whose address it is, in place of the peer's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u8>,
    /// Whether packets have a GRH; none: as those of connections, and as those for a group must.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global: Option<bool>,
    /// The protection domain is that of the last region.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_domain: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u8>,
    /// On a RoCE link it turns bits of the destination MAC around.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dlid: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sl: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bits: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_rate: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sgid_index: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow_label: Option<u32>,
}
