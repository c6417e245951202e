//! Compares the event queue: software must find the events that the device reported, in the same order.
use super::failure::{Failure, Kind};
use super::Checked;
use crate::station::Station;
use hca_golden::verbs::HostEvent;

impl Checked {
    /// Takes the next event that software has polled.
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
