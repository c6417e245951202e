//! Rows of the areas `ud`, `ah`, `multicast` and `special-qp`: datagrams, address handles and multicast
//! groups (`ud.md`), QP0 and QP1.
mod handles;
mod multicast;
mod placement;
pub mod qp0;
mod qp1;
mod requester;
mod responder;
mod roce;
mod routes;
mod states;

use crate::bench::requester::{all_rights, work, SEND};
use crate::bench::{request, Bench, PEER_QPN};
use hca_golden::verbs::{
    AddressHandle, Datagram, HostEvent, QpAttributes, SendOperation, SendRequest, Service, Status,
};
use hca_golden::wire::deth::Deth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::packet::Packet;
use hca_testbench::device::{Reason, Verb};

/// First PSN that Y sends.
const FIRST_PSN: u32 = 0xFF_FFFE;
/// Key of Y's QP.
const Q_KEY: u32 = 0x1122_3344;
/// Key that Y's requests name.
const PEER_KEY: u32 = 0x0055_6677;
/// The peer's address, for Y.
pub const HANDLE: u32 = 5;
/// Software receives an event for the first packet with a wrong key, because the port latches its violation.
const VIOLATION: HostEvent = HostEvent::Violation { port: 1 };
/// Bytes of the receive buffer before the payload.
const AREA: u64 = 40;

/// Y's QP.
pub fn attributes() -> QpAttributes {
    QpAttributes {
        service: Service::Ud,
        sq_psn: FIRST_PSN,
        max_rd_atomic: 0,
        max_dest_rd_atomic: 0,
        q_key: Q_KEY,
        ..all_rights()
    }
}

/// The address of the peer.
pub fn peer() -> AddressHandle {
    AddressHandle {
        port: 1,
        dlid: 1,
        ..AddressHandle::default()
    }
}

/// A signaled datagram for the peer, of data at the source's start.
pub fn datagram(wr_id: u64, operation: SendOperation, length: u32) -> SendRequest {
    SendRequest {
        datagram: Some(Datagram {
            handle: HANDLE,
            dest_qpn: PEER_QPN,
            q_key: PEER_KEY,
            p_key_index: 0,
        }),
        ..work(wr_id, operation, length)
    }
}

/// A signaled Send to the peer.
pub fn send(wr_id: u64, length: u32) -> SendRequest {
    datagram(wr_id, SEND, length)
}

/// A datagram of the peer.
pub fn packet(opcode: u8, psn: u32, payload: &[u8]) -> Packet {
    with_q_key(Q_KEY, request(opcode, psn, payload))
}

/// The same without AckReq, and from the peer's QP with this key.
pub fn with_q_key(q_key: u32, mut packet: Packet) -> Packet {
    packet.bth.a = false;
    for extension in &mut packet.extensions {
        if let Extension::Deth(deth) = extension {
            *deth = Deth {
                q_key,
                src_qp: PEER_QPN,
                ..Deth::default()
            };
        }
    }
    packet
}

pub fn success(wr_id: u64, bytes: u32) -> (u64, Status, u32) {
    (wr_id, Status::Success, bytes)
}

fn flushed(wr_id: u64) -> (u64, Status, u32) {
    (wr_id, Status::WrFlushErr, 0)
}

impl Bench {
    /// Takes Y's QP, one of datagrams, to RTS; [`HANDLE`] is the peer's address.
    pub fn datagrams(&mut self) {
        self.datagrams_to(peer());
    }

    /// The same with another address.
    fn datagrams_to(&mut self, address: AddressHandle) {
        self.create(&attributes());
        self.address(HANDLE, address);
        self.enter_rts();
    }

    /// Makes an address handle.
    pub fn address(&mut self, handle: u32, attributes: AddressHandle) {
        self.submit(Verb::CreateAh { handle, attributes });
        self.settle();
    }

    /// Packets arrive one by one; nothing goes out.
    pub fn take(&mut self, packets: &[Packet]) {
        for packet in packets {
            self.receive(&[packet.encode().unwrap()]);
        }
        assert_eq!(self.packets(), Vec::<Vec<u8>>::new());
    }

    /// Everything that goes out comes; the bytes of the packets since the last look.
    fn packets_after(&mut self) -> Vec<Vec<u8>> {
        self.settle();
        self.packets()
    }

    /// The refusal of a verb.
    fn refusal_of(&mut self, verb: Verb) -> Reason {
        self.attempt(verb).expect_err("a refusal")
    }
}
