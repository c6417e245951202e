//! Finds queue pairs in Error with receive WQEs to flush.
use crate::context::QpStates;
use hca_hdl::prelude::*;

/// In Error every receive WQE ends, in order (`protocol/qp_cq.md` section 1). The scan looks at one QP a cycle until a
/// whole round finds nothing, and goes on when a QP in Error changes or WQEs arrive, so that later ones are found too.
/// A turn is offered until it is taken; the taker checks that it still applies.
#[derive(LogicBlock, Default)]
pub struct FlushScan<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle with the new context of a QP.
    pub change_valid: Signal<In, Bit>,
    /// QP whose context changes.
    pub change_index: Signal<In, Bits<QB>>,
    /// State of the QP. It is flushed in Error, once `change_reported`.
    pub change_state: Signal<In, Bits<3>>,
    /// High if Error was reported.
    pub change_reported: Signal<In, Bit>,
    /// High if a Send is open, or has given its receive WQE back.
    pub change_open: Signal<In, Bit>,
    /// Index of the next receive WQE to take, modulo 2^16.
    pub change_consumer: Signal<In, Bits<16>>,

    /// QP that `flush_arrived` belongs to.
    pub flush_index: Signal<Out, Bits<QB>>,
    /// Number of receive WQEs of QP `flush_index` that have arrived in the cache, modulo 2^16.
    pub flush_arrived: Signal<In, Bits<16>>,
    /// High for one cycle when receive WQEs of some QP arrive; they count in the next cycle at the latest.
    pub arrives: Signal<In, Bit>,

    /// High while a QP with a receive WQE to flush is offered.
    pub turn_valid: Signal<Out, Bit>,
    /// High in a cycle in which the turn is taken.
    pub turn_ready: Signal<In, Bit>,
    /// QP with a receive WQE to flush.
    pub turn_index: Signal<Out, Bits<QB>>,

    /// Consumer 16 | open 1 | flushes 1.
    rows: LutRam<Bits<18>, QB>,
    scanned: Register<Bits<QB>>,
    /// High if the last whole round found nothing: `scanned` stands at 0.
    asleep: Register<Bit>,
    /// High if this round found something, or may have missed it.
    worked: Register<Bit>,
    found: Register<Bit>,
    turn: Register<Bits<QB>>,
    /// Number of cycles until a taken turn has changed the row.
    rest: Register<Bits<2>>,
    work: Signal<Local, Bit>,
    flushes: Signal<Local, Bit>,
    states: QpStates,
}

#[kernel]
impl<const QB: usize> Logic for FlushScan<QB> {
    fn update(&mut self) {
        clock!(self, clock, rows);
        self.flushes.next =
            (self.change_state.val() == self.states.error.val()) && self.change_reported.val();
        inputs!(self.rows, write_enable: change_valid, write_address: change_index);
        self.rows.write_data.next = (bit_cast::<18, 16>(self.change_consumer.val()) << 2)
            | (bit_cast::<18, 1>(self.change_open.val().into()) << 1)
            | bit_cast::<18, 1>(self.flushes.val().into());
        inputs!(self.rows, read_address_a: scanned.q, read_address_b: scanned.q);
        self.flush_index.next = self.scanned.q.val();
        self.work.next = self.rows.read_data_a.val().get_bit(0)
            && (self.rows.read_data_a.val().get_bit(1)
                || (self.rows.read_data_a.val().get_bits::<16>(2) != self.flush_arrived.val()));
        self.turn_valid.next = self.found.q.val();
        self.turn_index.next = self.turn.q.val();
        if self.turn_ready.val() {
            self.found.d.next = false;
            self.rest.d.next = bits::<2>(3);
        }
        if self.rest.q.val().any() {
            self.rest.d.next = self.rest.q.val() - 1;
        } else if !self.found.q.val() && !self.asleep.q.val() {
            // Stays with a QP until its queue is empty.
            self.found.d.next = self.work.val();
            self.turn.d.next = self.scanned.q.val();
            if self.work.val() {
                self.worked.d.next = true;
            } else {
                self.scanned.d.next = self.scanned.q.val() + 1;
                if self.scanned.q.val().all() {
                    self.asleep.d.next = !self.worked.q.val();
                    self.worked.d.next = false;
                }
            }
        }
        // A round that has passed this QP is not the last.
        if (self.change_valid.val() && self.flushes.val()) || self.arrives.val() {
            self.asleep.d.next = false;
            self.worked.d.next = true;
        }
        if self.reset.val() {
            self.worked.d.next = true;
            clear!(self, asleep, found, rest);
        }
    }
}
