//! Decides how many entries one read takes.
use hca_hdl::prelude::*;

/// Plans a read of up to 8 entries from a position in a ring on. Pure function.
#[derive(LogicBlock, Default)]
pub struct ReadPlan {
    /// Address of the ring, a multiple of 64.
    pub base: Signal<In, Bits<64>>,
    /// `base` in units of entries, modulo 16; valid earlier than `base`.
    pub base_entry: Signal<In, Bits<4>>,
    /// Number of entries of the ring, less one.
    pub ring_mask: Signal<In, Bits<16>>,
    /// Position of the next entry in the ring.
    pub position: Signal<In, Bits<16>>,
    /// Number of entries that are posted and not fetched.
    pub posted: Signal<In, Bits<16>>,
    /// Number of slots that are free for them.
    pub room: Signal<In, Bits<16>>,

    /// High if a read is due: all posted entries fit, or eight of them do.
    pub due: Signal<Out, Bit>,
    /// Bits 25:0 of the address, and above them the carry into the other bits.
    pub low_address: Signal<Out, Bits<27>>,
    /// Number of entries, 1 to 8 if a read is due.
    pub count: Signal<Out, Bits<4>>,

    // Entries to the end of the ring and of the burst, less one: a mask and a complement give them.
    ring_left: Signal<Local, Bits<16>>,
    burst_left: Signal<Local, Bits<4>>,
    // Entries of the read less one, at most 7.
    posted_most: Signal<Local, Bits<3>>,
    ring_most: Signal<Local, Bits<3>>,
    burst_most: Signal<Local, Bits<3>>,
    most: Signal<Local, Bits<3>>,
}

#[kernel]
impl Logic for ReadPlan {
    fn update(&mut self) {
        self.due.next =
            self.posted.val().any() && ((self.posted.val() <= self.room.val()) || (self.room.val() >= 8));
        self.low_address.next = bit_cast::<27, 26>(self.base.val().get_bits::<26>(0))
            + (bit_cast::<27, 16>(self.position.val()) << 6);

        // The read ends at the end of the ring, and at the next multiple of BURST_BYTES.
        self.ring_left.next = self.ring_mask.val() ^ self.position.val();
        self.burst_left.next = !(self.base_entry.val() + self.position.val().get_bits::<4>(0));
        self.posted_most.next = self.posted.val().get_bits::<3>(0) - 1;
        if self.posted.val().get_bits::<13>(3).any() {
            self.posted_most.next = bits::<3>(7);
        }
        self.ring_most.next = self.ring_left.val().get_bits::<3>(0);
        if self.ring_left.val().get_bits::<13>(3).any() {
            self.ring_most.next = bits::<3>(7);
        }
        self.burst_most.next = self.burst_left.val().get_bits::<3>(0);
        if self.burst_left.val().get_bit(3) {
            self.burst_most.next = bits::<3>(7);
        }
        self.most.next = self.posted_most.val();
        if self.burst_most.val() < self.posted_most.val() {
            self.most.next = self.burst_most.val();
        }
        if (self.ring_most.val() < self.posted_most.val()) && (self.ring_most.val() < self.burst_most.val()) {
            self.most.next = self.ring_most.val();
        }
        self.count.next = bit_cast::<4, 3>(self.most.val()) + 1;
    }
}
