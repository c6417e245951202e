//! Packets of a port that are paced, from their departure to the end of the pause behind them.
use super::{MarkOrder, RatePause};
use hca_hdl::prelude::*;

/// Follows the marks of packets ([`super::RateSources`]) through the send side of the link, and gives each back once
/// the next packet of its source may be made. `NV`: data VLs, up to 8.
#[derive(LogicBlock, SmartDefault)]
pub struct RatePace<const NV: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when a packet departs. None departs before the last one has begun to be built.
    pub departs: Signal<In, Bit>,
    /// With `departs`: its mark, or 0.
    pub departs_mark: Signal<In, Bits<3>>,
    /// High for one cycle when the packet that departed last begins to be built.
    pub builds: Signal<In, Bit>,
    /// With `builds`: high if it is discarded.
    pub discards: Signal<In, Bit>,
    /// With `builds`: IPD of its source.
    pub delay: Signal<In, Bits<6>>,
    /// Mark of that packet, or 0.
    pub built_mark: Signal<Out, Bits<3>>,

    /// High for one cycle for each beat that is built, those of packets that are discarded not counted.
    pub comes: Signal<In, Bit>,
    /// With `comes`: high if it is the last of its packet.
    pub comes_last: Signal<In, Bit>,
    /// With `comes`: mark of the packet, or 0.
    pub comes_mark: Signal<In, Bits<3>>,
    /// With `comes`: high if it goes straight to the link, and not into the queue of its VL.
    pub straight: Signal<In, Bit>,
    /// With `comes`: VL of the packet, in its first beat.
    pub vl: Signal<In, Bits<4>>,
    /// Bit `n`: high if the oldest packet of VL `n` has a mark.
    pub marked: Signal<In, Bits<16>>,
    /// Bit `n`: high for one cycle when the oldest packet of VL `n` starts.
    pub starts: Signal<In, Bits<16>>,
    /// Bit `n`: high for one cycle when the oldest packet of VL `n` is given up.
    pub drops: Signal<In, Bits<8>>,
    /// High for one cycle for each beat of packets that leaves.
    pub beat: Signal<In, Bit>,
    /// With `beat`: high if it is the last of its packet.
    pub last: Signal<In, Bit>,

    /// Bit `n`: high for one cycle when the packet of mark `n` is discarded, or the pause behind it is over.
    pub freed: Signal<Out, Bits<8>>,

    order: MarkOrder<NV>,
    pause: RatePause,
    departed_mark: Register<Bits<3>>,
    /// High inside a packet that comes.
    inside: Register<Bit>,
    // What the link does, a clock late.
    joins: Register<Bit>,
    joins_vl: Register<Bits<4>>,
    joins_mark: Register<Bits<3>>,
    begins: Register<Bit>,
    begins_straight: Register<Bit>,
    begun: Register<Bits<16>>,
    gone: Register<Bits<8>>,
    leaves: Register<Bit>,
    leaves_last: Register<Bit>,
    free: Register<Bits<8>>,
    first: Signal<Local, Bit>,
    withheld: Signal<Local, Bits<3>>,
    #[default(constant(1))]
    one: Constant<Bits<8>>,
}

#[kernel]
impl<const NV: usize> Logic for RatePace<NV> {
    fn update(&mut self) {
        clock_and_reset!(self, order, pause);
        if self.departs.val() {
            self.departed_mark.d.next = self.departs_mark.val();
        }
        self.built_mark.next = self.departed_mark.q.val();
        self.withheld.next = bits::<3>(0);
        if self.builds.val() && self.discards.val() {
            self.withheld.next = self.departed_mark.q.val();
        }
        inputs!(self.pause, builds, built_mark: departed_mark.q, delay);

        if self.comes.val() {
            self.inside.d.next = !self.comes_last.val();
        }
        self.first.next = self.comes.val() && !self.inside.q.val();
        self.joins.d.next = self.first.val() && !self.straight.val() && self.comes_mark.val().any();
        self.joins_vl.d.next = self.vl.val();
        self.joins_mark.d.next = self.comes_mark.val();
        self.begins_straight.d.next = self.first.val() && self.straight.val();
        self.begins.d.next = self.starts.val().any() || (self.first.val() && self.straight.val());
        self.begun.d.next = self.starts.val() & self.marked.val();
        self.gone.d.next = self.drops.val() & self.marked.val().get_bits::<8>(0);
        self.leaves.d.next = self.beat.val();
        self.leaves_last.d.next = self.last.val();

        inputs!(self.order, joins: joins.q, vl: joins_vl.q, mark: joins_mark.q, starts: begun.q);
        self.order.drops.next = self.gone.q.val();
        inputs!(self.pause, starts: begins.q, mark: order.started);
        if self.begins_straight.q.val() {
            self.pause.mark.next = self.joins_mark.q.val();
        }
        inputs!(self.pause, beat: leaves.q, last: leaves_last.q);
        self.free.d.next = (self.one.val() << self.withheld.val())
            | (self.one.val() << self.order.dropped.val())
            | (self.one.val() << self.pause.over.val());
        self.freed.next = self.free.q.val();
        if self.reset.val() {
            clear!(self, inside, joins, begins, begun, gone, leaves, free);
        }
    }
}
