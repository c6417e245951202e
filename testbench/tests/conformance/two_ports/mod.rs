//! Rows of a device with two native ports (`link.md` section 8): CF048, CF339, CF427, CF462, CF463, CF482. A device
//! with one port passes these cases over.
mod arrival;
mod attributes;
mod credits;
mod groups;
mod independent;
mod joined;
mod management;
mod tables;
mod violations;

use crate::bench::peer::to;
use crate::bench::requester::all_rights;
use crate::bench::two_ports::{at_second, SECOND_PEER};
use crate::bench::{request, Bench};
use crate::ud;
use hca_golden::verbs::{AddressHandle, QpAttributes, Status};
use hca_golden::wire::packet::Packet;

/// The QPs of port 1 and of port 2. Their low four bits differ, and are none of those of QP0 and QP1.
const FIRST_QPN: u32 = 0x00_0B29;
const SECOND_QPN: u32 = 0x00_0C2A;
/// The peer's addresses at port 1 and at port 2.
const FIRST_HANDLE: u32 = ud::HANDLE;
const SECOND_HANDLE: u32 = ud::HANDLE + 1;

/// A connection of port 1. It expects PSN 100 and sends PSN 2000 first.
fn first() -> QpAttributes {
    QpAttributes {
        qpn: FIRST_QPN,
        ..all_rights()
    }
}

/// A connection of port 2. It expects PSN 100 and sends PSN 2000 first.
fn second() -> QpAttributes {
    QpAttributes {
        qpn: SECOND_QPN,
        port: 2,
        dlid: SECOND_PEER,
        ..all_rights()
    }
}

/// A QP of datagrams with the QPN and the port of this one.
fn of_datagrams(like: QpAttributes) -> QpAttributes {
    QpAttributes {
        qpn: like.qpn,
        port: like.port,
        ..ud::attributes()
    }
}

/// The peer's address at port 2.
fn second_peer() -> AddressHandle {
    AddressHandle {
        port: 2,
        dlid: SECOND_PEER,
        ..ud::peer()
    }
}

/// A request for the connection of port 1, as it comes to that port.
fn to_first(opcode: u8, psn: u32, payload: &[u8]) -> Packet {
    to(FIRST_QPN, request(opcode, psn, payload))
}

/// A request for the connection of port 2, as it comes to that port.
fn to_second(opcode: u8, psn: u32, payload: &[u8]) -> Packet {
    at_second(to(SECOND_QPN, request(opcode, psn, payload)))
}

/// A connection of each port in RTS, each with so many receive WQEs of 64 bytes, WR ids from 70 on.
fn connections(y: &mut Bench, receives: u64) {
    both(y, [first(), second()], receives);
}

/// A QP of datagrams of each port in RTS, with receive WQEs and address handles.
fn datagrams(y: &mut Bench, receives: u64) {
    both(y, [first(), second()].map(of_datagrams), receives);
    y.address(FIRST_HANDLE, ud::peer());
    y.address(SECOND_HANDLE, second_peer());
}

fn both(y: &mut Bench, qps: [QpAttributes; 2], receives: u64) {
    for (n, qp) in qps.iter().enumerate() {
        match n {
            0 => y.create(qp),
            _ => y.create_another(qp),
        }
        y.enter_rts();
        let from = 0x400 * u64::from(qp.port - 1);
        for n in 0..receives {
            y.post_receive(70 + n, from + 64 * n, 64);
        }
    }
    y.turn_to(FIRST_QPN);
}

/// What the completions of a QP tell: WR id, status and bytes.
fn completions_of(y: &mut Bench, qpn: u32) -> Vec<(u64, Status, u32)> {
    y.turn_to(qpn);
    y.completions()
}
