use super::*;

/// A frame up to its network header.
fn frame(ether_type: u16, rest: &[u8]) -> Vec<u8> {
    [&[2; 12][..], &ether_type.to_be_bytes(), rest].concat()
}

fn ipv4(protocol: u8, rest: &[u8]) -> Vec<u8> {
    let length = (20 + rest.len()) as u16;
    let mut header = vec![0x45, 0];
    header.extend(length.to_be_bytes());
    header.extend([0, 0, 0x40, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    header.extend(rest);
    header
}

fn udp(port: u16, rest: &[u8]) -> Vec<u8> {
    let length = (8 + rest.len()) as u16;
    [
        &[0xC0, 0][..],
        &port.to_be_bytes(),
        &length.to_be_bytes(),
        &[0, 0],
        rest,
    ]
    .concat()
}

fn layers(frame: &[u8]) -> Option<Vec<Layer>> {
    let inner = Inner::of(frame, frame.len())?;
    assert!(inner.untagged(frame).ends_with(&[9; 16]), "{inner:?}");
    Some(inner.layers)
}

#[test]
fn every_layer_is_passed_over() {
    let datagram = ipv4(IP_UDP, &udp(PORT_ROCE_V2, &[9; 16]));
    let plain = frame(ETHER_IPV4, &datagram);
    let bridged = |rest: &[&[u8]]| [rest.concat(), plain.clone()].concat();
    let over = |protocol, rest: &[u8]| frame(ETHER_IPV4, &ipv4(protocol, rest));
    for (bytes, around) in [
        (plain.clone(), vec![]),
        (
            frame(0x9100, &[&[0, 5, 8, 0][..], &datagram].concat()),
            vec![Layer::Vlan(5)],
        ),
        (
            frame(0x8847, &[&[0, 1, 1, 1][..], &datagram].concat()),
            vec![Layer::Mpls],
        ),
        (
            frame(0x8847, &bridged(&[&[0, 1, 1, 1], &[0; 4]])),
            vec![Layer::Mpls],
        ),
        (over(IP_IPV4, &datagram), vec![Layer::Ip]),
        (
            over(IP_GRE, &[&[0, 0, 8, 0][..], &datagram].concat()),
            vec![Layer::Gre],
        ),
        (
            over(IP_GRE, &[&[0x20, 0, 8, 0, 1, 2, 3, 4][..], &datagram].concat()),
            vec![Layer::Gre],
        ),
        (over(IP_GRE, &bridged(&[&[0, 0, 0x65, 0x58]])), vec![Layer::Gre]),
        (
            over(IP_GRE, &bridged(&[&[0, 0, 0x88, 0xBE]])),
            vec![Layer::Erspan(0)],
        ),
        (
            over(
                IP_GRE,
                &bridged(&[&[0x10, 0, 0x88, 0xBE], &[0; 4], &[0x10, 5], &[0; 6]]),
            ),
            vec![Layer::Erspan(5)],
        ),
        (
            over(
                IP_GRE,
                &bridged(&[&[0x10, 0, 0x22, 0xEB], &[0; 4], &[0x21, 0x2C], &[0; 10]]),
            ),
            vec![Layer::Erspan(0x12C)],
        ),
        (
            over(IP_UDP, &udp(4789, &bridged(&[&[8, 0, 0, 0, 0, 0, 7, 0]]))),
            vec![Layer::Vxlan(7)],
        ),
        (
            over(
                IP_UDP,
                &udp(6081, &bridged(&[&[1, 0, 0x65, 0x58, 0, 0, 7, 0], &[0; 4]])),
            ),
            vec![Layer::Geneve(7)],
        ),
        (
            frame(0x88A8, &bridged(&[&[0, 5, 0x88, 0xE7], &[0, 0, 1, 2]])),
            vec![Layer::Vlan(5), Layer::Backbone(0x102)],
        ),
        (
            frame(0x893F, &[&[0, 1, 2, 3, 4, 5, 8, 0][..], &datagram].concat()),
            vec![Layer::PortExtender],
        ),
        (
            frame(0x8926, &[&[0x80, 1, 0, 3, 8, 0][..], &datagram].concat()),
            vec![Layer::PortExtender],
        ),
        (
            frame(0x892F, &[&[0, 60, 0, 3, 8, 0][..], &datagram].concat()),
            vec![Layer::Hsr],
        ),
        (
            frame(0x88E5, &[&[0, 0, 0, 0, 0, 9, 8, 0][..], &datagram].concat()),
            vec![Layer::Macsec],
        ),
        (
            frame(
                0x88E5,
                &[&[0x20, 0][..], &[7; 12], &[8, 0], &datagram, &[3; 16]].concat(),
            ),
            vec![Layer::Macsec],
        ),
        (
            frame(52, &[&[0xAA, 0xAA, 3, 0, 0, 0, 8, 0][..], &datagram].concat()),
            vec![Layer::Llc],
        ),
        (
            frame(0x22F3, &bridged(&[&[0, 0x41, 0, 1, 0, 2], &[0; 4]])),
            vec![Layer::Trill],
        ),
        (frame(0x8903, &bridged(&[&[0, 5]])), vec![Layer::FabricPath]),
        (
            frame(0x894F, &bridged(&[&[0x0F, 0xC6, 1, 3], &[0; 20]])),
            vec![Layer::Nsh],
        ),
        (
            over(
                IP_UDP,
                &udp(
                    4790,
                    &[
                        &[0x0C, 0, 0, 4, 0, 0, 7, 0][..],
                        &[0x0F, 0xC2, 2, 1],
                        &[0; 4],
                        &datagram,
                    ]
                    .concat(),
                ),
            ),
            vec![Layer::Vxlan(7), Layer::Nsh],
        ),
        (
            over(IP_UDP, &udp(4754, &[&[0, 0, 8, 0][..], &datagram].concat())),
            vec![Layer::Gre],
        ),
        (
            over(
                IP_UDP,
                &udp(2152, &[&[0x30, 0xFF, 0, 44, 0, 0, 0, 9][..], &datagram].concat()),
            ),
            vec![Layer::Gtp],
        ),
        (
            over(
                IP_UDP,
                &udp(
                    2152,
                    &[
                        &[0x36, 0xFF, 0, 52, 0, 0, 0, 9, 0, 1, 0, 0x85][..],
                        &[1, 0x10, 9, 0],
                        &datagram,
                    ]
                    .concat(),
                ),
            ),
            vec![Layer::Gtp],
        ),
        (
            over(
                IP_UDP,
                &udp(37008, &bridged(&[&[1, 0, 0, 1], &[0, 10, 1, 0x2E, 1]])),
            ),
            vec![Layer::Tzsp],
        ),
        (over(97, &bridged(&[&[0x30, 0]])), vec![Layer::EtherIp]),
        (over(143, &bridged(&[])), vec![Layer::EtherIp]),
        (
            over(
                51,
                &[&[17, 4, 0, 0][..], &[5; 20], &udp(PORT_ROCE_V2, &[9; 16])].concat(),
            ),
            vec![],
        ),
    ] {
        assert_eq!(layers(&bytes), Some(around), "{bytes:02X?}");
        // An FCS or another trailer does not belong to the datagram.
        assert_eq!(layers(&[&bytes[..], &[1; 4]].concat()), layers(&bytes));
        for cut in 0..bytes.len() {
            let _ = Inner::of(&bytes[..cut], bytes.len());
        }
    }
    assert_eq!(layers(&frame(0x0806, &[0; 28])), None);
    assert_eq!(layers(&frame(0x8100, &[0x81; 400])), None, "tags without an end");
}
