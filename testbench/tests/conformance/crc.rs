//! Conformance rows of the area `crc`, CF023 to CF037, on the vectors of `crc_vectors.csv`.
//!
//! The hardware has no RoCEv1 (V6, V7): a native packet with a GRH has the same ICRC, since that leaves the LRH out.
use super::by_bits::with_vcrc;
use super::opcodes::packet;
use super::vectors::{
    at_lid, ethernet, v10, IPV4_PORT, IPV6_PORT, UC_PAYLOAD, V1, V10, V2, V2_GRH, V3, V4, V4_GRH, V5, V6, V7,
    V8, V8_PORT, V9, WRITE_PORT,
};
use super::wire_bench::{bytes, drops, on_both_wires, stands_for, Wire, NATIVE};
use hca_golden::event::DropReason;
use hca_golden::port::PortConfig;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::grh::Grh;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::reth::Reth;

on_both_wires!(
    cf023_icrc_of_v1,
    cf024_icrc_of_v2,
    cf025_icrc_of_v6,
    cf026_icrc_of_v7,
    cf027_icrc_of_v8,
    cf028_icrc_of_v9,
    cf029_icrc_of_v10,
    cf030_vcrc_of_v1_to_v5,
    cf031_the_vl_changes_the_vcrc_alone,
    cf032_what_may_change_on_the_way,
    cf033_sl_and_dlid,
    cf036_a_raw_packet_ends_with_its_vcrc,
    cf037_the_pad,
);

/// The packet of V1 and V2: RC Write only of 14 bytes.
fn write(vl: u8) -> Packet {
    let mut write = packet(0x0A, &[], &bytes("bb884d85fd5cfba4728bc0690ed4"));
    write.route = Route::Local(Lrh {
        vl,
        sl: 1,
        dlid: 0x375C,
        slid: 0x17D2,
        ..Lrh::default()
    });
    write.bth.p_key = 0x2487;
    (write.bth.dest_qp, write.bth.psn) = (0x87_B1B3, 0x0D_EC2A);
    write.extensions = vec![Extension::Reth(Reth {
        va: 0x0171_0A1C_015D_4002,
        r_key: 0x38F2_7A05,
        dma_len: 14,
    })];
    write
}

/// The frame passes; with any bit of its ICRC flipped it does not. What follows the ICRC is made right again.
fn only_with_its_icrc(wire: &dyn Wire, port: &PortConfig, frame: &[u8], icrc_at: usize, passes: bool) {
    let flipped = |bit: usize| {
        let mut frame = frame.to_vec();
        frame[icrc_at + bit / 8] ^= 1 << (bit % 8);
        let native = frame.len() > icrc_at + 4;
        frame.truncate(icrc_at + 4);
        match native {
            true => with_vcrc(frame),
            false => frame,
        }
    };
    let frames: Vec<_> = [frame.to_vec()].into_iter().chain((0..32).map(flipped)).collect();
    let readings = wire.read(port, &frames);
    // A frame that is no packet for this port is dropped for that reason, never for its ICRC.
    assert_eq!(readings[0].is_ok(), passes);
    assert_ne!(readings[0], Err(DropReason::Icrc));
    assert_eq!(readings[1..], vec![Err(DropReason::Icrc); 32]);
}

fn cf023_icrc_of_v1(wire: &dyn Wire) {
    stands_for(wire, &WRITE_PORT, &write(7), V1);
    only_with_its_icrc(wire, &WRITE_PORT, &bytes(V1), 52, true);
}

/// V2 as published names no IBA transport behind its GRH, so no port looks at its ICRC; with NxtHdr 1Bh and the PayLen
/// of its PktLen it is sound.
fn cf024_icrc_of_v2(wire: &dyn Wire) {
    drops(wire, &WRITE_PORT, bytes(V2), DropReason::Grh);
    let mut write = write(7);
    let grh = Grh {
        hop_lmt: 0x10,
        sgid: 0x0125_0000_0000_0000_0026_u128.to_be_bytes(),
        dgid: WRITE_PORT.gid,
        ..Grh::default()
    };
    write.route = Route::Global(*write.lrh().unwrap(), grh);
    stands_for(wire, &WRITE_PORT, &write, V2_GRH);
    only_with_its_icrc(wire, &WRITE_PORT, &bytes(V2_GRH), 92, true);
}

/// A packet of the RoCEv1 capture behind an LRH.
fn captured(opcode: u8, dest_qp: u32, psn: u32) -> Packet {
    let mut packet = packet(opcode, &[], &[]);
    let grh = Grh {
        tclass: 2,
        hop_lmt: 0x40,
        sgid: 0xFFFF_0F00_0002_u128.to_be_bytes(),
        dgid: 0xFFFF_0F00_0002_u128.to_be_bytes(),
        ..Grh::default()
    };
    let lrh = Lrh {
        dlid: 2,
        slid: 1,
        ..Lrh::default()
    };
    packet.route = Route::Global(lrh, grh);
    packet.bth.m = true;
    (packet.bth.dest_qp, packet.bth.psn) = (dest_qp, psn);
    packet
}

const CAPTURE_PORT: PortConfig = PortConfig {
    gid: 0xFFFF_0F00_0002_u128.to_be_bytes(),
    ..NATIVE
};

fn cf025_icrc_of_v6(wire: &dyn Wire) {
    let mut write = captured(0x0A, 0x10A, 0xA7_88BC);
    write.bth.a = true;
    write.extensions = vec![Extension::Reth(Reth {
        va: 0x55D4_C072_6000,
        r_key: 0x47B3,
        dma_len: 5,
    })];
    write.payload = vec![0, 0, 0, 0, 1];
    let frame = format!("0003000200160001 {V6} 6935");
    stands_for(wire, &CAPTURE_PORT, &write, &frame);
    only_with_its_icrc(wire, &CAPTURE_PORT, &bytes(&frame), 84, true);
}

fn cf026_icrc_of_v7(wire: &dyn Wire) {
    let mut ack = captured(0x11, 0x109, 0xA7_88C0);
    ack.extensions = vec![Extension::Aeth(Aeth { syndrome: 0, msn: 5 })];
    let frame = format!("0003000200110001 {V7} 73b1");
    stands_for(wire, &CAPTURE_PORT, &ack, &frame);
    only_with_its_icrc(wire, &CAPTURE_PORT, &bytes(&frame), 64, true);
}

/// A congestion notification, which no port takes: its ICRC is looked at before its opcode.
fn cf027_icrc_of_v8(wire: &dyn Wire) {
    let frame = ethernet(0x0800, V8);
    drops(wire, &V8_PORT, frame.clone(), DropReason::Opcode);
    only_with_its_icrc(wire, &V8_PORT, &frame, 70, false);
}

fn cf028_icrc_of_v9(wire: &dyn Wire) {
    let frame = ethernet(0x0800, V9);
    let readings = wire.read(&IPV4_PORT, std::slice::from_ref(&frame));
    let [Ok((header, payload))] = &readings[..] else {
        panic!("{readings:?}");
    };
    assert_eq!((header.opcode, header.psn), (0x24, 0xCF_1710));
    assert_eq!((header.dest_qp, header.source_port), (0xD3, 0xC000));
    assert_eq!(*payload, bytes(UC_PAYLOAD));
    only_with_its_icrc(wire, &IPV4_PORT, &frame, 74, true);
}

/// The builder leaves the UDP checksum 0, which the ICRC does not cover.
fn cf029_icrc_of_v10(wire: &dyn Wire) {
    let mut frame = ethernet(0x86DD, V10);
    only_with_its_icrc(wire, &IPV6_PORT, &frame, 94, true);
    frame[60..62].fill(0);
    assert_eq!(wire.build(&[v10()]), [frame]);
}

/// Any flipped bit of the VCRC shows, whatever else becomes of the packet.
fn cf030_vcrc_of_v1_to_v5(wire: &dyn Wire) {
    let vectors = [
        (V1, WRITE_PORT, None),
        (V2, WRITE_PORT, Some(DropReason::Grh)),
        (V3, WRITE_PORT, None),
        (V4, WRITE_PORT, Some(DropReason::Grh)),
        (V5, at_lid(4), Some(DropReason::NetworkHeader)),
    ];
    for (vector, port, reason) in vectors {
        let frame = bytes(vector);
        let flipped = (0..16).map(|bit| {
            let mut flipped = frame.clone();
            flipped[frame.len() - 2 + bit / 8] ^= 1 << (bit % 8);
            flipped
        });
        let frames: Vec<_> = [frame.clone()].into_iter().chain(flipped).collect();
        let readings = wire.read(&port, &frames);
        assert_eq!(readings[0].as_ref().err(), reason.as_ref());
        assert_eq!(readings[1..], vec![Err(DropReason::Vcrc); 16]);
    }
}

/// V3 is V1 with VL 3: the same ICRC, another VCRC.
fn cf031_the_vl_changes_the_vcrc_alone(wire: &dyn Wire) {
    stands_for(wire, &WRITE_PORT, &write(3), V3);
    let (v1, v3) = (bytes(V1), bytes(V3));
    assert_eq!(v1[52..56], v3[52..56]);
    let old_vcrc = [&v3[..56], &v1[56..]].concat();
    drops(wire, &WRITE_PORT, old_vcrc, DropReason::Vcrc);
}

/// V4 has all fields changed that switches may change; its ICRC is that of V2. Then each bit of these fields is changed
/// alone, except the one that makes VL 15.
fn cf032_what_may_change_on_the_way(wire: &dyn Wire) {
    drops(wire, &WRITE_PORT, bytes(V4), DropReason::Grh);
    let (v2, v4) = (bytes(V2_GRH), bytes(V4_GRH));
    assert_eq!(v2[92..96], v4[92..96]);
    let vl_and_sl = (1..4).chain(8..12);
    let tclass_flow_label_hop_lmt_and_byte_4 = (68..96).chain(120..128).chain(416..424);
    let flipped = vl_and_sl
        .chain(tclass_flow_label_hop_lmt_and_byte_4)
        .map(|bit| flip(&v2, bit));
    let frames: Vec<_> = [v4].into_iter().chain(flipped).collect();
    for reading in wire.read(&WRITE_PORT, &frames) {
        let (header, payload) = reading.unwrap();
        assert_eq!((header.psn, header.dma_len), (0x0D_EC2A, 14));
        assert_eq!(payload, bytes("bb884d85fd5cfba4728bc0690ed4"));
    }
}

/// One bit of the wire flipped, from the most significant of each byte; the VCRC is made right again.
fn flip(frame: &[u8], bit: usize) -> Vec<u8> {
    let mut frame = frame[..frame.len() - 2].to_vec();
    frame[bit / 8] ^= 0x80 >> (bit % 8);
    with_vcrc(frame)
}

/// The port is the one that the packet then names.
fn cf033_sl_and_dlid(wire: &dyn Wire) {
    for bit in (8..12).chain(16..32) {
        let frame = flip(&bytes(V1), bit);
        let dlid = u16::from_be_bytes([frame[2], frame[3]]);
        drops(wire, &at_lid(dlid), frame, DropReason::Icrc);
    }
}

/// Were four more bytes an ICRC, PktLen would be less by a word than what came.
fn cf036_a_raw_packet_ends_with_its_vcrc(wire: &dyn Wire) {
    let raw = [
        V5,
        "20010004000c0003
         6a5bcdef00003b40 fe800000000000000000000000000001 fe800000000000000000000000000002 b8e4",
    ];
    for raw in raw.map(bytes) {
        drops(wire, &at_lid(4), raw.clone(), DropReason::NetworkHeader);
        let mut longer = raw[..raw.len() - 2].to_vec();
        longer.extend([0; 4]);
        drops(wire, &at_lid(4), with_vcrc(longer), DropReason::Length);
    }
}

/// The two pad bytes of V1, every bit, the VCRC right.
fn cf037_the_pad(wire: &dyn Wire) {
    let frames: Vec<_> = (400..416).map(|bit| flip(&bytes(V1), bit)).collect();
    assert_eq!(wire.read(&WRITE_PORT, &frames), vec![Err(DropReason::Icrc); 16]);
}
