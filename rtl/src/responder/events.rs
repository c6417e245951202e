//! Chooses the responder's next event: packets in arrival order, and other events of queue pairs.
use crate::bundle::{QpOfferSink, QpPulseSink};
use hca_hdl::prelude::*;

/// Kinds of events.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum ResponderEventKind {
    /// A request has arrived.
    Packet,
    /// The requester has reported that this QP is in Error.
    Reported,
    /// The requester has failed the QP.
    Fail,
    /// A read response could not be produced.
    Unreadable,
    /// `MODIFY_QP` waits.
    Modify,
    /// A receive WQE is possibly to be flushed.
    Flush,
    /// Credits are possibly to be advertised.
    Credit,
}

/// Chooses an event and has the QP's rows read meanwhile: `event_valid` rises one cycle after the choice, with the
/// rows.
#[derive(LogicBlock, SmartDefault)]
pub struct ResponderEvents<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Offers the QP of the oldest request.
    pub arrival: QpOfferSink<QB>,
    /// High for one cycle when the requester reports a QP in Error; no more are pending than there are QPs.
    pub reported: QpPulseSink<QB>,
    /// Offers a QP that the requester has failed.
    pub fail: QpOfferSink<QB>,
    /// Offers a QP for which a read response could not be produced.
    pub unreadable: QpOfferSink<QB>,
    /// High while `MODIFY_QP` waits. It is chosen only while no packet waits, and taken elsewhere.
    pub modify_valid: Signal<In, Bit>,
    /// QP that is modified.
    pub modify_index: Signal<In, Bits<QB>>,
    /// High while the modification is carried out, so that it is not chosen again.
    pub modify_done: Signal<In, Bit>,
    /// Offers a QP with a receive WQE to flush.
    pub turn: QpOfferSink<QB>,
    /// Offers a QP whose credits are possibly to be advertised.
    pub credit: QpOfferSink<QB>,

    /// Index of the QP whose rows are read.
    pub read_index: Signal<Out, Bits<QB>>,
    /// High while an event is offered, whose rows have been read.
    pub event_valid: Signal<Out, Bit>,
    /// High in a cycle in which the event is taken.
    pub event_ready: Signal<In, Bit>,
    /// Kind of the event.
    #[default(Signal::default())]
    pub event_kind: Signal<Out, ResponderEventKind>,
    /// QP of the event.
    pub event_index: Signal<Out, Bits<QB>>,

    reports: Fifo<Bits<QB>, QB>,
    valid: Register<Bit>,
    #[default(Register::new(ResponderEventKind::Packet))]
    kind: Register<ResponderEventKind>,
    index: Register<Bits<QB>>,
    flushed_last: Register<Bit>,
    credited_last: Register<Bit>,
    chosen: Signal<Local, Bit>,
    #[default(Signal::default())]
    choice: Signal<Local, ResponderEventKind>,
    choice_index: Signal<Local, Bits<QB>>,
    take: Signal<Local, Bit>,
}

#[kernel]
impl<const QB: usize> Logic for ResponderEvents<QB> {
    fn update(&mut self) {
        clock!(self, clock, reports);
        self.reports.reset.next = self.reset.val();
        self.reports.write.valid.next = self.reported.valid.val();
        self.reports.write.item.next = self.reported.index.val();

        self.chosen.next = true;
        self.choice.next = ResponderEventKind::Packet;
        self.choice_index.next = self.arrival.item.val();
        if self.reports.read.valid.val() {
            self.choice.next = ResponderEventKind::Reported;
            self.choice_index.next = self.reports.read.item.val();
        } else if self.fail.valid.val() {
            self.choice.next = ResponderEventKind::Fail;
            self.choice_index.next = self.fail.item.val();
        } else if self.unreadable.valid.val() {
            self.choice.next = ResponderEventKind::Unreadable;
            self.choice_index.next = self.unreadable.item.val();
        } else if self.modify_valid.val() && !self.modify_done.val() && !self.arrival.valid.val() {
            self.choice.next = ResponderEventKind::Modify;
            self.choice_index.next = self.modify_index.val();
        } else if self.turn.valid.val() && (!self.arrival.valid.val() || !self.flushed_last.q.val()) {
            self.choice.next = ResponderEventKind::Flush;
            self.choice_index.next = self.turn.item.val();
        } else if self.credit.valid.val() && (!self.arrival.valid.val() || !self.credited_last.q.val()) {
            self.choice.next = ResponderEventKind::Credit;
            self.choice_index.next = self.credit.item.val();
        } else {
            self.chosen.next = self.arrival.valid.val();
        }

        self.read_index.next = self.choice_index.val();
        if self.valid.q.val() {
            self.read_index.next = self.index.q.val();
        } else {
            self.valid.d.next = self.chosen.val();
            self.kind.d.next = self.choice.val();
            self.index.d.next = self.choice_index.val();
        }
        self.event_valid.next = self.valid.q.val();
        self.event_kind.next = self.kind.q.val();
        self.event_index.next = self.index.q.val();
        self.take.next = self.valid.q.val() && self.event_ready.val();

        self.reports.read.ready.next = false;
        self.fail.ready.next = false;
        self.unreadable.ready.next = false;
        self.turn.ready.next = false;
        self.credit.ready.next = false;
        self.arrival.ready.next = false;
        if self.take.val() {
            self.valid.d.next = false;
            self.flushed_last.d.next = false;
            self.credited_last.d.next = false;
            match self.kind.q.val() {
                ResponderEventKind::Packet => {
                    self.arrival.ready.next = true;
                }
                ResponderEventKind::Reported => {
                    self.reports.read.ready.next = true;
                }
                ResponderEventKind::Fail => {
                    self.fail.ready.next = true;
                }
                ResponderEventKind::Unreadable => {
                    self.unreadable.ready.next = true;
                }
                ResponderEventKind::Modify => {}
                ResponderEventKind::Flush => {
                    self.turn.ready.next = true;
                    self.flushed_last.d.next = true;
                }
                ResponderEventKind::Credit => {
                    self.credit.ready.next = true;
                    self.credited_last.d.next = true;
                }
            }
        }
        if self.reset.val() {
            self.valid.d.next = false;
        }
    }
}
