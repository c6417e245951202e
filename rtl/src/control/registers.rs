//! The registers of `host::register` behind their AXI4-Lite port.
use super::argument_registers::ArgumentRegisters;
use super::counters::PacketCounters;
use super::event_registers::EventRegisters;
use super::guid_table::GuidTable;
use super::identity_registers::IdentityRegisters;
use super::management_registers::ManagementRegisters;
use super::p_key_table::PKeyTable;
use super::port_counter::PortCounter;
use super::port_registers::PortRegisters;
use super::slave::RegisterSlave;
use crate::bundle::{
    CqDoorbellSource, DoorbellSource, EventRingSource, LinkCountSink, ReceiveStateSource, RegisterBusSource,
    ReportSource, SendCountSink, SendStateSource, VlArbitrationSource,
};
use hca_hdl::bundle::AxiLiteSink;
use hca_hdl::primitive::{clock, comment, constant, dff_setup, kernel, Register};
use hca_host::register as map;
use hca_host::retire::drop;
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Decodes register reads and writes. The write of a doorbell ends only once the doorbell is taken, and another waits
/// while the port changes its state. `VB`: log2 of the data VLs of a native port. One of `IB` and `ROCE` is 1: native
/// InfiniBand, or RoCEv2.
#[derive(LogicBlock, SmartDefault)]
pub struct Registers<const VB: usize, const IB: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// The AXI4-Lite port of software.
    pub axil: AxiLiteSink<20>,
    /// Level-sensitive interrupt to software.
    pub irq: Signal<Out, Bit>,

    /// Base LID of the port.
    pub port_lid: Signal<Out, Bits<16>>,
    /// LID mask control of the port.
    pub port_lmc: Signal<Out, Bits<3>>,
    /// MAC address of the port.
    pub port_mac: Signal<Out, Bits<48>>,
    /// Entry 0 of the GID table: prefix and GUID; over Ethernet the IP address.
    pub port_gid: Signal<Out, Bits<128>>,
    /// GUIDs of entries 1 to 3 of the GID table ([`GuidTable`]); 0 over Ethernet.
    pub port_guids: Signal<Out, Bits<192>>,
    /// Entry `n` of the P_Key table at bits `16 * n + 15 : 16 * n`.
    pub port_p_keys: Signal<Out, Bits<64>>,

    /// High while the physical link is up; ignored over Ethernet.
    pub link_up: Signal<In, Bit>,
    /// High while the physical link is permitted to be up; always high over Ethernet.
    pub link_enable: Signal<Out, Bit>,
    /// The state of the port, for the receive side.
    pub receive: ReceiveStateSource,
    /// High for one cycle when a link packet that initialises has been taken: the neighbour has started anew.
    pub restarted: Signal<In, Bit>,
    /// Retire records of the receive side, for `LANE_LINK` of `host::retire`.
    pub retire_receive: ReportSource,
    /// High in the cycle in which the send side takes a new state, new VLs or a new P_Key: no packet may depart.
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

    /// Events for the counters, from the checks of the link.
    pub counts: LinkCountSink,
    /// High for one cycle for each link packet with an error.
    pub link_packet_faulty: Signal<In, Bit>,

    /// Argument `n` of the first 24 at bits `32 * (23 - n) + 31 : 32 * (23 - n)`.
    pub arguments: Signal<Out, Bits<768>>,
    /// Argument 25, `Q_KEY`.
    pub q_key: Signal<Out, Bits<32>>,
    /// Index of the argument that the current command reads.
    pub argument_index: Signal<In, Bits<5>>,
    /// The argument that `argument_index` names.
    pub argument: Signal<Out, Bits<32>>,
    /// High for one cycle when the current command replaces an argument.
    pub answer_valid: Signal<In, Bit>,
    /// Index of the argument that is replaced.
    pub answer_index: Signal<In, Bits<5>>,
    /// Value that replaces that argument.
    pub answer: Signal<In, Bits<32>>,
    /// Code of the command.
    pub command: Signal<Out, Bits<32>>,
    /// High from the write of `COMMAND` until `command_done`.
    pub command_valid: Signal<Out, Bit>,
    /// High for one cycle when the command is done.
    pub command_done: Signal<In, Bit>,
    /// Result of the command, valid with `command_done`.
    pub command_result: Signal<In, Bits<8>>,

    /// Doorbells of work queues.
    pub doorbell: DoorbellSource,
    /// With `doorbell.valid`: high for a receive queue, low for a send queue.
    pub doorbell_receive: Signal<Out, Bit>,

    /// Doorbells of completion queues.
    pub cq_doorbell: CqDoorbellSource,

    /// The event queue.
    pub eq: EventRingSource,
    /// High for one cycle when an EQE is in memory.
    pub event_written: Signal<In, Bit>,
    /// High for one cycle when host memory has failed a CQE or an EQE.
    pub host_memory_failed: Signal<In, Bit>,

    /// High for one cycle for each packet received.
    pub packet_received: Signal<In, Bit>,
    /// Events for the counters, from the way to the link; low over Ethernet.
    pub departures: SendCountSink,
    /// High for one cycle for each packet sent.
    pub packet_sent: Signal<In, Bit>,
    /// High for one cycle for each packet that the link drops.
    pub packet_dropped_by_link: Signal<In, Bit>,
    /// Why the link drops it (`host::retire`).
    pub link_drop_reason: Signal<In, Bits<8>>,
    /// High for one cycle for each packet that the responder drops.
    pub packet_dropped_by_responder: Signal<In, Bit>,
    /// Why the responder drops it.
    pub responder_drop_reason: Signal<In, Bits<8>>,
    /// High for one cycle for each packet for QP0 that finds no receive WQE, or no queue pair that receives.
    pub smp_dropped: Signal<In, Bit>,
    /// High for one cycle for each packet that the requester drops.
    pub packet_dropped_by_requester: Signal<In, Bit>,
    /// Why the requester drops it.
    pub requester_drop_reason: Signal<In, Bits<8>>,

    slave: RegisterSlave,
    #[default(IdentityRegisters::new(0, 0, false, 1))]
    identity: IdentityRegisters,
    port: PortRegisters,
    #[default(array_init::array_init(|_| Default::default()))]
    guids: [GuidTable; IB],
    p_keys: PKeyTable,
    counters: PacketCounters,
    #[default([map::P_KEY_VIOLATIONS, map::Q_KEY_VIOLATIONS].map(PortCounter::at))]
    violations: [PortCounter; 2],
    management: ManagementRegisters<VB, IB, ROCE>,
    events: EventRegisters,
    words: ArgumentRegisters,
    command_code: Register<Bits<32>>,
    command_busy: Register<Bit>,
    command_status: Register<Bits<8>>,
    /// The argument that the read address names, if it names one.
    read_argument: Register<Bits<32>>,

    perform: Signal<Local, Bit>,
    /// High if the write is a doorbell of a work queue.
    to_doorbell: Register<Bit>,
    /// High if the write is a doorbell of a completion queue.
    to_cq_doorbell: Register<Bit>,
    own: Signal<Local, Bits<32>>,
    /// Value of a register `PORT_GUID`.
    guids_read: Signal<Local, Bits<32>>,

    #[default(constant(drop::P_KEY))]
    why_p_key: Constant<Bits<8>>,
    #[default(constant(drop::Q_KEY))]
    why_q_key: Constant<Bits<8>>,
    #[default(constant(map::COMMAND))]
    a_command: Constant<Bits<20>>,
    #[default(constant(map::COMMAND_STATUS))]
    a_command_status: Constant<Bits<20>>,
    #[default(constant(map::ARGUMENT as usize >> 7))]
    argument_page: Constant<Bits<13>>,
    #[default(constant(map::ARGUMENT_COUNT))]
    argument_count: Constant<Bits<5>>,
    #[default(constant(map::SQ_DOORBELL as usize >> 15))]
    doorbell_page: Constant<Bits<5>>,
    #[default(constant(map::CQ_CONSUMER as usize >> 15))]
    cq_doorbell_page: Constant<Bits<5>>,
}

impl<const VB: usize, const IB: usize, const ROCE: usize> Registers<VB, IB, ROCE> {
    /// `limits` and `datagram_limits` are the values of the registers of these names; `roce` is true for a RoCEv2 port.
    pub fn new(limits: u32, datagram_limits: u32, roce: bool) -> Self {
        Registers {
            identity: IdentityRegisters::new(limits, datagram_limits, roce, 1),
            ..Registers::default()
        }
    }
}

impl<const VB: usize, const IB: usize, const ROCE: usize> Logic for Registers<VB, IB, ROCE> {
    #[kernel]
    fn update(&mut self) {
        comment!("@module registers");
        dff_setup!(
            self, clock, command_code, command_busy, command_status, read_argument, to_doorbell,
            to_cq_doorbell
        );
        clock!(self, clock, slave, words, port, p_keys, events, counters, management);
        reset!(self, reset, slave, port, p_keys, events, counters, management);
        AxiLiteSink::<20>::link(&mut self.axil, &mut self.slave.axil);

        // Doorbells wait until they are taken.
        if self.slave.axil.awready.val() {
            self.to_doorbell.d.next = self.axil.awaddr.val().get_bits::<5>(15) == self.doorbell_page.val();
            self.to_cq_doorbell.d.next =
                self.axil.awaddr.val().get_bits::<5>(15) == self.cq_doorbell_page.val();
        }
        self.doorbell.valid.next = self.slave.write_valid.val() && self.to_doorbell.q.val();
        self.doorbell_receive.next = self.slave.bus.write_address.val().get_bit(2);
        self.doorbell.index.next = self.slave.bus.write_address.val().get_bits::<12>(3);
        self.doorbell.producer.next = self.slave.bus.write_data.val().get_bits::<16>(0);
        self.cq_doorbell.valid.next = self.slave.write_valid.val() && self.to_cq_doorbell.q.val();
        self.cq_doorbell.arm.next = self.slave.bus.write_address.val().get_bit(2);
        self.cq_doorbell.index.next = self.slave.bus.write_address.val().get_bits::<12>(3);
        self.cq_doorbell.value.next = self.slave.bus.write_data.val();
        self.slave.write_ready.next = (!self.to_doorbell.q.val() || self.doorbell.ready.val())
            && (!self.to_cq_doorbell.q.val() || self.cq_doorbell.ready.val())
            && (self.to_doorbell.q.val() || self.to_cq_doorbell.q.val() || !self.management.changing.val());
        self.perform.next = self.slave.write_valid.val()
            && !self.to_doorbell.q.val()
            && !self.to_cq_doorbell.q.val()
            && !self.management.changing.val();
        self.slave.performs.next = self.perform.val();

        // The command; its arguments must not change until it is done.
        if self.command_busy.q.val() && self.command_done.val() {
            self.command_busy.d.next = false;
            self.command_status.d.next = self.command_result.val();
        }
        if self.perform.val()
            && (self.slave.bus.write_address.val() == self.a_command.val())
            && !self.command_busy.q.val()
        {
            self.command_code.d.next = self.slave.bus.write_data.val();
            self.command_busy.d.next = true;
        }
        self.command.next = self.command_code.q.val();
        self.command_valid.next = self.command_busy.q.val();
        self.words.write_valid.next = self.perform.val()
            && (self.slave.bus.write_address.val().get_bits::<13>(7) == self.argument_page.val())
            && !self.command_busy.q.val();
        self.words.write_index.next = self.slave.bus.write_address.val().get_bits::<5>(2);
        self.words.write_data.next = self.slave.bus.write_data.val();
        inputs!(self.words, answer_valid, answer_index, answer);
        self.words.word_index.next = self.argument_index.val();
        self.argument.next = self.words.word.val();
        self.words.read_index.next = self.slave.bus.read_address.val().get_bits::<5>(2);
        self.read_argument.d.next = self.words.read_data.val();
        self.arguments.next = self.words.row.val();
        self.q_key.next = self.words.q_key.val();

        self.identity.read_address.next = self.slave.bus.read_address.val();
        RegisterBusSource::join(&mut self.slave.bus, &mut self.port.bus);
        self.port_lid.next = self.port.lid.val();
        self.port_lmc.next = self.port.lmc.val();
        self.port_mac.next = self.port.mac.val();
        self.port_gid.next = self.port.gid.val();
        for i in 0..IB {
            inputs!(self.guids[i], clock, reset);
            RegisterBusSource::join(&mut self.slave.bus, &mut self.guids[i].bus);
            self.port_guids.next = self.guids[i].guids.val();
            self.guids_read.next = self.guids[i].read_data.val();
        }
        for _i in 0..ROCE {
            self.port_guids.next = bits::<192>(0);
            self.guids_read.next = bits::<32>(0);
        }
        RegisterBusSource::join(&mut self.slave.bus, &mut self.p_keys.bus);
        self.port_p_keys.next = self.p_keys.p_keys.val();

        RegisterBusSource::join(&mut self.slave.bus, &mut self.events.bus);
        inputs!(self.events, event_written, host_memory_failed);
        self.irq.next = self.events.irq.val();
        EventRingSource::link(&mut self.eq, &mut self.events.eq);

        inputs!(self.counters, packet_received, packet_sent);
        self.counters.dropped_by_link.next = self.packet_dropped_by_link.val();
        self.counters.link_reason.next = self.link_drop_reason.val();
        self.counters.dropped_by_responder.next = self.packet_dropped_by_responder.val();
        self.counters.responder_reason.next = self.responder_drop_reason.val();
        self.counters.dropped_by_requester.next = self.packet_dropped_by_requester.val();
        self.counters.requester_reason.next = self.requester_drop_reason.val();
        self.counters.read_address.next = self.slave.bus.read_address.val();

        for i in 0..2 {
            inputs!(self.violations[i], clock, reset);
            RegisterBusSource::join(&mut self.slave.bus, &mut self.violations[i].bus);
        }

        self.violations[0].amount.next = bit_cast::<11, 1>(
            (self.packet_dropped_by_responder.val()
                && (self.responder_drop_reason.val() == self.why_p_key.val()))
            .into(),
        ) + bit_cast::<11, 1>(
            (self.packet_dropped_by_requester.val()
                && (self.requester_drop_reason.val() == self.why_p_key.val()))
            .into(),
        );
        self.violations[1].amount.next = bit_cast::<11, 1>(
            (self.packet_dropped_by_responder.val()
                && (self.responder_drop_reason.val() == self.why_q_key.val()))
            .into(),
        ) + bit_cast::<11, 1>(
            (self.packet_dropped_by_requester.val()
                && (self.requester_drop_reason.val() == self.why_q_key.val()))
            .into(),
        );

        RegisterBusSource::join(&mut self.slave.bus, &mut self.management.bus);
        inputs!(self.management, smp_dropped, link_up, restarted, link_packet_faulty);
        outputs!(self.management, link_enable);
        SendCountSink::link(&mut self.departures, &mut self.management.departures);
        ReceiveStateSource::link(&mut self.receive, &mut self.management.receive);
        SendStateSource::link(&mut self.sends, &mut self.management.sends);
        VlArbitrationSource::link(&mut self.arbitration, &mut self.management.arbitration);
        LinkCountSink::link(&mut self.counts, &mut self.management.counts);
        ReportSource::link(&mut self.retire_receive, &mut self.management.retire_receive);
        // Never both in one clock.
        self.send_hold.next = self.management.send_hold.val() || self.p_keys.send_hold.val();
        outputs!(self.management, port_turned, data_vls, sl_to_vl, flow_control);
        self.retire_send.valid.next =
            self.management.retire_send.valid.val() || self.p_keys.retire.valid.val();
        self.retire_send.record.next = self.management.retire_send.record.val();
        if self.p_keys.retire.valid.val() {
            self.retire_send.record.next = self.p_keys.retire.record.val();
        }

        // All but one of the words are 0.
        self.own.next = bits::<32>(0);
        if self.slave.bus.read_address.val() == self.a_command_status.val() {
            self.own.next = (bit_cast::<32, 1>(self.command_busy.q.val().into()) << 31)
                | bit_cast::<32, 8>(self.command_status.q.val());
        }
        if (self.slave.bus.read_address.val().get_bits::<13>(7) == self.argument_page.val())
            && (self.slave.bus.read_address.val().get_bits::<5>(2) < self.argument_count.val())
        {
            self.own.next = self.read_argument.q.val();
        }
        self.slave.read_data.next = self.own.val()
            | self.identity.read_data.val()
            | self.port.read_data.val()
            | self.guids_read.val()
            | self.p_keys.read_data.val()
            | self.events.read_data.val()
            | self.counters.read_data.val()
            | self.violations[0].read_data.val()
            | self.violations[1].read_data.val()
            | self.management.read_data.val();

        if self.reset.val() {
            self.command_busy.d.next = false;
            self.command_status.d.next = bits::<8>(0);
        }
    }
}
