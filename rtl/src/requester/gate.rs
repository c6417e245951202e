//! Decides what a turn of a QP does.
use super::{Position, RequesterRow};
use hca_hdl::prelude::*;

/// `protocol/requester.md` sections 1 and 3, in the order of the checks; the first that holds decides. Exactly one
/// output is high.
#[derive(LogicBlock, Default)]
pub struct TurnGate {
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// Place of the next packet among PSNs and messages.
    pub position: Signal<In, Position>,
    /// High in RTS: messages may start.
    pub sends: Signal<In, Bit>,
    /// High in RTS and SQD: messages that have started go on.
    pub continues: Signal<In, Bit>,
    /// High if at least 1 of this QP's packets is possibly not gone yet ([`super::Emissions`]).
    pub any_leaving: Signal<In, Bit>,
    /// High if at least 32 of this QP's packets are possibly not gone yet.
    pub many_leaving: Signal<In, Bit>,
    /// High if the WQE of the next packet is in the cache.
    pub posted: Signal<In, Bit>,
    /// High if that WQE has a fence.
    pub fence: Signal<In, Bit>,
    /// High if that WQE is a Read or atomic.
    pub takes_resource: Signal<In, Bit>,
    /// High if that WQE cannot be carried out.
    pub bad: Signal<In, Bit>,
    /// High if a limited message has sent what it may.
    pub stopped: Signal<In, Bit>,
    /// High if more than 2^23 PSNs would be outstanding with this packet.
    pub wide: Signal<In, Bit>,

    /// High if acknowledged WQEs are completed.
    pub complete: Signal<Out, Bit>,
    /// High if the QP reports that it is in SQE.
    pub stop: Signal<Out, Bit>,
    /// High if posted WQEs end with WR_FLUSH_ERR.
    pub flush: Signal<Out, Bit>,
    /// High if the QP sleeps until something wakes it.
    pub closed: Signal<Out, Bit>,
    /// High if the QP sleeps until one of its packets is gone.
    pub crowded: Signal<Out, Bit>,
    /// High if the QP goes on at the oldest PSN that is not acknowledged.
    pub seek: Signal<Out, Bit>,
    /// High if a WQE ends in error for a local fault.
    pub refuse: Signal<Out, Bit>,
    /// High if the WQE of the next packet cannot be carried out.
    pub blame: Signal<Out, Bit>,
    /// High if the next packet is sent.
    pub emit: Signal<Out, Bit>,
}

#[kernel]
impl Logic for TurnGate {
    fn update(&mut self) {
        self.complete.next = false;
        self.stop.next = false;
        self.flush.next = false;
        self.closed.next = false;
        self.crowded.next = false;
        self.seek.next = false;
        self.refuse.next = false;
        self.blame.next = false;
        self.emit.next = false;
        if self.row.val().owes {
            // Section 7: the QP waits until no packet that is sent again reads memory that software gets back.
            self.crowded.next = self.any_leaving.val();
            self.complete.next = !self.any_leaving.val();
        } else if self.row.val().flushing {
            // qp_cq.md section 1, CF240; no memory is read for a WQE that is flushed. SQE is reported first.
            self.crowded.next = self.any_leaving.val();
            self.flush.next = !self.any_leaving.val() && !self.row.val().unreported;
            self.stop.next = !self.any_leaving.val() && self.row.val().unreported;
        } else if !self.continues.val() {
            self.closed.next = true;
        } else if self.row.val().waiting {
            // Section 6, CF112.
            self.closed.next = true;
        } else if self.row.val().rewinding {
            // Section 7: no packet of the old order comes after the first of the new.
            self.crowded.next = self.any_leaving.val();
            self.seek.next = !self.any_leaving.val();
        } else if self.position.val().behind && self.row.val().refused {
            // What could not be sent again was acknowledged.
            self.crowded.next = self.any_leaving.val();
            self.seek.next = !self.any_leaving.val();
        } else if self.position.val().behind {
            // What was acknowledged meanwhile is not sent again.
            self.seek.next = true;
        } else if self.row.val().refused {
            // Section 8: once all before it is complete, and no memory is read for it.
            self.refuse.next = self.position.val().due && !self.any_leaving.val();
            self.crowded.next = self.position.val().due && self.any_leaving.val();
            self.closed.next = !self.position.val().due;
        } else if self.position.val().begins && !self.posted.val() {
            self.closed.next = true;
        } else if self.position.val().begins && !self.sends.val() {
            // SQD starts nothing, CF239.
            self.closed.next = true;
        } else if self.position.val().begins && self.fence.val() && self.row.val().reads.any() {
            // CF162.
            self.closed.next = true;
        } else if self.bad.val() {
            // Section 8.
            self.blame.next = true;
        } else if self.position.val().begins && self.takes_resource.val() && self.position.val().full {
            // CF164, CF165.
            self.closed.next = true;
        } else if self.stopped.val() {
            // Section 4, CF197, CF200, CF202.
            self.closed.next = true;
        } else if self.wide.val() {
            // CF286: never more than 2^23 PSNs.
            self.closed.next = true;
        } else if self.many_leaving.val() {
            self.crowded.next = true;
        } else {
            self.emit.next = true;
        }
    }
}
