//! The event queue: software must find the events that the device reported, in that order.
use super::failure::{Failure, Kind};
use super::Checked;
use crate::station::Station;
use hca_golden::verbs::HostEvent;
use std::collections::VecDeque;

/// Events that the model expects, and those that software found.
#[derive(Default)]
pub struct Events {
    pub expected: VecDeque<HostEvent>,
    found: VecDeque<HostEvent>,
    /// Compared events, for software.
    pub checked: VecDeque<HostEvent>,
}

impl Events {
    /// Events that only one of the two has, as text.
    pub fn open(&self) -> impl Iterator<Item = String> + '_ {
        let expected = self.expected.iter().map(|e| format!("EQE of {e:?}"));
        expected.chain(self.found.iter().map(|e| format!("report of {e:?}")))
    }
}

impl Checked {
    /// The next event that software has polled.
    pub fn host_event(&mut self) -> Option<HostEvent> {
        self.host_events.checked.pop_front()
    }

    pub(super) fn events_out(&mut self) -> Result<(), Box<Failure>> {
        while let Some(event) = self.device.poll_event().map_err(|fault| self.fault(fault))? {
            self.progress = self.now();
            self.host_events.found.push_back(event);
        }
        while let (Some(&expected), Some(&actual)) =
            (self.host_events.expected.front(), self.host_events.found.front())
        {
            self.host_events.expected.pop_front();
            self.host_events.found.pop_front();
            if expected != actual {
                return Err(self.failure(None, None, Kind::Event { expected, actual }));
            }
            self.host_events.checked.push_back(actual);
        }
        Ok(())
    }
}
