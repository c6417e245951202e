//! Finds which of the two network headers a packet has.
use hca_hdl::prelude::*;

/// Distinguishes packets with the long network header, a GRH (LNH 11) or IPv6, from those with the short one, none or
/// IPv4.
///
/// `long` describes a packet from the beat that holds the deciding field to the packet's end; before, it still
/// describes the packet in front. `settled` is `long` one clock later.
#[derive(LogicBlock)]
pub struct Route<const W: usize> {
    pub clock: Signal<In, Clock>,
    /// `Ingress::upcoming`: number, in its packet, of the beat of the next cycle.
    pub upcoming: Signal<In, Bits<11>>,
    /// `Ingress::next_valid`: high if the next cycle brings a beat.
    pub next_valid: Signal<In, Bit>,
    /// `Ingress::next_body`: the whole 32-bit words of the packet in that beat.
    pub next_body: Signal<In, Bits<W>>,
    /// High if the packet has the long network header.
    pub long: Signal<Out, Bit>,
    /// `long` of one cycle earlier.
    pub settled: Signal<Out, Bit>,
    held: Register<Bit>,
    before: Register<Bit>,
    field: Signal<Local, Bits<16>>,
    here: Constant<Bits<11>>,
    shift: Constant<Bits<9>>,
    mask: Constant<Bits<16>>,
    value: Constant<Bits<16>>,
}

impl<const W: usize> Route<W> {
    /// For native packets (false) or Ethernet frames.
    pub fn new(roce: bool) -> Self {
        // The LNH ends the first two bytes; two bytes precede the Ethernet header, whose EtherType ends 16.
        let (at, mask, value) = if roce {
            (14, 0xFFFF, 0x86DD)
        } else {
            (0, 0x0001, 0x0001u64)
        };
        Self {
            clock: Default::default(),
            upcoming: Default::default(),
            next_valid: Default::default(),
            next_body: Default::default(),
            long: Default::default(),
            settled: Default::default(),
            held: Default::default(),
            before: Default::default(),
            field: Default::default(),
            here: constant(8 * at / W),
            shift: constant(W - 16 - 8 * at % W),
            mask: Constant::new(mask.into()),
            value: Constant::new(value.into()),
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Route<W> {
    fn update(&mut self) {
        self.field.next = bit_cast::<16, W>(self.next_body.val() >> self.shift.val());
        if self.next_valid.val() && (self.upcoming.val() == self.here.val()) {
            self.held.d.next = (self.field.val() & self.mask.val()) == self.value.val();
        }
        self.long.next = self.held.q.val();
        self.before.d.next = self.held.q.val();
        self.settled.next = self.before.q.val();
    }
}
