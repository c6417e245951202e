//! Whether a packet's DGID is one of the port's.
use hca_hdl::prelude::*;

/// Compares a GID with the port's GID table in two cycles (`protocol/link.md` section 2). An entry from 1 on whose GUID
/// is 0 is empty, and no packet is for it.
#[derive(LogicBlock, SmartDefault)]
pub struct GidMatch {
    pub clock: Signal<In, Clock>,
    /// The GID, in the first cycle.
    pub gid: Signal<In, Bits<128>>,
    /// Entry 0 of the table: prefix and GUID.
    pub port_gid: Signal<In, Bits<128>>,
    /// GUIDs of entries 1 to 3 ([`crate::control::GuidTable`]).
    pub port_guids: Signal<In, Bits<192>>,
    /// High in the third cycle if no entry of the table is the given GID.
    pub differs: Signal<Out, Bit>,
    taken: Register<Bits<128>>,
    // For the prefix, the GUID and the GUID of each further entry: high if its low (high) 32 bits differ from those of
    // the given GID.
    prefix_low: Register<Bit>,
    prefix_high: Register<Bit>,
    guid_low: Register<Bit>,
    guid_high: Register<Bit>,
    #[default(array_init::array_init(|_| Default::default()))]
    other_low: [Register<Bit>; 3],
    #[default(array_init::array_init(|_| Default::default()))]
    other_high: [Register<Bit>; 3],
    difference: Signal<Local, Bits<128>>,
    #[default(array_init::array_init(|_| Default::default()))]
    other: [Signal<Local, Bits<64>>; 3],
    #[default(array_init::array_init(|_| Default::default()))]
    other_difference: [Signal<Local, Bits<64>>; 3],
    is_entry: Signal<Local, Bit>,
}

#[kernel]
impl Logic for GidMatch {
    fn update(&mut self) {
        self.taken.d.next = self.gid.val();
        self.difference.next = self.taken.q.val() ^ self.port_gid.val();
        self.guid_low.d.next = self.difference.val().get_bits::<32>(0).any();
        self.guid_high.d.next = self.difference.val().get_bits::<32>(32).any();
        self.prefix_low.d.next = self.difference.val().get_bits::<32>(64).any();
        self.prefix_high.d.next = self.difference.val().get_bits::<32>(96).any();
        self.is_entry.next = !self.guid_low.q.val() && !self.guid_high.q.val();
        for i in 0..3 {
            clock!(self, clock, other_low[i], other_high[i]);
            self.other[i].next = self.port_guids.val().get_bits::<64>(64 * (2 - i));
            self.other_difference[i].next = self.taken.q.val().get_bits::<64>(0) ^ self.other[i].val();
            self.other_low[i].d.next = self.other_difference[i].val().get_bits::<32>(0).any();
            self.other_high[i].d.next = self.other_difference[i].val().get_bits::<32>(32).any();
            if self.other[i].val().any() && !self.other_low[i].q.val() && !self.other_high[i].q.val() {
                self.is_entry.next = true;
            }
        }
        self.differs.next = self.prefix_low.q.val() || self.prefix_high.q.val() || !self.is_entry.val();
    }
}
