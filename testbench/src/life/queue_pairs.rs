//! The numbers, the ports and the completion queues of a case's queue pairs.
use super::places::{Places, Use};
use crate::case::limits::{CQS, QPS};
use crate::case::SecondPort;
use hca_golden::port::FIRST;

/// Number of special queue pairs of a port.
const SPECIAL: u32 = 2;

impl Places {
    /// Returns the number of ports that the case uses.
    pub fn ports(&self) -> u8 {
        FIRST + u8::from(self.second_port.is_some())
    }

    /// Returns the port of this queue pair.
    pub(super) fn port_of(&self, qp: u8) -> u8 {
        self.second_port.map_or(FIRST, |second| second.of_qp(qp))
    }

    /// Returns the port that steps mean.
    pub(super) fn managed_port(&self) -> u8 {
        self.second_port.map_or(FIRST, SecondPort::managed)
    }

    /// Returns the QPN of this queue pair, if it is QP0 or QP1 of its port.
    fn special(&self, qp: u8) -> Option<u32> {
        let number = self.management.filter(|_| qp == QPS - 1)?;
        Some(SPECIAL * u32::from(self.port_of(qp) - FIRST) + u32::from(number))
    }

    pub(super) fn is_special(&self, qp: u8) -> bool {
        self.special(qp).is_some()
    }

    /// Returns the completion queue for this queue pair: another one if it may not use `cq`, because the last is for
    /// QP0 and QP1 only (`special_qps.md` section 1).
    pub(super) fn cq(&self, qp: u8, cq: u8) -> u8 {
        match self.management {
            None => cq,
            Some(_) if self.is_special(qp) => CQS - 1,
            Some(_) => cq % (CQS - 1),
        }
    }

    /// Returns the QPN of a queue pair that was created this often. All but those of QP0 and QP1 differ, and the index
    /// is the same in all profiles.
    pub fn qpn(&self, qp: u8, times: u32) -> u32 {
        if let Some(qpn) = self.special(qp) {
            return qpn;
        }
        let tag = self.bits(Use::Qpn) as u32;
        // Behind those of QP0 and QP1 of each port.
        let index = u32::from(qp) + SPECIAL * u32::from(self.ports());
        index | ((times ^ tag) & 0xFFFF) << 8
    }

    /// Returns the QPN of this queue pair, whose QPN is `qpn`, in packets: QP0 and QP1 of each port are 0 and 1 there.
    pub(super) fn in_packets(&self, qp: u8, qpn: u32) -> u32 {
        match self.is_special(qp) {
            true => qpn % SPECIAL,
            false => qpn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hca_golden::port::Link;
    use std::collections::BTreeSet;

    fn over_two_ports(spread: u64, management: Option<u8>, qps: u8) -> Places {
        let mut places = Places::new(Link::InfiniBand, spread);
        places.management = management;
        places.second_port = Some(SecondPort {
            qps,
            is_managed: true,
        });
        places
    }

    #[test]
    fn no_queue_pair_is_where_those_of_management_are() {
        for spread in [0, 1, 0x1234_5678, u64::MAX] {
            for (management, special) in [(None, None), (Some(0), Some(2)), (Some(1), Some(3))] {
                let places = over_two_ports(spread, management, 0b100);
                let qpns = BTreeSet::from_iter((0..QPS).map(|qp| places.qpn(qp, 1) & 0xF));
                assert_eq!(qpns.len(), usize::from(QPS), "{places:?}");
                let others = qpns.iter().filter(|qpn| **qpn < 4).copied();
                assert_eq!(Vec::from_iter(others), Vec::from_iter(special), "{places:?}");
            }
        }
    }

    #[test]
    fn special_queue_pairs_of_port_2_are_0_and_1_in_packets() {
        for number in [0, 1] {
            let places = over_two_ports(1, Some(number), 0b100);
            let qpn = places.qpn(QPS - 1, 7);
            assert_eq!((places.port_of(QPS - 1), places.managed_port()), (2, 2));
            assert_eq!(
                (qpn, places.in_packets(QPS - 1, qpn)),
                (2 + u32::from(number), number.into())
            );
            assert_eq!(places.in_packets(0, 0x104), 0x104);
        }
    }
}
