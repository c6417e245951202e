//! CF266, CF416 to CF424, CF458, as far as QP0 goes: subnet management (`special_qps.md`).
pub mod requester;
mod responder;

use super::{attributes, peer, with_q_key, HANDLE};
use crate::bench::peer::to;
use crate::bench::{port, request, Bench};
use hca_golden::port::PortConfig;
use hca_golden::verbs::{AddressHandle, QpAttributes};
use hca_golden::wire::packet::Packet;

/// A datagram of 256 bytes with the area before it.
const ROOM: u32 = 296;
const DIRECTED_ROUTE: u8 = 0x81;
const LID_ROUTED: u8 = 0x01;

/// LIDs 10h to 13h.
pub fn four_lids() -> PortConfig {
    PortConfig {
        lid: 0x10,
        lmc: 2,
        p_keys: [0x9234, 0x1235, 0x1234, 0xFFFF],
        ..port()
    }
}

/// As before a subnet manager has found it.
fn no_lid() -> PortConfig {
    PortConfig { lid: 0, ..port() }
}

pub fn qp0() -> QpAttributes {
    QpAttributes {
        qpn: 0,
        ..attributes()
    }
}

/// Y's QP0 in RTS, with so many receive WQEs.
pub fn connect(y: &mut Bench, address: AddressHandle, receives: u64) {
    y.create(&qp0());
    y.address(HANDLE, address);
    y.enter_rts();
    for n in 0..receives {
        y.post_receive(70 + n, 320 * n, ROOM);
    }
}

/// An SMP of this management class from QP0 at LID 1 to QP0 at LID 10h.
pub fn smp(class: u8) -> Packet {
    let mut payload = vec![7; 256];
    payload[1] = class;
    let mut packet = with_q_key(0, to(0, request(0x64, 7, &payload)));
    let lrh = packet.lrh_mut().unwrap();
    (lrh.vl, lrh.dlid) = (15, 0x10);
    packet
}

/// The same with these LIDs.
fn between(slid: u16, dlid: u16, class: u8) -> Packet {
    let mut packet = smp(class);
    let lrh = packet.lrh_mut().unwrap();
    (lrh.slid, lrh.dlid) = (slid, dlid);
    packet
}
