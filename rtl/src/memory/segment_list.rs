//! Delivers the SGEs of an indirect list, from host memory or kept from the message's last packet.
use super::kept_list::KeptList;
use crate::bundle::ListReadSource;
use hca_hdl::prelude::*;

/// Requests all lines of a list at once, four SGEs a line, and delivers the SGEs one by one.
///
/// The four lists that were walked last are kept (`KeptList`), so that a message waits for its list once and not for
/// each packet. A line that host memory fails is all ones: such SGEs are longer than any message, so that no walk
/// passes them ([`super::walker::FAULT_LIST`]). `M`: bits of the memory bus, a multiple of an SGE's.
#[derive(LogicBlock, SmartDefault)]
pub struct SegmentList<const M: usize> {
    #[default(provided(
        matches!(M, 128 | 256 | 512),
        &format!("lists are read by 128, 256 or 512 bits, not {M}")
    ))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle, only while `drained`, when a walk starts.
    pub start_valid: Signal<In, Bit>,
    /// Byte address of the list, a multiple of 64.
    pub start_address: Signal<In, Bits<64>>,
    /// Number of SGEs, 1 to 16.
    pub start_count: Signal<In, Bits<5>>,
    /// Bytes of the list's data before the first byte of the walk.
    pub start_offset: Signal<In, Bits<32>>,
    /// High if the message has no other walk: its list is read.
    pub start_alone: Signal<In, Bit>,
    /// Bytes of the walk.
    pub start_length: Signal<In, Bits<13>>,

    /// High while an SGE is offered.
    pub segment_valid: Signal<Out, Bit>,
    /// High in a cycle in which the SGE is taken.
    pub segment_ready: Signal<In, Bit>,
    /// The SGE, laid out as in `hca_host::wqe`.
    pub segment: Signal<Out, Bits<128>>,
    /// High if all requested lines have arrived.
    pub drained: Signal<Out, Bit>,

    /// Reads of lines of 64 bytes.
    pub list: ListReadSource<M>,

    kept: [KeptList; 4],
    /// The beats of the lists, at the number of their first SGE: place of the list 2 | SGE 4, less its low bits.
    #[default(BlockRam::without_collisions())]
    beats: BlockRam<Bits<M>, 6>,
    /// Bit for each line: high if host memory has failed it.
    failed: Register<Bits<16>>,
    /// High if a beat of the line that comes in has failed.
    fails: Register<Bit>,
    /// Number of the first SGE of the beat that comes next.
    comes: Register<Bits<4>>,
    /// High if the last beat of a line came one clock ago.
    ended: Register<Bit>,
    looks: Register<Bit>,
    /// High in the cycle after `looks`, when the walk is noted.
    notes: Register<Bit>,
    end: Register<Bits<32>>,
    address: Register<Bits<64>>,
    line_count: Register<Bits<3>>,
    /// Place for the next list that is read.
    victim: Register<Bits<2>>,
    place: Register<Bits<2>>,
    /// Number of lines that have arrived.
    present: Register<Bits<3>>,
    wanted: Register<Bits<3>>,
    coming: Register<Bits<3>>,
    position: Register<Bits<4>>,
    found: Signal<Local, Bit>,
    next_place: Signal<Local, Bits<2>>,
    next_position: Signal<Local, Bits<4>>,
    /// Place of the list 2 | line 2, of the line that comes in and of the one that goes out.
    line_in: Signal<Local, Bits<4>>,
    line_out: Signal<Local, Bits<4>>,
    /// Number of bits of the beat before the SGE that goes out.
    before: Signal<Local, Bits<10>>,
    /// Number of SGEs of a beat, and the logarithm of it.
    #[default(constant(M / 128))]
    segments: Constant<Bits<4>>,
    #[default(constant((M / 128).ilog2() as usize))]
    packed: Constant<Bits<3>>,
    #[default(constant(M / 128 - 1))]
    within: Constant<Bits<4>>,
    #[default(constant(M - 128))]
    below: Constant<Bits<10>>,
}

#[kernel]
impl<const M: usize> Logic for SegmentList<M> {
    fn update(&mut self) {
        clock!(self, clock, beats);

        // Find the list among the kept ones.
        for i in 0..4 {
            inputs!(self.kept[i], clock, reset, look: looks.q);
            self.kept[i].line.next = self.start_address.val().get_bits::<58>(6);
            inputs!(self.kept[i], offset: start_offset, alone: start_alone);
            self.kept[i].at.next = self.address.q.val().get_bits::<58>(6);
            self.kept[i].end.next = self.end.q.val();
        }
        self.found.next = self.kept[0].found.val()
            || self.kept[1].found.val()
            || self.kept[2].found.val()
            || self.kept[3].found.val();
        self.kept[0].takes.next = !self.found.val() && (self.victim.q.val() == 0);
        self.kept[1].takes.next = !self.found.val() && (self.victim.q.val() == 1);
        self.kept[2].takes.next = !self.found.val() && (self.victim.q.val() == 2);
        self.kept[3].takes.next = !self.found.val() && (self.victim.q.val() == 3);

        // Incoming lines.
        self.list.request.next = self.wanted.q.val().any();
        self.list.address.next = self.address.q.val();
        self.beats.write_enable.next = self.list.valid.val();
        self.beats.write_address.next = ((bit_cast::<6, 2>(self.place.q.val()) << 4)
            | bit_cast::<6, 4>(self.comes.q.val()))
            >> self.packed.val();
        self.beats.write_data.next = self.list.data.val();
        self.line_in.next = (bit_cast::<4, 2>(self.place.q.val()) << 2)
            | bit_cast::<4, 2>(self.comes.q.val().get_bits::<2>(2));
        if self.list.valid.val() {
            self.comes.d.next = self.comes.q.val() + self.segments.val();
            self.fails.d.next = (self.fails.q.val() || self.list.error.val()) && !self.list.last.val();
            if self.list.last.val() {
                self.failed.d.next = self.failed.q.val().replace_bit(
                    self.line_in.val().index(),
                    self.fails.q.val() || self.list.error.val(),
                );
            }
        }
        self.ended.d.next = self.list.valid.val() && self.list.last.val();
        if self.ended.q.val() {
            self.present.d.next = self.present.q.val() + 1;
        }
        if self.wanted.q.val().any() && self.list.ready.val() {
            self.wanted.d.next = self.wanted.q.val() - 1;
            self.address.d.next = self.address.q.val() + 64;
            if !self.ended.q.val() {
                self.coming.d.next = self.coming.q.val() + 1;
            }
        } else if self.ended.q.val() {
            self.coming.d.next = self.coming.q.val() - 1;
        }
        self.drained.next = !self.looks.q.val()
            && !self.notes.q.val()
            && !self.wanted.q.val().any()
            && !self.coming.q.val().any();

        // Outgoing SGEs. The beat of the next one is looked up a clock before.
        self.segment_valid.next =
            bit_cast::<3, 2>(self.position.q.val().get_bits::<2>(2)) < self.present.q.val();
        self.next_position.next = self.position.q.val();
        if self.segment_ready.val() {
            self.next_position.next = self.position.q.val() + 1;
        }
        if self.start_valid.val() {
            self.next_position.next = bits::<4>(0);
        }
        self.position.d.next = self.next_position.val();
        self.next_place.next = self.place.q.val();
        if self.looks.q.val() {
            self.next_place.next = self.victim.q.val();
            if self.found.val() {
                self.next_place.next =
                    (bit_cast::<2, 1>((self.kept[2].found.val() || self.kept[3].found.val()).into()) << 1)
                        | bit_cast::<2, 1>((self.kept[1].found.val() || self.kept[3].found.val()).into());
            }
        }
        self.place.d.next = self.next_place.val();
        self.beats.read_address.next = ((bit_cast::<6, 2>(self.next_place.val()) << 4)
            | bit_cast::<6, 4>(self.next_position.val()))
            >> self.packed.val();
        self.before.next = bit_cast::<10, 4>(self.position.q.val() & self.within.val()) << 7;
        self.segment.next =
            bit_cast::<128, M>((self.beats.read_data.val() << self.before.val()) >> self.below.val());
        self.line_out.next = (bit_cast::<4, 2>(self.place.q.val()) << 2)
            | bit_cast::<4, 2>(self.position.q.val().get_bits::<2>(2));
        if self.failed.q.val().get_bit(self.line_out.val().index()) {
            self.segment.next = !bits::<128>(0);
        }

        // Start of a walk.
        self.looks.d.next = self.start_valid.val();
        self.notes.d.next = self.looks.q.val();
        if self.looks.q.val() {
            if self.found.val() {
                self.present.d.next = self.line_count.q.val();
            } else {
                self.wanted.d.next = self.line_count.q.val();
                self.victim.d.next = self.victim.q.val() + 1;
            }
        }
        if self.start_valid.val() {
            self.address.d.next = self.start_address.val();
            self.end.d.next = self.start_offset.val() + bit_cast::<32, 13>(self.start_length.val());
            self.line_count.d.next = (self.start_count.val() + 3).get_bits::<3>(2);
            self.present.d.next = bits::<3>(0);
            self.comes.d.next = bits::<4>(0);
        }
        if self.reset.val() {
            clear!(self, looks, notes, fails, ended, wanted, coming, present);
        }
    }
}
