//! Original values of atomics, from the memory to their answers.
use super::ResponseJob;
use crate::primitive::{comment, dff_setup, BlockRam, LutRam, Register};
use rust_hdl_core::prelude::*;

/// One value a read/atomic resource: kept for a duplicate (`protocol/responder.md` section 6) until the next atomic takes
/// the resource. `OS`: QP index bits and 4.
#[derive(LogicBlock)]
pub struct Originals<const OS: usize> {
    pub clock: Signal<In, Clock>,

    /// One pulse: a job was taken in. A new atomic takes its resource; a replay has no length.
    pub job_taken: Signal<In, Bit>,
    pub job: Signal<In, ResponseJob>,
    /// One pulse: it was carried out.
    pub original_valid: Signal<In, Bit>,
    pub original_slot: Signal<In, Bits<OS>>,
    pub original_value: Signal<In, Bits<64>>,
    /// After a reset: this resource is free.
    pub clear_valid: Signal<In, Bit>,
    pub clear_slot: Signal<In, Bits<OS>>,

    /// Every atomic that took this resource was carried out.
    pub asked_slot: Signal<In, Bits<OS>>,
    pub present: Signal<Out, Bit>,
    /// The last one's value, a clock later.
    pub slot: Signal<In, Bits<OS>>,
    pub value: Signal<Out, Bits<64>>,

    /// Atomics so far, modulo 4: a QP that was reset may leave one behind in the memory's queue.
    asked: LutRam<2, OS>,
    answered: LutRam<2, OS>,
    values: BlockRam<64, OS>,
    /// The original a clock ago: it comes late in its clock.
    arrived: Register<Bit>,
    arrived_slot: Register<Bits<OS>>,
    arrived_value: Register<Bits<64>>,
    asking: Signal<Local, Bits<OS>>,
    kind_atomic: Constant<Bits<2>>,
}

impl<const OS: usize> Default for Originals<OS> {
    fn default() -> Self {
        Originals {
            clock: Default::default(),
            job_taken: Default::default(),
            job: Default::default(),
            original_valid: Default::default(),
            original_slot: Default::default(),
            original_value: Default::default(),
            clear_valid: Default::default(),
            clear_slot: Default::default(),
            asked_slot: Default::default(),
            present: Default::default(),
            slot: Default::default(),
            value: Default::default(),
            asked: Default::default(),
            answered: Default::default(),
            values: Default::default(),
            arrived: Default::default(),
            arrived_slot: Default::default(),
            arrived_value: Default::default(),
            asking: Default::default(),
            kind_atomic: Constant::new((super::JOB_ATOMIC as usize).to_bits()),
        }
    }
}

impl<const OS: usize> Logic for Originals<OS> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module originals");
        dff_setup!(self, clock, arrived, arrived_slot, arrived_value);
        self.arrived.d.next = self.original_valid.val();
        self.arrived_slot.d.next = self.original_slot.val();
        self.arrived_value.d.next = self.original_value.val();
        self.asked.clock.next = self.clock.val();
        self.answered.clock.next = self.clock.val();
        self.values.clock.next = self.clock.val();

        self.asking.next =
            (bit_cast::<OS, 24>(self.job.val().qpn) << 4) | bit_cast::<OS, 4>(self.job.val().slot);
        self.asked.read_address_a.next = self.asking.val();
        self.asked.read_address_b.next = self.asked_slot.val();
        self.answered.read_address_a.next = self.arrived_slot.q.val();
        self.answered.read_address_b.next = self.asked_slot.val();
        self.values.read_address.next = self.slot.val();
        self.present.next = self.asked.read_data_b.val() == self.answered.read_data_b.val();
        self.value.next = self.values.read_data.val();

        self.asked.write_enable.next = self.job_taken.val()
            && (self.job.val().kind == self.kind_atomic.val())
            && self.job.val().length.any();
        self.asked.write_address.next = self.asking.val();
        self.asked.write_data.next = self.asked.read_data_a.val() + 1;
        self.answered.write_enable.next = self.arrived.q.val();
        self.answered.write_address.next = self.arrived_slot.q.val();
        self.answered.write_data.next = self.answered.read_data_a.val() + 1;
        self.values.write_enable.next = self.arrived.q.val();
        self.values.write_address.next = self.arrived_slot.q.val();
        self.values.write_data.next = self.arrived_value.q.val();
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
