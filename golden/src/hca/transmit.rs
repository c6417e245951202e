//! Packets that a device sends: the fields of requests and of acks.
use super::queue_pair::QueuePair;
use super::response_queue::Response;
use crate::decision::requester::Plan;
use crate::verbs::{EthernetRoute, GlobalRoute, PortConfig, QpAttributes};
use crate::wire::aeth::Aeth;
use crate::wire::bth::Bth;
use crate::wire::extension::Extension;
use crate::wire::frame::Link;
use crate::wire::grh::{Grh, IPVER, NXTHDR_IBA};
use crate::wire::lrh::Lrh;
use crate::wire::opcode::RC_ACKNOWLEDGE;
use crate::wire::packet::{Packet, Route};
use crate::wire::roce::{Endpoint, Roce};

/// A request packet (`requester.md` section 2). One data VL: all service levels map to VL 0.
pub(super) fn request(port: &PortConfig, qp: &QueuePair, plan: &Plan, payload: Vec<u8>) -> Vec<u8> {
    let a = &qp.attributes;
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
            p_key: a.p_key,
            dest_qp: a.dest_qpn,
            a: plan.ack_req,
            psn: plan.psn,
            ..Bth::default()
        },
        extensions: Vec::new(),
        payload,
    })
}

/// An ack or NAK (`responder.md` section 8, CF128 to CF132).
pub(super) fn response(port: &PortConfig, qp: &QueuePair, response: &Response) -> Vec<u8> {
    bytes_of(Packet {
        route: route(
            port,
            &qp.attributes,
            Lrh {
                sl: response.sl,
                dlid: response.dlid,
                slid: response.slid,
                ..Lrh::default()
            },
        ),
        bth: Bth {
            opcode: RC_ACKNOWLEDGE,
            p_key: qp.attributes.p_key,
            dest_qp: qp.attributes.dest_qpn,
            psn: response.psn,
            ..Bth::default()
        },
        extensions: vec![Extension::Aeth(Aeth {
            syndrome: response.syndrome,
            msn: response.msn,
        })],
        payload: Vec::new(),
    })
}

/// The way to the connected port: of native packets the LRH is given, of RoCE nothing is left of it.
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
