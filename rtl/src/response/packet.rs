//! The packet that answers a job.
use crate::context::ConfigFields;
use crate::primitive::comment;
use crate::transmit::{self, TransmitPacket};
use rust_hdl_core::prelude::*;

/// What the answers of a QP take from its configuration, as one row.
#[derive(LogicBlock, Default)]
pub struct AnswerRow {
    pub modify_row: Signal<In, Bits<448>>,
    pub modify_limits: Signal<In, Bits<64>>,
    pub state: Signal<Out, Bits<3>>,
    /// PD 24 | PMTU code 3 | DLID 16 | P_Key 16 | connected QP 24.
    pub row: Signal<Out, Bits<83>>,
    modified: ConfigFields,
}

impl Logic for AnswerRow {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module answer_row");
        self.modified.row.next = self.modify_row.val();
        self.state.next = self.modified.state.val();
        self.row.next = bit_cast::<83, 24>(self.modified.dest_qpn.val())
            | (bit_cast::<83, 16>(self.modified.p_key.val()) << 24)
            | (bit_cast::<83, 16>(self.modified.dlid.val()) << 40)
            | (bit_cast::<83, 3>(self.modified.pmtu.val()) << 56)
            | (bit_cast::<83, 24>(self.modify_limits.val().get_bits::<24>(0)) << 59);
    }
}

/// Acknowledge, atomic acknowledge, or read response by its place (`protocol/responder.md` sections 8 and 9).
#[derive(LogicBlock)]
pub struct AnswerPacket {
    /// [`super::ResponseJob`].
    pub job: Signal<In, Bits<274>>,
    /// [`AnswerRow`].
    pub row: Signal<In, Bits<83>>,
    pub psn: Signal<In, Bits<24>>,
    /// Of a read response: the first, the last of its Read; bytes.
    pub first: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    pub payload: Signal<In, Bits<13>>,
    pub original: Signal<In, Bits<64>>,
    pub packet: Signal<Out, TransmitPacket>,

    kind_read: Constant<Bits<2>>,
    kind_atomic: Constant<Bits<2>>,
    read_response: Constant<Bits<2>>,
    atomic_ack: Constant<Bits<2>>,
    ack: Constant<Bits<2>>,
}

fn two_bits(value: u8) -> Constant<Bits<2>> {
    Constant::new((value as usize).to_bits())
}

impl Default for AnswerPacket {
    fn default() -> Self {
        AnswerPacket {
            job: Default::default(),
            row: Default::default(),
            psn: Default::default(),
            first: Default::default(),
            last: Default::default(),
            payload: Default::default(),
            original: Default::default(),
            packet: Default::default(),
            kind_read: two_bits(super::JOB_READ),
            kind_atomic: two_bits(super::JOB_ATOMIC),
            read_response: two_bits(transmit::KIND_READ_RESPONSE),
            atomic_ack: two_bits(transmit::KIND_ATOMIC_ACK),
            ack: two_bits(transmit::KIND_ACK),
        }
    }
}

impl Logic for AnswerPacket {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module answer_packet");
        self.packet.next.kind = self.ack.val();
        self.packet.next.last = true;
        self.packet.next.opcode = bits::<8>(0x11);
        self.packet.next.payload = bits::<13>(0);
        if self.job.val().get_bits::<2>(0) == self.kind_atomic.val() {
            self.packet.next.kind = self.atomic_ack.val();
            self.packet.next.opcode = bits::<8>(0x12);
        }
        if self.job.val().get_bits::<2>(0) == self.kind_read.val() {
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
        self.packet.next.qpn = self.job.val().get_bits::<24>(2);
        self.packet.next.dlid = self.row.val().get_bits::<16>(40);
        self.packet.next.slid = self.job.val().get_bits::<16>(82);
        self.packet.next.sl = self.job.val().get_bits::<4>(98);
        self.packet.next.solicited = false;
        self.packet.next.p_key = self.row.val().get_bits::<16>(24);
        self.packet.next.dest_qp = self.row.val().get_bits::<24>(0);
        self.packet.next.ack_req = false;
        self.packet.next.psn = self.psn.val();
        self.packet.next.va = bits::<64>(0);
        self.packet.next.r_key = bits::<32>(0);
        self.packet.next.dma_len = bits::<32>(0);
        self.packet.next.swap_add = bits::<64>(0);
        self.packet.next.compare = bits::<64>(0);
        self.packet.next.syndrome = self.job.val().get_bits::<8>(50);
        self.packet.next.msn = self.job.val().get_bits::<24>(58);
        self.packet.next.original = self.original.val();
        self.packet.next.immediate = bits::<32>(0);
    }
}
