//! The processes that run cases, and the one that watches them.
use super::super::console::Console;
use super::super::error::CallError;
use super::orders::{News, Orders, LAST, STOP};
use super::progress::Progress;
use crate::case::Case;
use crate::fuzz::record::Record;
use crate::fuzz::store::{self, failure_folder, Store};
use crate::trace::output::OutputError;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{channel, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks at clock and keyboard.
const LOOK: Duration = Duration::from_millis(100);
/// Exit status of a process that has explained why it cannot continue.
const EXPLAINED: i32 = 2;
/// Exit status after a second Ctrl-C: the shell's for SIGINT.
const INTERRUPTED: i32 = 130;

/// Number of times that Ctrl-C was typed.
static INTERRUPTS: AtomicU32 = AtomicU32::new(0);

/// All processes.
pub struct Jobs {
    store: Store,
    orders: Orders,
    jobs: u32,
    time: Option<Duration>,
    progress: Progress,
}

/// An event from a process.
enum Event {
    News(News),
    Ended {
        part: u64,
        status: ExitStatus,
        errors: String,
    },
}

/// How far the processes are to continue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Pace {
    On,
    /// They begin no case after the present ones.
    Last,
    /// They begin no case, and do not shrink the present ones.
    Stop,
}

impl Jobs {
    pub fn new(store: Store, orders: Orders, jobs: u32, time: Option<Duration>) -> Jobs {
        let mut progress = Progress::new();
        store
            .records()
            .values()
            .for_each(|record| progress.before(record));
        Jobs {
            store,
            orders,
            jobs,
            time,
            progress,
        }
    }

    /// Runs all cases. Returns `None` if a process has explained why it cannot.
    pub fn run(mut self, console: &mut Console) -> Result<Option<Store>, CallError> {
        ctrlc::set_handler(|| {
            if INTERRUPTS.fetch_add(1, Ordering::SeqCst) > 0 {
                std::process::exit(INTERRUPTED);
            }
        })
        .map_err(CallError::Signals)?;
        let begun = Instant::now();
        let (events, inbox) = channel();
        let mut inputs: Vec<Option<ChildStdin>> = Vec::new();
        for part in 0..self.jobs.into() {
            inputs.push(Some(self.start(part, &events)?));
        }
        let mut pace = Pace::On;
        let mut explanation = None;
        while inputs.iter().any(Option::is_some) {
            let late = self.time.is_some_and(|time| begun.elapsed() >= time);
            let wanted = match (INTERRUPTS.load(Ordering::SeqCst), late || explanation.is_some()) {
                _ if self.found() => Pace::Stop,
                (0, false) => Pace::On,
                (0, true) => Pace::Last,
                _ => Pace::Stop,
            };
            if wanted > pace {
                pace = wanted;
                slow(&mut inputs, pace);
            }
            match inbox.recv_timeout(LOOK).ok() {
                None => {}
                Some(Event::News(news)) => self.hear(news, console)?,
                Some(Event::Ended { part, status, errors }) => {
                    inputs[part as usize] = None;
                    match status.code() {
                        Some(0) => {}
                        Some(EXPLAINED) => explanation = Some(errors),
                        _ if pace == Pace::Stop => {}
                        _ => {
                            self.died(part, status, &errors, console)?;
                            if pace == Pace::On {
                                inputs[part as usize] = Some(self.start(part, &events)?);
                            }
                        }
                    }
                }
            }
        }
        let failed = self.progress.failed();
        let words = self.progress.end();
        if let Some(explanation) = explanation {
            // Nothing can be reported once standard error is closed, too.
            let _ = std::io::stderr().write_all(explanation.as_bytes());
            return Ok(None);
        }
        let how = match pace {
            Pace::On => "",
            Pace::Last => ", the time is over",
            Pace::Stop if self.orders.fail_fast && failed => ", ended by what differs",
            Pace::Stop => ", interrupted",
        };
        console.line(&format!("{words}{how}"))?;
        if pace != Pace::Stop {
            self.store.end()?;
        }
        Ok(Some(self.store))
    }

    /// Returns true if a case differed and the run may end with it.
    fn found(&self) -> bool {
        self.orders.fail_fast && self.progress.failed()
    }

    /// Starts the process of a part and passes its orders to it. Its input stays open while it is to continue.
    fn start(&self, part: u64, events: &Sender<Event>) -> Result<ChildStdin, CallError> {
        let program = std::env::current_exe().map_err(CallError::Jobs)?;
        let mut child = Command::new(program)
            .arg("fuzz-worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(CallError::Jobs)?;
        let mut input = child.stdin.take().ok_or_else(no_pipe)?;
        let orders = self.orders_of(part);
        let mut line = serde_json::to_vec(&orders).map_err(|e| CallError::Jobs(e.into()))?;
        line.push(b'\n');
        // The end of a process that has ended already is noticed below.
        let _ = input.write_all(&line).and_then(|()| input.flush());
        let events = events.clone();
        thread::spawn(move || listen(part, child, &events));
        Ok(input)
    }

    fn orders_of(&self, part: u64) -> Orders {
        Orders {
            shard: self.orders.shard.part(part, self.jobs.into()),
            done: self.store.records().keys().copied().collect(),
            known: self.store.known(),
            ..self.orders.clone()
        }
    }

    fn hear(&mut self, news: News, console: &mut Console) -> Result<(), CallError> {
        match news {
            News::Shrinks { index, differed } => {
                let line = format!("case {index}: {differed}");
                self.progress.above(|| console.line(&line))?;
            }
            News::Shrunk { index, effort } => {
                let line = format!("case {index}: {effort}");
                self.progress.above(|| console.line(&line))?;
            }
            News::Built(time) => self.progress.built(time / self.jobs.max(1)),
            News::Done(record) => {
                self.progress.done(&record);
                self.store.add(record)?;
            }
        }
        Ok(())
    }

    /// Records that a process died of its present case: the first of its cases that is not done.
    fn died(
        &mut self,
        part: u64,
        status: ExitStatus,
        errors: &str,
        console: &mut Console,
    ) -> Result<(), CallError> {
        let Some(index) = self.orders_of(part).indices().next() else {
            return Ok(());
        };
        let last = errors
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default();
        let record = Record::of_death(index, &format!("{status} {last}"));
        let words = record.differed.clone().unwrap_or_default();
        let folder = failure_folder(&self.orders.out, index, &words);
        std::fs::create_dir_all(&folder).map_err(|source| OutputError {
            path: folder.clone(),
            source,
        })?;
        let report = format!(
            "case {index}, seed {}: {words}\n{errors}",
            self.orders.campaign.seed
        );
        store::write(&folder.join(store::REPORT), |out| {
            out.write_all(report.as_bytes())
        })?;
        let case = Case {
            differed: Some(words.clone()),
            ..self.orders.campaign.draw(index).case()
        };
        let text = case.text()?;
        store::write(&folder.join(store::CASE), |out| out.write_all(text.as_bytes()))?;
        self.progress
            .above(|| console.line(&format!("case {index}: {words}")))?;
        self.progress.done(&record);
        Ok(self.store.add(record)?)
    }
}

fn no_pipe() -> CallError {
    CallError::Jobs(std::io::ErrorKind::BrokenPipe.into())
}

/// Passes the pace to all processes.
fn slow(inputs: &mut [Option<ChildStdin>], pace: Pace) {
    let word = match pace {
        Pace::On => return,
        Pace::Last => LAST,
        Pace::Stop => STOP,
    };
    for input in inputs.iter_mut().flatten() {
        // A process that has ended need not be told.
        let _ = writeln!(input, "{word}").and_then(|()| input.flush());
    }
}

/// Reads the output of a process to its end.
fn listen(part: u64, mut child: Child, events: &Sender<Event>) {
    let errors = child.stderr.take();
    let errors = thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut errors) = errors {
            let _ = errors.read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            // A line that cannot be parsed was cut by the death of the process.
            if let Ok(news) = serde_json::from_str(&line) {
                let _ = events.send(Event::News(news));
            }
        }
    }
    let Ok(status) = child.wait() else { return };
    let errors = errors.join().unwrap_or_default();
    let _ = events.send(Event::Ended { part, status, errors });
}
