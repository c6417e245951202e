//! Tracks entries of rings on their way to host memory.
use super::{AcknowledgedEntry, EntryUnderWay};
use crate::bundle::{EqeSink, RingEntrySource};
use hca_hdl::prelude::*;

/// Sends EQEs and CQEs one after the other, and assigns each acknowledgement to its entry: they come in the same order.
///
/// An EQE goes before a CQE: software limits their number by arming. At most 32 are under way. `CB`: CQ index bits, at
/// most 12.
#[derive(LogicBlock, Default)]
pub struct EntriesInFlight<const CB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High while a CQE is offered.
    pub cqe_valid: Signal<In, Bit>,
    /// High in a cycle in which the CQE is taken.
    pub cqe_ready: Signal<Out, Bit>,
    /// Byte address of the CQE.
    pub cqe_address: Signal<In, Bits<64>>,
    /// The CQE, byte 0 at the most significant end.
    pub cqe: Signal<In, Bits<256>>,
    /// CQ of the CQE.
    pub cqe_index: Signal<In, Bits<CB>>,
    /// High if the completion is solicited.
    pub cqe_solicited: Signal<In, Bit>,
    /// EQEs, which go before CQEs.
    pub eqe: EqeSink,

    /// Entries for the write port.
    pub entry: RingEntrySource,
    /// High for one cycle when the oldest entry is acknowledged, in error or not.
    pub answered: Signal<In, Bit>,
    /// With `answered`: high if the entry is acknowledged with an error.
    pub answered_error: Signal<In, Bit>,

    /// High while a CQE that is in memory is offered to [`super::CqNotices`].
    pub cqe_written_valid: Signal<Out, Bit>,
    /// High in a cycle in which that CQE is taken.
    pub cqe_written_ready: Signal<In, Bit>,
    /// CQ of that CQE.
    pub cqe_written_index: Signal<Out, Bits<CB>>,
    /// High if that completion is solicited.
    pub cqe_written_solicited: Signal<Out, Bit>,
    /// High for one cycle when an EQE is in memory.
    pub event_written: Signal<Out, Bit>,
    /// High for one cycle when host memory has failed a CQE or an EQE.
    pub failed: Signal<Out, Bit>,
    /// High for one cycle when a CQE is no longer under way.
    pub cqe_acknowledged: Signal<Out, Bit>,

    under_way: Fifo<EntryUnderWay, 5>,
    /// One error bit for each acknowledgement.
    answers: Fifo<Bits<1>, 5>,
    /// High if `oldest` is valid.
    acknowledged: Register<Bit>,
    /// The oldest acknowledged entry. Registered for timing: its effects take long.
    oldest: Register<AcknowledgedEntry>,
    leaves: Signal<Local, Bit>,
    is_event: Signal<Local, Bit>,
    is_error: Signal<Local, Bit>,
    joins: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

#[kernel]
impl<const CB: usize> Logic for EntriesInFlight<CB> {
    fn update(&mut self) {
        clock_and_reset!(self, under_way, answers);

        self.entry.valid.next =
            self.under_way.write.ready.val() && (self.eqe.valid.val() || self.cqe_valid.val());
        self.entry.is_event.next = self.eqe.valid.val();
        inputs!(self.entry, address: cqe_address, item: cqe);
        self.under_way.write.item.next.cq = bit_cast::<12, CB>(self.cqe_index.val());
        self.under_way.write.item.next.solicited = self.cqe_solicited.val();
        self.under_way.write.item.next.event = false;
        if self.eqe.valid.val() {
            self.entry.address.next = self.eqe.address.val();
            self.entry.item.next = (bit_cast::<256, 128>(self.eqe.item.val()) << 128)
                | bit_cast::<256, 128>(self.eqe.item.val());
            self.under_way.write.item.next.cq = bits::<12>(0);
            self.under_way.write.item.next.solicited = false;
            self.under_way.write.item.next.event = true;
        }
        self.leaves.next = self.under_way.write.ready.val() && self.entry.ready.val();
        self.eqe.ready.next = self.leaves.val();
        self.cqe_ready.next = self.leaves.val() && !self.eqe.valid.val();
        self.under_way.write.valid.next =
            self.entry.ready.val() && (self.eqe.valid.val() || self.cqe_valid.val());

        self.answers.write.valid.next = self.answered.val();
        self.answers.write.item.next = bit_cast::<1, 1>(self.answered_error.val().into());
        self.is_event.next = self.oldest.q.val().event;
        self.is_error.next = self.oldest.q.val().error;
        self.cqe_written_valid.next =
            self.acknowledged.q.val() && !self.is_event.val() && !self.is_error.val();
        self.cqe_written_index.next = self.oldest.q.val().cq.get_bits::<CB>(0);
        self.cqe_written_solicited.next = self.oldest.q.val().solicited;
        self.ends.next = self.acknowledged.q.val()
            && (self.is_event.val() || self.is_error.val() || self.cqe_written_ready.val());
        self.joins.next = !self.acknowledged.q.val() || self.ends.val();
        self.answers.read.ready.next = self.joins.val();
        self.under_way.read.ready.next = self.joins.val() && self.answers.read.valid.val();
        if self.joins.val() {
            self.acknowledged.d.next = self.answers.read.valid.val();
            self.oldest.d.next.cq = self.under_way.read.item.val().cq;
            self.oldest.d.next.solicited = self.under_way.read.item.val().solicited;
            self.oldest.d.next.event = self.under_way.read.item.val().event;
            self.oldest.d.next.error = self.answers.read.item.val().any();
        }
        self.event_written.next = self.acknowledged.q.val() && self.is_event.val() && !self.is_error.val();
        self.failed.next = self.acknowledged.q.val() && self.is_error.val();
        self.cqe_acknowledged.next = self.ends.val() && !self.is_event.val();
        if self.reset.val() {
            self.acknowledged.d.next = false;
        }
    }
}
