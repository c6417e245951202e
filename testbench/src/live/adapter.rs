//! The adapter of a session. All its inputs pass here, and are recorded.
use super::frame;
use super::recording::{Ended, Moment, Recorder, Sum, What};
use crate::device::Verb;
use crate::scoreboard::failure::Failure;
use crate::station::Station;
use crate::trace::lines::Hex;
use crate::trace::output::OutputError;
use hca_golden::port::FIRST;
use hca_golden::verbs::{Completion, QpState, Status};
use std::collections::{BTreeMap, VecDeque};

/// Opcode of a plain acknowledge of RC (`opcodes.csv`).
const ACKNOWLEDGE: u8 = 0x11;
/// The queue pair of MADs.
pub const QP1: u32 = 1;
/// Number of clock cycles without a movement at the ports, after which nothing is under way inside adapter and model.
const STILL: u64 = 1024;
/// Largest number of clock cycles that a run may take to come to rest at its end.
const LAST: u64 = 2_000_000;

/// Why the adapter cannot continue.
#[derive(Debug)]
pub enum Halt {
    /// The adapter and its model differ, or it broke a rule of its ports.
    Failed(Box<Failure>),
    /// The recording cannot be written.
    Output(OutputError),
}

impl From<Box<Failure>> for Halt {
    fn from(failure: Box<Failure>) -> Halt {
        Halt::Failed(failure)
    }
}

impl From<OutputError> for Halt {
    fn from(error: OutputError) -> Halt {
        Halt::Output(error)
    }
}

/// A device in its place, and its inputs so far.
pub struct Adapter {
    station: Box<dyn Station>,
    recorder: Option<Recorder>,
    /// Number of frames that left, without acknowledges.
    sent: u64,
    /// Number of frames that arrived.
    received: u64,
    /// Number of completions that software took.
    done: u64,
    frames: u64,
    digest: crc32fast::Hasher,
    completions: VecDeque<Completion>,
    management: VecDeque<Completion>,
    /// Number of send requests without a completion, by QP.
    outstanding: BTreeMap<u32, u32>,
    /// The last clock cycle in which anything moved.
    moved: u64,
    /// The result when it had come to rest.
    rested: Option<Sum>,
}

impl Adapter {
    /// Makes an adapter without any input yet.
    pub fn new(station: Box<dyn Station>, recorder: Option<Recorder>) -> Adapter {
        Adapter {
            station,
            recorder,
            sent: 0,
            received: 0,
            done: 0,
            frames: 0,
            digest: crc32fast::Hasher::new(),
            completions: VecDeque::new(),
            management: VecDeque::new(),
            outstanding: BTreeMap::new(),
            moved: 0,
            rested: None,
        }
    }

    /// Returns the number of clock cycles since reset.
    pub fn now(&self) -> u64 {
        self.station.now()
    }

    /// Returns the number of decisions that the model judged.
    pub fn decisions(&self) -> u64 {
        self.station.events()
    }

    /// Returns the number of frames that left.
    pub fn frames_out(&self) -> u64 {
        self.frames
    }

    /// Returns the number of frames that arrived.
    pub fn frames_in(&self) -> u64 {
        self.received
    }

    /// Returns how far the adapter has come.
    pub fn moment(&self) -> Moment {
        Moment {
            at: self.station.now(),
            sent: self.sent,
            done: self.done,
            open: self.station.verbs_open(),
        }
    }

    /// Returns the result so far, or when the adapter came to rest at its end. The judgement after that may take cycles
    /// of its own.
    pub fn sum(&self) -> Sum {
        self.rested.unwrap_or_else(|| self.sum_now())
    }

    fn sum_now(&self) -> Sum {
        Sum {
            cycles: self.station.now(),
            frames: self.frames,
            digest: self.digest.clone().finalize(),
        }
    }

    /// Returns true if the clock may stop: nothing moves, and no request of the adapter waits for an answer, so that no
    /// timer runs either.
    pub fn rests(&self) -> bool {
        self.outstanding.is_empty()
            && self.station.verbs_open() == 0
            && self.station.now() - self.moved > STILL
            && self.station.is_still()
    }

    /// Returns true if all data that the adapter has acknowledged is in memory.
    pub fn is_settled(&self) -> bool {
        self.station.now() - self.moved > STILL && self.station.is_still()
    }

    /// Passes a frame to the adapter.
    pub fn receive(&mut self, bytes: Vec<u8>) -> Result<(), Halt> {
        self.input(|| What::Frame(Hex(bytes.clone())))?;
        self.received += 1;
        self.station.receive(FIRST, bytes);
        Ok(())
    }

    /// Submits a verb of software.
    pub fn submit(&mut self, verb: Verb) -> Result<(), Halt> {
        self.input(|| What::Verb(verb.clone()))?;
        match &verb {
            Verb::PostSend { qpn, .. } => *self.outstanding.entry(*qpn).or_default() += 1,
            Verb::DestroyQp { qpn }
            | Verb::ModifyQp {
                qpn,
                state: QpState::Reset,
            } => drop(self.outstanding.remove(qpn)),
            _ => {}
        }
        self.station.submit(verb);
        Ok(())
    }

    /// Writes host memory, as software does.
    pub fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Halt> {
        self.input(|| What::Write {
            addr,
            bytes: Hex(bytes.to_vec()),
        })?;
        self.station.write_memory(addr, bytes);
        Ok(())
    }

    /// Reads host memory, as software does.
    pub fn read(&self, addr: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.station.read_memory(addr, &mut bytes);
        bytes
    }

    /// Makes the end of the session compare these bytes of host memory.
    pub fn compare(&mut self, addr: u64, length: u64) -> Result<(), Halt> {
        self.input(|| What::Compare { addr, length })?;
        self.station.register(addr, length);
        Ok(())
    }

    /// Takes the next completion that software has not seen, except those of QP1.
    pub fn completion(&mut self) -> Option<Completion> {
        self.completions.pop_front()
    }

    /// Takes the next completion that is of a send request or has failed. Those before it wait.
    pub fn sent_completion(&mut self) -> Option<Completion> {
        let at = self
            .completions
            .iter()
            .position(|completion| !is_receive(completion))?;
        self.completions.remove(at)
    }

    /// Takes the next completion of QP1.
    pub fn management(&mut self) -> Option<Completion> {
        self.management.pop_front()
    }

    /// Runs one clock cycle. Returns the frames that left in it.
    pub fn clock(&mut self) -> Result<Vec<Vec<u8>>, Halt> {
        self.station.step()?;
        if !self.station.is_still() {
            self.moved = self.station.now();
        }
        let mut left = Vec::new();
        while let Some(packet) = self.station.transmitted() {
            self.moved = self.station.now();
            self.frames += 1;
            self.digest.update(&packet.cycle.to_le_bytes());
            self.digest.update(&packet.bytes);
            let acknowledge = frame::bth(&packet.bytes).is_some_and(|bth| bth.opcode == ACKNOWLEDGE);
            self.sent += u64::from(!acknowledge);
            left.push(packet.bytes);
        }
        while let Some(completion) = self.station.completion() {
            self.completed(completion)?;
        }
        Ok(left)
    }

    /// Lets everything under way end, and makes the checks that are only possible then. Returns the frames that still
    /// left.
    pub fn finish(&mut self) -> Result<Vec<Vec<u8>>, Halt> {
        let end = self.station.now() + LAST;
        let mut left = Vec::new();
        while !(self.station.at_rest() && self.rests()) && self.station.now() < end {
            left.extend(self.clock()?);
        }
        self.rested = Some(self.sum_now());
        self.station.finish()?;
        self.close()?;
        Ok(left)
    }

    /// Ends the recording at the present point of the run.
    pub fn close(&mut self) -> Result<(), OutputError> {
        let (moment, sum) = (self.moment(), self.sum());
        match self.recorder.take() {
            Some(recorder) => recorder.finish(moment, sum),
            None => Ok(()),
        }
    }

    fn completed(&mut self, completion: Completion) -> Result<(), Halt> {
        self.moved = self.station.now();
        // A failed completion has no operation. The other requests of its queue pair are flushed, and complete, too.
        let failed = completion.status != Status::Success;
        if failed {
            self.outstanding.remove(&completion.qpn);
        } else if !is_receive(&completion) {
            if let Some(left) = self.outstanding.get_mut(&completion.qpn) {
                *left -= 1;
                if *left == 0 {
                    self.outstanding.remove(&completion.qpn);
                }
            }
        }
        let moment = self.moment();
        if let Some(recorder) = &mut self.recorder {
            recorder.entry(moment, What::Completion(Ended::of(&completion)))?;
        }
        self.done += 1;
        match completion.qpn {
            QP1 => self.management.push_back(completion),
            _ => self.completions.push_back(completion),
        }
        Ok(())
    }

    fn input(&mut self, what: impl FnOnce() -> What) -> Result<(), Halt> {
        self.moved = self.station.now();
        let moment = self.moment();
        match &mut self.recorder {
            Some(recorder) => Ok(recorder.entry(moment, what())?),
            None => Ok(()),
        }
    }
}

/// Returns true for a successful completion of a receive request. The operation of a failed completion is not defined.
fn is_receive(completion: &Completion) -> bool {
    use hca_golden::verbs::CompletedOperation::{Receive, ReceiveWithImmediate};
    let receive = matches!(completion.operation, Receive | ReceiveWithImmediate);
    completion.status == Status::Success && receive
}
