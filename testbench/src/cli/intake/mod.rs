//! The common part of `hca decode` and `hca check`: a capture from a file or a pipe, its selected part, and progress.
pub mod filter;
mod follow;
mod input;
pub mod number;
mod progress;

pub use progress::Written;

use super::error::CallError;
use crate::capture::fault::Fault;
use crate::capture::parallel::{self, Manner, Step};
use crate::capture::Record;
use crate::trace::output::OutputError;
use clap::Args;
use filter::Selection;
use input::Input;
use progress::Progress;
use std::path::PathBuf;
use std::time::Duration;

/// Time without data after which pending work is done.
const IDLE: Duration = Duration::from_millis(200);
/// Largest number of threads. More would be idle, because one thread reads the file.
const MOST_JOBS: usize = 8;

/// Options of both commands.
#[derive(Debug, Args)]
pub struct Intake {
    /// Capture, pcap or pcapng, as it is or compressed (gzip, Zstandard, xz): native InfiniBand (link types 197 and
    /// 247), or RoCE in Ethernet, VLANs, tunnels and mirrors (link types 1, 12, 14, 101, 113, 228, 229, 276); a file, a
    /// FIFO, or `-` for standard input. It may begin in the middle of a connection
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub selection: Selection,
    /// Go on when the file ends, as it may grow, and show what comes as it comes; Ctrl-C ends it
    #[arg(long)]
    pub follow: bool,
    /// Threads that look at packets, beside the one that reads; what is printed does not depend on it [default: one for
    /// each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

/// Why reading ends before the file does.
pub enum Stop {
    /// Everything selected was read.
    Enough,
    Output(OutputError),
}

impl From<OutputError> for Stop {
    fn from(error: OutputError) -> Stop {
        Stop::Output(error)
    }
}

impl Intake {
    fn jobs(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(|| processors().min(MOST_JOBS), usize::from)
    }

    /// Examines each packet of the capture with `look`, in several threads, and passes the selected ones to `take`, in
    /// order. Returns the error of the file, if it has one.
    pub fn each<T: Send>(
        &self,
        look: impl Fn(&Record) -> T + Sync,
        mut take: impl FnMut(Step<T>) -> Result<Written, Stop>,
    ) -> Result<Option<Fault>, CallError> {
        let Some(path) = &self.file else {
            unreachable!("clap asks for a file where one is needed");
        };
        let input = Input::open(path, self.follow)?;
        let mut progress = Progress::new(&input);
        let manner = Manner {
            jobs: self.jobs(),
            idle: self.follow.then_some(IDLE),
        };
        let at = |record: &Record| {
            (
                record.number,
                record.time.saturating_sub(record.start),
                look(record),
            )
        };
        let read = parallel::each(manner, input.reader, at, |step| {
            progress.step();
            let written = match step {
                Step::Idle => take(Step::Idle)?,
                Step::Record((number, since, looked)) => match self.selection.place(number, since) {
                    filter::Place::Before => Written::Nothing,
                    filter::Place::Within => take(Step::Record(looked))?,
                    filter::Place::Behind => return Err(Stop::Enough),
                },
            };
            progress.beside(written);
            Ok(())
        });
        progress.end();
        match read {
            Ok(fault) => Ok(fault),
            Err(Stop::Enough) => Ok(None),
            Err(Stop::Output(error)) => Err(error.into()),
        }
    }
}
