//! What the peer knows about the receive WQEs of a responder.
use crate::psn;

/// The receive WQEs that a responder has advertised, and whether an unsolicited ack has to advertise more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Advertised {
    /// Newest PSN answered positively on the wire; 24 bits.
    pub psn: u32,
    /// Largest number of receive WQEs that the peer knows of and that are not taken.
    pub known: u16,
    /// Number of receive WQEs that the newest doorbell brought, until an answer is decided on.
    pub newest: u16,
    /// A doorbell, or the move to RTR, permits an unsolicited ack.
    pub permitted: bool,
    /// The unsolicited ack must leave, unless another positive answer does.
    pub due: bool,
    /// The latest answer is a NAK.
    pub nak: bool,
}

impl Advertised {
    /// Returns the state of a responder that enters RTR: the initial ack is due (CF150).
    pub fn initial(rq_psn: u32, supplied: bool) -> Advertised {
        Advertised {
            psn: psn::subtract(rq_psn, 1),
            permitted: supplied,
            due: supplied,
            ..Advertised::default()
        }
    }
}
