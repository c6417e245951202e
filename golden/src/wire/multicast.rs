//! Addresses of multicast groups (`ud.md` section 4).
use crate::port::Link;
use std::net::Ipv6Addr;
use std::ops::RangeInclusive;

/// Destination QP of every multicast packet.
pub const DEST_QP: u32 = 0xFF_FFFF;
/// LIDs of multicast groups.
pub const LIDS: RangeInclusive<u16> = 0xC000..=0xFFFE;

/// Returns true if a GID is that of a group. An IPv4 GID is one only on a RoCE link.
pub fn is_group(link: Link, gid: &[u8; 16]) -> bool {
    let ipv4 = Ipv6Addr::from(*gid).to_ipv4_mapped();
    gid[0] == 0xFF || link == Link::Roce && ipv4.is_some_and(|address| address.is_multicast())
}

/// Returns true if the DLID of a native packet is that of a group. `packet` begins with the LRH.
pub fn is_for_group(packet: &[u8]) -> bool {
    let dlid = packet
        .get(2..4)
        .map(|dlid| u16::from_be_bytes([dlid[0], dlid[1]]));
    dlid.is_some_and(|dlid| LIDS.contains(&dlid))
}

/// Returns true if a MAC address is one that groups map to.
pub fn is_group_mac(mac: &[u8; 6]) -> bool {
    mac.starts_with(&[0x01, 0x00, 0x5E]) || mac.starts_with(&[0x33, 0x33])
}

/// Returns the MAC address to which a group maps.
pub fn mac_of(mgid: &[u8; 16]) -> [u8; 6] {
    let [.., a, b, c, d] = *mgid;
    match Ipv6Addr::from(*mgid).to_ipv4_mapped() {
        Some(_) => [0x01, 0x00, 0x5E, b & 0x7F, c, d],
        None => [0x33, 0x33, a, b, c, d],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn groups_and_their_macs() {
        let ipv4 = |address: [u8; 4]| Ipv4Addr::from(address).to_ipv6_mapped().octets();
        let group = ipv4([239, 0x8A, 0x12, 0x34]);
        assert!(is_group(Link::Roce, &group) && !is_group(Link::InfiniBand, &group));
        assert!(!is_group(Link::Roce, &ipv4([223, 1, 2, 3])));
        assert_eq!(mac_of(&group), [0x01, 0, 0x5E, 0x0A, 0x12, 0x34]);
        let mut group = [0; 16];
        (group[0], group[1]) = (0xFF, 0x12);
        group[12..].copy_from_slice(&[0x1B, 2, 3, 4]);
        assert!(is_group(Link::InfiniBand, &group) && is_group(Link::Roce, &group));
        assert_eq!(mac_of(&group), [0x33, 0x33, 0x1B, 2, 3, 4]);
        assert!(is_group_mac(&mac_of(&group)));
        assert!(
            ![[0xFF; 6], [0x01, 0x00, 0x5F, 0, 0, 0], [0x33, 0x32, 0, 0, 0, 0]]
                .iter()
                .any(is_group_mac)
        );
    }
}
