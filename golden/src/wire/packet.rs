//! A whole native packet: bytes to fields and back.
use super::aeth::Aeth;
use super::bth::Bth;
use super::crc::{icrc, vcrc, ICRC_BYTES, VCRC_BYTES};
use super::extension::Extension;
use super::length::{self, MAX_PACKET_BYTES};
use super::lrh::{Lrh, LNH_LOCAL};
use super::opcode::Opcode;
use crate::event::DropReason;
use thiserror::Error;

/// A local IBA packet. Both CRCs are implied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub lrh: Lrh,
    pub bth: Bth,
    /// In the order of the wire.
    pub extensions: Vec<Extension>,
    /// Without pad.
    pub payload: Vec<u8>,
}

/// Why bytes are no packet (`responder.md` section 1, steps 1 to 4; all but the DLID, which is the port's matter).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Malformed {
    #[error("{0} bytes are no packet: 26 at least, whole words and a VCRC, 4222 at most")]
    Size(usize),
    #[error("VCRC is {received:02X?}, computed {computed:02X?}")]
    Vcrc { received: [u8; 2], computed: [u8; 2] },
    #[error("LVer is {0}, not 0")]
    LinkVersion(u8),
    #[error("PktLen is {pkt_len} words, {received} words came")]
    Length { pkt_len: usize, received: usize },
    #[error("LNH {0:02b} is not local")]
    NetworkHeader(u8),
    #[error("ICRC is {received:02X?}, computed {computed:02X?}")]
    Icrc { received: [u8; 4], computed: [u8; 4] },
    #[error("TVer is {0}, not 0")]
    TransportVersion(u8),
    #[error("opcode {opcode:02X}h and its pad need {needed} bytes before the ICRC, {present} came")]
    HeaderIncomplete {
        opcode: u8,
        needed: usize,
        present: usize,
    },
}

impl Malformed {
    /// The reason that a device counts.
    pub fn reason(&self) -> DropReason {
        match self {
            Malformed::Size(_) | Malformed::Length { .. } => DropReason::Length,
            Malformed::Vcrc { .. } => DropReason::Vcrc,
            Malformed::LinkVersion(_) => DropReason::LinkVersion,
            Malformed::NetworkHeader(_) => DropReason::NetworkHeader,
            Malformed::Icrc { .. } => DropReason::Icrc,
            Malformed::TransportVersion(_) => DropReason::TransportVersion,
            Malformed::HeaderIncomplete { .. } => DropReason::HeaderIncomplete,
        }
    }
}

impl Packet {
    /// Reads a packet, first LRH byte to last VCRC byte.
    pub fn decode(bytes: &[u8]) -> Result<Packet, Malformed> {
        check_link(bytes)?;
        Packet::decode_transport(bytes)
    }

    /// Reads a packet that [`check_link`] found sound.
    pub fn decode_transport(bytes: &[u8]) -> Result<Packet, Malformed> {
        let (lrh, rest) = split_header(bytes)?;
        let lrh = Lrh::parse(lrh);
        if lrh.lnh != LNH_LOCAL {
            return Err(Malformed::NetworkHeader(lrh.lnh));
        }
        let (bth, rest) = split_header(rest)?;
        let bth = Bth::parse(bth);
        let (rest, crcs) = rest
            .split_last_chunk::<{ ICRC_BYTES + VCRC_BYTES }>()
            .ok_or(Malformed::Size(bytes.len()))?;
        let covered = &bytes[..bytes.len() - crcs.len()];
        let [i0, i1, i2, i3, ..] = *crcs;
        let (received, computed) = ([i0, i1, i2, i3], icrc(covered));
        if received != computed {
            return Err(Malformed::Icrc { received, computed });
        }
        if bth.tver != 0 {
            return Err(Malformed::TransportVersion(bth.tver));
        }
        let (extensions, payload) = match Opcode::of(bth.opcode) {
            Some(opcode) => split_extensions(opcode, &bth, rest).ok_or(Malformed::HeaderIncomplete {
                opcode: bth.opcode,
                needed: Lrh::BYTES + Bth::BYTES + opcode.header_bytes() + usize::from(bth.pad_cnt),
                present: covered.len(),
            })?,
            None => (Vec::new(), rest),
        };
        Ok(Packet {
            lrh,
            bth,
            extensions,
            payload: payload.to_vec(),
        })
    }

    /// The packet's bytes, both CRCs included. LNH, PktLen and PadCnt are set from what the packet holds.
    ///
    /// Payloads above 4096 bytes have no PktLen; it then wraps.
    pub fn encode(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(MAX_PACKET_BYTES);
        for extension in &self.extensions {
            extension.emit(&mut body);
        }
        body.extend(&self.payload);
        let pad = length::pad(self.payload.len());
        body.resize(body.len() + pad, 0);

        let size = Lrh::BYTES + Bth::BYTES + body.len() + ICRC_BYTES + VCRC_BYTES;
        let lrh = Lrh {
            lnh: LNH_LOCAL,
            pkt_len: length::pkt_len(size) as u16,
            ..self.lrh
        };
        let bth = Bth {
            pad_cnt: pad as u8,
            ..self.bth
        };
        let mut bytes = Vec::with_capacity(size);
        bytes.extend(lrh.emit());
        bytes.extend(bth.emit());
        bytes.append(&mut body);
        bytes.extend(icrc(&bytes));
        bytes.extend(vcrc(&bytes));
        bytes
    }

    /// The AETH, if the packet has one.
    pub fn aeth(&self) -> Option<Aeth> {
        self.extensions.iter().find_map(|e| match e {
            Extension::Aeth(h) => Some(*h),
            _ => None,
        })
    }

    /// Immediate data, if the packet has some.
    pub fn immediate(&self) -> Option<[u8; 4]> {
        self.extensions.iter().find_map(|e| match e {
            Extension::ImmDt(h) => Some(h.0),
            _ => None,
        })
    }

    /// The opcode's row; none if it has none.
    pub fn opcode(&self) -> Option<&'static Opcode> {
        Opcode::of(self.bth.opcode)
    }
}

/// Step 1: what the link checks, in its order; the LRH if all is well.
pub fn check_link(bytes: &[u8]) -> Result<Lrh, Malformed> {
    if !length::is_whole(bytes.len()) {
        return Err(Malformed::Size(bytes.len()));
    }
    let (lrh, _) = split_header(bytes)?;
    let lrh = Lrh::parse(lrh);
    let (covered, received) = bytes
        .split_last_chunk::<VCRC_BYTES>()
        .ok_or(Malformed::Size(bytes.len()))?;
    let (received, computed) = (*received, vcrc(covered));
    if received != computed {
        return Err(Malformed::Vcrc { received, computed });
    }
    if lrh.lver != 0 {
        return Err(Malformed::LinkVersion(lrh.lver));
    }
    let (pkt_len, received) = (usize::from(lrh.pkt_len), length::pkt_len(bytes.len()));
    if pkt_len != received {
        return Err(Malformed::Length { pkt_len, received });
    }
    if bytes.len() > MAX_PACKET_BYTES {
        return Err(Malformed::Size(bytes.len()));
    }
    Ok(lrh)
}

fn split_header<const N: usize>(bytes: &[u8]) -> Result<(&[u8; N], &[u8]), Malformed> {
    bytes.split_first_chunk().ok_or(Malformed::Size(bytes.len()))
}

/// Extended headers and payload; none if they and the pad do not fit.
fn split_extensions<'a>(
    opcode: &Opcode,
    bth: &Bth,
    mut rest: &'a [u8],
) -> Option<(Vec<Extension>, &'a [u8])> {
    let mut extensions = Vec::with_capacity(opcode.headers.len());
    for &kind in opcode.headers {
        let (bytes, after) = rest.split_at_checked(kind.bytes())?;
        extensions.push(Extension::parse(kind, bytes)?);
        rest = after;
    }
    let payload = rest.len().checked_sub(bth.pad_cnt.into())?;
    Some((extensions, &rest[..payload]))
}

#[cfg(test)]
#[path = "packet_tests.rs"]
mod tests;
