//! Draws parts of a request and of the message that is under way, for both kinds of connection.
use crate::decision::limits;
use crate::wire::draw::Draw;
use hca_golden::decision::responder::Open;
use hca_golden::psn;
use hca_golden::verbs::Pmtu;
use hca_golden::wire::length::MAX_PAYLOAD_BYTES;
use hca_golden::wire::opcode::Opcode;
use hca_golden::wire::reth::Reth;
use hca_host::retire::drop;

/// Draws no message, or a message of some packets, which is about to end almost as often as not.
pub fn open(draw: &mut Draw, pmtu: Pmtu) -> Option<Open> {
    let full = pmtu.bytes() as u64;
    let received = full
        * match draw.below(8) {
            0 => (1 << 31) / full - draw.below(3) as u64,
            1 => u64::from(u32::MAX) / full - draw.below(3) as u64,
            _ => 1 + u64::from(draw.bits(4)),
        };
    match draw.below(3) {
        0 => None,
        1 => Some(Open::Send { received }),
        _ => {
            let received = received.min((1 << 31) - full * draw.below(2) as u64);
            let left = left(draw, full).min((1 << 31) - received);
            let target = Reth {
                va: limits::address(draw),
                r_key: draw.bits(32),
                dma_len: (received + left) as u32,
            };
            Some(Open::Write { target, received })
        }
    }
}

/// Draws a number of bytes near the length of a packet.
pub fn left(draw: &mut Draw, full: u64) -> u64 {
    match draw.below(8) {
        0 => 0,
        1 => 1,
        2 => full - 1,
        3 => full,
        4 => full + 1,
        5 => u64::from(draw.bits(31)),
        _ => 1 + draw.below(full as usize) as u64,
    }
}

/// Draws a PSN: mostly the expected one, else one near it or near the far end.
pub fn near(draw: &mut Draw, expected: u32) -> u32 {
    match draw.below(16) {
        0..=10 => expected,
        11 => psn::add(expected, 1 + draw.bits(2)),
        12 => psn::subtract(expected, 1 + draw.bits(2)),
        13 => psn::add(expected, limits::HALF - 2 + draw.bits(2)),
        14 => psn::subtract(expected, draw.bits(23)),
        _ => psn::add(expected, draw.bits(24)),
    }
}

/// Draws a payload length, mostly the one that place and message require.
pub fn length(draw: &mut Draw, opcode: Option<&Opcode>, pmtu: usize, left: u64) -> usize {
    let legal = match opcode {
        Some(o) if !o.has_payload() => 0,
        Some(o) if !o.ends() => pmtu,
        _ => left.min(pmtu as u64) as usize,
    };
    let length = match draw.below(16) {
        0 => 0,
        1 => pmtu,
        2 => pmtu + 1,
        3 => draw.below(MAX_PAYLOAD_BYTES + 1),
        4 => legal + 1,
        5 => legal.saturating_sub(1),
        _ => legal,
    };
    length.min(MAX_PAYLOAD_BYTES)
}

/// Draws, seldom, a reason for which admission has refused the request.
pub fn refused(draw: &mut Draw) -> Option<u8> {
    draw.percent(4).then(|| {
        draw.one_of(&[
            drop::OPCODE,
            drop::DEST_QP,
            drop::QP_STATE,
            drop::SOURCE,
            drop::P_KEY,
        ])
    })
}
