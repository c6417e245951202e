//! The retire port's order: lanes of one clock count in ascending order, numbers have no gap.
pub use crate::retire_record::RetireRecord;

use crate::bundle::ReportSink;
use hca_hdl::prelude::*;

/// A record of this kind (`host::retire::kind`) whose other fields are 0.
pub fn kind(kind: u8) -> Constant<RetireRecord> {
    kind_code(kind, 0)
}

/// A record of this kind with this code; its other fields are 0.
pub fn kind_code(kind: u8, code: u8) -> Constant<RetireRecord> {
    let (kind, code) = (constant(kind).val(), constant(code).val());
    Constant::new(RetireRecord {
        kind,
        code,
        ..RetireRecord::default()
    })
}

/// Numbers the records of the sixteen lanes. See `host::retire`.
#[derive(LogicBlock, Default)]
pub struct Retire {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// What each lane reports in this clock.
    pub lane: [ReportSink; 16],

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

#[kernel]
impl Logic for Retire {
    fn update(&mut self) {
        for i in 0..16 {
            self.flags.i[15 - i].next = bits::<1>(0);
            if self.lane[i].valid.val() {
                self.flags.i[15 - i].next = bits::<1>(1);
            }
            self.records.i[15 - i].next = self.lane[i].record.val().into();
        }
        self.count[0].next = bit_cast::<5, 1>(self.lane[0].valid.val().into());
        for i in 1..16 {
            self.count[i].next = self.count[i - 1].val();
            if self.lane[i].valid.val() {
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
