//! Checks doorbells, and refuses impossible ones.
use crate::bundle::{
    AnnouncementSink, ConsumedSink, DoorbellSink, QpOfferSource, ReportSource, RowModifySink,
};
use crate::context::QpStates;
use crate::retire::RetireRecord;
use hca_hdl::prelude::*;
use hca_host::retire;

/// Passes a doorbell on if its producer lies between the last one and the end of the ring behind the consumer. Any
/// other producer is backwards or beyond the ring: the doorbell is refused, an error of that QP alone. A doorbell that
/// is announced is checked in the clock before it is valid, any other in its first clock.
///
/// A doorbell of a QP in Reset, or of a QP that does not exist, is passed on and has no effect. `QB`: QP index bits;
/// `RQ`: 1 for receive queues, 0 for send queues.
#[derive(LogicBlock, SmartDefault)]
pub struct DoorbellCheck<const QB: usize, const RQ: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Announces the doorbell that is valid in the next clock.
    pub ahead: AnnouncementSink,
    /// Doorbells of these queues.
    pub doorbell: DoorbellSink,
    /// Pulses when WQEs of a QP are consumed.
    pub consumer: ConsumedSink<QB>,
    /// Pulses when `MODIFY_QP` takes effect.
    pub modify: RowModifySink<QB>,

    /// High while an accepted doorbell, of the same index and producer, waits.
    pub accepted_valid: Signal<Out, Bit>,
    /// High in a cycle in which that doorbell is taken.
    pub accepted_ready: Signal<In, Bit>,
    /// Offers the QP of a refused doorbell.
    pub refused: QpOfferSource<QB>,
    /// Retire records of `LANE_REFUSED_DOORBELL` in `host::retire`.
    pub retire: ReportSource,

    producers: LutRam<Bits<16>, QB>,
    consumers: LutRam<Bits<16>, QB>,
    /// High (bit 4) if the QP is not in Reset | log2 of the ring's entries, bits 3:0.
    rings: LutRam<Bits<5>, QB>,
    qpns: BlockRam<Bits<24>, QB>,
    /// High if the current doorbell has been checked.
    known: Register<Bit>,
    /// High if the current doorbell is refused.
    wrong: Register<Bit>,
    /// High if the QP of the current doorbell exists and is not in Reset.
    live: Register<Bit>,
    /// High while a queue that `MODIFY_QP` empties is still to be cleared.
    clears: Register<Bit>,
    clear_index: Register<Bits<QB>>,

    empties: Signal<Local, Bit>,
    log_size: Signal<Local, Bits<4>>,
    index: Signal<Local, Bits<QB>>,
    judged: Signal<Local, Bits<12>>,
    judged_producer: Signal<Local, Bits<16>>,
    in_range: Signal<Local, Bit>,
    used: Signal<Local, Bits<16>>,
    /// Number of entries that are not free after the doorbell, modulo 2^16.
    after: Signal<Local, Bits<16>>,
    size: Signal<Local, Bits<16>>,
    exists: Signal<Local, Bit>,
    stands: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    #[default(Constant::new(RQ != 0))]
    receive: Constant<Bit>,
    states: QpStates,
    #[default(crate::retire::kind_code(retire::kind::DOORBELL_REFUSED, super::queue_of(RQ)))]
    kind_refused: Constant<RetireRecord>,
}

#[kernel]
impl<const QB: usize, const RQ: usize> Logic for DoorbellCheck<QB, RQ> {
    fn update(&mut self) {
        clock!(self, clock, producers, consumers, rings, qpns);

        // The queue. A queue that MODIFY_QP empties waits for a clock without `consumer_valid`.
        self.empties.next = self.modify.row.val().state == self.states.reset.val();
        if self.receive.val() {
            self.log_size.next = self.modify.row.val().rq_log_size;
        } else {
            self.log_size.next = self.modify.row.val().sq_log_size;
        }
        self.rings.write_enable.next = self.modify.valid.val();
        self.rings.write_address.next = self.modify.index.val();
        self.rings.write_data.next =
            (bit_cast::<5, 1>((!self.empties.val()).into()) << 4) | bit_cast::<5, 4>(self.log_size.val());
        self.qpns.write_enable.next = self.modify.valid.val();
        self.qpns.write_address.next = self.modify.index.val();
        self.qpns.write_data.next = self.modify.row.val().qpn;
        self.consumers.write_enable.next = self.consumer.valid.val() || self.clears.q.val();
        self.consumers.write_address.next = self.clear_index.q.val();
        self.consumers.write_data.next = bits::<16>(0);
        if self.consumer.valid.val() {
            inputs!(self.consumers, write_address: consumer.index, write_data: consumer.item);
        } else {
            self.clears.d.next = false;
        }
        if self.modify.valid.val() && self.empties.val() {
            self.clears.d.next = true;
            self.clear_index.d.next = self.modify.index.val();
        }

        // Check the doorbell. A backwards one is nearly 2^16 ahead; then fewer entries than before are not free.
        outputs!(self.ahead, judged: index, judged_producer: producer);
        if self.doorbell.valid.val() {
            outputs!(self.doorbell, judged: index, judged_producer: producer);
        }
        self.index.next = self.judged.val().get_bits::<QB>(0);
        self.in_range.next = bit_cast::<12, QB>(self.index.val()) == self.judged.val();
        inputs!(self.producers, read_address_a: index, read_address_b: index);
        inputs!(self.consumers, read_address_a: index, read_address_b: index);
        inputs!(self.rings, read_address_a: index, read_address_b: index);
        self.qpns.read_address.next = self.index.val();
        self.used.next = self.producers.read_data_a.val() - self.consumers.read_data_a.val();
        self.after.next = self.judged_producer.val() - self.consumers.read_data_a.val();
        self.size.next = bits::<16>(1) << self.rings.read_data_a.val().get_bits::<4>(0);
        self.exists.next = self.in_range.val() && self.rings.read_data_a.val().get_bit(4);
        self.live.d.next = self.exists.val();
        self.wrong.d.next = self.exists.val()
            && ((self.after.val() > self.size.val()) || (self.after.val() < self.used.val()));

        // Pass it on, or refuse it.
        self.stands.next = self.doorbell.valid.val() && self.known.q.val();
        self.accepted_valid.next = self.stands.val() && !self.wrong.q.val();
        self.refused.valid.next = self.stands.val() && self.wrong.q.val();
        self.refused.item.next = self.index.val();
        self.passes.next = self.stands.val()
            && ((self.wrong.q.val() && self.refused.ready.val())
                || (!self.wrong.q.val() && self.accepted_ready.val()));
        self.doorbell.ready.next = self.passes.val();
        // The check is repeated if a queue changes meanwhile.
        self.known.d.next = ((self.doorbell.valid.val() && !self.passes.val())
            || (self.ahead.valid.val() && !self.doorbell.valid.val()))
            && !self.modify.valid.val()
            && !self.clears.q.val();
        self.producers.write_enable.next = self.passes.val() && self.live.q.val() && !self.wrong.q.val();
        inputs!(self.producers, write_address: index, write_data: doorbell.producer);
        if self.clears.q.val() && !self.consumer.valid.val() {
            self.producers.write_enable.next = true;
            self.producers.write_address.next = self.clear_index.q.val();
            self.producers.write_data.next = bits::<16>(0);
        }
        self.retire.valid.next = self.passes.val() && self.wrong.q.val();
        self.retire.record.next = self.kind_refused.val();
        self.retire.record.next.qpn = self.qpns.read_data.val();
        self.retire.record.next.index = bit_cast::<32, 16>(self.doorbell.producer.val());

        if self.reset.val() {
            clear!(self, known, clears);
        }
    }
}
