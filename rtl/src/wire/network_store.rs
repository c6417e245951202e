//! Stores the network headers of packets until their payload is read.
use hca_hdl::primitive::{clock, comment, dff_setup, BlockRam, Register};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Keeps the 40 bytes that a datagram has in front of its payload (`protocol/ud.md` section 3.2) of up to 64 packets,
/// from the end of the packet on. The slot of a refused packet is free once those before it are read.
///
/// One of `IB` and `ROCE` is 1.
#[derive(LogicBlock, SmartDefault)]
pub struct NetworkStore<const IB: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when a packet has ended.
    pub ended: Signal<In, Bit>,
    /// Its first 120 bytes, byte 0 at the most significant end.
    pub flat: Signal<In, Bits<960>>,
    /// High if it has the long network header (GRH or IPv6).
    pub long: Signal<In, Bit>,
    /// High for one cycle with the verdict on the oldest packet that has none.
    pub judged: Signal<In, Bit>,
    /// Slot of that packet.
    pub slot: Signal<Out, Bits<6>>,
    /// High if an accepted packet waits for its payload to be read.
    pub waits: Signal<In, Bit>,
    /// Slot of the oldest of them.
    pub oldest: Signal<In, Bits<6>>,
    /// The header in slot `oldest` of the cycle before, byte 0 at the most significant end.
    pub header: Signal<Out, Bits<320>>,
    /// High while there is room for 12 more packets; registered.
    pub open: Signal<Out, Bit>,
    #[default(BlockRam::without_collisions())]
    memory: BlockRam<320, 6>,
    /// Slot of the next packet to end.
    tail: Register<Bits<6>>,
    /// Slot of the next packet to be judged.
    judging: Register<Bits<6>>,
    roomy: Register<Bit>,
    used: Signal<Local, Bits<6>>,
}

impl<const IB: usize, const ROCE: usize> Logic for NetworkStore<IB, ROCE> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module network_store");
        dff_setup!(self, clock, tail, judging, roomy);
        clock!(self, clock, memory);
        self.memory.write_enable.next = self.ended.val();
        self.memory.write_address.next = self.tail.q.val();
        // The GRH, from bit 895 down; a packet without one is not asked for it.
        for _i in 0..IB {
            self.memory.write_data.next = self.flat.val().get_bits::<320>(576);
        }
        // IP, from bit 831 down; an IPv4 header comes behind 20 bytes of zero.
        for _i in 0..ROCE {
            self.memory.write_data.next = bit_cast::<320, 160>(self.flat.val().get_bits::<160>(672));
            if self.long.val() {
                self.memory.write_data.next = self.flat.val().get_bits::<320>(512);
            }
        }
        if self.ended.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        if self.judged.val() {
            self.judging.d.next = self.judging.q.val() + 1;
        }
        self.slot.next = self.judging.q.val();
        self.memory.read_address.next = self.oldest.val();
        self.header.next = self.memory.read_data.val();
        self.used.next = self.tail.q.val() - self.judging.q.val();
        if self.waits.val() {
            self.used.next = self.tail.q.val() - self.oldest.val();
        }
        self.roomy.d.next = self.used.val() < 48;
        self.open.next = self.roomy.q.val();
        if self.reset.val() {
            self.tail.d.next = 0.into();
            self.judging.d.next = 0.into();
            self.roomy.d.next = false;
        }
    }
}
