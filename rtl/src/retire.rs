//! The retire port's order: lanes of one clock count in ascending order, numbers have no gap.
use hca_hdl::primitive::{comment, constant, dff_setup, Concat, Register};
use rust_hdl_core::prelude::*;

/// The constant part of a record of this kind (`host::retire::kind`), to be joined with its fields.
pub fn kind(kind: u8) -> Constant<Bits<96>> {
    let record: Bits<96> = (kind as usize).to_bits();
    Constant::new(record << 88)
}

/// The constant part of a record of this kind with this code.
pub fn kind_code(kind: u8, code: u8) -> Constant<Bits<96>> {
    let record: Bits<96> = ((kind as usize) << 8 | code as usize).to_bits();
    Constant::new(record << 80)
}

/// A packet dropped for this reason (`host::retire::drop`), without its number.
pub fn drop_reason(reason: u8) -> Constant<Bits<8>> {
    constant(reason)
}

/// Numbers the records of the sixteen lanes. See `host::retire`.
#[derive(LogicBlock, Default)]
pub struct Retire {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for each lane that reports in this clock.
    pub valid: [Signal<In, Bit>; 16],
    /// Record of each lane, valid with its `valid`.
    pub record: [Signal<In, Bits<96>>; 16],

    /// Bit `l` is high when lane `l` reports.
    pub retire_valid: Signal<Out, Bits<16>>,
    /// Order number of the lowest lane that reports.
    pub retire_order: Signal<Out, Bits<32>>,
    /// Records of 96 bits, lane 0 at the least significant end.
    pub retire_record: Signal<Out, Bits<1536>>,

    order: Register<Bits<32>>,
    records: Concat<96, 16, 1536>,
    flags: Concat<1, 16, 16>,
    count: [Signal<Local, Bits<5>>; 16],
}

impl Logic for Retire {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module retire");
        dff_setup!(self, clock, order);
        for i in 0..16 {
            self.flags.i[15 - i].next = bits::<1>(0);
            if self.valid[i].val() {
                self.flags.i[15 - i].next = bits::<1>(1);
            }
            self.records.i[15 - i].next = self.record[i].val();
        }
        self.count[0].next = bit_cast::<5, 1>(self.valid[0].val().into());
        for i in 1..16 {
            self.count[i].next = self.count[i - 1].val();
            if self.valid[i].val() {
                self.count[i].next = self.count[i - 1].val() + 1;
            }
        }
        self.order.d.next = self.order.q.val() + bit_cast::<32, 5>(self.count[15].val());
        self.retire_valid.next = self.flags.o.val();
        self.retire_order.next = self.order.q.val();
        self.retire_record.next = self.records.o.val();
        if self.reset.val() {
            self.order.d.next = bits::<32>(0);
        }
    }
}
