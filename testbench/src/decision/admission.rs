//! Compares whether a packet reaches its QP (`responder.md` section 1 steps 4 to 8, of UD `ud.md` section 3.1 steps 4
//! to 10).
use super::comparison::Comparison;
use super::subject::Subject;
use crate::device::translation::drop_reason;
use crate::trace::drop_reason::name;
use crate::wire::draw::Draw;
use hca_golden::decision::ud::responder::{judge, Datagram, ReceiveWqe};
use hca_golden::decision::{admission, partition, Verdict};
use hca_golden::event::DropReason;
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_golden::verbs::{EndToEndCredits, GlobalRoute, Pmtu, QpAttributes, QpState, RemoteAccess, Service};
use hca_golden::wire::bth::Bth;
use hca_golden::wire::deth::Deth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::grh::Grh;
use hca_golden::wire::lrh::{Lrh, PERMISSIVE_LID};
use hca_golden::wire::opcode::{Opcode, Transport};
use hca_golden::wire::packet::{Packet, Route};
use hca_host::command;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;

/// Q_Key of QP1, which its row has in place of its attribute.
const MANAGEMENT_KEY: u32 = 0x8001_0000;

pub(super) struct Inbound;

#[derive(Debug)]
pub(super) struct Case {
    port: PortConfig,
    qp: QpAttributes,
    state: QpState,
    packet: Packet,
}

impl Subject for Inbound {
    type Case = Case;
    const NAME: &'static str = "admission";
    const BLOCK: &'static str = "inbound_admission";
    const OUTCOMES: &'static [&'static str] = &[
        "DEST_QP",
        "DLID",
        "OPCODE",
        "P_KEY",
        "Q_KEY",
        "QP_STATE",
        "SOURCE",
        "to the requester",
        "to the responder",
        "to a QP of UC",
        "to a QP of UD",
        "by an entry of the port's P_Key table",
    ];

    fn draw(draw: &mut Draw) -> Case {
        let qpn = match draw.below(4) {
            0 => draw.below(2) as u32,
            _ => draw.bits(24),
        };
        let port = PortConfig {
            link: Link::InfiniBand,
            p_keys: [(); 4].map(|()| any_p_key(draw)),
            ..PortConfig::default()
        };
        let qp = QpAttributes {
            service: draw.one_of(&[Service::Rc, Service::Rc, Service::Uc, Service::Ud]),
            q_key: draw.bits(32),
            ..qp(draw, qpn)
        };
        let packet = packet(draw, &qp, &port);
        // RC has no SQE (qp_cq.md section 1).
        let receiving = match qp.service {
            Service::Rc => &[QpState::Rtr, QpState::Rts, QpState::Sqd][..],
            _ => &[QpState::Rtr, QpState::Rts, QpState::Sqd, QpState::Sqe],
        };
        Case {
            port,
            state: match draw.percent(70) {
                true => draw.one_of(receiving),
                false => draw.one_of(&[QpState::Reset, QpState::Init, QpState::Error]),
            },
            qp,
            packet,
        }
    }

    fn put(case: &Case, block: &mut DecisionBlock) {
        let Case { port, qp, packet, .. } = case;
        block.set("opcode", packet.bth.opcode.into());
        block.set("dest_qp", packet.bth.dest_qp.into());
        block.set("p_key", packet.bth.p_key.into());
        block.set("slid", packet.lrh().map_or(0, |lrh| lrh.slid.into()));
        block.set("has_grh", packet.sgid().is_some().into());
        address(block, "sgid", packet.sgid().unwrap_or_default());
        block.set("qpn", qp.qpn.into());
        block.set("service", service_code(qp.service).into());
        let q_key = packet.deth().map(|deth| deth.q_key);
        block.set("holds_q_key", (q_key == Some(own_q_key(qp))).into());
        block.set("own_p_key_index", qp.p_key_index.into());
        block.set("state", state_code(case.state).into());
        block.set("connected_lid", qp.dlid.into());
        block.set("connected_has_grh", qp.global.is_some().into());
        address(
            block,
            "connected_gid",
            qp.global.map_or([0; 16], |global| global.dgid),
        );
        let table = (0..4).fold(0, |table, i| table | u64::from(port.p_keys[i]) << (16 * i));
        block.set("port_p_keys", table);
    }

    fn compare(case: &Case, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error> {
        let Case { port, qp, packet, .. } = case;
        let response = packet.opcode().is_some_and(|o| o.is_response());
        let permitted = permitted(case, response);
        let dropped = block.is_set("drop");
        c.same("drop", !permitted.is_empty(), dropped);
        if !dropped {
            c.same("response", response, block.get("response"));
            let index = partition::completed_index(port, &packet.bth);
            c.same("has_p_key_index", index.is_some(), block.get("has_p_key_index"));
            if let Some(index) = index {
                c.same("p_key_index", index, block.get("p_key_index"));
                c.outcome("by an entry of the port's P_Key table");
            }
            c.outcome(match (qp.service, response) {
                (Service::Uc, _) => "to a QP of UC",
                (Service::Ud, _) => "to a QP of UD",
                (_, true) => "to the requester",
                (_, false) => "to the responder",
            });
            return Ok(());
        }
        let code = block.get("drop_reason") as u8;
        let reason = drop_reason(code);
        c.permitted(
            "drop_reason",
            reason.as_ref().is_ok_and(|reason| permitted.contains(reason)),
            || {
                permitted
                    .iter()
                    .map(|r| name(*r))
                    .collect::<Vec<_>>()
                    .join(" or ")
            },
            || reason.as_ref().map_or(code.to_string(), |r| name(*r).to_owned()),
        );
        c.outcome(reason.map_or("no reason", name));
        Ok(())
    }
}

/// Returns the reasons for which the packet may be dropped; none if it is admitted.
fn permitted(case: &Case, response: bool) -> Vec<DropReason> {
    let Case {
        port,
        qp,
        state,
        packet,
    } = case;
    let reason = |verdict| match verdict {
        Verdict::Drop(reason) => Some(reason),
        _ => None,
    };
    // Step 5: the QP does not exist.
    if let Some(ruling) = admission::of_address(packet) {
        return reason(ruling.verdict).into_iter().collect();
    }
    if qp.qpn != packet.bth.dest_qp {
        return vec![DropReason::DestQp];
    }
    if qp.service == Service::Ud {
        // The checks behind step 10 hold; the order of these is fixed, and in Reset there is no QP.
        let judged = judge(&Datagram {
            port,
            qp,
            state: *state,
            packet,
            receive_wqe: Some(ReceiveWqe {
                read: true,
                room: 4136,
                permitted: true,
            }),
        });
        let first = reason(judged.verdict);
        return match *state {
            QpState::Reset => vec![DropReason::DestQp],
            _ => first.into_iter().collect(),
        };
    }
    let mut permitted: Vec<DropReason> = admission::faults(port, qp, *state, packet)
        .into_iter()
        .filter_map(|ruling| reason(ruling.verdict))
        .collect();
    if *state == QpState::Reset {
        // A QP in Reset may count as missing.
        permitted.push(DropReason::DestQp);
    } else if response && *state == QpState::Rtr {
        // `requester.md` section 9: a QP that sends nothing takes no response.
        permitted.push(DropReason::QpState);
    }
    permitted
}

/// Draws a P_Key, mostly one of a few.
pub(super) fn any_p_key(draw: &mut Draw) -> u16 {
    let low = match draw.below(8) {
        0 => 0,
        1 => draw.bits(15) as u16,
        _ => draw.bits(2) as u16,
    };
    low | (draw.bits(1) as u16) << 15
}

fn gid(draw: &mut Draw) -> [u8; 16] {
    let mut gid = [0xFE; 16];
    gid[draw.below(16)] = draw.bits(1) as u8;
    gid
}

/// Draws a QP with such an address, of RC if the caller says nothing else.
pub(super) fn qp(draw: &mut Draw, qpn: u32) -> QpAttributes {
    QpAttributes {
        qpn,
        service: Service::Rc,
        send_cq: 0,
        receive_cq: 0,
        port: 1,
        p_key_index: draw.below(4) as u16,
        dest_qpn: draw.bits(24),
        dlid: draw.bits(16) as u16,
        sl: 0,
        source_path_bits: 0,
        static_rate: 0,
        sgid_index: 0,
        global: draw.flag().then(|| GlobalRoute {
            dgid: gid(draw),
            flow_label: draw.bits(20),
            traffic_class: 0,
            hop_limit: 0,
        }),
        ethernet: None,
        pmtu: Pmtu::B256,
        sq_psn: 0,
        rq_psn: 0,
        min_rnr_timer: 0,
        timeout: 0,
        retry_cnt: 0,
        rnr_retry: 0,
        pd: 0,
        access: RemoteAccess::default(),
        max_rd_atomic: 0,
        max_dest_rd_atomic: 0,
        credits: EndToEndCredits::default(),
        q_key: 0,
        dry_event: false,
    }
}

/// Draws an opcode, mostly one of the QP's service.
fn opcode(draw: &mut Draw, service: Service) -> u8 {
    let own = match service {
        Service::Uc => 1,
        Service::Ud => 3,
        _ => 0,
    };
    loop {
        let class = match draw.below(16) {
            0 => draw.bits(3) as u8,
            _ => own,
        };
        let opcode = class << 5 | draw.bits(5) as u8;
        // For RC, the link also passes reserved codes (CF073).
        if class == 0 || Opcode::of(opcode).is_some() {
            return opcode;
        }
    }
}

/// Returns the Q_Key that datagrams to this QP hold.
pub(super) fn own_q_key(qp: &QpAttributes) -> u32 {
    match qp.qpn {
        partition::QP1 => MANAGEMENT_KEY,
        _ => qp.q_key,
    }
}

/// Draws a packet, mostly one for the QP and from its peer.
fn packet(draw: &mut Draw, qp: &QpAttributes, port: &PortConfig) -> Packet {
    let opcode = opcode(draw, qp.service);
    let lrh = Lrh {
        slid: match draw.below(20) {
            0 => PERMISSIVE_LID,
            1 | 2 => qp.dlid ^ 1 << draw.below(16),
            _ => qp.dlid,
        },
        ..Lrh::default()
    };
    let has_grh = qp.global.is_some() ^ draw.percent(8);
    let sgid = match qp.global {
        Some(global) if draw.percent(90) => global.dgid,
        _ => gid(draw),
    };
    Packet {
        route: match has_grh {
            true => Route::Global(
                lrh,
                Grh {
                    sgid,
                    ..Grh::default()
                },
            ),
            false => Route::Local(lrh),
        },
        bth: Bth {
            opcode,
            p_key: match draw.below(8) {
                0..=3 => port.p_key(qp.p_key_index),
                4..=5 => draw.one_of(&port.p_keys),
                6 => port.p_key(qp.p_key_index) ^ 0x8000,
                _ => any_p_key(draw),
            },
            dest_qp: match draw.percent(90) {
                true => qp.qpn,
                false => qp.qpn ^ 1 << draw.below(24),
            },
            ..Bth::default()
        },
        extensions: match Transport::of(opcode) {
            Transport::Ud => vec![Extension::Deth(deth(draw, qp))],
            _ => Vec::new(),
        },
        // A message of QP0 and QP1 has this length.
        payload: vec![0; 256],
    }
}

/// Draws a header of datagrams, mostly with the Q_Key of the QP.
pub(super) fn deth(draw: &mut Draw, qp: &QpAttributes) -> Deth {
    let own_key = own_q_key(qp);
    Deth {
        q_key: match draw.percent(85) {
            true => own_key,
            false => own_key ^ 1 << draw.below(32),
        },
        ..Deth::default()
    }
}

/// Sets an address. Its first byte is at the most significant end.
fn address(block: &mut DecisionBlock, name: &str, gid: [u8; 16]) {
    let bits = u128::from_be_bytes(gid);
    block.set_part(name, 0, bits as u64);
    block.set_part(name, 64, (bits >> 64) as u64);
}

/// Returns the code `host::command::SERVICE_*` of a service.
pub(super) fn service_code(service: Service) -> u32 {
    match service {
        Service::Uc => command::SERVICE_UC,
        Service::Ud => command::SERVICE_UD,
        _ => command::SERVICE_RC,
    }
}

/// Returns the code `host::command::STATE_*` of a state.
pub(super) fn state_code(state: QpState) -> u32 {
    match state {
        QpState::Reset => command::STATE_RESET,
        QpState::Init => command::STATE_INIT,
        QpState::Rtr => command::STATE_RTR,
        QpState::Rts => command::STATE_RTS,
        QpState::Sqd => command::STATE_SQD,
        QpState::Sqe => command::STATE_SQE,
        QpState::Error => command::STATE_ERROR,
    }
}
