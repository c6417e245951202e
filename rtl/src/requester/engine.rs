//! The requester's pipeline: an event of another QP may enter it in each clock. Long because all its ports are here.
use super::{
    AckArming, ContextFetch, EventJudge, EventKind, EventPick, EventSettle, GatherJob, HandleRows, LeftWakes,
    RequestLaunch,
};
use crate::bundle::{
    CompleterMessageSource, DropSource, ExpiredTimerSink, HandleUpdateSink, LaneHoldSink, LaneShareSource,
    PieceCommandSource, QpModifySink, QpOfferSink, QpOfferSource, QpPulseSink, QpPulseSource, RateAskSource,
    ReportSource, RowStateSource, StartedWqeSource, TimerSetSource, WalkSource,
};
use crate::receive::ResponseArrival;
use crate::transmit::TransmitPacket;
use hca_hdl::prelude::*;

/// Picks an event, reads the rows of its QP and then its WQE, judges it, and ends it: a turn that sends in
/// [`RequestLaunch`], any other event in [`EventSettle`]. At most one event of a QP is in the pipeline: the next may
/// enter as the former ends, and gets its row handed on.
///
/// `QB`: QP index bits; `RA` = `QB` + 4; `OA` = `QB` + 6; `AB`: index bits of an address handle.
#[derive(LogicBlock, Default)]
pub struct RequesterEngine<const QB: usize, const RA: usize, const OA: usize, const AB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Base LID of port 1, its low LMC bits zero; from bit 16 on that of port 2.
    pub port_lids: Signal<In, Bits<32>>,
    /// LMC of port 1; from bit 3 on that of port 2.
    pub port_lmcs: Signal<In, Bits<6>>,
    /// Active MTU of port 1, a code of `protocol/pmtu.csv` from 1 to 5; from bit 3 on that of port 2.
    pub port_mtus: Signal<In, Bits<6>>,
    /// High for one cycle when an address handle changes.
    pub handle: HandleUpdateSink<AB>,
    /// High while the multicast groups change: no multicast datagram may leave.
    pub group_hold: Signal<In, Bit>,
    /// High for one cycle when the group of the port's latest multicast datagram has been looked up for its copy, or
    /// the datagram is discarded or its copy dropped.
    pub multicast_done: Signal<In, Bit>,
    /// High from the launch of a multicast datagram until `multicast_done`.
    pub multicast_under_way: Signal<Out, Bit>,
    /// Which VLs have room for requests.
    pub lane_hold: LaneHoldSink,
    /// Valid for one cycle when a request is made: it takes room on its VL.
    pub lane_share: LaneShareSource,
    /// Asks whether a paced packet may be made ([`crate::link::RateSources`]).
    pub rate: RateAskSource,

    /// `MODIFY_QP`; Reset is taken when nothing of the QP is under way.
    pub modify: QpModifySink<QB>,

    /// Offers a QP that the responder has failed.
    pub fail: QpOfferSink<QB>,
    /// High for one cycle when the responder reports StateChanged of a QP.
    pub responder_failed: QpPulseSink<QB>,
    /// Offers the responder a QP that the requester has failed.
    pub failed: QpOfferSource<QB>,
    /// High for one cycle when the STATE_CHANGED record is reported here.
    pub state_error: QpPulseSource<QB>,

    /// Response packets in the order of arrival.
    pub response: OfferSink<ResponseArrival>,

    /// Offers a QP that gets a turn ([`super::Scheduler`]).
    pub turn: QpOfferSink<QB>,
    /// High for one cycle when a QP gets another turn after its event has ended.
    pub wake: QpPulseSource<QB>,
    /// High for one cycle when a packet of a QP is gone and the QP sleeps until then.
    pub left_wake: QpPulseSource<QB>,
    /// High for one cycle when a packet of a QP is discarded.
    pub discarded_wake: QpPulseSource<QB>,

    /// QP that `arrived` belongs to.
    pub arrived_index: Signal<Out, Bits<QB>>,
    /// Number of WQEs of QP `arrived_index` that have arrived in the cache, modulo 2^16.
    pub arrived: Signal<In, Bits<16>>,
    /// QP whose WQE is read from the cache.
    pub read_index: Signal<Out, Bits<QB>>,
    /// Slot of that WQE in the cache.
    pub read_slot: Signal<Out, Bits<6>>,
    /// High to keep the WQE that was read last.
    pub read_hold: Signal<Out, Bit>,
    /// The WQE, one cycle after its slot.
    pub wqe: Signal<In, Bits<512>>,

    /// Sets or stops the timer of a QP.
    pub set: TimerSetSource<QB>,
    /// QPs whose timer has expired.
    pub expired: ExpiredTimerSink<QB>,

    /// QP whose event is in [`EventSettle`], for the completer and others.
    pub settle_index: Signal<Out, Bits<QB>>,
    /// WQEs that start, for the completer.
    pub sent: StartedWqeSource<QB>,
    /// Messages for the completer; `valid` is high only with `ready`.
    pub message: CompleterMessageSource<QB>,
    /// High if the completer has no message of the QP that is judged.
    pub completer_idle: Signal<In, Bit>,
    /// Index of the oldest WQE of the QP that is judged that is not complete, modulo 2^16.
    pub oldest_wqe: Signal<In, Bits<16>>,

    /// High for one cycle with a packet that is sent; always taken.
    pub job_valid: Signal<Out, Bit>,
    /// High while there is room for the packets of all turns in the pipeline and one more.
    pub job_room: Signal<In, Bit>,
    /// Location of the payload of the packet.
    pub job: Signal<Out, GatherJob>,
    /// Header fields of the packet.
    pub packet: Signal<Out, TransmitPacket>,
    /// High while a packet whose memory may not be read is to be reported.
    pub fault_valid: Signal<In, Bit>,
    /// High for one cycle when that packet has been dealt with.
    pub fault_ready: Signal<Out, Bit>,
    /// Reason for which the memory may not be read: 1 for a bad SGE list, 2 for protection.
    pub fault_kind: Signal<In, Bits<2>>,
    /// The packet whose memory may not be read.
    pub fault: Signal<In, GatherJob>,
    /// QPs whose packets are no longer discarded ([`super::RequestGather`]).
    pub resume: QpPulseSource<QB>,
    /// The QP of each packet that is discarded.
    pub discarded: QpPulseSink<QB>,

    /// High for one cycle with the state of a QP and the number of send WQEs that it has started, modulo 2^16.
    pub row: RowStateSource<QB>,

    /// High for one cycle when QP `settle_index` begins to send at `start_psn`, if `start_ready` is high too.
    pub start_valid: Signal<Out, Bit>,
    /// High if the start can be stored in this cycle ([`super::Emissions`]).
    pub start_ready: Signal<In, Bit>,
    /// First PSN of the QP that starts.
    pub start_psn: Signal<Out, Bits<24>>,
    /// QP that `emitted_count`, `discarded_count` and `horizon` describe.
    pub count_index: Signal<Out, Bits<QB>>,
    /// Number of packets of QP `count_index` that are gone, modulo 2^8.
    pub emitted_count: Signal<In, Bits<8>>,
    /// Number of packets of QP `count_index` that were discarded, modulo 2^8.
    pub discarded_count: Signal<In, Bits<8>>,
    /// Highest PSN sent of QP `count_index`, plus one.
    pub horizon: Signal<In, Bits<24>>,
    /// QP whose event is judged.
    pub judge_index: Signal<Out, Bits<QB>>,
    /// Highest PSN sent of QP `judge_index`, plus one.
    pub judge_horizon: Signal<In, Bits<24>>,
    /// Highest PSN sent, plus one, of the QP that settles.
    pub settle_horizon: Signal<In, Bits<24>>,
    /// High if [`EventSettle`] is free: `settle_horizon` describes QP `judge_index` in the next clock.
    pub settle_moves: Signal<Out, Bit>,
    /// High for one cycle when a request departs.
    pub left_valid: Signal<In, Bit>,
    /// High for one cycle for each request of a reliable service that is gone ([`super::Emissions`]).
    pub gone: QpPulseSink<QB>,
    /// PSN after the last packet of QP `judge_index` that is gone.
    pub judge_gone_psn: Signal<In, Bits<24>>,
    /// Offers the QP of each packet that has departed for the first time.
    pub left_queue: QpOfferSink<QB>,

    /// The walker of responses; its pieces go to the piece queue.
    pub walk: WalkSource,
    /// The piece queue. Each response is committed, dropped or not: as `KIND_ATOMIC` if the original value of an atomic
    /// is written. The pieces of a response whose memory may not be written are removed.
    pub pieces: PieceCommandSource,
    /// High from the look-up of a response's memory until no response is left whose memory was looked up.
    pub looked: Signal<Out, Bit>,
    /// Original values of atomics, one for each commit of kind 1.
    pub original: OfferSource<Bits<64>>,

    /// High for one cycle when QP `settle_index` reports that it is in SQE.
    pub stops: Signal<Out, Bit>,
    /// Index of the next send WQE that software has not announced, of QP `settle_index`.
    pub announced: Signal<In, Bits<16>>,
    /// Packets that are dropped.
    pub drop: DropSource,
    /// High for one cycle when a packet of an unreliable QP `settle_index`, handed to the link, has been dealt with.
    pub finished: Signal<Out, Bit>,
    /// High for one cycle when a response is decided whose P_Key admission has found wrong, whatever the decision.
    pub key_decided: Signal<Out, Bit>,
    /// Records of the requester's lane.
    pub retire: ReportSource,
    /// Records of send WQEs that start.
    pub fetched: ReportSource,

    pick: EventPick<QB>,
    fetch: ContextFetch<QB, RA>,
    judge: EventJudge,
    handles: HandleRows<AB>,
    launch: RequestLaunch<QB, RA>,
    settle: EventSettle<QB, OA>,
    arming: AckArming<QB>,
    wakes: LeftWakes<QB>,
    to_settle: Signal<Local, Bit>,
    /// High if the event is a response with data, or with the original value of an atomic.
    brings: Signal<Local, Bit>,
}

#[kernel]
impl<const QB: usize, const RA: usize, const OA: usize, const AB: usize> Logic
    for RequesterEngine<QB, RA, OA, AB>
{
    fn update(&mut self) {
        clock_and_reset!(self, pick, fetch, launch, settle, arming);
        clock!(self, clock, handles, wakes);

        // Pick.
        self.pick.modify_valid.next = self.modify.valid.val();
        inputs!(self.pick, modify_index: modify.index, modify_done: settle.modify_tried);
        self.modify.ready.next = self.settle.modifies.val();
        QpOfferSink::<QB>::link(&mut self.fail, &mut self.pick.fail);
        QpPulseSink::<QB>::link(&mut self.responder_failed, &mut self.pick.reported);
        self.pick.fault_valid.next = self.fault_valid.val();
        self.pick.fault_index.next = self.fault.val().index.get_bits::<QB>(0);
        wires!(self.settle, self.pick, fault_done, may_go_back, goes_back);
        self.fault_ready.next = self.settle.fault_done.val();
        self.pick.expired.valid.next = self.expired.valid.val();
        self.pick.expired.item.next = self.expired.index.val();
        wires!(self.pick.expired, self.expired, ready);
        self.pick.response.valid.next = self.response.valid.val();
        self.response.ready.next = self.pick.response.ready.val();
        self.pick.response.item.next = self.response.item.val().dest_qp.get_bits::<QB>(0);
        self.pick.turn_valid.next = self.turn.valid.val();
        self.turn.ready.next = self.pick.turn_ready.val();
        inputs!(self.pick, turn_index: turn.item, turn_room: job_room);
        self.pick.again_valid.next =
            self.settle.goes_back.val() && self.pick.again_room.val() && !self.pick.eager.val();
        self.pick.again_index.next = self.settle.index_now.val();
        self.pick.hold.next =
            self.settle.clears.val() || self.settle.may_modify.val() || !self.fetch.ready.val();
        inputs!(self.pick.read, valid: fetch.read_valid, index: fetch.read_index);
        QpPulseSource::<QB>::join(&mut self.fetch.fetch, &mut self.pick.fetch);
        inputs!(self.pick.judge, valid: fetch.judge_valid, index: fetch.judge_index);
        inputs!(self.pick, settle_present: settle.present, settle_valid: settle.stays);
        self.pick.settle_index.next = self.settle.index_now.val();

        // Fetch.
        wires!(self.pick, self.fetch, valid, kind, index);
        self.fetch.arrival_valid.next = self.response.valid.val();
        inputs!(self.fetch, arrival: response.item, timer_kind: expired.kind);
        self.fetch.row_write.next = self.settle.row_write.val() || self.launch.row_write.val();
        inputs!(self.fetch, row_index: settle.index_now, row: settle.new_row);
        if self.launch.ends.val() {
            inputs!(self.fetch, row_index: launch.index_now, row: launch.new_row);
        }
        self.row.write.next = self.settle.row_write.val() || self.launch.row_write.val();
        self.row.index.next = self.fetch.row_index.val();
        self.row.state.next = self.fetch.row.val().state;
        self.row.started.next = self.fetch.row.val().started;
        inputs!(self.fetch, config_write: settle.modifies, config_index: settle.index_now);
        self.fetch.config_row.next.row = self.modify.row.val();
        self.fetch.config_row.next.limits = self.modify.limits.val();
        self.fetch.read_write.next = self.launch.starts.val();
        wires!(self.launch, self.fetch, read_address, read_row);
        self.arrived_index.next = self.fetch.read_index.val();
        inputs!(self.fetch, arrived, wqe, horizon, emitted_count, discarded_count, judge_horizon, left_valid);
        outputs!(self.fetch, read_index: wqe_index, read_slot: wqe_slot, read_hold: wqe_hold);
        self.count_index.next = self.fetch.fetch.index.val();
        if self.settle.clears.val() {
            self.count_index.next = self.settle.index_now.val();
        }
        self.judge_index.next = self.fetch.judge_index.val();

        // Judge. A ghost ends in the next clock, so that no packet leaves between.
        inputs!(self.judge, port_mtus, kind: fetch.judge_kind, row: fetch.judge_row);
        inputs!(self.judge, attributes: fetch.judge_config, wqe: fetch.judge_wqe, reach: fetch.judge_reach);
        // The WQE is judged a clock after it comes from the cache, and so is the handle that it names.
        self.handles.handle.next = self.wqe.val().get_bits::<24>(352);
        self.handles.update_valid.next = self.handle.valid.val();
        inputs!(self.handles, update_index: handle.index, update: handle.row);
        inputs!(self.judge, handle: handles.row, arrival: fetch.judge_arrival, place: fetch.judge_place);
        self.judge.form.next = self.fetch.judge_form.val();
        // A response that brings data enters once its memory is being looked up.
        self.brings.next = (self.fetch.judge_kind.val() == EventKind::Response)
            && (self.fetch.judge_form.val().read || self.fetch.judge_form.val().answers_atomic);
        self.to_settle.next = self.settle.ready.val() && (self.settle.prepared.val() || !self.brings.val());
        if self.fetch.judge_ghost.val() {
            self.to_settle.next =
                self.settle.ready.val() && self.pieces.ready.val() && self.fetch.judge_ghost_stands.val();
        }
        self.fetch.judge_ready.next = self.to_settle.val();

        // Launch.
        inputs!(self.launch, port_lids, port_lmcs, group_hold, multicast_done);
        LaneHoldSink::link(&mut self.lane_hold, &mut self.launch.lane_hold);
        LaneShareSource::link(&mut self.lane_share, &mut self.launch.lane_share);
        RateAskSource::link(&mut self.rate, &mut self.launch.rate);
        self.launch.handle.next = self.handles.row.val();
        wires!(self.judge, self.launch, discards, position, plan, bad, status, limited, stopped);
        outputs!(self.launch, multicast_under_way, job_valid, job, packet);
        self.launch.valid.next = self.fetch.judge_valid.val() && self.fetch.judge_launches.val();
        inputs!(self.launch, index: fetch.judge_index, row: fetch.judge_row, attributes: fetch.judge_config);
        inputs!(self.launch, wqe: fetch.judge_wqe, posted: fetch.judge_posted, gone: fetch.judge_gone);
        self.launch.leaving.next = self.fetch.judge_leaving.val();
        inputs!(self.sent, index: launch.index_now, valid: launch.starts, wqe: launch.starts_wqe);
        inputs!(self.sent, psn: launch.starts_last, operation: launch.starts_operation);
        inputs!(self.sent, signaled: launch.starts_signaled, bytes: launch.starts_bytes);
        inputs!(self.fetched, valid: launch.starts, record: launch.fetched_record);

        // Settle.
        self.settle.valid.next =
            self.fetch.judge_valid.val() && !self.fetch.judge_launches.val() && self.to_settle.val();
        self.settle.waits.next =
            self.fetch.judge_valid.val() && !self.fetch.judge_launches.val() && !self.fetch.judge_ghost.val();
        inputs!(self.settle, kind: fetch.judge_kind, index: fetch.judge_index, arrival: fetch.judge_arrival);
        inputs!(self.settle, timer_kind: fetch.judge_timer_kind, row: fetch.judge_row);
        inputs!(self.settle, attributes: fetch.judge_config, wqe: fetch.judge_wqe);
        inputs!(self.settle, following: fetch.judge_following, gone: fetch.judge_gone);
        inputs!(self.settle, leaving: fetch.judge_leaving, gone_psn: judge_gone_psn);
        wires!(self.judge, self.settle, position, verdict, walks);
        inputs!(self.settle, launch_ends: launch.ends, modify_row: modify.row);
        self.settle.restarts.next = self.modify.limits.val().restarts;
        inputs!(self.settle, announced, fault, fault_kind, start_ready, completer_idle);
        WalkSource::link(&mut self.walk, &mut self.settle.walk);
        PieceCommandSource::link(&mut self.pieces, &mut self.settle.pieces);
        outputs!(self.settle, stops, start_valid, start_psn, looked, finished, key_decided);
        DropSource::link(&mut self.drop, &mut self.settle.drop);
        CompleterMessageSource::<QB>::link(&mut self.message, &mut self.settle.message);
        self.settle.gone_count.next = self.emitted_count.val() + self.discarded_count.val();
        self.settle.horizon.next = self.settle_horizon.val();
        outputs!(self.settle, settle_moves: moves, settle_index: index_now);
        inputs!(self.resume, valid: settle.resumes, index: settle.index_now);
        self.failed.valid.next = self.settle.failed_valid.val();
        self.settle.failed_ready.next = self.failed.ready.val();
        self.failed.item.next = self.settle.index_now.val();
        inputs!(self.state_error, valid: settle.state_error_valid, index: settle.index_now);
        self.settle.oldest.next = self.oldest_wqe.val();
        OfferSource::<Bits<64>>::link(&mut self.original, &mut self.settle.original);
        ReportSource::link(&mut self.retire, &mut self.settle.retire);
        wires!(
            self.launch, self.settle, starts, starts_wqe, starts_first, starts_last, starts_ssn, starts_free
        );
        self.settle.starts_index.next = self.launch.index_now.val();

        // Turns go to the QP of an event that ends, and to QPs that waited for a packet.
        self.wake.valid.next = self.launch.wakes.val()
            || (self.settle.wakes.val()
                && !(self.settle.goes_back.val() && (self.pick.again_room.val() || self.pick.eager.val())));
        self.wake.index.next = self.settle.index_now.val();
        self.wakes.sets.next = self.settle.sets_crowded.val() || self.launch.ends.val();
        inputs!(self.wakes, index: settle.index_now, crowded: settle.crowded);
        if self.launch.ends.val() {
            self.wake.index.next = self.launch.index_now.val();
            inputs!(self.wakes, index: launch.index_now, crowded: launch.crowded);
        }
        QpPulseSource::<QB>::join(&mut self.fetch.fetch, &mut self.wakes.fetch);
        inputs!(self.wakes.judge, valid: fetch.judge_valid, index: fetch.judge_index);
        inputs!(self.wakes.launch, valid: launch.ends, index: launch.index_now);
        inputs!(self.wakes.settle, valid: settle.present, index: settle.index_now);
        QpPulseSink::<QB>::link(&mut self.gone, &mut self.wakes.left);
        inputs!(self.left_wake, valid: wakes.wakes, index: gone.index);
        wires!(self.discarded, self.discarded_wake, valid, index);

        // Timers.
        inputs!(self.arming, index: settle.index_now, sets: settle.sets_timer, kind: settle.set_kind);
        self.arming.code.next = self.settle.set_code.val();
        wires!(self.settle, self.arming, arms, modifies);
        self.arming.timeout.next = self.modify.row.val().timeout;
        QpOfferSink::<QB>::link(&mut self.left_queue, &mut self.arming.left);
        TimerSetSource::<QB>::link(&mut self.set, &mut self.arming.set);
    }
}
