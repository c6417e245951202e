//! Observes a run: packet log, pcap, results, progress.
use super::console::Console;
use crate::fabric::{Observer, Reaped};
use crate::trace::log;
use crate::trace::output::{OutputError, OutputFile};
use crate::trace::pcap::PcapTrace;
use crate::trace::results::{CompletionResult, PacketResult};
use crate::trace::{LinkRecord, PacketRecord};
use hca_golden::port::Link;
use indicatif::{ProgressBar, ProgressStyle};
use std::io;
use std::path::{Path, PathBuf};

/// Number of packets that are shown one by one. In a longer run the rest is counted.
const SHOWN: u64 = 40;

/// The outputs of a run.
pub struct Recorder {
    console: Console,
    shown: u64,
    /// Says where to find the packets that are not shown.
    elsewhere: &'static str,
    pcap: Option<(PathBuf, PcapTrace<OutputFile>)>,
    completions: u64,
    /// The packets; kept only for `--json`.
    pub packets: Option<Vec<PacketResult>>,
    pub kept_completions: Vec<CompletionResult>,
    bar: ProgressBar,
}

impl Recorder {
    /// Opens the requested outputs. `clock_hz` converts cycles to the pcap's time.
    pub fn new(
        pcap: Option<&Path>,
        link: Link,
        keep: bool,
        clock_hz: u64,
        elsewhere: &'static str,
    ) -> Result<Recorder, OutputError> {
        let open = |path: &Path| {
            let trace = PcapTrace::new(OutputFile::create(path)?, link, clock_hz)
                .map_err(|e| OutputFile::error(path, e))?;
            Ok((path.to_owned(), trace))
        };
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len}, {eta} left");
        // A bar draws nothing if standard error is not a terminal.
        let bar = ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Ok(Recorder {
            console: Console::new(),
            shown: 0,
            elsewhere,
            pcap: pcap.map(open).transpose()?,
            completions: 0,
            packets: keep.then(Vec::new),
            kept_completions: Vec::new(),
            bar,
        })
    }

    /// Returns the number of completions that software took.
    pub fn completions(&self) -> u64 {
        self.completions
    }

    /// Writes a line for the user.
    pub fn line(&mut self, line: &str) -> Result<(), OutputError> {
        // The bar is hidden meanwhile, because the two would share a terminal line.
        self.bar.suspend(|| self.console.line(line))
    }

    /// Ends the run: closes the packet log and gives the pcap its name.
    pub fn finish(&mut self) -> Result<(), OutputError> {
        self.bar.finish_and_clear();
        if self.shown > SHOWN {
            self.console.line(&format!(
                "          and {} more packets, {} more completions; {}",
                self.shown - SHOWN,
                self.completions.saturating_sub(SHOWN),
                self.elsewhere
            ))?;
        }
        match self.pcap.take() {
            Some((_, trace)) => trace.into_inner().finish(),
            None => Ok(()),
        }
    }
}

impl Observer for Recorder {
    fn packet(&mut self, packet: &PacketRecord) -> Result<(), OutputError> {
        if self.shown == 0 {
            self.line(log::HEADING)?;
        }
        if self.shown < SHOWN {
            self.line(&log::line(packet))?;
        }
        self.shown += 1;
        if let Some((path, trace)) = &mut self.pcap {
            trace
                .packet(packet)
                .map_err(|e: io::Error| OutputFile::error(path, e))?;
        }
        if let Some(packets) = &mut self.packets {
            packets.push(PacketResult::of(packet));
        }
        Ok(())
    }

    fn link_packet(&mut self, packet: &LinkRecord) -> Result<(), OutputError> {
        match &mut self.pcap {
            Some((path, trace)) => trace
                .link_packet(packet)
                .map_err(|e: io::Error| OutputFile::error(path, e)),
            None => Ok(()),
        }
    }

    fn completion(&mut self, reaped: &Reaped) -> Result<(), OutputError> {
        let result = CompletionResult::of(reaped);
        if self.completions < SHOWN {
            self.line(&result.line())?;
        }
        self.completions += 1;
        if self.packets.is_some() {
            self.kept_completions.push(result);
        }
        Ok(())
    }

    fn note(&mut self, line: &str) -> Result<(), OutputError> {
        self.line(line)
    }

    fn progress(&mut self, done: u64, total: u64) {
        if self.bar.length() != Some(total) {
            self.bar.set_length(total);
        }
        self.bar.set_position(done);
    }
}
