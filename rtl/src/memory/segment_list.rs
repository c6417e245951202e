//! Delivers the SGEs of an indirect list, from host memory or kept from the message's last packet.
use super::kept_list::KeptList;
use crate::bundle::ListReadSource;
use hca_hdl::primitive::{clock, comment, dff_setup, kernel, LutRam, Register};
use rust_hdl_core::prelude::*;

/// Requests all lines of a list at once, four SGEs a line, and delivers the SGEs one by one.
///
/// The four lists that were walked last are kept (`KeptList`), so that a message waits for its list once and not for
/// each packet.
#[derive(LogicBlock, Default)]
pub struct SegmentList {
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

    /// Reads of lines of 64 bytes, answered in order; always taken.
    pub list: ListReadSource,

    kept: [KeptList; 4],
    /// Place of the list 2 | line 2.
    lines: LutRam<Bits<512>, 4>,
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
    line: Signal<Local, Bits<512>>,
}

impl Logic for SegmentList {
    #[kernel]
    fn update(&mut self) {
        comment!("@module segment_list");
        dff_setup!(
            self, clock, looks, notes, end, address, line_count, victim, place, present, wanted, coming,
            position
        );
        clock!(self, clock, lines);

        // Find the list among the kept ones.
        for i in 0..4 {
            inputs!(self.kept[i], clock, reset);
            self.kept[i].look.next = self.looks.q.val();
            self.kept[i].line.next = self.start_address.val().get_bits::<58>(6);
            self.kept[i].offset.next = self.start_offset.val();
            self.kept[i].alone.next = self.start_alone.val();
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
        self.lines.write_enable.next = self.list.valid.val();
        self.lines.write_address.next = (bit_cast::<4, 2>(self.place.q.val()) << 2)
            | bit_cast::<4, 2>(self.present.q.val().get_bits::<2>(0));
        self.lines.write_data.next = self.list.data.val();
        if self.list.valid.val() {
            self.present.d.next = self.present.q.val() + 1;
        }
        if self.wanted.q.val().any() && self.list.ready.val() {
            self.wanted.d.next = self.wanted.q.val() - 1;
            self.address.d.next = self.address.q.val() + 64;
            if !self.list.valid.val() {
                self.coming.d.next = self.coming.q.val() + 1;
            }
        } else if self.list.valid.val() {
            self.coming.d.next = self.coming.q.val() - 1;
        }
        self.drained.next = !self.looks.q.val()
            && !self.notes.q.val()
            && !self.wanted.q.val().any()
            && !self.coming.q.val().any();

        // Outgoing SGEs.
        self.segment_valid.next =
            bit_cast::<3, 2>(self.position.q.val().get_bits::<2>(2)) < self.present.q.val();
        self.lines.read_address_a.next = (bit_cast::<4, 2>(self.place.q.val()) << 2)
            | bit_cast::<4, 2>(self.position.q.val().get_bits::<2>(2));
        self.lines.read_address_b.next = (bit_cast::<4, 2>(self.place.q.val()) << 2)
            | bit_cast::<4, 2>(self.position.q.val().get_bits::<2>(2));
        self.line.next = self.lines.read_data_a.val();
        self.segment.next = self.line.val().get_bits::<128>(384);
        if self.position.q.val().get_bits::<2>(0) == 1 {
            self.segment.next = self.line.val().get_bits::<128>(256);
        }
        if self.position.q.val().get_bits::<2>(0) == 2 {
            self.segment.next = self.line.val().get_bits::<128>(128);
        }
        if self.position.q.val().get_bits::<2>(0) == 3 {
            self.segment.next = self.line.val().get_bits::<128>(0);
        }
        if self.segment_ready.val() {
            self.position.d.next = self.position.q.val() + 1;
        }

        // Start of a walk.
        self.looks.d.next = self.start_valid.val();
        self.notes.d.next = self.looks.q.val();
        if self.looks.q.val() {
            self.place.d.next = self.victim.q.val();
            if self.found.val() {
                self.present.d.next = self.line_count.q.val();
                self.place.d.next =
                    (bit_cast::<2, 1>((self.kept[2].found.val() || self.kept[3].found.val()).into()) << 1)
                        | bit_cast::<2, 1>((self.kept[1].found.val() || self.kept[3].found.val()).into());
            } else {
                self.wanted.d.next = self.line_count.q.val();
                self.victim.d.next = self.victim.q.val() + 1;
            }
        }
        if self.start_valid.val() {
            self.address.d.next = self.start_address.val();
            self.end.d.next = self.start_offset.val() + bit_cast::<32, 13>(self.start_length.val());
            self.line_count.d.next = (self.start_count.val() + 3).get_bits::<3>(2);
            self.position.d.next = bits::<4>(0);
            self.present.d.next = bits::<3>(0);
        }
        if self.reset.val() {
            self.looks.d.next = false;
            self.notes.d.next = false;
            self.wanted.d.next = bits::<3>(0);
            self.coming.d.next = bits::<3>(0);
            self.present.d.next = bits::<3>(0);
        }
    }
}
