//! Counters of discarded packets, by reason.
use crate::bundle::DropSink;
use hca_hdl::primitive::{clock, comment, dff_setup, LutRam, Register};
use rust_hdl_core::prelude::*;

/// Counts the drops of one source, at most one a cycle, with reasons 0 to 63; a count wraps after 2^32. `count`
/// includes a drop three cycles later.
#[derive(LogicBlock, Default)]
pub struct DropCounters {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Packets that are dropped, for reasons 0 to 63.
    pub drop: DropSink,
    /// Reason whose count is read.
    pub read_reason: Signal<In, Bits<6>>,
    /// Number of packets dropped for `read_reason`.
    pub count: Signal<Out, Bits<32>>,
    coming: Register<Bit>,
    comes: Register<Bits<6>>,
    counting: Register<Bit>,
    counted: Register<Bits<6>>,
    /// High if the reason has a count.
    known: Register<Bit>,
    counts: LutRam<Bits<32>, 6>,
    /// Bit for each reason: high if it has a count since reset. The memory keeps older counts.
    seen: Register<Bits<64>>,
    former: Signal<Local, Bits<32>>,
}

impl Logic for DropCounters {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module drop_counters");
        dff_setup!(self, clock, coming, comes, counting, counted, known, seen);
        clock!(self, clock, counts);
        self.coming.d.next = self.drop.valid.val();
        self.comes.d.next = self.drop.reason.val().get_bits::<6>(0);
        self.counting.d.next = self.coming.q.val();
        self.counted.d.next = self.comes.q.val();
        self.known.d.next = self.seen.q.val().get_bit(self.comes.q.val().index())
            || (self.counting.q.val() && (self.counted.q.val() == self.comes.q.val()));
        self.counts.read_address_a.next = self.counted.q.val();
        self.former.next = bits::<32>(0);
        if self.known.q.val() {
            self.former.next = self.counts.read_data_a.val();
        }
        self.counts.write_enable.next = self.counting.q.val();
        self.counts.write_address.next = self.counted.q.val();
        self.counts.write_data.next = self.former.val() + 1;
        if self.counting.q.val() {
            self.seen.d.next = self.seen.q.val().replace_bit(self.counted.q.val().index(), true);
        }

        self.counts.read_address_b.next = self.read_reason.val();
        self.count.next = bits::<32>(0);
        if self.seen.q.val().get_bit(self.read_reason.val().index()) {
            self.count.next = self.counts.read_data_b.val();
        }
        if self.reset.val() {
            self.coming.d.next = false;
            self.counting.d.next = false;
            self.seen.d.next = bits::<64>(0);
        }
    }
}
