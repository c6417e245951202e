//! The scoreboard sees what a device does wrong, names the field, and never blames a device that does nothing wrong.
use hca_golden::capabilities::Capabilities;
use hca_golden::event::Event;
use hca_golden::port::PortConfig;
use hca_golden::ring_part::RingPart;
use hca_golden::verbs::{Completion, HostEvent, QueueSide};
use hca_golden::wire::crc;
use hca_testbench::device::golden::GoldenDevice;
use hca_testbench::device::{port_of, Device, Fault, Outcome, Refusal, Retired, Ticket, Transmitted, Verb};
use hca_testbench::fabric::{Fabric, Stop, Unwatched};
use hca_testbench::report::{render, Context};
use hca_testbench::scenario::services::Services;
use hca_testbench::scenario::Scenario;
use hca_testbench::scoreboard::failure::Failure;
use hca_testbench::scoreboard::Checked;
use hca_testbench::Side;
use proptest::prelude::*;
use std::collections::VecDeque;

/// What the device does wrong, on the packets or completions it is about to hand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Misdeed {
    Nothing,
    /// The n-th packet out, from 0, has this byte changed; both CRCs are right again.
    PacketByte(usize, usize),
    /// The same with the CRCs as they were.
    PacketByteOnly(usize, usize),
    SendsTwice(usize),
    SendsNothing,
    ByteCount,
    PKeyIndex,
    /// Reports that a Send invalidated an R_Key, which none did.
    Invalidated,
    WrId,
    /// Reports a PSN one too high for its first request.
    ReportedPsn,
    /// Reports no decision but of verbs.
    SilentReport,
    /// Reports no verb.
    SilentCommand,
    /// Reports modifications of the send side first.
    SendSideFirst,
    /// Memory changes behind everyone's back at the first completion.
    MemoryByte(u64),
    LosesCompletion,
    /// Sends no link packet from the clock cycle on in which its peer is Active, and so gives no credits.
    GivesNoCredits,
    /// Reports no decision but of verbs from the same time on as its packets wait for credits.
    StopsDeciding,
    /// Gives no credits, then decides nothing, so that its timers run and never expire.
    Starves,
}

/// First clock cycle in which a device [gives no credits](Misdeed::GivesNoCredits).
const CREDITS_END: u64 = 2_000;
/// First clock cycle in which a device [decides nothing](Misdeed::StopsDeciding).
const DECISIONS_END: u64 = 30_000;

struct Misbehaving {
    device: GoldenDevice,
    misdeed: Misdeed,
    packets: usize,
    extra: VecDeque<Transmitted>,
    reported: bool,
}

impl Misbehaving {
    fn new(port: PortConfig, misdeed: Misdeed) -> Misbehaving {
        Misbehaving {
            device: GoldenDevice::new(port),
            misdeed,
            packets: 0,
            extra: VecDeque::new(),
            reported: false,
        }
    }
}

impl Misbehaving {
    /// Does not report this.
    fn conceals(&self, event: &Event) -> bool {
        let of_verb = matches!(event, Event::Command { .. } | Event::QpModified { .. });
        match self.misdeed {
            Misdeed::SilentReport => !of_verb,
            Misdeed::SilentCommand => of_verb,
            Misdeed::StopsDeciding | Misdeed::Starves => self.now() >= DECISIONS_END && !of_verb,
            _ => false,
        }
    }
}

fn with_right_crcs(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() - 6);
    bytes.extend(crc::icrc(&bytes));
    bytes.extend(crc::vcrc(&bytes));
    bytes
}

impl Device for Misbehaving {
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
    fn reset(&mut self) -> Result<(), Fault> {
        self.device.reset()
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
        if let Some(packet) = self.extra.pop_front() {
            return Some(packet);
        }
        let mut packet = self.device.transmitted()?;
        let gives_none = matches!(self.misdeed, Misdeed::GivesNoCredits | Misdeed::Starves);
        while packet.is_link && gives_none && self.now() >= CREDITS_END {
            packet = self.device.transmitted()?;
        }
        let n = self.packets;
        self.packets += 1;
        match self.misdeed {
            Misdeed::PacketByte(m, at) if m == n => {
                packet.bytes[at] ^= 1;
                packet.bytes = with_right_crcs(packet.bytes);
            }
            Misdeed::PacketByteOnly(m, at) if m == n => packet.bytes[at] ^= 1,
            Misdeed::SendsTwice(m) if m == n => self.extra.push_back(packet.clone()),
            Misdeed::SendsNothing => return None,
            _ => {}
        }
        Some(packet)
    }
    fn retired(&mut self) -> Result<Option<Retired>, Fault> {
        let mut retired = self.device.retired()?;
        while retired.is_some_and(|r| self.conceals(&r.event)) {
            retired = self.device.retired()?;
        }
        match (self.misdeed, &mut retired) {
            (
                Misdeed::SendSideFirst,
                Some(Retired {
                    event: Event::QpModified { side, .. },
                    ..
                }),
            ) => {
                *side = match side {
                    QueueSide::Send => QueueSide::Receive,
                    QueueSide::Receive => QueueSide::Send,
                };
            }
            (
                Misdeed::ReportedPsn,
                Some(Retired {
                    event: Event::RequestEmitted { psn, .. },
                    ..
                }),
            ) if !self.reported => {
                *psn += 1;
                self.reported = true;
            }
            _ => {}
        }
        Ok(retired)
    }
    fn poll(&mut self, cqn: u32) -> Result<Option<Completion>, Fault> {
        let Some(mut completion) = self.device.poll(cqn)? else {
            return Ok(None);
        };
        match self.misdeed {
            Misdeed::ByteCount => completion.byte_count += 1,
            Misdeed::PKeyIndex => completion.p_key_index = Some(0),
            Misdeed::Invalidated => completion.invalidated = Some(0),
            Misdeed::WrId => completion.wr_id ^= 1,
            Misdeed::LosesCompletion => return Ok(None),
            Misdeed::MemoryByte(addr) => {
                let mut byte = [0];
                self.device.read_memory(addr, &mut byte);
                self.device.write_memory(addr, &[!byte[0]]);
            }
            _ => {}
        }
        Ok(Some(completion))
    }
    fn poll_event(&mut self) -> Result<Option<HostEvent>, Fault> {
        self.device.poll_event()
    }
    fn read_memory(&self, addr: u64, bytes: &mut [u8]) {
        self.device.read_memory(addr, bytes);
    }
    fn written_pages(&self) -> Vec<u64> {
        self.device.written_pages()
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
    fn quiet(&self) -> bool {
        self.device.quiet()
    }
}

/// Runs a scenario with these misdeeds of its devices.
fn run_both(scenario: Scenario, x: Misdeed, y: Misdeed) -> Option<Box<Failure>> {
    let patience = 2_000;
    let station = |side, misdeed| {
        let device = Box::new(Misbehaving::new(port_of(side), misdeed));
        Box::new(Checked::new(side, device, port_of(side), patience))
    };
    let mut observer = Unwatched;
    let (x, y) = (station(Side::X, x), station(Side::Y, y));
    let mut fabric = Fabric::new(x, y, patience, &mut observer);
    match scenario.run(&mut fabric, 1) {
        Ok(()) => None,
        Err(Stop::Failed(failure)) => Some(failure),
        Err(Stop::Output(e)) => panic!("{e}"),
    }
}

/// Runs seed001 with one device misbehaving.
fn run(side: Side, misdeed: Misdeed) -> Option<Box<Failure>> {
    match side {
        Side::X => run_both(Scenario::Seed001, misdeed, Misdeed::Nothing),
        Side::Y => run_both(Scenario::Seed001, Misdeed::Nothing, misdeed),
    }
}

fn report(failure: &Failure) -> String {
    let context = Context {
        scenario: "seed001",
        seed: 1,
        replay: "hca cosim seed001 --seed 1",
    };
    render(failure, &context)
}

#[test]
fn a_right_device_is_not_blamed() {
    assert_eq!(run(Side::X, Misdeed::Nothing), None);
}

#[test]
fn every_misdeed_is_seen_and_named() {
    use Misdeed::*;
    // Offsets: LRH 0 to 7, BTH 8 to 19 (DestQP 13, A 16, PSN 19), AETH of an ack 20 to 23, payload from 20.
    for (side, misdeed, field) in [
        (Side::X, PacketByte(1, 19), "BTH.PSN"),
        (Side::X, PacketByte(0, 8), "BTH.Opcode"),
        (Side::X, PacketByte(2, 100), "payload"),
        (Side::X, PacketByte(0, 11), "BTH.P_Key"),
        (Side::X, PacketByte(0, 7), "LRH.SLID"),
        (Side::Y, PacketByte(0, 15), "BTH.DestQP"),
        (Side::Y, PacketByte(2, 23), "AETH.MSN"),
        (Side::Y, PacketByte(1, 20), "AETH.Syndrome"),
        (Side::X, PacketByteOnly(0, 2071), "ICRC"),
        (Side::X, PacketByteOnly(0, 2073), "VCRC"),
        (Side::X, SendsTwice(0), "packet sent twice"),
        (Side::X, SendsTwice(2), "packet sent twice"),
        (Side::Y, SendsTwice(2), "packet sent twice"),
        (Side::X, SendsNothing, "liveness"),
        (Side::Y, SendsNothing, "liveness"),
        (Side::Y, ByteCount, "CQE.byte_count"),
        (Side::Y, PKeyIndex, "CQE.p_key_index"),
        (Side::Y, Invalidated, "CQE.invalidated"),
        (Side::X, WrId, "CQE.wr_id"),
        (Side::X, ReportedPsn, "PSN"),
        (Side::X, SilentReport, "packet without a reported decision"),
        (Side::X, SilentCommand, "port rule"),
        (Side::X, SendSideFirst, "modification"),
        (Side::Y, MemoryByte(0x2000_0000 + 4_000), "memory"),
        (Side::Y, MemoryByte(0x2000_0000 + 6_000), "memory"),
        (Side::X, MemoryByte(0x1000_0000), "memory"),
        (Side::Y, LosesCompletion, "liveness"),
    ] {
        let failure = run(side, misdeed).unwrap_or_else(|| panic!("{misdeed:?} at {side} was not seen"));
        assert_eq!(
            failure.field(),
            field,
            "{misdeed:?} at {side}\n{}",
            report(&failure)
        );
        assert_eq!(failure.side, Some(side), "{misdeed:?} at {side}");
    }
}

#[test]
fn a_report_shows_both_packets_the_history_and_the_replay() {
    let failure = run(Side::X, Misdeed::PacketByte(1, 19)).unwrap();
    let text = report(&failure);
    for part in [
        "MISMATCH in seed001, seed 1: BTH.PSN at device X",
        "event: RequestEmitted QP 000A12h, PSN 101",
        "  * BTH.PSN     101                 100",
        "    BTH.DestQP  000B23h             000B23h",
        "packet out: RC_SEND_FIRST, PSN 100, 2048 bytes",
        "  replay: hca cosim seed001 --seed 1",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn a_stall_lists_what_is_due() {
    let text = report(&run(Side::X, Misdeed::SendsNothing).unwrap());
    assert!(
        text.contains("packet on the wire: RC_SEND_FIRST, PSN 100, 2048 bytes"),
        "{text}"
    );
}

/// Packets wait on both sides, no credits will ever come, and timers run that do not expire.
#[test]
fn a_pair_that_waits_for_credits_for_ever_is_a_stall() {
    let credits = Scenario::Services(Services::CREDITS);
    let failure = run_both(credits, Misdeed::Starves, Misdeed::Starves).unwrap();
    assert_eq!((failure.field(), failure.side), ("liveness".into(), None));
    let text = report(&failure);
    for part in [
        "    X: packet on the wire: ",
        "    X: expiry of the ack timer of QP ",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

/// Y's packets wait for credits, and it decides nothing about those that come.
#[test]
fn a_decision_that_waits_for_credits_is_a_stall() {
    let credits = Scenario::Services(Services::CREDITS);
    let failure = run_both(credits, Misdeed::GivesNoCredits, Misdeed::StopsDeciding).unwrap();
    assert_eq!(
        (failure.field(), failure.side),
        ("liveness".into(), Some(Side::Y))
    );
    let text = report(&failure);
    assert!(text.contains("decision on packet "), "{text}");
}

proptest! {
    /// Any changed byte of any packet is seen, whether the CRCs follow it or not.
    #[test]
    fn no_changed_byte_goes_unseen(n in 0..6usize, place in any::<prop::sample::Index>(), right_crcs: bool) {
        // X sends three requests of 2074, 2074 and 1050 bytes, Y three acks of 30.
        let (side, length) = [(Side::X, 2074), (Side::X, 2074), (Side::X, 1050)]
            .get(n)
            .copied()
            .unwrap_or((Side::Y, 30));
        // A change of the CRCs alone would be undone by right ones.
        let at = place.index(if right_crcs { length - 6 } else { length });
        let misdeed = match right_crcs {
            true => Misdeed::PacketByte(n % 3, at),
            false => Misdeed::PacketByteOnly(n % 3, at),
        };
        let failure = run(side, misdeed);
        prop_assert!(failure.is_some_and(|f| f.side == Some(side)), "{misdeed:?} at {side}");
    }
}
