//! What of a device's work is open, and when its rest is a stall.
use super::failure::{Failure, Kind};
use super::Checked;
use crate::station::Station;

impl Checked {
    /// Returns everything that still has to happen, as text.
    pub(super) fn all_open_work(&self) -> Vec<String> {
        let mut open: Vec<String> = self.model.due().iter().map(ToString::to_string).collect();
        open.extend(self.verbs.names());
        open.extend(self.packets.open(self.link));
        open.extend(self.host_events.open());
        if self.polls {
            open.extend(self.completions.open());
        }
        open
    }

    /// Returns true if something still has to happen. It is asked in every clock cycle of a device that rests.
    pub(super) fn has_open_work(&self) -> bool {
        self.verbs.open() > 0
            || self.packets.open(self.link).next().is_some()
            || self.host_events.open().next().is_some()
            || (self.polls && !self.completions.open().is_empty())
            || self.model.is_due()
    }

    /// Advances the model's clock. If a timer has expired now, the device's time to act on it starts here.
    pub(super) fn advance(&mut self) {
        let now = self.now() * self.period;
        self.model.advance_to(now);
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.progress = self.now();
            self.deadline = self.model.deadline();
        }
    }

    /// Fails if something is due, because nothing has happened for longer than the patience.
    pub(super) fn stalled(&mut self) -> Result<(), Box<Failure>> {
        if self.waits_for_turns() {
            return self.undecided();
        }
        if let Some(failure) = self.refused_without_output() {
            return Err(failure);
        }
        if self.polls {
            self.completions_out()?;
        }
        let due = self.all_open_work();
        if due.is_empty() {
            return Ok(());
        }
        let cycles = self.now() - self.progress;
        Err(self.failure(None, None, Kind::Stalled { cycles, due }))
    }

    /// Fails if packets that have arrived wait as long as those that are to leave: no decision waits for credits
    /// (`link.md` section 5, CF549).
    fn undecided(&self) -> Result<(), Box<Failure>> {
        let due: Vec<String> = self.model.undecided().map(|due| due.to_string()).collect();
        if due.is_empty() {
            return Ok(());
        }
        let cycles = self.now() - self.progress;
        Err(self.failure(None, None, Kind::Stalled { cycles, due }))
    }
}
