//! The link's receive side.
use super::crc_check::CrcCheck;
use super::delay::Delay;
use super::header_capture::HeaderCapture;
use super::ingress::Ingress;
use super::packet_buffer::PacketBuffer;
use super::packet_check::PacketCheck;
use super::payload_reader::PayloadReader;
use super::record::RxHeader;
use crate::primitive::{comment, dff_setup, Fifo, Register};
use rust_hdl_core::prelude::*;

/// Takes native InfiniBand packets from the stream, checks and stores them, and hands out headers and payload.
///
/// `K` = `W` / 8; `NB` beats hold the first 48 bytes; the buffer has 2^`A` beats. A packet that fails a check
/// (`protocol/responder.md` section 1 steps 1 to 4) is reported by `drop_valid`, one clock, in order of arrival, and
/// leaves nothing else. For every other one a header comes out; the receiver of the header gives one payload command.
#[derive(LogicBlock)]
pub struct LinkReceive<const W: usize, const K: usize, const NB: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// AXI4-Stream: byte 0 of the packet in bits 7:0.
    pub s_axis_tdata: Signal<In, Bits<W>>,
    pub s_axis_tkeep: Signal<In, Bits<K>>,
    pub s_axis_tlast: Signal<In, Bit>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tready: Signal<Out, Bit>,
    /// Base LID, its low `port_lmc` bits zero.
    pub port_lid: Signal<In, Bits<16>>,
    pub port_lmc: Signal<In, Bits<3>>,
    pub header: Signal<Out, RxHeader>,
    pub header_valid: Signal<Out, Bit>,
    pub header_ready: Signal<In, Bit>,
    pub payload_command_valid: Signal<In, Bit>,
    pub payload_command_ready: Signal<Out, Bit>,
    /// Drop the payload; no beats follow.
    pub payload_command_discard: Signal<In, Bit>,
    /// ceil(payload / `K`) beats, byte 0 at the most significant end, undefined beyond the last byte.
    pub payload_data: Signal<Out, Bits<W>>,
    pub payload_last: Signal<Out, Bit>,
    pub payload_valid: Signal<Out, Bit>,
    pub payload_ready: Signal<In, Bit>,
    pub drop_valid: Signal<Out, Bit>,
    /// As the retire port numbers it.
    pub drop_reason: Signal<Out, Bits<8>>,
    /// Arrival number.
    pub drop_packet: Signal<Out, Bits<32>>,
    ingress: Ingress<W, K>,
    crc: CrcCheck<W>,
    capture: HeaderCapture<W, NB>,
    check: PacketCheck<W>,
    data_delay: Delay<W>,
    control_delay: Delay<2>,
    buffer: PacketBuffer<W, A>,
    headers: Fifo<219, 4>,
    packets: Fifo<39, 4>,
    reader: PayloadReader<W, A>,
    ended: Register<Bit>,
    ended_beat: Register<Bits<11>>,
    ended_count: Register<Bits<6>>,
    front: Register<Bits<219>>,
    front_valid: Register<Bit>,
    good: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    flat: Signal<Local, Bits<219>>,
}

impl<const W: usize, const K: usize, const NB: usize, const A: usize> Default for LinkReceive<W, K, NB, A> {
    fn default() -> Self {
        assert!(K * 8 == W && NB * W >= 384, "the generics contradict each other");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            s_axis_tdata: Default::default(),
            s_axis_tkeep: Default::default(),
            s_axis_tlast: Default::default(),
            s_axis_tvalid: Default::default(),
            s_axis_tready: Default::default(),
            port_lid: Default::default(),
            port_lmc: Default::default(),
            header: Default::default(),
            header_valid: Default::default(),
            header_ready: Default::default(),
            payload_command_valid: Default::default(),
            payload_command_ready: Default::default(),
            payload_command_discard: Default::default(),
            payload_data: Default::default(),
            payload_last: Default::default(),
            payload_valid: Default::default(),
            payload_ready: Default::default(),
            drop_valid: Default::default(),
            drop_reason: Default::default(),
            drop_packet: Default::default(),
            ingress: Default::default(),
            crc: Default::default(),
            capture: Default::default(),
            check: Default::default(),
            data_delay: Default::default(),
            control_delay: Default::default(),
            buffer: Default::default(),
            headers: Default::default(),
            packets: Default::default(),
            reader: Default::default(),
            ended: Default::default(),
            ended_beat: Default::default(),
            ended_count: Default::default(),
            front: Default::default(),
            front_valid: Default::default(),
            good: Default::default(),
            advance: Default::default(),
            flat: Default::default(),
        }
    }
}

impl<const W: usize, const K: usize, const NB: usize, const A: usize> Logic for LinkReceive<W, K, NB, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module link_receive");
        dff_setup!(self, clock, ended, ended_beat, ended_count, front, front_valid);
        self.ingress.clock.next = self.clock.val();
        self.ingress.reset.next = self.reset.val();
        self.crc.clock.next = self.clock.val();
        self.capture.clock.next = self.clock.val();
        self.check.clock.next = self.clock.val();
        self.check.reset.next = self.reset.val();
        self.data_delay.clock.next = self.clock.val();
        self.control_delay.clock.next = self.clock.val();
        self.buffer.clock.next = self.clock.val();
        self.buffer.reset.next = self.reset.val();
        self.headers.clock.next = self.clock.val();
        self.headers.reset.next = self.reset.val();
        self.packets.clock.next = self.clock.val();
        self.packets.reset.next = self.reset.val();
        self.reader.clock.next = self.clock.val();
        self.reader.reset.next = self.reset.val();

        self.ingress.s_axis_tdata.next = self.s_axis_tdata.val();
        self.ingress.s_axis_tkeep.next = self.s_axis_tkeep.val();
        self.ingress.s_axis_tlast.next = self.s_axis_tlast.val();
        self.ingress.s_axis_tvalid.next = self.s_axis_tvalid.val();
        self.s_axis_tready.next = self.ingress.s_axis_tready.val();
        self.ingress.open.next = self.buffer.open.val();

        self.crc.valid.next = self.ingress.valid.val();
        self.crc.first.next = self.ingress.first.val();
        self.crc.second.next = self.ingress.second.val();
        self.crc.data.next = self.ingress.data.val();
        self.crc.body.next = self.ingress.body.val();
        self.crc.end_word.next = self.ingress.count.val().get_bits::<4>(2);
        self.capture.valid.next = self.ingress.valid.val();
        self.capture.beat.next = self.ingress.beat.val();
        self.capture.data.next = self.ingress.data.val();

        self.ended.d.next = self.ingress.valid.val() && self.ingress.last.val() && !self.reset.val();
        self.ended_beat.d.next = self.ingress.beat.val();
        self.ended_count.d.next = self.ingress.count.val();
        self.check.arrived_whole.next = self.ended.q.val();
        self.check.flat.next = self.capture.flat.val();
        self.check.beats.next = self.ended_beat.q.val();
        self.check.count.next = self.ended_count.q.val();
        self.check.vcrc_ok.next = self.crc.vcrc_ok.val();
        self.check.icrc_ok.next = self.crc.icrc_ok.val();
        self.check.port_lid.next = self.port_lid.val();
        self.check.port_lmc.next = self.port_lmc.val();

        // The last beat reaches the buffer together with the verdict.
        self.good.next = self.check.reason.val() == 0;
        self.data_delay.data.next = self.ingress.data.val();
        self.control_delay.data.next = 0.into();
        if self.ingress.valid.val() && !self.reset.val() {
            self.control_delay.data.next = 1.into();
            if self.ingress.last.val() {
                self.control_delay.data.next = 3.into();
            }
        }
        self.buffer.valid.next = self.control_delay.delayed.val().get_bit(0);
        self.buffer.last.next = self.control_delay.delayed.val().get_bit(1);
        self.buffer.data.next = self.data_delay.delayed.val();
        self.buffer.accept.next = self.good.val();
        self.drop_valid.next = self.check.done.val() && !self.good.val();
        self.drop_reason.next = self.check.reason.val();
        self.drop_packet.next = self.check.header.val().packet;

        self.headers.write_data.next = bit_cast::<219, 219>(self.check.header.val().into());
        self.headers.write_valid.next = self.buffer.kept.val();
        self.packets.write_data.next = bit_cast::<39, 13>(self.check.header.val().payload)
            | (bit_cast::<39, 4>(self.check.header_words.val()) << 13)
            | (bit_cast::<39, A>(self.buffer.start.val()) << 17)
            | (bit_cast::<39, A>(self.buffer.after_last.val()) << 28);
        self.packets.write_valid.next = self.buffer.kept.val();

        // Long decisions start from the header: give them a register to start from.
        self.advance.next = !self.front_valid.q.val() || self.header_ready.val();
        self.headers.read_ready.next = self.advance.val();
        if self.advance.val() {
            self.front.d.next = self.headers.read_data.val();
            self.front_valid.d.next = self.headers.read_valid.val();
        }
        if self.reset.val() {
            self.front_valid.d.next = false;
        }
        self.flat.next = self.front.q.val();
        self.header_valid.next = self.front_valid.q.val();
        self.header.next.packet = self.flat.val().get_bits::<32>(0);
        self.header.next.slid = self.flat.val().get_bits::<16>(32);
        self.header.next.dlid = self.flat.val().get_bits::<16>(48);
        self.header.next.sl = self.flat.val().get_bits::<4>(64);
        self.header.next.opcode = self.flat.val().get_bits::<8>(68);
        self.header.next.solicited = self.flat.val().get_bit(76);
        self.header.next.p_key = self.flat.val().get_bits::<16>(77);
        self.header.next.dest_qp = self.flat.val().get_bits::<24>(93);
        self.header.next.ack_req = self.flat.val().get_bit(117);
        self.header.next.psn = self.flat.val().get_bits::<24>(118);
        self.header.next.syndrome = self.flat.val().get_bits::<8>(142);
        self.header.next.msn = self.flat.val().get_bits::<24>(150);
        self.header.next.immediate = self.flat.val().get_bits::<32>(174);
        self.header.next.payload = self.flat.val().get_bits::<13>(206);

        self.reader.packet.next = self.packets.read_data.val();
        self.reader.packet_valid.next = self.packets.read_valid.val();
        self.packets.read_ready.next = self.reader.packet_ready.val();
        self.reader.command_valid.next = self.payload_command_valid.val();
        self.reader.command_discard.next = self.payload_command_discard.val();
        self.payload_command_ready.next = self.reader.command_ready.val();
        self.buffer.read_address.next = self.reader.read_address.val();
        self.reader.read_data.next = self.buffer.read_data.val();
        self.buffer.free.next = self.reader.free.val();
        self.buffer.free_end.next = self.reader.free_end.val();
        self.payload_data.next = self.reader.payload_data.val();
        self.payload_last.next = self.reader.payload_last.val();
        self.payload_valid.next = self.reader.payload_valid.val();
        self.reader.payload_ready.next = self.payload_ready.val();
    }
}
