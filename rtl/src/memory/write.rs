//! Writes to host memory: message payload, and completion queue entries behind it.
use super::BURST_BYTES;
use crate::primitive::{comment, dff_setup, ByteReverse, Fifo, Register};
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum WriteState {
    Idle,
    Address,
    Data,
}

/// Takes commands in order and writes them as bursts at any byte alignment.
///
/// A CQE is issued only when every earlier write is acknowledged: software that sees it sees the data.
/// `W`: bus bits, `K` = `W` / 8.
#[derive(LogicBlock)]
pub struct MemoryWrite<const W: usize, const K: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub payload_command_valid: Signal<In, Bit>,
    pub payload_command_ready: Signal<Out, Bit>,
    pub payload_address: Signal<In, Bits<64>>,
    /// Bytes, 1 to 4096.
    pub payload_length: Signal<In, Bits<13>>,
    /// ceil(length / K) beats for each command.
    pub payload_data: Signal<In, Bits<W>>,
    pub payload_valid: Signal<In, Bit>,
    pub payload_ready: Signal<Out, Bit>,

    /// Not ready in a clock in which a payload command is offered.
    pub cqe_valid: Signal<In, Bit>,
    pub cqe_ready: Signal<Out, Bit>,
    pub cqe_address: Signal<In, Bits<64>>,
    /// Byte 0 at the most significant end.
    pub cqe: Signal<In, Bits<256>>,
    /// One pulse: a CQE is in memory.
    pub cqe_written: Signal<Out, Bit>,

    pub awid: Signal<Out, Bits<4>>,
    pub awaddr: Signal<Out, Bits<64>>,
    pub awlen: Signal<Out, Bits<8>>,
    pub awvalid: Signal<Out, Bit>,
    pub awready: Signal<In, Bit>,
    pub wdata: Signal<Out, Bits<W>>,
    pub wstrb: Signal<Out, Bits<K>>,
    pub wlast: Signal<Out, Bit>,
    pub wvalid: Signal<Out, Bit>,
    pub wready: Signal<In, Bit>,
    pub bid: Signal<In, Bits<4>>,
    pub bvalid: Signal<In, Bit>,
    pub bready: Signal<Out, Bit>,

    /// CQE 1 | length 13 | address 64.
    commands: Fifo<78, 4>,
    entries: Fifo<256, 4>,
    lanes: ByteReverse<W>,

    state: Register<WriteState>,
    is_cqe: Register<Bit>,
    address: Register<Bits<64>>,
    offset: Register<Bits<7>>,
    tail: Register<Bits<7>>,
    input_left: Register<Bits<13>>,
    output_left: Register<Bits<13>>,
    burst_left: Register<Bits<9>>,
    first: Register<Bit>,
    carry: Register<Bits<W>>,
    entry: Register<Bits<512>>,
    unacknowledged: Register<Bits<8>>,

    command: Signal<Local, Bits<78>>,
    command_is_cqe: Signal<Local, Bit>,
    command_offset: Signal<Local, Bits<7>>,
    command_length: Signal<Local, Bits<13>>,
    command_total: Signal<Local, Bits<13>>,
    push_payload: Signal<Local, Bit>,
    push_cqe: Signal<Local, Bit>,
    start: Signal<Local, Bit>,
    to_boundary: Signal<Local, Bits<13>>,
    burst_beats: Signal<Local, Bits<13>>,
    source: Signal<Local, Bits<W>>,
    input_valid: Signal<Local, Bit>,
    needs_input: Signal<Local, Bit>,
    shift_down: Signal<Local, Bits<10>>,
    shift_up: Signal<Local, Bits<10>>,
    beat: Signal<Local, Bit>,
    first_mask: Signal<Local, Bits<K>>,
    last_mask: Signal<Local, Bits<K>>,
    acknowledged: Signal<Local, Bit>,
    issued: Signal<Local, Bit>,

    width: Constant<Bits<10>>,
    top: Constant<Bits<10>>,
    bytes: Constant<Bits<7>>,
    round_up: Constant<Bits<13>>,
    beat_shift: Constant<Bits<4>>,
    offset_mask: Constant<Bits<7>>,
    burst_bytes: Constant<Bits<13>>,
    burst_mask: Constant<Bits<13>>,
    align_mask: Constant<Bits<64>>,
    ones: Constant<Bits<K>>,
    cqe_bytes: Constant<Bits<13>>,
    id_cqe: Constant<Bits<4>>,
}

impl<const W: usize, const K: usize> Default for MemoryWrite<W, K> {
    fn default() -> Self {
        MemoryWrite {
            clock: Default::default(),
            reset: Default::default(),
            payload_command_valid: Default::default(),
            payload_command_ready: Default::default(),
            payload_address: Default::default(),
            payload_length: Default::default(),
            payload_data: Default::default(),
            payload_valid: Default::default(),
            payload_ready: Default::default(),
            cqe_valid: Default::default(),
            cqe_ready: Default::default(),
            cqe_address: Default::default(),
            cqe: Default::default(),
            cqe_written: Default::default(),
            awid: Default::default(),
            awaddr: Default::default(),
            awlen: Default::default(),
            awvalid: Default::default(),
            awready: Default::default(),
            wdata: Default::default(),
            wstrb: Default::default(),
            wlast: Default::default(),
            wvalid: Default::default(),
            wready: Default::default(),
            bid: Default::default(),
            bvalid: Default::default(),
            bready: Default::default(),
            commands: Default::default(),
            entries: Default::default(),
            lanes: Default::default(),
            state: Default::default(),
            is_cqe: Default::default(),
            address: Default::default(),
            offset: Default::default(),
            tail: Default::default(),
            input_left: Default::default(),
            output_left: Default::default(),
            burst_left: Default::default(),
            first: Default::default(),
            carry: Default::default(),
            entry: Default::default(),
            unacknowledged: Default::default(),
            command: Default::default(),
            command_is_cqe: Default::default(),
            command_offset: Default::default(),
            command_length: Default::default(),
            command_total: Default::default(),
            push_payload: Default::default(),
            push_cqe: Default::default(),
            start: Default::default(),
            to_boundary: Default::default(),
            burst_beats: Default::default(),
            source: Default::default(),
            input_valid: Default::default(),
            needs_input: Default::default(),
            shift_down: Default::default(),
            shift_up: Default::default(),
            beat: Default::default(),
            first_mask: Default::default(),
            last_mask: Default::default(),
            acknowledged: Default::default(),
            issued: Default::default(),
            width: Constant::new(W.to_bits()),
            top: Constant::new((512 - W).to_bits()),
            bytes: Constant::new(K.to_bits()),
            round_up: Constant::new((K - 1).to_bits()),
            beat_shift: Constant::new((K.trailing_zeros() as usize).to_bits()),
            offset_mask: Constant::new((K - 1).to_bits()),
            burst_bytes: Constant::new(BURST_BYTES.to_bits()),
            burst_mask: Constant::new((BURST_BYTES - 1).to_bits()),
            align_mask: Constant::new(!Bits::<64>::from((K - 1) as u64)),
            ones: Constant::new(!Bits::<K>::default()),
            cqe_bytes: Constant::new(crate::host::cqe::BYTES.to_bits()),
            id_cqe: Constant::new(1usize.to_bits()),
        }
    }
}

impl<const W: usize, const K: usize> Logic for MemoryWrite<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module memory_write");
        dff_setup!(
            self,
            clock,
            state,
            is_cqe,
            address,
            offset,
            tail,
            input_left,
            output_left,
            burst_left,
            first,
            carry,
            entry,
            unacknowledged
        );
        self.commands.clock.next = self.clock.val();
        self.commands.reset.next = self.reset.val();
        self.entries.clock.next = self.clock.val();
        self.entries.reset.next = self.reset.val();

        // One queue for both clients keeps a CQE behind the payload that it announces.
        self.payload_command_ready.next = self.commands.write_ready.val();
        self.push_payload.next = self.payload_command_valid.val() && self.commands.write_ready.val();
        self.cqe_ready.next = self.commands.write_ready.val()
            && self.entries.write_ready.val()
            && !self.payload_command_valid.val();
        self.push_cqe.next = self.cqe_valid.val()
            && self.commands.write_ready.val()
            && self.entries.write_ready.val()
            && !self.payload_command_valid.val();
        self.commands.write_valid.next = self.push_payload.val() || self.push_cqe.val();
        self.commands.write_data.next = (bit_cast::<78, 13>(self.payload_length.val()) << 64)
            | bit_cast::<78, 64>(self.payload_address.val());
        if self.push_cqe.val() {
            self.commands.write_data.next = (bits::<78>(1) << 77)
                | (bit_cast::<78, 13>(self.cqe_bytes.val()) << 64)
                | bit_cast::<78, 64>(self.cqe_address.val());
        }
        self.entries.write_valid.next = self.push_cqe.val();
        self.entries.write_data.next = self.cqe.val();

        // The next command.
        self.command.next = self.commands.read_data.val();
        self.command_is_cqe.next = self.command.val().get_bit(77);
        self.command_length.next = self.command.val().get_bits::<13>(64);
        self.command_offset.next = self.command.val().get_bits::<7>(0) & self.offset_mask.val();
        self.command_total.next = self.command_length.val() + bit_cast::<13, 7>(self.command_offset.val());
        self.start.next = (self.state.q.val() == WriteState::Idle)
            && self.commands.read_valid.val()
            && (!self.command_is_cqe.val() || !self.unacknowledged.q.val().any());
        self.commands.read_ready.next = self.start.val();
        self.entries.read_ready.next = self.start.val() && self.command_is_cqe.val();

        // Burst to the next boundary.
        self.to_boundary.next = (self.burst_bytes.val()
            - (self.address.q.val().get_bits::<13>(0) & self.burst_mask.val()))
            >> self.beat_shift.val();
        self.burst_beats.next = self.output_left.q.val();
        if self.to_boundary.val() < self.output_left.q.val() {
            self.burst_beats.next = self.to_boundary.val();
        }
        self.awaddr.next = self.address.q.val();
        self.awlen.next = bit_cast::<8, 13>(self.burst_beats.val() - 1);
        self.awvalid.next = self.state.q.val() == WriteState::Address;
        self.awid.next = bits::<4>(0);
        if self.is_cqe.q.val() {
            self.awid.next = self.id_cqe.val();
        }

        // Realignment: each output beat joins the rest of one input beat with the start of the next.
        self.shift_down.next = bit_cast::<10, 7>(self.offset.q.val()) << 3;
        self.shift_up.next = self.width.val() - (bit_cast::<10, 7>(self.offset.q.val()) << 3);
        self.needs_input.next = self.input_left.q.val().any();
        self.source.next = self.payload_data.val();
        self.input_valid.next = self.payload_valid.val();
        if self.is_cqe.q.val() {
            self.source.next = bit_cast::<W, 512>(self.entry.q.val() >> self.top.val());
            self.input_valid.next = true;
        }
        self.wvalid.next =
            (self.state.q.val() == WriteState::Data) && (self.input_valid.val() || !self.needs_input.val());
        self.beat.next = (self.state.q.val() == WriteState::Data)
            && (self.input_valid.val() || !self.needs_input.val())
            && self.wready.val();
        self.payload_ready.next = self.beat.val() && self.needs_input.val() && !self.is_cqe.q.val();
        self.lanes.i.next = self.carry.q.val();
        if self.needs_input.val() {
            self.lanes.i.next = self.carry.q.val() | (self.source.val() >> self.shift_down.val());
        }
        self.wdata.next = self.lanes.o.val();
        self.wlast.next = self.burst_left.q.val() == 1;
        self.first_mask.next = self.ones.val();
        if self.first.q.val() {
            self.first_mask.next = self.ones.val() << self.offset.q.val();
        }
        self.last_mask.next = self.ones.val();
        if (self.output_left.q.val() == 1) && self.tail.q.val().any() {
            self.last_mask.next = self.ones.val() >> (self.bytes.val() - self.tail.q.val());
        }
        self.wstrb.next = self.first_mask.val() & self.last_mask.val();

        match self.state.q.val() {
            WriteState::Idle => {
                if self.start.val() {
                    self.is_cqe.d.next = self.command_is_cqe.val();
                    self.address.d.next = self.command.val().get_bits::<64>(0) & self.align_mask.val();
                    self.offset.d.next = self.command_offset.val();
                    self.tail.d.next = bit_cast::<7, 13>(self.command_total.val()) & self.offset_mask.val();
                    self.input_left.d.next =
                        (self.command_length.val() + self.round_up.val()) >> self.beat_shift.val();
                    self.output_left.d.next =
                        (self.command_total.val() + self.round_up.val()) >> self.beat_shift.val();
                    self.first.d.next = true;
                    self.carry.d.next = bits::<W>(0);
                    self.entry.d.next = bit_cast::<512, 256>(self.entries.read_data.val()) << 256;
                    self.state.d.next = WriteState::Address;
                }
            }
            WriteState::Address => {
                if self.awready.val() {
                    self.burst_left.d.next = bit_cast::<9, 13>(self.burst_beats.val());
                    self.address.d.next = self.address.q.val()
                        + (bit_cast::<64, 13>(self.burst_beats.val()) << self.beat_shift.val());
                    self.state.d.next = WriteState::Data;
                }
            }
            WriteState::Data => {
                if self.beat.val() {
                    self.first.d.next = false;
                    self.output_left.d.next = self.output_left.q.val() - 1;
                    self.burst_left.d.next = self.burst_left.q.val() - 1;
                    self.carry.d.next = bits::<W>(0);
                    if self.needs_input.val() {
                        self.input_left.d.next = self.input_left.q.val() - 1;
                        self.carry.d.next = self.source.val() << self.shift_up.val();
                        self.entry.d.next = self.entry.q.val() << self.width.val();
                    }
                    if self.burst_left.q.val() == 1 {
                        self.state.d.next = WriteState::Address;
                        if self.output_left.q.val() == 1 {
                            self.state.d.next = WriteState::Idle;
                        }
                    }
                }
            }
        }

        self.issued.next = (self.state.q.val() == WriteState::Address) && self.awready.val();
        self.acknowledged.next = self.bvalid.val();
        self.bready.next = true;
        if self.issued.val() && !self.acknowledged.val() {
            self.unacknowledged.d.next = self.unacknowledged.q.val() + 1;
        }
        if !self.issued.val() && self.acknowledged.val() {
            self.unacknowledged.d.next = self.unacknowledged.q.val() - 1;
        }
        self.cqe_written.next = self.bvalid.val() && (self.bid.val() == self.id_cqe.val());

        if self.reset.val() {
            self.state.d.next = WriteState::Idle;
            self.unacknowledged.d.next = bits::<8>(0);
        }
    }
}
