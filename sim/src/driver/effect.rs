//! Effects of successful commands on the driver's state.
use super::cq::Cq;
use super::qp::Qp;
use super::ring::Place;
use super::state::QpState;

pub(super) enum Effect {
    Nothing,
    CqMade(Box<Cq>),
    /// CQEs come to this ring from now on.
    CqMoved {
        cqn: u32,
        place: Place,
    },
    CqGone {
        cqn: u32,
    },
    QpMade {
        index: u32,
        qp: Box<Qp>,
    },
    QpMoved {
        index: u32,
        state: QpState,
        max_rd_atomic: Option<u8>,
        port: Option<u8>,
    },
    QpGone {
        index: u32,
    },
}
