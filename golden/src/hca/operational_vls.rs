//! How many data VLs of a native port are operational, also while software changes their number (`link.md` section 3).
use super::former_vls::Former;
use super::lanes::LATE;
use super::port_states::Meeting;
use super::Port;
use crate::decision::{Ruling, Verdict};
use crate::event::DropReason;
use crate::port::{Link, PortConfig};
use crate::wire::check::native::AtLink;
use std::ops::RangeInclusive;

impl Port {
    /// Makes the first `data_vls` data VLs operational, for the packets that are judged, or leave, from then on. A
    /// value of 0, or one above the port's number of VLs, changes nothing.
    pub fn set_data_vls(&mut self, data_vls: u8) {
        if !(1..=self.capabilities.data_vls).contains(&data_vls) {
            return;
        }
        self.config.data_vls = data_vls;
        for meeting in self.states.meetings.values_mut() {
            meeting.operational = joined(&meeting.operational, data_vls);
        }
        self.link_packets_may_differ();
        self.find_belated(false);
        self.find_belated_limits();
    }

    /// Returns the number of operational data VLs.
    pub fn data_vls(&self) -> u8 {
        self.config.data_vls
    }

    /// Notes that the device may go by an earlier number of operational VLs until
    /// [`vls_stand`](Self::vls_stand) (AD).
    pub fn vls_may_be(&mut self, data_vls: u8) {
        let until = None;
        self.former_vls.push(Former { data_vls, until });
    }

    /// Notes that the device has the present number of operational VLs. What was under way may have met an earlier one.
    pub fn vls_stand(&mut self) {
        let now = self.now;
        self.former_vls
            .retain(|former| former.until.is_none_or(|until| now < until));
        for former in &mut self.former_vls {
            former.until.get_or_insert(now + LATE);
        }
    }

    /// Returns the least and the largest number of operational VLs that the device may go by.
    pub(super) fn possible_vls(&self) -> RangeInclusive<u8> {
        let own = self.config.data_vls..=self.config.data_vls;
        let current = |former: &&Former| former.until.is_none_or(|until| self.now < until);
        let former = self.former_vls.iter().filter(current);
        former.fold(own, |range, former| joined(&range, former.data_vls))
    }

    /// Returns true if the device may let this native packet leave, or may not, because of its VL.
    pub fn is_unclear(&self, bytes: &[u8]) -> bool {
        let (least, most) = self.possible_vls().into_inner();
        let vl = bytes.first().map_or(0, |first| first >> 4);
        self.config.link == Link::InfiniBand && (least..most).contains(&vl)
    }

    /// Returns the settings of the port as if all its data VLs were operational.
    pub(super) fn with_all_vls(&self) -> PortConfig {
        let data_vls = self.capabilities.data_vls;
        PortConfig {
            data_vls,
            ..self.config
        }
    }

    /// Returns the data VL of an arriving packet that the check of its VL sees (`link.md` section 9 row 6).
    pub(super) fn checked_vl(&self, bytes: &[u8]) -> Option<u8> {
        let without = PortConfig {
            data_vls: 0,
            ..self.config
        };
        let passes = |port: &PortConfig| matches!(AtLink::of(bytes, port), AtLink::Received { .. });
        let is_seen = passes(&self.with_all_vls()) && !passes(&without);
        bytes.first().filter(|_| is_seen).map(|first| first >> 4)
    }

    /// Returns whether the VL of an arriving packet may be operational, and the ruling that may drop the packet because
    /// it may not be.
    pub(super) fn vl_gate(&self, number: u32) -> (bool, Option<Ruling>) {
        let Some((vl, meeting)) = self.states.meetings.get(&number).and_then(|m| Some((m.vl?, m))) else {
            return (true, None);
        };
        let drop = Verdict::Drop(DropReason::Vl).by("link.md section 9, CF456");
        let may_be_idle = vl >= *meeting.operational.start();
        (vl < *meeting.operational.end(), may_be_idle.then_some(drop))
    }
}

/// Returns the range that contains this one and the number.
fn joined(range: &RangeInclusive<u8>, number: u8) -> RangeInclusive<u8> {
    number.min(*range.start())..=number.max(*range.end())
}

impl Meeting {
    /// Returns how the port counts the packet, if it drops it because of its VL or not.
    pub(super) fn counted(&self, is_idle: bool) -> AtLink {
        match is_idle {
            true => AtLink::Error,
            false => self.at_link,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verbs::PortCounter;
    use crate::wire::flow_control::FlowControl;

    /// A flow-control packet of VL 1.
    fn packet() -> Vec<u8> {
        let (op, fctbs, vl, fccl) = (0, 7, 1, 64);
        FlowControl { op, fctbs, vl, fccl }.encode().unwrap()
    }

    fn errors(port: &Port) -> RangeInclusive<u32> {
        port.port_counter_range(PortCounter::RcvErrors)
    }

    #[test]
    fn what_is_under_way_may_meet_either_number() {
        let mut port = Port::flow_controlled();
        port.set_data_vls(1);
        port.vls_may_be(2);
        assert_eq!(port.possible_vls(), 1..=2);
        assert!(port.is_unclear(&[0x10]) && !port.is_unclear(&[0x00]));
        port.receive_link(&packet());
        assert_eq!(errors(&port), 0..=1);
        port.vls_stand();
        port.now += LATE;
        assert_eq!(port.possible_vls(), 1..=1);
        port.receive_link(&packet());
        assert_eq!(errors(&port), 1..=2);
    }

    #[test]
    fn a_link_packet_of_before_may_meet_the_number_of_after() {
        let mut port = Port::flow_controlled();
        port.receive_link(&packet());
        port.set_data_vls(1);
        assert_eq!(errors(&port), 0..=1);
        // The device has looked at it long ago.
        let mut port = Port::flow_controlled();
        port.receive_link(&packet());
        port.now += LATE;
        port.set_data_vls(1);
        assert_eq!(errors(&port), 0..=0);
    }
}
