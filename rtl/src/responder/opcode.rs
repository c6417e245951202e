//! Decodes the opcode of a request (`protocol/opcodes.csv`, RC).
use hca_hdl::prelude::*;

/// Decodes the opcode's low five bits. If none of `send`, `write`, `read` and `atomic` is high, the opcode is reserved,
/// or one of a later revision.
#[derive(LogicBlock, Default)]
pub struct RequestOpcode {
    /// Opcode of the packet.
    pub opcode: Signal<In, Bits<8>>,
    /// High for a Send.
    pub send: Signal<Out, Bit>,
    /// High for a Write.
    pub write: Signal<Out, Bit>,
    /// High for a Read.
    pub read: Signal<Out, Bit>,
    /// High for an atomic.
    pub atomic: Signal<Out, Bit>,
    /// High for a fetch and add.
    pub fetch_add: Signal<Out, Bit>,
    /// High for the first or only packet of a Send or Write.
    pub begins: Signal<Out, Bit>,
    /// High for the last or only packet of a Send or Write.
    pub ends: Signal<Out, Bit>,
    /// High if the packet has an ImmDt.
    pub immediate: Signal<Out, Bit>,
    /// High for a Send with Invalidate.
    pub invalidate: Signal<Out, Bit>,
    code: Signal<Local, Bits<5>>,
}

#[kernel]
impl Logic for RequestOpcode {
    fn update(&mut self) {
        self.code.next = self.opcode.val().get_bits::<5>(0);
        self.invalidate.next = (self.code.val() == 0x16) || (self.code.val() == 0x17);
        self.send.next = (self.code.val() <= 0x05) || (self.code.val() == 0x16) || (self.code.val() == 0x17);
        self.write.next = (self.code.val() >= 0x06) && (self.code.val() <= 0x0B);
        self.read.next = self.code.val() == 0x0C;
        self.atomic.next = (self.code.val() == 0x13) || (self.code.val() == 0x14);
        self.fetch_add.next = self.code.val() == 0x14;
        self.immediate.next = (self.code.val() == 0x03)
            || (self.code.val() == 0x05)
            || (self.code.val() == 0x09)
            || (self.code.val() == 0x0B);
        self.begins.next = (self.code.val() == 0x00)
            || (self.code.val() == 0x04)
            || (self.code.val() == 0x05)
            || (self.code.val() == 0x06)
            || (self.code.val() == 0x0A)
            || (self.code.val() == 0x0B)
            || (self.code.val() == 0x17);
        self.ends.next = (self.code.val() == 0x02)
            || (self.code.val() == 0x03)
            || (self.code.val() == 0x04)
            || (self.code.val() == 0x05)
            || (self.code.val() == 0x08)
            || (self.code.val() == 0x09)
            || (self.code.val() == 0x0A)
            || (self.code.val() == 0x0B)
            || (self.code.val() == 0x16)
            || (self.code.val() == 0x17);
    }
}
