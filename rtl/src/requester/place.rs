//! Compares the PSN of a response with what is outstanding.
use super::RequesterRow;
use hca_hdl::prelude::*;

record! {
    /// The region of a response (`protocol/requester.md` section 5). First field at the least significant end of the 65
    /// bits.
    pub struct ResponsePlace {
        /// High if the PSN was acknowledged before.
        pub duplicate: Bit,
        /// High if the PSN was never sent.
        pub ghost: Bit,
        /// High if the PSN is the last that was acknowledged.
        pub precedes: Bit,
        /// High if the PSN is at or beyond the first response of the oldest unanswered Read or atomic.
        pub reaches_read: Bit,
        /// High if the PSN is beyond the last response of that Read or atomic.
        pub passes_read: Bit,
        /// High if the PSN is that of the response that the Read or atomic waits for.
        pub wanted: Bit,
        /// High if the PSN is that of the first response of that Read or atomic.
        pub first: Bit,
        /// High if the PSN is that of the last response of that Read or atomic.
        pub last: Bit,
        /// High if the PSN is where the requester last went back to.
        pub resent: Bit,
        /// PSN of the next response of that Read or atomic: every PSN before it is answered.
        pub want: Bits<24>,
        /// Bytes of the Read before this response.
        pub offset: Bits<32>,
    }
}

/// Pure function of the row and of the PSN. All distances are 24-bit and signed.
#[derive(LogicBlock, Default)]
pub struct ResponseRegion {
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// Highest PSN sent, plus one; of a Read the last of its responses counts.
    pub horizon: Signal<In, Bits<24>>,
    /// PSN of the response.
    pub psn: Signal<In, Bits<24>>,
    /// Code of `pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// Region of the PSN.
    pub place: Signal<Out, ResponsePlace>,
    from_una: Signal<Local, Bits<24>>,
    to_una: Signal<Local, Bits<24>>,
    answered: Signal<Local, Bits<24>>,
    outstanding: Signal<Local, Bits<24>>,
    into_read: Signal<Local, Bits<24>>,
    to_last: Signal<Local, Bits<24>>,
    read_ahead: Signal<Local, Bits<24>>,
    want: Signal<Local, Bits<24>>,
    reaches: Signal<Local, Bit>,
    was_sent: Signal<Local, Bit>,
}

#[kernel]
impl Logic for ResponseRegion {
    fn update(&mut self) {
        self.from_una.next = self.psn.val() - self.row.val().una;
        self.to_una.next = self.row.val().una - self.psn.val();
        self.answered.next = self.row.val().una - self.row.val().start;
        self.outstanding.next = self.horizon.val() - self.row.val().una;
        self.into_read.next = self.psn.val() - self.row.val().read_first;
        self.to_last.next = self.row.val().read_last - self.psn.val();
        self.read_ahead.next = self.row.val().read_first - self.row.val().una;
        // Of a Read that is answered in part the first PSN may be up to 2^24 back.
        self.reaches.next = self.row.val().reads.any()
            && (self.read_ahead.val().get_bit(23) || !self.into_read.val().get_bit(23));
        self.want.next = self.row.val().una;
        if !self.read_ahead.val().get_bit(23) {
            self.want.next = self.row.val().read_first;
        }
        // What was never sent is no duplicate: it is a ghost, from whichever side.
        self.was_sent.next = self.row.val().wrapped || (self.to_una.val() <= self.answered.val());
        self.place.next.duplicate = self.from_una.val().get_bit(23) && self.was_sent.val();
        self.place.next.ghost = (self.from_una.val().get_bit(23) && !self.was_sent.val())
            || (!self.from_una.val().get_bit(23) && (self.from_una.val() >= self.outstanding.val()));
        self.place.next.precedes = self.from_una.val().all();
        self.place.next.reaches_read = self.reaches.val();
        self.place.next.passes_read = self.reaches.val() && self.to_last.val().get_bit(23);
        self.place.next.wanted = self.psn.val() == self.want.val();
        self.place.next.first = self.psn.val() == self.row.val().read_first;
        self.place.next.last = self.psn.val() == self.row.val().read_last;
        self.place.next.resent = self.psn.val() == self.row.val().resent;
        self.place.next.want = self.want.val();
        self.place.next.offset =
            bit_cast::<32, 24>(self.into_read.val()) << (bits::<5>(7) + bit_cast::<5, 3>(self.pmtu.val()));
    }
}
