//! How far each queue pair has sent.
use crate::primitive::{comment, LutRam};
use rust_hdl_core::prelude::*;

/// The highest PSN of a request that each QP sent, plus one; a request sent again leaves it. `QB`: QP index bits.
#[derive(LogicBlock, Default)]
pub struct SentPsn<const QB: usize> {
    pub clock: Signal<In, Clock>,

    /// One pulse: QP `start_index` sends from `start_psn` on. Never with `sent_valid`.
    pub start_valid: Signal<In, Bit>,
    pub start_index: Signal<In, Bits<QB>>,
    pub start_psn: Signal<In, Bits<24>>,
    /// One pulse: a request leaves.
    pub sent_valid: Signal<In, Bit>,
    pub sent_index: Signal<In, Bits<QB>>,
    pub sent_psn: Signal<In, Bits<24>>,

    pub next_psn_index: Signal<In, Bits<QB>>,
    pub next_psn: Signal<Out, Bits<24>>,

    rows: LutRam<24, QB>,
    ahead: Signal<Local, Bits<24>>,
}

impl<const QB: usize> Logic for SentPsn<QB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module sent_psn");
        self.rows.clock.next = self.clock.val();
        self.rows.read_address_a.next = self.sent_index.val();
        self.rows.read_address_b.next = self.next_psn_index.val();
        self.next_psn.next = self.rows.read_data_b.val();

        // PSNs compare modulo 2^24 (`protocol/headers.md`): ahead by less than half of them.
        self.ahead.next = self.sent_psn.val() - self.rows.read_data_a.val();
        self.rows.write_enable.next = self.sent_valid.val() && !self.ahead.val().get_bit(23);
        self.rows.write_address.next = self.sent_index.val();
        self.rows.write_data.next = self.sent_psn.val() + 1;
        if self.start_valid.val() {
            self.rows.write_enable.next = true;
            self.rows.write_address.next = self.start_index.val();
            self.rows.write_data.next = self.start_psn.val();
        }
    }
}
