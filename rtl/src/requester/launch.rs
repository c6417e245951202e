//! Ends turns that send: forms the packet, and keeps its data for later.
use super::{
    GatherJob, Plan, Position, ReadSpan, RequesterReport, RequesterRow, SendWork, Standing, TurnEffect,
    TurnGate, UcRequest, UdAddress,
};
use crate::bundle::{LaneHoldSink, LaneShareSource, RateAskSource};
use crate::context::{QpAttributes, QpConfig, QpLimits, Services};
use crate::datagram::HandleRow;
use crate::link::{LaneNeed, PacketLane};
use crate::retire::RetireRecord;
use crate::transmit::TransmitPacket;
use hca_hdl::prelude::*;

/// The last stage of turns, one clock for each: there is always room for its packet.
///
/// `QB`: QP index bits; `RA` = `QB` + 4.
#[derive(LogicBlock, Default)]
pub struct RequestLaunch<const QB: usize, const RA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Base LID of port 1, its low LMC bits zero; from bit 16 on that of port 2.
    pub port_lids: Signal<In, Bits<32>>,
    /// LMC of port 1; from bit 3 on that of port 2.
    pub port_lmcs: Signal<In, Bits<6>>,

    /// High for one cycle when a turn comes in; always taken.
    pub valid: Signal<In, Bit>,
    /// QP of the turn.
    pub index: Signal<In, Bits<QB>>,
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// `MODIFY_QP` arguments 0 to 13, 22 and 23.
    pub attributes: Signal<In, QpAttributes>,
    /// WQE of the next packet.
    pub wqe: Signal<In, Bits<512>>,
    /// The address handle of a datagram.
    pub handle: Signal<In, HandleRow>,
    /// High if the message is longer than the port's MTU: it takes a PSN and completes, and is not sent.
    pub discards: Signal<In, Bit>,
    /// Place of the next packet among PSNs and messages.
    pub position: Signal<In, Position>,
    /// The next packet.
    pub plan: Signal<In, Plan>,
    /// High if the WQE cannot be carried out.
    pub bad: Signal<In, Bit>,
    /// Status of the WQE's completion if it is bad.
    pub status: Signal<In, Bits<8>>,
    /// High if a message that takes a receive WQE at the peer is limited when it starts: SSN > LSN.
    pub limited: Signal<In, Bit>,
    /// High if a limited message has sent what it may ([`crate::credit::CreditStanding`]).
    pub stopped: Signal<In, Bit>,
    /// High if the WQE of the next packet was in the cache before it was read.
    pub posted: Signal<In, Bit>,
    /// Number of packets of the QP that are gone, modulo 2^8.
    pub gone: Signal<In, Bits<8>>,
    /// Number of packets of the QP that are possibly not gone yet, modulo 2^8.
    pub leaving: Signal<In, Bits<8>>,
    /// High while the multicast groups change: no multicast datagram may leave.
    pub group_hold: Signal<In, Bit>,
    /// High for one cycle when the group of the port's latest multicast datagram has been looked up for its copy, or
    /// the datagram is discarded or its copy dropped.
    pub multicast_done: Signal<In, Bit>,
    /// High from the launch of a multicast datagram until `multicast_done`.
    pub multicast_under_way: Signal<Out, Bit>,

    /// Which VLs have room. A QP whose packet has to wait for room gets another turn.
    pub lane_hold: LaneHoldSink,
    /// A packet is sent, and takes room.
    pub lane_share: LaneShareSource,
    /// Asks whether a paced packet may be made. A QP whose packet has to wait for its source gets another turn.
    pub rate: RateAskSource,

    /// High for one cycle when a turn ends.
    pub ends: Signal<Out, Bit>,
    /// QP of the turn that ends.
    pub index_now: Signal<Out, Bits<QB>>,
    /// High for one cycle when the turn writes its row.
    pub row_write: Signal<Out, Bit>,
    /// State of the QP after the turn.
    pub new_row: Signal<Out, RequesterRow>,
    /// High if the QP gets another turn.
    pub wakes: Signal<Out, Bit>,
    /// With `ends`: high if the QP sleeps until one of its packets is gone.
    pub crowded: Signal<Out, Bit>,

    /// High for one cycle when a packet is sent; always taken.
    pub job_valid: Signal<Out, Bit>,
    /// Where the payload of the packet is.
    pub job: Signal<Out, GatherJob>,
    /// Header fields of the packet.
    pub packet: Signal<Out, TransmitPacket>,

    /// High for one cycle when a WQE starts.
    pub starts: Signal<Out, Bit>,
    /// Index of that WQE, modulo 2^16.
    pub starts_wqe: Signal<Out, Bits<16>>,
    /// First PSN of that WQE.
    pub starts_first: Signal<Out, Bits<24>>,
    /// Last PSN of that WQE.
    pub starts_last: Signal<Out, Bits<24>>,
    /// Operation of its CQE (`host::cqe`).
    pub starts_operation: Signal<Out, Bits<8>>,
    /// High if its success writes a CQE.
    pub starts_signaled: Signal<Out, Bit>,
    /// Byte count of its CQE.
    pub starts_bytes: Signal<Out, Bits<32>>,
    /// SSN of that WQE, modulo 64.
    pub starts_ssn: Signal<Out, Bits<6>>,
    /// Number of messages so far that take no receive WQE at the peer, this one included, modulo 2^7.
    pub starts_free: Signal<Out, Bits<7>>,
    /// Retire record of the WQE.
    pub fetched_record: Signal<Out, RetireRecord>,
    /// QP index | place of the Read or atomic in the ring of its QP 4.
    pub read_address: Signal<Out, Bits<RA>>,
    /// Row of the Read or atomic: first PSN 24 | last PSN 24 | WQE 16 | length 32 | atomic 1, from the most significant
    /// end.
    pub read_row: Signal<Out, ReadSpan>,

    present: Register<Bit>,
    qp_index: Register<Bits<QB>>,
    qp_row: Register<RequesterRow>,
    qp_attributes: Register<QpAttributes>,
    work_row: Register<Bits<512>>,
    handle_row: Register<HandleRow>,
    is_discarded: Register<Bit>,
    is_datagram: Register<Bit>,
    /// Place whose room the packet takes ([`PacketLane`]).
    lane_place: Register<Bits<5>>,
    /// High if the packet is paced.
    is_paced: Register<Bit>,
    /// High if the destination QP is that of multicast.
    to_group: Register<Bit>,
    under_way: Register<Bit>,
    stands: Register<Position>,
    planned: Register<Plan>,
    is_bad: Register<Bit>,
    bad_status: Register<Bits<8>>,
    is_limited: Register<Bit>,
    is_stopped: Register<Bit>,
    is_posted: Register<Bit>,
    is_read: Register<Bit>,
    is_atomic: Register<Bit>,
    is_fenced: Register<Bit>,
    gone_before: Register<Bits<8>>,
    any_on_the_way: Register<Bit>,
    many_on_the_way: Register<Bit>,

    arriving_qp: Signal<Local, QpConfig>,
    arriving_limits: Signal<Local, QpLimits>,
    qp: Signal<Local, QpConfig>,
    limits: Signal<Local, QpLimits>,
    standing: Standing,
    lane: PacketLane,
    need: LaneNeed,
    arriving: SendWork,
    arriving_uc: UcRequest,
    uc: UcRequest,
    ud: UdAddress,
    work: SendWork,
    turn: TurnEffect,
    gate: TurnGate,
    report: RequesterReport,
    /// LID and LMC of the QP's port.
    lid: Signal<Local, Bits<16>>,
    lmc: Signal<Local, Bits<3>>,
    last: Signal<Local, Bits<24>>,
    span: Signal<Local, Bits<24>>,
    multicasts: Signal<Local, Bit>,
    /// High if the next packet is sent.
    emits: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    services: Services,
}

#[kernel]
impl<const QB: usize, const RA: usize> Logic for RequestLaunch<QB, RA> {
    fn update(&mut self) {
        self.present.d.next = self.valid.val();
        self.qp_index.d.next = self.index.val();
        self.qp_row.d.next = self.row.val();
        self.qp_attributes.d.next = self.attributes.val();
        self.work_row.d.next = self.wqe.val();
        self.handle_row.d.next = self.handle.val();
        self.is_discarded.d.next = self.discards.val();
        self.arriving_qp.next = self.attributes.val().row;
        self.arriving_limits.next = self.attributes.val().limits;
        self.is_datagram.d.next = self.arriving_qp.val().service == self.services.ud.val();
        wires!(self.lane_hold, self.lane, first, second);
        self.lane.port.next = self.arriving_qp.val().port;
        self.lane.sl.next = self.arriving_qp.val().sl;
        if self.arriving_qp.val().service == self.services.ud.val() {
            self.lane.sl.next = self.handle.val().sl;
        }
        // SMPs have a queue of their own.
        self.lane.exempt.next = self.discards.val() || self.arriving_qp.val().subnet;
        self.lane_place.d.next = self.lane.lane.val();
        // The rate of a datagram is that of its address handle (`protocol/link.md` section 7).
        self.rate.index.next = bit_cast::<16, QB>(self.index.val());
        self.rate.handle.next = false;
        self.is_paced.d.next = self.arriving_limits.val().paced && !self.discards.val();
        if self.arriving_qp.val().service == self.services.ud.val() {
            self.rate.index.next = self.wqe.val().get_bits::<16>(352);
            self.rate.handle.next = true;
            self.is_paced.d.next = self.handle.val().paced && !self.discards.val();
        }
        self.to_group.d.next = self.wqe.val().get_bits::<24>(384).all();
        self.stands.d.next = self.position.val();
        self.planned.d.next = self.plan.val();
        self.is_bad.d.next = self.bad.val();
        self.bad_status.d.next = self.status.val();
        self.is_limited.d.next = self.limited.val();
        self.is_stopped.d.next = self.stopped.val();
        self.is_posted.d.next = self.posted.val();
        self.arriving.wqe.next = self.wqe.val();
        self.arriving.has_reads.next = false;
        self.arriving_uc.service.next = self.arriving_qp.val().service;
        self.arriving_uc.operation.next = bits::<8>(0);
        self.arriving_uc.opcode.next = bits::<8>(0);
        self.arriving_uc.ack_req.next = false;
        self.is_read.d.next = self.arriving.is_read.val();
        self.is_atomic.d.next = self.arriving.is_atomic.val();
        self.is_fenced.d.next = self.arriving.fence.val() && !self.arriving_uc.unreliable.val();
        self.gone_before.d.next = self.gone.val();
        self.any_on_the_way.d.next = self.leaving.val().any();
        self.many_on_the_way.d.next = self.leaving.val() >= 32;

        self.qp.next = self.qp_attributes.q.val().row;
        self.limits.next = self.qp_attributes.q.val().limits;
        self.standing.state.next = self.qp_row.q.val().state;
        self.standing.new_state.next = bits::<3>(0);
        self.work.wqe.next = self.work_row.q.val();
        self.work.has_reads.next = false;
        inputs!(self.turn, row: qp_row.q, gone: gone_before.q, plan: planned.q);
        self.turn.pmtu.next = self.qp.val().pmtu;
        inputs!(self.turn, is_read: is_read.q, is_atomic: is_atomic.q);
        wires!(self.work, self.turn, length, is_send, consumes);
        inputs!(self.turn, status: bad_status.q, limited: is_limited.q);
        // A turn of a QP for which one of these holds does not come here.
        self.gate.row.next = self.qp_row.q.val();
        self.gate.row.next.owes = false;
        self.gate.row.next.flushing = false;
        self.gate.row.next.rewinding = false;
        self.gate.row.next.refused = false;
        self.gate.position.next = self.stands.q.val();
        self.gate.position.next.behind = false;
        wires!(self.standing, self.gate, sends, continues);
        inputs!(self.gate, any_leaving: any_on_the_way.q, many_leaving: many_on_the_way.q);
        inputs!(self.gate, posted: is_posted.q, fence: is_fenced.q);
        self.gate.takes_resource.next = self.is_read.q.val() || self.is_atomic.q.val();
        inputs!(self.gate, bad: is_bad.q, stopped: is_stopped.q);
        self.span.next = self.stands.q.val().ahead;
        if self.is_read.q.val() {
            self.span.next = self.stands.q.val().ahead + self.planned.q.val().psns;
        }
        self.gate.wide.next = self.span.val().get_bit(23);

        self.ends.next = self.present.q.val();
        self.index_now.next = self.qp_index.q.val();
        // There is room for the copy of one multicast packet (`ud.md` section 4.3). A QP whose datagram has to wait
        // gets another turn.
        self.multicasts.next =
            self.is_datagram.q.val() && self.to_group.q.val() && !self.is_discarded.q.val();
        // A packet whose VL has no room waits for another turn (CF449).
        wires!(self.lane_hold, self.need, first, second);
        self.need.lane.next = self.lane_place.q.val();
        self.need.long.next = self.planned.q.val().payload.get_bits::<3>(10).any();
        self.need.ack.next = false;
        self.emits.next = self.gate.emit.val()
            && self.need.met.val()
            && (!self.is_paced.q.val() || (self.rate.free.val() && !self.rate.closed.val()))
            && !(self.multicasts.val() && (self.under_way.q.val() || self.group_hold.val()));
        if self.multicast_done.val() {
            self.under_way.d.next = false;
        }
        if self.present.q.val() && self.emits.val() && self.multicasts.val() {
            self.under_way.d.next = true;
        }
        self.multicast_under_way.next = self.under_way.q.val();
        self.row_write.next = self.present.q.val() && (self.emits.val() || self.gate.blame.val());
        self.wakes.next = self.present.q.val() && (self.gate.emit.val() || self.gate.blame.val());
        self.crowded.next = self.gate.crowded.val();
        self.job_valid.next = self.present.q.val() && self.emits.val();
        self.rate.decides.next = self.present.q.val() && self.is_paced.q.val();
        self.rate.takes.next = self.present.q.val() && self.emits.val() && self.is_paced.q.val();
        self.lane_share.valid.next = self.present.q.val() && self.emits.val();
        self.lane_share.lane.next = self.lane_place.q.val();
        self.lane_share.payload.next = self.planned.q.val().payload;
        self.begins.next =
            self.present.q.val() && (self.emits.val() || self.gate.blame.val()) && self.turn.begins.val();
        self.new_row.next = self.turn.sent_row.val();
        // The row of a bad WQE is written only to blame the WQE; `is_bad` is known early in the clock.
        if self.is_bad.q.val() {
            self.new_row.next = self.turn.bad_row.val();
        }

        self.job.next.index = bit_cast::<16, QB>(self.qp_index.q.val());
        self.job.next.wqe = self.qp_row.q.val().current;
        self.job.next.offset = self.qp_row.q.val().offset;
        self.job.next.length = self.planned.q.val().payload;
        self.job.next.psn = self.qp_row.q.val().psn;
        self.job.next.next_psn = self.turn.packet_last.val() + 1;
        self.job.next.pd = self.limits.val().pd;
        self.job.next.count = self.work.count.val();
        self.job.next.indirect = self.work.indirect.val();
        self.job.next.unchecked = self.work.inline.val();
        self.job.next.list = self.work.list.val();

        self.lid.next = self.port_lids.val().get_bits::<16>(0);
        self.lmc.next = self.port_lmcs.val().get_bits::<3>(0);
        if self.qp.val().port {
            self.lid.next = self.port_lids.val().get_bits::<16>(16);
            self.lmc.next = self.port_lmcs.val().get_bits::<3>(3);
        }
        self.packet.next.kind = bits::<2>(0);
        self.packet.next.last = false;
        self.packet.next.qpn = self.qp.val().qpn;
        self.packet.next.dlid = self.qp.val().dlid;
        self.packet.next.slid = self.lid.val() + bit_cast::<16, 7>(self.qp.val().path_bits);
        self.packet.next.sl = self.qp.val().sl;
        self.uc.service.next = self.qp.val().service;
        self.uc.operation.next = bits::<8>(0);
        self.uc.opcode.next = self.planned.q.val().opcode;
        self.uc.ack_req.next = self.planned.q.val().ack_req;
        self.packet.next.opcode = self.uc.own_opcode.val();
        self.packet.next.solicited = self.planned.q.val().may_solicit && self.work.solicited.val();
        self.packet.next.p_key_index = self.qp.val().p_key_index;
        self.packet.next.dest_qp = self.qp.val().peer.get_bits::<24>(0);
        self.packet.next.ack_req = self.uc.own_ack_req.val();
        self.packet.next.psn = self.qp_row.q.val().psn;
        self.packet.next.va = self.work.va.val();
        self.packet.next.r_key = self.work.r_key.val();
        if self.is_read.q.val() {
            self.packet.next.va = self.work.va.val() + bit_cast::<64, 32>(self.qp_row.q.val().offset);
        }
        // Send last and only with invalidate: the IETH.
        if (self.planned.q.val().opcode == 0x16) || (self.planned.q.val().opcode == 0x17) {
            self.packet.next.r_key = self.work.immediate.val();
        }
        self.packet.next.swap_add = (bit_cast::<64, 32>(self.planned.q.val().dma_len) << 32)
            | bit_cast::<64, 32>(self.work.immediate.val());
        if self.is_atomic.q.val() {
            self.packet.next.swap_add = self.work.swap_add.val();
        }
        self.packet.next.compare = self.work.compare.val();
        self.packet.next.payload = self.planned.q.val().payload;
        self.packet.next.discard = self.is_discarded.q.val();
        self.packet.next.lane = self.lane_place.q.val();
        self.packet.next.mark = bits::<3>(0);
        if self.is_paced.q.val() {
            self.packet.next.mark = self.rate.mark.val();
        }
        self.packet.next.port = self.qp.val().port;
        self.packet.next.subnet = self.qp.val().subnet;
        self.packet.next.general = self.qp.val().general;
        // `protocol/ud.md` section 2. With bit 31 of the WQE's Q_Key the QP's is sent, which is in the place of the
        // peer's QPN; QP0 sends the WQE's (`special_qps.md` section 1).
        inputs!(self.ud, port_lid: lid, port_lmc: lmc, handle: handle_row.q);
        if self.is_datagram.q.val() {
            self.packet.next.dest_qp = self.work_row.q.val().get_bits::<24>(384);
            self.packet.next.dlid = self.handle_row.q.val().dlid;
            self.packet.next.slid = self.ud.slid.val();
            self.packet.next.sl = self.handle_row.q.val().sl;
            self.packet.next.va = bit_cast::<64, 24>(self.work_row.q.val().get_bits::<24>(352));
            self.packet.next.r_key = self.work_row.q.val().get_bits::<32>(416);
            // QP0 and QP1 send the entry of the table that the WQE names (`special_qps.md` section 2).
            if self.qp.val().subnet || self.qp.val().general {
                self.packet.next.p_key_index = self.work_row.q.val().get_bits::<2>(304);
            }
            if self.work_row.q.val().get_bit(447) && !self.qp.val().subnet {
                self.packet.next.r_key = self.qp.val().peer;
            }
        }

        // Nothing of a bad WQE is sent.
        self.last.next = self.turn.message_last.val();
        if self.is_bad.q.val() {
            self.last.next = self.qp_row.q.val().psn;
        }
        self.starts.next = self.begins.val();
        self.starts_wqe.next = self.qp_row.q.val().current;
        self.starts_first.next = self.qp_row.q.val().psn;
        self.starts_last.next = self.last.val();
        self.starts_ssn.next = self.turn.sent_row.val().ssn.get_bits::<6>(0);
        self.starts_free.next = self.turn.sent_row.val().free;
        outputs!(self.work, starts_operation: operation, starts_signaled: signaled);
        // What came: nothing for a Send or a Write (`qp_cq.md` section 4).
        self.starts_bytes.next = bits::<32>(0);
        if self.is_read.q.val() || self.is_atomic.q.val() {
            self.starts_bytes.next = self.work.length.val();
        }
        self.read_address.next =
            (bit_cast::<RA, QB>(self.qp_index.q.val()) << 4) | bit_cast::<RA, 4>(self.turn.read_slot.val());
        self.read_row.next.first = self.qp_row.q.val().psn;
        self.read_row.next.last = self.turn.message_last.val();
        self.read_row.next.wqe = self.qp_row.q.val().current;
        self.read_row.next.length = self.work.length.val();
        self.read_row.next.atomic = self.is_atomic.q.val();

        self.report.qpn.next = self.qp.val().qpn;
        self.report.psn.next = bits::<24>(0);
        self.report.code.next = bits::<8>(0);
        self.report.number.next = bit_cast::<32, 16>(self.qp_row.q.val().current);
        self.report.accepted.next = false;
        self.report.dropped.next = false;
        self.report.refused.next = false;
        self.report.expired.next = false;
        self.report.rewound.next = false;
        self.report.changed.next = false;
        self.report.stopped.next = false;
        self.fetched_record.next = self.report.fetched_record.val();
        if self.reset.val() {
            clear!(self, present, under_way);
        }
    }
}
