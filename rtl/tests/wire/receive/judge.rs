//! What the port makes of any bytes: the fields, or the first reason to drop them.
use super::crc::{frame_icrc, native_icrc, vcrc};
use super::packet::{ipv4_sum, PORT};
use hca_sim::wire::receive::Header;

/// Codes of the retire port.
pub mod reason {
    pub const VCRC: u8 = 1;
    pub const ICRC: u8 = 2;
    pub const LINK_VERSION: u8 = 3;
    pub const LENGTH: u8 = 4;
    pub const NETWORK_HEADER: u8 = 5;
    pub const TRANSPORT_VERSION: u8 = 6;
    pub const OPCODE: u8 = 7;
    pub const HEADER_INCOMPLETE: u8 = 8;
    pub const DLID: u8 = 9;
    pub const GRH: u8 = 19;
    pub const DGID: u8 = 20;
    pub const PAD_COUNT: u8 = 21;
    pub const PAYLOAD_LENGTH: u8 = 22;
    pub const VL: u8 = 32;
    pub const VL15: u8 = 33;
    pub const PORT_STATE: u8 = 34;
    pub const OVERRUN: u8 = 35;
}

pub type Verdict = Result<(Header, Vec<u8>), u8>;

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn check(holds: bool, reason: u8) -> Result<(), u8> {
    if holds {
        Ok(())
    } else {
        Err(reason)
    }
}

/// A native packet at the bench's port; every check in its order.
pub fn native(b: &[u8]) -> Verdict {
    let n = b.len();
    check(n % 4 == 2 && n >= 22, reason::LENGTH)?;
    check(vcrc(&b[..n - 2]) == b[n - 2..], reason::VCRC)?;
    check(b[0] & 15 == 0, reason::LINK_VERSION)?;
    let words = (n - 2) / 4;
    let lnh = b[1] & 3;
    let least = [5, 5, 6, 16][usize::from(lnh)];
    let length = number(&b[4..6]) as usize & 0x7FF;
    check(length == words && words <= 1055 && words >= least, reason::LENGTH)?;
    let dlid = number(&b[2..4]) as u16;
    let slid = number(&b[6..8]) as u16;
    let ours = PORT.lid..PORT.lid + (1 << PORT.lmc);
    // Multicast is checked behind the link (ud.md section 4).
    let group = (0xC000..0xFFFF).contains(&dlid);
    let management = b[0] >> 4 == 15;
    check(dlid != 0, reason::DLID)?;
    check(b[0] >> 4 < PORT.data_vls || (management && !group), reason::VL)?;
    check(!management || lnh == 2, reason::VL15)?;
    let neighbour = management && dlid == 0xFFFF;
    check(ours.contains(&dlid) || group || neighbour, reason::DLID)?;
    check(lnh >= 2, reason::NETWORK_HEADER)?;
    let mut header = Header {
        dlid,
        slid,
        sl: b[1] >> 4,
        ..Header::default()
    };
    let mut start = 8;
    if lnh == 3 {
        check(b[8] >> 4 == 6 && b[14] == 0x1B, reason::GRH)?;
        check(number(&b[12..14]) as usize == n - 2 - 48, reason::LENGTH)?;
        check(is_ours(&b[32..48]) || group, reason::DGID)?;
        network(&mut header, &b[8..48]);
        start = 48;
    }
    check(native_icrc(&b[..n - 6]) == b[n - 6..n - 2], reason::ICRC)?;
    let verdict = transport(header, &b[start..n - 6])?;
    let (header, payload) = &verdict;
    check(management == (header.dest_qp == 0), reason::VL15)?;
    let smp = header.dest_qp == 0 && header.opcode == 0x64 && payload.len() == 256;
    let directed = smp && payload[1] == 0x81;
    let permissive = [slid, dlid].contains(&0xFFFF);
    check(!smp || directed || !permissive, reason::DLID)?;
    Ok(verdict)
}

/// One of the GIDs of the bench's port: one prefix, and a GUID that is not 0 but in the first.
fn is_ours(gid: &[u8]) -> bool {
    let (prefix, guid) = gid.split_at(8);
    let others = PORT.guids.iter().filter(|&&other| other != 0);
    gid == PORT.gid || prefix == &PORT.gid[..8] && others.into_iter().any(|other| other.to_be_bytes() == guid)
}

/// An Ethernet frame at the bench's port.
pub fn frame(b: &[u8]) -> Verdict {
    let n = b.len();
    check(n >= 58, reason::LENGTH)?;
    let group = b[..3] == [0x01, 0x00, 0x5E] || b[..2] == [0x33, 0x33];
    check(b[..6] == PORT.mac || group, reason::DLID)?;
    let kind = number(&b[12..14]);
    check(kind == 0x0800 || kind == 0x86DD, reason::NETWORK_HEADER)?;
    let (udp, next, claimed) = if kind == 0x0800 {
        let whole = number(&b[20..22]) & 0x3FFF == 0;
        check(
            b[14] == 0x45 && whole && ipv4_sum(&b[14..34]) == 0xFFFF,
            reason::GRH,
        )?;
        (34, b[23], number(&b[16..18]) as usize)
    } else {
        check(b[14] >> 4 == 6, reason::GRH)?;
        (54, b[20], number(&b[18..20]) as usize + 20)
    };
    check(
        next == 17 && number(&b[udp + 2..udp + 4]) == 4791,
        reason::NETWORK_HEADER,
    )?;
    check(n >= udp + 8, reason::LENGTH)?;
    let length = number(&b[udp + 4..udp + 6]) as usize;
    let end = udp + length;
    check(claimed == length + 20, reason::LENGTH)?;
    check(
        length.is_multiple_of(4) && (24..=4180).contains(&length),
        reason::LENGTH,
    )?;
    check(n == end || (n == 60 && end < 60), reason::LENGTH)?;
    let mut header = Header {
        source_mac: b[6..12].try_into().expect("six bytes"),
        source_port: number(&b[udp..udp + 2]) as u16,
        ..Header::default()
    };
    if kind == 0x0800 {
        check(mapped(&b[30..34]) == PORT.gid || group, reason::DGID)?;
        header.has_grh = true;
        header.ipv4 = true;
        header.traffic_class = b[15];
        header.hop_limit = b[22];
        header.sgid = mapped(&b[26..30]);
        header.dgid = mapped(&b[30..34]);
    } else {
        check(b[38..54] == PORT.gid || group, reason::DGID)?;
        network(&mut header, &b[14..54]);
    }
    check(frame_icrc(&b[..end - 4]) == b[end - 4..end], reason::ICRC)?;
    transport(header, &b[udp + 8..end - 4])
}

/// The GID of an IPv4 address.
fn mapped(address: &[u8]) -> [u8; 16] {
    let mut gid = [0; 16];
    gid[10..12].fill(0xFF);
    gid[12..].copy_from_slice(address);
    gid
}

/// Of a GRH or IPv6 header.
fn network(header: &mut Header, b: &[u8]) {
    header.has_grh = true;
    header.traffic_class = (number(&b[0..2]) >> 4) as u8;
    header.flow_label = number(&b[1..4]) as u32 & 0xF_FFFF;
    header.hop_limit = b[7];
    header.sgid = b[8..24].try_into().expect("sixteen bytes");
    header.dgid = b[24..40].try_into().expect("sixteen bytes");
}

/// From the BTH to the pad.
fn transport(mut header: Header, b: &[u8]) -> Verdict {
    check(b[1] & 15 == 0, reason::TRANSPORT_VERSION)?;
    let row = extended(b[0]).ok_or(reason::OPCODE)?;
    let start = 12 + row.iter().map(|h| h.bytes()).sum::<usize>();
    check(b.len() >= start, reason::HEADER_INCOMPLETE)?;
    let pad = usize::from(b[1] >> 4 & 3);
    check(b.len() >= start + pad, reason::PAD_COUNT)?;
    let payload = &b[start..b.len() - pad];
    check(payload.len() <= 4096, reason::PAYLOAD_LENGTH)?;
    header.opcode = b[0];
    header.solicited = b[1] & 0x80 != 0;
    header.migrated = b[1] & 0x40 != 0;
    header.p_key = number(&b[2..4]) as u16;
    header.fecn = b[4] & 0x80 != 0;
    header.becn = b[4] & 0x40 != 0;
    header.dest_qp = number(&b[5..8]) as u32;
    header.ack_req = b[8] & 0x80 != 0;
    header.psn = number(&b[9..12]) as u32;
    let mut at = 12;
    for extension in row {
        let h = &b[at..at + extension.bytes()];
        at += h.len();
        match extension {
            Extended::Rdeth => header.ee_context = number(&h[1..4]) as u32,
            Extended::Deth => {
                header.q_key = number(&h[0..4]) as u32;
                header.source_qp = number(&h[5..8]) as u32;
            }
            Extended::Reth => {
                header.va = number(&h[0..8]);
                header.r_key = number(&h[8..12]) as u32;
                header.dma_len = number(&h[12..16]) as u32;
            }
            Extended::Atomic => {
                header.va = number(&h[0..8]);
                header.r_key = number(&h[8..12]) as u32;
                header.swap_add = number(&h[12..20]);
                header.compare = number(&h[20..28]);
            }
            Extended::Aeth => {
                header.syndrome = h[0];
                header.msn = number(&h[1..4]) as u32;
            }
            Extended::AtomicAck => header.original = number(h),
            Extended::Immediate => header.immediate = number(h) as u32,
            Extended::Ieth => header.r_key = number(h) as u32,
        }
    }
    header.payload = payload.len() as u16;
    Ok((header, payload.to_vec()))
}

/// Headers behind the BTH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extended {
    Rdeth,
    Deth,
    Reth,
    Atomic,
    Aeth,
    AtomicAck,
    Immediate,
    Ieth,
}

impl Extended {
    pub fn bytes(self) -> usize {
        match self {
            Extended::Rdeth | Extended::Aeth | Extended::Immediate | Extended::Ieth => 4,
            Extended::Deth | Extended::AtomicAck => 8,
            Extended::Reth => 16,
            Extended::Atomic => 28,
        }
    }
}

/// The opcode's row, none if the port has no receiver for it (headers.md sections 2 and 6).
pub fn extended(opcode: u8) -> Option<Vec<Extended>> {
    use Extended::{Aeth, Atomic, AtomicAck, Deth, Ieth, Immediate, Rdeth, Reth};
    let row = match opcode & 0x1F {
        0x03 | 0x05 | 0x09 => vec![Immediate],
        0x06 | 0x0A | 0x0C => vec![Reth],
        0x0B => vec![Reth, Immediate],
        0x0D | 0x0F | 0x10 | 0x11 => vec![Aeth],
        0x12 => vec![Aeth, AtomicAck],
        0x13 | 0x14 => vec![Atomic],
        0x16 | 0x17 if opcode < 0x20 => vec![Ieth],
        _ => vec![],
    };
    let front = match opcode {
        0x00..=0x2B => vec![],
        0x4D..=0x52 => vec![Rdeth],
        0x40..=0x55 => vec![Rdeth, Deth],
        0x64 => return Some(vec![Deth]),
        0x65 => return Some(vec![Deth, Immediate]),
        _ => return None,
    };
    Some([front, row].concat())
}

/// Of every opcode in turn, which ones the port has a receiver for.
pub fn known_opcodes() -> Vec<u8> {
    (0..=255).filter(|opcode| extended(*opcode).is_some()).collect()
}
