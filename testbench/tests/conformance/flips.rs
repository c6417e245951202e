//! CF038: every bit of a packet of each framing flipped by itself.
use super::by_bits::with_vcrc;
use super::vectors::{ethernet, IPV4_PORT, IPV6_PORT, V1, V10, V2_GRH, V9, WRITE_PORT};
use super::wire_bench::{bytes, on_both_wires, Wire};
use hca_golden::event::DropReason;
use hca_golden::port::PortConfig;
use std::ops::Range;

on_both_wires!(
    cf038_local,
    cf038_global,
    cf038_local_for_the_icrc_alone,
    cf038_global_for_the_icrc_alone,
    cf038_over_ipv4,
    cf038_over_ipv6,
);

/// What the frame becomes with each bit flipped, from the most significant of each byte.
fn flipped(frame: &[u8]) -> Vec<Vec<u8>> {
    let flip = |bit: usize| {
        let mut flipped = frame.to_vec();
        flipped[bit / 8] ^= 0x80 >> (bit % 8);
        flipped
    };
    (0..8 * frame.len()).map(flip).collect()
}

/// Only flips of these bits pass.
fn passes(wire: &dyn Wire, port: &PortConfig, frames: &[Vec<u8>], bits: &[Range<usize>]) {
    let readings = wire.read(port, frames);
    for (bit, reading) in readings.iter().enumerate() {
        let expected = bits.iter().any(|bits| bits.contains(&bit));
        assert_eq!(reading.is_ok(), expected, "bit {bit}: {reading:?}");
    }
    assert_eq!(readings.len(), frames.len());
}

/// The VCRC covers everything. PktLen comes behind it.
fn native(wire: &dyn Wire, vector: &str) {
    let frames = flipped(&bytes(vector));
    let dropped = vec![Err(DropReason::Vcrc); frames.len()];
    assert_eq!(wire.read(&WRITE_PORT, &frames), dropped);
}

fn cf038_local(wire: &dyn Wire) {
    native(wire, V1);
}

fn cf038_global(wire: &dyn Wire) {
    native(wire, V2_GRH);
}

/// The VCRC is made right again, as a switch with a faulty memory would.
fn behind_the_vcrc(vector: &str) -> Vec<Vec<u8>> {
    let frame = bytes(vector);
    flipped(&frame[..frame.len() - 2])
        .into_iter()
        .map(with_vcrc)
        .collect()
}

/// VL, and byte 4 of the BTH. The first bit makes VL 15 of VL 7, which takes packets for QP0 alone.
fn cf038_local_for_the_icrc_alone(wire: &dyn Wire) {
    passes(wire, &WRITE_PORT, &behind_the_vcrc(V1), &[1..4, 96..104]);
}

/// VL but for its first bit, SL, Resv2, Resv5 and SLID of the LRH; TClass, FlowLabel and HopLmt; byte 4 of the BTH.
fn cf038_global_for_the_icrc_alone(wire: &dyn Wire) {
    let variant = [1..4, 8..14, 32..37, 48..64, 68..96, 120..128, 416..424];
    passes(wire, &WRITE_PORT, &behind_the_vcrc(V2_GRH), &variant);
}

/// Source MAC, UDP checksum, byte 4 of the BTH. The IPv4 checksum covers TOS and TTL.
fn cf038_over_ipv4(wire: &dyn Wire) {
    let frames = flipped(&ethernet(0x0800, V9));
    passes(wire, &IPV4_PORT, &frames, &[48..96, 320..336, 368..376]);
}

/// Source MAC; traffic class, flow label and hop limit; UDP checksum; byte 4 of the BTH.
fn cf038_over_ipv6(wire: &dyn Wire) {
    let frames = flipped(&ethernet(0x86DD, V10));
    let variant = [48..96, 116..144, 168..176, 480..496, 528..536];
    passes(wire, &IPV6_PORT, &frames, &variant);
}
