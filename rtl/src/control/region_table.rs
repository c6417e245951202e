//! Which memory regions are registered: invalidated ones are, too.
use hca_hdl::primitive::{clock, comment, dff_setup, BlockRam, Register};
use rust_hdl_core::prelude::*;

/// The protection tables themselves are the walkers'. `MB`: index bits of them.
#[derive(LogicBlock, Default)]
pub struct RegionTable<const MB: usize> {
    pub clock: Signal<In, Clock>,
    pub index: Signal<In, Bits<MB>>,
    pub l_key: Signal<In, Bits<32>>,
    /// Three clocks after the index: a region is registered there; with this L_Key.
    pub taken: Signal<Out, Bit>,
    pub named: Signal<Out, Bit>,
    /// Each is high for one cycle.
    pub registers: Signal<In, Bit>,
    pub deregisters: Signal<In, Bit>,
    /// Registered 32 | L_Key 32.
    rows: BlockRam<33, MB>,
    row: Register<Bits<33>>,
}

impl<const MB: usize> Logic for RegionTable<MB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module region_table");
        dff_setup!(self, clock, row);
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
