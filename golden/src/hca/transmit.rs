//! Packets that a device sends: the fields of requests and of responses.
use super::queue_pair::QueuePair;
use super::response::{Body, Response};
use crate::decision::partition::{QP0, QP1};
use crate::decision::requester::Plan;
use crate::decision::ud::requester::{q_key, source_port};
use crate::port::Link;
use crate::port::PortConfig;
use crate::verbs::{AddressHandle, Datagram, EthernetRoute, GlobalRoute, QpAttributes};
use crate::wire::aeth::Aeth;
use crate::wire::atomic_ack_eth::AtomicAckEth;
use crate::wire::bth::Bth;
use crate::wire::deth::Deth;
use crate::wire::extension::Extension;
use crate::wire::grh::{Grh, IPVER, NXTHDR_IBA};
use crate::wire::lrh::{Lrh, MANAGEMENT_VL, PERMISSIVE_LID};
use crate::wire::opcode::{
    RC_ACKNOWLEDGE, RC_ATOMIC_ACKNOWLEDGE, RC_READ_RESPONSE_FIRST, RC_READ_RESPONSE_LAST,
    RC_READ_RESPONSE_MIDDLE, RC_READ_RESPONSE_ONLY,
};
use crate::wire::packet::{Packet, Route};
use crate::wire::roce::{Endpoint, Roce};

/// Returns the bytes of a request packet (`requester.md` section 2).
pub(super) fn request(port: &PortConfig, qp: &QueuePair, plan: &Plan, payload: Vec<u8>) -> Vec<u8> {
    let a = &qp.send_attributes;
    bytes_of(Packet {
        route: route(
            port,
            Network::of(a),
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

/// Returns the bytes of a datagram (`ud.md` section 2). Its route is that of the address handle. `qpn` is the QP's
/// number in packets.
pub(super) fn datagram(
    port: &PortConfig,
    qp: &QueuePair,
    qpn: u32,
    plan: &Plan,
    payload: Vec<u8>,
    datagram: &Datagram,
    handle: &AddressHandle,
) -> Vec<u8> {
    let a = &qp.send_attributes;
    let deth = Extension::Deth(Deth {
        q_key: q_key(datagram.q_key, qpn, a.q_key),
        src_qp: qpn,
        ..Deth::default()
    });
    // `special_qps.md` section 2, CF419.
    let p_key_index = match qpn {
        QP0 | QP1 => datagram.p_key_index,
        _ => a.p_key_index,
    };
    bytes_of(Packet {
        route: match qpn {
            QP0 => route_of_smp(port, handle),
            _ => route_of_handle(port, handle),
        },
        bth: Bth {
            opcode: plan.opcode,
            se: plan.solicited,
            p_key: port.p_key(p_key_index),
            dest_qp: datagram.dest_qpn,
            psn: plan.psn,
            ..Bth::default()
        },
        extensions: std::iter::once(deth).chain(plan.extensions.clone()).collect(),
        payload,
    })
}

/// Returns the LRH for an address handle (`ud.md` section 2, SLID, CF316, CF317).
fn lrh_of_handle(port: &PortConfig, handle: &AddressHandle) -> Lrh {
    let own = port.lid | u16::from(handle.source_path_bits) & port.path_bits();
    let unset = port.lid == 0 || handle.dlid == PERMISSIVE_LID;
    Lrh {
        sl: handle.sl,
        dlid: handle.dlid,
        slid: if unset { PERMISSIVE_LID } else { own },
        ..Lrh::default()
    }
}

/// Returns the route for an address handle (`ud.md` section 1).
fn route_of_handle(port: &PortConfig, handle: &AddressHandle) -> Route {
    let source_port = source_port(handle.global.map_or(0, |global| global.flow_label));
    let ethernet = handle.dest_mac.map(|dest_mac| EthernetRoute {
        dest_mac,
        source_port,
    });
    let to = Network {
        global: handle.global,
        sgid_index: handle.sgid_index,
        ethernet,
    };
    route(port, to, lrh_of_handle(port, handle))
}

/// Returns the route of an SMP: VL 15 whatever the SL, and no GRH whatever the address handle says (`special_qps.md`
/// section 1, CF416, CF417).
fn route_of_smp(port: &PortConfig, handle: &AddressHandle) -> Route {
    Route::Local(Lrh {
        vl: MANAGEMENT_VL,
        ..lrh_of_handle(port, handle)
    })
}

/// Returns the bytes of an ack or NAK (`responder.md` section 8, CF128 to CF132).
pub(super) fn acknowledge(port: &PortConfig, qp: &QueuePair, response: &Response, syndrome: u8) -> Vec<u8> {
    let extensions = vec![aeth(response, syndrome)];
    answer(port, qp, response, RC_ACKNOWLEDGE, extensions, Vec::new())
}

/// Returns the bytes of a read response; `place` says whether it is the first and whether it is the last
/// (`responder.md` section 9).
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

/// Returns the bytes of an atomic ack.
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
        route: route(port, Network::of(&qp.attributes), response.lrh),
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

/// The part of an address that the link layer does not see.
struct Network {
    global: Option<GlobalRoute>,
    sgid_index: u8,
    ethernet: Option<EthernetRoute>,
}

impl Network {
    fn of(a: &QpAttributes) -> Network {
        Network {
            global: a.global,
            sgid_index: a.sgid_index,
            ethernet: a.ethernet,
        }
    }
}

/// Returns the route to the connected port. A native packet has the given LRH, with the VL of its SL (CF265); a RoCE
/// packet does not use the LRH.
fn route(port: &PortConfig, to: Network, lrh: Lrh) -> Route {
    let lrh = Lrh {
        vl: port.vl(lrh.sl),
        ..lrh
    };
    match (port.link, to.global, to.ethernet) {
        (Link::Roce, Some(global), Some(ethernet)) => Route::Roce(roce(port, &global, &ethernet)),
        (_, Some(global), _) => Route::Global(
            lrh,
            Grh {
                ipver: IPVER,
                tclass: global.traffic_class,
                flow_label: global.flow_label,
                nxt_hdr: NXTHDR_IBA,
                hop_lmt: global.hop_limit,
                sgid: port.gid_at(to.sgid_index),
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
