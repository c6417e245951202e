//! Joins lanes to one vector.
use super::wiring;
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Joins `N` lanes of `W` bits side by side, lane 0 at the most significant end. `o` is the top `O` bits of the result.
#[derive(LogicBlock, SmartDefault)]
pub struct Concat<const W: usize, const N: usize, const O: usize> {
    /// The lanes to join.
    #[default(array_init::array_init(|_| Default::default()))]
    pub i: [Signal<In, Bits<W>>; N],
    /// The lanes side by side, lane 0 at the most significant end.
    pub o: Signal<Out, Bits<O>>,
}

impl<const W: usize, const N: usize, const O: usize> Concat<W, N, O> {
    const CUT: usize = {
        assert!(O > 0 && O <= W * N, "the lanes hold fewer bits than asked for");
        W * N - O
    };

    /// Returns (width, lowest bit in the lane, lowest bit in `o`) of the part of a lane that `o` takes.
    fn part(lane: usize) -> Option<(usize, usize, usize)> {
        let low = (N - 1 - lane) * W;
        let cut = Self::CUT.saturating_sub(low);
        (cut < W).then(|| (W - cut, cut, low + cut - Self::CUT))
    }
}

impl<const W: usize, const N: usize, const O: usize> Logic for Concat<W, N, O> {
    fn update(&mut self) {
        let mut joined = Bits::<O>::default();
        for (lane, input) in self.i.iter().enumerate() {
            let Some((width, from, to)) = Self::part(lane) else {
                continue;
            };
            let value = input.val();
            for bit in (0..width).filter(|bit| value.get_bit(from + bit)) {
                joined = joined.replace_bit(to + bit, true);
            }
        }
        self.o.next = joined;
    }

    fn connect(&mut self) {
        self.o.connect();
    }

    fn hdl(&self) -> Verilog {
        let parts = (0..N).filter_map(|lane| {
            let (width, from, to) = Self::part(lane)?;
            Some(wiring::assign(
                "o",
                width,
                to,
                wiring::slice(&format!("i${lane}"), width, from),
            ))
        });
        wiring::module(format!("concat_{N}x{W}_{O}"), parts)
    }
}
