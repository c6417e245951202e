//! The process that runs cases. It reads its orders from standard input and ends when that ends.
use super::super::error::CallError;
use super::super::Verdict;
use super::devices::Devices;
use super::orders::{Effort, News, Orders, LAST, STOP};
use super::replay;
use crate::case::frame::Frame;
use crate::case::Case;
use crate::fabric::{Observer, Reaped, Unwatched};
use crate::fuzz::record::Record;
use crate::fuzz::store::{self, failure_folder};
use crate::fuzz::{differed, run_case, shrink, Drawn, Run};
use crate::report::{self, Context};
use crate::scoreboard::failure::Failure;
use crate::trace::output::{OutputError, OutputFile};
use crate::trace::pcap::PcapTrace;
use crate::trace::{LinkRecord, PacketRecord};
use hca_host::designs::Designs;
use hca_host::profile;
use hca_sim::verilated::{end_builds, keep_builds_apart};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::Arc;

/// Pace: the process continues.
const ON: u8 = 0;
/// Pace: the process ends after the present case.
const THIS: u8 = 1;
/// Pace: the process ends as soon as possible.
const NO: u8 = 2;

/// Runs the command.
pub fn run(designs: Designs) -> Result<Verdict, CallError> {
    // The terminal sends Ctrl-C to all processes. The process that started this one decides what this one does.
    ctrlc::set_handler(|| {}).map_err(CallError::Signals)?;
    keep_builds_apart();
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line).map_err(pipe_broke);
    let orders: Orders = match read? {
        0 => return Ok(Verdict::Held),
        _ => serde_json::from_str(&line).map_err(|e| pipe_broke(e.into()))?,
    };
    let goes_on = Arc::new(AtomicU8::new(ON));
    let heard = Arc::clone(&goes_on);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            match line.as_str() {
                LAST => heard.store(THIS, Ordering::SeqCst),
                STOP => stop(&heard),
                _ => {}
            }
        }
        stop(&heard);
    });
    let devices = Devices::new(designs, orders.dut.clone(), orders.select, false);
    let mut worker = Worker {
        orders: &orders,
        known: orders.known.clone(),
        devices,
        goes_on,
    };
    for index in orders.indices() {
        if worker.goes_on.load(Ordering::SeqCst) != ON {
            break;
        }
        match worker.case(index) {
            Ok(differs) if differs && orders.fail_fast => break,
            Ok(_) => {}
            // The build was ended from outside.
            Err(CallError::Build(_) | CallError::Dut { .. })
                if worker.goes_on.load(Ordering::SeqCst) == NO =>
            {
                break
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Verdict::Held)
}

fn stop(goes_on: &AtomicU8) {
    goes_on.store(NO, Ordering::SeqCst);
    end_builds();
}

/// Returns the error for an input or output that is closed.
fn pipe_broke(source: io::Error) -> CallError {
    CallError::Output(OutputError {
        path: PathBuf::from("the pipe between the processes of `hca fuzz`"),
        source,
    })
}

fn send(news: &News) -> Result<(), CallError> {
    let mut line = serde_json::to_vec(news).map_err(|e| pipe_broke(e.into()))?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)
        .and_then(|()| out.flush())
        .map_err(pipe_broke)
}

struct Worker<'a> {
    orders: &'a Orders,
    known: std::collections::BTreeMap<String, u64>,
    devices: Devices,
    goes_on: Arc<AtomicU8>,
}

impl Worker<'_> {
    /// Runs a case. Returns true if it differs.
    fn case(&mut self, index: u64) -> Result<bool, CallError> {
        let drawn = self.orders.campaign.draw(index);
        let case = drawn.case();
        let run = self.run(&case, &mut Unwatched);
        let building = self.devices.built_in();
        if !building.is_zero() {
            send(&News::Built(building))?;
        }
        let run = run?;
        let words = run.failure.as_deref().map(differed);
        if let Some(words) = &words {
            if self.known.get(words).is_none_or(|known| index < *known) {
                self.write_down(drawn, words)?;
                self.known.insert(words.clone(), index);
            }
        }
        let differs = words.is_some();
        send(&News::Done(Record::of(&case, &run, words)))?;
        Ok(differs)
    }

    fn run(&mut self, case: &Case, observer: &mut dyn Observer) -> Result<Run, CallError> {
        let devices = self.devices.of(&case.frame, None)?;
        Ok(run_case(case, devices, observer)?)
    }

    /// Shrinks a case, if wanted, and writes it to its folder with report and packets.
    fn write_down(&mut self, drawn: Drawn, words: &str) -> Result<(), CallError> {
        let index = drawn.index;
        let differed_so = words.to_owned();
        send(&News::Shrinks {
            index,
            differed: differed_so,
        })?;
        let from = drawn.steps.len();
        let shrunk = shrink(drawn, |case| {
            if self.orders.fail_fast || self.goes_on.load(Ordering::SeqCst) == NO {
                return Ok(None);
            }
            let run = self.run(case, &mut Unwatched)?;
            Ok::<_, CallError>(Some(
                run.failure.is_some_and(|failure| differed(&failure) == words),
            ))
        })?;
        let case = Case {
            differed: Some(words.to_owned()),
            ..shrunk.case
        };
        let effort = Effort {
            from,
            to: case.steps.len(),
            attempts: shrunk.attempts,
        };
        let folder = failure_folder(&self.orders.out, index, words);
        std::fs::create_dir_all(&folder).map_err(|source| OutputError {
            path: folder.clone(),
            source,
        })?;
        let mut trace = Trace::create(&folder.join(store::PCAP), &case.frame)?;
        let run = self.run(&case, &mut trace)?;
        trace.finish()?;
        let report = match &run.failure {
            Some(failure) => self.report(&case, failure, &folder),
            None => format!("case {index} differs, and not always: {words}\n"),
        };
        let report = format!("{report}  {effort}\n");
        store::write(&folder.join(store::REPORT), |out| {
            out.write_all(report.as_bytes())
        })?;
        // The case is written last: a folder with a case is complete.
        let text = case.text()?;
        store::write(&folder.join(store::CASE), |out| out.write_all(text.as_bytes()))?;
        send(&News::Shrunk { index, effort })
    }

    fn report(&self, case: &Case, failure: &Failure, folder: &Path) -> String {
        let file = folder.join(store::CASE);
        report::render(
            failure,
            &Context {
                scenario: &case.name(),
                seed: case.seed,
                replay: &replay::command(
                    &self.orders.program,
                    &file,
                    self.orders.dut.as_deref(),
                    self.orders.select,
                    case.frame.devices,
                ),
            },
        )
    }
}

/// Writes the packets to a file.
struct Trace {
    path: PathBuf,
    trace: PcapTrace<OutputFile>,
}

impl Trace {
    fn create(path: &Path, frame: &Frame) -> Result<Trace, OutputError> {
        let clock_hz = profile::by_name(&frame.profile)
            .unwrap_or(&profile::SMALL)
            .clock_hz;
        let trace = PcapTrace::new(OutputFile::create(path)?, frame.link, clock_hz);
        Ok(Trace {
            path: path.to_owned(),
            trace: trace.map_err(|e| OutputFile::error(path, e))?,
        })
    }

    fn finish(self) -> Result<(), OutputError> {
        self.trace.into_inner().finish()
    }
}

impl Observer for Trace {
    fn packet(&mut self, packet: &PacketRecord) -> Result<(), OutputError> {
        let written = self.trace.packet(packet);
        written.map_err(|e| OutputFile::error(&self.path, e))
    }

    fn link_packet(&mut self, packet: &LinkRecord) -> Result<(), OutputError> {
        let written = self.trace.link_packet(packet);
        written.map_err(|e| OutputFile::error(&self.path, e))
    }

    fn completion(&mut self, _: &Reaped) -> Result<(), OutputError> {
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) {}
}
