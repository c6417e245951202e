//! The virtual lane of a packet that leaves a native port (`link.md` section 3).
use super::partition::QP0;
use crate::port::PortConfig;
use crate::wire::lrh::MANAGEMENT_VL;

/// Returns true if a packet of this QP may leave on this VL: SMPs, and only they, on VL 15; other packets on a VL that
/// is operational (CF266, CF455).
pub fn may_leave(port: &PortConfig, qpn: u32, vl: u8) -> bool {
    match qpn {
        QP0 => vl == MANAGEMENT_VL,
        _ => vl < port.data_vls,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vl_that_is_not_operational_carries_nothing() {
        let port = PortConfig {
            data_vls: 4,
            ..PortConfig::default()
        };
        let carries = |qpn| {
            (0..16)
                .filter(|&vl| may_leave(&port, qpn, vl))
                .collect::<Vec<u8>>()
        };
        assert_eq!(carries(0x12), [0, 1, 2, 3]);
        assert_eq!(carries(QP0), [15]);
    }
}
