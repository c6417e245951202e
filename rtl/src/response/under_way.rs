//! Counts the packets of each QP between the response engine and the link.
use crate::bundle::{EmittedPacketSink, QpPulseSink};
use crate::transmit;
use hca_hdl::prelude::*;

/// Counts packets as they are handed over and as they enter the link, per QP. Only acks, or only data, of a QP are
/// under way at a time: neither overtakes the other (`protocol/responder.md` section 8). `QB`: QP index bits.
#[derive(LogicBlock, SmartDefault)]
pub struct UnderWay<const QB: usize> {
    pub clock: Signal<In, Clock>,

    /// High for one cycle when a packet of QP `index` is handed over.
    pub launch_valid: Signal<In, Bit>,
    /// With `launch_valid`: high for an ack or NAK, low for data (a read response or an atomic ack).
    pub launch_ack: Signal<In, Bit>,
    /// Each packet when it enters the link.
    pub emitted: EmittedPacketSink<QB>,
    /// High for one cycle to set the counts of a QP to 0 after a reset; never in the cycle of a launch.
    pub clear: QpPulseSink<QB>,

    /// QP of the launch.
    pub index: Signal<In, Bits<QB>>,
    /// QP that `lets_ack` and `lets_data` describe.
    pub asked_index: Signal<In, Bits<QB>>,
    /// High if an ack of QP `asked_index` may be handed over.
    pub lets_ack: Signal<Out, Bit>,
    /// High if data of QP `asked_index` may be handed over.
    pub lets_data: Signal<Out, Bit>,
    /// QP that `quiet` describes.
    pub quiet_index: Signal<In, Bits<QB>>,
    /// High if nothing of QP `quiet_index` is under way.
    pub quiet: Signal<Out, Bit>,

    /// The last packet was an ack 1 | number of packets so far 6, from the most significant end.
    launched: LutRam<Bits<7>, QB>,
    landed: LutRam<Bits<6>, QB>,
    /// A copy of `launched`, for one more look-up.
    launched_too: LutRam<Bits<7>, QB>,
    /// A copy of `landed`, for one more look-up.
    landed_too: LutRam<Bits<6>, QB>,
    count: Signal<Local, Bits<6>>,
    launches: Signal<Local, Bit>,
    launch_index: Signal<Local, Bits<QB>>,
    launch: Signal<Local, Bits<7>>,
    lands: Signal<Local, Bit>,
    land_index: Signal<Local, Bits<QB>>,
    land: Signal<Local, Bits<6>>,
    #[default(constant(transmit::KIND_REQUEST))]
    request: Constant<Bits<2>>,
    /// Most packets of a QP that may be under way.
    #[default(constant(32))]
    most: Constant<Bits<6>>,
}

#[kernel]
impl<const QB: usize> Logic for UnderWay<QB> {
    fn update(&mut self) {
        clock!(self, clock, launched, landed, launched_too, landed_too);

        inputs!(self.launched, read_address_a: index, read_address_b: quiet_index);
        inputs!(self.landed, read_address_a: emitted.index, read_address_b: asked_index);
        inputs!(self.launched_too, read_address_a: asked_index, read_address_b: asked_index);
        inputs!(self.landed_too, read_address_a: quiet_index, read_address_b: quiet_index);
        self.count.next =
            self.launched_too.read_data_a.val().get_bits::<6>(0) - self.landed.read_data_b.val();
        self.lets_ack.next = (self.count.val() < self.most.val())
            && (!self.count.val().any() || self.launched_too.read_data_a.val().get_bit(6));
        self.lets_data.next = (self.count.val() < self.most.val())
            && (!self.count.val().any() || !self.launched_too.read_data_a.val().get_bit(6));
        self.quiet.next =
            self.launched.read_data_b.val().get_bits::<6>(0) == self.landed_too.read_data_a.val();

        self.launches.next = self.launch_valid.val() || self.clear.valid.val();
        self.launch_index.next = self.index.val();
        self.launch.next = bit_cast::<7, 6>(self.launched.read_data_a.val().get_bits::<6>(0) + 1)
            | (bit_cast::<7, 1>(self.launch_ack.val().into()) << 6);
        self.lands.next = (self.emitted.valid.val() && (self.emitted.kind.val() != self.request.val()))
            || self.clear.valid.val();
        self.land_index.next = self.emitted.index.val();
        self.land.next = self.landed.read_data_a.val() + 1;
        if self.clear.valid.val() {
            self.launch_index.next = self.clear.index.val();
            self.launch.next = bits::<7>(0);
            self.land_index.next = self.clear.index.val();
            self.land.next = bits::<6>(0);
        }
        inputs!(self.launched, write_enable: launches, write_address: launch_index, write_data: launch);
        inputs!(self.launched_too, write_enable: launches, write_address: launch_index, write_data: launch);
        inputs!(self.landed, write_enable: lands, write_address: land_index, write_data: land);
        inputs!(self.landed_too, write_enable: lands, write_address: land_index, write_data: land);
    }
}
