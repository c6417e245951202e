//! A fixed delay.
use hca_hdl::prelude::*;

/// Delays a value by four cycles.
#[derive(LogicBlock, Default)]
pub struct Delay<const D: usize> {
    pub clock: Signal<In, Clock>,
    /// The value.
    pub data: Signal<In, Bits<D>>,
    /// The value of four cycles earlier.
    pub delayed: Signal<Out, Bits<D>>,
    one: Register<Bits<D>>,
    two: Register<Bits<D>>,
    three: Register<Bits<D>>,
    four: Register<Bits<D>>,
}

#[kernel]
impl<const D: usize> Logic for Delay<D> {
    fn update(&mut self) {
        self.one.d.next = self.data.val();
        self.two.d.next = self.one.q.val();
        self.three.d.next = self.two.q.val();
        self.four.d.next = self.three.q.val();
        self.delayed.next = self.four.q.val();
    }
}
