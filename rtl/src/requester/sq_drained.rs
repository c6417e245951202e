//! Reports send queues that are drained.
use crate::bundle::{ConsumedSink, QpOfferSource, RowStateSink};
use crate::context::{QpConfig, QpStates};
use hca_hdl::prelude::*;

/// Reports a QP in SQD once, if software wants it, when every message that has started is complete (CF239).
///
/// QPs are looked at in turn, one a clock, while a report of any is wanted. `QB`: QP index bits.
#[derive(LogicBlock, Default)]
pub struct SqDrained<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when MODIFY_QP takes effect.
    pub modify_valid: Signal<In, Bit>,
    /// QP that is modified.
    pub modify_index: Signal<In, Bits<QB>>,
    /// `MODIFY_QP` arguments 0 to 13.
    pub modify_row: Signal<In, QpConfig>,
    /// With `modify_valid`: high if software wants an event when the send queue is drained.
    pub modify_wants: Signal<In, Bit>,
    /// High for one cycle with the state of a QP and the number of send WQEs that it has started, modulo 2^16.
    pub row: RowStateSink<QB>,
    /// High for one cycle when WQEs of a QP are consumed.
    pub consumer: ConsumedSink<QB>,

    /// Offers a QP whose send queue is drained.
    pub drained: QpOfferSource<QB>,

    /// High (bit 16) in SQD | number of WQEs started, bits 15:0.
    rows: LutRam<Bits<17>, QB>,
    consumers: LutRam<Bits<16>, QB>,
    wants: LutRam<Bits<1>, QB>,
    /// The QP that is looked at.
    turn: Register<Bits<QB>>,
    /// High if the last whole round met no QP whose report is wanted: `turn` stays at 0.
    asleep: Register<Bit>,
    /// High if this round met one, or has possibly missed one.
    wanted: Register<Bit>,
    clears: Register<Bit>,
    clear_index: Register<Bits<QB>>,

    looks: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    states: QpStates,
}

#[kernel]
impl<const QB: usize> Logic for SqDrained<QB> {
    fn update(&mut self) {
        clock!(self, clock, rows, consumers, wants);

        inputs!(self.rows, write_enable: row.write, write_address: row.index);
        self.rows.write_data.next =
            (bit_cast::<17, 1>((self.row.state.val() == self.states.sqd.val()).into()) << 16)
                | bit_cast::<17, 16>(self.row.started.val());
        inputs!(self.rows, read_address_a: turn.q, read_address_b: turn.q);
        // A reset waits for a clock without completion.
        self.consumers.write_enable.next = self.consumer.valid.val() || self.clears.q.val();
        self.consumers.write_address.next = self.clear_index.q.val();
        self.consumers.write_data.next = bits::<16>(0);
        if self.consumer.valid.val() {
            inputs!(self.consumers, write_address: consumer.index, write_data: consumer.item);
        } else {
            self.clears.d.next = false;
        }
        inputs!(self.consumers, read_address_a: turn.q, read_address_b: turn.q);

        inputs!(self.wants, read_address_a: turn.q, read_address_b: turn.q);
        if !self.asleep.q.val() {
            self.turn.d.next = self.turn.q.val() + 1;
            self.wanted.d.next = self.wanted.q.val() || self.wants.read_data_a.val().any();
            if self.turn.q.val().all() {
                self.asleep.d.next = !self.wanted.q.val() && !self.wants.read_data_a.val().any();
                self.wanted.d.next = false;
            }
        }
        self.looks.next = self.wants.read_data_a.val().any() && !self.modify_valid.val();
        self.stays.next = self.rows.read_data_a.val().get_bit(16);
        self.over.next = self.rows.read_data_a.val().get_bits::<16>(0) == self.consumers.read_data_a.val();
        self.drained.valid.next = self.looks.val() && self.stays.val() && self.over.val();
        self.drained.item.next = self.turn.q.val();
        self.wants.write_enable.next =
            self.looks.val() && (!self.stays.val() || (self.over.val() && self.drained.ready.val()));
        self.wants.write_address.next = self.turn.q.val();
        self.wants.write_data.next = bits::<1>(0);
        if self.modify_valid.val() && self.modify_wants.val() {
            self.wants.write_enable.next = true;
            self.wants.write_address.next = self.modify_index.val();
            self.wants.write_data.next = bits::<1>(1);
            // This wakes the scan, and a round that has passed this QP is not the last.
            self.asleep.d.next = false;
            self.wanted.d.next = true;
        }

        if self.modify_valid.val() && (self.modify_row.val().state == self.states.reset.val()) {
            self.clears.d.next = true;
            self.clear_index.d.next = self.modify_index.val();
        }
        if self.reset.val() {
            self.wanted.d.next = true;
            clear!(self, asleep, clears);
        }
    }
}
