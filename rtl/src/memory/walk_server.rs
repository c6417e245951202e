//! What all walkers share: the protection table, and the check of what a walk needs of an SGE.
use super::{KeyTable, PieceCheck, RegionRow, SgeAccess};
use crate::bundle::SgeLookupSink;
use hca_hdl::prelude::*;

/// Four walkers offer SGEs. In each cycle the server takes one SGE, of the walkers in turn: it looks the key up, finds
/// the bytes that the walk needs, and checks the access. Four cycles later the walker gets the piece, and the end of
/// its walk if this SGE ends it; a walker gets these in the order of its SGEs.
///
/// An SGE waits for those of the three other walkers at most, besides the cycles in which a row of the table is
/// written. `MB`: log2 of the number of regions.
#[derive(LogicBlock, Default)]
pub struct WalkServer<const MB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when a row is written: a new region, or none if `valid` is clear.
    pub update_valid: Signal<In, Bit>,
    /// Index of the row that is written.
    pub update_index: Signal<In, Bits<MB>>,
    /// The new row.
    pub update: Signal<In, RegionRow>,
    /// High for one cycle to invalidate the region that `invalidate_key` names, if there is one; never while `busy`. A
    /// walk that has started still finds the region.
    pub invalidate_valid: Signal<In, Bit>,
    /// R_Key of the region to invalidate.
    pub invalidate_key: Signal<In, Bits<32>>,
    /// High while an invalidation waits or is under way.
    pub busy: Signal<Out, Bit>,

    /// The walkers: 0 of requests that arrive, 1 of Reads and atomics that are answered, 2 of responses that arrive, 3
    /// of requests that are sent.
    pub walker: [SgeLookupSink; 4],

    table: KeyTable<MB>,
    check: PieceCheck,
    /// Bit `n` is high if walker `n` offers an SGE.
    asks: Concat<1, 4, 4>,
    /// Bit `n` is high if walker `n` comes after the one that was served last.
    behind: Register<Bits<4>>,
    candidates: Signal<Local, Bits<4>>,
    chosen: Signal<Local, Bits<4>>,
    taken: Signal<Local, Bits<4>>,
    access: Signal<Local, SgeAccess>,
}

#[kernel]
impl<const MB: usize> Logic for WalkServer<MB> {
    fn update(&mut self) {
        clock_and_reset!(self, table, check);
        inputs!(self.table, update_valid, update_index, update, invalidate_valid, invalidate_key);
        outputs!(self.table, busy);
        self.table.walks.next = self.walker[0].walks.val()
            || self.walker[1].walks.val()
            || self.walker[2].walks.val()
            || self.walker[3].walks.val();

        // Whose turn it is: the first that asks behind the one that was served last, else the first. None asks while
        // an invalidation writes.
        for i in 0..4 {
            self.asks.i[3 - i].next = self.walker[i].asks.val().into();
        }
        self.candidates.next = self.asks.o.val() & self.behind.q.val();
        if !(self.asks.o.val() & self.behind.q.val()).any() {
            self.candidates.next = self.asks.o.val();
        }
        self.chosen.next = self.candidates.val() & (bits::<4>(0) - self.candidates.val());
        if self.asks.o.val().any() && !self.update_valid.val() {
            self.behind.d.next = !(self.chosen.val() | (self.chosen.val() - 1));
        }
        self.taken.next = self.chosen.val();
        if self.update_valid.val() {
            self.taken.next = bits::<4>(0);
        }

        // Its SGE is looked up and checked.
        self.access.next = self.walker[3].access.val();
        self.check.left.next = self.walker[3].left.val();
        for i in 0..3 {
            if self.chosen.val().get_bit(i) {
                self.access.next = self.walker[i].access.val();
            }
            if self.check.measured.val().get_bit(i) {
                self.check.left.next = self.walker[i].left.val();
            }
        }
        inputs!(self.check, access, takes: taken, row: table.row);
        self.table.index.next = self.access.val().key.get_bits::<MB>(8);
        for i in 0..4 {
            inputs!(self.walker[i], busy: table.busy);
            wires!(self.check, self.walker[i], reach, ends, address, length, fault);
            self.walker[i].taken.next = self.taken.val().get_bit(i);
            self.walker[i].measured.next = self.check.measured.val().get_bit(i);
            self.walker[i].found.next = self.check.found.val().get_bit(i);
            self.walker[i].done.next = self.check.done.val().get_bit(i);
            self.walker[i].under_way.next = self.check.under_way.val().get_bit(i);
        }

        if self.reset.val() {
            clear!(self, behind);
        }
    }
}
