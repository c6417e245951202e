//! The retire port's order: lanes of one clock count in ascending order, numbers have no gap.
use hca_hdl::primitive::{comment, constant, dff_setup, Concat, Register};
use hca_hdl::record;
use rust_hdl_core::prelude::*;

record! {
    /// A decision, as the retire port shows it ([`hca_host::retire`]). First field at the least significant end of the
    /// 96 bits. A field that the kind does not name is 0.
    pub struct RetireRecord {
        /// Arrival number of the packet, index of the WQE, or what else the kind says.
        pub index: Bits<32>,
        /// PSN, or the CQN of a completion.
        pub psn: Bits<24>,
        /// QPN, or what else the kind says.
        pub qpn: Bits<24>,
        /// Its meaning depends on the kind.
        pub code: Bits<8>,
        /// One of [`hca_host::retire::kind`].
        pub kind: Bits<8>,
    }
}

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
    pub record: [Signal<In, RetireRecord>; 16],

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
            self.records.i[15 - i].next = self.record[i].val().into();
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
