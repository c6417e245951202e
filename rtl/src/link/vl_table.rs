//! One table of VL arbitration.
use hca_hdl::prelude::*;

/// Weighted round robin over the 8 entries of a table (`protocol/link.md` section 6; CF268 to CF270).
///
/// An entry of weight 0, or one whose VL has no packet that may start, is skipped. An entry may start a packet while it
/// has sent fewer blocks than its weight.
#[derive(LogicBlock, SmartDefault)]
pub struct VlTable {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Entry `n`: VL in bits `12 * n + 11 : 12 * n + 8`, weight in blocks of 64 bytes in bits `12 * n + 7 : 12 * n`.
    pub entries: Signal<In, Bits<96>>,
    /// High for one cycle when the turns begin anew, at entry 0.
    pub anew: Signal<In, Bit>,
    /// Bit `n`: high if the oldest packet of data VL `n` may start.
    pub eligible: Signal<In, Bits<16>>,
    /// High if an entry has a packet.
    pub found: Signal<Out, Bit>,
    /// Number of the first such entry in turn.
    pub entry: Signal<Out, Bits<3>>,
    /// VL of that entry.
    pub vl: Signal<Out, Bits<4>>,
    /// High if the turn of that entry goes on; low if it begins.
    pub goes_on: Signal<Out, Bit>,
    /// High for one cycle when a packet of this table starts.
    pub starts: Signal<In, Bit>,
    /// With `starts`: number of its entry.
    pub started: Signal<In, Bits<3>>,
    /// With `starts`: high if the turn of that entry goes on.
    pub went_on: Signal<In, Bit>,
    /// With `starts`: blocks of the packet.
    pub blocks: Signal<In, Bits<7>>,

    /// The entry that has its turn.
    current: Register<Bits<3>>,
    /// Blocks that it has sent in this turn.
    used: Register<Bits<9>>,
    /// Bit `n`: high if entry `n` has a weight and a packet.
    usable: Concat<1, 8, 8>,
    behind: Signal<Local, Bits<8>>,
    chosen: Signal<Local, Bits<8>>,
    stays: Signal<Local, Bit>,
    weight: Signal<Local, Bits<8>>,
    current_vl: Signal<Local, Bits<4>>,
    is_usable: Signal<Local, Bit>,
    #[default(constant(0xFE))]
    above: Constant<Bits<8>>,
}

#[kernel]
impl Logic for VlTable {
    fn update(&mut self) {
        self.weight.next = bits::<8>(0);
        self.current_vl.next = bits::<4>(0);
        self.is_usable.next = false;
        for i in 0..8 {
            self.usable.i[7 - i].next = (self.entries.val().get_bits::<8>(i * 12).any()
                && self
                    .eligible
                    .val()
                    .get_bit(self.entries.val().get_bits::<4>(i * 12 + 8).index()))
            .into();
            if self.current.q.val() == i.to_bits::<3>() {
                self.weight.next = self.entries.val().get_bits::<8>(i * 12);
                self.current_vl.next = self.entries.val().get_bits::<4>(i * 12 + 8);
                self.is_usable.next = self.usable.o.val().get_bit(i);
            }
        }
        self.stays.next = self.is_usable.val() && (self.used.q.val() < bit_cast::<9, 8>(self.weight.val()));
        // The entries behind the current one, then from the first on.
        self.behind.next = self.usable.o.val() & (self.above.val() << self.current.q.val());
        self.chosen.next = self.usable.o.val();
        if self.behind.val().any() {
            self.chosen.next = self.behind.val();
        }
        self.entry.next = bits::<3>(0);
        self.vl.next = bits::<4>(0);
        for i in 0..8 {
            if self.chosen.val().get_bit(7 - i) {
                self.entry.next = (7 - i).to_bits::<3>();
                self.vl.next = self.entries.val().get_bits::<4>((7 - i) * 12 + 8);
            }
        }
        if self.stays.val() {
            self.entry.next = self.current.q.val();
            self.vl.next = self.current_vl.val();
        }
        self.found.next = self.usable.o.val().any();
        self.goes_on.next = self.stays.val();

        if self.starts.val() {
            self.current.d.next = self.started.val();
            self.used.d.next = bit_cast::<9, 7>(self.blocks.val());
            if self.went_on.val() {
                self.used.d.next = self.used.q.val() + bit_cast::<9, 7>(self.blocks.val());
            }
        }
        if self.anew.val() || self.reset.val() {
            clear!(self, current, used);
        }
    }
}
