//! Remembers the queue pairs that an engine has moved to Error or to SQE.
use crate::bundle::QpPulseSink;
use hca_hdl::prelude::*;

/// Two bits for each QP. `QB`: QP index bits; `NQ` = 2^`QB`.
#[derive(LogicBlock, SmartDefault)]
pub struct QpFailures<const QB: usize, const NQ: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle with the responder's STATE_CHANGED record of a QP.
    pub responder: QpPulseSink<QB>,
    /// High for one cycle with the requester's STATE_CHANGED record of a QP.
    pub requester: QpPulseSink<QB>,
    /// High for one cycle when the requester reports a QP in SQE.
    pub send_queue: QpPulseSink<QB>,
    /// High for one cycle when QP `index` has left SQE.
    pub restart_valid: Signal<In, Bit>,
    /// High for one cycle when QP `index` is in Reset.
    pub forget_valid: Signal<In, Bit>,
    /// QP that the other ports without an index describe.
    pub index: Signal<In, Bits<QB>>,
    /// High if QP `index` was moved to Error before this cycle.
    pub failed: Signal<Out, Bit>,
    /// High if QP `index` is moved to Error or SQE in this cycle.
    pub fails: Signal<Out, Bit>,
    /// High if QP `index` was moved to SQE before this cycle and has not left it.
    pub stopped: Signal<Out, Bit>,
    stops: Register<Bits<NQ>>,
    stop: Signal<Local, Bits<NQ>>,
    marks: Register<Bits<NQ>>,
    set: Signal<Local, Bits<NQ>>,
    #[default(constant(1))]
    one: Constant<Bits<NQ>>,
}

#[kernel]
impl<const QB: usize, const NQ: usize> Logic for QpFailures<QB, NQ> {
    fn update(&mut self) {
        self.set.next = bits::<NQ>(0);
        if self.responder.valid.val() && self.requester.valid.val() {
            self.set.next = (self.one.val() << self.responder.index.val())
                | (self.one.val() << self.requester.index.val());
        } else if self.responder.valid.val() {
            self.set.next = self.one.val() << self.responder.index.val();
        } else if self.requester.valid.val() {
            self.set.next = self.one.val() << self.requester.index.val();
        }
        self.marks.d.next = self.marks.q.val() | self.set.val();
        if self.forget_valid.val() {
            self.marks.d.next = (self.marks.q.val() | self.set.val()) & !(self.one.val() << self.index.val());
        }
        self.failed.next = self.marks.q.val().get_bit(self.index.val().index());
        self.fails.next = (self.responder.valid.val() && (self.responder.index.val() == self.index.val()))
            || (self.requester.valid.val() && (self.requester.index.val() == self.index.val()))
            || (self.send_queue.valid.val() && (self.send_queue.index.val() == self.index.val()));
        self.stop.next = bits::<NQ>(0);
        if self.send_queue.valid.val() {
            self.stop.next = self.one.val() << self.send_queue.index.val();
        }
        self.stops.d.next = self.stops.q.val() | self.stop.val();
        if self.forget_valid.val() || self.restart_valid.val() {
            self.stops.d.next =
                (self.stops.q.val() | self.stop.val()) & !(self.one.val() << self.index.val());
        }
        self.stopped.next = self.stops.q.val().get_bit(self.index.val().index());
        if self.reset.val() {
            clear!(self, marks, stops);
        }
    }
}
