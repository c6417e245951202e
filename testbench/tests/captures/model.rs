//! Real traffic through the model.
use crate::flips::{every_bit, sample};
use crate::traffic::{frames, port};
use hca_golden::decision::link::judge;
use hca_golden::port::Link;
use hca_golden::wire::frame::Frame;
use std::collections::BTreeSet;

#[test]
fn every_packet_decodes_and_re_encodes_identically() {
    let mut opcodes = BTreeSet::new();
    for (n, frame) in frames().iter().enumerate() {
        let decoded = Frame::decode(Link::Roce, frame).unwrap_or_else(|e| panic!("frame {n}: {e}"));
        assert_eq!(&decoded.encode().unwrap(), frame, "frame {n}");
        let packet = judge(&port(frame), frame).unwrap();
        opcodes.insert(packet.bth.opcode);
    }
    // Send, Write, Read with its responses, ack, atomic ack, CompareSwap; Send and Write of UC; Send of UD.
    let of_rc = [0, 1, 2, 6, 7, 8, 0xC, 0xD, 0xE, 0xF, 0x11, 0x12, 0x13];
    let others = [0x20, 0x21, 0x22, 0x26, 0x27, 0x28, 0x64];
    let kinds = of_rc.into_iter().chain(others);
    assert!(opcodes.into_iter().eq(kinds));
}

#[test]
fn no_flipped_bit_passes_but_where_nothing_protects_it() {
    let frames = frames();
    let every = every_bit(&frames);
    // 20 kinds; the smallest is an ack.
    assert!(every.len() > 20 * 8 * 62, "{} bits", every.len());
    for flip in every.iter().chain(&sample(&frames, 8)) {
        let judgement = judge(&flip.port, &flip.frame);
        let (byte, bit) = (flip.byte, flip.bit);
        assert_eq!(
            judgement.is_err(),
            flip.is_protected(),
            "bit {bit} of byte {byte}: {judgement:?}"
        );
        // What goes unseen is carried as it is.
        if let Ok(packet) = judgement {
            assert_eq!(packet.encode().unwrap(), flip.frame);
        }
    }
}
