//! Lays a completion out as software reads it.
use super::CompletionRecord;
use hca_hdl::prelude::*;

/// The CQE of a completion (`host::cqe`, `protocol/qp_cq.md` section 4), marked as written. Pure function.
#[derive(LogicBlock, Default)]
pub struct CqeLayout {
    /// The completion.
    pub record: Signal<In, CompletionRecord>,
    /// Phase bit of the CQE.
    pub phase: Signal<In, Bit>,
    /// The CQE, byte 0 at the most significant end.
    pub cqe: Signal<Out, Bits<256>>,
    /// High if the completion is unsuccessful, or of a message whose last packet had SE (CF255).
    pub solicited: Signal<Out, Bit>,
}

#[kernel]
impl Logic for CqeLayout {
    fn update(&mut self) {
        self.cqe.next = (bit_cast::<256, 16>(self.record.val().index) << 240)
            | (bit_cast::<256, 8>(self.record.val().status) << 232)
            | (bit_cast::<256, 1>(self.record.val().has_invalidated.into()) << 227)
            | (bit_cast::<256, 1>(self.record.val().has_p_key_index.into()) << 226)
            | (bit_cast::<256, 1>(self.record.val().has_immediate.into()) << 225)
            | (bit_cast::<256, 1>(self.record.val().receive.into()) << 224)
            | (bit_cast::<256, 8>(self.record.val().operation) << 216)
            | (bit_cast::<256, 24>(self.record.val().qpn) << 192)
            | (bit_cast::<256, 32>(self.record.val().byte_count) << 160)
            | (bit_cast::<256, 32>(self.record.val().immediate) << 128)
            | (bit_cast::<256, 2>(self.record.val().p_key_index) << 112)
            | (bit_cast::<256, 1>(self.record.val().datagram.into()) << 229)
            | (bit_cast::<256, 1>(self.record.val().grh.into()) << 228)
            | (bit_cast::<256, 16>(self.record.val().slid) << 96)
            | (bit_cast::<256, 4>(self.record.val().sl) << 88)
            | (bit_cast::<256, 24>(self.record.val().source_qpn) << 64)
            | (bit_cast::<256, 48>(self.record.val().sender) << 16)
            | (bit_cast::<256, 1>(self.record.val().port.into()) << 15)
            | (bit_cast::<256, 7>(self.record.val().path_bits) << 8)
            | 2
            | bit_cast::<256, 1>(self.phase.val().into());
        self.solicited.next = self.record.val().status.any() || self.record.val().solicited;
    }
}
