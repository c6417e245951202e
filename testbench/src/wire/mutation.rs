//! The mutation of a legal packet on its way.
use super::draw::Draw;
use super::framing::Framing;
use super::legal;
use super::repair::{repair, Repair};
use hca_golden::wire::header::Unencodable;
use hca_golden::wire::packet::{Packet, Route};
use std::fmt;

/// The kinds of mutation. All but the first two and `Padding` are followed by a [`Repair`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nothing,
    /// Sets fields that a receiver ignores.
    Ignored,
    /// Adds Ethernet padding up to 60 bytes, and at times beyond.
    Padding,
    Flips,
    Truncation,
    Extension,
    /// Changes PktLen, PayLen, IP length or UDP length.
    Length,
    PadCount,
    Opcode,
    /// Changes LVer, TVer or the IP version.
    Version,
    /// Changes DLID, DGID or destination MAC.
    Address,
    /// Changes LNH, NxtHdr, EtherType, IHL, fragments, protocol or port.
    Network,
    /// Makes the payload longer than the largest PMTU, at times than any length.
    Oversize,
    /// Keeps the first bytes of the packet, or sends arbitrary ones. All lengths come in turn.
    Runt,
}

use Kind::*;

/// Kinds that may come on top of another, so that the order of the checks is tested.
const BESIDES: [Kind; 6] = [Length, PadCount, Opcode, Version, Address, Network];

/// All kinds but runts, each as often as it is drawn.
const KINDS: [Kind; 23] = [
    Nothing, Nothing, Nothing, Nothing, Nothing, Ignored, Ignored, Ignored, Padding, Flips, Flips, Flips,
    Truncation, Extension, Length, Length, PadCount, Opcode, Opcode, Version, Address, Network, Oversize,
];

/// Repairs, each as often as it is drawn. The checks of the transport are reached only with a correct ICRC.
const REPAIRS: [Repair; 4] = [Repair::Nothing, Repair::Link, Repair::All, Repair::All];

/// Opcodes whose headers are long: RETH, AtomicETH, DETH and combinations of them.
const LONG_HEADERS: [u8; 6] = [0x0B, 0x14, 0x2A, 0x4B, 0x54, 0x65];

/// One case in this many is a runt. Runts are shorter than a given number of bytes, and all lengths come in turn.
const RUNT_EVERY: u64 = 8;
const RUNT_BYTES: u64 = 110;

/// A frame as it arrives.
pub struct Mutant {
    pub frame: Vec<u8>,
    kind: Kind,
    /// A mutation made before.
    besides: Option<Kind>,
    repair: Repair,
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mutation {:?}", self.kind)?;
        if let Some(besides) = self.besides {
            write!(f, " and {besides:?}")?;
        }
        write!(f, ", made good {:?}", self.repair)
    }
}

impl Mutant {
    /// Draws the mutation of a packet.
    pub fn of(
        draw: &mut Draw,
        number: u64,
        framing: Framing,
        packet: &Packet,
    ) -> Result<Mutant, Unencodable> {
        let kind = match number % RUNT_EVERY {
            0 => Runt,
            _ => draw.one_of(&KINDS),
        };
        let frame = match kind {
            Ignored => legal::with_ignored(draw, packet.clone()).encode()?,
            Oversize => oversize(draw, packet)?,
            Padding => {
                let mut empty = packet.clone();
                empty.payload.clear();
                empty.encode()?
            }
            // Headers that do not fit need few bytes behind them, and pad that does not fit needs none.
            Opcode | PadCount if draw.below(4) > 0 => {
                let mut short = packet.clone();
                short
                    .payload
                    .truncate(if kind == Opcode { draw.below(6) } else { 0 });
                short.encode()?
            }
            _ => packet.encode()?,
        };
        let mut mutant = Mutant {
            frame,
            kind,
            besides: match kind {
                Nothing | Ignored | Padding => None,
                _ => (draw.below(4) == 0).then(|| draw.one_of(&BESIDES)),
            },
            repair: match kind {
                Nothing | Ignored | Padding => Repair::Nothing,
                _ => draw.one_of(&REPAIRS),
            },
        };
        let places = Places::of(packet);
        if let Some(besides) = mutant.besides {
            mutant.change(besides, draw, number, &places);
        }
        mutant.change(kind, draw, number, &places);
        repair(framing.link(), &mut mutant.frame, mutant.repair);
        Ok(mutant)
    }

    fn change(&mut self, kind: Kind, draw: &mut Draw, number: u64, at: &Places) {
        let frame = &mut self.frame;
        match kind {
            Nothing | Ignored | Oversize => {}
            Padding => {
                if !at.native && frame.len() <= 60 {
                    let pad = 60 - frame.len() + draw.one_of(&[0, 0, 0, 1]);
                    frame.extend(draw.bytes(pad));
                }
            }
            Flips => {
                for _ in 0..1 + draw.below(3) {
                    // Headers are chosen more often than payload.
                    let end = if draw.flag() { at.bth + 12 } else { frame.len() };
                    let byte = draw.below(end.min(frame.len()));
                    frame[byte] ^= 1 << draw.below(8);
                }
            }
            Truncation => frame.truncate(draw.below(frame.len())),
            Extension => {
                let more = 1 + draw.below(72);
                frame.extend(draw.bytes(more));
            }
            Length => {
                let (byte, bits) = draw.one_of(at.lengths);
                let value = u16::from_be_bytes([frame[byte], frame[byte + 1]]);
                let mask = u16::MAX >> (16 - bits);
                let forged = match draw.below(4) {
                    0 => draw.bits(16) as u16,
                    1 => value.wrapping_add(4),
                    2 => value.wrapping_sub(4),
                    _ => value.wrapping_add(draw.below(9) as u16).wrapping_sub(4),
                };
                let forged = value & !mask | forged & mask;
                frame[byte..byte + 2].copy_from_slice(&forged.to_be_bytes());
            }
            PadCount => frame[at.bth + 1] ^= (1 + draw.below(3) as u8) << 4,
            Opcode => {
                frame[at.bth] = match draw.flag() {
                    true => draw.bits(8) as u8,
                    false => draw.one_of(&LONG_HEADERS),
                }
            }
            Version => {
                let (byte, shift) = draw.one_of(at.versions);
                frame[byte] ^= (1 + draw.below(15) as u8) << shift;
            }
            Address => {
                let (byte, length) = draw.one_of(at.addresses);
                match draw.below(4) {
                    0 => frame[byte..byte + length].fill(0xFF),
                    1 => frame[byte..byte + length].fill(0),
                    _ => frame[byte + draw.below(length)] ^= 1 << draw.below(8),
                }
            }
            Network => {
                let (byte, mask) = draw.one_of(at.network);
                let flipped = mask & draw.bits(8) as u8;
                frame[byte] ^= if flipped == 0 { mask } else { flipped };
            }
            Runt => {
                let length = (number / RUNT_EVERY % RUNT_BYTES) as usize;
                let rest = length.saturating_sub(frame.len());
                frame.truncate(length);
                frame.extend(draw.bytes(rest));
                if draw.flag() {
                    *frame = draw.bytes(length);
                }
            }
        }
    }
}

/// Returns the packet with a payload that no PMTU allows, at times longer than any packet.
fn oversize(draw: &mut Draw, packet: &Packet) -> Result<Vec<u8>, Unencodable> {
    let length = 4097 + draw.below(100);
    let payload = draw.bytes(length);
    let mut frame = Packet {
        payload,
        ..packet.clone()
    }
    .encode()?;
    if draw.below(4) == 0 {
        let more = 4 * draw.below(1200);
        frame.extend(draw.bytes(more));
    }
    Ok(frame)
}

/// The places of fields in a frame.
struct Places {
    native: bool,
    bth: usize,
    /// First byte of a 16-bit word, and number of bits at its low end that are the length.
    lengths: &'static [(usize, u32)],
    /// Byte, and the bit at which the 4 bits of the version begin.
    versions: &'static [(usize, u32)],
    /// First byte and length of an address.
    addresses: &'static [(usize, usize)],
    /// Byte and bits of a network field.
    network: &'static [(usize, u8)],
}

impl Places {
    fn of(packet: &Packet) -> Places {
        match &packet.route {
            Route::Local(_) => Places {
                native: true,
                bth: 8,
                lengths: &[(4, 11)],
                versions: &[(0, 0), (9, 0)],
                addresses: &[(2, 2)],
                network: &[(1, 0x03)],
            },
            Route::Global(..) => Places {
                native: true,
                bth: 48,
                lengths: &[(4, 11), (12, 16)],
                versions: &[(0, 0), (8, 4), (49, 0)],
                addresses: &[(2, 2), (32, 16)],
                network: &[(1, 0x03), (14, 0xFF)],
            },
            Route::Roce(roce) if roce.bytes() == 42 => Places {
                native: false,
                bth: 42,
                lengths: &[(16, 16), (38, 16)],
                versions: &[(14, 4), (43, 0)],
                addresses: &[(0, 6), (30, 4)],
                // EtherType, IHL, MF and fragment offset, protocol, header checksum, destination port.
                network: &[
                    (12, 0xFF),
                    (13, 0xFF),
                    (14, 0x0F),
                    (20, 0x3F),
                    (21, 0xFF),
                    (23, 0xFF),
                    (25, 0xFF),
                    (36, 0xFF),
                    (37, 0xFF),
                ],
            },
            Route::Roce(_) => Places {
                native: false,
                bth: 62,
                lengths: &[(18, 16), (58, 16)],
                versions: &[(14, 4), (63, 0)],
                addresses: &[(0, 6), (38, 16)],
                // EtherType, next header, destination port.
                network: &[(12, 0xFF), (13, 0xFF), (20, 0xFF), (56, 0xFF), (57, 0xFF)],
            },
        }
    }
}
