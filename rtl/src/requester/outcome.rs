//! Computes the outcome of an event.
use super::{
    completer, timers, AnswerEffect, EventKind, FaultEffect, GatherJob, ModifyEffect, Position, ReadSpan,
    RequesterReport, RequesterRow, Standing, TurnGate, Verdict,
};
use crate::context::{QpAttributes, QpConfig, Services};
use crate::receive::ResponseArrival;
use crate::retire::RetireRecord;
use hca_hdl::prelude::*;

/// Row, messages, timer and report of every event but the turns that send. Pure function of the event, of its QP and of
/// what is available in this clock. Sources: `protocol/requester.md` and the sections named at the events.
#[derive(LogicBlock, SmartDefault)]
pub struct EventOutcome {
    /// Kind of the event.
    pub kind: Signal<In, EventKind>,
    /// For a timer event: `ACK` or `RNR` ([`timers`]).
    pub timer_kind: Signal<In, Bits<2>>,
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// `MODIFY_QP` arguments 0 to 13, 22 and 23.
    pub attributes: Signal<In, QpAttributes>,
    /// Number of packets of this QP that are gone ([`super::Emissions`]), modulo 2^8.
    pub gone: Signal<In, Bits<8>>,
    /// High if at least 1 of this QP's packets is possibly not gone yet.
    pub any_leaving: Signal<In, Bit>,
    /// High if at least 32 of this QP's packets are possibly not gone yet.
    pub many_leaving: Signal<In, Bit>,
    /// High if the response acknowledges packets that are being sent again and are not gone.
    pub overtakes: Signal<In, Bit>,
    /// Highest PSN sent, plus one.
    pub horizon: Signal<In, Bits<24>>,
    /// `MODIFY_QP` arguments 0 to 13, for a modification.
    pub modify_row: Signal<In, QpConfig>,
    /// High if `MODIFY_QP` lets a QP that was in SQE send again.
    pub restarts: Signal<In, Bit>,
    /// Index of the oldest WQE that is not complete, modulo 2^16.
    pub oldest: Signal<In, Bits<16>>,
    /// High if every WQE that a doorbell announced is complete.
    pub flushed: Signal<In, Bit>,
    /// High if the event was here one cycle earlier, so that `resets`, `begins` and `errs` belong to it.
    pub stood: Signal<In, Bit>,
    /// High if the modification moves the QP to Reset: `asks_reset` one cycle earlier.
    pub resets: Signal<In, Bit>,
    /// High if the modification lets the QP send from now on: `asks_begin` one cycle earlier.
    pub begins: Signal<In, Bit>,
    /// High if the modification moves the QP to Error: `asks_error` one cycle earlier.
    pub errs: Signal<In, Bit>,
    /// High if the modification moves the QP to Reset.
    pub asks_reset: Signal<Out, Bit>,
    /// High if the modification lets the QP send from now on.
    pub asks_begin: Signal<Out, Bit>,
    /// High if the modification moves the QP to Error.
    pub asks_error: Signal<Out, Bit>,
    /// For a fault event: the packet whose memory may not be read.
    pub fault: Signal<In, GatherJob>,
    /// For a fault event: 1 for the SGE list, 2 for protection.
    pub fault_kind: Signal<In, Bits<2>>,
    /// The response, for a response event.
    pub arrival: Signal<In, ResponseArrival>,
    /// Place of the next packet among PSNs and messages.
    pub position: Signal<In, Position>,
    /// Meaning of the response.
    pub verdict: Signal<In, Verdict>,
    /// PSNs before this one are done: what the response acknowledges or, if a timer expires, the oldest PSN that is not
    /// acknowledged.
    pub bound: Signal<In, Bits<24>>,
    /// For a response with credits ([`crate::credit::CreditLimit`]): high if the peer gives none, and nothing is
    /// limited.
    pub unlimited: Signal<In, Bit>,
    /// For a response with credits: the new allowance.
    pub allowance: Signal<In, Bits<24>>,
    /// For a response with credits: high if the new allowance is larger.
    pub allows_more: Signal<In, Bit>,
    /// High if the response's data may not be written where its WQE says.
    pub local_fault: Signal<In, Bit>,
    /// High if `local_fault` is caused by a malformed SGE list.
    pub list_fault: Signal<In, Bit>,
    /// The Read or atomic after the oldest, as in [`super::ResponseEffect`].
    pub following: Signal<In, ReadSpan>,
    /// Number of packets committed to memory, modulo 2^16.
    pub fence: Signal<In, Bits<16>>,
    /// High if the WQE of the oldest PSN is found.
    pub found: Signal<In, Bit>,
    /// State of the QP with the next packet at the oldest PSN.
    pub found_row: Signal<In, RequesterRow>,

    /// High if the completer and the responder can each take a message.
    pub sinks_ready: Signal<In, Bit>,
    /// High if the piece queue has room for one more response.
    pub pieces_ready: Signal<In, Bit>,
    /// High if the original value of an atomic can be taken.
    pub original_ready: Signal<In, Bit>,
    /// High if a QP can start in this cycle ([`super::Emissions`]).
    pub start_ready: Signal<In, Bit>,
    /// High if nothing of the QP is on the transmit path or with the completer.
    pub idle: Signal<In, Bit>,

    /// For a turn: high if all that follows from it happens in this cycle; else the event waits.
    pub turn_settles: Signal<Out, Bit>,
    /// For any other event: high if all that follows from it happens in this cycle; else the event waits.
    pub settles: Signal<Out, Bit>,
    /// High if the event goes on as a turn.
    pub turns: Signal<Out, Bit>,
    /// High if the QP goes back: its next packet is that of the oldest PSN.
    pub goes_back: Signal<Out, Bit>,
    /// High if the row is written.
    pub write_row: Signal<Out, Bit>,
    /// State of the QP afterwards.
    pub new_row: Signal<Out, RequesterRow>,
    /// High if the QP gets another turn.
    pub wakes: Signal<Out, Bit>,
    /// High if `crowded` is stored for the QP.
    pub sets_crowded: Signal<Out, Bit>,
    /// High if the QP sleeps until one of its packets is gone.
    pub crowded: Signal<Out, Bit>,
    /// High if the requester fails the QP.
    pub fails: Signal<Out, Bit>,
    /// High if Error is reported here.
    pub changed: Signal<Out, Bit>,
    /// High if SQE is reported here.
    pub stops: Signal<Out, Bit>,
    /// High if a message goes to the completer.
    pub messages: Signal<Out, Bit>,
    /// [`completer::ADVANCE`], [`completer::FAIL`] or [`completer::FLUSH`].
    pub message_kind: Signal<Out, Bits<2>>,
    /// Every PSN before this one is done.
    pub message_bound: Signal<Out, Bits<24>>,
    /// Status of a failure (`host::cqe`).
    pub message_status: Signal<Out, Bits<8>>,
    /// Number of packets of the requester whose writes come before the completions, modulo 2^16.
    pub message_fence: Signal<Out, Bits<16>>,
    /// High if the timer is set or stopped.
    pub sets_timer: Signal<Out, Bit>,
    /// [`timers::STOP`], [`timers::ACK`] or [`timers::RNR`].
    pub set_kind: Signal<Out, Bits<2>>,
    /// Code of the delay, in the table of its kind.
    pub set_code: Signal<Out, Bits<5>>,
    /// With `sets_timer`: high if packets that leave start no timer.
    pub arms: Signal<Out, Bit>,
    /// High if the event is a response that has arrived, dropped or not: it is committed to the piece queue.
    pub takes: Signal<Out, Bit>,
    /// High if the original value of an atomic is written to memory.
    pub takes_atomic: Signal<Out, Bit>,
    /// High if the response is dropped.
    pub dropped: Signal<Out, Bit>,
    /// High if the modification takes effect.
    pub modifies: Signal<Out, Bit>,
    /// High if the modification lets the QP send from `start_psn` on.
    pub starts: Signal<Out, Bit>,
    /// First PSN of a QP that starts.
    pub start_psn: Signal<Out, Bits<24>>,
    /// High if packets of the QP are no longer discarded ([`super::RequestGather`]).
    pub resumes: Signal<Out, Bit>,
    /// High if `report_record` is reported.
    pub report_valid: Signal<Out, Bit>,
    /// A record of the requester's lane (`host::retire`).
    pub report_record: Signal<Out, RetireRecord>,
    /// State of a QP after a reset.
    pub cleared_row: Signal<Out, RequesterRow>,

    qp: Signal<Local, QpConfig>,
    standing: Standing,
    modify: ModifyEffect,
    refusal: FaultEffect,
    effect: AnswerEffect,
    gate: TurnGate,
    report: RequesterReport,
    fails_now: Signal<Local, Bit>,
    /// High if the send queue of an unreliable QP fails alone: the QP goes to SQE.
    halts: Signal<Local, Bit>,
    /// High if the service is UC or UD.
    unreliable: Signal<Local, Bit>,
    /// High if the completion of what is done waits.
    defers: Signal<Local, Bit>,
    /// High if something is done and has to be completed.
    owes_now: Signal<Local, Bit>,
    services: Services,
    #[default(two(completer::ADVANCE))]
    message_advance: Constant<Bits<2>>,
    #[default(two(completer::FAIL))]
    message_fail: Constant<Bits<2>>,
    #[default(two(completer::FLUSH))]
    message_flush: Constant<Bits<2>>,
    #[default(two(timers::STOP))]
    timer_stop: Constant<Bits<2>>,
    #[default(two(timers::ACK))]
    timer_ack: Constant<Bits<2>>,
    #[default(two(timers::RNR))]
    timer_rnr: Constant<Bits<2>>,
}

fn two(value: u8) -> Constant<Bits<2>> {
    constant(value)
}

#[kernel]
impl Logic for EventOutcome {
    fn update(&mut self) {
        self.qp.next = self.attributes.val().row;
        self.standing.state.next = self.row.val().state;
        self.standing.new_state.next = bits::<3>(0);
        inputs!(self.modify, row, gone, modify_row, reset_asked: resets, start_asked: begins);
        self.modify.error_asked.next = self.errs.val();
        outputs!(self.modify, cleared_row, asks_reset: resets, asks_begin: starts, asks_error: errs);
        inputs!(self.refusal, row, fault, kind: fault_kind);
        self.refusal.pmtu.next = self.qp.val().pmtu;

        inputs!(self.effect, row, attributes, horizon, verdict, bound, local_fault, list_fault, following);
        self.effect.own.next = self.arrival.val().own;
        self.effect.timeout.next = self.kind.val() == EventKind::Timer;

        // A turn that comes here sends nothing: of the gate only the checks before a packet count.
        inputs!(self.gate, row, position, any_leaving, many_leaving);
        wires!(self.standing, self.gate, sends, continues);
        self.gate.posted.next = true;
        self.gate.fence.next = false;
        self.gate.takes_resource.next = false;
        self.gate.bad.next = false;
        self.gate.stopped.next = false;
        self.gate.wide.next = self.position.val().ahead.get_bit(23);

        self.unreliable.next = (self.qp.val().service == self.services.uc.val())
            || (self.qp.val().service == self.services.ud.val());
        self.refusal.unreliable.next = (self.qp.val().service == self.services.uc.val())
            || (self.qp.val().service == self.services.ud.val());
        inputs!(self.modify, restarts, oldest);
        // Nothing happens unless an event says so below.
        self.settles.next = true;
        self.turns.next = false;
        self.turn_settles.next = true;
        self.goes_back.next = false;
        self.write_row.next = false;
        self.new_row.next = self.row.val();
        self.wakes.next = false;
        self.sets_crowded.next = false;
        self.crowded.next = false;
        self.fails_now.next = false;
        self.halts.next = false;
        self.owes_now.next = false;
        // `protocol/requester.md` section 7: software gets no memory back that is still read. A failure gives back the
        // memory of all WQEs of the QP.
        self.defers.next = self.row.val().owes
            || (self.any_leaving.val()
                && ((self.overtakes.val() && !self.arrival.val().own) || self.effect.fails.val()));
        self.changed.next = false;
        self.stops.next = false;
        self.messages.next = false;
        self.message_kind.next = self.message_advance.val();
        self.message_bound.next = self.bound.val();
        self.message_status.next = self.effect.status.val();
        self.message_fence.next = self.fence.val();
        self.sets_timer.next = false;
        self.set_kind.next = self.timer_stop.val();
        self.set_code.next = self.qp.val().timeout;
        self.arms.next = true;
        self.takes.next = false;
        self.takes_atomic.next = false;
        self.dropped.next = false;
        self.modifies.next = false;
        self.starts.next = false;
        self.start_psn.next = self.modify.start_psn.val();
        self.resumes.next = false;
        self.report.accepted.next = false;
        self.report.dropped.next = false;
        self.report.refused.next = false;
        self.report.expired.next = false;
        self.report.rewound.next = false;
        self.report.changed.next = false;
        self.report.stopped.next = false;
        self.report.qpn.next = self.qp.val().qpn;
        self.report.psn.next = self.arrival.val().psn;
        self.report.code.next = self.arrival.val().syndrome;
        self.report.number.next = self.arrival.val().packet;

        match self.kind.val() {
            EventKind::Modify => {
                // `protocol/qp_cq.md` section 1. Others go first while something of the QP is under way.
                self.settles.next = self.stood.val();
                self.starts.next = self.begins.val();
                if (!self.resets.val() || self.idle.val())
                    && (!(self.standing.stopped.val() && self.restarts.val())
                        || (self.idle.val() && self.flushed.val()))
                    && (!self.begins.val() || self.start_ready.val())
                    && self.stood.val()
                {
                    self.modifies.next = true;
                    self.write_row.next = true;
                    self.wakes.next = true;
                    self.new_row.next = self.modify.new_row.val();
                    self.resumes.next =
                        self.resets.val() || (self.standing.stopped.val() && self.restarts.val());
                    self.sets_timer.next = self.resets.val() || self.errs.val();
                    self.arms.next = !self.resets.val();
                    self.sets_crowded.next = self.resets.val();
                }
            }
            // `protocol/requester.md` section 9: in Error both queues are flushed.
            EventKind::Fail => {
                if !self.standing.dormant.val() && (!self.row.val().flushing || !self.standing.failed.val()) {
                    self.write_row.next = true;
                    self.new_row.next.unreported = false;
                    self.new_row.next.state = self.standing.error.val();
                    self.new_row.next.flushing = true;
                    self.wakes.next = true;
                    self.sets_timer.next = true;
                    self.report.changed.next = true;
                    self.changed.next = true;
                }
            }
            // The flush of a side that failed by itself begins with StateChanged (section 9).
            EventKind::Reported => {
                if self.standing.failed.val() {
                    self.write_row.next = true;
                    self.new_row.next.flushing = true;
                    self.wakes.next = true;
                }
            }
            // Section 8: a local SGE fault ends its WQE once it is the oldest.
            EventKind::Fault => {
                self.write_row.next = true;
                self.wakes.next = true;
                self.new_row.next = self.refusal.new_row.val();
                // A failure that waits keeps its status.
                if self.row.val().owes_failure {
                    self.new_row.next.refused_status = self.row.val().refused_status;
                }
            }
            // Section 5 finds the region of the response (the verdict), section 6 its effect.
            EventKind::Response => {
                self.takes.next = !self.arrival.val().own;
                self.settles.next =
                    self.sinks_ready.val() && self.pieces_ready.val() && self.original_ready.val();
                self.turns.next = self.verdict.val().sequence_nak || self.verdict.val().lost;
                // A Read response Middle has no AETH (`protocol/headers.md`).
                if self.arrival.val().opcode == 0x0E {
                    self.report.code.next = bits::<8>(0);
                }
                if self.verdict.val().drop {
                    self.wakes.next = self.arrival.val().own;
                    self.dropped.next = !self.arrival.val().own;
                    self.report.dropped.next = !self.arrival.val().own;
                    self.report.code.next = self.verdict.val().drop_reason;
                } else {
                    self.report.accepted.next = !self.arrival.val().own;
                    self.write_row.next = true;
                    self.wakes.next = !self.verdict.val().sequence_nak && !self.verdict.val().lost;
                    self.new_row.next = self.effect.new_row.val();
                    // Section 4, CF206, CF207.
                    if self.verdict.val().credits && self.unlimited.val() {
                        self.new_row.next.unlimited = true;
                        self.new_row.next.probes = false;
                    } else if self.verdict.val().credits && self.allows_more.val() {
                        self.new_row.next.allowance = self.allowance.val();
                        if !self.allowance.val().get_bit(23) {
                            self.new_row.next.probes = false;
                        }
                    }
                    self.fails_now.next = self.effect.fails.val() && !self.arrival.val().own;
                    // In Error the WQE is flushed.
                    self.halts.next =
                        self.effect.fails.val() && self.arrival.val().own && !self.standing.failed.val();
                    self.owes_now.next = self.effect.progress.val()
                        || (self.effect.fails.val()
                            && !(self.arrival.val().own && self.standing.failed.val()));
                    self.messages.next = self.owes_now.val() && !self.defers.val();
                    if self.effect.fails.val() && self.arrival.val().own {
                        self.new_row.next.broken = true;
                    }
                    if !self.arrival.val().own {
                        self.message_fence.next = self.fence.val() + 1;
                    }
                    outputs!(self.effect, sets_timer, arms);
                    if self.effect.runs.val() {
                        self.set_kind.next = self.timer_ack.val();
                    }
                    if self.effect.waits.val() {
                        self.set_kind.next = self.timer_rnr.val();
                        self.set_code.next = self.arrival.val().syndrome.get_bits::<5>(0);
                    }
                    self.takes_atomic.next = self.verdict.val().atomic && !self.local_fault.val();
                }
            }
            // `protocol/requester.md` section 9 (flush), section 8 (refusal), section 6 (back to the oldest PSN).
            EventKind::Turn => {
                self.sets_crowded.next = true;
                self.crowded.next = self.gate.crowded.val();
                self.wakes.next = self.gate.emit.val() || self.gate.blame.val();
                self.report.code.next = self.row.val().refused_status;
                self.report.psn.next = bits::<24>(0);
                self.report.number.next = bit_cast::<32, 16>(self.row.val().refused_wqe);
                if self.gate.complete.val() {
                    self.turn_settles.next = self.sinks_ready.val();
                    self.write_row.next = true;
                    self.wakes.next = true;
                    self.new_row.next.owes = false;
                    self.new_row.next.owes_failure = false;
                    self.messages.next = true;
                    if self.row.val().owes_failure {
                        self.message_kind.next = self.message_fail.val();
                    }
                    self.message_bound.next = self.row.val().una;
                    self.message_status.next = self.row.val().refused_status;
                }
                if self.gate.stop.val() {
                    self.write_row.next = true;
                    self.wakes.next = true;
                    self.new_row.next.unreported = false;
                    self.report.stopped.next = true;
                    self.stops.next = true;
                }
                if self.gate.flush.val() {
                    self.turn_settles.next = self.sinks_ready.val();
                    self.messages.next = true;
                    self.message_kind.next = self.message_flush.val();
                }
                if self.gate.refuse.val() {
                    self.turn_settles.next = self.sinks_ready.val();
                    self.write_row.next = true;
                    self.messages.next = true;
                    self.message_bound.next = self.row.val().refused_first;
                    self.message_status.next = self.row.val().refused_status;
                    self.fails_now.next = !self.unreliable.val();
                    self.sets_timer.next = true;
                    self.report.refused.next = true;
                    self.halts.next = self.unreliable.val();
                }
                if self.gate.seek.val() {
                    self.turn_settles.next = self.found.val();
                    self.goes_back.next = true;
                    self.write_row.next = true;
                    self.wakes.next = true;
                    self.new_row.next = self.found_row.val();
                    self.resumes.next = !self.any_leaving.val();
                    self.report.rewound.next = self.row.val().rewinding;
                    self.report.psn.next = self.row.val().una;
                    self.report.code.next = bit_cast::<8, 2>(self.row.val().cause);
                    self.report.number.next = bits::<32>(0);
                    self.sets_timer.next = self.row.val().rewinding;
                    self.set_kind.next = self.timer_ack.val();
                }
            }
            // `requester.md` section 6: the RNR wait is over, or no answer came in time (CF186).
            EventKind::Timer => {
                self.settles.next = self.sinks_ready.val();
                self.turns.next = true;
                self.report.psn.next = self.row.val().una;
                self.report.code.next = bits::<8>(0);
                if self.timer_kind.val() == self.timer_rnr.val() {
                    self.write_row.next = true;
                    self.new_row.next.waiting = false;
                } else if self.standing.continues.val() && !self.row.val().rewinding {
                    self.sets_timer.next = true;
                    // Packets that leave start no timer, unless nothing is outstanding any more.
                    self.arms.next = self.row.val().una != self.horizon.val();
                    if self.row.val().una != self.horizon.val() {
                        self.write_row.next = true;
                        // An expired timer acknowledges nothing.
                        self.new_row.next.wrapped = self.effect.new_row.val().wrapped;
                        self.new_row.next.retries = self.effect.new_row.val().retries;
                        self.new_row.next.retrying = self.effect.new_row.val().retrying;
                        self.new_row.next.rewinding = self.effect.new_row.val().rewinding;
                        self.new_row.next.cause = self.effect.new_row.val().cause;
                        self.new_row.next.waiting = self.effect.new_row.val().waiting;
                        self.report.expired.next = true;
                        self.fails_now.next = self.effect.fails.val();
                        self.messages.next = self.effect.fails.val() && !self.defers.val();
                        self.owes_now.next = self.effect.fails.val();
                    }
                }
            }
        }
        if self.fails_now.val() {
            self.message_kind.next = self.message_fail.val();
            self.new_row.next.state = self.standing.error.val();
        }
        // `uc.md` section 2: a local error takes the QP to SQE.
        if self.halts.val() {
            self.message_kind.next = self.message_fail.val();
            self.new_row.next.state = self.standing.sqe.val();
            self.new_row.next.flushing = true;
            self.new_row.next.unreported = true;
            self.wakes.next = true;
        }
        if self.owes_now.val() && self.defers.val() {
            self.new_row.next.owes = true;
            if self.fails_now.val() || self.halts.val() {
                self.new_row.next.owes_failure = true;
                self.new_row.next.refused_status = self.effect.status.val();
            }
        }
        self.fails.next = self.fails_now.val();
        outputs!(self.report, report_valid: valid, report_record: record);
    }
}
