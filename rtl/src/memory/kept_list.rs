//! Keeps one list of SGEs, and how far it has been walked.
use hca_hdl::prelude::*;

/// Serves a walk that begins where the last walk of the same list ended: a list does not change while its message
/// lasts. A walk from the start of the list belongs to a new message and finds nothing. Nor does the only walk of a
/// message, wherever it starts: it would find the list that an earlier message had at the same place.
#[derive(LogicBlock, Default)]
pub struct KeptList {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Address of the list of the walk that will begin in the next cycle, in units of 64 bytes; valid in the cycle
    /// before `look`.
    pub line: Signal<In, Bits<58>>,
    /// Byte of the list's data at which that walk begins.
    pub offset: Signal<In, Bits<32>>,
    /// High if that walk is the only one of its message.
    pub alone: Signal<In, Bit>,
    /// High for one cycle when the walk begins. The next `look` is at least three cycles later.
    pub look: Signal<In, Bit>,
    /// Address of the list that is walked, in units of 64 bytes; valid in the cycle after `look`.
    pub at: Signal<In, Bits<58>>,
    /// Byte of the list's data at which the walk ends; valid in the cycle after `look`.
    pub end: Signal<In, Bits<32>>,
    /// With `look`: high if this block keeps the list of the walk from now on.
    pub takes: Signal<In, Bit>,
    /// With `look`: high if the list of the walk is kept here and the walk continues it.
    pub found: Signal<Out, Bit>,

    valid: Register<Bit>,
    kept_at: Register<Bits<58>>,
    next_offset: Register<Bits<32>>,
    // These are compared a clock ahead of `look`.
    same: Register<Bit>,
    follows: Register<Bit>,
    // These are noted a clock after `look`.
    walked: Register<Bit>,
    ended: Register<Bit>,
    taken: Register<Bit>,
}

#[kernel]
impl Logic for KeptList {
    fn update(&mut self) {
        self.same.d.next = self.kept_at.q.val() == self.line.val();
        self.follows.d.next = (self.next_offset.q.val() == self.offset.val())
            && self.next_offset.q.val().any()
            && !self.alone.val();
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
            clear!(self, valid, walked, taken);
        }
    }
}
