//! The work queues of one kind, with their next entries in a cache.
use super::{DoorbellCheck, Prefetch, WqeStore};
use crate::bundle::{
    AnnouncedSource, AnnouncementSink, ConsumedSink, DoorbellSink, QpOfferSource, QpPulseSource,
    ReadBeatSink, ReportSource, RowModifySink, WqeReadSource,
};
use crate::retire::RetireRecord;
use hca_hdl::prelude::*;
use hca_host::retire;

/// Follows doorbells by reading the entries that they announce, and reports when the entries have arrived.
///
/// `QB`: QP index bits; `NQ` = 2^`QB`; 2^`SB` slots for each queue, entry i in slot i mod 2^`SB`; `CA` = `QB` + `SB`;
/// `M`: memory bus bits; `N` = 512 / `M`; `RQ`: 1 for receive queues, 0 for send queues.
#[derive(LogicBlock, SmartDefault)]
pub struct WqeCache<
    const QB: usize,
    const NQ: usize,
    const SB: usize,
    const CA: usize,
    const M: usize,
    const N: usize,
    const RQ: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Announces the doorbell that is valid in the next clock ([`super::DoorbellCheck`]).
    pub ahead: AnnouncementSink,
    /// Doorbells of these queues ([`Prefetch`]).
    pub doorbell: DoorbellSink,
    /// Offers the QP of a refused doorbell ([`DoorbellCheck`]): the doorbell changes nothing here.
    pub refused: QpOfferSource<QB>,
    /// Retire records of `LANE_REFUSED_DOORBELL` in `host::retire`.
    pub retire_refused: ReportSource,
    /// Pulses when WQEs of a QP are consumed.
    pub consumer: ConsumedSink<QB>,
    /// Pulses for each `MODIFY_QP`, which takes effect within a few clocks. No doorbell is taken in these clocks.
    pub modify: RowModifySink<QB>,

    /// Reads of WQEs.
    pub read: WqeReadSource,
    /// The beat of WQEs, when `read.valid` is high.
    pub data: ReadBeatSink<M>,

    /// QP whose WQE is read, one clock before `wqe`.
    pub read_index: Signal<In, Bits<QB>>,
    /// Slot of that WQE.
    pub read_slot: Signal<In, Bits<SB>>,
    /// High to keep the WQE that was read last.
    pub read_hold: Signal<In, Bit>,
    /// The WQE. One that could not be read has an undefined operation code and too many SGEs.
    pub wqe: Signal<Out, Bits<512>>,

    /// QP that `first_arrived` belongs to.
    pub first_index: Signal<In, Bits<QB>>,
    /// Number of its entries that have arrived, modulo 2^16; pure function of `first_index`.
    pub first_arrived: Signal<Out, Bits<16>>,
    /// QP that `second_arrived` belongs to.
    pub second_index: Signal<In, Bits<QB>>,
    /// Number of its entries that have arrived, modulo 2^16.
    pub second_arrived: Signal<Out, Bits<16>>,
    /// High for one cycle when entries of a QP have arrived, the clock after the last beat of their read.
    pub arrived_valid: Signal<Out, Bit>,
    /// Index of that QP.
    pub arrived_index: Signal<Out, Bits<QB>>,
    /// Number of the QP's entries that have arrived now, modulo 2^16.
    pub arrived_producer: Signal<Out, Bits<16>>,
    /// Pulses one cycle before `arrived_valid`, and also when entries arrive that are discarded because the queue was
    /// emptied meanwhile. Use it only to wake a QP.
    pub landed: QpPulseSource<QB>,
    /// Pulses when the number of announced WQEs of a QP changes.
    pub announced: AnnouncedSource<QB>,
    /// With `announced`: high for a doorbell, low if the queue was emptied.
    pub announced_rung: Signal<Out, Bit>,
    /// For send queues: retire records of doorbells whose entries have arrived. For receive queues see
    /// [`super::DoorbellReport`].
    pub retire: ReportSource,
    /// Retire records of `LANE_WQE` in `host::retire`: a queue's first entry that could not be read, with the doorbell.
    pub retire_fault: ReportSource,

    check: DoorbellCheck<QB, RQ>,
    prefetch: Prefetch<QB, NQ, SB, RQ>,
    store: WqeStore<QB, SB, CA, M, N>,
    arrived: LutRam<Bits<16>, QB>,
    qpns: BlockRam<Bits<24>, QB>,
    /// One bit for each QP: high if an unreadable entry has been reported.
    reported: LutRam<Bits<1>, QB>,
    fails: Register<Bit>,
    failed_index: Register<Bits<16>>,
    counts: Register<Bit>,
    index: Register<Bits<QB>>,
    producer: Register<Bits<16>>,
    lands: Signal<Local, Bit>,
    fails_now: Signal<Local, Bit>,
    failed_before_end: Signal<Local, Bits<SB>>,

    #[default(constant(N.trailing_zeros() as usize))]
    beat_shift: Constant<Bits<4>>,
    #[default(crate::retire::kind_code(retire::kind::DOORBELL, super::queue_of(RQ)))]
    kind_doorbell: Constant<RetireRecord>,
    #[default(crate::retire::kind_code(retire::kind::MEMORY_FAULT, fault_of(RQ)))]
    kind_fault: Constant<RetireRecord>,
    /// Operation FFh, 255 SGEs, and a length of 2^31 bytes or more.
    #[default(Constant::new(byte(0xFF, 0) | byte(0xFF, 2) | byte(0x80, 20)))]
    garbage: Constant<Bits<512>>,
    #[default(Constant::new(byte(0xFF, 1)))]
    flags: Constant<Bits<512>>,
}

/// The fault code of an unreadable WQE: of the receive queue if `rq` is not 0, else of the send queue.
const fn fault_of(rq: usize) -> u8 {
    match rq {
        0 => retire::memory_fault::SEND_WQE,
        _ => retire::memory_fault::RECEIVE_WQE,
    }
}

/// A WQE in which byte `at` is `value` and all others are 0.
fn byte(value: u64, at: u64) -> Bits<512> {
    Bits::<512>::from(value) << (512 - 8 - 8 * at)
}

#[kernel]
impl<
        const QB: usize,
        const NQ: usize,
        const SB: usize,
        const CA: usize,
        const M: usize,
        const N: usize,
        const RQ: usize,
    > Logic for WqeCache<QB, NQ, SB, CA, M, N, RQ>
{
    fn update(&mut self) {
        clock_and_reset!(self, prefetch, store, check);
        clock!(self, clock, arrived, reported, qpns);

        AnnouncementSink::link(&mut self.ahead, &mut self.check.ahead);
        DoorbellSink::link(&mut self.doorbell, &mut self.check.doorbell);
        ConsumedSink::<QB>::link(&mut self.consumer, &mut self.check.consumer);
        RowModifySink::<QB>::link(&mut self.modify, &mut self.check.modify);
        self.check.accepted_ready.next = self.prefetch.doorbell.ready.val();
        QpOfferSource::<QB>::link(&mut self.refused, &mut self.check.refused);
        ReportSource::link(&mut self.retire_refused, &mut self.check.retire);
        inputs!(self.prefetch.doorbell, valid: check.accepted_valid, index: doorbell.index);
        self.prefetch.doorbell.producer.next = self.doorbell.producer.val();
        ConsumedSink::<QB>::link(&mut self.consumer, &mut self.prefetch.consumer);
        RowModifySink::<QB>::link(&mut self.modify, &mut self.prefetch.modify);

        AnnouncedSource::<QB>::link(&mut self.announced, &mut self.prefetch.announced);
        self.announced_rung.next = self.prefetch.announced_rung.val();

        // Reads.
        self.read.request.next = self.prefetch.read_request.val();
        self.prefetch.read_ready.next = self.read.ready.val();
        self.read.address.next = self.prefetch.read_address.val();
        self.read.beats.next =
            (bit_cast::<8, 4>(self.prefetch.read_count.val()) << self.beat_shift.val()) - 1;
        wires!(self.store, self.prefetch, issue_ready, landed_valid, landed_index, landed_epoch);
        self.store.issue_valid.next = self.prefetch.read_request.val() && self.read.ready.val();
        wires!(self.prefetch, self.store, issue_index, issue_end, issue_epoch);
        self.store.issue_count.next = self.prefetch.read_count.val();
        self.store.data_valid.next = self.read.valid.val();
        inputs!(self.store, data: data.item, data_last: data.last, data_error: data.error);

        inputs!(self.store, read_index, read_slot, read_hold);
        self.wqe.next = self.store.wqe.val();
        if self.store.wqe_failed.val() {
            self.wqe.next = (self.store.wqe.val() & !self.flags.val()) | self.garbage.val();
        }

        // Arrivals.
        self.lands.next = self.store.landed_valid.val() && !self.prefetch.landed_stale.val();
        self.arrived.write_enable.next =
            self.lands.val() || (self.prefetch.apply_valid.val() && self.prefetch.apply_empties.val());
        inputs!(self.arrived, write_address: store.landed_index, write_data: store.landed_end);
        if self.prefetch.apply_valid.val() {
            self.arrived.write_address.next = self.prefetch.apply_index.val();
            self.arrived.write_data.next = bits::<16>(0);
        }
        self.arrived.read_address_a.next = self.first_index.val();
        self.first_arrived.next = self.arrived.read_data_a.val();
        self.arrived.read_address_b.next = self.second_index.val();
        self.second_arrived.next = self.arrived.read_data_b.val();
        inputs!(self.qpns, write_enable: prefetch.apply_valid, write_address: prefetch.apply_index);
        inputs!(self.qpns, write_data: prefetch.apply_qpn, read_address: store.landed_index);
        inputs!(self.reported, read_address_a: store.landed_index, read_address_b: store.landed_index);
        self.fails_now.next =
            self.lands.val() && self.store.landed_failed.val() && !self.reported.read_data_a.val().any();
        self.reported.write_enable.next =
            self.fails_now.val() || (self.prefetch.apply_valid.val() && self.prefetch.apply_empties.val());
        self.reported.write_address.next = self.store.landed_index.val();
        self.reported.write_data.next = bits::<1>(1);
        if self.prefetch.apply_valid.val() {
            self.reported.write_address.next = self.prefetch.apply_index.val();
            self.reported.write_data.next = bits::<1>(0);
        }
        self.failed_before_end.next =
            self.store.landed_end.val().get_bits::<SB>(0) - self.store.landed_failed_slot.val();
        self.fails.d.next = self.fails_now.val();
        self.failed_index.d.next =
            self.store.landed_end.val() - bit_cast::<16, SB>(self.failed_before_end.val());
        inputs!(self.retire_fault, valid: fails.q, record: kind_fault);
        self.retire_fault.record.next.qpn = self.qpns.read_data.val();
        self.retire_fault.record.next.index = bit_cast::<32, 16>(self.failed_index.q.val());
        self.counts.d.next = self.lands.val();
        self.index.d.next = self.store.landed_index.val();
        self.producer.d.next = self.store.landed_end.val();
        inputs!(self.landed, valid: store.landed_valid, index: store.landed_index);
        self.arrived_valid.next = self.counts.q.val();
        self.arrived_index.next = self.index.q.val();
        self.arrived_producer.next = self.producer.q.val();
        inputs!(self.retire, valid: counts.q, record: kind_doorbell);
        self.retire.record.next.qpn = self.qpns.read_data.val();
        self.retire.record.next.index = bit_cast::<32, 16>(self.producer.q.val());
        if self.reset.val() {
            clear!(self, counts, fails);
        }
    }
}
