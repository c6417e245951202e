//! The arguments of `REG_MR` as a row of the protection table.
use crate::memory::RegionRow;
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// Names the arguments (`host::command::reg_mr`); those of `DEREG_MR` and `INVALIDATE` stand where the L_Key does.
///
/// `MB`: index bits of the table.
#[derive(LogicBlock, Default)]
pub struct RegionArguments<const MB: usize> {
    /// As `Registers` has them.
    pub arguments: Signal<In, Bits<768>>,
    /// Entry of the first key.
    pub index: Signal<Out, Bits<MB>>,
    /// L_Key and R_Key name the same entry.
    pub keys_agree: Signal<Out, Bit>,
    pub region: Signal<Out, RegionRow>,
    /// First argument.
    pub key: Signal<Out, Bits<32>>,
}

impl<const MB: usize> Logic for RegionArguments<MB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module region_arguments");
        self.index.next = self.arguments.val().get_bits::<MB>(744);
        self.keys_agree.next =
            self.arguments.val().get_bits::<MB>(744) == self.arguments.val().get_bits::<MB>(712);
        self.key.next = self.arguments.val().get_bits::<32>(736);
        self.region.next.valid = true;
        self.region.next.l_key = self.arguments.val().get_bits::<32>(736);
        self.region.next.r_key = self.arguments.val().get_bits::<32>(704);
        self.region.next.pd = self.arguments.val().get_bits::<24>(672);
        self.region.next.base = self.arguments.val().get_bits::<64>(608);
        self.region.next.length = self.arguments.val().get_bits::<64>(544);
        self.region.next.local_write = self.arguments.val().get_bit(512);
        self.region.next.remote_write = self.arguments.val().get_bit(513);
        self.region.next.remote_read = self.arguments.val().get_bit(514);
        self.region.next.remote_atomic = self.arguments.val().get_bit(515);
        self.region.next.zero_based = self.arguments.val().get_bit(516);
    }
}
