//! Counters of the discarded packets of all three sources, in total and by reason.
use super::drop_counters::DropCounters;
use crate::bundle::DropSink;
use hca_hdl::primitive::{comment, dff_setup, kernel, Register};
use rust_hdl_core::prelude::*;

/// `total` is correct two cycles after a drop; `count` is correct three cycles after a drop and two cycles after a
/// change of `read_reason`.
#[derive(LogicBlock, Default)]
pub struct Drops {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Packets that the link drops.
    pub by_link: DropSink,
    /// Packets that the responder drops.
    pub by_responder: DropSink,
    /// Packets that the requester drops.
    pub by_requester: DropSink,
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
        clock_and_reset!(self, link, responder, requester);
        DropSink::link(&mut self.by_link, &mut self.link.drop);
        self.link.read_reason.next = self.read_reason.val();
        DropSink::link(&mut self.by_responder, &mut self.responder.drop);
        self.responder.read_reason.next = self.read_reason.val();
        DropSink::link(&mut self.by_requester, &mut self.requester.drop);
        self.requester.read_reason.next = self.read_reason.val();

        self.link_count.d.next = self.link.count.val();
        self.responder_count.d.next = self.responder.count.val();
        self.requester_count.d.next = self.requester.count.val();
        self.count.next =
            self.link_count.q.val() + self.responder_count.q.val() + self.requester_count.q.val();

        self.now.d.next = bit_cast::<2, 1>(self.by_link.valid.val().into())
            + bit_cast::<2, 1>(self.by_responder.valid.val().into())
            + bit_cast::<2, 1>(self.by_requester.valid.val().into());
        self.dropped.d.next = self.dropped.q.val() + bit_cast::<32, 2>(self.now.q.val());
        self.total.next = self.dropped.q.val();
        if self.reset.val() {
            self.now.d.next = bits::<2>(0);
            self.dropped.d.next = bits::<32>(0);
        }
    }
}
