//! When a run that is finished ends: as soon as nothing can come any more, and not before.
use hca_golden::capabilities::Capabilities;
use hca_golden::event::Event;
use hca_golden::ring_part::RingPart;
use hca_golden::verbs::{Completion, HostEvent};
use hca_sim::verilated;
use hca_testbench::device::golden::GoldenDevice;
use hca_testbench::device::{port_of, Device, Fault, Outcome, Refusal, Retired, Ticket, Transmitted, Verb};
use hca_testbench::fabric::{Fabric, Stop, Unwatched};
use hca_testbench::scenario::Scenario;
use hca_testbench::scoreboard::failure::{Failure, Kind};
use hca_testbench::scoreboard::Checked;
use hca_testbench::station::Station;
use hca_testbench::Side;

/// What a station does, by its own clock.
#[derive(Clone, Copy, Default)]
struct Script {
    /// Clock cycle in which something is reported that should not be.
    stray: Option<u64>,
    /// A timer runs until this clock cycle, and then this much work is due.
    timer: Option<(u64, u64)>,
    /// A timer that was stopped could expire in this clock cycle.
    stopped: Option<u64>,
    /// A bus moves until this clock cycle.
    moves: u64,
}

/// A station that does what its script says, and nothing else.
#[derive(Default)]
struct Scripted {
    script: Script,
    now: u64,
}

impl Scripted {
    fn works(&self) -> bool {
        let due = |(begin, length)| (begin..begin + length).contains(&self.now);
        self.script.timer.is_some_and(due)
    }

    fn failure(&self, kind: Kind) -> Box<Failure> {
        Box::new(Failure {
            side: Some(Side::X),
            cycle: self.now,
            event: None,
            kind,
            history: Vec::new(),
            link: Default::default(),
        })
    }
}

impl Station for Scripted {
    fn data_vls(&self) -> u8 {
        1
    }
    fn receive_blocks(&self) -> u16 {
        180
    }

    fn ports(&self) -> u8 {
        1
    }

    fn now(&self) -> u64 {
        self.now
    }

    fn progress(&self) -> u64 {
        match self.works() {
            true => self.now,
            false => self
                .script
                .timer
                .map_or(0, |(begin, length)| begin + length)
                .min(self.now),
        }
    }

    fn waits(&self) -> bool {
        self.script.timer.is_some_and(|(begin, _)| self.now < begin)
    }

    fn open_work(&self) -> Vec<String> {
        Vec::new()
    }

    fn events(&self) -> u64 {
        0
    }

    fn step(&mut self) -> Result<(), Box<Failure>> {
        self.now += 1;
        if self.script.stray == Some(self.now) {
            let rule = "a stray decision".to_owned();
            return Err(self.failure(Kind::Fault { rule }));
        }
        Ok(())
    }

    fn submit(&mut self, _: Verb) -> Ticket {
        unreachable!("nobody asks")
    }

    fn verbs_open(&self) -> usize {
        0
    }

    fn receive(&mut self, _: u8, _: Vec<u8>) {}

    fn receive_bad(&mut self, _: u8, _: Vec<u8>) {}

    fn receive_link(&mut self, _: u8, _: Vec<u8>) {}

    fn transmitted(&mut self) -> Option<Transmitted> {
        None
    }

    fn completion(&mut self) -> Option<Completion> {
        None
    }

    fn register(&mut self, _: u64, _: u64) {}

    fn write_memory(&mut self, _: u64, _: &[u8]) {}

    fn read_memory(&self, _: u64, _: &mut [u8]) {}

    fn fail_memory(&mut self, _: u64, _: u64) {}

    fn lose(&mut self, _: RingPart) {}

    fn is_still(&self) -> bool {
        self.now >= self.script.moves && !self.works()
    }

    fn last_stopped(&self, end: u64) -> Option<u64> {
        self.script.stopped.filter(|moment| *moment <= end)
    }

    fn at_rest(&self) -> bool {
        self.is_still()
    }

    fn finish(&mut self) -> Result<(), Box<Failure>> {
        match self.works() {
            true => Err(self.failure(Kind::Missing {
                due: vec!["work".to_owned()],
            })),
            false => Ok(()),
        }
    }

    fn close(&mut self) -> Result<(), verilated::Error> {
        Ok(())
    }

    fn leave(self: Box<Self>) -> Box<dyn Device> {
        unreachable!("nobody takes it out")
    }
}

/// The clock cycle in which a run ends whose devices are at rest from the first on but for this, or what failed in it.
fn end(script: Script) -> Result<u64, String> {
    let mut nobody = Unwatched;
    let x = Box::new(Scripted { script, now: 0 });
    let mut fabric = Fabric::new(x, Box::new(Scripted::default()), 20_000, &mut nobody);
    match fabric.finish() {
        Ok(()) => Ok(fabric.cycle()),
        Err(Stop::Failed(failure)) => Err(failure.field()),
        Err(Stop::Output(error)) => Err(error.to_string()),
    }
}

#[test]
fn it_ends_once_nothing_can_come() {
    assert_eq!(end(Script::default()), Ok(800));
    let moving = Script {
        moves: 301,
        ..Script::default()
    };
    assert_eq!(end(moving), Ok(301 + 800), "the watch begins at rest");
}

#[test]
fn what_comes_although_nothing_is_due_is_seen() {
    for cycle in [1, 400, 800] {
        let stray = Some(cycle);
        assert_eq!(
            end(Script {
                stray,
                ..Script::default()
            }),
            Err("port rule".to_owned()),
            "{cycle}"
        );
    }
}

#[test]
fn while_a_timer_runs_it_is_watched_to_the_bound() {
    let script = Script {
        timer: Some((1_000_000, 1)),
        ..Script::default()
    };
    assert_eq!(end(script), Ok(4_000));
    let stray = Some(4_000);
    assert_eq!(end(Script { stray, ..script }), Err("port rule".to_owned()));
}

#[test]
fn the_expiry_of_a_timer_that_was_stopped_is_waited_for() {
    let stopped = |cycle| Script {
        stopped: Some(cycle),
        ..Script::default()
    };
    assert_eq!(end(stopped(2_000)), Ok(2_800));
    assert_eq!(end(stopped(3_900)), Ok(4_000), "as far as the bound");
    assert_eq!(end(stopped(4_001)), Ok(800), "not for what the bound leaves out");
}

/// A timer that expires in the last clock cycles begins work that is neither missing nor too much.
#[test]
fn what_a_timer_has_begun_ends_before_the_run() {
    for begin in [3_000, 3_990, 3_999, 4_000] {
        let script = Script {
            timer: Some((begin, 500)),
            ..Script::default()
        };
        let ended = end(script).unwrap();
        assert!(ended >= begin + 500, "{begin}: {ended}");
    }
}

/// A model that reports its last ack once more, so many clock cycles after the first time.
struct Stuttering {
    device: GoldenDevice,
    late: u64,
    last_ack: Option<Retired>,
}

impl Device for Stuttering {
    fn capabilities(&self) -> Capabilities {
        self.device.capabilities()
    }

    fn clock_hz(&self) -> u64 {
        self.device.clock_hz()
    }

    fn now(&self) -> u64 {
        self.device.now()
    }

    fn step(&mut self) -> Result<(), Fault> {
        self.device.step()
    }

    fn submit(&mut self, verb: Verb) -> Ticket {
        self.device.submit(verb)
    }

    fn outcome(&mut self, ticket: Ticket) -> Option<Result<Outcome, Refusal>> {
        self.device.outcome(ticket)
    }

    fn receive(&mut self, port: u8, packet: Vec<u8>) {
        self.device.receive(port, packet);
    }

    fn receive_bad(&mut self, port: u8, packet: Vec<u8>) {
        self.device.receive_bad(port, packet);
    }

    fn receive_link(&mut self, port: u8, packet: Vec<u8>) {
        self.device.receive_link(port, packet);
    }

    fn hold_link(&mut self, port: u8, is_held: bool) {
        self.device.hold_link(port, is_held);
    }

    fn hold_memory(&mut self, is_held: bool) {
        self.device.hold_memory(is_held);
    }

    fn transmitted(&mut self) -> Option<Transmitted> {
        self.device.transmitted()
    }

    fn retired(&mut self) -> Result<Option<Retired>, Fault> {
        let now = self.now();
        let retired = self.device.retired()?;
        if let Some(ack) = retired.filter(|r| matches!(r.event, Event::AckEmitted { .. })) {
            self.last_ack = Some(ack);
        }
        let again = self
            .last_ack
            .filter(|ack| retired.is_none() && now == ack.cycle + self.late);
        if again.is_some() {
            self.last_ack = None;
        }
        Ok(retired.or(again.map(|ack| Retired { cycle: now, ..ack })))
    }

    fn poll(&mut self, cqn: u32) -> Result<Option<Completion>, Fault> {
        self.device.poll(cqn)
    }

    fn poll_event(&mut self) -> Result<Option<HostEvent>, Fault> {
        self.device.poll_event()
    }

    fn read_memory(&self, addr: u64, bytes: &mut [u8]) {
        self.device.read_memory(addr, bytes);
    }

    fn write_memory(&mut self, addr: u64, bytes: &[u8]) {
        self.device.write_memory(addr, bytes);
    }

    fn fail_memory(&mut self, addr: u64, length: u64) {
        self.device.fail_memory(addr, length);
    }

    fn lose(&mut self, part: RingPart) {
        self.device.lose(part);
    }

    fn written_pages(&self) -> Vec<u64> {
        self.device.written_pages()
    }

    fn reset(&mut self) -> Result<(), Fault> {
        self.device.reset()
    }

    fn quiet(&self) -> bool {
        self.device.quiet()
    }
}

/// `seed001` with a device Y that reports its last ack again so many clock cycles later: what failed.
fn stuttered(late: u64) -> Option<String> {
    let mut nobody = Unwatched;
    let (x, y) = (port_of(Side::X), port_of(Side::Y));
    let device = Stuttering {
        device: GoldenDevice::new(y),
        late,
        last_ack: None,
    };
    let x = Checked::new(Side::X, Box::new(GoldenDevice::new(x)), x, 20_000);
    let y = Checked::new(Side::Y, Box::new(device), y, 20_000);
    let mut fabric = Fabric::new(Box::new(x), Box::new(y), 20_000, &mut nobody);
    match Scenario::Seed001.run(&mut fabric, 1) {
        Ok(()) => None,
        Err(Stop::Failed(failure)) => Some(failure.field()),
        Err(Stop::Output(error)) => panic!("{error}"),
    }
}

/// Its packet does not even come.
#[test]
fn a_stray_decision_after_the_end_is_seen() {
    assert_eq!(stuttered(u64::MAX / 2), None);
    assert_eq!(stuttered(700).as_deref(), Some("ack not permitted"));
}
