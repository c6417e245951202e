//! Counts of the packets that one source has discarded lately, by reason.
use crate::bundle::DropSink;
use hca_hdl::prelude::*;

/// Counts the drops of one source, at most one a cycle, with reasons 0 to 63, modulo 512. `count` includes a drop two
/// cycles later. A reset of at least 16 clocks makes all counts 0.
#[derive(LogicBlock, Default)]
pub struct RecentDrops {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Packets that are dropped, for reasons 0 to 63.
    pub drop: DropSink,
    /// Reason whose count is read.
    pub reason: Signal<In, Bits<6>>,
    /// Number of packets dropped for `reason`, modulo 512.
    pub count: Signal<Out, Bits<9>>,
    /// High if a packet was dropped one clock ago.
    pub counts: Signal<Out, Bit>,

    coming: Register<Bit>,
    comes: Register<Bits<6>>,
    /// Counts of 16 reasons each.
    words: [LutRam<Bits<9>, 4>; 4],
    /// The words that a reset clears.
    cleared: Register<Bits<4>>,
    former: Signal<Local, Bits<9>>,
    grown: Signal<Local, Bits<9>>,
}

#[kernel]
impl Logic for RecentDrops {
    fn update(&mut self) {
        self.coming.d.next = self.drop.valid.val() && !self.reset.val();
        self.comes.d.next = self.drop.reason.val().get_bits::<6>(0);
        self.counts.next = self.coming.q.val();
        if self.reset.val() {
            self.cleared.d.next = self.cleared.q.val() + 1;
        }
        self.former.next = bits::<9>(0);
        self.count.next = bits::<9>(0);
        for i in 0..4 {
            self.words[i].clock.next = self.clock.val();
            self.words[i].read_address_a.next = self.comes.q.val().get_bits::<4>(0);
            if self.comes.q.val().get_bits::<2>(4) == i.to_bits::<2>() {
                self.former.next = self.words[i].read_data_a.val();
            }
            self.words[i].read_address_b.next = self.reason.val().get_bits::<4>(0);
            if self.reason.val().get_bits::<2>(4) == i.to_bits::<2>() {
                self.count.next = self.words[i].read_data_b.val();
            }
        }
        self.grown.next = self.former.val() + 1;
        for i in 0..4 {
            self.words[i].write_enable.next =
                self.coming.q.val() && (self.comes.q.val().get_bits::<2>(4) == i.to_bits::<2>());
            self.words[i].write_address.next = self.comes.q.val().get_bits::<4>(0);
            self.words[i].write_data.next = self.grown.val();
            if self.reset.val() {
                self.words[i].write_enable.next = true;
                self.words[i].write_address.next = self.cleared.q.val();
                self.words[i].write_data.next = bits::<9>(0);
            }
        }
    }
}
