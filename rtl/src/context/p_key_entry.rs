//! Reads the port's P_Key table.
use hca_hdl::prelude::*;

/// Pure function.
#[derive(LogicBlock, Default)]
pub struct PKeyEntry {
    /// The table: entry `n` at bits `16 * n + 15 : 16 * n`.
    pub port_p_keys: Signal<In, Bits<64>>,
    /// Index of an entry.
    pub index: Signal<In, Bits<2>>,
    /// P_Key of that entry.
    pub p_key: Signal<Out, Bits<16>>,
}

#[kernel]
impl Logic for PKeyEntry {
    fn update(&mut self) {
        self.p_key.next = self.port_p_keys.val().get_bits::<16>(0);
        if self.index.val() == 1 {
            self.p_key.next = self.port_p_keys.val().get_bits::<16>(16);
        }
        if self.index.val() == 2 {
            self.p_key.next = self.port_p_keys.val().get_bits::<16>(32);
        }
        if self.index.val() == 3 {
            self.p_key.next = self.port_p_keys.val().get_bits::<16>(48);
        }
    }
}
