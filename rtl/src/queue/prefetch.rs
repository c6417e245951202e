//! Selects which work queue entries are read next.
use super::{ReadPlan, Turns};
use crate::bundle::{AnnouncedSource, ConsumedSink, DoorbellSink, RowModifySink};
use crate::context::{QpConfig, QpStates};
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum PrefetchState {
    /// A queue is chosen; its counters are read.
    Choose,
    Plan,
    Request,
}

/// Reads each ring from its last fetched entry to its producer, as far as the 2^`SB` slots behind its consumer reach: 1
/// to 8 entries a read, within [`crate::memory::BURST_BYTES`] and the ring.
///
/// If slots are the limit, it waits until eight of them are free, so that a consumer that takes single entries does not
/// make it read single entries. The first read for a doorbell is requested two clocks after it. Counters are modulo
/// 2^16. `QB`: QP index bits; `NQ` = 2^`QB`; `RQ`: 1 for receive queues, 0 for send queues.
#[derive(LogicBlock, SmartDefault)]
pub struct Prefetch<const QB: usize, const NQ: usize, const SB: usize, const RQ: usize> {
    #[default(provided(SB >= 4, "a read of 8 entries has to fit while 8 are in use"))]
    pub clock: Signal<In, Clock>,
    #[default(provided(
        crate::memory::BURST_BYTES == 16 * hca_host::wqe::BYTES,
        "a burst's entries are counted by 4 bits of the address"
    ))]
    pub reset: Signal<In, Bit>,

    /// Accepted doorbells of these queues.
    pub doorbell: DoorbellSink,
    /// Pulses when WQEs of a QP are consumed.
    pub consumer: ConsumedSink<QB>,
    /// Pulses for each `MODIFY_QP`, which takes effect within a few clocks. No doorbell is taken in these clocks.
    pub modify: RowModifySink<QB>,

    /// High while a read of entries is requested.
    pub read_request: Signal<Out, Bit>,
    /// High in a cycle in which that read is taken.
    pub read_ready: Signal<In, Bit>,
    /// Host address of the first entry to read.
    pub read_address: Signal<Out, Bits<64>>,
    /// Number of entries, 1 to 8.
    pub read_count: Signal<Out, Bits<4>>,
    /// High if one more read can be noted; each read takes up one place.
    pub issue_ready: Signal<In, Bit>,
    /// QP of the read that is requested, valid with `read_request` and `read_ready`.
    pub issue_index: Signal<Out, Bits<QB>>,
    /// Index after the last entry of the read, modulo 2^16.
    pub issue_end: Signal<Out, Bits<16>>,
    /// Epoch of the queue, which `landed_epoch` returns.
    pub issue_epoch: Signal<Out, Bits<4>>,

    /// High for one cycle when a read is answered.
    pub landed_valid: Signal<In, Bit>,
    /// QP of that read.
    pub landed_index: Signal<In, Bits<QB>>,
    /// Epoch that the read was issued with.
    pub landed_epoch: Signal<In, Bits<4>>,
    /// Pulses when the number of announced WQEs of a QP changes.
    pub announced: AnnouncedSource<QB>,
    /// With `announced`: high for a doorbell, low if the queue was emptied.
    pub announced_rung: Signal<Out, Bit>,
    /// High if the read that landed was requested before the queue was emptied.
    pub landed_stale: Signal<Out, Bit>,
    /// High for one cycle, never with `landed_valid`, when a `MODIFY_QP` takes effect.
    pub apply_valid: Signal<Out, Bit>,
    /// With `apply_valid`: high if it empties the queue.
    pub apply_empties: Signal<Out, Bit>,
    /// With `apply_valid`: index of its QP.
    pub apply_index: Signal<Out, Bits<QB>>,
    /// With `apply_valid`: QPN of its QP.
    pub apply_qpn: Signal<Out, Bits<24>>,

    // By queue pair.
    producers: LutRam<Bits<16>, QB>,
    fetched: LutRam<Bits<16>, QB>,
    consumers: LutRam<Bits<16>, QB>,
    /// Base in units of entries, modulo 16, 4 | not in Reset 1 | the ring's entries less one 16.
    rings: LutRam<Bits<21>, QB>,
    bases: BlockRam<Bits<64>, QB>,
    /// Counts how often each queue was emptied: far fewer than 16 times while a read is under way.
    epochs: LutRam<Bits<4>, QB>,

    pending: Register<Bit>,
    pending_index: Register<Bits<QB>>,
    pending_row: Register<QpConfig>,
    pending_empties: Signal<Local, Bit>,
    pending_log_size: Signal<Local, Bits<4>>,
    pending_mask: Signal<Local, Bits<16>>,
    pending_base: Signal<Local, Bits<64>>,
    apply: Signal<Local, Bit>,
    /// High if the queue that has the turn has been emptied: a read that is already requested is discarded.
    drops: Signal<Local, Bit>,
    dropped: Register<Bit>,

    turns: Turns<QB, NQ>,
    index_in_range: Signal<Local, Bit>,
    rings_index: Signal<Local, Bits<QB>>,
    taken: Signal<Local, Bit>,
    /// High one clock after the consumer of a queue has moved while entries wait for slots.
    refills: Register<Bit>,
    refill_index: Register<Bits<QB>>,
    chosen_producer: Signal<Local, Bits<16>>,
    chosen_consumer: Signal<Local, Bits<16>>,
    chosen_mask: Signal<Local, Bits<16>>,
    state: Register<PrefetchState>,
    index: Register<Bits<QB>>,
    epoch: Register<Bits<4>>,
    position: Register<Bits<16>>,
    ring_mask: Register<Bits<16>>,
    base_entry: Register<Bits<4>>,
    end: Register<Bits<16>>,
    posted: Register<Bits<16>>,
    room: Register<Bits<16>>,
    // These belong to the next read; the carry into the high part is added when it is requested.
    low_address: Register<Bits<27>>,
    high_base: Register<Bits<38>>,
    count: Register<Bits<4>>,
    plan: ReadPlan,
    issues: Signal<Local, Bit>,

    #[default(Constant::new(RQ != 0))]
    receive: Constant<Bit>,
    #[default(constant(QB))]
    qp_bits: Constant<Bits<5>>,
    #[default(constant(1usize << SB))]
    slots: Constant<Bits<16>>,
    states: QpStates,
}

#[kernel]
impl<const QB: usize, const NQ: usize, const SB: usize, const RQ: usize> Logic for Prefetch<QB, NQ, SB, RQ> {
    fn update(&mut self) {
        clock!(self, clock, producers, fetched, consumers, rings, bases, epochs, turns);
        self.turns.reset.next = self.reset.val();
        // A MODIFY_QP waits for a clock in which the tables are free.
        if self.modify.valid.val() {
            self.pending.d.next = true;
            self.pending_index.d.next = self.modify.index.val();
            self.pending_row.d.next = self.modify.row.val();
        }
        self.pending_empties.next =
            self.pending.q.val() && (self.pending_row.q.val().state == self.states.reset.val());
        self.issues.next =
            (self.state.q.val() == PrefetchState::Request) && self.issue_ready.val() && self.read_ready.val();
        self.apply.next = self.pending.q.val()
            && !self.issues.val()
            && !self.consumer.valid.val()
            && !self.landed_valid.val();
        self.drops.next = self.apply.val()
            && self.pending_empties.val()
            && (self.index.q.val() == self.pending_index.q.val());
        if self.apply.val() {
            self.pending.d.next = false;
        }
        self.apply_valid.next = self.apply.val();
        self.apply_empties.next = self.pending_empties.val();
        self.apply_index.next = self.pending_index.q.val();
        self.apply_qpn.next = self.pending_row.q.val().qpn;
        inputs!(self.rings, write_enable: apply, write_address: pending_index.q);
        inputs!(self.bases, write_enable: apply, write_address: pending_index.q);
        if self.receive.val() {
            self.pending_base.next = self.pending_row.q.val().rq_base;
            self.pending_log_size.next = self.pending_row.q.val().rq_log_size;
        } else {
            self.pending_base.next = self.pending_row.q.val().sq_base;
            self.pending_log_size.next = self.pending_row.q.val().sq_log_size;
        }
        self.bases.write_data.next = self.pending_base.val();
        self.pending_mask.next = (bits::<16>(1) << self.pending_log_size.val()) - 1;
        self.rings.write_data.next = (bit_cast::<21, 4>(self.pending_base.val().get_bits::<4>(6)) << 17)
            | (bit_cast::<21, 1>((!self.pending_empties.val()).into()) << 16)
            | bit_cast::<21, 16>(self.pending_mask.val());

        // Doorbells.
        self.index_in_range.next = !(self.doorbell.index.val() >> self.qp_bits.val()).any();
        self.rings_index.next = self.doorbell.index.val().get_bits::<QB>(0);
        self.doorbell.ready.next = !self.pending.q.val() && self.turns.doorbell.ready.val();
        self.taken.next = self.doorbell.valid.val()
            && !self.pending.q.val()
            && self.turns.doorbell.ready.val()
            && self.index_in_range.val()
            && self.rings.read_data_b.val().get_bit(16);
        self.rings.read_address_b.next = self.rings_index.val();
        self.producers.write_enable.next =
            self.taken.val() || (self.apply.val() && self.pending_empties.val());
        inputs!(self.producers, write_address: rings_index, write_data: doorbell.producer);
        self.announced.valid.next = self.taken.val() || (self.apply.val() && self.pending_empties.val());
        self.announced_rung.next = self.taken.val();
        inputs!(self.announced, index: rings_index, producer: doorbell.producer);

        // Consumers: a queue whose entries wait for slots gets a turn.
        self.producers.read_address_b.next = self.consumer.index.val();
        self.fetched.read_address_b.next = self.consumer.index.val();
        self.consumers.write_enable.next =
            self.consumer.valid.val() || (self.apply.val() && self.pending_empties.val());
        inputs!(self.consumers, write_address: consumer.index, write_data: consumer.item);
        self.refills.d.next =
            self.consumer.valid.val() && (self.producers.read_data_b.val() != self.fetched.read_data_b.val());
        self.refill_index.d.next = self.consumer.index.val();
        inputs!(self.turns.refill, valid: refills.q, index: refill_index.q);
        inputs!(self.turns.doorbell, valid: taken, item: rings_index);

        // Take the queue that has the turn.
        self.turns.free.next = (self.state.q.val() == PrefetchState::Choose) && !self.pending.q.val();

        // Read its counters, including a consumer that changes in this clock.
        self.producers.read_address_a.next = self.turns.turn_index.val();
        self.fetched.read_address_a.next = self.turns.turn_index.val();
        inputs!(self.consumers, read_address_a: turns.turn_index, read_address_b: turns.turn_index);
        self.rings.read_address_a.next = self.turns.turn_index.val();
        self.chosen_producer.next = self.producers.read_data_a.val();
        // A doorbell that does not get its turn at once gets one later.
        if self.turns.turn_direct.val() {
            self.chosen_producer.next = self.doorbell.producer.val();
        }
        self.chosen_consumer.next = self.consumers.read_data_a.val();
        if self.consumer.valid.val() && (self.turns.turn_index.val() == self.consumer.index.val()) {
            self.chosen_consumer.next = self.consumer.item.val();
        }
        self.chosen_mask.next = self.rings.read_data_a.val().get_bits::<16>(0);
        self.bases.read_address.next = self.index.q.val();

        inputs!(self.plan, base: bases.read_data, base_entry: base_entry.q, ring_mask: ring_mask.q);
        inputs!(self.plan, position: position.q, posted: posted.q, room: room.q);
        self.read_request.next = false;
        match self.state.q.val() {
            PrefetchState::Choose => {
                self.bases.read_address.next = self.turns.turn_index.val();
                self.index.d.next = self.turns.turn_index.val();
                self.dropped.d.next = false;
                self.epoch.d.next = self.epochs.read_data_b.val();
                self.end.d.next = self.fetched.read_data_a.val();
                self.posted.d.next = self.chosen_producer.val() - self.fetched.read_data_a.val();
                self.room.d.next =
                    (self.chosen_consumer.val() + self.slots.val()) - self.fetched.read_data_a.val();
                self.ring_mask.d.next = self.chosen_mask.val();
                self.base_entry.d.next = self.rings.read_data_a.val().get_bits::<4>(17);
                self.position.d.next = self.fetched.read_data_a.val() & self.chosen_mask.val();
                if self.turns.turn_valid.val() {
                    self.state.d.next = PrefetchState::Plan;
                }
            }
            PrefetchState::Plan => {
                self.low_address.d.next = self.plan.low_address.val();
                self.high_base.d.next = self.bases.read_data.val().get_bits::<38>(26);
                self.count.d.next = self.plan.count.val();
                self.state.d.next = PrefetchState::Choose;
                if self.plan.due.val() {
                    self.state.d.next = PrefetchState::Request;
                }
                if self.drops.val() {
                    self.state.d.next = PrefetchState::Choose;
                }
            }
            PrefetchState::Request => {
                self.read_request.next = self.issue_ready.val();
                if self.drops.val() {
                    self.dropped.d.next = true;
                }
                if self.issues.val() {
                    self.posted.d.next = self.posted.q.val() - bit_cast::<16, 4>(self.count.q.val());
                    self.room.d.next = self.room.q.val() - bit_cast::<16, 4>(self.count.q.val());
                    self.end.d.next = self.end.q.val() + bit_cast::<16, 4>(self.count.q.val());
                    self.position.d.next = (self.position.q.val() + bit_cast::<16, 4>(self.count.q.val()))
                        & self.ring_mask.q.val();
                    self.state.d.next = PrefetchState::Plan;
                    if self.dropped.q.val() {
                        self.state.d.next = PrefetchState::Choose;
                    }
                }
            }
        }
        self.read_address.next = (bit_cast::<64, 38>(
            self.high_base.q.val() + bit_cast::<38, 1>(self.low_address.q.val().get_bits::<1>(26)),
        ) << 26)
            | bit_cast::<64, 26>(self.low_address.q.val().get_bits::<26>(0));
        self.read_count.next = self.count.q.val();
        self.issue_index.next = self.index.q.val();
        self.issue_end.next = self.end.q.val() + bit_cast::<16, 4>(self.count.q.val());
        self.issue_epoch.next = self.epoch.q.val();
        self.fetched.write_enable.next =
            (self.issues.val() && !self.dropped.q.val()) || (self.apply.val() && self.pending_empties.val());
        self.fetched.write_address.next = self.index.q.val();
        self.fetched.write_data.next = self.end.q.val() + bit_cast::<16, 4>(self.count.q.val());

        // An emptied queue starts anew: entries that still arrive for it are not counted.
        inputs!(self.epochs, read_address_a: landed_index, read_address_b: turns.turn_index);
        self.landed_stale.next = (self.landed_epoch.val() != self.epochs.read_data_a.val())
            || (self.pending_empties.val() && (self.landed_index.val() == self.pending_index.q.val()))
            || (self.modify.valid.val()
                && (self.modify.row.val().state == self.states.reset.val())
                && (self.landed_index.val() == self.modify.index.val()));
        self.epochs.write_enable.next = self.apply.val() && self.pending_empties.val();
        self.epochs.write_address.next = self.pending_index.q.val();
        self.epochs.write_data.next = self.epochs.read_data_b.val() + 1;
        if self.apply.val() {
            self.epochs.read_address_b.next = self.pending_index.q.val();
            self.producers.write_address.next = self.pending_index.q.val();
            self.producers.write_data.next = bits::<16>(0);
            self.announced.index.next = self.pending_index.q.val();
            self.announced.producer.next = bits::<16>(0);
            self.consumers.write_address.next = self.pending_index.q.val();
            self.consumers.write_data.next = bits::<16>(0);
            self.fetched.write_address.next = self.pending_index.q.val();
            self.fetched.write_data.next = bits::<16>(0);
        }

        if self.reset.val() {
            self.state.d.next = PrefetchState::Choose;
            clear!(self, pending, refills);
        }
    }
}
