//! Stores the payload of arrived packets in block RAM.
use hca_hdl::prelude::*;

/// A ring of 2^`A` beats, filled before the verdict on the packet; a refused packet leaves nothing.
///
/// No more than 4096 bytes of a packet are stored. With room for two of them, one is stored while another is read.
#[derive(LogicBlock, SmartDefault)]
pub struct PacketBuffer<const W: usize, const A: usize> {
    #[default(provided(4096 * 8 / W + 17 < 1 << A, "the buffer must hold the largest packet"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for each cycle that brings a beat of payload.
    pub valid: Signal<In, Bit>,
    /// The beat, byte 0 at the most significant end.
    pub data: Signal<In, Bits<W>>,
    /// High for one cycle with the verdict on the packet, in the cycle of its last beat or later.
    pub judged: Signal<In, Bit>,
    /// With `judged`: high if the packet is accepted.
    pub accept: Signal<In, Bit>,
    /// With `judged`: number of the packet's beats to keep, from the first.
    pub beats: Signal<In, Bits<10>>,
    /// Address of the beat that is read.
    pub read_address: Signal<In, Bits<A>>,
    /// The beat at `read_address` of the previous cycle.
    pub read_data: Signal<Out, Bits<W>>,
    /// Address of the oldest beat that is possibly still read.
    pub oldest: Signal<In, Bits<A>>,
    /// High while there is room for 16 more beats; registered.
    pub open: Signal<Out, Bit>,
    #[default(BlockRam::without_collisions())]
    ram: BlockRam<Bits<W>, A>,
    write_at: Register<Bits<A>>,
    packet_start: Register<Bits<A>>,
    length: Register<Bits<10>>,
    roomy: Register<Bit>,
    store: Signal<Local, Bit>,
    used: Signal<Local, Bits<A>>,
    next_start: Signal<Local, Bits<A>>,
    #[default(constant(4096 * 8 / W))]
    longest: Constant<Bits<10>>,
    #[default(constant((1usize << A) - 17))]
    almost_full: Constant<Bits<A>>,
}

#[kernel]
impl<const W: usize, const A: usize> Logic for PacketBuffer<W, A> {
    fn update(&mut self) {
        clock!(self, clock, ram);
        self.ram.read_address.next = self.read_address.val();
        self.read_data.next = self.ram.read_data.val();

        self.store.next = self.valid.val() && (self.length.q.val() != self.longest.val());
        inputs!(self.ram, write_enable: store, write_address: write_at.q, write_data: data);
        if self.store.val() {
            self.write_at.d.next = self.write_at.q.val() + 1;
            self.length.d.next = self.length.q.val() + 1;
        }
        self.next_start.next = self.packet_start.q.val();
        if self.accept.val() {
            self.next_start.next = self.packet_start.q.val() + bit_cast::<A, 10>(self.beats.val());
        }
        if self.judged.val() {
            self.packet_start.d.next = self.next_start.val();
            self.write_at.d.next = self.next_start.val();
            self.length.d.next = 0.into();
        }
        self.used.next = self.write_at.q.val() - self.oldest.val();
        self.roomy.d.next = self.used.val() < self.almost_full.val();
        if self.reset.val() {
            self.write_at.d.next = 0.into();
            self.packet_start.d.next = 0.into();
            self.length.d.next = 0.into();
            self.roomy.d.next = false;
        }
        self.open.next = self.roomy.q.val();
    }
}
