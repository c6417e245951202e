//! Finds the payload of request packets, in the order in which they were decided.
use super::GatherJob;
use crate::bundle::{LaneShareSource, PieceCommandSource, QpPulseSink, QpPulseSource, WalkSource};
use crate::memory::protection::RIGHT_LOCAL_READ;
use crate::transmit::TransmitPacket;
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum GatherState {
    /// The oldest packet leaves once its pieces are known.
    Pass,
    /// The oldest packet is discarded.
    Discard,
    /// The walks ahead come to their ends, and their pieces are removed.
    Abort,
    /// A fault is reported to the requester.
    Fault,
}

/// Takes packets from the requester, lets the walker turn their payload into pieces, and passes them on.
///
/// The walker is asked up to four packets ahead of the one that leaves. A packet whose memory may not be read is
/// discarded, and with it every later packet of its QP until the requester has gone back (`protocol/requester.md`
/// section 8); the packets behind it are walked anew. `QB`: QP index bits.
#[derive(LogicBlock, SmartDefault)]
pub struct RequestGather<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle with a job and its packet; always taken.
    pub job_valid: Signal<In, Bit>,
    /// High while there is room for five jobs: for those of all turns in the pipeline, and one more.
    pub job_room: Signal<Out, Bit>,
    /// Where the payload of the packet is.
    pub job: Signal<In, GatherJob>,
    /// Header fields of the packet.
    pub packet: Signal<In, TransmitPacket>,

    /// The walker; its pieces go to the piece queue.
    pub walk: WalkSource,
    /// The piece queue. A packet is closed when its walk has ended, and committed when it is passed on, if it has
    /// payload; the 17 pieces that there is room for include those of the walks under way.
    pub pieces: PieceCommandSource,
    /// High while the keys of a packet are looked up, or it waits to leave after that.
    pub looks: Signal<Out, Bit>,
    /// High while no further keys may be looked up; the look-ups under way end.
    pub hold: Signal<In, Bit>,

    /// Request packets for the transmit path.
    pub request: OfferSource<TransmitPacket>,

    /// High if the packet may be passed on: there is room in the list of packets on the transmit path.
    pub room: Signal<In, Bit>,
    /// High for one cycle when a packet is passed on.
    pub leaves_valid: Signal<Out, Bit>,
    /// QP of that packet.
    pub leaves_index: Signal<Out, Bits<QB>>,
    /// PSN after the last one that the packet takes.
    pub leaves_next_psn: Signal<Out, Bits<24>>,

    /// High for one cycle when a packet of a QP is discarded.
    pub discarded: QpPulseSource<QB>,
    /// High for one cycle when a multicast datagram is discarded before it reaches the link.
    pub multicast_lost: Signal<Out, Bit>,
    /// A packet is discarded, and gives its room back.
    pub lane_back: LaneShareSource,
    /// Mark of the discarded packet for one cycle, else 0.
    pub mark_back: Signal<Out, Bits<3>>,
    /// QP that `count` belongs to.
    pub count_index: Signal<In, Bits<QB>>,
    /// Number of packets of QP `count_index` that were discarded, modulo 2^8.
    pub count: Signal<Out, Bits<8>>,

    /// High while a packet whose memory may not be read waits to be reported.
    pub fault_valid: Signal<Out, Bit>,
    /// High for one cycle when the report is taken.
    pub fault_ready: Signal<In, Bit>,
    /// Why its memory may not be read: 1 for its SGE list, 2 for protection.
    pub fault_kind: Signal<Out, Bits<2>>,
    /// The packet whose memory may not be read.
    pub fault: Signal<Out, GatherJob>,
    /// High for one cycle when packets of this QP are no longer discarded, from the second cycle after it on.
    pub resume: QpPulseSink<QB>,

    /// Has payload 1 | job 415 | packet 372.
    jobs: LutRam<Bits<788>, 3>,
    oldest: Register<Bits<3>>,
    /// Place of the first job that has not been offered to the walker.
    unasked: Register<Bits<3>>,
    end: Register<Bits<3>>,
    waiting: Register<Bits<4>>,
    /// Number of jobs between `oldest` and `unasked`, at most 4.
    ahead: Register<Bits<3>>,
    /// Number of walks under way.
    walks: Register<Bits<3>>,
    /// High if a walk under way is one of an indirect list, which may have 16 pieces.
    long: Register<Bit>,
    /// Faults of the walks that have ended, of jobs that wait to leave.
    walked: Fifo<Bits<2>, 2>,
    /// The job that was the oldest one cycle earlier.
    refused: Register<GatherJob>,
    state: Register<GatherState>,
    kind: Register<Bits<2>>,
    resumes: Register<Bit>,
    resumed: Register<Bits<QB>>,
    /// QPs whose packets are discarded; zero at power up, and cleared whenever a QP is reset.
    stopped: LutRam<Bits<1>, QB>,
    /// Number of packets of each QP that were discarded, modulo 2^8.
    discards: LutRam<Bits<8>, QB>,

    head: Signal<Local, GatherJob>,
    index: Signal<Local, Bits<QB>>,
    has_payload: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    /// High if the walk of the oldest job has ended.
    known: Signal<Local, Bit>,
    fault_now: Signal<Local, Bits<2>>,
    /// The job that the walker gets next.
    next: Signal<Local, GatherJob>,
    next_index: Signal<Local, Bits<QB>>,
    next_exists: Signal<Local, Bit>,
    next_has_payload: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    hands_on: Signal<Local, Bit>,
    stops: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    discards_one: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    #[default(constant(RIGHT_LOCAL_READ))]
    right: Constant<Bits<3>>,
}

#[kernel]
impl<const QB: usize> Logic for RequestGather<QB> {
    fn update(&mut self) {
        clock!(self, clock, jobs, walked, stopped, discards);
        self.job_room.next = self.waiting.q.val() <= 3;
        inputs!(self.jobs, write_enable: job_valid, write_address: end.q);
        self.jobs.write_data.next = (bit_cast::<788, 1>(self.job.val().length.any().into()) << 787)
            | (bit_cast::<788, 415>(self.job.val().into()) << 372)
            | bit_cast::<788, 372>(self.packet.val().into());
        if self.job_valid.val() {
            self.end.d.next = self.end.q.val() + 1;
        }
        inputs!(self.jobs, read_address_a: oldest.q, read_address_b: unasked.q);

        // The next job is offered to the walker.
        self.next.next = self.jobs.read_data_b.val().get_bits::<415>(372).into();
        self.next_index.next = self.next.val().index.get_bits::<QB>(0);
        self.next_has_payload.next = self.jobs.read_data_b.val().get_bit(787);
        self.next_exists.next = (bit_cast::<4, 3>(self.ahead.q.val()) != self.waiting.q.val())
            && !self.ahead.q.val().get_bit(2)
            && (self.state.q.val() != GatherState::Abort);
        self.stopped.read_address_b.next = self.next_index.val();
        // Walks of direct lists have two pieces at most, and overlap.
        self.walk.valid.next = self.next_exists.val()
            && self.next_has_payload.val()
            && !self.stopped.read_data_b.val().any()
            && !self.hold.val()
            && self.pieces.ready.val()
            && (!self.walks.q.val().any() || (!self.long.q.val() && !self.next.val().indirect));
        self.walk.item.next.list = self.next.val().list;
        self.walk.item.next.entire = false;
        self.walk.item.next.right = self.right.val();
        self.walk.item.next.alone = false;
        self.walk.item.next.count = self.next.val().count;
        self.walk.item.next.indirect = self.next.val().indirect;
        self.walk.item.next.unchecked = self.next.val().unchecked;
        self.walk.item.next.offset = self.next.val().offset;
        self.walk.item.next.length = self.next.val().length;
        self.walk.item.next.pd = self.next.val().pd;
        self.asks.next = self.walk.valid.val() && self.walk.ready.val();
        self.passes.next = self.asks.val() || (self.next_exists.val() && !self.next_has_payload.val());
        if self.asks.val() {
            self.long.d.next = self.next.val().indirect;
        }
        if self.asks.val() && !self.walk.done.val() {
            self.walks.d.next = self.walks.q.val() + 1;
        }
        if !self.asks.val() && self.walk.done.val() {
            self.walks.d.next = self.walks.q.val() - 1;
        }

        // What the walks of the oldest jobs came to.
        self.pieces.close.next = self.walk.done.val();
        self.known.next = self.walked.read.valid.val() || self.walk.done.val();
        self.fault_now.next = self.walk.fault.val();
        if self.walked.read.valid.val() {
            self.fault_now.next = self.walked.read.item.val();
        }
        self.looks.next = (self.state.q.val() != GatherState::Pass)
            || self.walks.q.val().any()
            || self.walked.read.valid.val();

        // The oldest job leaves or stays behind.
        self.head.next = self.jobs.read_data_a.val().get_bits::<415>(372).into();
        self.index.next = self.head.val().index.get_bits::<QB>(0);
        self.refused.d.next = self.head.val();
        self.fault.next = self.refused.q.val();
        self.has_payload.next = self.jobs.read_data_a.val().get_bit(787);
        self.request.item.next = self.jobs.read_data_a.val().get_bits::<372>(0).into();
        self.stopped.read_address_a.next = self.index.val();
        self.stays.next = self.stopped.read_data_a.val().any();
        inputs!(self.discards, read_address_a: index, read_address_b: count_index);
        self.count.next = self.discards.read_data_b.val();
        self.hands_on.next = false;
        self.stops.next = false;
        self.discards_one.next = false;
        self.done.next = false;
        self.pieces.abort.next = false;
        self.fault_valid.next = false;
        self.fault_kind.next = self.kind.q.val();
        match self.state.q.val() {
            GatherState::Pass => {
                self.kind.d.next = self.fault_now.val();
                if self.waiting.q.val().any() {
                    if self.stays.val() {
                        self.state.d.next = GatherState::Discard;
                    } else if !self.has_payload.val() {
                        self.hands_on.next = true;
                    } else if self.known.val() {
                        if self.fault_now.val().any() {
                            self.state.d.next = GatherState::Abort;
                        } else {
                            self.hands_on.next = true;
                        }
                    }
                }
            }
            GatherState::Discard => {
                self.discards_one.next = true;
                self.done.next = true;
            }
            GatherState::Abort => {
                // `stopped` has one write port: the bit of this QP is set while no other is cleared.
                if !self.walks.q.val().any() && !self.resumes.q.val() {
                    self.stops.next = true;
                    self.pieces.abort.next = true;
                    self.state.d.next = GatherState::Fault;
                }
            }
            GatherState::Fault => {
                self.fault_valid.next = true;
                if self.fault_ready.val() {
                    self.discards_one.next = true;
                    self.done.next = true;
                }
            }
        }
        self.request.valid.next = self.hands_on.val() && self.room.val();
        self.leaves.next = self.hands_on.val() && self.room.val() && self.request.ready.val();
        self.leaves_valid.next = self.leaves.val();
        self.leaves_index.next = self.index.val();
        self.leaves_next_psn.next = self.head.val().next_psn;
        self.pieces.commit.next = self.leaves.val() && self.has_payload.val();
        self.pieces.kind.next = bits::<2>(0);
        self.walked.write.item.next = self.walk.fault.val();
        self.walked.write.valid.next =
            self.walk.done.val() && (self.walked.read.valid.val() || !self.pieces.commit.val());
        self.walked.read.ready.next = self.pieces.commit.val();
        self.walked.reset.next = self.reset.val() || self.pieces.abort.val();
        self.goes.next = self.leaves.val() || self.done.val();
        if self.goes.val() {
            self.state.d.next = GatherState::Pass;
            self.oldest.d.next = self.oldest.q.val() + 1;
        }
        if self.job_valid.val() && !self.goes.val() {
            self.waiting.d.next = self.waiting.q.val() + 1;
        }
        if !self.job_valid.val() && self.goes.val() {
            self.waiting.d.next = self.waiting.q.val() - 1;
        }
        if self.passes.val() {
            self.unasked.d.next = self.unasked.q.val() + 1;
            if !self.goes.val() {
                self.ahead.d.next = self.ahead.q.val() + 1;
            }
        } else if self.goes.val() {
            if self.ahead.q.val().any() {
                self.ahead.d.next = self.ahead.q.val() - 1;
            } else {
                self.unasked.d.next = self.unasked.q.val() + 1;
            }
        }
        if self.pieces.abort.val() {
            self.unasked.d.next = self.oldest.q.val() + 1;
            self.ahead.d.next = bits::<3>(1);
        }

        inputs!(self.discarded, valid: discards_one, index);
        self.lane_back.valid.next = self.discards_one.val();
        self.lane_back.lane.next = self.request.item.val().lane;
        self.lane_back.payload.next = self.request.item.val().payload;
        self.mark_back.next = bits::<3>(0);
        if self.discards_one.val() {
            self.mark_back.next = self.request.item.val().mark;
        }
        self.multicast_lost.next = self.discards_one.val()
            && (self.request.item.val().opcode.get_bits::<3>(5) == 3)
            && self.request.item.val().dest_qp.all()
            && !self.request.item.val().discard;
        inputs!(self.discards, write_enable: discards_one, write_address: index);
        self.discards.write_data.next = self.discards.read_data_a.val() + 1;
        self.resumes.d.next = self.resume.valid.val();
        self.resumed.d.next = self.resume.index.val();
        self.stopped.write_enable.next = self.resumes.q.val() || self.stops.val();
        self.stopped.write_address.next = self.resumed.q.val();
        self.stopped.write_data.next = bits::<1>(0);
        if self.stops.val() {
            self.stopped.write_address.next = self.index.val();
            self.stopped.write_data.next = bits::<1>(1);
        }
        if self.reset.val() {
            self.state.d.next = GatherState::Pass;
            clear!(self, resumes, oldest, unasked, end, waiting, ahead, walks);
        }
    }
}
