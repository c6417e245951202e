//! The registers of `host::register` behind their AXI4-Lite port.
use super::argument_registers::ArgumentRegisters;
use super::counters::PacketCounters;
use super::event_registers::EventRegisters;
use super::identity_registers::IdentityRegisters;
use super::slave::RegisterSlave;
use crate::bundle::{CqDoorbellSource, DoorbellSource, DropSink, EventRingSource, RegisterBusSource};
use hca_hdl::prelude::*;
use hca_host::register as map;

/// Decodes register reads and writes. The write of a doorbell ends only once the doorbell is taken, and another waits
/// while a port changes its state.
#[derive(LogicBlock, SmartDefault)]
pub struct Registers {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// The AXI4-Lite port of software.
    pub axil: AxiLiteSink<20>,
    /// Level-sensitive interrupt to software.
    pub irq: Signal<Out, Bit>,

    /// Writes and reads of the registers of the ports ([`crate::ports::PortSet`]).
    pub port_bus: RegisterBusSource,
    /// Value of the register of a port; 0 for other addresses.
    pub port_read_data: Signal<In, Bits<32>>,
    /// High while a port has yet to take a state that software or its link asks for.
    pub port_changing: Signal<In, Bit>,

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

    /// Number of packets received in this cycle, up to one a port.
    pub packets_received: Signal<In, Bits<2>>,
    /// Number of packets sent in this cycle, up to one a port.
    pub packets_sent: Signal<In, Bits<2>>,
    /// Packets that the link drops.
    pub link_drop: DropSink,
    /// Packets that the responder drops.
    pub responder_drop: DropSink,
    /// Packets that the requester drops.
    pub requester_drop: DropSink,

    slave: RegisterSlave,
    #[default(IdentityRegisters::new(0, 0, false, 1))]
    identity: IdentityRegisters,
    counters: PacketCounters,
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

impl Registers {
    /// `limits` and `datagram_limits` are the values of the registers of these names; `roce` is true for a RoCEv2 port;
    /// `ports`: number of ports.
    pub fn new(limits: u32, datagram_limits: u32, roce: bool, ports: u32) -> Self {
        Registers {
            identity: IdentityRegisters::new(limits, datagram_limits, roce, ports),
            ..Registers::default()
        }
    }
}

#[kernel]
impl Logic for Registers {
    fn update(&mut self) {
        clock_and_reset!(self, slave, events, counters);
        clock!(self, clock, words);
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
            && (self.to_doorbell.q.val() || self.to_cq_doorbell.q.val() || !self.port_changing.val());
        self.perform.next = self.slave.write_valid.val()
            && !self.to_doorbell.q.val()
            && !self.to_cq_doorbell.q.val()
            && !self.port_changing.val();
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
        inputs!(self.words, write_data: slave.bus.write_data, answer_valid, answer_index, answer);
        self.words.word_index.next = self.argument_index.val();
        self.argument.next = self.words.word.val();
        self.words.read_index.next = self.slave.bus.read_address.val().get_bits::<5>(2);
        self.read_argument.d.next = self.words.read_data.val();
        outputs!(self.words, arguments: row, q_key);

        self.identity.read_address.next = self.slave.bus.read_address.val();
        RegisterBusSource::link(&mut self.port_bus, &mut self.slave.bus);
        RegisterBusSource::join(&mut self.slave.bus, &mut self.events.bus);
        inputs!(self.events, event_written, host_memory_failed);
        self.irq.next = self.events.irq.val();
        EventRingSource::link(&mut self.eq, &mut self.events.eq);

        inputs!(self.counters, packets_received, packets_sent);
        DropSink::link(&mut self.link_drop, &mut self.counters.link_drop);
        DropSink::link(&mut self.responder_drop, &mut self.counters.responder_drop);
        DropSink::link(&mut self.requester_drop, &mut self.counters.requester_drop);
        wires!(self.slave, self.counters, read_begins, begun_address);
        self.counters.read_address.next = self.slave.bus.read_address.val();

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
            | self.events.read_data.val()
            | self.counters.read_data.val()
            | self.port_read_data.val();

        if self.reset.val() {
            clear!(self, command_busy, command_status);
        }
    }
}
