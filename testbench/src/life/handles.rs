//! Address handles, multicast groups and Q_Keys of a case.
use super::places::{Places, Use};
use crate::case::limits::{GROUPS, HANDLES};
use crate::case::{Address, QKey};
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{AddressHandle, GlobalRoute};
use hca_golden::wire::multicast::mac_of;
use std::net::Ipv4Addr;

/// Number of handles of the smallest profile.
const FEWEST_HANDLES: u32 = 64;
/// A handle that no profile has.
const NO_HANDLE: u32 = 0xFF_FFFF;
/// Numbers of groups that stand for a known GID with another LID, and for an address of no group.
const OTHER_LID: u8 = GROUPS - 2;
const NO_GROUP: u8 = GROUPS - 1;
/// Q_Keys of a plain case, and the difference of a changed one.
const Q_KEY: u32 = 0x1122_3300;
const OTHER_Q_KEY: u32 = 0x0100_0001;

impl Places {
    /// Returns the number of an address handle. The first ones follow each other, where every profile has room. Those
    /// behind them are beyond the limit of the smallest profile, and of any profile.
    pub fn handle(&self, handle: u8) -> u32 {
        let base = self.bits(Use::Handle) as u32 % (FEWEST_HANDLES - u32::from(HANDLES));
        match handle {
            0..HANDLES => base + u32::from(handle),
            HANDLES => FEWEST_HANDLES,
            _ => NO_HANDLE,
        }
    }

    /// Returns GID and LID of a multicast group. The LID is used on a native link only.
    pub fn group(&self, group: u8) -> ([u8; 16], u16) {
        let bits = self.bits(Use::Group);
        let [a, b, c, ..] = bits.to_le_bytes();
        let number = match group {
            OTHER_LID => 0,
            group => group,
        };
        let mut mgid = match self.link() {
            Link::InfiniBand => [0xFF, 0x12, a, b, c, 0, 0, 0, 0, 0, 0, 0, b, a, 0, number],
            Link::Roce => Ipv4Addr::new(224 | a & 15, b, c, number)
                .to_ipv6_mapped()
                .octets(),
        };
        if group == NO_GROUP {
            mgid[match self.link() {
                Link::InfiniBand => 0,
                Link::Roce => 12,
            }] &= 0x7F;
        }
        (mgid, 0xC000 | (bits >> 24 & 0x1FF0) as u16 | u16::from(group))
    }

    /// Returns a Q_Key for the queue pair of this number, on either side. In half of the cases all queue pairs have the
    /// same.
    pub fn q_key(&self, qp: u8, key: QKey) -> u32 {
        let common = self.bits(Use::Group) >> 63 == 1;
        let qp = if common { 0 } else { qp };
        let right = (Q_KEY ^ self.bits(Use::QKey) as u32).wrapping_add(qp.into());
        match key {
            QKey::Right => right,
            QKey::Other => right ^ OTHER_Q_KEY,
            QKey::Wrong(bit) => right ^ 1 << (bit & 31),
        }
    }

    /// Returns the attributes of an address handle of this side.
    pub fn address_of(&self, side: Side, a: &Address) -> AddressHandle {
        let peer = self.port(side.other());
        let roce = self.link() == Link::Roce;
        let group = a.group.map(|group| self.group(group));
        let mut dest_mac = group.map_or(peer.mac, |(mgid, _)| mac_of(&mgid));
        let [high, low] = a.dlid.unwrap_or(0).to_be_bytes();
        dest_mac[4] ^= high;
        dest_mac[5] ^= low;
        let global = self.global(side);
        AddressHandle {
            pd: self.domain() ^ u32::from(a.other_domain),
            port: a.port.unwrap_or(self.port_of(a.qp)),
            dlid: match roce {
                true => 0,
                false => a.dlid.unwrap_or(match group {
                    Some((_, mlid)) => mlid,
                    None => self.lid(side.other(), a.qp),
                }),
            },
            // On a RoCE link the SL has three bits.
            sl: a.sl.unwrap_or(self.sl(a.qp) & if roce { 7 } else { 15 }),
            source_path_bits: a.path_bits.unwrap_or(self.path_bits(side, a.qp)),
            static_rate: a.static_rate.unwrap_or(0),
            global: a
                .global
                .unwrap_or(group.is_some() || self.is_global())
                .then_some(GlobalRoute {
                    dgid: group.map_or(global.dgid, |(mgid, _)| mgid),
                    flow_label: a.flow_label.unwrap_or(global.flow_label),
                    ..global
                }),
            sgid_index: a.sgid_index.unwrap_or(self.sgid_index(side)),
            dest_mac: roce.then_some(dest_mac),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::limits::{HANDLE_NUMBERS, QPS};
    use hca_golden::capabilities::Capabilities;
    use hca_golden::hca::Hca;
    use hca_golden::wire::multicast::{is_group, LIDS};

    const SPREADS: [u64; 4] = [0, 1, 0x1234_5678, u64::MAX];

    #[test]
    fn handles_differ_and_only_the_last_numbers_are_beyond_the_limit() {
        for places in SPREADS.map(|spread| Places::new(Link::InfiniBand, spread)) {
            let handles: Vec<u32> = (0..HANDLE_NUMBERS).map(|n| places.handle(n)).collect();
            for (n, handle) in handles.iter().enumerate() {
                assert!(!handles[..n].contains(handle), "{places:?}");
                assert_eq!(*handle < FEWEST_HANDLES, n < HANDLES.into(), "{places:?}");
            }
        }
    }

    #[test]
    fn a_wrong_q_key_is_no_other_right_one() {
        for places in SPREADS.map(|spread| Places::new(Link::InfiniBand, spread)) {
            for qp in 0..QPS {
                let right = places.q_key(qp, QKey::Right);
                assert_ne!(places.q_key(qp, QKey::Other), right, "{places:?}");
                assert_eq!(places.q_key(qp, QKey::Wrong(31)), right ^ 1 << 31, "{places:?}");
            }
        }
    }

    #[test]
    fn groups_differ_and_only_the_last_number_is_none() {
        for link in [Link::InfiniBand, Link::Roce] {
            for places in SPREADS.map(|spread| Places::new(link, spread)) {
                let groups: Vec<_> = (0..GROUPS).map(|n| places.group(n)).collect();
                for (n, (mgid, mlid)) in groups.iter().enumerate() {
                    let of_a_group = is_group(link, mgid);
                    assert_eq!(of_a_group, n != usize::from(NO_GROUP), "{places:?}");
                    assert!(LIDS.contains(mlid), "{places:?}");
                    let before = &groups[..n];
                    assert!(!before.iter().any(|(_, other)| other == mlid), "{places:?}");
                    let known = before.iter().any(|(other, _)| other == mgid);
                    assert_eq!(known, n == usize::from(OTHER_LID), "{places:?}");
                }
            }
        }
    }

    #[test]
    fn the_peers_address_is_legal_on_either_link() {
        for link in [Link::InfiniBand, Link::Roce] {
            for places in SPREADS.map(|spread| Places::new(link, spread)) {
                for side in Side::BOTH {
                    let mut hca = Hca::with(places.port(side), Capabilities::HARDWARE);
                    let address = places.address_of(side, &Address::default());
                    assert_eq!(hca.create_ah(places.handle(0), address), Ok(()), "{places:?}");
                    let nowhere = places.address_of(
                        side,
                        &Address {
                            port: Some(2),
                            ..Address::default()
                        },
                    );
                    assert!(hca.create_ah(places.handle(1), nowhere).is_err(), "{places:?}");
                }
            }
        }
    }
}
