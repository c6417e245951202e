//! Joins beats of the memory bus to 64-byte lines.
use hca_hdl::primitive::{comment, constant, dff_setup, Register};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Joins the beats of each 64-byte read. `M`: bus bits.
///
/// A line that host memory fails is all ones: such SGEs are longer than any message, so that no walk passes them
/// ([`super::walker::FAULT_LIST`]).
#[derive(LogicBlock, SmartDefault)]
pub struct LineAssembly<const M: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for each cycle that brings a beat.
    pub beat_valid: Signal<In, Bit>,
    /// The beat, byte 0 at the most significant end.
    pub beat: Signal<In, Bits<M>>,
    /// High with the last beat of a line.
    pub beat_last: Signal<In, Bit>,
    /// High if host memory answered the beat with an error.
    pub beat_error: Signal<In, Bit>,
    /// High for one cycle when `line` is complete; `line` is stable until the beats of the next read arrive.
    pub line_valid: Signal<Out, Bit>,
    /// The line, byte 0 at the most significant end.
    pub line: Signal<Out, Bits<512>>,
    assembled: Register<Bits<512>>,
    complete: Register<Bit>,
    /// High if a beat of the line that comes in has failed.
    failed: Register<Bit>,
    #[default(constant(M))]
    width: Constant<Bits<10>>,
}

impl<const M: usize> Logic for LineAssembly<M> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module line_assembly");
        dff_setup!(self, clock, assembled, complete, failed);
        self.complete.d.next = self.beat_valid.val() && self.beat_last.val();
        if self.beat_valid.val() {
            self.assembled.d.next =
                (self.assembled.q.val() << self.width.val()) | bit_cast::<512, M>(self.beat.val());
            self.failed.d.next = (self.failed.q.val() || self.beat_error.val()) && !self.beat_last.val();
            if self.failed.q.val() || self.beat_error.val() {
                self.assembled.d.next = !bits::<512>(0);
            }
        }
        if self.reset.val() {
            self.complete.d.next = false;
            self.failed.d.next = false;
        }
        self.line_valid.next = self.complete.q.val();
        self.line.next = self.assembled.q.val();
    }
}
