//! The two CRCs, bit by bit (crc.md).

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

/// Wire bytes of the VCRC of a packet's bytes up to the ICRC.
pub fn vcrc(bytes: &[u8]) -> [u8; 2] {
    (crc(16, 0xD008, bytes.iter().copied()) as u16).to_le_bytes()
}

/// Wire bytes of the ICRC of a native packet's bytes up to the pad.
pub fn native_icrc(bytes: &[u8]) -> [u8; 4] {
    let global = bytes.get(1).is_some_and(|b| b & 3 == 3);
    let masked = bytes.iter().enumerate().map(|(at, byte)| {
        byte | match (global, at) {
            (false, 0) => 0xF0,
            (false, 12) => 0xFF,
            (true, 0..=7 | 9..=11 | 15 | 52) => 0xFF,
            (true, 8) => 0x0F,
            _ => 0,
        }
    });
    crc(32, 0xEDB8_8320, masked).to_le_bytes()
}

/// Wire bytes of the ICRC of a frame's bytes up to the pad.
pub fn frame_icrc(bytes: &[u8]) -> [u8; 4] {
    let ipv6 = bytes.get(12..14) == Some(&[0x86, 0xDD]);
    let covered = bytes.iter().skip(14).enumerate().map(|(at, byte)| {
        byte | match (ipv6, at) {
            (false, 1 | 8 | 10 | 11 | 26 | 27 | 32) => 0xFF,
            (true, 1..=3 | 7 | 46 | 47 | 52) => 0xFF,
            (true, 0) => 0x0F,
            _ => 0,
        }
    });
    crc(32, 0xEDB8_8320, [0xFF; 8].into_iter().chain(covered)).to_le_bytes()
}
