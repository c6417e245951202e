//! From the stream port to beats.
use super::keep_count::KeepCount;
use crate::primitive::{comment, dff_setup, Concat, Register};
use rust_hdl_core::prelude::*;

/// Takes beats from the stream while `open`, turns them to network order with zeros beyond the end, and counts.
///
/// All outputs are registered and describe one beat while `valid`.
#[derive(LogicBlock, Default)]
pub struct Ingress<const W: usize, const K: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<W>>,
    pub s_axis_tkeep: Signal<In, Bits<K>>,
    pub s_axis_tlast: Signal<In, Bit>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tready: Signal<Out, Bit>,
    /// A register: there is room for some beats more than those under way.
    pub open: Signal<In, Bit>,
    pub valid: Signal<Out, Bit>,
    pub data: Signal<Out, Bits<W>>,
    /// `data` without the last two bytes of the packet, the VCRC.
    pub body: Signal<Out, Bits<W>>,
    pub last: Signal<Out, Bit>,
    /// The packet's first beat.
    pub first: Signal<Out, Bit>,
    /// The packet's second beat.
    pub second: Signal<Out, Bit>,
    /// Number of the beat in its packet, from 0, up to 2047 and staying there.
    pub beat: Signal<Out, Bits<11>>,
    /// Bytes of a last beat; 64 reads as 63.
    pub count: Signal<Out, Bits<6>>,
    bytes: Concat<8, K, W>,
    body_bytes: Concat<8, K, W>,
    keep_count: KeepCount<K>,
    taken: Register<Bit>,
    taken_data: Register<Bits<W>>,
    taken_body: Register<Bits<W>>,
    taken_last: Register<Bit>,
    taken_first: Register<Bit>,
    taken_second: Register<Bit>,
    taken_beat: Register<Bits<11>>,
    taken_count: Register<Bits<6>>,
    next_beat: Register<Bits<11>>,
    take: Signal<Local, Bit>,
    keep: Signal<Local, Bits<K>>,
    body_keep: Signal<Local, Bits<K>>,
}

impl<const W: usize, const K: usize> Logic for Ingress<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module ingress");
        dff_setup!(
            self,
            clock,
            taken,
            taken_data,
            taken_body,
            taken_last,
            taken_first,
            taken_second,
            taken_beat,
            taken_count,
            next_beat
        );
        self.s_axis_tready.next = self.open.val();
        self.take.next = self.s_axis_tvalid.val() && self.open.val();

        // Only a last beat may be partial.
        self.keep.next = !bits::<K>(0);
        self.body_keep.next = !bits::<K>(0);
        if self.s_axis_tlast.val() {
            self.keep.next = self.s_axis_tkeep.val();
            self.body_keep.next = self.s_axis_tkeep.val() >> 2;
        }
        self.keep_count.keep.next = self.s_axis_tkeep.val();
        for i in 0..K {
            self.bytes.i[i].next = 0.into();
            if self.keep.val().get_bit(i) {
                self.bytes.i[i].next = self.s_axis_tdata.val().get_bits::<8>(i * 8);
            }
            self.body_bytes.i[i].next = 0.into();
            if self.body_keep.val().get_bit(i) {
                self.body_bytes.i[i].next = self.s_axis_tdata.val().get_bits::<8>(i * 8);
            }
        }

        self.taken.d.next = self.take.val();
        self.taken_data.d.next = self.bytes.o.val();
        self.taken_body.d.next = self.body_bytes.o.val();
        self.taken_last.d.next = self.s_axis_tlast.val();
        self.taken_count.d.next = self.keep_count.count.val();
        self.taken_beat.d.next = self.next_beat.q.val();
        self.taken_first.d.next = self.next_beat.q.val() == 0;
        self.taken_second.d.next = self.next_beat.q.val() == 1;
        if self.take.val() {
            if !self.next_beat.q.val().all() {
                self.next_beat.d.next = self.next_beat.q.val() + 1;
            }
            if self.s_axis_tlast.val() {
                self.next_beat.d.next = 0.into();
            }
        }
        if self.reset.val() {
            self.taken.d.next = false;
            self.next_beat.d.next = 0.into();
        }
        self.valid.next = self.taken.q.val();
        self.data.next = self.taken_data.q.val();
        self.body.next = self.taken_body.q.val();
        self.last.next = self.taken_last.q.val();
        self.first.next = self.taken_first.q.val();
        self.second.next = self.taken_second.q.val();
        self.beat.next = self.taken_beat.q.val();
        self.count.next = self.taken_count.q.val();
    }
}
