//! A CRC over the beats of a packet.
use hca_hdl::prelude::*;

/// Runs a reflected CRC, seeded with ones, over whole beats.
///
/// The contribution of the data is registered, so that only the state's own advance is in the feedback loop: `crc` is
/// correct two cycles after a beat. A short last beat is filled up with zero bytes, which the CRC then covers too.
#[derive(LogicBlock)]
pub struct CrcAccumulator<const W: usize, const C: usize> {
    pub clock: Signal<In, Clock>,
    /// A beat of a packet, byte 0 at the most significant end.
    pub data: Signal<In, Bits<W>>,
    /// High with the packet's first beat, which starts the CRC from its seed again.
    pub first: Signal<In, Bit>,
    /// High while `data` is a beat that the CRC covers.
    pub enable: Signal<In, Bit>,
    /// The CRC register, as wire bytes and before the final complement.
    pub crc: Signal<Out, Bits<C>>,
    step: CrcStep<W, C>,
    advance: CrcAdvance<C>,
    delta: Register<Bits<C>>,
    delta_first: Register<Bit>,
    delta_enable: Register<Bit>,
    state: Register<Bits<C>>,
    seed: Constant<Bits<W>>,
}

impl<const W: usize, const C: usize> CrcAccumulator<W, C> {
    /// An accumulator for the polynomial in reflected form.
    pub fn new(polynomial: u64) -> Self {
        let seed = (W - C..W).fold(Bits::default(), |seed: Bits<W>, bit| seed.replace_bit(bit, true));
        Self {
            clock: Default::default(),
            data: Default::default(),
            first: Default::default(),
            enable: Default::default(),
            crc: Default::default(),
            step: CrcStep::new(polynomial),
            advance: CrcAdvance::new(polynomial, (W / 8) as i32),
            delta: Default::default(),
            delta_first: Default::default(),
            delta_enable: Default::default(),
            state: Default::default(),
            seed: Constant::new(seed),
        }
    }
}

#[kernel]
impl<const W: usize, const C: usize> Logic for CrcAccumulator<W, C> {
    fn update(&mut self) {
        self.step.data.next = self.data.val();
        if self.first.val() {
            self.step.data.next = self.data.val() ^ self.seed.val();
        }
        self.delta.d.next = self.step.crc.val();
        self.delta_first.d.next = self.first.val();
        self.delta_enable.d.next = self.enable.val();

        self.advance.state.next = self.state.q.val();
        if self.delta_enable.q.val() {
            self.state.d.next = self.delta.q.val() ^ self.advance.advanced.val();
            if self.delta_first.q.val() {
                self.state.d.next = self.delta.q.val();
            }
        }
        self.crc.next = self.state.q.val();
    }
}
