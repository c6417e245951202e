//! Values that are offered until they are taken.
use rust_hdl_core::prelude::*;

/// The end that offers one item after another, each a value of type `T`.
#[derive(Clone, Debug, Default, LogicInterface)]
pub struct OfferSource<T: Synth> {
    /// High while an item is offered.
    pub valid: Signal<Out, Bit>,
    /// High in a cycle in which the item is taken.
    pub ready: Signal<In, Bit>,
    /// The offered item.
    pub item: Signal<Out, T>,
}

/// The end that takes the items of [`OfferSource`].
#[derive(Clone, Debug, Default, LogicInterface)]
pub struct OfferSink<T: Synth> {
    /// High while an item is offered.
    pub valid: Signal<In, Bit>,
    /// High in a cycle in which the item is taken.
    pub ready: Signal<Out, Bit>,
    /// The offered item.
    pub item: Signal<In, T>,
}

impl<T: Synth> OfferSource<T> {
    /// Connects the two ends.
    pub fn join(&mut self, sink: &mut OfferSink<T>) {
        self.valid.join(&mut sink.valid);
        self.ready.join(&mut sink.ready);
        self.item.join(&mut sink.item);
    }
}
