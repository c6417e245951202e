//! CF427: QP0 and QP1 of each port (`special_qps.md`, `link.md` section 8).
use super::{of_datagrams, second_peer, FIRST_HANDLE, FIRST_QPN, SECOND_HANDLE};
use crate::bench::peer::to;
use crate::bench::requester::SEND;
use crate::bench::two_ports::{at_second, on_both_with_two_ports};
use crate::bench::{request, Bench};
use crate::ud::qp0::smp;
use crate::ud::{datagram, peer, success, with_q_key};
use hca_golden::event::DropReason;
use hca_golden::verbs::PortCounter::Vl15Dropped;
use hca_golden::verbs::{Datagram, QpAttributes, SendRequest};
use hca_golden::wire::packet::Packet;

on_both_with_two_ports!(
    cf427_an_smp_reaches_qp0_of_its_port,
    cf427_a_mad_reaches_qp1_of_its_port,
    cf427_a_port_without_qp0_takes_nothing_for_it,
    cf427_dest_qp_2_and_3_name_no_queue_pair,
    cf427_in_packets_they_are_0_and_1,
    cf427_a_missing_receive_wqe_counts_at_the_port,
);

/// QP0 and QP1 of port 1, then of port 2.
const ALL: [u32; 4] = [0, 1, 2, 3];
/// Q_Key of QP1.
const MANAGEMENT_KEY: u32 = 0x8001_0000;
/// A MAD with the area before it.
const ROOM: u32 = 296;

/// The QPs of management of both ports in RTS, each with so many receive WQEs, WR id 70 on.
pub(super) fn connect(y: &mut Bench, receives: u64) {
    let of = |qpn| QpAttributes {
        qpn,
        ..of_datagrams(super::first())
    };
    y.create(&of(0));
    for qpn in ALL {
        if qpn != 0 {
            y.create_another(&of(qpn));
        }
        y.enter_rts();
        for n in 0..receives {
            y.post_receive(70 + n, 320 * u64::from(qpn), ROOM);
        }
    }
    y.address(FIRST_HANDLE, peer());
    y.address(SECOND_HANDLE, second_peer());
}

/// An SMP for QP0, as it comes to this port.
fn smp_at(port: u8) -> Packet {
    let mut smp = smp(0x81);
    smp.lrh_mut().unwrap().dlid = 2;
    match port {
        1 => smp,
        _ => at_second(smp),
    }
}

/// A MAD for this DestQP, as it comes to this port.
pub(super) fn mad_at(port: u8, dest_qp: u32) -> Packet {
    let mad = with_q_key(MANAGEMENT_KEY, to(dest_qp, request(0x64, 7, &[7; 256])));
    match port {
        1 => mad,
        _ => at_second(mad),
    }
}

/// QPN and port of what came since the last look.
fn came(y: &mut Bench) -> Vec<(u32, u8)> {
    let of = |y: &mut Bench, qpn| {
        y.turn_to(qpn);
        let port = |c: hca_golden::verbs::Completion| (c.qpn, c.datagram.map_or(0, |d| d.port));
        y.taken().into_iter().map(port).collect::<Vec<_>>()
    };
    ALL.into_iter().flat_map(|qpn| of(y, qpn)).collect()
}

fn cf427_an_smp_reaches_qp0_of_its_port(y: &mut Bench) {
    connect(y, 1);
    y.arrive_at(2, &[smp_at(2)]);
    assert_eq!(came(y), [(2, 2)]);
    y.arrive_at(1, &[smp_at(1)]);
    assert_eq!(came(y), [(0, 1)]);
    assert_eq!(y.drops(), []);
}

fn cf427_a_mad_reaches_qp1_of_its_port(y: &mut Bench) {
    connect(y, 1);
    y.arrive_at(2, &[mad_at(2, 1)]);
    assert_eq!(came(y), [(3, 2)]);
    y.arrive_at(1, &[mad_at(1, 1)]);
    assert_eq!(came(y), [(1, 1)]);
    assert_eq!(y.drops(), []);
}

fn cf427_a_port_without_qp0_takes_nothing_for_it(y: &mut Bench) {
    y.create(&QpAttributes {
        qpn: 0,
        ..of_datagrams(super::first())
    });
    y.enter_rts();
    y.post_receive(70, 0, ROOM);
    y.arrive_at(2, &[smp_at(2), mad_at(2, 1)]);
    assert_eq!(y.drops(), [(DropReason::DestQp, 2)]);
    y.arrive_at(1, &[smp_at(1)]);
    assert_eq!(y.completions(), [success(70, 296)]);
}

/// At either port, whether or not the queue pairs exist.
fn cf427_dest_qp_2_and_3_name_no_queue_pair(y: &mut Bench) {
    let strays = |y: &mut Bench| {
        for (port, dest_qp) in [(1, 2), (1, 3), (2, 2), (2, 3)] {
            y.arrive_at(port, &[mad_at(port, dest_qp)]);
            assert_eq!(y.drops(), [(DropReason::DestQp, 1)], "{dest_qp} at port {port}");
        }
    };
    strays(y);
    connect(y, 1);
    strays(y);
    assert_eq!(came(y), []);
}

/// What they send: the DestQP of the request, their own QPN in DETH, and the LIDs of the port.
fn cf427_in_packets_they_are_0_and_1(y: &mut Bench) {
    connect(y, 0);
    for (qpn, handle, port) in [
        (2, SECOND_HANDLE, 2),
        (3, SECOND_HANDLE, 2),
        (0, FIRST_HANDLE, 1),
        (1, FIRST_HANDLE, 1),
    ] {
        y.turn_to(qpn);
        y.post(SendRequest {
            datagram: Some(Datagram {
                handle,
                dest_qpn: qpn % 2,
                q_key: MANAGEMENT_KEY,
                p_key_index: 0,
            }),
            ..datagram(1, SEND, 256)
        });
        let [of_first, of_second] = y.left();
        let (sent, other) = match port {
            1 => (of_first, of_second),
            _ => (of_second, of_first),
        };
        assert_eq!((sent.len(), other), (1, vec![]));
        let (lrh, deth) = (sent[0].lrh().unwrap(), sent[0].deth().unwrap());
        assert_eq!(
            (sent[0].bth.dest_qp, deth.src_qp, deth.q_key),
            (qpn % 2, qpn % 2, MANAGEMENT_KEY)
        );
        let vl = if qpn % 2 == 0 { 15 } else { 0 };
        let lids = if port == 1 { (2, 1) } else { (0x22, 0x11) };
        assert_eq!((lrh.vl, (lrh.slid, lrh.dlid)), (vl, lids));
        assert_eq!(y.completions(), [success(1, 0)]);
    }
}

fn cf427_a_missing_receive_wqe_counts_at_the_port(y: &mut Bench) {
    connect(y, 0);
    y.arrive_at(2, &[smp_at(2)]);
    assert_eq!(y.drops(), [(DropReason::NoReceiveWqe, 1)]);
    assert_eq!(y.counts(Vl15Dropped), [0, 1]);
    // No queue pair beside them takes part.
    y.arrive_at(2, &[mad_at(2, FIRST_QPN)]);
    assert_eq!(y.drops(), [(DropReason::DestQp, 1)]);
}
