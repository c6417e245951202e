//! The registers of VL arbitration.
use crate::bundle::{RegisterBusSink, VlArbitrationSource};
use hca_hdl::prelude::*;
use hca_host::register as map;

/// The registers `VL_ARBITRATION` and `VL_HIGH_LIMIT` (`protocol/link.md` section 6). After reset the high table is
/// empty, and the low one has an entry of weight 64 for each data VL. `VB`: log2 of the data VLs that the port has.
#[derive(LogicBlock, SmartDefault)]
pub struct VlArbitration<const VB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Writes and reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    /// The tables and the limit.
    pub arbitration: VlArbitrationSource,

    /// Entry 2 `n` + 1 at bits 23:12, entry 2 `n` at bits 11:0: VL 4 | weight 8. Words 0 to 3 are the high table.
    #[default(array_init::array_init(|_| Default::default()))]
    word: [Register<Bits<24>>; 8],
    #[default(array_init::array_init(|n| constant(reset_word(n, 1 << VB))))]
    first: [Constant<Bits<24>>; 8],
    limit: Register<Bits<8>>,
    changed: Register<Bit>,
    high: Concat<24, 4, 96>,
    low: Concat<24, 4, 96>,
    written: Signal<Local, Bits<24>>,
    read: Signal<Local, Bits<24>>,
    at_word: Signal<Local, Bit>,
    at_limit: Signal<Local, Bit>,
    #[default(constant(map::VL_ARBITRATION as usize >> 5))]
    page: Constant<Bits<15>>,
    #[default(constant(map::VL_HIGH_LIMIT))]
    a_limit: Constant<Bits<20>>,
    #[default(constant(map::VL_ARBITRATION_ENTRIES << 8))]
    entries: Constant<Bits<32>>,
}

/// Word `n` after reset, for a port of `vls` data VLs.
fn reset_word(n: usize, vls: usize) -> usize {
    let entry = |at: usize| match n.checked_sub(4) {
        Some(low) if 2 * low + at < vls => (2 * low + at) << 8 | 64,
        _ => 0,
    };
    entry(1) << 12 | entry(0)
}

#[kernel]
impl<const VB: usize> Logic for VlArbitration<VB> {
    fn update(&mut self) {
        self.at_word.next =
            self.bus.write.val() && (self.bus.write_address.val().get_bits::<15>(5) == self.page.val());
        self.at_limit.next = self.bus.write.val() && (self.bus.write_address.val() == self.a_limit.val());
        self.written.next = (bit_cast::<24, 12>(self.bus.write_data.val().get_bits::<12>(16)) << 12)
            | bit_cast::<24, 12>(self.bus.write_data.val().get_bits::<12>(0));
        self.read.next = bits::<24>(0);
        for i in 0..8 {
            dff_setup!(self, clock, word[i]);
            if self.at_word.val() && (self.bus.write_address.val().get_bits::<3>(2) == i.to_bits::<3>()) {
                self.word[i].d.next = self.written.val();
            }
            if self.bus.read_address.val().get_bits::<3>(2) == i.to_bits::<3>() {
                self.read.next = self.word[i].q.val();
            }
            if self.reset.val() {
                self.word[i].d.next = self.first[i].val();
            }
        }
        for i in 0..4 {
            self.high.i[3 - i].next = self.word[i].q.val();
            self.low.i[3 - i].next = self.word[i + 4].q.val();
        }
        if self.at_limit.val() {
            self.limit.d.next = self.bus.write_data.val().get_bits::<8>(0);
        }
        self.changed.d.next = self.at_word.val() || self.at_limit.val();
        inputs!(self.arbitration, high: high.o, low: low.o, limit: limit.q, anew: changed.q);

        self.read_data.next = bits::<32>(0);
        if self.bus.read_address.val().get_bits::<15>(5) == self.page.val() {
            self.read_data.next = (bit_cast::<32, 12>(self.read.val().get_bits::<12>(12)) << 16)
                | bit_cast::<32, 12>(self.read.val().get_bits::<12>(0));
        }
        if self.bus.read_address.val() == self.a_limit.val() {
            self.read_data.next = self.entries.val() | bit_cast::<32, 8>(self.limit.q.val());
        }
        if self.reset.val() {
            clear!(self, limit, changed);
        }
    }
}
