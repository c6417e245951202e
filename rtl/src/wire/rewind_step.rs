//! Takes a fixed number of zero bytes back out of a CRC.
use hca_hdl::prelude::*;

/// Gives the CRC register as it was some zero bytes ago if `back` is high, else unchanged; without a clock.
///
/// A block of its own because simulators schedule a kernel as a whole: steps in a row within one look circular.
#[derive(LogicBlock)]
pub struct RewindStep<const C: usize> {
    /// The CRC register, as wire bytes.
    pub crc: Signal<In, Bits<C>>,
    /// High to take the zero bytes out.
    pub back: Signal<In, Bit>,
    /// The CRC register without these bytes, or `crc`.
    pub rewound: Signal<Out, Bits<C>>,
    step: CrcAdvance<C>,
}

impl<const C: usize> RewindStep<C> {
    /// For the polynomial in reflected form.
    pub fn new(polynomial: u64, bytes: i32) -> Self {
        Self {
            crc: Default::default(),
            back: Default::default(),
            rewound: Default::default(),
            step: CrcAdvance::new(polynomial, -bytes),
        }
    }
}

#[kernel]
impl<const C: usize> Logic for RewindStep<C> {
    fn update(&mut self) {
        self.step.state.next = self.crc.val();
        self.rewound.next = self.crc.val();
        if self.back.val() {
            self.rewound.next = self.step.advanced.val();
        }
    }
}
