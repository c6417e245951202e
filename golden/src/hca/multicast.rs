//! Multicast packets (`ud.md` section 4): each member of the group decides about its copy.
use super::arrival::{Arrival, Sound};
use super::group::Group;
use super::moment::{sequence_of, OWN};
use super::{Hca, Output, Rule, Violation};
use crate::decision::ud::multicast::{concerns, group_of, judge, Multicast};
use crate::decision::{Ruling, Verdict};
use crate::event::DropReason;
use crate::wire::frame::Frame;
use crate::wire::multicast::mac_of;
use crate::wire::packet::Packet;
use std::collections::BTreeSet;

/// Who decides next about a packet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// One decision covers the packet.
    All,
    /// This member of its group decides about its copy.
    Member(u32),
}

/// The QPs that a packet is for.
pub(super) enum Audience {
    /// The QP with this QPN, if it exists.
    One(u32),
    /// The members of a group that the device has not decided for.
    Members(BTreeSet<u32>),
    /// No QP: the packet is dropped before.
    Nobody(Ruling),
}

impl Hca {
    /// Returns the QPs that a packet is for. The members of a group are those at the first decision.
    pub(super) fn audience(&self, sound: &Sound) -> Audience {
        let (packet, port) = (&sound.packet, sound.port);
        if self.capabilities.max_groups == 0 || !concerns(packet) {
            let nobody = Verdict::Drop(DropReason::DestQp).by("link.md section 8");
            return sound.qpn.map_or(Audience::Nobody(nobody), Audience::One);
        }
        let group = self.group(port, packet);
        let ruling = judge(&Multicast {
            port: &self.port(port).config,
            packet,
            mapped: self.is_mapped(port, packet) || sound.members.is_some(),
            known: group.is_some() || sound.members.is_some(),
            own: sound.own,
        });
        match (ruling, &sound.members, group) {
            (Some(ruling), ..) => Audience::Nobody(ruling),
            (None, Some(members), _) => Audience::Members(members.clone()),
            (None, None, group) => Audience::Members(group.map(|g| g.members.clone()).unwrap_or_default()),
        }
    }

    /// Returns the group of this port that a packet is for, if a QP is attached to it.
    fn group(&self, port: u8, packet: &Packet) -> Option<&Group> {
        let (mgid, mlid) = group_of(packet)?;
        self.groups.get(&(port, mgid)).filter(|group| group.mlid == mlid)
    }

    /// Returns true if a QP is attached to a group of this port that maps to the packet's destination MAC address.
    fn is_mapped(&self, port: u8, packet: &Packet) -> bool {
        let maps = |mac: [u8; 6]| {
            let mut groups = self.groups.keys().filter(|(of, _)| *of == port);
            groups.any(|(_, mgid)| mac_of(mgid) == mac)
        };
        packet.roce().is_none_or(|roce| maps(roce.ethernet.destination))
    }

    /// Follows the event that the copy of a multicast packet for a member of its group is dropped.
    pub(super) fn drop_copy(
        &mut self,
        number: u32,
        qpn: u32,
        reason: DropReason,
    ) -> Result<Vec<Output>, Violation> {
        if let Some(Arrival::Sound(sound)) = self.arrivals.get(&number) {
            if !matches!(self.audience(sound), Audience::Members(_)) {
                let expected = format!("no copy of packet {number}, which is for no group");
                return Err(Rule::Decision.broken(qpn, expected, format!("dropped a copy for {reason:?}")));
            }
        }
        self.decide(number, Some(qpn), None, Verdict::Drop(reason))
    }

    /// Returns the QP whose decision about a packet the model takes next; `None` if each QP has to decide about another
    /// packet first.
    pub(super) fn next_to_decide(&self, number: u32, arrival: &Arrival) -> Option<Next> {
        let Arrival::Sound(sound) = arrival else {
            return Some(Next::All);
        };
        let port = self.port(sound.port);
        if !port.gate(number).0 || !port.vl_gate(number).0 {
            return Some(Next::All);
        }
        let free = |qpn: &u32| self.earlier(number, arrival, *qpn).is_none();
        match self.audience(sound) {
            Audience::Nobody(_) => Some(Next::All),
            Audience::One(qpn) => free(&qpn).then_some(Next::All),
            Audience::Members(members) => members.into_iter().find(free).map(Next::Member),
        }
    }

    /// Returns an earlier packet for the same QP that the device has not decided about. Packets from the links of two
    /// ports, and copies of own packets, have no order among each other.
    pub(super) fn earlier(&self, number: u32, arrival: &Arrival, qpn: u32) -> Option<u32> {
        let is_request = arrival.lane().is_none_or(|(_, response)| !response);
        let first = sequence_of(number);
        let mut before = self.arrivals.range(first..number);
        let meets = |other: &Arrival| {
            let same_lane = other.lane() == arrival.lane() && other.lane() == Some((qpn, !is_request));
            same_lane || is_request && self.is_copied_to(other, qpn)
        };
        let found = before.find(|(_, other)| meets(other));
        found.map(|(&number, _)| number)
    }

    /// Returns true if this member of the group has not decided about the packet yet, whether it came from the link or
    /// from the port itself.
    fn is_copied_to(&self, arrival: &Arrival, qpn: u32) -> bool {
        let Arrival::Sound(sound) = arrival else {
            return false;
        };
        matches!(self.audience(sound), Audience::Members(members) if members.contains(&qpn))
    }

    /// Returns true if a member of a group has not decided about a copy of a datagram that its own port sent.
    pub fn awaits_own_copy(&self) -> bool {
        self.arrivals.range(OWN..).next().is_some()
    }

    /// Copies a datagram that has left by this port to the other members of its group (`ud.md` section 4.3).
    pub(super) fn loop_back(&mut self, port: u8, sender: u32, bytes: &[u8]) {
        let link = self.port(port).config.link;
        let Some(packet) = Frame::decode(link, bytes).ok().and_then(Frame::packet) else {
            return;
        };
        let group = self.group(port, &packet).filter(|_| concerns(&packet));
        let mut members = group.map(|group| group.members.clone()).unwrap_or_default();
        members.remove(&sender);
        if members.is_empty() || !self.is_mapped(port, &packet) {
            return;
        }
        let number = OWN | self.looped;
        let copy = Arrival::of_own(port, packet, bytes, members);
        if let Arrival::Sound(sound) = &copy {
            if matches!(self.audience(sound), Audience::Members(_)) {
                self.looped = (self.looped + 1) & !OWN;
                self.arrivals.insert(number, copy);
            }
        }
    }
}
