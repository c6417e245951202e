//! Doorbells: how many WQEs software has posted to each queue.
use crate::host::{command, retire};
use crate::primitive::{comment, LutRam};
use rust_hdl_core::prelude::*;

/// Holds each queue's producer index, wakes the scheduler, and reports at the retire port.
#[derive(LogicBlock)]
pub struct Doorbells<const QB: usize> {
    pub clock: Signal<In, Clock>,

    pub doorbell_valid: Signal<In, Bit>,
    pub doorbell_ready: Signal<Out, Bit>,
    pub doorbell_receive: Signal<In, Bit>,
    pub doorbell_index: Signal<In, Bits<12>>,
    pub doorbell_producer: Signal<In, Bits<16>>,

    /// One pulse: a QP was modified; entering Reset empties its queues.
    pub modify_valid: Signal<In, Bit>,
    pub modify_index: Signal<In, Bits<QB>>,
    pub modify_qpn: Signal<In, Bits<24>>,
    pub modify_state: Signal<In, Bits<3>>,

    pub send_index: Signal<In, Bits<QB>>,
    pub send_producer: Signal<Out, Bits<16>>,
    pub receive_index: Signal<In, Bits<QB>>,
    pub receive_producer: Signal<Out, Bits<16>>,

    /// The send queue of `wake_index` has work.
    pub wake_valid: Signal<Out, Bit>,
    pub wake_index: Signal<Out, Bits<QB>>,
    pub wake_ready: Signal<In, Bit>,

    pub retire_valid: Signal<Out, Bit>,
    pub retire_record: Signal<Out, Bits<96>>,

    send: LutRam<16, QB>,
    receive: LutRam<16, QB>,
    qpn: LutRam<24, QB>,

    index: Signal<Local, Bits<QB>>,
    taken: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    state_reset: Constant<Bits<3>>,
    kind_doorbell: Constant<Bits<96>>,
    qp_bits: Constant<Bits<5>>,
    in_range: Signal<Local, Bit>,
}

impl<const QB: usize> Default for Doorbells<QB> {
    fn default() -> Self {
        Doorbells {
            clock: Default::default(),
            doorbell_valid: Default::default(),
            doorbell_ready: Default::default(),
            doorbell_receive: Default::default(),
            doorbell_index: Default::default(),
            doorbell_producer: Default::default(),
            modify_valid: Default::default(),
            modify_index: Default::default(),
            modify_qpn: Default::default(),
            modify_state: Default::default(),
            send_index: Default::default(),
            send_producer: Default::default(),
            receive_index: Default::default(),
            receive_producer: Default::default(),
            wake_valid: Default::default(),
            wake_index: Default::default(),
            wake_ready: Default::default(),
            retire_valid: Default::default(),
            retire_record: Default::default(),
            send: Default::default(),
            receive: Default::default(),
            qpn: Default::default(),
            index: Default::default(),
            taken: Default::default(),
            clear: Default::default(),
            state_reset: crate::context::state::constant(command::STATE_RESET),
            kind_doorbell: crate::retire::kind(retire::kind::DOORBELL),
            qp_bits: Constant::new(QB.to_bits()),
            in_range: Default::default(),
        }
    }
}

impl<const QB: usize> Logic for Doorbells<QB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module doorbells");
        self.send.clock.next = self.clock.val();
        self.receive.clock.next = self.clock.val();
        self.qpn.clock.next = self.clock.val();

        self.index.next = self.doorbell_index.val().get_bits::<QB>(0);
        // A doorbell of a QP that the hardware does not have is swallowed.
        self.in_range.next = !(self.doorbell_index.val() >> self.qp_bits.val()).any();
        self.clear.next = self.modify_valid.val() && (self.modify_state.val() == self.state_reset.val());
        self.doorbell_ready.next =
            !self.modify_valid.val() && (self.doorbell_receive.val() || self.wake_ready.val());
        self.taken.next = self.doorbell_valid.val()
            && self.in_range.val()
            && !self.modify_valid.val()
            && (self.doorbell_receive.val() || self.wake_ready.val());

        self.send.write_enable.next = self.clear.val() || (self.taken.val() && !self.doorbell_receive.val());
        self.receive.write_enable.next =
            self.clear.val() || (self.taken.val() && self.doorbell_receive.val());
        self.send.write_address.next = self.index.val();
        self.receive.write_address.next = self.index.val();
        self.send.write_data.next = self.doorbell_producer.val();
        self.receive.write_data.next = self.doorbell_producer.val();
        if self.clear.val() {
            self.send.write_address.next = self.modify_index.val();
            self.receive.write_address.next = self.modify_index.val();
            self.send.write_data.next = bits::<16>(0);
            self.receive.write_data.next = bits::<16>(0);
        }
        self.qpn.write_enable.next = self.modify_valid.val();
        self.qpn.write_address.next = self.modify_index.val();
        self.qpn.write_data.next = self.modify_qpn.val();

        self.wake_valid.next = self.doorbell_valid.val()
            && self.in_range.val()
            && !self.modify_valid.val()
            && !self.doorbell_receive.val();
        self.wake_index.next = self.index.val();

        self.send.read_address_a.next = self.send_index.val();
        self.send_producer.next = self.send.read_data_a.val();
        self.send.read_address_b.next = bits::<QB>(0);
        self.receive.read_address_a.next = self.receive_index.val();
        self.receive_producer.next = self.receive.read_data_a.val();
        self.receive.read_address_b.next = bits::<QB>(0);
        self.qpn.read_address_a.next = self.index.val();
        self.qpn.read_address_b.next = bits::<QB>(0);

        self.retire_valid.next = self.taken.val();
        self.retire_record.next = self.kind_doorbell.val()
            | (bit_cast::<96, 1>(self.doorbell_receive.val().into()) << 80)
            | (bit_cast::<96, 24>(self.qpn.read_data_a.val()) << 56)
            | bit_cast::<96, 16>(self.doorbell_producer.val());
    }
}
