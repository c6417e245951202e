//! What a response completes: WQEs in post order, by their last PSN.
use crate::completion::CompletionRecord;
use crate::context::ConfigFields;
use crate::host::{command, cqe, wqe};
use crate::primitive::{comment, dff_setup, BlockRam, Fifo, LutRam, Register};
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum CompleterState {
    Idle,
    /// The oldest WQE's last PSN is being read.
    Look,
    Check,
    Fail,
}

/// Applies accepted responses (`protocol/requester.md` section 6).
///
/// An ACK completes every WQE whose last PSN it covers; a NAK those before its PSN, then the one that holds it, in
/// error. Nothing is resent yet, so a sequence NAK counts as an exhausted retry counter and an RNR NAK as an
/// exhausted RNR counter. `QB`: QP index bits; `OA` = `QB` + 6.
#[derive(LogicBlock)]
pub struct Completer<const QB: usize, const OA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// One pulse: a QP was modified.
    pub modify_valid: Signal<In, Bit>,
    pub modify_index: Signal<In, Bits<QB>>,
    pub modify_row: Signal<In, Bits<448>>,

    pub sent_valid: Signal<In, Bit>,
    pub sent_index: Signal<In, Bits<QB>>,
    pub sent_wqe: Signal<In, Bits<16>>,
    pub sent_psn: Signal<In, Bits<24>>,
    pub sent_signaled: Signal<In, Bit>,

    pub response_valid: Signal<In, Bit>,
    pub response_ready: Signal<Out, Bit>,
    pub response_index: Signal<In, Bits<QB>>,
    pub response_psn: Signal<In, Bits<24>>,
    pub response_syndrome: Signal<In, Bits<8>>,

    pub completion_valid: Signal<Out, Bit>,
    pub completion: Signal<Out, CompletionRecord>,
    pub completion_ready: Signal<In, Bit>,

    /// Index 16 | PSN 24 | syndrome 8.
    responses: Fifo<48, 4>,
    modified: ConfigFields,
    /// Next WQE that starts a QP has wholly sent; next WQE to complete.
    sent: LutRam<16, QB>,
    completed: LutRam<16, QB>,
    /// QPN 24 | CQN 16.
    owner: LutRam<40, QB>,
    /// Last PSN 24 | signaled 1, by QP and WQE index modulo 64.
    last_psns: BlockRam<25, OA>,
    state: Register<CompleterState>,
    /// Of the oldest WQE, with the clock in which its last PSN was read.
    wholly_sent: Register<Bit>,

    index: Signal<Local, Bits<QB>>,
    psn: Signal<Local, Bits<24>>,
    syndrome: Signal<Local, Bits<8>>,
    negative: Signal<Local, Bit>,
    bound: Signal<Local, Bits<24>>,
    oldest: Signal<Local, Bits<16>>,
    distance: Signal<Local, Bits<24>>,
    covered: Signal<Local, Bit>,
    signaled: Signal<Local, Bit>,
    retires: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    status: Signal<Local, Bits<8>>,
    clears: Signal<Local, Bit>,

    state_reset: Constant<Bits<3>>,
    operation: Constant<Bits<8>>,
    retry_exc_err: Constant<Bits<8>>,
    rnr_retry_exc_err: Constant<Bits<8>>,
    rem_inv_req_err: Constant<Bits<8>>,
    rem_access_err: Constant<Bits<8>>,
    rem_op_err: Constant<Bits<8>>,
}

fn status(value: u8) -> Constant<Bits<8>> {
    Constant::new((value as usize).to_bits())
}

impl<const QB: usize, const OA: usize> Default for Completer<QB, OA> {
    fn default() -> Self {
        assert_eq!(OA, QB + command::MAX_SQ_LOG_SIZE as usize);
        Completer {
            clock: Default::default(),
            reset: Default::default(),
            modify_valid: Default::default(),
            modify_index: Default::default(),
            modify_row: Default::default(),
            sent_valid: Default::default(),
            sent_index: Default::default(),
            sent_wqe: Default::default(),
            sent_psn: Default::default(),
            sent_signaled: Default::default(),
            response_valid: Default::default(),
            response_ready: Default::default(),
            response_index: Default::default(),
            response_psn: Default::default(),
            response_syndrome: Default::default(),
            completion_valid: Default::default(),
            completion: Default::default(),
            completion_ready: Default::default(),
            responses: Default::default(),
            modified: Default::default(),
            sent: Default::default(),
            completed: Default::default(),
            owner: Default::default(),
            last_psns: Default::default(),
            state: Default::default(),
            wholly_sent: Default::default(),
            index: Default::default(),
            psn: Default::default(),
            syndrome: Default::default(),
            negative: Default::default(),
            bound: Default::default(),
            oldest: Default::default(),
            distance: Default::default(),
            covered: Default::default(),
            signaled: Default::default(),
            retires: Default::default(),
            done: Default::default(),
            status: Default::default(),
            clears: Default::default(),
            state_reset: crate::context::state::constant(command::STATE_RESET),
            operation: status(wqe::OP_SEND),
            retry_exc_err: status(cqe::RETRY_EXC_ERR),
            rnr_retry_exc_err: status(cqe::RNR_RETRY_EXC_ERR),
            rem_inv_req_err: status(cqe::REM_INV_REQ_ERR),
            rem_access_err: status(cqe::REM_ACCESS_ERR),
            rem_op_err: status(cqe::REM_OP_ERR),
        }
    }
}

impl<const QB: usize, const OA: usize> Logic for Completer<QB, OA> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module completer");
        dff_setup!(self, clock, state, wholly_sent);
        self.responses.clock.next = self.clock.val();
        self.responses.reset.next = self.reset.val();
        self.sent.clock.next = self.clock.val();
        self.completed.clock.next = self.clock.val();
        self.owner.clock.next = self.clock.val();
        self.last_psns.clock.next = self.clock.val();
        self.modified.row.next = self.modify_row.val();

        self.response_ready.next = self.responses.write_ready.val();
        self.responses.write_valid.next = self.response_valid.val();
        self.responses.write_data.next = (bit_cast::<48, QB>(self.response_index.val()) << 32)
            | (bit_cast::<48, 24>(self.response_psn.val()) << 8)
            | bit_cast::<48, 8>(self.response_syndrome.val());
        self.index.next = self.responses.read_data.val().get_bits::<QB>(32);
        self.psn.next = self.responses.read_data.val().get_bits::<24>(8);
        self.syndrome.next = self.responses.read_data.val().get_bits::<8>(0);

        self.sent.read_address_a.next = self.index.val();
        self.sent.read_address_b.next = self.index.val();
        self.completed.read_address_a.next = self.index.val();
        self.completed.read_address_b.next = self.index.val();
        self.owner.read_address_a.next = self.index.val();
        self.owner.read_address_b.next = self.index.val();
        self.oldest.next = self.completed.read_data_a.val();
        self.last_psns.read_address.next = (bit_cast::<OA, QB>(self.index.val()) << 6)
            | bit_cast::<OA, 6>(self.oldest.val().get_bits::<6>(0));

        // Type 00 is an ACK of psn; a NAK acknowledges what is before psn.
        self.negative.next = self.syndrome.val().get_bits::<2>(5).any();
        self.bound.next = self.psn.val();
        if self.negative.val() {
            self.bound.next = self.psn.val() - 1;
        }
        self.distance.next = self.bound.val() - self.last_psns.read_data.val().get_bits::<24>(1);
        self.signaled.next = self.last_psns.read_data.val().get_bit(0);
        self.wholly_sent.d.next = self.oldest.val() != self.sent.read_data_a.val();
        self.covered.next = self.wholly_sent.q.val() && !self.distance.val().get_bit(23);

        // Status of the WQE that a NAK ends (aeth_syndrome.csv).
        self.status.next = self.rnr_retry_exc_err.val();
        if self.syndrome.val() == 0x60 {
            self.status.next = self.retry_exc_err.val();
        }
        if self.syndrome.val() == 0x61 {
            self.status.next = self.rem_inv_req_err.val();
        }
        if self.syndrome.val() == 0x62 {
            self.status.next = self.rem_access_err.val();
        }
        if self.syndrome.val() == 0x63 {
            self.status.next = self.rem_op_err.val();
        }

        self.completion_valid.next = false;
        self.completion.next.cqn = self.owner.read_data_a.val().get_bits::<16>(0);
        self.completion.next.qpn = self.owner.read_data_a.val().get_bits::<24>(16);
        self.completion.next.index = self.oldest.val();
        self.completion.next.status = bits::<8>(0);
        self.completion.next.receive = false;
        self.completion.next.operation = self.operation.val();
        self.completion.next.byte_count = bits::<32>(0);
        self.completion.next.has_immediate = false;
        self.completion.next.immediate = bits::<32>(0);
        self.completion.next.has_p_key_index = false;
        self.completion.next.p_key_index = bits::<2>(0);
        self.completion.next.fence = bits::<16>(0);
        self.completion.next.has_invalidated = false;
        // While a QP is being emptied its tables take no other write.
        self.clears.next = self.modify_valid.val() && (self.modified.state.val() == self.state_reset.val());
        self.retires.next = false;
        self.done.next = false;
        match self.state.q.val() {
            CompleterState::Idle => {
                if self.responses.read_valid.val() {
                    self.state.d.next = CompleterState::Look;
                }
            }
            CompleterState::Look => {
                self.state.d.next = CompleterState::Check;
            }
            CompleterState::Check => {
                if self.clears.val() {
                    self.state.d.next = CompleterState::Look;
                } else if self.covered.val() {
                    self.completion_valid.next = self.signaled.val();
                    if !self.signaled.val() || self.completion_ready.val() {
                        self.retires.next = true;
                        self.state.d.next = CompleterState::Look;
                    }
                } else if self.negative.val() {
                    self.state.d.next = CompleterState::Fail;
                } else {
                    self.done.next = true;
                }
            }
            CompleterState::Fail => {
                self.completion_valid.next = !self.clears.val();
                self.completion.next.status = self.status.val();
                if self.completion_ready.val() && !self.clears.val() {
                    self.retires.next = true;
                    self.done.next = true;
                }
            }
        }
        if self.done.val() {
            self.state.d.next = CompleterState::Idle;
        }
        self.responses.read_ready.next = self.done.val();

        self.completed.write_enable.next = self.retires.val() || self.clears.val();
        self.completed.write_address.next = self.index.val();
        self.completed.write_data.next = self.oldest.val() + 1;
        self.sent.write_enable.next = self.sent_valid.val() || self.clears.val();
        self.sent.write_address.next = self.sent_index.val();
        self.sent.write_data.next = self.sent_wqe.val() + 1;
        if self.clears.val() {
            self.completed.write_address.next = self.modify_index.val();
            self.completed.write_data.next = bits::<16>(0);
            self.sent.write_address.next = self.modify_index.val();
            self.sent.write_data.next = bits::<16>(0);
        }
        self.owner.write_enable.next = self.modify_valid.val();
        self.owner.write_address.next = self.modify_index.val();
        self.owner.write_data.next = (bit_cast::<40, 24>(self.modified.qpn.val()) << 16)
            | bit_cast::<40, 16>(self.modified.send_cqn.val());
        self.last_psns.write_enable.next = self.sent_valid.val();
        self.last_psns.write_address.next = (bit_cast::<OA, QB>(self.sent_index.val()) << 6)
            | bit_cast::<OA, 6>(self.sent_wqe.val().get_bits::<6>(0));
        self.last_psns.write_data.next = (bit_cast::<25, 24>(self.sent_psn.val()) << 1)
            | bit_cast::<25, 1>(self.sent_signaled.val().into());
        if self.reset.val() {
            self.state.d.next = CompleterState::Idle;
        }
    }
}
