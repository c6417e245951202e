//! Finds the pieces of host memory behind a part of a scatter/gather list, and checks each of them.
use super::{Protection, SegmentList};
use crate::bundle::{FoundPieceSource, KeyReadSource, ListReadSource, WalkSink};
use hca_hdl::prelude::*;

/// `fault` of a walk: no fault.
pub const FAULT_NONE: usize = 0;
/// `fault` of a walk: the list ends before the bytes do, or it is malformed: more than 16 SGEs, or more than 2
/// without an indirect list, or an SGE on the way of an indirect list with 3 * 2^30 bytes or more, while a message has
/// at most 2^31.
pub const FAULT_LIST: usize = 1;
/// `fault` of a walk: [`Protection`] forbids a piece.
pub const FAULT_PROTECTION: usize = 2;

/// Walks one SGE a clock, unless another walker looks a key up in that clock. A request whose bytes lie in the first
/// SGE takes 5 clocks without such a delay; answers come in the order of requests. The next request may follow after
/// two clocks if that SGE is the last of its list, else after three.
///
/// SGEs that `offset` skips, and SGEs of length 0, need no key. All lines of an indirect list are read at once, by the
/// first of the requests that follow each other through it ([`SegmentList`]): the list must not change from the request
/// at `offset` 0 on. `M`: bits of the memory bus.
#[derive(LogicBlock, SmartDefault)]
pub struct Walker<const M: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Requests for walks.
    pub walk: WalkSink,

    /// The pieces, at most 16 for a request.
    pub piece: FoundPieceSource,

    /// Looks keys up.
    pub key: KeyReadSource,
    /// High to take no request. Once `quiet`, no request is under way that has seen the old table.
    pub hold: Signal<In, Bit>,
    /// High if no request is under way.
    pub quiet: Signal<Out, Bit>,

    /// Reads of indirect lists of SGEs ([`SegmentList`]).
    pub list: ListReadSource<M>,

    protection: Protection,
    indirect_list: SegmentList<M>,

    // The request.
    active: Register<Bit>,
    /// High if the request ends without a look at any SGE, refused or not.
    ends_now: Register<Bit>,
    refused: Register<Bit>,
    from_list: Register<Bit>,
    exempt: Register<Bit>,
    whole: Register<Bit>,
    wanted_right: Register<Bits<3>>,
    domain: Register<Bits<24>>,
    skip: Register<Bits<32>>,
    single: Register<Bit>,
    left: Register<Bits<13>>,
    /// Number of SGEs behind the current one; for an indirect list, those that have not arrived.
    behind: Register<Bits<5>>,
    current: Register<Bits<128>>,
    current_valid: Register<Bit>,
    list_starts: Register<Bit>,
    second: Register<Bits<128>>,

    accept: Signal<Local, Bit>,
    trivial: Signal<Local, Bit>,
    malformed: Signal<Local, Bit>,
    following: Signal<Local, Bits<128>>,
    loads: Signal<Local, Bit>,
    /// High if an SGE is measured, unless the one before it ends the request.
    advances: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    segment_length: Signal<Local, Bits<32>>,
    /// Bit 32 is high if it is negative.
    available: Signal<Local, Bits<33>>,

    // The bytes of the SGE behind `skip`.
    measured: Register<Bit>,
    /// High if the SGE is the last of the list.
    at_end: Register<Bit>,
    measured_key: Register<Bits<32>>,
    start: Register<Bits<64>>,
    bytes: Register<Bits<32>>,
    /// High if there are 2^13 such bytes or more.
    large: Register<Bit>,
    entire_bytes: Register<Bits<32>>,
    enough: Signal<Local, Bit>,
    reach: Signal<Local, Bits<13>>,
    takes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    /// High if the SGE is all ones, which stands for a line that host memory failed.
    unread: Signal<Local, Bit>,
    halts: Signal<Local, Bit>,

    // Beside the two clocks of the check: length 13 | list fault, ends, takes, valid.
    judged: Register<Bits<17>>,
    bounded: Register<Bits<17>>,
    failed: Register<Bit>,
    forbidden: Signal<Local, Bit>,
    out_piece: Register<Bit>,
    out_address: Register<Bits<64>>,
    out_length: Register<Bits<13>>,
    out_done: Register<Bit>,
    out_fault: Register<Bits<2>>,

    #[default(constant(16))]
    max_segments: Constant<Bits<8>>,
    #[default(constant(FAULT_LIST))]
    fault_list: Constant<Bits<2>>,
    #[default(constant(FAULT_PROTECTION))]
    fault_protection: Constant<Bits<2>>,
}

#[kernel]
impl<const M: usize> Logic for Walker<M> {
    fn update(&mut self) {
        clock!(self, clock, protection, indirect_list);
        self.indirect_list.reset.next = self.reset.val();

        // Take a request once all lines that an earlier request has read have arrived.
        self.walk.ready.next = !self.active.q.val()
            && self.indirect_list.drained.val()
            && !self.key.busy.val()
            && !self.hold.val();
        self.accept.next = self.walk.valid.val()
            && !self.active.q.val()
            && self.indirect_list.drained.val()
            && !self.key.busy.val()
            && !self.hold.val();
        self.malformed.next = (self.walk.item.val().count > self.max_segments.val())
            || (!self.walk.item.val().indirect && (self.walk.item.val().count > 2))
            || (!self.walk.item.val().count.any()
                && (self.walk.item.val().length.any() || self.walk.item.val().entire));
        self.trivial.next =
            self.malformed.val() || (!self.walk.item.val().length.any() && !self.walk.item.val().entire);

        // How many bytes of the measured SGE the request needs.
        self.enough.next = self.large.q.val() || (self.bytes.q.val().get_bits::<13>(0) >= self.left.q.val());
        self.reach.next = self.bytes.q.val().get_bits::<13>(0);
        if self.enough.val() {
            self.reach.next = self.left.q.val();
        }
        self.ends.next = self.ends_now.q.val() || self.enough.val() || self.at_end.q.val();
        self.takes.next = !self.ends_now.q.val() && self.reach.val().any();
        self.halts.next = self.measured.q.val() && self.ends.val();
        if self.measured.q.val() {
            self.left.d.next = self.left.q.val() - self.reach.val();
        }

        // Move on to the SGE behind it, once its key is looked up.
        self.key.asks.next = self.active.q.val() && self.current_valid.q.val();
        self.key.key.next = self.current.q.val().get_bits::<32>(0);
        self.key.walks.next = self.active.q.val();
        self.advances.next = self.active.q.val()
            && (self.ends_now.q.val() || (self.current_valid.q.val() && self.key.taken.val()));
        self.step.next = self.advances.val() && !self.halts.val();
        self.segment_length.next = self.current.q.val().get_bits::<32>(32);
        self.available.next =
            bit_cast::<33, 32>(self.segment_length.val()) - bit_cast::<33, 32>(self.skip.q.val());
        self.measured.d.next = self.step.val();
        self.at_end.d.next = !self.behind.q.val().any();
        self.measured_key.d.next = self.current.q.val().get_bits::<32>(0);
        self.start.d.next = self.current.q.val().get_bits::<64>(64) + bit_cast::<64, 32>(self.skip.q.val());
        self.entire_bytes.d.next = self.segment_length.val();
        self.bytes.d.next = self.available.val().get_bits::<32>(0);
        self.large.d.next = self.available.val().get_bits::<19>(13).any();
        if self.available.val().get_bit(32) {
            self.bytes.d.next = bits::<32>(0);
            self.large.d.next = false;
        }

        // Fetch the SGE after that one.
        self.loads.next = self.active.q.val()
            && !self.ends_now.q.val()
            && self.from_list.q.val()
            && !self.list_starts.q.val()
            && self.indirect_list.segment_valid.val()
            && self.behind.q.val().any()
            && (!self.current_valid.q.val() || self.advances.val());
        self.indirect_list.segment_ready.next = self.loads.val();
        self.following.next = self.current.q.val();
        // These are free to change once the request has ended; the end itself settles late in the clock.
        if self.advances.val() {
            self.skip.d.next = bits::<32>(0);
            if self.available.val().get_bit(32) {
                self.skip.d.next = self.skip.q.val() - self.segment_length.val();
            }
            self.current_valid.d.next = false;
            if !self.from_list.q.val() {
                self.following.next = self.second.q.val();
                self.current_valid.d.next = self.behind.q.val().any();
                self.behind.d.next = self.behind.q.val() - 1;
            }
            // The last SGE ends the request, whatever its length comes to.
            if !self.behind.q.val().any() {
                self.active.d.next = false;
            }
        }
        if self.loads.val() {
            self.current_valid.d.next = true;
            self.following.next = self.indirect_list.segment.val();
            self.behind.d.next = self.behind.q.val() - 1;
        }
        if self.halts.val() {
            self.active.d.next = false;
        }

        // One clock after the request is taken, when it is in registers: SGE 0 names the list.
        self.list_starts.d.next = self.accept.val() && self.walk.item.val().indirect && !self.trivial.val();
        self.indirect_list.start_valid.next = self.list_starts.q.val();
        self.indirect_list.start_address.next = self.current.q.val().get_bits::<64>(64);
        inputs!(self.indirect_list, start_count: behind.q, start_offset: skip.q, start_alone: single.q);
        self.indirect_list.start_length.next = self.left.q.val();
        ListReadSource::<M>::link(&mut self.list, &mut self.indirect_list.list);

        if self.accept.val() {
            self.active.d.next = true;
            self.ends_now.d.next = self.trivial.val();
            self.refused.d.next = self.malformed.val();
            self.from_list.d.next = self.walk.item.val().indirect;
            self.exempt.d.next = self.walk.item.val().unchecked;
            self.whole.d.next = self.walk.item.val().entire;
            self.wanted_right.d.next = self.walk.item.val().right;
            self.domain.d.next = self.walk.item.val().pd;
            self.skip.d.next = self.walk.item.val().offset;
            self.single.d.next = self.walk.item.val().alone;
            self.left.d.next = self.walk.item.val().length;
            self.following.next = self.walk.item.val().list.get_bits::<128>(128);
            self.second.d.next = self.walk.item.val().list.get_bits::<128>(0);
            self.current_valid.d.next = !self.walk.item.val().indirect;
            self.behind.d.next = self.walk.item.val().count.get_bits::<5>(0) - 1;
            if self.walk.item.val().indirect {
                self.behind.d.next = self.walk.item.val().count.get_bits::<5>(0);
            }
        }
        self.current.d.next = self.following.val();

        // Check the measured piece; its key was looked up a clock earlier.
        self.protection.row.next = self.key.row.val();
        self.protection.checked.next = !self.exempt.q.val()
            && (self.takes.val()
                || (self.whole.q.val() && !self.ends_now.q.val() && self.entire_bytes.q.val().any()));
        inputs!(self.protection, key: measured_key.q, address: start.q);
        self.protection.length.next = bit_cast::<32, 13>(self.reach.val());
        if self.whole.q.val() {
            self.protection.length.next = self.entire_bytes.q.val();
        }
        inputs!(self.protection, right: wanted_right.q, pd: domain.q);
        self.unread.next = self.from_list.q.val() && self.entire_bytes.q.val().get_bits::<2>(30).all();
        self.judged.d.next = bit_cast::<17, 1>(self.measured.q.val().into())
            | (bit_cast::<17, 1>(self.takes.val().into()) << 1)
            | (bit_cast::<17, 1>(self.ends.val().into()) << 2)
            | (bit_cast::<17, 1>(
                (self.refused.q.val()
                    || (!self.ends_now.q.val()
                        && (self.unread.val() || (self.ends.val() && !self.enough.val()))))
                .into(),
            ) << 3)
            | (bit_cast::<17, 13>(self.reach.val()) << 4);
        self.bounded.d.next = self.judged.q.val();
        self.forbidden.next =
            self.failed.q.val() || (self.bounded.q.val().get_bit(0) && !self.protection.allowed.val());
        self.out_piece.d.next =
            self.bounded.q.val().get_bit(0) && self.bounded.q.val().get_bit(1) && !self.forbidden.val();
        self.out_address.d.next = self.protection.real_address.val();
        self.out_length.d.next = self.bounded.q.val().get_bits::<13>(4);
        self.out_done.d.next = false;
        self.out_fault.d.next = bits::<2>(0);
        self.failed.d.next = self.forbidden.val();
        if self.bounded.q.val().get_bit(0) && self.bounded.q.val().get_bit(2) {
            self.out_done.d.next = true;
            self.failed.d.next = false;
            // Length comes before protection (responder.md section 1 steps 13 and 15).
            if self.bounded.q.val().get_bit(3) {
                self.out_fault.d.next = self.fault_list.val();
            } else if self.forbidden.val() {
                self.out_fault.d.next = self.fault_protection.val();
            }
        }
        inputs!(self.piece, valid: out_piece.q, address: out_address.q, length: out_length.q);
        inputs!(self.walk, done: out_done.q, fault: out_fault.q);
        self.quiet.next = !self.active.q.val()
            && !self.measured.q.val()
            && !self.judged.q.val().get_bit(0)
            && !self.bounded.q.val().get_bit(0)
            && !self.out_done.q.val();

        if self.reset.val() {
            clear!(self, active, list_starts, measured, judged, bounded, failed, out_piece, out_done);
        }
    }
}
