//! Brings the packets of two ports into one stream.
use hca_hdl::prelude::*;

/// Passes packets of one port on, and then of the other, whole and without a preference. Between packets of different
/// ports it waits until the checks of packets are done with the former port, so that they need one port's settings at a
/// time.
///
/// The turn goes to the other port when this one has no packet, or has passed eight while the other waits. `W`: stream
/// bits; `K` = `W` / 8.
#[derive(LogicBlock, SmartDefault)]
pub struct PortMerge<const W: usize, const K: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Packets of port 1.
    pub first: StreamSink<W, K>,
    /// Packets of port 2.
    pub second: StreamSink<W, K>,
    /// Packets of both.
    pub m_axis: StreamSource<W, K>,
    /// High while packets of port 2 pass, and until their checks are done.
    pub turn: Signal<Out, Bit>,

    second_turn: Register<Bit>,
    /// High while a packet has begun and not ended.
    inside: Register<Bit>,
    /// Packets of this turn, up to 8.
    packets: Register<Bits<4>>,
    /// Clocks until the checks of the last packet are done.
    busy: Register<Bits<4>>,
    own_valid: Signal<Local, Bit>,
    other_valid: Signal<Local, Bit>,
    ceases: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    /// Clocks from the last beat of a packet to the last use of its port's settings, with one to spare
    /// ([`crate::wire::PacketCheck`]).
    #[default(constant(12))]
    checks: Constant<Bits<4>>,
}

#[kernel]
impl<const W: usize, const K: usize> Logic for PortMerge<W, K> {
    fn update(&mut self) {
        self.own_valid.next = self.first.tvalid.val();
        self.other_valid.next = self.second.tvalid.val();
        inputs!(self.m_axis, tdata: first.tdata, tkeep: first.tkeep, tlast: first.tlast);
        if self.second_turn.q.val() {
            self.own_valid.next = self.second.tvalid.val();
            self.other_valid.next = self.first.tvalid.val();
            inputs!(self.m_axis, tdata: second.tdata, tkeep: second.tkeep, tlast: second.tlast);
        }
        self.ceases.next = !self.inside.q.val()
            && self.other_valid.val()
            && (!self.own_valid.val() || self.packets.q.val().get_bit(3));
        self.passes.next = !self.ceases.val();
        self.m_axis.tvalid.next = self.own_valid.val() && self.passes.val();
        self.first.tready.next = self.m_axis.tready.val() && self.passes.val() && !self.second_turn.q.val();
        self.second.tready.next = self.m_axis.tready.val() && self.passes.val() && self.second_turn.q.val();
        self.takes.next = self.own_valid.val() && self.passes.val() && self.m_axis.tready.val();
        if self.busy.q.val().any() {
            self.busy.d.next = self.busy.q.val() - 1;
        }
        if self.takes.val() {
            self.inside.d.next = !self.m_axis.tlast.val();
            self.busy.d.next = self.checks.val();
            if self.m_axis.tlast.val() && !self.packets.q.val().get_bit(3) {
                self.packets.d.next = self.packets.q.val() + 1;
            }
        }
        if self.ceases.val() && !self.busy.q.val().any() {
            self.second_turn.d.next = !self.second_turn.q.val();
            self.packets.d.next = bits::<4>(0);
        }
        self.turn.next = self.second_turn.q.val();
        if self.reset.val() {
            clear!(self, second_turn, inside, packets, busy);
        }
    }
}
