//! Frames around arbitrary content, so that some of it gets past the first checks.
use hca_golden::port::Link;
use hca_golden::wire::crc::{icrc, icrc_roce_v2, vcrc};
use hca_golden::wire::frame::Frame;
use hca_golden::wire::length;

/// What is right about a frame, whatever its content.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Nothing.
    Native,
    Roce,
    /// PktLen and CRCs; the content begins with the LRH.
    SealedNative,
    /// All but the transport; the content begins with the BTH.
    Local,
    Global,
    Ipv4,
    Ipv6,
}

impl Shape {
    pub fn of(byte: u8) -> Shape {
        use Shape::*;
        [Native, Roce, SealedNative, Local, Global, Ipv4, Ipv6][usize::from(byte % 7)]
    }

    pub fn link(self) -> Link {
        match self {
            Shape::Native | Shape::SealedNative | Shape::Local | Shape::Global => Link::InfiniBand,
            Shape::Roce | Shape::Ipv4 | Shape::Ipv6 => Link::Roce,
        }
    }

    pub fn forge(self, content: &[u8]) -> Vec<u8> {
        match self {
            Shape::Native | Shape::Roce => content.to_vec(),
            Shape::SealedNative => native(&[], content),
            Shape::Local => native(&[0, 0x02, 0, 2, 0, 0, 0, 1], content),
            Shape::Global => {
                let mut headers = vec![0, 0x03, 0, 2, 0, 0, 0, 1];
                headers.extend([0x60, 0, 0, 0, 0, 0, 0x1B, 64]);
                headers.extend([0; 32]);
                let pay_len = whole_words(content).len() as u16 + 4;
                headers[12..14].copy_from_slice(&pay_len.to_be_bytes());
                native(&headers, content)
            }
            Shape::Ipv4 => ipv4(content),
            Shape::Ipv6 => ipv6(content),
        }
    }
}

fn whole_words(content: &[u8]) -> &[u8] {
    &content[..content.len() / 4 * 4]
}

fn native(headers: &[u8], content: &[u8]) -> Vec<u8> {
    let mut frame = [headers, whole_words(content)].concat();
    if frame.len() >= 8 {
        frame[0] &= 0xF0;
        let words = (frame.len() as u16 + 4) / 4;
        frame[4..6].copy_from_slice(&words.to_be_bytes());
    }
    let icrc = icrc(&frame);
    frame.extend(icrc);
    let vcrc = vcrc(&frame);
    frame.extend(vcrc);
    frame
}

fn ipv4(content: &[u8]) -> Vec<u8> {
    let udp = whole_words(content).len() as u16 + 12;
    let mut ip = vec![0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    ip[2..4].copy_from_slice(&(udp + 20).to_be_bytes());
    let words = ip.chunks(2);
    let sum: u32 = words.map(|w| u32::from(u16::from_be_bytes([w[0], w[1]]))).sum();
    let checksum = !((sum & 0xFFFF) + (sum >> 16)) as u16;
    ip[10..12].copy_from_slice(&checksum.to_be_bytes());
    ethernet([0x08, 0x00], ip, udp, content)
}

fn ipv6(content: &[u8]) -> Vec<u8> {
    let udp = whole_words(content).len() as u16 + 12;
    let mut ip = vec![0x60, 0, 0, 0, 0, 0, 17, 64];
    ip.extend([0; 32]);
    ip[4..6].copy_from_slice(&udp.to_be_bytes());
    ethernet([0x86, 0xDD], ip, udp, content)
}

fn ethernet(ether_type: [u8; 2], mut ip: Vec<u8>, udp: u16, content: &[u8]) -> Vec<u8> {
    ip.extend([0xC0, 0x00, 0x12, 0xB7]);
    ip.extend(udp.to_be_bytes());
    ip.extend([0, 0]);
    ip.extend(whole_words(content));
    let icrc = icrc_roce_v2(&ip);
    [&[0; 12][..], &ether_type, &ip, &icrc].concat()
}

/// True if the frame has something that [`Frame::encode`] does not bring back: pad that is not 0, Ethernet padding, the
/// reserved flag of IPv4, or the other zero of its checksum.
pub fn holds_what_receivers_ignore(link: Link, frame: &[u8], decoded: &Frame) -> bool {
    let Frame::Iba(packet) = decoded else {
        return false;
    };
    let end = match link {
        Link::InfiniBand => frame.len() - 6,
        Link::Roce if frame[12] == 0x08 => {
            let udp = usize::from(u16::from_be_bytes([frame[38], frame[39]]));
            if frame[20] & 0x80 != 0 || frame[24..26] == [0xFF, 0xFF] || frame.len() > 34 + udp {
                return true;
            }
            frame.len() - 4
        }
        Link::Roce => frame.len() - 4,
    };
    let pad = length::pad(packet.payload.len());
    frame[end - pad..end].iter().any(|&byte| byte != 0)
}
