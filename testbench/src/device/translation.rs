//! Converts numbers of the host interface to the model's values.
use hca_golden::event::{CommandVerb, DropReason, Event, MemoryFault, RewindCause};
use hca_golden::port::{Link, PortState};
use hca_golden::refusal::Reason;
use hca_golden::verbs::{AsyncEvent, HostEvent, QpState, QueueSide, Status};
use hca_host::profile;
use hca_host::retire::{
    drop, kind, memory_fault, rewind, Record, QUEUE_RECEIVE, QUEUE_SEND, SIDE_RECEIVE, SIDE_SEND,
};
use hca_host::{command, eqe};

/// Returns the event of a retire record, or the record's defect.
pub fn event(r: &Record) -> Result<Event, String> {
    let Record { qpn, psn, code, .. } = *r;
    if r.unnamed_bits() != 0 {
        let (kind, bits) = (r.kind, r.unnamed_bits());
        return Err(format!(
            "a record of kind {kind} sets bits {bits:024X}h, in fields that the kind does not name"
        ));
    }
    let packet = r.index;
    let index = r.index as u16;
    Ok(match r.kind {
        kind::DOORBELL => Event::Doorbell {
            qpn,
            side: side(code)?,
            producer: index,
        },
        kind::WQE_FETCHED => Event::WqeFetched {
            qpn,
            side: side(code)?,
            index,
        },
        kind::REQUEST_EXECUTED => Event::RequestExecuted { packet, qpn, psn },
        kind::DUPLICATE_REQUEST => Event::DuplicateRequest { packet, qpn, psn },
        kind::REQUEST_REFUSED => Event::RequestRefused {
            packet,
            qpn,
            psn,
            syndrome: code,
        },
        kind::RESPONSE_ACCEPTED => Event::ResponseAccepted {
            packet,
            qpn,
            psn,
            syndrome: code,
        },
        kind::PACKET_DROPPED => Event::PacketDropped {
            packet,
            reason: drop_reason(code)?,
        },
        kind::COPY_DROPPED => Event::CopyDropped {
            packet,
            qpn,
            reason: drop_reason(code)?,
        },
        kind::REQUEST_EMITTED => Event::RequestEmitted { qpn, psn },
        kind::REQUEST_DISCARDED => Event::RequestDiscarded { qpn, psn },
        kind::ACK_EMITTED => Event::AckEmitted {
            qpn,
            psn,
            syndrome: code,
        },
        kind::COMPLETION_WRITTEN => Event::CompletionWritten {
            cqn: psn,
            qpn,
            side: side((r.index >> 16) as u8)?,
            index,
            status: status(code)?,
        },
        kind::STATE_CHANGED => Event::StateChanged {
            qpn,
            state: state_of(code)?,
        },
        kind::READ_FETCHED => Event::ReadFetched { qpn, psn },
        kind::READ_RESPONSE_EMITTED => Event::ReadResponseEmitted {
            qpn,
            psn,
            syndrome: code,
        },
        kind::ATOMIC_ACK_EMITTED => Event::AtomicAckEmitted {
            qpn,
            psn,
            syndrome: code,
        },
        kind::UNSOLICITED_ACK => Event::UnsolicitedAck { qpn, psn },
        kind::READ_REFUSED => Event::ReadRefused {
            qpn,
            psn,
            syndrome: code,
        },
        kind::REPLAY_DROPPED => Event::ReplayDropped { qpn, psn },
        kind::SEND_REFUSED => Event::SendRefused {
            qpn,
            index,
            status: status(code)?,
        },
        kind::ACK_TIMER_EXPIRED => Event::AckTimerExpired { qpn, psn },
        kind::REWOUND => Event::Rewound {
            qpn,
            psn,
            cause: rewind_cause(code)?,
        },
        kind::MEMORY_FAULT => Event::MemoryFault {
            qpn,
            fault: match code {
                memory_fault::REQUEST_DATA => MemoryFault::RequestData { psn },
                memory_fault::RESPONSE_DATA => MemoryFault::ResponseData { psn },
                memory_fault::REQUEST_PLACEMENT => MemoryFault::RequestPlacement,
                memory_fault::RESPONSE_PLACEMENT => MemoryFault::ResponsePlacement,
                memory_fault::ATOMIC => MemoryFault::Atomic,
                memory_fault::SEND_WQE => MemoryFault::SendWqe { index },
                memory_fault::RECEIVE_WQE => MemoryFault::ReceiveWqe { index },
                other => return Err(format!("unknown access {other} to host memory")),
            },
        },
        kind::COMMAND => Event::Command {
            verb: command_verb(r.index)?,
            number: qpn,
            refused: refused(code.into())?,
        },
        kind::QP_MODIFIED => Event::QpModified {
            qpn,
            side: modified_side(code)?,
            state: u8::try_from(r.index)
                .map_err(|e| e.to_string())
                .and_then(state_of)?,
        },
        kind::PORT_MODIFIED => Event::PortModified {
            port: port(qpn)?,
            side: modified_side(code)?,
            state: port_state(r.index)?,
        },
        kind::SL_TO_VL_SET => Event::SlToVlSet {
            port: port(qpn)?,
            from_sl: code,
            vls: r.index,
        },
        kind::P_KEY_SET => Event::PKeySet {
            port: port(qpn)?,
            index: code.into(),
            p_key: index,
        },
        kind::CQ_ARMED => Event::CqArmed {
            cqn: qpn,
            solicited: code & 1 == 1,
        },
        kind::CQ_CONSUMED => Event::CqConsumed {
            cqn: qpn,
            consumer: index,
        },
        kind::CQ_OVERFLOW => Event::CompletionLost {
            cqn: psn,
            qpn,
            side: side((r.index >> 16) as u8)?,
            index,
            status: status(code)?,
        },
        kind::EVENT => Event::EventWritten(host_event(code, qpn)?),
        kind::DOORBELL_REFUSED => Event::DoorbellRefused {
            qpn,
            side: side(code)?,
            producer: index,
        },
        other => return Err(format!("record {} is of unknown kind {other}", r.order)),
    })
}

/// Returns the port of a record about a port: 0 stands for port 1.
fn port(number: u32) -> Result<u8, String> {
    match number {
        0 => Ok(1),
        1 => Ok(2),
        other => Err(format!("unknown port {other} of a record")),
    }
}

/// Returns the side of a QP, or of the port, that a modification has reached.
fn modified_side(code: u8) -> Result<QueueSide, String> {
    match code {
        SIDE_RECEIVE => Ok(QueueSide::Receive),
        SIDE_SEND => Ok(QueueSide::Send),
        other => Err(format!("unknown side {other} of a modification")),
    }
}

/// Returns the verb of a command.
fn command_verb(code: u32) -> Result<CommandVerb, String> {
    Ok(match code {
        command::CREATE_CQ => CommandVerb::CreateCq,
        command::MODIFY_QP => CommandVerb::ModifyQp,
        command::REG_MR => CommandVerb::RegMr,
        command::DEREG_MR => CommandVerb::DeregMr,
        command::INVALIDATE => CommandVerb::Invalidate,
        command::DESTROY_CQ => CommandVerb::DestroyCq,
        command::RESIZE_CQ => CommandVerb::ResizeCq,
        command::QUERY_CQ => CommandVerb::QueryCq,
        command::CREATE_QP => CommandVerb::CreateQp,
        command::QUERY_QP => CommandVerb::QueryQp,
        command::DESTROY_QP => CommandVerb::DestroyQp,
        command::CREATE_AH => CommandVerb::CreateAh,
        command::MODIFY_AH => CommandVerb::ModifyAh,
        command::QUERY_AH => CommandVerb::QueryAh,
        command::DESTROY_AH => CommandVerb::DestroyAh,
        command::ATTACH => CommandVerb::AttachMulticast,
        command::DETACH => CommandVerb::DetachMulticast,
        other => return Err(format!("unknown command {other}")),
    })
}

/// Returns why a command was refused, if it was.
fn refused(result: u32) -> Result<Option<Reason>, String> {
    Ok(Some(match result {
        command::OK => return Ok(None),
        command::BAD_COMMAND => Reason::Unsupported,
        command::BAD_INDEX => Reason::BadIndex,
        command::BAD_SIZE | command::BAD_ADDRESS => Reason::BadSize,
        command::IN_USE => Reason::InUse,
        command::NOT_FOUND => Reason::NotFound,
        command::BAD_TRANSITION => Reason::BadTransition,
        command::MISSING_ATTRIBUTE => Reason::MissingAttribute,
        command::FORBIDDEN_ATTRIBUTE => Reason::ForbiddenAttribute,
        command::BAD_ATTRIBUTE => Reason::BadAttribute,
        command::CQ_FAILED => Reason::CqFailed,
        command::CQ_RESERVED => Reason::CqReserved,
        other => return Err(format!("unknown result {other} of a command")),
    }))
}

/// Returns the event of an EQE.
fn host_event(kind: u8, number: u32) -> Result<HostEvent, String> {
    let (cqn, qpn) = (number, number);
    let port = number as u8;
    Ok(match kind {
        eqe::COMPLETION => HostEvent::Completion { cqn },
        eqe::CQ_ERROR => HostEvent::CqError { cqn },
        eqe::COMMUNICATION_ESTABLISHED => HostEvent::Qp(AsyncEvent::CommunicationEstablished { qpn }),
        eqe::SQ_DRAINED => HostEvent::Qp(AsyncEvent::SendQueueDrained { qpn }),
        eqe::QP_REQUEST_ERROR => HostEvent::Qp(AsyncEvent::RequestError { qpn }),
        eqe::QP_ACCESS_ERROR => HostEvent::Qp(AsyncEvent::AccessError { qpn }),
        eqe::QP_FATAL => HostEvent::Qp(AsyncEvent::QpFatal { qpn }),
        eqe::RQ_DRY => HostEvent::Qp(AsyncEvent::ReceiveQueueDry { qpn }),
        eqe::PORT_ACTIVE => HostEvent::PortActive { port },
        eqe::PORT_ERROR => HostEvent::PortError { port },
        eqe::VIOLATION => HostEvent::Violation { port },
        other => return Err(format!("unknown kind {other} of an event")),
    })
}

/// Converts a link to the framing of a profile.
pub fn link(link: Link) -> profile::Link {
    match link {
        Link::InfiniBand => profile::Link::InfiniBand,
        Link::Roce => profile::Link::Roce,
    }
}

/// Converts the framing of a profile to a link.
pub fn framing(link: profile::Link) -> Link {
    match link {
        profile::Link::InfiniBand => Link::InfiniBand,
        profile::Link::Roce => Link::Roce,
    }
}

fn side(code: u8) -> Result<QueueSide, String> {
    match code {
        QUEUE_SEND => Ok(QueueSide::Send),
        QUEUE_RECEIVE => Ok(QueueSide::Receive),
        other => Err(format!("unknown queue {other}")),
    }
}

/// Returns the status of a code, or the code's defect.
pub fn status(code: u8) -> Result<Status, String> {
    use Status::*;
    [
        Success, LocLenErr, LocQpOpErr, LocProtErr, WrFlushErr, BadRespErr, LocAccessErr, RemInvReqErr,
        RemAccessErr, RemOpErr, RetryExcErr, RnrRetryExcErr,
    ]
    .into_iter()
    .find(|s| *s as u8 == code)
    .ok_or_else(|| format!("unknown completion status {code}"))
}

/// Returns the state of the port that has this code.
pub fn port_state(code: u32) -> Result<PortState, String> {
    use PortState::*;
    let found = [Down, Init, Armed, Active, ActiveDefer]
        .into_iter()
        .find(|s| *s as u32 == code);
    found.ok_or_else(|| format!("unknown state {code} of the port"))
}

fn state_of(code: u8) -> Result<QpState, String> {
    use QpState::*;
    [Reset, Init, Rtr, Rts, Sqd, Sqe, Error]
        .get(usize::from(code))
        .copied()
        .ok_or_else(|| format!("unknown QP state {code}"))
}

/// Returns the cause of a rewind code, or the code's defect.
pub fn rewind_cause(code: u8) -> Result<RewindCause, String> {
    Ok(match code {
        rewind::SEQUENCE_NAK => RewindCause::SequenceNak,
        rewind::IMPLIED_NAK => RewindCause::ImpliedNak,
        rewind::RNR_WAIT_OVER => RewindCause::RnrWaitOver,
        rewind::ACK_TIMEOUT => RewindCause::AckTimeout,
        other => return Err(format!("unknown cause {other} of going back")),
    })
}

/// Returns the reason of a drop code, or the code's defect.
pub fn drop_reason(code: u8) -> Result<DropReason, String> {
    use DropReason::*;
    Ok(match code {
        drop::VCRC => Vcrc,
        drop::ICRC => Icrc,
        drop::LINK_VERSION => LinkVersion,
        drop::LENGTH => Length,
        drop::NETWORK_HEADER => NetworkHeader,
        drop::TRANSPORT_VERSION => TransportVersion,
        drop::OPCODE => Opcode,
        drop::HEADER_INCOMPLETE => HeaderIncomplete,
        drop::DLID => Dlid,
        drop::DEST_QP => DestQp,
        drop::QP_STATE => DropReason::QpState,
        drop::SOURCE => Source,
        drop::P_KEY => PKey,
        drop::NAK_OUTSTANDING => NakOutstanding,
        drop::GHOST_RESPONSE => GhostResponse,
        drop::DUPLICATE_RESPONSE => DuplicateResponse,
        drop::RESERVED_SYNDROME => ReservedSyndrome,
        drop::UNEXPECTED_RESPONSE => UnexpectedResponse,
        drop::GRH => Grh,
        drop::DGID => Dgid,
        drop::PAD_COUNT => PadCount,
        drop::PAYLOAD_LENGTH => PayloadLength,
        drop::UNMATCHED_DUPLICATE => UnmatchedDuplicate,
        drop::UNRELIABLE_SEQUENCE => UnreliableSequence,
        drop::UNRELIABLE_ACCESS => UnreliableAccess,
        drop::UNRELIABLE_LENGTH => UnreliableLength,
        drop::NO_RECEIVE_WQE => NoReceiveWqe,
        drop::Q_KEY => QKey,
        drop::BUFFER_TOO_SMALL => BufferTooSmall,
        drop::MULTICAST_ADDRESS => MulticastAddress,
        drop::SELF_MULTICAST => SelfMulticast,
        drop::VL => Vl,
        drop::VL15 => Vl15,
        drop::OVERRUN => Overrun,
        drop::ANSWERS_WAIT => AnswersWait,
        drop::PORT_STATE => DropReason::PortState,
        other => return Err(format!("unknown drop reason {other}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a record with ones in the fields that the kind names, and zeros in the others.
    fn record(kind: u8, code: u8, index: u32) -> Record {
        let full = Record {
            order: 7,
            kind,
            code,
            qpn: 0x12,
            psn: 3,
            index,
        };
        let unnamed = full.unnamed_bits();
        Record {
            code: code & !((unnamed >> 80) as u8),
            psn: full.psn & !((unnamed >> 32) as u32),
            index: index & !(unnamed as u32),
            ..full
        }
    }

    #[test]
    fn a_field_that_a_kind_does_not_name_is_zero() {
        let emitted = record(kind::REQUEST_EMITTED, 0, 0);
        assert!(event(&emitted).is_ok());
        assert!(event(&Record { index: 1, ..emitted }).is_err());
        assert!(event(&Record { code: 1, ..emitted }).is_err());
        let rung = record(kind::DOORBELL, QUEUE_SEND, 0xFFFF);
        assert!(event(&rung).is_ok());
        assert!(event(&Record {
            index: 0x1_0000,
            ..rung
        })
        .is_err());
        assert!(event(&Record { psn: 1, ..rung }).is_err());
        // For a lost WQE the index is reported, for lost data the PSN.
        let lost = record(kind::MEMORY_FAULT, memory_fault::SEND_WQE, 5);
        assert!(event(&lost).is_ok());
        assert!(event(&Record { psn: 1, ..lost }).is_err());
        let lost = record(kind::MEMORY_FAULT, memory_fault::REQUEST_DATA, 0);
        assert!(event(&lost).is_ok());
        assert!(event(&Record { index: 1, ..lost }).is_err());
    }

    #[test]
    fn a_completion_record_carries_cqn_side_and_index() {
        assert_eq!(
            event(&record(kind::COMPLETION_WRITTEN, 12, 0x1_FFFE)),
            Ok(Event::CompletionWritten {
                cqn: 3,
                qpn: 0x12,
                side: QueueSide::Receive,
                index: 0xFFFE,
                status: Status::RetryExcErr,
            })
        );
    }

    #[test]
    fn every_kind_is_known_and_no_other() {
        for kind in kind::DOORBELL..=kind::COPY_DROPPED {
            assert!(event(&record(kind, 1, 1)).is_ok(), "kind {kind}");
        }
        for kind in [0, kind::COPY_DROPPED + 1, 255] {
            assert!(event(&record(kind, 1, 1)).is_err(), "kind {kind}");
        }
    }

    #[test]
    fn a_modification_names_its_side_and_state() {
        let modified = |side, state| {
            Ok(Event::QpModified {
                qpn: 0x12,
                side,
                state,
            })
        };
        let of = |code, state| event(&record(kind::QP_MODIFIED, code, state));
        assert_eq!(of(0, 3), modified(QueueSide::Receive, QpState::Rts));
        assert_eq!(of(1, 6), modified(QueueSide::Send, QpState::Error));
        assert!(of(2, 3).is_err() && of(0, 7).is_err() && of(0, 256).is_err());
    }

    #[test]
    fn a_step_of_a_port_names_it() {
        let of = |qpn| {
            let record = record(kind::PORT_MODIFIED, SIDE_SEND, 1);
            event(&Record { qpn, ..record })
        };
        let modified = |port| {
            let (side, state) = (QueueSide::Send, PortState::Down);
            Ok(Event::PortModified { port, side, state })
        };
        assert_eq!((of(0), of(1)), (modified(1), modified(2)));
        assert!(of(2).is_err());
    }

    #[test]
    fn a_command_tells_why_it_was_refused() {
        let of = |code, command| event(&record(kind::COMMAND, code, command));
        let judged = |refused| {
            Ok(Event::Command {
                verb: CommandVerb::ResizeCq,
                number: 0x12,
                refused,
            })
        };
        assert_eq!(of(0, 7), judged(None));
        assert_eq!(of(10, 7), judged(Some(Reason::CqFailed)));
        assert!(of(13, 7).is_err() && of(0, 18).is_err());
    }

    #[test]
    fn every_drop_reason_is_known_and_no_other() {
        let known: std::collections::BTreeSet<DropReason> = (1..=drop::ANSWERS_WAIT)
            .filter_map(|c| drop_reason(c).ok())
            .collect();
        assert_eq!(known.len(), usize::from(drop::ANSWERS_WAIT));
        assert!(drop_reason(0).is_err() && drop_reason(drop::ANSWERS_WAIT + 1).is_err());
    }
}
