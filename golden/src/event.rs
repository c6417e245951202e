//! What a device reports, in order, so that the model can follow its free choices.
//!
//! The device chooses *when*; the model says whether it was permitted and *what* had to come out.
//!
//! # Contract
//! * Events come in the order in which the device decided. What an event brings about is in force for every later
//!   one: a context is read and written as if one decision ended before the next began.
//! * Data that a request places, and the result of an atomic, stand in memory as of
//!   [`RequestExecuted`](Event::RequestExecuted); data of a response as of [`ResponseAccepted`](Event::ResponseAccepted).
//! * Data of a request is read from memory as of [`RequestEmitted`](Event::RequestEmitted). Data of a read response is
//!   read as of [`ReadFetched`](Event::ReadFetched) where the device reports one for its PSN, else as of
//!   [`ReadResponseEmitted`](Event::ReadResponseEmitted).
//! * Host memory that answers with an error is reported after what used it: after the emission whose data it was,
//!   after the decision whose data was to be placed. Completions reported later know of it.
//! * The credits of a positive answer are those of any moment from the decision that made it due to its emission. A
//!   doorbell of the receive queue counts from its event on, or from the next answer's decision on; a receive WQE that
//!   was taken is off the count at once. What a positive response tells the requester is in force as of
//!   [`ResponseAccepted`](Event::ResponseAccepted), also where it completes nothing.
//! * Emissions stand in the order of the wire. What a device has decided to send may leave after an event that would
//!   forbid it: up to [`LATE_REQUESTS`] request packets after an error, before the rewind that a NAK calls for, or sent again although
//!   they are answered meanwhile; none of a WQE whose completion is written, for what is sent again carries the same data
//!   (`requester.md` section 7), and behind its completion software may write other.
//! * An access looks its keys up before its event: a region that came, or went, up to [`LATE_LOOKUPS`] events before may be
//!   found as it was. The requests that follow a Send with invalidate do not find what it took out of use; nothing finds a
//!   region whose deregistration or invalidation by a verb has ended ([`Hca::region_is_gone`](crate::hca::Hca::region_is_gone));
//!   and a request that comes once a registration has ended finds the region
//!   ([`Hca::region_stands`](crate::hca::Hca::region_stands)).
//!   Where the data of a response goes is looked up as verbs stand at the event.
//! * Responses with data are made apart from the decisions about requests: after [`ReadRefused`](Event::ReadRefused) requests may be
//!   decided as before until the QP's [`StateChanged`](Event::StateChanged), and none of them has an answer; `responder.md`
//!   section 7 leaves open when the QP ends, and this reading is adopted.
//!   Responses before the refused one may be on their way by then, as far as they are fetched; the NAK follows them.
//! * A response that came before the latest modification of its QP may be seen as the QP was then: it waits for those before
//!   it, and a modification does not wait for it. `responder.md` section 1 is silent about it, and this reading is adopted.
//! * A duplicate of an atomic waits for its turn behind other answers. If a newer atomic takes its resource meanwhile, it may go
//!   without an answer, as one that is not stored; the device says so with [`ReplayDropped`](Event::ReplayDropped), maybe
//!   before answers that stand before it have left. `responder.md` section 6 leaves open as of when a duplicate is matched,
//!   and this reading is adopted. The newer one has it as soon as max_dest_rd_atomic operations came after the old one.
//! * A verb is in force as the device says: a [`Command`](Event::Command) at once, but for a modification of a QP, which is as
//!   of [`QpModified`](Event::QpModified) of each side. Posts are as of their submission.
//! * The clock is told to the model before the event that it matters for
//!   ([`Hca::advance_to`](crate::hca::Hca::advance_to)).
use crate::refusal::Reason;
use crate::verbs::{HostEvent, QpState, QueueSide, Status};

/// Most request packets between a device's decision to send and its link. It bounds what may still be sent by a QP
/// that has to stop or to go back, so that one that goes on sending is seen.
pub const LATE_REQUESTS: u32 = 32;

/// Most completions of a queue between a device's decision to write one and its arrival in memory. It bounds those that an
/// arming may meet although they were decided on before it.
pub const LATE_COMPLETIONS: usize = 64;

/// Most events between a change of the table of memory regions and the event of an access that found the table as it was.
/// It bounds how long a key may live on.
pub const LATE_LOOKUPS: u32 = 256;

/// One retired decision.
///
/// `packet` numbers the packets that arrived at the device's port, from 0, dropped ones included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The device has seen a doorbell: WQEs up to (not including) `producer` (modulo 2^16) exist for it.
    Doorbell {
        qpn: u32,
        side: QueueSide,
        producer: u16,
    },
    /// WQE `index` (modulo 2^16) of this queue was taken: a Send's receive WQE, or the next send WQE to start.
    WqeFetched { qpn: u32, side: QueueSide, index: u16 },
    /// A new valid request was executed (`protocol/responder.md` section 4).
    RequestExecuted { packet: u32, qpn: u32, psn: u32 },
    /// A duplicate request was recognised; its answer is scheduled (`responder.md` section 6).
    DuplicateRequest { packet: u32, qpn: u32, psn: u32 },
    /// A request was refused; a NAK with `syndrome` and `psn` is scheduled (`responder.md` section 5). Syndrome 0: none
    /// is, for the R_Key of a Send with invalidate could not be invalidated.
    RequestRefused {
        packet: u32,
        qpn: u32,
        psn: u32,
        syndrome: u8,
    },
    /// A response was taken by the requester (`requester.md` section 5 and 6); `syndrome` is 0 where it has none.
    ResponseAccepted {
        packet: u32,
        qpn: u32,
        psn: u32,
        syndrome: u8,
    },
    /// A packet left no trace but a counter of this reason.
    PacketDropped { packet: u32, reason: DropReason },
    /// The next request packet of this QP goes out now, for the first time or again.
    RequestEmitted { qpn: u32, psn: u32 },
    /// The responder tells of its receive WQEs without being asked: an ack with the PSN of the latest positive answer is
    /// scheduled, at first with the PSN before the first (`responder.md` section 8, `aeth.md` section 5).
    UnsolicitedAck { qpn: u32, psn: u32 },
    /// A scheduled ack or NAK goes out now.
    AckEmitted { qpn: u32, psn: u32, syndrome: u8 },
    /// The data of the read response of this PSN was read from memory: the oldest whose data was not.
    ReadFetched { qpn: u32, psn: u32 },
    /// A read response goes out now; `syndrome` is 0 of a middle one, which has none.
    ReadResponseEmitted { qpn: u32, psn: u32, syndrome: u8 },
    /// The answer to an atomic goes out now.
    AtomicAckEmitted { qpn: u32, psn: u32, syndrome: u8 },
    /// The read response of this PSN cannot be produced; a NAK is scheduled in its place (`responder.md` section 7,
    /// CF142).
    ReadRefused { qpn: u32, psn: u32, syndrome: u8 },
    /// The duplicate of the atomic of this PSN has no answer: a newer atomic has taken its resource since it was decided on
    /// (`responder.md` section 6).
    ReplayDropped { qpn: u32, psn: u32 },
    /// The oldest send WQE, all before it complete, cannot go on for a local fault (`requester.md` section 8).
    SendRefused { qpn: u32, index: u16, status: Status },
    /// The local ack timer expired; `psn` is the oldest that is not acknowledged. Once no retry is left this ends the
    /// WQE, else a rewind follows.
    AckTimerExpired { qpn: u32, psn: u32 },
    /// The next request packet is that of `psn` again (`requester.md` section 7).
    Rewound { qpn: u32, psn: u32, cause: RewindCause },
    /// A completion was written to its completion queue.
    CompletionWritten {
        cqn: u32,
        qpn: u32,
        side: QueueSide,
        index: u16,
        status: Status,
    },
    /// The same completion found no room: it is lost, and the queue fails or has failed (`qp_cq.md` section 6).
    CompletionLost {
        cqn: u32,
        qpn: u32,
        side: QueueSide,
        index: u16,
        status: Status,
    },
    /// A command was judged; but for a modification of a QP and its end it is in force. `number` is its QPN, CQN or key, 24
    /// bits of it.
    Command {
        verb: CommandVerb,
        number: u32,
        refused: Option<Reason>,
    },
    /// From here on this side decides by the new context, of the receive side first. Of a QP that goes to Reset or away
    /// the send side's says that nothing of it is under way any more.
    QpModified {
        qpn: u32,
        side: QueueSide,
        state: QpState,
    },
    /// An arming is in force.
    CqArmed { cqn: u32, solicited: bool },
    /// The device knows that software has polled so many CQEs, modulo 2^16.
    CqConsumed { cqn: u32, consumer: u16 },
    /// Software is told.
    EventWritten(HostEvent),
    /// A doorbell lied: it announces more than the ring holds, or less than before. The QP goes to Error.
    DoorbellRefused {
        qpn: u32,
        side: QueueSide,
        producer: u16,
    },
    /// The device moved the QP by itself.
    StateChanged { qpn: u32, state: QpState },
    /// Host memory answered an access for this QP with an error.
    MemoryFault { qpn: u32, fault: MemoryFault },
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
}

/// The access that host memory answered with an error, and so what follows. The protocol knows no such answer: these
/// rules are adopted (AD).
///
/// All but those of a WQE are local catastrophic errors (`protocol/qp_cq.md` section 8, QP fatal): the QP goes to Error,
/// and the event of the first one comes even if another failure has moved it there already. A completion that is not
/// written then is no success: `LocQpOpErr` stands in its place (`qp_cq.md` section 5, internal inconsistency), for
/// nobody knows what memory holds. Other QPs go on.
///
/// Two accesses have no report of their own:
/// * A list of SGEs that could not be read, wholly or in part. No SGE from the first that is unknown on reads or writes a
///   byte. The WQE is a malformed one as soon as its message needs such an SGE: a send WQE ends with `LocQpOpErr` once it is
///   the oldest (`requester.md` section 8), a Read at the latest when data comes that has no place; a receive WQE as of
///   [`MemoryFault::ReceiveWqe`].
/// * A CQE that could not be written. It counts as written, and its queue pair goes on: nobody can tell software in that
///   queue.
///
/// A write that was answered with an error may have been carried out; the model takes it so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryFault {
    /// The payload (inline too) of this PSN could not be read. Its packet had started, so it ends with a wrong CRC and the
    /// peer drops it. The oldest send WQE without a completion ends with `LocQpOpErr`, and the rest is flushed.
    RequestData { psn: u32 },
    /// The same of a read response; NAK 63h stands in its place (`responder.md` section 7, CF142).
    ResponseData { psn: u32 },
    /// Data of a request could not be written. It is acknowledged perhaps, for an ack tells of arrival alone.
    RequestPlacement,
    /// Data of a response could not be written; of send WQEs the same becomes as of [`MemoryFault::RequestData`].
    ResponsePlacement,
    /// The target of an atomic could not be read. Memory is as it was, and there is no answer.
    Atomic,
    /// This send WQE, the first of its queue, could not be read. It ends with `LocQpOpErr` once it is the oldest, as a
    /// malformed one does (`requester.md` section 8).
    SendWqe { index: u16 },
    /// The same of a receive WQE: NAK 63h and `LocQpOpErr` (`responder.md` section 5, bad local receive WQE). A message that
    /// brings nothing for its SGEs, a Write with immediate or an empty Send, needs nothing that the WQE says and completes it.
    ReceiveWqe { index: u16 },
}

/// Why the requester goes back (`requester.md` section 6 and 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RewindCause {
    /// NAK 60h.
    SequenceNak,
    /// A response passed a Read or an atomic that is not answered.
    ImpliedNak,
    /// The delay that an RNR NAK asked for is over.
    RnrWaitOver,
    /// Nothing came for the time of the local ack timeout.
    AckTimeout,
}

/// Why a packet was discarded without a reply; the steps are those of `protocol/responder.md` section 1
/// and `requester.md` section 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// Step 1: VCRC wrong.
    Vcrc,
    /// Step 2: ICRC wrong.
    Icrc,
    /// Step 1: LVer not 0.
    LinkVersion,
    /// Step 1: received length differs from PktLen, PayLen or the IP length, or is no legal length.
    Length,
    /// Step 3: no IBA transport follows: LNH of a raw packet; EtherType, IP protocol or UDP port of another kind.
    NetworkHeader,
    /// Step 3: a field of the GRH, or of the IP header in its place, is wrong.
    Grh,
    /// Step 3: DGID does not belong to the port.
    Dgid,
    /// Step 4: TVer not 0.
    TransportVersion,
    /// Step 4: opcode unknown, or of another transport class than the QP.
    Opcode,
    /// Step 4: packet too short for its headers.
    HeaderIncomplete,
    /// Step 4: more pad than bytes after the headers.
    PadCount,
    /// Step 4: more payload than the largest PMTU.
    PayloadLength,
    /// Step 1: DLID does not belong to the port.
    Dlid,
    /// Step 5: no such QP.
    DestQp,
    /// Step 5: QP state accepts no inbound packet of this kind.
    QpState,
    /// Step 6: not from the connected address.
    Source,
    /// Step 7: P_Key mismatch.
    PKey,
    /// Step 9: out of sequence while a NAK is outstanding.
    NakOutstanding,
    /// Response outside the window of unacknowledged PSNs.
    GhostResponse,
    /// Response to a PSN that is acknowledged already.
    DuplicateResponse,
    /// Syndrome of a reserved type or code.
    ReservedSyndrome,
    /// Response opcode that answers nothing outstanding.
    UnexpectedResponse,
    /// Section 6: a duplicate Read or atomic that matches nothing stored.
    UnmatchedDuplicate,
}
