//! The VCRC of arriving packets.
use super::crc_accumulator::CrcAccumulator;
use super::{checksum, VCRC_POLYNOMIAL};
use hca_hdl::prelude::*;

/// Reports three cycles after the last beat of a native packet whether its VCRC is correct (`protocol/crc.md`).
///
/// As in [`super::CrcCheck`], the residue to expect depends on where the packet ended.
#[derive(LogicBlock, SmartDefault)]
pub struct VcrcCheck<const W: usize> {
    pub clock: Signal<In, Clock>,
    /// High for each cycle that brings a beat.
    pub valid: Signal<In, Bit>,
    /// High with the packet's first beat.
    pub first: Signal<In, Bit>,
    /// The beat as it arrived, in network order, zeros beyond the packet's end.
    pub data: Signal<In, Bits<W>>,
    /// `Ingress::end_word`: number of whole words in the last beat; 16 reads as 0.
    pub end_word: Signal<In, Bits<4>>,
    /// High if the VCRC is correct of a packet whose last beat came three cycles earlier.
    pub ok: Signal<Out, Bit>,
    #[default(CrcAccumulator::new(VCRC_POLYNOMIAL))]
    crc: CrcAccumulator<W, 16>,
    #[default(Rom::new(super::checksum::fills(W, 1).map(residue)))]
    residue: Rom<16, 4>,
    end_delta: Register<Bits<4>>,
    end_state: Register<Bits<4>>,
    held: Register<Bit>,
}

/// Register after a correct VCRC and the zeros behind it: together `fill` bytes.
fn residue(fill: usize) -> Bits<16> {
    checksum::wire(16, checksum::advance(VCRC_POLYNOMIAL, 0x556F, fill - 2)).to_bits()
}

#[kernel]
impl<const W: usize> Logic for VcrcCheck<W> {
    fn update(&mut self) {
        clock!(self, clock, crc);
        inputs!(self.crc, data, first, enable: valid);
        self.end_delta.d.next = self.end_word.val();
        self.end_state.d.next = self.end_delta.q.val();
        self.residue.address.next = self.end_state.q.val();
        self.held.d.next = self.crc.crc.val() == self.residue.data.val();
        self.ok.next = self.held.q.val();
    }
}
