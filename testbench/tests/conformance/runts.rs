//! CF055, CF056: packets cut off at every byte.
use super::by_bits::with_vcrc;
use super::vectors::{ethernet, IPV4_PORT, IPV6_PORT, V1, V10, V2_GRH, V9, WRITE_PORT};
use super::wire_bench::{bytes, on_both_wires, Wire};
use hca_golden::event::DropReason;

on_both_wires!(
    cf056_native,
    cf055_native_whole_words_with_their_vcrc,
    cf056_over_ip,
);

/// The shortest packet has 22 bytes. A length that is not whole words plus 2 is no packet.
fn cf056_native(wire: &dyn Wire) {
    for vector in [V1, V2_GRH].map(bytes) {
        let frames: Vec<_> = (0..vector.len()).map(|end| vector[..end].to_vec()).collect();
        let reason = |end| match end {
            22.. if end % 4 == 2 => Err(DropReason::Vcrc),
            _ => Err(DropReason::Length),
        };
        let expected: Vec<_> = (0..vector.len()).map(reason).collect();
        assert_eq!(wire.read(&WRITE_PORT, &frames), expected);
    }
}

fn cf055_native_whole_words_with_their_vcrc(wire: &dyn Wire) {
    for vector in [V1, V2_GRH].map(bytes) {
        let ends = (0..vector.len() - 2).step_by(4);
        let frames: Vec<_> = ends.map(|end| with_vcrc(vector[..end].to_vec())).collect();
        let dropped = vec![Err(DropReason::Length); frames.len()];
        assert_eq!(wire.read(&WRITE_PORT, &frames), dropped);
    }
}

fn cf056_over_ip(wire: &dyn Wire) {
    let frames = [
        (IPV4_PORT, ethernet(0x0800, V9)),
        (IPV6_PORT, ethernet(0x86DD, V10)),
    ];
    for (port, frame) in frames {
        let frames: Vec<_> = (0..frame.len()).map(|end| frame[..end].to_vec()).collect();
        let dropped = vec![Err(DropReason::Length); frames.len()];
        assert_eq!(wire.read(&port, &frames), dropped);
    }
}
