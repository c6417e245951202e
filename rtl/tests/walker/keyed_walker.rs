//! A walker with the protection table, and three rivals that look keys up beside it.
use crate::reference::MB;
use hca_hdl::primitive::clock;
use hca_rtl::bundle::{KeyReadSource, ListReadSource};
use hca_rtl::memory::{KeyTable, RegionRow, Walker};
use rust_hdl_core::prelude::*;

/// The ports of [`Walker`] and of [`KeyTable`] under their names.
#[derive(LogicBlock, Default)]
pub struct KeyedWalker {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub request_valid: Signal<In, Bit>,
    pub request_ready: Signal<Out, Bit>,
    pub segments: Signal<In, Bits<256>>,
    pub count: Signal<In, Bits<8>>,
    pub indirect: Signal<In, Bit>,
    pub unchecked: Signal<In, Bit>,
    pub offset: Signal<In, Bits<32>>,
    pub alone: Signal<In, Bit>,
    pub length: Signal<In, Bits<13>>,
    pub entire: Signal<In, Bit>,
    pub right: Signal<In, Bits<3>>,
    pub pd: Signal<In, Bits<24>>,
    pub piece_valid: Signal<Out, Bit>,
    pub piece_address: Signal<Out, Bits<64>>,
    pub piece_length: Signal<Out, Bits<13>>,
    pub done: Signal<Out, Bit>,
    pub fault: Signal<Out, Bits<2>>,
    pub hold: Signal<In, Bit>,
    pub quiet: Signal<Out, Bit>,
    pub list: ListReadSource,
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
    walker: Walker,
    table: KeyTable<MB>,
}

impl Logic for KeyedWalker {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, walker, table);
        self.walker.reset.next = self.reset.val();
        self.walker.request_valid.next = self.request_valid.val();
        self.request_ready.next = self.walker.request_ready.val();
        self.walker.segments.next = self.segments.val();
        self.walker.count.next = self.count.val();
        self.walker.indirect.next = self.indirect.val();
        self.walker.unchecked.next = self.unchecked.val();
        self.walker.offset.next = self.offset.val();
        self.walker.alone.next = self.alone.val();
        self.walker.length.next = self.length.val();
        self.walker.entire.next = self.entire.val();
        self.walker.right.next = self.right.val();
        self.walker.pd.next = self.pd.val();
        self.piece_valid.next = self.walker.piece_valid.val();
        self.piece_address.next = self.walker.piece_address.val();
        self.piece_length.next = self.walker.piece_length.val();
        self.done.next = self.walker.done.val();
        self.fault.next = self.walker.fault.val();
        self.walker.hold.next = self.hold.val();
        self.quiet.next = self.walker.quiet.val() && !self.table.busy.val();
        ListReadSource::link(&mut self.list, &mut self.walker.list);
        self.table.reset.next = self.reset.val();
        self.table.update_valid.next = self.update_valid.val();
        self.table.update_index.next = self.update_index.val();
        self.table.update.next = self.update.val();
        self.table.invalidate_valid.next = self.invalidate_valid.val();
        self.table.invalidate_key.next = self.invalidate_key.val();
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
