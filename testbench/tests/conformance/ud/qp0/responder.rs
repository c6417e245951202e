//! What QP0 takes (`special_qps.md` section 3).
use super::super::success;
use super::{
    between, connect, peer, port, qp0, request, smp, to, with_q_key, Bench, Packet, QpAttributes,
    DIRECTED_ROUTE, LID_ROUTED, ROOM,
};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, PEER_QPN, QPN, UNTOUCHED};
use hca_golden::event::DropReason;
use hca_golden::verbs::{DatagramSource, PortCounter, QpState};
use hca_golden::wire::grh::{Grh, IPVER, NXTHDR_IBA};
use hca_golden::wire::packet::Route;
use hca_testbench::device::Verb;

mod of_four_lids {
    use super::*;

    on_both!(behind super::super::super::four_lids();
        cf420_smps_and_vl_15_belong_together,
        cf420_other_vls_are_dropped,
        cf421_the_permissive_lid_needs_a_directed_route,
        cf422_every_p_key_and_q_key_arrives,
        cf423_without_a_receive_wqe_it_is_dropped_and_counted,
        cf424_other_lengths_and_opcodes_are_dropped,
        the_completion_names_lids_and_sl,
    );
}

mod of_no_lid {
    use super::*;

    on_both!(behind super::super::super::no_lid(); cf458_lid_0000_is_nobodys);
}

fn on_vl(vl: u8, mut packet: Packet) -> Packet {
    packet.lrh_mut().unwrap().vl = vl;
    packet
}

/// The same packet with a GRH.
fn with_grh(mut packet: Packet) -> Packet {
    let grh = Grh {
        ipver: IPVER,
        nxt_hdr: NXTHDR_IBA,
        dgid: port().gid,
        ..Grh::default()
    };
    packet.route = Route::Global(*packet.lrh().unwrap(), grh);
    packet
}

fn vl15_dropped(y: &mut Bench) -> u32 {
    y.port_counter(PortCounter::Vl15Dropped)
}

/// Whether or not the QPs exist.
fn cf420_smps_and_vl_15_belong_together(y: &mut Bench) {
    // Its LIDs are written before a packet comes.
    y.settle();
    let strays = [
        to(1, smp(DIRECTED_ROUTE)),
        to(2, smp(DIRECTED_ROUTE)),
        to(QPN, smp(DIRECTED_ROUTE)),
        to(0xFF_FFFF, smp(DIRECTED_ROUTE)),
        with_grh(smp(DIRECTED_ROUTE)),
        on_vl(0, smp(DIRECTED_ROUTE)),
        on_vl(0, with_grh(smp(LID_ROUTED))),
    ];
    y.take(&strays);
    assert_eq!(y.drops(), [(DropReason::Vl15, 7)]);
    connect(y, peer(), 1);
    y.create_another(&QpAttributes { qpn: 1, ..qp0() });
    y.enter_rts();
    y.post_receive(1, 640, ROOM);
    y.take(&strays);
    assert_eq!(y.drops(), [(DropReason::Vl15, 7)]);
    y.turn_to(0);
    y.take(&[smp(LID_ROUTED)]);
    assert_eq!(y.completions(), [success(70, 296)]);
    assert_eq!(vl15_dropped(y), 0);
}

/// VL 0 is the one that is operational; no SMP is for a group.
fn cf420_other_vls_are_dropped(y: &mut Bench) {
    connect(y, peer(), 1);
    assert_eq!(y.attempt(Verb::SetDataVls { data_vls: 1 }), DONE);
    for vl in 1..15 {
        y.take(&[
            on_vl(vl, smp(DIRECTED_ROUTE)),
            on_vl(vl, to(QPN, smp(LID_ROUTED))),
        ]);
        assert_eq!(y.drops(), [(DropReason::Vl, 2)], "VL {vl}");
    }
    for dlid in [0xC000, 0xD123, 0xFFFE] {
        y.take(&[
            between(1, dlid, DIRECTED_ROUTE),
            to(0xFF_FFFF, between(1, dlid, LID_ROUTED)),
        ]);
        assert_eq!(y.drops(), [(DropReason::Vl, 2)], "{dlid:04X}h");
    }
    y.take(&[
        on_vl(0, between(1, 0xFFFF, DIRECTED_ROUTE)),
        between(1, 0x14, LID_ROUTED),
    ]);
    assert_eq!(y.drops(), [(DropReason::Dlid, 2)]);
}

fn cf421_the_permissive_lid_needs_a_directed_route(y: &mut Bench) {
    connect(y, peer(), 0);
    let lids = [(1, 0xFFFF), (0xFFFF, 0x10), (0xFFFF, 0xFFFF)];
    for (wr_id, (slid, dlid)) in (1..).zip(lids) {
        y.post_receive(wr_id, 0, ROOM);
        for class in [LID_ROUTED, 0x80, 0x83, 0xC1, 0x00] {
            y.take(&[between(slid, dlid, class)]);
            assert_eq!(y.drops(), [(DropReason::Dlid, 1)], "{class:02X}h");
        }
        y.take(&[between(slid, dlid, DIRECTED_ROUTE)]);
        let sources: Vec<_> = y.taken().iter().map(|c| (c.wr_id, c.datagram.unwrap())).collect();
        let source = DatagramSource {
            qpn: PEER_QPN,
            slid,
            lid: 0x10,
            ..DatagramSource::default()
        };
        assert_eq!(sources, [(wr_id, source)], "{dlid:04X}h");
    }
    y.post_receive(9, 0, ROOM);
    y.take(&[smp(LID_ROUTED)]);
    assert_eq!(y.completions(), [success(9, 296)]);
    assert_eq!((y.drops(), vl15_dropped(y)), (vec![], 0));
}

/// C9-41.
fn cf422_every_p_key_and_q_key_arrives(y: &mut Bench) {
    connect(y, peer(), 0);
    let keys = [
        (0x9234, 0),
        (0x1235, 0x8001_0000),
        (0x4321, 0x1122_3344),
        (0x8000, 0xFFFF_FFFF),
        (0x0000, 1),
    ];
    for (wr_id, (p_key, q_key)) in (1..).zip(keys) {
        y.post_receive(wr_id, 0, ROOM);
        let mut sent = with_q_key(q_key, smp(LID_ROUTED));
        sent.bth.p_key = p_key;
        y.take(&[sent]);
        assert_eq!(y.p_key_indices(), [(wr_id, None)], "{p_key:04X}h");
    }
    assert_eq!(
        y.buffer(0, 300),
        [
            vec![UNTOUCHED; 40],
            vec![7, LID_ROUTED],
            vec![7; 254],
            vec![UNTOUCHED; 4]
        ]
        .concat()
    );
    assert_eq!(y.drops(), []);
}

/// So is one that is too long for its WQE, which stays, and one for a QP0 that does not receive; the count stays at
/// FFFFh.
fn cf423_without_a_receive_wqe_it_is_dropped_and_counted(y: &mut Bench) {
    // Its LIDs are written before a packet comes.
    y.settle();
    y.take(&[smp(LID_ROUTED)]);
    assert_eq!((y.drops(), vl15_dropped(y)), (vec![(DropReason::DestQp, 1)], 0));
    y.create(&qp0());
    y.modify(QpState::Init);
    y.take(&[smp(LID_ROUTED)]);
    assert_eq!((y.drops(), vl15_dropped(y)), (vec![(DropReason::QpState, 1)], 1));
    y.modify(QpState::Rtr);
    y.take(&[smp(LID_ROUTED), smp(DIRECTED_ROUTE)]);
    assert_eq!(
        (y.drops(), vl15_dropped(y)),
        (vec![(DropReason::NoReceiveWqe, 2)], 3)
    );
    y.post_receive(1, 0, ROOM - 1);
    y.take(&[smp(LID_ROUTED)]);
    assert_eq!(
        (y.drops(), vl15_dropped(y)),
        (vec![(DropReason::BufferTooSmall, 1)], 4)
    );
    let (counter, count) = (PortCounter::Vl15Dropped, 0xFFFE);
    assert_eq!(y.attempt(Verb::SetPortCounter { counter, count }), DONE);
    for _ in 0..3 {
        y.take(&[smp(LID_ROUTED)]);
    }
    assert_eq!(
        (y.drops(), vl15_dropped(y)),
        (vec![(DropReason::BufferTooSmall, 3)], 0xFFFF)
    );
}

fn cf424_other_lengths_and_opcodes_are_dropped(y: &mut Bench) {
    connect(y, peer(), 1);
    for length in [0, 1, 2, 252, 255, 257, 260] {
        for dlid in [0x10, 0xFFFF] {
            let mut sent = between(1, dlid, DIRECTED_ROUTE);
            sent.payload = vec![7; length];
            y.take(&[sent]);
            assert_eq!(y.drops(), [(DropReason::PayloadLength, 1)], "{length}");
        }
    }
    for opcode in [0x65, 0x04, 0x24] {
        for dlid in [0x10, 0xFFFF] {
            let mut sent = to(0, request(opcode, 7, &[7; 256]));
            sent.route = Route::Local(*between(1, dlid, LID_ROUTED).lrh().unwrap());
            y.take(&[sent]);
            assert_eq!(y.drops(), [(DropReason::Opcode, 1)], "{opcode:02X}h");
        }
    }
    y.take(&[smp(LID_ROUTED)]);
    assert_eq!(y.completions(), [success(70, 296)]);
    assert_eq!(vl15_dropped(y), 0);
}

fn cf458_lid_0000_is_nobodys(y: &mut Bench) {
    connect(y, peer(), 1);
    y.take(&[
        between(1, 0, DIRECTED_ROUTE),
        on_vl(0, between(1, 0, DIRECTED_ROUTE)),
    ]);
    assert_eq!(y.drops(), [(DropReason::Dlid, 2)]);
}

fn the_completion_names_lids_and_sl(y: &mut Bench) {
    connect(y, peer(), 0);
    for (wr_id, path_bits) in (1..).zip(0..4) {
        y.post_receive(wr_id, 0, ROOM);
        let mut sent = between(0x0123, 0x10 + u16::from(path_bits), LID_ROUTED);
        sent.lrh_mut().unwrap().sl = 9;
        y.take(&[sent]);
        let sources: Vec<_> = y.taken().iter().map(|c| c.datagram.unwrap()).collect();
        let source = DatagramSource {
            qpn: PEER_QPN,
            slid: 0x0123,
            sl: 9,
            lid: 0x10 + u16::from(path_bits),
            path_bits,
            ..DatagramSource::default()
        };
        assert_eq!(sources, [source]);
    }
}
