//! Packets of link type 247: from the LRH on, with both CRCs, with the ICRC alone, or with none.
use hca_golden::wire::crc::{icrc, vcrc, ICRC_BYTES, VCRC_BYTES};

const LRH_BYTES: usize = 8;
const PKT_LEN: u16 = 0x07FF;
/// LNH bit, in the LRH's second byte, that is set if the packet has a BTH.
const IBA: u8 = 0b10;

/// Appends the CRCs that the file leaves out, if the rest of the packet is there. Returns their number of bytes.
pub fn complete(packet: &mut Vec<u8>, wire_length: usize) -> usize {
    let Some(header) = packet.first_chunk::<LRH_BYTES>().copied() else {
        return 0;
    };
    // PktLen counts the words up to the end of the ICRC (`headers.md` section 3).
    let words = u16::from_be_bytes([header[4], header[5]]) & PKT_LEN;
    let whole = usize::from(words) * 4;
    if packet.len() < wire_length || whole < LRH_BYTES + ICRC_BYTES {
        return 0;
    }
    let is_iba = header[1] & IBA != 0;
    let made = match whole.checked_sub(packet.len()) {
        Some(0) => VCRC_BYTES,
        Some(ICRC_BYTES) if is_iba => ICRC_BYTES + VCRC_BYTES,
        _ => return 0,
    };
    if made > VCRC_BYTES {
        packet.extend(icrc(packet));
    }
    packet.extend(vcrc(packet));
    made
}
