//! The events that a device reports, in order, so that the model can follow its free choices.
//!
//! The device chooses *when*; the model says whether the choice was permitted and *what* had to come out.
//!
//! # Contract
//! * Events come in the order of the device's decisions. The effects of an event are complete for every later event:
//!   contexts are read and written as if one decision ended before the next began.
//! * The data of a request, and the result of an atomic, are in memory as of
//!   [`RequestExecuted`](Event::RequestExecuted); the data of a response as of
//!   [`ResponseAccepted`](Event::ResponseAccepted).
//! * The data of a request is read from memory as of [`RequestEmitted`](Event::RequestEmitted). The data of a read
//!   response is read as of [`ReadFetched`](Event::ReadFetched) if the device reports one for its PSN, else as of
//!   [`ReadResponseEmitted`](Event::ReadResponseEmitted).
//! * An error of host memory is reported after the event that needed the access: after the emission of the packet whose
//!   data it was, or after the decision whose data was to be placed. Completions reported later reflect it.
//! * The credits of a positive answer are those of any moment from the decision that made it due to its emission. A
//!   doorbell of the receive queue counts from its event on, or from the next answer's decision on; a receive WQE that
//!   was taken no longer counts at once. The credits of a positive response are known to the requester as of
//!   [`ResponseAccepted`](Event::ResponseAccepted), even if it completes nothing.
//! * Emissions are in the order of the wire, those of each VL for themselves. A packet that the device has decided to
//!   send may leave after an event that would forbid it: up to [`LATE_REQUESTS`] request packets after an error, or
//!   before the rewind that a NAK requires, or sent again although they are answered meanwhile; but none of a WQE whose
//!   completion is written, because a packet that is sent again carries the same data (`requester.md` section 7), and
//!   software may write other data after the completion.
//! * An access looks its keys up before its event: it may find a region as it was before a change up to
//!   [`LATE_LOOKUPS`] events earlier. The requests that follow a Send with Invalidate do not find the invalidated
//!   region; no access finds a region whose deregistration or invalidation by a verb has ended
//!   ([`Hca::region_is_gone`](crate::hca::Hca::region_is_gone)); and a request that arrives once a registration has
//!   ended, or a send request that is posted then, finds the region
//!   ([`Hca::region_stands`](crate::hca::Hca::region_stands)). The memory for the data of a response is looked up in
//!   the table as of the event.
//! * Responses with data are made apart from the decisions about requests: after [`ReadRefused`](Event::ReadRefused),
//!   requests may be decided as before until the QP's [`StateChanged`](Event::StateChanged), and none of them has an
//!   answer; `responder.md` section 7 leaves open when the QP ends, and this reading is adopted. Responses before the
//!   refused one may be on their way by then, as far as they are fetched; the NAK follows them.
//! * A response that came before the latest modification of its QP may be judged by the QP's earlier state: it waits
//!   for those before it, and a modification does not wait for it. `responder.md` section 1 is silent about it, and
//!   this reading is adopted.
//! * A duplicate of an atomic waits for its turn behind other answers. If a newer atomic takes its resource meanwhile,
//!   it may get no answer, like one that is not stored; the device reports this with
//!   [`ReplayDropped`](Event::ReplayDropped), possibly before earlier answers have left. `responder.md` section 6
//!   leaves open when a duplicate is matched, and this reading is adopted. The newer atomic has the resource as soon as
//!   max_dest_rd_atomic operations came after the old one.
//! * A verb takes effect when the device reports it: a [`Command`](Event::Command) at once, except for a modification
//!   of a QP, which takes effect as of [`QpModified`](Event::QpModified) of each side. Posts take effect as of their
//!   submission.
//! * A queue pair of an unreliable connection reports requests as one of a reliable connection does, and nothing of
//!   answers. Its WQE is complete as of the [`RequestEmitted`](Event::RequestEmitted) of its last packet; after a local
//!   error ([`SendRefused`](Event::SendRefused)) no packet follows, after an error of host memory only those on their
//!   way, and [`StateChanged`](Event::StateChanged) reports SQE. A request that is dropped by `uc.md` section 3 is
//!   reported with [`PacketDropped`](Event::PacketDropped), and one whose receive WQE may not be written with
//!   [`RequestRefused`](Event::RequestRefused), its own PSN and syndrome 0. A receive WQE that an abandoned Send gives
//!   back stays taken: no [`WqeFetched`](Event::WqeFetched) precedes the next message that uses it.
//! * A queue pair of datagrams reports a request that is placed with [`RequestExecuted`](Event::RequestExecuted), and
//!   its PSN, which nobody checks; one whose receive WQE may not be written with
//!   [`RequestRefused`](Event::RequestRefused) and syndrome 0. A receive WQE that was taken and is too small stays
//!   taken: no [`WqeFetched`](Event::WqeFetched) precedes the datagram that uses it. A multicast packet is reported
//!   once for each member of its group, in any order: those that are attached when the device first decides about it.
//! * The copies that the ports make of their own multicast packets have numbers of their own, from 2^31 on, one for
//!   each packet that leaves while another QP than the sender is attached to its group (`ud.md` section 4.3). They
//!   reach the members of the moment when the packet leaves. Both ports number their copies together, in the order of
//!   the packets' departures.
//! * The model must know the time before the event that depends on it
//!   ([`Hca::advance_to`](crate::hca::Hca::advance_to)).
use crate::port::PortState;
use crate::refusal::Reason;
use crate::verbs::{HostEvent, QpState, QueueSide, Status};

/// Largest number of request packets between a device's decision to send and its link. It limits the packets that a QP
/// may still send after it has to stop or to go back, so that a QP that does not stop is found.
pub const LATE_REQUESTS: u32 = 32;

/// Largest number of completions of a queue between a device's decision to write one and its arrival in memory. It
/// limits the completions, decided on before an arming, that the arming may still meet.
pub const LATE_COMPLETIONS: usize = 64;

/// Largest number of events between a change of the table of memory regions and the event of an access that found the
/// old table. It limits how long an old key may still work.
pub const LATE_LOOKUPS: u32 = 256;

/// One retired decision of a device.
///
/// `packet` is the number of a packet. Packets that arrive at port 1 are numbered from 0, those that arrive at port 2
/// from 2^30 on, dropped ones included; copies of own multicast packets are numbered from 2^31 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The device has received a doorbell: this queue holds WQEs up to, but not including, `producer` (modulo 2^16).
    Doorbell {
        qpn: u32,
        side: QueueSide,
        producer: u16,
    },
    /// The device has taken WQE `index` (modulo 2^16) of this queue: the receive WQE of a Send or of a Write with
    /// immediate, or the next send WQE to start.
    WqeFetched { qpn: u32, side: QueueSide, index: u16 },
    /// A new valid request was executed (`protocol/responder.md` section 4).
    RequestExecuted { packet: u32, qpn: u32, psn: u32 },
    /// A duplicate request was recognised; its answer is scheduled (`responder.md` section 6).
    DuplicateRequest { packet: u32, qpn: u32, psn: u32 },
    /// A request was refused; a NAK with `syndrome` and `psn` is scheduled (`responder.md` section 5). With syndrome 0
    /// no NAK is scheduled, because the R_Key of a Send with Invalidate could not be invalidated.
    RequestRefused {
        packet: u32,
        qpn: u32,
        psn: u32,
        syndrome: u8,
    },
    /// The requester took a response (`requester.md` section 5 and 6); `syndrome` is 0 if it has none.
    ResponseAccepted {
        packet: u32,
        qpn: u32,
        psn: u32,
        syndrome: u8,
    },
    /// A packet was dropped with no effect but a counter of this reason.
    PacketDropped { packet: u32, reason: DropReason },
    /// The copy of a multicast packet for this member of its group was dropped (`ud.md` section 4.2).
    CopyDropped {
        packet: u32,
        qpn: u32,
        reason: DropReason,
    },
    /// The next request packet of this QP leaves, for the first time or again.
    RequestEmitted { qpn: u32, psn: u32 },
    /// A datagram longer than the active MTU of the port was discarded in place of
    /// [`RequestEmitted`](Event::RequestEmitted): it has its PSN, and completes with success (`ud.md` section 2, step
    /// 3).
    RequestDiscarded { qpn: u32, psn: u32 },
    /// The responder announces its receive WQEs without a request: an ack with the PSN of the latest positive answer is
    /// scheduled. Before the first answer it carries the PSN before the first one expected (`responder.md` section 8,
    /// `aeth.md` section 5).
    UnsolicitedAck { qpn: u32, psn: u32 },
    /// A scheduled ack or NAK leaves.
    AckEmitted { qpn: u32, psn: u32, syndrome: u8 },
    /// The data of the read response with this PSN was read from memory. It is the oldest response whose data was not
    /// read yet.
    ReadFetched { qpn: u32, psn: u32 },
    /// A read response leaves; `syndrome` is 0 for a middle one, which has none.
    ReadResponseEmitted { qpn: u32, psn: u32, syndrome: u8 },
    /// The answer to an atomic leaves.
    AtomicAckEmitted { qpn: u32, psn: u32, syndrome: u8 },
    /// The read response with this PSN cannot be produced; a NAK is scheduled in its place (`responder.md` section 7,
    /// CF142).
    ReadRefused { qpn: u32, psn: u32, syndrome: u8 },
    /// The duplicate of the atomic with this PSN gets no answer: a newer atomic has taken its resource since the
    /// decision (`responder.md` section 6).
    ReplayDropped { qpn: u32, psn: u32 },
    /// A local fault stops the oldest send WQE; all WQEs before it are complete (`requester.md` section 8).
    SendRefused { qpn: u32, index: u16, status: Status },
    /// The local ack timer expired; `psn` is the oldest PSN that is not acknowledged. If no retry is left the WQE ends,
    /// else a rewind follows.
    AckTimerExpired { qpn: u32, psn: u32 },
    /// The requester has gone back: its next request packet is the one with `psn` (`requester.md` section 7).
    Rewound { qpn: u32, psn: u32, cause: RewindCause },
    /// A completion was written to its completion queue.
    CompletionWritten {
        cqn: u32,
        qpn: u32,
        side: QueueSide,
        index: u16,
        status: Status,
    },
    /// A completion with these fields found no room: it is lost, and the queue fails or has failed (`qp_cq.md` section
    /// 6).
    CompletionLost {
        cqn: u32,
        qpn: u32,
        side: QueueSide,
        index: u16,
        status: Status,
    },
    /// A command has its result and, except for a modification or the end of a QP, has taken effect. `number` is its
    /// QPN, CQN, key or address handle; only its low 24 bits are reported.
    Command {
        verb: CommandVerb,
        number: u32,
        refused: Option<Reason>,
    },
    /// This side uses the new context from here on; the receive side comes first. For a QP that goes to Reset or is
    /// destroyed, the event of the send side says that nothing of the QP is under way any more.
    QpModified {
        qpn: u32,
        side: QueueSide,
        state: QpState,
    },
    /// An arming takes effect.
    CqArmed { cqn: u32, solicited: bool },
    /// The device knows that software has polled this many CQEs, modulo 2^16.
    CqConsumed { cqn: u32, consumer: u16 },
    /// An event for software was written to the event queue.
    EventWritten(HostEvent),
    /// The device refuses a doorbell that announces more WQEs than the ring holds, or fewer than before. The QP goes to
    /// Error.
    DoorbellRefused {
        qpn: u32,
        side: QueueSide,
        producer: u16,
    },
    /// The device moved the QP to another state without software.
    StateChanged { qpn: u32, state: QpState },
    /// This side of the port uses the new state from here on: the receive side for packets that arrive, the send side
    /// for packets that leave (`link.md` section 1).
    PortModified {
        port: u8,
        side: QueueSide,
        state: PortState,
    },
    /// The port uses an entry of its P_Key table from here on: for packets that leave, and for those that arrive after
    /// this event (`link.md` section 2).
    PKeySet { port: u8, index: u16, p_key: u16 },
    /// Eight SLs of the port, from `from_sl` on, map to these VLs, for packets that leave from here on: the VL of SL
    /// `from_sl + n` is in bits 4n+3 to 4n (`link.md` section 3).
    SlToVlSet { port: u8, from_sl: u8, vls: u32 },
    /// Host memory answered an access for this QP with an error.
    MemoryFault { qpn: u32, fault: MemoryFault },
}

impl Event {
    /// Returns the number of the packet that the event decides about.
    pub fn packet(&self) -> Option<u32> {
        match *self {
            Event::RequestExecuted { packet, .. }
            | Event::DuplicateRequest { packet, .. }
            | Event::RequestRefused { packet, .. }
            | Event::ResponseAccepted { packet, .. }
            | Event::PacketDropped { packet, .. }
            | Event::CopyDropped { packet, .. } => Some(packet),
            _ => None,
        }
    }
}

/// A verb that a device carries out by a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommandVerb {
    CreateCq,
    QueryCq,
    ResizeCq,
    DestroyCq,
    CreateQp,
    ModifyQp,
    QueryQp,
    DestroyQp,
    RegMr,
    DeregMr,
    Invalidate,
    CreateAh,
    ModifyAh,
    QueryAh,
    DestroyAh,
    AttachMulticast,
    DetachMulticast,
}

/// The access that host memory answered with an error, which decides what follows. The protocol knows no such answer:
/// these rules are adopted (AD).
///
/// All but the errors of WQEs are local catastrophic errors (`protocol/qp_cq.md` section 8, QP fatal): the QP goes to
/// Error, and the event of the first one is raised even if another failure has moved the QP there already. A completion
/// that is not written by then is no success: `LocQpOpErr` replaces its status (`qp_cq.md` section 5, internal
/// inconsistency), because the content of memory is unknown. Other QPs continue.
///
/// Two accesses have no report of their own:
/// * A list of SGEs that could not be read, wholly or in part. From the first unknown SGE on, no SGE reads or writes a
///   byte. The WQE is malformed as soon as its message needs such an SGE: a send WQE ends with `LocQpOpErr` once it is
///   the oldest (`requester.md` section 8), a Read at the latest when data arrives that has no place; a receive WQE as
///   of [`MemoryFault::ReceiveWqe`].
/// * A CQE that could not be written. It counts as written, and its queue pair continues: software cannot be informed
///   in that queue.
///
/// A write that was answered with an error may have been carried out; the model assumes that it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryFault {
    /// The payload (inline too) of the packet with this PSN could not be read. The packet had started, so it ends with
    /// a wrong CRC and the peer drops it. The oldest send WQE without a completion ends with `LocQpOpErr`, and the rest
    /// is flushed.
    RequestData { psn: u32 },
    /// The payload of the read response with this PSN could not be read. NAK 63h replaces the response (`responder.md`
    /// section 7, CF142).
    ResponseData { psn: u32 },
    /// Data of a request could not be written. The request may be acknowledged, because an ack confirms only its
    /// arrival.
    RequestPlacement,
    /// Data of a response could not be written; send WQEs end as for [`MemoryFault::RequestData`].
    ResponsePlacement,
    /// The target of an atomic could not be read. Memory is unchanged, and there is no answer.
    Atomic,
    /// This send WQE, the first unreadable one of its queue, could not be read. It ends with `LocQpOpErr` once it is
    /// the oldest, as a malformed one does (`requester.md` section 8).
    SendWqe { index: u16 },
    /// This receive WQE, the first unreadable one of its queue, could not be read. Its request gets NAK 63h and it
    /// completes with `LocQpOpErr` (`responder.md` section 5, bad local receive WQE). A message that brings no data for
    /// its SGEs, a Write with immediate or an empty Send, needs nothing from the WQE and completes it.
    ReceiveWqe { index: u16 },
}

/// Why the requester goes back (`requester.md` section 6 and 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RewindCause {
    /// NAK 60h.
    SequenceNak,
    /// A response skipped a Read or an atomic that is not answered.
    ImpliedNak,
    /// The delay that an RNR NAK requested is over.
    RnrWaitOver,
    /// No response came within the local ack timeout.
    AckTimeout,
}

/// Why a packet was discarded without a reply. The steps are those of `protocol/responder.md` section 1, `requester.md`
/// section 5, and the pages that are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// Step 1: the VCRC is wrong.
    Vcrc,
    /// Step 2: the ICRC is wrong.
    Icrc,
    /// Step 1: LVer is not 0.
    LinkVersion,
    /// Step 1: the received length differs from PktLen, PayLen or the IP length, or is not a legal length.
    Length,
    /// Step 3: no IBA transport follows: the LNH is that of a raw packet, or EtherType, IP protocol or UDP port are of
    /// another kind.
    NetworkHeader,
    /// Step 3: a field of the GRH, or of the IP header in its place, is wrong.
    Grh,
    /// Step 3: DGID does not belong to the port.
    Dgid,
    /// Step 4: TVer is not 0.
    TransportVersion,
    /// Step 4: the opcode is unknown, or of another transport class than the QP.
    Opcode,
    /// Step 4: the packet is too short for its headers.
    HeaderIncomplete,
    /// Step 4: PadCnt exceeds the number of bytes after the headers.
    PadCount,
    /// Step 4: the payload exceeds the largest PMTU.
    PayloadLength,
    /// Step 1: DLID does not belong to the port.
    Dlid,
    /// Step 5: the QP does not exist.
    DestQp,
    /// Step 5: the QP's state accepts no inbound packet of this kind.
    QpState,
    /// Step 6: the packet does not come from the connected address.
    Source,
    /// Step 7: the P_Key does not match.
    PKey,
    /// Step 9: the packet is out of sequence while a NAK is outstanding.
    NakOutstanding,
    /// The response is outside the window of unacknowledged PSNs.
    GhostResponse,
    /// The response answers a PSN that is already acknowledged.
    DuplicateResponse,
    /// The syndrome has a reserved type or code.
    ReservedSyndrome,
    /// The response has an opcode that answers no outstanding request.
    UnexpectedResponse,
    /// Section 6: a duplicate Read or atomic that matches nothing stored.
    UnmatchedDuplicate,
    /// Section 6: so many answers of the QP wait to leave that the device has no room for one more.
    AnswersWait,
    /// `uc.md` section 3 steps 8 and 9: a UC packet that continues no open message.
    UnreliableSequence,
    /// `uc.md` section 3 steps 10 and 13: a UC Write that the access flags or the R_Key do not permit.
    UnreliableAccess,
    /// `uc.md` section 3 step 12: the payload length or the message length is wrong.
    UnreliableLength,
    /// `uc.md` section 3 steps 11 and 14, `ud.md` section 3.1 step 12: there is no receive WQE, and the service has no
    /// RNR NAK.
    NoReceiveWqe,
    /// `ud.md` section 3.1 step 3 and section 4: the multicast address is incomplete, or the group does not exist.
    MulticastAddress,
    /// `ud.md` section 4.3: a multicast packet of the port itself has come back.
    SelfMulticast,
    /// `ud.md` section 3.1 step 10: the Q_Key does not match.
    QKey,
    /// `ud.md` section 3.1 step 13: the datagram is longer than the receive WQE, which stays in its queue.
    BufferTooSmall,
    /// `link.md` section 9: the VL is not operational, or it is VL 15 and the DLID is that of a group.
    Vl,
    /// `link.md` section 9: the state of the port accepts no packet of this kind.
    PortState,
    /// `special_qps.md` section 3 steps 2 and 3: a packet on VL 15 that is not an SMP, or a packet for QP0 on another
    /// VL. `link.md` section 9: there is no room in the buffer of VL 15.
    Vl15,
    /// `link.md` section 9: there is no room in the buffer of the VL.
    Overrun,
}
