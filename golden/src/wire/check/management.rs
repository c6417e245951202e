//! Checks of a native packet that depend on whether it is for QP0, which receives subnet management packets (SMPs): the
//! steps of `special_qps.md` section 3 that follow those of the link.
use super::{first_fault, Check};
use crate::event::DropReason;
use crate::wire::lrh::{Lrh, MANAGEMENT_VL, PERMISSIVE_LID};
use crate::wire::malformed::{Fault, Malformed};
use crate::wire::opcode::UD_SEND_ONLY;
use crate::wire::packet::Packet;

/// The QP of subnet management.
const QP0: u32 = 0;
/// Length of an SMP in bytes.
const SMP_BYTES: usize = 256;
/// Management class of SMPs with a directed route.
const DIRECTED_ROUTE: u8 = 0x81;

type ManagementCheck = Check<fn(&Packet, &Lrh) -> Option<Fault>>;

const CHECKS: [ManagementCheck; 2] = [
    Check {
        reason: DropReason::Vl15,
        citation: "special_qps.md section 3 step 3, CF420",
        fault: |packet, lrh| {
            let (dest_qp, vl) = (packet.bth.dest_qp, lrh.vl);
            let is_on_vl15 = vl == MANAGEMENT_VL;
            (is_on_vl15 != (dest_qp == QP0)).then_some(Fault::ManagementQp { dest_qp, vl })
        },
    },
    Check {
        reason: DropReason::Dlid,
        citation: "special_qps.md section 3 step 5, CF421",
        fault: |packet, lrh| {
            let permissive = [lrh.slid, lrh.dlid].contains(&PERMISSIVE_LID);
            let is_smp = packet.bth.opcode == UD_SEND_ONLY && packet.payload.len() == SMP_BYTES;
            let class = *packet.payload.get(1)?;
            let wrong = packet.bth.dest_qp == QP0 && is_smp && permissive && class != DIRECTED_ROUTE;
            wrong.then_some(Fault::ManagementClass(class))
        },
    },
];

/// Returns the first of these checks that the packet fails.
pub(super) fn judge(packet: &Packet) -> Result<(), Malformed> {
    match packet.lrh() {
        Some(lrh) => first_fault(&CHECKS, |check| check(packet, lrh)),
        None => Ok(()),
    }
}
