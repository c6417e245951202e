//! The send engine: takes QPs in turn and sends one packet of each.
use super::SendDecision;
use crate::context::state::StateRights;
use crate::context::ConfigFields;
use crate::host::{command, retire, wqe};
use crate::primitive::{comment, dff_setup, BlockRam, Register};
use crate::transmit::RequestRecord;
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum SendState {
    /// Waits for a QP; its context is being read.
    Idle,
    Decide,
    Fetch,
    WaitWqe,
    Emit,
}

/// Starts WQEs in post order and cuts messages into packets. `QB`: QP index bits.
///
/// Context row, from the least significant end: next PSN 24, next WQE 16, message open 1, bytes sent 32,
/// message length 32, buffer address 64, signaled 1, solicited 1.
#[derive(LogicBlock)]
pub struct SendEngine<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// `MODIFY_QP`.
    pub modify_valid: Signal<In, Bit>,
    pub modify_ready: Signal<Out, Bit>,
    pub modify_index: Signal<In, Bits<QB>>,
    pub modify_row: Signal<In, Bits<448>>,
    /// It is RTR to RTS: PSN and queue start anew.
    pub modify_starts: Signal<In, Bit>,

    pub port_lid: Signal<In, Bits<16>>,

    /// From the scheduler.
    pub turn_valid: Signal<In, Bit>,
    pub turn_index: Signal<In, Bits<QB>>,
    pub turn_ready: Signal<Out, Bit>,
    pub again_valid: Signal<Out, Bit>,
    pub again_index: Signal<Out, Bits<QB>>,

    /// QP index at hand, for the tables of others.
    pub index: Signal<Out, Bits<QB>>,
    pub send_producer: Signal<In, Bits<16>>,
    pub turn_state: Signal<In, Bits<3>>,

    pub wqe_request: Signal<Out, Bit>,
    pub wqe_ready: Signal<In, Bit>,
    pub wqe_address: Signal<Out, Bits<64>>,
    pub wqe_valid: Signal<In, Bit>,
    pub wqe: Signal<In, Bits<512>>,

    pub request_valid: Signal<Out, Bit>,
    pub request: Signal<Out, RequestRecord>,
    pub request_ready: Signal<In, Bit>,
    pub read_valid: Signal<Out, Bit>,
    pub read_address: Signal<Out, Bits<64>>,
    pub read_length: Signal<Out, Bits<13>>,
    pub read_ready: Signal<In, Bit>,

    /// One pulse: WQE `sent_wqe` of QP `index` is wholly sent, its last PSN is `sent_psn`.
    pub sent_valid: Signal<Out, Bit>,
    pub sent_wqe: Signal<Out, Bits<16>>,
    pub sent_psn: Signal<Out, Bits<24>>,
    pub sent_signaled: Signal<Out, Bit>,

    pub retire_valid: Signal<Out, Bit>,
    pub retire_record: Signal<Out, Bits<96>>,

    state: Register<SendState>,
    turn: Register<Bits<QB>>,
    fresh: Register<Bit>,
    config_rows: BlockRam<448, QB>,
    qp: ConfigFields,
    modified: ConfigFields,
    context_rows: BlockRam<171, QB>,
    decision: SendDecision,
    rights: StateRights,

    psn: Signal<Local, Bits<24>>,
    next_wqe: Signal<Local, Bits<16>>,
    open: Signal<Local, Bit>,
    sent: Signal<Local, Bits<32>>,
    length: Signal<Local, Bits<32>>,
    address: Signal<Local, Bits<64>>,
    signaled: Signal<Local, Bit>,
    solicited: Signal<Local, Bit>,
    new_wqe: Signal<Local, Bits<16>>,
    new_sent: Signal<Local, Bits<32>>,
    emits: Signal<Local, Bit>,
    modifies: Signal<Local, Bit>,
    wqe_offset: Signal<Local, Bits<64>>,
    operation_flags: Signal<Local, Bits<8>>,

    state_reset: Constant<Bits<3>>,
    state_rts: Constant<Bits<3>>,
    kind_fetched: Constant<Bits<96>>,
    flag_signaled: Constant<Bits<8>>,
    flag_solicited: Constant<Bits<8>>,
}

impl<const QB: usize> Default for SendEngine<QB> {
    fn default() -> Self {
        SendEngine {
            clock: Default::default(),
            reset: Default::default(),
            modify_valid: Default::default(),
            modify_ready: Default::default(),
            modify_index: Default::default(),
            modify_row: Default::default(),
            modify_starts: Default::default(),
            port_lid: Default::default(),
            turn_valid: Default::default(),
            turn_index: Default::default(),
            turn_ready: Default::default(),
            again_valid: Default::default(),
            again_index: Default::default(),
            index: Default::default(),
            send_producer: Default::default(),
            turn_state: Default::default(),
            wqe_request: Default::default(),
            wqe_ready: Default::default(),
            wqe_address: Default::default(),
            wqe_valid: Default::default(),
            wqe: Default::default(),
            request_valid: Default::default(),
            request: Default::default(),
            request_ready: Default::default(),
            read_valid: Default::default(),
            read_address: Default::default(),
            read_length: Default::default(),
            read_ready: Default::default(),
            sent_valid: Default::default(),
            sent_wqe: Default::default(),
            sent_psn: Default::default(),
            sent_signaled: Default::default(),
            retire_valid: Default::default(),
            retire_record: Default::default(),
            state: Default::default(),
            turn: Default::default(),
            fresh: Default::default(),
            config_rows: Default::default(),
            qp: Default::default(),
            modified: Default::default(),
            context_rows: Default::default(),
            decision: Default::default(),
            rights: Default::default(),
            psn: Default::default(),
            next_wqe: Default::default(),
            open: Default::default(),
            sent: Default::default(),
            length: Default::default(),
            address: Default::default(),
            signaled: Default::default(),
            solicited: Default::default(),
            new_wqe: Default::default(),
            new_sent: Default::default(),
            emits: Default::default(),
            modifies: Default::default(),
            wqe_offset: Default::default(),
            operation_flags: Default::default(),
            state_reset: crate::context::state::constant(command::STATE_RESET),
            state_rts: crate::context::state::constant(command::STATE_RTS),
            kind_fetched: crate::retire::kind_code(retire::kind::WQE_FETCHED, retire::QUEUE_SEND),
            flag_signaled: Constant::new((wqe::FLAG_SIGNALED as usize).to_bits()),
            flag_solicited: Constant::new((wqe::FLAG_SOLICITED as usize).to_bits()),
        }
    }
}

impl<const QB: usize> Logic for SendEngine<QB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module send_engine");
        dff_setup!(self, clock, state, turn, fresh);
        self.config_rows.clock.next = self.clock.val();
        self.context_rows.clock.next = self.clock.val();

        // Context of the QP whose turn it is.
        self.config_rows.read_address.next = self.turn.q.val();
        self.context_rows.read_address.next = self.turn.q.val();
        if self.state.q.val() == SendState::Idle {
            self.config_rows.read_address.next = self.turn_index.val();
            self.context_rows.read_address.next = self.turn_index.val();
        }
        self.index.next = self.turn.q.val();
        self.qp.row.next = self.config_rows.read_data.val();
        self.modified.row.next = self.modify_row.val();
        self.rights.state.next = self.turn_state.val();
        self.psn.next = self.context_rows.read_data.val().get_bits::<24>(0);
        self.next_wqe.next = self.context_rows.read_data.val().get_bits::<16>(24);
        self.open.next = self.context_rows.read_data.val().get_bit(40);
        self.sent.next = self.context_rows.read_data.val().get_bits::<32>(41);
        self.length.next = self.context_rows.read_data.val().get_bits::<32>(73);
        self.address.next = self.context_rows.read_data.val().get_bits::<64>(105);
        self.signaled.next = self.context_rows.read_data.val().get_bit(169);
        self.solicited.next = self.context_rows.read_data.val().get_bit(170);
        // A WQE just fetched (host::wqe).
        self.operation_flags.next = self.wqe.val().get_bits::<8>(496);
        if self.fresh.q.val() {
            self.sent.next = bits::<32>(0);
            self.length.next = self.wqe.val().get_bits::<32>(320);
            self.address.next = self.wqe.val().get_bits::<64>(192);
            self.signaled.next = (self.operation_flags.val() & self.flag_signaled.val()).any();
            self.solicited.next = (self.operation_flags.val() & self.flag_solicited.val()).any();
        }

        self.decision.offset.next = self.sent.val();
        self.decision.length.next = self.length.val();
        self.decision.pmtu.next = self.qp.pmtu.val();

        self.wqe_offset.next =
            bit_cast::<64, 16>(self.next_wqe.val() & ((bits::<16>(1) << self.qp.sq_log_size.val()) - 1)) << 6;
        self.wqe_address.next = self.qp.sq_base.val() + self.wqe_offset.val();

        self.request.next.dlid = self.qp.dlid.val();
        self.request.next.slid = self.port_lid.val() + bit_cast::<16, 7>(self.qp.path_bits.val());
        self.request.next.sl = self.qp.sl.val();
        self.request.next.opcode = self.decision.opcode.val();
        self.request.next.solicited = self.decision.ends.val() && self.solicited.val();
        self.request.next.p_key = self.qp.p_key.val();
        self.request.next.dest_qp = self.qp.dest_qpn.val();
        self.request.next.ack_req = self.decision.ack_req.val();
        self.request.next.psn = self.psn.val();
        self.request.next.payload = self.decision.payload.val();
        self.request.next.qpn = self.qp.qpn.val();
        self.read_address.next = self.address.val() + bit_cast::<64, 32>(self.sent.val());
        self.read_length.next = self.decision.payload.val();

        self.new_wqe.next = self.next_wqe.val();
        self.new_sent.next = self.sent.val() + bit_cast::<32, 13>(self.decision.payload.val());
        if self.decision.ends.val() {
            self.new_wqe.next = self.next_wqe.val() + 1;
        }
        self.sent_wqe.next = self.next_wqe.val();
        self.sent_psn.next = self.psn.val();
        self.sent_signaled.next = self.signaled.val();

        self.modifies.next = false;
        self.turn_ready.next = false;
        self.wqe_request.next = false;
        self.emits.next = false;
        self.retire_valid.next = false;
        self.retire_record.next = self.kind_fetched.val()
            | (bit_cast::<96, 24>(self.qp.qpn.val()) << 56)
            | bit_cast::<96, 16>(self.next_wqe.val());
        match self.state.q.val() {
            SendState::Idle => {
                self.fresh.d.next = false;
                if self.modify_valid.val() {
                    self.modifies.next = true;
                } else if self.turn_valid.val() {
                    self.turn_ready.next = true;
                    self.turn.d.next = self.turn_index.val();
                    self.state.d.next = SendState::Decide;
                }
            }
            SendState::Decide => {
                // State gate (requester.md section 3), then work.
                // SQD finishes the message that is open (section 9).
                if !(self.rights.sends.val() || (self.rights.takes_responses.val() && self.open.val())) {
                    self.state.d.next = SendState::Idle;
                } else if self.open.val() {
                    self.state.d.next = SendState::Emit;
                } else if self.next_wqe.val() == self.send_producer.val() {
                    self.state.d.next = SendState::Idle;
                } else {
                    self.retire_valid.next = true;
                    self.state.d.next = SendState::Fetch;
                }
            }
            SendState::Fetch => {
                self.wqe_request.next = true;
                if self.wqe_ready.val() {
                    self.state.d.next = SendState::WaitWqe;
                }
            }
            SendState::WaitWqe => {
                if self.wqe_valid.val() {
                    self.fresh.d.next = true;
                    self.state.d.next = SendState::Emit;
                }
            }
            SendState::Emit => {
                if self.request_ready.val() && self.read_ready.val() {
                    self.emits.next = true;
                    self.state.d.next = SendState::Idle;
                }
            }
        }
        self.request_valid.next = self.emits.val();
        self.read_valid.next = self.emits.val() && self.decision.payload.val().any();
        self.sent_valid.next = self.emits.val() && self.decision.ends.val();
        self.again_valid.next = self.emits.val()
            && (!self.decision.ends.val() || (self.new_wqe.val() != self.send_producer.val()));

        self.again_index.next = self.turn.q.val();

        // Context rows: written by an emission, or by MODIFY_QP.
        self.modify_ready.next = self.modifies.val();
        if self.modifies.val() {
            // Work that waited for RTS takes its turn.
            self.again_valid.next = self.modified.state.val() == self.state_rts.val();
            self.again_index.next = self.modify_index.val();
        }
        self.config_rows.write_enable.next = self.modifies.val();
        self.config_rows.write_address.next = self.modify_index.val();
        self.config_rows.write_data.next = self.modify_row.val();
        self.context_rows.write_enable.next = self.emits.val();
        self.context_rows.write_address.next = self.turn.q.val();
        self.context_rows.write_data.next = bit_cast::<171, 24>(self.psn.val() + 1)
            | (bit_cast::<171, 16>(self.new_wqe.val()) << 24)
            | (bit_cast::<171, 1>((!self.decision.ends.val()).into()) << 40)
            | (bit_cast::<171, 32>(self.new_sent.val()) << 41)
            | (bit_cast::<171, 32>(self.length.val()) << 73)
            | (bit_cast::<171, 64>(self.address.val()) << 105)
            | (bit_cast::<171, 1>(self.signaled.val().into()) << 169)
            | (bit_cast::<171, 1>(self.solicited.val().into()) << 170);
        if self.modifies.val() {
            self.context_rows.write_address.next = self.modify_index.val();
            self.context_rows.write_enable.next =
                (self.modified.state.val() == self.state_reset.val()) || self.modify_starts.val();
            self.context_rows.write_data.next = bit_cast::<171, 24>(self.modified.sq_psn.val());
        }
        if self.reset.val() {
            self.state.d.next = SendState::Idle;
        }
    }
}
