//! Timers that have run. A device may have failed to stop one.
use std::collections::BTreeSet;

/// Moments, in picoseconds, from which timers that have run could expire.
#[derive(Default)]
pub struct Timers(BTreeSet<u64>);

impl Timers {
    /// Notes that at `now` a timer runs that may expire from `expiry` on. Timers that could expire earlier are
    /// forgotten.
    pub fn run(&mut self, now: u64, expiry: u64) {
        while self.0.first().is_some_and(|first| *first < now) {
            self.0.pop_first();
        }
        self.0.insert(expiry);
    }

    /// Returns the last expiry up to `end`.
    pub fn last_until(&self, end: u64) -> Option<u64> {
        self.0.range(..=end).next_back().copied()
    }
}
