//! Puts link packets between packets.
use hca_hdl::prelude::*;

/// Sends a link packet of 6 bytes as one beat, once no packet is under way. A beat that is offered stays until it is
/// taken. `W`: stream bits; `K` = `W` / 8.
#[derive(LogicBlock, SmartDefault)]
pub struct LinkInsert<const W: usize, const K: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Packets, AXI4-Stream: byte 0 of the packet in bits 7:0.
    pub s_axis: StreamSink<W, K>,
    /// High with the first beat of a packet that goes before a link packet, whatever `hold` says.
    pub urgent: Signal<In, Bit>,
    /// High while no packet may begin.
    pub hold: Signal<In, Bit>,
    /// The link packet, byte 0 at the most significant end.
    pub packet: Signal<In, Bits<48>>,
    /// High while a link packet waits. A link packet that is not offered yet may be withdrawn.
    pub packet_valid: Signal<In, Bit>,
    /// High while the link packet is offered to the link.
    pub packet_offered: Signal<Out, Bit>,
    /// High for one cycle when the link takes the link packet.
    pub packet_taken: Signal<Out, Bit>,
    /// High for one cycle for each beat of packets that the link takes.
    pub taken: Signal<Out, Bit>,
    /// Packets and link packets to the link.
    pub m_axis: StreamSource<W, K>,
    /// High with the beat of a link packet.
    pub m_axis_tuser: Signal<Out, Bit>,

    lanes: ByteReverse<48>,
    /// High inside a packet.
    open: Register<Bit>,
    /// High if the first beat of a packet was offered and not taken.
    stands: Register<Bit>,
    /// High if a link packet was offered and not taken.
    link_stands: Register<Bit>,
    first: Signal<Local, Bit>,
    yields: Signal<Local, Bit>,
    inserts: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize, const K: usize> Logic for LinkInsert<W, K> {
    fn update(&mut self) {
        self.first.next = self.s_axis.tvalid.val() && !self.open.q.val();
        self.yields.next = self.first.val() && self.urgent.val();
        self.inserts.next = self.link_stands.q.val()
            || (self.packet_valid.val() && !self.open.q.val() && !self.stands.q.val() && !self.yields.val());
        self.passes.next = !self.inserts.val()
            && (self.open.q.val() || self.stands.q.val() || self.urgent.val() || !self.hold.val());
        self.offers.next = self.s_axis.tvalid.val() && self.passes.val();

        self.lanes.i.next = self.packet.val();
        inputs!(self.m_axis, tdata: s_axis.tdata, tkeep: s_axis.tkeep, tlast: s_axis.tlast);
        if self.inserts.val() {
            self.m_axis.tdata.next = bit_cast::<W, 48>(self.lanes.o.val());
            self.m_axis.tkeep.next = bits::<K>(0x3F);
            self.m_axis.tlast.next = true;
        }
        self.m_axis.tvalid.next = self.inserts.val() || self.offers.val();
        self.m_axis_tuser.next = self.inserts.val();
        self.s_axis.tready.next = self.m_axis.tready.val() && self.passes.val();
        self.packet_offered.next = self.inserts.val();
        self.packet_taken.next = self.inserts.val() && self.m_axis.tready.val();
        self.taken.next = self.offers.val() && self.m_axis.tready.val();

        self.stands.d.next = self.first.val() && self.passes.val() && !self.m_axis.tready.val();
        self.link_stands.d.next = self.inserts.val() && !self.m_axis.tready.val();
        if self.offers.val() && self.m_axis.tready.val() {
            self.open.d.next = !self.s_axis.tlast.val();
        }
        if self.reset.val() {
            clear!(self, open, stands, link_stands);
        }
    }
}
