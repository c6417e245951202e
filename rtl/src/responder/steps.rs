//! The steps that lead one event through checks, walks and searches to its commit.
use hca_hdl::primitive::{comment, dff_setup, Register};
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Step {
    /// Waits for an event and its rows.
    Idle,
    /// Every check of a request by itself.
    Check,
    /// All of them in order, while the receive WQE comes.
    Fetch,
    /// The verdict stands; the walk starts.
    Decide,
    Walk,
    /// The walk of the R_Key that a Send invalidates.
    AskKey,
    WalkKey,
    /// Pieces of a refused request are thrown away.
    Abort,
    /// The operation that a duplicate repeats is looked for.
    Search,
    Commit,
    /// Levels of the receive queue are looked up for what is no packet.
    Look,
    /// Receive WQEs are counted, their number becomes a code, and that is weighed against what was told.
    Count,
    Encode,
    Weigh,
    /// It takes effect.
    Apply,
}

/// A request of one piece takes seven clocks, one without bytes four. The next event moves in as one commits.
#[derive(LogicBlock, Default)]
pub struct RequestSteps {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// An event moves in, a packet or another.
    pub loads: Signal<In, Bit>,
    pub loads_packet: Signal<In, Bit>,
    /// What is to take effect asks for credits.
    pub credit: Signal<In, Bit>,

    /// In `Decide`: of the decision.
    pub passes: Signal<In, Bit>,
    pub walk_needed: Signal<In, Bit>,
    pub replays: Signal<In, Bit>,
    /// The Send has an R_Key to invalidate.
    pub invalidate: Signal<In, Bit>,
    /// Of the verdict that stands.
    pub execute: Signal<In, Bit>,
    pub refuse: Signal<In, Bit>,
    pub not_ready: Signal<In, Bit>,
    pub crowded: Signal<In, Bit>,

    pub pieces_ready: Signal<In, Bit>,
    pub walk_ready: Signal<In, Bit>,
    pub walk_done: Signal<In, Bit>,
    /// With `walk_done`.
    pub walk_failed: Signal<In, Bit>,
    pub search_done: Signal<In, Bit>,
    pub invalidate_quiet: Signal<In, Bit>,
    /// There is room for what takes effect; it stays until then.
    pub room: Signal<In, Bit>,
    /// A receive WQE has come since.
    pub posted: Signal<In, Bit>,
    /// One is announced but not at hand yet.
    pub waits: Signal<In, Bit>,
    /// Every answer that has left is counted, and there is no slot yet.
    pub settled: Signal<In, Bit>,
    pub still_crowded: Signal<In, Bit>,

    pub idle: Signal<Out, Bit>,
    /// The checks' flags are taken.
    pub checks: Signal<Out, Bit>,
    /// The verdict is that of the decision.
    pub decides: Signal<Out, Bit>,
    /// The verdict is that of the fault.
    pub faults: Signal<Out, Bit>,
    pub walk_valid: Signal<Out, Bit>,
    /// The walk asked for, or under way, is that of the key to invalidate.
    pub key_asked: Signal<Out, Bit>,
    pub key_walked: Signal<Out, Bit>,
    /// Nobody else may use a key.
    pub key_held: Signal<Out, Bit>,
    pub aborts: Signal<Out, Bit>,
    pub searches: Signal<Out, Bit>,
    /// The outcome of the search is taken.
    pub found: Signal<Out, Bit>,
    /// A packet is committed, or what is no packet takes effect; the latter alone, for it is known early.
    pub fires: Signal<Out, Bit>,
    pub applies: Signal<Out, Bit>,

    step: Register<Step>,
    // What fires goes far: all but the last word on it is said a clock before.
    /// It fires, unless the verdict has to wait once more.
    due: Register<Bit>,
    /// It fires once the walk has ended as it should.
    walks_last: Register<Bit>,
    /// There was room a clock ago, and is still, for only what fires takes it.
    had_room: Register<Bit>,
    /// `key_held`, unless the request has no key or is not carried out.
    holds: Register<Bit>,
    /// In `Apply`.
    at_apply: Register<Bit>,
    next_step: Signal<Local, Step>,
    walked: Signal<Local, Bit>,
    waits_more: Signal<Local, Bit>,
}

impl Logic for RequestSteps {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module request_steps");
        dff_setup!(self, clock, step, due, walks_last, had_room, holds, at_apply);
        self.idle.next = self.step.q.val() == Step::Idle;
        self.checks.next = self.step.q.val() == Step::Check;
        self.decides.next = self.step.q.val() == Step::Decide;
        self.faults.next = false;
        self.walk_valid.next = false;
        self.key_asked.next = self.step.q.val() == Step::AskKey;
        self.key_walked.next = self.step.q.val() == Step::WalkKey;
        self.key_held.next = self.execute.val() && self.invalidate.val() && self.holds.q.val();
        self.aborts.next = self.step.q.val() == Step::Abort;
        self.searches.next = false;
        self.found.next = false;
        self.walked.next = self.walk_done.val() && !self.walk_failed.val();
        self.waits_more.next = (self.not_ready.val() && (self.posted.val() || self.waits.val()))
            // Answers that have left count before the NAK does.
            || (self.crowded.val() && !(self.settled.val() && self.still_crowded.val()));
        self.fires.next = (self.walks_last.q.val() && self.walked.val())
            || (self.due.q.val() && !((self.step.q.val() == Step::Commit) && self.waits_more.val()));
        self.applies.next = self.due.q.val() && self.at_apply.q.val();
        self.due.d.next = false;
        self.walks_last.d.next = false;
        self.had_room.d.next = self.room.val();
        self.next_step.next = self.step.q.val();
        match self.step.q.val() {
            Step::Idle => {}
            Step::Check => {
                self.next_step.next = Step::Fetch;
            }
            Step::Fetch => {
                self.next_step.next = Step::Decide;
            }
            Step::Decide => {
                if self.pieces_ready.val() {
                    if self.passes.val() && self.walk_needed.val() {
                        self.walk_valid.next = true;
                        if self.walk_ready.val() {
                            self.next_step.next = Step::Walk;
                        }
                    } else if self.passes.val() && self.invalidate.val() {
                        self.next_step.next = Step::AskKey;
                    } else if self.replays.val() {
                        self.searches.next = true;
                        self.next_step.next = Step::Search;
                    } else {
                        self.next_step.next = Step::Commit;
                        self.due.d.next = self.room.val() && self.passes.val();
                    }
                }
            }
            Step::Walk => {
                self.walks_last.d.next = self.room.val() && !self.refuse.val() && !self.invalidate.val();
                if self.walk_done.val() {
                    self.walks_last.d.next = false;
                    self.next_step.next = Step::Commit;
                    self.faults.next = self.execute.val() && self.walk_failed.val();
                    if self.refuse.val() || self.walk_failed.val() {
                        self.next_step.next = Step::Abort;
                    } else if self.invalidate.val() {
                        self.next_step.next = Step::AskKey;
                    }
                }
            }
            Step::AskKey => {
                self.next_step.next = Step::Commit;
                if self.execute.val() {
                    // Not before: who makes room may have keys to look up.
                    self.next_step.next = Step::AskKey;
                    self.walk_valid.next = self.had_room.q.val();
                    if self.had_room.q.val() && self.walk_ready.val() {
                        self.next_step.next = Step::WalkKey;
                    }
                }
            }
            Step::WalkKey => {
                if self.walk_done.val() {
                    self.next_step.next = Step::Commit;
                    self.faults.next = self.walk_failed.val();
                    if self.walk_failed.val() {
                        self.next_step.next = Step::Abort;
                    }
                }
            }
            Step::Abort => {
                self.next_step.next = Step::Commit;
            }
            Step::Search => {
                if self.search_done.val() {
                    self.found.next = true;
                    self.next_step.next = Step::Commit;
                }
            }
            Step::Commit => {
                self.due.d.next = self.room.val()
                    && !self.waits_more.val()
                    && (!self.execute.val() || !self.invalidate.val() || self.invalidate_quiet.val());
                if (self.not_ready.val() && self.posted.val())
                    || (self.crowded.val() && self.settled.val() && !self.still_crowded.val())
                {
                    self.next_step.next = Step::Check;
                }
            }
            Step::Look => {
                self.next_step.next = Step::Apply;
                self.due.d.next = self.room.val();
                if self.credit.val() {
                    self.next_step.next = Step::Count;
                    self.due.d.next = false;
                }
            }
            Step::Count => {
                self.next_step.next = Step::Encode;
            }
            Step::Encode => {
                self.next_step.next = Step::Weigh;
            }
            Step::Weigh => {
                self.next_step.next = Step::Apply;
                self.due.d.next = self.room.val();
            }
            Step::Apply => {
                self.due.d.next = self.room.val();
            }
        }
        if self.fires.val() {
            self.due.d.next = false;
            self.next_step.next = Step::Idle;
        }
        if self.loads.val() {
            self.next_step.next = Step::Look;
            if self.loads_packet.val() {
                self.next_step.next = Step::Check;
            }
        }
        if self.reset.val() {
            self.next_step.next = Step::Idle;
            self.due.d.next = false;
            self.walks_last.d.next = false;
        }
        self.step.d.next = self.next_step.val();
        self.at_apply.d.next = self.next_step.val() == Step::Apply;
        self.holds.d.next = ((self.next_step.val() == Step::AskKey) && self.room.val())
            || (self.next_step.val() == Step::WalkKey)
            || (self.next_step.val() == Step::Commit);
    }
}
