//! The registers of the GUIDs behind the first.
use crate::bundle::RegisterBusSink;
use hca_hdl::prelude::*;
use hca_host::register as map;

/// The registers `PORT_GUID` of a native port, all 0 after reset: entries 1 to 3 of the GID table, whose prefix is that
/// of entry 0 (`protocol/link.md` section 2; CF267).
#[derive(LogicBlock, SmartDefault)]
pub struct GuidTable {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Writes and reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    /// GUID of entry `n` at bits `64 * (3 - n) + 63 : 64 * (3 - n)`.
    pub guids: Signal<Out, Bits<192>>,
    #[default(array_init::array_init(|_| Default::default()))]
    word: [Register<Bits<32>>; 6],
    joined: Concat<32, 6, 192>,
    at_write: Signal<Local, Bit>,
    at_read: Signal<Local, Bit>,
    #[default(constant(map::PORT_GUID as usize >> 5))]
    page: Constant<Bits<15>>,
}

#[kernel]
impl Logic for GuidTable {
    fn update(&mut self) {
        self.at_write.next =
            self.bus.write.val() && (self.bus.write_address.val().get_bits::<15>(5) == self.page.val());
        self.at_read.next = self.bus.read_address.val().get_bits::<15>(5) == self.page.val();
        self.read_data.next = bits::<32>(0);
        for i in 0..6 {
            dff_setup!(self, clock, word[i]);
            self.joined.i[i].next = self.word[i].q.val();
            if self.at_write.val() && (self.bus.write_address.val().get_bits::<3>(2) == i.to_bits::<3>()) {
                self.word[i].d.next = self.bus.write_data.val();
            }
            if self.at_read.val() && (self.bus.read_address.val().get_bits::<3>(2) == i.to_bits::<3>()) {
                self.read_data.next = self.word[i].q.val();
            }
            if self.reset.val() {
                self.word[i].d.next = bits::<32>(0);
            }
        }
        self.guids.next = self.joined.o.val();
    }
}
