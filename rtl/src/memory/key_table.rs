//! The protection table, which all walkers share.
use super::RegionRow;
use crate::bundle::KeyReadSink;
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum InvalidateState {
    /// No invalidation is pending.
    Idle,
    /// Waits until no walk is under way.
    Wait,
    /// The row is being read.
    Fetch,
    /// The row is here; it is cleared if it has the key.
    Clear,
}

/// Holds the memory regions (`protocol/qp_cq.md` section 3), and reads one row a cycle for one of four walkers in turn.
///
/// A walker that requests a row while others do waits three cycles at most, besides the cycles in which a row is
/// written. `MB`: log2 of the number of regions.
#[derive(LogicBlock, SmartDefault)]
pub struct KeyTable<const MB: usize> {
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

    /// The responder's walker.
    pub responder: KeyReadSink,
    /// The walker of read responses.
    pub response: KeyReadSink,
    /// The requester's walker of responses that it places.
    pub scatter: KeyReadSink,
    /// The requester's walker of payload that it sends.
    pub gather: KeyReadSink,

    // No row is read in a cycle in which one is written.
    #[default(BlockRam::without_collisions())]
    rows: BlockRam<RegionRow, MB>,
    state: Register<InvalidateState>,
    /// R_Key of the region to invalidate.
    revoked: Register<Bits<32>>,
    row: Register<RegionRow>,
    walks: Signal<Local, Bit>,
    /// High while the row of `revoked` is read.
    looks: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,

    /// Bit `n` is high if walker `n` requests a row, in the order of the ports.
    asks: Concat<1, 4, 4>,
    /// Bit `n` is high if walker `n` comes after the one that was served last.
    behind: Register<Bits<4>>,
    candidates: Signal<Local, Bits<4>>,
    chosen: Signal<Local, Bits<4>>,
    key: Signal<Local, Bits<32>>,
}

#[kernel]
impl<const MB: usize> Logic for KeyTable<MB> {
    fn update(&mut self) {
        clock!(self, clock, rows);

        // The write of a command goes before that of an invalidation, which then looks the row up again.
        self.row.d.next = self.rows.read_data.val();
        self.writes.next = self.update_valid.val();
        inputs!(self.rows, write_address: update_index, write_data: update);
        self.walks.next = self.responder.walks.val()
            || self.response.walks.val()
            || self.scatter.walks.val()
            || self.gather.walks.val();
        self.looks.next = (self.state.q.val() == InvalidateState::Wait) && !self.walks.val();
        self.busy.next = self.state.q.val() != InvalidateState::Idle;
        self.responder.busy.next = self.state.q.val() != InvalidateState::Idle;
        self.response.busy.next = self.state.q.val() != InvalidateState::Idle;
        self.scatter.busy.next = self.state.q.val() != InvalidateState::Idle;
        self.gather.busy.next = self.state.q.val() != InvalidateState::Idle;
        match self.state.q.val() {
            InvalidateState::Idle => {
                // The key is known early in the clock; the request itself settles late.
                self.revoked.d.next = self.invalidate_key.val();
                if self.invalidate_valid.val() {
                    self.state.d.next = InvalidateState::Wait;
                }
            }
            InvalidateState::Wait => {
                if self.looks.val() {
                    self.state.d.next = InvalidateState::Fetch;
                }
                if self.update_valid.val() {
                    self.state.d.next = InvalidateState::Wait;
                }
            }
            InvalidateState::Fetch => {
                self.state.d.next = InvalidateState::Clear;
                if self.update_valid.val() {
                    self.state.d.next = InvalidateState::Wait;
                }
            }
            InvalidateState::Clear => {
                self.state.d.next = InvalidateState::Idle;
                if self.update_valid.val() {
                    self.state.d.next = InvalidateState::Wait;
                } else if self.row.q.val().valid && (self.row.q.val().r_key == self.revoked.q.val()) {
                    self.writes.next = true;
                    self.rows.write_address.next = self.revoked.q.val().get_bits::<MB>(8);
                    self.rows.write_data.next = self.row.q.val();
                    self.rows.write_data.next.valid = false;
                }
            }
        }
        self.rows.write_enable.next = self.writes.val();

        // Whose turn it is: the first that asks behind the one that was served last, else the first. None asks while
        // an invalidation writes.
        self.asks.i[3].next = self.responder.asks.val().into();
        self.asks.i[2].next = self.response.asks.val().into();
        self.asks.i[1].next = self.scatter.asks.val().into();
        self.asks.i[0].next = self.gather.asks.val().into();
        self.candidates.next = self.asks.o.val() & self.behind.q.val();
        if !(self.asks.o.val() & self.behind.q.val()).any() {
            self.candidates.next = self.asks.o.val();
        }
        self.chosen.next = self.candidates.val() & (bits::<4>(0) - self.candidates.val());
        self.key.next = self.gather.key.val();
        if self.chosen.val().get_bit(0) {
            self.key.next = self.responder.key.val();
        }
        if self.chosen.val().get_bit(1) {
            self.key.next = self.response.key.val();
        }
        if self.chosen.val().get_bit(2) {
            self.key.next = self.scatter.key.val();
        }
        if self.asks.o.val().any() && !self.update_valid.val() {
            self.behind.d.next = !(self.chosen.val() | (self.chosen.val() - 1));
        }
        self.responder.taken.next = self.chosen.val().get_bit(0) && !self.update_valid.val();
        self.response.taken.next = self.chosen.val().get_bit(1) && !self.update_valid.val();
        self.scatter.taken.next = self.chosen.val().get_bit(2) && !self.update_valid.val();
        self.gather.taken.next = self.chosen.val().get_bit(3) && !self.update_valid.val();
        self.rows.read_address.next = self.key.val().get_bits::<MB>(8);
        if self.looks.val() {
            self.rows.read_address.next = self.revoked.q.val().get_bits::<MB>(8);
        }
        self.responder.row.next = self.rows.read_data.val();
        self.response.row.next = self.rows.read_data.val();
        self.scatter.row.next = self.rows.read_data.val();
        self.gather.row.next = self.rows.read_data.val();

        if self.reset.val() {
            self.state.d.next = InvalidateState::Idle;
            self.behind.d.next = bits::<4>(0);
        }
    }
}
