//! Counts the multicast groups of each queue pair.
use hca_hdl::prelude::*;

/// A queue pair that is attached to a group cannot be destroyed (`protocol/ud.md` section 4.1). `QB`: QP index bits.
#[derive(LogicBlock, Default)]
pub struct GroupCount<const QB: usize> {
    pub clock: Signal<In, Clock>,
    /// Index of the queue pair.
    pub index: Signal<In, Bits<QB>>,
    /// High if the queue pair is attached to some group.
    pub any: Signal<Out, Bit>,
    /// High for one cycle when the queue pair is attached to one more group.
    pub adds: Signal<In, Bit>,
    /// High for one cycle when the queue pair is detached from a group.
    pub removes: Signal<In, Bit>,
    /// High for one cycle to set the count of the queue pair to 0.
    pub clears: Signal<In, Bit>,
    counts: LutRam<Bits<4>, QB>,
}

#[kernel]
impl<const QB: usize> Logic for GroupCount<QB> {
    fn update(&mut self) {
        clock!(self, clock, counts);
        inputs!(self.counts, read_address_a: index, read_address_b: index);
        self.any.next = self.counts.read_data_a.val().any();
        self.counts.write_enable.next = self.adds.val() || self.removes.val() || self.clears.val();
        self.counts.write_address.next = self.index.val();
        self.counts.write_data.next = bits::<4>(0);
        if self.adds.val() {
            self.counts.write_data.next = self.counts.read_data_a.val() + 1;
        }
        if self.removes.val() {
            self.counts.write_data.next = self.counts.read_data_a.val() - 1;
        }
    }
}
