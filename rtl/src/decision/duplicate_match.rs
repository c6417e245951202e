//! Decides whether a duplicate Read or atomic repeats a stored one (`protocol/responder.md` section 6).
use crate::responder::{ReplayMatch, StoredOperation};
use hca_hdl::prelude::*;

/// Both steps of [`ReplayMatch`], and the check that the PSN is within the operation's span.
#[derive(LogicBlock, Default)]
pub struct DuplicateMatch {
    /// The stored operation.
    pub stored: Signal<In, StoredOperation>,
    /// PSN of the duplicate.
    pub psn: Signal<In, Bits<24>>,
    /// High if the duplicate is a Read, low if it is an atomic.
    pub read: Signal<In, Bit>,
    /// With `read` low: high for a FetchAdd, low for a CompareSwap.
    pub fetch_add: Signal<In, Bit>,
    /// Remote address of the duplicate.
    pub va: Signal<In, Bits<64>>,
    /// R_Key of the duplicate.
    pub r_key: Signal<In, Bits<32>>,
    /// DMA length of the duplicate, if it is a Read.
    pub dma_len: Signal<In, Bits<32>>,
    /// Path MTU of the QP, a code of `protocol/pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// High if the duplicate repeats the stored operation.
    pub found: Signal<Out, Bit>,
    rest: ReplayMatch,
    comparison: ReplayMatch,
    distance: Signal<Local, Bits<24>>,
    bytes: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for DuplicateMatch {
    fn update(&mut self) {
        self.distance.next = self.psn.val() - self.stored.val().psn;
        self.bytes.next = bit_cast::<32, 24>(self.distance.val()) << (bit_cast::<4, 3>(self.pmtu.val()) + 7);
        inputs!(self.rest, stored, bytes, read, fetch_add, va, r_key, dma_len);
        inputs!(self.comparison, stored: rest.rest, bytes, read, fetch_add, va, r_key, dma_len);
        self.found.next = (self.distance.val() <= self.stored.val().span) && self.comparison.matches.val();
    }
}
