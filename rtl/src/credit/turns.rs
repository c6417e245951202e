//! Chooses the QP whose credits are looked at.
use crate::bundle::{QpOfferSource, QpPulseSink};
use crate::queue::Turns;
use hca_hdl::prelude::*;

/// Gives a turn to each QP that supplies credits and had a doorbell or came to RTR; a turn stands until it is taken.
///
/// `QB`: QP index bits; `NQ` = 2^`QB`.
#[derive(LogicBlock, Default)]
pub struct CreditTurns<const QB: usize, const NQ: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when `MODIFY_QP` says whether a QP supplies credits.
    pub modify_valid: Signal<In, Bit>,
    /// Index of that QP.
    pub modify_index: Signal<In, Bits<QB>>,
    /// With `modify_valid`: high if the QP supplies credits.
    pub modify_supplied: Signal<In, Bit>,
    /// High for one cycle when acks of a QP carry its attributes from now on. Far rarer than turns.
    pub connected: QpPulseSink<QB>,
    /// Names a QP when its receive doorbell is rung.
    pub rung: QpPulseSink<QB>,
    /// Offers a QP whose credits are to be looked at.
    pub turn: QpOfferSource<QB>,

    supplied: LutRam<Bits<1>, QB>,
    /// The doorbell of the last clock. Registered for timing: its input settles late in the clock.
    rang: Register<Bit>,
    rang_at: Register<Bits<QB>>,
    turns: Turns<QB, NQ>,
    stands: Register<Bit>,
    index: Register<Bits<QB>>,
}

#[kernel]
impl<const QB: usize, const NQ: usize> Logic for CreditTurns<QB, NQ> {
    fn update(&mut self) {
        clock!(self, clock, supplied, turns);
        self.rang.d.next = self.rung.valid.val();
        self.rang_at.d.next = self.rung.index.val();
        inputs!(self.supplied, write_enable: modify_valid, write_address: modify_index);
        self.supplied.write_data.next = bit_cast::<1, 1>(self.modify_supplied.val().into());
        inputs!(self.supplied, read_address_a: rang_at.q, read_address_b: connected.index);

        self.turns.reset.next = self.reset.val();
        self.turns.doorbell.valid.next = self.connected.valid.val() && self.supplied.read_data_b.val().any();
        self.turns.doorbell.item.next = self.connected.index.val();
        self.turns.refill.valid.next = self.rang.q.val() && self.supplied.read_data_a.val().any();
        self.turns.refill.index.next = self.rang_at.q.val();
        self.turns.free.next = !self.stands.q.val();
        if !self.stands.q.val() {
            self.stands.d.next = self.turns.turn_valid.val();
            self.index.d.next = self.turns.turn_index.val();
        } else if self.turn.ready.val() {
            self.stands.d.next = false;
        }
        inputs!(self.turn, valid: stands.q, item: index.q);
        if self.reset.val() {
            clear!(self, rang, stands);
        }
    }
}
