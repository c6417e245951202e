//! Puts the read bursts of all clients on one AXI4 read channel; their IDs distinguish them.
use super::read_slot::ReadSlot;
use crate::bundle::{ListReadSink, ReadBeatSource, WordReadSink, WqeReadSink};
use hca_hdl::prelude::*;

/// Read ID of payload. Data of one ID comes in the order of its requests.
pub const READ_PAYLOAD: u8 = 0;
/// Read ID of send WQEs.
pub const READ_SEND_WQE: u8 = 1;
/// Read ID of receive WQEs.
pub const READ_RECEIVE_WQE: u8 = 2;
/// Read ID of the responder's SGE lists.
pub const READ_RESPONDER_LIST: u8 = 3;
/// Read ID of the requester's SGE lists for requests.
pub const READ_REQUESTER_LIST: u8 = 4;
/// Read ID of the requester's SGE lists for responses.
pub const READ_RESPONSE_LIST: u8 = 5;
/// Read ID of atomics.
pub const READ_ATOMIC: u8 = 6;

/// Issues a burst a cycle, and one burst every second cycle for one reader. `M`: bus bits.
///
/// Reads that a decision waits for go before payload, but payload gets every second burst while it has a request. All
/// readers have room for the data that they request, so the data channel never waits. Inside, byte 0 is at the most
/// significant end; `*_beats` are the beats of a burst, less one; no burst crosses a 1024-byte boundary.
#[derive(LogicBlock, SmartDefault)]
pub struct ReadArbiter<const M: usize> {
    #[default(provided(
        matches!(M, 64 | 128 | 256 | 512),
        &format!("the memory bus has 64, 128, 256 or 512 bits, not {M}")
    ))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Reads of payload to be sent.
    pub payload: WqeReadSink,

    /// Reads of send WQEs.
    pub send_wqe: WqeReadSink,

    /// Reads of receive WQEs.
    pub receive_wqe: WqeReadSink,

    /// The beat of payload or WQEs that one of `payload`, `send_wqe` and `receive_wqe` is valid for.
    pub data: ReadBeatSource<M>,

    /// Reads of the responder's SGE lists.
    pub responder_list: ListReadSink<M>,

    /// Reads of the requester's SGE lists, for requests.
    pub requester_list: ListReadSink<M>,

    /// Reads of the requester's SGE lists, for responses.
    pub response_list: ListReadSink<M>,

    /// Reads of the eight bytes of an atomic; up to 128 are under way.
    pub atomic: WordReadSink,

    /// Read channels of host memory.
    pub axi: AxiReadSource<M>,

    lanes: ByteReverse<M>,

    payload_slot: ReadSlot,
    send_wqe_slot: ReadSlot,
    receive_wqe_slot: ReadSlot,
    responder_list_slot: ReadSlot,
    requester_list_slot: ReadSlot,
    response_list_slot: ReadSlot,
    atomic_slot: ReadSlot,
    /// High if the request on the bus has not been taken: it stays.
    stays: Register<Bit>,
    /// `chosen` of that request.
    staying: Register<Bits<7>>,
    /// High if the last request was not one of payload.
    payload_next: Register<Bit>,
    /// For each atomic under way: the byte of the beat at which its word begins.
    atomic_offsets: Fifo<Bits<7>, 4>,
    atomic_done: Register<Bit>,
    atomic_failed: Register<Bit>,
    atomic_beat: Register<Bits<M>>,
    atomic_offset: Register<Bits<7>>,

    asks: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<7>>,
    /// Beats 8 | address 64, from the most significant end; 0 for the readers that are not chosen.
    offers: [Signal<Local, Bits<72>>; 7],
    offer: Signal<Local, Bits<72>>,
    goes: Signal<Local, Bit>,

    #[default(Constant::new(!Bits::<64>::from((M / 8 - 1) as u64)))]
    align_mask: Constant<Bits<64>>,
    #[default(constant(M / 8 - 1))]
    offset_mask: Constant<Bits<7>>,
    #[default(constant(512 / M - 1))]
    line_beats: Constant<Bits<8>>,
    #[default(constant(M - 64))]
    below_word: Constant<Bits<10>>,
    #[default(id(READ_PAYLOAD))]
    id_payload: Constant<Bits<4>>,
    #[default(id(READ_SEND_WQE))]
    id_send_wqe: Constant<Bits<4>>,
    #[default(id(READ_RECEIVE_WQE))]
    id_receive_wqe: Constant<Bits<4>>,
    #[default(id(READ_RESPONDER_LIST))]
    id_responder_list: Constant<Bits<4>>,
    #[default(id(READ_REQUESTER_LIST))]
    id_requester_list: Constant<Bits<4>>,
    #[default(id(READ_RESPONSE_LIST))]
    id_response_list: Constant<Bits<4>>,
    #[default(id(READ_ATOMIC))]
    id_atomic: Constant<Bits<4>>,
}

fn id(number: u8) -> Constant<Bits<4>> {
    constant(number)
}

#[kernel]
impl<const M: usize> Logic for ReadArbiter<M> {
    fn update(&mut self) {
        clock_and_reset!(
            self, payload_slot, send_wqe_slot, receive_wqe_slot, responder_list_slot, requester_list_slot,
            response_list_slot, atomic_slot, atomic_offsets
        );

        // Requests.
        inputs!(self.payload_slot, request: payload.request, request_address: payload.address);
        self.payload_slot.request_beats.next = self.payload.beats.val();
        self.payload.ready.next = self.payload_slot.ready.val();
        inputs!(self.send_wqe_slot, request: send_wqe.request, request_address: send_wqe.address);
        self.send_wqe_slot.request_beats.next = self.send_wqe.beats.val();
        self.send_wqe.ready.next = self.send_wqe_slot.ready.val();
        inputs!(self.receive_wqe_slot, request: receive_wqe.request, request_address: receive_wqe.address);
        self.receive_wqe_slot.request_beats.next = self.receive_wqe.beats.val();
        self.receive_wqe.ready.next = self.receive_wqe_slot.ready.val();
        self.responder_list_slot.request.next = self.responder_list.request.val();
        inputs!(self.responder_list_slot, request_address: responder_list.address, request_beats: line_beats);
        self.responder_list.ready.next = self.responder_list_slot.ready.val();
        self.requester_list_slot.request.next = self.requester_list.request.val();
        inputs!(self.requester_list_slot, request_address: requester_list.address, request_beats: line_beats);
        self.requester_list.ready.next = self.requester_list_slot.ready.val();
        self.response_list_slot.request.next = self.response_list.request.val();
        inputs!(self.response_list_slot, request_address: response_list.address, request_beats: line_beats);
        self.response_list.ready.next = self.response_list_slot.ready.val();
        self.atomic_slot.request.next = self.atomic.request.val() && self.atomic_offsets.write.ready.val();
        self.atomic_slot.request_address.next = self.atomic.address.val() & self.align_mask.val();
        self.atomic_slot.request_beats.next = bits::<8>(0);
        self.atomic.ready.next = self.atomic_slot.ready.val() && self.atomic_offsets.write.ready.val();
        self.atomic_offsets.write.valid.next = self.atomic.request.val() && self.atomic_slot.ready.val();
        self.atomic_offsets.write.item.next =
            bit_cast::<7, 64>(self.atomic.address.val()) & self.offset_mask.val();

        // Select the next request: payload takes turns with all other readers. At most one bit of `chosen` is high, in
        // the order of `offers`.
        self.asks.next = self.stays.q.val()
            || self.payload_slot.waits.val()
            || self.atomic_slot.waits.val()
            || self.responder_list_slot.waits.val()
            || self.response_list_slot.waits.val()
            || self.requester_list_slot.waits.val()
            || self.receive_wqe_slot.waits.val()
            || self.send_wqe_slot.waits.val();
        self.chosen.next = bits::<7>(0);
        if self.stays.q.val() {
            self.chosen.next = self.staying.q.val();
        } else if self.payload_slot.waits.val() && self.payload_next.q.val() {
            self.chosen.next = bits::<7>(1);
        } else if self.atomic_slot.waits.val() {
            self.chosen.next = bits::<7>(2);
        } else if self.responder_list_slot.waits.val() {
            self.chosen.next = bits::<7>(4);
        } else if self.response_list_slot.waits.val() {
            self.chosen.next = bits::<7>(8);
        } else if self.requester_list_slot.waits.val() {
            self.chosen.next = bits::<7>(16);
        } else if self.receive_wqe_slot.waits.val() {
            self.chosen.next = bits::<7>(32);
        } else if self.send_wqe_slot.waits.val() {
            self.chosen.next = bits::<7>(64);
        } else if self.payload_slot.waits.val() {
            self.chosen.next = bits::<7>(1);
        }
        self.goes.next = self.asks.val() && self.axi.arready.val();
        self.stays.d.next = self.asks.val() && !self.axi.arready.val();
        self.staying.d.next = self.chosen.val();
        if self.goes.val() {
            self.payload_next.d.next = !self.chosen.val().get_bit(0);
        }
        self.payload_slot.taken.next = self.goes.val() && self.chosen.val().get_bit(0);
        self.atomic_slot.taken.next = self.goes.val() && self.chosen.val().get_bit(1);
        self.responder_list_slot.taken.next = self.goes.val() && self.chosen.val().get_bit(2);
        self.response_list_slot.taken.next = self.goes.val() && self.chosen.val().get_bit(3);
        self.requester_list_slot.taken.next = self.goes.val() && self.chosen.val().get_bit(4);
        self.receive_wqe_slot.taken.next = self.goes.val() && self.chosen.val().get_bit(5);
        self.send_wqe_slot.taken.next = self.goes.val() && self.chosen.val().get_bit(6);
        inputs!(self.axi, arvalid: asks, arid: id_payload);
        if self.chosen.val().get_bit(1) {
            self.axi.arid.next = self.id_atomic.val();
        }
        if self.chosen.val().get_bit(2) {
            self.axi.arid.next = self.id_responder_list.val();
        }
        if self.chosen.val().get_bit(3) {
            self.axi.arid.next = self.id_response_list.val();
        }
        if self.chosen.val().get_bit(4) {
            self.axi.arid.next = self.id_requester_list.val();
        }
        if self.chosen.val().get_bit(5) {
            self.axi.arid.next = self.id_receive_wqe.val();
        }
        if self.chosen.val().get_bit(6) {
            self.axi.arid.next = self.id_send_wqe.val();
        }
        self.offers[0].next = bits::<72>(0);
        if self.chosen.val().get_bit(0) {
            self.offers[0].next = (bit_cast::<72, 8>(self.payload_slot.beats.val()) << 64)
                | bit_cast::<72, 64>(self.payload_slot.address.val());
        }
        self.offers[1].next = bits::<72>(0);
        if self.chosen.val().get_bit(1) {
            self.offers[1].next = (bit_cast::<72, 8>(self.atomic_slot.beats.val()) << 64)
                | bit_cast::<72, 64>(self.atomic_slot.address.val());
        }
        self.offers[2].next = bits::<72>(0);
        if self.chosen.val().get_bit(2) {
            self.offers[2].next = (bit_cast::<72, 8>(self.responder_list_slot.beats.val()) << 64)
                | bit_cast::<72, 64>(self.responder_list_slot.address.val());
        }
        self.offers[3].next = bits::<72>(0);
        if self.chosen.val().get_bit(3) {
            self.offers[3].next = (bit_cast::<72, 8>(self.response_list_slot.beats.val()) << 64)
                | bit_cast::<72, 64>(self.response_list_slot.address.val());
        }
        self.offers[4].next = bits::<72>(0);
        if self.chosen.val().get_bit(4) {
            self.offers[4].next = (bit_cast::<72, 8>(self.requester_list_slot.beats.val()) << 64)
                | bit_cast::<72, 64>(self.requester_list_slot.address.val());
        }
        self.offers[5].next = bits::<72>(0);
        if self.chosen.val().get_bit(5) {
            self.offers[5].next = (bit_cast::<72, 8>(self.receive_wqe_slot.beats.val()) << 64)
                | bit_cast::<72, 64>(self.receive_wqe_slot.address.val());
        }
        self.offers[6].next = bits::<72>(0);
        if self.chosen.val().get_bit(6) {
            self.offers[6].next = (bit_cast::<72, 8>(self.send_wqe_slot.beats.val()) << 64)
                | bit_cast::<72, 64>(self.send_wqe_slot.address.val());
        }
        self.offer.next = (self.offers[0].val() | self.offers[1].val())
            | (self.offers[2].val() | self.offers[3].val())
            | (self.offers[4].val() | self.offers[5].val())
            | self.offers[6].val();
        self.axi.araddr.next = self.offer.val().get_bits::<64>(0);
        self.axi.arlen.next = self.offer.val().get_bits::<8>(64);

        // Hand the data to the reader that its ID names.
        self.axi.rready.next = true;
        self.lanes.i.next = self.axi.rdata.val();
        inputs!(self.data, item: lanes.o, last: axi.rlast);
        self.data.error.next = self.axi.rresp.val().get_bit(1);
        self.payload.valid.next = self.axi.rvalid.val() && (self.axi.rid.val() == self.id_payload.val());
        self.send_wqe.valid.next = self.axi.rvalid.val() && (self.axi.rid.val() == self.id_send_wqe.val());
        self.receive_wqe.valid.next =
            self.axi.rvalid.val() && (self.axi.rid.val() == self.id_receive_wqe.val());

        self.responder_list.valid.next =
            self.axi.rvalid.val() && (self.axi.rid.val() == self.id_responder_list.val());
        inputs!(self.responder_list, data: lanes.o, last: axi.rlast);
        self.responder_list.error.next = self.axi.rresp.val().get_bit(1);
        self.requester_list.valid.next =
            self.axi.rvalid.val() && (self.axi.rid.val() == self.id_requester_list.val());
        inputs!(self.requester_list, data: lanes.o, last: axi.rlast);
        self.requester_list.error.next = self.axi.rresp.val().get_bit(1);
        self.response_list.valid.next =
            self.axi.rvalid.val() && (self.axi.rid.val() == self.id_response_list.val());
        inputs!(self.response_list, data: lanes.o, last: axi.rlast);
        self.response_list.error.next = self.axi.rresp.val().get_bit(1);

        self.atomic_done.d.next = self.axi.rvalid.val() && (self.axi.rid.val() == self.id_atomic.val());
        self.atomic_offsets.read.ready.next =
            self.axi.rvalid.val() && (self.axi.rid.val() == self.id_atomic.val());
        self.atomic_beat.d.next = self.lanes.o.val();
        self.atomic_offset.d.next = self.atomic_offsets.read.item.val();
        self.atomic_failed.d.next = self.axi.rresp.val().get_bit(1);
        inputs!(self.atomic, error: atomic_failed.q, valid: atomic_done.q);
        self.atomic.data.next = bit_cast::<64, M>(
            (self.atomic_beat.q.val() << (bit_cast::<10, 7>(self.atomic_offset.q.val() >> 3) << 6))
                >> self.below_word.val(),
        );

        if self.reset.val() {
            clear!(self, stays, payload_next, atomic_done);
        }
    }
}
