//! Small captures, byte by byte.

/// A pcap in microseconds: header of this link type, then records of so many microseconds and these bytes.
pub fn pcap(link: u32, packets: &[(u32, &[u8])]) -> Vec<u8> {
    let mut file = 0xA1B2_C3D4u32.to_le_bytes().to_vec();
    file.extend([2, 0, 4, 0]);
    for word in [0, 0, 65_535, link] {
        file.extend(word.to_le_bytes());
    }
    for (time, packet) in packets {
        let length = packet.len() as u32;
        for word in [time / 1_000_000, time % 1_000_000, length, length] {
            file.extend(word.to_le_bytes());
        }
        file.extend(*packet);
    }
    file
}

/// A pcapng block in big-endian order, padded.
pub fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let padded = body.len().next_multiple_of(4);
    let length = (12 + padded as u32).to_be_bytes();
    let mut block = kind.to_be_bytes().to_vec();
    block.extend(length);
    block.extend(body);
    block.resize(8 + padded, 0);
    block.extend(length);
    block
}

/// The block that begins a pcapng of unknown length.
pub fn section() -> Vec<u8> {
    let mut body = 0x1A2B_3C4Du32.to_be_bytes().to_vec();
    body.extend([0, 1, 0, 0]);
    body.extend([0xFF; 8]);
    block(0x0A0D_0D0A, &body)
}

/// An interface with these options, each a code and a value.
pub fn interface(link: u16, options: &[(u16, &[u8])]) -> Vec<u8> {
    let mut body = link.to_be_bytes().to_vec();
    body.extend([0; 6]);
    for (code, value) in options {
        body.extend(code.to_be_bytes());
        body.extend((value.len() as u16).to_be_bytes());
        body.extend(*value);
        body.resize(body.len().next_multiple_of(4), 0);
    }
    if !options.is_empty() {
        body.extend([0; 4]);
    }
    block(1, &body)
}

/// An enhanced packet block: interface, time in its units, bytes.
pub fn enhanced(interface: u32, ticks: u64, packet: &[u8]) -> Vec<u8> {
    let length = packet.len() as u32;
    let mut body = Vec::new();
    for word in [interface, (ticks >> 32) as u32, ticks as u32, length, length] {
        body.extend(word.to_be_bytes());
    }
    body.extend(packet);
    block(6, &body)
}
