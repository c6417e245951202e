//! Remembers in which blocks of host memory an access is under way.
use super::BURST_BYTES;
use hca_hdl::prelude::*;

/// Remembers the last access that began in each of 2^`A` classes of blocks of 1024 bytes; accesses end in the order in
/// which they began.
///
/// A class counts as busy until the last access that began in it has ended: at times longer than necessary, never
/// shorter. At most 2^15 accesses are under way. Reset forgets the accesses but not the classes: none of their numbers
/// counts as under way then.
#[derive(LogicBlock, SmartDefault)]
pub struct BlocksUnderWay<const A: usize> {
    #[default(provided(BURST_BYTES == 1 << 10, "a burst lies in one block"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Address in the block that is looked up, or in which an access begins.
    pub address: Signal<In, Bits<64>>,
    /// High if the block is busy. `address` must have been the same for three cycles, and no access may have begun
    /// meanwhile.
    pub busy: Signal<Out, Bit>,
    /// High for one cycle when an access begins at `address`.
    pub begins: Signal<In, Bit>,
    /// High for one cycle when the oldest access has ended.
    pub ends: Signal<In, Bit>,
    /// High if no access was under way in any block one cycle earlier; it is still high in the cycle after an access
    /// begins.
    pub idle: Signal<Out, Bit>,

    /// For each class: number of the last access that began in it.
    latest: BlockRam<Bits<16>, A>,
    asked: Register<Bits<16>>,
    begun: Register<Bits<16>>,
    under_way: Register<Bits<16>>,
    was_busy: Register<Bit>,
    was_idle: Register<Bit>,
    class: Signal<Local, Bits<64>>,
    /// Number of accesses that began after the last one of the class.
    age: Signal<Local, Bits<16>>,
}

#[kernel]
impl<const A: usize> Logic for BlocksUnderWay<A> {
    fn update(&mut self) {
        clock!(self, clock, latest);
        // Neighbouring blocks, and blocks at equal offsets in large areas, fall into different classes.
        self.class.next =
            (self.address.val() >> 10) ^ (self.address.val() >> 17) ^ (self.address.val() >> 26);
        self.latest.read_address.next = bit_cast::<A, 64>(self.class.val());
        self.asked.d.next = self.latest.read_data.val();
        self.age.next = self.begun.q.val() - self.asked.q.val();
        self.was_busy.d.next = self.age.val() < self.under_way.q.val();
        self.was_idle.d.next = !self.under_way.q.val().any();
        self.busy.next = self.was_busy.q.val();
        self.idle.next = self.was_idle.q.val();

        self.latest.write_enable.next = self.begins.val();
        self.latest.write_address.next = bit_cast::<A, 64>(self.class.val());
        self.latest.write_data.next = self.begun.q.val() + 1;
        if self.begins.val() {
            self.begun.d.next = self.begun.q.val() + 1;
        }
        if self.begins.val() && !self.ends.val() {
            self.under_way.d.next = self.under_way.q.val() + 1;
        }
        if self.ends.val() && !self.begins.val() {
            self.under_way.d.next = self.under_way.q.val() - 1;
        }
        if self.reset.val() {
            clear!(self, begun, under_way);
        }
    }
}
