//! A forged packet, which no device sent, as a case describes it.
use super::datagram::QKey;
use serde::{Deserialize, Serialize};

/// The PSN to which a forged PSN is relative: a number of the queue pair that receives the packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// The PSN that its responder expects.
    #[default]
    Expected,
    /// The oldest PSN that its requester has no answer for.
    Unacknowledged,
    /// The PSN that its requester sends next.
    Next,
}

/// The key that a forged packet names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// The key of the region that permits everything.
    #[default]
    Right,
    /// The key of the region without remote access.
    NoRemoteAccess,
    /// The key of a region of another protection domain.
    OtherDomain,
    /// A key of no region.
    Unknown,
}

/// A forged packet, described by its differences from a correct one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forged {
    /// Opcode; any number.
    pub opcode: u8,
    #[serde(default)]
    pub base: Base,
    /// Offset from the base, added modulo 2^24.
    pub psn: i32,
    #[serde(default)]
    pub ack_req: bool,
    /// Length of the payload in bytes.
    pub payload: u16,
    /// Syndrome of an answer.
    #[serde(default)]
    pub syndrome: u8,
    /// Offset from the MSN that the peer would send, added modulo 2^24.
    #[serde(default)]
    pub msn: i32,
    /// DMALen of a RETH; `None` for the length of the payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dma_length: Option<u32>,
    #[serde(default)]
    pub key: Key,
    /// Offset that is added to the address of a RETH or AtomicETH.
    #[serde(default)]
    pub offset: u8,
    /// The address is that of the last 8 bytes of memory, plus the offset.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub high: bool,
    /// Q_Key of a DETH, for a queue pair of datagrams.
    #[serde(default, skip_serializing_if = "QKey::is_right")]
    pub q_key: QKey,
    /// Source QPN of a DETH; `None` for the QPN of the peer's queue pair with the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_qp: Option<u32>,
    /// Destination QPN; `None` for that of the queue pair, or for that of multicast packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dest_qp: Option<u32>,
    /// Multicast group that receives the packet, instead of the queue pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u8>,
    /// VL on a native link; `None` for 15 to QP0 and 0 to any other queue pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vl: Option<u8>,
    /// Second byte of the payload: the management class of a message to QP0 or QP1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<u8>,
    /// SLID on a native link; `None` for the peer's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slid: Option<u16>,
    /// DLID on a native link; `None` for that of the port or the group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dlid: Option<u16>,
    /// The packet has a GRH, on a native link.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub global: bool,
    /// Entry of the receiver's GID table that is the DGID of such a packet, an empty one too; `None` for that of its
    /// queue pairs, or of the group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gid: Option<u8>,
    /// Bits of LRH (or Ethernet, IP and UDP headers) and BTH that are inverted, counted from the first. The CRCs are
    /// correct again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flips: Vec<u16>,
    /// Number of bytes that are added at the end, or missing if negative. The CRCs are correct again.
    #[serde(default)]
    pub longer: i16,
    /// The length fields of the link's headers have the changed length.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub admitted: bool,
}

impl Forged {
    /// Makes a request that its responder expects, with the right key and without payload.
    pub fn expected(opcode: u8) -> Forged {
        Forged {
            opcode,
            base: Base::Expected,
            psn: 0,
            ack_req: true,
            payload: 0,
            syndrome: 0x1F,
            msn: 0,
            dma_length: None,
            key: Key::Right,
            offset: 0,
            high: false,
            q_key: QKey::Right,
            source_qp: None,
            dest_qp: None,
            group: None,
            vl: None,
            class: None,
            slid: None,
            dlid: None,
            global: false,
            gid: None,
            flips: Vec::new(),
            longer: 0,
            admitted: false,
        }
    }
}

/// A forged link packet, described by its differences from the one that the peer would send for the same VL at that
/// moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForgedLink {
    /// Op of the packet. A sound packet with Op 1 restarts an Active port.
    #[serde(default)]
    pub op: u8,
    pub vl: u8,
    /// Offset that is added to FCTBS, modulo 4096.
    #[serde(default)]
    pub fctbs: i16,
    /// Offset that is added to FCCL, modulo 4096.
    #[serde(default)]
    pub fccl: i16,
    /// Bits that are inverted, counted from the first. The LPCRC stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flips: Vec<u8>,
    /// Number of bytes that are added at the end, or missing if negative.
    #[serde(default)]
    pub longer: i8,
}

impl ForgedLink {
    /// Returns true if the packet has its length and a right LPCRC.
    pub fn is_sound(&self) -> bool {
        self.flips.is_empty() && self.longer == 0
    }

    /// Makes the packet that the peer would send.
    pub fn right(vl: u8) -> ForgedLink {
        ForgedLink {
            op: 0,
            vl,
            fctbs: 0,
            fccl: 0,
            flips: Vec::new(),
            longer: 0,
        }
    }
}
