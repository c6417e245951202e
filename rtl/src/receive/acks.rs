//! Acks and NAKs that wait for the transmitter, one a QP.
use crate::primitive::{comment, dff_setup, Fifo, LutRam, Register};
use rust_hdl_core::prelude::*;

/// An ack or NAK, complete with its address.
#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
pub struct AckRecord {
    pub dlid: Bits<16>,
    pub slid: Bits<16>,
    pub sl: Bits<4>,
    pub p_key: Bits<16>,
    pub dest_qp: Bits<24>,
    /// Of this side, for the retire port.
    pub qpn: Bits<24>,
    pub psn: Bits<24>,
    pub syndrome: Bits<8>,
    pub msn: Bits<24>,
}

/// Keeps the latest ack of each QP until it can leave, so that the receive side never waits for the link: an ack that
/// was not sent yet is covered by the next one (`protocol/responder.md` section 8, coalescing). A NAK covers the ack
/// before it (section 7); an ack behind a NAK waits for it.
///
/// `QB`: QP index bits; `NQ` = 2^`QB`; `QF` = `QB` + 1.
#[derive(LogicBlock)]
pub struct AckSchedule<const QB: usize, const NQ: usize, const QF: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Always taken.
    pub ack_valid: Signal<In, Bit>,
    pub ack_index: Signal<In, Bits<QB>>,
    pub ack: Signal<In, AckRecord>,
    /// It is a NAK.
    pub ack_negative: Signal<In, Bit>,

    pub next_valid: Signal<Out, Bit>,
    pub next_ready: Signal<In, Bit>,
    /// [`AckRecord`], first field at the least significant end.
    pub next_ack: Signal<Out, Bits<156>>,

    naks: LutRam<156, QB>,
    acks: LutRam<156, QB>,
    /// QPs with anything waiting, once each.
    order: Fifo<QB, QF>,
    nak_waits: Register<Bits<NQ>>,
    ack_waits: Register<Bits<NQ>>,

    row: Signal<Local, Bits<156>>,
    head: Signal<Local, Bits<QB>>,
    head_nak: Signal<Local, Bit>,
    head_ack: Signal<Local, Bit>,
    leaving: Signal<Local, Bit>,
    naks_left: Signal<Local, Bits<NQ>>,
    acks_left: Signal<Local, Bits<NQ>>,
    in_order: Signal<Local, Bit>,
}

impl<const QB: usize, const NQ: usize, const QF: usize> Default for AckSchedule<QB, NQ, QF> {
    fn default() -> Self {
        AckSchedule {
            clock: Default::default(),
            reset: Default::default(),
            ack_valid: Default::default(),
            ack_index: Default::default(),
            ack: Default::default(),
            ack_negative: Default::default(),
            next_valid: Default::default(),
            next_ready: Default::default(),
            next_ack: Default::default(),
            naks: Default::default(),
            acks: Default::default(),
            order: Default::default(),
            nak_waits: Default::default(),
            ack_waits: Default::default(),
            row: Default::default(),
            head: Default::default(),
            head_nak: Default::default(),
            head_ack: Default::default(),
            leaving: Default::default(),
            naks_left: Default::default(),
            acks_left: Default::default(),
            in_order: Default::default(),
        }
    }
}

impl<const QB: usize, const NQ: usize, const QF: usize> Logic for AckSchedule<QB, NQ, QF> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module ack_schedule");
        dff_setup!(self, clock, nak_waits, ack_waits);
        self.naks.clock.next = self.clock.val();
        self.acks.clock.next = self.clock.val();
        self.order.clock.next = self.clock.val();
        self.order.reset.next = self.reset.val();

        // The QP at the head sends its NAK first, then the ack behind it.
        self.head.next = self.order.read_data.val();
        self.head_nak.next = self.nak_waits.q.val().get_bit(self.head.val().index());
        self.head_ack.next = self.ack_waits.q.val().get_bit(self.head.val().index());
        self.naks.read_address_a.next = self.head.val();
        self.naks.read_address_b.next = self.head.val();
        self.acks.read_address_a.next = self.head.val();
        self.acks.read_address_b.next = self.head.val();
        self.next_valid.next = self.order.read_valid.val();
        self.next_ack.next = self.acks.read_data_a.val();
        if self.head_nak.val() {
            self.next_ack.next = self.naks.read_data_a.val();
        }
        self.leaving.next = self.order.read_valid.val() && self.next_ready.val();
        self.order.read_ready.next = self.next_ready.val() && !(self.head_nak.val() && self.head_ack.val());
        self.naks_left.next = self.nak_waits.q.val();
        self.acks_left.next = self.ack_waits.q.val();
        if self.leaving.val() && self.head_nak.val() {
            self.naks_left.next = self.nak_waits.q.val().replace_bit(self.head.val().index(), false);
        }
        if self.leaving.val() && !self.head_nak.val() {
            self.acks_left.next = self.ack_waits.q.val().replace_bit(self.head.val().index(), false);
        }

        self.in_order.next = self.naks_left.val().get_bit(self.ack_index.val().index())
            || self.acks_left.val().get_bit(self.ack_index.val().index());
        self.row.next = bit_cast::<156, 156>(self.ack.val().into());
        self.naks.write_enable.next = self.ack_valid.val() && self.ack_negative.val();
        self.naks.write_address.next = self.ack_index.val();
        self.naks.write_data.next = self.row.val();
        self.acks.write_enable.next = self.ack_valid.val() && !self.ack_negative.val();
        self.acks.write_address.next = self.ack_index.val();
        self.acks.write_data.next = self.row.val();
        self.order.write_valid.next = self.ack_valid.val() && !self.in_order.val();
        self.order.write_data.next = self.ack_index.val();
        self.nak_waits.d.next = self.naks_left.val();
        self.ack_waits.d.next = self.acks_left.val();
        if self.ack_valid.val() {
            self.ack_waits.d.next = self
                .acks_left
                .val()
                .replace_bit(self.ack_index.val().index(), !self.ack_negative.val());
            if self.ack_negative.val() {
                self.nak_waits.d.next = self
                    .naks_left
                    .val()
                    .replace_bit(self.ack_index.val().index(), true);
            }
        }
        if self.reset.val() {
            self.nak_waits.d.next = bits::<NQ>(0);
            self.ack_waits.d.next = bits::<NQ>(0);
        }
    }
}
