//! The registers of the event queue, and the interrupt line.
use crate::bundle::{EventRingSource, RegisterBusSink};
use hca_hdl::prelude::*;
use hca_host::register as map;

/// The registers `IRQ_*` and `EQ_*`.
#[derive(LogicBlock, SmartDefault)]
pub struct EventRegisters {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Writes and reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,

    /// High for one cycle when an EQE is in memory: sets bit 0 of `IRQ_STATUS`.
    pub event_written: Signal<In, Bit>,
    /// High for one cycle when host memory has failed a CQE or an EQE: sets bit 1 of `IRQ_STATUS`.
    pub host_memory_failed: Signal<In, Bit>,
    /// Level-sensitive interrupt to software.
    pub irq: Signal<Out, Bit>,

    /// The event queue.
    pub eq: EventRingSource,

    /// Host memory failed 1, event written 0.
    irq_status: Register<Bits<2>>,
    irq_enable: Register<Bits<2>>,
    base_high: Register<Bits<32>>,
    base_low: Register<Bits<32>>,
    log_size: Register<Bits<4>>,
    enable: Register<Bit>,
    controls: Register<Bit>,
    consumer: Register<Bits<16>>,
    acknowledged: Signal<Local, Bits<2>>,
    raised: Signal<Local, Bits<2>>,
    #[default(constant(map::IRQ_STATUS))]
    a_irq_status: Constant<Bits<20>>,
    #[default(constant(map::IRQ_ENABLE))]
    a_irq_enable: Constant<Bits<20>>,
    #[default(constant(map::EQ_BASE_HIGH))]
    a_base_high: Constant<Bits<20>>,
    #[default(constant(map::EQ_BASE_LOW))]
    a_base_low: Constant<Bits<20>>,
    #[default(constant(map::EQ_CONTROL))]
    a_control: Constant<Bits<20>>,
    #[default(constant(map::EQ_CONSUMER))]
    a_consumer: Constant<Bits<20>>,
}

#[kernel]
impl Logic for EventRegisters {
    fn update(&mut self) {
        self.acknowledged.next = bits::<2>(0);
        self.controls.d.next = false;
        if self.bus.write.val() {
            if self.bus.write_address.val() == self.a_irq_status.val() {
                self.acknowledged.next = self.bus.write_data.val().get_bits::<2>(0);
            }
            if self.bus.write_address.val() == self.a_irq_enable.val() {
                self.irq_enable.d.next = self.bus.write_data.val().get_bits::<2>(0);
            }
            if self.bus.write_address.val() == self.a_base_high.val() {
                self.base_high.d.next = self.bus.write_data.val();
            }
            if self.bus.write_address.val() == self.a_base_low.val() {
                self.base_low.d.next = self.bus.write_data.val();
            }
            if self.bus.write_address.val() == self.a_control.val() {
                self.controls.d.next = true;
                self.log_size.d.next = self.bus.write_data.val().get_bits::<4>(0);
                self.enable.d.next = self.bus.write_data.val().get_bit(31);
                if self.bus.write_data.val().get_bit(31) {
                    self.consumer.d.next = bits::<16>(0);
                }
            }
            if self.bus.write_address.val() == self.a_consumer.val() {
                self.consumer.d.next = self.bus.write_data.val().get_bits::<16>(0);
            }
        }
        // An event in the same clock as an acknowledgement must not be lost.
        self.raised.next = (bit_cast::<2, 1>(self.host_memory_failed.val().into()) << 1)
            | bit_cast::<2, 1>(self.event_written.val().into());
        self.irq_status.d.next = (self.irq_status.q.val() & !self.acknowledged.val()) | self.raised.val();

        self.read_data.next = bits::<32>(0);
        if self.bus.read_address.val() == self.a_irq_status.val() {
            self.read_data.next = bit_cast::<32, 2>(self.irq_status.q.val());
        }
        if self.bus.read_address.val() == self.a_irq_enable.val() {
            self.read_data.next = bit_cast::<32, 2>(self.irq_enable.q.val());
        }
        if self.bus.read_address.val() == self.a_base_high.val() {
            self.read_data.next = self.base_high.q.val();
        }
        if self.bus.read_address.val() == self.a_base_low.val() {
            self.read_data.next = self.base_low.q.val();
        }
        if self.bus.read_address.val() == self.a_control.val() {
            self.read_data.next = (bit_cast::<32, 1>(self.enable.q.val().into()) << 31)
                | bit_cast::<32, 4>(self.log_size.q.val());
        }
        if self.bus.read_address.val() == self.a_consumer.val() {
            self.read_data.next = bit_cast::<32, 16>(self.consumer.q.val());
        }

        self.irq.next = (self.irq_status.q.val() & self.irq_enable.q.val()).any();
        self.eq.base.next =
            (bit_cast::<64, 32>(self.base_high.q.val()) << 32) | bit_cast::<64, 32>(self.base_low.q.val());
        inputs!(self.eq, control_valid: controls.q, log_size: log_size.q, enable: enable.q);
        self.eq.consumer.next = self.consumer.q.val();

        if self.reset.val() {
            clear!(self, irq_status, irq_enable, base_high, base_low, log_size, enable, controls, consumer);
        }
    }
}
