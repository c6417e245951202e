//! Stores which memory regions are registered, including invalidated ones.
use hca_hdl::prelude::*;

/// One row for each entry of the protection table, which [`crate::memory::KeyTable`] keeps. `MB`: index bits of the
/// table.
#[derive(LogicBlock, Default)]
pub struct RegionTable<const MB: usize> {
    pub clock: Signal<In, Clock>,
    /// Entry that is looked up or changed.
    pub index: Signal<In, Bits<MB>>,
    /// L_Key that is compared, and that is stored with `registers`.
    pub l_key: Signal<In, Bits<32>>,
    /// High if a region is registered at the entry, two cycles after `index`.
    pub taken: Signal<Out, Bit>,
    /// High if a region with L_Key `l_key` is registered at the entry, two cycles after `index`.
    pub named: Signal<Out, Bit>,
    /// High for one cycle when a region is registered at `index`.
    pub registers: Signal<In, Bit>,
    /// High for one cycle when the region at `index` is deregistered.
    pub deregisters: Signal<In, Bit>,
    /// Registered 1 | L_Key 32, from the most significant end.
    rows: BlockRam<Bits<33>, MB>,
    row: Register<Bits<33>>,
}

#[kernel]
impl<const MB: usize> Logic for RegionTable<MB> {
    fn update(&mut self) {
        clock!(self, clock, rows);
        self.rows.read_address.next = self.index.val();
        self.row.d.next = self.rows.read_data.val();
        self.taken.next = self.row.q.val().get_bit(32);
        self.named.next =
            self.row.q.val().get_bit(32) && (self.row.q.val().get_bits::<32>(0) == self.l_key.val());
        self.rows.write_enable.next = self.registers.val() || self.deregisters.val();
        self.rows.write_address.next = self.index.val();
        self.rows.write_data.next = bits::<33>(0);
        if self.registers.val() {
            self.rows.write_data.next = (bits::<33>(1) << 32) | bit_cast::<33, 32>(self.l_key.val());
        }
    }
}
