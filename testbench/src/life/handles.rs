//! Address handles and Q_Keys of a case.
use super::places::{Places, Use};
use crate::case::limits::HANDLES;
use crate::case::{Address, QKey};
use crate::Side;
use hca_golden::port::{Link, PORT};
use hca_golden::verbs::{AddressHandle, GlobalRoute};

/// Handles of the smallest profile.
const FEWEST_HANDLES: u32 = 64;
/// A handle that no profile has.
const NO_HANDLE: u32 = 0xFF_FFFF;
/// Q_Keys of a plain case, and what a changed one differs by.
const Q_KEY: u32 = 0x1122_3300;
const OTHER_Q_KEY: u32 = 0x0100_0001;

impl Places {
    /// The number of an address handle: in a row, wherever every profile has room; those behind them are beyond the
    /// limit of the smallest profile, and of any.
    pub fn handle(&self, handle: u8) -> u32 {
        let base = self.bits(Use::Handle) as u32 % (FEWEST_HANDLES - u32::from(HANDLES));
        match handle {
            0..HANDLES => base + u32::from(handle),
            HANDLES => FEWEST_HANDLES,
            _ => NO_HANDLE,
        }
    }

    /// A Q_Key for the queue pair of this number, on either side.
    pub fn q_key(&self, qp: u8, key: QKey) -> u32 {
        let right = (Q_KEY ^ self.bits(Use::QKey) as u32).wrapping_add(qp.into());
        match key {
            QKey::Right => right,
            QKey::Other => right ^ OTHER_Q_KEY,
            QKey::Wrong(bit) => right ^ 1 << (bit & 31),
        }
    }

    /// Attributes of an address handle of this side.
    pub fn address_of(&self, side: Side, a: &Address) -> AddressHandle {
        let peer = self.port(side.other());
        let roce = self.link() == Link::Roce;
        let mut dest_mac = peer.mac;
        let [high, low] = a.dlid.unwrap_or(0).to_be_bytes();
        dest_mac[4] ^= high;
        dest_mac[5] ^= low;
        let global = self.global(side);
        AddressHandle {
            pd: self.domain() ^ u32::from(a.other_domain),
            port: a.port.unwrap_or(PORT),
            dlid: match roce {
                true => 0,
                false => a.dlid.unwrap_or(self.lid(side.other(), a.qp)),
            },
            // On a RoCE link it has three bits.
            sl: a.sl.unwrap_or(self.sl() & if roce { 7 } else { 15 }),
            source_path_bits: a.path_bits.unwrap_or(self.path_bits(side, a.qp)),
            static_rate: a.static_rate.unwrap_or(0),
            global: a.global.unwrap_or(self.is_global()).then_some(GlobalRoute {
                flow_label: a.flow_label.unwrap_or(global.flow_label),
                ..global
            }),
            sgid_index: a.sgid_index.unwrap_or(0),
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
