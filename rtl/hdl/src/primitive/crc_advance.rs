//! Moves a reflected CRC over zero bytes.
use super::wiring;
use rust_hdl_core::prelude::*;

/// Computes a CRC state after a fixed number of further zero bytes, or before that many, without a clock.
///
/// Both states are `C` bits as wire bytes, as in [`CrcStep`](super::CrcStep).
#[derive(LogicBlock)]
pub struct CrcAdvance<const C: usize> {
    /// The state before the zero bytes.
    pub state: Signal<In, Bits<C>>,
    /// The state after them.
    pub advanced: Signal<Out, Bits<C>>,
    // For each state bit, what it adds to `advanced`.
    _columns: Vec<u64>,
    _bytes: i32,
}

impl<const C: usize> CrcAdvance<C> {
    const CHECKED: () = assert!(C.is_multiple_of(8) && C > 0 && C <= 64, "whole bytes");

    /// Makes a block for the polynomial in reflected form. It moves backwards if `bytes` is negative.
    pub fn new(reflected_polynomial: u64, bytes: i32) -> Self {
        let () = Self::CHECKED;
        Self {
            state: Default::default(),
            advanced: Default::default(),
            _columns: (0..C)
                .map(|bit| swap::<C>(shift::<C>(reflected_polynomial, swap::<C>(1 << bit), 8 * bytes)))
                .collect(),
            _bytes: bytes,
        }
    }
}

/// Returns the register after `count` zero bits.
fn shift<const C: usize>(polynomial: u64, register: u64, count: i32) -> u64 {
    (0..count.unsigned_abs()).fold(register, |state, _| {
        if count > 0 {
            (state >> 1) ^ if state & 1 == 1 { polynomial } else { 0 }
        } else if state >> (C - 1) & 1 == 1 {
            // The bit that was shifted out caused the polynomial to be added.
            (((state ^ polynomial) << 1) | 1) & (u64::MAX >> (64 - C))
        } else {
            state << 1
        }
    })
}

/// Converts wire bytes to the register's order, or back.
fn swap<const C: usize>(value: u64) -> u64 {
    value.swap_bytes() >> (64 - C)
}

impl<const C: usize> Logic for CrcAdvance<C> {
    fn update(&mut self) {
        let state = self.state.val();
        let advanced = (0..C)
            .filter(|bit| state.get_bit(*bit))
            .fold(0, |sum, bit| sum ^ self._columns[bit]);
        self.advanced.next = advanced.into();
    }

    fn connect(&mut self) {
        self.advanced.connect();
    }

    fn hdl(&self) -> Verilog {
        let rows = (0..C).map(|row| {
            let terms = (0..C).filter(|bit| self._columns[*bit] >> row & 1 == 1);
            let mask = terms.fold(Bits::<C>::default(), |mask, bit| mask.replace_bit(bit, true));
            wiring::assign("advanced", 1, row, wiring::masked_parity("state", mask))
        });
        let (way, bytes) = if self._bytes < 0 {
            ("back", -self._bytes)
        } else {
            ("by", self._bytes)
        };
        wiring::module(format!("crc_{C}_{way}_{bytes}"), rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitive::CrcStep;

    fn advanced<const C: usize>(polynomial: u64, bytes: i32, state: u64) -> u64 {
        let mut unit = CrcAdvance::<C>::new(polynomial, bytes);
        unit.state.next = state.into();
        assert!(simulate(&mut unit, 10));
        unit.advanced.val().to_u64()
    }

    #[test]
    fn forward_is_a_step_over_zeros() {
        let mut step = CrcStep::<96, 32>::new(0xEDB8_8320);
        step.data.next = bits::<96>(0x1234_5678) << 64;
        assert!(simulate(&mut step, 10));
        assert_eq!(
            advanced::<32>(0xEDB8_8320, 12, 0x1234_5678),
            step.crc.val().to_u64()
        );
    }

    #[test]
    fn backward_undoes_forward() {
        for bytes in [4, 8, 16, 32] {
            let there = advanced::<16>(0xD008, bytes, 0xBEEF);
            assert_ne!(there, 0xBEEF);
            assert_eq!(advanced::<16>(0xD008, -bytes, there), 0xBEEF);
        }
    }
}
