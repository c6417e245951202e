//! The VCRC, bit by bit (`crc.md`), which is the LPCRC, too (`link.md` section 4).

/// Wire bytes of the CRC over these bytes.
pub fn crc(bytes: &[u8]) -> [u8; 2] {
    let mut register = 0xFFFF_u16;
    for byte in bytes {
        for bit in 0..8 {
            let feedback = register & 1 ^ u16::from(byte >> bit & 1);
            register >>= 1;
            if feedback == 1 {
                register ^= 0xD008;
            }
        }
    }
    (!register).to_le_bytes()
}

/// A link packet with a good LPCRC.
pub fn link_packet(op: u8, fctbs: u16, vl: u8, fccl: u16) -> Vec<u8> {
    let word = u32::from(op) << 28 | u32::from(fctbs) << 16 | u32::from(vl) << 12 | u32::from(fccl);
    let mut packet = word.to_be_bytes().to_vec();
    packet.extend(crc(&packet));
    packet
}
