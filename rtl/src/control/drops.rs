//! Counters of the discarded packets of all three sources, in total and by reason.
use super::drop_counters::DropCounters;
use hca_hdl::primitive::{clock, comment, dff_setup, kernel, Register};
use rust_hdl_core::prelude::*;

/// `total` is correct two cycles after a drop; `count` is correct three cycles after a drop and two cycles after a
/// change of `read_reason`.
#[derive(LogicBlock, Default)]
pub struct Drops {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle for each packet that the link drops.
    pub by_link: Signal<In, Bit>,
    /// Why the link drops it (`host::retire`).
    pub link_reason: Signal<In, Bits<8>>,
    /// High for one cycle for each packet that the responder drops.
    pub by_responder: Signal<In, Bit>,
    /// Why the responder drops it.
    pub responder_reason: Signal<In, Bits<8>>,
    /// High for one cycle for each packet that the requester drops.
    pub by_requester: Signal<In, Bit>,
    /// Why the requester drops it.
    pub requester_reason: Signal<In, Bits<8>>,
    /// Reason whose count is read.
    pub read_reason: Signal<In, Bits<6>>,
    /// Number of packets dropped.
    pub total: Signal<Out, Bits<32>>,
    /// Number of packets dropped for `read_reason`.
    pub count: Signal<Out, Bits<32>>,

    link: DropCounters,
    responder: DropCounters,
    requester: DropCounters,
    link_count: Register<Bits<32>>,
    responder_count: Register<Bits<32>>,
    requester_count: Register<Bits<32>>,
    dropped: Register<Bits<32>>,
    now: Register<Bits<2>>,
}

impl Logic for Drops {
    #[kernel]
    fn update(&mut self) {
        comment!("@module drops");
        dff_setup!(self, clock, link_count, responder_count, requester_count, dropped, now);
        clock!(self, clock, link, responder, requester);
        reset!(self, reset, link, responder, requester);
        self.link.dropped.next = self.by_link.val();
        self.link.reason.next = self.link_reason.val().get_bits::<6>(0);
        self.link.read_reason.next = self.read_reason.val();
        self.responder.dropped.next = self.by_responder.val();
        self.responder.reason.next = self.responder_reason.val().get_bits::<6>(0);
        self.responder.read_reason.next = self.read_reason.val();
        self.requester.dropped.next = self.by_requester.val();
        self.requester.reason.next = self.requester_reason.val().get_bits::<6>(0);
        self.requester.read_reason.next = self.read_reason.val();

        self.link_count.d.next = self.link.count.val();
        self.responder_count.d.next = self.responder.count.val();
        self.requester_count.d.next = self.requester.count.val();
        self.count.next =
            self.link_count.q.val() + self.responder_count.q.val() + self.requester_count.q.val();

        self.now.d.next = bit_cast::<2, 1>(self.by_link.val().into())
            + bit_cast::<2, 1>(self.by_responder.val().into())
            + bit_cast::<2, 1>(self.by_requester.val().into());
        self.dropped.d.next = self.dropped.q.val() + bit_cast::<32, 2>(self.now.q.val());
        self.total.next = self.dropped.q.val();
        if self.reset.val() {
            self.now.d.next = bits::<2>(0);
            self.dropped.d.next = bits::<32>(0);
        }
    }
}
