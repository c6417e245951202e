//! What the agents of a native port read and set.
use super::port_counters::PortCounters;
use super::port_state::PortState;
use super::vl_arbitration::VlArbitration;
use super::vl_registers::VlRegisters;
use super::wide_counters::WideCounters;
use crate::bundle::{
    LinkCountSink, ReceiveStateSource, RegisterBusSink, ReportSource, SendCountSink, SendStateSource,
    VlArbitrationSource,
};
use hca_hdl::prelude::*;
use hca_host::register as map;

/// The registers of group `MANAGEMENT`. `VB`: log2 of the data VLs of a native port. One of `IB` and `ROCE` is 1:
/// native InfiniBand, or RoCEv2, where nothing is counted, the state reads Active, and the outputs of [`PortState`],
/// [`VlRegisters`] and [`VlArbitration`] are low.
#[derive(LogicBlock, SmartDefault)]
pub struct ManagementRegisters<const VB: usize, const IB: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Writes and reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    /// High for one cycle for each packet for QP0 that finds no receive WQE, or no queue pair that receives.
    pub smp_dropped: Signal<In, Bit>,
    /// Events for the counters, from the way to the link.
    pub departures: SendCountSink,
    /// Events for the counters, from the checks of the link.
    pub counts: LinkCountSink,
    /// High for one cycle for each link packet with an error.
    pub link_packet_faulty: Signal<In, Bit>,

    /// High while the physical link is up; ignored over Ethernet.
    pub link_up: Signal<In, Bit>,
    /// High while the physical link is permitted to be up; always high over Ethernet.
    pub link_enable: Signal<Out, Bit>,
    /// High while a step of the port's state is due or under way.
    pub changing: Signal<Out, Bit>,
    /// High while no step may begin: another port makes one.
    pub wait: Signal<In, Bit>,
    /// High in the cycle in which a step begins.
    pub begins: Signal<Out, Bit>,
    /// High from the next cycle on until both sides have reported the step.
    pub steps_on: Signal<Out, Bit>,
    /// The state of the port, for the receive side.
    pub receive: ReceiveStateSource,
    /// High for one cycle when a link packet that initialises has been taken: the neighbour has started anew.
    pub restarted: Signal<In, Bit>,
    /// Retire records of the receive side, for `LANE_LINK` of `host::retire`.
    pub retire_receive: ReportSource,
    /// High in the cycle in which the send side takes a new state or new VLs: no packet may depart.
    pub send_hold: Signal<Out, Bit>,
    /// The state of the port, for the send side.
    pub sends: SendStateSource,
    /// Retire records of the send side, for `LANE_TRANSMIT` of `host::retire`, two cycles after `send_hold`.
    pub retire_send: ReportSource,
    /// High for one cycle when the port has become Active on both sides, or is Active no longer.
    pub port_turned: Signal<Out, Bit>,

    /// Number of data VLs that are operational, from VL 0 on.
    pub data_vls: Signal<Out, Bits<4>>,
    /// VL of SL `n` at bits `4 * n + 3 : 4 * n`.
    pub sl_to_vl: Signal<Out, Bits<64>>,
    /// High while data packets leave by credits, and flow-control packets are sent and taken.
    pub flow_control: Signal<Out, Bit>,
    /// The tables of VL arbitration.
    pub arbitration: VlArbitrationSource,

    #[default(array_init::array_init(|_| Default::default()))]
    counters: [PortCounters; IB],
    #[default(array_init::array_init(|_| Default::default()))]
    wide: [WideCounters; IB],
    #[default(array_init::array_init(|_| Default::default()))]
    state: [PortState; IB],
    #[default(array_init::array_init(|_| Default::default()))]
    vls: [VlRegisters<VB>; IB],
    #[default(array_init::array_init(|_| Default::default()))]
    tables: [VlArbitration<VB>; IB],
    #[default(constant(map::PORT_STATE))]
    a_port_state: Constant<Bits<20>>,
    /// State of a port over Ethernet.
    #[default(constant(map::port_state::ACTIVE))]
    active: Constant<Bits<32>>,
}

#[kernel]
impl<const VB: usize, const IB: usize, const ROCE: usize> Logic for ManagementRegisters<VB, IB, ROCE> {
    fn update(&mut self) {
        for i in 0..IB {
            RegisterBusSink::link(&mut self.bus, &mut self.counters[i].bus);
            inputs!(self.counters[i], clock, reset, smp_dropped, link_packet_faulty);
            SendCountSink::link(&mut self.departures, &mut self.counters[i].departures);
            LinkCountSink::link(&mut self.counts, &mut self.counters[i].counts);
            RegisterBusSink::link(&mut self.bus, &mut self.wide[i].bus);
            inputs!(self.wide[i], clock, reset);
            SendCountSink::link(&mut self.departures, &mut self.wide[i].departures);
            LinkCountSink::link(&mut self.counts, &mut self.wide[i].counts);
            wires!(self.state[i], self.counters[i], link_recovered, link_lost);

            RegisterBusSink::link(&mut self.bus, &mut self.state[i].bus);
            inputs!(self.state[i], clock, reset, link_up, restarted, wait);
            outputs!(self.state[i], changing, begins, steps_on, link_enable);
            ReceiveStateSource::link(&mut self.receive, &mut self.state[i].receive);
            ReportSource::link(&mut self.retire_receive, &mut self.state[i].retire_receive);
            self.send_hold.next = self.state[i].send_hold.val() || self.vls[i].send_hold.val();
            SendStateSource::link(&mut self.sends, &mut self.state[i].sends);
            self.retire_send.valid.next =
                self.state[i].retire_send.valid.val() || self.vls[i].retire.valid.val();
            self.retire_send.record.next = self.state[i].retire_send.record.val();
            if self.vls[i].retire.valid.val() {
                self.retire_send.record.next = self.vls[i].retire.record.val();
            }
            self.port_turned.next = self.state[i].turned.val();
            RegisterBusSink::link(&mut self.bus, &mut self.vls[i].bus);
            inputs!(self.vls[i], clock, reset);
            outputs!(self.vls[i], data_vls, sl_to_vl, flow_control);
            RegisterBusSink::link(&mut self.bus, &mut self.tables[i].bus);
            inputs!(self.tables[i], clock, reset);
            VlArbitrationSource::link(&mut self.arbitration, &mut self.tables[i].arbitration);
            self.read_data.next = self.counters[i].read_data.val()
                | self.wide[i].read_data.val()
                | self.state[i].read_data.val()
                | self.vls[i].read_data.val()
                | self.tables[i].read_data.val();
        }
        for _i in 0..ROCE {
            self.link_enable.next = true;
            self.data_vls.next = bits::<4>(1);
            self.flow_control.next = false;
            self.receive.down.next = false;
            self.changing.next = false;
            self.begins.next = false;
            self.steps_on.next = false;
            self.receive.hold.next = false;
            self.receive.accepts_management.next = false;
            self.receive.accepts_data.next = false;
            self.retire_receive.valid.next = false;
            self.retire_receive.record.next = bits::<96>(0).into();
            self.send_hold.next = false;
            self.sends.management.next = false;
            self.sends.data.next = false;
            self.sends.enters_init.next = false;
            self.sends.initialises.next = false;
            self.sends.runs.next = false;
            self.retire_send.valid.next = false;
            self.retire_send.record.next = bits::<96>(0).into();
            self.port_turned.next = false;
            self.sl_to_vl.next = bits::<64>(0);
            self.arbitration.high.next = bits::<96>(0);
            self.arbitration.low.next = bits::<96>(0);
            self.arbitration.limit.next = bits::<8>(0);
            self.arbitration.anew.next = false;
            self.read_data.next = bits::<32>(0);
            if self.bus.read_address.val() == self.a_port_state.val() {
                self.read_data.next = self.active.val();
            }
        }
    }
}
