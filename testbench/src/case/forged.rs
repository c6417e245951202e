//! A packet that nobody sent, as a case describes it.
use super::datagram::QKey;
use serde::{Deserialize, Serialize};

/// What a forged PSN is counted from: numbers of the queue pair that it is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// The PSN that its responder expects.
    #[default]
    Expected,
    /// The oldest that its requester has no answer for.
    Unacknowledged,
    /// The next that its requester sends.
    Next,
}

/// Whose key it names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// Of the region that permits everything.
    #[default]
    Right,
    /// Of the region without remote access.
    NoRemoteAccess,
    /// Of another protection domain.
    OtherDomain,
    /// Of none.
    Unknown,
}

/// A forged packet, by what a reader would change of a right one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forged {
    /// Any number.
    pub opcode: u8,
    #[serde(default)]
    pub base: Base,
    /// Added to it, modulo 2^24.
    pub psn: i32,
    #[serde(default)]
    pub ack_req: bool,
    /// Bytes of payload.
    pub payload: u16,
    /// Of an answer.
    #[serde(default)]
    pub syndrome: u8,
    /// Added to the MSN that the peer would tell, modulo 2^24.
    #[serde(default)]
    pub msn: i32,
    /// Of a RETH; none: as many bytes as the payload has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dma_length: Option<u32>,
    #[serde(default)]
    pub key: Key,
    /// Added to the address of a RETH or AtomicETH.
    #[serde(default)]
    pub offset: u8,
    /// The address is that of memory's last 8 bytes, and the offset.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub high: bool,
    /// Of a DETH for a queue pair of datagrams, as is `source_qp`.
    #[serde(default, skip_serializing_if = "QKey::is_right")]
    pub q_key: QKey,
    /// None: the QPN of the peer of this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_qp: Option<u32>,
    /// None: the QPN of the queue pair that it is for, or that of multicast packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dest_qp: Option<u32>,
    /// Multicast group that it is for, in place of the queue pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u8>,
    /// On a native link; none: 15 for QP0, 0 for any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vl: Option<u8>,
    /// Second byte of the payload: the management class of a message to QP0 or QP1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<u8>,
    /// On a native link, as are `dlid` and `global`; none: the peer's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slid: Option<u16>,
    /// None: the port's, or the group's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dlid: Option<u16>,
    /// It has a GRH.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub global: bool,
    /// Bits of LRH (or Ethernet, IP and UDP headers) and BTH that are turned around, from the first; CRCs are right
    /// again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flips: Vec<u16>,
    /// Bytes that are missing at the end, or too many; CRCs are right again.
    #[serde(default)]
    pub longer: i16,
    /// The link's headers tell the length that it has then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub admitted: bool,
}

impl Forged {
    /// A request that its responder expects, with the right key, without bytes.
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
            flips: Vec::new(),
            longer: 0,
            admitted: false,
        }
    }
}

/// A forged link packet, by how it differs from the one that the peer would send for the same VL at that moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForgedLink {
    /// No sound one has Op 1, which restarts the port.
    #[serde(default)]
    pub op: u8,
    pub vl: u8,
    /// Added to FCTBS, modulo 4096.
    #[serde(default)]
    pub fctbs: i16,
    /// Added to FCCL, modulo 4096.
    #[serde(default)]
    pub fccl: i16,
    /// Bits that are turned around, from the first; the LPCRC stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flips: Vec<u8>,
    /// Bytes that are missing at the end, or too many.
    #[serde(default)]
    pub longer: i8,
}

impl ForgedLink {
    /// What the peer would say.
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
