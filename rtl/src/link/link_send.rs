//! The send side of the link layer: when packets start, and what stands between them on the link.
use super::{BlocksLeft, CreditGate, FlowControlSend, LinkInsert, PacketWatch};
use hca_hdl::bundle::{StreamSink, StreamSource};
use hca_hdl::primitive::{clock, comment, constant, kernel};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Lets departed packets start by credits, and sends flow-control packets between them (`protocol/link.md` sections 4
/// and 5). While `flow_control` is low neither stands in a packet's way. `W`: stream bits; `K` = `W` / 8; `NV`: data
/// VLs, up to 8.
#[derive(LogicBlock, SmartDefault)]
pub struct LinkSend<const W: usize, const K: usize, const NV: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while packets need credits, and flow-control packets are sent.
    pub flow_control: Signal<In, Bit>,
    /// High for one cycle when the port enters Init.
    pub init: Signal<In, Bit>,
    /// High while the port is in Init.
    pub initialises: Signal<In, Bit>,
    /// High while the port is in Armed or Active.
    pub runs: Signal<In, Bit>,
    /// High while packets on data VLs are sent.
    pub sends_data: Signal<In, Bit>,
    /// Number of data VLs that are operational, from VL 0 on.
    pub data_vls: Signal<In, Bits<4>>,

    /// High for one cycle when a flow-control packet is taken.
    pub limit_valid: Signal<In, Bit>,
    /// With `limit_valid`: VL of that packet.
    pub limit_vl: Signal<In, Bits<4>>,
    /// With `limit_valid`: FCCL of that packet, in blocks, modulo 4096.
    pub limit: Signal<In, Bits<12>>,
    /// FCCL to send for VL `n` at bits `12 * n + 11 : 12 * n`, in blocks, modulo 4096.
    pub fccl: Signal<In, Bits<96>>,
    /// Number of blocks by which FCCL grows until a flow-control packet is due: a quarter of a VL's buffer, at least 1.
    pub fccl_step: Signal<In, Bits<12>>,

    /// High while a departed packet waits. Meanwhile `discards`, `vl`, `opcode`, `has_grh` and `payload` describe it.
    pub waits: Signal<In, Bit>,
    /// High if the packet is discarded.
    pub discards: Signal<In, Bit>,
    /// VL that the packet leaves on.
    pub vl: Signal<In, Bits<4>>,
    /// Opcode of the packet.
    pub opcode: Signal<In, Bits<8>>,
    /// High if the packet has a GRH.
    pub has_grh: Signal<In, Bit>,
    /// Bytes of payload of the packet, without pad.
    pub payload: Signal<In, Bits<13>>,
    /// High while the packet may start.
    pub open: Signal<Out, Bit>,
    /// High, with `open`, if the packet is to be discarded after all, because the port has ceased to send data.
    pub gives_up: Signal<Out, Bit>,
    /// High for one cycle when the packet starts.
    pub starts: Signal<In, Bit>,
    /// High while the packet waits for credits.
    pub credit_wait: Signal<Out, Bit>,

    /// Packets that leave, AXI4-Stream: byte 0 of the packet in bits 7:0.
    pub s_axis: StreamSink<W, K>,
    /// Packets and link packets to the link.
    pub m_axis: StreamSource<W, K>,
    /// High with the beat of a link packet.
    pub m_axis_tuser: Signal<Out, Bit>,
    /// High for one cycle for each packet that has left, link packets not counted.
    pub packet_left: Signal<Out, Bit>,
    /// With `packet_left`: 32-bit words of that packet, from the LRH to the ICRC.
    pub packet_words: Signal<Out, Bits<11>>,

    gate: CreditGate<NV>,
    left: BlocksLeft<NV>,
    send: FlowControlSend<NV, K>,
    insert: LinkInsert<W, K>,
    watch: PacketWatch<W>,
    #[default(constant(15))]
    management: Constant<Bits<4>>,
}

impl<const W: usize, const K: usize, const NV: usize> Logic for LinkSend<W, K, NV> {
    #[kernel]
    fn update(&mut self) {
        comment!("@module link_send");
        clock!(self, clock, gate, left, send, insert, watch);
        reset!(self, reset, gate, watch, left, send, insert);
        inputs!(
            self.gate, flow_control, init, sends_data, limit_valid, limit_vl, limit, waits, vl, opcode,
            has_grh, payload, starts
        );
        self.gate.exempt.next = self.discards.val() || (self.vl.val() == self.management.val());
        outputs!(self.gate, open, gives_up, credit_wait);

        self.watch.taken.next = self.insert.taken.val();
        self.watch.data.next = self.s_axis.tdata.val();
        self.watch.last.next = self.s_axis.tlast.val();
        self.packet_left.next = self.watch.ends.val();
        self.packet_words.next = self.watch.words.val();

        self.left.clear.next = self.init.val() || !self.flow_control.val();
        self.left.starts.next = self.starts.val() && !self.discards.val() && !self.gate.gives_up.val();
        wires!(self.watch, self.left, begins, vl, words);

        inputs!(self.send, flow_control, initialises, runs, data_vls, fccl_step);
        for i in 0..NV {
            self.send.fccl[i].next = self.fccl.val().get_bits::<12>(i * 12);
            self.send.fctbs[i].next = self.left.blocks[i].val();
        }
        wires!(self.insert, self.send, begins, packet_offered, packet_taken);
        self.send.counts.next = self.watch.begins.val();

        StreamSink::<W, K>::link(&mut self.s_axis, &mut self.insert.s_axis);
        // An SMP goes before flow control (CF451).
        self.insert.urgent.next = self.s_axis.tdata.val().get_bits::<4>(4) == self.management.val();
        wires!(self.send, self.insert, hold, packet, packet_valid);
        StreamSource::<W, K>::link(&mut self.m_axis, &mut self.insert.m_axis);
        self.m_axis_tuser.next = self.insert.m_axis_tuser.val();
    }
}
