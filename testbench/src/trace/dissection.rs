//! Dissects a packet for display and comparison, however malformed it is.
use super::communication;
use super::field::{self, FieldLayout, HeaderLayout, Radix};
use super::mad::Mad;
use super::name::{opcode_name, syndrome_name};
use super::network;
use super::subnet;
use hca_golden::port::Link;
use hca_golden::wire::opcode::Opcode;
use std::ops::Range;

/// A header field with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub layout: &'static FieldLayout,
    pub value: u128,
}

impl Field {
    /// Returns its name in `headers.csv`, such as `BTH.PSN`.
    pub fn name(&self) -> &'static str {
        self.layout.name
    }

    /// Returns text for reports: decimal, hexadecimal or an address, with names where there are any.
    pub fn text(&self) -> String {
        let digits = self.layout.bits.div_ceil(4);
        match (self.layout.name, self.layout.radix) {
            ("BTH.Opcode", _) => format!("{:02X}h {}", self.value, opcode_name(self.value as u8)),
            ("AETH.Syndrome", _) => syndrome_name(self.value as u8),
            (_, Radix::Hex) => format!("{:0digits$X}h", self.value),
            _ => self.layout.text(self.value),
        }
    }
}

/// The headers as fields, and the places of payload, pad and CRCs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dissection {
    pub fields: Vec<Field>,
    /// Place of the available part of the payload.
    pub payload: Range<usize>,
    /// Length of the payload on the wire, in bytes.
    pub payload_length: usize,
    /// Number of padding bytes of a frame behind the packet.
    pub frame_padding: usize,
    /// Bytes covered by the ICRC; `None` if there is no ICRC, or if not all of them were kept.
    pub covered: Option<Range<usize>>,
}

/// Length of the invariant CRC in bytes.
const ICRC_BYTES: usize = 4;
/// Length of the variant CRC in bytes.
const VCRC_BYTES: usize = 2;
/// Number of fields of most packets.
const USUAL_FIELDS: usize = 48;

const PAD: &FieldLayout = &FieldLayout {
    name: "pad",
    wireshark: "infiniband.pad",
    first_bit: 0,
    bits: 8,
    radix: Radix::Hex,
};
const ICRC: &FieldLayout = &FieldLayout {
    name: "ICRC",
    wireshark: "infiniband.invariant.crc",
    first_bit: 0,
    bits: 32,
    radix: Radix::Hex,
};
const VCRC: &FieldLayout = &FieldLayout {
    name: "VCRC",
    wireshark: "infiniband.variant.crc",
    first_bit: 0,
    bits: 16,
    radix: Radix::Hex,
};

impl Dissection {
    /// Dissects a native packet, first LRH byte to last VCRC byte; stops where the bytes end.
    pub fn of(packet: &[u8]) -> Dissection {
        Dissection::of_native(packet, packet.len())
    }

    /// Dissects a whole packet of a link.
    pub fn on(link: Link, packet: &[u8]) -> Dissection {
        match link {
            Link::InfiniBand => Dissection::of(packet),
            Link::Roce => Dissection::of_frame(packet, packet.len()),
        }
    }

    /// Dissects the kept part of a native packet whose length on the wire is `wire_length`.
    pub fn of_native(packet: &[u8], wire_length: usize) -> Dissection {
        let mut cursor = Cursor::new(packet);
        let icrc = cursor.native_headers();
        cursor.finish(wire_length, wire_length, icrc, VCRC_BYTES)
    }

    /// Dissects the kept part of an Ethernet frame whose length on the wire, without FCS, is `wire_length`.
    pub fn of_frame(frame: &[u8], wire_length: usize) -> Dissection {
        let mut cursor = Cursor::new(frame);
        let icrc = cursor.frame_headers();
        let end = match cursor.udp_end() {
            Some(end) if end <= wire_length => end,
            _ => wire_length,
        };
        cursor.finish(end, wire_length, icrc, 0)
    }

    /// Returns the value of a field by its name, such as `BTH.PSN`; of a wide one, its low 64 bits.
    pub fn value(&self, name: &str) -> Option<u64> {
        self.field(name).map(|f| f.value as u64)
    }

    /// Returns a field by its name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|f| f.name() == name)
    }

    /// Returns the opcode's name, or its number if it has none.
    pub fn opcode_name(&self) -> String {
        match (self.value("BTH.Opcode"), self.value("LRH.LNH")) {
            (Some(code), _) => opcode_name(code as u8),
            (None, Some(0b00)) => "RAW_ETHERTYPE".to_owned(),
            (None, Some(0b01)) => "RAW_IPV6".to_owned(),
            (None, _) => "no BTH".to_owned(),
        }
    }

    /// Returns the name of a MAD; `None` if the packet is not a MAD.
    pub fn mad_name(&self) -> Option<String> {
        let value = |name| self.value(name);
        let mad = Mad::new(
            value("MAD.MgmtClass")? as u8,
            value("MAD.Method")? as u8,
            value("MAD.AttributeID")? as u16,
        );
        Some(mad.name())
    }

    /// Returns the AETH syndrome as text, if the packet carries one.
    pub fn syndrome(&self) -> Option<String> {
        self.value("AETH.Syndrome").map(|s| syndrome_name(s as u8))
    }
}

struct Cursor<'a> {
    packet: &'a [u8],
    at: usize,
    fields: Vec<Field>,
    /// Offset of the first byte that the ICRC covers.
    network: usize,
    /// Place of the UDP header, and the length in it.
    udp: Option<(usize, usize)>,
}

impl<'a> Cursor<'a> {
    fn new(packet: &'a [u8]) -> Cursor<'a> {
        Cursor {
            packet,
            at: 0,
            fields: Vec::with_capacity(USUAL_FIELDS),
            network: 0,
            udp: None,
        }
    }

    fn value(&self, name: &str) -> Option<u128> {
        self.fields
            .iter()
            .rev()
            .find(|f| f.name() == name)
            .map(|f| f.value)
    }

    /// Reads LRH and the headers that LNH announces. Returns true if an ICRC ends the packet.
    fn native_headers(&mut self) -> bool {
        if !self.header(&field::LRH) {
            return false;
        }
        match self.value("LRH.LNH") {
            Some(0b00) => {
                self.header(&field::RWH);
                false
            }
            Some(0b01) => {
                self.header(&network::IPV6);
                false
            }
            Some(0b11) if !self.header(&field::GRH) => true,
            _ => {
                self.transport_headers();
                true
            }
        }
    }

    /// Reads Ethernet and the following headers as far as the frame is RoCEv2. Returns true if an ICRC ends the frame.
    fn frame_headers(&mut self) -> bool {
        if !self.header(&network::ETHERNET) {
            return false;
        }
        let mut ether_type = self.value("eth.type");
        while matches!(ether_type, Some(0x8100 | 0x88A8)) {
            if !self.header(&network::VLAN) {
                return false;
            }
            ether_type = self.value("vlan.etype");
        }
        self.network = self.at;
        let is_udp = match ether_type {
            Some(0x0800) => self.header(&network::IPV4) && self.ipv4_options() && self.is_udp_over_ipv4(),
            Some(0x86DD) => self.header(&network::IPV6) && self.value("ipv6.nxt") == Some(17),
            _ => false,
        };
        let begin = self.at;
        if !is_udp || !self.header(&network::UDP) {
            return false;
        }
        self.udp = self.value("udp.length").map(|length| (begin, length as usize));
        if self.value("udp.dstport") != Some(4791) {
            return false;
        }
        self.transport_headers();
        true
    }

    /// Skips IPv4 options. Returns false if the bytes end before them.
    fn ipv4_options(&mut self) -> bool {
        let bytes = self.value("ip.hdr_len").unwrap_or(0) as usize;
        self.at += bytes.saturating_sub(network::IPV4.bytes);
        self.at <= self.packet.len()
    }

    /// Returns true if a UDP header follows. A later fragment does not begin with one.
    fn is_udp_over_ipv4(&self) -> bool {
        self.value("ip.proto") == Some(17) && self.value("ip.frag_offset") == Some(0)
    }

    /// Returns the end of the UDP datagram by its own length.
    fn udp_end(&self) -> Option<usize> {
        let (begin, length) = self.udp?;
        (length >= network::UDP.bytes).then(|| begin + length)
    }

    fn transport_headers(&mut self) {
        if !self.header(&field::BTH) {
            return;
        }
        let code = self.value("BTH.Opcode");
        let opcode = code.and_then(|c| Opcode::of(c as u8));
        for header in opcode.map_or(&[][..], |o| o.headers) {
            if !self.header(field::layout_of(*header)) {
                return;
            }
        }
    }

    /// Takes a whole header. Returns false if the bytes end before it does.
    fn header(&mut self, layout: &'static HeaderLayout) -> bool {
        let Some(bytes) = self.packet.get(self.at..self.at + layout.bytes) else {
            return false;
        };
        self.fields.extend(layout.fields.iter().map(|layout| Field {
            layout,
            value: layout.value(bytes),
        }));
        self.at += layout.bytes;
        true
    }

    /// Reads the header of a MAD, which begins the payload, and the fields behind it if their layout is known.
    fn management(&mut self, begin: usize, end: usize) {
        let is_special =
            matches!(self.value("BTH.DestQP"), Some(0 | 1)) && self.value("DETH.SrcQP").is_some();
        if !is_special || end - begin < field::MAD.bytes || !self.header(&field::MAD) {
            return;
        }
        let value = |name| self.value(name).unwrap_or(0);
        let layout = match value("MAD.MgmtClass") as u8 {
            communication::CLASS => communication::layout(value("MAD.AttributeID") as u16),
            class => subnet::layout(class),
        };
        if let Some(layout) = layout.filter(|layout| end - self.at >= layout.bytes) {
            self.header(layout);
        }
    }

    /// Finds the places in the bytes between the headers and `end`. The frame may continue behind it.
    fn finish(mut self, end: usize, wire_length: usize, has_icrc: bool, vcrc_bytes: usize) -> Dissection {
        let at = self.at;
        let vcrc = end.saturating_sub(vcrc_bytes).max(at);
        let icrc = match has_icrc {
            true => vcrc.saturating_sub(ICRC_BYTES).max(at),
            false => vcrc,
        };
        let pad = self.value("BTH.PadCnt").unwrap_or(0) as usize;
        let payload_end = icrc.saturating_sub(pad).max(at);
        self.management(at, payload_end);
        for (layout, bytes) in [(PAD, payload_end..icrc), (ICRC, icrc..vcrc), (VCRC, vcrc..end)] {
            if let Some(bytes) = self.packet.get(bytes).filter(|b| !b.is_empty()) {
                let value = bytes.iter().fold(0, |value, b| value << 8 | u128::from(*b));
                self.fields.push(Field { layout, value });
            }
        }
        let kept = |position: usize| position.min(self.packet.len());
        let icrc_kept = icrc + ICRC_BYTES == vcrc && vcrc <= self.packet.len();
        Dissection {
            payload: kept(at)..kept(payload_end),
            payload_length: payload_end - at,
            frame_padding: wire_length.saturating_sub(end.max(at)),
            covered: (has_icrc && icrc_kept).then_some(self.network..icrc),
            fields: self.fields,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet: LRH SL 3, DLID 0002h, PktLen 8, SLID 0001h; Send Only, pad 1, P_Key FFFFh, QP 11h, A, PSN 100; 3
    /// bytes.
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
}
