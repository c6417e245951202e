//! Puts the read bursts of all clients on one AXI4 read channel; their IDs distinguish them.
use super::read_slot::ReadSlot;
use super::LineAssembly;
use hca_hdl::bundle::AxiReadSource;
use hca_hdl::primitive::{clock, comment, constant, dff_setup, provided, ByteReverse, Fifo, Register};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

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

/// Issues a burst a clock, and one burst every second clock for one reader. `M`: bus bits.
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

    pub payload_request: Signal<In, Bit>,
    pub payload_ready: Signal<Out, Bit>,
    pub payload_address: Signal<In, Bits<64>>,
    pub payload_beats: Signal<In, Bits<8>>,
    pub payload_valid: Signal<Out, Bit>,

    pub send_wqe_request: Signal<In, Bit>,
    pub send_wqe_ready: Signal<Out, Bit>,
    pub send_wqe_address: Signal<In, Bits<64>>,
    pub send_wqe_beats: Signal<In, Bits<8>>,
    pub send_wqe_valid: Signal<Out, Bit>,

    pub receive_wqe_request: Signal<In, Bit>,
    pub receive_wqe_ready: Signal<Out, Bit>,
    pub receive_wqe_address: Signal<In, Bits<64>>,
    pub receive_wqe_beats: Signal<In, Bits<8>>,
    pub receive_wqe_valid: Signal<Out, Bit>,

    /// The beat of payload or WQEs that one of the three `valid` signals is high for.
    pub data: Signal<Out, Bits<M>>,
    /// High with the last beat of a burst.
    pub data_last: Signal<Out, Bit>,
    /// High if memory answered with SLVERR or DECERR: the beat is not the content of memory.
    pub data_error: Signal<Out, Bit>,

    /// Reads of 64 bytes at a 64-byte aligned address, as for the other lists.
    pub responder_list_request: Signal<In, Bit>,
    pub responder_list_ready: Signal<Out, Bit>,
    pub responder_list_address: Signal<In, Bits<64>>,
    pub responder_list_valid: Signal<Out, Bit>,
    pub responder_list_data: Signal<Out, Bits<512>>,

    pub requester_list_request: Signal<In, Bit>,
    pub requester_list_ready: Signal<Out, Bit>,
    pub requester_list_address: Signal<In, Bits<64>>,
    pub requester_list_valid: Signal<Out, Bit>,
    pub requester_list_data: Signal<Out, Bits<512>>,

    pub response_list_request: Signal<In, Bit>,
    pub response_list_ready: Signal<Out, Bit>,
    pub response_list_address: Signal<In, Bits<64>>,
    pub response_list_valid: Signal<Out, Bit>,
    pub response_list_data: Signal<Out, Bits<512>>,

    /// Reads of 8 bytes at an 8-byte aligned address; up to 128 are under way.
    pub atomic_request: Signal<In, Bit>,
    pub atomic_ready: Signal<Out, Bit>,
    pub atomic_address: Signal<In, Bits<64>>,
    pub atomic_valid: Signal<Out, Bit>,
    pub atomic_data: Signal<Out, Bits<64>>,
    pub atomic_error: Signal<Out, Bit>,

    /// Read channels of host memory.
    pub axi: AxiReadSource<M>,

    lanes: ByteReverse<M>,
    responder_list: LineAssembly<M>,
    requester_list: LineAssembly<M>,
    response_list: LineAssembly<M>,

    payload: ReadSlot,
    send_wqe: ReadSlot,
    receive_wqe: ReadSlot,
    responder_list_slot: ReadSlot,
    requester_list_slot: ReadSlot,
    response_list_slot: ReadSlot,
    atomic: ReadSlot,
    /// High if the request on the bus has not been taken: it stays.
    stays: Register<Bit>,
    /// `chosen` of that request.
    staying: Register<Bits<7>>,
    /// High if the last request was not one of payload.
    payload_next: Register<Bit>,
    /// For each atomic under way: the byte of the beat at which its word begins.
    atomic_offsets: Fifo<7, 4>,
    atomic_done: Register<Bit>,
    atomic_failed: Register<Bit>,
    atomic_beat: Register<Bits<M>>,
    atomic_offset: Register<Bits<7>>,

    asks: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<7>>,
    /// Beats 8 | address 64; 0 for the readers that are not chosen.
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

impl<const M: usize> Logic for ReadArbiter<M> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module read_arbiter");
        dff_setup!(
            self, clock, stays, staying, payload_next, atomic_done, atomic_failed, atomic_beat, atomic_offset
        );
        clock!(
            self, clock, responder_list, requester_list, response_list, payload, send_wqe, receive_wqe,
            responder_list_slot, requester_list_slot, response_list_slot, atomic, atomic_offsets
        );
        self.responder_list.reset.next = self.reset.val();
        self.requester_list.reset.next = self.reset.val();
        self.response_list.reset.next = self.reset.val();

        // Requests.
        self.payload.reset.next = self.reset.val();
        self.payload.request.next = self.payload_request.val();
        self.payload.request_address.next = self.payload_address.val();
        self.payload.request_beats.next = self.payload_beats.val();
        self.payload_ready.next = self.payload.ready.val();
        self.send_wqe.reset.next = self.reset.val();
        self.send_wqe.request.next = self.send_wqe_request.val();
        self.send_wqe.request_address.next = self.send_wqe_address.val();
        self.send_wqe.request_beats.next = self.send_wqe_beats.val();
        self.send_wqe_ready.next = self.send_wqe.ready.val();
        self.receive_wqe.reset.next = self.reset.val();
        self.receive_wqe.request.next = self.receive_wqe_request.val();
        self.receive_wqe.request_address.next = self.receive_wqe_address.val();
        self.receive_wqe.request_beats.next = self.receive_wqe_beats.val();
        self.receive_wqe_ready.next = self.receive_wqe.ready.val();
        self.responder_list_slot.reset.next = self.reset.val();
        self.responder_list_slot.request.next = self.responder_list_request.val();
        self.responder_list_slot.request_address.next = self.responder_list_address.val();
        self.responder_list_slot.request_beats.next = self.line_beats.val();
        self.responder_list_ready.next = self.responder_list_slot.ready.val();
        self.requester_list_slot.reset.next = self.reset.val();
        self.requester_list_slot.request.next = self.requester_list_request.val();
        self.requester_list_slot.request_address.next = self.requester_list_address.val();
        self.requester_list_slot.request_beats.next = self.line_beats.val();
        self.requester_list_ready.next = self.requester_list_slot.ready.val();
        self.response_list_slot.reset.next = self.reset.val();
        self.response_list_slot.request.next = self.response_list_request.val();
        self.response_list_slot.request_address.next = self.response_list_address.val();
        self.response_list_slot.request_beats.next = self.line_beats.val();
        self.response_list_ready.next = self.response_list_slot.ready.val();
        self.atomic.reset.next = self.reset.val();
        self.atomic.request.next = self.atomic_request.val() && self.atomic_offsets.write_ready.val();
        self.atomic.request_address.next = self.atomic_address.val() & self.align_mask.val();
        self.atomic.request_beats.next = bits::<8>(0);
        self.atomic_ready.next = self.atomic.ready.val() && self.atomic_offsets.write_ready.val();
        self.atomic_offsets.reset.next = self.reset.val();
        self.atomic_offsets.write_valid.next = self.atomic_request.val() && self.atomic.ready.val();
        self.atomic_offsets.write_data.next =
            bit_cast::<7, 64>(self.atomic_address.val()) & self.offset_mask.val();

        // Select the next request: payload takes turns with all other readers. At most one bit of `chosen` is high, in
        // the order of `offers`.
        self.asks.next = self.stays.q.val()
            || self.payload.waits.val()
            || self.atomic.waits.val()
            || self.responder_list_slot.waits.val()
            || self.response_list_slot.waits.val()
            || self.requester_list_slot.waits.val()
            || self.receive_wqe.waits.val()
            || self.send_wqe.waits.val();
        self.chosen.next = bits::<7>(0);
        if self.stays.q.val() {
            self.chosen.next = self.staying.q.val();
        } else if self.payload.waits.val() && self.payload_next.q.val() {
            self.chosen.next = bits::<7>(1);
        } else if self.atomic.waits.val() {
            self.chosen.next = bits::<7>(2);
        } else if self.responder_list_slot.waits.val() {
            self.chosen.next = bits::<7>(4);
        } else if self.response_list_slot.waits.val() {
            self.chosen.next = bits::<7>(8);
        } else if self.requester_list_slot.waits.val() {
            self.chosen.next = bits::<7>(16);
        } else if self.receive_wqe.waits.val() {
            self.chosen.next = bits::<7>(32);
        } else if self.send_wqe.waits.val() {
            self.chosen.next = bits::<7>(64);
        } else if self.payload.waits.val() {
            self.chosen.next = bits::<7>(1);
        }
        self.goes.next = self.asks.val() && self.axi.arready.val();
        self.stays.d.next = self.asks.val() && !self.axi.arready.val();
        self.staying.d.next = self.chosen.val();
        if self.goes.val() {
            self.payload_next.d.next = !self.chosen.val().get_bit(0);
        }
        self.payload.taken.next = self.goes.val() && self.chosen.val().get_bit(0);
        self.atomic.taken.next = self.goes.val() && self.chosen.val().get_bit(1);
        self.responder_list_slot.taken.next = self.goes.val() && self.chosen.val().get_bit(2);
        self.response_list_slot.taken.next = self.goes.val() && self.chosen.val().get_bit(3);
        self.requester_list_slot.taken.next = self.goes.val() && self.chosen.val().get_bit(4);
        self.receive_wqe.taken.next = self.goes.val() && self.chosen.val().get_bit(5);
        self.send_wqe.taken.next = self.goes.val() && self.chosen.val().get_bit(6);
        self.axi.arvalid.next = self.asks.val();
        self.axi.arid.next = self.id_payload.val();
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
            self.offers[0].next = (bit_cast::<72, 8>(self.payload.beats.val()) << 64)
                | bit_cast::<72, 64>(self.payload.address.val());
        }
        self.offers[1].next = bits::<72>(0);
        if self.chosen.val().get_bit(1) {
            self.offers[1].next = (bit_cast::<72, 8>(self.atomic.beats.val()) << 64)
                | bit_cast::<72, 64>(self.atomic.address.val());
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
            self.offers[5].next = (bit_cast::<72, 8>(self.receive_wqe.beats.val()) << 64)
                | bit_cast::<72, 64>(self.receive_wqe.address.val());
        }
        self.offers[6].next = bits::<72>(0);
        if self.chosen.val().get_bit(6) {
            self.offers[6].next = (bit_cast::<72, 8>(self.send_wqe.beats.val()) << 64)
                | bit_cast::<72, 64>(self.send_wqe.address.val());
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
        self.data.next = self.lanes.o.val();
        self.data_last.next = self.axi.rlast.val();
        self.data_error.next = self.axi.rresp.val().get_bit(1);
        self.payload_valid.next = self.axi.rvalid.val() && (self.axi.rid.val() == self.id_payload.val());
        self.send_wqe_valid.next = self.axi.rvalid.val() && (self.axi.rid.val() == self.id_send_wqe.val());
        self.receive_wqe_valid.next =
            self.axi.rvalid.val() && (self.axi.rid.val() == self.id_receive_wqe.val());

        self.responder_list.beat_valid.next =
            self.axi.rvalid.val() && (self.axi.rid.val() == self.id_responder_list.val());
        self.responder_list.beat.next = self.lanes.o.val();
        self.responder_list.beat_last.next = self.axi.rlast.val();
        self.responder_list.beat_error.next = self.axi.rresp.val().get_bit(1);
        self.responder_list_valid.next = self.responder_list.line_valid.val();
        self.responder_list_data.next = self.responder_list.line.val();
        self.requester_list.beat_valid.next =
            self.axi.rvalid.val() && (self.axi.rid.val() == self.id_requester_list.val());
        self.requester_list.beat.next = self.lanes.o.val();
        self.requester_list.beat_last.next = self.axi.rlast.val();
        self.requester_list.beat_error.next = self.axi.rresp.val().get_bit(1);
        self.requester_list_valid.next = self.requester_list.line_valid.val();
        self.requester_list_data.next = self.requester_list.line.val();
        self.response_list.beat_valid.next =
            self.axi.rvalid.val() && (self.axi.rid.val() == self.id_response_list.val());
        self.response_list.beat.next = self.lanes.o.val();
        self.response_list.beat_last.next = self.axi.rlast.val();
        self.response_list.beat_error.next = self.axi.rresp.val().get_bit(1);
        self.response_list_valid.next = self.response_list.line_valid.val();
        self.response_list_data.next = self.response_list.line.val();

        self.atomic_done.d.next = self.axi.rvalid.val() && (self.axi.rid.val() == self.id_atomic.val());
        self.atomic_offsets.read_ready.next =
            self.axi.rvalid.val() && (self.axi.rid.val() == self.id_atomic.val());
        self.atomic_beat.d.next = self.lanes.o.val();
        self.atomic_offset.d.next = self.atomic_offsets.read_data.val();
        self.atomic_failed.d.next = self.axi.rresp.val().get_bit(1);
        self.atomic_error.next = self.atomic_failed.q.val();
        self.atomic_valid.next = self.atomic_done.q.val();
        self.atomic_data.next = bit_cast::<64, M>(
            (self.atomic_beat.q.val() << (bit_cast::<10, 7>(self.atomic_offset.q.val()) << 3))
                >> self.below_word.val(),
        );

        if self.reset.val() {
            self.stays.d.next = false;
            self.payload_next.d.next = false;
            self.atomic_done.d.next = false;
        }
    }
}
