//! Converts the driver's answers to the model's values.
use crate::device::translation::status;
use crate::device::{Outcome, Reason, Refusal};
use hca_golden::extended_counters::ExtendedCounters;
use hca_golden::modification::{AddressVector, QpChanges};
use hca_golden::verbs::{
    AddressHandle, AsyncEvent, CompletedOperation, Completion, DatagramSource, EndToEndCredits,
    EthernetRoute, GlobalRoute, HcaAttributes, HostEvent, KeyViolation, Pmtu, QpState, RemoteAccess, Service,
    Status, WrongKey,
};
use hca_host::{command, cqe, wqe};
use hca_sim::driver::{self, DriverError};

fn service(service: driver::Service) -> Service {
    match service {
        driver::Service::Rc => Service::Rc,
        driver::Service::Uc => Service::Uc,
        driver::Service::Ud => Service::Ud,
    }
}

/// Converts the answer to a query of an address handle.
pub fn ah(a: &driver::AddressHandle) -> Outcome {
    Outcome::Ah(AddressHandle {
        pd: a.pd,
        port: a.port,
        dlid: a.dlid,
        sl: a.sl,
        source_path_bits: a.source_path_bits,
        static_rate: a.static_rate,
        global: a.global.as_ref().map(global),
        sgid_index: a.sgid_index,
        dest_mac: a.dest_mac,
    })
}

/// Converts the answer to a query of the device.
pub fn hca(limits: &driver::HcaLimits) -> Outcome {
    let without_queue_pairs = [
        (limits.reliable_datagrams, Service::Rd),
        (limits.raw_packets, Service::Raw),
    ];
    let further = without_queue_pairs
        .into_iter()
        .filter(|(has, _)| *has)
        .map(|(_, service)| service);
    Outcome::Hca(Box::new(HcaAttributes {
        services: limits
            .services
            .iter()
            .copied()
            .map(service)
            .chain(further)
            .collect(),
        cq_resize: limits.cq_resize,
        end_to_end_credits: limits.end_to_end_credits,
        memory_windows: limits.memory_windows,
        ports: limits.ports as u8,
        queue_pairs: limits.queue_pairs as usize,
        completion_queues: limits.completion_queues,
        memory_regions: Some(limits.memory_regions),
        address_handles: limits.address_handles,
        multicast_groups: limits.multicast_groups as usize,
        group_members: limits.group_members as usize,
        gids: limits.gids as u8,
        max_entries: [limits.max_cqe, limits.max_send_wr, limits.max_recv_wr],
        max_rd_atomic: limits.max_rd_atomic as u8,
        max_sges: limits.max_sge as usize,
        max_inline: limits.max_inline,
    }))
}

/// Converts what the violation latch of a port holds.
pub fn violation(held: Option<driver::KeyViolation>) -> Option<KeyViolation> {
    held.map(|held| KeyViolation {
        key: match held.is_q_key {
            true => WrongKey::QKey(held.key),
            false => WrongKey::PKey(held.key as u16),
        },
        slid: held.slid,
        dlid: held.dlid,
        sl: held.sl,
        source_qpn: held.source_qpn,
        dest_qpn: held.destination_qpn,
        sgid: held.sgid,
        dgid: held.dgid,
    })
}

/// Converts the 64-bit counters of a port.
pub fn extended_counters(counted: &driver::ExtendedCounters) -> ExtendedCounters {
    ExtendedCounters {
        xmit_data: counted.xmit_data,
        rcv_data: counted.rcv_data,
        xmit_packets: counted.xmit_packets,
        rcv_packets: counted.rcv_packets,
        unicast_xmit_packets: counted.unicast_xmit_packets(),
        unicast_rcv_packets: counted.unicast_rcv_packets(),
        multicast_xmit_packets: counted.multicast_xmit_packets,
        multicast_rcv_packets: counted.multicast_rcv_packets,
    }
}

/// Converts the answer to a query of a completion queue.
pub fn cq(status: &driver::CqStatus) -> Outcome {
    Outcome::Cq {
        entries: status.books.entries,
        failed: status.failed,
    }
}

/// Converts the answer to a query of a queue pair.
pub fn qp(status: &driver::QpStatus) -> Outcome {
    let c = &status.attributes;
    Outcome::Qp {
        state: state(status.state),
        attributes: QpChanges {
            p_key_index: c.p_key_index,
            port: c.port,
            access: c.access.map(|access| RemoteAccess {
                write: access.write,
                read: access.read,
                atomic: access.atomic,
            }),
            address: c.address.as_ref().map(address),
            pmtu: c.pmtu.and_then(|bytes| Pmtu::from_bytes(bytes as usize)),
            dest_qpn: c.dest_qpn,
            rq_psn: c.rq_psn,
            max_dest_rd_atomic: c.max_dest_rd_atomic,
            min_rnr_timer: c.min_rnr_timer,
            sq_psn: c.sq_psn,
            timeout: c.timeout,
            retry_cnt: c.retry_cnt,
            rnr_retry: c.rnr_retry,
            max_rd_atomic: c.max_rd_atomic,
            credits: c.credits.map(|credits| EndToEndCredits {
                supplied: credits.supplied,
                expected: credits.expected,
            }),
            q_key: c.q_key,
            drained_event: false,
        },
    }
}

/// Converts an address. If nothing was set, there is no Ethernet address either.
fn address(a: &driver::AddressVector) -> AddressVector {
    let unset = driver::EthernetRoute::default();
    AddressVector {
        dlid: a.dlid,
        sl: a.sl,
        source_path_bits: a.source_path_bits,
        static_rate: a.static_rate,
        global: a.global.as_ref().map(global),
        sgid_index: a.sgid_index,
        ethernet: a
            .ethernet
            .as_ref()
            .filter(|ethernet| **ethernet != unset)
            .map(|ethernet| EthernetRoute {
                dest_mac: ethernet.dest_mac,
                source_port: ethernet.source_port,
            }),
    }
}

fn global(global: &driver::GlobalRoute) -> GlobalRoute {
    GlobalRoute {
        dgid: global.dgid,
        flow_label: global.flow_label,
        traffic_class: global.traffic_class,
        hop_limit: global.hop_limit,
    }
}

/// Converts a state.
pub fn state(state: driver::QpState) -> QpState {
    match state {
        driver::QpState::Reset => QpState::Reset,
        driver::QpState::Init => QpState::Init,
        driver::QpState::Rtr => QpState::Rtr,
        driver::QpState::Rts => QpState::Rts,
        driver::QpState::Sqd => QpState::Sqd,
        driver::QpState::Sqe => QpState::Sqe,
        driver::QpState::Error => QpState::Error,
    }
}

/// Converts an event of the event queue.
pub fn host_event(event: driver::Event) -> HostEvent {
    match event {
        driver::Event::Completion { cqn } => HostEvent::Completion { cqn },
        driver::Event::CqError { cqn } => HostEvent::CqError { cqn },
        driver::Event::CommunicationEstablished { qpn } => {
            HostEvent::Qp(AsyncEvent::CommunicationEstablished { qpn })
        }
        driver::Event::SqDrained { qpn } => HostEvent::Qp(AsyncEvent::SendQueueDrained { qpn }),
        driver::Event::QpRequestError { qpn } => HostEvent::Qp(AsyncEvent::RequestError { qpn }),
        driver::Event::QpAccessError { qpn } => HostEvent::Qp(AsyncEvent::AccessError { qpn }),
        driver::Event::QpFatal { qpn } => HostEvent::Qp(AsyncEvent::QpFatal { qpn }),
        driver::Event::RqDry { qpn } => HostEvent::Qp(AsyncEvent::ReceiveQueueDry { qpn }),
        driver::Event::PortActive { port } => HostEvent::PortActive { port },
        driver::Event::PortError { port } => HostEvent::PortError { port },
        driver::Event::Violation { port } => HostEvent::Violation { port },
    }
}

/// Converts a refusal of the driver or of the hardware; `None` for a failure of the adapter.
pub fn refusal(error: &DriverError) -> Option<Refusal> {
    let code = match error {
        DriverError::Refused(code) => refused(*code)?,
        DriverError::UnknownQp(_) | DriverError::UnknownCq(_) => Reason::NotFound,
        DriverError::BadRingSize(_) | DriverError::OutOfMemory => Reason::BadSize,
        DriverError::WrongState { .. } => Reason::WrongState,
        DriverError::QueueFull { .. } => Reason::QueueFull,
        DriverError::CqFailed(_) => Reason::CqFailed,
        DriverError::TooManySges { .. } => Reason::TooManySges,
        DriverError::InlineTooLong { .. } | DriverError::InlineResult => Reason::Inline,
        DriverError::AtomicTarget => Reason::AtomicTarget,
        DriverError::NoReadDepth(_) => Reason::NoReadDepth,
        DriverError::MessageTooLong(_) => Reason::TooLong,
        DriverError::FieldTooWide { .. } | DriverError::BadAddress { .. } => Reason::BadAttribute,
        DriverError::UnknownEvent(_) | DriverError::Register(_) => return None,
    };
    let reason = error.to_string();
    Some(Refusal { code, reason })
}

/// Returns the reason for a refusing result of a command.
fn refused(code: u32) -> Option<Reason> {
    Some(match code {
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
        _ => return None,
    })
}

/// Converts a polled CQE to a completion, or returns its defect. `roce` says whether the link is RoCEv2.
pub fn completion(c: &driver::Completion, roce: bool) -> Result<Completion, String> {
    let wr_id = c.wr_id.ok_or_else(|| {
        format!(
            "a CQE names WQE {} of QP {:06X}h, which is not outstanding",
            c.wqe_index, c.qpn
        )
    })?;
    let status = status(c.status)?;
    // The operation is undefined in a failed completion.
    let operation = match (status, c.receive) {
        (Status::Success, _) => completed(c.operation)?,
        (_, true) => CompletedOperation::Receive,
        (_, false) => CompletedOperation::Send,
    };
    Ok(Completion {
        wr_id,
        status,
        qpn: c.qpn,
        operation,
        byte_count: c.byte_count,
        immediate: c.immediate,
        p_key_index: c.p_key_index,
        invalidated: c.invalidated,
        datagram: c
            .datagram
            .as_ref()
            .map(|source| datagram(source, roce))
            .transpose()?,
    })
}

/// Converts the source of a datagram.
fn datagram(source: &cqe::Datagram, roce: bool) -> Result<DatagramSource, String> {
    let [high, low, rest @ ..] = source.sender;
    if !roce && rest != [0; 4] {
        return Err(format!(
            "a CQE of a native datagram has {rest:02X?} behind its LID"
        ));
    }
    Ok(DatagramSource {
        port: source.port,
        qpn: source.source_qpn,
        slid: source.slid,
        sl: source.sl,
        lid: if roce { 0 } else { u16::from_be_bytes([high, low]) },
        path_bits: source.path_bits,
        grh: source.grh,
        source_mac: roce.then_some(source.sender),
    })
}

/// Converts the operation of a CQE.
fn completed(code: u8) -> Result<CompletedOperation, String> {
    use CompletedOperation::*;
    Ok(match code {
        wqe::OP_SEND | wqe::OP_SEND_IMMEDIATE | wqe::OP_SEND_INVALIDATE => Send,
        wqe::OP_WRITE | wqe::OP_WRITE_IMMEDIATE => Write,
        wqe::OP_READ => Read,
        wqe::OP_COMPARE_SWAP => CompareSwap,
        wqe::OP_FETCH_ADD => FetchAdd,
        cqe::OP_RECEIVE => Receive,
        cqe::OP_RECEIVE_WRITE => ReceiveWithImmediate,
        other => return Err(format!("a CQE holds unknown operation {other}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_completion_of_no_outstanding_wqe_is_reported() {
        let polled = driver::Completion {
            wr_id: None,
            status: 0,
            qpn: 0x12,
            receive: false,
            operation: 0,
            byte_count: 0,
            immediate: None,
            p_key_index: None,
            invalidated: None,
            datagram: None,
            wqe_index: 5,
        };
        let reason = completion(&polled, false).unwrap_err();
        assert!(reason.contains("WQE 5 of QP 000012h"), "{reason}");
    }
}
