//! A completion as software reads it.
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// The CQE of a completion (`host::cqe`, `protocol/qp_cq.md` section 4), marked as written. Pure.
#[derive(LogicBlock, Default)]
pub struct CqeLayout {
    /// [`super::CompletionRecord`].
    pub record: Signal<In, Bits<159>>,
    pub phase: Signal<In, Bit>,
    /// Byte 0 at the most significant end.
    pub cqe: Signal<Out, Bits<256>>,
    /// It is unsuccessful, or of a message whose last packet had SE (CF255).
    pub solicited: Signal<Out, Bit>,
}

impl Logic for CqeLayout {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module cqe_layout");
        self.cqe.next = (bit_cast::<256, 16>(self.record.val().get_bits::<16>(40)) << 240)
            | (bit_cast::<256, 8>(self.record.val().get_bits::<8>(56)) << 232)
            | (bit_cast::<256, 1>(self.record.val().get_bits::<1>(157)) << 227)
            | (bit_cast::<256, 1>(self.record.val().get_bits::<1>(138)) << 226)
            | (bit_cast::<256, 1>(self.record.val().get_bits::<1>(105)) << 225)
            | (bit_cast::<256, 1>(self.record.val().get_bits::<1>(64)) << 224)
            | (bit_cast::<256, 8>(self.record.val().get_bits::<8>(65)) << 216)
            | (bit_cast::<256, 24>(self.record.val().get_bits::<24>(16)) << 192)
            | (bit_cast::<256, 32>(self.record.val().get_bits::<32>(73)) << 160)
            | (bit_cast::<256, 32>(self.record.val().get_bits::<32>(106)) << 128)
            | (bit_cast::<256, 2>(self.record.val().get_bits::<2>(139)) << 112)
            | 2
            | bit_cast::<256, 1>(self.phase.val().into());
        self.solicited.next = self.record.val().get_bits::<8>(56).any() || self.record.val().get_bit(158);
    }
}
