//! Where a datagram comes from.
use hca_golden::verbs::DatagramSource;

/// Whether the source in a completion is the expected one. Neither the ICRC nor anything else in a frame without FCS
/// covers the source MAC address (`protocol/crc.md`), so it counts only on a link that corrupts no packet; the model,
/// which gets the same frame, compares it exactly on every link.
pub fn is_told(expected: DatagramSource, told: DatagramSource, corrupts: bool) -> bool {
    let source_mac = match corrupts {
        true => told.source_mac.and(expected.source_mac),
        false => told.source_mac,
    };
    DatagramSource { source_mac, ..told } == expected
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing else may differ, and a link that corrupts nothing changes no address.
    #[test]
    fn a_bit_of_the_source_mac_differs() {
        let expected = DatagramSource {
            qpn: 7,
            source_mac: Some([2, 0, 0, 0, 0, 1]),
            ..DatagramSource::default()
        };
        let told = DatagramSource {
            source_mac: Some([2, 0, 0, 0, 0, 3]),
            ..expected
        };
        assert!(is_told(expected, told, true) && !is_told(expected, told, false));
        assert!(!is_told(expected, DatagramSource { qpn: 8, ..told }, true));
        let none = DatagramSource {
            source_mac: None,
            ..told
        };
        assert!(!is_told(expected, none, true));
    }
}
