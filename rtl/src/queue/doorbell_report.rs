//! Reports receive doorbells at the retire port.
use crate::bundle::ReportSource;
use crate::retire::RetireRecord;
use crate::wire::Delay;
use hca_hdl::prelude::*;
use hca_host::retire;

/// Reports a receive doorbell four clocks after it rang: in the clock from which on the responder's answers include its
/// entries ([`crate::credit::PostedCredits`]).
///
/// `QB`: QP index bits.
#[derive(LogicBlock, SmartDefault)]
pub struct DoorbellReport<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when a QP gets its QPN.
    pub modify_valid: Signal<In, Bit>,
    /// Index of that QP.
    pub modify_index: Signal<In, Bits<QB>>,
    /// QPN of that QP.
    pub modify_qpn: Signal<In, Bits<24>>,
    /// High for one cycle when a doorbell rings.
    pub rung_valid: Signal<In, Bit>,
    /// With `rung_valid`: index of the QP.
    pub rung_index: Signal<In, Bits<QB>>,
    /// Number of WQEs posted so far, modulo 2^16.
    pub rung_producer: Signal<In, Bits<16>>,
    /// Retire records of these doorbells.
    pub retire: ReportSource,
    qpns: LutRam<Bits<24>, QB>,
    /// Index 16 | producer 16 | valid 1.
    events: Delay<33>,
    #[default(crate::retire::kind_code(retire::kind::DOORBELL, retire::QUEUE_RECEIVE))]
    kind_doorbell: Constant<RetireRecord>,
}

#[kernel]
impl<const QB: usize> Logic for DoorbellReport<QB> {
    fn update(&mut self) {
        clock!(self, clock, qpns, events);
        inputs!(self.qpns, write_enable: modify_valid, write_address: modify_index, write_data: modify_qpn);
        self.events.data.next = (bit_cast::<33, QB>(self.rung_index.val()) << 17)
            | (bit_cast::<33, 16>(self.rung_producer.val()) << 1)
            | bit_cast::<33, 1>((self.rung_valid.val() && !self.reset.val()).into());
        self.qpns.read_address_a.next = self.events.delayed.val().get_bits::<QB>(17);
        self.qpns.read_address_b.next = self.events.delayed.val().get_bits::<QB>(17);
        self.retire.valid.next = self.events.delayed.val().get_bit(0);
        self.retire.record.next = self.kind_doorbell.val();
        self.retire.record.next.qpn = self.qpns.read_data_a.val();
        self.retire.record.next.index = bit_cast::<32, 16>(self.events.delayed.val().get_bits::<16>(1));
    }
}
