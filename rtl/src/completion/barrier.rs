//! Finds out when all completions that waited at some moment are in host memory.
use hca_hdl::prelude::*;

/// Counts completions modulo 256; far fewer are under way.
#[derive(LogicBlock, Default)]
pub struct CompletionBarrier {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when a completion of a receive queue comes in.
    pub receive_enters: Signal<In, Bit>,
    /// High for one cycle when a completion of a send queue comes in.
    pub send_enters: Signal<In, Bit>,
    /// High for one cycle when a completion of a receive queue has been decided.
    pub receive_leaves: Signal<In, Bit>,
    /// High for one cycle when a completion of a send queue has been decided.
    pub send_leaves: Signal<In, Bit>,
    /// High for one cycle when a CQE leaves for host memory.
    pub written: Signal<In, Bit>,
    /// High for one cycle when the write of a CQE is acknowledged.
    pub acknowledged: Signal<In, Bit>,
    /// High for one cycle when the wait starts.
    pub mark: Signal<In, Bit>,
    /// High once the completions that had come in at the latest mark are acknowledged or lost.
    pub passed: Signal<Out, Bit>,

    receives_in: Register<Bits<8>>,
    receives_out: Register<Bits<8>>,
    sends_in: Register<Bits<8>>,
    sends_out: Register<Bits<8>>,
    written_count: Register<Bits<8>>,
    acknowledged_count: Register<Bits<8>>,
    receives_goal: Register<Bits<8>>,
    sends_goal: Register<Bits<8>>,
    written_goal: Register<Bits<8>>,
    waits_decision: Register<Bit>,
    waits_answer: Register<Bit>,

    receives_past: Signal<Local, Bits<8>>,
    sends_past: Signal<Local, Bits<8>>,
    written_past: Signal<Local, Bits<8>>,
}

#[kernel]
impl Logic for CompletionBarrier {
    fn update(&mut self) {
        if self.receive_enters.val() {
            self.receives_in.d.next = self.receives_in.q.val() + 1;
        }
        if self.receive_leaves.val() {
            self.receives_out.d.next = self.receives_out.q.val() + 1;
        }
        if self.send_enters.val() {
            self.sends_in.d.next = self.sends_in.q.val() + 1;
        }
        if self.send_leaves.val() {
            self.sends_out.d.next = self.sends_out.q.val() + 1;
        }
        if self.written.val() {
            self.written_count.d.next = self.written_count.q.val() + 1;
        }
        if self.acknowledged.val() {
            self.acknowledged_count.d.next = self.acknowledged_count.q.val() + 1;
        }

        self.receives_past.next = self.receives_out.q.val() - self.receives_goal.q.val();
        self.sends_past.next = self.sends_out.q.val() - self.sends_goal.q.val();
        self.written_past.next = self.acknowledged_count.q.val() - self.written_goal.q.val();
        if self.waits_answer.q.val() && !self.written_past.val().get_bit(7) {
            self.waits_answer.d.next = false;
        }
        if self.waits_decision.q.val()
            && !self.receives_past.val().get_bit(7)
            && !self.sends_past.val().get_bit(7)
        {
            self.waits_decision.d.next = false;
            self.waits_answer.d.next = true;
            self.written_goal.d.next = self.written_count.q.val();
        }
        if self.mark.val() {
            // A completion that comes in with the mark counts as before it.
            self.receives_goal.d.next = self.receives_in.q.val();
            if self.receive_enters.val() {
                self.receives_goal.d.next = self.receives_in.q.val() + 1;
            }
            self.sends_goal.d.next = self.sends_in.q.val();
            if self.send_enters.val() {
                self.sends_goal.d.next = self.sends_in.q.val() + 1;
            }
            self.waits_decision.d.next = true;
            self.waits_answer.d.next = false;
        }
        self.passed.next = !self.mark.val() && !self.waits_decision.q.val() && !self.waits_answer.q.val();
        if self.reset.val() {
            clear!(
                self, receives_in, receives_out, sends_in, sends_out, written_count, acknowledged_count,
                waits_decision, waits_answer
            );
        }
    }
}
