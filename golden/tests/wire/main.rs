//! Wire formats as whole packets show them. Hexadecimal bytes here were not computed by the model.
mod crcs;
mod formats;
mod native;
mod opcodes;
mod roce;
mod round_trip;
mod strategy;
mod unencodable;

use hca_golden::event::DropReason;
use hca_golden::port::Link;
use hca_golden::wire::frame::Frame;
use hca_golden::wire::packet::Packet;

/// The bytes of a hexadecimal literal; blanks and line ends do not count.
fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(|c| !c.is_ascii_whitespace()).collect();
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

/// Returns the packet in a frame.
fn decoded(link: Link, frame: &[u8]) -> Packet {
    Frame::decode(link, frame).unwrap().packet().unwrap()
}

/// Returns the reason for which a frame is not decoded.
fn reason(link: Link, frame: &[u8]) -> DropReason {
    Frame::decode(link, frame).unwrap_err().reason
}

/// Encodes the packet to these bytes and decodes them again. Fields that follow from others are those of the bytes.
fn stands_for(packet: &Packet, link: Link, frame: &str) {
    assert_eq!(packet.encode().unwrap(), bytes(frame));
    assert_eq!(decoded(link, &bytes(frame)), packet.completed().unwrap());
}
