//! One step of a reflected CRC over a whole vector.
use super::wiring;
use rust_hdl_core::prelude::*;

/// Computes the CRC of `W` data bits from a zero state, without a clock (`crc.md`).
///
/// Byte 0 of `data` is at the most significant end; the least significant bit of each byte enters first. `crc` is the
/// register as wire bytes: bits 7:0, the first byte on the wire, are at the most significant end. To continue from a
/// state, XOR it in that same form into the top `C` bits of `data`. Leading zero bytes leave a zero state, so a short
/// last beat (of `C` bits or more) is aligned to the right, with the state XORed into its first `C` bits.
#[derive(LogicBlock)]
pub struct CrcStep<const W: usize, const C: usize> {
    /// The data, byte 0 at the most significant end.
    pub data: Signal<In, Bits<W>>,
    /// The register as wire bytes.
    pub crc: Signal<Out, Bits<C>>,
    // For each data bit, what it adds to `crc`.
    _columns: Vec<u64>,
}

impl<const W: usize, const C: usize> CrcStep<W, C> {
    const CHECKED: () = assert!(
        W.is_multiple_of(8) && C.is_multiple_of(8) && C > 0 && C <= 64 && W >= C,
        "whole bytes, and room for the state in the data"
    );

    /// Makes a step for the polynomial in reflected form (lowest power in the highest bit), such as EDB88320h for the
    /// ICRC.
    pub fn new(reflected_polynomial: u64) -> Self {
        let () = Self::CHECKED;
        let columns = (0..W)
            .map(|bit| column::<C>(reflected_polynomial, W, bit))
            .collect();
        Self {
            data: Default::default(),
            crc: Default::default(),
            _columns: columns,
        }
    }
}

/// Returns the CRC, as wire bytes, of a vector of `width` bits in which only `bit` is set.
fn column<const C: usize>(polynomial: u64, width: usize, bit: usize) -> u64 {
    let shifts_after_entry = 8 * (bit / 8) + 8 - bit % 8;
    debug_assert!(shifts_after_entry <= width);
    let register = (0..shifts_after_entry).fold(1u64, |state, _| {
        if state & 1 == 1 {
            (state >> 1) ^ polynomial
        } else {
            state >> 1
        }
    });
    (0..C / 8).fold(0, |wire, byte| (wire << 8) | ((register >> (8 * byte)) & 0xff))
}

impl<const W: usize, const C: usize> Logic for CrcStep<W, C> {
    fn update(&mut self) {
        let data = self.data.val();
        let crc = (0..W)
            .filter(|bit| data.get_bit(*bit))
            .fold(0, |crc, bit| crc ^ self._columns[bit]);
        self.crc.next = crc.into();
    }

    fn connect(&mut self) {
        self.crc.connect();
    }

    fn hdl(&self) -> Verilog {
        let rows = (0..C).map(|row| {
            let terms = (0..W).filter(|bit| self._columns[*bit] >> row & 1 == 1);
            let mask = terms.fold(Bits::<W>::default(), |mask, bit| mask.replace_bit(bit, true));
            wiring::assign("crc", 1, row, wiring::masked_parity("data", mask))
        });
        wiring::module(format!("crc_step_{C}_of_{W}"), rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V1: &str = "7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a05\
                      0000000ebb884d85fd5cfba4728bc0690ed400009625b75a";
    const VCRC_POLYNOMIAL: u64 = 0xd008;

    fn step<const W: usize, const C: usize>(unit: &mut CrcStep<W, C>, state: u64, beat: Bits<W>) -> u64 {
        unit.data.next = beat ^ (bit_cast::<W, 64>(state.into()) << (W - C) as u64);
        assert!(simulate(unit, 10));
        bit_cast::<64, C>(unit.crc.val()).to_u64()
    }

    fn run<const W: usize>(bytes: &[u8]) -> u64 {
        let mut unit = CrcStep::<W, 16>::new(VCRC_POLYNOMIAL);
        bytes.chunks(W / 8).fold(0xffff, |state, beat| {
            let short = (W / 8 - beat.len()) as u64 * 8;
            let data = beat
                .iter()
                .fold(Bits::<W>::default(), |data, byte| (data << 8) | u64::from(*byte));
            if short == 0 {
                return step(&mut unit, state, data);
            }
            // The state goes into the first 16 bits of the right-aligned bytes.
            let aligned = data ^ (bit_cast::<W, 64>(state.into()) << (W as u64 - short - 16));
            step(&mut unit, 0, aligned)
        })
    }

    #[test]
    fn vcrc_of_the_sample_packet_at_every_width() {
        let bytes: Vec<u8> = (0..V1.len() / 2)
            .map(|i| u8::from_str_radix(&V1[2 * i..2 * i + 2], 16).unwrap())
            .collect();
        let expected = !0x45fau64 & 0xffff;
        assert_eq!(run::<32>(&bytes), expected);
        assert_eq!(run::<64>(&bytes), expected);
        assert_eq!(run::<128>(&bytes), expected);
        assert_eq!(run::<256>(&bytes), expected);
        assert_eq!(run::<512>(&bytes), expected);
    }

    #[test]
    fn check_string() {
        assert_eq!(run::<72>(b"123456789"), !0x3d0a & 0xffff);
    }
}
