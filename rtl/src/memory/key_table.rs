//! The protection table.
use super::RegionRow;
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

/// Holds the memory regions (`protocol/qp_cq.md` section 3), and reads one row a cycle. `MB`: log2 of the number of
/// regions.
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

    /// High while a walk is under way: an invalidation waits until all have ended, and none starts while `busy`.
    pub walks: Signal<In, Bit>,
    /// Index of the row that is read for a walk, in a cycle in which none is written.
    pub index: Signal<In, Bits<MB>>,
    /// The row, one cycle after its index.
    pub row: Signal<Out, RegionRow>,

    // No row is read in a cycle in which one is written.
    #[default(BlockRam::without_collisions())]
    rows: BlockRam<RegionRow, MB>,
    state: Register<InvalidateState>,
    /// R_Key of the region to invalidate.
    revoked: Register<Bits<32>>,
    /// The row of `revoked`.
    revoked_row: Register<RegionRow>,
    /// High while the row of `revoked` is read.
    looks: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
}

#[kernel]
impl<const MB: usize> Logic for KeyTable<MB> {
    fn update(&mut self) {
        clock!(self, clock, rows);

        // The write of a command goes before that of an invalidation, which then looks the row up again.
        self.revoked_row.d.next = self.rows.read_data.val();
        self.writes.next = self.update_valid.val();
        inputs!(self.rows, read_address: index, write_address: update_index, write_data: update);
        outputs!(self.rows, row: read_data);
        self.looks.next = (self.state.q.val() == InvalidateState::Wait) && !self.walks.val();
        self.busy.next = self.state.q.val() != InvalidateState::Idle;
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
                } else if self.revoked_row.q.val().valid
                    && (self.revoked_row.q.val().r_key == self.revoked.q.val())
                {
                    self.writes.next = true;
                    self.rows.write_address.next = self.revoked.q.val().get_bits::<MB>(8);
                    self.rows.write_data.next = self.revoked_row.q.val();
                    self.rows.write_data.next.valid = false;
                }
            }
        }
        self.rows.write_enable.next = self.writes.val();
        if self.looks.val() {
            self.rows.read_address.next = self.revoked.q.val().get_bits::<MB>(8);
        }

        if self.reset.val() {
            self.state.d.next = InvalidateState::Idle;
        }
    }
}
