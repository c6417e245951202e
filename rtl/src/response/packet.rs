//! Forms the packet that answers a job.
use super::row::AnswerConfig;
use super::ResponseJob;
use crate::transmit::{self, TransmitPacket};
use hca_hdl::prelude::*;

/// Syndrome of the NAK in place of a read response.
pub const NAK_REMOTE_ACCESS: u8 = 0x62;

/// Forms an Acknowledge, an atomic acknowledge, or a read response by its place (`protocol/responder.md` sections 8 and
/// 9).
#[derive(LogicBlock, SmartDefault)]
pub struct AnswerPacket {
    /// The job that is answered.
    pub job: Signal<In, ResponseJob>,
    /// Configuration of the QP ([`super::row::AnswerRow`]).
    pub row: Signal<In, AnswerConfig>,
    /// PSN of the packet.
    pub psn: Signal<In, Bits<24>>,
    /// Number of responses of the Read before this one.
    pub responses: Signal<In, Bits<24>>,
    /// Number of bytes of the Read that are not read yet.
    pub left: Signal<In, Bits<32>>,
    /// `last` of an earlier cycle, for the packet.
    pub known_last: Signal<In, Bit>,
    /// `payload` of an earlier cycle, for the packet.
    pub known_payload: Signal<In, Bits<13>>,
    /// Place whose room the packet takes ([`crate::link::PacketLane`]); 16 if it takes none.
    pub lane: Signal<In, Bits<5>>,
    /// Mark of the packet, 0 if it is not paced.
    pub mark: Signal<In, Bits<3>>,
    /// Value before an atomic.
    pub original: Signal<In, Bits<64>>,

    /// High if the job is an atomic.
    pub is_atomic: Signal<Out, Bit>,
    /// High if a read response is the last of its Read.
    pub last: Signal<Out, Bit>,
    /// Bytes of a read response.
    pub payload: Signal<Out, Bits<13>>,
    /// Header fields of the packet.
    pub packet: Signal<Out, TransmitPacket>,
    /// NAK job in place of a read response that cannot be made (`responder.md` sections 5 and 7).
    pub nak: Signal<Out, ResponseJob>,

    first: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    pmtu: Signal<Local, Bits<13>>,
    bytes: Signal<Local, Bits<13>>,
    kind: Signal<Local, Bits<2>>,
    #[default(constant(128))]
    bytes_128: Constant<Bits<13>>,
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
        self.kind.next = self.job.val().kind;
        self.is_atomic.next = self.kind.val() == self.kind_atomic.val();
        // The PMTU of code c is 128 << c (`protocol/pmtu.csv`).
        self.pmtu.next = self.bytes_128.val() << self.row.val().pmtu;
        self.first.next = !self.responses.val().any();
        self.ends.next = self.left.val() <= bit_cast::<32, 13>(self.pmtu.val());
        self.bytes.next = self.pmtu.val();
        if self.ends.val() {
            self.bytes.next = self.left.val().get_bits::<13>(0);
        }
        self.last.next = self.ends.val();
        self.payload.next = self.bytes.val();

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
            self.packet.next.last = self.known_last.val();
            self.packet.next.payload = self.known_payload.val();
            self.packet.next.opcode = bits::<8>(0x0E);
            if self.first.val() {
                self.packet.next.opcode = bits::<8>(0x0D);
            }
            if self.known_last.val() {
                self.packet.next.opcode = bits::<8>(0x0F);
            }
            if self.first.val() && self.known_last.val() {
                self.packet.next.opcode = bits::<8>(0x10);
            }
        }
        self.packet.next.qpn = self.job.val().qpn;
        self.packet.next.dlid = self.row.val().dlid;
        self.packet.next.slid = self.job.val().slid;
        self.packet.next.sl = self.job.val().sl;
        self.packet.next.solicited = false;
        self.packet.next.p_key_index = self.row.val().p_key_index;
        self.packet.next.dest_qp = self.row.val().dest_qpn;
        self.packet.next.ack_req = false;
        self.packet.next.psn = self.psn.val();
        self.packet.next.va = self.original.val();
        self.packet.next.r_key =
            (bit_cast::<32, 8>(self.job.val().syndrome) << 24) | bit_cast::<32, 24>(self.job.val().msn);
        self.packet.next.swap_add = bits::<64>(0);
        self.packet.next.compare = bits::<64>(0);
        self.packet.next.discard = false;
        self.packet.next.lane = self.lane.val();
        self.packet.next.mark = self.mark.val();
        self.packet.next.port = self.row.val().port;
        self.packet.next.subnet = false;
        self.packet.next.general = false;

        self.nak.next.kind = self.kind_ack.val();
        self.nak.next.qpn = self.job.val().qpn;
        self.nak.next.psn = self.psn.val();
        self.nak.next.syndrome = self.remote_access.val();
        self.nak.next.msn = self.job.val().msn;
        self.nak.next.slid = self.job.val().slid;
        self.nak.next.sl = self.job.val().sl;
        self.nak.next.va = bits::<64>(0);
        self.nak.next.r_key = bits::<32>(0);
        self.nak.next.length = bits::<32>(0);
        self.nak.next.slot = bits::<4>(0);
        self.nak.next.fence = bits::<16>(0);
        self.nak.next.last_psn = self.psn.val();
    }
}
