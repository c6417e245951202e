//! The AXI4-Lite slave.
use crate::bundle::RegisterBusSource;
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum ReadState {
    /// No read is under way.
    Idle,
    /// The counts of the drop reason are read.
    Count,
    /// The value of the register is taken.
    Pick,
    /// The value is offered to software.
    Respond,
}

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum WriteState {
    /// No write is under way.
    Idle,
    /// The write is offered to the registers.
    Perform,
    /// The end of the write is offered to software.
    Respond,
}

/// Handles one write and one read at a time; a write is answered once it was taken.
#[derive(LogicBlock, Default)]
pub struct RegisterSlave {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// The AXI4-Lite port of software.
    pub axil: AxiLiteSink<20>,

    /// High for a write, until it is taken.
    pub write_valid: Signal<Out, Bit>,
    /// High for one cycle when the write is taken.
    pub write_ready: Signal<In, Bit>,
    /// High in the cycle in which a register, and no doorbell, takes the write.
    pub performs: Signal<In, Bit>,
    /// The write, and the address that is read.
    pub bus: RegisterBusSource,
    /// High in the cycle in which a read is taken.
    pub read_begins: Signal<Out, Bit>,
    /// Byte address of the register of that read, while `read_begins` is high.
    pub begun_address: Signal<Out, Bits<20>>,
    /// Value of the register, one cycle after its address.
    pub read_data: Signal<In, Bits<32>>,

    write_state: Register<WriteState>,
    address: Register<Bits<20>>,
    data: Register<Bits<32>>,
    read_state: Register<ReadState>,
    address_read: Register<Bits<20>>,
    data_read: Register<Bits<32>>,
}

#[kernel]
impl Logic for RegisterSlave {
    fn update(&mut self) {
        // Address and data are taken together.
        self.axil.awready.next = false;
        self.axil.wready.next = false;
        self.axil.bvalid.next = false;
        self.write_valid.next = false;
        inputs!(self.bus, write: performs, write_address: address.q, write_data: data.q);
        match self.write_state.q.val() {
            WriteState::Idle => {
                if self.axil.awvalid.val() && self.axil.wvalid.val() {
                    self.axil.awready.next = true;
                    self.axil.wready.next = true;
                    self.address.d.next = self.axil.awaddr.val();
                    self.data.d.next = self.axil.wdata.val();
                    self.write_state.d.next = WriteState::Perform;
                }
            }
            WriteState::Perform => {
                self.write_valid.next = true;
                if self.write_ready.val() {
                    self.write_state.d.next = WriteState::Respond;
                }
            }
            WriteState::Respond => {
                self.axil.bvalid.next = true;
                if self.axil.bready.val() {
                    self.write_state.d.next = WriteState::Idle;
                }
            }
        }

        self.axil.arready.next = false;
        self.axil.rvalid.next = false;
        self.axil.rdata.next = self.data_read.q.val();
        self.bus.read_address.next = self.address_read.q.val();
        self.read_begins.next = false;
        self.begun_address.next = self.axil.araddr.val();
        match self.read_state.q.val() {
            ReadState::Idle => {
                self.axil.arready.next = true;
                if self.axil.arvalid.val() {
                    self.read_begins.next = true;
                    self.address_read.d.next = self.axil.araddr.val();
                    self.read_state.d.next = ReadState::Count;
                }
            }
            ReadState::Count => {
                self.read_state.d.next = ReadState::Pick;
            }
            ReadState::Pick => {
                self.data_read.d.next = self.read_data.val();
                self.read_state.d.next = ReadState::Respond;
            }
            ReadState::Respond => {
                self.axil.rvalid.next = true;
                if self.axil.rready.val() {
                    self.read_state.d.next = ReadState::Idle;
                }
            }
        }
        if self.reset.val() {
            self.write_state.d.next = WriteState::Idle;
            self.read_state.d.next = ReadState::Idle;
        }
    }
}
