//! The headers of a packet side by side.
use hca_hdl::prelude::*;

/// Keeps the first 120 bytes of the packet, byte 0 at the most significant end; `NB` beats hold them. That is room for
/// every header: 100 bytes of a global packet, 116 of a frame.
///
/// Bytes beyond the end of a short packet are left from an earlier one.
#[derive(LogicBlock, SmartDefault)]
pub struct HeaderCapture<const W: usize, const NB: usize> {
    pub clock: Signal<In, Clock>,
    /// High for each cycle that brings a beat.
    pub valid: Signal<In, Bit>,
    /// Number of the beat in its packet, from 0.
    pub beat: Signal<In, Bits<11>>,
    /// `Ingress::body`: the whole 32-bit words of the packet in this beat.
    pub body: Signal<In, Bits<W>>,
    /// The bytes of all beats up to this cycle's.
    pub early: Signal<Out, Bits<960>>,
    /// The bytes of all beats up to the previous cycle's.
    pub flat: Signal<Out, Bits<960>>,
    early_joined: Concat<W, NB, 960>,
    #[default(array_init::array_init(|_| Default::default()))]
    lane: [Register<Bits<W>>; NB],
    joined: Concat<W, NB, 960>,
}

#[kernel]
impl<const W: usize, const NB: usize> Logic for HeaderCapture<W, NB> {
    fn update(&mut self) {
        for i in 0..NB {
            dff_setup!(self, clock, lane[i]);
            self.early_joined.i[i].next = self.lane[i].q.val();
            if self.valid.val() && (self.beat.val() == i.to_bits()) {
                self.lane[i].d.next = self.body.val();
                self.early_joined.i[i].next = self.body.val();
            }
            self.joined.i[i].next = self.lane[i].q.val();
        }
        self.early.next = self.early_joined.o.val();
        self.flat.next = self.joined.o.val();
    }
}
