//! The progress line, which is drawn on a terminal only.
use crate::fuzz::record::Record;
use crate::scoreboard::requirement::{Rows, ROWS};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Least time of a build that is worth a message; a build from the cache takes less.
const WORTH_TELLING: Duration = Duration::from_secs(5);

/// The counts while cases run.
pub struct Progress {
    bar: ProgressBar,
    begun: Instant,
    /// The part of that time that went into builds.
    building: Duration,
    cases: u64,
    packets: u64,
    /// Counts of this run only, for its rate.
    fresh: (u64, u64),
    rows: Rows,
    failures: BTreeSet<String>,
}

impl Progress {
    /// Makes the progress line.
    pub fn new() -> Progress {
        let style = ProgressStyle::with_template("{spinner} {msg}");
        // The bar draws nothing if standard error is not a terminal.
        let bar =
            ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress {
            bar,
            begun: Instant::now(),
            building: Duration::ZERO,
            cases: 0,
            packets: 0,
            fresh: (0, 0),
            rows: Rows::default(),
            failures: BTreeSet::new(),
        }
    }

    /// Counts a case that was done in an earlier run.
    pub fn before(&mut self, record: &Record) {
        self.cases += 1;
        self.packets += record.packets;
        self.rows.add(&record.rows);
        self.failures.extend(record.differed.clone());
    }

    /// Notes that this much of the time went into building simulations.
    pub fn built(&mut self, time: Duration) {
        self.building += time;
    }

    /// Returns the number of seconds in which cases ran.
    fn seconds(&self) -> f64 {
        let running = self.begun.elapsed().saturating_sub(self.building);
        running.as_secs_f64().max(0.001)
    }

    /// Counts a case of this run.
    pub fn done(&mut self, record: &Record) {
        self.before(record);
        self.fresh.0 += 1;
        self.fresh.1 += record.packets;
        self.bar.set_message(format!(
            "{} cases, {} packets, {:.0} packets/s, {} of {ROWS} requirements came up, {} faults",
            self.cases,
            self.packets,
            self.fresh.1 as f64 / self.seconds(),
            self.rows.len(),
            self.failures.len(),
        ));
    }

    /// Returns true if a case differed.
    pub fn failed(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Calls `write`, whose output appears above the line.
    pub fn above<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Removes the line. Returns the speed in words.
    pub fn end(self) -> String {
        self.bar.finish_and_clear();
        let seconds = self.seconds();
        let (cases, packets) = self.fresh;
        let speed = packets as f64 / seconds;
        let mut words =
            format!("{cases} cases and {packets} packets in {seconds:.1} s: {speed:.0} packets/s");
        if self.building >= WORTH_TELLING {
            let built = self.building.as_secs_f64();
            words += &format!(", beside {built:.1} s of building");
        }
        words
    }
}
