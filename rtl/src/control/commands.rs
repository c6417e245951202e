//! Runs the commands of `host::command`, one at a time.
use crate::host::command;
use crate::primitive::{comment, dff_setup, Register};
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum CommandState {
    Idle,
    Receive,
    Send,
    Done,
}

/// Checks a command and hands it to whoever owns the context: first the receive engine, then the send engine.
///
/// `QB`, `CB`: index bits of a QP and of a CQ.
#[derive(LogicBlock)]
pub struct Commands<const QB: usize, const CB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub command: Signal<In, Bits<32>>,
    pub command_valid: Signal<In, Bit>,
    pub command_done: Signal<Out, Bit>,
    pub command_result: Signal<Out, Bits<8>>,
    pub arguments: Signal<In, Bits<768>>,

    /// One pulse: the CQ starts empty at `cq_base` with 2^`cq_log_size` entries.
    pub cq_valid: Signal<Out, Bit>,
    pub cq_index: Signal<Out, Bits<CB>>,
    pub cq_base: Signal<Out, Bits<64>>,
    pub cq_log_size: Signal<Out, Bits<4>>,

    pub qp_index: Signal<Out, Bits<QB>>,
    /// `context::config` row.
    pub qp_row: Signal<Out, Bits<448>>,
    /// `context::route` row.
    pub qp_route: Signal<Out, Bits<256>>,
    pub to_receive_valid: Signal<Out, Bit>,
    pub to_receive_ready: Signal<In, Bit>,
    pub to_send_valid: Signal<Out, Bit>,
    pub to_send_ready: Signal<In, Bit>,

    state: Register<CommandState>,
    result: Register<Bits<8>>,

    create_cq: Constant<Bits<32>>,
    modify_qp: Constant<Bits<32>>,
    ok: Constant<Bits<8>>,
    bad_command: Constant<Bits<8>>,
    bad_index: Constant<Bits<8>>,
    bad_size: Constant<Bits<8>>,
    max_sq_log_size: Constant<Bits<4>>,
    cq_bits: Constant<Bits<6>>,
    cqn: Signal<Local, Bits<32>>,
    sq_log_size: Signal<Local, Bits<4>>,
}

fn code(value: u32) -> Constant<Bits<8>> {
    Constant::new((value as usize).to_bits())
}

impl<const QB: usize, const CB: usize> Default for Commands<QB, CB> {
    fn default() -> Self {
        Commands {
            clock: Default::default(),
            reset: Default::default(),
            command: Default::default(),
            command_valid: Default::default(),
            command_done: Default::default(),
            command_result: Default::default(),
            arguments: Default::default(),
            cq_valid: Default::default(),
            cq_index: Default::default(),
            cq_base: Default::default(),
            cq_log_size: Default::default(),
            qp_index: Default::default(),
            qp_row: Default::default(),
            qp_route: Default::default(),
            to_receive_valid: Default::default(),
            to_receive_ready: Default::default(),
            to_send_valid: Default::default(),
            to_send_ready: Default::default(),
            state: Default::default(),
            result: Default::default(),
            create_cq: Constant::new((command::CREATE_CQ as usize).to_bits()),
            modify_qp: Constant::new((command::MODIFY_QP as usize).to_bits()),
            ok: code(command::OK),
            bad_command: code(command::BAD_COMMAND),
            bad_index: code(command::BAD_INDEX),
            bad_size: code(command::BAD_SIZE),
            max_sq_log_size: Constant::new((command::MAX_SQ_LOG_SIZE as usize).to_bits()),
            cq_bits: Constant::new(CB.to_bits()),
            cqn: Default::default(),
            sq_log_size: Default::default(),
        }
    }
}

impl<const QB: usize, const CB: usize> Logic for Commands<QB, CB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module commands");
        dff_setup!(self, clock, state, result);
        // Word n of the arguments: host::command::create_cq and modify_qp.
        self.cqn.next = self.arguments.val().get_bits::<32>(736);
        self.cq_index.next = self.arguments.val().get_bits::<CB>(736);
        self.cq_base.next = self.arguments.val().get_bits::<64>(672);
        self.cq_log_size.next = self.arguments.val().get_bits::<4>(640);
        self.qp_index.next = self.arguments.val().get_bits::<QB>(736);
        self.qp_row.next = self.arguments.val().get_bits::<448>(320);
        self.qp_route.next = self.arguments.val().get_bits::<256>(64);
        self.sq_log_size.next = self.arguments.val().get_bits::<4>(672);

        self.cq_valid.next = false;
        self.to_receive_valid.next = false;
        self.to_send_valid.next = false;
        self.command_done.next = false;
        self.command_result.next = self.result.q.val();
        match self.state.q.val() {
            CommandState::Idle => {
                if self.command_valid.val() {
                    self.state.d.next = CommandState::Done;
                    self.result.d.next = self.bad_command.val();
                    if self.command.val() == self.create_cq.val() {
                        if (self.cqn.val() >> self.cq_bits.val()).any() {
                            self.result.d.next = self.bad_index.val();
                        } else {
                            self.result.d.next = self.ok.val();
                            self.cq_valid.next = true;
                        }
                    }
                    if self.command.val() == self.modify_qp.val() {
                        if self.sq_log_size.val() > self.max_sq_log_size.val() {
                            self.result.d.next = self.bad_size.val();
                        } else {
                            self.result.d.next = self.ok.val();
                            self.state.d.next = CommandState::Receive;
                        }
                    }
                }
            }
            CommandState::Receive => {
                self.to_receive_valid.next = true;
                if self.to_receive_ready.val() {
                    self.state.d.next = CommandState::Send;
                }
            }
            CommandState::Send => {
                self.to_send_valid.next = true;
                if self.to_send_ready.val() {
                    self.state.d.next = CommandState::Done;
                }
            }
            CommandState::Done => {
                self.command_done.next = true;
                self.state.d.next = CommandState::Idle;
            }
        }
        if self.reset.val() {
            self.state.d.next = CommandState::Idle;
        }
    }
}
