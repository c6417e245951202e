//! Chooses the event that enters the requester's pipeline.
use super::EventKind;
use crate::bundle::{QpOfferSink, QpPulseSink};
use hca_hdl::primitive::{clock, comment, dff_setup, Fifo, Register};
use rust_hdl_core::prelude::*;

/// Lets in one event a clock, of a QP that has none in the pipeline: rare events first, in the order of the ports,
/// then responses and turns in turn.
///
/// `QB`: QP index bits.
#[derive(LogicBlock, Default)]
pub struct EventPick<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High while `MODIFY_QP` waits; it is taken elsewhere, with `modify_done`, as a fault is taken with `fault_done`.
    pub modify_valid: Signal<In, Bit>,
    pub modify_index: Signal<In, Bits<QB>>,
    pub modify_done: Signal<In, Bit>,
    pub fail: QpOfferSink<QB>,
    /// High for one cycle when the responder reports a failure of this side; no more are pending than there are QPs.
    pub reported: QpPulseSink<QB>,
    pub fault_valid: Signal<In, Bit>,
    pub fault_index: Signal<In, Bits<QB>>,
    pub fault_done: Signal<In, Bit>,
    pub expired: QpOfferSink<QB>,
    pub response: QpOfferSink<QB>,
    pub turn_valid: Signal<In, Bit>,
    pub turn_ready: Signal<Out, Bit>,
    pub turn_index: Signal<In, Bits<QB>>,
    /// High if the packets of all turns in the pipeline have room, and one more.
    pub turn_room: Signal<In, Bit>,
    /// High for one cycle, with `again_room`, for a turn that comes before all others.
    pub again_valid: Signal<In, Bit>,
    pub again_index: Signal<In, Bits<QB>>,
    pub again_room: Signal<Out, Bit>,
    /// High if the QP that settles may go back in the next clock.
    pub may_go_back: Signal<In, Bit>,
    /// High if it goes back: its turn is due.
    pub goes_back: Signal<In, Bit>,
    /// High if that turn is taken at once.
    pub eager: Signal<Out, Bit>,

    /// High while no event may enter.
    pub hold: Signal<In, Bit>,
    // QPs in the pipeline. The QP of the last stage counts until its event ends in this clock: the effects of the end
    // come before rare events, which see them there.
    pub read: QpPulseSink<QB>,
    pub fetch: QpPulseSink<QB>,
    pub judge: QpPulseSink<QB>,
    pub settle_present: Signal<In, Bit>,
    pub settle_valid: Signal<In, Bit>,
    pub settle_index: Signal<In, Bits<QB>>,

    pub valid: Signal<Out, Bit>,
    pub kind: Signal<Out, EventKind>,
    pub index: Signal<Out, Bits<QB>>,

    reports: Fifo<QB, QB>,
    /// The rare event that comes next, chosen a clock before it may enter.
    chosen: Register<Bit>,
    chosen_kind: Register<EventKind>,
    chosen_index: Register<Bits<QB>>,
    modifying: Register<Bit>,
    faulting: Register<Bit>,
    /// A modification that could not take effect lets other events go first, since it may have to wait for them.
    yields: Register<Bit>,
    /// High if there are other events, known a clock late.
    others: Register<Bit>,
    again: Register<Bit>,
    again_now: Register<Bits<QB>>,
    expects: Register<Bit>,
    responded_last: Register<Bit>,
    /// High if the event entered a clock ago and now leaves its queue.
    fail_taken: Register<Bit>,
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

impl<const QB: usize> Logic for EventPick<QB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module event_pick");
        dff_setup!(
            self, clock, chosen, chosen_kind, chosen_index, modifying, faulting, yields, others, again,
            again_now, expects, responded_last, fail_taken, report_taken
        );
        clock!(self, clock, reports);
        self.reports.reset.next = self.reset.val();
        self.reports.write_valid.next = self.reported.valid.val();
        self.reports.write_data.next = self.reported.index.val();

        self.others.d.next = self.fail.valid.val()
            || self.reports.read_valid.val()
            || (self.fault_valid.val() && !self.faulting.q.val())
            || self.expired.valid.val();
        // A timer that is set again before its expiry enters keeps running.
        self.rare.next = self.chosen.q.val();
        if self.chosen_kind.q.val() == EventKind::Timer {
            self.rare.next = self.chosen.q.val()
                && self.expired.valid.val()
                && (self.expired.index.val() == self.chosen_index.q.val());
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
                self.chosen_index.d.next = self.fail.index.val();
            } else if self.reports.read_valid.val() {
                self.chosen_kind.d.next = EventKind::Reported;
                self.chosen_index.d.next = self.reports.read_data.val();
            } else if self.fault_valid.val() && !self.faulting.q.val() {
                self.chosen_kind.d.next = EventKind::Fault;
                self.chosen_index.d.next = self.fault_index.val();
            } else {
                self.chosen_kind.d.next = EventKind::Timer;
                self.chosen_index.d.next = self.expired.index.val();
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
            && (self.read.index.val() == self.response.index.val()))
            || (self.fetch.valid.val() && (self.fetch.index.val() == self.response.index.val()))
            || (self.judge.valid.val() && (self.judge.index.val() == self.response.index.val()))
            || (self.settle_valid.val() && (self.settle_index.val() == self.response.index.val()));
        // Computed for both: it shows late which of them enters.
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
        // A turn that is due may cost a clock, since it shows late that it waits.
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
        self.reports.read_ready.next = self.report_taken.q.val();
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
            // If this is a timer that was set again meanwhile, the clock is lost: that shows late.
            self.kind.next = self.chosen_kind.q.val();
            self.index.next = self.chosen_index.q.val();
            self.valid.next = self.rare.val() && !self.rare_waits.val();
            self.rare_turn.next = !self.rare_waits.val();
            self.rare_taken.next = self.rare.val() && !self.rare_waits.val();
        } else if self.responds.val() && !self.yields_to_turn.val() {
            self.kind.next = EventKind::Response;
            self.index.next = self.response.index.val();
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
        // Only for a timer it shows late whether it is still valid.
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
            self.chosen.d.next = false;
            self.modifying.d.next = false;
            self.faulting.d.next = false;
            self.yields.d.next = false;
            self.others.d.next = false;
            self.again.d.next = false;
            self.expects.d.next = false;
            self.fail_taken.d.next = false;
            self.report_taken.d.next = false;
        }
    }
}
