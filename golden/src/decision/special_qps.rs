//! The queue pairs of management: each port has a QP0 and a QP1 (`link.md` section 8, CF427).
use super::partition::{QP0, QP1};

/// Number of these queue pairs of each port.
const EACH: u32 = 2;

/// Returns the number of these queue pairs of a device with this number of ports. They have the lowest QPNs.
pub fn number(ports: u8) -> u32 {
    EACH * u32::from(ports)
}

/// Returns true if the QP is one of them.
pub fn is_special(ports: u8, qpn: u32) -> bool {
    qpn < number(ports)
}

/// Returns the port whose QP0 or QP1 the QP is; `None` for any other QP.
pub fn port_of(ports: u8, qpn: u32) -> Option<u8> {
    is_special(ports, qpn).then(|| (qpn / EACH) as u8 + 1)
}

/// Returns the QPN of the QP in packets: QP0 and QP1 of every port are 0 and 1 there (AD).
pub fn in_packets(ports: u8, qpn: u32) -> u32 {
    match is_special(ports, qpn) {
        true => qpn % EACH,
        false => qpn,
    }
}

/// Returns the QPN that a DestQP names in a packet that arrives at this port; `None` if it names no QP.
pub fn named(ports: u8, port: u8, dest_qp: u32) -> Option<u32> {
    match dest_qp {
        QP0 | QP1 => Some(EACH * u32::from(port - 1) + dest_qp),
        _ if is_special(ports, dest_qp) => None,
        _ => Some(dest_qp),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_name_the_queue_pairs_of_their_port() {
        assert_eq!(
            [0, 1, 2, 3, 4].map(|dest| named(2, 1, dest)),
            [Some(0), Some(1), None, None, Some(4)]
        );
        assert_eq!(
            [0, 1, 2, 3, 4].map(|dest| named(2, 2, dest)),
            [Some(2), Some(3), None, None, Some(4)]
        );
        assert_eq!(
            [0, 1, 2, 3].map(|dest| named(1, 1, dest)),
            [Some(0), Some(1), Some(2), Some(3)]
        );
    }

    #[test]
    fn each_port_has_two() {
        assert_eq!(
            [0, 1, 2, 3, 4].map(|qpn| port_of(2, qpn)),
            [Some(1), Some(1), Some(2), Some(2), None]
        );
        assert_eq!([0, 1, 2].map(|qpn| port_of(1, qpn)), [Some(1), Some(1), None]);
        assert_eq!([0, 1, 2, 3, 4].map(|qpn| in_packets(2, qpn)), [0, 1, 0, 1, 4]);
        assert_eq!([1, 2].map(|qpn| in_packets(1, qpn)), [1, 2]);
    }
}
