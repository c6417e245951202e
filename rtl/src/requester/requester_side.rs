//! The requester's side of the adapter: its engine, and what serves it. Long because all its ports are here.
use super::{Completer, Emissions, RequestGather, RequesterEngine, Scheduler, Timers};
use crate::bundle::{
    AnnouncedSink, CompleterMessageSource, ConsumedSource, DropSource, EmittedPacketSink, ExpiredTimerSource,
    HandleUpdateSink, LaneHoldSink, LaneShareSource, PieceCommandSource, QpModifySink, QpOfferSink,
    QpOfferSource, QpPulseSink, QpPulseSource, RateAskSource, ReportSource, RowStateSource, StartedWqeSource,
    TimerSetSource, WalkSource,
};
use crate::completion::CompletionRecord;
use crate::receive::ResponseArrival;
use crate::transmit::TransmitPacket;
use hca_hdl::prelude::*;

/// Sends posted WQEs and takes the responses. Walkers, piece queues and the WQE cache are outside; the pieces go from
/// the walkers to their queues directly.
///
/// `QB`: QP index bits; `NQ` = 2^`QB`; `RA` = `QB` + 4; `OA` = `QB` + 6.
#[derive(LogicBlock, Default)]
pub struct RequesterSide<const QB: usize, const NQ: usize, const RA: usize, const OA: usize, const AB: usize>
{
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
    /// the copy is dropped.
    pub multicast_done: Signal<In, Bit>,
    /// High from the launch of a multicast datagram until `multicast_done`, or until the datagram is discarded.
    pub multicast_under_way: Signal<Out, Bit>,
    /// Which VLs have room for requests.
    pub lane_hold: LaneHoldSink,
    /// A request is made, and takes room.
    pub lane_share: LaneShareSource,
    /// A request ends before it departs, and gives its room back.
    pub lane_back: LaneShareSource,
    /// Asks whether a paced request may be made ([`crate::link::RateSources`]).
    pub rate: RateAskSource,
    /// For one cycle the mark of a request that ends before it departs, else 0.
    pub mark_back: Signal<Out, Bits<3>>,

    /// `MODIFY_QP`. When it is taken, it takes effect for the completer, the SQ cache and routing too.
    pub modify: QpModifySink<QB>,

    /// Offers a QP that the responder has failed.
    pub fail: QpOfferSink<QB>,

    /// High for one cycle when the responder reports StateChanged of a QP.
    pub responder_failed: QpPulseSink<QB>,

    /// Offers the responder a QP that the requester has failed.
    pub failed: QpOfferSource<QB>,

    /// High for one cycle when the STATE_CHANGED record is reported here.
    pub state_error: QpPulseSource<QB>,

    /// High for one cycle when the STATE_CHANGED record of SQE is reported here.
    pub send_error: QpPulseSource<QB>,

    /// The number of announced send WQEs of a QP, when it changes ([`crate::queue::Prefetch`]).
    pub announced: AnnouncedSink<QB>,

    /// Response packets in the order of arrival.
    pub response: OfferSink<ResponseArrival>,

    /// QP that `first_arrived` belongs to.
    pub first_index: Signal<Out, Bits<QB>>,
    /// Number of WQEs of QP `first_index` that have arrived in the cache, modulo 2^16.
    pub first_arrived: Signal<In, Bits<16>>,
    /// QP that `second_arrived` belongs to.
    pub second_index: Signal<Out, Bits<QB>>,
    /// Number of WQEs of QP `second_index` that have arrived in the cache, modulo 2^16.
    pub second_arrived: Signal<In, Bits<16>>,

    /// QP whose WQE is read from the cache.
    pub read_index: Signal<Out, Bits<QB>>,
    /// Slot of that WQE in the cache.
    pub read_slot: Signal<Out, Bits<6>>,
    /// High to keep the WQE that was read last.
    pub read_hold: Signal<Out, Bit>,
    /// The WQE, one cycle after its slot.
    pub wqe: Signal<In, Bits<512>>,

    /// The walker of responses; its pieces go to the piece queue of responses.
    pub scatter_walk: WalkSource,
    /// The piece queue of responses. Each response is committed, dropped or not.
    pub scatter_pieces: PieceCommandSource,
    /// High from the look-up of a response's memory until no response is left whose memory was looked up.
    pub scatter_looked: Signal<Out, Bit>,

    /// Original values of atomics, one for each commit of kind 1.
    pub original: OfferSource<Bits<64>>,

    /// Packets that are dropped.
    pub drop: DropSource,
    /// High for one cycle when a response is decided whose P_Key admission has found wrong, whatever the decision.
    pub key_decided: Signal<Out, Bit>,

    /// Records of the requester's lane.
    pub retire: ReportSource,

    /// Records of the lane of send WQEs.
    pub fetched: ReportSource,

    /// The walker of requests; its pieces go to the piece queue of requests.
    pub gather_walk: WalkSource,
    /// The piece queue of requests.
    pub gather_pieces: PieceCommandSource,
    /// High while the keys of a packet are looked up, or it waits to leave after that.
    pub gather_looks: Signal<Out, Bit>,
    /// High while no further keys may be looked up; the look-ups under way end.
    pub gather_hold: Signal<In, Bit>,

    /// Request packets for the transmit path.
    pub request: OfferSource<TransmitPacket>,

    /// High for one cycle when WQEs of this QP arrived in the cache.
    pub arrived: QpPulseSink<QB>,

    /// Packets of any kind that depart.
    pub departs: EmittedPacketSink<QB>,
    /// High for one cycle when the payload of the oldest departed request has been read
    /// ([`crate::transmit::RequestsRead`]).
    pub request_read: Signal<In, Bit>,
    /// High for one cycle when the last beat of a request of an unreliable service leaves for the link.
    pub handed_valid: Signal<In, Bit>,
    /// With `handed_valid`: high if host memory failed to return some of the request's payload.
    pub handed_spoiled: Signal<In, Bit>,
    /// Completions of send queues.
    pub completion: OfferSource<CompletionRecord>,

    /// High for one cycle when WQEs of a QP are consumed.
    pub consumer: ConsumedSource<QB>,
    /// High for one cycle with the state of a QP and the number of send WQEs that it has started, modulo 2^16.
    pub row: RowStateSource<QB>,

    engine: RequesterEngine<QB, RA, OA, AB>,
    gather: RequestGather<QB>,
    /// WQEs of each QP that doorbells announced, modulo 2^16.
    announced_wqes: LutRam<Bits<16>, QB>,
    own: Signal<Local, ResponseArrival>,
    emissions: Emissions<QB>,
    scheduler: Scheduler<QB, NQ>,
    timers: Timers<QB, NQ>,
    completer: Completer<QB, OA>,
}

impl<const QB: usize, const NQ: usize, const RA: usize, const OA: usize, const AB: usize>
    RequesterSide<QB, NQ, RA, OA, AB>
{
    /// A requester for a clock of `clock_hz` Hz.
    pub fn new(clock_hz: u64) -> Self {
        RequesterSide {
            timers: Timers::new(clock_hz),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const QB: usize, const NQ: usize, const RA: usize, const OA: usize, const AB: usize> Logic
    for RequesterSide<QB, NQ, RA, OA, AB>
{
    fn update(&mut self) {
        comment!("@module requester");
        clock_and_reset!(self, engine, gather, emissions, scheduler, timers, completer);
        clock!(self, clock, announced_wqes);
        inputs!(self.engine, port_lids, port_lmcs, port_mtus, group_hold);
        HandleUpdateSink::<AB>::link(&mut self.handle, &mut self.engine.handle);
        self.engine.multicast_done.next = self.multicast_done.val() || self.gather.multicast_lost.val();
        self.multicast_under_way.next = self.engine.multicast_under_way.val();
        QpModifySink::<QB>::link(&mut self.modify, &mut self.engine.modify);
        QpOfferSink::<QB>::link(&mut self.fail, &mut self.engine.fail);
        QpPulseSink::<QB>::link(&mut self.responder_failed, &mut self.engine.responder_failed);
        QpOfferSource::<QB>::link(&mut self.failed, &mut self.engine.failed);
        QpPulseSource::<QB>::link(&mut self.state_error, &mut self.engine.state_error);
        inputs!(self.send_error, valid: engine.stops, index: engine.settle_index);
        self.announced_wqes.read_address_a.next = self.engine.settle_index.val();
        self.announced_wqes.read_address_b.next = self.engine.settle_index.val();
        self.engine.announced.next = self.announced_wqes.read_data_a.val();
        self.announced_wqes.write_enable.next = self.announced.valid.val();
        inputs!(self.announced_wqes, write_address: announced.index, write_data: announced.producer);

        // What an unreliable QP has handed to the link goes the way of a positive ack (`uc.md` section 2, completion);
        // what host memory failed to read, the way of a NAK 63h.
        self.own.next.packet = bits::<32>(0);
        self.own.next.dest_qp = bit_cast::<24, QB>(self.emissions.done_index.val());
        self.own.next.opcode = bits::<8>(0x11);
        self.own.next.psn = self.emissions.done_next_psn.val() - 1;
        self.own.next.syndrome = bits::<8>(0x1F);
        if self.emissions.done_spoiled.val() {
            self.own.next.syndrome = bits::<8>(0x63);
        }
        self.own.next.msn = bits::<24>(0);
        self.own.next.original = bits::<64>(0);
        self.own.next.payload = bits::<13>(0);
        self.own.next.drop = false;
        self.own.next.drop_reason = bits::<8>(0);
        self.own.next.own = true;
        self.own.next.port = false;
        self.engine.response.valid.next = self.response.valid.val() || self.emissions.done_valid.val();
        self.response.ready.next = self.engine.response.ready.val() && !self.emissions.done_valid.val();
        inputs!(self.emissions, done_ready: engine.response.ready, finished_valid: engine.finished);
        self.engine.response.item.next = self.response.item.val();
        if self.emissions.done_valid.val() {
            self.engine.response.item.next = self.own.val();
        }
        QpOfferSource::<QB>::join(&mut self.scheduler.turn, &mut self.engine.turn);
        QpPulseSource::<QB>::join(&mut self.engine.wake, &mut self.scheduler.wake_b);
        QpPulseSource::<QB>::join(&mut self.engine.left_wake, &mut self.scheduler.wake_c);
        QpPulseSource::<QB>::join(&mut self.engine.discarded_wake, &mut self.scheduler.wake_d);
        self.first_index.next = self.engine.arrived_index.val();
        self.engine.arrived.next = self.first_arrived.val();
        outputs!(self.engine, read_index, read_slot, read_hold, key_decided);
        DropSource::link(&mut self.drop, &mut self.engine.drop);
        self.engine.wqe.next = self.wqe.val();
        TimerSetSource::<QB>::join(&mut self.engine.set, &mut self.timers.set);
        ExpiredTimerSource::<QB>::join(&mut self.timers.expired, &mut self.engine.expired);
        StartedWqeSource::<QB>::join(&mut self.engine.sent, &mut self.completer.sent);
        CompleterMessageSource::<QB>::join(&mut self.engine.message, &mut self.completer.message);
        inputs!(self.engine, oldest_wqe: completer.oldest_wqe, completer_idle: completer.idle);
        wires!(self.engine, self.gather, job_valid, job, packet, fault_ready);
        wires!(self.gather, self.engine, job_room, fault_valid, fault_kind, fault);
        QpPulseSource::<QB>::join(&mut self.engine.resume, &mut self.gather.resume);
        QpPulseSource::<QB>::join(&mut self.gather.discarded, &mut self.engine.discarded);
        self.engine.discarded_count.next = self.gather.count.val();
        wires!(self.engine, self.emissions, start_valid, start_psn, judge_index, settle_index, settle_moves);
        wires!(
            self.emissions, self.engine, start_ready, horizon, judge_horizon, settle_horizon, left_valid,
            judge_gone_psn
        );
        self.engine.emitted_count.next = self.emissions.count.val();
        QpPulseSource::<QB>::join(&mut self.emissions.gone, &mut self.engine.gone);
        QpOfferSource::<QB>::join(&mut self.emissions.sent, &mut self.engine.left_queue);
        WalkSource::link(&mut self.scatter_walk, &mut self.engine.walk);
        PieceCommandSource::link(&mut self.scatter_pieces, &mut self.engine.pieces);
        self.scatter_looked.next = self.engine.looked.val();
        OfferSource::<Bits<64>>::link(&mut self.original, &mut self.engine.original);
        ReportSource::link(&mut self.retire, &mut self.engine.retire);
        ReportSource::link(&mut self.fetched, &mut self.engine.fetched);
        WalkSource::link(&mut self.gather_walk, &mut self.gather.walk);
        PieceCommandSource::link(&mut self.gather_pieces, &mut self.gather.pieces);
        self.gather_looks.next = self.gather.looks.val();
        self.gather.hold.next = self.gather_hold.val();
        OfferSource::<TransmitPacket>::link(&mut self.request, &mut self.gather.request);
        LaneHoldSink::link(&mut self.lane_hold, &mut self.engine.lane_hold);
        LaneShareSource::link(&mut self.lane_share, &mut self.engine.lane_share);
        LaneShareSource::link(&mut self.lane_back, &mut self.gather.lane_back);
        RateAskSource::link(&mut self.rate, &mut self.engine.rate);
        self.mark_back.next = self.gather.mark_back.val();
        self.gather.room.next = self.emissions.room.val();
        wires!(self.gather, self.emissions, leaves_valid, leaves_index, leaves_next_psn);
        // Opcodes of classes 001 and 011.
        self.emissions.leaves_unreliable.next = self.gather.request.item.val().opcode.get_bit(5);
        self.gather.count_index.next = self.engine.count_index.val();
        self.emissions.index.next = self.engine.count_index.val();
        EmittedPacketSink::<QB>::link(&mut self.departs, &mut self.emissions.departs);
        inputs!(self.emissions, request_read, handed_valid, handed_spoiled);
        QpPulseSink::<QB>::link(&mut self.arrived, &mut self.scheduler.wake_a);
        inputs!(self.completer, idle_index: engine.judge_index, oldest_index: engine.judge_index);
        inputs!(self.completer.modify, valid: engine.modify.ready, index: modify.index, row: modify.row);
        self.second_index.next = self.completer.arrived_index.val();
        self.completer.arrived.next = self.second_arrived.val();
        OfferSource::<CompletionRecord>::link(&mut self.completion, &mut self.completer.completion);
        ConsumedSource::<QB>::link(&mut self.consumer, &mut self.completer.consumer);
        RowStateSource::<QB>::link(&mut self.row, &mut self.engine.row);
    }
}
