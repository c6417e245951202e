//! May a packet reach its QP at all? `responder.md` section 1, steps 4 to 7. A packet with several faults may be
//! counted under any of them, for it leaves no other trace.
use super::{Ruling, Verdict};
use crate::event::DropReason;
use crate::verbs::{QpAttributes, QpState, Service};
use crate::wire::opcode::Transport;
use crate::wire::packet::Packet;

struct Check {
    reason: DropReason,
    citation: &'static str,
    fails: fn(&QpAttributes, QpState, &Packet) -> bool,
}

const CHECKS: [Check; 4] = [
    Check {
        reason: DropReason::Opcode,
        citation: "responder.md section 1 step 4, CF042",
        fails: |qp, _, packet| !class_matches(qp.service, Transport::of(packet.bth.opcode)),
    },
    Check {
        reason: DropReason::QpState,
        citation: "responder.md section 1 step 5, CF043, CF044",
        fails: |_, state, _| matches!(state, QpState::Reset | QpState::Init | QpState::Error),
    },
    Check {
        reason: DropReason::Source,
        citation: "responder.md section 1 step 6, CF049",
        fails: |qp, _, packet| !is_connected(qp, packet),
    },
    Check {
        reason: DropReason::PKey,
        citation: "responder.md section 1 step 7, CF050",
        fails: |qp, _, packet| !p_keys_match(qp.p_key, packet.bth.p_key),
    },
];

/// Every check that the packet fails; none if it is admitted.
pub fn faults(qp: &QpAttributes, state: QpState, packet: &Packet) -> Vec<Ruling> {
    CHECKS
        .iter()
        .filter(|c| (c.fails)(qp, state, packet))
        .map(|c| Verdict::Drop(c.reason).by(c.citation))
        .collect()
}

/// From the connected address: its LID, and its GID where the QP's packets carry one. AD: a packet without GRH for a QP
/// with one, or the other way round, is from elsewhere.
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

/// `headers.md` section 5: low 15 bits equal and not zero, at least one side a full member.
fn p_keys_match(a: u16, b: u16) -> bool {
    const FULL: u16 = 0x8000;
    (a ^ b) & !FULL == 0 && a & !FULL != 0 && (a | b) & FULL != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_keys() {
        assert!(p_keys_match(0xFFFF, 0xFFFF));
        assert!(p_keys_match(0x1234, 0x9234));
        assert!(!p_keys_match(0x1234, 0x1234), "two limited members");
        assert!(!p_keys_match(0x8000, 0x8000), "zero");
        assert!(!p_keys_match(0x9234, 0x9235));
    }
}
