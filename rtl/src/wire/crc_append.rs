//! Writes a CRC into the place that the packet left for it.
use super::crc_accumulator::CrcAccumulator;
use super::crc_rewind::CrcRewind;
use super::delay::Delay;
use hca_hdl::prelude::*;

/// Passes beats on five cycles later. In the beat with `here` high, it puts the complemented CRC of all bytes before
/// word `at` at that word; from there on, that beat must be zero. The `T` bits of `tag` travel with each beat.
#[derive(LogicBlock)]
pub struct CrcAppend<const W: usize, const C: usize, const T: usize> {
    pub clock: Signal<In, Clock>,
    /// A beat of a packet, byte 0 at the most significant end.
    pub data: Signal<In, Bits<W>>,
    /// `data` as the CRC covers it: for the ICRC, with the variant fields set to ones.
    pub covered: Signal<In, Bits<W>>,
    /// High for each cycle that brings a beat.
    pub valid: Signal<In, Bit>,
    /// High with the packet's first beat.
    pub first: Signal<In, Bit>,
    /// High with the beat that the CRC belongs in.
    pub here: Signal<In, Bit>,
    /// First 32-bit word of the CRC in that beat, counted from byte 0.
    pub at: Signal<In, Bits<4>>,
    /// Bits that travel with the beat.
    pub tag: Signal<In, Bits<T>>,
    /// The beat of five cycles earlier, with the CRC in its place.
    pub out_data: Signal<Out, Bits<W>>,
    /// High for each cycle in which a beat leaves.
    pub out_valid: Signal<Out, Bit>,
    /// `tag` of that beat.
    pub out_tag: Signal<Out, Bits<T>>,
    accumulator: CrcAccumulator<W, C>,
    rewind: CrcRewind<C>,
    beat: Delay<W>,
    companions: Delay<T>,
    control: Delay<6>,
    at_delta: Register<Bits<4>>,
    at_state: Register<Bits<4>>,
    done_data: Register<Bits<W>>,
    done_valid: Register<Bit>,
    done_tag: Register<Bits<T>>,
    placed: Signal<Local, Bits<W>>,
    wide: Signal<Local, Bits<W>>,
    distance: Signal<Local, Bits<9>>,
    top: Constant<Bits<10>>,
    last_word: Constant<Bits<4>>,
}

impl<const W: usize, const C: usize, const T: usize> CrcAppend<W, C, T> {
    /// For the polynomial in reflected form.
    pub fn new(polynomial: u64) -> Self {
        Self {
            clock: Default::default(),
            data: Default::default(),
            covered: Default::default(),
            valid: Default::default(),
            first: Default::default(),
            here: Default::default(),
            at: Default::default(),
            tag: Default::default(),
            out_data: Default::default(),
            out_valid: Default::default(),
            out_tag: Default::default(),
            accumulator: CrcAccumulator::new(polynomial),
            rewind: CrcRewind::new(polynomial),
            beat: Default::default(),
            companions: Default::default(),
            control: Default::default(),
            at_delta: Default::default(),
            at_state: Default::default(),
            done_data: Default::default(),
            done_valid: Default::default(),
            done_tag: Default::default(),
            placed: Default::default(),
            wide: Default::default(),
            distance: Default::default(),
            top: constant(W - C),
            last_word: constant(W / 32 - 1),
        }
    }
}

#[kernel]
impl<const W: usize, const C: usize, const T: usize> Logic for CrcAppend<W, C, T> {
    fn update(&mut self) {
        clock!(self, clock, accumulator, rewind, beat, companions, control);

        inputs!(self.accumulator, data: covered, first);
        // Nothing of a beat that starts with the CRC is covered.
        self.accumulator.enable.next = self.valid.val() && !(self.here.val() && (self.at.val() == 0));

        // The zero words from the CRC's place to the end of the beat went in too.
        self.at_delta.d.next = self.at.val();
        self.at_state.d.next = self.at_delta.q.val();
        self.rewind.crc.next = self.accumulator.crc.val();
        self.rewind.words.next = (bits::<4>(0) - self.at_state.q.val()) & self.last_word.val();

        self.beat.data.next = self.data.val();
        self.companions.data.next = self.tag.val();
        self.control.data.next = bit_cast::<6, 4>(self.at.val());
        if self.here.val() {
            self.control.data.next = bit_cast::<6, 4>(self.at.val()) | 16;
        }
        if self.valid.val() {
            self.control.data.next = bit_cast::<6, 4>(self.at.val()) | 32;
            if self.here.val() {
                self.control.data.next = bit_cast::<6, 4>(self.at.val()) | 48;
            }
        }

        self.distance.next = bit_cast::<9, 4>(self.control.delayed.val().get_bits::<4>(0)) << 5;
        self.wide.next = bit_cast::<W, C>(!self.rewind.rewound.val()) << self.top.val();
        self.placed.next = self.wide.val() >> self.distance.val();
        self.done_data.d.next = self.beat.delayed.val();
        if self.control.delayed.val().get_bit(4) {
            self.done_data.d.next = self.beat.delayed.val() | self.placed.val();
        }
        self.done_valid.d.next = self.control.delayed.val().get_bit(5);
        self.done_tag.d.next = self.companions.delayed.val();
        self.out_data.next = self.done_data.q.val();
        self.out_valid.next = self.done_valid.q.val();
        self.out_tag.next = self.done_tag.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{ICRC_POLYNOMIAL, VCRC_POLYNOMIAL};

    const V1: &str =
        "7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc069\
                      0ed40000";
    const V2: &str =
        "7013375c001817d2600000000032001000000000000001250000000000000026000000000000011700000000000000960a\
                      2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed40000";
    const V3: &str =
        "3012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc069\
                      0ed40000";
    const V4: &str =
        "2043375c001817d26abcdef10032000500000000000001250000000000000026000000000000011700000000000000960a\
                      202487c087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed40000";
    const V5: &str = "2000000400050003000008000001020304050607";

    fn hex(text: &str) -> Vec<u8> {
        let digit = |i: usize| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hexadecimal");
        (0..text.len() / 2).map(digit).collect()
    }

    fn beat<const W: usize>(bytes: &[u8]) -> Bits<W> {
        (0..W / 8).fold(Bits::default(), |beat: Bits<W>, i| {
            (beat << 8) | u64::from(bytes.get(i).copied().unwrap_or(0))
        })
    }

    /// The packet with its CRC, as it comes out.
    fn append<const W: usize, const C: usize>(polynomial: u64, packet: &[u8], covered: &[u8]) -> Vec<u8> {
        let mut unit = CrcAppend::<W, C, 1>::new(polynomial);
        unit.connect_all();
        let (bytes, total) = (W / 8, packet.len() + C / 8);
        let beats = total.div_ceil(bytes);
        let mut out = Vec::new();
        for clock in 0..beats + 5 {
            let from = |all: &[u8]| beat::<W>(all.get(clock * bytes..).unwrap_or(&[]));
            unit.data.next = from(packet);
            unit.covered.next = from(covered);
            unit.valid.next = clock < beats;
            unit.first.next = clock == 0;
            unit.here.next = clock == packet.len() / bytes;
            unit.at.next = ((packet.len() % bytes / 4) as u64).into();
            unit.clock.next = false.into();
            assert!(simulate(&mut unit, 100));
            if unit.out_valid.val() {
                let data = unit.out_data.val();
                out.extend((0..bytes).map(|i| data.get_bits::<8>(W - 8 - 8 * i).to_u64() as u8));
            }
            unit.clock.next = true.into();
            assert!(simulate(&mut unit, 100));
        }
        assert!(out[total..].iter().all(|b| *b == 0));
        out.truncate(total);
        out
    }

    /// Rows of `crc_vectors.csv`: bytes, what the ICRC takes as ones, both CRCs.
    fn vectors<const W: usize>() {
        let local = |b: &mut [u8]| {
            b[0] |= 0xF0;
            b[12] = 0xFF;
        };
        let global = |b: &mut [u8]| {
            b[..8].fill(0xFF);
            b[8] |= 0x0F;
            b[9..12].fill(0xFF);
            b[15] = 0xFF;
            b[52] = 0xFF;
        };
        type Mask<'a> = &'a dyn Fn(&mut [u8]);
        let rows: [(&str, Mask<'_>, &str, &str); 4] = [
            (V1, &local, "9625b75a", "45fa"),
            (V2, &global, "1493ec46", "7c44"),
            (V3, &local, "9625b75a", "7797"),
            (V4, &global, "1493ec46", "f5dc"),
        ];
        for (bytes, mask, icrc, vcrc) in rows {
            let bytes = hex(bytes);
            let mut covered = bytes.clone();
            mask(&mut covered);
            let sealed = append::<W, 32>(ICRC_POLYNOMIAL, &bytes, &covered);
            assert_eq!(sealed[..bytes.len()], bytes);
            assert_eq!(sealed[bytes.len()..], hex(icrc));
            let sent = append::<W, 16>(VCRC_POLYNOMIAL, &sealed, &sealed);
            assert_eq!(sent[sealed.len()..], hex(vcrc));
        }
        let raw = hex(V5);
        assert_eq!(
            append::<W, 16>(VCRC_POLYNOMIAL, &raw, &raw)[raw.len()..],
            hex("27ca")
        );
    }

    #[test]
    fn published_vectors_at_every_width() {
        vectors::<64>();
        vectors::<128>();
        vectors::<256>();
        vectors::<512>();
    }
}
