//! Blocks that have left on each VL.
use hca_hdl::primitive::{comment, dff_setup, kernel, Register};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Counts FCTBS (`protocol/link.md` section 5) where packets leave for the link, as the neighbour sees it: what has
/// started but not left yet would count twice there. `NV`: data VLs.
///
/// A packet that has started before the counts are cleared is not counted when it leaves.
#[derive(LogicBlock, SmartDefault)]
pub struct BlocksLeft<const NV: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for each cycle in which the counts are cleared.
    pub clear: Signal<In, Bit>,
    /// High for one cycle for each packet that starts and will leave.
    pub starts: Signal<In, Bit>,
    /// High for one cycle for each packet whose first beat has left ([`super::PacketWatch`]).
    pub begins: Signal<In, Bit>,
    /// VL of that packet.
    pub vl: Signal<In, Bits<4>>,
    /// Its words from the LRH to the ICRC, 32 bits each.
    pub words: Signal<In, Bits<11>>,
    /// For each VL, blocks of 64 bytes, modulo 4096.
    #[default(array_init::array_init(|_| Default::default()))]
    pub blocks: [Signal<Out, Bits<12>>; NV],
    #[default(array_init::array_init(|_| Default::default()))]
    count: [Register<Bits<12>>; NV],
    /// Packets that have started and not left: up to 32 ([`crate::transmit::Spoil`]).
    under_way: Register<Bits<6>>,
    /// Number of packets under way that are not counted when they leave.
    stale: Register<Bits<6>>,
    /// `under_way` in the next clock.
    remain: Signal<Local, Bits<6>>,
    counts: Signal<Local, Bit>,
}

impl<const NV: usize> Logic for BlocksLeft<NV> {
    #[kernel]
    fn update(&mut self) {
        comment!("@module blocks_left");
        dff_setup!(self, clock, under_way, stale);
        self.remain.next = self.under_way.q.val();
        if self.starts.val() && !self.begins.val() {
            self.remain.next = self.under_way.q.val() + 1;
        }
        if self.begins.val() && !self.starts.val() {
            self.remain.next = self.under_way.q.val() - 1;
        }
        self.under_way.d.next = self.remain.val();
        if self.begins.val() && self.stale.q.val().any() {
            self.stale.d.next = self.stale.q.val() - 1;
        }
        self.counts.next = self.begins.val() && !self.stale.q.val().any();
        if self.clear.val() {
            self.stale.d.next = self.remain.val();
        }
        for i in 0..NV {
            dff_setup!(self, clock, count[i]);
            if self.counts.val() && (self.vl.val() == i.to_bits::<4>()) {
                // Behind the words stand the two bytes of the VCRC.
                self.count[i].d.next =
                    self.count[i].q.val() + (bit_cast::<12, 7>(self.words.val().get_bits::<7>(4)) + 1);
            }
            if self.clear.val() || self.reset.val() {
                self.count[i].d.next = bits::<12>(0);
            }
            self.blocks[i].next = self.count[i].q.val();
        }
        if self.reset.val() {
            self.under_way.d.next = bits::<6>(0);
            self.stale.d.next = bits::<6>(0);
        }
    }
}
