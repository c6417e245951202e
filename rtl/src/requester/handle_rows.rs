//! The address handles that send WQEs name.
use crate::datagram::HandleRow;
use hca_hdl::prelude::*;

/// Reads a row a clock. A row may change while a WQE that names it is read: software modifies no handle that it uses
/// (`protocol/ud.md` section 1). `AB`: index bits of a handle.
#[derive(LogicBlock, SmartDefault)]
pub struct HandleRows<const AB: usize> {
    pub clock: Signal<In, Clock>,
    /// Address handle that a WQE names.
    pub handle: Signal<In, Bits<24>>,
    /// Row of the handle, one cycle later; it does not exist beyond the limits.
    pub row: Signal<Out, HandleRow>,
    /// High for one cycle when row `update_index` is written.
    pub update_valid: Signal<In, Bit>,
    /// Index of the row that is written.
    pub update_index: Signal<In, Bits<AB>>,
    /// The new row.
    pub update: Signal<In, HandleRow>,
    rows: BlockRam<HandleRow, AB>,
    within: Register<Bit>,
    #[default(constant(AB))]
    index_bits: Constant<Bits<6>>,
}

#[kernel]
impl<const AB: usize> Logic for HandleRows<AB> {
    fn update(&mut self) {
        clock!(self, clock, rows);
        self.rows.read_address.next = self.handle.val().get_bits::<AB>(0);
        self.within.d.next = !(self.handle.val() >> self.index_bits.val()).any();
        self.row.next = self.rows.read_data.val();
        if !self.within.q.val() {
            self.row.next.exists = false;
        }
        inputs!(self.rows, write_enable: update_valid, write_address: update_index, write_data: update);
    }
}
