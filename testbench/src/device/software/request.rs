//! Converts requests of software to the driver's values.
use hca_golden::modification::{AddressVector, QpChanges};
use hca_golden::verbs::{
    AddressHandle, Defect, GlobalRoute, MemoryRegion, PortCounter, QpAttributes, QpState, QueueSide,
    SendOperation, SendRequest, Service, Sge,
};
use hca_host::wqe::{self, Segment};
use hca_sim::driver;

/// Converts a service. The driver has RC, UC and UD.
fn service(service: Service) -> driver::Service {
    match service {
        Service::Uc => driver::Service::Uc,
        Service::Ud => driver::Service::Ud,
        _ => driver::Service::Rc,
    }
}

/// Converts the parameters of a queue pair.
pub fn init(a: &QpAttributes, send_entries: u32, receive_entries: u32) -> driver::QpInit {
    driver::QpInit {
        qpn: a.qpn,
        service: service(a.service),
        send_cq: a.send_cq,
        receive_cq: a.receive_cq,
        send_entries,
        receive_entries,
        pd: a.pd,
        dry_event: a.dry_event,
    }
}

/// Converts attributes to set.
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
        static_rate: a.static_rate,
        global: a.global.as_ref().map(global),
        sgid_index: a.sgid_index,
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

/// Converts a counter of the port.
pub fn counted(counter: PortCounter) -> driver::PortCounter {
    match counter {
        PortCounter::PKeyViolations => driver::PortCounter::PKeyViolations,
        PortCounter::QKeyViolations => driver::PortCounter::QKeyViolations,
        PortCounter::Vl15Dropped => driver::PortCounter::Vl15Dropped,
        PortCounter::XmitDiscards => driver::PortCounter::XmitDiscards,
        PortCounter::LinkErrorRecovery => driver::PortCounter::LinkErrorRecovery,
        PortCounter::LinkDowned => driver::PortCounter::LinkDowned,
        PortCounter::RcvErrors => driver::PortCounter::RcvErrors,
        PortCounter::RcvRemotePhysicalErrors => driver::PortCounter::RcvRemotePhysicalErrors,
        PortCounter::BufferOverrun => driver::PortCounter::ExcessiveBufferOverrun,
        PortCounter::XmitData => driver::PortCounter::XmitData,
        PortCounter::RcvData => driver::PortCounter::RcvData,
        PortCounter::XmitPackets => driver::PortCounter::XmitPackets,
        PortCounter::RcvPackets => driver::PortCounter::RcvPackets,
        PortCounter::XmitWait => driver::PortCounter::XmitWait,
    }
}

/// Returns the driver's code of a number of operational data VLs. For numbers other than 1, 2, 4 and 8 it is a code
/// that no port has.
pub fn vls(data_vls: u8) -> u8 {
    match data_vls {
        1 | 2 | 4 | 8 => data_vls.trailing_zeros() as u8 + 1,
        _ => 0,
    }
}

/// Converts a multicast group.
pub fn group(mgid: &[u8; 16], mlid: u16) -> driver::Group {
    driver::Group { mgid: *mgid, mlid }
}

/// Converts an address handle.
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

/// Converts a send request.
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

/// Returns offset and bytes of a defect in the entry of a send WQE.
pub fn spoiled(defect: Defect) -> (usize, Vec<u8>) {
    match defect {
        Defect::Operation(code) => (wqe::OPERATION_AT, vec![code]),
        Defect::Sges(count) => (wqe::COUNT_AT, vec![count]),
        Defect::Length(bytes) => (wqe::LENGTH_AT, bytes.to_be_bytes().to_vec()),
    }
}

/// Converts a work queue.
pub fn queue(side: QueueSide) -> driver::Side {
    match side {
        QueueSide::Send => driver::Side::Send,
        QueueSide::Receive => driver::Side::Receive,
    }
}

/// Converts a memory region.
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

/// Converts scatter/gather elements to those of a WQE.
pub fn segments(sges: &[Sge]) -> Vec<Segment> {
    let segment = |s: &Sge| Segment {
        addr: s.addr,
        length: s.length,
        l_key: s.l_key,
    };
    sges.iter().map(segment).collect()
}

/// Converts a state.
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
