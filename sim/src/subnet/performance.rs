//! The agent of performance management. It has no state.
use super::attribute::{id, ClassPortInfo, PortCounters, PortCountersExtended};
use super::mad::{Method, PerformanceMad, Status, VERSION};
use super::port::Ports;
use super::record::Record;

/// Capability bits of the agent: counters of unicast and multicast packets, and PortXmitWait.
const CAPABILITIES: u16 = 1 << 9 | 1 << 12;
/// Response time code: 1.07 s.
const RESPONSE_TIME: u8 = 18;

/// Answers a MAD that arrived at the QP1 of `port`; a response is consumed. The checks come in the order of
/// `protocol/mad.md` section 7.
pub fn answer<P: Ports>(
    ports: &mut P,
    port: u8,
    request: &PerformanceMad,
) -> Result<Option<PerformanceMad>, P::Error> {
    let header = &request.header;
    let refused = |status| Ok(Some(request.response(status)));
    if header.base_version != VERSION || header.class_version != VERSION {
        return refused(Status::Version);
    }
    let method = match header.method() {
        Some(method @ (Method::Get | Method::Set)) => method,
        Some(Method::GetResp) => return Ok(None),
        _ => return refused(Status::Method),
    };
    let data = match (header.attribute, method) {
        (id::CLASS_PORT_INFO, Method::Get) => Some(class_port_info()),
        (id::PORT_COUNTERS, _) => counters(ports, port, method, request)?,
        (id::PORT_COUNTERS_EXTENDED, _) => extended_counters(ports, port, method, request)?,
        _ => return refused(Status::Attribute),
    };
    Ok(Some(match data {
        Some(data) => PerformanceMad {
            data,
            ..request.response(Status::Done)
        },
        None => request.response(Status::Field),
    }))
}

type Data = [u8; 192];

fn class_port_info() -> Data {
    let info = ClassPortInfo {
        base_version: VERSION,
        class_version: VERSION,
        capability_mask: CAPABILITIES,
        capability_mask2: 0,
        response_time: RESPONSE_TIME,
    };
    info.encode()
}

/// Returns PortCounters after the request; `None` if modifier or PortSelect name another port.
fn counters<P: Ports>(
    ports: &mut P,
    port: u8,
    method: Method,
    request: &PerformanceMad,
) -> Result<Option<Data>, P::Error> {
    let asked = PortCounters::decode(&request.data);
    if request.header.modifier != 0 || asked.port_select != port {
        return Ok(None);
    }
    if method == Method::Set {
        ports.clear_counters(port, asked.counter_select, asked.counter_select2)?;
    }
    let counters = PortCounters {
        port_select: port,
        counter_select: asked.counter_select,
        counter_select2: asked.counter_select2,
        ..ports.counters(port)?
    };
    Ok(Some(counters.encode()))
}

/// Returns PortCountersExtended after the request; `None` if modifier or PortSelect name another port.
fn extended_counters<P: Ports>(
    ports: &mut P,
    port: u8,
    method: Method,
    request: &PerformanceMad,
) -> Result<Option<Data>, P::Error> {
    let asked = PortCountersExtended::decode(&request.data);
    if request.header.modifier != 0 || asked.port_select != port {
        return Ok(None);
    }
    if method == Method::Set {
        ports.clear_extended_counters(port, asked.counter_select)?;
    }
    let counters = PortCountersExtended {
        port_select: port,
        counter_select: asked.counter_select,
        ..ports.extended_counters(port)?
    };
    Ok(Some(counters.encode()))
}
