//! Room in the buffers of the VLs (`link.md` section 5).
use super::arrival::{Arrival, Discarded};
use super::{Hca, Port};
use crate::decision::{Ruling, Verdict};
use crate::event::DropReason;
use crate::wire::lrh::MANAGEMENT_VL;

/// Size of the buffer of VL 15 in blocks: two SMPs.
const MANAGEMENT_BLOCKS: u16 = 10;

/// Whether an arriving packet found room in the buffer of its VL. The device reports only its verdict on the packet, so
/// the model may not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    Found,
    Lacked,
    /// The packet may have found none, and also fails a check with the same reason.
    Unclear,
}

impl Port {
    /// Returns true if an arriving packet of this load may find no room, because the undecided packets of its VL fill
    /// the buffer. The device may already have freed the room of some of them.
    pub(super) fn may_overrun(&self, load: (u8, u16)) -> bool {
        let before = self.states.meetings.values();
        self.is_too_much(load, before.map(|meeting| meeting.load))
    }

    /// Returns true if an arriving packet of this load finds no room, because the undecided packets of its VL that
    /// found some fill the buffer.
    pub(super) fn overruns(&self, load: (u8, u16)) -> bool {
        let stored = self.states.meetings.values().filter(|meeting| !meeting.overruns);
        self.is_too_much(load, stored.map(|meeting| meeting.load))
    }

    /// Returns true if a buffer with packets of the loads `before` has no room for `load`.
    fn is_too_much(&self, load: (u8, u16), before: impl Iterator<Item = (u8, u16)>) -> bool {
        let same_vl = before.chain([load]).filter(|other| other.0 == load.0);
        let taken: u32 = same_vl.map(|other| u32::from(other.1)).sum();
        let buffer = match load.0 {
            MANAGEMENT_VL => MANAGEMENT_BLOCKS,
            _ => self.capabilities.receive_blocks,
        };
        self.is_flow_controlled() && taken > u32::from(buffer)
    }

    /// Returns the model's own ruling on a packet that finds no room.
    pub(super) fn own_overrun(&self, number: u32) -> Option<Ruling> {
        let overruns = self.states.meetings.get(&number)?.overruns;
        self.overrun(number).filter(|_| overruns)
    }

    /// Returns the drop of a packet that may have found no room.
    pub(super) fn overrun(&self, number: u32) -> Option<Ruling> {
        let meeting = self.states.meetings.get(&number)?;
        let reason = match meeting.load.0 {
            MANAGEMENT_VL => DropReason::Vl15,
            _ => DropReason::Overrun,
        };
        let drop = Verdict::Drop(reason).by("link.md section 9, CF283, CF452");
        meeting.may_overrun.then_some(drop)
    }

    /// Returns what the verdict on a packet says about its room.
    pub(super) fn room(&self, number: u32, arrival: &Arrival, verdict: Verdict) -> Room {
        let lacked = self
            .overrun(number)
            .is_some_and(|ruling| ruling.verdict == verdict);
        let fails = match arrival {
            Arrival::Malformed(Discarded { malformed, .. }) => Verdict::Drop(malformed.reason) == verdict,
            Arrival::Sound(_) => false,
        };
        match (lacked, fails) {
            (false, _) => Room::Found,
            (true, false) => Room::Lacked,
            (true, true) => Room::Unclear,
        }
    }
}

impl Hca {
    /// Makes host memory answer nothing while `is_held`, so that the model makes no choice, and arriving packets fill
    /// the buffers of the VLs.
    pub fn hold_memory(&mut self, is_held: bool) {
        self.ports
            .iter_mut()
            .for_each(|port| port.waits_for_memory = is_held);
    }

    pub(super) fn waits_for_memory(&self) -> bool {
        self.ports.iter().any(|port| port.waits_for_memory)
    }
}
