//! A responder (`protocol/responder.md`): takes request packets in order and answers.
use crate::message::Message;

#[derive(Clone, Copy, Debug)]
pub struct Response {
    pub qp: usize,
    pub opcode: u8,
    pub psn: u32,
    pub syndrome: u8,
    pub original: u64,
    pub payload: u32,
}

/// One connected QP; positions are PSNs that do not wrap, from 0.
#[derive(Default)]
pub struct Peer {
    pub expected: u32,
    nak_pending: bool,
    pub not_ready: u32,
}

pub const ORIGINAL: u64 = 0x1122_3344_5566_7788;

impl Peer {
    /// Answers to packet `number` of `message`, which begins at position `first`. Responses name positions.
    pub fn take(
        &mut self,
        qp: usize,
        message: &Message,
        first: u32,
        number: u32,
        pmtu: u32,
        acks: bool,
    ) -> Vec<Response> {
        let at = first + number;
        let respond = |opcode, psn, syndrome, payload| Response {
            qp,
            opcode,
            psn,
            syndrome,
            original: ORIGINAL,
            payload,
        };
        if at > self.expected {
            if self.nak_pending {
                return vec![];
            }
            self.nak_pending = true;
            return vec![respond(0x11, self.expected, 0x60, 0)];
        }
        let new = at == self.expected;
        if new && self.not_ready > 0 && !message.answered() {
            self.not_ready -= 1;
            self.nak_pending = true;
            return vec![respond(0x11, at, 0x21, 0)];
        }
        if new {
            self.nak_pending = false;
        }
        if message.answered() {
            let count = message.psns(pmtu);
            if new {
                self.expected = first + count;
            }
            if message.operation != crate::message::Operation::Read {
                return vec![respond(0x12, at, 0x1F, 0)];
            }
            return (number..count)
                .map(|n| {
                    let opcode = match (n == number, n + 1 == count) {
                        (true, true) => 0x10,
                        (true, false) => 0x0D,
                        (false, false) => 0x0E,
                        (false, true) => 0x0F,
                    };
                    respond(opcode, first + n, 0x1F, pmtu.min(message.length - n * pmtu))
                })
                .collect();
        }
        if new {
            self.expected += 1;
        }
        if acks {
            vec![respond(0x11, at, 0x1F, 0)]
        } else {
            vec![]
        }
    }
}
