//! The SGEs of an indirect list, out of host memory.
use crate::primitive::{comment, dff_setup, Fifo, Register};
use rust_hdl_core::prelude::*;

/// Asks for all lines of a list at once, four SGEs a line, and hands the SGEs out one by one.
#[derive(LogicBlock, Default)]
pub struct SegmentList {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// One pulse while `drained`.
    pub start_valid: Signal<In, Bit>,
    /// 64-byte aligned.
    pub start_address: Signal<In, Bits<64>>,
    /// SGEs, 1 to 16.
    pub start_count: Signal<In, Bits<5>>,

    pub segment_valid: Signal<Out, Bit>,
    pub segment_ready: Signal<In, Bit>,
    /// As `host::wqe` has it.
    pub segment: Signal<Out, Bits<128>>,
    /// The list is done with: what is left of it, and what still comes, is thrown away.
    pub discard: Signal<In, Bit>,
    /// Nothing is left and nothing will come.
    pub drained: Signal<Out, Bit>,

    /// 64 bytes, answered in order; `list_data` is always taken.
    pub list_request: Signal<Out, Bit>,
    pub list_ready: Signal<In, Bit>,
    pub list_address: Signal<Out, Bits<64>>,
    pub list_valid: Signal<In, Bit>,
    pub list_data: Signal<In, Bits<512>>,

    lines: Fifo<512, 2>,
    address: Register<Bits<64>>,
    wanted: Register<Bits<3>>,
    coming: Register<Bits<3>>,
    place: Register<Bits<2>>,
    takes: Signal<Local, Bit>,
}

impl Logic for SegmentList {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module segment_list");
        dff_setup!(self, clock, address, wanted, coming, place);
        self.lines.clock.next = self.clock.val();
        self.lines.reset.next = self.reset.val();

        // Lines in.
        self.list_request.next = self.wanted.q.val().any();
        self.list_address.next = self.address.q.val();
        self.lines.write_valid.next = self.list_valid.val();
        self.lines.write_data.next = self.list_data.val();
        if self.wanted.q.val().any() && self.list_ready.val() {
            self.wanted.d.next = self.wanted.q.val() - 1;
            self.address.d.next = self.address.q.val() + 64;
            if !self.list_valid.val() {
                self.coming.d.next = self.coming.q.val() + 1;
            }
        } else if self.list_valid.val() {
            self.coming.d.next = self.coming.q.val() - 1;
        }
        self.drained.next =
            !self.wanted.q.val().any() && !self.coming.q.val().any() && !self.lines.read_valid.val();

        // SGEs out.
        self.segment_valid.next = self.lines.read_valid.val();
        self.segment.next = self.lines.read_data.val().get_bits::<128>(384);
        if self.place.q.val() == 1 {
            self.segment.next = self.lines.read_data.val().get_bits::<128>(256);
        }
        if self.place.q.val() == 2 {
            self.segment.next = self.lines.read_data.val().get_bits::<128>(128);
        }
        if self.place.q.val() == 3 {
            self.segment.next = self.lines.read_data.val().get_bits::<128>(0);
        }
        self.takes.next = self.segment_ready.val() && self.lines.read_valid.val();
        self.lines.read_ready.next = self.discard.val() || (self.takes.val() && (self.place.q.val() == 3));
        if self.takes.val() {
            self.place.d.next = self.place.q.val() + 1;
        }

        if self.start_valid.val() {
            self.address.d.next = self.start_address.val();
            self.wanted.d.next = (self.start_count.val() + 3).get_bits::<3>(2);
            self.place.d.next = bits::<2>(0);
        }
        if self.reset.val() {
            self.wanted.d.next = bits::<3>(0);
            self.coming.d.next = bits::<3>(0);
        }
    }
}
