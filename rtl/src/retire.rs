//! The retire port's order: lanes of one clock count in ascending order, numbers have no gap.
use crate::primitive::{comment, dff_setup, Concat, Register};
use rust_hdl_core::prelude::*;

/// The constant part of a record of this kind (`host::retire::kind`), to be joined with its fields.
pub fn kind(kind: u8) -> Constant<Bits<96>> {
    let record: Bits<96> = (kind as usize).to_bits();
    Constant::new(record << 88)
}

/// The same with a fixed code.
pub fn kind_code(kind: u8, code: u8) -> Constant<Bits<96>> {
    let record: Bits<96> = ((kind as usize) << 8 | code as usize).to_bits();
    Constant::new(record << 80)
}

/// A packet dropped for this reason (`host::retire::drop`), without its number.
pub fn drop_reason(reason: u8) -> Constant<Bits<8>> {
    Constant::new((reason as usize).to_bits())
}

/// Numbers the records of the six lanes. See `host::retire`.
#[derive(LogicBlock, Default)]
pub struct Retire {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Bit `l`: lane `l` reports.
    pub valid: Signal<In, Bits<6>>,
    pub host: Signal<In, Bits<96>>,
    pub link: Signal<In, Bits<96>>,
    pub receive: Signal<In, Bits<96>>,
    pub send: Signal<In, Bits<96>>,
    pub transmit: Signal<In, Bits<96>>,
    pub completion: Signal<In, Bits<96>>,

    pub retire_valid: Signal<Out, Bits<6>>,
    pub retire_order: Signal<Out, Bits<32>>,
    pub retire_record: Signal<Out, Bits<576>>,

    order: Register<Bits<32>>,
    record: Concat<96, 6, 576>,
    count: Signal<Local, Bits<3>>,
}

impl Logic for Retire {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module retire");
        dff_setup!(self, clock, order);
        self.record.i[0].next = self.completion.val();
        self.record.i[1].next = self.transmit.val();
        self.record.i[2].next = self.send.val();
        self.record.i[3].next = self.receive.val();
        self.record.i[4].next = self.link.val();
        self.record.i[5].next = self.host.val();
        self.count.next = bit_cast::<3, 1>(self.valid.val().get_bits::<1>(0))
            + bit_cast::<3, 1>(self.valid.val().get_bits::<1>(1))
            + bit_cast::<3, 1>(self.valid.val().get_bits::<1>(2))
            + bit_cast::<3, 1>(self.valid.val().get_bits::<1>(3))
            + bit_cast::<3, 1>(self.valid.val().get_bits::<1>(4))
            + bit_cast::<3, 1>(self.valid.val().get_bits::<1>(5));
        self.order.d.next = self.order.q.val() + bit_cast::<32, 3>(self.count.val());
        self.retire_valid.next = self.valid.val();
        self.retire_order.next = self.order.q.val();
        self.retire_record.next = self.record.o.val();
        if self.reset.val() {
            self.order.d.next = bits::<32>(0);
        }
    }
}
