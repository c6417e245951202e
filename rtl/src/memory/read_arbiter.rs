//! The adapter's one way to read host memory: bursts of all readers on one AXI4 read channel, told apart by their IDs.
use super::LineAssembly;
use crate::primitive::{comment, dff_setup, ByteReverse, Fifo, Register};
use rust_hdl_core::prelude::*;

/// Read IDs. Data of one ID comes in the order of its requests.
pub const READ_PAYLOAD: u8 = 0;
pub const READ_SEND_WQE: u8 = 1;
pub const READ_RECEIVE_WQE: u8 = 2;
pub const READ_RESPONDER_LIST: u8 = 3;
pub const READ_REQUESTER_LIST: u8 = 4;
/// Of the requester's walker for responses.
pub const READ_RESPONSE_LIST: u8 = 5;
pub const READ_ATOMIC: u8 = 6;

/// Takes a burst a clock. `M`: bus bits.
///
/// What a decision waits for goes before payload, yet payload has every second burst when it asks. All readers have
/// room for what they asked for, so the data channel never waits. Inside, byte 0 is at the most significant end;
/// `*_beats` are one less than the beats of a burst, none of which crosses a 1024-byte boundary.
#[derive(LogicBlock)]
pub struct ReadArbiter<const M: usize> {
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

    /// Of payload and WQEs, whichever is valid.
    pub data: Signal<Out, Bits<M>>,
    /// Ends a burst.
    pub data_last: Signal<Out, Bit>,
    /// SLVERR or DECERR: the beat is not what is in memory.
    pub data_error: Signal<Out, Bit>,

    /// 64 bytes at a 64-byte aligned address; so are the other lists.
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

    /// 8 bytes at an 8-byte aligned address; up to 128 under way.
    pub atomic_request: Signal<In, Bit>,
    pub atomic_ready: Signal<Out, Bit>,
    pub atomic_address: Signal<In, Bits<64>>,
    pub atomic_valid: Signal<Out, Bit>,
    pub atomic_data: Signal<Out, Bits<64>>,
    pub atomic_error: Signal<Out, Bit>,

    pub arid: Signal<Out, Bits<4>>,
    pub araddr: Signal<Out, Bits<64>>,
    pub arlen: Signal<Out, Bits<8>>,
    pub arvalid: Signal<Out, Bit>,
    pub arready: Signal<In, Bit>,
    pub rid: Signal<In, Bits<4>>,
    pub rdata: Signal<In, Bits<M>>,
    pub rlast: Signal<In, Bit>,
    /// OKAY, or SLVERR or DECERR, which bit 1 tells.
    pub rresp: Signal<In, Bits<2>>,
    pub rvalid: Signal<In, Bit>,
    pub rready: Signal<Out, Bit>,

    lanes: ByteReverse<M>,
    responder_list: LineAssembly<M>,
    requester_list: LineAssembly<M>,
    response_list: LineAssembly<M>,

    asked: Register<Bit>,
    id: Register<Bits<4>>,
    address: Register<Bits<64>>,
    beats: Register<Bits<8>>,
    payload_next: Register<Bit>,
    /// Of each atomic under way: the byte of its beat.
    atomic_offsets: Fifo<7, 7>,
    atomic_done: Register<Bit>,
    atomic_failed: Register<Bit>,
    atomic_word: Register<Bits<64>>,

    take: Signal<Local, Bit>,
    payload_first: Signal<Local, Bit>,

    align_mask: Constant<Bits<64>>,
    offset_mask: Constant<Bits<7>>,
    line_beats: Constant<Bits<8>>,
    below_word: Constant<Bits<10>>,
    id_payload: Constant<Bits<4>>,
    id_send_wqe: Constant<Bits<4>>,
    id_receive_wqe: Constant<Bits<4>>,
    id_responder_list: Constant<Bits<4>>,
    id_requester_list: Constant<Bits<4>>,
    id_response_list: Constant<Bits<4>>,
    id_atomic: Constant<Bits<4>>,
}

fn id(number: u8) -> Constant<Bits<4>> {
    Constant::new((number as usize).to_bits())
}

impl<const M: usize> Default for ReadArbiter<M> {
    fn default() -> Self {
        assert!(
            matches!(M, 64 | 128 | 256 | 512),
            "the memory bus has 64, 128, 256 or 512 bits, not {M}"
        );
        ReadArbiter {
            clock: Default::default(),
            reset: Default::default(),
            payload_request: Default::default(),
            payload_ready: Default::default(),
            payload_address: Default::default(),
            payload_beats: Default::default(),
            payload_valid: Default::default(),
            send_wqe_request: Default::default(),
            send_wqe_ready: Default::default(),
            send_wqe_address: Default::default(),
            send_wqe_beats: Default::default(),
            send_wqe_valid: Default::default(),
            receive_wqe_request: Default::default(),
            receive_wqe_ready: Default::default(),
            receive_wqe_address: Default::default(),
            receive_wqe_beats: Default::default(),
            receive_wqe_valid: Default::default(),
            data: Default::default(),
            data_last: Default::default(),
            data_error: Default::default(),
            responder_list_request: Default::default(),
            responder_list_ready: Default::default(),
            responder_list_address: Default::default(),
            responder_list_valid: Default::default(),
            responder_list_data: Default::default(),
            requester_list_request: Default::default(),
            requester_list_ready: Default::default(),
            requester_list_address: Default::default(),
            requester_list_valid: Default::default(),
            requester_list_data: Default::default(),
            response_list_request: Default::default(),
            response_list_ready: Default::default(),
            response_list_address: Default::default(),
            response_list_valid: Default::default(),
            response_list_data: Default::default(),
            atomic_request: Default::default(),
            atomic_ready: Default::default(),
            atomic_address: Default::default(),
            atomic_valid: Default::default(),
            atomic_data: Default::default(),
            atomic_error: Default::default(),
            arid: Default::default(),
            araddr: Default::default(),
            arlen: Default::default(),
            arvalid: Default::default(),
            arready: Default::default(),
            rid: Default::default(),
            rdata: Default::default(),
            rlast: Default::default(),
            rresp: Default::default(),
            rvalid: Default::default(),
            rready: Default::default(),
            lanes: Default::default(),
            responder_list: Default::default(),
            requester_list: Default::default(),
            response_list: Default::default(),
            asked: Default::default(),
            id: Default::default(),
            address: Default::default(),
            beats: Default::default(),
            payload_next: Default::default(),
            atomic_offsets: Default::default(),
            atomic_done: Default::default(),
            atomic_failed: Default::default(),
            atomic_word: Default::default(),
            take: Default::default(),
            payload_first: Default::default(),
            align_mask: Constant::new(!Bits::<64>::from((M / 8 - 1) as u64)),
            offset_mask: Constant::new((M / 8 - 1).to_bits()),
            line_beats: Constant::new((512 / M - 1).to_bits()),
            below_word: Constant::new((M - 64).to_bits()),
            id_payload: id(READ_PAYLOAD),
            id_send_wqe: id(READ_SEND_WQE),
            id_receive_wqe: id(READ_RECEIVE_WQE),
            id_responder_list: id(READ_RESPONDER_LIST),
            id_requester_list: id(READ_REQUESTER_LIST),
            id_response_list: id(READ_RESPONSE_LIST),
            id_atomic: id(READ_ATOMIC),
        }
    }
}

impl<const M: usize> Logic for ReadArbiter<M> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module read_arbiter");
        dff_setup!(
            self,
            clock,
            asked,
            id,
            address,
            beats,
            payload_next,
            atomic_done,
            atomic_failed,
            atomic_word
        );
        self.responder_list.clock.next = self.clock.val();
        self.responder_list.reset.next = self.reset.val();
        self.requester_list.clock.next = self.clock.val();
        self.requester_list.reset.next = self.reset.val();
        self.response_list.clock.next = self.clock.val();
        self.response_list.reset.next = self.reset.val();

        // Who asks next.
        self.payload_ready.next = false;
        self.send_wqe_ready.next = false;
        self.receive_wqe_ready.next = false;
        self.responder_list_ready.next = false;
        self.requester_list_ready.next = false;
        self.response_list_ready.next = false;
        self.atomic_ready.next = false;
        self.take.next = !self.asked.q.val() || self.arready.val();
        self.payload_first.next = self.payload_request.val() && self.payload_next.q.val();
        self.atomic_offsets.clock.next = self.clock.val();
        self.atomic_offsets.reset.next = self.reset.val();
        self.atomic_offsets.write_valid.next = false;
        self.atomic_offsets.write_data.next =
            bit_cast::<7, 64>(self.atomic_address.val()) & self.offset_mask.val();
        if self.take.val() {
            self.asked.d.next = true;
            self.payload_next.d.next = true;
            if self.atomic_request.val() && self.atomic_offsets.write_ready.val() && !self.payload_first.val()
            {
                self.atomic_ready.next = true;
                self.atomic_offsets.write_valid.next = true;
                self.id.d.next = self.id_atomic.val();
                self.address.d.next = self.atomic_address.val() & self.align_mask.val();
                self.beats.d.next = 0.into();
            } else if self.responder_list_request.val() && !self.payload_first.val() {
                self.responder_list_ready.next = true;
                self.id.d.next = self.id_responder_list.val();
                self.address.d.next = self.responder_list_address.val();
                self.beats.d.next = self.line_beats.val();
            } else if self.response_list_request.val() && !self.payload_first.val() {
                self.response_list_ready.next = true;
                self.id.d.next = self.id_response_list.val();
                self.address.d.next = self.response_list_address.val();
                self.beats.d.next = self.line_beats.val();
            } else if self.requester_list_request.val() && !self.payload_first.val() {
                self.requester_list_ready.next = true;
                self.id.d.next = self.id_requester_list.val();
                self.address.d.next = self.requester_list_address.val();
                self.beats.d.next = self.line_beats.val();
            } else if self.receive_wqe_request.val() && !self.payload_first.val() {
                self.receive_wqe_ready.next = true;
                self.id.d.next = self.id_receive_wqe.val();
                self.address.d.next = self.receive_wqe_address.val();
                self.beats.d.next = self.receive_wqe_beats.val();
            } else if self.send_wqe_request.val() && !self.payload_first.val() {
                self.send_wqe_ready.next = true;
                self.id.d.next = self.id_send_wqe.val();
                self.address.d.next = self.send_wqe_address.val();
                self.beats.d.next = self.send_wqe_beats.val();
            } else if self.payload_request.val() {
                self.payload_ready.next = true;
                self.payload_next.d.next = false;
                self.id.d.next = self.id_payload.val();
                self.address.d.next = self.payload_address.val();
                self.beats.d.next = self.payload_beats.val();
            } else {
                self.asked.d.next = false;
            }
        }
        self.arvalid.next = self.asked.q.val();
        self.arid.next = self.id.q.val();
        self.araddr.next = self.address.q.val();
        self.arlen.next = self.beats.q.val();

        // Whose data this is.
        self.rready.next = true;
        self.lanes.i.next = self.rdata.val();
        self.data.next = self.lanes.o.val();
        self.data_last.next = self.rlast.val();
        self.data_error.next = self.rresp.val().get_bit(1);
        self.payload_valid.next = self.rvalid.val() && (self.rid.val() == self.id_payload.val());
        self.send_wqe_valid.next = self.rvalid.val() && (self.rid.val() == self.id_send_wqe.val());
        self.receive_wqe_valid.next = self.rvalid.val() && (self.rid.val() == self.id_receive_wqe.val());

        self.responder_list.beat_valid.next =
            self.rvalid.val() && (self.rid.val() == self.id_responder_list.val());
        self.responder_list.beat.next = self.lanes.o.val();
        self.responder_list.beat_last.next = self.rlast.val();
        self.responder_list.beat_error.next = self.rresp.val().get_bit(1);
        self.responder_list_valid.next = self.responder_list.line_valid.val();
        self.responder_list_data.next = self.responder_list.line.val();
        self.requester_list.beat_valid.next =
            self.rvalid.val() && (self.rid.val() == self.id_requester_list.val());
        self.requester_list.beat.next = self.lanes.o.val();
        self.requester_list.beat_last.next = self.rlast.val();
        self.requester_list.beat_error.next = self.rresp.val().get_bit(1);
        self.requester_list_valid.next = self.requester_list.line_valid.val();
        self.requester_list_data.next = self.requester_list.line.val();
        self.response_list.beat_valid.next =
            self.rvalid.val() && (self.rid.val() == self.id_response_list.val());
        self.response_list.beat.next = self.lanes.o.val();
        self.response_list.beat_last.next = self.rlast.val();
        self.response_list.beat_error.next = self.rresp.val().get_bit(1);
        self.response_list_valid.next = self.response_list.line_valid.val();
        self.response_list_data.next = self.response_list.line.val();

        self.atomic_done.d.next = self.rvalid.val() && (self.rid.val() == self.id_atomic.val());
        self.atomic_offsets.read_ready.next = self.rvalid.val() && (self.rid.val() == self.id_atomic.val());
        self.atomic_word.d.next = bit_cast::<64, M>(
            (self.lanes.o.val() << (bit_cast::<10, 7>(self.atomic_offsets.read_data.val()) << 3))
                >> self.below_word.val(),
        );
        self.atomic_failed.d.next = self.rresp.val().get_bit(1);
        self.atomic_error.next = self.atomic_failed.q.val();
        self.atomic_valid.next = self.atomic_done.q.val();
        self.atomic_data.next = self.atomic_word.q.val();

        if self.reset.val() {
            self.asked.d.next = false;
            self.payload_next.d.next = false;
            self.atomic_done.d.next = false;
        }
    }
}
