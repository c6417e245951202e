//! The source GID of a packet that leaves.
use hca_hdl::prelude::*;

/// Looks an SGID index up in the GID table: the prefix joined with the GUID of the entry (`protocol/link.md` section 2;
/// CF267). Combinational.
#[derive(LogicBlock, Default)]
pub struct GidChoice {
    /// Entry 0 of the table: prefix and GUID.
    pub port_gid: Signal<In, Bits<128>>,
    /// GUIDs of entries 1 to 3 ([`crate::control::GuidTable`]).
    pub port_guids: Signal<In, Bits<192>>,
    /// Index of the entry.
    pub index: Signal<In, Bits<2>>,
    /// Its GID.
    pub gid: Signal<Out, Bits<128>>,
    guid: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for GidChoice {
    fn update(&mut self) {
        self.guid.next = self.port_gid.val().get_bits::<64>(0);
        for i in 1..4 {
            if self.index.val() == i.to_bits::<2>() {
                self.guid.next = self.port_guids.val().get_bits::<64>(64 * (3 - i));
            }
        }
        self.gid.next = (bit_cast::<128, 64>(self.port_gid.val().get_bits::<64>(64)) << 64)
            | bit_cast::<128, 64>(self.guid.val());
    }
}
