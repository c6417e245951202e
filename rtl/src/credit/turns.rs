//! Whose credits are to be looked at.
use crate::bundle::{QpOfferSource, QpPulseSink};
use crate::queue::Turns;
use hca_hdl::primitive::{clock, comment, dff_setup, LutRam, Register};
use rust_hdl_core::prelude::*;

/// QPs that supply credits and had a doorbell, and those that have come to RTR: a turn for each, which stands until it is
/// taken.
///
/// `QB`: QP index bits; `NQ` = 2^`QB`.
#[derive(LogicBlock, Default)]
pub struct CreditTurns<const QB: usize, const NQ: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Pulse: `MODIFY_QP` says whether this QP supplies credits.
    pub modify_valid: Signal<In, Bit>,
    pub modify_index: Signal<In, Bits<QB>>,
    pub modify_supplied: Signal<In, Bit>,
    /// Pulse: acks of this QP go out with its attributes from now on. Far fewer than turns.
    pub connected: QpPulseSink<QB>,
    /// Pulse: a receive doorbell of this QP.
    pub rung_valid: Signal<In, Bit>,
    pub rung_index: Signal<In, Bits<QB>>,
    pub turn: QpOfferSource<QB>,

    supplied: LutRam<1, QB>,
    /// The doorbell a clock ago: it comes late in its clock.
    rung: Register<Bit>,
    rung_at: Register<Bits<QB>>,
    turns: Turns<QB, NQ>,
    stands: Register<Bit>,
    index: Register<Bits<QB>>,
}

impl<const QB: usize, const NQ: usize> Logic for CreditTurns<QB, NQ> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module credit_turns");
        dff_setup!(self, clock, rung, rung_at, stands, index);
        clock!(self, clock, supplied, turns);
        self.rung.d.next = self.rung_valid.val();
        self.rung_at.d.next = self.rung_index.val();
        self.supplied.write_enable.next = self.modify_valid.val();
        self.supplied.write_address.next = self.modify_index.val();
        self.supplied.write_data.next = bit_cast::<1, 1>(self.modify_supplied.val().into());
        self.supplied.read_address_a.next = self.rung_at.q.val();
        self.supplied.read_address_b.next = self.connected.index.val();

        self.turns.reset.next = self.reset.val();
        self.turns.doorbell.valid.next = self.connected.valid.val() && self.supplied.read_data_b.val().any();
        self.turns.doorbell.index.next = self.connected.index.val();
        self.turns.refill.valid.next = self.rung.q.val() && self.supplied.read_data_a.val().any();
        self.turns.refill.index.next = self.rung_at.q.val();
        self.turns.free.next = !self.stands.q.val();
        if !self.stands.q.val() {
            self.stands.d.next = self.turns.turn_valid.val();
            self.index.d.next = self.turns.turn_index.val();
        } else if self.turn.ready.val() {
            self.stands.d.next = false;
        }
        self.turn.valid.next = self.stands.q.val();
        self.turn.index.next = self.index.q.val();
        if self.reset.val() {
            self.rung.d.next = false;
            self.stands.d.next = false;
        }
    }
}
