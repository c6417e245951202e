//! Rules of a requester (`protocol/requester.md` sections 1 to 4, `responder.md` section 3).
use super::credits::Credits;
use super::finding::{Findings, Rule};
use super::message::{read_psns, takes_receive_wqe, History, Sent};
use hca_golden::psn;
use hca_golden::wire::opcode::{Header, Opcode, Operation, Position};
use hca_golden::wire::packet::Packet;

/// Most PSNs outstanding.
const MOST_OUTSTANDING: i32 = 1 << 23;

/// A message that has begun and not ended.
#[derive(Clone, Copy, Debug)]
struct Open {
    operation: Operation,
    /// Bytes of its packets so far.
    bytes: u64,
    /// What its RETH says.
    announced: Option<u64>,
}

/// One direction of a connection, as its requests show it.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    pub history: History,
    pub credits: Credits,
    /// PSN of the next packet that is new.
    next: Option<u32>,
    open: Option<Open>,
    /// Bytes of a full packet, once one was seen.
    pub pmtu: Option<u32>,
    /// Messages ended since the capture began.
    messages: u32,
    /// Highest PSN that has an answer.
    pub answered: Option<u32>,
    /// A PSN whose NAK ended the connection.
    pub fatal: Option<u32>,
}

impl Requests {
    /// Judges a request packet.
    pub fn packet(&mut self, packet: &Packet, opcode: &'static Opcode, findings: &mut Findings<'_>) {
        self.fields(packet, opcode, findings);
        if let Some(fatal) = self.fatal {
            // What was under way when the NAK came is not judged; what begins long after it is.
            if psn::difference(packet.bth.psn, fatal) < 0 {
                return;
            }
        }
        match self.next.map(|next| psn::difference(packet.bth.psn, next)) {
            Some(behind) if behind < 0 => self.again(packet, opcode, findings),
            Some(0) | None => self.fresh(packet, opcode, findings),
            Some(ahead) => {
                let expected = self.next.unwrap_or(0);
                let detail = format!(
                    "expected PSN {expected}, found {}: {ahead} are missing",
                    packet.bth.psn
                );
                findings.add(Rule::RequestPsn, detail);
                self.open = None;
                self.credits.forget();
                self.fresh(packet, opcode, findings);
            }
        }
    }

    /// A read response has shown how long a full packet is.
    pub fn learn_pmtu(&mut self, bytes: u32) {
        if (256..=4096).contains(&bytes) && bytes.is_power_of_two() {
            self.pmtu = Some(bytes);
            self.history.set_pmtu(bytes);
            self.next = self.history.last_psn().map(|last| psn::add(last, 1));
        }
    }

    /// What a packet shows by itself (CF159 to CF161, CF006 to CF008).
    fn fields(&mut self, packet: &Packet, opcode: &Opcode, findings: &mut Findings<'_>) {
        let may_be_solicited = match opcode.operation {
            Operation::Send => opcode.ends(),
            Operation::Write => opcode.headers.contains(&Header::ImmDt),
            _ => false,
        };
        if packet.bth.se && !may_be_solicited {
            findings.add(Rule::SolicitedEvent, format!("SE in {}", opcode.name));
        }
        if opcode.ends() && !packet.bth.a {
            findings.add(Rule::AckRequest, format!("A = 0 in {}", opcode.name));
        }
        let length = packet.payload.len() as u32;
        let full = matches!(opcode.position, Position::First | Position::Middle);
        match self.pmtu {
            Some(pmtu) if full && length != pmtu => {
                let detail = format!("PMTU {pmtu}, {length} bytes in {}", opcode.name);
                findings.add(Rule::FullPackets, detail);
            }
            Some(pmtu) if !full && length > pmtu => {
                let detail = format!("PMTU {pmtu}, {length} bytes in {}", opcode.name);
                findings.add(Rule::LastLength, detail);
            }
            None if full => {
                self.learn_pmtu(length);
                if self.pmtu.is_none() {
                    let detail = format!("{length} bytes in {} are no PMTU", opcode.name);
                    findings.add(Rule::FullPackets, detail);
                }
            }
            _ => {}
        }
        if opcode.position == Position::Last && length == 0 {
            findings.add(Rule::LastLength, format!("no byte in {}", opcode.name));
        }
    }

    /// A packet with the next PSN.
    fn fresh(&mut self, packet: &Packet, opcode: &'static Opcode, findings: &mut Findings<'_>) {
        let psn = packet.bth.psn;
        let known = self.next.is_some();
        self.sequence(opcode, known, findings);
        let announced = packet.reth().map(|reth| u64::from(reth.dma_len));
        if opcode.begins() {
            self.open = Some(Open {
                operation: opcode.operation,
                bytes: 0,
                announced: announced.filter(|_| opcode.operation == Operation::Write),
            });
        }
        let whole = self.open.is_some();
        if let Some(open) = &mut self.open {
            open.bytes += packet.payload.len() as u64;
            let (bytes, announced) = (open.bytes, open.announced);
            let wrong = announced.is_some_and(|a| bytes > a || opcode.ends() && bytes != a);
            if wrong {
                let detail = format!("RETH says {} bytes, {bytes} came", announced.unwrap_or(0));
                findings.add(Rule::MessageLength, detail);
            }
        }
        let psns = match (opcode.operation, self.pmtu) {
            (Operation::Read, Some(pmtu)) => read_psns(announced.unwrap_or(0) as u32, pmtu),
            _ => 1,
        };
        self.credits.next(opcode.begins(), self.answered, findings);
        if takes_receive_wqe(opcode) {
            self.credits.take(psn, packet.bth.a, findings);
        }
        if opcode.ends() {
            self.open = None;
            self.messages = self.messages.wrapping_add(1);
        }
        self.history.push(Sent {
            psn,
            psns,
            opcode,
            packet: packet.clone(),
            messages: self.messages,
            taken: self.credits.taken,
            whole,
        });
        // How many PSNs a Read takes nobody knows before a full packet was seen.
        let length_known = opcode.operation != Operation::Read || self.pmtu.is_some();
        self.next = length_known.then(|| psn::add(psn, psns));
        if let (Some(answered), Some(next)) = (self.answered, self.next) {
            let outstanding = psn::difference(next, psn::add(answered, 1));
            if !(0..=MOST_OUTSTANDING - 1).contains(&outstanding) {
                findings.add(
                    Rule::OutstandingPsns,
                    format!("PSN {psn} while {answered} is the last answered"),
                );
            }
        }
    }

    /// Where in a message the packet may stand. `known`: the packet before it was seen.
    fn sequence(&mut self, opcode: &Opcode, known: bool, findings: &mut Findings<'_>) {
        let fault = match (&self.open, opcode.begins()) {
            (Some(open), true) => Some(format!("{} while a {:?} is open", opcode.name, open.operation)),
            (Some(open), false) if open.operation != opcode.operation => {
                Some(format!("{} within a {:?}", opcode.name, open.operation))
            }
            (None, false) if known && self.history.back().is_some_and(|sent| sent.opcode.ends()) => {
                Some(format!("{} without a first", opcode.name))
            }
            _ => None,
        };
        if let Some(detail) = fault {
            findings.add(Rule::OpcodeSequence, detail);
            self.open = None;
        }
    }

    /// A packet whose PSN was seen before.
    fn again(&mut self, packet: &Packet, opcode: &'static Opcode, findings: &mut Findings<'_>) {
        let Some(sent) = self.history.of(packet.bth.psn) else {
            return;
        };
        // The remainder of a Read stands for what is missing of its responses (CF175).
        let offset = psn::difference(packet.bth.psn, sent.psn);
        let same = match (sent.is_read(), self.pmtu) {
            (true, Some(pmtu)) => {
                let skipped = u64::from(pmtu) * offset as u64;
                opcode.operation == Operation::Read
                    && packet
                        .reth()
                        .zip(sent.packet.reth())
                        .is_some_and(|(again, first)| {
                            let (again_bytes, first_bytes) =
                                (u64::from(again.dma_len), u64::from(first.dma_len));
                            again.va == first.va.wrapping_add(skipped)
                                && again.r_key == first.r_key
                                && again_bytes + skipped == first_bytes
                        })
            }
            _ => {
                opcode.value == sent.opcode.value
                    && packet.extensions == sent.packet.extensions
                    && packet.payload == sent.packet.payload
            }
        };
        if !same {
            let detail = format!(
                "PSN {} was {}, now it is another {}",
                packet.bth.psn, sent.opcode.name, opcode.name
            );
            findings.add(Rule::Resent, detail);
        }
    }
}
