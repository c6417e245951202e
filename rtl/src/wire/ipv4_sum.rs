//! The checksum of an IPv4 header.
use hca_hdl::prelude::*;

/// Checks the ones' complement sum of an IPv4 header of 20 bytes (RFC 791 section 3.1).
#[derive(LogicBlock, Default)]
pub struct Ipv4Sum {
    pub clock: Signal<In, Clock>,
    /// The IPv4 header, byte 0 at the most significant end.
    pub header: Signal<In, Bits<160>>,
    /// High if the checksum is correct of the header of three cycles earlier.
    pub holds: Signal<Out, Bit>,
    first: Register<Bits<17>>,
    second: Register<Bits<17>>,
    third: Register<Bits<17>>,
    fourth: Register<Bits<17>>,
    fifth: Register<Bits<17>>,
    total: Register<Bits<20>>,
    held: Register<Bit>,
    front: Signal<Local, Bits<20>>,
    back: Signal<Local, Bits<20>>,
    folded: Signal<Local, Bits<17>>,
}

#[kernel]
impl Logic for Ipv4Sum {
    fn update(&mut self) {
        self.first.d.next = bit_cast::<17, 16>(self.header.val().get_bits::<16>(0))
            + bit_cast::<17, 16>(self.header.val().get_bits::<16>(16));
        self.second.d.next = bit_cast::<17, 16>(self.header.val().get_bits::<16>(32))
            + bit_cast::<17, 16>(self.header.val().get_bits::<16>(48));
        self.third.d.next = bit_cast::<17, 16>(self.header.val().get_bits::<16>(64))
            + bit_cast::<17, 16>(self.header.val().get_bits::<16>(80));
        self.fourth.d.next = bit_cast::<17, 16>(self.header.val().get_bits::<16>(96))
            + bit_cast::<17, 16>(self.header.val().get_bits::<16>(112));
        self.fifth.d.next = bit_cast::<17, 16>(self.header.val().get_bits::<16>(128))
            + bit_cast::<17, 16>(self.header.val().get_bits::<16>(144));

        self.front.next = bit_cast::<20, 17>(self.first.q.val()) + bit_cast::<20, 17>(self.second.q.val());
        self.back.next = bit_cast::<20, 17>(self.third.q.val()) + bit_cast::<20, 17>(self.fourth.q.val());
        self.total.d.next = (self.front.val() + self.back.val()) + bit_cast::<20, 17>(self.fifth.q.val());

        // Ten halfwords carry at most 9: folding once leaves no carry where the sum is right.
        self.folded.next = bit_cast::<17, 16>(self.total.q.val().get_bits::<16>(0))
            + bit_cast::<17, 4>(self.total.q.val().get_bits::<4>(16));
        self.held.d.next = self.folded.val() == 0xFFFF;
        self.holds.next = self.held.q.val();
    }
}
