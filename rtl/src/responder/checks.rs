//! The first half of the decision on a request: each rule of `protocol/responder.md` section 1 by itself.
use super::{
    LengthCheck, OpcodeSequence, OperationAccess, PsnRegion, RequestOpcode, ResourceCheck, ResponderContext,
    ResponderSettings,
};
use crate::context::state_rights::StateRights;
use crate::receive::RequestArrival;
use hca_hdl::prelude::*;

record! {
    /// The results of a request's checks, and the sums that its execution needs.
    pub struct RequestFlags {
        /// Step 5: high if the QP takes requests.
        pub receives: Bit,
        /// Step 9: high if the PSN is ePSN.
        pub expected: Bit,
        /// Step 9: high if the PSN is in the duplicate region.
        pub duplicate: Bit,
        /// Step 9: high if a NAK went out and ePSN has not come since.
        pub nak_outstanding: Bit,
        /// High if the request is a Send.
        pub send: Bit,
        /// High if the request is a Write.
        pub write: Bit,
        /// High if the request is a Read.
        pub read: Bit,
        /// High if the request is an atomic.
        pub atomic: Bit,
        /// High if the request is a fetch and add.
        pub fetch_add: Bit,
        /// High if the packet is the first or only one of a Send or Write.
        pub begins: Bit,
        /// High if the packet is the last or only one of a Send or Write.
        pub ends: Bit,
        /// High if the packet has an ImmDt.
        pub immediate: Bit,
        /// High if the packet is a Send with Invalidate.
        pub invalidate: Bit,
        /// Step 10: high if the opcode may follow the last one executed.
        pub in_sequence: Bit,
        /// Step 11: high if the QP permits the operation.
        pub enabled: Bit,
        /// Step 12: high if the request takes a receive WQE.
        pub takes_wqe: Bit,
        /// Step 12: high if a receive WQE has arrived in the cache.
        pub posted: Bit,
        /// Step 12: high if a Read or atomic finds no free slot.
        pub crowded: Bit,
        /// Step 13: high if the length is legal, and an atomic is aligned.
        pub length_legal: Bit,
        /// High if the packet writes bytes.
        pub has_payload: Bit,
        /// High if the request is an atomic, or its DMA length is not 0: the key of a Read or atomic counts.
        pub has_data: Bit,
        /// Number of PSNs that the request takes.
        pub packets: Bits<24>,
        /// Bytes of the message before those that this packet writes. For a datagram without network header these are
        /// 40: the room of the header.
        pub offset: Bits<32>,
        /// Bytes that this packet writes: its payload and, for a datagram, its network header if it has one.
        pub bytes: Bits<13>,
        /// High if some of these bytes are a network header.
        pub prefixed: Bit,
        /// Bytes of the message with this packet; bit 32 is the carry.
        pub total: Bits<33>,
        /// Address that a Write's packet goes to.
        pub write_va: Bits<64>,
        /// R_Key of the Write.
        pub write_key: Bits<32>,
        /// Bytes of the Write that are left, this packet's included.
        pub write_left: Bits<32>,
        /// Section 6: high if there is no room for the answer.
        pub lacks_room: Bit,
    }
}

/// Pure function of request, settings, context, and queue levels.
#[derive(LogicBlock, SmartDefault)]
pub struct RequestChecks {
    /// The request.
    pub arrival: Signal<In, RequestArrival>,
    /// Settings of the QP.
    pub settings: Signal<In, ResponderSettings>,
    /// Context of the QP before the request.
    pub context: Signal<In, ResponderContext>,
    /// Number of receive WQEs of the QP that have arrived in the cache, modulo 2^16.
    pub arrived: Signal<In, Bits<16>>,
    /// Number of Reads and atomics of the QP that are answered, modulo 32.
    pub answered: Signal<In, Bits<5>>,
    /// High while so many answers of the QP wait that duplicates of Reads and atomics find no room.
    pub many_answers: Signal<In, Bit>,
    /// High while so many answers of the QP wait that no request finds room.
    pub answers_fill: Signal<In, Bit>,
    /// Results of the checks.
    pub flags: Signal<Out, RequestFlags>,
    rights: StateRights,
    region: PsnRegion,
    opcode: RequestOpcode,
    sequence: OpcodeSequence,
    access: OperationAccess,
    resources: ResourceCheck,
    length: LengthCheck,
    held: Signal<Local, Bit>,
    offset: Signal<Local, Bits<32>>,
    bytes: Signal<Local, Bits<13>>,
    prefixed: Signal<Local, Bit>,
    left: Signal<Local, Bits<32>>,
    write_va: Signal<Local, Bits<64>>,
    write_key: Signal<Local, Bits<32>>,
    round_up: Signal<Local, Bits<33>>,
    packets: Signal<Local, Bits<33>>,
    #[default(constant(256))]
    mad_bytes: Constant<Bits<13>>,
}

#[kernel]
impl Logic for RequestChecks {
    fn update(&mut self) {
        self.rights.state.next = self.context.val().state;
        self.region.psn.next = self.arrival.val().psn;
        self.region.epsn.next = self.context.val().epsn;
        self.opcode.opcode.next = self.arrival.val().opcode;

        self.sequence.open_send.next = self.context.val().open_send;
        self.sequence.open_write.next = self.context.val().open_write;
        wires!(self.opcode, self.sequence, send, write, begins);

        wires!(self.opcode, self.access, send, write, read, atomic);
        self.access.remote_write.next = self.settings.val().remote_write;
        self.access.remote_read.next = self.settings.val().remote_read;
        self.access.remote_atomic.next = self.settings.val().remote_atomic;

        wires!(self.opcode, self.resources, send, write, read, atomic, begins, immediate);
        self.resources.taken.next = self.context.val().taken;
        self.resources.answered.next = self.answered.val();
        self.resources.depth.next = self.settings.val().depth;

        // The message so far; a first or only starts anew.
        self.offset.next = self.context.val().received;
        self.left.next = self.context.val().write_left;
        self.write_va.next = self.context.val().write_va;
        self.write_key.next = self.context.val().write_key;
        if self.opcode.begins.val() {
            self.offset.next = bits::<32>(0);
            self.left.next = self.arrival.val().dma_len;
            self.write_va.next = self.arrival.val().va;
            self.write_key.next = self.arrival.val().r_key;
        }
        // `ud.md` section 3.2.
        self.prefixed.next = self.settings.val().datagram && self.arrival.val().va.get_bit(40);
        self.bytes.next = self.arrival.val().payload;
        if self.prefixed.val() {
            self.bytes.next = self.arrival.val().payload + 40;
        } else if self.settings.val().datagram {
            self.offset.next = bits::<32>(40);
        }
        wires!(self.opcode, self.length, write, read, atomic, begins, ends);
        self.length.pmtu.next = self.settings.val().pmtu;
        self.length.payload.next = self.arrival.val().payload;
        self.length.left.next = self.left.val();
        self.length.dma_len.next = self.arrival.val().dma_len;
        self.length.va.next = self.arrival.val().va;

        // A Read takes a PSN for each response, one at least (CF058).
        self.round_up.next = !((!bits::<33>(0) << bits::<33>(7)) << self.settings.val().pmtu);
        self.packets.next = (bit_cast::<33, 32>(self.arrival.val().dma_len) + self.round_up.val())
            >> (bit_cast::<4, 3>(self.settings.val().pmtu) + 7);
        self.flags.next.packets = bits::<24>(1);
        if self.opcode.read.val() && self.arrival.val().dma_len.any() {
            self.flags.next.packets = bit_cast::<24, 33>(self.packets.val());
        }

        self.flags.next.receives = self.rights.receives.val();
        self.flags.next.lacks_room = self.answers_fill.val()
            || (self.many_answers.val()
                && self.region.duplicate.val()
                && (self.opcode.read.val() || self.opcode.atomic.val()));
        self.flags.next.expected = self.region.expected.val();
        self.flags.next.duplicate = self.region.duplicate.val();
        self.flags.next.nak_outstanding = self.context.val().nak_outstanding;
        self.flags.next.send = self.opcode.send.val();
        self.flags.next.write = self.opcode.write.val();
        self.flags.next.read = self.opcode.read.val();
        self.flags.next.atomic = self.opcode.atomic.val();
        self.flags.next.fetch_add = self.opcode.fetch_add.val();
        self.flags.next.begins = self.opcode.begins.val();
        self.flags.next.ends = self.opcode.ends.val();
        self.flags.next.immediate = self.opcode.immediate.val();
        self.flags.next.invalidate = self.opcode.invalidate.val();
        self.flags.next.in_sequence = self.sequence.legal.val();
        self.flags.next.enabled = self.access.enabled.val();
        // `uc.md` section 3.1: what an abandoned Send gave back, in this packet or before, is used first.
        self.held.next =
            self.context.val().holds || (self.context.val().open_send && self.opcode.begins.val());
        self.flags.next.takes_wqe = self.resources.takes_wqe.val() && !self.held.val();
        self.flags.next.posted = self.arrived.val() != self.context.val().consumer;
        self.flags.next.crowded = self.resources.crowded.val();
        self.flags.next.length_legal = self.length.legal.val();
        // `special_qps.md` section 3 step 9.
        if self.settings.val().datagram && (self.arrival.val().subnet || self.arrival.val().general) {
            self.flags.next.length_legal = self.arrival.val().payload == self.mad_bytes.val();
        }
        self.flags.next.has_payload = self.bytes.val().any();
        self.flags.next.bytes = self.bytes.val();
        self.flags.next.prefixed = self.prefixed.val();
        self.flags.next.has_data = self.opcode.atomic.val() || self.arrival.val().dma_len.any();
        self.flags.next.offset = self.offset.val();
        self.flags.next.total = bit_cast::<33, 32>(self.offset.val()) + bit_cast::<33, 13>(self.bytes.val());
        self.flags.next.write_va = self.write_va.val();
        self.flags.next.write_key = self.write_key.val();
        self.flags.next.write_left = self.left.val();
    }
}
