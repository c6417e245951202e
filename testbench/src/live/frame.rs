//! Classifies a frame at the ends of the wire: RoCEv2 is for the adapter, anything else for the gateway.
use etherparse::{SlicedPacket, TransportSlice};

/// UDP port of RoCEv2 (`headers.md` section 7).
const ROCE_PORT: u16 = 4791;
/// Length of a BTH in bytes.
const BTH: usize = 12;
/// Length of an ICRC in bytes.
const ICRC: usize = 4;

/// The fields of a RoCEv2 frame's BTH that the wire uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bth {
    pub opcode: u8,
    /// Destination QPN, 24 bits.
    pub dest_qpn: u32,
    /// PSN, 24 bits.
    pub psn: u32,
}

/// Returns the BTH of a RoCEv2 frame over IPv4 or IPv6; `None` for any other frame, and for one too short for a BTH and
/// an ICRC.
pub fn bth(frame: &[u8]) -> Option<Bth> {
    let bytes = datagram(frame)?;
    let number = |at: usize| u32::from_be_bytes([0, bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    Some(Bth {
        opcode: bytes[0],
        dest_qpn: number(4),
        psn: number(8),
    })
}

/// Returns the bytes of a RoCEv2 frame from the BTH on, without ICRC and padding.
pub fn transport(frame: &[u8]) -> Option<&[u8]> {
    let bytes = datagram(frame)?;
    Some(&bytes[..bytes.len() - ICRC])
}

fn datagram(frame: &[u8]) -> Option<&[u8]> {
    let packet = SlicedPacket::from_ethernet(frame).ok()?;
    let Some(TransportSlice::Udp(udp)) = packet.transport else {
        return None;
    };
    let bytes = udp.payload();
    (udp.destination_port() == ROCE_PORT && bytes.len() >= BTH + ICRC).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::PacketBuilder;

    const BTH_AND_ICRC: [u8; 16] = [
        0x11, 0, 0xFF, 0xFF, 0, 0xAB, 0xCD, 0xEF, 0x80, 1, 2, 3, 9, 9, 9, 9,
    ];

    fn of(port: u16, ipv6: bool, payload: &[u8]) -> Vec<u8> {
        let builder = PacketBuilder::ethernet2([2; 6], [4; 6]);
        let builder = match ipv6 {
            false => builder.ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64),
            true => builder.ipv6([1; 16], [2; 16], 64),
        };
        let mut frame = Vec::new();
        builder.udp(0xC000, port).write(&mut frame, payload).unwrap();
        frame
    }

    #[test]
    fn roce_is_recognised_over_ipv4_and_ipv6_with_and_without_padding() {
        let expected = Bth {
            opcode: 0x11,
            dest_qpn: 0xABCDEF,
            psn: 0x010203,
        };
        for ipv6 in [false, true] {
            let mut frame = of(4791, ipv6, &BTH_AND_ICRC);
            assert_eq!(bth(&frame), Some(expected));
            frame.extend([0; 2]);
            assert_eq!(bth(&frame), Some(expected));
            assert_eq!(
                transport(&frame),
                Some(&BTH_AND_ICRC[..12]),
                "padding is no part of it"
            );
        }
    }

    #[test]
    fn other_traffic_is_the_gateways() {
        assert_eq!(bth(&of(53, false, &BTH_AND_ICRC)), None);
        assert_eq!(bth(&of(4791, false, &BTH_AND_ICRC[..15])), None);
        assert_eq!(bth(&[]), None);
        assert_eq!(bth(&[0xFF; 60]), None);
        let arp = [[0xFF; 6], [2; 6]].concat();
        assert_eq!(bth(&[&arp[..], &[8, 6], &[0; 46]].concat()), None);
    }

    #[test]
    fn a_frame_cut_anywhere_is_none() {
        let frame = of(4791, false, &BTH_AND_ICRC);
        for end in 0..frame.len() {
            assert_eq!(bth(&frame[..end]), None, "{end}");
        }
    }
}
