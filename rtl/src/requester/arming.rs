//! Starts the ack timer of a QP.
use crate::bundle::{QpOfferSink, TimerSetSource};
use hca_hdl::prelude::*;

/// Sets the timer of a QP when an event requires it, and starts the ack timer when a packet leaves for the first time
/// and no timer runs (`protocol/aeth.md` section 6).
///
/// `QB`: QP index bits.
#[derive(LogicBlock, SmartDefault)]
pub struct AckArming<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// QP whose event ends.
    pub index: Signal<In, Bits<QB>>,
    /// High for one cycle when the event sets or stops the timer of the QP.
    pub sets: Signal<In, Bit>,
    /// With `sets`: `STOP`, `ACK` or `RNR` ([`super::timers`]).
    pub kind: Signal<In, Bits<2>>,
    /// With `sets`: code of the delay, in the table of its kind.
    pub code: Signal<In, Bits<5>>,
    /// With `sets`: high if packets that leave start no timer.
    pub arms: Signal<In, Bit>,
    /// High for one cycle when `MODIFY_QP` sets the ack timeout of QP `index` to code `timeout`.
    pub modifies: Signal<In, Bit>,
    /// Code of `protocol/ack_timeout.csv`.
    pub timeout: Signal<In, Bits<5>>,

    /// Offers a QP whose packet has left for the first time; at most every second clock.
    pub left: QpOfferSink<QB>,

    /// Sets or stops a timer.
    pub set: TimerSetSource<QB>,

    /// High if a packet has left for the first time and its timer waits for a cycle without an event.
    waits: Register<Bit>,
    /// QP of that packet.
    waiting_index: Register<Bits<QB>>,
    armed: LutRam<Bits<1>, QB>,
    timeouts: LutRam<Bits<5>, QB>,
    #[default(constant(super::timers::ACK))]
    timer_ack: Constant<Bits<2>>,
}

#[kernel]
impl<const QB: usize> Logic for AckArming<QB> {
    fn update(&mut self) {
        clock!(self, clock, armed, timeouts);
        inputs!(self.armed, read_address_a: waiting_index.q, read_address_b: waiting_index.q);
        inputs!(self.armed, write_enable: sets, write_address: index);
        self.armed.write_data.next = bit_cast::<1, 1>(self.arms.val().into());
        inputs!(self.timeouts, read_address_a: waiting_index.q, read_address_b: waiting_index.q);
        inputs!(self.timeouts, write_enable: modifies, write_address: index, write_data: timeout);

        self.left.ready.next = !self.waits.q.val();
        if !self.waits.q.val() {
            self.waits.d.next = self.left.valid.val();
            self.waiting_index.d.next = self.left.item.val();
        } else {
            self.waits.d.next = self.sets.val();
        }
        self.set.valid.next = true;
        inputs!(self.set, index, kind, code);
        if !self.sets.val() {
            inputs!(self.set, index: waiting_index.q, kind: timer_ack, code: timeouts.read_data_a);
            // Until an event arms it, every such packet starts it again.
            self.set.valid.next = self.waits.q.val() && !self.armed.read_data_a.val().any();
        }
        if self.reset.val() {
            self.waits.d.next = false;
        }
    }
}
