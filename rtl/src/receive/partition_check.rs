//! Checks whether a packet is of a partition that its QP belongs to.
use super::PKeyMatch;
use hca_hdl::prelude::*;

/// The check of `protocol/responder.md` section 1 step 7; which P_Keys count depends on the QP
/// (`protocol/special_qps.md` section 1).
#[derive(LogicBlock, Default)]
pub struct PartitionCheck {
    /// High if the packet names QP0.
    pub subnet: Signal<In, Bit>,
    /// High if the packet names QP1.
    pub general: Signal<In, Bit>,
    /// P_Key of the packet.
    pub p_key: Signal<In, Bits<16>>,
    /// Index of the QP's entry in the table.
    pub own_index: Signal<In, Bits<2>>,
    /// The port's P_Key table: entry `n` at bits `16 * n + 15 : 16 * n`.
    pub port_p_keys: Signal<In, Bits<64>>,
    /// The packet passes if all five bits are high. Each is a part of a comparison with a long path.
    pub passes: Signal<Out, Bits<5>>,
    /// High for a packet to QP1 whose P_Key matches the port's table.
    pub in_table: Signal<Out, Bit>,
    /// With `in_table`: index of the first entry that matches.
    pub index: Signal<Out, Bits<2>>,
    entry: [PKeyMatch; 4],
    any_entry: Signal<Local, Bit>,
}

#[kernel]
impl Logic for PartitionCheck {
    fn update(&mut self) {
        for i in 0..4 {
            self.entry[i].p_key.next = self.p_key.val();
            self.entry[i].entry.next = self.port_p_keys.val().get_bits::<16>(i * 16);
        }
        self.any_entry.next = self.entry[0].same.val().all()
            || self.entry[1].same.val().all()
            || self.entry[2].same.val().all()
            || self.entry[3].same.val().all();
        self.index.next = bits::<2>(3);
        if self.entry[2].same.val().all() {
            self.index.next = bits::<2>(2);
        }
        if self.entry[1].same.val().all() {
            self.index.next = bits::<2>(1);
        }
        if self.entry[0].same.val().all() {
            self.index.next = bits::<2>(0);
        }
        self.in_table.next = false;
        if self.subnet.val() {
            // QP0: not checked (CF051).
            self.passes.next = bits::<5>(31);
        } else if self.general.val() {
            // QP1: any entry of the port (CF052).
            self.passes.next = bits::<5>(0);
            if self.any_entry.val() {
                self.passes.next = bits::<5>(31);
            }
            self.in_table.next = self.any_entry.val();
        } else {
            // Any other: its own (CF050).
            self.passes.next = self.entry[0].same.val();
            if self.own_index.val() == 1 {
                self.passes.next = self.entry[1].same.val();
            }
            if self.own_index.val() == 2 {
                self.passes.next = self.entry[2].same.val();
            }
            if self.own_index.val() == 3 {
                self.passes.next = self.entry[3].same.val();
            }
        }
    }
}
