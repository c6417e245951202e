//! What a packet has to look like, byte by byte from the protocol reference.
use hca_host::profile::Link;
use hca_sim::wire::transmit::Header;

/// An extended header (`protocol/headers.csv`).
#[derive(Clone, Copy)]
enum Eth {
    Rdeth,
    Deth,
    Reth,
    Atomic,
    Aeth,
    AtomicAck,
    ImmDt,
    Ieth,
}

/// Every opcode of RC, UC, RD and UD in `protocol/opcodes.csv` but FLUSH and ATOMIC WRITE.
pub fn opcodes() -> Vec<u8> {
    let rows = [0x00..=0x14, 0x16..=0x17, 0x20..=0x2B, 0x40..=0x55, 0x64..=0x65];
    rows.into_iter().flatten().collect()
}

/// `ext_headers_in_order` of such an opcode.
fn extended(opcode: u8) -> Vec<Eth> {
    use Eth::{Aeth, Atomic, AtomicAck, Deth, Ieth, ImmDt, Rdeth, Reth};
    let of_reliable: &[Eth] = match opcode & 0x1F {
        0x03 | 0x05 | 0x09 => &[ImmDt],
        0x06 | 0x0A | 0x0C => &[Reth],
        0x0B => &[Reth, ImmDt],
        0x0D | 0x0F | 0x10 | 0x11 => &[Aeth],
        0x12 => &[Aeth, AtomicAck],
        0x13 | 0x14 => &[Atomic],
        0x16 | 0x17 => &[Ieth],
        _ => &[],
    };
    match opcode {
        0x64 => vec![Deth],
        0x65 => vec![Deth, ImmDt],
        // A response names no queue.
        0x4D..=0x52 => [&[Rdeth], of_reliable].concat(),
        0x40..=0x55 => [&[Rdeth, Deth], of_reliable].concat(),
        _ => of_reliable.to_vec(),
    }
}

fn crc(width: u32, polynomial: u32, bytes: &[u8]) -> u32 {
    let mut register = u32::MAX >> (32 - width);
    for byte in bytes {
        register ^= u32::from(*byte);
        for _ in 0..8 {
            register = register >> 1 ^ if register & 1 == 1 { polynomial } else { 0 };
        }
    }
    !register
}

/// Wire bytes of the ICRC of what it covers.
pub fn icrc(covered: &[u8]) -> [u8; 4] {
    crc(32, 0xEDB8_8320, covered).to_le_bytes()
}

/// Wire bytes of the VCRC.
fn vcrc(bytes: &[u8]) -> [u8; 2] {
    (crc(16, 0xD008, bytes) as u16).to_le_bytes()
}

/// BTH to pad.
fn transport(h: &Header, payload: &[u8]) -> Vec<u8> {
    let pad = payload.len().next_multiple_of(4) - payload.len();
    let mut b = vec![h.opcode];
    b.push(u8::from(h.solicited) << 7 | u8::from(h.migrated) << 6 | (pad as u8) << 4);
    b.extend(h.p_key.to_be_bytes());
    b.extend(h.dest_qp.to_be_bytes());
    b.extend((u32::from(h.ack_req) << 31 | h.psn).to_be_bytes());
    for eth in extended(h.opcode) {
        match eth {
            Eth::Rdeth => b.extend(h.ee_context.to_be_bytes()),
            Eth::Deth => {
                b.extend(h.q_key.to_be_bytes());
                b.extend(h.source_qp.to_be_bytes());
            }
            Eth::Reth => {
                b.extend(h.va.to_be_bytes());
                b.extend(h.r_key.to_be_bytes());
                b.extend(h.dma_len.to_be_bytes());
            }
            Eth::Atomic => {
                b.extend(h.va.to_be_bytes());
                b.extend(h.r_key.to_be_bytes());
                b.extend(h.swap_add.to_be_bytes());
                b.extend(h.compare.to_be_bytes());
            }
            Eth::Aeth => b.extend((u32::from(h.syndrome) << 24 | h.msn).to_be_bytes()),
            Eth::AtomicAck => b.extend(h.original.to_be_bytes()),
            Eth::ImmDt => b.extend(h.immediate.to_be_bytes()),
            Eth::Ieth => b.extend(h.r_key.to_be_bytes()),
        }
    }
    b.extend(payload);
    b.resize(b.len() + pad, 0);
    b
}

/// Version 6, TClass and FlowLabel of a GRH or of IPv6.
fn version_word(h: &Header) -> [u8; 4] {
    (6 << 28 | u32::from(h.traffic_class) << 20 | h.flow_label).to_be_bytes()
}

/// The whole packet.
pub fn packet(link: Link, header: &Header, payload: &[u8]) -> Vec<u8> {
    let transport = transport(header, payload);
    match link {
        Link::InfiniBand => native(header, transport),
        Link::Roce => roce(header, &transport),
    }
}

fn native(h: &Header, transport: Vec<u8>) -> Vec<u8> {
    let words = (8 + if h.has_grh { 40 } else { 0 } + transport.len() + 4) / 4;
    let mut b = vec![h.vl << 4, h.sl << 4 | 2 | u8::from(h.has_grh)];
    b.extend(h.dlid.to_be_bytes());
    b.extend((words as u16).to_be_bytes());
    b.extend(h.slid.to_be_bytes());
    if h.has_grh {
        b.extend(version_word(h));
        b.extend((transport.len() as u16 + 4).to_be_bytes());
        b.extend([0x1B, h.hop_limit]);
        b.extend(h.sgid);
        b.extend(h.dgid);
    }
    let bth = b.len();
    b.extend(transport);

    let mut covered = b.clone();
    if h.has_grh {
        covered[..8].fill(0xFF);
        covered[8] |= 0x0F;
        covered[9..12].fill(0xFF);
        covered[15] = 0xFF;
    } else {
        covered[0] |= 0xF0;
    }
    covered[bth + 4] = 0xFF;
    b.extend(icrc(&covered));
    b.extend(vcrc(&b));
    b
}

/// The checksum that an IPv4 header with a zero in its place needs.
fn checksum(header: &[u8]) -> u16 {
    let words = header
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]));
    let mut sum: u32 = words.sum();
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

fn roce(h: &Header, transport: &[u8]) -> Vec<u8> {
    let udp_length = 8 + transport.len() as u16 + 4;
    let mut ethernet = [h.dest_mac, h.source_mac].concat();
    let mut ip = vec![];
    if h.ipv4 {
        ethernet.extend([0x08, 0x00]);
        ip.extend([0x45, h.traffic_class]);
        ip.extend((20 + udp_length).to_be_bytes());
        ip.extend([0, 0, 0x40, 0, h.hop_limit, 17, 0, 0]);
        ip.extend(&h.sgid[12..]);
        ip.extend(&h.dgid[12..]);
        let sum = checksum(&ip);
        ip[10..12].copy_from_slice(&sum.to_be_bytes());
    } else {
        ethernet.extend([0x86, 0xDD]);
        ip.extend(version_word(h));
        ip.extend(udp_length.to_be_bytes());
        ip.extend([17, h.hop_limit]);
        ip.extend(h.sgid);
        ip.extend(h.dgid);
    }
    let udp = ip.len();
    let mut b = ip;
    b.extend(h.source_port.to_be_bytes());
    b.extend(4791u16.to_be_bytes());
    b.extend(udp_length.to_be_bytes());
    b.extend([0, 0]);
    b.extend(transport);

    let mut covered = vec![0xFF; 8];
    covered.extend(&b);
    let ip = &mut covered[8..];
    if h.ipv4 {
        ip[1] = 0xFF;
        ip[8] = 0xFF;
        ip[10..12].fill(0xFF);
    } else {
        ip[0] |= 0x0F;
        ip[1..4].fill(0xFF);
        ip[7] = 0xFF;
    }
    ip[udp + 6..udp + 8].fill(0xFF);
    ip[udp + 12] = 0xFF;
    b.extend(icrc(&covered));
    [ethernet, b].concat()
}
