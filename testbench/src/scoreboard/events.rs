//! The events that the model expects.
use hca_golden::verbs::HostEvent;
use std::collections::VecDeque;

/// The events that the model expects, and those that software found.
#[derive(Default)]
pub struct Events {
    pub expected: VecDeque<HostEvent>,
    pub(super) found: VecDeque<HostEvent>,
    /// Compared events, for software to take.
    pub checked: VecDeque<HostEvent>,
}

impl Events {
    /// Returns, as text, the events that only one of device and model has.
    pub fn open(&self) -> impl Iterator<Item = String> + '_ {
        let expected = self.expected.iter().map(|e| format!("EQE of {e:?}"));
        expected.chain(self.found.iter().map(|e| format!("report of {e:?}")))
    }
}
