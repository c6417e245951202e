//! CF283, CF452: packets that find no room in the buffer of their VL (`link.md` sections 5 and 9).
use super::credits::{last, restart};
use crate::bench::{on_both, Bench};
use crate::ud::qp0::{four_lids, qp0, smp};
use crate::ud::{attributes, packet, success};
use hca_golden::event::DropReason;
use hca_golden::verbs::{PortCounter, QpAttributes};
use hca_golden::wire::packet::Packet;

on_both!(cf452_a_data_packet_without_room_is_dropped_and_counted);

mod management {
    use super::*;

    on_both!(behind super::super::four_lids(); cf283_an_smp_without_room_is_dropped_and_counted);
}

/// Packets that arrive, more than the buffer and the engines behind it hold.
const PACKETS: u64 = 64;
/// Receive WQEs, more than those that find room need.
const RECEIVES: u32 = 48;
/// Number of clock cycles in which all packets arrive.
const ARRIVAL: u64 = 16_000;

/// Y's QP in RTS, with its receive WQEs, behind an Active port with flow control.
fn receives(y: &mut Bench, of: &QpAttributes) {
    y.make_anew(of, 64);
    y.enter_rts();
    for n in 0..RECEIVES {
        y.submit_receive(70 + u64::from(n), 0, 2000);
    }
    restart(y);
}

/// The packets arrive while nothing leaves the buffers. Returns how many were received, and how many were dropped for
/// this reason. Those that were received, and no others, complete in the order of the receive WQEs.
fn arrive(y: &mut Bench, arriving: &Packet, reason: DropReason, bytes: u32) -> (u64, u64) {
    let packets = vec![arriving.encode().unwrap(); PACKETS as usize];
    y.receive_without_memory(&packets, ARRIVAL);
    let completions = y.completions();
    let received = completions.len() as u64;
    let successes: Vec<_> = (70..)
        .take(completions.len())
        .map(|id| success(id, bytes))
        .collect();
    assert_eq!(completions, successes);
    assert_eq!(y.drops(), [(reason, PACKETS - received)]);
    (received, PACKETS - received)
}

/// Two SMPs fit into the buffer of VL 15. The data VLs keep their credits.
fn cf283_an_smp_without_room_is_dropped_and_counted(y: &mut Bench) {
    receives(y, &qp0());
    let promised = [0, 1].map(|vl| last(y, vl).fccl);
    let (received, dropped) = arrive(y, &smp(1), DropReason::Vl15, 296);
    assert!(received >= 2, "{received}");
    assert_eq!(u64::from(y.port_counter(PortCounter::Vl15Dropped)), dropped);
    let others = [PortCounter::RcvErrors, PortCounter::BufferOverrun];
    assert_eq!(others.map(|counter| y.port_counter(counter)), [0; 2]);
    assert_eq!([0, 1].map(|vl| last(y, vl).fccl), promised);
    // There is room again.
    y.take(&[smp(1)]);
    assert_eq!(y.completions(), [success(70 + received, 296)]);
}

/// Each dropped packet counts as received for the credits, with 17 blocks.
fn cf452_a_data_packet_without_room_is_dropped_and_counted(y: &mut Bench) {
    receives(y, &attributes());
    let promised = last(y, 0).fccl;
    let datagram = packet(0x64, 7, &[3; 1024]);
    let (received, dropped) = arrive(y, &datagram, DropReason::Overrun, 1064);
    assert!(received >= u64::from(promised) / 17, "{received}");
    assert_eq!(u64::from(y.port_counter(PortCounter::RcvErrors)), dropped);
    assert_eq!(
        u64::from(y.port_counter(PortCounter::BufferOverrun)),
        dropped.min(15)
    );
    assert_eq!(y.port_counter(PortCounter::Vl15Dropped), 0);
    assert_eq!(u64::from(last(y, 0).fccl), u64::from(promised) + 17 * PACKETS);
    // There is room again.
    y.take(&[datagram]);
    assert_eq!(y.completions(), [success(70 + received, 1064)]);
}
