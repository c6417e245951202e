//! Original values of atomics, from the memory to their answers.
use super::ResponseJob;
use crate::bundle::AtomicDoneSink;
use hca_hdl::prelude::*;

/// Keeps one value for each read/atomic resource, for a duplicate (`protocol/responder.md` section 6) until the next
/// atomic takes the resource. `OS`: QP index bits and 4.
///
/// The atomics of a resource are numbered, modulo 4. That is enough: one is under way at most, and while a job waits
/// one newer at most takes its resource, since the 16 operations that may be owed behind it take 16 resources.
#[derive(LogicBlock, SmartDefault)]
pub struct Originals<const OS: usize> {
    pub clock: Signal<In, Clock>,

    /// High for one cycle when a job is taken in. A new atomic takes its resource; a replay has length 0.
    pub job_taken: Signal<In, Bit>,
    /// The job that is taken in.
    pub job: Signal<In, ResponseJob>,
    /// Number of the latest atomic of that job's resource, from the next cycle on.
    pub number: Signal<Out, Bits<2>>,
    /// Atomics that have been carried out, or have failed and then have no answer. A slot is the index of the QP, then
    /// 4 bits of the resource.
    pub original: AtomicDoneSink<OS>,
    /// High while resources are freed after a reset, one a cycle.
    pub clear_valid: Signal<In, Bit>,
    /// Resource that is freed.
    pub clear_slot: Signal<In, Bits<OS>>,

    /// Resource that `present` describes.
    pub asked_slot: Signal<In, Bits<OS>>,
    /// Number of the atomic that a job belongs to.
    pub asked_number: Signal<In, Bits<2>>,
    /// High if that atomic, or the one after it, is done.
    pub present: Signal<Out, Bit>,
    /// High for one cycle when the result looked up one cycle earlier is kept.
    pub keeps: Signal<In, Bit>,
    /// The kept value, from the next cycle on.
    pub value: Signal<Out, Bits<64>>,
    /// High if the kept value is that of a newer atomic.
    pub superseded: Signal<Out, Bit>,
    /// High if host memory failed the atomic whose result is kept.
    pub failed: Signal<Out, Bit>,

    /// For each resource, the number of the latest atomic that was taken in.
    asked: LutRam<Bits<2>, OS>,
    /// For each resource, the number of the latest atomic that is done.
    answered: LutRam<Bits<2>, OS>,
    /// Failed 1 | number 2 | value 64, from the most significant end.
    values: BlockRam<Bits<67>, OS>,
    /// Resource of the job that was taken in last.
    taken_slot: Register<Bits<OS>>,
    /// High one cycle after a new atomic was taken in.
    counts: Register<Bit>,
    // `original` of one cycle earlier, registered for timing: it settles late in the clock.
    arrived: Register<Bit>,
    arrived_slot: Register<Bits<OS>>,
    arrived_value: Register<Bits<64>>,
    arrived_failed: Register<Bit>,
    asked_before: Register<Bits<2>>,
    kept: Register<Bits<64>>,
    kept_superseded: Register<Bit>,
    kept_failed: Register<Bit>,
    asking: Signal<Local, Bits<OS>>,
    following: Signal<Local, Bits<2>>,
    since: Signal<Local, Bits<2>>,
    #[default(constant(super::JOB_ATOMIC))]
    kind_atomic: Constant<Bits<2>>,
}

#[kernel]
impl<const OS: usize> Logic for Originals<OS> {
    fn update(&mut self) {
        clock!(self, clock, asked, answered, values);
        self.arrived.d.next = self.original.valid.val();
        self.arrived_slot.d.next = self.original.slot.val();
        self.arrived_value.d.next = self.original.value.val();
        self.arrived_failed.d.next = self.original.error.val();

        self.asking.next =
            (bit_cast::<OS, 24>(self.job.val().qpn) << 4) | bit_cast::<OS, 4>(self.job.val().slot);
        if self.job_taken.val() {
            self.taken_slot.d.next = self.asking.val();
        }
        // An atomic is counted a clock after its job was taken in.
        self.counts.d.next = self.job_taken.val()
            && (self.job.val().kind == self.kind_atomic.val())
            && self.job.val().length.any()
            && !self.clear_valid.val();
        inputs!(self.asked, read_address_a: taken_slot.q, read_address_b: taken_slot.q);
        self.number.next = self.asked.read_data_a.val() + bit_cast::<2, 1>(self.counts.q.val().into());
        inputs!(self.answered, read_address_a: arrived_slot.q, read_address_b: asked_slot);
        self.since.next = self.answered.read_data_b.val() - self.asked_number.val();
        self.present.next = !self.since.val().get_bit(1);
        self.values.read_address.next = self.asked_slot.val();
        self.asked_before.d.next = self.asked_number.val();
        if self.keeps.val() {
            self.kept.d.next = self.values.read_data.val().get_bits::<64>(0);
            self.kept_superseded.d.next =
                self.values.read_data.val().get_bits::<2>(64) != self.asked_before.q.val();
            self.kept_failed.d.next = self.values.read_data.val().get_bit(66);
        }
        self.value.next = self.kept.q.val();
        self.superseded.next = self.kept_superseded.q.val();
        self.failed.next = self.kept_failed.q.val() && !self.kept_superseded.q.val();

        inputs!(self.asked, write_enable: counts.q, write_address: taken_slot.q, write_data: number);
        self.following.next = self.answered.read_data_a.val() + 1;
        inputs!(self.answered, write_enable: arrived.q, write_address: arrived_slot.q, write_data: following);
        inputs!(self.values, write_enable: arrived.q, write_address: arrived_slot.q);
        self.values.write_data.next = bit_cast::<67, 64>(self.arrived_value.q.val())
            | (bit_cast::<67, 2>(self.following.val()) << 64)
            | (bit_cast::<67, 1>(self.arrived_failed.q.val().into()) << 66);
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
