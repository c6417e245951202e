//! Takes link packets out of the stream.
use super::flow_control_check::FlowControlCheck;
use crate::bundle::CreditUpdateSource;
use hca_hdl::prelude::*;

/// Takes the link packets out of a stream, whether the rest of it waits or not, and passes the other packets on.
///
/// A link packet waits for nothing, since it may bring the credits that let others go on. It has at most a beat if it
/// is a good one; what it says comes out two clocks after its last beat. `NV`: data VLs of the port.
#[derive(LogicBlock, SmartDefault)]
pub struct FlowControlTake<const W: usize, const K: usize, const NV: usize> {
    #[default(provided(K * 8 == W && K >= 8, "a good link packet must be a beat"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Packets from the link, AXI4-Stream: byte 0 of the packet in bits 7:0.
    pub s_axis: StreamSink<W, K>,
    /// High with every beat of a link packet.
    pub is_link: Signal<In, Bit>,
    /// The same packets without link packets.
    pub m_axis: StreamSource<W, K>,
    /// High while link packets are looked at.
    pub looks: Signal<In, Bit>,
    /// High while the port is in Armed or Active.
    pub armed: Signal<In, Bit>,
    /// Number of data VLs that are operational, from VL 0 on.
    pub data_vls: Signal<In, Bits<4>>,
    /// The link packet that was taken.
    pub taken: CreditUpdateSource,
    /// High for one cycle for a link packet that is discarded and counted.
    pub faulty: Signal<Out, Bit>,
    #[default(FlowControlCheck::new(NV))]
    check: FlowControlCheck,
    bytes: Concat<8, 6, 48>,
    ended: Register<Bit>,
    packet: Register<Bits<48>>,
    whole: Register<Bit>,
    /// High while a link packet has begun and not ended.
    goes_on: Register<Bit>,
    takes: Register<Bit>,
    is_faulty: Register<Bit>,
    judged: Register<Bits<48>>,
    comes: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize, const K: usize, const NV: usize> Logic for FlowControlTake<W, K, NV> {
    fn update(&mut self) {
        wires!(self.s_axis, self.m_axis, tdata, tkeep, tlast);
        self.m_axis.tvalid.next = self.s_axis.tvalid.val() && !self.is_link.val();
        self.s_axis.tready.next = self.m_axis.tready.val() || self.is_link.val();

        self.comes.next = self.s_axis.tvalid.val() && self.is_link.val();
        if self.comes.val() {
            self.goes_on.d.next = !self.s_axis.tlast.val();
        }
        for i in 0..6 {
            self.bytes.i[i].next = self.s_axis.tdata.val().get_bits::<8>(i * 8);
        }
        self.ended.d.next = self.comes.val() && self.s_axis.tlast.val();
        self.packet.d.next = self.bytes.o.val();
        self.whole.d.next = !self.goes_on.q.val() && (self.s_axis.tkeep.val() == 0x3F);

        inputs!(self.check, packet: packet.q, whole: whole.q, looks, armed, data_vls);
        self.takes.d.next = self.ended.q.val() && self.check.takes.val();
        self.is_faulty.d.next = self.ended.q.val() && self.check.faulty.val();
        self.judged.d.next = self.packet.q.val();
        self.taken.valid.next = self.takes.q.val();
        self.taken.initialises.next = self.judged.q.val().get_bit(44);
        self.taken.vl.next = self.judged.q.val().get_bits::<4>(28);
        self.taken.fctbs.next = self.judged.q.val().get_bits::<12>(32);
        self.taken.fccl.next = self.judged.q.val().get_bits::<12>(16);
        self.faulty.next = self.is_faulty.q.val();
        if self.reset.val() {
            clear!(self, ended, goes_on, takes, is_faulty);
        }
    }
}
