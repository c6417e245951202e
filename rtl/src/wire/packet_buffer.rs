//! Arrived packets, in block RAM.
use crate::primitive::{comment, dff_setup, BlockRam, Register};
use rust_hdl_core::prelude::*;

/// Room for packets of up to 4222 bytes, in a ring of 2^`A` beats; a refused packet leaves nothing.
///
/// A packet longer than that is not stored beyond its limit, and must be refused.
#[derive(LogicBlock)]
pub struct PacketBuffer<const W: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub data: Signal<In, Bits<W>>,
    pub last: Signal<In, Bit>,
    /// With the last beat: keep the packet.
    pub accept: Signal<In, Bit>,
    /// The packet was kept, in this clock.
    pub kept: Signal<Out, Bit>,
    /// Address of its first beat.
    pub start: Signal<Out, Bits<A>>,
    /// Address after its last beat.
    pub after_last: Signal<Out, Bits<A>>,
    /// Forget the oldest packet, which ends at `free_end`.
    pub free: Signal<In, Bit>,
    pub free_end: Signal<In, Bits<A>>,
    pub read_address: Signal<In, Bits<A>>,
    /// One clock after its address.
    pub read_data: Signal<Out, Bits<W>>,
    /// A register: room for 16 beats and 8 packets more.
    pub open: Signal<Out, Bit>,
    ram: BlockRam<W, A>,
    write_at: Register<Bits<A>>,
    packet_start: Register<Bits<A>>,
    oldest: Register<Bits<A>>,
    length: Register<Bits<11>>,
    packets: Register<Bits<4>>,
    roomy: Register<Bit>,
    store: Signal<Local, Bit>,
    after: Signal<Local, Bits<A>>,
    keep: Signal<Local, Bit>,
    used: Signal<Local, Bits<A>>,
    longest: Constant<Bits<11>>,
    almost_full: Constant<Bits<A>>,
}

impl<const W: usize, const A: usize> Default for PacketBuffer<W, A> {
    fn default() -> Self {
        let longest = 4222usize.div_ceil(W / 8);
        assert!(3 * longest + 16 < 1 << A, "the buffer must hold three packets");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            valid: Default::default(),
            data: Default::default(),
            last: Default::default(),
            accept: Default::default(),
            kept: Default::default(),
            start: Default::default(),
            after_last: Default::default(),
            free: Default::default(),
            free_end: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            open: Default::default(),
            ram: Default::default(),
            write_at: Default::default(),
            packet_start: Default::default(),
            oldest: Default::default(),
            length: Default::default(),
            packets: Default::default(),
            roomy: Default::default(),
            store: Default::default(),
            after: Default::default(),
            keep: Default::default(),
            used: Default::default(),
            longest: Constant::new(longest.to_bits()),
            almost_full: Constant::new(((1usize << A) - 17).to_bits()),
        }
    }
}

impl<const W: usize, const A: usize> Logic for PacketBuffer<W, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module packet_buffer");
        dff_setup!(
            self,
            clock,
            write_at,
            packet_start,
            oldest,
            length,
            packets,
            roomy
        );
        self.ram.clock.next = self.clock.val();
        self.ram.read_address.next = self.read_address.val();
        self.read_data.next = self.ram.read_data.val();

        self.store.next = self.valid.val() && (self.length.q.val() != self.longest.val());
        self.ram.write_enable.next = self.store.val();
        self.ram.write_address.next = self.write_at.q.val();
        self.ram.write_data.next = self.data.val();
        self.after.next = self.write_at.q.val() + 1;
        self.keep.next = self.valid.val() && self.last.val() && self.accept.val();
        if self.store.val() {
            self.write_at.d.next = self.after.val();
            self.length.d.next = self.length.q.val() + 1;
        }
        if self.valid.val() && self.last.val() {
            self.length.d.next = 0.into();
            if self.accept.val() {
                self.packet_start.d.next = self.after.val();
            } else {
                self.write_at.d.next = self.packet_start.q.val();
            }
        }
        if self.free.val() {
            self.oldest.d.next = self.free_end.val();
        }
        if self.keep.val() && !self.free.val() {
            self.packets.d.next = self.packets.q.val() + 1;
        }
        if self.free.val() && !self.keep.val() {
            self.packets.d.next = self.packets.q.val() - 1;
        }
        self.used.next = self.write_at.q.val() - self.oldest.q.val();
        self.roomy.d.next = (self.used.val() < self.almost_full.val()) && (self.packets.q.val() < 8);
        if self.reset.val() {
            self.write_at.d.next = 0.into();
            self.packet_start.d.next = 0.into();
            self.oldest.d.next = 0.into();
            self.length.d.next = 0.into();
            self.packets.d.next = 0.into();
            self.roomy.d.next = false;
        }
        self.kept.next = self.keep.val();
        self.start.next = self.packet_start.q.val();
        self.after_last.next = self.after.val();
        self.open.next = self.roomy.q.val();
    }
}
