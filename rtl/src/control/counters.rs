//! Packets received, sent and discarded.
use super::drops::Drops;
use crate::host::register as map;
use crate::primitive::{comment, dff_setup, Register};
use rust_hdl_core::prelude::*;

/// The registers `PACKETS_*` and `DROPPED`.
#[derive(LogicBlock)]
pub struct PacketCounters {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// One pulse each.
    pub packet_received: Signal<In, Bit>,
    pub packet_sent: Signal<In, Bit>,
    pub dropped_by_link: Signal<In, Bit>,
    pub link_reason: Signal<In, Bits<8>>,
    pub dropped_by_responder: Signal<In, Bit>,
    pub responder_reason: Signal<In, Bits<8>>,
    pub dropped_by_requester: Signal<In, Bit>,
    pub requester_reason: Signal<In, Bits<8>>,
    pub read_address: Signal<In, Bits<20>>,
    /// A clock later; 0 for the addresses of others.
    pub read_data: Signal<Out, Bits<32>>,

    drops: Drops,
    received: Register<Bits<32>>,
    sent: Register<Bits<32>>,
    a_received: Constant<Bits<20>>,
    a_sent: Constant<Bits<20>>,
    a_dropped: Constant<Bits<20>>,
    dropped_page: Constant<Bits<13>>,
}

impl Default for PacketCounters {
    fn default() -> Self {
        let address = |offset: u32| Constant::new((offset as usize).to_bits());
        PacketCounters {
            clock: Default::default(),
            reset: Default::default(),
            packet_received: Default::default(),
            packet_sent: Default::default(),
            dropped_by_link: Default::default(),
            link_reason: Default::default(),
            dropped_by_responder: Default::default(),
            responder_reason: Default::default(),
            dropped_by_requester: Default::default(),
            requester_reason: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            drops: Default::default(),
            received: Default::default(),
            sent: Default::default(),
            a_received: address(map::PACKETS_RECEIVED),
            a_sent: address(map::PACKETS_SENT),
            a_dropped: address(map::PACKETS_DROPPED),
            dropped_page: Constant::new((map::DROPPED as usize >> 7).to_bits()),
        }
    }
}

impl Logic for PacketCounters {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module packet_counters");
        dff_setup!(self, clock, received, sent);
        self.drops.clock.next = self.clock.val();
        self.drops.reset.next = self.reset.val();
        self.drops.by_link.next = self.dropped_by_link.val();
        self.drops.link_reason.next = self.link_reason.val();
        self.drops.by_responder.next = self.dropped_by_responder.val();
        self.drops.responder_reason.next = self.responder_reason.val();
        self.drops.by_requester.next = self.dropped_by_requester.val();
        self.drops.requester_reason.next = self.requester_reason.val();
        self.drops.read_reason.next = self.read_address.val().get_bits::<5>(2);
        if self.packet_received.val() {
            self.received.d.next = self.received.q.val() + 1;
        }
        if self.packet_sent.val() {
            self.sent.d.next = self.sent.q.val() + 1;
        }
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
        if self.read_address.val().get_bits::<13>(7) == self.dropped_page.val() {
            self.read_data.next = self.drops.count.val();
        }
        if self.reset.val() {
            self.received.d.next = bits::<32>(0);
            self.sent.d.next = bits::<32>(0);
        }
    }
}
