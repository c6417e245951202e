//! A walker with the walk server, and three rivals that hand it SGEs, too.
use crate::reference::MB;
use hca_hdl::prelude::*;
use hca_rtl::bundle::{FoundPieceSource, ListReadSource, SgeLookupSource, WalkSink};
use hca_rtl::memory::{RegionRow, SgeAccess, WalkServer, Walker};

/// The ports of [`Walker`] and of [`WalkServer`] under their names.
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
    /// Bit `n` is high while rival `n` offers an SGE.
    pub rivals: Signal<In, Bits<3>>,
    /// The SGE of each rival.
    pub rival_access: Signal<In, SgeAccess>,
    /// Number of bytes that the walk of each rival needs.
    pub rival_left: Signal<In, Bits<13>>,
    /// Bit `n` is high in a cycle in which the SGE of rival `n` is taken.
    pub rivals_taken: Signal<Out, Bits<3>>,
    walker: Walker<512>,
    server: WalkServer<MB>,
}

#[kernel]
impl Logic for KeyedWalker {
    fn update(&mut self) {
        clock_and_reset!(self, walker, server);
        inputs!(self.walker, hold);
        FoundPieceSource::link(&mut self.piece, &mut self.walker.piece);
        WalkSink::link(&mut self.walk, &mut self.walker.walk);
        self.quiet.next = self.walker.quiet.val() && !self.server.busy.val();
        ListReadSource::<512>::link(&mut self.list, &mut self.walker.list);
        inputs!(self.server, update_valid, update_index, update, invalidate_valid, invalidate_key);
        self.busy.next = self.server.busy.val();
        self.server.walker[0].asks.next = self.rivals.val().get_bit(0);
        self.server.walker[1].asks.next = self.rivals.val().get_bit(1);
        self.server.walker[3].asks.next = self.rivals.val().get_bit(2);
        self.server.walker[0].walks.next = false;
        inputs!(self.server.walker[0], access: rival_access, left: rival_left);
        self.server.walker[1].walks.next = false;
        inputs!(self.server.walker[1], access: rival_access, left: rival_left);
        self.server.walker[3].walks.next = false;
        inputs!(self.server.walker[3], access: rival_access, left: rival_left);
        SgeLookupSource::join(&mut self.walker.lookup, &mut self.server.walker[2]);
        self.rivals_taken.next = bit_cast::<3, 1>(self.server.walker[0].taken.val().into())
            | (bit_cast::<3, 1>(self.server.walker[1].taken.val().into()) << 1)
            | (bit_cast::<3, 1>(self.server.walker[3].taken.val().into()) << 2);
    }
}
