//! Compares an entry of the port's P_Key table with the P_Key of a packet.
use hca_hdl::prelude::*;

/// Checks whether both name the same partition: low 15 bits equal and not 0, one side a full member
/// (`protocol/headers.md` section 5).
#[derive(LogicBlock, Default)]
pub struct PKeyMatch {
    /// P_Key of the packet.
    pub p_key: Signal<In, Bits<16>>,
    /// Entry of the table; 0 is an empty entry, which matches nothing.
    pub entry: Signal<In, Bits<16>>,
    /// The keys match if all five bits are high. Each is a part of the comparison: bits 3:0 equal; bits 7:4; bits 11:8;
    /// bits 14:12; a partition, and one side a full member.
    pub same: Signal<Out, Bits<5>>,
}

#[kernel]
impl Logic for PKeyMatch {
    fn update(&mut self) {
        self.same.next =
            bit_cast::<5, 1>((self.p_key.val().get_bits::<4>(0) == self.entry.val().get_bits::<4>(0)).into())
                | (bit_cast::<5, 1>(
                    (self.p_key.val().get_bits::<4>(4) == self.entry.val().get_bits::<4>(4)).into(),
                ) << 1)
                | (bit_cast::<5, 1>(
                    (self.p_key.val().get_bits::<4>(8) == self.entry.val().get_bits::<4>(8)).into(),
                ) << 2)
                | (bit_cast::<5, 1>(
                    (self.p_key.val().get_bits::<3>(12) == self.entry.val().get_bits::<3>(12)).into(),
                ) << 3)
                | (bit_cast::<5, 1>(
                    (self.p_key.val().get_bits::<15>(0).any()
                        && (self.p_key.val().get_bit(15) || self.entry.val().get_bit(15)))
                    .into(),
                ) << 4);
    }
}
