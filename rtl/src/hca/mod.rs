//! The adapter: inbound, responses, requests, outbound and host memory, wired together. The file is long because it is
//! almost all ports and wires.
mod host_memory;
mod inbound;
mod outbound;
mod requests;
mod responses;

pub use host_memory::HostMemory;
pub use inbound::Inbound;
pub use outbound::Outbound;
pub use requests::Requests;
pub use responses::Responses;

use crate::bundle::{
    AnswerLevelSource, AtomicDoneSource, AtomicJobSource, CopiedBeatSource, CqCommandSource,
    CqDoorbellSource, DataFaultSource, DropSource, EmittedPacketSource, EventRingSource, EventSource,
    GroupCommandSource, HandleUpdateSource, LaneHoldSource, LaneShareSource, LeavingPacketSource,
    LinkCountSource, ListReadSource, PayloadBeatSource, PayloadCommandSource, PayloadOrderSource,
    PlannedPieceSource, QpNoticeSource, QpOfferSource, QpPulseSource, RateAskSource, ReadBeatSource,
    RegisterBusSource, ReportSource, SgeLookupSource, ViolationWordSource, WqeReadSource, WritePieceSource,
};
use crate::completion::CompletionRecord;
use crate::control::{Commands, Drain, Registers};
use crate::drop_reasons::DropReasons;
use crate::memory::{RegionRow, WalkServer};
use crate::ports::PortSet;
use crate::receive::ResponseArrival;
use crate::response::ResponseJob;
use crate::retire::{Retire, RetireRecord};
use crate::transmit::TransmitPacket;
use hca_hdl::prelude::*;
use hca_host::command::STATE_RESET;
use hca_host::profile::{stream_rate, SMALL};
use hca_host::register::{DATAGRAM_LIMITS_VALUE, GIDS};
use hca_host::retire::kind;

/// The HCA. Ports follow AXI's lane order: byte 0 in the least significant lane. `reset` lasts at least 16 clocks
/// (`crate::wire`).
///
/// `W`: bits of the streams; `K` = `W` / 8; `NB`: beats that hold the first 120 bytes of a packet; `RA`, `PA`: log2 of
/// the beats of the receive and of the transmit buffer; `LA`: log2 of beats that hold the largest packet; `M`: bits of
/// the memory bus, `W` or 2 `W`, from 128 on; `MK` = `M` / 8; `MA` = `W` + `M`; `MD` = 2 `M`; `MN` = 512 / `M`; `QB`:
/// QP index bits; `NQ` = 2^`QB`; `OA` = `QB` + 6; `CA` = `QB` + 5; `RB` = `QB` + 4; `CB`, `MB`, `AB`: index bits of
/// CQs, of memory regions and of address handles; `HA` = `AB` + 4; `TA`: one bit more than the larger of `QB` and `AB`;
/// `BD` = `W` + 8; `BA`: width of the addresses of the buffer of a native port's VLs; `LB`: log2 of the beats that wait
/// for the link on each data VL; `VB`: log2 of its data VLs; `NV` = 2^`VB`; `NP`: number of ports; `SP` = `NP` - 1. One
/// of `IB` and `ROCE` is 1: native InfiniBand, or RoCEv2 in Ethernet frames without FCS.
#[derive(LogicBlock, SmartDefault)]
pub struct Hca<
    const W: usize,
    const K: usize,
    const NB: usize,
    const RA: usize,
    const LA: usize,
    const M: usize,
    const MK: usize,
    const MA: usize,
    const MD: usize,
    const MN: usize,
    const PA: usize,
    const QB: usize,
    const NQ: usize,
    const OA: usize,
    const CA: usize,
    const RB: usize,
    const CB: usize,
    const MB: usize,
    const AB: usize,
    const HA: usize,
    const TA: usize,
    const BD: usize,
    const BA: usize,
    const LB: usize,
    const VB: usize,
    const NV: usize,
    const NP: usize,
    const SP: usize,
    const IB: usize,
    const ROCE: usize,
> {
    #[default(provided(
        K * 8 == W && MK * 8 == M && MA == W + M && MD == 2 * M && MN * M == 512,
        "the widths contradict each other"
    ))]
    pub clock: Signal<In, Clock>,
    #[default(provided(
        NQ == 1 << QB && OA == QB + 6 && CA == QB + 5 && RB == QB + 4 && NV == 1 << VB && NP == SP + 1,
        "the numbers of queue pairs, of VLs or of ports contradict each other"
    ))]
    pub reset: Signal<In, Bit>,
    /// AXI4 write address: log2 of the bytes of a beat, constantly log2(`MK`).
    pub m_axi_awsize: Signal<Out, Bits<3>>,
    /// AXI4 write address: burst type, always INCR.
    pub m_axi_awburst: Signal<Out, Bits<2>>,
    /// AXI4 read address: log2 of the bytes of a beat, constantly log2(`MK`).
    pub m_axi_arsize: Signal<Out, Bits<3>>,
    /// AXI4 read address: burst type, always INCR.
    pub m_axi_arburst: Signal<Out, Bits<2>>,
    /// AXI4-Lite write data: byte enables, ignored; words are always written whole.
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    /// AXI4-Lite write response: always OKAY.
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    /// AXI4-Lite read data: response, always OKAY.
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    /// Bit `l`: lane `l` of the retire port ([`hca_host::retire`]) reports in this clock.
    pub retire_valid: Signal<Out, Bits<16>>,
    /// Order number of the lowest valid lane.
    pub retire_order: Signal<Out, Bits<32>>,
    /// Records of 96 bits, lane 0 at the least significant end.
    pub retire_record: Signal<Out, Bits<1536>>,
    /// Registers, for software: byte addresses.
    pub s_axil: AxiLiteSink<20>,
    /// Level-sensitive interrupt to software.
    pub irq: Signal<Out, Bit>,
    /// High while the physical link is up; ignored over Ethernet. A PHY of another clock is synchronised outside.
    pub link_up: Signal<In, Bit>,
    /// High while the physical link may be up; always high over Ethernet.
    pub link_enable: Signal<Out, Bit>,
    /// Packets from the link; AXI4-Stream, byte 0 of the packet in bits 7:0.
    pub s_axis: StreamSink<W, K>,
    /// Bit 0 is high with every beat of a link packet, bit 1 with the last beat of a packet that ended as bad; ignored
    /// over Ethernet.
    pub s_axis_tuser: Signal<In, Bits<2>>,
    /// Packets to the link; AXI4-Stream, byte 0 of the packet in bits 7:0.
    pub m_axis: StreamSource<W, K>,
    /// High with the beat of a link packet on `m_axis`, which is a packet of one beat; low over Ethernet.
    pub m_axis_tuser: Signal<Out, Bit>,
    // Pins of port 2, in profiles that have one.
    /// High while the physical link of port 2 is up.
    #[default(array_init::array_init(|_| Default::default()))]
    pub port_2_link_up_or_none: [Signal<In, Bit>; SP],
    /// High while the physical link of port 2 may be up.
    #[default(array_init::array_init(|_| Default::default()))]
    pub port_2_link_enable_or_none: [Signal<Out, Bit>; SP],
    /// Packets from the link of port 2.
    #[default(array_init::array_init(|_| Default::default()))]
    pub port_2_s_axis_or_none: [StreamSink<W, K>; SP],
    /// Marks of the beats of port 2, as in `s_axis_tuser`.
    #[default(array_init::array_init(|_| Default::default()))]
    pub port_2_s_axis_tuser_or_none: [Signal<In, Bits<2>>; SP],
    /// Packets to the link of port 2.
    #[default(array_init::array_init(|_| Default::default()))]
    pub port_2_m_axis_or_none: [StreamSource<W, K>; SP],
    /// High with the beat of a link packet on port 2's `m_axis`.
    #[default(array_init::array_init(|_| Default::default()))]
    pub port_2_m_axis_tuser_or_none: [Signal<Out, Bit>; SP],
    /// Reads of host memory, AXI4. The ID is that of the client (`memory::read_arbiter`).
    pub m_axi_reads: AxiReadSource<M>,
    /// Writes of host memory, AXI4. The ID is that of the client (`memory::write_port`).
    pub m_axi_writes: AxiWriteSource<M, MK>,

    #[default(Registers::new(
        (MB << 24 | K << 16 | CB << 8 | QB) as u32,
        DATAGRAM_LIMITS_VALUE | AB as u32 | (if ROCE == 1 { 1 } else { GIDS }) << 24,
        ROCE == 1,
        NP as u32
    ))]
    registers: Registers,
    ports: PortSet<W, K, LA, BD, BA, LB, VB, NV, NP, SP, IB, ROCE>,
    #[default(Commands::new(if IB == 1 { stream_rate(W, SMALL.clock_hz) } else { 0 }))]
    commands: Commands<QB, NQ, CA, CB, MB, AB, HA, SP>,
    drain: Drain,
    inbound: Inbound<W, K, NB, RA, QB, NQ, CA, M, MN, RB, SP, IB, ROCE>,
    responses: Responses<QB, NQ, RB, CA, M>,
    requests: Requests<QB, NQ, RB, OA, M, MN, AB>,
    walks: WalkServer<MB>,
    outbound: Outbound<W, K, M, MA, PA, QB, AB, TA, IB, ROCE>,
    memory: HostMemory<W, M, MK, MD, CB, RB, QB, NQ>,
    /// QPs that the requester has failed, for the responder.
    requester_failures: Fifo<Bits<QB>, 1>,
    /// High for one cycle, the cycle after the requester has failed a QP. Registered for timing: its input settles late
    /// in the clock.
    failing: Register<Bit>,
    /// QP that `failing` belongs to.
    failing_index: Register<Bits<QB>>,
    /// High if `failing` and the queue behind it have room for one more QP.
    failing_room: Register<Bit>,
    /// High if there is room for the original value of an atomic. Not valid in the cycle after an atomic; atomics never
    /// come back to back.
    original_room: Register<Bit>,
    /// High if no peer invalidation is pending or active, and none can start before this command's key walk.
    regions_still: Register<Bit>,
    /// High for one cycle when the protection table is updated, one cycle after the command: walks stand still.
    region_updates: Register<Bit>,
    /// Region that is updated.
    region_index: Register<Bits<MB>>,
    /// Its row.
    region: Register<RegionRow>,
    /// QPs that the responder has failed, for the requester.
    responder_failures: Fifo<Bits<QB>, 1>,
    /// QPs that the responder has to fail because of an error elsewhere in the adapter.
    unreadable: Fifo<Bits<QB>, 1>,
    /// QPs whose doorbell was refused and whose event is still to be written.
    refusal_events: Fifo<Bits<QB>, 1>,
    /// QPs whose doorbell was refused and that are still to fail.
    refusal_failures: Fifo<Bits<QB>, 1>,
    #[default(constant(STATE_RESET))]
    state_reset: Constant<Bits<3>>,
    #[default(Constant::new(ROCE == 1))]
    roce: Constant<Bit>,
    retirement: Retire,
    link_dropped: Signal<Local, RetireRecord>,

    why: DropReasons,
    /// High for one cycle when both keys of a region are to be invalidated.
    invalidates: Signal<Local, Bit>,
    /// High while a refused doorbell waits.
    doorbell_refused: Signal<Local, Bit>,
    /// QP of that doorbell.
    refused_index: Signal<Local, Bits<QB>>,
    /// High if both queues of such QPs take it in this clock.
    refusal_taken: Signal<Local, Bit>,
    /// R_Key of the region that is invalidated.
    invalidated_key: Signal<Local, Bits<32>>,
    #[default(constant(MK.trailing_zeros() as usize))]
    beat_size: Constant<Bits<3>>,
    #[default(constant(1))]
    burst_increments: Constant<Bits<2>>,
    #[default(crate::retire::kind(kind::PACKET_DROPPED))]
    kind_dropped: Constant<RetireRecord>,
}

#[kernel]
impl<
        const W: usize,
        const K: usize,
        const NB: usize,
        const RA: usize,
        const LA: usize,
        const M: usize,
        const MK: usize,
        const MA: usize,
        const MD: usize,
        const MN: usize,
        const PA: usize,
        const QB: usize,
        const NQ: usize,
        const OA: usize,
        const CA: usize,
        const RB: usize,
        const CB: usize,
        const MB: usize,
        const AB: usize,
        const HA: usize,
        const TA: usize,
        const BD: usize,
        const BA: usize,
        const LB: usize,
        const VB: usize,
        const NV: usize,
        const NP: usize,
        const SP: usize,
        const IB: usize,
        const ROCE: usize,
    > Logic
    for Hca<
        W,
        K,
        NB,
        RA,
        LA,
        M,
        MK,
        MA,
        MD,
        MN,
        PA,
        QB,
        NQ,
        OA,
        CA,
        RB,
        CB,
        MB,
        AB,
        HA,
        TA,
        BD,
        BA,
        LB,
        VB,
        NV,
        NP,
        SP,
        IB,
        ROCE,
    >
{
    fn update(&mut self) {
        clock_and_reset!(
            self, registers, ports, commands, drain, inbound, responses, requests, walks, outbound, memory,
            refusal_events, refusal_failures, requester_failures, responder_failures, unreadable, retirement
        );
        self.region_updates.d.next = self.commands.region_update_valid.val() && !self.reset.val();
        self.region_index.d.next = self.commands.region_index.val();
        self.region.d.next = self.commands.region.val();
        self.invalidates.next =
            self.inbound.invalidate.valid.val() || self.commands.region_invalidate_valid.val();
        self.invalidated_key.next = self.commands.region_invalidate_key.val();
        if self.inbound.invalidate.valid.val() {
            self.invalidated_key.next = self.inbound.invalidate.key.val();
        }
        inputs!(self.walks, update_valid: region_updates.q, update_index: region_index.q, update: region.q);
        inputs!(self.walks, invalidate_valid: invalidates, invalidate_key: invalidated_key);
        SgeLookupSource::join(&mut self.inbound.lookup, &mut self.walks.walker[0]);
        SgeLookupSource::join(&mut self.responses.lookup, &mut self.walks.walker[1]);
        SgeLookupSource::join(&mut self.requests.scatter_lookup, &mut self.walks.walker[2]);
        SgeLookupSource::join(&mut self.requests.gather_lookup, &mut self.walks.walker[3]);
        AxiLiteSink::<20>::link(&mut self.s_axil, &mut self.registers.axil);
        outputs!(self.registers, irq);
        wires!(
            self.commands, self.registers, command_done, command_result, argument_index, answer_valid,
            answer_index, answer
        );
        self.registers.doorbell.ready.next = (self.registers.doorbell_receive.val()
            && self.inbound.doorbell.ready.val())
            || (!self.registers.doorbell_receive.val() && self.requests.doorbell.ready.val());
        wires!(self.memory, self.registers, event_written, host_memory_failed);
        CqDoorbellSource::join(&mut self.registers.cq_doorbell, &mut self.memory.cq_doorbell);
        inputs!(self.registers, packets_received: ports.arrived, packets_sent: ports.sent);
        // The ports: their pins, their registers, and both of their sides.
        inputs!(self.ports, link_up, s_axis_tuser);
        outputs!(self.ports, link_enable, m_axis_tuser);
        StreamSink::<W, K>::link(&mut self.s_axis, &mut self.ports.s_axis);
        StreamSource::<W, K>::link(&mut self.m_axis, &mut self.ports.m_axis);
        for i in 0..SP {
            self.ports.second_link_up[i].next = self.port_2_link_up_or_none[i].val();
            self.port_2_link_enable_or_none[i].next = self.ports.second_link_enable[i].val();
            StreamSink::<W, K>::link(
                &mut self.port_2_s_axis_or_none[i],
                &mut self.ports.second_s_axis[i],
            );
            self.ports.second_s_axis_tuser[i].next = self.port_2_s_axis_tuser_or_none[i].val();
            StreamSource::<W, K>::link(
                &mut self.port_2_m_axis_or_none[i],
                &mut self.ports.second_m_axis[i],
            );
            self.port_2_m_axis_tuser_or_none[i].next = self.ports.second_m_axis_tuser[i].val();
        }
        RegisterBusSource::join(&mut self.registers.port_bus, &mut self.ports.bus);
        inputs!(self.registers, port_read_data: ports.read_data, port_changing: ports.changing);
        EventSource::<1>::join(&mut self.ports.event, &mut self.memory.port_event);
        StreamSource::<W, K>::join(&mut self.ports.arrival, &mut self.inbound.s_axis);
        wires!(self.ports, self.inbound, own, ends_bad, overran, hold, accepts_management, accepts_data);
        wires!(self.ports, self.inbound, first_address, second_address);
        self.inbound.port.next = self.ports.arrival_port.val();
        wires!(self.inbound, self.ports, free, heard, smp_dropped);
        LinkCountSource::join(&mut self.inbound.counts, &mut self.ports.counts);
        self.ports.responder_p_key.next =
            self.inbound.drop.valid.val() && (self.inbound.drop.reason.val() == self.why.p_key.val());
        self.ports.responder_q_key.next =
            self.inbound.drop.valid.val() && (self.inbound.drop.reason.val() == self.why.q_key.val());
        self.ports.responder_port.next = self.inbound.drop.port.val();
        self.ports.requester_p_key.next =
            self.requests.drop.valid.val() && (self.requests.drop.reason.val() == self.why.p_key.val());
        self.ports.requester_port.next = self.requests.drop.port.val();
        ViolationWordSource::join(&mut self.inbound.violation, &mut self.ports.violation);
        wires!(self.ports, self.inbound, latched);
        self.inbound.response_key_decided.next = self.requests.key_decided.val();
        wires!(self.ports, self.outbound, first_address, second_address, send_hold);
        LeavingPacketSource::join(&mut self.outbound.leaving, &mut self.ports.leaving);
        StreamSource::<W, K>::join(&mut self.outbound.m_axis, &mut self.ports.packet);
        inputs!(self.registers.link_drop, valid: inbound.link_drop_valid, reason: inbound.link_drop_reason);
        // No register counts drops by port.
        self.registers.link_drop.port.next = false;
        DropSource::join(&mut self.inbound.drop, &mut self.registers.responder_drop);
        DropSource::join(&mut self.requests.drop, &mut self.registers.requester_drop);
        wires!(self.registers, self.commands, command, command_valid, arguments, q_key, argument);
        self.commands.roce.next = self.roce.val();
        QpPulseSource::<QB>::join(&mut self.inbound.reported, &mut self.commands.responder_failed);
        QpPulseSource::<QB>::join(
            &mut self.requests.state_error,
            &mut self.commands.requester_failed,
        );
        QpPulseSource::<QB>::join(&mut self.requests.send_error, &mut self.commands.send_failed);
        CqCommandSource::<CB>::join(&mut self.commands.cq, &mut self.memory.cq);
        // Wait for the packets, payload, completions and failures of a QP that is reset, or by keys that are invalid.
        self.drain.start.next = self.commands.drain_start.val();
        self.commands.drained.next = self.drain.done.val();
        self.requests.drain_mark.next = self.drain.lookups_mark.val();
        self.responses.drain_mark.next = self.drain.lookups_mark.val();
        self.requests.placement_hold.next = self.commands.placement_hold.val();
        self.regions_still.d.next = !self.inbound.invalidate.hold.val() && !self.walks.busy.val();
        self.commands.placement_still.next =
            self.requests.placement_still.val() && self.regions_still.q.val();
        self.drain.lookups_passed.next =
            self.requests.drain_passed.val() && self.responses.drain_passed.val();
        self.outbound.drain_mark.next = self.drain.outbound_mark.val();
        self.drain.outbound_passed.next = self.outbound.drain_passed.val();
        self.memory.placement_mark.next = self.drain.memory_mark.val();
        inputs!(self.drain, memory_passed: memory.placement_passed, completions_passed: memory.drain_passed);
        self.drain.failures_reported.next = !self.memory.fail.valid.val()
            && !self.refusal_events.read.valid.val()
            && !self.refusal_failures.read.valid.val()
            && !self.unreadable.read.valid.val()
            && !self.failing.q.val()
            && !self.requester_failures.read.valid.val()
            && !self.responder_failures.read.valid.val();
        self.memory.forget_valid.next = self.commands.forget_valid.val();
        self.commands.to_receive_ready.next = self.inbound.modify.ready.val();
        self.commands.to_response_ready.next = self.responses.modify.ready.val();
        self.commands.to_requester_ready.next = self.requests.modify.ready.val();
        PayloadCommandSource::join(
            &mut self.memory.payload_command,
            &mut self.inbound.payload_command,
        );
        // Own multicast packets come back, and the groups that they go to stay the same meanwhile.
        CopiedBeatSource::<W, K>::join(&mut self.outbound.copy, &mut self.ports.copy);
        self.inbound.own_discarded.next = self.ports.own_discarded.val();
        self.inbound.own_under_way.next = self.requests.multicast_under_way.val();
        inputs!(self.requests, multicast_done: inbound.own_done, group_hold: commands.group.hold);
        GroupCommandSource::join(&mut self.commands.group, &mut self.inbound.group);
        PayloadBeatSource::<W>::join(&mut self.inbound.payload, &mut self.memory.payload);
        inputs!(self.inbound.modify, valid: commands.to_receive_valid, index: commands.qp_index);
        inputs!(self.inbound.modify, row: commands.qp_row, limits: commands.qp_limits);
        self.inbound.modify_route.next = self.commands.qp_route.val();
        self.inbound.connected.valid.next =
            self.commands.to_response_valid.val() && self.responses.modify.ready.val();
        self.inbound.connected.index.next = self.commands.qp_index.val();
        QpPulseSource::<QB>::join(&mut self.requests.state_error, &mut self.inbound.state_error);
        OfferSource::<ResponseArrival>::join(&mut self.inbound.response, &mut self.requests.response);
        PayloadOrderSource::<QB>::join(&mut self.inbound.order, &mut self.memory.order);
        QpOfferSource::<QB>::join(&mut self.requester_failures.read, &mut self.inbound.fail);
        QpOfferSource::<QB>::join(&mut self.unreadable.read, &mut self.inbound.unreadable);
        QpOfferSource::<QB>::join(&mut self.inbound.failed, &mut self.responder_failures.write);
        self.inbound.invalidate.quiet.next =
            self.responses.quiet.val() && self.requests.quiet.val() && !self.walks.busy.val();
        AtomicJobSource::<RB>::join(&mut self.inbound.atomic, &mut self.memory.atomic);
        OfferSource::<ResponseJob>::join(&mut self.inbound.job, &mut self.responses.job);
        AnswerLevelSource::<QB>::join(&mut self.inbound.level, &mut self.responses.level);
        self.inbound.answered.valid.next = self.outbound.emitted.valid.val()
            && ((self.outbound.emitted.kind.val() == 2)
                || ((self.outbound.emitted.kind.val() == 1) && self.outbound.emitted.last.val()));
        inputs!(self.inbound.answered, index: outbound.emitted.index, psn: outbound.emitted.psn);
        OfferSource::<CompletionRecord>::join(&mut self.inbound.completion, &mut self.memory.receive);
        ListReadSource::<M>::join(&mut self.inbound.list, &mut self.memory.responder_list);
        WritePieceSource::join(&mut self.inbound.piece, &mut self.memory.responder);
        self.inbound.ahead.valid.next = self.s_axil.awvalid.val() && self.registers.axil.awready.val();
        self.inbound.ahead.index.next = self.s_axil.awaddr.val().get_bits::<12>(3);
        self.inbound.ahead.producer.next = self.s_axil.wdata.val().get_bits::<16>(0);
        self.inbound.doorbell.valid.next =
            self.registers.doorbell.valid.val() && self.registers.doorbell_receive.val();
        wires!(self.registers.doorbell, self.inbound.doorbell, index, producer);
        WqeReadSource::join(&mut self.inbound.wqe, &mut self.memory.receive_wqe);
        ReadBeatSource::<M>::join(&mut self.memory.read_data, &mut self.inbound.wqe_data);
        inputs!(self.responses.modify, valid: commands.to_response_valid, index: commands.qp_index);
        inputs!(self.responses.modify, row: commands.qp_row, limits: commands.qp_limits);
        self.responses.receive_modified.next =
            self.commands.to_receive_valid.val() && self.inbound.modify.ready.val();
        self.responses.responder_written.next = self.memory.responder_written.val();
        AtomicDoneSource::<RB>::join(&mut self.memory.done, &mut self.responses.original);
        EmittedPacketSource::<QB>::join(&mut self.outbound.emitted, &mut self.responses.emitted);
        OfferSource::<TransmitPacket>::join(&mut self.responses.response, &mut self.outbound.response);
        OfferSource::<TransmitPacket>::join(&mut self.responses.ack, &mut self.outbound.ack);
        LaneHoldSource::join(&mut self.ports.response_hold, &mut self.responses.lane_hold);
        LaneShareSource::join(&mut self.responses.lane_share, &mut self.ports.response_share);
        LaneShareSource::join(&mut self.responses.lane_back, &mut self.ports.response_back);
        RateAskSource::join(&mut self.responses.rate, &mut self.outbound.response_rate);
        self.outbound.response_mark_back.next = self.responses.mark_back.val();
        wires!(self.responses, self.ports, responds);
        self.responses.fail.ready.next = self.unreadable.write.ready.val();
        self.responses.region_hold.next = self.inbound.invalidate.hold.val();
        PlannedPieceSource::join(&mut self.responses.piece, &mut self.outbound.response_piece);
        self.requests.port_lids.next = (bit_cast::<32, 16>(self.ports.second_address.val().lid) << 16)
            | bit_cast::<32, 16>(self.ports.first_address.val().lid);
        self.requests.port_lmcs.next = (bit_cast::<6, 3>(self.ports.second_address.val().lmc) << 3)
            | bit_cast::<6, 3>(self.ports.first_address.val().lmc);
        self.requests.port_mtus.next = (bit_cast::<6, 3>(self.ports.second_address.val().mtu) << 3)
            | bit_cast::<6, 3>(self.ports.first_address.val().mtu);
        HandleUpdateSource::<AB>::join(&mut self.commands.handle, &mut self.requests.handle);
        inputs!(self.requests.modify, valid: commands.to_requester_valid, index: commands.qp_index);
        inputs!(self.requests.modify, row: commands.qp_row, limits: commands.qp_limits);
        QpOfferSource::<QB>::join(&mut self.responder_failures.read, &mut self.requests.fail);
        QpPulseSource::<QB>::join(&mut self.inbound.reported, &mut self.requests.responder_failed);
        // Low in the clock after a failure: only then does the queue show its room.
        self.failing_room.d.next = self.requester_failures.write.ready.val()
            && !self.failing.q.val()
            && !self.requests.failed.valid.val();
        self.requests.failed.ready.next = self.failing_room.q.val();
        self.original_room.d.next =
            self.memory.original.ready.val() && !self.requests.original.valid.val() && !self.reset.val();
        self.requests.original.ready.next = self.original_room.q.val();
        OfferSource::<TransmitPacket>::join(&mut self.requests.request, &mut self.outbound.request);
        LaneHoldSource::join(&mut self.ports.request_hold, &mut self.requests.lane_hold);
        LaneShareSource::join(&mut self.requests.lane_share, &mut self.ports.request_share);
        LaneShareSource::join(&mut self.requests.lane_back, &mut self.ports.request_back);
        RateAskSource::join(&mut self.requests.rate, &mut self.outbound.request_rate);
        self.outbound.request_mark_back.next = self.requests.mark_back.val();
        EmittedPacketSource::<QB>::join(&mut self.outbound.emitted, &mut self.requests.departs);
        wires!(self.outbound, self.requests, request_read, handed_valid, handed_spoiled);
        OfferSource::<CompletionRecord>::join(&mut self.requests.completion, &mut self.memory.send);
        self.requests.ahead.valid.next = self.s_axil.awvalid.val() && self.registers.axil.awready.val();
        self.requests.ahead.index.next = self.s_axil.awaddr.val().get_bits::<12>(3);
        self.requests.ahead.producer.next = self.s_axil.wdata.val().get_bits::<16>(0);
        self.requests.doorbell.valid.next =
            self.registers.doorbell.valid.val() && !self.registers.doorbell_receive.val();
        wires!(self.registers.doorbell, self.requests.doorbell, index, producer);
        WqeReadSource::join(&mut self.requests.wqe, &mut self.memory.send_wqe);
        ReadBeatSource::<M>::join(&mut self.memory.read_data, &mut self.requests.wqe_data);
        self.requests.region_hold.next = self.inbound.invalidate.hold.val();
        ListReadSource::<M>::join(&mut self.requests.gather_list, &mut self.memory.requester_list);
        PlannedPieceSource::join(&mut self.requests.gather_piece, &mut self.outbound.request_piece);
        ListReadSource::<M>::join(&mut self.requests.scatter_list, &mut self.memory.response_list);
        WritePieceSource::join(&mut self.requests.scatter_piece, &mut self.memory.requester);
        WqeReadSource::join(&mut self.outbound.read, &mut self.memory.gather);
        ReadBeatSource::<M>::join(&mut self.memory.read_data, &mut self.outbound.read_data);
        DataFaultSource::join(&mut self.outbound.fault, &mut self.memory.fault);
        // Answers may use the new route from when the receive side has the new context. A QP that goes to Reset keeps
        // its old route for what it still sends.
        self.outbound.modify.valid.next = (self.commands.to_receive_valid.val()
            && self.inbound.modify.ready.val()
            && (self.commands.qp_row.val().state != self.state_reset.val()))
            || (self.commands.to_requester_valid.val() && self.requests.modify.ready.val());
        inputs!(self.outbound.modify, index: commands.qp_index, route: commands.qp_route);
        HandleUpdateSource::<AB>::join(&mut self.commands.handle, &mut self.outbound.handle);
        AxiReadSource::<M>::link(&mut self.m_axi_reads, &mut self.memory.axi_read);
        self.memory.original.valid.next = self.requests.original.valid.val();
        self.memory.original.item.next = self.requests.original.item.val();
        AxiWriteSource::<M, MK>::link(&mut self.m_axi_writes, &mut self.memory.axi_write);
        EventRingSource::join(&mut self.registers.eq, &mut self.memory.eq);
        self.memory.drain_mark.next = self.drain.completions_mark.val();
        QpNoticeSource::<QB>::join(&mut self.inbound.notice, &mut self.memory.request_event);
        QpOfferSource::<QB>::join(&mut self.requests.drained, &mut self.memory.drained);
        self.requests.modify_wants_drained.next = self.commands.qp_limits.val().wants_drained;
        // A refused doorbell, one of either queue at a time: an event is written, and the QP fails.
        self.doorbell_refused.next = self.inbound.refused.valid.val() || self.requests.refused.valid.val();
        self.refused_index.next = self.requests.refused.item.val();
        if self.inbound.refused.valid.val() {
            self.refused_index.next = self.inbound.refused.item.val();
        }
        self.refusal_taken.next =
            self.refusal_events.write.ready.val() && self.refusal_failures.write.ready.val();
        self.inbound.refused.ready.next = self.refusal_taken.val();
        self.requests.refused.ready.next = self.refusal_taken.val();
        self.refusal_events.write.valid.next = self.doorbell_refused.val() && self.refusal_taken.val();
        self.refusal_events.write.item.next = self.refused_index.val();
        QpOfferSource::<QB>::join(&mut self.refusal_events.read, &mut self.memory.bad_doorbell);
        self.refusal_failures.write.valid.next = self.doorbell_refused.val() && self.refusal_taken.val();
        self.refusal_failures.write.item.next = self.refused_index.val();
        self.failing.d.next = self.requests.failed.valid.val() && !self.reset.val();
        self.failing_index.d.next = self.requests.failed.item.val();
        inputs!(self.requester_failures.write, item: failing_index.q, valid: failing.q);
        self.memory.refused.valid.next = self.responses.fail.valid.val() && self.unreadable.write.ready.val();
        self.memory.refused.index.next = self.responses.fail.item.val();
        self.unreadable.write.item.next = self.memory.fail.item.val();
        self.unreadable.write.valid.next = self.responses.fail.valid.val()
            || self.memory.fail.valid.val()
            || self.commands.fail.valid.val()
            || self.refusal_failures.read.valid.val();
        self.memory.fail.ready.next = self.unreadable.write.ready.val() && !self.responses.fail.valid.val();
        self.commands.fail.ready.next = self.unreadable.write.ready.val()
            && !self.responses.fail.valid.val()
            && !self.memory.fail.valid.val();
        self.refusal_failures.read.ready.next = self.unreadable.write.ready.val()
            && !self.responses.fail.valid.val()
            && !self.memory.fail.valid.val()
            && !self.commands.fail.valid.val();
        if !self.memory.fail.valid.val() && !self.commands.fail.valid.val() {
            self.unreadable.write.item.next = self.refusal_failures.read.item.val();
        } else if !self.memory.fail.valid.val() {
            self.unreadable.write.item.next = self.commands.fail.item.val();
        }
        if self.responses.fail.valid.val() {
            self.unreadable.write.item.next = self.responses.fail.item.val();
        }
        self.memory.modify_valid.next =
            self.commands.to_requester_valid.val() && self.requests.modify.ready.val();
        self.memory.modify_index.next = self.commands.qp_index.val();
        self.memory.modify_qpn.next = self.commands.qp_row.val().qpn;
        self.m_axi_arsize.next = self.beat_size.val();
        self.m_axi_awsize.next = self.beat_size.val();
        self.m_axi_arburst.next = self.burst_increments.val();
        self.m_axi_awburst.next = self.burst_increments.val();
        self.s_axil_bresp.next = bits::<2>(0);
        self.s_axil_rresp.next = bits::<2>(0);
        // The lanes of the retire port are numbered in `host::retire`.
        ReportSource::join(&mut self.requests.retire_doorbell, &mut self.retirement.lane[0]);
        ReportSource::join(&mut self.inbound.retire_doorbell, &mut self.retirement.lane[1]);
        // The port takes another state in a clock in which that side reports nothing else.
        self.retirement.lane[2].valid.next =
            self.inbound.link_drop_valid.val() || self.ports.retire_receive.valid.val();
        self.link_dropped.next = self.kind_dropped.val();
        self.link_dropped.next.code = self.inbound.link_drop_reason.val();
        self.link_dropped.next.index = self.inbound.link_drop_packet.val();
        self.retirement.lane[2].record.next = self.link_dropped.val();
        if self.ports.retire_receive.valid.val() {
            self.retirement.lane[2].record.next = self.ports.retire_receive.record.val();
        }
        ReportSource::join(&mut self.inbound.retire_wqe, &mut self.retirement.lane[3]);
        ReportSource::join(&mut self.inbound.retire, &mut self.retirement.lane[4]);
        ReportSource::join(&mut self.requests.fetched, &mut self.retirement.lane[5]);
        ReportSource::join(&mut self.requests.retire, &mut self.retirement.lane[6]);
        ReportSource::join(&mut self.responses.retire, &mut self.retirement.lane[7]);
        self.retirement.lane[8].valid.next =
            self.outbound.retire.valid.val() || self.ports.retire_send.valid.val();
        self.retirement.lane[8].record.next = self.outbound.retire.record.val();
        if self.ports.retire_send.valid.val() {
            self.retirement.lane[8].record.next = self.ports.retire_send.record.val();
        }
        ReportSource::join(&mut self.memory.retire, &mut self.retirement.lane[9]);
        ReportSource::join(&mut self.memory.retire_fault, &mut self.retirement.lane[10]);
        // At most one queue reports an unreadable WQE in one clock: both read over one channel.
        self.retirement.lane[11].valid.next =
            self.inbound.retire_unread.valid.val() || self.requests.retire_unread.valid.val();
        self.retirement.lane[11].record.next = self.requests.retire_unread.record.val();
        if self.inbound.retire_unread.valid.val() {
            self.retirement.lane[11].record.next = self.inbound.retire_unread.record.val();
        }
        ReportSource::join(&mut self.memory.retire_arm, &mut self.retirement.lane[12]);
        ReportSource::join(&mut self.memory.retire_event, &mut self.retirement.lane[13]);
        // At most one queue reports a refused doorbell in one clock: software rings one doorbell at a time.
        self.retirement.lane[14].valid.next =
            self.inbound.retire_refused.valid.val() || self.requests.retire_refused.valid.val();
        self.retirement.lane[14].record.next = self.requests.retire_refused.record.val();
        if self.inbound.retire_refused.valid.val() {
            self.retirement.lane[14].record.next = self.inbound.retire_refused.record.val();
        }
        ReportSource::join(&mut self.commands.retire, &mut self.retirement.lane[15]);
        outputs!(self.retirement, retire_valid, retire_order, retire_record);
    }
}

/// The `small` profile's hardware with `NP` ports; `RA` as in [`Hca`], one of `IB` and `ROCE` is 1.
#[rustfmt::skip]
type SmallWith<const RA: usize, const NP: usize, const SP: usize, const IB: usize, const ROCE: usize> =
    Hca<64, 8, 15, RA, 10, 128, 16, 192, 256, 4, 8, 4, 16, 10, 9, 8, 4, 6, 6, 10, 7, 72, 12, 10, 1, 2, NP, SP, IB, ROCE>;

/// The native `small` profile's hardware. Its payload buffer (`RA`) is half that of RoCEv2, because packets wait in the
/// buffers of the VLs before they reach it.
pub type Small = SmallWith<10, 1, 0, 1, 0>;

/// The `small` profile's hardware for RoCEv2.
pub type SmallRoce = SmallWith<11, 1, 0, 0, 1>;

/// The hardware of the native `pair` profile: that of `small` with two ports.
pub type Pair = SmallWith<10, 2, 1, 1, 0>;

/// The `mid` profile's hardware; one of `IB` and `ROCE` is 1.
#[rustfmt::skip]
pub type Mid<const IB: usize, const ROCE: usize> =
    Hca<256, 32, 4, 9, 8, 512, 64, 768, 1024, 1, 8, 4, 16, 10, 9, 8, 4, 6, 6, 10, 7, 264, 11, 9, 2, 4, 1, 0, IB, ROCE>;

/// The `line` profile's hardware; one of `IB` and `ROCE` is 1.
#[rustfmt::skip]
pub type Line<const IB: usize, const ROCE: usize> =
    Hca<512, 64, 2, 8, 7, 512, 64, 1024, 1024, 1, 8, 8, 256, 14, 13, 12, 8, 10, 10, 14, 11, 520, 11, 9, 3, 8, 1, 0, IB, ROCE>;
