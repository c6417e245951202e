//! Packets that a device sends: the fields of requests and of acks.
use super::queue_pair::QueuePair;
use super::response_queue::Response;
use crate::decision::requester::Plan;
use crate::verbs::PortConfig;
use crate::wire::aeth::Aeth;
use crate::wire::bth::Bth;
use crate::wire::extension::Extension;
use crate::wire::lrh::Lrh;
use crate::wire::opcode::RC_ACKNOWLEDGE;
use crate::wire::packet::{Packet, Route};

/// A request packet (`requester.md` section 2). One data VL: all service levels map to VL 0.
pub(super) fn request(port: &PortConfig, qp: &QueuePair, plan: &Plan, payload: Vec<u8>) -> Vec<u8> {
    let a = &qp.attributes;
    bytes_of(Packet {
        route: Route::Local(Lrh {
            sl: a.sl,
            dlid: a.dlid,
            // CF264
            slid: port.lid | u16::from(a.source_path_bits),
            ..Lrh::default()
        }),
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

/// An ack or NAK (`responder.md` section 8, CF128 to CF131).
pub(super) fn response(qp: &QueuePair, response: &Response) -> Vec<u8> {
    bytes_of(Packet {
        route: Route::Local(Lrh {
            sl: response.sl,
            dlid: response.dlid,
            slid: response.slid,
            ..Lrh::default()
        }),
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

fn bytes_of(packet: Packet) -> Vec<u8> {
    packet
        .encode()
        .expect("modify_qp keeps attributes, and PSN and MSN arithmetic their values, within their fields")
}
