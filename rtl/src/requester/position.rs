//! Position of the next packet of a QP among its PSNs and its messages.
use super::RequesterRow;
use hca_hdl::prelude::*;

record! {
    /// Comparisons of a row that take an adder. They are made one stage earlier, so that [`super::TurnGate`] has them
    /// at the start of its cycle.
    pub struct Position {
        /// High if the next packet begins a message that has not started.
        pub begins: Bit,
        /// High if the next packet was acknowledged meanwhile.
        pub behind: Bit,
        /// High if every PSN before the refused WQE is acknowledged.
        pub due: Bit,
        /// High if no resource is left for another Read or atomic.
        pub full: Bit,
        /// PSN of the next packet, counted from the oldest that is not acknowledged: 24-bit and signed.
        pub ahead: Bits<24>,
    }
}

/// Pure function of the row. At a distance of exactly 2^23 PSNs (CF286) the sign is ambiguous: the next packet is
/// behind the oldest unacknowledged one only if it is sent again.
#[derive(LogicBlock, Default)]
pub struct TurnPosition {
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// Number of Reads and atomics that may be under way (`max_rd_atomic`), 0 to 16.
    pub resources: Signal<In, Bits<5>>,
    /// The comparisons.
    pub position: Signal<Out, Position>,
    begins: Signal<Local, Bit>,
    distance: Signal<Local, Bits<24>>,
    oldest: Signal<Local, Bits<24>>,
    after: Signal<Local, Bits<16>>,
    newest: Signal<Local, Bit>,
}

#[kernel]
impl Logic for TurnPosition {
    fn update(&mut self) {
        self.begins.next = self.row.val().current == self.row.val().started;
        self.distance.next = self.row.val().psn - self.row.val().una;
        self.oldest.next = self.row.val().una - self.row.val().refused_first;
        self.after.next = self.row.val().current + 1;
        // A message begins, or the newest one goes on; a message has at most 2^23 packets.
        self.newest.next = (self.row.val().current == self.row.val().started)
            || ((self.after.val() == self.row.val().started) && self.row.val().offset.any());
        self.position.next.begins = self.begins.val();
        self.position.next.behind = self.distance.val().get_bit(23)
            && (!self.newest.val()
                || (self.row.val().psn.get_bits::<23>(0) != self.row.val().una.get_bits::<23>(0)));
        self.position.next.due = !self.oldest.val().get_bit(23);
        self.position.next.full = self.row.val().reads >= self.resources.val();
        self.position.next.ahead = self.distance.val();
    }
}
