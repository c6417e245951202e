//! Rules of a requester (`protocol/requester.md` sections 1 to 4, `responder.md` section 3).
mod fields;
mod gap;
mod gaps;
mod hole;
mod holes;
mod open;
mod overtaken;
mod overtaking;
mod resent;
mod retries;
mod retry;

use super::agreement::Limits;
use super::credits::Credits;
use super::finding::Rule;
use super::found::Findings;
use super::history::{read_psns, takes_receive_wqe, History, Request, Sent};
use super::observed::Observed;
use gap::Gap;
use hca_golden::psn;
use hca_golden::wire::opcode::{Opcode, Operation};
use hole::{Early, Hole};
use open::Open;
use overtaken::Overtaken;
use retries::Retries;

const SMALLEST_PMTU: u32 = 256;
const LARGEST_PMTU: u32 = 4096;
/// Limit of a difference of PSNs: one below it has wrapped, because more than 2^23 are outstanding. Differences above
/// it are of answers that came early.
const WRAPPED: i32 = -(1 << 22);
/// A PSN this far from the expected one belongs to another life of the queue pair.
const FAR: u32 = 1 << 16;

/// One direction of a connection, as its requests show.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    pub history: History,
    pub credits: Credits,
    /// The lowest PSN that the next new packet may have.
    next: Option<u32>,
    /// By how many PSNs `next` may be higher, because it is unknown how many the Read before it takes.
    slack: u32,
    gaps: Vec<Gap>,
    /// PSNs that are missing, perhaps only in the capture.
    holes: Vec<Hole>,
    /// Answers to requests that were not captured, or not yet.
    early: Vec<Early>,
    /// The PSN with which the replay has to continue.
    replay: Option<u32>,
    overtaken: Overtaken,
    /// True if messages may be missing in the capture: the MSN counts them, `messages` does not.
    pub recount: bool,
    /// Number of PSNs whose requests the capture lacks.
    lacks: u64,
    /// Number of PSNs that it lacks besides, unless the queue pair was reset.
    supposed: u64,
    /// PSN of the first packet that was seen.
    first: Option<u32>,
    /// True if that packet came again after everything was acknowledged.
    pub starts_over: bool,
    /// Number of messages before the packet to which the requester went back after everything was acknowledged.
    pub begins_at: Option<u32>,
    /// The PSN of a packet that could not be read.
    spoiled: Option<u32>,
    /// True if packets before the next one are missing.
    unsure: bool,
    open: Option<Open>,
    /// Number of bytes of a full packet, once one was seen.
    pub pmtu: Option<u32>,
    /// Number of messages that have ended since the capture began.
    messages: u32,
    /// Highest PSN that has an answer.
    answered: Option<u32>,
    /// PSN of the latest sequence NAK, until the requester has gone back to it.
    pub nak: Option<u32>,
    /// PSN of the latest RNR NAK, until the requester has gone back to it.
    not_ready: Option<u32>,
    /// The first PSN of the latest replay, and its packet, if no packet before it had an answer.
    went_back: Option<(u32, u64)>,
    /// PSN of an RNR NAK, and the time at which it may come again, in nanoseconds since 1970.
    wait: Option<(u32, u64)>,
    /// True if the latest packet was a repeated one.
    repeats: bool,
    /// The agreed limits of retries, once the capture has shown them.
    pub limits: Option<Limits>,
    /// Number of times that the requester went back.
    retries: Retries,
    /// PSN whose NAK ended the connection.
    pub fatal: Option<u32>,
    /// P_Key without its membership bit.
    p_key: Option<u16>,
    /// Number of lives of the queue pair before this one.
    pub epoch: u32,
    /// The latest life before this one. It continues if only a single packet was astray.
    before: Option<Box<Requests>>,
    /// The packet with which this life began, and the rule that it broke if the queue pair was not reset.
    doubt: Option<(u64, Rule)>,
}

impl Requests {
    /// Judges a request packet.
    pub fn packet(&mut self, packet: &Observed, opcode: &'static Opcode, findings: &mut Findings<'_>) {
        let request = Request::of(packet);
        let psn = packet.psn;
        let ahead = self.next.map_or(0, |next| psn::difference(psn, next));
        if ahead.unsigned_abs() > FAR && self.history.of(psn).is_none() {
            let goes_on = |before: &mut Box<Requests>| {
                let beyond = before.next.map(|next| psn::difference(psn, next));
                matches!(beyond, Some(0 | 1))
            };
            if let Some(before) = self.before.take_if(goes_on) {
                *self = *before;
                self.open = None;
            } else {
                self.begin_anew(psn, findings);
            }
            self.fields(packet, opcode, findings);
            return self.fresh(request, opcode, findings);
        }
        self.fields(packet, opcode, findings);
        if ahead < 0 && self.is_reborn(&request, opcode) {
            self.reborn(packet, findings);
            return self.fresh(request, opcode, findings);
        }
        if let Some(fatal) = self.fatal {
            // Packets that were under way when the NAK came are not judged; packets that begin long after it are.
            if psn::difference(psn, fatal) < 0 {
                return;
            }
        }
        if ahead < 0 {
            if let Some(at) = self.gaps.iter().position(|gap| gap.holds(psn)) {
                return self.fill(at, request, opcode, findings);
            }
            self.again(&request, opcode, findings);
            self.repeats = true;
            return;
        }
        self.repeats = false;
        self.ends_replay(findings);
        if ahead as u32 > self.slack {
            self.gap(psn, findings);
        } else if self.slack > 0 {
            self.history.end_read_before(psn);
        }
        self.fresh(request, opcode, findings);
    }

    /// Records that the packet of this PSN came and could not be read.
    pub fn spoiled(&mut self, psn: u32) {
        if self.slack == 0 && self.next == Some(psn) {
            self.spoiled = Some(psn);
        }
    }

    /// Notes that the capture lacks packets: the next one is judged as the first.
    pub fn lose_track(&mut self) {
        let (pmtu, limits) = (self.pmtu, self.limits);
        self.lacks = self.lacking();
        self.end_life();
        (self.pmtu, self.limits) = (pmtu, limits);
    }

    /// Notes that the queue pair was reset: the next packet belongs to another connection.
    pub fn end_life(&mut self) {
        *self = Requests {
            epoch: self.epoch + 1,
            lacks: self.lacks,
            ..Requests::default()
        };
    }

    /// Returns true if no packet waits for an answer, or none will get one.
    pub fn is_idle(&self) -> bool {
        self.fatal.is_some() || self.answered.is_some() && self.answered == self.history.last_psn()
    }

    /// Takes the first answer of this life. If its MSN counts only the messages of this life, the queue pair was indeed
    /// reset.
    pub fn begins_with(&mut self, msn: u32, before: u32, findings: &mut Findings<'_>) {
        if msn <= self.messages && before > self.messages {
            if let Some((packet, rule)) = self.doubt.take() {
                findings.withdraw(packet, rule);
            }
        }
    }

    /// Begins anew, because nothing that was known holds for this packet.
    fn begin_anew(&mut self, psn: u32, findings: &mut Findings<'_>) {
        // After a NAK that ended the connection a new life is expected.
        let mut doubt = None;
        if self.fatal.is_none() {
            let expected = self.next.unwrap_or(psn);
            let detail = format!("expected PSN {expected}, found {psn}, unless the queue pair was reset");
            findings.add(Rule::RequestPsn, detail);
            doubt = Some((findings.packet, Rule::RequestPsn));
        }
        let epoch = self.epoch + 1;
        let mut before = std::mem::take(self);
        before.before = None;
        self.epoch = epoch;
        self.before = Some(Box::new(before));
        self.doubt = doubt;
    }

    /// Learns the length of a full packet from a read response.
    pub fn learn_pmtu(&mut self, bytes: u32) {
        if (SMALLEST_PMTU..=LARGEST_PMTU).contains(&bytes) && bytes.is_power_of_two() {
            self.pmtu = Some(bytes);
            self.history.set_pmtu(bytes);
            self.next = self.history.last_psn().map(|last| psn::add(last, 1));
            self.slack = 0;
        }
    }

    /// Notes that this is the PSN of a Read's last response. It shows how many PSNs the Read takes while the PMTU is
    /// unknown.
    pub fn read_ends(&mut self, psn: u32) {
        if self.slack > 0
            && self.history.of(psn).map(|sent| sent.psn) == self.history.back().map(|sent| sent.psn)
        {
            let next = psn::add(psn, 1);
            self.history.end_read_before(next);
            (self.next, self.slack) = (Some(next), 0);
        }
    }

    /// Notes that everything up to this PSN is answered.
    pub fn acknowledged(&mut self, psn: u32, findings: &mut Findings<'_>) {
        self.answered = Some(psn);
        self.retries.progress(psn);
        self.holes_are_taken(psn, findings);
        self.history.acknowledged(psn, findings.room);
        let is_open = |named: &u32| psn::difference(*named, psn) > 0;
        self.nak = self.nak.filter(is_open);
        self.not_ready = self.not_ready.filter(is_open);
        self.went_back = self.went_back.filter(|(first, _)| is_open(first));
    }

    /// Returns true if the requester waits for an answer to this PSN.
    pub fn waits_for(&self, psn: u32) -> bool {
        let open = self
            .answered
            .is_none_or(|answered| psn::difference(psn, answered) > 0);
        open && self.history.of(psn).is_some()
    }

    /// Returns true if an answer to this PSN is awaited, or was requested again.
    pub fn expects(&self, psn: u32) -> bool {
        self.waits_for(psn) || self.repeats && self.history.of(psn).is_some()
    }

    /// Judges a packet with the next PSN.
    fn fresh(&mut self, request: Request, opcode: &'static Opcode, findings: &mut Findings<'_>) {
        let psn = request.psn;
        let known = self.next.is_some() && !self.unsure;
        self.unsure = false;
        self.sequence(opcode, known, findings);
        let announced = request.reth().map(|reth| u64::from(reth.dma_len));
        if opcode.begins() {
            self.open = Some(Open {
                operation: opcode.operation,
                bytes: 0,
                announced: announced.filter(|_| opcode.operation == Operation::Write),
            });
        }
        let whole = self.open.is_some();
        if let Some(open) = &mut self.open {
            open.bytes += u64::from(request.body.bytes);
            let (bytes, announced) = (open.bytes, open.announced);
            let wrong = announced.is_some_and(|a| bytes > a || opcode.ends() && bytes != a);
            if wrong {
                let detail = format!("RETH says {} bytes, {bytes} came", announced.unwrap_or(0));
                findings.add(Rule::MessageLength, detail);
            }
        }
        // The number of PSNs that a Read takes is known once a full packet was seen.
        let (psns, most) = match (opcode.operation, self.pmtu, announced) {
            (Operation::Read, Some(pmtu), Some(bytes)) => {
                let psns = read_psns(bytes as u32, pmtu);
                (psns, psns)
            }
            (Operation::Read, None, Some(bytes)) => (
                read_psns(bytes as u32, LARGEST_PMTU),
                read_psns(bytes as u32, SMALLEST_PMTU),
            ),
            _ => (1, 1),
        };
        self.credits.next(opcode.begins(), self.answered, findings);
        if takes_receive_wqe(opcode) {
            self.credits.take(psn, [request.asks, opcode.ends()], findings);
        }
        if opcode.ends() {
            self.open = None;
            self.messages = self.messages.wrapping_add(1);
        }
        self.first.get_or_insert(psn);
        (self.starts_over, self.begins_at) = (false, None);
        let sent = Sent {
            request,
            psn,
            psns: most,
            opcode,
            messages: self.messages,
            taken: self.credits.taken,
            whole,
            times: 1,
            is_asked_again: false,
            time: findings.time,
        };
        self.history.push(sent, findings.room);
        self.next = Some(psn::add(psn, psns));
        self.slack = most - psns;
        self.comes_late(psn::add(psn, most - 1), findings);
        if let (Some(answered), Some(next)) = (self.answered, self.next) {
            if psn::difference(next, psn::add(answered, 1)) < WRAPPED {
                findings.add(
                    Rule::OutstandingPsns,
                    format!("PSN {psn} while {answered} is the last answered"),
                );
            }
        }
    }

    /// Checks the packet's place in its message. `known` says whether the packet before it was seen.
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
}
