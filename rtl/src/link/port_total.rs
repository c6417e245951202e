//! A wide counter of the port.
use hca_hdl::primitive::{comment, constant, dff_setup, Register};
use hca_host::register as map;
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Adds amounts up to the largest number of 32 bits, where the sum stays (CF466, `protocol/port_counters.csv`); it is
/// correct two cycles after an amount. Software may set it, which takes the place of what is due in that cycle.
#[derive(LogicBlock, SmartDefault)]
pub struct PortTotal {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Amount to add in this cycle.
    pub amount: Signal<In, Bits<11>>,
    /// High for one cycle for each register write, at any address.
    pub write: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<20>>,
    pub write_data: Signal<In, Bits<32>>,
    pub read_address: Signal<In, Bits<20>>,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    due: Register<Bits<11>>,
    total: Register<Bits<32>>,
    sum: Signal<Local, Bits<33>>,
    #[default(constant(map::PORT_XMIT_DATA))]
    address: Constant<Bits<20>>,
}

impl PortTotal {
    /// The counter behind the register at this address.
    pub fn at(address: u32) -> Self {
        Self {
            address: constant(address),
            ..Self::default()
        }
    }
}

impl Logic for PortTotal {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module port_total");
        dff_setup!(self, clock, due, total);
        self.due.d.next = self.amount.val();
        self.sum.next = bit_cast::<33, 32>(self.total.q.val()) + bit_cast::<33, 11>(self.due.q.val());
        self.total.d.next = self.sum.val().get_bits::<32>(0);
        if self.sum.val().get_bit(32) {
            self.total.d.next = !bits::<32>(0);
        }
        if self.write.val() && (self.write_address.val() == self.address.val()) {
            self.total.d.next = self.write_data.val();
        }
        self.read_data.next = bits::<32>(0);
        if self.read_address.val() == self.address.val() {
            self.read_data.next = self.total.q.val();
        }
        if self.reset.val() {
            self.due.d.next = bits::<11>(0);
            self.total.d.next = bits::<32>(0);
        }
    }
}
