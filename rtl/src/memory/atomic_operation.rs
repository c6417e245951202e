//! The result of an atomic operation on a word (`protocol/responder.md` section 4).
use hca_hdl::prelude::*;

/// Pure function.
#[derive(LogicBlock, Default)]
pub struct AtomicOperation {
    /// High for FetchAdd, low for CompareSwap.
    pub fetch_add: Signal<In, Bit>,
    /// Value that CompareSwap compares the word with.
    pub compare: Signal<In, Bits<64>>,
    /// Value that CompareSwap writes or FetchAdd adds.
    pub swap_add: Signal<In, Bits<64>>,
    /// The word before the operation.
    pub original: Signal<In, Bits<64>>,
    /// The word after the operation.
    pub result: Signal<Out, Bits<64>>,
    /// High if the result is to be written: a comparison that failed leaves memory alone.
    pub changes: Signal<Out, Bit>,
}

#[kernel]
impl Logic for AtomicOperation {
    fn update(&mut self) {
        self.changes.next = true;
        self.result.next = self.swap_add.val();
        if self.fetch_add.val() {
            self.result.next = self.original.val() + self.swap_add.val();
        } else if self.original.val() != self.compare.val() {
            self.changes.next = false;
            self.result.next = self.original.val();
        }
    }
}
