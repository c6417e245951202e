//! The driver's state of queue pairs.
use super::init::{QpInit, Service};
use super::ring::{Ring, WorkPlace};
use super::state::{QpState, Side};
use super::words::Words;

/// A queue pair.
pub(super) struct Qp {
    pub qpn: u32,
    pub service: Service,
    pub state: QpState,
    /// Largest number of Reads and atomics under way as requester.
    pub max_rd_atomic: u8,
    /// Number of its port, once it is known.
    pub port: u8,
    /// The words of `CREATE_QP`, which no later command changes.
    pub made: Words,
    send_cq: u32,
    receive_cq: u32,
    send: Ring,
    receive: Ring,
}

impl Qp {
    /// Makes a QP in Reset that has its rings at these places and was created by the words `made`.
    pub fn new(init: &QpInit, send: WorkPlace, receive: WorkPlace, made: Words) -> Qp {
        Qp {
            qpn: init.qpn,
            service: init.service,
            state: QpState::Reset,
            max_rd_atomic: 0,
            port: 1,
            made,
            send_cq: init.send_cq,
            receive_cq: init.receive_cq,
            send: Ring::new(send),
            receive: Ring::new(receive),
        }
    }

    /// Notes that an event or a completion reports the adapter's move of the QP to SQE or Error.
    pub fn note_failure(&mut self, to: QpState) {
        self.state = self.state.after_failure(to);
    }

    pub fn cqn(&self, side: Side) -> u32 {
        match side {
            Side::Send => self.send_cq,
            Side::Receive => self.receive_cq,
        }
    }

    pub fn ring(&self, side: Side) -> &Ring {
        match side {
            Side::Send => &self.send,
            Side::Receive => &self.receive,
        }
    }

    pub fn ring_mut(&mut self, side: Side) -> &mut Ring {
        match side {
            Side::Send => &mut self.send,
            Side::Receive => &mut self.receive,
        }
    }
}
