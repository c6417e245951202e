//! Both CRCs of arriving packets.
use super::arrival_mask::ArrivalMask;
use super::crc_accumulator::CrcAccumulator;
use super::{checksum, ICRC_POLYNOMIAL, VCRC_POLYNOMIAL};
use hca_hdl::primitive::{clock, comment, dff_setup, Register, Rom};
use rust_hdl_core::prelude::*;

/// Says three clocks after the last beat of a packet whether its CRCs hold (`protocol/crc.md`).
///
/// The registers run on over the zero bytes that fill up the last beat, so the residue to expect depends on where the
/// packet ended: after `end_word` words, and two bytes of VCRC if it is native (`IB`). Frames have no VCRC, it holds.
#[derive(LogicBlock)]
pub struct CrcCheck<const W: usize, const IB: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    pub valid: Signal<In, Bit>,
    pub first: Signal<In, Bit>,
    /// `Ingress::upcoming`.
    pub upcoming: Signal<In, Bits<11>>,
    /// The packet has the long network header.
    pub long: Signal<In, Bit>,
    pub data: Signal<In, Bits<W>>,
    /// The whole words of `data`.
    pub body: Signal<In, Bits<W>>,
    pub end_word: Signal<In, Bits<4>>,
    pub vcrc_ok: Signal<Out, Bit>,
    pub icrc_ok: Signal<Out, Bit>,
    mask: ArrivalMask<W>,
    vcrc: [CrcAccumulator<W, 16>; IB],
    icrc: CrcAccumulator<W, 32>,
    vcrc_residue: [Rom<16, 4>; IB],
    icrc_residue: Rom<32, 4>,
    end_delta: Register<Bits<4>>,
    end_state: Register<Bits<4>>,
    vcrc_held: Register<Bit>,
    icrc_held: Register<Bit>,
}

impl<const W: usize, const IB: usize, const ROCE: usize> Default for CrcCheck<W, IB, ROCE> {
    fn default() -> Self {
        let (bytes, words) = (W / 8, W / 32);
        // The last beat of a native packet may hold nothing but the VCRC, that of a frame 16 words, which read as 0.
        let (ends, all) = if IB == 1 {
            (words, bytes + 1)
        } else {
            (words + 1, bytes)
        };
        let fill = |end: usize| (bytes - 4 * end) % all;
        let vcrc = |end| checksum::wire(16, checksum::advance(VCRC_POLYNOMIAL, 0x556F, fill(end) - 2));
        let icrc = |end| checksum::wire(32, checksum::advance(ICRC_POLYNOMIAL, 0xDEBB_20E3, fill(end)));
        let ends = 0..ends.min(16);
        Self {
            clock: Default::default(),
            valid: Default::default(),
            first: Default::default(),
            upcoming: Default::default(),
            long: Default::default(),
            data: Default::default(),
            body: Default::default(),
            end_word: Default::default(),
            vcrc_ok: Default::default(),
            icrc_ok: Default::default(),
            mask: ArrivalMask::new(IB == 0),
            vcrc: array_init::array_init(|_| CrcAccumulator::new(VCRC_POLYNOMIAL)),
            icrc: CrcAccumulator::new(ICRC_POLYNOMIAL),
            vcrc_residue: array_init::array_init(|_| Rom::new(ends.clone().map(|end| vcrc(end).to_bits()))),
            icrc_residue: Rom::new(ends.clone().map(|end| icrc(end).to_bits())),
            end_delta: Default::default(),
            end_state: Default::default(),
            vcrc_held: Default::default(),
            icrc_held: Default::default(),
        }
    }
}

impl<const W: usize, const IB: usize, const ROCE: usize> Logic for CrcCheck<W, IB, ROCE> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module crc_check");
        dff_setup!(self, clock, end_delta, end_state, vcrc_held, icrc_held);
        clock!(self, clock, mask, icrc);
        self.mask.upcoming.next = self.upcoming.val();
        self.mask.data.next = self.body.val();
        self.mask.long.next = self.long.val();
        self.icrc.data.next = self.mask.masked.val();
        self.icrc.first.next = self.first.val();
        self.icrc.enable.next = self.valid.val();

        self.end_delta.d.next = self.end_word.val();
        self.end_state.d.next = self.end_delta.q.val();
        self.icrc_residue.address.next = self.end_state.q.val();
        self.icrc_held.d.next = self.icrc.crc.val() == self.icrc_residue.data.val();
        self.icrc_ok.next = self.icrc_held.q.val();

        for _i in 0..ROCE {
            self.vcrc_held.d.next = true;
        }
        for i in 0..IB {
            self.vcrc[i].clock.next = self.clock.val();
            self.vcrc[i].data.next = self.data.val();
            self.vcrc[i].first.next = self.first.val();
            self.vcrc[i].enable.next = self.valid.val();
            self.vcrc_residue[i].address.next = self.end_state.q.val();
            self.vcrc_held.d.next = self.vcrc[i].crc.val() == self.vcrc_residue[i].data.val();
        }
        self.vcrc_ok.next = self.vcrc_held.q.val();
    }
}
