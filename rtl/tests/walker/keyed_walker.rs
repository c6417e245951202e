//! A walker with the protection table, and three rivals that look keys up beside it.
use crate::reference::MB;
use hca_hdl::prelude::*;
use hca_rtl::bundle::{FoundPieceSource, KeyReadSource, ListReadSource, WalkSink};
use hca_rtl::memory::{KeyTable, RegionRow, Walker};

/// The ports of [`Walker`] and of [`KeyTable`] under their names.
#[derive(LogicBlock, Default)]
pub struct KeyedWalker {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub walk: WalkSink,
    pub piece: FoundPieceSource,
    pub hold: Signal<In, Bit>,
    pub quiet: Signal<Out, Bit>,
    pub list: ListReadSource<512>,
    pub update_valid: Signal<In, Bit>,
    pub update_index: Signal<In, Bits<MB>>,
    pub update: Signal<In, RegionRow>,
    pub invalidate_valid: Signal<In, Bit>,
    pub invalidate_key: Signal<In, Bits<32>>,
    pub busy: Signal<Out, Bit>,
    /// Bit `n` is high while rival `n` asks for a row.
    pub rivals: Signal<In, Bits<3>>,
    /// Bit `n` is high in a cycle in which the row of rival `n` is read.
    pub rivals_taken: Signal<Out, Bits<3>>,
    walker: Walker<512>,
    table: KeyTable<MB>,
}

#[kernel]
impl Logic for KeyedWalker {
    fn update(&mut self) {
        clock_and_reset!(self, walker, table);
        inputs!(self.walker, hold);
        FoundPieceSource::link(&mut self.piece, &mut self.walker.piece);
        WalkSink::link(&mut self.walk, &mut self.walker.walk);
        self.quiet.next = self.walker.quiet.val() && !self.table.busy.val();
        ListReadSource::<512>::link(&mut self.list, &mut self.walker.list);
        inputs!(self.table, update_valid, update_index, update, invalidate_valid, invalidate_key);
        self.busy.next = self.table.busy.val();
        KeyReadSource::join(&mut self.walker.key, &mut self.table.scatter);
        self.table.responder.asks.next = self.rivals.val().get_bit(0);
        self.table.responder.key.next = bits::<32>(0x100);
        self.table.responder.walks.next = false;
        self.table.response.asks.next = self.rivals.val().get_bit(1);
        self.table.response.key.next = bits::<32>(0x200);
        self.table.response.walks.next = false;
        self.table.gather.asks.next = self.rivals.val().get_bit(2);
        self.table.gather.key.next = bits::<32>(0x300);
        self.table.gather.walks.next = false;
        self.rivals_taken.next = bit_cast::<3, 1>(self.table.responder.taken.val().into())
            | (bit_cast::<3, 1>(self.table.response.taken.val().into()) << 1)
            | (bit_cast::<3, 1>(self.table.gather.taken.val().into()) << 2);
    }
}
