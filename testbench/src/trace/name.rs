//! Names of opcodes and syndromes.
use hca_golden::wire::opcode::Opcode;

/// Returns the name of an opcode that was added to RC later (`opcodes.csv`), and that this adapter does not have.
pub fn later_opcode(code: u8) -> Option<&'static str> {
    match code {
        0x1C => Some("RC_FLUSH"),
        0x1D => Some("RC_ATOMIC_WRITE"),
        _ => None,
    }
}

/// Returns a name such as `RC_SEND_FIRST`, or `opcode E5h` for an opcode without one.
pub fn opcode_name(code: u8) -> String {
    match Opcode::of(code) {
        Some(opcode) => opcode.name.to_owned(),
        // `headers.md` section 6: native and RoCEv2.
        None if matches!(code, 0x80 | 0x81) => "CNP".to_owned(),
        None => later_opcode(code).map_or_else(|| format!("opcode {code:02X}h"), str::to_owned),
    }
}

/// Returns the meaning of a syndrome in `protocol/aeth_syndrome.csv` as text.
pub fn syndrome_name(syndrome: u8) -> String {
    let words = match syndrome {
        0x1F => "ACK, no credits".to_owned(),
        0x00..=0x1E => format!("ACK, credit code {syndrome}"),
        0x20..=0x3F => format!("RNR NAK, timer {}", syndrome & 0x1F),
        0x60 => "NAK, PSN sequence error".to_owned(),
        0x61 => "NAK, invalid request".to_owned(),
        0x62 => "NAK, remote access error".to_owned(),
        0x63 => "NAK, remote operational error".to_owned(),
        0x64 => "NAK, invalid RD request".to_owned(),
        _ => "reserved".to_owned(),
    };
    format!("{syndrome:02X}h {words}")
}

#[cfg(test)]
mod tests {
    use super::syndrome_name;

    #[test]
    fn syndromes_read_as_words() {
        assert_eq!(syndrome_name(0x1F), "1Fh ACK, no credits");
        assert_eq!(syndrome_name(0x2E), "2Eh RNR NAK, timer 14");
        assert_eq!(syndrome_name(0x60), "60h NAK, PSN sequence error");
        assert_eq!(syndrome_name(0x95), "95h reserved");
    }
}
