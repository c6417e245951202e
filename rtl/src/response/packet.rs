//! Forms the packet of an answer.
use super::{MadeAnswer, ResponseJob};
use crate::transmit::{self, TransmitPacket};
use hca_hdl::prelude::*;

/// Syndrome of the NAK in place of a read response.
pub const NAK_REMOTE_ACCESS: u8 = 0x62;

/// Forms an Acknowledge, an atomic acknowledge, or a read response by its place (`protocol/responder.md` sections 8 and
/// 9).
#[derive(LogicBlock, SmartDefault)]
pub struct AnswerPacket {
    /// The answer.
    pub answer: Signal<In, MadeAnswer>,

    /// Header fields of the packet.
    pub packet: Signal<Out, TransmitPacket>,
    /// NAK job in place of a read response that cannot be made (`responder.md` sections 5 and 7).
    pub nak: Signal<Out, ResponseJob>,

    first: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    payload: Signal<Local, Bits<13>>,
    kind: Signal<Local, Bits<2>>,
    #[default(constant(NAK_REMOTE_ACCESS))]
    remote_access: Constant<Bits<8>>,
    #[default(two_bits(super::JOB_ACK))]
    kind_ack: Constant<Bits<2>>,
    #[default(two_bits(super::JOB_READ))]
    kind_read: Constant<Bits<2>>,
    #[default(two_bits(super::JOB_ATOMIC))]
    kind_atomic: Constant<Bits<2>>,
    #[default(two_bits(transmit::KIND_READ_RESPONSE))]
    read_response: Constant<Bits<2>>,
    #[default(two_bits(transmit::KIND_ATOMIC_ACK))]
    atomic_ack: Constant<Bits<2>>,
    #[default(two_bits(transmit::KIND_ACK))]
    ack: Constant<Bits<2>>,
}

fn two_bits(value: u8) -> Constant<Bits<2>> {
    constant(value)
}

#[kernel]
impl Logic for AnswerPacket {
    fn update(&mut self) {
        self.kind.next = self.answer.val().kind;
        self.first.next = self.answer.val().first;
        self.last.next = self.answer.val().last;
        self.payload.next = self.answer.val().payload;

        self.packet.next.kind = self.ack.val();
        self.packet.next.last = true;
        self.packet.next.opcode = bits::<8>(0x11);
        self.packet.next.payload = bits::<13>(0);
        if self.kind.val() == self.kind_atomic.val() {
            self.packet.next.kind = self.atomic_ack.val();
            self.packet.next.opcode = bits::<8>(0x12);
        }
        if self.kind.val() == self.kind_read.val() {
            self.packet.next.kind = self.read_response.val();
            self.packet.next.last = self.last.val();
            self.packet.next.payload = self.payload.val();
            self.packet.next.opcode = bits::<8>(0x0E);
            if self.first.val() {
                self.packet.next.opcode = bits::<8>(0x0D);
            }
            if self.last.val() {
                self.packet.next.opcode = bits::<8>(0x0F);
            }
            if self.first.val() && self.last.val() {
                self.packet.next.opcode = bits::<8>(0x10);
            }
        }
        self.packet.next.qpn = self.answer.val().qpn;
        self.packet.next.dlid = self.answer.val().dlid;
        self.packet.next.slid = self.answer.val().slid;
        self.packet.next.sl = self.answer.val().sl;
        self.packet.next.solicited = false;
        self.packet.next.p_key_index = self.answer.val().p_key_index;
        self.packet.next.dest_qp = self.answer.val().dest_qpn;
        self.packet.next.ack_req = false;
        self.packet.next.psn = self.answer.val().psn;
        self.packet.next.va = self.answer.val().original;
        self.packet.next.r_key =
            (bit_cast::<32, 8>(self.answer.val().syndrome) << 24) | bit_cast::<32, 24>(self.answer.val().msn);
        self.packet.next.swap_add = bits::<64>(0);
        self.packet.next.compare = bits::<64>(0);
        self.packet.next.discard = false;
        self.packet.next.lane = self.answer.val().lane;
        self.packet.next.mark = self.answer.val().mark;
        self.packet.next.port = self.answer.val().port;
        self.packet.next.subnet = false;
        self.packet.next.general = false;

        self.nak.next.kind = self.kind_ack.val();
        self.nak.next.qpn = self.answer.val().qpn;
        self.nak.next.psn = self.answer.val().psn;
        self.nak.next.syndrome = self.remote_access.val();
        self.nak.next.msn = self.answer.val().msn;
        self.nak.next.slid = self.answer.val().slid;
        self.nak.next.sl = self.answer.val().sl;
        self.nak.next.va = bits::<64>(0);
        self.nak.next.r_key = bits::<32>(0);
        self.nak.next.length = bits::<32>(0);
        self.nak.next.slot = bits::<4>(0);
        self.nak.next.fence = bits::<16>(0);
    }
}
