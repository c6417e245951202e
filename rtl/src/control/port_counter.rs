//! A counter of the port.
use hca_hdl::primitive::{comment, constant, dff_setup, provided, Register};
use hca_host::register as map;
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Counts up to the largest number of `N` bits, where the count stays (CF337, `protocol/port_counters.csv`); it is
/// correct two cycles after an event. Software may set it, which takes the place of what is due in that cycle.
#[derive(LogicBlock, SmartDefault)]
pub struct PortCounter<const N: usize> {
    #[default(provided((2..=16).contains(&N), "a counter of the port has 2 to 16 bits"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Each bit is high for one cycle for an event.
    pub events: Signal<In, Bits<2>>,
    /// High for one cycle for each register write, at any address.
    pub write: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<20>>,
    pub write_data: Signal<In, Bits<32>>,
    pub read_address: Signal<In, Bits<20>>,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    counts: Register<Bits<2>>,
    count: Register<Bits<N>>,
    sum: Signal<Local, Bits<17>>,
    #[default(constant(map::VL15_DROPPED))]
    address: Constant<Bits<20>>,
    #[default(constant((1 << N) - 1))]
    full: Constant<Bits<17>>,
}

impl<const N: usize> PortCounter<N> {
    /// The counter behind the register at this address.
    pub fn at(address: u32) -> Self {
        Self {
            address: constant(address),
            ..Self::default()
        }
    }
}

impl<const N: usize> Logic for PortCounter<N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module port_counter");
        dff_setup!(self, clock, counts, count);
        self.counts.d.next = self.events.val();
        self.sum.next = bit_cast::<17, N>(self.count.q.val())
            + bit_cast::<17, 1>(self.counts.q.val().get_bits::<1>(0))
            + bit_cast::<17, 1>(self.counts.q.val().get_bits::<1>(1));
        self.count.d.next = self.sum.val().get_bits::<N>(0);
        if self.sum.val() > self.full.val() {
            self.count.d.next = self.full.val().get_bits::<N>(0);
        }
        if self.write.val() && (self.write_address.val() == self.address.val()) {
            self.count.d.next = self.write_data.val().get_bits::<N>(0);
        }
        self.read_data.next = bits::<32>(0);
        if self.read_address.val() == self.address.val() {
            self.read_data.next = bit_cast::<32, N>(self.count.q.val());
        }
        if self.reset.val() {
            self.counts.d.next = bits::<2>(0);
            self.count.d.next = bits::<N>(0);
        }
    }
}
