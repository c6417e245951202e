//! Chooses the event that enters the requester's pipeline.
use super::EventKind;
use crate::bundle::{QpOfferSink, QpPulseSink};
use hca_hdl::prelude::*;

/// Lets in one event a clock, of a QP that has none in the pipeline: rare events first, in the order of the ports,
/// then responses and turns in turn.
///
/// `QB`: QP index bits.
#[derive(LogicBlock, Default)]
pub struct EventPick<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High while `MODIFY_QP` waits; it is taken elsewhere, with `modify_done`.
    pub modify_valid: Signal<In, Bit>,
    /// QP that is modified.
    pub modify_index: Signal<In, Bits<QB>>,
    /// High for one cycle when the modification has been tried: it took effect, or waits again.
    pub modify_done: Signal<In, Bit>,
    /// Offers a QP that the responder has failed.
    pub fail: QpOfferSink<QB>,
    /// High for one cycle when the responder reports a failure of this side; no more are pending than there are QPs.
    pub reported: QpPulseSink<QB>,
    /// High while a packet whose memory may not be read waits; it is taken elsewhere, with `fault_done`.
    pub fault_valid: Signal<In, Bit>,
    /// QP of that packet.
    pub fault_index: Signal<In, Bits<QB>>,
    /// High for one cycle when the packet has been dealt with.
    pub fault_done: Signal<In, Bit>,
    /// Offers a QP whose timer has expired.
    pub expired: QpOfferSink<QB>,
    /// Offers the QP of the oldest response.
    pub response: QpOfferSink<QB>,
    /// High while a QP has its turn.
    pub turn_valid: Signal<In, Bit>,
    /// High for one cycle when the turn is taken.
    pub turn_ready: Signal<Out, Bit>,
    /// QP that has the turn.
    pub turn_index: Signal<In, Bits<QB>>,
    /// High if there is room for the packets of all turns in the pipeline and one more.
    pub turn_room: Signal<In, Bit>,
    /// High for one cycle when a QP gets a turn that comes before all others; only with `again_room`.
    pub again_valid: Signal<In, Bit>,
    /// QP of that turn.
    pub again_index: Signal<In, Bits<QB>>,
    /// High if no such turn waits.
    pub again_room: Signal<Out, Bit>,
    /// High if the QP that settles possibly goes back in the next cycle.
    pub may_go_back: Signal<In, Bit>,
    /// High if the QP that settles goes back in this cycle: its turn is due.
    pub goes_back: Signal<In, Bit>,
    /// High if the turn of a QP that goes back in this cycle is taken at once.
    pub eager: Signal<Out, Bit>,

    /// High while no event may enter.
    pub hold: Signal<In, Bit>,
    /// QP of the event in the first stage of the fetch.
    pub read: QpPulseSink<QB>,
    /// QP of the event in the second stage of the fetch.
    pub fetch: QpPulseSink<QB>,
    /// QP of the event that is judged.
    pub judge: QpPulseSink<QB>,
    /// High while an event is in the last stage. It keeps rare events of its QP out even in the cycle in which it ends,
    /// since the effects of the end precede them.
    pub settle_present: Signal<In, Bit>,
    /// High while an event is in the last stage and does not end in this cycle: it keeps responses and turns of its QP
    /// out.
    pub settle_valid: Signal<In, Bit>,
    /// QP of the event in the last stage.
    pub settle_index: Signal<In, Bits<QB>>,

    /// High for one cycle when an event enters.
    pub valid: Signal<Out, Bit>,
    /// Kind of the event that enters.
    pub kind: Signal<Out, EventKind>,
    /// QP of the event that enters.
    pub index: Signal<Out, Bits<QB>>,

    reports: Fifo<Bits<QB>, QB>,
    /// The rare event that comes next, chosen a clock before it may enter.
    chosen: Register<Bit>,
    chosen_kind: Register<EventKind>,
    chosen_index: Register<Bits<QB>>,
    modifying: Register<Bit>,
    faulting: Register<Bit>,
    /// High if other events go first, because a modification that could not take effect possibly waits for them.
    yields: Register<Bit>,
    /// High if there were other rare events than a modification one cycle earlier.
    others: Register<Bit>,
    again: Register<Bit>,
    again_now: Register<Bits<QB>>,
    expects: Register<Bit>,
    responded_last: Register<Bit>,
    /// High if a failure by the responder entered one cycle earlier and now leaves its queue.
    fail_taken: Register<Bit>,
    /// High if a report entered one cycle earlier and now leaves its queue.
    report_taken: Register<Bit>,

    /// High if the chosen event is still valid.
    rare: Signal<Local, Bit>,
    /// High if the event is next, provided that it is still valid.
    rare_turn: Signal<Local, Bit>,
    /// High if the event enters.
    rare_taken: Signal<Local, Bit>,
    next_turn: Signal<Local, Bits<QB>>,
    rare_waits: Signal<Local, Bit>,
    response_waits: Signal<Local, Bit>,
    turn_waits: Signal<Local, Bit>,
    again_waits: Signal<Local, Bit>,
    responds: Signal<Local, Bit>,
    turns: Signal<Local, Bit>,
    yields_to_turn: Signal<Local, Bit>,
}

#[kernel]
impl<const QB: usize> Logic for EventPick<QB> {
    fn update(&mut self) {
        clock!(self, clock, reports);
        self.reports.reset.next = self.reset.val();
        self.reports.write.valid.next = self.reported.valid.val();
        self.reports.write.item.next = self.reported.index.val();

        self.others.d.next = self.fail.valid.val()
            || self.reports.read.valid.val()
            || (self.fault_valid.val() && !self.faulting.q.val())
            || self.expired.valid.val();
        // A timer that is set again before its expiry enters keeps running.
        self.rare.next = self.chosen.q.val();
        if self.chosen_kind.q.val() == EventKind::Timer {
            self.rare.next = self.chosen.q.val()
                && self.expired.valid.val()
                && (self.expired.item.val() == self.chosen_index.q.val());
        }
        self.fail_taken.d.next = false;
        self.report_taken.d.next = false;
        if !self.rare.val() && !self.fail_taken.q.val() && !self.report_taken.q.val() {
            self.chosen.d.next = true;
            if self.modify_valid.val()
                && !self.modifying.q.val()
                && !(self.yields.q.val() && self.others.q.val())
            {
                self.chosen_kind.d.next = EventKind::Modify;
                self.chosen_index.d.next = self.modify_index.val();
            } else if self.fail.valid.val() {
                self.chosen_kind.d.next = EventKind::Fail;
                self.chosen_index.d.next = self.fail.item.val();
            } else if self.reports.read.valid.val() {
                self.chosen_kind.d.next = EventKind::Reported;
                self.chosen_index.d.next = self.reports.read.item.val();
            } else if self.fault_valid.val() && !self.faulting.q.val() {
                self.chosen_kind.d.next = EventKind::Fault;
                self.chosen_index.d.next = self.fault_index.val();
            } else {
                self.chosen_kind.d.next = EventKind::Timer;
                self.chosen_index.d.next = self.expired.item.val();
                self.chosen.d.next = self.expired.valid.val();
            }
        }
        self.next_turn.next = self.turn_index.val();
        if self.again.q.val() {
            self.next_turn.next = self.again_now.q.val();
        }

        self.rare_waits.next = (self.read.valid.val()
            && (self.read.index.val() == self.chosen_index.q.val()))
            || (self.fetch.valid.val() && (self.fetch.index.val() == self.chosen_index.q.val()))
            || (self.judge.valid.val() && (self.judge.index.val() == self.chosen_index.q.val()))
            || (self.settle_present.val() && (self.settle_index.val() == self.chosen_index.q.val()));
        self.response_waits.next = (self.read.valid.val()
            && (self.read.index.val() == self.response.item.val()))
            || (self.fetch.valid.val() && (self.fetch.index.val() == self.response.item.val()))
            || (self.judge.valid.val() && (self.judge.index.val() == self.response.item.val()))
            || (self.settle_valid.val() && (self.settle_index.val() == self.response.item.val()));
        // Computed for both: which of them enters settles late in the clock.
        self.turn_waits.next = (self.read.valid.val() && (self.read.index.val() == self.turn_index.val()))
            || (self.fetch.valid.val() && (self.fetch.index.val() == self.turn_index.val()))
            || (self.judge.valid.val() && (self.judge.index.val() == self.turn_index.val()))
            || (self.settle_valid.val() && (self.settle_index.val() == self.turn_index.val()));
        self.again_waits.next = (self.read.valid.val() && (self.read.index.val() == self.again_now.q.val()))
            || (self.fetch.valid.val() && (self.fetch.index.val() == self.again_now.q.val()))
            || (self.judge.valid.val() && (self.judge.index.val() == self.again_now.q.val()))
            || (self.settle_valid.val() && (self.settle_index.val() == self.again_now.q.val()));
        self.responds.next = self.response.valid.val() && !self.response_waits.val();
        self.turns.next = self.turn_valid.val() && self.turn_room.val() && !self.turn_waits.val();
        // A turn that is due may cost a clock, since it settles late in the clock that it waits.
        self.yields_to_turn.next = self.responded_last.q.val()
            && (self.turn_valid.val() || self.again.q.val())
            && self.turn_room.val();
        if self.again.q.val() {
            self.turns.next = self.turn_room.val() && !self.again_waits.val();
        }

        self.valid.next = false;
        self.kind.next = EventKind::Turn;
        self.index.next = self.next_turn.val();
        self.rare_turn.next = false;
        self.rare_taken.next = false;
        self.fail.ready.next = self.fail_taken.q.val();
        self.reports.read.ready.next = self.report_taken.q.val();
        self.expired.ready.next = false;
        self.response.ready.next = false;
        self.turn_ready.next = false;
        if self.modify_done.val() {
            self.modifying.d.next = false;
            self.yields.d.next = true;
        }
        if self.fault_done.val() {
            self.faulting.d.next = false;
        }
        self.expects.d.next = self.may_go_back.val();
        self.eager.next = self.expects.q.val() && self.turn_room.val() && !self.hold.val();
        if self.hold.val() {
            // Nothing enters.
        } else if self.expects.q.val() && self.turn_room.val() {
            // Its row is passed on; if the row may not send, the clock is lost.
            self.index.next = self.settle_index.val();
            self.valid.next = self.goes_back.val();
        } else if self.chosen.q.val() {
            // If this is a timer that was set again meanwhile, which settles late, the clock is lost.
            self.kind.next = self.chosen_kind.q.val();
            self.index.next = self.chosen_index.q.val();
            self.valid.next = self.rare.val() && !self.rare_waits.val();
            self.rare_turn.next = !self.rare_waits.val();
            self.rare_taken.next = self.rare.val() && !self.rare_waits.val();
        } else if self.responds.val() && !self.yields_to_turn.val() {
            self.kind.next = EventKind::Response;
            self.index.next = self.response.item.val();
            self.valid.next = true;
            self.response.ready.next = true;
            self.responded_last.d.next = true;
        } else {
            self.responded_last.d.next = false;
            if self.turns.val() {
                self.valid.next = true;
                self.turn_ready.next = !self.again.q.val();
                self.again.d.next = false;
            }
        }
        if self.rare_taken.val() {
            self.chosen.d.next = false;
            self.yields.d.next = false;
        }
        // Only for a timer it settles late in the clock whether it is still valid.
        if self.rare_turn.val() {
            match self.chosen_kind.q.val() {
                EventKind::Modify => {
                    self.modifying.d.next = true;
                }
                EventKind::Fail => {
                    self.fail_taken.d.next = true;
                }
                EventKind::Reported => {
                    self.report_taken.d.next = true;
                }
                EventKind::Fault => {
                    self.faulting.d.next = true;
                }
                EventKind::Timer => {
                    self.expired.ready.next = self.rare.val();
                }
                EventKind::Response => {}
                EventKind::Turn => {}
            }
        }
        self.again_room.next = !self.again.q.val();
        if self.again_valid.val() {
            self.again.d.next = true;
            self.again_now.d.next = self.again_index.val();
        }
        if self.reset.val() {
            clear!(
                self, chosen, modifying, faulting, yields, others, again, expects, fail_taken, report_taken
            );
        }
    }
}
