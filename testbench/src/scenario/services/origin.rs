//! The source of a datagram.
use hca_golden::verbs::DatagramSource;

/// Returns true if the source in a completion is the expected one. Neither the ICRC nor anything else in a frame
/// without FCS covers the source MAC address (`protocol/crc.md`), so it is only checked on a link that corrupts no
/// packet. The model, which gets the same frame, compares it exactly on every link.
pub fn is_reported(expected: DatagramSource, reported: DatagramSource, corrupts: bool) -> bool {
    let source_mac = match corrupts {
        true => reported.source_mac.and(expected.source_mac),
        false => reported.source_mac,
    };
    DatagramSource {
        source_mac,
        ..reported
    } == expected
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
        let reported = DatagramSource {
            source_mac: Some([2, 0, 0, 0, 0, 3]),
            ..expected
        };
        assert!(is_reported(expected, reported, true) && !is_reported(expected, reported, false));
        assert!(!is_reported(
            expected,
            DatagramSource { qpn: 8, ..reported },
            true
        ));
        let none = DatagramSource {
            source_mac: None,
            ..reported
        };
        assert!(!is_reported(expected, none, true));
    }
}
