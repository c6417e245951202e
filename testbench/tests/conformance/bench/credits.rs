//! Y with end-to-end credits.
use super::requester::all_rights;
use super::responder::{message, replies, Reply, TARGET_BYTES};
use super::{Bench, BUFFER_BYTES, QPN};
use hca_golden::verbs::{EndToEndCredits, QpAttributes, QpState, ReceiveRequest};
use hca_testbench::device::Verb;

/// Entries of its queues.
const ENTRIES: u32 = 64;
/// Bytes of each receive WQE; they lie one behind the other, the first again after the last that fits.
const WQE_BYTES: u64 = 512;

/// An Acknowledge of this PSN with this credit code and MSN.
pub fn told(psn: u32, code: u8, msn: u32) -> Reply {
    (0x11, psn, Some((code, msn)))
}

impl Bench {
    /// Y in Init as a responder that expects PSN 100, with so many receive WQEs, WR ids from 70 on. If there was one
    /// before, it is gone.
    pub fn in_init(&mut self, supplied: bool, receives: u64, change: impl FnOnce(&mut QpAttributes)) {
        let mut attributes = all_rights();
        attributes.credits.supplied = supplied;
        change(&mut attributes);
        self.make_anew(&attributes, ENTRIES);
        self.write_target(0, &message(TARGET_BYTES));
        self.modify(QpState::Init);
        for n in 0..receives {
            self.bring(70 + n);
        }
    }

    /// What the move to RTR brings out.
    pub fn enter_rtr(&mut self) -> Vec<Reply> {
        self.modify(QpState::Rtr);
        replies(&self.came())
    }

    /// Moves Y to RTR with `receives` receive WQEs; its initial ack, with their credits, is sent.
    pub fn supplier(&mut self, receives: u64) {
        self.in_init(true, receives, |_| {});
        assert_eq!(self.enter_rtr().len(), 1);
    }

    /// The same with receive WQEs for no bytes, as many as a queue of that many entries has.
    pub fn supplier_of_many(&mut self, receives: u32) {
        let mut attributes = all_rights();
        attributes.credits.supplied = true;
        self.make_anew(&attributes, receives);
        self.modify(QpState::Init);
        for wr_id in 0..receives.into() {
            let request = ReceiveRequest { wr_id, sges: vec![] };
            self.submit(Verb::PostReceive { qpn: QPN, request });
        }
        self.settle();
        assert_eq!(self.enter_rtr().len(), 1);
    }

    /// Posts a receive WQE.
    pub fn bring(&mut self, wr_id: u64) {
        let place = wr_id * WQE_BYTES % BUFFER_BYTES as u64;
        self.post_receive(wr_id, place, WQE_BYTES as u32);
    }

    /// The same; what it brings out.
    pub fn told_after(&mut self, wr_id: u64) -> Vec<Reply> {
        self.bring(wr_id);
        replies(&self.came())
    }

    /// Y in RTS as a requester from PSN 2000 on whose peer gives credits. If there was one before, it is gone.
    pub fn limited(&mut self) {
        self.requester_with(EndToEndCredits {
            supplied: false,
            expected: true,
        });
    }

    /// The same with these credits.
    pub fn requester_with(&mut self, credits: EndToEndCredits) {
        let attributes = QpAttributes {
            credits,
            ..all_rights()
        };
        self.make_anew(&attributes, ENTRIES);
        self.enter_rts();
    }

    /// Makes Y's QP with so many receive entries, in place of one that was there.
    pub fn make_anew(&mut self, attributes: &QpAttributes, receive_entries: u32) {
        let qpn = attributes.qpn;
        if self.station.model().query(qpn).is_err() {
            self.create(attributes);
        }
        self.submit(Verb::DestroyQp { qpn });
        self.submit(Verb::CreateQp {
            attributes: attributes.clone(),
            send_entries: ENTRIES,
            receive_entries,
        });
        self.settle();
        self.completions();
    }
}
