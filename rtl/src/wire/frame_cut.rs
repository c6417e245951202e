//! Removes the first two bytes of a packet.
use hca_hdl::prelude::*;

/// Removes a packet's first two bytes: each beat moves up by two bytes and waits for the first two of the next beat.
/// The number of beats stays the same.
///
/// The packet must end in a whole 32-bit word. The `T` bits of `tag` travel with each beat.
#[derive(LogicBlock, SmartDefault)]
pub struct FrameCut<const W: usize, const T: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A beat of a packet, byte 0 at the most significant end.
    pub data: Signal<In, Bits<W>>,
    /// High for each cycle that brings a beat.
    pub valid: Signal<In, Bit>,
    /// High with the packet's last beat.
    pub last: Signal<In, Bit>,
    /// Bits that travel with the beat.
    pub tag: Signal<In, Bits<T>>,
    /// A beat of the packet without its first two bytes.
    pub out_data: Signal<Out, Bits<W>>,
    /// High for each cycle in which a beat leaves.
    pub out_valid: Signal<Out, Bit>,
    /// `tag` of that beat.
    pub out_tag: Signal<Out, Bits<T>>,
    waiting: Register<Bit>,
    held: Register<Bits<W>>,
    held_last: Register<Bit>,
    held_tag: Register<Bits<T>>,
    #[default(constant(W - 16))]
    below_two: Constant<Bits<10>>,
}

#[kernel]
impl<const W: usize, const T: usize> Logic for FrameCut<W, T> {
    fn update(&mut self) {
        self.out_data.next = self.held.q.val() << 16;
        if !self.held_last.q.val() {
            self.out_data.next = (self.held.q.val() << 16) | (self.data.val() >> self.below_two.val());
        }
        self.out_valid.next = self.waiting.q.val() && (self.held_last.q.val() || self.valid.val());
        self.out_tag.next = self.held_tag.q.val();

        if self.held_last.q.val() {
            self.waiting.d.next = false;
        }
        if self.valid.val() {
            self.waiting.d.next = true;
            self.held.d.next = self.data.val();
            self.held_last.d.next = self.last.val();
            self.held_tag.d.next = self.tag.val();
        }
        if self.reset.val() {
            self.waiting.d.next = false;
        }
    }
}
