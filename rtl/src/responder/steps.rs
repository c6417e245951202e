//! Leads one event through checks, walks and searches to its commit.
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Step {
    /// Waits for an event and its rows.
    Idle,
    /// Every check of a request is made by itself.
    Check,
    /// The results of the checks are judged in order, while the receive WQE is read.
    Fetch,
    /// The verdict is stored; a walk or a search starts.
    Decide,
    /// The memory of the request is looked up.
    Walk,
    /// The walk of the R_Key that a Send invalidates is requested.
    AskKey,
    /// The R_Key that a Send invalidates is looked up.
    WalkKey,
    /// Pieces of a refused request are discarded.
    Abort,
    /// The operation that a duplicate repeats is looked for.
    Search,
    /// The request takes effect once there is room.
    Commit,
    /// Levels of the receive queue are looked up for an event that is not a packet.
    Look,
    /// Receive WQEs are counted.
    Count,
    /// Their number is encoded.
    Encode,
    /// The code is compared with the one last advertised.
    Weigh,
    /// The event takes effect.
    Apply,
}

/// A request of one piece takes seven cycles, one without bytes four. The next event moves in as one commits.
#[derive(LogicBlock, Default)]
pub struct RequestSteps {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when an event moves in.
    pub loads: Signal<In, Bit>,
    /// With `loads`: high if it is a packet.
    pub loads_packet: Signal<In, Bit>,
    /// High if the current event is about credits.
    pub credit: Signal<In, Bit>,

    /// In `Decide`: high if the request is executed unless its keys, or the length of its receive WQE, forbid it.
    pub passes: Signal<In, Bit>,
    /// In `Decide`: high if the request's data needs a walk.
    pub walk_needed: Signal<In, Bit>,
    /// In `Decide`: high if the request repeats a Read or atomic, which has to be searched among those that are kept.
    pub replays: Signal<In, Bit>,
    /// High if the request is a Send with an R_Key to invalidate.
    pub invalidate: Signal<In, Bit>,
    /// High if the stored verdict drops the request.
    pub drops: Signal<In, Bit>,
    /// High if the stored verdict executes the request.
    pub execute: Signal<In, Bit>,
    /// High if the stored verdict refuses the request.
    pub refuse: Signal<In, Bit>,
    /// High if the stored verdict refuses the request because no receive WQE has arrived in the cache.
    pub not_ready: Signal<In, Bit>,
    /// High if the stored verdict refuses the request because no read/atomic slot is free.
    pub crowded: Signal<In, Bit>,

    /// High while the piece queue has room for the pieces of one packet.
    pub pieces_ready: Signal<In, Bit>,
    /// High in a cycle in which the walker takes the request.
    pub walk_ready: Signal<In, Bit>,
    /// High for one cycle when the walk ends.
    pub walk_done: Signal<In, Bit>,
    /// With `walk_done`: high if the walk found a fault.
    pub walk_failed: Signal<In, Bit>,
    /// High for one cycle when the search for the repeated operation ends.
    pub search_done: Signal<In, Bit>,
    /// High if no other walk was under way one cycle earlier, so that an invalidation may take effect.
    pub invalidate_quiet: Signal<In, Bit>,
    /// High if there is room for what takes effect; it stays high until then.
    pub room: Signal<In, Bit>,
    /// High if a receive WQE has arrived in the cache by now.
    pub posted: Signal<In, Bit>,
    /// High if a receive WQE is announced that has possibly not arrived in the cache yet.
    pub waits: Signal<In, Bit>,
    /// High if every answer that has left is counted.
    pub settled: Signal<In, Bit>,
    /// High if no read/atomic slot is free yet.
    pub still_crowded: Signal<In, Bit>,

    /// High while there is no event.
    pub idle: Signal<Out, Bit>,
    /// High in the cycle in which the checks' flags are taken.
    pub checks: Signal<Out, Bit>,
    /// High in the cycle in which the verdict becomes that of the decision.
    pub decides: Signal<Out, Bit>,
    /// High in the cycle in which the verdict becomes that of the fault.
    pub faults: Signal<Out, Bit>,
    /// High while a walk is requested.
    pub walk_valid: Signal<Out, Bit>,
    /// High while the walk of the key to invalidate is requested.
    pub key_asked: Signal<Out, Bit>,
    /// High while the key to invalidate is walked.
    pub key_walked: Signal<Out, Bit>,
    /// High while no other block may use a key.
    pub key_held: Signal<Out, Bit>,
    /// High for one cycle when the pieces of a refused request are discarded.
    pub aborts: Signal<Out, Bit>,
    /// High for one cycle when the search for the repeated operation starts.
    pub searches: Signal<Out, Bit>,
    /// High in the cycle in which the result of the search is taken.
    pub found: Signal<Out, Bit>,
    /// High for one cycle when a packet is committed, or another event takes effect.
    pub fires: Signal<Out, Bit>,
    /// High for one cycle when an event that is not a packet takes effect; it settles earlier in the clock than
    /// `fires`.
    pub applies: Signal<Out, Bit>,

    step: Register<Step>,
    /// High if the event fires, unless its verdict has to wait once more. Registered for timing: all but the last
    /// condition of `fires` is known one cycle earlier.
    due: Register<Bit>,
    /// High if the event fires once its walk has ended without a fault.
    walks_last: Register<Bit>,
    /// High if there was room one cycle earlier; there still is, since only events that fire take it.
    had_room: Register<Bit>,
    /// High if `key_held` is high, provided that the request has a key and is executed.
    holds: Register<Bit>,
    /// High in `Apply`.
    at_apply: Register<Bit>,
    next_step: Signal<Local, Step>,
    walked: Signal<Local, Bit>,
    waits_more: Signal<Local, Bit>,
}

#[kernel]
impl Logic for RequestSteps {
    fn update(&mut self) {
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
                self.walks_last.d.next =
                    self.room.val() && !self.refuse.val() && !self.drops.val() && !self.invalidate.val();
                if self.walk_done.val() {
                    self.walks_last.d.next = false;
                    self.next_step.next = Step::Commit;
                    // A drop for want of a WQE comes after the keys, any other before.
                    self.faults.next = (self.execute.val() || (self.drops.val() && self.not_ready.val()))
                        && self.walk_failed.val();
                    if self.refuse.val() || self.drops.val() || self.walk_failed.val() {
                        self.next_step.next = Step::Abort;
                    } else if self.invalidate.val() {
                        self.next_step.next = Step::AskKey;
                    }
                }
            }
            Step::AskKey => {
                self.next_step.next = Step::Commit;
                if self.execute.val() {
                    // Not before there is room: the packets that make room may have keys to look up.
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
            clear!(self, due, walks_last);
        }
        self.step.d.next = self.next_step.val();
        self.at_apply.d.next = self.next_step.val() == Step::Apply;
        self.holds.d.next = ((self.next_step.val() == Step::AskKey) && self.room.val())
            || (self.next_step.val() == Step::WalkKey)
            || (self.next_step.val() == Step::Commit);
    }
}
