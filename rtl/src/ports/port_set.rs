//! The ports side by side, as one to the rest of the adapter.
use super::{Port, PortAddress, PortMerge};
use crate::bundle::{
    CopiedBeatSink, EventSource, LaneHoldSource, LaneShareSink, LeavingPacketSink, LinkCountSink,
    RegisterBusSink, ReportSource, ViolationWordSink,
};
use crate::link::LaneHolds;
use hca_hdl::prelude::*;
use hca_host::register::PORT_STRIDE;

/// One or two ports. Arriving packets are merged into one stream, with the settings of their port; each leaving packet
/// goes to its port (`protocol/link.md` section 8).
///
/// The widths are those of [`Port`]; `NP`: number of ports; `SP` = `NP` - 1. With one port the block adds no logic of
/// its own.
#[derive(LogicBlock, SmartDefault)]
pub struct PortSet<
    const W: usize,
    const K: usize,
    const LA: usize,
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
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while the physical link of port 1 is up; ignored over Ethernet.
    pub link_up: Signal<In, Bit>,
    /// High while the physical link of port 1 may be up; always high over Ethernet.
    pub link_enable: Signal<Out, Bit>,
    /// Packets from the link of port 1.
    pub s_axis: StreamSink<W, K>,
    /// Marks of the beats of `s_axis` ([`Port`]).
    pub s_axis_tuser: Signal<In, Bits<2>>,
    /// Packets to the link of port 1.
    pub m_axis: StreamSource<W, K>,
    /// High with the beat of a link packet on `m_axis`.
    pub m_axis_tuser: Signal<Out, Bit>,
    /// High while the physical link of port 2 is up.
    #[default(array_init::array_init(|_| Default::default()))]
    pub second_link_up: [Signal<In, Bit>; SP],
    /// High while the physical link of port 2 may be up.
    #[default(array_init::array_init(|_| Default::default()))]
    pub second_link_enable: [Signal<Out, Bit>; SP],
    /// Packets from the link of port 2.
    #[default(array_init::array_init(|_| Default::default()))]
    pub second_s_axis: [StreamSink<W, K>; SP],
    /// Marks of the beats of `second_s_axis` ([`Port`]).
    #[default(array_init::array_init(|_| Default::default()))]
    pub second_s_axis_tuser: [Signal<In, Bits<2>>; SP],
    /// Packets to the link of port 2.
    #[default(array_init::array_init(|_| Default::default()))]
    pub second_m_axis: [StreamSource<W, K>; SP],
    /// High with the beat of a link packet on `second_m_axis`.
    #[default(array_init::array_init(|_| Default::default()))]
    pub second_m_axis_tuser: [Signal<Out, Bit>; SP],

    /// Writes and reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    /// High while a port has yet to take a state that software or its link asks for.
    pub changing: Signal<Out, Bit>,
    /// High for one cycle when the responder drops a packet for its P_Key.
    pub responder_p_key: Signal<In, Bit>,
    /// High for one cycle when the responder drops a packet for its Q_Key.
    pub responder_q_key: Signal<In, Bit>,
    /// High for one cycle when a packet for QP0 finds no receive WQE, or no queue pair that receives.
    pub smp_dropped: Signal<In, Bit>,
    /// With the three above: high if the packet came by port 2.
    pub responder_port: Signal<In, Bit>,
    /// High for one cycle when the requester drops a packet for its P_Key.
    pub requester_p_key: Signal<In, Bit>,
    /// With `requester_p_key`: high if the packet came by port 2.
    pub requester_port: Signal<In, Bit>,
    /// Fields of packets with a wrong key, for the violation latch. They come before the packet is dropped.
    pub violation: ViolationWordSink,
    /// High while the violation latch of port 1 is not free; bit 1 for port 2; low over Ethernet.
    pub latched: Signal<Out, Bits<2>>,
    /// Names and tables of port 1.
    pub first_address: Signal<Out, PortAddress>,
    /// Names and tables of port 2; those of port 1 if there is one port.
    pub second_address: Signal<Out, PortAddress>,
    /// Events of the ports.
    pub event: EventSource<1>,

    /// Packets of all links, for their checks, with copies of own multicast packets.
    pub arrival: StreamSource<W, K>,
    /// High with the beats of such a copy.
    pub own: Signal<Out, Bit>,
    /// High with the last beat of a packet that ended as bad (EBP).
    pub ends_bad: Signal<Out, Bit>,
    /// High with the only beat of the stub of a packet that found no room in the buffer of its VL.
    pub overran: Signal<Out, Bit>,
    /// High while the packets that are checked are those of port 2.
    pub arrival_port: Signal<Out, Bit>,
    /// Number of packets, up to 2, whose last beat is taken from a link.
    pub arrived: Signal<Out, Bits<2>>,
    /// Beats of own multicast datagrams, as they come with `packet`.
    pub copy: CopiedBeatSink<W, K>,
    /// High for one cycle when the last beat of such a datagram is discarded in place of leaving.
    pub own_discarded: Signal<Out, Bit>,
    /// High while no beat may come in, because a port is to take a state.
    pub hold: Signal<Out, Bit>,
    /// High while the state of the port of `arrival_port` lets packets on VL 15 in.
    pub accepts_management: Signal<Out, Bit>,
    /// High while the state of the port of `arrival_port` lets packets on data VLs in.
    pub accepts_data: Signal<Out, Bit>,
    /// High in a cycle in which no packet is checked against the state of its port. Packets that were
    /// checked earlier are dropped or passed on within three cycles.
    pub free: Signal<In, Bit>,
    /// High for one cycle when a packet on a data VL has passed the checks of the link; it came by `arrival_port`.
    pub heard: Signal<In, Bit>,
    /// Events at the link that the checks of packets find, for the counters of the port of `arrival_port`.
    pub counts: LinkCountSink,
    /// Retire records of the receive side, for `LANE_LINK` of `host::retire`.
    pub retire_receive: ReportSource,

    /// Packets on their way to the link.
    pub leaving: LeavingPacketSink,
    /// Packets that are built, in the order of `leaving.builds`.
    pub packet: StreamSink<W, K>,
    /// High in the cycle in which a send side takes a new state, new VLs or a new P_Key: no packet may depart.
    pub send_hold: Signal<Out, Bit>,
    /// Retire records of the send side, for `LANE_TRANSMIT` of `host::retire`, two cycles after `send_hold`.
    pub retire_send: ReportSource,
    /// Which VLs have room for requests ([`crate::link::LaneRoom`]); over Ethernet no packet waits for room.
    pub request_hold: LaneHoldSource,
    /// Which VLs have room for responses and acks.
    pub response_hold: LaneHoldSource,
    /// Valid for one cycle when a request is made: it takes room on its VL.
    pub request_share: LaneShareSink,
    /// Valid for one cycle when a request ends before it departs: it gives its room back.
    pub request_back: LaneShareSink,
    /// Valid for one cycle when a response is made: it takes room on its VL.
    pub response_share: LaneShareSink,
    /// Valid for one cycle when a response ends before it departs: it gives its room back.
    pub response_back: LaneShareSink,
    /// High while a response is being made.
    pub responds: Signal<In, Bit>,
    /// Number of packets, up to 2, that have left, link packets not counted.
    pub sent: Signal<Out, Bits<2>>,

    #[default(array_init::array_init(|_| Default::default()))]
    ports: [Port<W, K, LA, BD, BA, LB, VB, NV, IB, ROCE>; NP],
    #[default(array_init::array_init(|_| Default::default()))]
    merge: [PortMerge<W, K>; SP],
    /// For each packet that is built and has not come yet: high if it leaves by port 2.
    #[default(array_init::array_init(|_| Default::default()))]
    order: [Fifo<Bits<1>, 6>; SP],
    // Ports of the packets, records and registers that the rest of the adapter means: 0 for port 1, 1 for port 2.
    checked: Signal<Local, Bits<1>>,
    departs: Signal<Local, Bits<1>>,
    built: Signal<Local, Bits<1>>,
    comes: Signal<Local, Bits<1>>,
    answered: Signal<Local, Bits<1>>,
    asked: Signal<Local, Bits<1>>,
    at: Signal<Local, Bits<1>>,
    violated: Signal<Local, Bits<1>>,
    second_latched: Signal<Local, Bit>,
    requests: Signal<Local, Bits<1>>,
    requests_back: Signal<Local, Bits<1>>,
    responses: Signal<Local, Bits<1>>,
    responses_back: Signal<Local, Bits<1>>,
    /// High if the packets that are checked are those of port `i`.
    #[default(array_init::array_init(|_| Default::default()))]
    mine: [Signal<Local, Bit>; NP],
    /// High while it is known which port the packet of `packet` leaves by.
    may_come: Signal<Local, Bit>,
    withholds: Signal<Local, Bit>,
    second_arrived: Signal<Local, Bit>,
    second_sent: Signal<Local, Bit>,
    second_request_hold: Signal<Local, LaneHolds>,
    second_response_hold: Signal<Local, LaneHolds>,
    /// Distance of the registers of port `i` from those of port 1.
    #[default(array_init::array_init(|i| constant(i as u32 * PORT_STRIDE)))]
    stride: [Constant<Bits<20>>; NP],
    #[default(constant(PORT_STRIDE.trailing_zeros()))]
    stride_bits: Constant<Bits<5>>,
    #[default(constant(1))]
    second_record: Constant<Bits<24>>,
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
        const NP: usize,
        const SP: usize,
        const IB: usize,
        const ROCE: usize,
    > Logic for PortSet<W, K, LA, BD, BA, LB, VB, NV, NP, SP, IB, ROCE>
{
    fn update(&mut self) {
        // With one port, every packet is of port 1, and its outputs are those of this block.
        for _i in SP..1 {
            self.checked.next = bits::<1>(0);
            self.departs.next = bits::<1>(0);
            self.built.next = bits::<1>(0);
            self.comes.next = bits::<1>(0);
            self.may_come.next = true;
            self.answered.next = bits::<1>(0);
            self.asked.next = bits::<1>(0);
            self.at.next = bits::<1>(0);
            self.violated.next = bits::<1>(0);
            self.second_latched.next = false;
            self.requests.next = bits::<1>(0);
            self.requests_back.next = bits::<1>(0);
            self.responses.next = bits::<1>(0);
            self.responses_back.next = bits::<1>(0);
            outputs!(self.ports[0], read_data, changing);
            self.ports[0].wait.next = false;
            outputs!(self.ports[0], second_address: address, second_request_hold: request_hold);
            self.second_response_hold.next = self.ports[0].response_hold.val();
            self.event.valid.next = self.ports[0].event_valid.val();
            self.hold.next = self.ports[0].receive.hold.val();
            self.send_hold.next = self.ports[0].send_hold.val();
            self.leaving.freed.next = self.ports[0].leaving.freed.val();
            self.second_arrived.next = false;
            self.second_sent.next = false;
            StreamSource::<W, K>::link(&mut self.arrival, &mut self.ports[0].arrival);
        }
        for i in 0..SP {
            clock_and_reset!(self, merge[i], order[i]);
            self.checked.next = self.merge[i].turn.val().into();
            self.departs.next = self.leaving.port.val().into();
            self.built.next = self.leaving.built_port.val().into();
            outputs!(self.order[i].read, comes: item, may_come: valid);
            self.answered.next = self.responder_port.val().into();
            self.asked.next = self.requester_port.val().into();
            self.at.next = (self.bus.write_address.val() >> self.stride_bits.val()).get_bits::<1>(0);
            self.violated.next = self.violation.port.val().into();
            self.second_latched.next = self.ports[i + 1].latched.val();
            self.requests.next = self.request_share.lane.val().get_bits::<1>(3);
            self.requests_back.next = self.request_back.lane.val().get_bits::<1>(3);
            self.responses.next = self.response_share.lane.val().get_bits::<1>(3);
            self.responses_back.next = self.response_back.lane.val().get_bits::<1>(3);
            self.read_data.next = self.ports[0].read_data.val() | self.ports[i + 1].read_data.val();
            // One port takes a step at a time, so that their records never come in one clock.
            self.changing.next = self.ports[0].changing.val() || self.ports[i + 1].changing.val();
            self.ports[0].wait.next = self.ports[i + 1].steps_on.val();
            self.ports[i + 1].wait.next = self.ports[0].steps_on.val() || self.ports[0].begins.val();
            self.second_address.next = self.ports[i + 1].address.val();
            self.second_request_hold.next = self.ports[i + 1].request_hold.val();
            self.second_response_hold.next = self.ports[i + 1].response_hold.val();
            self.event.valid.next = self.ports[0].event_valid.val() || self.ports[i + 1].event_valid.val();
            self.ports[i + 1].event_ready.next = self.event.ready.val() && !self.ports[0].event_valid.val();
            self.hold.next = self.ports[0].receive.hold.val() || self.ports[i + 1].receive.hold.val();
            self.send_hold.next = self.ports[0].send_hold.val() || self.ports[i + 1].send_hold.val();
            self.leaving.freed.next =
                self.ports[0].leaving.freed.val() | self.ports[i + 1].leaving.freed.val();
            self.second_arrived.next = self.ports[i + 1].arrived.val();
            self.second_sent.next = self.ports[i + 1].sent.val();
            StreamSource::<W, K>::join(&mut self.ports[0].arrival, &mut self.merge[i].first);
            StreamSource::<W, K>::join(&mut self.ports[i + 1].arrival, &mut self.merge[i].second);
            StreamSource::<W, K>::link(&mut self.arrival, &mut self.merge[i].m_axis);
        }

        // Outputs: those of the port that the packet, the record or the event belongs to.
        inputs!(self.ports[0], link_up, s_axis_tuser, event_ready: event.ready);
        self.event.kind.next = self.ports[0].event_kind.val();
        outputs!(self.ports[0], link_enable, m_axis_tuser, own, ends_bad, overran, withholds);
        StreamSink::<W, K>::link(&mut self.s_axis, &mut self.ports[0].s_axis);
        StreamSource::<W, K>::link(&mut self.m_axis, &mut self.ports[0].m_axis);
        self.first_address.next = self.ports[0].address.val();
        self.event.number.next = bits::<1>(0);
        self.arrival_port.next = self.checked.val().get_bit(0);
        outputs!(self.ports[0].receive, accepts_management, accepts_data);
        self.retire_receive.valid.next = self.ports[0].retire_receive.valid.val();
        self.retire_receive.record.next = self.ports[0].retire_receive.record.val();
        inputs!(self.leaving, vl: ports[0].leaving.vl, room: ports[0].leaving.room);
        self.packet.tready.next = self.ports[0].packet.tready.val() && self.may_come.val();
        self.retire_send.valid.next = self.ports[0].retire_send.valid.val();
        self.retire_send.record.next = self.ports[0].retire_send.record.val();
        for i in 0..SP {
            self.ports[i + 1].link_up.next = self.second_link_up[i].val();
            self.second_link_enable[i].next = self.ports[i + 1].link_enable.val();
            StreamSink::<W, K>::link(&mut self.second_s_axis[i], &mut self.ports[i + 1].s_axis);
            self.ports[i + 1].s_axis_tuser.next = self.second_s_axis_tuser[i].val();
            StreamSource::<W, K>::link(&mut self.second_m_axis[i], &mut self.ports[i + 1].m_axis);
            self.second_m_axis_tuser[i].next = self.ports[i + 1].m_axis_tuser.val();
            if !self.ports[0].event_valid.val() {
                self.event.kind.next = self.ports[i + 1].event_kind.val();
                self.event.number.next = bits::<1>(1);
            }
            if self.checked.val().any() {
                self.own.next = self.ports[i + 1].own.val();
                self.ends_bad.next = self.ports[i + 1].ends_bad.val();
                self.overran.next = self.ports[i + 1].overran.val();
                self.accepts_management.next = self.ports[i + 1].receive.accepts_management.val();
                self.accepts_data.next = self.ports[i + 1].receive.accepts_data.val();
            }
            if self.ports[i + 1].retire_receive.valid.val() {
                self.retire_receive.valid.next = true;
                self.retire_receive.record.next = self.ports[i + 1].retire_receive.record.val();
                self.retire_receive.record.next.qpn = self.second_record.val();
            }
            if self.departs.val().any() {
                self.leaving.vl.next = self.ports[i + 1].leaving.vl.val();
            }
            if self.built.val().any() {
                self.leaving.room.next = self.ports[i + 1].leaving.room.val();
            }
            if self.comes.val().any() {
                self.packet.tready.next = self.ports[i + 1].packet.tready.val() && self.may_come.val();
                self.withholds.next = self.ports[i + 1].withholds.val();
            }
            if self.ports[i + 1].retire_send.valid.val() {
                self.retire_send.valid.next = true;
                self.retire_send.record.next = self.ports[i + 1].retire_send.record.val();
                self.retire_send.record.next.qpn = self.second_record.val();
            }
            self.order[i].write.valid.next = self.leaving.builds.val() && self.leaving.room.val();
            self.order[i].write.item.next = self.built.val();
            self.order[i].read.ready.next =
                self.packet.tvalid.val() && self.packet.tready.val() && self.packet.tlast.val();
        }
        self.arrived.next = bit_cast::<2, 1>(self.ports[0].arrived.val().into())
            + bit_cast::<2, 1>(self.second_arrived.val().into());
        self.sent.next = bit_cast::<2, 1>(self.ports[0].sent.val().into())
            + bit_cast::<2, 1>(self.second_sent.val().into());
        inputs!(self.request_hold, first: ports[0].request_hold, second: second_request_hold);
        inputs!(self.response_hold, first: ports[0].response_hold, second: second_response_hold);
        self.latched.next = bit_cast::<2, 1>(self.ports[0].latched.val().into())
            | (bit_cast::<2, 1>(self.second_latched.val().into()) << 1);
        self.own_discarded.next = self.copy.valid.val() && self.copy.last.val() && self.withholds.val();

        // Inputs: each port gets those that belong to it.
        for i in 0..NP {
            inputs!(self.ports[i], clock, reset, responds);
            self.ports[i].bus.write.next = self.bus.write.val() && (self.at.val() == i.to_bits::<1>());
            self.ports[i].bus.write_address.next = self.bus.write_address.val() ^ self.stride[i].val();
            self.ports[i].bus.read_address.next = self.bus.read_address.val() ^ self.stride[i].val();
            self.ports[i].bus.write_data.next = self.bus.write_data.val();
            self.ports[i].responder_p_key.next =
                self.responder_p_key.val() && (self.answered.val() == i.to_bits::<1>());
            self.ports[i].requester_p_key.next =
                self.requester_p_key.val() && (self.asked.val() == i.to_bits::<1>());
            self.ports[i].responder_q_key.next =
                self.responder_q_key.val() && (self.answered.val() == i.to_bits::<1>());
            wires!(self.violation, self.ports[i].violation, port, place, data);
            self.ports[i].violation.valid.next =
                self.violation.valid.val() && (self.violated.val() == i.to_bits::<1>());
            self.ports[i].smp_dropped.next =
                self.smp_dropped.val() && (self.answered.val() == i.to_bits::<1>());
            wires!(self.copy, self.ports[i].copy, data, keep, last);
            self.ports[i].copy.valid.next =
                self.copy.valid.val() && !self.withholds.val() && (self.comes.val() == i.to_bits::<1>());
            self.mine[i].next = self.checked.val() == i.to_bits::<1>();
            self.ports[i].receive.free.next = self.free.val();
            self.ports[i].receive.heard.next = self.heard.val() && self.mine[i].val();
            self.ports[i].counts.faulty.next = self.counts.faulty.val() && self.mine[i].val();
            self.ports[i].counts.ended_bad.next = self.counts.ended_bad.val() && self.mine[i].val();
            self.ports[i].counts.overran.next = self.counts.overran.val() && self.mine[i].val();
            self.ports[i].counts.management_overran.next =
                self.counts.management_overran.val() && self.mine[i].val();
            self.ports[i].counts.received.next = self.counts.received.val() && self.mine[i].val();
            inputs!(self.ports[i].counts, words: counts.words, multicast: counts.multicast);
            wires!(
                self.leaving, self.ports[i].leaving, port, sl, management, lane, payload, mark, built_port,
                built_vl, opcode, has_grh, built_payload, delay
            );
            self.ports[i].leaving.departs.next =
                self.leaving.departs.val() && (self.departs.val() == i.to_bits::<1>());
            self.ports[i].leaving.unsent.next =
                self.leaving.unsent.val() && (self.departs.val() == i.to_bits::<1>());
            self.ports[i].leaving.builds.next =
                self.leaving.builds.val() && (self.built.val() == i.to_bits::<1>());
            wires!(self.packet, self.ports[i].packet, tdata, tkeep, tlast);
            self.ports[i].packet.tvalid.next =
                self.packet.tvalid.val() && self.may_come.val() && (self.comes.val() == i.to_bits::<1>());
            wires!(self.request_share, self.ports[i].request_share, lane, payload);
            self.ports[i].request_share.valid.next =
                self.request_share.valid.val() && (self.requests.val() == i.to_bits::<1>());
            wires!(self.request_back, self.ports[i].request_back, lane, payload);
            self.ports[i].request_back.valid.next =
                self.request_back.valid.val() && (self.requests_back.val() == i.to_bits::<1>());
            wires!(self.response_share, self.ports[i].response_share, lane, payload);
            self.ports[i].response_share.valid.next =
                self.response_share.valid.val() && (self.responses.val() == i.to_bits::<1>());
            wires!(self.response_back, self.ports[i].response_back, lane, payload);
            self.ports[i].response_back.valid.next =
                self.response_back.valid.val() && (self.responses_back.val() == i.to_bits::<1>());
        }
    }
}
