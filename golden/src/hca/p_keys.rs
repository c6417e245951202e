//! What the model knows about changes of a P_Key table.
use super::moment::Moment;
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
    /// When the table changed. A packet before may have met it.
    pub before: Moment,
}
