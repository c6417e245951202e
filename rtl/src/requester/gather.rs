//! Finds the payload of request packets, in the order in which they were decided.
use super::GatherJob;
use crate::bundle::{QpPulseSink, QpPulseSource};
use crate::transmit::TransmitPacket;
use hca_hdl::primitive::{clock, comment, dff_setup, Fifo, LutRam, Register};
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum GatherState {
    Idle,
    /// The packet is discarded.
    Discard,
    Walk,
    /// All pieces are known.
    Send,
    Abort,
    /// A fault is reported to the requester.
    Fault,
}

/// Takes packets from the requester, lets the walker turn their payload into pieces, and passes them on.
///
/// A packet whose memory may not be read is discarded, and with it every later packet of its QP until the requester has
/// gone back (`protocol/requester.md` section 8). `QB`: QP index bits.
#[derive(LogicBlock, Default)]
pub struct RequestGather<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle with a job and its packet; always taken.
    pub job_valid: Signal<In, Bit>,
    /// High while there is room for five jobs: for those of all turns in the pipeline, and one more.
    pub job_room: Signal<Out, Bit>,
    pub job: Signal<In, GatherJob>,
    pub packet: Signal<In, TransmitPacket>,

    /// The walker (right: local read); its pieces go to the piece queue.
    pub walk_valid: Signal<Out, Bit>,
    pub walk_ready: Signal<In, Bit>,
    pub walk_list: Signal<Out, Bits<256>>,
    pub walk_count: Signal<Out, Bits<8>>,
    pub walk_indirect: Signal<Out, Bit>,
    pub walk_unchecked: Signal<Out, Bit>,
    pub walk_offset: Signal<Out, Bits<32>>,
    pub walk_length: Signal<Out, Bits<13>>,
    pub walk_pd: Signal<Out, Bits<24>>,
    pub walk_done: Signal<In, Bit>,
    pub walk_fault: Signal<In, Bits<2>>,
    pub pieces_ready: Signal<In, Bit>,
    /// High while the keys of a packet are looked up, or it waits to leave after that.
    pub looks: Signal<Out, Bit>,
    pub commit_valid: Signal<Out, Bit>,
    pub abort_valid: Signal<Out, Bit>,

    pub request: Signal<Out, TransmitPacket>,
    pub request_valid: Signal<Out, Bit>,
    pub request_ready: Signal<In, Bit>,

    /// High if the packet may be passed on: there is room in the list of packets on the transmit path.
    pub room: Signal<In, Bit>,
    /// High for one cycle when a packet is passed on.
    pub leaves_valid: Signal<Out, Bit>,
    pub leaves_index: Signal<Out, Bits<QB>>,
    pub leaves_next_psn: Signal<Out, Bits<24>>,

    /// High for one cycle when a packet of a QP is discarded.
    pub discarded: QpPulseSource<QB>,
    /// QP that `count` belongs to.
    pub count_index: Signal<In, Bits<QB>>,
    /// Number of its packets that were discarded, modulo 2^8.
    pub count: Signal<Out, Bits<8>>,

    /// High while a packet whose memory may not be read waits to be reported.
    pub fault_valid: Signal<Out, Bit>,
    pub fault_ready: Signal<In, Bit>,
    /// 1: its list is too short, 2: protection.
    pub fault_kind: Signal<Out, Bits<2>>,
    pub fault: Signal<Out, GatherJob>,
    /// High for one cycle when packets of this QP go out again, from the second clock after it on.
    pub resume: QpPulseSink<QB>,

    /// Has payload 1 | job 415 | packet 374.
    jobs: Fifo<790, 3>,
    waiting: Register<Bits<4>>,
    /// The oldest job, from the clock after it is the oldest on.
    refused: Register<GatherJob>,
    state: Register<GatherState>,
    kind: Register<Bits<2>>,
    resumes: Register<Bit>,
    resumed: Register<Bits<QB>>,
    /// QPs whose packet was discarded; zero at power up, and cleared whenever a QP is reset.
    stopped: LutRam<1, QB>,
    discards: LutRam<8, QB>,

    head: Signal<Local, GatherJob>,
    index: Signal<Local, Bits<QB>>,
    has_payload: Signal<Local, Bit>,
    hands_on: Signal<Local, Bit>,
    stops: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    discards_one: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
}

impl<const QB: usize> Logic for RequestGather<QB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module request_gather");
        dff_setup!(self, clock, state, kind, resumes, resumed, waiting, refused);
        clock!(self, clock, jobs, stopped, discards);
        self.jobs.reset.next = self.reset.val();
        self.jobs.write_valid.next = self.job_valid.val();
        self.job_room.next = self.waiting.q.val() <= 3;
        self.jobs.write_data.next = (bit_cast::<790, 1>(self.job.val().length.any().into()) << 789)
            | (bit_cast::<790, 415>(self.job.val().into()) << 374)
            | bit_cast::<790, 374>(self.packet.val().into());

        self.head.next = self.jobs.read_data.val().get_bits::<415>(374).into();
        self.index.next = self.head.val().index.get_bits::<QB>(0);
        self.refused.d.next = self.head.val();
        self.fault.next = self.refused.q.val();
        self.has_payload.next = self.jobs.read_data.val().get_bit(789);

        self.walk_valid.next = false;
        self.walk_list.next = self.head.val().list;
        self.walk_count.next = self.head.val().count;
        self.walk_indirect.next = self.head.val().indirect;
        self.walk_unchecked.next = self.head.val().unchecked;
        self.walk_offset.next = self.head.val().offset;
        self.walk_length.next = self.head.val().length;
        self.walk_pd.next = self.head.val().pd;

        self.request.next = self.jobs.read_data.val().get_bits::<374>(0).into();

        self.stopped.read_address_a.next = self.index.val();
        self.stopped.read_address_b.next = self.index.val();
        self.discards.read_address_a.next = self.index.val();
        self.discards.read_address_b.next = self.count_index.val();
        self.count.next = self.discards.read_data_b.val();

        self.looks.next = self.state.q.val() != GatherState::Idle;
        self.hands_on.next = false;
        self.stops.next = false;
        self.discards_one.next = false;
        self.done.next = false;
        self.abort_valid.next = false;
        self.fault_valid.next = false;
        self.fault_kind.next = self.kind.q.val();
        match self.state.q.val() {
            GatherState::Idle => {
                if self.jobs.read_valid.val() {
                    if self.stopped.read_data_a.val().any() {
                        self.state.d.next = GatherState::Discard;
                    } else if !self.has_payload.val() {
                        self.hands_on.next = true;
                    } else {
                        self.walk_valid.next = self.pieces_ready.val();
                        if self.pieces_ready.val() && self.walk_ready.val() {
                            self.state.d.next = GatherState::Walk;
                        }
                    }
                }
            }
            GatherState::Discard => {
                self.discards_one.next = true;
                self.done.next = true;
            }
            GatherState::Walk => {
                self.kind.d.next = self.walk_fault.val();
                if self.walk_done.val() {
                    self.state.d.next = GatherState::Send;
                    if self.walk_fault.val().any() {
                        self.state.d.next = GatherState::Abort;
                    } else {
                        self.hands_on.next = true;
                    }
                }
            }
            GatherState::Send => {
                self.hands_on.next = true;
            }
            GatherState::Abort => {
                // The QP's mark is written while no other is taken away.
                if !self.resumes.q.val() {
                    self.stops.next = true;
                    self.abort_valid.next = true;
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
        self.request_valid.next = self.hands_on.val() && self.room.val();
        self.leaves.next = self.hands_on.val() && self.room.val() && self.request_ready.val();
        self.leaves_valid.next = self.leaves.val();
        self.leaves_index.next = self.index.val();
        self.leaves_next_psn.next = self.head.val().next_psn;
        self.commit_valid.next = self.leaves.val() && self.has_payload.val();
        if self.leaves.val() || self.done.val() {
            self.state.d.next = GatherState::Idle;
        }
        self.jobs.read_ready.next = self.leaves.val() || self.done.val();
        if self.job_valid.val() && !self.leaves.val() && !self.done.val() {
            self.waiting.d.next = self.waiting.q.val() + 1;
        }
        if !self.job_valid.val() && (self.leaves.val() || self.done.val()) {
            self.waiting.d.next = self.waiting.q.val() - 1;
        }

        self.discarded.valid.next = self.discards_one.val();
        self.discarded.index.next = self.index.val();
        self.discards.write_enable.next = self.discards_one.val();
        self.discards.write_address.next = self.index.val();
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
            self.state.d.next = GatherState::Idle;
            self.resumes.d.next = false;
            self.waiting.d.next = bits::<4>(0);
        }
    }
}
