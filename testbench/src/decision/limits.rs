//! Values near the limits of their fields.
use crate::wire::draw::Draw;
use hca_golden::psn;
use hca_golden::verbs::Pmtu;
use hca_golden::wire::length::MAX_MESSAGE_BYTES;

/// Half of the PSN space. The farthest PSN that is still ahead is one less.
pub const HALF: u32 = 1 << 23;

pub fn pmtu(draw: &mut Draw) -> Pmtu {
    draw.one_of(&[Pmtu::B256, Pmtu::B512, Pmtu::B1024, Pmtu::B2048, Pmtu::B4096])
}

/// Draws a PSN, often near the wrap, or where bit 23 changes.
pub fn psn(draw: &mut Draw) -> u32 {
    let near = draw.below(8) as u32;
    match draw.below(4) {
        0 => psn::subtract(0, near),
        1 => near,
        2 => psn::subtract(HALF, near),
        _ => draw.bits(24),
    }
}

/// Draws an address, sometimes within 8 KB of 2^64.
pub fn address(draw: &mut Draw) -> u64 {
    match draw.below(4) {
        0 => u64::from(draw.bits(13)).wrapping_neg(),
        1 => u64::from(draw.bits(13)),
        _ => draw.word(),
    }
}

/// Draws the length of a message in bytes, sometimes a little above the limit.
pub fn message_length(draw: &mut Draw, pmtu: Pmtu) -> u32 {
    let full = pmtu.bytes() as u32;
    match draw.below(16) {
        0 => 0,
        1..=2 => draw.bits(4),
        3..=8 => full * (1 + draw.bits(2)) + draw.below(3) as u32 - 1,
        9..=12 => draw.bits(14),
        13 => MAX_MESSAGE_BYTES as u32 - draw.below(2) as u32,
        14 => MAX_MESSAGE_BYTES as u32 + draw.bits(13),
        _ => draw.bits(31),
    }
}
