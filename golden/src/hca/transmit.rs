//! Packets that a device sends: the fields of requests and of responses.
use super::queue_pair::QueuePair;
use super::response::{Body, Response};
use crate::decision::requester::Plan;
use crate::port::Link;
use crate::port::PortConfig;
use crate::verbs::{EthernetRoute, GlobalRoute, QpAttributes};
use crate::wire::aeth::Aeth;
use crate::wire::atomic_ack_eth::AtomicAckEth;
use crate::wire::bth::Bth;
use crate::wire::extension::Extension;
use crate::wire::grh::{Grh, IPVER, NXTHDR_IBA};
use crate::wire::lrh::Lrh;
use crate::wire::opcode::{
    RC_ACKNOWLEDGE, RC_ATOMIC_ACKNOWLEDGE, RC_READ_RESPONSE_FIRST, RC_READ_RESPONSE_LAST,
    RC_READ_RESPONSE_MIDDLE, RC_READ_RESPONSE_ONLY,
};
use crate::wire::packet::{Packet, Route};
use crate::wire::roce::{Endpoint, Roce};

/// A request packet (`requester.md` section 2). One data VL: all service levels map to VL 0.
pub(super) fn request(port: &PortConfig, qp: &QueuePair, plan: &Plan, payload: Vec<u8>) -> Vec<u8> {
    let a = &qp.send_attributes;
    bytes_of(Packet {
        route: route(
            port,
            a,
            Lrh {
                sl: a.sl,
                dlid: a.dlid,
                // CF264
                slid: port.lid | u16::from(a.source_path_bits),
                ..Lrh::default()
            },
        ),
        bth: Bth {
            opcode: plan.opcode,
            se: plan.solicited,
            p_key: port.p_key(a.p_key_index),
            dest_qp: a.dest_qpn,
            a: plan.ack_req,
            psn: plan.psn,
            ..Bth::default()
        },
        extensions: plan.extensions.clone(),
        payload,
    })
}

/// An ack or NAK (`responder.md` section 8, CF128 to CF132).
pub(super) fn acknowledge(port: &PortConfig, qp: &QueuePair, response: &Response, syndrome: u8) -> Vec<u8> {
    let extensions = vec![aeth(response, syndrome)];
    answer(port, qp, response, RC_ACKNOWLEDGE, extensions, Vec::new())
}

/// A read response; `place` says whether it is the first and whether it is the last (`responder.md` section 9).
pub(super) fn data(
    port: &PortConfig,
    qp: &QueuePair,
    response: &Response,
    place: (bool, bool),
    syndrome: u8,
    payload: Vec<u8>,
) -> Vec<u8> {
    let opcode = match place {
        (true, true) => RC_READ_RESPONSE_ONLY,
        (true, false) => RC_READ_RESPONSE_FIRST,
        (false, false) => RC_READ_RESPONSE_MIDDLE,
        (false, true) => RC_READ_RESPONSE_LAST,
    };
    let extensions = match opcode {
        RC_READ_RESPONSE_MIDDLE => Vec::new(),
        _ => vec![aeth(response, syndrome)],
    };
    answer(port, qp, response, opcode, extensions, payload)
}

/// An atomic ack.
pub(super) fn original(port: &PortConfig, qp: &QueuePair, response: &Response, syndrome: u8) -> Vec<u8> {
    let orig_rem_dt = match response.body {
        Body::Original { original, .. } => original,
        _ => 0,
    };
    let value = Extension::AtomicAckEth(AtomicAckEth { orig_rem_dt });
    let extensions = vec![aeth(response, syndrome), value];
    answer(port, qp, response, RC_ATOMIC_ACKNOWLEDGE, extensions, Vec::new())
}

fn aeth(response: &Response, syndrome: u8) -> Extension {
    let msn = response.msn;
    Extension::Aeth(Aeth { syndrome, msn })
}

fn answer(
    port: &PortConfig,
    qp: &QueuePair,
    response: &Response,
    opcode: u8,
    extensions: Vec<Extension>,
    payload: Vec<u8>,
) -> Vec<u8> {
    bytes_of(Packet {
        route: route(port, &qp.attributes, response.lrh),
        bth: Bth {
            opcode,
            p_key: port.p_key(qp.attributes.p_key_index),
            dest_qp: qp.attributes.dest_qpn,
            psn: response.psn,
            ..Bth::default()
        },
        extensions,
        payload,
    })
}

/// The route to the connected port: native packets have the LRH given, RoCE packets need none of it.
fn route(port: &PortConfig, a: &QpAttributes, lrh: Lrh) -> Route {
    match (port.link, a.global, a.ethernet) {
        (Link::Roce, Some(global), Some(ethernet)) => Route::Roce(roce(port, &global, &ethernet)),
        (_, Some(global), _) => Route::Global(
            lrh,
            Grh {
                ipver: IPVER,
                tclass: global.traffic_class,
                flow_label: global.flow_label,
                nxt_hdr: NXTHDR_IBA,
                hop_lmt: global.hop_limit,
                sgid: port.gid,
                dgid: global.dgid,
                ..Grh::default()
            },
        ),
        _ => Route::Local(lrh),
    }
}

fn roce(port: &PortConfig, global: &GlobalRoute, ethernet: &EthernetRoute) -> Roce {
    let source = Endpoint {
        mac: port.mac,
        gid: port.gid,
    };
    let destination = Endpoint {
        mac: ethernet.dest_mac,
        gid: global.dgid,
    };
    let mut roce = Roce::between(source, destination, ethernet.source_port);
    roce.network.set_traffic_class(global.traffic_class);
    roce.network.set_hop_limit(global.hop_limit);
    roce.network
        .set_flow_label(global.flow_label)
        .expect("create_qp keeps the flow label within its field");
    roce
}

fn bytes_of(packet: Packet) -> Vec<u8> {
    packet
        .encode()
        .expect("modify_qp keeps attributes, and PSN and MSN arithmetic their values, within their fields")
}
