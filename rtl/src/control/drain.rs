//! Waits until nothing of a queue pair, or by the keys of a region, is under way any more.
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum DrainState {
    /// No wait is under way.
    Idle,
    /// Packets whose keys had been looked up depart.
    Lookups,
    /// Decided responses leave, and so does a NAK in place of a response that could not be read.
    Outbound,
    /// Arrived payload is written and acknowledged.
    Memory,
    /// Completions that wait for this payload are written.
    Completions,
    /// Each side takes the failures that the other side has reported.
    Failures,
}

/// Asks the blocks that move data, one after the other, whether their earlier work is done: for a queue pair's reset
/// and for a region that is deregistered. Both sides have taken the reset before; the protection table no longer holds
/// the region.
///
/// Each mark is high for one cycle; the `passed` signal that belongs to it counts from the third cycle after the mark
/// on.
#[derive(LogicBlock, Default)]
pub struct Drain {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when the wait starts.
    pub start: Signal<In, Bit>,
    /// High for one cycle when the wait ends.
    pub done: Signal<Out, Bit>,
    /// High for one cycle when the wait for looked-up packets starts.
    pub lookups_mark: Signal<Out, Bit>,
    /// High once these packets have departed or were refused.
    pub lookups_passed: Signal<In, Bit>,
    /// High for one cycle when the wait for departed packets starts.
    pub outbound_mark: Signal<Out, Bit>,
    /// High once these packets have left.
    pub outbound_passed: Signal<In, Bit>,
    /// High for one cycle when the wait for arrived payload starts.
    pub memory_mark: Signal<Out, Bit>,
    /// High once this payload is in memory.
    pub memory_passed: Signal<In, Bit>,
    /// High for one cycle when the wait for completions starts.
    pub completions_mark: Signal<Out, Bit>,
    /// High once these completions are in memory or lost.
    pub completions_passed: Signal<In, Bit>,
    /// High if no failure is on its way from one side to another.
    pub failures_reported: Signal<In, Bit>,
    state: Register<DrainState>,
    /// Number of cycles since the step began, at most 7.
    age: Register<Bits<3>>,
    // The outputs and the inputs, a clock late.
    marks_lookups: Register<Bit>,
    marks_outbound: Register<Bit>,
    marks_memory: Register<Bit>,
    marks_completions: Register<Bit>,
    lookups: Register<Bit>,
    outbound: Register<Bit>,
    memory: Register<Bit>,
    completions: Register<Bit>,
    failures: Register<Bit>,
    marks: Signal<Local, Bit>,
    passed: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Drain {
    fn update(&mut self) {
        self.marks.next = !self.age.q.val().any();
        self.lookups_mark.next = self.marks_lookups.q.val();
        self.outbound_mark.next = self.marks_outbound.q.val();
        self.memory_mark.next = self.marks_memory.q.val();
        self.completions_mark.next = self.marks_completions.q.val();
        self.marks_lookups.d.next = false;
        self.marks_outbound.d.next = false;
        self.marks_memory.d.next = false;
        self.marks_completions.d.next = false;
        self.lookups.d.next = self.lookups_passed.val();
        self.outbound.d.next = self.outbound_passed.val();
        self.memory.d.next = self.memory_passed.val();
        self.completions.d.next = self.completions_passed.val();
        self.failures.d.next = self.failures_reported.val();
        self.done.next = false;
        self.passed.next = false;
        match self.state.q.val() {
            DrainState::Idle => {
                self.passed.next = true;
            }
            DrainState::Lookups => {
                self.marks_lookups.d.next = self.marks.val();
                self.passed.next = self.lookups.q.val();
            }
            DrainState::Outbound => {
                self.marks_outbound.d.next = self.marks.val();
                self.passed.next = self.outbound.q.val();
            }
            DrainState::Memory => {
                self.marks_memory.d.next = self.marks.val();
                self.passed.next = self.memory.q.val();
            }
            DrainState::Completions => {
                self.marks_completions.d.next = self.marks.val();
                self.passed.next = self.completions.q.val();
            }
            DrainState::Failures => {
                self.passed.next = self.failures.q.val();
            }
        }
        self.moves.next = self.passed.val() && (self.age.q.val() == 7);
        if self.age.q.val() != 7 {
            self.age.d.next = self.age.q.val() + 1;
        }
        if self.moves.val() {
            self.age.d.next = bits::<3>(0);
            match self.state.q.val() {
                DrainState::Idle => {
                    self.age.d.next = bits::<3>(7);
                    if self.start.val() {
                        self.age.d.next = bits::<3>(0);
                        self.state.d.next = DrainState::Lookups;
                    }
                }
                DrainState::Lookups => {
                    self.state.d.next = DrainState::Outbound;
                }
                DrainState::Outbound => {
                    self.state.d.next = DrainState::Memory;
                }
                DrainState::Memory => {
                    self.state.d.next = DrainState::Completions;
                }
                DrainState::Completions => {
                    self.state.d.next = DrainState::Failures;
                }
                DrainState::Failures => {
                    self.done.next = true;
                    self.state.d.next = DrainState::Idle;
                }
            }
        }
        if self.reset.val() {
            self.state.d.next = DrainState::Idle;
            self.age.d.next = bits::<3>(7);
            clear!(self, marks_lookups, marks_outbound, marks_memory, marks_completions);
        }
    }
}
