//! Two devices back to back: packet-level links in both directions, and one clock. Each port has a link of its own to
//! the port of the same number.
use crate::case::SlowVl;
use crate::device::{Device, Verb};
use crate::faults::{Faults, FaultyLink};
use crate::scoreboard::failure::{Failure, Kind};
use crate::scoreboard::requirement::Rows;
use crate::slow_credits::SlowCredits;
use crate::station::Station;
use crate::trace::output::OutputError;
use crate::trace::{LinkRecord, PacketRecord};
use crate::Side;
use hca_golden::port::{Link, PortState, FIRST};
use hca_golden::verbs::Completion;
use std::collections::VecDeque;

/// Number of clock cycles after which a port has taken every link packet that its neighbour sent before. It is more
/// than the 4 us that the model allows.
pub const TAKEN: u64 = 1_000;

/// Largest number of clock cycles for which a finished run is watched for outputs that must not come.
const AFTERMATH: u64 = 4_000;
/// Number of clock cycles in a row without any transfer, after which a device has finished what it was doing. The
/// slowest action of an adapter that no bus shows is the expiry of a timer, which may be two ticks and two rounds of
/// the timers late: 768 clock cycles with 256 queue pairs. A packet of 4 KB passes a buffer in 512.
const SETTLING: u64 = 800;
/// Largest number of clock cycles until nothing moves after that watch.
const CALM: u64 = 40_000;

/// Number of clock cycles after which credits are right again that a wrong flow-control packet took away. At 64 bits a
/// port sends a flow-control packet of each VL every 31,744 cycles, or up to two packets later. One packet of each port
/// is needed, and each port may just have sent its last one.
const RIGHTED: u64 = 4 * 33_792;

/// A completion as software took it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reaped {
    /// Clock cycle in which software saw it.
    pub cycle: u64,
    pub side: Side,
    pub completion: Completion,
}

/// An observer of a run.
pub trait Observer {
    /// Notes that a packet crosses the link.
    fn packet(&mut self, packet: &PacketRecord) -> Result<(), OutputError>;
    /// Notes that a link packet crosses the link.
    fn link_packet(&mut self, _packet: &LinkRecord) -> Result<(), OutputError> {
        Ok(())
    }
    /// Notes that software took a completion.
    fn completion(&mut self, reaped: &Reaped) -> Result<(), OutputError>;
    /// Takes a line of text from the scenario.
    fn note(&mut self, _line: &str) -> Result<(), OutputError> {
        Ok(())
    }
    /// Notes that `done` of `total` units of the scenario's work are done.
    fn progress(&mut self, done: u64, total: u64);
}

/// An observer that ignores everything.
pub struct Unwatched;

impl Observer for Unwatched {
    fn packet(&mut self, _: &PacketRecord) -> Result<(), OutputError> {
        Ok(())
    }

    fn completion(&mut self, _: &Reaped) -> Result<(), OutputError> {
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) {}
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    #[error("{}", .0.field())]
    Failed(Box<Failure>),
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl From<Box<Failure>> for Stop {
    fn from(failure: Box<Failure>) -> Stop {
        Stop::Failed(failure)
    }
}

/// The devices X and Y in their places, and the link between them.
pub struct Fabric<'a> {
    stations: [Box<dyn Station>; 2],
    observer: &'a mut dyn Observer,
    reaped: [VecDeque<Reaped>; 2],
    link: Link,
    /// The link that causes faults; `None` if packets arrive at once.
    faulty: Option<FaultyLink>,
    /// Credits between the first ports that come slowly.
    slow: Option<SlowCredits>,
    /// True if a cable of the devices carries what the first ports send.
    is_cabled: bool,
    patience: u64,
    /// Largest number of clock cycles of the run.
    limit: u64,
    cycle: u64,
    packets: u64,
    kept: Option<Vec<PacketRecord>>,
}

impl<'a> Fabric<'a> {
    /// Connects X and Y. `patience` is the number of clock cycles without progress that count as a failure.
    pub fn new(
        x: Box<dyn Station>,
        y: Box<dyn Station>,
        patience: u64,
        observer: &'a mut dyn Observer,
    ) -> Fabric<'a> {
        Fabric {
            stations: [x, y],
            observer,
            reaped: Default::default(),
            link: Link::InfiniBand,
            faulty: None,
            slow: None,
            is_cabled: false,
            patience,
            limit: u64::MAX,
            cycle: 0,
            packets: 0,
            kept: None,
        }
    }

    /// Replaces the native link between X and Y by this one, for which their ports must be made.
    pub fn over(self, link: Link) -> Fabric<'a> {
        Fabric { link, ..self }
    }

    /// Leaves it to the cable in the first ports of both devices ([`hca_sim::cable::CableEnd`]) to carry their packets.
    pub fn cabled(self) -> Fabric<'a> {
        let is_cabled = true;
        Fabric { is_cabled, ..self }
    }

    /// Limits the run to this many clock cycles. A longer run has failed, because it does not end.
    pub fn within(self, limit: u64) -> Fabric<'a> {
        Fabric { limit, ..self }
    }

    /// Makes packets suffer these faults from now on.
    pub fn suffer(&mut self, faults: Faults, seed: u64) {
        self.faulty = Some(FaultyLink::new(faults, seed));
    }

    /// Makes the credits of a VL of the first ports come slowly from now on.
    pub fn slow_down(&mut self, vl: SlowVl) {
        let buffer = self.stations[vl.to.other() as usize].receive_blocks();
        self.slow = Some(SlowCredits::new(vl, buffer));
    }

    /// Returns true if the link may change bits of packets.
    pub fn corrupts(&self) -> bool {
        self.faulty.as_ref().is_some_and(FaultyLink::corrupts)
    }

    /// Makes packets for `to` take this many cycles from now on.
    pub fn delay(&mut self, to: Side, cycles: u64) {
        let faulty = self
            .faulty
            .get_or_insert_with(|| FaultyLink::new(Faults::default(), 0));
        faulty.delay(to, cycles);
    }

    /// Returns the link between X and Y.
    pub fn link(&self) -> Link {
        self.link
    }

    /// Returns the number of ports that both devices have.
    pub fn ports(&self) -> u8 {
        self.stations.iter().map(|s| s.ports()).min().unwrap_or(1)
    }

    /// Returns the device of this side.
    pub fn station(&mut self, side: Side) -> &mut dyn Station {
        &mut *self.stations[side as usize]
    }

    /// Returns the number of clock cycles so far.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Returns the number of packets that crossed the link.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Keeps packets from now on, for literal checks.
    pub fn keep_packets(&mut self) {
        self.kept.get_or_insert_default();
    }

    /// Returns the kept packets.
    pub fn kept_packets(&self) -> &[PacketRecord] {
        self.kept.as_deref().unwrap_or_default()
    }

    /// Returns the number of decisions judged on both sides.
    pub fn events(&self) -> u64 {
        self.stations.iter().map(|s| s.events()).sum()
    }

    /// Returns the requirements that either side exercised.
    pub fn rows(&self) -> Rows {
        let mut rows = Rows::default();
        self.stations.iter().for_each(|s| rows.add(&s.rows()));
        rows
    }

    /// Runs both devices for one clock cycle and carries packets across.
    pub fn step(&mut self) -> Result<(), Stop> {
        self.cycle += 1;
        if self.cycle > self.limit {
            return Err(Stop::Failed(self.failure(Kind::Stalled {
                cycles: self.limit,
                due: vec!["the end of the run".to_owned()],
            })));
        }
        for station in &mut self.stations {
            station.step()?;
        }
        for from in Side::BOTH {
            while let Some(packet) = self.station(from).transmitted() {
                let is_carried = self.is_cabled && packet.port == FIRST;
                if packet.is_link {
                    let slow = self.slow.as_mut().filter(|slow| {
                        let is_first = packet.port == FIRST;
                        is_first && slow.vl().to == from.other()
                    });
                    let bytes = match slow {
                        Some(slow) => slow.take(packet.bytes),
                        None => Some(packet.bytes),
                    };
                    if let Some(bytes) = bytes {
                        self.carry_link(from, packet.port, packet.cycle, bytes)?;
                    }
                    continue;
                }
                self.packets += 1;
                let record = PacketRecord {
                    cycle: packet.cycle,
                    from,
                    port: packet.port,
                    link: self.link,
                    bytes: packet.bytes,
                };
                self.observer.packet(&record)?;
                if let Some(kept) = &mut self.kept {
                    kept.push(record.clone());
                }
                if is_carried {
                    continue;
                }
                match &mut self.faulty {
                    None => self.station(from.other()).receive(packet.port, record.bytes),
                    Some(faulty) => faulty.send(self.cycle, from.other(), packet.port, record.bytes),
                }
            }
            while let Some(completion) = self.station(from).completion() {
                let reaped = Reaped {
                    cycle: self.cycle,
                    side: from,
                    completion,
                };
                self.observer.completion(&reaped)?;
                self.reaped[from as usize].push_back(reaped);
            }
        }
        self.give_slowly()?;
        while let Some(packet) = self.faulty.as_mut().and_then(|f| f.arrived(self.cycle)) {
            let station = self.station(packet.to);
            match packet.is_link {
                true => station.receive_link(packet.port, packet.bytes),
                false => station.receive(packet.port, packet.bytes),
            }
        }
        Ok(())
    }

    /// Carries a link packet across.
    fn carry_link(&mut self, from: Side, port: u8, cycle: u64, bytes: Vec<u8>) -> Result<(), Stop> {
        let record = LinkRecord {
            cycle,
            from,
            port,
            bytes,
        };
        self.observer.link_packet(&record)?;
        if self.is_cabled && port == FIRST {
            return Ok(());
        }
        match &mut self.faulty {
            None => self.station(from.other()).receive_link(port, record.bytes),
            Some(faulty) => faulty.send_link(self.cycle, from.other(), port, record.bytes),
        }
        Ok(())
    }

    /// Passes credits on that came slowly.
    fn give_slowly(&mut self) -> Result<(), Stop> {
        let Some(SlowVl { to, vl, .. }) = self.slow.as_ref().map(SlowCredits::vl) else {
            return Ok(());
        };
        let neighbour = self.station(to.other());
        let is_up = [Some(PortState::Armed), Some(PortState::Active)].contains(&neighbour.port_state(FIRST));
        let Some(said) = neighbour.link_packet(FIRST, vl).filter(|_| is_up) else {
            return Ok(());
        };
        let cycle = self.cycle;
        match self.slow.as_mut().and_then(|slow| slow.due(cycle, said.fctbs)) {
            Some(bytes) => self.carry_link(to.other(), FIRST, cycle, bytes),
            None => Ok(()),
        }
    }

    /// Passes a packet that no device sent to the first port of this side, in its peer's name.
    pub fn slip_in(&mut self, to: Side, bytes: Vec<u8>) -> Result<(), Stop> {
        self.slip_in_at(FIRST, to, bytes)
    }

    /// Passes a packet that no device sent to this port of this side, in its peer's name.
    pub fn slip_in_at(&mut self, port: u8, to: Side, bytes: Vec<u8>) -> Result<(), Stop> {
        self.packets += 1;
        let record = PacketRecord {
            cycle: self.cycle,
            from: to.other(),
            port,
            link: self.link,
            bytes,
        };
        self.observer.packet(&record)?;
        self.station(to).receive(port, record.bytes);
        Ok(())
    }

    /// Passes a link packet that no device sent to this port of this side of a native link, in its peer's name.
    pub fn slip_in_link_at(&mut self, port: u8, to: Side, bytes: Vec<u8>) -> Result<(), Stop> {
        let record = LinkRecord {
            cycle: self.cycle,
            from: to.other(),
            port,
            bytes,
        };
        self.observer.link_packet(&record)?;
        self.station(to).receive_link(port, record.bytes);
        Ok(())
    }

    /// Turns flow control of the first native link on at both ports, which map SL `n` to the VL in bit `n`. They go
    /// from Down to Active, each step of both before the next: a port in Init restarts a neighbour that is Active
    /// (`protocol/link.md` section 1). Between Armed and Active the ports get time to take what their neighbours sent
    /// in Init.
    pub fn control_flow(&mut self, vls: u16) -> Result<(), Stop> {
        self.control_flow_of(std::array::from_fn(|sl| (vls >> sl & 1) as u8))
    }

    /// Turns flow control on as [`control_flow`](Self::control_flow) does, with the given VL of each SL.
    pub fn control_flow_of(&mut self, table: [u8; 16]) -> Result<(), Stop> {
        self.control_flow_at(FIRST, table)
    }

    /// Turns flow control of the native link of the ports of this number on, as
    /// [`control_flow`](Self::control_flow) does, with the given VL of each SL.
    pub fn control_flow_at(&mut self, port: u8, table: [u8; 16]) -> Result<(), Stop> {
        let step = |state| Verb::SetPortState { state };
        let verbs = [
            Verb::SetSlToVl { table },
            step(PortState::Down),
            Verb::SetFlowControl { is_on: true },
            step(PortState::Armed),
            step(PortState::Active),
        ];
        for verb in verbs {
            if verb == step(PortState::Active) {
                for _ in 0..TAKEN {
                    self.step()?;
                }
            }
            for side in Side::BOTH {
                self.station(side).submit(verb.clone().on_port(port));
            }
            self.rest()?;
        }
        Ok(())
    }

    /// Runs until both devices are at rest and no packet is on its way.
    pub fn rest(&mut self) -> Result<(), Stop> {
        self.run_until("both devices at rest", |f| f.is_quiet())
    }

    /// Runs until both devices are at rest, no packet is on its way, and no timer runs, so that everything that has to
    /// be sent again was sent.
    pub fn settle(&mut self) -> Result<(), Stop> {
        self.rest()?;
        while self.stations.iter().any(|s| s.waits()) {
            self.run_until("the end of all timers", |f| !f.stations.iter().any(|s| s.waits()))?;
            self.rest()?;
        }
        Ok(())
    }

    /// Runs until `done` returns true. `what` names the awaited event in the report if nothing happens any more.
    pub fn run_until(&mut self, what: &str, mut done: impl FnMut(&mut Self) -> bool) -> Result<(), Stop> {
        while !done(self) {
            self.step()?;
            let progress = self.stations.iter().map(|s| s.progress()).max().unwrap_or(0);
            let cycles = self.cycle.saturating_sub(progress);
            let goes_on = || {
                let waits = self.stations.iter().any(|s| s.waits_for_turns());
                self.stations.iter().any(|s| s.has_deadline()) || (waits && cycles <= RIGHTED)
            };
            if cycles > 2 * self.patience && !goes_on() {
                let mut due = vec![what.to_owned()];
                for (side, station) in Side::BOTH.iter().zip(&self.stations) {
                    due.extend(station.open_work().iter().map(|work| format!("{side}: {work}")));
                }
                return Err(Stop::Failed(self.failure(Kind::Stalled { cycles, due })));
            }
        }
        Ok(())
    }

    /// Settles for at most this many clock cycles. Returns false if some work continues.
    pub fn settles_within(&mut self, cycles: u64) -> Result<bool, Stop> {
        let end = self.cycle + cycles;
        let mut settled = false;
        self.run_until("both devices at rest", |f| {
            settled = f.is_quiet() && !f.stations.iter().any(|s| s.waits());
            settled || f.cycle >= end
        })?;
        Ok(settled)
    }

    /// Returns true if both devices are at rest and no packet is on its way.
    fn is_quiet(&self) -> bool {
        self.stations.iter().all(|s| s.at_rest()) && self.faulty.as_ref().is_none_or(FaultyLink::is_empty)
    }

    /// Carries out verbs on one side, one after another, and waits for all outcomes.
    pub fn verbs(&mut self, side: Side, verbs: impl IntoIterator<Item = Verb>) -> Result<(), Stop> {
        for verb in verbs {
            self.station(side).submit(verb);
        }
        self.run_until("outcome of a verb", |fabric| {
            fabric.station(side).verbs_open() == 0
        })
    }

    /// Carries out a verb that may be refused, and waits for its outcome.
    pub fn attempt(&mut self, side: Side, verb: Verb) -> Result<(), Stop> {
        self.station(side).permit_refusals();
        self.verbs(side, [verb])
    }

    /// Takes the next completion that software of this side took.
    pub fn reap(&mut self, side: Side) -> Option<Reaped> {
        self.reaped[side as usize].pop_front()
    }

    /// Returns true if software of either side took a completion that was not taken here yet.
    pub fn has_completion(&self) -> bool {
        self.reaped.iter().any(|r| !r.is_empty())
    }

    /// Waits for the next completion of this side, and takes it.
    pub fn wait_for_completion(&mut self, side: Side) -> Result<Reaped, Stop> {
        self.run_until("a completion", |fabric| !fabric.reaped[side as usize].is_empty())?;
        let reaped = self.reap(side);
        Ok(reaped.expect("run_until returned because there is one"))
    }

    /// Passes a line to the observer.
    pub fn note(&mut self, line: &str) -> Result<(), Stop> {
        Ok(self.observer.note(line)?)
    }

    /// Reports the scenario's progress to the observer.
    pub fn report_progress(&mut self, done: u64, total: u64) {
        self.observer.progress(done, total);
    }

    /// Ends the run: everything due must come, nothing more may come, and all memory must be correct.
    pub fn finish(&mut self) -> Result<(), Stop> {
        self.rest()?;
        let mut moved = self.watch()?;
        let watched = self.cycle;
        // Work that a timer has begun meanwhile is not missing: it ends, too.
        self.rest()?;
        if self.cycle > watched {
            moved = self.cycle;
        }
        self.calm_down(moved)?;
        // A device may still send after that long: the packet that is on its way has to be decided.
        self.rest()?;
        for station in &mut self.stations {
            station.finish()?;
        }
        Ok(())
    }

    /// Waits for outputs that must not come, and for decided data that still passes buffers. It returns once nothing
    /// has moved for long, nothing is due, no packet has to wait for its static rate, no timer runs, and none that ran
    /// could expire before the watch ends in any case. Returns the clock cycle in which something moved last.
    pub fn watch(&mut self) -> Result<u64, Stop> {
        let end = self.cycle + AFTERMATH;
        let mut moved = self.cycle;
        while self.cycle < end {
            self.step()?;
            if !self.stations.iter().all(|s| s.is_still()) {
                moved = self.cycle;
            }
            moved = moved.max(self.pace_ends());
            let happened = self.stations.iter().map(|s| s.progress());
            let stopped = self.stations.iter().filter_map(|s| s.last_stopped(end));
            let last = happened.chain(stopped).fold(moved, u64::max);
            let waits = || self.stations.iter().any(|s| s.waits());
            if self.cycle >= last + SETTLING && !waits() && self.is_quiet() {
                break;
            }
        }
        Ok(moved)
    }

    /// Runs until nothing has moved for long; something moved last in clock cycle `moved`. A queue pair in Error may
    /// still send the responses that it has begun, though none of them is due.
    fn calm_down(&mut self, mut moved: u64) -> Result<(), Stop> {
        let end = self.cycle + CALM;
        while self.cycle < end.min(moved + SETTLING) {
            self.step()?;
            if !self.is_quiet() || !self.stations.iter().all(|s| s.is_still()) {
                moved = self.cycle;
            }
            moved = moved.max(self.pace_ends());
        }
        Ok(())
    }

    /// Returns the clock cycle from which no packet of either device waits because of a static rate.
    fn pace_ends(&self) -> u64 {
        let ends = self.stations.iter().filter_map(|s| s.pace_ends());
        ends.max().unwrap_or(0)
    }

    /// Closes what the devices write beside the run.
    pub fn close(&mut self) -> Result<(), hca_sim::verilated::Error> {
        self.stations.iter_mut().try_for_each(|s| s.close())
    }

    /// Takes both devices out of their places, whatever they are doing.
    pub fn leave(self) -> [Box<dyn Device>; 2] {
        self.stations.map(|station| station.leave())
    }

    /// Makes a failure of the pair.
    pub fn failure(&self, kind: Kind) -> Box<Failure> {
        Box::new(Failure {
            side: None,
            cycle: self.cycle,
            event: None,
            kind,
            history: Vec::new(),
            link: self.link,
        })
    }

    /// Compares a literal expectation with what was seen.
    pub fn expect<T: PartialEq + std::fmt::Debug>(
        &self,
        field: &str,
        expected: T,
        actual: T,
    ) -> Result<(), Stop> {
        if expected == actual {
            return Ok(());
        }
        Err(Stop::Failed(self.failure(Kind::Expectation {
            field: field.to_owned(),
            expected: format!("{expected:?}"),
            actual: format!("{actual:?}"),
        })))
    }
}
