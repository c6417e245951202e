//! The records of a capture, examined by several threads and passed on in order.
use super::fault::Fault;
use super::{Capture, Record};
use std::io::Read;
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

/// Number of records that are passed to a thread together, and their bytes; fewer if the next record has to be waited
/// for.
const BATCH: usize = 512;
const BATCH_BYTES: usize = 1 << 18;
/// Number of batches that wait for a thread.
const QUEUED: usize = 2;

/// What is passed on.
pub enum Step<T> {
    Record(T),
    /// No record has come for the requested time.
    Idle,
}

/// How records are examined.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Number of threads that examine records.
    pub jobs: usize,
    /// Time without a record after which an idle step is reported, if the capture grows.
    pub idle: Option<Duration>,
}

/// Examines each record with `look` and passes the result to `take`, in order, whatever the number of threads. An error
/// of the file ends this, as does an error of `take`.
pub fn each<R, T, E>(
    manner: Manner,
    reader: R,
    look: impl Fn(&Record) -> T + Sync,
    mut take: impl FnMut(Step<T>) -> Result<(), E>,
) -> Result<Option<Fault>, E>
where
    R: Read + Send,
    T: Send,
{
    let mut capture = match Capture::new(reader) {
        Ok(capture) => capture,
        Err(fault) => return Ok(Some(fault)),
    };
    if manner.jobs <= 1 && manner.idle.is_none() {
        for record in &mut capture {
            match record {
                Ok(record) => take(Step::Record(look(&record)))?,
                Err(fault) => return Ok(Some(fault)),
            }
        }
        return Ok(None);
    }
    let jobs = manner.jobs.max(1);
    let look = &look;
    thread::scope(|scope| {
        let mut ins: Vec<SyncSender<Vec<Record>>> = Vec::with_capacity(jobs);
        let mut outs: Vec<Receiver<Vec<T>>> = Vec::with_capacity(jobs);
        for _ in 0..jobs {
            let (records, come) = sync_channel::<Vec<Record>>(QUEUED);
            let (looks, out) = sync_channel(QUEUED);
            ins.push(records);
            outs.push(out);
            scope.spawn(move || {
                for batch in come {
                    if looks.send(batch.iter().map(look).collect()).is_err() {
                        return;
                    }
                }
            });
        }
        let reading = scope.spawn(move || deal(&mut capture, &ins));
        // Batches were dealt to the threads in turn.
        let mut taken = Ok(());
        'all: for out in outs.iter().cycle() {
            let batch = loop {
                match receive(out, manner.idle) {
                    Ok(batch) => break batch,
                    Err(RecvTimeoutError::Disconnected) => break 'all,
                    Err(RecvTimeoutError::Timeout) => taken = take(Step::Idle),
                }
                if taken.is_err() {
                    break 'all;
                }
            };
            taken = batch.into_iter().try_for_each(|look| take(Step::Record(look)));
            if taken.is_err() {
                break;
            }
        }
        drop(outs);
        let fault = reading
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        taken.map(|()| fault)
    })
}

fn receive<T>(out: &Receiver<T>, idle: Option<Duration>) -> Result<T, RecvTimeoutError> {
    match idle {
        Some(idle) => out.recv_timeout(idle),
        None => out.recv().map_err(|_| RecvTimeoutError::Disconnected),
    }
}

/// Deals batches to the threads in turn, as long as the threads take them.
fn deal<R: Read>(capture: &mut Capture<R>, threads: &[SyncSender<Vec<Record>>]) -> Option<Fault> {
    let mut turn = threads.iter().cycle();
    loop {
        let (mut batch, mut bytes, mut fault) = (Vec::new(), 0, None);
        while batch.len() < BATCH && bytes < BATCH_BYTES {
            match capture.next() {
                Some(Ok(record)) => {
                    bytes += record.bytes.len();
                    batch.push(record);
                }
                Some(Err(found)) => fault = Some(found),
                None => break,
            }
            if fault.is_some() || capture.is_drained() {
                break;
            }
        }
        let is_over = fault.is_some() || batch.is_empty();
        let is_taken = batch.is_empty() || turn.next()?.send(batch).is_ok();
        if is_over || !is_taken {
            return fault;
        }
    }
}
