//! Discards packets that the state of the port, their SL or their length does not let leave.
use hca_hdl::prelude::*;

/// Decides by the state that the send side has when a packet departs (`protocol/link.md` section 1), by the VL of its
/// SL (section 3), and by the active MTU (section 13). Takes the beats of one that is discarded in the link's place,
/// one a clock: the engines see no difference from a packet that left.
///
/// `W`: stream bits; `K` = `W` / 8. Up to 32 packets may be between the routing and the link ([`super::Spoil`]).
#[derive(LogicBlock, SmartDefault)]
pub struct Withhold<const W: usize, const K: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while packets on VL 15 are sent.
    pub sends_management: Signal<In, Bit>,
    /// High while packets on data VLs are sent.
    pub sends_data: Signal<In, Bit>,
    /// High for one cycle for each packet when it enters the routing.
    pub departed_valid: Signal<In, Bit>,
    /// With `departed_valid`: high if that packet is one for VL 15.
    pub management: Signal<In, Bit>,
    /// With `departed_valid`: high if the SL of that packet has no operational VL ([`crate::link::VlChoice`]).
    pub unusable: Signal<In, Bit>,
    /// With `departed_valid`: high if that packet has more payload than the active MTU of the port.
    pub too_long: Signal<In, Bit>,
    /// High if the packet that departed last is discarded, from the clock after it departs on.
    pub verdict: Signal<Out, Bit>,
    /// High for one cycle when that packet leaves the routing for the builder.
    pub starts: Signal<In, Bit>,
    /// High while a packet is discarded, too, that waits in the routing when the send side ceases to send it.
    pub flow_control: Signal<In, Bit>,
    /// High for one cycle for each packet that is discarded, a clock after it is decided.
    pub discarded: Signal<Out, Bit>,

    /// Packets as they leave, AXI4-Stream: byte 0 of the packet in bits 7:0.
    pub s_axis: StreamSink<W, K>,
    /// The packets that are not discarded, to the link.
    pub m_axis: StreamSource<W, K>,
    /// High while the packet that leaves is one to discard.
    pub withholds: Signal<Out, Bit>,

    /// For each packet between the routing and the link: it is discarded.
    departed: Fifo<Bits<1>, 5>,
    judged: Register<Bit>,
    /// High while a packet on a data VL waits in the routing.
    waits: Register<Bit>,
    discards: Register<Bit>,
    passes: Signal<Local, Bit>,
    ceases: Signal<Local, Bit>,
    withheld: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize, const K: usize> Logic for Withhold<W, K> {
    fn update(&mut self) {
        clock!(self, clock, departed);
        self.departed.reset.next = self.reset.val();
        self.passes.next = ((self.sends_data.val() && !self.unusable.val())
            || (self.sends_management.val() && self.management.val()))
            && !self.too_long.val();
        self.ceases.next = self.flow_control.val()
            && !self.sends_data.val()
            && self.waits.q.val()
            && !self.starts.val()
            && !self.judged.q.val();
        if self.starts.val() {
            self.waits.d.next = false;
        }
        if self.ceases.val() {
            self.judged.d.next = true;
        }
        if self.departed_valid.val() {
            self.judged.d.next = !self.passes.val();
            self.waits.d.next = !self.management.val();
        }
        self.verdict.next = self.judged.q.val();
        self.departed.write.valid.next = self.starts.val();
        self.departed.write.item.next = self.judged.q.val().into();
        self.discards.d.next = (self.departed_valid.val() && !self.passes.val()) || self.ceases.val();
        self.discarded.next = self.discards.q.val();

        self.withheld.next = self.departed.read.valid.val() && self.departed.read.item.val().get_bit(0);
        self.withholds.next = self.withheld.val();
        wires!(self.s_axis, self.m_axis, tdata, tkeep, tlast);
        self.m_axis.tvalid.next = self.s_axis.tvalid.val() && !self.withheld.val();
        self.s_axis.tready.next = self.m_axis.tready.val() || self.withheld.val();
        self.departed.read.ready.next = self.s_axis.tvalid.val()
            && self.s_axis.tlast.val()
            && (self.m_axis.tready.val() || self.withheld.val());
        if self.reset.val() {
            clear!(self, waits, discards);
        }
    }
}
