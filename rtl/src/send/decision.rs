//! The next packet of a Send.
use crate::primitive::comment;
use rust_hdl_core::prelude::*;

/// `protocol/requester.md` section 2, `headers.md` section 4. Pure function of how far the message is.
#[derive(LogicBlock, Default)]
pub struct SendDecision {
    /// Bytes sent of the message.
    pub offset: Signal<In, Bits<32>>,
    /// Bytes of the message.
    pub length: Signal<In, Bits<32>>,
    /// Code of `pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,

    pub opcode: Signal<Out, Bits<8>>,
    /// Bytes.
    pub payload: Signal<Out, Bits<13>>,
    /// On first, last and only (CF159); a limited Send would need it on its first packet (CF198).
    pub ack_req: Signal<Out, Bit>,
    pub ends: Signal<Out, Bit>,

    remaining: Signal<Local, Bits<32>>,
    pmtu_bytes: Signal<Local, Bits<32>>,
    begins: Signal<Local, Bit>,
    final_packet: Signal<Local, Bit>,
}

impl Logic for SendDecision {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module send_decision");
        self.pmtu_bytes.next = bits::<32>(128) << self.pmtu.val();
        self.remaining.next = self.length.val() - self.offset.val();
        self.begins.next = !self.offset.val().any();
        self.final_packet.next = self.remaining.val() <= self.pmtu_bytes.val();
        self.ends.next = self.final_packet.val();
        self.ack_req.next = self.begins.val() || self.final_packet.val();
        self.payload.next = bit_cast::<13, 32>(self.pmtu_bytes.val());
        if self.final_packet.val() {
            self.payload.next = bit_cast::<13, 32>(self.remaining.val());
        }
        // Send first 00h, middle 01h, last 02h, only 04h.
        self.opcode.next = bits::<8>(0x01);
        if self.begins.val() {
            self.opcode.next = bits::<8>(0x00);
        }
        if self.final_packet.val() {
            self.opcode.next = bits::<8>(0x02);
            if self.begins.val() {
                self.opcode.next = bits::<8>(0x04);
            }
        }
    }
}
