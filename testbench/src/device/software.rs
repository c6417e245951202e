//! Converts the model's values to the driver's, and the driver's answers back.
use super::translation::status;
use super::{Outcome, Reason, Refusal};
use hca_golden::modification::{AddressVector, QpChanges};
use hca_golden::verbs::{
    AddressHandle, AsyncEvent, CompletedOperation, Completion, DatagramSource, Defect, EndToEndCredits,
    EthernetRoute, GlobalRoute, HcaAttributes, HostEvent, MemoryRegion, Pmtu, QpAttributes, QpState,
    QueueSide, RemoteAccess, SendOperation, SendRequest, Service, Sge, Status,
};
use hca_host::wqe::{self, Segment};
use hca_host::{command, cqe};
use hca_sim::driver::{self, DriverError};

/// The service in the words of the driver, which has RC, UC and UD.
fn service(service: Service) -> driver::Service {
    match service {
        Service::Uc => driver::Service::Uc,
        Service::Ud => driver::Service::Ud,
        _ => driver::Service::Rc,
    }
}

fn told_service(service: driver::Service) -> Service {
    match service {
        driver::Service::Rc => Service::Rc,
        driver::Service::Uc => Service::Uc,
        driver::Service::Ud => Service::Ud,
    }
}

/// Parameters of a queue pair.
pub fn init(a: &QpAttributes, send_entries: u32, receive_entries: u32) -> driver::QpInit {
    driver::QpInit {
        qpn: a.qpn,
        service: service(a.service),
        send_cq: a.send_cq,
        receive_cq: a.receive_cq,
        send_entries,
        receive_entries,
        pd: a.pd,
    }
}

/// Attributes to set.
pub fn changes(c: &QpChanges) -> driver::QpChanges {
    driver::QpChanges {
        p_key_index: c.p_key_index,
        port: c.port,
        access: c.access.map(|access| driver::RemoteAccess {
            write: access.write,
            read: access.read,
            atomic: access.atomic,
        }),
        address: c.address.map(|a| address(&a)),
        pmtu: c.pmtu.map(|pmtu| pmtu.bytes() as u32),
        dest_qpn: c.dest_qpn,
        rq_psn: c.rq_psn,
        max_dest_rd_atomic: c.max_dest_rd_atomic,
        min_rnr_timer: c.min_rnr_timer,
        sq_psn: c.sq_psn,
        timeout: c.timeout,
        retry_cnt: c.retry_cnt,
        rnr_retry: c.rnr_retry,
        max_rd_atomic: c.max_rd_atomic,
        credits: c.credits.map(|credits| driver::EndToEndCredits {
            supplied: credits.supplied,
            expected: credits.expected,
        }),
        q_key: c.q_key,
        drained_event: c.drained_event,
    }
}

fn address(a: &AddressVector) -> driver::AddressVector {
    driver::AddressVector {
        dlid: a.dlid,
        sl: a.sl,
        source_path_bits: a.source_path_bits,
        global: a.global.as_ref().map(global),
        ethernet: a.ethernet.map(|ethernet| driver::EthernetRoute {
            dest_mac: ethernet.dest_mac,
            source_port: ethernet.source_port,
        }),
    }
}

fn global(global: &GlobalRoute) -> driver::GlobalRoute {
    driver::GlobalRoute {
        dgid: global.dgid,
        flow_label: global.flow_label,
        traffic_class: global.traffic_class,
        hop_limit: global.hop_limit,
    }
}

/// A multicast group as the driver's value.
pub fn group(mgid: &[u8; 16], mlid: u16) -> driver::Group {
    driver::Group { mgid: *mgid, mlid }
}

/// An address handle as the driver's value.
pub fn handle(a: &AddressHandle) -> driver::AddressHandle {
    driver::AddressHandle {
        pd: a.pd,
        port: a.port,
        dlid: a.dlid,
        sl: a.sl,
        source_path_bits: a.source_path_bits,
        static_rate: a.static_rate,
        global: a.global.as_ref().map(global),
        sgid_index: a.sgid_index,
        dest_mac: a.dest_mac,
    }
}

/// Answer of a query of an address handle.
pub fn ah(a: &driver::AddressHandle) -> Outcome {
    Outcome::Ah(AddressHandle {
        pd: a.pd,
        port: a.port,
        dlid: a.dlid,
        sl: a.sl,
        source_path_bits: a.source_path_bits,
        static_rate: a.static_rate,
        global: a.global.as_ref().map(told_global),
        sgid_index: a.sgid_index,
        dest_mac: a.dest_mac,
    })
}

/// Answer of a query of the device.
pub fn hca(limits: &driver::HcaLimits) -> Outcome {
    Outcome::Hca(Box::new(HcaAttributes {
        services: limits
            .services
            .iter()
            .map(|&service| told_service(service))
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

/// Answer of a query of a completion queue.
pub fn cq(status: &driver::CqStatus) -> Outcome {
    Outcome::Cq {
        entries: status.books.entries,
        failed: status.failed,
    }
}

/// Answer of a query of a queue pair.
pub fn qp(status: &driver::QpStatus) -> Outcome {
    let c = &status.attributes;
    Outcome::Qp {
        state: state_told(status.state),
        attributes: QpChanges {
            p_key_index: c.p_key_index,
            port: c.port,
            access: c.access.map(|access| RemoteAccess {
                write: access.write,
                read: access.read,
                atomic: access.atomic,
            }),
            address: c.address.as_ref().map(told_address),
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

/// If nothing was set, there is no Ethernet address either.
fn told_address(a: &driver::AddressVector) -> AddressVector {
    let unset = driver::EthernetRoute::default();
    AddressVector {
        dlid: a.dlid,
        sl: a.sl,
        source_path_bits: a.source_path_bits,
        global: a.global.as_ref().map(told_global),
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

fn told_global(global: &driver::GlobalRoute) -> GlobalRoute {
    GlobalRoute {
        dgid: global.dgid,
        flow_label: global.flow_label,
        traffic_class: global.traffic_class,
        hop_limit: global.hop_limit,
    }
}

/// A state as the model's value.
pub fn state_told(state: driver::QpState) -> QpState {
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

/// An event of the event queue.
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
    }
}

/// A refusal of the driver or of the hardware; `None` if it is a failure of the adapter.
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

/// Results of a command.
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

/// A polled CQE as a completion, or its defect. `roce`: the link is RoCEv2.
pub fn completion(c: &driver::Completion, roce: bool) -> Result<Completion, String> {
    let wr_id = c.wr_id.ok_or_else(|| {
        format!(
            "a CQE names WQE {} of QP {:06X}h, which is not outstanding",
            c.wqe_index, c.qpn
        )
    })?;
    let status = status(c.status)?;
    // Undefined in a failed completion.
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

/// The sender of a datagram.
fn datagram(source: &cqe::Datagram, roce: bool) -> Result<DatagramSource, String> {
    let [high, low, rest @ ..] = source.sender;
    if !roce && rest != [0; 4] {
        return Err(format!(
            "a CQE of a native datagram has {rest:02X?} behind its LID"
        ));
    }
    Ok(DatagramSource {
        qpn: source.source_qpn,
        slid: source.slid,
        sl: source.sl,
        lid: if roce { 0 } else { u16::from_be_bytes([high, low]) },
        path_bits: source.path_bits,
        grh: source.grh,
        source_mac: roce.then_some(source.sender),
    })
}

/// The operation of a CQE.
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

/// A send request as the driver's value.
pub fn send_work(request: &SendRequest) -> driver::SendWork {
    driver::SendWork {
        wr_id: request.wr_id,
        operation: operation(&request.operation),
        segments: segments(&request.sges),
        signaled: request.signaled,
        solicited: request.solicited,
        fence: request.fence,
        inline: request.inline,
        datagram: request.datagram.map(|datagram| wqe::Datagram {
            q_key: datagram.q_key,
            dest_qpn: datagram.dest_qpn,
            handle: datagram.handle,
            p_key_index: datagram.p_key_index,
        }),
    }
}

fn operation(operation: &SendOperation) -> driver::Operation {
    use driver::Operation as O;
    use SendOperation::*;
    match *operation {
        Send => O::Send,
        SendWithImmediate { immediate } => O::SendWithImmediate { immediate },
        SendWithInvalidate { r_key } => O::SendWithInvalidate { r_key },
        Write { va, r_key } => O::Write { va, r_key },
        WriteWithImmediate { va, r_key, immediate } => O::WriteWithImmediate { va, r_key, immediate },
        Read { va, r_key } => O::Read { va, r_key },
        CompareSwap {
            va,
            r_key,
            compare,
            swap,
        } => O::CompareSwap {
            va,
            r_key,
            compare,
            swap,
        },
        FetchAdd { va, r_key, add } => O::FetchAdd { va, r_key, add },
    }
}

/// Place and bytes of a defect in the entry of a send WQE.
pub fn spoiled(defect: Defect) -> (usize, Vec<u8>) {
    match defect {
        Defect::Operation(code) => (wqe::OPERATION_AT, vec![code]),
        Defect::Sges(count) => (wqe::COUNT_AT, vec![count]),
        Defect::Length(bytes) => (wqe::LENGTH_AT, bytes.to_be_bytes().to_vec()),
    }
}

/// A work queue as the driver's value.
pub fn queue(side: QueueSide) -> driver::Side {
    match side {
        QueueSide::Send => driver::Side::Send,
        QueueSide::Receive => driver::Side::Receive,
    }
}

/// A memory region as the driver's value.
pub fn region(r: &MemoryRegion) -> driver::Region {
    driver::Region {
        l_key: r.l_key,
        r_key: r.r_key,
        pd: r.pd,
        base: r.base,
        length: r.length,
        access: driver::RegionAccess {
            local_write: r.access.local_write,
            remote_write: r.access.remote_write,
            remote_read: r.access.remote_read,
            remote_atomic: r.access.remote_atomic,
        },
        zero_based: r.zero_based,
    }
}

/// Scatter/gather elements as in a WQE.
pub fn segments(sges: &[Sge]) -> Vec<Segment> {
    let segment = |s: &Sge| Segment {
        addr: s.addr,
        length: s.length,
        l_key: s.l_key,
    };
    sges.iter().map(segment).collect()
}

/// A state as the driver's value.
pub fn state(state: QpState) -> driver::QpState {
    match state {
        QpState::Reset => driver::QpState::Reset,
        QpState::Init => driver::QpState::Init,
        QpState::Rtr => driver::QpState::Rtr,
        QpState::Rts => driver::QpState::Rts,
        QpState::Sqd => driver::QpState::Sqd,
        QpState::Sqe => driver::QpState::Sqe,
        QpState::Error => driver::QpState::Error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_completion_of_no_outstanding_wqe_is_told() {
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
