//! Packets as the protocol reference has them, bit by bit, independent of the blocks under test.

/// Codes of the retire port.
pub mod reason {
    pub const VCRC: u64 = 1;
    pub const ICRC: u64 = 2;
    pub const LINK_VERSION: u64 = 3;
    pub const LENGTH: u64 = 4;
    pub const NETWORK_HEADER: u64 = 5;
    pub const TRANSPORT_VERSION: u64 = 6;
    pub const HEADER_INCOMPLETE: u64 = 8;
    pub const DLID: u64 = 9;
}

pub const PORT_LID: u16 = 0x1230;
pub const PORT_LMC: u8 = 2;

fn crc(width: u32, polynomial: u32, bytes: impl Iterator<Item = u8>) -> u32 {
    let mut register = u32::MAX >> (32 - width);
    for byte in bytes {
        for bit in 0..8 {
            let feedback = register & 1 ^ u32::from(byte >> bit & 1);
            register >>= 1;
            if feedback == 1 {
                register ^= polynomial;
            }
        }
    }
    !register
}

/// Wire bytes of the ICRC of a local packet's bytes up to the pad.
pub fn icrc(bytes: &[u8]) -> [u8; 4] {
    let masked = bytes.iter().enumerate().map(|(i, b)| match i {
        0 => b | 0xF0,
        12 => 0xFF,
        _ => *b,
    });
    crc(32, 0xEDB8_8320, masked).to_le_bytes()
}

/// Wire bytes of the VCRC of a packet's bytes up to the ICRC.
pub fn vcrc(bytes: &[u8]) -> [u8; 2] {
    (crc(16, 0xD008, bytes.iter().copied()) as u16).to_le_bytes()
}

/// A local packet's fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    pub dlid: u16,
    pub slid: u16,
    pub sl: u8,
    pub vl: u8,
    pub opcode: u8,
    pub solicited: bool,
    pub p_key: u16,
    pub dest_qp: u32,
    pub ack_req: bool,
    pub psn: u32,
    /// Syndrome and MSN.
    pub aeth: Option<(u8, u32)>,
    pub immediate: Option<u32>,
    /// Headers that the blocks carry no fields of.
    pub other: Vec<u8>,
    pub payload: Vec<u8>,
}

impl Packet {
    /// The whole packet on the wire.
    pub fn bytes(&self) -> Vec<u8> {
        let mut b = self.headers();
        b.extend(&self.payload);
        while b.len() % 4 != 0 {
            b.push(0);
        }
        seal(b)
    }

    fn headers(&self) -> Vec<u8> {
        let pad = (4 - self.payload.len() % 4) % 4;
        let mut tail = self.other.clone();
        if let Some((syndrome, msn)) = self.aeth {
            tail.extend((u32::from(syndrome) << 24 | msn).to_be_bytes());
        }
        if let Some(immediate) = self.immediate {
            tail.extend(immediate.to_be_bytes());
        }
        let words = (20 + tail.len() + self.payload.len() + pad) / 4 + 1;
        let mut b = vec![self.vl << 4, self.sl << 4 | 2];
        b.extend(self.dlid.to_be_bytes());
        b.extend((words as u16).to_be_bytes());
        b.extend(self.slid.to_be_bytes());
        b.extend([self.opcode, u8::from(self.solicited) << 7 | (pad as u8) << 4]);
        b.extend(self.p_key.to_be_bytes());
        b.extend(self.dest_qp.to_be_bytes());
        b.extend((u32::from(self.ack_req) << 31 | self.psn).to_be_bytes());
        b.extend(tail);
        b
    }
}

/// Appends both CRCs.
pub fn seal(mut b: Vec<u8>) -> Vec<u8> {
    b.extend(icrc(&b));
    b.extend(vcrc(&b));
    b
}

/// Replaces the VCRC.
pub fn reseal_link(b: &mut Vec<u8>) {
    b.truncate(b.len() - 2);
    b.extend(vcrc(b));
}

/// Replaces both CRCs.
pub fn reseal(b: &mut Vec<u8>) {
    b.truncate(b.len() - 6);
    *b = seal(std::mem::take(b));
}

/// What a receiver reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub slid: u64,
    pub dlid: u64,
    pub sl: u64,
    pub opcode: u64,
    pub solicited: u64,
    pub p_key: u64,
    pub dest_qp: u64,
    pub ack_req: u64,
    pub psn: u64,
    pub syndrome: u64,
    pub msn: u64,
    pub immediate: u64,
    pub payload: Vec<u8>,
}

/// Bytes of BTH and extended headers; unassigned opcodes have a BTH.
fn header_bytes(opcode: u8) -> usize {
    let code = opcode & 0x1F;
    let response = (0x0D..=0x12).contains(&code);
    match opcode >> 5 {
        1 if code <= 0x0B => header_bytes(code),
        2 if code == 0x15 => 24,
        2 if code <= 0x14 => header_bytes(code) + if response { 4 } else { 12 },
        3 if code == 4 => 20,
        3 if code == 5 => 24,
        5 if code <= 0x14 || code == 0x16 || code == 0x17 => {
            header_bytes(code) + if response { 0 } else { 4 }
        }
        0 => rc_header_bytes(code),
        _ => 12,
    }
}

fn rc_header_bytes(code: u8) -> usize {
    match code {
        0x03 | 0x05 | 0x09 | 0x0D | 0x0F | 0x10 | 0x11 | 0x16 | 0x17 => 16,
        0x06 | 0x0A | 0x0C => 28,
        0x0B => 32,
        0x12 => 24,
        0x13 | 0x14 => 40,
        _ => 12,
    }
}

/// What the link makes of a packet: its fields, or the reason to drop it.
pub fn judge(b: &[u8]) -> Result<Accepted, u64> {
    let n = b.len();
    if n < 26 || n % 4 != 2 {
        return Err(reason::LENGTH);
    }
    let field = |at: usize, bytes: usize| b[at..at + bytes].iter().fold(0u64, |v, b| v << 8 | u64::from(*b));
    if vcrc(&b[..n - 2]) != b[n - 2..] {
        return Err(reason::VCRC);
    }
    if b[0] & 0xF != 0 {
        return Err(reason::LINK_VERSION);
    }
    let words = (field(4, 2) & 0x7FF) as usize;
    if words * 4 + 2 != n || words > (4096 + 124) / 4 {
        return Err(reason::LENGTH);
    }
    let dlid = field(2, 2);
    if !(1..0xC000).contains(&dlid) || dlid >> PORT_LMC << PORT_LMC != u64::from(PORT_LID) {
        return Err(reason::DLID);
    }
    if b[1] & 3 != 2 {
        return Err(reason::NETWORK_HEADER);
    }
    if icrc(&b[..n - 6]) != b[n - 6..n - 2] {
        return Err(reason::ICRC);
    }
    if b[9] & 0xF != 0 {
        return Err(reason::TRANSPORT_VERSION);
    }
    let opcode = b[8];
    let start = 8 + header_bytes(opcode);
    let pad = usize::from(b[9] >> 4 & 3);
    if start + pad + 6 > n {
        return Err(reason::HEADER_INCOMPLETE);
    }
    let has_aeth = matches!(opcode, 0x0D | 0x0F | 0x10 | 0x11 | 0x12);
    let immediate = match opcode {
        0x03 | 0x05 | 0x09 | 0x23 | 0x25 | 0x29 => field(20, 4),
        0x0B | 0x2B => field(36, 4),
        _ => 0,
    };
    Ok(Accepted {
        slid: field(6, 2),
        dlid,
        sl: u64::from(b[1] >> 4),
        opcode: u64::from(opcode),
        solicited: u64::from(b[9] >> 7),
        p_key: field(10, 2),
        dest_qp: field(13, 3),
        ack_req: u64::from(b[16] >> 7),
        psn: field(17, 3),
        syndrome: if has_aeth { field(20, 1) } else { 0 },
        msn: if has_aeth { field(21, 3) } else { 0 },
        immediate,
        payload: b[start..n - 6 - pad].to_vec(),
    })
}

/// A packet that the port accepts: an RC opcode, its headers, and up to `longest` bytes of payload.
pub fn random(rng: &mut fastrand::Rng, longest: usize) -> Packet {
    let opcode = *[
        0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0B, 0x0C, 0x11, 0x11, 0x12, 0x13, 0x15, 0x1C,
    ]
    .get(rng.usize(..15))
    .unwrap_or(&4);
    let mut packet = Packet {
        dlid: PORT_LID | rng.u16(..1 << PORT_LMC),
        slid: rng.u16(..),
        sl: rng.u8(..16),
        vl: rng.u8(..16),
        opcode,
        solicited: rng.bool(),
        p_key: rng.u16(..),
        dest_qp: rng.u32(..1 << 24),
        ack_req: rng.bool(),
        psn: rng.u32(..1 << 24),
        ..Packet::default()
    };
    let word = rng.u32(..);
    match opcode {
        0x03 | 0x05 => packet.immediate = Some(word),
        0x11 => packet.aeth = Some(((word >> 24) as u8, word & 0xFF_FFFF)),
        _ => {
            packet.other = (12..header_bytes(opcode)).map(|_| rng.u8(..)).collect();
        }
    }
    if opcode != 0x11 {
        let length = match rng.u8(..4) {
            0 => rng.usize(..9),
            1 => rng.usize(..longest.min(80) + 1),
            2 => rng.usize(..longest + 1),
            _ => longest,
        };
        packet.payload = (0..length).map(|_| rng.u8(..)).collect();
    }
    packet
}
