//! Reads from host memory: work queue entries for both engines, and message payload for the packet builder.
use super::{Realign, BURST_BYTES};
use crate::primitive::{comment, dff_setup, BlockFifo, ByteReverse, Fifo, Register};
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum AddressState {
    Choose,
    SendWqe,
    ReceiveWqe,
    Payload,
}

/// Issues bursts and realigns what comes back.
///
/// Payload is asked for only when its buffer has room, so the read channel never waits for the link, and a WQE
/// never waits behind payload that cannot leave. `W`: bus bits, `K` = `W` / 8, `PA`: log2 of the payload
/// buffer's beats.
#[derive(LogicBlock)]
pub struct MemoryRead<const W: usize, const K: usize, const PA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Addresses of WQEs are 64-byte aligned; one fetch at a time for each engine.
    pub send_wqe_request: Signal<In, Bit>,
    pub send_wqe_ready: Signal<Out, Bit>,
    pub send_wqe_address: Signal<In, Bits<64>>,
    /// One pulse when `send_wqe` is complete; it then holds until the next fetch.
    pub send_wqe_valid: Signal<Out, Bit>,
    pub send_wqe: Signal<Out, Bits<512>>,

    pub receive_wqe_request: Signal<In, Bit>,
    pub receive_wqe_ready: Signal<Out, Bit>,
    pub receive_wqe_address: Signal<In, Bits<64>>,
    pub receive_wqe_valid: Signal<Out, Bit>,
    pub receive_wqe: Signal<Out, Bits<512>>,

    pub payload_command_valid: Signal<In, Bit>,
    pub payload_command_ready: Signal<Out, Bit>,
    pub payload_address: Signal<In, Bits<64>>,
    /// Bytes, 1 to 4096.
    pub payload_length: Signal<In, Bits<13>>,
    /// Aligned: ceil(length / K) beats a command, bytes behind its end undefined.
    pub payload_data: Signal<Out, Bits<W>>,
    pub payload_valid: Signal<Out, Bit>,
    pub payload_ready: Signal<In, Bit>,

    pub arid: Signal<Out, Bits<4>>,
    pub araddr: Signal<Out, Bits<64>>,
    pub arlen: Signal<Out, Bits<8>>,
    pub arvalid: Signal<Out, Bit>,
    pub arready: Signal<In, Bit>,
    pub rid: Signal<In, Bits<4>>,
    pub rdata: Signal<In, Bits<W>>,
    pub rlast: Signal<In, Bit>,
    pub rvalid: Signal<In, Bit>,
    pub rready: Signal<Out, Bit>,

    /// Length 13 | address 64.
    addresses: Fifo<77, 4>,
    alignments: Fifo<77, 4>,
    buffer: BlockFifo<W, PA>,
    lanes: ByteReverse<W>,
    realign: Realign<W>,

    state: Register<AddressState>,
    address: Register<Bits<64>>,
    beats_left: Register<Bits<13>>,
    free: Register<Bits<13>>,

    send_entry: Register<Bits<512>>,
    send_done: Register<Bit>,
    receive_entry: Register<Bits<512>>,
    receive_done: Register<Bit>,

    accept: Signal<Local, Bit>,
    queued: Signal<Local, Bits<77>>,
    next_offset: Signal<Local, Bits<7>>,
    next_total: Signal<Local, Bits<13>>,
    to_boundary: Signal<Local, Bits<13>>,
    burst_beats: Signal<Local, Bits<13>>,
    room: Signal<Local, Bit>,
    issued: Signal<Local, Bits<13>>,
    popped: Signal<Local, Bit>,
    word: Signal<Local, Bits<W>>,
    word_512: Signal<Local, Bits<512>>,

    width: Constant<Bits<10>>,
    round_up: Constant<Bits<13>>,
    beat_shift: Constant<Bits<4>>,
    offset_mask: Constant<Bits<7>>,
    burst_bytes: Constant<Bits<13>>,
    burst_mask: Constant<Bits<13>>,
    align_mask: Constant<Bits<64>>,
    depth: Constant<Bits<13>>,
    wqe_beats: Constant<Bits<8>>,
    id_payload: Constant<Bits<4>>,
    id_send: Constant<Bits<4>>,
    id_receive: Constant<Bits<4>>,
}

impl<const W: usize, const K: usize, const PA: usize> Default for MemoryRead<W, K, PA> {
    fn default() -> Self {
        MemoryRead {
            clock: Default::default(),
            reset: Default::default(),
            send_wqe_request: Default::default(),
            send_wqe_ready: Default::default(),
            send_wqe_address: Default::default(),
            send_wqe_valid: Default::default(),
            send_wqe: Default::default(),
            receive_wqe_request: Default::default(),
            receive_wqe_ready: Default::default(),
            receive_wqe_address: Default::default(),
            receive_wqe_valid: Default::default(),
            receive_wqe: Default::default(),
            payload_command_valid: Default::default(),
            payload_command_ready: Default::default(),
            payload_address: Default::default(),
            payload_length: Default::default(),
            payload_data: Default::default(),
            payload_valid: Default::default(),
            payload_ready: Default::default(),
            arid: Default::default(),
            araddr: Default::default(),
            arlen: Default::default(),
            arvalid: Default::default(),
            arready: Default::default(),
            rid: Default::default(),
            rdata: Default::default(),
            rlast: Default::default(),
            rvalid: Default::default(),
            rready: Default::default(),
            addresses: Default::default(),
            alignments: Default::default(),
            buffer: Default::default(),
            lanes: Default::default(),
            realign: Default::default(),
            state: Default::default(),
            address: Default::default(),
            beats_left: Default::default(),
            free: Default::default(),
            send_entry: Default::default(),
            send_done: Default::default(),
            receive_entry: Default::default(),
            receive_done: Default::default(),
            accept: Default::default(),
            queued: Default::default(),
            next_offset: Default::default(),
            next_total: Default::default(),
            to_boundary: Default::default(),
            burst_beats: Default::default(),
            room: Default::default(),
            issued: Default::default(),
            popped: Default::default(),
            word: Default::default(),
            word_512: Default::default(),
            width: Constant::new(W.to_bits()),
            round_up: Constant::new((K - 1).to_bits()),
            beat_shift: Constant::new((K.trailing_zeros() as usize).to_bits()),
            offset_mask: Constant::new((K - 1).to_bits()),
            burst_bytes: Constant::new(BURST_BYTES.to_bits()),
            burst_mask: Constant::new((BURST_BYTES - 1).to_bits()),
            align_mask: Constant::new(!Bits::<64>::from((K - 1) as u64)),
            depth: Constant::new((1usize << PA).to_bits()),
            wqe_beats: Constant::new((crate::host::wqe::BYTES / K - 1).to_bits()),
            id_payload: Constant::new(0usize.to_bits()),
            id_send: Constant::new(1usize.to_bits()),
            id_receive: Constant::new(2usize.to_bits()),
        }
    }
}

impl<const W: usize, const K: usize, const PA: usize> Logic for MemoryRead<W, K, PA> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module memory_read");
        dff_setup!(
            self,
            clock,
            state,
            address,
            beats_left,
            free,
            send_entry,
            send_done,
            receive_entry,
            receive_done
        );
        self.addresses.clock.next = self.clock.val();
        self.addresses.reset.next = self.reset.val();
        self.alignments.clock.next = self.clock.val();
        self.alignments.reset.next = self.reset.val();
        self.buffer.clock.next = self.clock.val();
        self.buffer.reset.next = self.reset.val();
        self.realign.clock.next = self.clock.val();
        self.realign.reset.next = self.reset.val();

        // A payload command goes to the address side and to the data side.
        self.payload_command_ready.next =
            self.addresses.write_ready.val() && self.alignments.write_ready.val();
        self.accept.next = self.payload_command_valid.val()
            && self.addresses.write_ready.val()
            && self.alignments.write_ready.val();
        self.addresses.write_valid.next = self.accept.val();
        self.addresses.write_data.next = (bit_cast::<77, 13>(self.payload_length.val()) << 64)
            | bit_cast::<77, 64>(self.payload_address.val());
        self.alignments.write_valid.next = self.accept.val();
        self.alignments.write_data.next = (bit_cast::<77, 13>(self.payload_length.val()) << 64)
            | bit_cast::<77, 64>(self.payload_address.val());

        // Address side.
        self.queued.next = self.addresses.read_data.val();
        self.next_offset.next = self.queued.val().get_bits::<7>(0) & self.offset_mask.val();
        self.next_total.next =
            self.queued.val().get_bits::<13>(64) + bit_cast::<13, 7>(self.next_offset.val());
        self.addresses.read_ready.next = false;
        if !self.beats_left.q.val().any() && self.addresses.read_valid.val() {
            self.addresses.read_ready.next = true;
            self.address.d.next = self.queued.val().get_bits::<64>(0) & self.align_mask.val();
            self.beats_left.d.next = (self.next_total.val() + self.round_up.val()) >> self.beat_shift.val();
        }
        self.to_boundary.next = (self.burst_bytes.val()
            - (self.address.q.val().get_bits::<13>(0) & self.burst_mask.val()))
            >> self.beat_shift.val();
        self.burst_beats.next = self.beats_left.q.val();
        if self.to_boundary.val() < self.beats_left.q.val() {
            self.burst_beats.next = self.to_boundary.val();
        }
        self.room.next = self.beats_left.q.val().any() && (self.free.q.val() >= self.burst_beats.val());
        self.arvalid.next = false;
        self.arid.next = self.id_payload.val();
        self.araddr.next = self.address.q.val();
        self.arlen.next = bit_cast::<8, 13>(self.burst_beats.val() - 1);
        self.send_wqe_ready.next = false;
        self.receive_wqe_ready.next = false;
        self.issued.next = bits::<13>(0);
        match self.state.q.val() {
            AddressState::Choose => {
                if self.receive_wqe_request.val() {
                    self.state.d.next = AddressState::ReceiveWqe;
                } else if self.send_wqe_request.val() {
                    self.state.d.next = AddressState::SendWqe;
                } else if self.room.val() {
                    self.state.d.next = AddressState::Payload;
                }
            }
            AddressState::SendWqe => {
                self.arvalid.next = true;
                self.arid.next = self.id_send.val();
                self.araddr.next = self.send_wqe_address.val();
                self.arlen.next = self.wqe_beats.val();
                if self.arready.val() {
                    self.send_wqe_ready.next = true;
                    self.state.d.next = AddressState::Choose;
                }
            }
            AddressState::ReceiveWqe => {
                self.arvalid.next = true;
                self.arid.next = self.id_receive.val();
                self.araddr.next = self.receive_wqe_address.val();
                self.arlen.next = self.wqe_beats.val();
                if self.arready.val() {
                    self.receive_wqe_ready.next = true;
                    self.state.d.next = AddressState::Choose;
                }
            }
            AddressState::Payload => {
                self.arvalid.next = true;
                if self.arready.val() {
                    self.issued.next = self.burst_beats.val();
                    self.address.d.next = self.address.q.val()
                        + (bit_cast::<64, 13>(self.burst_beats.val()) << self.beat_shift.val());
                    self.beats_left.d.next = self.beats_left.q.val() - self.burst_beats.val();
                    self.state.d.next = AddressState::Choose;
                }
            }
        }

        // Data side: WQEs.
        self.lanes.i.next = self.rdata.val();
        self.word.next = self.lanes.o.val();
        self.word_512.next = bit_cast::<512, W>(self.word.val());
        self.send_done.d.next = false;
        self.receive_done.d.next = false;
        if self.rvalid.val() {
            if self.rid.val() == self.id_send.val() {
                self.send_entry.d.next = (self.send_entry.q.val() << self.width.val()) | self.word_512.val();
                self.send_done.d.next = self.rlast.val();
            }
            if self.rid.val() == self.id_receive.val() {
                self.receive_entry.d.next =
                    (self.receive_entry.q.val() << self.width.val()) | self.word_512.val();
                self.receive_done.d.next = self.rlast.val();
            }
        }
        self.send_wqe_valid.next = self.send_done.q.val();
        self.send_wqe.next = self.send_entry.q.val();
        self.receive_wqe_valid.next = self.receive_done.q.val();
        self.receive_wqe.next = self.receive_entry.q.val();

        // Data side: payload.
        self.realign.command_valid.next = self.alignments.read_valid.val();
        self.realign.command_length.next = self.alignments.read_data.val().get_bits::<13>(64);
        self.realign.command_offset.next =
            self.alignments.read_data.val().get_bits::<7>(0) & self.offset_mask.val();
        self.alignments.read_ready.next = self.realign.command_ready.val();
        self.realign.beat_valid.next = self.rvalid.val() && (self.rid.val() == self.id_payload.val());
        self.realign.beat.next = self.word.val();
        self.rready.next = (self.rid.val() != self.id_payload.val()) || self.realign.beat_ready.val();
        self.buffer.write_data.next = self.realign.shifted.val();
        self.buffer.write_valid.next = self.realign.output_valid.val();
        self.buffer.read_ready.next = self.payload_ready.val();
        self.payload_valid.next = self.buffer.read_valid.val();
        self.payload_data.next = self.buffer.read_data.val();

        // Room in the buffer, less what is on its way.
        self.popped.next = self.buffer.read_valid.val() && self.payload_ready.val();
        self.free.d.next = (self.free.q.val() - self.issued.val())
            + self.realign.returned.val()
            + bit_cast::<13, 1>(self.popped.val().into());

        if self.reset.val() {
            self.state.d.next = AddressState::Choose;
            self.beats_left.d.next = bits::<13>(0);
            self.free.d.next = self.depth.val();
            self.send_done.d.next = false;
            self.receive_done.d.next = false;
        }
    }
}
