//! Work requests, completions and queue pair attributes as values (`protocol/qp_cq.md`).
pub use crate::datagram::{AddressHandle, Datagram, DatagramSource};
pub use crate::route::{EthernetRoute, GlobalRoute};

/// Transport service of a QP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Service {
    #[default]
    Rc,
    Uc,
    Ud,
    Rd,
    Raw,
}

/// Answer of Query HCA: what a device can do (CF538).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HcaAttributes {
    pub services: Vec<Service>,
    /// A completion queue can be resized.
    pub cq_resize: bool,
    /// End-to-end credits are given and taken.
    pub end_to_end_credits: bool,
    pub memory_windows: bool,
    pub ports: u8,
    /// Number of queue pairs, QP0 and QP1 included.
    pub queue_pairs: usize,
    pub completion_queues: u32,
    /// Number of memory regions; `None` if their keys are free.
    pub memory_regions: Option<u32>,
    pub address_handles: u32,
    pub multicast_groups: usize,
    /// Most members of a multicast group.
    pub group_members: usize,
    /// Entries of the port's GID table.
    pub gids: u8,
    /// Most entries of a completion queue, of a send queue and of a receive queue.
    pub max_entries: [u32; 3],
    /// Most Reads and atomics of a queue pair under way.
    pub max_rd_atomic: u8,
    /// Most SGEs of a work request.
    pub max_sges: usize,
    /// Most bytes of an inline work request.
    pub max_inline: u32,
}

/// `qp_cq.md` section 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum QpState {
    Reset,
    Init,
    Rtr,
    Rts,
    Sqd,
    Sqe,
    Error,
}

/// Which work queue of a QP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum QueueSide {
    Send,
    Receive,
}

/// `protocol/pmtu.csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Pmtu {
    B256,
    B512,
    B1024,
    B2048,
    B4096,
}

impl Pmtu {
    /// Payload bytes of a full packet.
    pub fn bytes(self) -> usize {
        256 << self as usize
    }
    /// Code as in `pmtu.csv`, 1 to 5.
    pub fn code(self) -> u8 {
        self as u8 + 1
    }
    /// The PMTU with this many bytes.
    pub fn from_bytes(bytes: usize) -> Option<Pmtu> {
        [Pmtu::B256, Pmtu::B512, Pmtu::B1024, Pmtu::B2048, Pmtu::B4096]
            .into_iter()
            .find(|p| p.bytes() == bytes)
    }
}

/// Attributes of a queue pair, as modify_qp sets them (`qp_cq.md` section 2).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QpAttributes {
    /// 24 bits.
    pub qpn: u32,
    pub service: Service,
    pub send_cq: u32,
    pub receive_cq: u32,
    /// Entry of the port's P_Key table, 0 to 3.
    pub p_key_index: u16,
    /// 24 bits.
    pub dest_qpn: u32,
    pub dlid: u16,
    /// 4 bits.
    pub sl: u8,
    /// Offset to the port's base LID, below 2^LMC.
    pub source_path_bits: u8,
    /// `None`: packets without GRH, within the subnet. Always given on a RoCE link.
    pub global: Option<GlobalRoute>,
    /// Entry of the port's GID table; counts only with a GRH.
    #[cfg_attr(feature = "serde", serde(default))]
    pub sgid_index: u8,
    /// Given on a RoCE link.
    pub ethernet: Option<EthernetRoute>,
    pub pmtu: Pmtu,
    /// First PSN sent; 24 bits.
    pub sq_psn: u32,
    /// First PSN expected; 24 bits.
    pub rq_psn: u32,
    /// Code of `rnr_timer.csv`.
    pub min_rnr_timer: u8,
    /// Code of `ack_timeout.csv`.
    pub timeout: u8,
    /// Retries of a request without an answer, 0 to 7.
    pub retry_cnt: u8,
    /// Retries after RNR NAKs, 0 to 6; 7 is unlimited.
    pub rnr_retry: u8,
    /// Protection domain.
    pub pd: u32,
    /// Accesses that the peer may make.
    pub access: RemoteAccess,
    /// Most Reads and atomics under way, as requester.
    pub max_rd_atomic: u8,
    /// Reads and atomics that a responder stores to answer them again.
    pub max_dest_rd_atomic: u8,
    pub credits: EndToEndCredits,
    /// Key of a QP of datagrams (`ud.md` section 2 and 3): a request must carry it.
    pub q_key: u32,
    /// An event is wanted when an RNR NAK goes out for want of a receive WQE (`qp_cq.md` section 8). Set at creation.
    #[cfg_attr(feature = "serde", serde(default))]
    pub dry_event: bool,
}

/// End-to-end flow control, as agreed at connection set-up (`qp_cq.md` section 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EndToEndCredits {
    /// Positive answers of this QP carry the number of its receive WQEs; if false, code 31 (CF146).
    pub supplied: bool,
    /// The peer's answers do, and this QP respects them; if false, it sends without limit (`requester.md` section 4).
    pub expected: bool,
}

/// Access flags of a QP (`qp_cq.md` section 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RemoteAccess {
    pub write: bool,
    pub read: bool,
    pub atomic: bool,
}

/// Scatter/gather element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sge {
    pub addr: u64,
    /// Bytes.
    pub length: u32,
    pub l_key: u32,
}

/// Operation of a send work request. A `va` is the address of the first byte at the peer, and `r_key` the peer's key
/// for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SendOperation {
    #[default]
    Send,
    /// Immediate data as it stands on the wire (CF020).
    SendWithImmediate {
        immediate: [u8; 4],
    },
    /// Invalidates `r_key` of the peer once the message is placed.
    SendWithInvalidate {
        r_key: u32,
    },
    Write {
        va: u64,
        r_key: u32,
    },
    WriteWithImmediate {
        va: u64,
        r_key: u32,
        immediate: [u8; 4],
    },
    Read {
        va: u64,
        r_key: u32,
    },
    CompareSwap {
        va: u64,
        r_key: u32,
        compare: u64,
        swap: u64,
    },
    FetchAdd {
        va: u64,
        r_key: u32,
        add: u64,
    },
}

impl Service {
    /// Whether a send queue of this service carries out the operation (`services.md` section 1.1).
    pub fn offers(self, operation: &SendOperation) -> bool {
        use SendOperation::{Send, SendWithImmediate, Write, WriteWithImmediate};
        match self {
            Service::Rc => true,
            Service::Uc => matches!(
                operation,
                Send | SendWithImmediate { .. } | Write { .. } | WriteWithImmediate { .. }
            ),
            Service::Ud => matches!(operation, Send | SendWithImmediate { .. }),
            Service::Rd => !matches!(operation, SendOperation::SendWithInvalidate { .. }),
            Service::Raw => matches!(operation, Send),
        }
    }

    /// Whether requests are acknowledged, and sent again if they are not.
    pub fn is_reliable(self) -> bool {
        matches!(self, Service::Rc | Service::Rd)
    }
}

impl SendOperation {
    /// Whether it is CompareSwap or FetchAdd.
    pub fn is_atomic(&self) -> bool {
        matches!(self, Self::CompareSwap { .. } | Self::FetchAdd { .. })
    }
    /// Whether it takes a receive WQE of the peer (`aeth.md` section 5).
    pub fn takes_receive_wqe(&self) -> bool {
        self.may_be_solicited()
    }
    /// Whether it is answered by data, not by an ack.
    pub fn is_read_or_atomic(&self) -> bool {
        self.is_atomic() || matches!(self, Self::Read { .. })
    }
    /// Whether its packets carry the message.
    pub fn carries_data(&self) -> bool {
        !self.is_read_or_atomic()
    }
    /// Whether it ends in a receive completion of the peer; only such a message may be solicited (CF160, CF161).
    pub fn may_be_solicited(&self) -> bool {
        self.carries_data() && !matches!(self, Self::Write { .. })
    }
    /// The operation in a completion.
    pub fn completed(&self) -> CompletedOperation {
        match self {
            Self::Send | Self::SendWithImmediate { .. } | Self::SendWithInvalidate { .. } => {
                CompletedOperation::Send
            }
            Self::Write { .. } | Self::WriteWithImmediate { .. } => CompletedOperation::Write,
            Self::Read { .. } => CompletedOperation::Read,
            Self::CompareSwap { .. } => CompletedOperation::CompareSwap,
            Self::FetchAdd { .. } => CompletedOperation::FetchAdd,
        }
    }
}

/// `qp_cq.md` section 3.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SendRequest {
    pub wr_id: u64,
    pub operation: SendOperation,
    pub sges: Vec<Sge>,
    /// Whether a success completes, too; an error always does.
    pub signaled: bool,
    pub solicited: bool,
    /// Whether it waits for all earlier Reads and atomics.
    pub fence: bool,
    /// Whether the data is copied when the request is posted; L_Keys are ignored then.
    pub inline: bool,
    /// Given for a QP of datagrams, and only for such a QP.
    pub datagram: Option<Datagram>,
}

/// Defects of the entry of a send work request that verbs would refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Defect {
    /// No operation has this code.
    Operation(u8),
    /// This number of SGEs, which is more than the entry, or any entry, can have.
    Sges(u8),
    /// More than 2^31 bytes.
    Length(u32),
}

impl Defect {
    /// Status that the work request ends with (`requester.md` section 8).
    pub fn status(&self) -> Status {
        match self {
            Defect::Operation(_) | Defect::Sges(_) => Status::LocQpOpErr,
            Defect::Length(_) => Status::LocLenErr,
        }
    }
}

/// `qp_cq.md` section 3.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReceiveRequest {
    pub wr_id: u64,
    pub sges: Vec<Sge>,
}

/// A memory region (`qp_cq.md` section 3). The caller chooses keys, as it chooses QPNs and CQNs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MemoryRegion {
    pub l_key: u32,
    pub r_key: u32,
    /// Protection domain.
    pub pd: u32,
    /// Address of its first byte.
    pub base: u64,
    /// Bytes.
    pub length: u64,
    pub access: MemoryAccess,
    /// Whether addresses in the region count from 0, not from `base`.
    pub zero_based: bool,
}

/// Rights to a memory region; local read needs none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MemoryAccess {
    pub local_write: bool,
    pub remote_write: bool,
    pub remote_read: bool,
    pub remote_atomic: bool,
}

/// Operation named in a completion (`qp_cq.md` section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletedOperation {
    Send,
    Write,
    Read,
    CompareSwap,
    FetchAdd,
    Receive,
    /// A receive WQE that Write with immediate has consumed.
    ReceiveWithImmediate,
}

/// Completion status, numbered as in `qp_cq.md` section 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Status {
    Success = 0,
    LocLenErr = 1,
    LocQpOpErr = 2,
    LocProtErr = 4,
    WrFlushErr = 5,
    BadRespErr = 7,
    LocAccessErr = 8,
    RemInvReqErr = 9,
    RemAccessErr = 10,
    RemOpErr = 11,
    RetryExcErr = 12,
    RnrRetryExcErr = 13,
}

/// `qp_cq.md` section 4. For a failed one only `wr_id`, `status` and `qpn` are defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    pub wr_id: u64,
    pub status: Status,
    pub qpn: u32,
    pub operation: CompletedOperation,
    /// Bytes of a message received or read, 8 of an atomic; 0 for Send and Write.
    pub byte_count: u32,
    /// Immediate data as it was on the wire.
    pub immediate: Option<[u8; 4]>,
    /// R_Key that a Send with Invalidate has invalidated.
    pub invalidated: Option<u32>,
    /// Index into the port's P_Key table of the entry that a message to QP1 matched.
    pub p_key_index: Option<u16>,
    /// Present for a received datagram.
    pub datagram: Option<DatagramSource>,
}

/// What the port counts, each up to the largest number of its bits (`ud.md` section 3.1, `portinfo.csv`,
/// `port_counters.csv`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PortCounter {
    PKeyViolations,
    QKeyViolations,
    /// SMPs dropped for want of a receive WQE, or of a QP0 that receives.
    Vl15Dropped,
    /// Packets that the port's state did not let leave, or that had no usable VL.
    XmitDiscards,
    /// Times that an Active port lost its physical link and had it back in time.
    LinkErrorRecovery,
    /// Times that the port went Down because its physical link was lost.
    LinkDowned,
    /// Packets that failed a check of the link.
    RcvErrors,
    /// Packets that the link marked as bad at their end.
    RcvRemotePhysicalErrors,
    /// Packets that found no room in the buffer of their data VL.
    BufferOverrun,
    /// Words from LRH to ICRC of the packets that left.
    XmitData,
    /// Words from LRH to ICRC of the packets that passed the checks of the link.
    RcvData,
    /// Packets that left.
    XmitPackets,
    /// Packets that passed the checks of the link.
    RcvPackets,
}

impl PortCounter {
    /// Every counter.
    pub const ALL: [PortCounter; 13] = {
        use PortCounter::*;
        [
            PKeyViolations, QKeyViolations, Vl15Dropped, XmitDiscards, LinkErrorRecovery, LinkDowned,
            RcvErrors, RcvRemotePhysicalErrors, BufferOverrun, XmitData, RcvData, XmitPackets, RcvPackets,
        ]
    };

    /// Width of the counter in bits.
    pub fn bits(self) -> u32 {
        use PortCounter::*;
        match self {
            BufferOverrun => 4,
            LinkErrorRecovery | LinkDowned => 8,
            XmitData | RcvData | XmitPackets | RcvPackets => 32,
            _ => 16,
        }
    }

    /// Whether a RoCE port counts it, too.
    pub fn is_on_ethernet(self) -> bool {
        matches!(self, PortCounter::PKeyViolations | PortCounter::QKeyViolations)
    }
}

/// Events of a QP outside its completion queues (`qp_cq.md` section 8). QP fatal: host memory failed the QP, or one of
/// its doorbells was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsyncEvent {
    CommunicationEstablished {
        qpn: u32,
    },
    RequestError {
        qpn: u32,
    },
    AccessError {
        qpn: u32,
    },
    SendQueueDrained {
        qpn: u32,
    },
    QpFatal {
        qpn: u32,
    },
    /// A request found no receive WQE.
    ReceiveQueueDry {
        qpn: u32,
    },
}

/// Events of the event queue (`qp_cq.md` section 7 and 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostEvent {
    /// This CQ was armed, and a fitting completion is there.
    Completion {
        cqn: u32,
    },
    /// This CQ had no room for a completion.
    CqError {
        cqn: u32,
    },
    Qp(AsyncEvent),
    /// This port has become Active (`link.md` section 1).
    PortActive {
        port: u8,
    },
    /// This port was Active and went Down.
    PortError {
        port: u8,
    },
}

impl AsyncEvent {
    /// The QP of the event.
    pub fn qpn(&self) -> u32 {
        match *self {
            AsyncEvent::CommunicationEstablished { qpn }
            | AsyncEvent::RequestError { qpn }
            | AsyncEvent::AccessError { qpn }
            | AsyncEvent::SendQueueDrained { qpn }
            | AsyncEvent::QpFatal { qpn }
            | AsyncEvent::ReceiveQueueDry { qpn } => qpn,
        }
    }
}
