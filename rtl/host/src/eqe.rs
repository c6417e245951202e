//! Event queue entries: 16 bytes each, in a ring in host memory. [`LAYOUT`] gives the layout.
use super::field::{code, Code};
use super::layout::{member, Layout};

/// Size of an entry in bytes.
pub const BYTES: usize = 16;

/// This armed CQ has a completion that fits the arming in memory (`protocol/qp_cq.md` section 7).
pub const COMPLETION: u8 = 1;
/// This CQ had no room for a completion (`protocol/qp_cq.md` section 6).
pub const CQ_ERROR: u8 = 2;
/// The first request arrived at a QP in RTR (CF105).
pub const COMMUNICATION_ESTABLISHED: u8 = 16;
/// A QP in SQD has finished the messages that it had started (CF239).
pub const SQ_DRAINED: u8 = 17;
/// The responder has refused an invalid request.
pub const QP_REQUEST_ERROR: u8 = 18;
/// The responder has refused a request that its keys do not permit.
pub const QP_ACCESS_ERROR: u8 = 19;
/// Host memory failed the QP, or one of its doorbells was refused.
pub const QP_FATAL: u8 = 20;
/// An RNR NAK was sent because there was no receive WQE (CF539).
pub const RQ_DRY: u8 = 21;
/// A native port has become Active (`protocol/link.md` section 1).
pub const PORT_ACTIVE: u8 = 32;
/// A native port was Active and went Down.
pub const PORT_ERROR: u8 = 33;
/// The violation latch of a native port has taken a violation (`protocol/mad.md` section 6.1).
pub const VIOLATION: u8 = 34;

/// Kinds of events.
pub const KINDS: &[Code] = &[
    code(
        "COMPLETION",
        COMPLETION as u32,
        "CQN: a completion that its arming asked for",
    ),
    code(
        "CQ_ERROR",
        CQ_ERROR as u32,
        "CQN: it had no room for a completion and is unusable",
    ),
    code(
        "COMMUNICATION_ESTABLISHED",
        COMMUNICATION_ESTABLISHED as u32,
        "QPN: the first request came in RTR",
    ),
    code(
        "SQ_DRAINED",
        SQ_DRAINED as u32,
        "QPN: in SQD, every message that was started is complete",
    ),
    code(
        "QP_REQUEST_ERROR",
        QP_REQUEST_ERROR as u32,
        "QPN: an invalid request was refused",
    ),
    code(
        "QP_ACCESS_ERROR",
        QP_ACCESS_ERROR as u32,
        "QPN: a request was refused that its keys do not permit",
    ),
    code(
        "QP_FATAL",
        QP_FATAL as u32,
        "QPN: host memory failed it, or a doorbell lied",
    ),
    code(
        "RQ_DRY",
        RQ_DRY as u32,
        "QPN: an RNR NAK went out for want of a receive WQE; created with `dry_event` only",
    ),
    code("PORT_ACTIVE", PORT_ACTIVE as u32, "port: it has become Active"),
    code(
        "PORT_ERROR",
        PORT_ERROR as u32,
        "port: it was Active and went Down",
    ),
    code(
        "VIOLATION",
        VIOLATION as u32,
        "port: its violation latch holds a packet with a wrong P_Key or Q_Key",
    ),
];

/// A decoded event queue entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eqe {
    /// Kind of the event.
    pub kind: u8,
    /// QPN, CQN or port, depending on the kind; 24 bits.
    pub number: u32,
    /// Phase bit, which changes each time the ring wraps.
    pub phase: bool,
}

impl Eqe {
    /// Decodes an entry.
    pub fn from_bytes(b: &[u8; BYTES]) -> Eqe {
        Eqe {
            kind: b[0],
            number: u32::from_be_bytes([0, b[1], b[2], b[3]]),
            phase: b[15] & 1 != 0,
        }
    }
}

/// An EQE.
pub const LAYOUT: Layout = Layout {
    name: "EQE",
    bytes: BYTES,
    meaning: "entry i of the event ring is at EQ_BASE + 16 * (i mod size)",
    members: &[
        member("kind", 0, 1, "what happened"),
        member("number", 1, 3, "QPN or CQN"),
        member(
            "phase",
            15,
            1,
            "bit 0: 1 on the first pass over the ring, then alternating; written last",
        ),
    ],
};
