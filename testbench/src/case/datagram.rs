//! Address handles and datagrams, as a case describes them.
use serde::{Deserialize, Serialize};

/// A Q_Key, described by how it differs from that of the receiving queue pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QKey {
    /// The key that queue pairs of this number have in Init.
    #[default]
    Right,
    /// The key that a later modify_qp gives them.
    Other,
    /// The right key with this bit inverted. In a work request bit 31 selects the sender's own key (`ud.md` section 2).
    Wrong(u8),
}

impl QKey {
    pub(super) fn is_right(&self) -> bool {
        *self == QKey::Right
    }
}

/// The destination of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Destination {
    pub handle: u8,
    /// Number of the peer's queue pair.
    pub qp: u8,
    #[serde(default, skip_serializing_if = "QKey::is_right")]
    pub q_key: QKey,
    /// The QPN is that of multicast packets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multicast: bool,
}

/// The attributes of an address handle: those of the peer's address, except for the given ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Address {
    /// Number of the queue pair whose path it describes.
    #[serde(default)]
    pub qp: u8,
    /// Multicast group whose address it is, instead of the peer's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u8>,
    /// Whether packets have a GRH. `None`: like those of connections, or with one for a group, which requires it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global: Option<bool>,
    /// The protection domain is that of the last region.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_domain: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u8>,
    /// DLID. On a RoCE link these bits of the destination MAC address are inverted instead.
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
