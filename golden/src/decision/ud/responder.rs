//! UD responder (`ud.md` section 3): the ordered checks of a datagram.
use super::{MANAGEMENT_KEY, MESSAGE_BYTES};
use crate::decision::partition::{self, QP0, QP1};
use crate::decision::responder::UNANSWERED;
use crate::decision::{Ruling, Verdict};
use crate::event::DropReason;
use crate::port::PortConfig;
use crate::verbs::{QpAttributes, QpState};
use crate::wire::lrh::PERMISSIVE_LID;
use crate::wire::opcode::{Transport, UD_SEND_ONLY};
use crate::wire::packet::Packet;

/// Bytes of the receive buffer that lie before the payload (section 3.2).
pub const AREA_BYTES: usize = 40;

/// A packet for a QP of datagrams, and the results of its look-ups.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// The port at which the packet arrives.
    pub port: &'a PortConfig,
    pub qp: &'a QpAttributes,
    pub state: QpState,
    pub packet: &'a Packet,
    /// The receive WQE at the head of the receive queue; `None` if the queue is empty.
    pub receive_wqe: Option<ReceiveWqe>,
}

/// A receive WQE, as the responder sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveWqe {
    /// True if host memory has returned the WQE.
    pub read: bool,
    /// Sum of the lengths of all SGEs, in bytes.
    pub room: u64,
    /// True if its SGEs may be written where this packet writes.
    pub permitted: bool,
}

struct Check {
    verdict: fn(u32) -> Verdict,
    citation: &'static str,
    passes: fn(&Datagram<'_>) -> bool,
}

/// The steps of section 3.1 from step 4 on, in order; the first that fails decides. Step 11 is one of
/// [`wire::check`](crate::wire), because the port judges it.
const OF_ANY: [Check; 10] = [
    CLASS, STATE, SLID, SOURCE, P_KEY, Q_KEY, RECEIVE_WQE, READABLE, ROOM, KEYS,
];

/// The steps of `special_qps.md` section 3 for QP0 from step 7 on, in order.
const OF_QP0: [Check; 7] = [
    SEND_ALONE, STATE, MESSAGE_LENGTH, RECEIVE_WQE, READABLE, ROOM, KEYS,
];

/// The steps of `special_qps.md` section 3 for QP1 from step 7 on, in order.
const OF_QP1: [Check; 9] = [
    SEND_ALONE, STATE, MESSAGE_LENGTH, P_KEY, MANAGEMENT_Q_KEY, RECEIVE_WQE, READABLE, ROOM, KEYS,
];

const CLASS: Check = Check {
    verdict: |_| Verdict::Drop(DropReason::Opcode),
    citation: "ud.md section 3.1 steps 4 and 5, CF042, CF343",
    passes: |d| Transport::of(d.packet.bth.opcode) == Transport::Ud,
};
const SEND_ALONE: Check = Check {
    verdict: |_| Verdict::Drop(DropReason::Opcode),
    citation: "special_qps.md section 3 step 7",
    passes: |d| d.packet.bth.opcode == UD_SEND_ONLY,
};
const STATE: Check = Check {
    verdict: |_| Verdict::Drop(DropReason::QpState),
    citation: "ud.md section 3.1 step 6, CF044, CF045",
    passes: |d| matches!(d.state, QpState::Rtr | QpState::Rts | QpState::Sqd | QpState::Sqe),
};
const SLID: Check = Check {
    verdict: |_| Verdict::Drop(DropReason::Dlid),
    citation: "ud.md section 3.1 step 7, CF340",
    passes: |d| d.packet.lrh().is_none_or(|lrh| lrh.slid != PERMISSIVE_LID),
};
const SOURCE: Check = Check {
    verdict: |_| Verdict::Drop(DropReason::Source),
    citation: "ud.md section 3.1 step 8, CF048, CF339",
    passes: |d| d.port.number == d.qp.port,
};
const MESSAGE_LENGTH: Check = Check {
    verdict: |_| Verdict::Drop(DropReason::PayloadLength),
    citation: "special_qps.md section 3 step 9, CF424",
    passes: |d| d.packet.payload.len() == MESSAGE_BYTES,
};
const P_KEY: Check = Check {
    verdict: |_| Verdict::Drop(DropReason::PKey),
    citation: "ud.md section 3.1 step 9, special_qps.md section 3 step 10, CF336, CF425",
    passes: |d| partition::admits(d.port, d.qp, &d.packet.bth),
};
const Q_KEY: Check = Check {
    verdict: |_| Verdict::Drop(DropReason::QKey),
    citation: "ud.md section 3.1 step 10, CF218, CF335",
    passes: |d| d.packet.deth().is_some_and(|deth| deth.q_key == d.qp.q_key),
};
const MANAGEMENT_Q_KEY: Check = Check {
    verdict: |_| Verdict::Drop(DropReason::QKey),
    citation: "special_qps.md section 3 step 11, CF228",
    passes: |d| d.packet.deth().is_some_and(|deth| deth.q_key == MANAGEMENT_KEY),
};
const RECEIVE_WQE: Check = Check {
    verdict: |_| Verdict::Drop(DropReason::NoReceiveWqe),
    citation: "ud.md section 3.1 step 12, CF334",
    passes: |d| d.receive_wqe.is_some(),
};
/// Fails for a receive WQE that host memory failed to return, because nothing is known of its contents.
const READABLE: Check = Check {
    verdict: bad_receive_wqe,
    citation: "ud.md section 3.1 step 14",
    passes: |d| d.receive_wqe.is_none_or(|wqe| wqe.read),
};
const ROOM: Check = Check {
    verdict: |_| Verdict::Drop(DropReason::BufferTooSmall),
    citation: "ud.md section 3.1 step 13, CF223, CF333",
    passes: |d| {
        let bytes = (AREA_BYTES + d.packet.payload.len()) as u64;
        d.receive_wqe.is_none_or(|wqe| bytes <= wqe.room)
    },
};
const KEYS: Check = Check {
    verdict: bad_receive_wqe,
    citation: "ud.md section 3.1 step 14, CF332",
    passes: |d| d.receive_wqe.is_none_or(|wqe| wqe.permitted),
};

fn bad_receive_wqe(psn: u32) -> Verdict {
    let syndrome = UNANSWERED;
    Verdict::Refuse { syndrome, psn }
}

/// Returns the verdict on a datagram. Its PSN is not checked (section 3.1, CF227), nor are AckReq (CF341) and the
/// sender (CF338).
pub fn judge(datagram: &Datagram<'_>) -> Ruling {
    let checks = match datagram.packet.bth.dest_qp {
        QP0 => &OF_QP0[..],
        QP1 => &OF_QP1,
        _ => &OF_ANY,
    };
    match checks.iter().find(|check| !(check.passes)(datagram)) {
        Some(check) => (check.verdict)(datagram.packet.bth.psn).by(check.citation),
        None => Verdict::Execute.by("ud.md section 3.1 step 15"),
    }
}

/// Returns true if this verdict on a datagram requires that its receive WQE was taken.
pub fn needs_receive_wqe(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Execute | Verdict::Refuse { .. })
}
