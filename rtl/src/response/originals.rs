//! Original values of atomics, from the memory to their answers.
use crate::primitive::{comment, BlockRam, LutRam};
use rust_hdl_core::prelude::*;

/// One value a read/atomic resource: kept for a duplicate (`protocol/responder.md` section 6) until the next atomic takes
/// the resource. `OS`: QP index bits and 4.
#[derive(LogicBlock, Default)]
pub struct Originals<const OS: usize> {
    pub clock: Signal<In, Clock>,

    /// One pulse: a new atomic takes this resource.
    pub ask_valid: Signal<In, Bit>,
    pub ask_slot: Signal<In, Bits<OS>>,
    /// One pulse: it was carried out.
    pub original_valid: Signal<In, Bit>,
    pub original_slot: Signal<In, Bits<OS>>,
    pub original_value: Signal<In, Bits<64>>,
    /// After a reset: this resource is free.
    pub clear_valid: Signal<In, Bit>,
    pub clear_slot: Signal<In, Bits<OS>>,

    /// Every atomic that took this resource was carried out; the last one's value a clock later.
    pub slot: Signal<In, Bits<OS>>,
    pub present: Signal<Out, Bit>,
    pub value: Signal<Out, Bits<64>>,

    /// Atomics so far, modulo 4: a QP that was reset may leave one behind in the memory's queue.
    asked: LutRam<2, OS>,
    answered: LutRam<2, OS>,
    values: BlockRam<64, OS>,
}

impl<const OS: usize> Logic for Originals<OS> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module originals");
        self.asked.clock.next = self.clock.val();
        self.answered.clock.next = self.clock.val();
        self.values.clock.next = self.clock.val();

        self.asked.read_address_a.next = self.ask_slot.val();
        self.asked.read_address_b.next = self.slot.val();
        self.answered.read_address_a.next = self.original_slot.val();
        self.answered.read_address_b.next = self.slot.val();
        self.values.read_address.next = self.slot.val();
        self.present.next = self.asked.read_data_b.val() == self.answered.read_data_b.val();
        self.value.next = self.values.read_data.val();

        self.asked.write_enable.next = self.ask_valid.val();
        self.asked.write_address.next = self.ask_slot.val();
        self.asked.write_data.next = self.asked.read_data_a.val() + 1;
        self.answered.write_enable.next = self.original_valid.val();
        self.answered.write_address.next = self.original_slot.val();
        self.answered.write_data.next = self.answered.read_data_a.val() + 1;
        self.values.write_enable.next = self.original_valid.val();
        self.values.write_address.next = self.original_slot.val();
        self.values.write_data.next = self.original_value.val();
        if self.clear_valid.val() {
            self.asked.write_enable.next = true;
            self.asked.write_address.next = self.clear_slot.val();
            self.asked.write_data.next = bits::<2>(0);
            self.answered.write_enable.next = true;
            self.answered.write_address.next = self.clear_slot.val();
            self.answered.write_data.next = bits::<2>(0);
        }
    }
}
