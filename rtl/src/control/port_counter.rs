//! A counter of the port.
use crate::bundle::RegisterBusSink;
use hca_hdl::prelude::*;
use hca_host::register;

/// Adds amounts up to the largest number of its register, where the count stays (CF337, CF466,
/// `protocol/port_counters.csv`). It is correct two cycles after an amount. Software may set it; what is due in that
/// cycle is then not added.
#[derive(LogicBlock, SmartDefault)]
pub struct PortCounter {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Amount to add in this cycle.
    pub amount: Signal<In, Bits<11>>,
    /// Writes and reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    due: Register<Bits<11>>,
    count: Register<Bits<32>>,
    sum: Signal<Local, Bits<33>>,
    #[default(constant(register::VL15_DROPPED))]
    address: Constant<Bits<20>>,
    #[default(constant(0xFFFF))]
    full: Constant<Bits<32>>,
}

impl PortCounter {
    /// The counter behind the register at this address, of as many bits as the register map gives it.
    ///
    /// # Panics
    /// The register map has no register there.
    pub fn at(address: u32) -> Self {
        let register = register::all().find(|register| register.offset == address);
        Self {
            address: constant(address),
            full: constant(register.expect("a counter has a register").mask()),
            ..Self::default()
        }
    }
}

#[kernel]
impl Logic for PortCounter {
    fn update(&mut self) {
        self.due.d.next = self.amount.val();
        self.sum.next = bit_cast::<33, 32>(self.count.q.val()) + bit_cast::<33, 11>(self.due.q.val());
        self.count.d.next = self.sum.val().get_bits::<32>(0) & self.full.val();
        if self.sum.val() > bit_cast::<33, 32>(self.full.val()) {
            self.count.d.next = self.full.val();
        }
        if self.bus.write.val() && (self.bus.write_address.val() == self.address.val()) {
            self.count.d.next = self.bus.write_data.val() & self.full.val();
        }
        self.read_data.next = bits::<32>(0);
        if self.bus.read_address.val() == self.address.val() {
            self.read_data.next = self.count.q.val();
        }
        if self.reset.val() {
            clear!(self, due, count);
        }
    }
}
