//! Counters of packets received, sent and discarded.
use super::drops::Drops;
use crate::bundle::DropSink;
use hca_hdl::prelude::*;
use hca_host::register as map;

/// The registers `PACKETS_*` and `DROPPED`.
#[derive(LogicBlock, SmartDefault)]
pub struct PacketCounters {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Number of packets received in this cycle, up to one a port.
    pub packets_received: Signal<In, Bits<2>>,
    /// Number of packets sent in this cycle, up to one a port.
    pub packets_sent: Signal<In, Bits<2>>,
    /// Packets that the link drops.
    pub link_drop: DropSink,
    /// Packets that the responder drops.
    pub responder_drop: DropSink,
    /// Packets that the requester drops.
    pub requester_drop: DropSink,
    /// High in the cycle in which software begins to read a register.
    pub read_begins: Signal<In, Bit>,
    /// Byte address of the register of that read, while `read_begins` is high.
    pub begun_address: Signal<In, Bits<20>>,
    /// Byte address of the register that is read, from the cycle after on.
    pub read_address: Signal<In, Bits<20>>,
    /// Value of the register, one cycle after its address; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,

    drops: Drops,
    received: Register<Bits<32>>,
    sent: Register<Bits<32>>,
    #[default(constant(map::PACKETS_RECEIVED))]
    a_received: Constant<Bits<20>>,
    #[default(constant(map::PACKETS_SENT))]
    a_sent: Constant<Bits<20>>,
    #[default(constant(map::PACKETS_DROPPED))]
    a_dropped: Constant<Bits<20>>,
    #[default(constant(map::DROPPED as usize >> 8))]
    dropped_page: Constant<Bits<12>>,
}

#[kernel]
impl Logic for PacketCounters {
    fn update(&mut self) {
        clock!(self, clock, drops);
        self.drops.reset.next = self.reset.val();
        DropSink::link(&mut self.link_drop, &mut self.drops.by_link);
        DropSink::link(&mut self.responder_drop, &mut self.drops.by_responder);
        DropSink::link(&mut self.requester_drop, &mut self.drops.by_requester);
        self.drops.reads.next = self.read_begins.val();
        self.drops.read_reason.next = self.begun_address.val().get_bits::<6>(2);
        self.received.d.next = self.received.q.val() + bit_cast::<32, 2>(self.packets_received.val());
        self.sent.d.next = self.sent.q.val() + bit_cast::<32, 2>(self.packets_sent.val());
        self.read_data.next = bits::<32>(0);
        if self.read_address.val() == self.a_received.val() {
            self.read_data.next = self.received.q.val();
        }
        if self.read_address.val() == self.a_sent.val() {
            self.read_data.next = self.sent.q.val();
        }
        if self.read_address.val() == self.a_dropped.val() {
            self.read_data.next = self.drops.total.val();
        }
        if self.read_address.val().get_bits::<12>(8) == self.dropped_page.val() {
            self.read_data.next = self.drops.count.val();
        }
        if self.reset.val() {
            clear!(self, received, sent);
        }
    }
}
