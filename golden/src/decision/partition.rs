//! Selects the P_Key that a packet is checked against (`responder.md` section 1 step 7, `special_qps.md` section 1).
use crate::port::PortConfig;
use crate::verbs::QpAttributes;
use crate::wire::bth::Bth;

/// DestQP of subnet management. Its packets belong to no partition.
pub const QP0: u32 = 0;
/// DestQP of general services. Its packets may belong to any partition of the port.
pub const QP1: u32 = 1;
/// Bit of a P_Key that is set for a full member of the partition, which the other 15 bits name.
const FULL: u16 = 0x8000;

/// Returns true if the QP is a member of the packet's partition (CF050 to CF052), by the P_Key table of `port`, which
/// is the QP's port (CF463).
pub fn admits(port: &PortConfig, qp: &QpAttributes, bth: &Bth) -> bool {
    match bth.dest_qp {
        QP0 => true,
        QP1 => table_index(port, bth.p_key).is_some(),
        _ => p_keys_match(port.p_key(qp.p_key_index), bth.p_key),
    }
}

/// Returns the index into the port's P_Key table that the completion of this packet carries. Only completions of QP1
/// have one (`qp_cq.md` section 4, CF052).
pub fn completed_index(port: &PortConfig, bth: &Bth) -> Option<u16> {
    table_index(port, bth.p_key).filter(|_| bth.dest_qp == QP1)
}

/// Returns the index of the first matching entry (AD: the first of several).
fn table_index(port: &PortConfig, p_key: u16) -> Option<u16> {
    (0..)
        .zip(port.p_keys)
        .find_map(|(index, entry)| p_keys_match(entry, p_key).then_some(index))
}

/// Returns true if the low 15 bits are equal and not zero, and at least one side is a full member (`headers.md` section
/// 5).
fn p_keys_match(a: u16, b: u16) -> bool {
    (a ^ b) & !FULL == 0 && a & !FULL != 0 && (a | b) & FULL != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_keys() {
        assert!(p_keys_match(0xFFFF, 0xFFFF));
        assert!(p_keys_match(0x1234, 0x9234));
        assert!(!p_keys_match(0x1234, 0x1234), "two limited members");
        assert!(!p_keys_match(0x8000, 0x8000), "zero");
        assert!(!p_keys_match(0x9234, 0x9235));
    }

    #[test]
    fn entries_of_the_port() {
        let port = PortConfig {
            p_keys: [0xFFFF, 0x1234, 0, 0x9234],
            ..PortConfig::default()
        };
        assert_eq!(table_index(&port, 0x7FFF), Some(0));
        assert_eq!(table_index(&port, 0x9234), Some(1), "the first of two");
        assert_eq!(table_index(&port, 0x1234), Some(3), "limited meets full only");
        assert_eq!(table_index(&port, 0x8000), None, "an empty entry");
        assert_eq!(table_index(&port, 0x9235), None);
    }
}
