//! Bundles and ports of the same name that a parent joins in a line.
use crate::compare::{Bench, Twin};
use crate::stimulus::Stimulus;
use hca_hdl::prelude::*;
use hca_sim::verilated::Lints;

pulse!(
    /// A byte, for one cycle.
    ByteSource to ByteSink {
        /// The byte.
        item: Out Bits<8>,
    }
);

/// Holds the words that it takes, and announces the low byte of each.
#[derive(LogicBlock, Default)]
struct Hold {
    clock: Signal<In, Clock>,
    reset: Signal<In, Bit>,
    mask: Signal<In, Bits<16>>,
    from: OfferSink<Bits<16>>,
    to: OfferSource<Bits<16>>,
    byte: ByteSource,
    sum: Signal<Out, Bits<16>>,
    word: Register<Bits<16>>,
    full: Register<Bit>,
}

#[kernel]
impl Logic for Hold {
    fn update(&mut self) {
        inputs!(self.to, item: word.q, valid: full.q);
        self.from.ready.next = !self.full.q.val() || self.to.ready.val();
        self.byte.valid.next = self.from.valid.val();
        self.byte.item.next = bit_cast::<8, 16>(self.from.item.val());
        self.sum.next = self.word.q.val() + self.mask.val();
        if !self.full.q.val() || self.to.ready.val() {
            self.word.d.next = self.from.item.val() & self.mask.val();
            self.full.d.next = self.from.valid.val();
        }
        if self.reset.val() {
            clear!(self, word, full);
        }
    }
}

/// Counts the bytes.
#[derive(LogicBlock, Default)]
struct Count {
    clock: Signal<In, Clock>,
    reset: Signal<In, Bit>,
    mask: Signal<In, Bits<16>>,
    byte: ByteSink,
    sum: Signal<In, Bits<16>>,
    total: Signal<Out, Bits<16>>,
    count: Register<Bits<16>>,
}

#[kernel]
impl Logic for Count {
    fn update(&mut self) {
        self.total.next = self.count.q.val() ^ self.sum.val();
        if self.byte.valid.val() {
            self.count.d.next = self.count.q.val() + bit_cast::<16, 8>(self.byte.item.val());
        }
        if self.reset.val() {
            self.count.d.next = self.mask.val();
        }
    }
}

/// Words go from `first` to `second`. Both counters add up the bytes that `first` announces, and the parent reads the
/// handshake of `first` beside its joins.
#[derive(LogicBlock, Default)]
struct Joins {
    clock: Signal<In, Clock>,
    reset: Signal<In, Bit>,
    mask: Signal<In, Bits<16>>,
    from: OfferSink<Bits<16>>,
    to: OfferSource<Bits<16>>,
    takes: Signal<Out, Bit>,
    total: Signal<Out, Bits<16>>,
    other: Signal<Out, Bits<16>>,
    first: Hold,
    second: Hold,
    counts: [Count; 2],
}

#[kernel]
impl Logic for Joins {
    fn update(&mut self) {
        clock_and_reset!(self, first, second);
        inputs!(self.first, mask);
        inputs!(self.second, mask);
        OfferSink::<Bits<16>>::link(&mut self.from, &mut self.first.from);
        OfferSource::<Bits<16>>::join(&mut self.first.to, &mut self.second.from);
        OfferSource::<Bits<16>>::link(&mut self.to, &mut self.second.to);
        self.takes.next = self.first.from.ready.val() && self.from.valid.val();
        for i in 0..2 {
            inputs!(self.counts[i], clock, reset, mask);
            ByteSource::join(&mut self.first.byte, &mut self.counts[i].byte);
        }
        wires!(self.first, self.counts[0], sum);
        wires!(self.second, self.counts[1], sum);
        outputs!(self.counts[0], total);
        outputs!(self.counts[1], other: total);
    }
}

#[test]
fn joins_agree() {
    let library = Bench::new("joins_bench")
        .add(Joins::default(), "joined")
        .build(Lints::Strict);
    let mut twin = Twin::new(Joins::default(), &library, "joined");
    let mut random = Stimulus::new(4);
    for cycle in 0..1000 {
        let block = &mut twin.block;
        block.reset.next = cycle == 0 || random.chance(50);
        block.mask.next = random.bits();
        block.from.valid.next = random.bit();
        block.from.item.next = random.bits();
        block.to.ready.next = random.bit();
        twin.settle(&|| format!("cycle {cycle}"));
        twin.block.clock.next = true.into();
        twin.settle(&|| format!("cycle {cycle} after its edge"));
        twin.block.clock.next = false.into();
        twin.settle(&|| format!("end of cycle {cycle}"));
    }
}
