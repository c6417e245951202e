//! A constant table.
use rust_hdl_core::prelude::*;
use std::fmt::Write;

/// A table of 2^`A` constants of `D` bits. `data` follows `address` without a clock.
#[derive(LogicBlock)]
pub struct Rom<const D: usize, const A: usize> {
    /// Address of the constant to read.
    pub address: Signal<In, Bits<A>>,
    /// The constant at `address`, in the same clock.
    pub data: Signal<Out, Bits<D>>,
    _words: Vec<Bits<D>>,
}

impl<const D: usize, const A: usize> Rom<D, A> {
    /// Makes a table that holds `words` from address 0 up, and zero beyond them.
    ///
    /// # Panics
    /// If there are more than 2^`A` words.
    pub fn new(words: impl IntoIterator<Item = Bits<D>>) -> Self {
        let mut words: Vec<_> = words.into_iter().collect();
        assert!(
            words.len() <= 1 << A,
            "{} words do not fit a table of {}",
            words.len(),
            1usize << A
        );
        words.resize(1 << A, Default::default());
        Self {
            address: Default::default(),
            data: Default::default(),
            _words: words,
        }
    }
}

impl<const D: usize, const A: usize> Logic for Rom<D, A> {
    fn update(&mut self) {
        self.data.next = self._words[self.address.val().index()];
    }

    fn connect(&mut self) {
        self.data.connect();
    }

    fn hdl(&self) -> Verilog {
        let mut text = format!(
            "// @module rom_{D}x{}\nalways @(*) begin\n   case (address)\n",
            1usize << A
        );
        for (address, word) in self._words.iter().enumerate().filter(|(_, word)| word.any()) {
            let _ = writeln!(text, "      {A}'h{address:x}: data = {D}'h{word:x};");
        }
        let _ = write!(text, "      default: data = {D}'h0;\n   endcase\nend");
        Verilog::Custom(text)
    }
}
