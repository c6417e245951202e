//! CF229, CF345 to CF358, CF360, CF361: multicast groups, and the copies of their packets (`ud.md` section 4).
mod address;
mod attach;
mod copies;
mod loopback;
mod roce;

use super::{attributes, datagram, packet, success, Q_KEY};
use crate::bench::requester::SEND;
use crate::bench::verbs::DONE;
use crate::bench::{port, Bench, QPN};
use hca_golden::port::PortConfig;
use hca_golden::verbs::{Datagram, QpAttributes, SendRequest, Status};
use hca_golden::wire::grh::Grh;
use hca_golden::wire::packet::{Packet, Route};
use hca_testbench::device::Verb;

/// Two more members.
const SECOND: u32 = 0x00_0C04;
const THIRD: u32 = 0x00_0D05;
const MGID: [u8; 16] = [0xFF, 0x12, 0x40, 0x1B, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5];
const MLID: u16 = 0xC005;

fn eight_lids() -> PortConfig {
    PortConfig {
        lid: 0x28,
        lmc: 3,
        ..port()
    }
}

fn attach(qpn: u32) -> Verb {
    Verb::Attach {
        qpn,
        mgid: MGID,
        mlid: MLID,
    }
}

fn detach(qpn: u32) -> Verb {
    Verb::Detach {
        qpn,
        mgid: MGID,
        mlid: MLID,
    }
}

/// Y's three QPs in RTS, members of the group; each has a receive WQE of 64 bytes, 64 bytes behind that of the one
/// before.
fn members(y: &mut Bench) {
    y.datagrams();
    another(y, SECOND);
    another(y, THIRD);
    for (n, qpn) in (0..).zip([QPN, SECOND, THIRD]) {
        assert_eq!(y.attempt(attach(qpn)), DONE);
        y.turn_to(qpn);
        y.post_receive(1, 64 * n, 64);
    }
    y.turn_to(QPN);
}

fn another(y: &mut Bench, qpn: u32) {
    y.create_another(&QpAttributes { qpn, ..attributes() });
    y.enter_rts();
}

/// A packet of the peer for the group.
fn multicast(psn: u32, payload: &[u8]) -> Packet {
    to_group(packet(0x64, psn, payload), MGID, MLID)
}

fn to_group(mut packet: Packet, dgid: [u8; 16], dlid: u16) -> Packet {
    packet.bth.dest_qp = 0xFF_FFFF;
    let lrh = packet.lrh_mut().unwrap();
    (lrh.dlid, lrh.slid) = (dlid, 1);
    let lrh = *lrh;
    let grh = Grh {
        hop_lmt: 1,
        sgid: [0xFE; 16],
        dgid,
        ..Grh::default()
    };
    packet.route = Route::Global(lrh, grh);
    packet
}

/// Completions of each of the three since the last look.
fn each(y: &mut Bench) -> [Vec<(u64, Status, u32)>; 3] {
    let all = [QPN, SECOND, THIRD].map(|qpn| {
        y.turn_to(qpn);
        y.completions()
    });
    y.turn_to(QPN);
    all
}

fn one(bytes: u32) -> Vec<(u64, Status, u32)> {
    vec![success(1, bytes)]
}

fn to_the_group(wr_id: u64, handle: u32) -> SendRequest {
    SendRequest {
        datagram: Some(Datagram {
            handle,
            dest_qpn: 0xFF_FFFF,
            q_key: Q_KEY,
            p_key_index: 0,
        }),
        ..datagram(wr_id, SEND, 4)
    }
}
