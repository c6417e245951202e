//! A device's place in the fabric, with its model beside it or alone.
use crate::device::{Device, Fault, Ticket, Transmitted, Verb};
use crate::scoreboard::failure::{Failure, Kind};
use crate::scoreboard::requirement::Rows;
use crate::Side;
use hca_golden::hca::QpStatus;
use hca_golden::port::{Link, PortState};
use hca_golden::ring_part::RingPart;
use hca_golden::verbs::Completion;
use hca_golden::wire::flow_control::FlowControl;
use std::collections::VecDeque;

/// A device in its place, as the fabric and the scenarios use it.
pub trait Station {
    /// Returns the number of ports.
    fn ports(&self) -> u8;
    /// Returns the number of data VLs of a port.
    fn data_vls(&self) -> u8;
    /// Returns the number of blocks of the receive buffer of a data VL.
    fn receive_blocks(&self) -> u16;
    /// Returns the number of clock cycles since reset.
    fn now(&self) -> u64;
    /// Returns the clock cycle of the last activity.
    fn progress(&self) -> u64;
    /// Returns true if a timer of the device runs, so that something will happen even without an input.
    fn waits(&self) -> bool;
    /// Returns true if all that has departed waits for credits of the neighbour, or for its VL to have a turn.
    fn waits_for_turns(&self) -> bool {
        false
    }
    /// Returns everything that still has to happen, as text.
    fn open_work(&self) -> Vec<String>;
    /// Returns true if a timer of the device will have to expire. One that had to and has not, because its packets wait
    /// for credits, still runs ([`waits`](Self::waits)).
    fn has_deadline(&self) -> bool {
        false
    }
    /// Returns the number of decisions judged so far.
    fn events(&self) -> u64;
    /// Runs one clock cycle and judges its results.
    fn step(&mut self) -> Result<(), Box<Failure>>;
    /// Starts a verb.
    fn submit(&mut self, verb: Verb) -> Ticket;
    /// Makes a verb that model and device refuse for the same reason no failure from now on.
    fn permit_refusals(&mut self) {}
    /// Returns the number of submitted verbs without an outcome.
    fn verbs_open(&self) -> usize;
    /// Passes a packet to the port of this number.
    fn receive(&mut self, port: u8, bytes: Vec<u8>);
    /// Passes a packet to the port that a native link has marked as bad at its end.
    fn receive_bad(&mut self, port: u8, bytes: Vec<u8>);
    /// Passes a link packet to a native port.
    fn receive_link(&mut self, port: u8, bytes: Vec<u8>);
    /// Takes the next packet that left the device.
    fn transmitted(&mut self) -> Option<Transmitted>;
    /// Takes the next completion for software.
    fn completion(&mut self) -> Option<Completion>;
    /// Adds `length` bytes at `addr` to the memory that is compared at the end.
    fn register(&mut self, addr: u64, length: u64);
    /// Writes the device's host memory, as software does.
    fn write_memory(&mut self, addr: u64, bytes: &[u8]);
    /// Reads the device's host memory.
    fn read_memory(&self, addr: u64, bytes: &mut [u8]);
    /// Makes host memory answer the device's accesses to these bytes with errors from now on.
    fn fail_memory(&mut self, addr: u64, length: u64);
    /// Makes host memory answer the device's accesses to this part of the rings with errors from now on.
    fn lose(&mut self, part: RingPart);
    /// Returns the model's state of a QP; `None` without a model.
    fn query(&self, _qpn: u32) -> Option<QpStatus> {
        None
    }
    /// Returns the contents of a port's flow-control packet for this data VL with an empty buffer; `None` without a
    /// model.
    fn link_packet(&self, _port: u8, _vl: u8) -> Option<FlowControl> {
        None
    }
    /// Returns the state of a port in the model, or `None` while it changes, and without a model.
    fn port_state(&self, _port: u8) -> Option<PortState> {
        None
    }
    /// Returns true if a send WQE that is not complete names this address handle; false without a model.
    fn names_handle(&self, _handle: u32) -> bool {
        false
    }
    /// Returns true if a datagram for a group waits to leave by this native port, or a member has not decided about its
    /// copy of one that left by any port; false without a model.
    fn holds_multicast(&self, _port: u8) -> bool {
        false
    }
    /// Returns true if a send WQE of this QP that is not complete sends the QP's own Q_Key; false without a model.
    fn sends_own_q_key(&self, _qpn: u32) -> bool {
        false
    }
    /// Returns true if nothing moves at the device's ports.
    fn is_still(&self) -> bool;
    /// Returns the last clock cycle up to `end` in which a timer that once ran could expire, because a device may have
    /// failed to stop it. `None` without a model.
    fn last_stopped(&self, _end: u64) -> Option<u64> {
        None
    }
    /// Returns the clock cycle from which no packet waits because of the static rate of its source. `None` without a
    /// model.
    fn pace_ends(&self) -> Option<u64> {
        None
    }
    /// Returns true if nothing moves and nothing is due.
    fn at_rest(&self) -> bool;
    /// Makes the checks that are only possible at the end.
    fn finish(&mut self) -> Result<(), Box<Failure>>;
    /// Returns the requirements that the run exercised; none without a model.
    fn rows(&self) -> Rows {
        Rows::default()
    }
    /// Closes what the device writes beside the run.
    fn close(&mut self) -> Result<(), hca_sim::verilated::Error>;
    /// Returns the device and ends the station.
    fn leave(self: Box<Self>) -> Box<dyn Device>;
}

/// Number of clock cycles between two looks at the completion queues.
const POLL_INTERVAL: u64 = 16;

/// A device without a model, which shows what the simulation costs without comparison.
pub struct Alone {
    side: Side,
    device: Box<dyn Device>,
    cqns: Vec<u32>,
    verbs: VecDeque<Ticket>,
    completions: VecDeque<Completion>,
    progress: u64,
}

impl Alone {
    /// Makes a station of a fresh device.
    pub fn new(side: Side, device: Box<dyn Device>) -> Alone {
        Alone {
            side,
            device,
            cqns: Vec::new(),
            verbs: VecDeque::new(),
            completions: VecDeque::new(),
            progress: 0,
        }
    }

    fn failed(&self, rule: String) -> Box<Failure> {
        Box::new(Failure {
            side: Some(self.side),
            cycle: self.now(),
            event: None,
            kind: Kind::Fault { rule },
            history: Vec::new(),
            link: Link::default(),
        })
    }

    fn fault(&self, fault: Fault) -> Box<Failure> {
        self.failed(fault.rule)
    }
}

impl Station for Alone {
    fn ports(&self) -> u8 {
        self.device.capabilities().ports
    }

    fn data_vls(&self) -> u8 {
        self.device.capabilities().data_vls
    }

    fn receive_blocks(&self) -> u16 {
        self.device.capabilities().receive_blocks
    }

    fn now(&self) -> u64 {
        self.device.now()
    }

    fn progress(&self) -> u64 {
        self.progress
    }

    fn waits(&self) -> bool {
        false
    }

    fn open_work(&self) -> Vec<String> {
        Vec::new()
    }

    fn events(&self) -> u64 {
        0
    }

    fn step(&mut self) -> Result<(), Box<Failure>> {
        self.device.step().map_err(|f| self.fault(f))?;
        while self.device.retired().map_err(|f| self.fault(f))?.is_some() {
            self.progress = self.now();
        }
        while let Some(outcome) = self.verbs.front().and_then(|t| self.device.outcome(*t)) {
            self.verbs.pop_front();
            outcome.map(drop).map_err(|refusal| self.failed(refusal.reason))?;
        }
        if self.now().is_multiple_of(POLL_INTERVAL) {
            for cqn in self.cqns.clone() {
                while let Some(completion) = self.device.poll(cqn).map_err(|f| self.fault(f))? {
                    self.completions.push_back(completion);
                }
            }
        }
        Ok(())
    }

    fn submit(&mut self, verb: Verb) -> Ticket {
        if let Verb::CreateCq { cqn, .. } = &verb {
            self.cqns.push(*cqn);
        }
        let ticket = self.device.submit(verb);
        self.verbs.push_back(ticket);
        self.progress = self.now();
        ticket
    }

    fn verbs_open(&self) -> usize {
        self.verbs.len()
    }

    fn receive(&mut self, port: u8, bytes: Vec<u8>) {
        self.device.receive(port, bytes);
    }

    fn receive_bad(&mut self, port: u8, bytes: Vec<u8>) {
        self.device.receive_bad(port, bytes);
        self.progress = self.now();
    }

    fn receive_link(&mut self, port: u8, bytes: Vec<u8>) {
        self.device.receive_link(port, bytes);
    }

    fn transmitted(&mut self) -> Option<Transmitted> {
        self.device.transmitted()
    }

    fn completion(&mut self) -> Option<Completion> {
        self.completions.pop_front()
    }

    fn register(&mut self, _addr: u64, _length: u64) {}

    fn write_memory(&mut self, addr: u64, bytes: &[u8]) {
        self.device.write_memory(addr, bytes);
    }

    fn read_memory(&self, addr: u64, bytes: &mut [u8]) {
        self.device.read_memory(addr, bytes);
    }

    fn fail_memory(&mut self, addr: u64, length: u64) {
        self.device.fail_memory(addr, length);
    }

    fn lose(&mut self, part: RingPart) {
        self.device.lose(part);
    }

    fn is_still(&self) -> bool {
        self.device.quiet()
    }

    fn at_rest(&self) -> bool {
        self.device.quiet() && self.verbs.is_empty()
    }

    fn finish(&mut self) -> Result<(), Box<Failure>> {
        Ok(())
    }

    fn close(&mut self) -> Result<(), hca_sim::verilated::Error> {
        self.device.close()
    }

    fn leave(self: Box<Self>) -> Box<dyn Device> {
        self.device
    }
}
