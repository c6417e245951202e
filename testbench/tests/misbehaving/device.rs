//! A device that does one thing wrong.
use hca_golden::capabilities::Capabilities;
use hca_golden::event::Event;
use hca_golden::port::PortConfig;
use hca_golden::ring_part::RingPart;
use hca_golden::verbs::{Completion, HostEvent, QueueSide};
use hca_golden::wire::crc;
use hca_testbench::device::golden::GoldenDevice;
use hca_testbench::device::{Device, Fault, Outcome, Refusal, Retired, Ticket, Transmitted, Verb};
use std::collections::VecDeque;

/// What the device does wrong, on the packets or completions it is about to hand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misdeed {
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
    /// Memory shows this byte inverted, as if its data were not there yet.
    Conceals(u64),
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

/// A golden device with a misdeed.
pub struct Misbehaving {
    device: GoldenDevice,
    misdeed: Misdeed,
    packets: usize,
    extra: VecDeque<Transmitted>,
    reported: bool,
}

impl Misbehaving {
    pub fn new(port: PortConfig, misdeed: Misdeed) -> Misbehaving {
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
        if let Misdeed::Conceals(at) = self.misdeed {
            let byte = at
                .checked_sub(addr)
                .and_then(|offset| bytes.get_mut(offset as usize));
            byte.into_iter().for_each(|byte| *byte = !*byte);
        }
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
