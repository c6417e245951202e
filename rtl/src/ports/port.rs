//! A port: its registers, and both sides of its link.
use super::PortAddress;
use crate::bundle::{
    CopiedBeatSink, CreditUpdateSource, LaneShareSink, LeavingPacketSink, LinkCountSink, ReceiveStateSource,
    RegisterBusSink, ReportSource, ViolationWordSink, VlArbitrationSource,
};
use crate::control::{GuidTable, ManagementRegisters, PKeyTable, PortCounter, PortRegisters, ViolationLatch};
use crate::event::PortNotices;
use crate::link::{FlowControlTake, LaneHolds, LinkSend, ReceiveBuffer, VlChoice};
use crate::transmit::Withhold;
use crate::wire::Loopback;
use hca_hdl::prelude::*;
use hca_host::register as map;

/// One port: its registers, what it does with arriving packets before their checks, and with leaving packets once they
/// are built (`protocol/link.md`).
///
/// `W`: stream bits; `K` = `W` / 8; `LA`: log2 of the beats of [`Loopback`]; `BD`, `BA`: the widths of
/// [`ReceiveBuffer`]; `LB`: log2 of the beats that wait for the link on each data VL ([`LinkSend`]); `VB`: log2 of the
/// data VLs; `NV` = 2^`VB`. One of `IB` and `ROCE` is 1: native InfiniBand, or RoCEv2 in Ethernet frames. Over Ethernet
/// the port has no state, no VLs and no counters but those of violations, and packets pass.
#[derive(LogicBlock, SmartDefault)]
pub struct Port<
    const W: usize,
    const K: usize,
    const LA: usize,
    const BD: usize,
    const BA: usize,
    const LB: usize,
    const VB: usize,
    const NV: usize,
    const IB: usize,
    const ROCE: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while the physical link is up; ignored over Ethernet.
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
    /// High with the beat of a link packet on `m_axis`; low over Ethernet.
    pub m_axis_tuser: Signal<Out, Bit>,

    /// Writes and reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    /// High while the port has yet to take a state that software or its link asks for.
    pub changing: Signal<Out, Bit>,
    /// High in the cycle in which such a step begins.
    pub begins: Signal<Out, Bit>,
    /// High from the next cycle on until both sides have reported the step.
    pub steps_on: Signal<Out, Bit>,
    /// High while no step may begin: another port makes one.
    pub wait: Signal<In, Bit>,
    /// High for one cycle when the responder drops a packet of this port for its P_Key.
    pub responder_p_key: Signal<In, Bit>,
    /// High for one cycle when the requester drops a packet of this port for its P_Key.
    pub requester_p_key: Signal<In, Bit>,
    /// High for one cycle when the responder drops a packet of this port for its Q_Key.
    pub responder_q_key: Signal<In, Bit>,
    /// Fields of packets of this port with a wrong key, for the violation latch. They come before the packet is
    /// dropped.
    pub violation: ViolationWordSink,
    /// High while the violation latch is not free; low over Ethernet.
    pub latched: Signal<Out, Bit>,
    /// High for one cycle for each packet for QP0 that finds no receive WQE, or no queue pair that receives.
    pub smp_dropped: Signal<In, Bit>,
    /// Names and tables of the port.
    pub address: Signal<Out, PortAddress>,
    /// High while an event of the port is offered.
    pub event_valid: Signal<Out, Bit>,
    /// High in a cycle in which that event is taken.
    pub event_ready: Signal<In, Bit>,
    /// Kind of that event (`host::eqe`).
    pub event_kind: Signal<Out, Bits<8>>,

    /// Packets of the link, and copies of the port's own multicast packets between them, for their checks.
    pub arrival: StreamSource<W, K>,
    /// High with the beats of such a copy.
    pub own: Signal<Out, Bit>,
    /// High with the last beat of a packet that ended as bad (EBP).
    pub ends_bad: Signal<Out, Bit>,
    /// High with the only beat of the stub of a packet that found no room in the buffer of its VL.
    pub overran: Signal<Out, Bit>,
    /// High for one cycle when the last beat of a packet is taken from the link; not that of a link packet.
    pub arrived: Signal<Out, Bit>,
    /// Beats of own multicast datagrams.
    pub copy: CopiedBeatSink<W, K>,
    /// The state of the port, for the checks of packets.
    pub receive: ReceiveStateSource,
    /// Events at the link that the checks of packets find, for the counters of this port.
    pub counts: LinkCountSink,
    /// Retire records of the receive side, for `LANE_LINK` of `host::retire`.
    pub retire_receive: ReportSource,

    /// Packets on their way to the link; those of other ports never have `departs` or `builds` high here.
    pub leaving: LeavingPacketSink,
    /// Packets that are built, in the order of `leaving.builds`.
    pub packet: StreamSink<W, K>,
    /// High while the packet that comes is discarded in place of leaving.
    pub withholds: Signal<Out, Bit>,
    /// High in the cycle in which the send side takes a new state, new VLs or a new P_Key: no packet may depart.
    pub send_hold: Signal<Out, Bit>,
    /// Retire records of the send side, for `LANE_TRANSMIT` of `host::retire`, two cycles after `send_hold`.
    pub retire_send: ReportSource,
    /// Which VLs have room for requests ([`crate::link::LaneRoom`]).
    pub request_hold: Signal<Out, LaneHolds>,
    /// Which VLs have room for responses and acks.
    pub response_hold: Signal<Out, LaneHolds>,
    /// Valid for one cycle when a request for this port is made: it takes room on its VL.
    pub request_share: LaneShareSink,
    /// Valid for one cycle when a request for this port ends before it departs: it gives its room back.
    pub request_back: LaneShareSink,
    /// Valid for one cycle when a response for this port is made: it takes room on its VL.
    pub response_share: LaneShareSink,
    /// Valid for one cycle when a response for this port ends before it departs: it gives its room back.
    pub response_back: LaneShareSink,
    /// High while a response is being made.
    pub responds: Signal<In, Bit>,
    /// High for one cycle for each packet that has left, link packets not counted.
    pub sent: Signal<Out, Bit>,

    addresses: PortRegisters,
    #[default(array_init::array_init(|_| Default::default()))]
    guids: [GuidTable; IB],
    p_keys: PKeyTable,
    #[default([map::P_KEY_VIOLATIONS, map::Q_KEY_VIOLATIONS].map(PortCounter::at))]
    violations: [PortCounter; 2],
    #[default(array_init::array_init(|_| Default::default()))]
    latch: [ViolationLatch; IB],
    management: ManagementRegisters<VB, IB, ROCE>,
    #[default(array_init::array_init(|_| Default::default()))]
    notices: [PortNotices; IB],

    #[default(array_init::array_init(|_| Default::default()))]
    take: [FlowControlTake<W, K, NV>; IB],
    #[default(array_init::array_init(|_| Default::default()))]
    buffer: [ReceiveBuffer<W, K, BD, BA, NV>; IB],
    loopback: Loopback<W, K, LA>,

    #[default(array_init::array_init(|_| Default::default()))]
    choice: [VlChoice; IB],
    #[default(array_init::array_init(|_| Default::default()))]
    withhold: [Withhold<W, K>; IB],
    #[default(array_init::array_init(|_| Default::default()))]
    link: [LinkSend<W, K, BD, LB, NV>; IB],
    starts: Signal<Local, Bit>,
    /// Active MTU of a native port.
    mtu_bytes: Signal<Local, Bits<13>>,
    guids_read: Signal<Local, Bits<32>>,
    latch_read: Signal<Local, Bits<32>>,
    /// Over Ethernet no packet waits for room.
    #[default(Constant::new(LaneHolds::default()))]
    no_hold: Constant<LaneHolds>,
}

#[kernel]
impl<
        const W: usize,
        const K: usize,
        const LA: usize,
        const BD: usize,
        const BA: usize,
        const LB: usize,
        const VB: usize,
        const NV: usize,
        const IB: usize,
        const ROCE: usize,
    > Logic for Port<W, K, LA, BD, BA, LB, VB, NV, IB, ROCE>
{
    fn update(&mut self) {
        clock_and_reset!(self, addresses, p_keys, management, loopback);

        // Registers.
        RegisterBusSink::link(&mut self.bus, &mut self.addresses.bus);
        RegisterBusSink::link(&mut self.bus, &mut self.p_keys.bus);
        RegisterBusSink::link(&mut self.bus, &mut self.management.bus);
        for i in 0..2 {
            inputs!(self.violations[i], clock, reset);
            RegisterBusSink::link(&mut self.bus, &mut self.violations[i].bus);
        }
        self.violations[0].amount.next = bit_cast::<11, 1>(self.responder_p_key.val().into())
            + bit_cast::<11, 1>(self.requester_p_key.val().into());
        self.violations[1].amount.next = bit_cast::<11, 1>(self.responder_q_key.val().into());
        inputs!(self.management, link_up, smp_dropped, wait);
        outputs!(self.management, link_enable, changing, begins, steps_on);
        LinkCountSink::link(&mut self.counts, &mut self.management.counts);
        ReceiveStateSource::link(&mut self.receive, &mut self.management.receive);
        ReportSource::link(&mut self.retire_receive, &mut self.management.retire_receive);
        // Never both in one clock.
        self.send_hold.next = self.management.send_hold.val() || self.p_keys.send_hold.val();
        self.retire_send.valid.next =
            self.management.retire_send.valid.val() || self.p_keys.retire.valid.val();
        self.retire_send.record.next = self.management.retire_send.record.val();
        if self.p_keys.retire.valid.val() {
            self.retire_send.record.next = self.p_keys.retire.record.val();
        }
        self.address.next.lid = self.addresses.lid.val();
        self.address.next.lmc = self.addresses.lmc.val();
        self.address.next.gid = self.addresses.gid.val();
        self.address.next.mac = self.addresses.mac.val();
        self.address.next.p_keys = self.p_keys.p_keys.val();
        self.address.next.data_vls = self.management.data_vls.val();
        self.address.next.mtu = self.addresses.mtu.val();
        for i in 0..IB {
            inputs!(self.guids[i], clock, reset);
            RegisterBusSink::link(&mut self.bus, &mut self.guids[i].bus);
            self.address.next.guids = self.guids[i].guids.val();
            self.guids_read.next = self.guids[i].read_data.val();
            inputs!(self.notices[i], clock, reset, event_ready, turned: management.port_turned);
            outputs!(self.notices[i], event_valid, event_kind);
            inputs!(self.latch[i], clock, reset);
            RegisterBusSink::link(&mut self.bus, &mut self.latch[i].bus);
            ViolationWordSink::link(&mut self.violation, &mut self.latch[i].word);
            self.latch[i].p_key.next = self.responder_p_key.val() || self.requester_p_key.val();
            self.latch[i].q_key.next = self.responder_q_key.val();
            outputs!(self.latch[i], latched, latch_read: read_data);
            self.notices[i].violated.next = self.latch[i].taken.val();
        }
        for _i in 0..ROCE {
            self.address.next.guids = bits::<192>(0);
            self.guids_read.next = bits::<32>(0);
            self.latch_read.next = bits::<32>(0);
            self.latched.next = false;
            self.event_valid.next = false;
            self.event_kind.next = bits::<8>(0);
        }
        self.read_data.next = self.addresses.read_data.val()
            | self.guids_read.val()
            | self.latch_read.val()
            | self.p_keys.read_data.val()
            | self.violations[0].read_data.val()
            | self.violations[1].read_data.val()
            | self.management.read_data.val();

        CopiedBeatSink::<W, K>::link(&mut self.copy, &mut self.loopback.copy);
        StreamSource::<W, K>::link(&mut self.arrival, &mut self.loopback.m_axis);
        self.own.next = self.loopback.own.val();
        for i in 0..IB {
            // From the link.
            inputs!(self.take[i], clock, reset, data_vls: management.data_vls);
            StreamSink::<W, K>::link(&mut self.s_axis, &mut self.take[i].s_axis);
            self.take[i].is_link.next = self.s_axis_tuser.val().get_bit(0);
            self.take[i].looks.next =
                self.management.flow_control.val() && self.management.receive.accepts_management.val();
            self.take[i].armed.next = self.management.receive.accepts_data.val();
            self.management.restarted.next =
                self.take[i].taken.valid.val() && self.take[i].taken.initialises.val();
            self.management.link_packet_faulty.next = self.take[i].faulty.val();
            self.arrived.next = self.take[i].m_axis.tvalid.val()
                && self.buffer[i].s_axis.tready.val()
                && self.s_axis.tlast.val();
            inputs!(self.buffer[i], clock, reset, flow_control: management.flow_control);
            self.buffer[i].down.next = self.management.receive.down.val();
            StreamSource::<W, K>::join(&mut self.take[i].m_axis, &mut self.buffer[i].s_axis);
            self.buffer[i].s_axis_bad.next = self.s_axis_tuser.val().get_bit(1);
            CreditUpdateSource::join(&mut self.take[i].taken, &mut self.buffer[i].credit_update);
            StreamSource::<W, K>::join(&mut self.buffer[i].m_axis, &mut self.loopback.s_axis);
            self.ends_bad.next = self.buffer[i].m_axis_bad.val() && !self.loopback.own.val();
            self.overran.next = self.buffer[i].m_axis_overran.val() && !self.loopback.own.val();

            // To the link.
            wires!(self.management, self.choice[i], sl_to_vl, data_vls);
            inputs!(self.choice[i], sl: leaving.sl, management: leaving.management);
            inputs!(self.leaving, vl: choice[i].vl, room: link[i].room);
            self.starts.next = self.leaving.builds.val() && self.link[i].room.val();
            inputs!(self.withhold[i], clock, reset, starts, flow_control: management.flow_control);
            self.withhold[i].sends_management.next = self.management.sends.management.val();
            inputs!(self.withhold[i], sends_data: management.sends.data, departed_valid: leaving.departs);
            inputs!(self.withhold[i], management: leaving.management, unusable: choice[i].unusable);
            // Code 1 is 256 bytes.
            self.mtu_bytes.next = bits::<13>(128) << self.addresses.mtu.val();
            self.withhold[i].too_long.next = self.leaving.payload.val() > self.mtu_bytes.val();
            StreamSink::<W, K>::link(&mut self.packet, &mut self.withhold[i].s_axis);
            outputs!(self.withhold[i], withholds);
            StreamSource::<W, K>::join(&mut self.withhold[i].m_axis, &mut self.link[i].s_axis);

            inputs!(self.link[i], clock, reset, responds);
            wires!(self.management, self.link[i], flow_control, data_vls, sl_to_vl);
            VlArbitrationSource::join(&mut self.management.arbitration, &mut self.link[i].arbitration);
            wires!(self.management.sends, self.link[i], initialises, runs);
            inputs!(self.link[i], init: management.sends.enters_init, sends_data: management.sends.data);
            // A neighbour that initialises an Active port grants nothing: the port restarts (CF436).
            self.link[i].limit_valid.next = self.take[i].taken.valid.val()
                && !(self.take[i].taken.initialises.val() && self.management.sends.data.val());
            inputs!(self.link[i], limit_vl: take[i].taken.vl, limit: take[i].taken.fccl);
            wires!(self.buffer[i], self.link[i], fccl, fccl_step);
            outputs!(self.link[i], request_hold, response_hold);
            LaneShareSink::link(&mut self.request_share, &mut self.link[i].request);
            LaneShareSink::link(&mut self.request_back, &mut self.link[i].request_back);
            LaneShareSink::link(&mut self.response_share, &mut self.link[i].response);
            LaneShareSink::link(&mut self.response_back, &mut self.link[i].response_back);
            inputs!(self.link[i].departs, valid: leaving.departs, lane: leaving.lane);
            self.link[i].departs.payload.next = self.leaving.payload.val();
            inputs!(self.link[i], departs_mark: leaving.mark, delay: leaving.delay);
            self.leaving.freed.next = self.link[i].freed.val();
            inputs!(self.link[i], builds: starts, discards: withhold[i].verdict, vl: leaving.built_vl);
            inputs!(self.link[i], opcode: leaving.opcode, has_grh: leaving.has_grh);
            inputs!(self.link[i], payload: leaving.built_payload, gives_up_hold: withhold[i].discarded);
            StreamSource::<W, K>::link(&mut self.m_axis, &mut self.link[i].m_axis);
            outputs!(self.link[i], m_axis_tuser, sent: packet_left);
            self.management.departures.discarded.next =
                self.withhold[i].discarded.val() || self.link[i].gives_up.val();
            inputs!(self.management.departures, unsent: leaving.unsent, left: link[i].packet_left);
            self.management.departures.words.next = self.link[i].packet_words.val();
            inputs!(self.management.departures, multicast: link[i].packet_multicast, waits: link[i].waits);
        }
        for _i in 0..ROCE {
            self.management.restarted.next = false;
            self.management.link_packet_faulty.next = false;
            self.arrived.next =
                self.s_axis.tvalid.val() && self.loopback.s_axis.tready.val() && self.s_axis.tlast.val();
            StreamSink::<W, K>::link(&mut self.s_axis, &mut self.loopback.s_axis);
            self.ends_bad.next = false;
            self.overran.next = false;

            self.starts.next = false;
            self.leaving.vl.next = bits::<4>(0);
            self.leaving.room.next = true;
            self.leaving.freed.next = bits::<8>(0);
            self.withholds.next = false;
            inputs!(self.m_axis, tdata: packet.tdata, tkeep: packet.tkeep, tlast: packet.tlast);
            self.m_axis.tvalid.next = self.packet.tvalid.val();
            self.packet.tready.next = self.m_axis.tready.val();
            self.m_axis_tuser.next = false;
            self.sent.next = self.packet.tvalid.val() && self.m_axis.tready.val() && self.packet.tlast.val();
            self.mtu_bytes.next = bits::<13>(0);
            self.management.departures.discarded.next = false;
            self.management.departures.unsent.next = false;
            self.management.departures.left.next = false;
            self.management.departures.words.next = bits::<11>(0);
            self.management.departures.multicast.next = false;
            self.management.departures.waits.next = false;
            self.request_hold.next = self.no_hold.val();
            self.response_hold.next = self.no_hold.val();
        }
    }
}
