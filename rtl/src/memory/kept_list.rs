//! One list of SGEs that is kept, and how far it has been walked.
use hca_hdl::primitive::{comment, dff_setup, Register};
use rust_hdl_core::prelude::*;

/// A message's list does not change while the message lasts, and its walks follow each other: one that begins where the
/// last walk of the list ended finds it. A walk from the list's start is a new message's and finds nothing.
#[derive(LogicBlock, Default)]
pub struct KeptList {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The clock before `look`: a walk will begin, of the list at this multiple of 64 bytes, `offset` bytes into its
    /// data.
    pub line: Signal<In, Bits<58>>,
    pub offset: Signal<In, Bits<32>>,
    /// It begins.
    pub look: Signal<In, Bit>,
    /// The clock after: it is of the list at `at`, and goes up to `end`. The next `look` is three clocks after the last,
    /// or later.
    pub at: Signal<In, Bits<58>>,
    pub end: Signal<In, Bits<32>>,
    /// With `look`: that list is the one kept here from now on.
    pub takes: Signal<In, Bit>,
    /// That list is here; in the clock of `look`.
    pub found: Signal<Out, Bit>,

    valid: Register<Bit>,
    kept_at: Register<Bits<58>>,
    next_offset: Register<Bits<32>>,
    // Compared a clock ahead of `look`.
    same: Register<Bit>,
    follows: Register<Bit>,
    // Noted a clock behind it.
    walked: Register<Bit>,
    ended: Register<Bit>,
    taken: Register<Bit>,
}

impl Logic for KeptList {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module kept_list");
        dff_setup!(self, clock, valid, kept_at, next_offset, same, follows, walked, ended, taken);
        self.same.d.next = self.kept_at.q.val() == self.line.val();
        self.follows.d.next =
            (self.next_offset.q.val() == self.offset.val()) && self.next_offset.q.val().any();
        self.found.next = self.valid.q.val() && self.same.q.val() && self.follows.q.val();
        self.walked.d.next = self.look.val() && self.same.q.val();
        self.ended.d.next = !self.follows.q.val();
        self.taken.d.next = self.look.val() && self.takes.val();
        if self.walked.q.val() {
            self.next_offset.d.next = self.end.val();
            self.valid.d.next = self.valid.q.val() && !self.ended.q.val();
        }
        if self.taken.q.val() {
            self.valid.d.next = true;
            self.kept_at.d.next = self.at.val();
            self.next_offset.d.next = self.end.val();
        }
        if self.reset.val() {
            self.valid.d.next = false;
            self.walked.d.next = false;
            self.taken.d.next = false;
        }
    }
}
