//! Queues the answers that wait, per QP in the order of the responder's decisions.
use super::{JobTail, QueuedJob, ResponseJob};
use crate::bundle::{AnswerLevelSink, QpPulseSink, QpPulseSource};
use hca_hdl::prelude::*;

record! {
    /// What is kept of the last ack of a QP: an ack of an older PSN that replaces it takes these over. First field at
    /// the least significant end of the 44 bits.
    pub struct LastAck {
        /// PSN of the ack.
        pub psn: Bits<24>,
        /// DLID of the request.
        pub slid: Bits<16>,
        /// SL of the request.
        pub sl: Bits<4>,
    }
}

/// 32 jobs a QP in block RAM. An ack behind an unsent ack replaces it (`protocol/responder.md` section 8), unless that
/// is the oldest job, which is possibly on its way; a NAK replaces nothing and is not replaced. The ack of a duplicate
/// may be of an older PSN: then the newer PSN and address stay, with the credits and MSN of the duplicate's ack, since
/// a requester takes no credits from a response with a PSN before its last one's (`protocol/requester.md` section 4).
///
/// The responder asks for the level before it decides on a request, and discards what finds no place: a job never waits
/// for one (section 6).
///
/// `QB`: QP index bits; `JA` = `QB` + 5.
#[derive(LogicBlock, SmartDefault)]
pub struct JobQueue<const QB: usize, const JA: usize> {
    #[default(provided(JA == QB + 5, "JA == QB + 5"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Work from the responder.
    pub job: OfferSink<ResponseJob>,
    /// `Originals::number` of the job that was taken in last, from the cycle after it was taken.
    pub number: Signal<In, Bits<2>>,
    /// Number of packets of the responder whose writes are acknowledged, modulo 2^32.
    pub written: Signal<In, Bits<32>>,
    /// High for one cycle when a QP has one more job.
    pub wake: QpPulseSource<QB>,

    /// QP whose oldest job is looked up.
    pub index: Signal<In, Bits<QB>>,
    /// High if QP `index` has a job.
    pub filled: Signal<Out, Bit>,
    /// Place of the oldest job of QP `index`.
    pub head: Signal<Out, Bits<6>>,
    /// QP of the job whose `row` is wanted one cycle later.
    pub row_index: Signal<In, Bits<QB>>,
    /// Place of that job.
    pub row_head: Signal<In, Bits<6>>,
    /// Upper half of the 32-bit fence 16 | [`ResponseJob`] 250, one cycle after its QP and place; `r_key` of an atomic
    /// ends with its number.
    pub row: Signal<Out, QueuedJob>,

    /// High for one cycle when the oldest job of QP `done_index` is done.
    pub done_valid: Signal<In, Bit>,
    /// QP of that job.
    pub done_index: Signal<In, Bits<QB>>,
    /// Place of that job.
    pub done_head: Signal<In, Bits<6>>,
    /// High for one cycle when `nak` takes the place of the job at `done_head` of QP `done_index`; no job of the QP is
    /// taken any more.
    pub refused_valid: Signal<In, Bit>,
    /// The job that takes its place.
    pub nak: Signal<In, ResponseJob>,

    /// High for one cycle when the jobs of a QP are removed, and new ones are taken again.
    pub clear: QpPulseSink<QB>,
    /// High while new jobs of a QP are discarded.
    pub stop: QpPulseSink<QB>,
    /// High while a job of the QP to stop is still on its way into the queue.
    pub stopping: Signal<Out, Bit>,
    /// How many jobs of a QP wait, those on their way into the queue not counted.
    pub level: AnswerLevelSink<QB>,

    held: Register<Bit>,
    held_job: Register<ResponseJob>,
    #[default(BlockRam::without_collisions())]
    rows: BlockRam<QueuedJob, JA>,
    heads: LutRam<Bits<6>, QB>,
    tails: LutRam<JobTail, QB>,
    /// Copies of `heads` and of the places in `tails`, for `level`.
    level_heads: LutRam<Bits<6>, QB>,
    level_tails: LutRam<Bits<6>, QB>,
    /// The last ack of each QP.
    last_acks: LutRam<LastAck, QB>,

    into: Signal<Local, Bits<QB>>,
    tail: Signal<Local, Bits<6>>,
    depth: Signal<Local, Bits<6>>,
    waiting: Signal<Local, Bits<6>>,
    is_ack: Signal<Local, Bit>,
    replaces: Signal<Local, Bit>,
    /// High if the job replaces an ack of a later PSN.
    is_older: Signal<Local, Bit>,
    lag: Signal<Local, Bits<24>>,
    unwanted: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    /// Place that the job goes to.
    place: Signal<Local, Bits<6>>,
    /// The place behind `place`.
    behind: Signal<Local, Bits<6>>,
    ahead: Signal<Local, Bits<16>>,
    fence: Signal<Local, Bits<32>>,
    kept: Signal<Local, ResponseJob>,
    #[default(constant(0xFFFF_0000u32))]
    below: Constant<Bits<32>>,
    #[default(constant(0xFFFF_FFFCu32))]
    but_number: Constant<Bits<32>>,
    #[default(constant(super::JOB_ATOMIC))]
    kind_atomic: Constant<Bits<2>>,
}

#[kernel]
impl<const QB: usize, const JA: usize> Logic for JobQueue<QB, JA> {
    fn update(&mut self) {
        clock!(self, clock, rows, heads, tails, level_heads, level_tails, last_acks);

        self.into.next = self.held_job.q.val().qpn.get_bits::<QB>(0);
        inputs!(self.heads, read_address_a: index, read_address_b: into);
        inputs!(self.tails, read_address_a: index, read_address_b: into);
        self.last_acks.read_address_a.next = self.into.val();
        self.last_acks.read_address_b.next = bits::<QB>(0);
        self.head.next = self.heads.read_data_a.val();
        self.filled.next = self.heads.read_data_a.val() != self.tails.read_data_a.val().place;
        self.rows.read_address.next = (bit_cast::<JA, QB>(self.row_index.val()) << 5)
            | bit_cast::<JA, 5>(self.row_head.val().get_bits::<5>(0));
        self.row.next = self.rows.read_data.val();

        // The job that was taken in last finds its place.
        self.tail.next = self.tails.read_data_b.val().place;
        self.depth.next = self.tail.val() - self.heads.read_data_b.val();
        self.is_ack.next =
            !self.held_job.q.val().kind.any() && !self.held_job.q.val().syndrome.get_bits::<2>(5).any();
        self.replaces.next =
            self.is_ack.val() && self.tails.read_data_b.val().ack && self.depth.val().get_bits::<5>(1).any();
        self.unwanted.next = self.tails.read_data_b.val().refused
            || (self.stop.valid.val() && (self.stop.index.val() == self.into.val()));
        // A full queue is deep enough for an ack to replace the last.
        self.takes.next = self.held.q.val()
            && !self.clear.valid.val()
            && !self.refused_valid.val()
            && (self.unwanted.val()
                || (self.is_ack.val() && self.tails.read_data_b.val().ack)
                || !self.depth.val().get_bit(5));
        self.wake.valid.next = self.takes.val() && !self.unwanted.val();
        self.wake.index.next = self.into.val();
        self.stopping.next = self.held.q.val() && (self.stop.index.val() == self.into.val());

        self.place.next = self.tail.val();
        self.behind.next = self.tail.val() + 1;
        if self.replaces.val() {
            self.place.next = self.tail.val() - 1;
            self.behind.next = self.tail.val();
        }
        // A fence is at most 2^15 packets away when its job comes, but the job may wait for longer.
        self.ahead.next = self.held_job.q.val().fence - self.written.val().get_bits::<16>(0);
        self.fence.next = self.written.val() + bit_cast::<32, 16>(self.ahead.val());
        if self.ahead.val().get_bit(15) {
            self.fence.next = self.written.val() + (bit_cast::<32, 16>(self.ahead.val()) | self.below.val());
        }
        self.kept.next = self.held_job.q.val();
        self.lag.next = self.held_job.q.val().psn - self.last_acks.read_data_a.val().psn;
        self.is_older.next = self.replaces.val() && self.lag.val().get_bit(23);
        self.last_acks.write_data.next.psn = self.held_job.q.val().psn;
        self.last_acks.write_data.next.slid = self.held_job.q.val().slid;
        self.last_acks.write_data.next.sl = self.held_job.q.val().sl;
        if self.is_older.val() {
            self.last_acks.write_data.next = self.last_acks.read_data_a.val();
            self.kept.next.psn = self.last_acks.read_data_a.val().psn;
            self.kept.next.slid = self.last_acks.read_data_a.val().slid;
            self.kept.next.sl = self.last_acks.read_data_a.val().sl;
        }
        self.last_acks.write_enable.next = self.takes.val() && self.is_ack.val() && !self.unwanted.val();
        self.last_acks.write_address.next = self.into.val();
        if self.held_job.q.val().kind == self.kind_atomic.val() {
            self.kept.next.r_key =
                (self.held_job.q.val().r_key & self.but_number.val()) | bit_cast::<32, 2>(self.number.val());
        }
        self.rows.write_enable.next = self.takes.val() && !self.unwanted.val();
        self.rows.write_address.next =
            (bit_cast::<JA, QB>(self.into.val()) << 5) | bit_cast::<JA, 5>(self.place.val().get_bits::<5>(0));
        self.rows.write_data.next.job = self.kept.val();
        self.rows.write_data.next.fence_high = self.fence.val().get_bits::<16>(16);
        self.tails.write_enable.next = self.takes.val() && !self.unwanted.val();
        self.tails.write_address.next = self.into.val();
        self.tails.write_data.next.place = self.behind.val();
        self.tails.write_data.next.ack = self.is_ack.val();
        self.tails.write_data.next.refused = false;
        inputs!(self.heads, write_enable: done_valid, write_address: done_index);
        self.heads.write_data.next = self.done_head.val() + 1;
        if self.refused_valid.val() {
            self.rows.write_enable.next = true;
            self.rows.write_address.next = (bit_cast::<JA, QB>(self.done_index.val()) << 5)
                | bit_cast::<JA, 5>(self.done_head.val().get_bits::<5>(0));
            self.rows.write_data.next.job = self.nak.val();
            self.rows.write_data.next.fence_high = bits::<16>(0);
            self.tails.write_enable.next = true;
            self.tails.write_address.next = self.done_index.val();
            self.tails.write_data.next.place = self.done_head.val() + 1;
            self.tails.write_data.next.ack = false;
            self.tails.write_data.next.refused = true;
        }
        if self.clear.valid.val() {
            self.heads.write_enable.next = true;
            self.heads.write_address.next = self.clear.index.val();
            self.heads.write_data.next = bits::<6>(0);
            self.tails.write_enable.next = true;
            self.tails.write_address.next = self.clear.index.val();
            self.tails.write_data.next.place = bits::<6>(0);
            self.tails.write_data.next.ack = false;
            self.tails.write_data.next.refused = false;
        }

        // At 28 jobs four places are free. Up to three jobs come after the responder has seen fewer: the one in
        // `held_job`, the one that is decided meanwhile, and an ack that announces new credits.
        inputs!(self.level_heads, read_address_a: level.index, read_address_b: level.index);
        inputs!(self.level_tails, read_address_a: level.index, read_address_b: level.index);
        self.level_heads.write_enable.next = self.heads.write_enable.val();
        self.level_heads.write_address.next = self.heads.write_address.val();
        self.level_heads.write_data.next = self.heads.write_data.val();
        self.level_tails.write_enable.next = self.tails.write_enable.val();
        self.level_tails.write_address.next = self.tails.write_address.val();
        self.level_tails.write_data.next = self.tails.write_data.val().place;
        self.waiting.next = self.level_tails.read_data_a.val() - self.level_heads.read_data_a.val();
        self.level.many.next = self.waiting.val().get_bits::<2>(4).any();
        self.level.fill.next = self.waiting.val().get_bit(5) || self.waiting.val().get_bits::<3>(2).all();

        // The queue takes a job every second clock; the responder never makes them faster.
        self.job.ready.next = !self.held.q.val();
        if self.takes.val() {
            self.held.d.next = false;
        }
        // The content of the register has no effect while `held` is low.
        if !self.held.q.val() {
            self.held.d.next = self.job.valid.val();
            self.held_job.d.next = self.job.item.val();
        }
        if self.reset.val() {
            self.held.d.next = false;
        }
    }
}
