//! RC requester (`requester.md`). Nothing is sent again yet: a NAK that asks for it ends its WQE as an exhausted
//! retry counter does.
use super::{Ruling, Verdict};
use crate::event::DropReason;
use crate::psn;
use crate::verbs::Status;
use crate::wire::aeth::{NakCode, Syndrome};
use crate::wire::length;
use crate::wire::opcode::{RC_ACKNOWLEDGE, RC_SEND_FIRST, RC_SEND_LAST, RC_SEND_MIDDLE, RC_SEND_ONLY};
use std::collections::VecDeque;

/// Most PSNs outstanding (section 1, CF286).
const WINDOW: u32 = 1 << 23;

/// What is known of the sending side of a QP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Payload bytes of a full packet.
    pub pmtu: usize,
    /// nPSN, 24 bits.
    pub next_psn: u32,
    /// Oldest PSN not acknowledged, `next_psn` if there is none; 24 bits.
    pub unacknowledged_psn: u32,
    /// PSNs acknowledged since the start.
    pub acknowledged: u64,
    /// WQEs taken and not completed, oldest first.
    pub messages: VecDeque<Message>,
}

/// A WQE under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// WQE index modulo 2^16.
    pub index: u16,
    /// Bytes.
    pub length: u64,
    /// SE on the packet that ends it.
    pub solicited: bool,
    /// PSN of its first packet; counts once a packet was sent.
    pub first_psn: u32,
    /// Packets sent.
    pub sent: u32,
}

/// The next request packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// WQE index modulo 2^16.
    pub index: u16,
    pub opcode: u8,
    pub psn: u32,
    pub ack_req: bool,
    pub solicited: bool,
    /// Where in the message its payload begins, bytes.
    pub offset: u64,
    /// Payload bytes.
    pub length: usize,
    /// True of a message's first packet.
    pub starts: bool,
}

/// What a response brings about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The oldest WQE completes.
    Complete { index: u16, status: Status },
    /// The QP moves to Error.
    Fail,
}

impl Message {
    /// Packets that it takes.
    fn packets(&self, pmtu: usize) -> u32 {
        length::packets(self.length, pmtu)
    }

    /// PSN of its last packet.
    fn last_psn(&self, pmtu: usize) -> u32 {
        psn::add(self.first_psn, self.packets(pmtu) - 1)
    }
}

impl Context {
    /// PSNs sent and not acknowledged.
    pub fn outstanding(&self) -> u32 {
        psn::subtract(self.next_psn, self.unacknowledged_psn)
    }

    /// True while no further packet may go out before an ack.
    pub fn window_is_full(&self) -> bool {
        self.outstanding() >= WINDOW
    }
}

/// The next packet of the WQEs taken so far, if one is left to send (section 2).
pub fn plan(context: &Context) -> Option<Plan> {
    let pmtu = context.pmtu;
    let message = context.messages.iter().find(|m| m.sent < m.packets(pmtu))?;
    let offset = u64::from(message.sent) * pmtu as u64;
    let starts = message.sent == 0;
    let ends = message.sent + 1 == message.packets(pmtu);
    Some(Plan {
        index: message.index,
        opcode: match (starts, ends) {
            (true, true) => RC_SEND_ONLY,
            (true, false) => RC_SEND_FIRST,
            (false, false) => RC_SEND_MIDDLE,
            (false, true) => RC_SEND_LAST,
        },
        psn: context.next_psn,
        ack_req: starts || ends,
        solicited: ends && message.solicited,
        offset,
        length: (message.length - offset).min(pmtu as u64) as usize,
        starts,
    })
}

/// The packet of [`plan`] goes out.
pub fn send(mut context: Context) -> Context {
    let pmtu = context.pmtu;
    let next_psn = context.next_psn;
    if let Some(message) = context.messages.iter_mut().find(|m| m.sent < m.packets(pmtu)) {
        if message.sent == 0 {
            message.first_psn = next_psn;
        }
        message.sent += 1;
        context.next_psn = psn::add(next_psn, 1);
    }
    context
}

/// What may become of a response (section 5); what the model does first. Never empty. A response with several
/// faults may be counted under any of them.
pub fn judge(context: &Context, opcode: u8, response_psn: u32, syndrome: Option<u8>) -> Vec<Ruling> {
    let mut faults = Vec::new();
    if opcode != RC_ACKNOWLEDGE {
        faults.push(Verdict::Drop(DropReason::UnexpectedResponse).by("requester.md section 6, CF185"));
    }
    if syndrome.is_some_and(|s| is_reserved(Syndrome::of(s))) {
        faults.push(Verdict::Drop(DropReason::ReservedSyndrome).by("aeth.md section 2, CF183"));
    }
    let distance = psn::difference(response_psn, context.unacknowledged_psn);
    if distance < 0 {
        faults.push(Verdict::Drop(DropReason::DuplicateResponse).by("requester.md section 5, CF171"));
    }
    let never_sent = distance < 0 && u64::from(distance.unsigned_abs()) > context.acknowledged;
    if never_sent || distance >= 0 && distance as u32 >= context.outstanding() {
        faults.push(Verdict::Drop(DropReason::GhostResponse).by("requester.md section 5, CF172"));
    }
    if faults.is_empty() {
        faults.push(Verdict::Accept.by("requester.md section 5"));
    }
    faults
}

/// 64h belongs to RD.
fn is_reserved(syndrome: Syndrome) -> bool {
    matches!(
        syndrome,
        Syndrome::Reserved(_) | Syndrome::Nak(NakCode::InvalidRdRequest)
    )
}

/// A response that [`judge`] accepts takes effect (section 6).
pub fn accept(mut context: Context, response_psn: u32, syndrome: u8) -> (Context, Vec<Action>) {
    let failure = match Syndrome::of(syndrome) {
        Syndrome::Ack { .. } | Syndrome::Reserved(_) => None,
        Syndrome::RnrNak { .. } => Some(Status::RnrRetryExcErr),
        Syndrome::Nak(code) => Some(match code {
            NakCode::PsnSequence => Status::RetryExcErr,
            NakCode::InvalidRequest | NakCode::InvalidRdRequest => Status::RemInvReqErr,
            NakCode::RemoteAccess => Status::RemAccessErr,
            NakCode::RemoteOperational => Status::RemOpErr,
        }),
    };
    // A NAK acknowledges what came before it, an ack its own PSN too.
    let acknowledged_to = match failure {
        Some(_) => response_psn,
        None => psn::add(response_psn, 1),
    };
    context.acknowledged += u64::from(psn::subtract(acknowledged_to, context.unacknowledged_psn));
    context.unacknowledged_psn = acknowledged_to;

    let mut actions = Vec::new();
    let pmtu = context.pmtu;
    while let Some(message) = context.messages.front() {
        let complete = message.sent == message.packets(pmtu)
            && psn::difference(message.last_psn(pmtu), acknowledged_to) < 0;
        if !complete {
            break;
        }
        actions.push(Action::Complete {
            index: message.index,
            status: Status::Success,
        });
        context.messages.pop_front();
    }
    if let (Some(status), Some(message)) = (failure, context.messages.front()) {
        let index = message.index;
        actions.push(Action::Complete { index, status });
        actions.push(Action::Fail);
    }
    (context, actions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(next_psn: u32, length: u64) -> Context {
        Context {
            pmtu: 256,
            next_psn,
            unacknowledged_psn: next_psn,
            acknowledged: 0,
            messages: VecDeque::from([Message {
                index: 0,
                length,
                solicited: false,
                first_psn: 0,
                sent: 0,
            }]),
        }
    }

    /// CF286: a message of 2^31 bytes at PMTU 256 fills the window and is acknowledged by its last PSN.
    #[test]
    fn the_longest_message() {
        let mut c = context(0xC0_0000, 1 << 31);
        while plan(&c).is_some() {
            c = send(c);
        }
        assert_eq!(c.outstanding(), 8_388_608);
        assert!(c.window_is_full());
        assert_eq!(c.next_psn, 0x40_0000);
        assert_eq!(judge(&c, 0x11, 0x3F_FFFF, Some(0x1F))[0].verdict, Verdict::Accept);
        let first = accept(c.clone(), 0xC0_0000, 0x1F);
        assert_eq!((first.1, first.0.window_is_full()), (vec![], false));
        let (c, actions) = accept(c, 0x3F_FFFF, 0x1F);
        let status = Status::Success;
        assert_eq!(actions, [Action::Complete { index: 0, status }]);
        assert_eq!(c.outstanding(), 0);
    }

    /// A WQE that was taken but not sent is not complete, whatever an ack says.
    #[test]
    fn an_ack_completes_only_what_was_sent() {
        let mut c = context(5, 1);
        c.messages.push_back(Message {
            index: 1,
            ..c.messages[0]
        });
        let (c, actions) = accept(send(c), 5, 0x1F);
        assert_eq!(actions.len(), 1);
        assert_eq!(c.messages[0].index, 1);
    }

    /// PSNs that were never sent are no duplicates.
    #[test]
    fn before_the_first_psn_all_is_ghost() {
        let verdicts = |c: &Context, psn| -> Vec<Verdict> {
            judge(c, 0x11, psn, Some(0x1F))
                .iter()
                .map(|r| r.verdict)
                .collect()
        };
        let c = send(context(5, 1));
        let ghost = Verdict::Drop(DropReason::GhostResponse);
        let duplicate = Verdict::Drop(DropReason::DuplicateResponse);
        assert_eq!(verdicts(&c, 4), [duplicate, ghost]);
        let (c, _) = accept(c, 5, 0x1F);
        assert_eq!(verdicts(&c, 5), [duplicate]);
        assert_eq!(verdicts(&c, 6), [ghost]);
    }
}
