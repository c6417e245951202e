//! Whether a packet comes from where its queue pair is connected.
use crate::primitive::comment;
use rust_hdl_core::prelude::*;

/// `protocol/responder.md` section 1 step 6 (CF049): LID, and GID where packets carry one. Pure.
#[derive(LogicBlock, Default)]
pub struct SourceCheck {
    pub slid: Signal<In, Bits<16>>,
    pub has_grh: Signal<In, Bit>,
    pub sgid: Signal<In, Bits<128>>,
    pub connected_lid: Signal<In, Bits<16>>,
    pub connected_has_grh: Signal<In, Bit>,
    pub connected_gid: Signal<In, Bits<128>>,
    /// LID, presence of a GID, and the GID's four words: it is from the peer if all agree.
    pub agrees: Signal<Out, Bits<6>>,
    words: Signal<Local, Bits<4>>,
}

impl Logic for SourceCheck {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module source_check");
        self.words.next = bits::<4>(15);
        if self.has_grh.val() {
            self.words.next = bit_cast::<4, 1>(
                (self.sgid.val().get_bits::<32>(0) == self.connected_gid.val().get_bits::<32>(0)).into(),
            ) | (bit_cast::<4, 1>(
                (self.sgid.val().get_bits::<32>(32) == self.connected_gid.val().get_bits::<32>(32)).into(),
            ) << 1)
                | (bit_cast::<4, 1>(
                    (self.sgid.val().get_bits::<32>(64) == self.connected_gid.val().get_bits::<32>(64))
                        .into(),
                ) << 2)
                | (bit_cast::<4, 1>(
                    (self.sgid.val().get_bits::<32>(96) == self.connected_gid.val().get_bits::<32>(96))
                        .into(),
                ) << 3);
        }
        self.agrees.next = bit_cast::<6, 1>((self.slid.val() == self.connected_lid.val()).into())
            | (bit_cast::<6, 1>((self.has_grh.val() == self.connected_has_grh.val()).into()) << 1)
            | (bit_cast::<6, 4>(self.words.val()) << 2);
    }
}
