//! The steps of a command. The file is long because it is one state machine: every command walks through a part of it.
use super::command_decode::CommandName;
use hca_hdl::prelude::*;
use hca_host::command::modify_qp as words;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Step {
    /// After reset the tables are cleared, and each queue pair and CQ is cleared where its context is kept.
    Clear,
    /// The clearing of one queue pair and CQ is offered to the blocks that keep their contexts.
    Forget,
    /// Waits until these blocks have taken it.
    Forgotten,
    /// No command is carried out.
    Idle,
    /// The queue pairs of a failed CQ are searched.
    Walk,
    /// The word `QPN` of the queue pair is read; each word arrives two steps later.
    ReadQpn,
    /// The word `STATE` of the queue pair is read.
    ReadState,
    /// The word `CQNS` of the queue pair is read; the word `QPN` arrives.
    ReadCqns,
    /// The word `STATE` arrives.
    TakeState,
    /// The word `CQNS` arrives.
    TakeCqns,
    /// The state of the CQ, or of the send queue's CQ, is queried.
    AskSend,
    /// The state of the receive queue's CQ is queried.
    AskReceive,
    /// From here on no packet for a multicast group may begin.
    HoldGroups,
    /// Waits until all packets for multicast groups that have begun are decided.
    StillGroups,
    /// The group and its members are searched.
    SearchGroup,
    /// The facts are gathered.
    Gather,
    /// The facts are judged.
    Judge,
    /// From here on no look-up of a response's memory may start: a response finds either the old or the new region.
    Hold,
    /// Waits until no look-up of a response's memory is unfinished.
    Still,
    /// The result is reported.
    Tell,
    /// The CQE writer carries out the command.
    Act,
    /// The command takes effect, unless the facts changed in the cycle of the report.
    Told,
    /// The state of the CQ is returned word by word.
    Answer,
    /// The given words are merged one by one with the stored ones: a word is read.
    ReadWord,
    /// The word is on its way.
    TakeWord,
    /// The word arrives and is merged.
    MergeWord,
    /// The merged word is written.
    WriteWord,
    /// The number of work queues that use the send queue's CQ changes.
    CountSend,
    /// The number of work queues that use the receive queue's CQ changes.
    CountReceive,
    /// The QPN of a new queue pair is stored, or an address handle begins to exist.
    Enter,
    /// The context of the queue pair is offered to the receive side.
    Receive,
    /// The context of the queue pair is offered to the response engine.
    Response,
    /// The context of the queue pair is offered to the requester.
    Requester,
    /// Waits until no work of the queue pair is under way.
    Drain,
    /// Waits until no work by the keys of the region is under way.
    Settle,
    /// The removal of the queue pair is offered to the receive side: packets no longer find it.
    Destroy,
    /// The word `QPN` of the destroyed queue pair is removed.
    RemoveQpn,
    /// The word `CQNS` of the destroyed queue pair is removed.
    RemoveCqns,
    /// The command is done.
    Done,
}

/// Orders the steps only; `Commands` does the rest.
#[derive(LogicBlock, SmartDefault)]
pub struct CommandSequence {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while a command waits or is carried out, until `done`.
    pub command_valid: Signal<In, Bit>,
    /// The command by name.
    pub name: Signal<In, CommandName>,
    /// High if the result is OK; valid from `reports` on.
    pub accepted: Signal<In, Bit>,
    /// High if the QP goes to Reset.
    pub resets: Signal<In, Bit>,
    /// High if the facts have changed since they were gathered, before this cycle.
    pub crossed: Signal<In, Bit>,
    /// High if the facts change in this cycle.
    pub crosses: Signal<In, Bit>,
    /// High if the last row of the tables is being cleared.
    pub cleared: Signal<In, Bit>,
    /// High if a queue pair or a CQ may have the index of the row that is being cleared: their contexts are then
    /// cleared everywhere.
    pub kept: Signal<In, Bit>,
    /// High while the walk of a failed CQ needs the queue pair table.
    pub walk_wanted: Signal<In, Bit>,
    /// High for one cycle when the walk ends.
    pub walk_done: Signal<In, Bit>,
    /// High for one cycle when the CQE writer takes the command.
    pub cq_ready: Signal<In, Bit>,
    /// High for one cycle when the receive side takes the context.
    pub receive_ready: Signal<In, Bit>,
    /// High for one cycle when the response engine takes the context.
    pub response_ready: Signal<In, Bit>,
    /// High for one cycle when the requester takes the context.
    pub requester_ready: Signal<In, Bit>,
    /// High for one cycle when no work of the QP or region is under way any more.
    pub drained: Signal<In, Bit>,
    /// High if no look-up of a response's memory is unfinished.
    pub placement_still: Signal<In, Bit>,
    /// High if no packet for a multicast group is undecided.
    pub group_still: Signal<In, Bit>,
    /// High for one cycle when the search for the group ends.
    pub group_searched: Signal<In, Bit>,

    /// High in `Clear`: a row of the tables is cleared.
    pub clears: Signal<Out, Bit>,
    /// High in `Forget` and `Forgotten`: a queue pair and a CQ are cleared in other blocks.
    pub forgets: Signal<Out, Bit>,
    /// High in `Walk`: the walk of a failed CQ may use the queue pair table.
    pub walks: Signal<Out, Bit>,
    /// Index of the word of the queue pair, of the arguments or of the answer.
    pub word: Signal<Out, Bits<5>>,
    /// High for one cycle in `ReadQpn`, when a command begins.
    pub begins: Signal<Out, Bit>,
    /// High for one cycle in `ReadCqns`, when the word `QPN` of the queue pair arrives.
    pub has_qpn: Signal<Out, Bit>,
    /// High for one cycle in `TakeState`, when the word `STATE` arrives.
    pub has_state: Signal<Out, Bit>,
    /// High for one cycle in `TakeCqns`, when the word `CQNS` arrives.
    pub has_cqns: Signal<Out, Bit>,
    /// High for one cycle in `Gather`, when the facts are stored.
    pub gathers: Signal<Out, Bit>,
    /// High for one cycle in `Judge`, when the result is stored.
    pub judges: Signal<Out, Bit>,
    /// High while no look-up of a response's memory may start.
    pub placement_hold: Signal<Out, Bit>,
    /// High while no packet for a multicast group may begin.
    pub group_hold: Signal<Out, Bit>,
    /// High for one cycle when the search for the group starts.
    pub group_search: Signal<Out, Bit>,
    /// High while a command for the CQE writer waits.
    pub cq_valid: Signal<Out, Bit>,
    /// High if that command is a query.
    pub asks: Signal<Out, Bit>,
    /// With `asks`: high if it queries the receive queue's CQ.
    pub asks_receive: Signal<Out, Bit>,
    /// High in `Act`: the CQE writer carries out the command.
    pub acts: Signal<Out, Bit>,
    /// High for one cycle when the result is reported.
    pub reports: Signal<Out, Bit>,
    /// High for one cycle, one cycle after `reports`, when an accepted command takes effect.
    pub enacts: Signal<Out, Bit>,
    /// High in `Answer`: a word of the CQ's state is written.
    pub answers: Signal<Out, Bit>,
    /// High from `ReadWord` to `WriteWord`: a word is read, merged and written.
    pub merges: Signal<Out, Bit>,
    /// High in `WriteWord`: the merged word is written.
    pub writes: Signal<Out, Bit>,
    /// High for one cycle when one work queue more, or fewer, uses the CQ.
    pub counts: Signal<Out, Bit>,
    /// With `counts`: high if the CQ is that of the receive queue.
    pub counts_receive: Signal<Out, Bit>,
    /// High for one cycle in `Enter`, when the QPN of a new queue pair is stored, or an address handle begins to exist.
    pub enters: Signal<Out, Bit>,
    /// High while the context is offered to the receive side.
    pub to_receive_valid: Signal<Out, Bit>,
    /// High while the context is offered to the response engine.
    pub to_response_valid: Signal<Out, Bit>,
    /// High while the context is offered to the requester.
    pub to_requester_valid: Signal<Out, Bit>,
    /// High for one cycle when the receive side has taken the context.
    pub receive_taken: Signal<Out, Bit>,
    /// High for one cycle when the requester has taken the context.
    pub requester_taken: Signal<Out, Bit>,
    /// High for one cycle when the wait for work under way starts.
    pub drain_start: Signal<Out, Bit>,
    /// High for one cycle when the QP's reset is complete.
    pub drain_over: Signal<Out, Bit>,
    /// High in `Destroy`: the QP is destroyed.
    pub destroyed: Signal<Out, Bit>,
    /// High for one cycle when the receive side has taken the removal of the QP.
    pub destroy_taken: Signal<Out, Bit>,
    /// High for one cycle in `RemoveQpn`: the word `QPN` is removed.
    pub removes_qpn: Signal<Out, Bit>,
    /// High for one cycle in `RemoveCqns`: the word `CQNS` is removed.
    pub removes_cqns: Signal<Out, Bit>,
    /// High for one cycle when the command is done.
    pub done: Signal<Out, Bit>,

    step: Register<Step>,
    /// Index of the word.
    at: Register<Bits<5>>,
    /// High while a command is offered to the CQE writer. The offers come from registers for timing.
    offers_cq: Register<Bit>,
    /// High if the record of this command was made when the command took effect.
    acted: Register<Bit>,
    /// High in `Answer`.
    answering: Register<Bit>,
    /// High in `WriteWord`.
    writing: Register<Bit>,
    /// High in `Forget` and `Forgotten`.
    forgetting: Register<Bit>,
    /// High from the cycle after the judgement until the command is reported.
    holds: Register<Bit>,
    /// High from the search for a multicast group until the command is done.
    holds_groups: Register<Bit>,
    /// High while the context is offered to the receive side.
    offers_receive: Register<Bit>,
    /// High while the context is offered to the response engine.
    offers_response: Register<Bit>,
    /// High while the context is offered to the requester.
    offers_requester: Register<Bit>,
    /// High one cycle after an offer was taken. Registered for timing: the take settles late in the clock.
    took: Register<Bit>,
    has_action: Signal<Local, Bit>,
    changes_regions: Signal<Local, Bit>,
    #[default(constant(words::STATE))]
    state_word: Constant<Bits<5>>,
    #[default(constant(words::CQNS))]
    cqns_word: Constant<Bits<5>>,
    /// Last word before `ATTRIBUTES`, which is not stored.
    #[default(constant(words::PD))]
    last_dense_word: Constant<Bits<5>>,
    #[default(constant(words::Q_KEY))]
    last_word: Constant<Bits<5>>,
    #[default(constant(hca_host::command::query_cq::STATUS))]
    last_answer: Constant<Bits<5>>,
}

#[kernel]
impl Logic for CommandSequence {
    fn update(&mut self) {
        self.word.next = self.at.q.val();
        self.cq_valid.next = self.offers_cq.q.val();
        self.to_receive_valid.next = self.offers_receive.q.val();
        self.to_response_valid.next = self.offers_response.q.val();
        self.to_requester_valid.next = self.offers_requester.q.val();
        self.offers_cq.d.next = false;
        self.offers_receive.d.next = false;
        self.offers_response.d.next = false;
        self.offers_requester.d.next = false;
        self.took.d.next = false;
        self.has_action.next =
            self.name.val().create_cq || self.name.val().resize_cq || self.name.val().destroy_cq;
        self.changes_regions.next =
            self.name.val().reg_mr || self.name.val().dereg_mr || self.name.val().invalidate;
        self.clears.next = false;
        self.forgets.next = self.forgetting.q.val();
        self.forgetting.d.next = false;
        self.walks.next = false;
        self.begins.next = false;
        self.has_qpn.next = false;
        self.has_state.next = false;
        self.has_cqns.next = false;
        self.gathers.next = false;
        self.judges.next = false;
        self.placement_hold.next = self.holds.q.val();
        self.holds.d.next = false;
        self.group_hold.next = self.holds_groups.q.val();
        self.group_search.next = false;
        self.asks.next = false;
        self.asks_receive.next = false;
        self.acts.next = false;
        self.reports.next = false;
        self.enacts.next = false;
        self.answers.next = self.answering.q.val();
        self.answering.d.next = false;
        self.merges.next = false;
        self.writes.next = self.writing.q.val();
        self.writing.d.next = false;
        self.counts.next = false;
        self.counts_receive.next = false;
        self.enters.next = false;
        self.receive_taken.next = false;
        self.requester_taken.next = false;
        self.drain_start.next = false;
        self.drain_over.next = false;
        self.destroyed.next = false;
        self.destroy_taken.next = false;
        self.removes_qpn.next = false;
        self.removes_cqns.next = false;
        self.done.next = false;
        match self.step.q.val() {
            Step::Clear => {
                self.clears.next = true;
                if self.kept.val() {
                    self.forgetting.d.next = true;
                    self.step.d.next = Step::Forget;
                } else if self.cleared.val() {
                    self.step.d.next = Step::Idle;
                }
            }
            Step::Forget => {
                self.forgetting.d.next = true;
                self.offers_cq.d.next = true;
                self.offers_receive.d.next = true;
                self.offers_response.d.next = true;
                self.offers_requester.d.next = true;
                self.step.d.next = Step::Forgotten;
            }
            Step::Forgotten => {
                self.offers_cq.d.next = self.offers_cq.q.val() && !self.cq_ready.val();
                self.offers_receive.d.next = self.offers_receive.q.val() && !self.receive_ready.val();
                self.offers_response.d.next = self.offers_response.q.val() && !self.response_ready.val();
                self.offers_requester.d.next = self.offers_requester.q.val() && !self.requester_ready.val();
                self.forgetting.d.next = true;
                if !self.offers_cq.q.val()
                    && !self.offers_receive.q.val()
                    && !self.offers_response.q.val()
                    && !self.offers_requester.q.val()
                {
                    self.forgetting.d.next = false;
                    self.step.d.next = Step::Clear;
                }
            }
            Step::Idle => {
                self.at.d.next = bits::<5>(0);
                if self.walk_wanted.val() {
                    self.at.d.next = self.cqns_word.val();
                    self.step.d.next = Step::Walk;
                } else if self.command_valid.val() {
                    self.step.d.next = Step::ReadQpn;
                }
            }
            Step::Walk => {
                self.walks.next = true;
                if self.walk_done.val() {
                    self.step.d.next = Step::Idle;
                }
            }
            Step::ReadQpn => {
                self.begins.next = true;
                self.at.d.next = self.state_word.val();
                self.step.d.next = Step::ReadState;
            }
            Step::ReadState => {
                self.at.d.next = self.cqns_word.val();
                self.step.d.next = Step::ReadCqns;
            }
            Step::ReadCqns => {
                self.has_qpn.next = true;
                self.step.d.next = Step::TakeState;
            }
            Step::TakeState => {
                self.has_state.next = true;
                self.step.d.next = Step::TakeCqns;
            }
            Step::TakeCqns => {
                self.has_cqns.next = true;
                self.step.d.next = Step::Gather;
                if self.name.val().resize_cq || self.name.val().query_cq || self.name.val().create_qp {
                    self.step.d.next = Step::AskSend;
                }
                if self.name.val().attach || self.name.val().detach {
                    self.step.d.next = Step::HoldGroups;
                }
            }
            Step::AskSend => {
                self.asks.next = true;
                self.offers_cq.d.next = true;
                if self.offers_cq.q.val() && self.cq_ready.val() {
                    self.offers_cq.d.next = false;
                    self.step.d.next = Step::Gather;
                    if self.name.val().create_qp {
                        self.step.d.next = Step::AskReceive;
                    }
                }
            }
            Step::AskReceive => {
                self.asks.next = true;
                self.asks_receive.next = true;
                self.offers_cq.d.next = true;
                if self.offers_cq.q.val() && self.cq_ready.val() {
                    self.offers_cq.d.next = false;
                    self.step.d.next = Step::Gather;
                }
            }
            Step::HoldGroups => {
                self.holds_groups.d.next = true;
                self.step.d.next = Step::StillGroups;
            }
            Step::StillGroups => {
                if self.group_still.val() {
                    self.group_search.next = true;
                    self.step.d.next = Step::SearchGroup;
                }
            }
            Step::SearchGroup => {
                if self.group_searched.val() {
                    self.step.d.next = Step::Gather;
                }
            }
            Step::Gather => {
                self.gathers.next = true;
                self.step.d.next = Step::Judge;
            }
            Step::Judge => {
                self.judges.next = true;
                self.step.d.next = Step::Tell;
                if self.changes_regions.val() {
                    self.holds.d.next = true;
                    self.step.d.next = Step::Hold;
                }
            }
            Step::Hold => {
                self.holds.d.next = true;
                self.step.d.next = Step::Still;
            }
            Step::Still => {
                self.holds.d.next = true;
                if self.placement_still.val() {
                    self.step.d.next = Step::Tell;
                }
            }
            Step::Tell => {
                self.acted.d.next = false;
                self.holds.d.next = self.changes_regions.val();
                self.step.d.next = Step::Told;
                if self.crossed.val() {
                    self.step.d.next = Step::Gather;
                } else if self.accepted.val() && self.has_action.val() {
                    self.step.d.next = Step::Act;
                } else {
                    self.reports.next = !self.crosses.val();
                }
            }
            Step::Act => {
                self.acts.next = true;
                self.acted.d.next = true;
                self.offers_cq.d.next = true;
                if self.offers_cq.q.val() && self.cq_ready.val() {
                    self.offers_cq.d.next = false;
                    self.reports.next = true;
                    self.step.d.next = Step::Told;
                }
            }
            Step::Told => {
                self.at.d.next = bits::<5>(1);
                if self.crossed.val() && !self.acted.q.val() {
                    // The facts changed in the same clock as the record, so it was not made.
                    self.step.d.next = Step::Gather;
                } else {
                    self.enacts.next = self.accepted.val();
                    self.step.d.next = Step::Done;
                    if self.accepted.val() {
                        if self.name.val().resize_cq || self.name.val().query_cq {
                            self.answering.d.next = true;
                            self.step.d.next = Step::Answer;
                        }
                        if self.name.val().create_qp
                            || self.name.val().modify_qp
                            || self.name.val().query_qp
                            || self.name.val().destroy_qp
                            || self.name.val().create_ah
                            || self.name.val().modify_ah
                            || self.name.val().query_ah
                        {
                            self.step.d.next = Step::ReadWord;
                        }
                        if self.name.val().dereg_mr || self.name.val().invalidate {
                            self.drain_start.next = true;
                            self.step.d.next = Step::Settle;
                        }
                    }
                }
            }
            Step::Answer => {
                self.answering.d.next = true;
                self.at.d.next = self.at.q.val() + 1;
                if self.at.q.val() == self.last_answer.val() {
                    self.answering.d.next = false;
                    self.step.d.next = Step::Done;
                }
            }
            Step::ReadWord => {
                self.merges.next = true;
                self.step.d.next = Step::TakeWord;
            }
            Step::TakeWord => {
                self.merges.next = true;
                self.step.d.next = Step::MergeWord;
            }
            Step::MergeWord => {
                self.merges.next = true;
                self.writing.d.next = true;
                self.step.d.next = Step::WriteWord;
            }
            Step::WriteWord => {
                self.merges.next = true;
                self.at.d.next = self.at.q.val() + 1;
                if self.at.q.val() == self.last_dense_word.val() {
                    self.at.d.next = self.last_word.val();
                }
                self.step.d.next = Step::ReadWord;
                if self.at.q.val() == self.last_word.val() {
                    self.at.d.next = bits::<5>(0);
                    self.step.d.next = Step::Receive;
                    if self.name.val().create_qp {
                        self.step.d.next = Step::CountSend;
                    }
                    if self.name.val().create_ah {
                        self.step.d.next = Step::Enter;
                    }
                    if self.name.val().query_qp || self.name.val().modify_ah || self.name.val().query_ah {
                        self.step.d.next = Step::Done;
                    }
                }
            }
            Step::CountSend => {
                self.counts.next = true;
                self.step.d.next = Step::CountReceive;
            }
            Step::CountReceive => {
                self.counts.next = true;
                self.counts_receive.next = true;
                self.step.d.next = Step::Enter;
                if self.name.val().destroy_qp {
                    self.step.d.next = Step::Done;
                }
            }
            Step::Enter => {
                self.enters.next = true;
                self.step.d.next = Step::Receive;
                if self.name.val().create_ah {
                    self.step.d.next = Step::Done;
                }
            }
            Step::Receive => {
                self.offers_receive.d.next = !self.took.q.val();
                if self.offers_receive.q.val() && self.receive_ready.val() {
                    self.offers_receive.d.next = false;
                    self.took.d.next = true;
                    self.receive_taken.next = true;
                }
                if self.took.q.val() {
                    self.step.d.next = Step::Response;
                }
            }
            Step::Response => {
                self.offers_response.d.next = !self.took.q.val();
                if self.offers_response.q.val() && self.response_ready.val() {
                    self.offers_response.d.next = false;
                    self.took.d.next = true;
                }
                if self.took.q.val() {
                    self.step.d.next = Step::Requester;
                }
            }
            Step::Requester => {
                self.offers_requester.d.next = !self.took.q.val();
                if self.offers_requester.q.val() && self.requester_ready.val() {
                    self.offers_requester.d.next = false;
                    self.took.d.next = true;
                    self.requester_taken.next = true;
                }
                if self.took.q.val() {
                    self.step.d.next = Step::Done;
                    if self.resets.val() {
                        self.drain_start.next = true;
                        self.step.d.next = Step::Drain;
                    }
                }
            }
            Step::Drain => {
                if self.drained.val() {
                    self.drain_over.next = true;
                    self.step.d.next = Step::Done;
                    if self.name.val().destroy_qp {
                        self.step.d.next = Step::Destroy;
                    }
                }
            }
            Step::Settle => {
                if self.drained.val() {
                    self.step.d.next = Step::Done;
                }
            }
            Step::Destroy => {
                self.destroyed.next = true;
                self.offers_receive.d.next = !self.took.q.val();
                if self.offers_receive.q.val() && self.receive_ready.val() {
                    self.offers_receive.d.next = false;
                    self.took.d.next = true;
                    self.destroy_taken.next = true;
                }
                if self.took.q.val() {
                    self.step.d.next = Step::RemoveQpn;
                }
            }
            Step::RemoveQpn => {
                self.removes_qpn.next = true;
                self.step.d.next = Step::RemoveCqns;
            }
            Step::RemoveCqns => {
                self.removes_cqns.next = true;
                self.step.d.next = Step::CountSend;
            }
            Step::Done => {
                self.done.next = true;
                self.holds_groups.d.next = false;
                self.step.d.next = Step::Idle;
            }
        }
        if self.reset.val() {
            self.step.d.next = Step::Clear;
            clear!(
                self, at, answering, writing, forgetting, holds, holds_groups, offers_cq, offers_receive,
                offers_response, offers_requester, took
            );
        }
    }
}
