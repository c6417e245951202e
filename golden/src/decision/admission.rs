//! Decides whether a packet reaches its QP: `responder.md` section 1, steps 4 to 7. A packet with several faults may be
//! counted under any of them, because it has no other effect.
use super::{partition, Ruling, Verdict};
use crate::event::DropReason;
use crate::port::PortConfig;
use crate::verbs::{QpAttributes, QpState, Service};
use crate::wire::lrh::PERMISSIVE_LID;
use crate::wire::opcode::Transport;
use crate::wire::packet::Packet;

struct Check {
    reason: DropReason,
    citation: &'static str,
    fails: fn(&PortConfig, &QpAttributes, QpState, &Packet) -> bool,
}

const CHECKS: [Check; 5] = [
    Check {
        reason: DropReason::Opcode,
        citation: "responder.md section 1 step 4, CF042",
        fails: |_, qp, _, packet| !class_matches(qp.service, Transport::of(packet.bth.opcode)),
    },
    Check {
        reason: DropReason::QpState,
        citation: "responder.md section 1 step 5, CF043, CF044",
        fails: |_, _, state, packet| match state {
            QpState::Reset | QpState::Init | QpState::Error => true,
            // A QP that does not send takes no responses.
            QpState::Rtr | QpState::Sqe => packet.opcode().is_some_and(|o| o.is_response()),
            QpState::Rts | QpState::Sqd => false,
        },
    },
    Check {
        reason: DropReason::Source,
        citation: "link.md section 8, CF048",
        fails: |port, qp, _, _| port.number != qp.port,
    },
    Check {
        reason: DropReason::Source,
        citation: "responder.md section 1 step 6, CF049",
        fails: |_, qp, _, packet| !is_connected(qp, packet),
    },
    Check {
        reason: DropReason::PKey,
        citation: "responder.md section 1 step 7, special_qps.md section 1, CF050 to CF052",
        // The table that counts is that of the QP's port: on another one, the packet violates no P_Key.
        fails: |port, qp, _, packet| port.number == qp.port && !partition::admits(port, qp, &packet.bth),
    },
];

/// Returns the drop of a packet that fails the check before the look-up of its QP: no packet to the permissive LID
/// reaches QP1 (`special_qps.md` section 3 step 4, CF426).
pub fn of_address(packet: &Packet) -> Option<Ruling> {
    let permissive = packet.lrh().is_some_and(|lrh| lrh.slid == PERMISSIVE_LID);
    let dropped = packet.bth.dest_qp == partition::QP1 && permissive;
    dropped.then(|| Verdict::Drop(DropReason::Dlid).by("special_qps.md section 3 step 4, CF426"))
}

/// Returns every check that a packet which arrives at this port fails; an empty list means that it is admitted.
pub fn faults(port: &PortConfig, qp: &QpAttributes, state: QpState, packet: &Packet) -> Vec<Ruling> {
    CHECKS
        .iter()
        .filter(|c| (c.fails)(port, qp, state, packet))
        .map(|c| Verdict::Drop(c.reason).by(c.citation))
        .collect()
}

/// Returns true if the packet comes from the connected address: its SLID matches, and its SGID if the QP's packets
/// carry a GRH. AD: a packet without GRH for a QP with one, or with GRH for a QP without one, comes from elsewhere.
fn is_connected(qp: &QpAttributes, packet: &Packet) -> bool {
    packet.lrh().is_none_or(|lrh| lrh.slid == qp.dlid) && packet.sgid() == qp.global.map(|global| global.dgid)
}

fn class_matches(service: Service, class: Transport) -> bool {
    matches!(
        (service, class),
        (Service::Rc, Transport::Rc)
            | (Service::Uc, Transport::Uc)
            | (Service::Ud, Transport::Ud)
            | (Service::Rd, Transport::Rd)
    )
}
