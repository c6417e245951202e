//! The last Reads and atomics of each queue pair, and the search for the one that a duplicate repeats
//! (`protocol/responder.md` section 6).
use super::{ReplayMatch, StoredOperation};
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum SearchState {
    /// No search is under way.
    Idle,
    /// Slots are read, one a cycle, the newest first.
    Scan,
    /// Address and length of the found operation are moved to where the duplicate starts.
    Measure,
    /// The duplicate is compared with the found operation.
    Compare,
    /// The result is reported.
    Done,
}

/// Slots are named by `QB` bits of QP index and 4 of place: `RA` = `QB` + 4.
///
/// A search looks at one slot a cycle and answers with one pulse of `done`, at most 24 cycles after `start`.
#[derive(LogicBlock, SmartDefault)]
pub struct ReplaySearch<const QB: usize, const RA: usize> {
    #[default(provided(RA == QB + 4, "RA == QB + 4"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when an operation is stored.
    pub store_valid: Signal<In, Bit>,
    /// Slot of the operation: QP index | place 4.
    pub store_slot: Signal<In, Bits<RA>>,
    /// The operation.
    pub store: Signal<In, StoredOperation>,

    /// High for one cycle to start a search; the ports from `index` to `pmtu` must hold until `done`.
    pub start: Signal<In, Bit>,
    /// QP of the duplicate.
    pub index: Signal<In, Bits<QB>>,
    /// Place of the next operation to be stored.
    pub next_place: Signal<In, Bits<4>>,
    /// Number of operations before `next_place` that are stored, up to 16.
    pub stored: Signal<In, Bits<5>>,
    /// PSN of the duplicate.
    pub psn: Signal<In, Bits<24>>,
    /// High if the duplicate is a Read, low if it is an atomic.
    pub read: Signal<In, Bit>,
    /// High if the duplicate is a fetch and add.
    pub fetch_add: Signal<In, Bit>,
    /// Address of the duplicate.
    pub va: Signal<In, Bits<64>>,
    /// R_Key of the duplicate.
    pub r_key: Signal<In, Bits<32>>,
    /// DMA length of the duplicate, in bytes.
    pub dma_len: Signal<In, Bits<32>>,
    /// Code of `protocol/pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,

    /// High for one cycle when the search ends.
    pub done: Signal<Out, Bit>,
    /// With `done`: high if the duplicate repeats the operation at `place`.
    pub found: Signal<Out, Bit>,
    /// With `found`: place of that operation in the ring of the QP.
    pub place: Signal<Out, Bits<4>>,

    #[default(BlockRam::without_collisions())]
    slots: BlockRam<StoredOperation, RA>,
    #[default(Register::new(SearchState::Idle))]
    state: Register<SearchState>,
    left: Register<Bits<5>>,
    next: Register<Bits<4>>,
    reads: Register<Bit>,
    read_place: Register<Bits<4>>,
    loaded: Register<Bit>,
    loaded_place: Register<Bits<4>>,
    operation: Register<StoredOperation>,
    hit: Register<StoredOperation>,
    hit_place: Register<Bits<4>>,
    /// Bytes of the found operation before the duplicate.
    bytes: Register<Bits<32>>,
    matches: Register<Bit>,
    comparison: ReplayMatch,
    distance: Signal<Local, Bits<24>>,
}

#[kernel]
impl<const QB: usize, const RA: usize> Logic for ReplaySearch<QB, RA> {
    fn update(&mut self) {
        clock!(self, clock, slots);
        inputs!(self.slots, write_enable: store_valid, write_address: store_slot, write_data: store);
        self.slots.read_address.next =
            (bit_cast::<RA, QB>(self.index.val()) << 4) | bit_cast::<RA, 4>(self.next.q.val());

        inputs!(self.comparison, stored: hit.q, bytes: bytes.q, read, fetch_add, va, r_key, dma_len);

        // A slot's way: address, data, register, PSN compared.
        self.reads.d.next = false;
        self.read_place.d.next = self.next.q.val();
        self.loaded.d.next = self.reads.q.val();
        self.loaded_place.d.next = self.read_place.q.val();
        self.operation.d.next = self.slots.read_data.val();
        self.distance.next = self.psn.val() - self.operation.q.val().psn;

        self.done.next = false;
        self.found.next = self.matches.q.val();
        self.place.next = self.hit_place.q.val();
        match self.state.q.val() {
            SearchState::Idle => {
                self.loaded.d.next = false;
                self.matches.d.next = false;
                self.next.d.next = self.next_place.val() - 1;
                self.left.d.next = self.stored.val();
                if self.start.val() {
                    self.state.d.next = SearchState::Scan;
                }
            }
            SearchState::Scan => {
                if self.left.q.val().any() {
                    self.reads.d.next = true;
                    self.left.d.next = self.left.q.val() - 1;
                    self.next.d.next = self.next.q.val() - 1;
                }
                // Kept until the next is looked at, or this one is it.
                self.hit.d.next = self.operation.q.val();
                self.hit_place.d.next = self.loaded_place.q.val();
                self.bytes.d.next =
                    bit_cast::<32, 24>(self.distance.val()) << (bit_cast::<4, 3>(self.pmtu.val()) + 7);
                if self.loaded.q.val() && (self.distance.val() <= self.operation.q.val().span) {
                    self.state.d.next = SearchState::Measure;
                } else if !self.left.q.val().any() && !self.reads.q.val() && !self.loaded.q.val() {
                    self.state.d.next = SearchState::Done;
                }
            }
            SearchState::Measure => {
                self.hit.d.next = self.comparison.rest.val();
                self.state.d.next = SearchState::Compare;
            }
            SearchState::Compare => {
                self.matches.d.next = self.comparison.matches.val();
                self.state.d.next = SearchState::Done;
            }
            SearchState::Done => {
                self.done.next = true;
                self.reads.d.next = false;
                self.loaded.d.next = false;
                self.state.d.next = SearchState::Idle;
            }
        }
        if self.reset.val() {
            self.state.d.next = SearchState::Idle;
        }
    }
}
