//! Makes a row of the protection table from the arguments of `REG_MR`.
use crate::memory::RegionRow;
use hca_hdl::prelude::*;

/// Selects the arguments (`host::command::reg_mr`); the key of `DEREG_MR` and `INVALIDATE` is in the place of the
/// L_Key.
///
/// `MB`: index bits of the table.
#[derive(LogicBlock, Default)]
pub struct RegionArguments<const MB: usize> {
    /// Argument registers, as in `Registers`.
    pub arguments: Signal<In, Bits<768>>,
    /// Entry that the first key names.
    pub index: Signal<Out, Bits<MB>>,
    /// High if L_Key and R_Key name the same entry.
    pub keys_agree: Signal<Out, Bit>,
    /// The row of the protection table.
    pub region: Signal<Out, RegionRow>,
    /// The first argument.
    pub key: Signal<Out, Bits<32>>,
}

#[kernel]
impl<const MB: usize> Logic for RegionArguments<MB> {
    fn update(&mut self) {
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
