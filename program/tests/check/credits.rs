//! Credits, as requests and acks show them.
use super::*;

/// A connection with credits, made of a capture's packets: Sends of so many packets, and acks.
pub(super) struct Credited {
    request: Packet,
    ack: Packet,
    pub packets: Vec<Packet>,
    psn: u32,
    messages: u32,
}

impl Credited {
    /// A message of five packets, acknowledged with no credit, and another one, whose first packet waits for an ack.
    pub fn without_a_credit() -> Credited {
        let mut made = Credited::unknown();
        made.send(0, 5);
        made.asking();
        made.ack(0);
        (1..5).for_each(|at| made.send(at, 5));
        made.ack(0);
        made
    }

    /// A message of five packets, acknowledged with no credit. The requester may or may not count credits.
    fn unknown() -> Credited {
        let packets = packets("rc_send.pcap");
        let (request, ack) = (
            packets[0].clone(),
            packets[nth(&packets, Operation::Acknowledge, 0)].clone(),
        );
        let psn = 0xFF_FFF5;
        let mut made = Credited {
            request,
            ack,
            packets: Vec::new(),
            psn,
            messages: 0xFF_FFFD,
        };
        (0..5).for_each(|at| made.send(at, 5));
        made.ack(0);
        made
    }

    /// Packet `at` of a Send of so many.
    pub fn send(&mut self, at: usize, of: usize) {
        let ends = at + 1 == of;
        let mut packet = self.request.clone();
        packet.bth.opcode = match (at, ends) {
            (0, true) => 0x04,
            (0, false) => 0x00,
            (_, false) => 0x01,
            (_, true) => 0x02,
        };
        (packet.bth.psn, packet.bth.a) = (self.psn, ends);
        self.psn = (self.psn + 1) & 0xFF_FFFF;
        self.messages = (self.messages + u32::from(ends)) & 0xFF_FFFF;
        self.packets.push(packet);
    }

    /// The packet sent last asks for an ack.
    pub fn asking(&mut self) {
        self.packets.last_mut().unwrap().bth.a = true;
    }

    /// All that was sent is acknowledged.
    pub fn ack(&mut self, code: u8) {
        let mut ack = self.ack.clone();
        ack.bth.psn = self.packets.last().unwrap().bth.psn;
        let aeth = aeth(&mut ack);
        (aeth.syndrome, aeth.msn) = (code, self.messages);
        self.packets.push(ack);
    }

    fn holds(&self) {
        judged(&self.packets)
            .code(0)
            .stdout(contains("no rule is broken"));
    }

    /// The packet sent last breaks the rule of this row, and it alone.
    fn breaks(&self, row: &str) {
        let one = format!("{:>7}  {row}  ", self.packets.len());
        judged(&self.packets)
            .code(1)
            .stdout(starts_with(one).and(contains("1 finding")));
    }
}

#[test]
fn a_send_without_a_credit_that_does_not_ask() {
    let mut sent = Credited::without_a_credit();
    sent.send(0, 5);
    sent.breaks("CF198");
}

/// A requester such as soft-RoCE, which does not count credits, may send whatever it likes.
#[test]
fn a_requester_that_never_waited() {
    let mut sent = Credited::unknown();
    (0..5).for_each(|at| sent.send(at, 5));
    sent.send(0, 1);
    (0..5).for_each(|at| sent.send(at, 5));
    sent.ack(0);
    sent.holds();
}

#[test]
fn a_send_that_goes_on_without_a_credit() {
    let mut sent = Credited::without_a_credit();
    sent.send(0, 5);
    sent.asking();
    sent.holds();
    sent.send(1, 5);
    sent.breaks("CF197");
}

#[test]
fn a_send_that_goes_on_when_its_first_packet_is_acknowledged() {
    let mut sent = Credited::without_a_credit();
    sent.send(0, 5);
    sent.asking();
    sent.ack(0);
    (1..5).for_each(|at| sent.send(at, 5));
    sent.holds();
}

#[test]
fn a_message_behind_one_without_a_credit() {
    let mut sent = Credited::without_a_credit();
    sent.send(0, 1);
    sent.holds();
    sent.send(0, 1);
    sent.breaks("CF202");
}

#[test]
fn messages_for_which_there_are_credits() {
    let mut sent = Credited::without_a_credit();
    sent.send(0, 1);
    // Two more receive WQEs.
    sent.ack(2);
    (0..5).for_each(|at| sent.send(at, 5));
    (0..5).for_each(|at| sent.send(at, 5));
    sent.holds();
    sent.send(0, 5);
    sent.breaks("CF198");
}

#[test]
fn a_responder_that_does_not_count_limits_nothing() {
    let mut sent = Credited::without_a_credit();
    sent.send(0, 1);
    sent.ack(0x1F);
    for _ in 0..3 {
        (0..5).for_each(|at| sent.send(at, 5));
    }
    sent.holds();
}

/// Code 6 stands for 8 to 11: one message later 7 may be advertised, and 6, but not 4.
#[test]
fn receive_wqes_that_are_taken_back() {
    for (code, taken_back) in [(6, false), (5, false), (4, true)] {
        let mut sent = Credited::without_a_credit();
        sent.send(0, 1);
        sent.ack(6);
        sent.send(0, 1);
        sent.ack(code);
        match taken_back {
            false => sent.holds(),
            true => sent.breaks("CF144"),
        }
    }
}
