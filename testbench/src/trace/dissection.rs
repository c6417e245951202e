//! A packet taken apart for showing and comparing, however malformed it is.
use super::field::{self, FieldLayout, HeaderLayout, Radix};
use hca_golden::wire::opcode::Opcode;
use std::ops::Range;

/// A header field with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    pub value: u64,
    /// As a reader wants it: decimal or hexadecimal, names where there are any.
    pub text: String,
}

/// Headers as fields, then where payload, pad and CRCs lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dissection {
    pub fields: Vec<Field>,
    pub payload: Range<usize>,
}

/// Bytes of the invariant CRC.
const ICRC_BYTES: usize = 4;
/// Bytes of the variant CRC.
const VCRC_BYTES: usize = 2;

impl Dissection {
    /// Takes a packet apart, first LRH byte to last VCRC byte; stops where the bytes end.
    pub fn of(packet: &[u8]) -> Dissection {
        let mut cursor = Cursor {
            packet,
            at: 0,
            fields: Vec::new(),
        };
        cursor.headers();
        let Cursor { at, mut fields, .. } = cursor;
        let value = |name: &str| fields.iter().find(|f| f.name == name).map(|f| f.value);
        let vcrc = packet.len().saturating_sub(VCRC_BYTES).max(at);
        let icrc = vcrc.saturating_sub(ICRC_BYTES).max(at);
        let pad = value("BTH.PadCnt").unwrap_or(0) as usize;
        let payload_end = icrc.saturating_sub(pad).max(at);
        for (name, bytes) in [
            ("pad", payload_end..icrc),
            ("ICRC", icrc..vcrc),
            ("VCRC", vcrc..packet.len()),
        ] {
            if !bytes.is_empty() {
                let value = big_endian(&packet[bytes.clone()]);
                fields.push(Field {
                    name,
                    value,
                    text: format!("{value:0width$X}h", width = 2 * bytes.len()),
                });
            }
        }
        Dissection {
            fields,
            payload: at..payload_end,
        }
    }

    /// The value of a field by its name, such as `BTH.PSN`.
    pub fn value(&self, name: &str) -> Option<u64> {
        self.fields.iter().find(|f| f.name == name).map(|f| f.value)
    }

    /// The opcode's name; its number if it has none.
    pub fn opcode_name(&self) -> String {
        match self.value("BTH.Opcode") {
            Some(code) => opcode_name(code as u8),
            None => "no BTH".to_owned(),
        }
    }

    /// The AETH syndrome in words, if the packet carries one.
    pub fn syndrome(&self) -> Option<String> {
        self.value("AETH.Syndrome").map(|s| syndrome_name(s as u8))
    }
}

struct Cursor<'a> {
    packet: &'a [u8],
    at: usize,
    fields: Vec<Field>,
}

impl Cursor<'_> {
    fn headers(&mut self) {
        if !self.header(&field::LRH) {
            return;
        }
        match self.fields.iter().find(|f| f.name == "LRH.LNH").map(|f| f.value) {
            Some(0b11) if !self.header(&field::GRH) => return,
            Some(0b10 | 0b11) => {}
            _ => return,
        }
        if !self.header(&field::BTH) {
            return;
        }
        let code = self
            .fields
            .iter()
            .find(|f| f.name == "BTH.Opcode")
            .map(|f| f.value);
        let opcode = code.and_then(|c| Opcode::of(c as u8));
        for header in opcode.map_or(&[][..], |o| o.headers) {
            if !self.header(field::layout_of(*header)) {
                return;
            }
        }
    }

    /// Takes a whole header; false if the bytes end before it does.
    fn header(&mut self, layout: &HeaderLayout) -> bool {
        let Some(bytes) = self.packet.get(self.at..self.at + layout.bytes) else {
            return false;
        };
        for f in layout.fields {
            let value = bit_field(bytes, f.first_bit, f.bits);
            self.fields.push(Field {
                name: f.name,
                value,
                text: text_of(f, value),
            });
        }
        self.at += layout.bytes;
        true
    }
}

fn text_of(layout: &FieldLayout, value: u64) -> String {
    match (layout.name, layout.radix) {
        ("BTH.Opcode", _) => format!("{value:02X}h {}", opcode_name(value as u8)),
        ("AETH.Syndrome", _) => syndrome_name(value as u8),
        (_, Radix::Decimal) => value.to_string(),
        (_, Radix::Hex) => format!("{value:0width$X}h", width = layout.bits.div_ceil(4)),
    }
}

/// Bits `first..first + bits` of a header, most significant first.
fn bit_field(header: &[u8], first: usize, bits: usize) -> u64 {
    (first..first + bits).fold(0, |value, bit| {
        value << 1 | u64::from(header[bit / 8] >> (7 - bit % 8) & 1)
    })
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, b| value << 8 | u64::from(*b))
}

/// `RC_SEND_FIRST`, or `opcode E5h` for one without a name.
pub fn opcode_name(code: u8) -> String {
    match Opcode::of(code) {
        Some(opcode) => opcode.name.to_owned(),
        None => format!("opcode {code:02X}h"),
    }
}

/// `protocol/aeth_syndrome.csv` in words.
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
    use super::*;

    /// LRH SL 3, DLID 0002h, PktLen 8, SLID 0001h; Send Only, pad 1, P_Key FFFFh, QP 11h, A, PSN 100; 3 bytes.
    const SEND_ONLY: &[u8] = &[
        0x00, 0x32, 0x00, 0x02, 0x00, 0x07, 0x00, 0x01, //
        0x04, 0x10, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x11, 0x80, 0x00, 0x00, 0x64, //
        0xAA, 0xBB, 0xCC, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06,
    ];

    #[test]
    fn takes_a_send_only_apart() {
        let d = Dissection::of(SEND_ONLY);
        for (name, value) in [
            ("LRH.SL", 3),
            ("LRH.LNH", 2),
            ("LRH.DLID", 2),
            ("LRH.PktLen", 7),
            ("LRH.SLID", 1),
            ("BTH.Opcode", 4),
            ("BTH.PadCnt", 1),
            ("BTH.P_Key", 0xFFFF),
            ("BTH.DestQP", 0x11),
            ("BTH.A", 1),
            ("BTH.PSN", 100),
            ("pad", 0),
            ("ICRC", 0x0102_0304),
            ("VCRC", 0x0506),
        ] {
            assert_eq!(d.value(name), Some(value), "{name}");
        }
        assert_eq!(&SEND_ONLY[d.payload.clone()], [0xAA, 0xBB, 0xCC]);
        assert_eq!(d.opcode_name(), "RC_SEND_ONLY");
        assert_eq!(d.syndrome(), None);
    }

    #[test]
    fn every_truncation_is_shown_as_far_as_it_goes() {
        for n in 0..SEND_ONLY.len() {
            let d = Dissection::of(&SEND_ONLY[..n]);
            assert!(
                d.payload.end <= n && d.payload.start <= d.payload.end,
                "{n} bytes"
            );
            assert_eq!(d.value("LRH.DLID").is_some(), n >= 8, "{n} bytes");
            assert_eq!(d.value("BTH.PSN").is_some(), n >= 20, "{n} bytes");
        }
    }

    #[test]
    fn syndromes_read_as_words() {
        assert_eq!(syndrome_name(0x1F), "1Fh ACK, no credits");
        assert_eq!(syndrome_name(0x2E), "2Eh RNR NAK, timer 14");
        assert_eq!(syndrome_name(0x60), "60h NAK, PSN sequence error");
        assert_eq!(syndrome_name(0x95), "95h reserved");
    }
}
