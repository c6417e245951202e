//! Link packets that arrived at a native port and that the device may not have looked at yet (`link.md` section 4.1).
use super::lanes::{LATE, WAITING};
use super::met::Met;
use super::port_states::Meeting;
use super::Port;
use crate::decision::credits::{beyond, further};
use crate::decision::link_packet::{self, Facts, Fate};
use crate::port::PortState;
use crate::verbs::{PortCounter, QueueSide};
use crate::wire::flow_control::{Defect, FlowControl, Op};

impl Port {
    /// Returns what becomes of a link packet by the largest and by the least number of VLs that may be operational.
    pub(super) fn fates(&self, packet: Result<FlowControl, Defect>) -> [Fate; 2] {
        let (least, most) = self.possible_vls().into_inner();
        [most, least].map(|operational| {
            let facts = Facts {
                packet,
                state: self.states.of(QueueSide::Receive),
                supported: self.capabilities.data_vls,
                operational,
            };
            link_packet::judge(&facts).0
        })
    }

    /// Counts a link packet with these fates if it is an error, and remembers it until the device has looked at it.
    pub(super) fn meet_link_packet(&mut self, packet: Result<FlowControl, Defect>, fates: [Fate; 2]) {
        let is_error = fates.map(|fate| fate == Fate::Error);
        match is_error {
            [true, true] => self.counters.count(PortCounter::RcvErrors),
            [false, false] => {}
            _ => self.counters.perhaps(PortCounter::RcvErrors),
        }
        // On a stream that pauses, it waits behind the packets before it.
        let longest = if self.states.meetings.is_empty() {
            LATE
        } else {
            WAITING
        };
        let now = self.now;
        self.met.retain(|met| now < met.until);
        self.met.push(Met {
            packet,
            next: self.next_number(),
            until: now + longest,
            ahead: 0,
            limits: Vec::new(),
            is_counted: is_error == [true, true],
            is_unclear: is_error[0] != is_error[1],
        });
    }

    /// Notes that the port has another state, or another number of operational VLs, which may change the fate of link
    /// packets that the device has not looked at.
    pub(super) fn link_packets_may_differ(&mut self) {
        let now = self.now;
        let mut all = std::mem::take(&mut self.met);
        all.retain(|met| now < met.until);
        for met in &mut all {
            let fates = self.fates(met.packet);
            if fates.contains(&Fate::Restart) {
                self.states.perhaps.push_back((met.until, PortState::Down));
            }
            let is_error = fates.contains(&Fate::Error);
            if is_error == met.is_counted || met.is_unclear {
                continue;
            }
            met.is_unclear = true;
            if met.is_counted {
                self.counters.take_back(PortCounter::RcvErrors);
            }
            self.counters.perhaps(PortCounter::RcvErrors);
        }
        self.met = all;
        self.find_missed();
    }

    /// Finds what came before the port entered Init (`restarts`), or before it could be taken, and may count from now
    /// on: flow-control packets that the device may not have looked at, and as the port begins anew the packets that
    /// the device has not decided about, from one of them on.
    pub(super) fn find_belated(&mut self, restarts: bool) {
        let now = self.now;
        for (vl, lane) in (0..).zip(&mut self.lanes.lanes) {
            let counts = |meeting: &Meeting| meeting.is_whole && meeting.load.0 == vl;
            let blocks_from = |from: u32| {
                let behind = self.states.meetings.range(from..);
                let counted = behind.filter(|(_, meeting)| counts(meeting));
                counted.fold(0, |sum, (_, meeting)| further(sum, meeting.load.1))
            };
            let each = self.states.meetings.iter();
            let of_packets = each
                .filter(|(_, meeting)| restarts && counts(meeting))
                .map(|(number, _)| blocks_from(*number));
            let of_vl = |met: &&Met| now < met.until && met.packet.is_ok_and(|packet| packet.vl == vl);
            let of_links = self.met.iter().filter(of_vl).filter_map(|met| {
                let fctbs = met.packet.ok()?.fctbs;
                Some(beyond(lane.received, further(fctbs, blocks_from(met.next))))
            });
            let found: Vec<u16> = of_packets.chain(of_links).collect();
            lane.belated.add(found);
        }
    }

    /// Notes that the latest link packet set the count of its VL right, which was `ahead` blocks higher before, and
    /// replaced these limits.
    pub(super) fn met_ahead(&mut self, ahead: u16, limits: Vec<Option<u16>>) {
        if let Some(met) = self.met.last_mut() {
            (met.ahead, met.limits) = (ahead, limits);
        }
    }

    /// Finds the blocks by which the device's counts may stay higher, and the limits by which it may go, until another
    /// flow-control packet comes: it may not take the latest ones, one or several, because of the port's present state
    /// or number of operational VLs.
    fn find_missed(&mut self) {
        let now = self.now;
        let is_missed = |met: &Met| {
            let takes = |fate: &Fate| matches!(fate, Fate::Taken | Fate::Restart);
            !self.fates(met.packet).iter().all(takes)
        };
        let unlooked = self.met.iter().filter(|met| now < met.until).cloned();
        let (missed, others): (Vec<Met>, Vec<Met>) = unlooked.partition(is_missed);
        for (vl, lane) in (0..).zip(&mut self.lanes.lanes) {
            let of_vl = |met: &&Met| met.packet.is_ok_and(|packet| packet.vl == vl);
            let numbers = |all: &[Met]| all.iter().filter(of_vl).map(|met| met.next).collect::<Vec<u32>>();
            lane.belated.may_stay(&numbers(&missed), &numbers(&others));
            let mut ahead = 0;
            let mut found = Vec::new();
            for met in missed.iter().rev().filter(of_vl) {
                ahead = further(ahead, met.ahead);
                found.extend(Some(ahead).filter(|blocks| *blocks > 0));
                lane.unsure.extend(&met.limits);
            }
            lane.belated.add(found);
        }
        let initialises = |met: &&Met| met.packet.is_ok_and(|packet| packet.op() == Some(Op::Initialise));
        if let Some(until) = missed.iter().filter(initialises).map(|met| met.until).max() {
            // The device may not find that the neighbour has restarted, unless another packet says so, too.
            let restarts = |met: &Met| now < met.until && self.fates(met.packet) == [Fate::Restart; 2];
            if self.states.restarts && !self.met.iter().any(restarts) {
                self.states.restarts = false;
                self.states.may_restart = self.states.may_restart.max(until);
            }
        }
    }

    /// Permits the device to go by the limits of flow-control packets that it may not have looked at yet.
    pub(super) fn find_belated_limits(&mut self) {
        let now = self.now;
        for met in self.met.iter().filter(|met| now < met.until) {
            let packet = met.packet.ok();
            let lane = packet.and_then(|packet| self.lanes.lanes.get_mut(usize::from(packet.vl)));
            if let (Some(lane), Some(packet)) = (lane, packet) {
                lane.replaced.push_back((now, packet.fccl));
            }
        }
    }

    /// Forgets the link packets before this packet, about which the device has decided. Once it has decided about all
    /// packets, it looks soon at the link packets behind them.
    pub(super) fn forget_link_packets(&mut self, number: u32) {
        self.met.retain(|met| number < met.next);
        if self.states.meetings.is_empty() {
            let soon = self.now + LATE;
            self.states.may_restart = self.states.may_restart.min(soon);
            for met in &mut self.met {
                met.until = met.until.min(soon);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks that arrived on VL 1, as the port of [`that_met`] counts them at first.
    const ARRIVED: u16 = 10;

    /// A port whose neighbour sent flow-control packets of VL 1 with these FCTBS.
    fn that_met(fctbs: &[u16]) -> Port {
        let mut port = Port::flow_controlled();
        port.lanes.lanes[1].receive(ARRIVED, 0);
        port.lanes.lanes[1].earlier.clear();
        for &fctbs in fctbs {
            let (op, vl, fccl) = (0, 1, 64);
            let packet = FlowControl { op, fctbs, vl, fccl };
            port.receive_link(&packet.encode().unwrap());
            // What remains is what a packet that is not taken makes possible.
            port.lanes.lanes[1].earlier.clear();
        }
        port
    }

    /// Such a port, whose cable was pulled then.
    fn that_lost_its_link(fctbs: &[u16]) -> Port {
        let mut port = that_met(fctbs);
        port.set_link(false);
        port.port_modified(QueueSide::Receive, PortState::ActiveDefer)
            .unwrap();
        port
    }

    /// Returns which of these counts of VL 1 a device may have.
    fn possible(port: &Port, counts: [u16; 4]) -> [bool; 4] {
        counts.map(|count| port.lanes.lanes[1].may_promise(count, 0))
    }

    #[test]
    fn a_port_without_its_link_may_miss_one_flow_control_packet_or_several() {
        let port = that_lost_its_link(&[7, 5]);
        assert_eq!(possible(&port, [5, 7, ARRIVED, 8]), [true, true, true, false]);
    }

    #[test]
    fn a_port_without_its_link_may_miss_the_one_that_sets_right_what_came_before_init() {
        let mut port = Port::flow_controlled();
        port.lanes.lanes[1].belated.add(vec![4]);
        let (op, vl, fctbs, fccl) = (0, 1, 0, 64);
        let packet = FlowControl { op, vl, fctbs, fccl };
        port.receive_link(&packet.encode().unwrap());
        let taken = |mut port: Port| {
            let decided = port.next_number();
            port.lanes.decided(decided, 0);
            port.lanes.lanes[1].said(LATE);
            possible(&port, [0, 4, 3, 5])
        };
        assert_eq!(taken(port.clone()), [true, false, false, false]);
        port.set_link(false);
        port.port_modified(QueueSide::Receive, PortState::ActiveDefer)
            .unwrap();
        assert_eq!(taken(port), [true, true, false, false]);
    }

    #[test]
    fn a_vl_that_may_be_idle_may_miss_it_too() {
        let mut port = Port::flow_controlled();
        port.lanes.lanes[1].belated.add(vec![4]);
        port.vls_may_be(1);
        let (op, vl, fctbs, fccl) = (0, 1, 0, 64);
        let packet = FlowControl { op, vl, fctbs, fccl };
        port.receive_link(&packet.encode().unwrap());
        let decided = port.next_number();
        port.lanes.decided(decided, 0);
        port.lanes.lanes[1].said(LATE);
        assert_eq!(possible(&port, [0, 4, 3, 5]), [true, true, false, false]);
    }

    #[test]
    fn a_vl_that_is_no_longer_operational_may_miss_them_too() {
        let mut port = that_met(&[7, 5]);
        assert_eq!(possible(&port, [5, 7, ARRIVED, 8]), [true, false, false, false]);
        port.set_data_vls(1);
        assert_eq!(possible(&port, [5, 7, ARRIVED, 8]), [true, true, true, false]);
    }

    #[test]
    fn a_vl_that_may_be_idle_may_miss_one_after_another() {
        let mut port = Port::flow_controlled();
        port.vls_may_be(1);
        for came in [5, 3] {
            port.lanes.lanes[1].receive(came, 0);
            let (op, vl, fctbs, fccl) = (0, 1, 0, 64);
            let packet = FlowControl { op, vl, fctbs, fccl };
            port.receive_link(&packet.encode().unwrap());
            port.lanes.lanes[1].earlier.clear();
        }
        assert_eq!(possible(&port, [0, 3, 8, 4]), [true, true, true, false]);
    }

    #[test]
    fn a_restart_of_the_neighbour_may_be_missed() {
        let initialise = |vl| {
            let (op, fctbs, fccl) = (1, 0, 64);
            FlowControl { op, vl, fctbs, fccl }.encode().unwrap()
        };
        let mut port = that_met(&[]);
        port.receive_link(&initialise(1));
        assert!(port.is_port_changing());
        port.set_data_vls(1);
        assert!(port
            .clone()
            .port_modified(QueueSide::Receive, PortState::Down)
            .is_ok());
        port.now += WAITING;
        assert!(!port.is_port_changing());
        // VL 0 stays operational.
        let mut port = that_met(&[]);
        port.receive_link(&initialise(1));
        port.receive_link(&initialise(0));
        port.set_data_vls(1);
        port.now += WAITING;
        assert!(port.is_port_changing());
    }

    #[test]
    fn a_limit_that_may_be_missed_lets_no_packet_start_for_sure() {
        // One block on VL 1.
        let mut packet = [0; 26];
        packet[0] = 0x10;
        let mut port = that_met(&[ARRIVED]);
        assert!(port.surely_starts(&packet));
        port.set_data_vls(1);
        port.set_data_vls(2);
        assert!(port.may_start(&packet) && !port.surely_starts(&packet));
        let (op, vl, fctbs, fccl) = (0, 1, ARRIVED, 64);
        let again = FlowControl { op, vl, fctbs, fccl };
        port.receive_link(&again.encode().unwrap());
        assert!(port.surely_starts(&packet));
    }

    #[test]
    fn a_limit_that_may_come_to_an_idle_vl_lets_no_packet_start_for_sure() {
        let mut packet = [0; 26];
        packet[0] = 0x10;
        let mut port = Port::flow_controlled();
        port.vls_may_be(1);
        let (op, vl, fctbs, fccl) = (0, 1, 0, 64);
        let limit = FlowControl { op, vl, fctbs, fccl };
        port.receive_link(&limit.encode().unwrap());
        assert!(port.may_start(&packet) && !port.surely_starts(&packet));
    }

    #[test]
    fn a_flow_control_packet_that_confirms_the_count_may_be_missed_unseen() {
        let port = that_lost_its_link(&[ARRIVED]);
        assert_eq!(possible(&port, [ARRIVED, 0, 7, 11]), [true, false, false, false]);
        assert!(port.lanes.lanes[1].belated.is_empty());
    }
}
