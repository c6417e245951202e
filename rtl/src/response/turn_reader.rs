//! Reads the next turns while another is served.
use super::row::AnswerConfig;
use super::{QueuedJob, ReadProgress, ResponseJob};
use crate::bundle::QpOfferSink;
use hca_hdl::prelude::*;

/// Reads the oldest job of a QP whose turn it is, with its configuration, and computes the place in a Read. A turn
/// takes three cycles. Two turns enter in three cycles at most, or one in two cycles if they have to wait. A QP that
/// has no job is skipped. `QB`: QP index bits.
#[derive(LogicBlock, SmartDefault)]
pub struct TurnReader<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle with the configuration of a QP ([`super::row::AnswerRow`]).
    pub config_valid: Signal<In, Bit>,
    /// QP of that configuration.
    pub config_index: Signal<In, Bits<QB>>,
    /// The configuration.
    pub config_new: Signal<In, AnswerConfig>,
    /// High for one cycle with the progress of a QP's oldest job, a Read.
    pub progress_valid: Signal<In, Bit>,
    /// QP of that job.
    pub progress_index: Signal<In, Bits<QB>>,
    /// Responses so far 24 | bytes so far 32, from the most significant end.
    pub progress: Signal<In, ReadProgress>,
    /// Number of packets of the responder whose writes are acknowledged, modulo 2^32.
    pub written: Signal<In, Bits<32>>,

    /// Offers the QP that has its turn ([`crate::requester::Scheduler`]).
    pub turn: QpOfferSink<QB>,
    /// High if an answer of the QP of `turn` has not left: the turn is void, and the QP is woken when it leaves.
    pub turn_waits: Signal<In, Bit>,
    /// From [`super::queue::JobQueue`]: high if the QP of `turn` has a job.
    pub queue_filled: Signal<In, Bit>,
    /// Place of the oldest job of the QP of `turn`.
    pub queue_head: Signal<In, Bits<6>>,
    /// QP of the job whose row is wanted one cycle later.
    pub queue_index: Signal<Out, Bits<QB>>,
    /// Place of that job.
    pub queue_row_head: Signal<Out, Bits<6>>,
    /// Row of the job, one cycle after its QP and place ([`super::queue::JobQueue`]).
    pub queue_row: Signal<In, QueuedJob>,

    /// High while a QP is served: its turns are void, since its place advances; it is woken when it has been served.
    pub serving: Signal<In, Bit>,
    /// QP that is served.
    pub serving_index: Signal<In, Bits<QB>>,
    /// High for one cycle when all answers of a QP end: its turns are void.
    pub ends: Signal<In, Bit>,
    /// QP whose answers end.
    pub ends_index: Signal<In, Bits<QB>>,

    /// High in a cycle in which the turn that is offered here is taken, if there is one.
    pub advances: Signal<In, Bit>,
    /// High while a turn is offered.
    pub valid: Signal<Out, Bit>,
    /// QP of the turn.
    pub index: Signal<Out, Bits<QB>>,
    /// Place of the job in the queue of the QP.
    pub head: Signal<Out, Bits<6>>,
    /// The job.
    pub job: Signal<Out, ResponseJob>,
    /// Configuration of the QP ([`super::row::AnswerRow`]).
    pub config_row: Signal<Out, AnswerConfig>,
    /// Number of responses of the Read so far.
    pub responses: Signal<Out, Bits<24>>,
    /// Number of bytes of the Read so far.
    pub offset: Signal<Out, Bits<32>>,
    /// PSN of the next packet.
    pub psn: Signal<Out, Bits<24>>,
    /// Address of the next packet's data.
    pub va: Signal<Out, Bits<64>>,
    /// Number of bytes of the Read that are not read yet.
    pub left: Signal<Out, Bits<32>>,
    /// High if the writes before the job are in memory.
    pub in_memory: Signal<Out, Bit>,

    // A turn whose place is written in the clock in which it is read is void; a configuration that is written in that
    // clock comes from `written_row`.
    #[default(BlockRam::without_collisions())]
    configs: BlockRam<AnswerConfig, QB>,
    #[default(BlockRam::without_collisions())]
    places: BlockRam<ReadProgress, QB>,

    /// High if a configuration was written one cycle earlier, which a read in that cycle did not see.
    written_config: Register<Bit>,
    written_index: Register<Bits<QB>>,
    written_row: Register<AnswerConfig>,

    read: Register<Bit>,
    read_index: Register<Bits<QB>>,
    read_head: Register<Bits<6>>,
    computing: Register<Bit>,
    computing_index: Register<Bits<QB>>,
    computing_head: Register<Bits<6>>,
    computing_job: Register<QueuedJob>,
    computing_config: Register<AnswerConfig>,
    computing_progress: Register<ReadProgress>,

    enters: Signal<Local, Bit>,
    computes: Signal<Local, Bit>,
    computing_lives: Signal<Local, Bit>,
    read_lives: Signal<Local, Bit>,
    turn_lives: Signal<Local, Bit>,
    computing_kept: Signal<Local, Bit>,
    read_kept: Signal<Local, Bit>,
    turn_kept: Signal<Local, Bit>,
    since_fence: Signal<Local, Bits<32>>,
}

#[kernel]
impl<const QB: usize> Logic for TurnReader<QB> {
    fn update(&mut self) {
        clock!(self, clock, configs, places);
        inputs!(self.configs, write_enable: config_valid, write_address: config_index);
        self.configs.write_data.next = self.config_new.val();
        self.written_config.d.next = self.config_valid.val();
        self.written_index.d.next = self.config_index.val();
        self.written_row.d.next = self.config_new.val();
        inputs!(self.places, write_enable: progress_valid, write_address: progress_index);
        self.places.write_data.next = self.progress.val();

        // A turn moves up if the next step is free. None enters behind one that waits: whether it still waits settles
        // late in the clock.
        self.computes.next = !self.computing.q.val() || self.advances.val();
        self.enters.next = !self.read.q.val() || !self.computing.q.val();
        self.computing_lives.next = !((self.serving.val()
            && (self.computing_index.q.val() == self.serving_index.val()))
            || (self.ends.val() && (self.computing_index.q.val() == self.ends_index.val())));
        self.read_lives.next = !((self.serving.val()
            && (self.read_index.q.val() == self.serving_index.val()))
            || (self.ends.val() && (self.read_index.q.val() == self.ends_index.val())));
        self.turn_lives.next = !((self.serving.val() && (self.turn.item.val() == self.serving_index.val()))
            || (self.ends.val() && (self.turn.item.val() == self.ends_index.val())));
        self.computing_kept.next = self.computing.q.val() && self.computing_lives.val();
        self.read_kept.next = self.read.q.val() && self.read_lives.val();
        self.turn_kept.next = self.turn.valid.val()
            && self.queue_filled.val()
            && self.turn_lives.val()
            && !self.turn_waits.val();

        self.turn.ready.next = self.enters.val();
        self.queue_index.next = self.read_index.q.val();
        self.queue_row_head.next = self.read_head.q.val();
        if self.enters.val() {
            self.queue_index.next = self.turn.item.val();
            self.queue_row_head.next = self.queue_head.val();
            self.read.d.next = self.turn_kept.val();
            self.read_index.d.next = self.turn.item.val();
            self.read_head.d.next = self.queue_head.val();
        } else {
            self.read.d.next = self.read_kept.val() && !self.advances.val();
        }
        self.configs.read_address.next = self.read_index.q.val();
        self.places.read_address.next = self.read_index.q.val();
        if self.enters.val() {
            self.configs.read_address.next = self.turn.item.val();
            self.places.read_address.next = self.turn.item.val();
        }
        self.computing.d.next = self.computing_kept.val();
        if self.computes.val() {
            self.computing.d.next = self.read_kept.val();
            self.computing_index.d.next = self.read_index.q.val();
            self.computing_head.d.next = self.read_head.q.val();
            self.computing_job.d.next = self.queue_row.val();
            self.computing_config.d.next = self.configs.read_data.val();
            if self.written_config.q.val() && (self.written_index.q.val() == self.read_index.q.val()) {
                self.computing_config.d.next = self.written_row.q.val();
            }
            self.computing_progress.d.next = self.places.read_data.val();
        }
        self.job.next = self.computing_job.q.val().job;
        self.since_fence.next = self.written.val()
            - ((bit_cast::<32, 16>(self.computing_job.q.val().fence_high) << 16)
                | bit_cast::<32, 16>(self.job.val().fence));
        self.valid.next = self.computing_kept.val();
        self.index.next = self.computing_index.q.val();
        self.head.next = self.computing_head.q.val();
        self.config_row.next = self.computing_config.q.val();
        self.responses.next = self.computing_progress.q.val().responses;
        self.offset.next = self.computing_progress.q.val().bytes;
        self.psn.next = self.job.val().psn + self.computing_progress.q.val().responses;
        self.va.next = self.job.val().va + bit_cast::<64, 32>(self.computing_progress.q.val().bytes);
        self.left.next = self.job.val().length - self.computing_progress.q.val().bytes;
        self.in_memory.next = !self.since_fence.val().get_bit(31);
        if self.reset.val() {
            clear!(self, read, computing);
        }
    }
}
