//! How far a capture is read, on a terminal.
use super::input::Input;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// The bar is looked at once in so many packets.
const OFTEN: u32 = 1 << 12;

/// A bar on standard error; nothing where that is no terminal, nor beside packets and findings on the same terminal.
pub struct Progress {
    bar: Option<ProgressBar>,
    read: Arc<AtomicU64>,
    steps: u32,
}

impl Progress {
    pub fn new(input: &Input) -> Progress {
        let is_seen = io::stderr().is_terminal() && !io::stdout().is_terminal();
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
            read: Arc::clone(&input.read),
            steps: 0,
        }
    }

    /// A packet was looked at.
    pub fn step(&mut self) {
        self.steps = self.steps.wrapping_add(1);
        if let Some(bar) = self.bar.as_ref().filter(|_| self.steps.is_multiple_of(OFTEN)) {
            bar.set_position(self.read.load(Ordering::Relaxed));
        }
    }

    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
