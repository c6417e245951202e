//! Finds the pieces of host memory behind a part of a scatter/gather list, and checks each of them.
use super::SegmentList;
use crate::bundle::{FoundPieceSource, ListReadSource, SgeLookupSource, WalkSink};
use hca_hdl::prelude::*;

/// `fault` of a walk: no fault.
pub const FAULT_NONE: usize = 0;
/// `fault` of a walk: the list ends before the bytes do, or it is malformed: more than 16 SGEs, or more than 2
/// without an indirect list, or an SGE on the way of an indirect list with 3 * 2^30 bytes or more, while a message has
/// at most 2^31.
pub const FAULT_LIST: usize = 1;
/// `fault` of a walk: [`super::Protection`] forbids a piece.
pub const FAULT_PROTECTION: usize = 2;

/// Steps through the SGEs of one request after the other. A [`super::WalkServer`], which four walkers share, looks
/// their keys up and finds the pieces: one SGE a clock, unless it takes another walker's in that clock. A request whose
/// bytes lie in the first SGE takes 5 clocks without such a delay; answers come in the order of requests. The next
/// request may follow after two clocks if that SGE is the last of its list, else after three.
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

    /// The walk server.
    pub lookup: SgeLookupSource,
    /// High to take no request. Once `quiet`, no request is under way that has seen the old table.
    pub hold: Signal<In, Bit>,
    /// High if no request is under way.
    pub quiet: Signal<Out, Bit>,

    /// Reads of indirect lists of SGEs ([`SegmentList`]).
    pub list: ListReadSource<M>,

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
    /// High if an SGE is taken; it counts unless the one before it ends the request.
    advances: Signal<Local, Bit>,
    segment_length: Signal<Local, Bits<32>>,
    /// Bit 32 is high if it is negative.
    available: Signal<Local, Bits<33>>,

    /// High if the measured SGE ends the request.
    halts: Signal<Local, Bit>,

    #[default(constant(16))]
    max_segments: Constant<Bits<8>>,
}

#[kernel]
impl<const M: usize> Logic for Walker<M> {
    fn update(&mut self) {
        clock!(self, clock, indirect_list);
        self.indirect_list.reset.next = self.reset.val();

        // Take a request once all lines that an earlier request has read have arrived.
        self.walk.ready.next = !self.active.q.val()
            && self.indirect_list.drained.val()
            && !self.lookup.busy.val()
            && !self.hold.val();
        self.accept.next = self.walk.valid.val()
            && !self.active.q.val()
            && self.indirect_list.drained.val()
            && !self.lookup.busy.val()
            && !self.hold.val();
        self.malformed.next = (self.walk.item.val().count > self.max_segments.val())
            || (!self.walk.item.val().indirect && (self.walk.item.val().count > 2))
            || (!self.walk.item.val().count.any()
                && (self.walk.item.val().length.any() || self.walk.item.val().entire));
        self.trivial.next =
            self.malformed.val() || (!self.walk.item.val().length.any() && !self.walk.item.val().entire);

        // What the request needs of the SGE that was taken one clock earlier.
        self.halts.next = self.lookup.measured.val() && self.lookup.ends.val();
        if self.lookup.measured.val() {
            self.left.d.next = self.left.q.val() - self.lookup.reach.val();
        }

        // Move on to the SGE behind it, once it is taken.
        self.lookup.asks.next = self.active.q.val() && (self.ends_now.q.val() || self.current_valid.q.val());
        inputs!(self.lookup, walks: active.q, left: left.q);
        self.advances.next = self.lookup.asks.val() && self.lookup.taken.val();
        self.segment_length.next = self.current.q.val().get_bits::<32>(32);
        self.available.next =
            bit_cast::<33, 32>(self.segment_length.val()) - bit_cast::<33, 32>(self.skip.q.val());
        self.lookup.access.next.ends_now = self.ends_now.q.val();
        self.lookup.access.next.refused = self.refused.q.val();
        self.lookup.access.next.at_end = !self.behind.q.val().any();
        self.lookup.access.next.listed = self.from_list.q.val();
        self.lookup.access.next.exempt = self.exempt.q.val();
        self.lookup.access.next.whole = self.whole.q.val();
        self.lookup.access.next.right = self.wanted_right.q.val();
        self.lookup.access.next.pd = self.domain.q.val();
        self.lookup.access.next.key = self.current.q.val().get_bits::<32>(0);
        self.lookup.access.next.start =
            self.current.q.val().get_bits::<64>(64) + bit_cast::<64, 32>(self.skip.q.val());
        self.lookup.access.next.bytes = self.available.val().get_bits::<13>(0);
        self.lookup.access.next.large = self.available.val().get_bits::<19>(13).any();
        self.lookup.access.next.entire_bytes = self.segment_length.val();
        if self.available.val().get_bit(32) {
            self.lookup.access.next.bytes = bits::<13>(0);
            self.lookup.access.next.large = false;
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
        // These registers may change once the request has ended, and its end settles late in the clock.
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

        // The list is read one clock after the request is taken: SGE 0, which names it, is in a register then.
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

        wires!(self.lookup, self.piece, valid: found, address, length);
        wires!(self.lookup, self.walk, done, fault);
        self.quiet.next = !self.active.q.val() && !self.lookup.under_way.val();

        if self.reset.val() {
            clear!(self, active, list_starts);
        }
    }
}
