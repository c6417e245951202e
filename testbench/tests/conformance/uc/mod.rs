//! Rows of the area `uc`: an unreliable connection (`uc.md`).
mod requester;
mod responder;
mod roce;
mod states;

use crate::bench::peer::rdma;
use crate::bench::requester::all_rights;
use crate::bench::{request, Bench};
use hca_golden::verbs::{QpAttributes, QpState, RemoteAccess, Service};
use hca_golden::wire::packet::Packet;
use hca_testbench::device::Verb;

/// First PSN that Y sends.
const FIRST_PSN: u32 = 0xFF_FFFE;

/// Y's QP: UC, PMTU 256, expects PSN 100 and takes Writes.
fn attributes() -> QpAttributes {
    QpAttributes {
        service: Service::Uc,
        sq_psn: FIRST_PSN,
        access: RemoteAccess {
            write: true,
            ..RemoteAccess::default()
        },
        max_rd_atomic: 0,
        max_dest_rd_atomic: 0,
        ..all_rights()
    }
}

impl Bench {
    /// Takes Y's QP, one of UC, to RTS.
    pub fn connect_unreliably(&mut self) {
        self.create(&attributes());
        self.enter_rts();
    }

    /// The same, with the target's bytes and so many receive WQEs as [`Bench::responder`] has.
    fn unreliable_responder(&mut self, receives: u64) {
        self.connect_unreliably();
        self.fill_target();
        self.post_receives(receives);
    }

    fn leave_sqe(&mut self) {
        self.modify(QpState::Rts);
    }

    fn query_state(&mut self) -> QpState {
        self.query().0
    }
}

/// A UC packet of the peer: never with AckReq.
fn packet(opcode: u8, psn: u32, payload: &[u8]) -> Packet {
    silent(request(opcode, psn, payload))
}

/// The same with a RETH.
fn write(opcode: u8, psn: u32, va: u64, dma_len: u32, payload: &[u8]) -> Packet {
    silent(rdma(opcode, psn, va, dma_len, payload))
}

fn silent(mut packet: Packet) -> Packet {
    packet.bth.a = false;
    packet
}

/// A modification of Y's QP.
fn modify(qpn: u32, state: QpState) -> Verb {
    Verb::ModifyQp { qpn, state }
}
