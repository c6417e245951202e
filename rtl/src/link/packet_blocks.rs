//! The blocks of a packet to send.
use crate::wire::OpcodeTable;
use hca_hdl::prelude::*;

/// Blocks of 64 bytes that a packet takes of its VL's credits, its VCRC counted (`protocol/link.md` section 5).
#[derive(LogicBlock, Default)]
pub struct PacketBlocks {
    /// Opcode of the packet.
    pub opcode: Signal<In, Bits<8>>,
    /// High if the packet has a GRH.
    pub has_grh: Signal<In, Bit>,
    /// Bytes of payload, without pad.
    pub payload: Signal<In, Bits<13>>,
    /// Number of blocks, 1 to 66.
    pub blocks: Signal<Out, Bits<7>>,
    table: OpcodeTable,
    network_words: Signal<Local, Bits<11>>,
    words: Signal<Local, Bits<11>>,
}

#[kernel]
impl Logic for PacketBlocks {
    fn update(&mut self) {
        self.table.opcode.next = self.opcode.val();
        // LRH, perhaps GRH, and ICRC.
        self.network_words.next = bits::<11>(3);
        if self.has_grh.val() {
            self.network_words.next = bits::<11>(13);
        }
        self.words.next = bit_cast::<11, 13>((self.payload.val() + 3) >> 2)
            + (self.network_words.val() + bit_cast::<11, 4>(self.table.words.val()));
        // Behind these words stand the two bytes of the VCRC: 16 words and they begin a second block.
        self.blocks.next = self.words.val().get_bits::<7>(4) + 1;
    }
}
