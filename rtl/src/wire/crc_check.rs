//! Both CRCs of arriving packets.
use super::arrival_mask::ArrivalMask;
use super::crc_accumulator::CrcAccumulator;
use super::vcrc_check::VcrcCheck;
use super::{checksum, ICRC_POLYNOMIAL};
use hca_hdl::prelude::*;

/// Reports three cycles after the last beat of a packet whether its CRCs are correct (`protocol/crc.md`).
///
/// The registers run on over the zero bytes that fill up the last beat, so the residue to expect depends on where the
/// packet ended: after `end_word` words, and two bytes of VCRC if it is native (`IB`). A frame has no VCRC; `vcrc_ok`
/// is then high.
#[derive(LogicBlock, SmartDefault)]
pub struct CrcCheck<const W: usize, const IB: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    /// High for each cycle that brings a beat.
    pub valid: Signal<In, Bit>,
    /// High with the packet's first beat.
    pub first: Signal<In, Bit>,
    /// `Ingress::upcoming`, to look the masks of the next beat up.
    pub upcoming: Signal<In, Bits<11>>,
    /// High while `data` belongs to a packet with the long network header (GRH or IPv6).
    pub long: Signal<In, Bit>,
    /// The beat as it arrived, in network order, zeros beyond the packet's end.
    pub data: Signal<In, Bits<W>>,
    /// `Ingress::body`: the whole 32-bit words of the packet in this beat, zeros beyond them.
    pub body: Signal<In, Bits<W>>,
    /// `Ingress::end_word`: number of whole words in the last beat; 16 reads as 0.
    pub end_word: Signal<In, Bits<4>>,
    /// High if the VCRC is correct of a packet whose last beat came three cycles earlier.
    pub vcrc_ok: Signal<Out, Bit>,
    /// High if the ICRC is correct of a packet whose last beat came three cycles earlier.
    pub icrc_ok: Signal<Out, Bit>,
    #[default(ArrivalMask::new(IB == 0))]
    mask: ArrivalMask<W>,
    #[default(array_init::array_init(|_| Default::default()))]
    vcrc: [VcrcCheck<W>; IB],
    #[default(CrcAccumulator::new(ICRC_POLYNOMIAL))]
    icrc: CrcAccumulator<W, 32>,
    #[default(Rom::new(checksum::fills(W, IB).map(icrc_residue)))]
    icrc_residue: Rom<32, 4>,
    end_delta: Register<Bits<4>>,
    end_state: Register<Bits<4>>,
    icrc_held: Register<Bit>,
}

/// ICRC register after a correct ICRC and `fill` zero bytes.
fn icrc_residue(fill: usize) -> Bits<32> {
    checksum::wire(32, checksum::advance(ICRC_POLYNOMIAL, 0xDEBB_20E3, fill)).to_bits()
}

#[kernel]
impl<const W: usize, const IB: usize, const ROCE: usize> Logic for CrcCheck<W, IB, ROCE> {
    fn update(&mut self) {
        clock!(self, clock, mask, icrc);
        inputs!(self.mask, upcoming, long, data: body);
        inputs!(self.icrc, data: mask.masked, first, enable: valid);

        self.end_delta.d.next = self.end_word.val();
        self.end_state.d.next = self.end_delta.q.val();
        self.icrc_residue.address.next = self.end_state.q.val();
        self.icrc_held.d.next = self.icrc.crc.val() == self.icrc_residue.data.val();
        self.icrc_ok.next = self.icrc_held.q.val();

        for _i in 0..ROCE {
            self.vcrc_ok.next = true;
        }
        for i in 0..IB {
            inputs!(self.vcrc[i], clock, data, first, valid, end_word);
            self.vcrc_ok.next = self.vcrc[i].ok.val();
        }
    }
}
