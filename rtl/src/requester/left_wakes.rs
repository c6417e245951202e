//! Wakes QPs when their packets are gone.
use crate::bundle::QpPulseSink;
use hca_hdl::prelude::*;

/// Gives a QP a turn when one of its packets is gone, if it sleeps until then, or if it is in the pipeline, where its
/// event possibly counted the packet as not gone.
///
/// `QB`: QP index bits.
#[derive(LogicBlock, Default)]
pub struct LeftWakes<const QB: usize> {
    pub clock: Signal<In, Clock>,

    /// High for one cycle when an event of QP `index` stores whether the QP sleeps.
    pub sets: Signal<In, Bit>,
    /// QP of that event.
    pub index: Signal<In, Bits<QB>>,
    /// With `sets`: high if the QP sleeps until one of its packets is gone.
    pub crowded: Signal<In, Bit>,

    /// QP of the event in the second stage of the fetch, where its packets on the way are counted.
    pub fetch: QpPulseSink<QB>,
    /// QP of the event that is judged.
    pub judge: QpPulseSink<QB>,
    /// QP of the turn that ends.
    pub launch: QpPulseSink<QB>,
    /// QP of the event that settles.
    pub settle: QpPulseSink<QB>,

    /// High for one cycle when a packet of a QP is gone ([`super::Emissions`]).
    pub left: QpPulseSink<QB>,
    /// High for one cycle if that QP gets a turn.
    pub wakes: Signal<Out, Bit>,

    sleepers: LutRam<Bits<1>, QB>,
    passes: Signal<Local, Bit>,
}

#[kernel]
impl<const QB: usize> Logic for LeftWakes<QB> {
    fn update(&mut self) {
        clock!(self, clock, sleepers);
        inputs!(self.sleepers, read_address_a: left.index, read_address_b: left.index, write_enable: sets);
        self.sleepers.write_address.next = self.index.val();
        self.sleepers.write_data.next = bit_cast::<1, 1>(self.crowded.val().into());
        self.passes.next = (self.fetch.valid.val() && (self.fetch.index.val() == self.left.index.val()))
            || (self.judge.valid.val() && (self.judge.index.val() == self.left.index.val()))
            || (self.launch.valid.val() && (self.launch.index.val() == self.left.index.val()))
            || (self.settle.valid.val() && (self.settle.index.val() == self.left.index.val()));
        self.wakes.next =
            self.left.valid.val() && (self.sleepers.read_data_a.val().any() || self.passes.val());
    }
}
