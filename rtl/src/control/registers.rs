//! AXI4-Lite slave and the registers of `host::register`.
use super::drops::Drops;
use super::port::PortRegisters;
use crate::host::register as map;
use crate::primitive::{comment, dff_setup, Concat, Register};
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum ReadState {
    Idle,
    /// The counts of this reason are looked up.
    Count,
    Pick,
    Respond,
}

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum WriteState {
    Idle,
    Perform,
    Respond,
}

/// Decodes register reads and writes. A doorbell write completes only once it was taken.
#[derive(LogicBlock)]
pub struct Registers {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub awaddr: Signal<In, Bits<20>>,
    pub awvalid: Signal<In, Bit>,
    pub awready: Signal<Out, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    pub wvalid: Signal<In, Bit>,
    pub wready: Signal<Out, Bit>,
    pub bvalid: Signal<Out, Bit>,
    pub bready: Signal<In, Bit>,
    pub araddr: Signal<In, Bits<20>>,
    pub arvalid: Signal<In, Bit>,
    pub arready: Signal<Out, Bit>,
    pub rdata: Signal<Out, Bits<32>>,
    pub rvalid: Signal<Out, Bit>,
    pub rready: Signal<In, Bit>,
    pub irq: Signal<Out, Bit>,

    pub port_lid: Signal<Out, Bits<16>>,
    pub port_lmc: Signal<Out, Bits<3>>,
    pub port_mac: Signal<Out, Bits<48>>,
    pub port_gid: Signal<Out, Bits<128>>,
    pub port_p_keys: Signal<Out, Bits<64>>,

    /// Argument `n` at bits `32 * (23 - n) + 31 : 32 * (23 - n)`.
    pub arguments: Signal<Out, Bits<768>>,
    pub command: Signal<Out, Bits<32>>,
    /// Up from the write of `COMMAND` until `command_done`.
    pub command_valid: Signal<Out, Bit>,
    pub command_done: Signal<In, Bit>,
    pub command_result: Signal<In, Bits<8>>,

    pub doorbell_valid: Signal<Out, Bit>,
    pub doorbell_ready: Signal<In, Bit>,
    /// 1: receive queue, 0: send queue.
    pub doorbell_receive: Signal<Out, Bit>,
    pub doorbell_index: Signal<Out, Bits<12>>,
    pub doorbell_producer: Signal<Out, Bits<16>>,

    /// One pulse each.
    pub completion_written: Signal<In, Bit>,
    pub packet_received: Signal<In, Bit>,
    pub packet_sent: Signal<In, Bit>,
    pub packet_dropped_by_link: Signal<In, Bit>,
    pub link_drop_reason: Signal<In, Bits<8>>,
    pub packet_dropped_by_responder: Signal<In, Bit>,
    pub responder_drop_reason: Signal<In, Bits<8>>,
    pub packet_dropped_by_requester: Signal<In, Bit>,
    pub requester_drop_reason: Signal<In, Bits<8>>,

    write_state: Register<WriteState>,
    address: Register<Bits<20>>,
    data: Register<Bits<32>>,
    read_state: Register<ReadState>,
    read_address: Register<Bits<20>>,
    read_data: Register<Bits<32>>,
    /// The argument that is read, if one is.
    read_argument: Register<Bits<32>>,

    port: PortRegisters,
    drops: Drops,
    irq_status: Register<Bit>,
    irq_enable: Register<Bit>,
    received: Register<Bits<32>>,
    sent: Register<Bits<32>>,
    command_code: Register<Bits<32>>,
    command_busy: Register<Bit>,
    command_status: Register<Bits<8>>,
    argument: [Register<Bits<32>>; 24],
    argument_row: Concat<32, 24, 768>,

    perform: Signal<Local, Bit>,
    to_doorbell: Signal<Local, Bit>,
    read: Signal<Local, Bits<32>>,

    id_value: Constant<Bits<32>>,
    version_value: Constant<Bits<32>>,
    limits_value: Constant<Bits<32>>,
    a_id: Constant<Bits<20>>,
    a_version: Constant<Bits<20>>,
    a_limits: Constant<Bits<20>>,
    a_irq_status: Constant<Bits<20>>,
    a_irq_enable: Constant<Bits<20>>,
    a_received: Constant<Bits<20>>,
    a_sent: Constant<Bits<20>>,
    a_dropped: Constant<Bits<20>>,
    a_command: Constant<Bits<20>>,
    a_command_status: Constant<Bits<20>>,
    argument_page: Constant<Bits<13>>,
    dropped_page: Constant<Bits<13>>,
    doorbell_page: Constant<Bits<4>>,
}

fn address(offset: u32) -> Constant<Bits<20>> {
    Constant::new((offset as usize).to_bits())
}

impl Registers {
    /// `limits` is the value of `LIMITS`.
    pub fn new(limits: u32) -> Self {
        Registers {
            clock: Default::default(),
            reset: Default::default(),
            awaddr: Default::default(),
            awvalid: Default::default(),
            awready: Default::default(),
            wdata: Default::default(),
            wvalid: Default::default(),
            wready: Default::default(),
            bvalid: Default::default(),
            bready: Default::default(),
            araddr: Default::default(),
            arvalid: Default::default(),
            arready: Default::default(),
            rdata: Default::default(),
            rvalid: Default::default(),
            rready: Default::default(),
            irq: Default::default(),
            port_lid: Default::default(),
            port_lmc: Default::default(),
            port_mac: Default::default(),
            port_gid: Default::default(),
            port_p_keys: Default::default(),
            arguments: Default::default(),
            command: Default::default(),
            command_valid: Default::default(),
            command_done: Default::default(),
            command_result: Default::default(),
            doorbell_valid: Default::default(),
            doorbell_ready: Default::default(),
            doorbell_receive: Default::default(),
            doorbell_index: Default::default(),
            doorbell_producer: Default::default(),
            completion_written: Default::default(),
            packet_received: Default::default(),
            packet_sent: Default::default(),
            packet_dropped_by_link: Default::default(),
            link_drop_reason: Default::default(),
            packet_dropped_by_responder: Default::default(),
            responder_drop_reason: Default::default(),
            packet_dropped_by_requester: Default::default(),
            requester_drop_reason: Default::default(),
            write_state: Default::default(),
            address: Default::default(),
            data: Default::default(),
            read_state: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            read_argument: Default::default(),
            port: Default::default(),
            drops: Default::default(),
            irq_status: Default::default(),
            irq_enable: Default::default(),
            received: Default::default(),
            sent: Default::default(),
            command_code: Default::default(),
            command_busy: Default::default(),
            command_status: Default::default(),
            argument: array_init::array_init(|_| Default::default()),
            argument_row: Default::default(),
            perform: Default::default(),
            to_doorbell: Default::default(),
            read: Default::default(),
            id_value: Constant::new((map::ID_VALUE as usize).to_bits()),
            version_value: Constant::new((map::VERSION_VALUE as usize).to_bits()),
            limits_value: Constant::new((limits as usize).to_bits()),
            a_id: address(map::ID),
            a_version: address(map::VERSION),
            a_limits: address(map::LIMITS),
            a_irq_status: address(map::IRQ_STATUS),
            a_irq_enable: address(map::IRQ_ENABLE),
            a_received: address(map::PACKETS_RECEIVED),
            a_sent: address(map::PACKETS_SENT),
            a_dropped: address(map::PACKETS_DROPPED),
            a_command: address(map::COMMAND),
            a_command_status: address(map::COMMAND_STATUS),
            argument_page: Constant::new((map::ARGUMENT as usize >> 7).to_bits()),
            dropped_page: Constant::new((map::DROPPED as usize >> 7).to_bits()),
            doorbell_page: Constant::new((map::SQ_DOORBELL as usize >> 16).to_bits()),
        }
    }
}

impl Logic for Registers {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module registers");
        dff_setup!(
            self,
            clock,
            write_state,
            address,
            data,
            read_state,
            read_address,
            read_data,
            read_argument,
            irq_status,
            irq_enable,
            received,
            sent,
            command_code,
            command_busy,
            command_status
        );
        for i in 0..24 {
            self.argument[i].clock.next = self.clock.val();
            self.argument[i].d.next = self.argument[i].q.val();
            self.argument_row.i[i].next = self.argument[i].q.val();
        }

        // Write channel: address and data are taken together.
        self.awready.next = false;
        self.wready.next = false;
        self.bvalid.next = false;
        self.perform.next = false;
        self.to_doorbell.next = self.address.q.val().get_bits::<4>(16) == self.doorbell_page.val();
        self.doorbell_valid.next = false;
        match self.write_state.q.val() {
            WriteState::Idle => {
                if self.awvalid.val() && self.wvalid.val() {
                    self.awready.next = true;
                    self.wready.next = true;
                    self.address.d.next = self.awaddr.val();
                    self.data.d.next = self.wdata.val();
                    self.write_state.d.next = WriteState::Perform;
                }
            }
            WriteState::Perform => {
                self.doorbell_valid.next = self.to_doorbell.val();
                if !self.to_doorbell.val() || self.doorbell_ready.val() {
                    self.perform.next = !self.to_doorbell.val();
                    self.write_state.d.next = WriteState::Respond;
                }
            }
            WriteState::Respond => {
                self.bvalid.next = true;
                if self.bready.val() {
                    self.write_state.d.next = WriteState::Idle;
                }
            }
        }
        self.doorbell_receive.next = self.address.q.val().get_bit(2);
        self.doorbell_index.next = self.address.q.val().get_bits::<12>(3);
        self.doorbell_producer.next = self.data.q.val().get_bits::<16>(0);

        // Counters and flags, before software's writes so that those win.
        if self.packet_received.val() {
            self.received.d.next = self.received.q.val() + 1;
        }
        if self.packet_sent.val() {
            self.sent.d.next = self.sent.q.val() + 1;
        }
        if self.command_busy.q.val() && self.command_done.val() {
            self.command_busy.d.next = false;
            self.command_status.d.next = self.command_result.val();
        }

        if self.perform.val() {
            if self.address.q.val() == self.a_irq_enable.val() {
                self.irq_enable.d.next = self.data.q.val().get_bit(0);
            }
            if (self.address.q.val() == self.a_irq_status.val()) && self.data.q.val().get_bit(0) {
                self.irq_status.d.next = false;
            }
            if (self.address.q.val() == self.a_command.val()) && !self.command_busy.q.val() {
                self.command_code.d.next = self.data.q.val();
                self.command_busy.d.next = true;
            }
            if self.address.q.val().get_bits::<13>(7) == self.argument_page.val() {
                for i in 0..24 {
                    if self.address.q.val().get_bits::<5>(2) == i.to_bits::<5>() {
                        self.argument[i].d.next = self.data.q.val();
                    }
                }
            }
        }
        // A completion in the very clock of an acknowledgement must not be lost.
        if self.completion_written.val() {
            self.irq_status.d.next = true;
        }

        self.port.clock.next = self.clock.val();
        self.port.reset.next = self.reset.val();
        self.port.write.next = self.perform.val();
        self.port.write_address.next = self.address.q.val();
        self.port.write_data.next = self.data.q.val();
        self.port.read_address.next = self.read_address.q.val();

        self.drops.clock.next = self.clock.val();
        self.drops.reset.next = self.reset.val();
        self.drops.by_link.next = self.packet_dropped_by_link.val();
        self.drops.link_reason.next = self.link_drop_reason.val();
        self.drops.by_responder.next = self.packet_dropped_by_responder.val();
        self.drops.responder_reason.next = self.responder_drop_reason.val();
        self.drops.by_requester.next = self.packet_dropped_by_requester.val();
        self.drops.requester_reason.next = self.requester_drop_reason.val();
        self.drops.read_reason.next = self.read_address.q.val().get_bits::<5>(2);

        // Read channel. Word 0 of the arguments is at the most significant end.
        self.read_argument.d.next = bit_cast::<32, 768>(
            self.argument_row.o.val()
                >> (bit_cast::<10, 5>(bits::<5>(23) - self.read_address.q.val().get_bits::<5>(2)) << 5),
        );
        self.read.next = self.port.read_data.val();
        if self.read_address.q.val() == self.a_id.val() {
            self.read.next = self.id_value.val();
        }
        if self.read_address.q.val() == self.a_version.val() {
            self.read.next = self.version_value.val();
        }
        if self.read_address.q.val() == self.a_limits.val() {
            self.read.next = self.limits_value.val();
        }
        if self.read_address.q.val() == self.a_irq_status.val() {
            self.read.next = bit_cast::<32, 1>(self.irq_status.q.val().into());
        }
        if self.read_address.q.val() == self.a_irq_enable.val() {
            self.read.next = bit_cast::<32, 1>(self.irq_enable.q.val().into());
        }
        if self.read_address.q.val() == self.a_received.val() {
            self.read.next = self.received.q.val();
        }
        if self.read_address.q.val() == self.a_sent.val() {
            self.read.next = self.sent.q.val();
        }
        if self.read_address.q.val() == self.a_dropped.val() {
            self.read.next = self.drops.total.val();
        }
        if self.read_address.q.val() == self.a_command_status.val() {
            self.read.next = (bit_cast::<32, 1>(self.command_busy.q.val().into()) << 31)
                | bit_cast::<32, 8>(self.command_status.q.val());
        }
        if (self.read_address.q.val().get_bits::<13>(7) == self.argument_page.val())
            && (self.read_address.q.val().get_bits::<5>(2) < 24)
        {
            self.read.next = self.read_argument.q.val();
        }
        if self.read_address.q.val().get_bits::<13>(7) == self.dropped_page.val() {
            self.read.next = self.drops.count.val();
        }
        self.arready.next = false;
        self.rvalid.next = false;
        self.rdata.next = self.read_data.q.val();
        match self.read_state.q.val() {
            ReadState::Idle => {
                self.arready.next = true;
                if self.arvalid.val() {
                    self.read_address.d.next = self.araddr.val();
                    self.read_state.d.next = ReadState::Count;
                }
            }
            ReadState::Count => {
                self.read_state.d.next = ReadState::Pick;
            }
            ReadState::Pick => {
                self.read_data.d.next = self.read.val();
                self.read_state.d.next = ReadState::Respond;
            }
            ReadState::Respond => {
                self.rvalid.next = true;
                if self.rready.val() {
                    self.read_state.d.next = ReadState::Idle;
                }
            }
        }

        self.port_lid.next = self.port.lid.val();
        self.port_lmc.next = self.port.lmc.val();
        self.port_mac.next = self.port.mac.val();
        self.port_gid.next = self.port.gid.val();
        self.port_p_keys.next = self.port.p_keys.val();
        self.irq.next = self.irq_status.q.val() && self.irq_enable.q.val();
        self.command.next = self.command_code.q.val();
        self.command_valid.next = self.command_busy.q.val();
        self.arguments.next = self.argument_row.o.val();

        if self.reset.val() {
            self.write_state.d.next = WriteState::Idle;
            self.read_state.d.next = ReadState::Idle;
            self.command_busy.d.next = false;
            self.command_status.d.next = bits::<8>(0);
            self.irq_status.d.next = false;
            self.irq_enable.d.next = false;
            self.received.d.next = bits::<32>(0);
            self.sent.d.next = bits::<32>(0);
        }
    }
}
