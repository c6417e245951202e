//! The marks of packets that wait in the queues of their VLs.
use hca_hdl::prelude::*;

/// Keeps the marks of each VL in the order of its packets ([`super::RateSources`]). A queue has room for all marks that
/// there are. `NV`: data VLs, up to 8.
#[derive(LogicBlock, SmartDefault)]
pub struct MarkOrder<const NV: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when a packet with a mark joins.
    pub joins: Signal<In, Bit>,
    /// With `joins`: VL of the packet.
    pub vl: Signal<In, Bits<4>>,
    /// With `joins`: its mark.
    pub mark: Signal<In, Bits<3>>,
    /// Bit `n`: high for one cycle when the oldest of these packets of VL `n` starts; one at a time.
    pub starts: Signal<In, Bits<16>>,
    /// Bit `n`: high for one cycle when the oldest of these packets of VL `n` is discarded; one at a time.
    pub drops: Signal<In, Bits<8>>,
    /// Mark of the packet that starts, 0 if none does.
    pub started: Signal<Out, Bits<3>>,
    /// Mark of the packet that is discarded, 0 if none is.
    pub dropped: Signal<Out, Bits<3>>,
    #[default(array_init::array_init(|_| Default::default()))]
    marks: [Fifo<Bits<3>, 3>; NV],
    management: Fifo<Bits<3>, 3>,
    #[default(constant(15))]
    management_vl: Constant<Bits<4>>,
}

#[kernel]
impl<const NV: usize> Logic for MarkOrder<NV> {
    fn update(&mut self) {
        clock!(self, clock, management);
        self.management.reset.next = self.reset.val();
        self.management.write.valid.next = self.joins.val() && (self.vl.val() == self.management_vl.val());
        self.management.write.item.next = self.mark.val();
        self.management.read.ready.next = self.starts.val().get_bit(15);
        self.started.next = bits::<3>(0);
        self.dropped.next = bits::<3>(0);
        if self.starts.val().get_bit(15) {
            self.started.next = self.management.read.item.val();
        }
        for i in 0..NV {
            inputs!(self.marks[i], clock, reset);
            self.marks[i].write.valid.next = self.joins.val() && (self.vl.val() == i.to_bits::<4>());
            self.marks[i].write.item.next = self.mark.val();
            self.marks[i].read.ready.next = self.starts.val().get_bit(i) || self.drops.val().get_bit(i);
            if self.starts.val().get_bit(i) {
                self.started.next = self.marks[i].read.item.val();
            }
            if self.drops.val().get_bit(i) {
                self.dropped.next = self.marks[i].read.item.val();
            }
        }
    }
}
