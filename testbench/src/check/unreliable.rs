//! Judges packets of UC (`protocol/uc.md`). No packet answers them, so that a missing PSN may have been lost anywhere.
//! It is counted as lost, and is not a finding.
use super::finding::Rule;
use super::found::Findings;
use super::observed::Observed;
use hca_golden::psn;
use hca_golden::wire::opcode::{Header, Opcode, Operation, Position};

/// Longest message (`uc.md` section 1).
const LONGEST: u32 = 1 << 31;
const PMTUS: std::ops::RangeInclusive<u16> = 256..=4096;
/// A PSN this far from the expected one belongs to another life of the queue pair.
const FAR: u32 = 1 << 16;

/// A message that has begun and not ended, all of its packets seen.
#[derive(Clone, Copy, Debug)]
struct Open {
    operation: Operation,
    bytes: u64,
    /// Length in its RETH.
    announced: Option<u64>,
}

/// What is known about the message that the next packet may continue.
#[derive(Clone, Copy, Debug, Default)]
enum Message {
    /// Nothing is known: the capture begins, or a queue pair that was made anew.
    #[default]
    Unseen,
    /// Nothing is known: packets are missing or in another order.
    Broken,
    /// The message goes on; it cannot be judged, and was counted or is a finding.
    Counted,
    None,
    Open(Open),
}

/// Packets to one queue pair.
#[derive(Clone, Debug, Default)]
pub(super) struct Unreliable {
    next: Option<u32>,
    message: Message,
    pmtu: Option<u16>,
    p_key: Option<u16>,
    /// True once a finding has said that a packet of this flow asked for an ack.
    asked: bool,
    /// PSNs that were left out and did not come later.
    pub lost: u64,
    /// Number of messages whose first packets came before the capture.
    pub headless: u64,
    /// Number of messages that lack packets, or whose packets are in another order. Two that lack packets one after the
    /// other count as one, since what comes next may be of either.
    pub broken: u64,
}

impl Unreliable {
    /// Returns true if the latest message has not ended.
    pub fn is_open(&self) -> bool {
        matches!(self.message, Message::Open(_))
    }

    /// Notes that the message under way cannot be judged, if there is one.
    fn break_off(&mut self) {
        self.message = match self.message {
            Message::Open(_) => {
                self.broken += 1;
                Message::Counted
            }
            Message::Counted => Message::Counted,
            Message::Unseen | Message::Broken | Message::None => Message::Broken,
        };
    }

    /// Judges the next packet.
    pub fn packet(&mut self, packet: &Observed, opcode: &'static Opcode, findings: &mut Findings<'_>) {
        let ahead = self.next.map_or(0, |next| psn::difference(packet.psn, next));
        if ahead.unsigned_abs() > FAR {
            // The queue pair was made anew.
            self.break_off();
            *self = Unreliable {
                asked: self.asked,
                lost: self.lost,
                headless: self.headless,
                broken: self.broken,
                ..Unreliable::default()
            };
        } else if ahead < 0 {
            // The packet was overtaken, or came twice, before the capture in either case.
            self.lost = self.lost.saturating_sub(1);
            self.break_off();
            return self.fields(packet, opcode, findings);
        } else if ahead > 0 {
            self.lost += u64::from(ahead.unsigned_abs());
            self.break_off();
        }
        self.next = Some(psn::add(packet.psn, 1));
        self.fields(packet, opcode, findings);
        self.sequence(packet, opcode, findings);
    }

    /// Checks what a packet shows by itself.
    fn fields(&mut self, packet: &Observed, opcode: &Opcode, findings: &mut Findings<'_>) {
        let name = opcode.name;
        if packet.asks && !std::mem::replace(&mut self.asked, true) {
            findings.add(Rule::UnreliableAsks, format!("A = 1 in {name}, told once"));
        }
        let may_be_solicited = match opcode.operation {
            Operation::Send => opcode.ends(),
            _ => opcode.headers.contains(&Header::ImmDt),
        };
        if packet.solicits && !may_be_solicited {
            let rule = match opcode.operation {
                Operation::Send => Rule::SolicitedSend,
                _ => Rule::SolicitedEvent,
            };
            findings.add(rule, format!("SE in {name}"));
        }
        let p_key = packet.p_key & 0x7FFF;
        if *self.p_key.get_or_insert(p_key) != p_key {
            findings.add(Rule::PKey, format!("P_Key {:04X}h in {name}", packet.p_key));
        }
        if let Some(reth) = packet.reth().filter(|reth| reth.dma_len > LONGEST) {
            findings.add(Rule::DmaLength, format!("{} bytes in {name}", reth.dma_len));
        }
        let bytes = packet.body.bytes;
        let is_full = matches!(opcode.position, Position::First | Position::Middle);
        let is_pmtu = PMTUS.contains(&bytes) && bytes.is_power_of_two();
        let wrong = match self.pmtu {
            Some(pmtu) if is_full => bytes != pmtu,
            Some(pmtu) => bytes > pmtu || opcode.position == Position::Last && bytes == 0,
            None if is_full => !is_pmtu,
            None => opcode.position == Position::Last && bytes == 0,
        };
        if wrong {
            let pmtu = self.pmtu.map_or(String::new(), |pmtu| format!("PMTU {pmtu}, "));
            findings.add(Rule::UnreliableSegments, format!("{pmtu}{bytes} bytes in {name}"));
        }
        if is_full && is_pmtu {
            self.pmtu.get_or_insert(bytes);
        }
    }

    /// Checks that a middle or last packet continues the message before it. A packet that begins a message may follow
    /// one that was broken off (`uc.md` section 2).
    fn sequence(&mut self, packet: &Observed, opcode: &Opcode, findings: &mut Findings<'_>) {
        let mut open = match (self.message, opcode.begins()) {
            (_, true) => Open {
                operation: opcode.operation,
                bytes: 0,
                announced: packet.reth().map(|reth| u64::from(reth.dma_len)),
            },
            (Message::Open(open), false) if open.operation == opcode.operation => open,
            (Message::Unseen | Message::Broken | Message::Counted, false) => {
                match self.message {
                    Message::Unseen => self.headless += 1,
                    Message::Broken => self.broken += 1,
                    _ => {}
                }
                self.message = match opcode.ends() {
                    true => Message::None,
                    false => Message::Counted,
                };
                return;
            }
            (Message::Open(_) | Message::None, false) => {
                let detail = format!("{} goes on with no message of its kind", opcode.name);
                findings.add(Rule::UnreliableOrder, detail);
                self.message = Message::Counted;
                return;
            }
        };
        open.bytes += u64::from(packet.body.bytes);
        let (bytes, ends) = (open.bytes, opcode.ends());
        if let Some(announced) = open.announced.filter(|a| bytes > *a || ends && bytes != *a) {
            let detail = format!("RETH says {announced} bytes, {bytes} came");
            findings.add(Rule::UnreliableLength, detail);
            open.announced = None;
        }
        self.message = match ends {
            true => Message::None,
            false => Message::Open(open),
        };
    }
}
