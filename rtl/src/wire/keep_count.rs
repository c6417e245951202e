//! Counts the bytes of a beat.
use hca_hdl::prelude::*;

/// Counts the ones of `keep`, 0 to 64. They must all be at the low end.
#[derive(LogicBlock, Default)]
pub struct KeepCount<const K: usize> {
    /// One bit a byte: high if the byte is valid.
    pub keep: Signal<In, Bits<K>>,
    /// Number of valid bytes.
    pub count: Signal<Out, Bits<7>>,
    all: Signal<Local, Bits<64>>,
    of_32: Signal<Local, Bits<32>>,
    of_16: Signal<Local, Bits<16>>,
    of_8: Signal<Local, Bits<8>>,
    of_4: Signal<Local, Bits<4>>,
    of_2: Signal<Local, Bits<2>>,
    high: Signal<Local, Bits<7>>,
}

#[kernel]
impl<const K: usize> Logic for KeepCount<K> {
    fn update(&mut self) {
        // Each step asks whether the lower half is full and goes on with the half where the ones end.
        self.all.next = bit_cast::<64, K>(self.keep.val());
        self.of_32.next = self.all.val().get_bits::<32>(0);
        if self.all.val().get_bit(31) {
            self.of_32.next = self.all.val().get_bits::<32>(32);
        }
        self.of_16.next = self.of_32.val().get_bits::<16>(0);
        if self.of_32.val().get_bit(15) {
            self.of_16.next = self.of_32.val().get_bits::<16>(16);
        }
        self.of_8.next = self.of_16.val().get_bits::<8>(0);
        if self.of_16.val().get_bit(7) {
            self.of_8.next = self.of_16.val().get_bits::<8>(8);
        }
        self.of_4.next = self.of_8.val().get_bits::<4>(0);
        if self.of_8.val().get_bit(3) {
            self.of_4.next = self.of_8.val().get_bits::<4>(4);
        }
        self.of_2.next = self.of_4.val().get_bits::<2>(0);
        if self.of_4.val().get_bit(1) {
            self.of_2.next = self.of_4.val().get_bits::<2>(2);
        }
        self.high.next = (bit_cast::<7, 1>(self.all.val().get_bits::<1>(31)) << 5)
            | (bit_cast::<7, 1>(self.of_32.val().get_bits::<1>(15)) << 4)
            | (bit_cast::<7, 1>(self.of_16.val().get_bits::<1>(7)) << 3)
            | (bit_cast::<7, 1>(self.of_8.val().get_bits::<1>(3)) << 2)
            | (bit_cast::<7, 1>(self.of_4.val().get_bits::<1>(1)) << 1);
        // Both are high only if all 64 bits are.
        self.count.next = (self.high.val() + bit_cast::<7, 1>(self.of_2.val().get_bits::<1>(0)))
            + bit_cast::<7, 1>(self.of_2.val().get_bits::<1>(1));
    }
}
