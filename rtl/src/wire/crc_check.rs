//! Both CRCs of arriving packets.
use super::crc_accumulator::CrcAccumulator;
use super::variant_mask::VariantMask;
use super::{checksum, ICRC_POLYNOMIAL, VCRC_POLYNOMIAL};
use crate::primitive::{comment, dff_setup, Register, Rom};
use rust_hdl_core::prelude::*;

/// Says three clocks after the last beat of a packet whether its CRCs hold (`protocol/crc.md`).
///
/// The registers run on over the zero bytes that fill up the last beat, so the residue to expect depends on where the
/// packet ended: after `end_word` words and two bytes of VCRC.
#[derive(LogicBlock)]
pub struct CrcCheck<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub valid: Signal<In, Bit>,
    pub first: Signal<In, Bit>,
    pub second: Signal<In, Bit>,
    pub data: Signal<In, Bits<W>>,
    /// `data` without the VCRC.
    pub body: Signal<In, Bits<W>>,
    pub end_word: Signal<In, Bits<4>>,
    pub vcrc_ok: Signal<Out, Bit>,
    pub icrc_ok: Signal<Out, Bit>,
    mask: VariantMask<W>,
    vcrc: CrcAccumulator<W, 16>,
    icrc: CrcAccumulator<W, 32>,
    vcrc_residue: Rom<16, 4>,
    icrc_residue: Rom<32, 4>,
    end_delta: Register<Bits<4>>,
    end_state: Register<Bits<4>>,
    vcrc_held: Register<Bit>,
    icrc_held: Register<Bit>,
}

impl<const W: usize> Default for CrcCheck<W> {
    fn default() -> Self {
        let fill = |end: usize| W / 8 - 4 * end;
        let vcrc = |end| checksum::wire(16, checksum::advance(VCRC_POLYNOMIAL, 0x556F, fill(end) - 2));
        let icrc = |end| checksum::wire(32, checksum::advance(ICRC_POLYNOMIAL, 0xDEBB_20E3, fill(end)));
        Self {
            clock: Default::default(),
            valid: Default::default(),
            first: Default::default(),
            second: Default::default(),
            data: Default::default(),
            body: Default::default(),
            end_word: Default::default(),
            vcrc_ok: Default::default(),
            icrc_ok: Default::default(),
            mask: Default::default(),
            vcrc: CrcAccumulator::new(VCRC_POLYNOMIAL),
            icrc: CrcAccumulator::new(ICRC_POLYNOMIAL),
            vcrc_residue: Rom::new((0..W / 32).map(|end| vcrc(end).to_bits())),
            icrc_residue: Rom::new((0..W / 32).map(|end| icrc(end).to_bits())),
            end_delta: Default::default(),
            end_state: Default::default(),
            vcrc_held: Default::default(),
            icrc_held: Default::default(),
        }
    }
}

impl<const W: usize> Logic for CrcCheck<W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module crc_check");
        dff_setup!(self, clock, end_delta, end_state, vcrc_held, icrc_held);
        self.vcrc.clock.next = self.clock.val();
        self.vcrc.data.next = self.data.val();
        self.vcrc.first.next = self.first.val();
        self.vcrc.enable.next = self.valid.val();

        self.mask.data.next = self.body.val();
        self.mask.first.next = self.first.val();
        self.mask.second.next = self.second.val();
        self.icrc.clock.next = self.clock.val();
        self.icrc.data.next = self.mask.masked.val();
        self.icrc.first.next = self.first.val();
        self.icrc.enable.next = self.valid.val();

        self.end_delta.d.next = self.end_word.val();
        self.end_state.d.next = self.end_delta.q.val();
        self.vcrc_residue.address.next = self.end_state.q.val();
        self.icrc_residue.address.next = self.end_state.q.val();
        self.vcrc_held.d.next = self.vcrc.crc.val() == self.vcrc_residue.data.val();
        self.icrc_held.d.next = self.icrc.crc.val() == self.icrc_residue.data.val();
        self.vcrc_ok.next = self.vcrc_held.q.val();
        self.icrc_ok.next = self.icrc_held.q.val();
    }
}
