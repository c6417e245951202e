//! Queues messages to the completer, and counts those under way.
use super::CompleterMessage;
use crate::bundle::CompleterMessageSink;
use hca_hdl::prelude::*;

/// A queue of 16 messages; a QP is idle when each of its messages that went in has been carried out.
///
/// `QB`: QP index bits.
#[derive(LogicBlock, Default)]
pub struct CompleterMessages<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while the counts of QP `clears_index` are cleared; no message is taken meanwhile.
    pub clears: Signal<In, Bit>,
    /// QP whose counts are cleared.
    pub clears_index: Signal<In, Bits<QB>>,

    /// Messages that come in. Registered for timing: their `valid` settles late in the clock.
    pub write: CompleterMessageSink<QB>,

    /// Messages for the completer.
    pub read: OfferSource<CompleterMessage>,
    /// High for one cycle when a message of QP `done_index` has been carried out.
    pub done: Signal<In, Bit>,
    /// QP of that message.
    pub done_index: Signal<In, Bits<QB>>,

    /// QP that `idle` describes.
    pub idle_index: Signal<In, Bits<QB>>,
    /// High if each message of QP `idle_index` has been carried out.
    pub idle: Signal<Out, Bit>,

    messages: Fifo<CompleterMessage, 4>,
    /// Messages taken in, modulo 32: more than the queue holds.
    entered: LutRam<Bits<5>, QB>,
    /// Messages carried out, modulo 32.
    left: LutRam<Bits<5>, QB>,
    waits: Register<Bit>,
    /// High if no message waits, and no counts are cleared.
    ready: Register<Bit>,
    waiting_index: Register<Bits<QB>>,
    waiting: Register<CompleterMessage>,
    enters: Signal<Local, Bit>,
}

#[kernel]
impl<const QB: usize> Logic for CompleterMessages<QB> {
    fn update(&mut self) {
        clock!(self, clock, messages, entered, left);
        self.messages.reset.next = self.reset.val();

        self.write.ready.next = self.ready.q.val();
        self.enters.next = self.waits.q.val() && self.messages.write.ready.val();
        self.ready.d.next = !self.waits.q.val() && !self.clears.val();
        if !self.waits.q.val() {
            self.waiting_index.d.next = self.write.index.val();
            self.waiting.d.next.index = bit_cast::<16, QB>(self.write.index.val());
            self.waiting.d.next.kind = self.write.kind.val();
            self.waiting.d.next.bound = self.write.bound.val();
            self.waiting.d.next.status = self.write.status.val();
            self.waiting.d.next.fence = self.write.fence.val();
        }
        if self.write.valid.val() && self.ready.q.val() {
            self.waits.d.next = true;
            self.ready.d.next = false;
        } else if self.messages.write.ready.val() {
            self.waits.d.next = false;
            self.ready.d.next = !self.clears.val();
        }
        inputs!(self.messages.write, valid: enters, item: waiting.q);
        OfferSource::<CompleterMessage>::link(&mut self.read, &mut self.messages.read);

        inputs!(self.entered, read_address_a: waiting_index.q, read_address_b: idle_index);
        inputs!(self.left, read_address_a: done_index, read_address_b: idle_index);
        self.idle.next = (self.entered.read_data_b.val() == self.left.read_data_b.val())
            && !(self.waits.q.val() && (self.waiting_index.q.val() == self.idle_index.val()));
        inputs!(self.entered, write_enable: enters, write_address: waiting_index.q);
        self.entered.write_data.next = self.entered.read_data_a.val() + 1;
        inputs!(self.left, write_enable: done, write_address: done_index);
        self.left.write_data.next = self.left.read_data_a.val() + 1;
        if self.clears.val() {
            self.entered.write_enable.next = true;
            self.entered.write_address.next = self.clears_index.val();
            self.entered.write_data.next = bits::<5>(0);
            self.left.write_enable.next = true;
            self.left.write_address.next = self.clears_index.val();
            self.left.write_data.next = bits::<5>(0);
        }
        if self.reset.val() {
            clear!(self, waits, ready);
        }
    }
}
