//! Reversal of the byte order.
use super::wiring;
use rust_hdl_core::prelude::*;

/// Reverses the bytes of a vector without a clock: byte 0 of `i` moves from the least to the most significant end of
/// `o`, as between AXI lanes and network order.
#[derive(LogicBlock, Default)]
pub struct ByteReverse<const W: usize> {
    /// The vector.
    pub i: Signal<In, Bits<W>>,
    /// The vector with its bytes in reverse order.
    pub o: Signal<Out, Bits<W>>,
}

impl<const W: usize> ByteReverse<W> {
    const BYTES: usize = {
        assert!(W > 0 && W.is_multiple_of(8), "a vector of whole bytes");
        W / 8
    };
}

impl<const W: usize> Logic for ByteReverse<W> {
    fn update(&mut self) {
        let value = self.i.val();
        let mut reversed = Bits::<W>::default();
        for bit in (0..W).filter(|bit| value.get_bit(*bit)) {
            reversed = reversed.replace_bit((Self::BYTES - 1 - bit / 8) * 8 + bit % 8, true);
        }
        self.o.next = reversed;
    }

    fn connect(&mut self) {
        self.o.connect();
    }

    fn hdl(&self) -> Verilog {
        let bytes = (0..Self::BYTES).map(|byte| {
            wiring::assign(
                "o",
                8,
                (Self::BYTES - 1 - byte) * 8,
                wiring::slice("i", 8, byte * 8),
            )
        });
        wiring::module(format!("byte_reverse_{W}"), bytes)
    }
}
