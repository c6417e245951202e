//! Packets for QP0 and those of VL 15 are the same, and an SMP at a permissive LID is of the directed class
//! (`protocol/special_qps.md` section 3 steps 3 and 5).
use crate::bench::{library, Bench};
use hca_host::retire::drop;
use hca_rtl::wire::ManagementCheck;

const VL15: u8 = 0xF0;
const SEND_ONLY: u8 = 0x64;
const WITH_IMMEDIATE: u8 = 0x65;
const DIRECTED: u8 = 0x81;
const LID_ROUTED: u8 = 0x01;

struct Packet {
    vl: u8,
    dlid: u16,
    slid: u16,
    words: u16,
    opcode: u8,
    dest_qp: u32,
    class: u8,
}

/// An SMP on its directed route.
const SMP: Packet = Packet {
    vl: VL15,
    dlid: 0xFFFF,
    slid: 0xFFFF,
    words: 72,
    opcode: SEND_ONLY,
    dest_qp: 0,
    class: DIRECTED,
};

/// The reason to drop it, or 0.
fn reason(bench: &mut Bench, packet: &Packet) -> u8 {
    let mut bytes = vec![0; 120];
    bytes[0] = packet.vl;
    bytes[1] = 0x02;
    bytes[2..4].copy_from_slice(&packet.dlid.to_be_bytes());
    bytes[4..6].copy_from_slice(&packet.words.to_be_bytes());
    bytes[6..8].copy_from_slice(&packet.slid.to_be_bytes());
    bytes[8] = packet.opcode;
    bytes[12..16].copy_from_slice(&packet.dest_qp.to_be_bytes());
    bytes[28..32].copy_from_slice(&[1, packet.class, 1, 1]);
    let reversed = |bytes: &[u8]| bytes.iter().rev().copied().collect::<Vec<u8>>();
    bench.set_bytes("flat", &reversed(&bytes));
    bench.set_bytes("transport", &reversed(&bytes[8..60]));
    for clock in 0..4 {
        bench.settle();
        if clock == 3 {
            bench.set_bytes("flat", &[0x5A; 120]);
        }
        bench.tick();
    }
    bench.settle();
    bench.get("reason") as u8
}

#[test]
fn each_packet_goes_where_its_vl_and_its_class_say() {
    let mut bench = Bench::without_clock(&library::<ManagementCheck>("management_check"), 1);
    for (packet, expected) in [
        (SMP, 0),
        (Packet { vl: 0, ..SMP }, drop::VL15),
        (Packet { vl: 0xE0, ..SMP }, drop::VL15),
        (Packet { dest_qp: 1, ..SMP }, drop::VL15),
        (
            Packet {
                dest_qp: 0x80_0000,
                ..SMP
            },
            drop::VL15,
        ),
        (
            Packet {
                vl: 0,
                dest_qp: 1,
                class: LID_ROUTED,
                ..SMP
            },
            0,
        ),
        (
            Packet {
                class: LID_ROUTED,
                ..SMP
            },
            drop::DLID,
        ),
        (
            Packet {
                class: LID_ROUTED,
                slid: 7,
                ..SMP
            },
            drop::DLID,
        ),
        (
            Packet {
                class: LID_ROUTED,
                dlid: 7,
                ..SMP
            },
            drop::DLID,
        ),
        (
            Packet {
                class: LID_ROUTED,
                dlid: 7,
                slid: 9,
                ..SMP
            },
            0,
        ),
        (
            Packet {
                class: LID_ROUTED,
                words: 71,
                ..SMP
            },
            0,
        ),
        (
            Packet {
                class: LID_ROUTED,
                opcode: WITH_IMMEDIATE,
                ..SMP
            },
            0,
        ),
        (
            Packet {
                class: LID_ROUTED,
                vl: 0,
                ..SMP
            },
            drop::VL15,
        ),
    ] {
        let got = reason(&mut bench, &packet);
        assert_eq!(
            got, expected,
            "{:X}h, QPN {:X}h, class {:X}h",
            packet.vl, packet.dest_qp, packet.class
        );
    }
}
