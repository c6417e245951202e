//! Holds each completion back until the data that it announces is in memory.
use super::CompletionRecord;
use hca_hdl::prelude::*;

/// Offers completions of both sides in turn, each when the writes before it are acknowledged: software that sees a
/// completion sees its data. A side whose oldest completion waits does not hold up the other.
#[derive(LogicBlock, Default)]
pub struct CompletionsWaiting {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Completions of receive queues.
    pub receive: OfferSink<CompletionRecord>,
    /// Completions of send queues.
    pub send: OfferSink<CompletionRecord>,
    /// Number of requests that are in memory, modulo 2^16.
    pub responder_written: Signal<In, Bits<16>>,
    /// Number of responses that are in memory, modulo 2^16.
    pub requester_written: Signal<In, Bits<16>>,

    /// High while a completion whose data is in memory is offered.
    pub due_valid: Signal<Out, Bit>,
    /// High in a cycle in which the completion is taken.
    pub due_ready: Signal<In, Bit>,
    /// The completion.
    pub due: Signal<Out, CompletionRecord>,
    /// High if the offered completion is one of a receive queue; it settles late in the clock.
    pub due_receive: Signal<Out, Bit>,
    /// CQN of the oldest completion of the receive queues.
    pub receive_cqn: Signal<Out, Bits<16>>,
    /// CQN of the oldest completion of the send queues.
    pub send_cqn: Signal<Out, Bits<16>>,
    /// High for one cycle when a completion of a receive queue comes in.
    pub receive_enters: Signal<Out, Bit>,
    /// High for one cycle when a completion of a send queue comes in.
    pub send_enters: Signal<Out, Bit>,

    receives: BlockFifo<CompletionRecord, 6>,
    /// Without the fields of a datagram.
    sends: BlockFifo<Bits<159>, 6>,
    sent: Signal<Local, Bits<261>>,
    receive_was_last: Register<Bit>,
    receive_ahead: Signal<Local, Bits<16>>,
    send_ahead: Signal<Local, Bits<16>>,
    receive_due: Signal<Local, Bit>,
    send_due: Signal<Local, Bit>,
    offers_receive: Signal<Local, Bit>,
}

#[kernel]
impl Logic for CompletionsWaiting {
    fn update(&mut self) {
        clock_and_reset!(self, receives, sends);
        OfferSink::<CompletionRecord>::link(&mut self.receive, &mut self.receives.write);
        self.receive_enters.next = self.receive.valid.val() && self.receives.write.ready.val();
        self.sent.next = self.send.item.val().into();
        self.sends.write.item.next = self.sent.val().get_bits::<159>(0);
        self.sends.write.valid.next = self.send.valid.val();
        self.send.ready.next = self.sends.write.ready.val();
        self.send_enters.next = self.send.valid.val() && self.sends.write.ready.val();

        // A completion is due when `written` is at its fence or past it.
        self.receive_ahead.next = self.responder_written.val() - self.receives.read.item.val().fence;
        self.send_ahead.next = self.requester_written.val() - self.sends.read.item.val().get_bits::<16>(141);
        self.receive_due.next = self.receives.read.valid.val() && !self.receive_ahead.val().get_bit(15);
        self.send_due.next = self.sends.read.valid.val() && !self.send_ahead.val().get_bit(15);
        self.offers_receive.next =
            self.receive_due.val() && (!self.send_due.val() || !self.receive_was_last.q.val());
        self.due_valid.next = self.receive_due.val() || self.send_due.val();
        self.due.next = bit_cast::<261, 159>(self.sends.read.item.val()).into();
        if self.offers_receive.val() {
            self.due.next = self.receives.read.item.val();
        }
        self.due_receive.next = self.offers_receive.val();
        self.receive_cqn.next = self.receives.read.item.val().cqn;
        self.send_cqn.next = self.sends.read.item.val().get_bits::<16>(0);
        self.receives.read.ready.next = self.due_ready.val() && self.offers_receive.val();
        self.sends.read.ready.next =
            self.due_ready.val() && self.send_due.val() && !self.offers_receive.val();
        if self.due_ready.val() && self.due_valid.val() {
            self.receive_was_last.d.next = self.offers_receive.val();
        }
    }
}
