//! Runs the commands of `host::command`, one at a time.
use super::region_arguments::RegionArguments;
use crate::host::command;
use crate::memory::RegionRow;
use crate::primitive::{comment, dff_setup, Register};
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum CommandState {
    Idle,
    /// What the command is and whether its arguments fit is known.
    Check,
    Receive,
    Response,
    Requester,
    Done,
}

/// Checks a command and hands it to whoever owns the context. That of a QP goes to the receive side, then to the
/// response engine, then to the requester, each of which may keep it waiting until what is under way is done.
///
/// `QB`, `CB`, `MB`: index bits of a QP, of a CQ and of the protection table.
#[derive(LogicBlock)]
pub struct Commands<const QB: usize, const CB: usize, const MB: usize> {
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
    /// Arguments `LIMITS` and `PD` of `host::command::modify_qp`.
    pub qp_limits: Signal<Out, Bits<64>>,
    pub to_receive_valid: Signal<Out, Bit>,
    pub to_receive_ready: Signal<In, Bit>,
    pub to_response_valid: Signal<Out, Bit>,
    pub to_response_ready: Signal<In, Bit>,
    pub to_requester_valid: Signal<Out, Bit>,
    pub to_requester_ready: Signal<In, Bit>,

    /// One pulse: `region` is the row of `region_index` now.
    pub region_update_valid: Signal<Out, Bit>,
    pub region_index: Signal<Out, Bits<MB>>,
    pub region: Signal<Out, RegionRow>,
    /// One pulse: the region with this R_Key is out of use.
    pub region_invalidate_valid: Signal<Out, Bit>,
    pub region_invalidate_key: Signal<Out, Bits<32>>,

    state: Register<CommandState>,
    result: Register<Bits<8>>,
    // What the words say, a clock later.
    creates_cq: Register<Bit>,
    modifies_qp: Register<Bit>,
    registers_mr: Register<Bit>,
    deregisters_mr: Register<Bit>,
    invalidates: Register<Bit>,
    cqn_fits: Register<Bit>,
    sizes_fit: Register<Bit>,
    keys_agree: Register<Bit>,
    region_arguments: RegionArguments<MB>,

    create_cq: Constant<Bits<32>>,
    modify_qp: Constant<Bits<32>>,
    reg_mr: Constant<Bits<32>>,
    dereg_mr: Constant<Bits<32>>,
    invalidate: Constant<Bits<32>>,
    ok: Constant<Bits<8>>,
    bad_command: Constant<Bits<8>>,
    bad_index: Constant<Bits<8>>,
    bad_size: Constant<Bits<8>>,
    max_sq_log_size: Constant<Bits<4>>,
    max_rd_atomic: Constant<Bits<5>>,
    cq_bits: Constant<Bits<6>>,
    cqn: Signal<Local, Bits<32>>,
}

fn code(value: u32) -> Constant<Bits<8>> {
    Constant::new((value as usize).to_bits())
}

impl<const QB: usize, const CB: usize, const MB: usize> Default for Commands<QB, CB, MB> {
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
            qp_limits: Default::default(),
            to_receive_valid: Default::default(),
            to_receive_ready: Default::default(),
            to_response_valid: Default::default(),
            to_response_ready: Default::default(),
            to_requester_valid: Default::default(),
            to_requester_ready: Default::default(),
            region_update_valid: Default::default(),
            region_index: Default::default(),
            region: Default::default(),
            region_invalidate_valid: Default::default(),
            region_invalidate_key: Default::default(),
            state: Default::default(),
            result: Default::default(),
            creates_cq: Default::default(),
            modifies_qp: Default::default(),
            registers_mr: Default::default(),
            deregisters_mr: Default::default(),
            invalidates: Default::default(),
            cqn_fits: Default::default(),
            sizes_fit: Default::default(),
            keys_agree: Default::default(),
            region_arguments: Default::default(),
            create_cq: Constant::new((command::CREATE_CQ as usize).to_bits()),
            modify_qp: Constant::new((command::MODIFY_QP as usize).to_bits()),
            reg_mr: Constant::new((command::REG_MR as usize).to_bits()),
            dereg_mr: Constant::new((command::DEREG_MR as usize).to_bits()),
            invalidate: Constant::new((command::INVALIDATE as usize).to_bits()),
            ok: code(command::OK),
            bad_command: code(command::BAD_COMMAND),
            bad_index: code(command::BAD_INDEX),
            bad_size: code(command::BAD_SIZE),
            max_sq_log_size: Constant::new((command::MAX_SQ_LOG_SIZE as usize).to_bits()),
            max_rd_atomic: Constant::new((command::MAX_RD_ATOMIC as usize).to_bits()),
            cq_bits: Constant::new(CB.to_bits()),
            cqn: Default::default(),
        }
    }
}

impl<const QB: usize, const CB: usize, const MB: usize> Logic for Commands<QB, CB, MB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module commands");
        dff_setup!(
            self,
            clock,
            state,
            result,
            creates_cq,
            modifies_qp,
            registers_mr,
            deregisters_mr,
            invalidates,
            cqn_fits,
            sizes_fit,
            keys_agree
        );
        // Word n of the arguments: host::command::create_cq and modify_qp.
        self.cqn.next = self.arguments.val().get_bits::<32>(736);
        self.cq_index.next = self.arguments.val().get_bits::<CB>(736);
        self.cq_base.next = self.arguments.val().get_bits::<64>(672);
        self.cq_log_size.next = self.arguments.val().get_bits::<4>(640);
        self.qp_index.next = self.arguments.val().get_bits::<QB>(736);
        self.qp_row.next = self.arguments.val().get_bits::<448>(320);
        self.qp_route.next = self.arguments.val().get_bits::<256>(64);
        self.qp_limits.next = self.arguments.val().get_bits::<64>(0);
        self.sizes_fit.d.next = (self.arguments.val().get_bits::<4>(672) <= self.max_sq_log_size.val())
            && (self.arguments.val().get_bits::<5>(32) <= self.max_rd_atomic.val())
            && (self.arguments.val().get_bits::<5>(40) <= self.max_rd_atomic.val());
        self.creates_cq.d.next = self.command.val() == self.create_cq.val();
        self.modifies_qp.d.next = self.command.val() == self.modify_qp.val();
        self.registers_mr.d.next = self.command.val() == self.reg_mr.val();
        self.deregisters_mr.d.next = self.command.val() == self.dereg_mr.val();
        self.invalidates.d.next = self.command.val() == self.invalidate.val();
        self.cqn_fits.d.next = !(self.cqn.val() >> self.cq_bits.val()).any();
        self.keys_agree.d.next = self.region_arguments.keys_agree.val();
        self.region_arguments.arguments.next = self.arguments.val();
        self.region_index.next = self.region_arguments.index.val();
        self.region.next = self.region_arguments.region.val();
        self.region_invalidate_key.next = self.region_arguments.key.val();

        self.cq_valid.next = false;
        self.to_receive_valid.next = false;
        self.to_response_valid.next = false;
        self.to_requester_valid.next = false;
        self.region_update_valid.next = false;
        self.region_invalidate_valid.next = false;
        self.command_done.next = false;
        self.command_result.next = self.result.q.val();
        match self.state.q.val() {
            CommandState::Idle => {
                if self.command_valid.val() {
                    self.state.d.next = CommandState::Check;
                }
            }
            CommandState::Check => {
                self.state.d.next = CommandState::Done;
                self.result.d.next = self.bad_command.val();
                if self.creates_cq.q.val() {
                    if self.cqn_fits.q.val() {
                        self.result.d.next = self.ok.val();
                        self.cq_valid.next = true;
                    } else {
                        self.result.d.next = self.bad_index.val();
                    }
                }
                if self.modifies_qp.q.val() {
                    if self.sizes_fit.q.val() {
                        self.result.d.next = self.ok.val();
                        self.state.d.next = CommandState::Receive;
                    } else {
                        self.result.d.next = self.bad_size.val();
                    }
                }
                if self.registers_mr.q.val() {
                    if self.keys_agree.q.val() {
                        self.result.d.next = self.ok.val();
                        self.region_update_valid.next = true;
                    } else {
                        self.result.d.next = self.bad_index.val();
                    }
                }
                if self.deregisters_mr.q.val() {
                    self.result.d.next = self.ok.val();
                    self.region_update_valid.next = true;
                    self.region.next.valid = false;
                }
                if self.invalidates.q.val() {
                    self.result.d.next = self.ok.val();
                    self.region_invalidate_valid.next = true;
                }
            }
            CommandState::Receive => {
                self.to_receive_valid.next = true;
                if self.to_receive_ready.val() {
                    self.state.d.next = CommandState::Response;
                }
            }
            CommandState::Response => {
                self.to_response_valid.next = true;
                if self.to_response_ready.val() {
                    self.state.d.next = CommandState::Requester;
                }
            }
            CommandState::Requester => {
                self.to_requester_valid.next = true;
                if self.to_requester_ready.val() {
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
