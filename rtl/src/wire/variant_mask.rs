//! Fields that may change on the way count as ones in the ICRC.
use crate::primitive::comment;
use rust_hdl_core::prelude::*;

/// A beat of a local packet with LRH.VL and BTH byte 4 set to ones (`protocol/crc.md` section 1).
#[derive(LogicBlock)]
pub struct VariantMask<const W: usize> {
    pub data: Signal<In, Bits<W>>,
    /// The packet's first beat.
    pub first: Signal<In, Bit>,
    /// The packet's second beat.
    pub second: Signal<In, Bit>,
    pub masked: Signal<Out, Bits<W>>,
    in_first: Constant<Bits<W>>,
    in_second: Constant<Bits<W>>,
}

/// Ones where the variant fields stand in beat `beat`.
fn variant<const W: usize>(beat: usize) -> Bits<W> {
    let fields = [0..4, 96..104];
    fields.into_iter().flatten().fold(Bits::default(), |mask, bit| {
        if bit / W == beat {
            mask.replace_bit(W - 1 - bit % W, true)
        } else {
            mask
        }
    })
}

impl<const W: usize> Default for VariantMask<W> {
    fn default() -> Self {
        Self {
            data: Default::default(),
            first: Default::default(),
            second: Default::default(),
            masked: Default::default(),
            in_first: Constant::new(variant(0)),
            in_second: Constant::new(variant(1)),
        }
    }
}

impl<const W: usize> Logic for VariantMask<W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module variant_mask");
        self.masked.next = self.data.val();
        if self.first.val() {
            self.masked.next = self.data.val() | self.in_first.val();
        }
        if self.second.val() {
            self.masked.next = self.data.val() | self.in_second.val();
        }
    }
}
