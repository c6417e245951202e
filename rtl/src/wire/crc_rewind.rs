//! Takes zero words back out of a CRC.
use super::rewind_step::RewindStep;
use hca_hdl::prelude::*;

/// Takes `words` zero words of 32 bits back out of a CRC register; the result follows two cycles later.
#[derive(LogicBlock)]
pub struct CrcRewind<const C: usize> {
    pub clock: Signal<In, Clock>,
    /// The CRC register, as wire bytes.
    pub crc: Signal<In, Bits<C>>,
    /// Number of zero words to take out, 0 to 15.
    pub words: Signal<In, Bits<4>>,
    /// The CRC register without these words, two cycles later.
    pub rewound: Signal<Out, Bits<C>>,
    by_one: RewindStep<C>,
    by_two: RewindStep<C>,
    by_four: RewindStep<C>,
    by_eight: RewindStep<C>,
    half: Register<Bits<C>>,
    words_left: Register<Bits<2>>,
    whole: Register<Bits<C>>,
}

impl<const C: usize> CrcRewind<C> {
    /// For the polynomial in reflected form.
    pub fn new(polynomial: u64) -> Self {
        Self {
            clock: Default::default(),
            crc: Default::default(),
            words: Default::default(),
            rewound: Default::default(),
            by_one: RewindStep::new(polynomial, 4),
            by_two: RewindStep::new(polynomial, 8),
            by_four: RewindStep::new(polynomial, 16),
            by_eight: RewindStep::new(polynomial, 32),
            half: Default::default(),
            words_left: Default::default(),
            whole: Default::default(),
        }
    }
}

#[kernel]
impl<const C: usize> Logic for CrcRewind<C> {
    fn update(&mut self) {
        self.by_one.crc.next = self.crc.val();
        self.by_one.back.next = self.words.val().get_bit(0);
        self.by_two.crc.next = self.by_one.rewound.val();
        self.by_two.back.next = self.words.val().get_bit(1);
        self.half.d.next = self.by_two.rewound.val();
        self.words_left.d.next = self.words.val().get_bits::<2>(2);

        self.by_four.crc.next = self.half.q.val();
        self.by_four.back.next = self.words_left.q.val().get_bit(0);
        self.by_eight.crc.next = self.by_four.rewound.val();
        self.by_eight.back.next = self.words_left.q.val().get_bit(1);
        self.whole.d.next = self.by_eight.rewound.val();
        self.rewound.next = self.whole.q.val();
    }
}
