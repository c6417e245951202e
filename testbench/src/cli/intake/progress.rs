//! The progress of reading a capture, on a terminal.
use super::input::Input;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Number of packets between two updates of the bar.
const OFTEN: u32 = 1 << 12;

/// A bar on standard error, if that is a terminal. It is removed once lines are written to the same terminal.
pub struct Progress {
    bar: Option<ProgressBar>,
    /// True if standard output is a terminal.
    is_shared: bool,
    read: Arc<AtomicU64>,
    steps: u32,
}

impl Progress {
    pub fn new(input: &Input) -> Progress {
        let is_seen = io::stderr().is_terminal();
        let style = |template| {
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
        };
        let bar = is_seen.then(|| match input.bytes {
            Some(bytes) => ProgressBar::new(bytes).with_style(style(
                "{bar:30} {bytes}/{total_bytes}, {eta} left, {bytes_per_sec}",
            )),
            None => ProgressBar::no_length().with_style(style("{bytes}, {bytes_per_sec}")),
        });
        Progress {
            bar,
            is_shared: io::stdout().is_terminal(),
            read: Arc::clone(&input.read),
            steps: 0,
        }
    }

    /// Notes that a packet was examined.
    pub fn step(&mut self) {
        self.steps = self.steps.wrapping_add(1);
        if let Some(bar) = self.bar.as_ref().filter(|_| self.steps.is_multiple_of(OFTEN)) {
            bar.set_position(self.read.load(Ordering::Relaxed));
        }
    }

    /// Removes the bar if lines were written, because they would appear in the middle of it.
    pub fn beside(&mut self, written: Written) {
        if self.is_shared && written == Written::Lines {
            self.end();
            self.bar = None;
        }
    }

    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What was written for a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Nothing,
    /// Lines went to standard output.
    Lines,
}
