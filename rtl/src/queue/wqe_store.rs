//! Stores the work queue entries that have been read from host memory, and tracks the reads that are under way.
use super::WqeRead;
use hca_hdl::prelude::*;
use hca_host::wqe::BYTES;

/// Holds 2^`SB` entries of 64 bytes for each of 2^`QB` queue pairs.
///
/// Reads are answered in order, so a queue of the requested reads gives the place of each beat. `CA` = `QB` + `SB`;
/// `M`: memory bus bits; `N` = 512 / `M` beats an entry. At most 32 reads are under way.
#[derive(LogicBlock, SmartDefault)]
pub struct WqeStore<const QB: usize, const SB: usize, const CA: usize, const M: usize, const N: usize> {
    #[default(provided(CA == QB + SB && M * N == 8 * BYTES && QB <= 12 && SB <= 8, "CA == QB + SB, M * N == 512"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when a read of `issue_count` entries, up to `issue_end`, is requested.
    pub issue_valid: Signal<In, Bit>,
    /// High if one more read can be noted.
    pub issue_ready: Signal<Out, Bit>,
    /// With `issue_valid`: QP of that read.
    pub issue_index: Signal<In, Bits<QB>>,
    /// With `issue_valid`: index after the last entry of that read, modulo 2^16.
    pub issue_end: Signal<In, Bits<16>>,
    /// With `issue_valid`: number of entries of that read, 1 to 8.
    pub issue_count: Signal<In, Bits<4>>,
    /// With `issue_valid`: number that `landed_epoch` returns with the answer.
    pub issue_epoch: Signal<In, Bits<4>>,

    /// High for one cycle for each beat; always taken.
    pub data_valid: Signal<In, Bit>,
    /// With `data_valid`: the beat, byte 0 at the most significant end.
    pub data: Signal<In, Bits<M>>,
    /// High with the last beat of a read.
    pub data_last: Signal<In, Bit>,
    /// High if host memory answered the beat with an error.
    pub data_error: Signal<In, Bit>,

    /// High for one cycle with the last beat; one clock later the entries can be looked up.
    pub landed_valid: Signal<Out, Bit>,
    /// QP of the read that is answered next.
    pub landed_index: Signal<Out, Bits<QB>>,
    /// Index after the last entry of that read, modulo 2^16.
    pub landed_end: Signal<Out, Bits<16>>,
    /// Epoch that the read was issued with.
    pub landed_epoch: Signal<Out, Bits<4>>,
    /// With the last beat: high if an entry of the read could not be read.
    pub landed_failed: Signal<Out, Bit>,
    /// Slot of the first such entry.
    pub landed_failed_slot: Signal<Out, Bits<SB>>,

    /// QP whose WQE is read, one clock before `wqe`.
    pub read_index: Signal<In, Bits<QB>>,
    /// Slot of that WQE.
    pub read_slot: Signal<In, Bits<SB>>,
    /// High to keep the entry of this clock as `wqe` in the next.
    pub read_hold: Signal<In, Bit>,
    /// The WQE that was addressed a clock ago.
    pub wqe: Signal<Out, Bits<512>>,
    /// High if that WQE could not be read from host memory.
    pub wqe_failed: Signal<Out, Bit>,

    reads: Fifo<WqeRead, 5>,
    #[default(array_init::array_init(|_| Default::default()))]
    lanes: [HeldRam<Bits<M>, CA>; N],
    joined: Concat<M, N, 512>,
    /// One error bit for each entry.
    failures: HeldRam<Bits<1>, CA>,
    /// High if a beat of the entry that comes in has failed.
    entry_failed: Register<Bit>,
    ends_entry: Signal<Local, Bit>,
    /// One-hot: the lane of the next beat.
    #[default(Register::new(1.into()))]
    lane: Register<Bits<N>>,
    /// Number of entries of the read that are complete.
    whole: Register<Bits<SB>>,
    /// High if a beat of the read has failed, first of the entry in `failed_slot`.
    failed: Register<Bit>,
    failed_slot: Register<Bits<SB>>,

    first_slot: Signal<Local, Bits<SB>>,
    slot: Signal<Local, Bits<SB>>,
    write_address: Signal<Local, Bits<CA>>,
    read_address: Signal<Local, Bits<CA>>,
    #[default(constant(SB))]
    slot_bits: Constant<Bits<4>>,
    #[default(constant(N - 1))]
    last_lane: Constant<Bits<4>>,
}

#[kernel]
impl<const QB: usize, const SB: usize, const CA: usize, const M: usize, const N: usize> Logic
    for WqeStore<QB, SB, CA, M, N>
{
    fn update(&mut self) {
        clock!(self, clock, reads, failures);
        self.reads.reset.next = self.reset.val();

        self.issue_ready.next = self.reads.write.ready.val();
        self.reads.write.valid.next = self.issue_valid.val();
        self.reads.write.item.next.index = bit_cast::<12, QB>(self.issue_index.val());
        self.reads.write.item.next.end = self.issue_end.val();
        self.first_slot.next =
            bit_cast::<SB, 16>(self.issue_end.val() - bit_cast::<16, 4>(self.issue_count.val()));
        self.reads.write.item.next.slot = bit_cast::<8, SB>(self.first_slot.val());
        self.reads.write.item.next.epoch = self.issue_epoch.val();
        self.landed_index.next = self.reads.read.item.val().index.get_bits::<QB>(0);
        self.landed_end.next = self.reads.read.item.val().end;
        self.landed_epoch.next = self.reads.read.item.val().epoch;
        self.landed_valid.next = self.data_valid.val() && self.data_last.val();
        self.reads.read.ready.next = self.data_valid.val() && self.data_last.val();

        self.slot.next = self.reads.read.item.val().slot.get_bits::<SB>(0) + self.whole.q.val();
        self.write_address.next = (bit_cast::<CA, QB>(self.reads.read.item.val().index.get_bits::<QB>(0))
            << self.slot_bits.val())
            | bit_cast::<CA, SB>(self.slot.val());
        self.read_address.next = (bit_cast::<CA, QB>(self.read_index.val()) << self.slot_bits.val())
            | bit_cast::<CA, SB>(self.read_slot.val());
        for i in 0..N {
            inputs!(self.lanes[i], clock, write_address, read_address);
            self.lanes[i].write_enable.next = self.data_valid.val() && self.lane.q.val().get_bit(i);
            inputs!(self.lanes[i], write_data: data, hold: read_hold);
            self.joined.i[i].next = self.lanes[i].read_data.val();
        }
        self.wqe.next = self.joined.o.val();
        self.ends_entry.next = (self.lane.q.val() >> self.last_lane.val()).any();
        self.failures.write_enable.next = self.data_valid.val() && self.ends_entry.val();
        inputs!(self.failures, write_address, read_address);
        self.failures.write_data.next = (self.entry_failed.q.val() || self.data_error.val()).into();
        self.failures.hold.next = self.read_hold.val();
        self.wqe_failed.next = self.failures.read_data.val().any();
        self.landed_failed.next = self.failed.q.val() || self.data_error.val();
        self.landed_failed_slot.next = self.slot.val();
        if self.failed.q.val() {
            self.landed_failed_slot.next = self.failed_slot.q.val();
        }
        if self.data_valid.val() {
            self.failed.d.next = (self.failed.q.val() || self.data_error.val()) && !self.data_last.val();
            if !self.failed.q.val() {
                self.failed_slot.d.next = self.slot.val();
            }
            self.lane.d.next = (self.lane.q.val() << 1) | (self.lane.q.val() >> self.last_lane.val());
            self.entry_failed.d.next =
                (self.entry_failed.q.val() || self.data_error.val()) && !self.ends_entry.val();
            if self.ends_entry.val() {
                self.whole.d.next = self.whole.q.val() + 1;
            }
            if self.data_last.val() {
                self.whole.d.next = 0.into();
            }
        }
        if self.reset.val() {
            self.lane.d.next = 1.into();
            self.whole.d.next = 0.into();
            clear!(self, failed, entry_failed);
        }
    }
}
