//! Which data VL sends its packet next.
use super::vl_table::VlTable;
use crate::bundle::VlArbitrationSink;
use hca_hdl::prelude::*;

/// VL arbitration by a high and a low table (`protocol/link.md` section 6; CF268 to CF270, CF279 to CF281, CF461).
///
/// A choice takes a clock, and is made anew in each clock until a packet starts by it. No choice stands in the two
/// clocks after that, until it is known whether the next packet of that VL may start: else a VL with short packets
/// would lose the rest of its turn.
#[derive(LogicBlock, SmartDefault)]
pub struct VlArbiter {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The tables and the high limit.
    pub arbitration: VlArbitrationSink,
    /// Bit `n`: high if the oldest packet of data VL `n` may start.
    pub eligible: Signal<In, Bits<16>>,
    /// High if a VL is chosen.
    pub valid: Signal<Out, Bit>,
    /// The VL.
    pub vl: Signal<Out, Bits<4>>,
    /// High for one cycle when the packet of the chosen VL starts.
    pub starts: Signal<In, Bit>,
    /// With `starts`: blocks of 64 bytes of the packet.
    pub blocks: Signal<In, Bits<7>>,

    high: VlTable,
    low: VlTable,
    /// Blocks that the high table may send before the low table sends a packet.
    left: Register<Bits<15>>,
    is_chosen: Register<Bit>,
    /// High for one cycle, the cycle after a packet has started.
    started: Register<Bit>,
    chosen_vl: Register<Bits<4>>,
    chosen_entry: Register<Bits<3>>,
    chosen_goes_on: Register<Bit>,
    chosen_high: Register<Bit>,
    whole: Signal<Local, Bits<15>>,
    unlimited: Signal<Local, Bit>,
    takes_high: Signal<Local, Bit>,
    size: Signal<Local, Bits<15>>,
    #[default(constant(1))]
    one: Constant<Bits<15>>,
}

#[kernel]
impl Logic for VlArbiter {
    fn update(&mut self) {
        clock_and_reset!(self, high, low);
        self.high.entries.next = self.arbitration.high.val();
        self.low.entries.next = self.arbitration.low.val();
        self.high.anew.next = self.arbitration.anew.val();
        self.low.anew.next = self.arbitration.anew.val();
        inputs!(self.high, eligible, blocks);
        inputs!(self.low, eligible, blocks);

        // The limit is in units of 4096 bytes; 0 is one packet.
        self.unlimited.next = self.arbitration.limit.val().all();
        self.whole.next = self.one.val();
        if self.arbitration.limit.val().any() {
            self.whole.next = bit_cast::<15, 8>(self.arbitration.limit.val()) << 6;
        }
        self.takes_high.next = self.high.found.val()
            && (self.unlimited.val() || self.left.q.val().any() || !self.low.found.val());
        self.started.d.next = self.starts.val();
        self.is_chosen.d.next =
            (self.high.found.val() || self.low.found.val()) && !self.starts.val() && !self.started.q.val();
        self.chosen_high.d.next = self.takes_high.val();
        self.chosen_vl.d.next = self.low.vl.val();
        self.chosen_entry.d.next = self.low.entry.val();
        self.chosen_goes_on.d.next = self.low.goes_on.val();
        if self.takes_high.val() {
            self.chosen_vl.d.next = self.high.vl.val();
            self.chosen_entry.d.next = self.high.entry.val();
            self.chosen_goes_on.d.next = self.high.goes_on.val();
        }
        self.valid.next = self.is_chosen.q.val();
        self.vl.next = self.chosen_vl.q.val();

        self.high.starts.next = self.starts.val() && self.chosen_high.q.val();
        inputs!(self.high, started: chosen_entry.q, went_on: chosen_goes_on.q);
        self.low.starts.next = self.starts.val() && !self.chosen_high.q.val();
        inputs!(self.low, started: chosen_entry.q, went_on: chosen_goes_on.q);
        self.size.next = bit_cast::<15, 7>(self.blocks.val());
        if self.starts.val() && self.chosen_high.q.val() {
            self.left.d.next = self.left.q.val() - self.size.val();
            if self.left.q.val() <= self.size.val() {
                self.left.d.next = bits::<15>(0);
            }
        }
        if (self.starts.val() && !self.chosen_high.q.val()) || self.arbitration.anew.val() {
            self.left.d.next = self.whole.val();
        }
        if self.reset.val() {
            self.left.d.next = self.one.val();
            clear!(self, is_chosen, started);
        }
    }
}
