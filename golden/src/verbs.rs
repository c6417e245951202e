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

/// The answer to Query HCA: what a device can do (CF538).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HcaAttributes {
    pub services: Vec<Service>,
    /// The device can resize completion queues.
    pub cq_resize: bool,
    /// The device gives end-to-end credits and respects those of its peer.
    pub end_to_end_credits: bool,
    pub memory_windows: bool,
    pub ports: u8,
    /// Number of queue pairs, QP0 and QP1 of each port included.
    pub queue_pairs: usize,
    pub completion_queues: u32,
    /// Number of memory regions; `None` if software chooses keys freely.
    pub memory_regions: Option<u32>,
    pub address_handles: u32,
    pub multicast_groups: usize,
    /// Largest number of members of a multicast group.
    pub group_members: usize,
    /// Number of entries of a port's GID table.
    pub gids: u8,
    /// Largest number of entries of a completion queue, of a send queue, and of a receive queue.
    pub max_entries: [u32; 3],
    /// Largest number of Reads and atomics of a queue pair under way.
    pub max_rd_atomic: u8,
    /// Largest number of SGEs of a work request.
    pub max_sges: usize,
    /// Largest number of bytes of an inline work request.
    pub max_inline: u32,
}

/// The state of a queue pair (`qp_cq.md` section 1).
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

/// One of the two work queues of a QP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum QueueSide {
    Send,
    Receive,
}

/// A path MTU (`protocol/pmtu.csv`).
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
    /// Returns the payload of a full packet, in bytes.
    pub fn bytes(self) -> usize {
        256 << self as usize
    }
    /// Returns the code of `pmtu.csv`, 1 to 5.
    pub fn code(self) -> u8 {
        self as u8 + 1
    }
    /// Returns the PMTU of this code of `pmtu.csv`, if there is one.
    pub fn of_code(code: u8) -> Option<Pmtu> {
        [Pmtu::B256, Pmtu::B512, Pmtu::B1024, Pmtu::B2048, Pmtu::B4096]
            .into_iter()
            .find(|p| p.code() == code)
    }
    /// Returns the PMTU with this many bytes, if there is one.
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
    /// QPN, 24 bits.
    pub qpn: u32,
    pub service: Service,
    pub send_cq: u32,
    pub receive_cq: u32,
    /// Number of the port to which the QP is bound. QP0 and QP1 belong to a port by their QPN.
    #[cfg_attr(feature = "serde", serde(default = "crate::port_number::first"))]
    pub port: u8,
    /// Index into the port's P_Key table, 0 to 3.
    pub p_key_index: u16,
    /// Destination QPN, 24 bits.
    pub dest_qpn: u32,
    pub dlid: u16,
    /// Service level, 4 bits.
    pub sl: u8,
    /// Offset from the port's base LID, below 2^LMC.
    pub source_path_bits: u8,
    /// A code of `static_rate.csv`; of no effect on a RoCE link.
    #[cfg_attr(feature = "serde", serde(default))]
    pub static_rate: u8,
    /// Fields of the GRH; `None` for packets without a GRH, within the subnet. Always given on a RoCE link.
    pub global: Option<GlobalRoute>,
    /// Entry of the port's GID table; counts only with a GRH.
    #[cfg_attr(feature = "serde", serde(default))]
    pub sgid_index: u8,
    /// Additional fields for a RoCE link; given there only.
    pub ethernet: Option<EthernetRoute>,
    pub pmtu: Pmtu,
    /// First PSN sent; 24 bits.
    pub sq_psn: u32,
    /// First PSN expected; 24 bits.
    pub rq_psn: u32,
    /// Timer code of RNR NAKs, as in `rnr_timer.csv`.
    pub min_rnr_timer: u8,
    /// Local ack timeout, a code of `ack_timeout.csv`.
    pub timeout: u8,
    /// Retries of a request without an answer, 0 to 7.
    pub retry_cnt: u8,
    /// Retries after RNR NAKs, 0 to 6; 7 is unlimited.
    pub rnr_retry: u8,
    /// Protection domain.
    pub pd: u32,
    /// Accesses that the peer may make.
    pub access: RemoteAccess,
    /// Largest number of Reads and atomics under way, as requester.
    pub max_rd_atomic: u8,
    /// Number of Reads and atomics that the responder stores to answer them again.
    pub max_dest_rd_atomic: u8,
    pub credits: EndToEndCredits,
    /// Q_Key of a QP of datagrams (`ud.md` sections 2 and 3). A datagram must carry it.
    pub q_key: u32,
    /// Software wants an event when an RNR NAK leaves because there is no receive WQE (`qp_cq.md` section 8). Set at
    /// creation.
    #[cfg_attr(feature = "serde", serde(default))]
    pub dry_event: bool,
}

/// End-to-end flow control, as agreed at connection set-up (`qp_cq.md` section 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EndToEndCredits {
    /// Positive answers of this QP carry the number of its receive WQEs. If false, they carry code 31 (CF146).
    pub supplied: bool,
    /// The peer's positive answers carry the number of its receive WQEs, and this QP respects it. If false, this QP
    /// sends without limit (`requester.md` section 4).
    pub expected: bool,
}

/// The kinds of remote access that a QP permits (`qp_cq.md` section 2).
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
    /// Length in bytes.
    pub length: u32,
    pub l_key: u32,
}

/// The operation of a send work request. `va` is the address of the first byte at the peer, and `r_key` the peer's key
/// for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SendOperation {
    #[default]
    Send,
    /// The immediate data is given as it stands on the wire (CF020).
    SendWithImmediate {
        immediate: [u8; 4],
    },
    /// The peer invalidates its `r_key` once the message is placed.
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
    /// Returns true if a send queue of this service carries out the operation (`services.md` section 1.1).
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

    /// Returns true if requests are acknowledged, and sent again if they are not.
    pub fn is_reliable(self) -> bool {
        matches!(self, Service::Rc | Service::Rd)
    }
}

impl SendOperation {
    /// Returns true for CompareSwap and FetchAdd.
    pub fn is_atomic(&self) -> bool {
        matches!(self, Self::CompareSwap { .. } | Self::FetchAdd { .. })
    }
    /// Returns true if the operation takes a receive WQE of the peer (`aeth.md` section 5).
    pub fn takes_receive_wqe(&self) -> bool {
        self.may_be_solicited()
    }
    /// Returns true if the operation is answered by data rather than by an ack.
    pub fn is_read_or_atomic(&self) -> bool {
        self.is_atomic() || matches!(self, Self::Read { .. })
    }
    /// Returns true if the packets of the request carry the message.
    pub fn carries_data(&self) -> bool {
        !self.is_read_or_atomic()
    }
    /// Returns true if the operation ends in a receive completion of the peer. Only such a message may be solicited
    /// (CF160, CF161).
    pub fn may_be_solicited(&self) -> bool {
        self.carries_data() && !matches!(self, Self::Write { .. })
    }
    /// Returns the operation that a completion names.
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

/// A send work request (`qp_cq.md` section 3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SendRequest {
    pub wr_id: u64,
    pub operation: SendOperation,
    pub sges: Vec<Sge>,
    /// A success makes a completion, too. An error always does.
    pub signaled: bool,
    pub solicited: bool,
    /// The request waits for all earlier Reads and atomics.
    pub fence: bool,
    /// The data is copied when the request is posted; its L_Keys are ignored.
    pub inline: bool,
    /// Destination; given for a QP of datagrams only.
    pub datagram: Option<Datagram>,
}

/// A defect of the entry of a send work request that verbs would refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Defect {
    /// The entry has this operation code, which no operation has.
    Operation(u8),
    /// The entry has this number of SGEs, which is more than it, or any entry, can have.
    Sges(u8),
    /// The entry has this length, which is more than 2^31 bytes.
    Length(u32),
}

impl Defect {
    /// Returns the status with which the work request ends (`requester.md` section 8).
    pub fn status(&self) -> Status {
        match self {
            Defect::Operation(_) | Defect::Sges(_) => Status::LocQpOpErr,
            Defect::Length(_) => Status::LocLenErr,
        }
    }
}

/// A receive work request (`qp_cq.md` section 3).
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
    /// Address of the region's first byte.
    pub base: u64,
    /// Length in bytes.
    pub length: u64,
    pub access: MemoryAccess,
    /// Addresses in the region count from 0 rather than from `base`.
    pub zero_based: bool,
}

/// The rights to a memory region. A local read needs none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MemoryAccess {
    pub local_write: bool,
    pub remote_write: bool,
    pub remote_read: bool,
    pub remote_atomic: bool,
}

/// The completions for which a completion queue is armed (`qp_cq.md` section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arming {
    No,
    /// The next solicited one.
    Solicited,
    /// The next one of any kind.
    Next,
}

/// The operation named in a completion (`qp_cq.md` section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletedOperation {
    Send,
    Write,
    Read,
    CompareSwap,
    FetchAdd,
    Receive,
    /// A Write with immediate that has consumed a receive WQE.
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

/// A completion (`qp_cq.md` section 4). If it failed, only `wr_id`, `status` and `qpn` are defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    pub wr_id: u64,
    pub status: Status,
    pub qpn: u32,
    pub operation: CompletedOperation,
    /// Number of bytes received or read; 8 for an atomic, 0 for Send and Write.
    pub byte_count: u32,
    /// Immediate data as it was on the wire.
    pub immediate: Option<[u8; 4]>,
    /// R_Key that a Send with Invalidate has invalidated.
    pub invalidated: Option<u32>,
    /// Index into the port's P_Key table of the entry that a message to QP1 matched.
    pub p_key_index: Option<u16>,
    /// Source of a received datagram; `None` for any other completion.
    pub datagram: Option<DatagramSource>,
}

/// A counter of a port. It stays at the largest value that its bits hold (`ud.md` section 3.1, `portinfo.csv`,
/// `port_counters.csv`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PortCounter {
    PKeyViolations,
    QKeyViolations,
    /// SMPs that were dropped because QP0 did not receive or had no receive WQE.
    Vl15Dropped,
    /// Packets that did not leave because of the port's state, or because they had no usable VL.
    XmitDiscards,
    /// Number of times that an Active port lost its physical link and regained it in time.
    LinkErrorRecovery,
    /// Number of times that the port went Down because its physical link was lost.
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
    /// Ticks in which a packet waited for credits or arbitration. Their length is the device's, and the model knows
    /// only what software has set.
    XmitWait,
}

impl PortCounter {
    /// All counters.
    pub const ALL: [PortCounter; 14] = {
        use PortCounter::*;
        [
            PKeyViolations, QKeyViolations, Vl15Dropped, XmitDiscards, LinkErrorRecovery, LinkDowned,
            RcvErrors, RcvRemotePhysicalErrors, BufferOverrun, XmitData, RcvData, XmitPackets, RcvPackets,
            XmitWait,
        ]
    };

    /// Returns the width of the counter in bits.
    pub fn bits(self) -> u32 {
        use PortCounter::*;
        match self {
            BufferOverrun => 4,
            LinkErrorRecovery | LinkDowned => 8,
            XmitData | RcvData | XmitPackets | RcvPackets | XmitWait => 32,
            _ => 16,
        }
    }

    /// Returns true if a RoCE port counts it, too.
    pub fn is_on_ethernet(self) -> bool {
        matches!(self, PortCounter::PKeyViolations | PortCounter::QKeyViolations)
    }
}

/// The key of a packet that did not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongKey {
    PKey(u16),
    QKey(u32),
}

/// What the violation latch of a native port holds of a packet with a wrong key (`mad.md` section 6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyViolation {
    pub key: WrongKey,
    pub slid: u16,
    /// DLID; that of the group for a multicast packet.
    pub dlid: u16,
    pub sl: u8,
    /// QPN of a datagram's sender; 0 for a packet of a connection.
    pub source_qpn: u32,
    /// DestQP; QPN of the member for the copy of a multicast packet.
    pub dest_qpn: u32,
    /// GID of the sender; 0 without a GRH.
    pub sgid: [u8; 16],
    /// GID of the receiver; 0 without a GRH.
    pub dgid: [u8; 16],
}

/// An event of a QP outside its completion queues (`qp_cq.md` section 8). QP fatal means that host memory failed the
/// QP, or that one of its doorbells was refused.
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

/// An event of the event queue (`qp_cq.md` sections 7 and 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostEvent {
    /// This armed CQ has a fitting completion.
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
    /// The violation latch of this port has taken a violation (`mad.md` section 6.1).
    Violation {
        port: u8,
    },
}

impl AsyncEvent {
    /// Returns the QPN of the event.
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
