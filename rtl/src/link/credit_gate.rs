//! Lets packets start by the credits of their VLs.
use super::{PacketBlocks, SendRule};
use hca_hdl::primitive::{comment, dff_setup, kernel, Register};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Keeps a packet that has departed until the neighbour has room for it (`protocol/link.md` section 5). `NV`: data VLs.
///
/// A packet is measured in the first clock in which it waits, and judged in the second and in each later one. One that
/// waits for credits when the port ceases to send data is given up, so that it blocks nothing behind it.
#[derive(LogicBlock, SmartDefault)]
pub struct CreditGate<const NV: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while packets need credits. While it is low every packet starts at once, and no block is counted.
    pub flow_control: Signal<In, Bit>,
    /// High for one cycle when the port enters Init: from then on no VL has credits until the first limit for it comes.
    pub init: Signal<In, Bit>,
    /// High while packets on data VLs are sent.
    pub sends_data: Signal<In, Bit>,

    /// High for one cycle when a flow-control packet is taken.
    pub limit_valid: Signal<In, Bit>,
    /// With `limit_valid`: VL of that packet.
    pub limit_vl: Signal<In, Bits<4>>,
    /// With `limit_valid`: FCCL of that packet: blocks that may be sent on the VL since Init, modulo 4096.
    pub limit: Signal<In, Bits<12>>,

    /// High while a packet waits. Meanwhile `exempt`, `vl`, `opcode`, `has_grh` and `payload` do not change.
    pub waits: Signal<In, Bit>,
    /// High if the packet needs no credits: an SMP, or a packet that is discarded.
    pub exempt: Signal<In, Bit>,
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
    /// High, with `open`, if the packet is given up: it starts without credits, and is to be discarded.
    pub gives_up: Signal<Out, Bit>,
    /// High for one cycle when the packet starts.
    pub starts: Signal<In, Bit>,
    /// High while the packet waits for credits.
    pub credit_wait: Signal<Out, Bit>,

    size: PacketBlocks,
    rule: SendRule,
    blocks: Register<Bits<7>>,
    measured: Register<Bit>,
    judged: Register<Bit>,
    allowed: Register<Bit>,
    /// High for each VL once a limit for it has come.
    #[default(array_init::array_init(|_| Default::default()))]
    known: [Register<Bit>; NV],
    #[default(array_init::array_init(|_| Default::default()))]
    limits: [Register<Bits<12>>; NV],
    /// Blocks of the packets that have started since Init, modulo 4096.
    #[default(array_init::array_init(|_| Default::default()))]
    sent: [Register<Bits<12>>; NV],
    is_known: Signal<Local, Bit>,
    clears: Signal<Local, Bit>,
    needs: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
}

impl<const NV: usize> Logic for CreditGate<NV> {
    #[kernel]
    fn update(&mut self) {
        comment!("@module credit_gate");
        dff_setup!(self, clock, blocks, measured, judged, allowed);
        self.clears.next = self.init.val() || !self.flow_control.val();
        self.needs.next = self.flow_control.val() && !self.exempt.val();

        inputs!(self.size, opcode, has_grh, payload);
        self.blocks.d.next = self.size.blocks.val();
        self.measured.d.next = self.waits.val() && !self.starts.val();
        self.judged.d.next = self.measured.q.val() && !self.starts.val() && !self.clears.val();

        self.is_known.next = false;
        self.rule.limit.next = bits::<12>(0);
        self.rule.sent.next = bits::<12>(0);
        self.rule.blocks.next = bit_cast::<12, 7>(self.blocks.q.val());
        for i in 0..NV {
            if self.vl.val() == i.to_bits::<4>() {
                self.is_known.next = self.known[i].q.val();
                self.rule.limit.next = self.limits[i].q.val();
                self.rule.sent.next = self.sent[i].q.val();
            }
        }
        self.allowed.d.next = self.is_known.val() && self.rule.allowed.val();

        self.refused.next = self.judged.q.val() && !self.allowed.q.val();
        self.gives_up.next = self.needs.val() && self.refused.val() && !self.sends_data.val();
        self.open.next = !self.needs.val()
            || (self.judged.q.val() && !self.init.val() && (self.allowed.q.val() || !self.sends_data.val()));
        self.credit_wait.next = self.needs.val() && self.refused.val() && self.sends_data.val();
        self.counts.next = self.starts.val() && self.needs.val() && !self.gives_up.val();

        for i in 0..NV {
            dff_setup!(self, clock, known[i], limits[i], sent[i]);
            if self.limit_valid.val() && (self.limit_vl.val() == i.to_bits::<4>()) {
                self.known[i].d.next = true;
                self.limits[i].d.next = self.limit.val();
            }
            if self.counts.val() && (self.vl.val() == i.to_bits::<4>()) {
                self.sent[i].d.next = self.sent[i].q.val() + bit_cast::<12, 7>(self.blocks.q.val());
            }
            if self.clears.val() || self.reset.val() {
                self.known[i].d.next = false;
                self.sent[i].d.next = bits::<12>(0);
            }
        }
        if self.reset.val() {
            self.measured.d.next = false;
            self.judged.d.next = false;
        }
    }
}
