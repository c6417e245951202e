//! Splits pieces of host memory into bursts of the memory bus.
use super::BURST_BYTES;
use crate::bundle::{PieceSink, WqeReadSource};
use hca_hdl::prelude::*;

/// Requests the beats that hold each piece, as far as the buffer behind it has room for them.
///
/// Issues a burst a cycle while there is room for two of the longest. `M`: bus bits; `PA`: log2 of the buffer's beats,
/// at least four times those of the longest burst.
#[derive(LogicBlock, SmartDefault)]
pub struct BurstSplit<const M: usize, const PA: usize> {
    #[default(provided(
        (M / 8) << PA >= 4 * BURST_BYTES && PA <= 12,
        "a buffer of four to 2^12 beats, and of four of the longest bursts"
    ))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Pieces of payload, in order.
    pub piece: PieceSink,

    /// Reads of the bursts, aligned to the bus.
    pub read: WqeReadSource,

    /// High if the beat ends its burst.
    pub beat_last: Signal<In, Bit>,
    /// With `read.valid`: high if the beat is the first of a packet.
    pub packet_begins: Signal<Out, Bit>,
    /// With `read.valid`: high if the beat is the last of a packet.
    pub packet_ends: Signal<Out, Bit>,
    /// High for one cycle when a beat leaves the buffer.
    pub freed: Signal<In, Bit>,

    /// Last burst of its packet 1 | first burst of its packet 1, of each burst in flight.
    beginnings: Fifo<Bits<2>, 6>,
    address: Register<Bits<64>>,
    /// Bytes left, counted from the beginning of the beat that holds the next byte.
    bytes_left: Register<Bits<13>>,
    /// Beats to the next multiple of `BURST_BYTES`.
    to_boundary: Register<Bits<13>>,
    active: Register<Bit>,
    /// High if the next burst is the last of the piece: the piece ends before the boundary.
    ends: Register<Bit>,
    begins: Register<Bit>,
    packet_begun: Register<Bit>,
    last: Register<Bit>,
    /// High if the burst that comes in is the last of a packet.
    ends_packet: Register<Bit>,
    free: Register<Bits<13>>,
    /// High if there was room for two of the longest bursts one cycle earlier: there still is room for one.
    roomy: Register<Bit>,
    within_burst: Register<Bit>,

    offset: Signal<Local, Bits<13>>,
    /// Number of the piece's last beat.
    last_beat: Signal<Local, Bits<13>>,
    /// Beats of the burst, less one.
    further_beats: Signal<Local, Bits<13>>,
    room: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    kept: Signal<Local, Bits<13>>,

    #[default(constant((M / 8).trailing_zeros() as usize))]
    beat_shift: Constant<Bits<4>>,
    #[default(constant(M / 8 - 1))]
    offset_mask: Constant<Bits<13>>,
    #[default(Constant::new(!Bits::<64>::from((M / 8 - 1) as u64)))]
    align_mask: Constant<Bits<64>>,
    #[default(constant(BURST_BYTES / (M / 8)))]
    burst_beats: Constant<Bits<13>>,
    #[default(constant(BURST_BYTES))]
    burst_bytes: Constant<Bits<13>>,
    #[default(constant(BURST_BYTES - 1))]
    burst_mask: Constant<Bits<13>>,
    #[default(constant(BURST_BYTES))]
    boundary: Constant<Bits<64>>,
    #[default(Constant::new(!Bits::<64>::from((BURST_BYTES - 1) as u64)))]
    boundary_mask: Constant<Bits<64>>,
    #[default(constant(2 * BURST_BYTES / (M / 8)))]
    two_longest: Constant<Bits<13>>,
    #[default(constant(1usize << PA))]
    depth: Constant<Bits<13>>,
}

#[kernel]
impl<const M: usize, const PA: usize> Logic for BurstSplit<M, PA> {
    fn update(&mut self) {
        clock!(self, clock, beginnings);
        self.beginnings.reset.next = self.reset.val();

        // A burst ends at the boundary. Room is looked for as if it were the longest, a clock ahead.
        self.last_beat.next = (self.bytes_left.q.val() - 1) >> self.beat_shift.val();
        self.further_beats.next = self.to_boundary.q.val() - 1;
        if self.ends.q.val() {
            self.further_beats.next = self.last_beat.val();
        }
        self.roomy.d.next = self.free.q.val() >= self.two_longest.val();
        self.room.next = self.roomy.q.val() && self.beginnings.write.ready.val();
        self.read.request.next = self.active.q.val() && self.room.val();
        self.read.address.next = self.address.q.val();
        self.read.beats.next = bit_cast::<8, 13>(self.further_beats.val());
        self.issue.next = self.active.q.val() && self.room.val() && self.read.ready.val();
        self.beginnings.write.valid.next = self.issue.val();
        self.beginnings.write.item.next = (bit_cast::<2, 1>((self.last.q.val() && self.ends.q.val()).into())
            << 1)
            | bit_cast::<2, 1>(self.begins.q.val().into());
        // Each sum is computed at once: which of them is needed settles late in the clock.
        self.kept.next = self.free.q.val();
        if self.issue.val() {
            self.kept.next = self.free.q.val() - self.to_boundary.q.val();
            if self.ends.q.val() {
                self.kept.next = (self.free.q.val() - 1) - self.last_beat.val();
            }
            // The rest of the piece begins at the boundary.
            self.address.d.next = (self.address.q.val() & self.boundary_mask.val()) + self.boundary.val();
            self.bytes_left.d.next =
                self.bytes_left.q.val() - (self.to_boundary.q.val() << self.beat_shift.val());
            self.to_boundary.d.next = self.burst_beats.val();
            self.ends.d.next = (self.bytes_left.q.val()
                - (self.to_boundary.q.val() << self.beat_shift.val()))
                <= self.burst_bytes.val();
            self.begins.d.next = false;
            self.active.d.next = !self.ends.q.val();
        }
        self.free.d.next = self.kept.val() + bit_cast::<13, 1>(self.freed.val().into());

        self.piece.ready.next = !self.active.q.val() || (self.issue.val() && self.ends.q.val());
        self.offset.next = bit_cast::<13, 64>(self.piece.address.val()) & self.offset_mask.val();
        if self.piece.valid.val() && (!self.active.q.val() || (self.issue.val() && self.ends.q.val())) {
            self.active.d.next = true;
            self.address.d.next = self.piece.address.val() & self.align_mask.val();
            self.bytes_left.d.next = self.piece.length.val() + self.offset.val();
            // The beat that holds the first byte counts as one, whatever its offset.
            self.to_boundary.d.next = self.burst_beats.val()
                - ((self.piece.address.val().get_bits::<13>(0) & self.burst_mask.val())
                    >> self.beat_shift.val());
            self.ends.d.next = ((self.piece.address.val().get_bits::<13>(0) & self.burst_mask.val())
                + self.piece.length.val())
                <= self.burst_bytes.val();
            self.begins.d.next = !self.packet_begun.q.val();
            self.packet_begun.d.next = !self.piece.last.val();
            self.last.d.next = self.piece.last.val();
        }

        // Incoming beats.
        if self.read.valid.val() {
            self.within_burst.d.next = !self.beat_last.val();
        }
        self.beginnings.read.ready.next = self.read.valid.val() && !self.within_burst.q.val();
        self.packet_begins.next =
            self.read.valid.val() && !self.within_burst.q.val() && self.beginnings.read.item.val().get_bit(0);
        self.packet_ends.next = self.read.valid.val() && self.beat_last.val() && self.ends_packet.q.val();
        if !self.within_burst.q.val() {
            self.packet_ends.next =
                self.read.valid.val() && self.beat_last.val() && self.beginnings.read.item.val().get_bit(1);
            if self.read.valid.val() {
                self.ends_packet.d.next = self.beginnings.read.item.val().get_bit(1);
            }
        }

        if self.reset.val() {
            self.free.d.next = self.depth.val();
            clear!(self, active, packet_begun, within_burst, roomy);
        }
    }
}
