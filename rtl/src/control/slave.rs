//! The AXI4-Lite slave.
use hca_hdl::primitive::{comment, dff_setup, Register};
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

/// One write and one read at a time; a write is answered once it was taken.
#[derive(LogicBlock, Default)]
pub struct RegisterSlave {
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

    /// A write, until it is taken.
    pub write_valid: Signal<Out, Bit>,
    pub write_ready: Signal<In, Bit>,
    pub write_address: Signal<Out, Bits<20>>,
    pub write_data: Signal<Out, Bits<32>>,
    pub read_address: Signal<Out, Bits<20>>,
    /// One clock after the address.
    pub read_data: Signal<In, Bits<32>>,

    write_state: Register<WriteState>,
    address: Register<Bits<20>>,
    data: Register<Bits<32>>,
    read_state: Register<ReadState>,
    address_read: Register<Bits<20>>,
    data_read: Register<Bits<32>>,
}

impl Logic for RegisterSlave {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module register_slave");
        dff_setup!(
            self,
            clock,
            write_state,
            address,
            data,
            read_state,
            address_read,
            data_read
        );
        // Address and data are taken together.
        self.awready.next = false;
        self.wready.next = false;
        self.bvalid.next = false;
        self.write_valid.next = false;
        self.write_address.next = self.address.q.val();
        self.write_data.next = self.data.q.val();
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
                self.write_valid.next = true;
                if self.write_ready.val() {
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

        self.arready.next = false;
        self.rvalid.next = false;
        self.rdata.next = self.data_read.q.val();
        self.read_address.next = self.address_read.q.val();
        match self.read_state.q.val() {
            ReadState::Idle => {
                self.arready.next = true;
                if self.arvalid.val() {
                    self.address_read.d.next = self.araddr.val();
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
                self.rvalid.next = true;
                if self.rready.val() {
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
