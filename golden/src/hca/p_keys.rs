//! What the model knows about changes of the P_Key table.
use super::arrival::OWN;
use crate::port::P_KEYS;
use std::collections::VecDeque;

/// Entries that software has written and the device does not use yet, and tables that packets under way may have met.
#[derive(Clone, Debug, Default)]
pub(super) struct PKeys {
    /// Written entries that the device does not use yet: index and P_Key, in the order of the writes.
    pub asked: VecDeque<(u16, u16)>,
    pub former: VecDeque<Former>,
}

/// A P_Key table before a change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Former {
    pub table: [u16; P_KEYS],
    /// Number of the first packet that arrives after the change.
    pub arrived: u32,
    /// Number of the first copy of an own packet that is made after the change.
    pub looped: u32,
}

impl Former {
    /// Returns true if a packet with this number may have met the table.
    pub(super) fn is_met_by(&self, packet: u32) -> bool {
        match packet & OWN {
            0 => packet < self.arrived,
            _ => packet < self.looped,
        }
    }
}
