//! The receive engine: context, decision, and what the movers are told. One packet at a time. Long because one kernel
//! drives every port.
use super::acks::AckRecord;
use super::{FitDecision, ReceiveDecision};
use crate::completion::CompletionRecord;
use crate::context::{ConfigFields, ResponderRow, RouteFields};
use crate::host::{command, cqe, retire};
use crate::primitive::{comment, dff_setup, BlockRam, LutRam, Register};
use crate::wire::RxHeader;
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum ReceiveState {
    /// Waits for a packet; the context is being read.
    Idle,
    Decide,
    Fetch,
    WaitWqe,
    Fit,
    /// Moves the QP to Error behind the packet that caused it.
    Fail,
    /// Reports that one clock later, when every engine sees the new state.
    Report,
}

/// Decides on every inbound packet in arrival order; owns QP state, configuration and responder context.
///
/// `QB`: QP index bits.
#[derive(LogicBlock)]
pub struct ReceiveEngine<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// `MODIFY_QP`.
    pub modify_valid: Signal<In, Bit>,
    pub modify_ready: Signal<Out, Bit>,
    pub modify_index: Signal<In, Bits<QB>>,
    pub modify_row: Signal<In, Bits<448>>,
    pub modify_route: Signal<In, Bits<256>>,
    /// The modification last taken was RTR to RTS: the send side starts.
    pub modify_starts: Signal<Out, Bit>,

    /// The port's P_Key table ([`super::PartitionCheck`]).
    pub port_p_keys: Signal<In, Bits<64>>,
    pub header: Signal<In, RxHeader>,
    pub header_valid: Signal<In, Bit>,
    pub header_ready: Signal<Out, Bit>,
    /// One for each header: the payload goes to memory, or nowhere.
    pub payload_valid: Signal<Out, Bit>,
    pub payload_discard: Signal<Out, Bit>,
    pub payload_ready: Signal<In, Bit>,

    pub write_valid: Signal<Out, Bit>,
    pub write_address: Signal<Out, Bits<64>>,
    pub write_length: Signal<Out, Bits<13>>,
    pub write_ready: Signal<In, Bit>,

    pub wqe_request: Signal<Out, Bit>,
    pub wqe_ready: Signal<In, Bit>,
    pub wqe_address: Signal<Out, Bits<64>>,
    pub wqe_valid: Signal<In, Bit>,
    pub wqe: Signal<In, Bits<512>>,

    /// QP index of the packet at hand, for the tables of others.
    pub index: Signal<Out, Bits<QB>>,
    pub receive_producer: Signal<In, Bits<16>>,
    pub next_psn: Signal<In, Bits<24>>,

    pub ack_valid: Signal<Out, Bit>,
    pub ack: Signal<Out, AckRecord>,
    pub ack_negative: Signal<Out, Bit>,

    /// A response for the send queue of QP `index`.
    pub response_valid: Signal<Out, Bit>,
    pub response_psn: Signal<Out, Bits<24>>,
    pub response_syndrome: Signal<Out, Bits<8>>,
    pub response_ready: Signal<In, Bit>,

    pub completion_valid: Signal<Out, Bit>,
    pub completion: Signal<Out, CompletionRecord>,
    pub completion_ready: Signal<In, Bit>,

    /// State of another QP, for the send engine.
    pub state_index: Signal<In, Bits<QB>>,
    pub state_value: Signal<Out, Bits<3>>,

    /// One pulse: this packet was dropped.
    pub dropped: Signal<Out, Bit>,
    /// Why.
    pub drop_reason: Signal<Out, Bits<8>>,
    pub retire_valid: Signal<Out, Bit>,
    pub retire_record: Signal<Out, Bits<96>>,

    state: Register<ReceiveState>,
    config_rows: BlockRam<448, QB>,
    /// GID of the peer [127:0]; [128]: its packets carry a GRH.
    peers: BlockRam<129, QB>,
    qp: ConfigFields,
    modified: ConfigFields,
    modified_route: RouteFields,
    states: LutRam<3, QB>,
    context_rows: BlockRam<194, QB>,
    responder: ResponderRow,
    unacknowledged: LutRam<24, QB>,
    decision: ReceiveDecision,
    fit: FitDecision,
    fail_completes: Register<Bit>,
    fail_status: Register<Bits<8>>,
    fail_index: Register<Bits<16>>,

    write_context: Signal<Local, Bit>,

    sinks_ready: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    modifies: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    loads_receive: Signal<Local, Bit>,
    starts: Register<Bit>,
    starts_now: Signal<Local, Bit>,
    wqe_offset: Signal<Local, Bits<64>>,
    record_fields: Signal<Local, Bits<96>>,

    state_reset: Constant<Bits<3>>,
    state_rtr: Constant<Bits<3>>,
    state_rts: Constant<Bits<3>>,
    state_error: Constant<Bits<3>>,
    operation: Constant<Bits<8>>,
    loc_len_err: Constant<Bits<8>>,
    rem_inv_req_err: Constant<Bits<8>>,
    kind_fetched: Constant<Bits<96>>,
    kind_executed: Constant<Bits<96>>,
    kind_duplicate: Constant<Bits<96>>,
    kind_refused: Constant<Bits<96>>,
    kind_response: Constant<Bits<96>>,
    kind_dropped: Constant<Bits<96>>,
    kind_state: Constant<Bits<96>>,
}

impl<const QB: usize> Default for ReceiveEngine<QB> {
    fn default() -> Self {
        ReceiveEngine {
            clock: Default::default(),
            reset: Default::default(),
            modify_valid: Default::default(),
            modify_ready: Default::default(),
            modify_index: Default::default(),
            modify_row: Default::default(),
            modify_route: Default::default(),
            modify_starts: Default::default(),
            port_p_keys: Default::default(),
            header: Default::default(),
            header_valid: Default::default(),
            header_ready: Default::default(),
            payload_valid: Default::default(),
            payload_discard: Default::default(),
            payload_ready: Default::default(),
            write_valid: Default::default(),
            write_address: Default::default(),
            write_length: Default::default(),
            write_ready: Default::default(),
            wqe_request: Default::default(),
            wqe_ready: Default::default(),
            wqe_address: Default::default(),
            wqe_valid: Default::default(),
            wqe: Default::default(),
            index: Default::default(),
            receive_producer: Default::default(),
            next_psn: Default::default(),
            ack_valid: Default::default(),
            ack: Default::default(),
            ack_negative: Default::default(),
            response_valid: Default::default(),
            response_psn: Default::default(),
            response_syndrome: Default::default(),
            response_ready: Default::default(),
            completion_valid: Default::default(),
            completion: Default::default(),
            completion_ready: Default::default(),
            state_index: Default::default(),
            state_value: Default::default(),
            dropped: Default::default(),
            drop_reason: Default::default(),
            retire_valid: Default::default(),
            retire_record: Default::default(),
            state: Default::default(),
            config_rows: Default::default(),
            peers: Default::default(),
            modified_route: Default::default(),
            qp: Default::default(),
            modified: Default::default(),
            states: Default::default(),
            context_rows: Default::default(),
            responder: Default::default(),
            unacknowledged: Default::default(),
            decision: Default::default(),
            fit: Default::default(),
            fail_completes: Default::default(),
            fail_status: Default::default(),
            fail_index: Default::default(),
            write_context: Default::default(),
            sinks_ready: Default::default(),
            done: Default::default(),
            modifies: Default::default(),
            fails: Default::default(),
            loads_receive: Default::default(),
            starts: Default::default(),
            starts_now: Default::default(),
            wqe_offset: Default::default(),
            record_fields: Default::default(),
            state_reset: crate::context::state::constant(command::STATE_RESET),
            state_rtr: crate::context::state::constant(command::STATE_RTR),
            state_rts: crate::context::state::constant(command::STATE_RTS),
            state_error: crate::context::state::constant(command::STATE_ERROR),
            operation: Constant::new((cqe::OP_RECEIVE as usize).to_bits()),
            loc_len_err: Constant::new((cqe::LOC_LEN_ERR as usize).to_bits()),
            rem_inv_req_err: Constant::new((cqe::REM_INV_REQ_ERR as usize).to_bits()),
            kind_fetched: crate::retire::kind_code(retire::kind::WQE_FETCHED, retire::QUEUE_RECEIVE),
            kind_executed: crate::retire::kind(retire::kind::REQUEST_EXECUTED),
            kind_duplicate: crate::retire::kind(retire::kind::DUPLICATE_REQUEST),
            kind_refused: crate::retire::kind(retire::kind::REQUEST_REFUSED),
            kind_response: crate::retire::kind(retire::kind::RESPONSE_ACCEPTED),
            kind_dropped: crate::retire::kind(retire::kind::PACKET_DROPPED),
            kind_state: crate::retire::kind_code(retire::kind::STATE_CHANGED, command::STATE_ERROR as u8),
        }
    }
}

impl<const QB: usize> Logic for ReceiveEngine<QB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module receive_engine");
        dff_setup!(
            self,
            clock,
            state,
            starts,
            fail_completes,
            fail_status,
            fail_index
        );
        self.config_rows.clock.next = self.clock.val();
        self.peers.clock.next = self.clock.val();
        self.context_rows.clock.next = self.clock.val();
        self.states.clock.next = self.clock.val();
        self.unacknowledged.clock.next = self.clock.val();

        // Context of the QP that the header names.
        self.index.next = self.header.val().dest_qp.get_bits::<QB>(0);
        self.config_rows.read_address.next = self.header.val().dest_qp.get_bits::<QB>(0);
        self.peers.read_address.next = self.header.val().dest_qp.get_bits::<QB>(0);
        self.context_rows.read_address.next = self.header.val().dest_qp.get_bits::<QB>(0);
        self.states.read_address_a.next = self.header.val().dest_qp.get_bits::<QB>(0);
        if (self.state.q.val() == ReceiveState::Idle) && self.modify_valid.val() {
            self.states.read_address_a.next = self.modify_index.val();
        }
        self.states.read_address_b.next = self.state_index.val();
        self.state_value.next = self.states.read_data_b.val();
        self.unacknowledged.read_address_a.next = self.header.val().dest_qp.get_bits::<QB>(0);
        self.unacknowledged.read_address_b.next = self.header.val().dest_qp.get_bits::<QB>(0);
        self.qp.row.next = self.config_rows.read_data.val();
        self.modified.row.next = self.modify_row.val();

        self.responder.row.next = self.context_rows.read_data.val();

        // Decision.
        self.decision.opcode.next = self.header.val().opcode;
        self.decision.dest_qp.next = self.header.val().dest_qp;
        self.decision.psn.next = self.header.val().psn;
        self.decision.slid.next = self.header.val().slid;
        self.decision.has_grh.next = self.header.val().has_grh;
        self.decision.sgid.next = self.header.val().sgid;
        self.decision.connected_has_grh.next = self.peers.read_data.val().get_bit(128);
        self.decision.connected_gid.next = self.peers.read_data.val().get_bits::<128>(0);
        self.decision.p_key.next = self.header.val().p_key;
        self.decision.syndrome.next = self.header.val().syndrome;
        self.decision.payload.next = self.header.val().payload;
        self.decision.qpn.next = self.qp.qpn.val();
        self.decision.service.next = self.qp.service.val();
        self.decision.pmtu.next = self.qp.pmtu.val();
        self.decision.connected_lid.next = self.qp.dlid.val();
        self.decision.own_p_key.next = self.qp.p_key.val();
        self.decision.port_p_keys.next = self.port_p_keys.val();
        self.decision.min_rnr_timer.next = self.qp.min_rnr_timer.val();
        self.decision.state.next = self.states.read_data_a.val();
        self.decision.epsn.next = self.responder.epsn.val();
        self.decision.open.next = self.responder.open.val();
        self.decision.nak_outstanding.next = self.responder.nak_outstanding.val();
        self.decision.posted.next = self.receive_producer.val() != self.responder.consumer.val();
        self.decision.unacknowledged.next = self.unacknowledged.read_data_a.val();
        self.decision.next_psn.next = self.next_psn.val();

        // The receive WQE: fetched for first and only, kept in the context for the others (host::wqe).
        self.wqe_offset.next = bit_cast::<64, 16>(
            self.responder.consumer.val() & ((bits::<16>(1) << self.qp.rq_log_size.val()) - 1),
        ) << 6;
        self.wqe_address.next = self.qp.rq_base.val() + self.wqe_offset.val();
        self.fit.payload.next = self.header.val().payload;
        self.fit.offset.next = self.responder.received.val();
        self.fit.address.next = self.responder.buffer_address.val();
        self.fit.length.next = self.responder.buffer_length.val();
        if self.decision.begins.val() {
            self.fit.offset.next = bits::<32>(0);
            self.fit.address.next = self.wqe.val().get_bits::<64>(192);
            self.fit.length.next = self.wqe.val().get_bits::<32>(320);
        }

        // The context as it stays unless something below changes it.
        self.responder.new_epsn.next = self.responder.epsn.val();
        self.responder.new_msn.next = self.responder.msn.val();
        self.responder.new_consumer.next = self.responder.consumer.val();
        self.responder.new_open.next = self.responder.open.val();
        self.responder.new_nak_outstanding.next = self.responder.nak_outstanding.val();
        self.responder.new_received.next = self.responder.received.val();
        self.responder.new_buffer_address.next = self.responder.buffer_address.val();
        self.responder.new_buffer_length.next = self.responder.buffer_length.val();
        self.write_context.next = false;

        self.ack_valid.next = false;
        self.ack_negative.next = false;
        self.ack.next.dlid = self.header.val().slid;
        self.ack.next.slid = self.header.val().dlid;
        self.ack.next.sl = self.header.val().sl;
        self.ack.next.p_key = self.qp.p_key.val();
        self.ack.next.dest_qp = self.qp.dest_qpn.val();
        self.ack.next.qpn = self.qp.qpn.val();
        self.ack.next.psn = self.header.val().psn;
        self.ack.next.syndrome = bits::<8>(0x1F);
        self.ack.next.msn = self.responder.msn.val();

        self.completion_valid.next = false;
        self.completion.next.cqn = self.qp.receive_cqn.val();
        self.completion.next.qpn = self.qp.qpn.val();
        self.completion.next.index = self.responder.consumer.val();
        self.completion.next.status = bits::<8>(0);
        self.completion.next.receive = true;
        self.completion.next.operation = self.operation.val();
        self.completion.next.byte_count = self.fit.total.val();
        self.completion.next.has_immediate = self.decision.has_immediate.val();
        self.completion.next.immediate = self.header.val().immediate;
        self.completion.next.has_p_key_index = self.decision.has_p_key_index.val();
        self.completion.next.p_key_index = self.decision.p_key_index.val();
        self.completion.next.fence = bits::<16>(0);
        self.completion.next.has_invalidated = false;

        self.response_valid.next = false;
        self.response_psn.next = self.header.val().psn;
        self.response_syndrome.next = self.header.val().syndrome;
        self.unacknowledged.write_enable.next = false;
        self.unacknowledged.write_address.next = self.header.val().dest_qp.get_bits::<QB>(0);
        self.unacknowledged.write_data.next = self.header.val().psn + 1;
        if self.decision.negative.val() {
            // A NAK acknowledges everything before its PSN (requester.md section 6).
            self.unacknowledged.write_data.next = self.header.val().psn;
        }

        self.write_valid.next = false;
        self.write_address.next = self.fit.destination.val();
        self.write_length.next = self.header.val().payload;
        self.payload_discard.next = true;
        self.wqe_request.next = false;
        self.dropped.next = false;
        self.drop_reason.next = self.decision.drop_reason.val();
        self.modifies.next = false;
        self.fails.next = false;
        self.done.next = false;
        self.retire_valid.next = false;
        self.record_fields.next = (bit_cast::<96, 24>(self.qp.qpn.val()) << 56)
            | (bit_cast::<96, 24>(self.header.val().psn) << 32)
            | bit_cast::<96, 32>(self.header.val().packet);
        self.retire_record.next = bits::<96>(0);
        self.sinks_ready.next = self.payload_ready.val()
            && self.write_ready.val()
            && self.completion_ready.val()
            && self.response_ready.val();

        match self.state.q.val() {
            ReceiveState::Idle => {
                if self.modify_valid.val() {
                    self.modifies.next = true;
                } else if self.header_valid.val() {
                    self.state.d.next = ReceiveState::Decide;
                }
            }
            ReceiveState::Decide => {
                if self.sinks_ready.val() {
                    self.retire_valid.next = true;
                    if self.decision.drop.val() {
                        self.dropped.next = true;
                        self.done.next = true;
                        self.retire_record.next = self.kind_dropped.val()
                            | (bit_cast::<96, 8>(self.decision.drop_reason.val()) << 80)
                            | self.record_fields.val();
                    }
                    if self.decision.response.val() {
                        self.unacknowledged.write_enable.next = true;
                        self.response_valid.next = true;
                        self.retire_record.next = self.kind_response.val()
                            | (bit_cast::<96, 8>(self.header.val().syndrome) << 80)
                            | self.record_fields.val();
                        if self.decision.negative.val() {
                            self.fail_completes.d.next = false;
                            self.state.d.next = ReceiveState::Fail;
                        } else {
                            self.done.next = true;
                        }
                    }
                    if self.decision.duplicate.val() {
                        self.ack_valid.next = true;
                        self.ack.next.psn = self.responder.epsn.val() - 1;
                        self.done.next = true;
                        self.retire_record.next = self.kind_duplicate.val() | self.record_fields.val();
                    }
                    if self.decision.refuse.val() {
                        self.ack_valid.next = true;
                        self.ack_negative.next = true;
                        self.ack.next.psn = self.responder.epsn.val();
                        self.ack.next.syndrome = self.decision.refuse_syndrome.val();
                        self.retire_record.next = self.kind_refused.val()
                            | (bit_cast::<96, 8>(self.decision.refuse_syndrome.val()) << 80)
                            | (bit_cast::<96, 24>(self.qp.qpn.val()) << 56)
                            | (bit_cast::<96, 24>(self.responder.epsn.val()) << 32)
                            | bit_cast::<96, 32>(self.header.val().packet);
                        if self.decision.fatal.val() {
                            self.fail_completes.d.next = self.responder.open.val();
                            self.fail_status.d.next = self.rem_inv_req_err.val();
                            self.fail_index.d.next = self.responder.consumer.val() - 1;
                            self.state.d.next = ReceiveState::Fail;
                        } else {
                            self.responder.new_nak_outstanding.next = true;
                            self.write_context.next = true;
                            self.done.next = true;
                        }
                    }
                    if self.decision.execute.val() {
                        if self.decision.begins.val() {
                            self.retire_record.next = self.kind_fetched.val()
                                | (bit_cast::<96, 24>(self.qp.qpn.val()) << 56)
                                | bit_cast::<96, 16>(self.responder.consumer.val());
                            self.state.d.next = ReceiveState::Fetch;
                        } else {
                            self.retire_valid.next = false;
                            self.state.d.next = ReceiveState::Fit;
                        }
                    }
                }
            }
            ReceiveState::Fetch => {
                self.wqe_request.next = true;
                if self.wqe_ready.val() {
                    self.state.d.next = ReceiveState::WaitWqe;
                }
            }
            ReceiveState::WaitWqe => {
                if self.wqe_valid.val() {
                    self.state.d.next = ReceiveState::Fit;
                }
            }
            ReceiveState::Fit => {
                if self.sinks_ready.val() {
                    self.retire_valid.next = true;
                    self.ack_valid.next = true;
                    self.write_context.next = true;
                    if self.decision.begins.val() {
                        self.responder.new_consumer.next = self.responder.consumer.val() + 1;
                    }
                    if self.fit.fits.val() {
                        // Execution (responder.md section 4).
                        self.responder.new_epsn.next = self.responder.epsn.val() + 1;
                        self.responder.new_nak_outstanding.next = false;
                        self.responder.new_open.next = !self.decision.ends.val();
                        self.responder.new_received.next = self.fit.total.val();
                        if self.decision.begins.val() {
                            self.responder.new_buffer_address.next = self.wqe.val().get_bits::<64>(192);
                            self.responder.new_buffer_length.next = self.wqe.val().get_bits::<32>(320);
                        }
                        if self.decision.ends.val() {
                            self.responder.new_msn.next = self.responder.msn.val() + 1;
                            self.ack.next.msn = self.responder.msn.val() + 1;
                            self.completion_valid.next = true;
                            if !self.decision.begins.val() {
                                self.completion.next.index = self.responder.consumer.val() - 1;
                            }
                        }
                        self.write_valid.next = self.header.val().payload.any();
                        self.payload_discard.next = !self.header.val().payload.any();
                        self.done.next = true;
                        self.retire_record.next = self.kind_executed.val() | self.record_fields.val();
                    } else {
                        // CF084.
                        self.ack_negative.next = true;
                        self.ack.next.syndrome = bits::<8>(0x61);
                        self.fail_completes.d.next = true;
                        self.fail_status.d.next = self.loc_len_err.val();
                        self.fail_index.d.next = self.responder.consumer.val() - 1;
                        if self.decision.begins.val() {
                            self.fail_index.d.next = self.responder.consumer.val();
                        }
                        self.state.d.next = ReceiveState::Fail;
                        self.retire_record.next =
                            (self.kind_refused.val() | (bits::<96>(0x61) << 80)) | self.record_fields.val();
                    }
                }
            }
            ReceiveState::Fail => {
                self.fails.next = true;
                self.state.d.next = ReceiveState::Report;
            }
            ReceiveState::Report => {
                if self.sinks_ready.val() {
                    self.completion_valid.next = self.fail_completes.q.val();
                    self.completion.next.status = self.fail_status.q.val();
                    self.completion.next.index = self.fail_index.q.val();
                    self.done.next = true;
                    self.retire_valid.next = true;
                    self.retire_record.next =
                        self.kind_state.val() | (bit_cast::<96, 24>(self.qp.qpn.val()) << 56);
                }
            }
        }
        if self.done.val() {
            self.state.d.next = ReceiveState::Idle;
        }
        self.header_ready.next = self.done.val();
        self.payload_valid.next = self.done.val();

        // Context rows: written by a decision, or by MODIFY_QP.
        self.modify_ready.next = self.modifies.val();
        self.config_rows.write_enable.next = self.modifies.val();
        self.config_rows.write_address.next = self.modify_index.val();
        self.config_rows.write_data.next = self.modify_row.val();
        self.modified_route.row.next = self.modify_route.val();
        self.peers.write_enable.next = self.modifies.val();
        self.peers.write_address.next = self.modify_index.val();
        self.peers.write_data.next = (bit_cast::<129, 1>(self.modified_route.has_grh.val().into()) << 128)
            | bit_cast::<129, 128>(self.modified_route.dgid.val());
        self.context_rows.write_enable.next = self.write_context.val();
        self.context_rows.write_address.next = self.header.val().dest_qp.get_bits::<QB>(0);
        self.context_rows.write_data.next = self.responder.new_row.val();
        self.states.write_enable.next = self.modifies.val();
        self.states.write_address.next = self.modify_index.val();
        self.states.write_data.next = self.modified.state.val();
        if self.fails.val() {
            self.states.write_enable.next = true;
            self.states.write_address.next = self.header.val().dest_qp.get_bits::<QB>(0);
            self.states.write_data.next = self.state_error.val();
        }
        self.loads_receive.next = (self.modified.state.val() == self.state_rtr.val())
            || (self.modified.state.val() == self.state_reset.val());
        self.starts_now.next = (self.modified.state.val() == self.state_rts.val())
            && (self.states.read_data_a.val() == self.state_rtr.val());
        self.modify_starts.next = self.starts.q.val();
        if self.modifies.val() {
            self.context_rows.write_address.next = self.modify_index.val();
            self.context_rows.write_enable.next = self.loads_receive.val();
            self.context_rows.write_data.next = bit_cast::<194, 24>(self.modified.rq_psn.val());
            self.unacknowledged.write_address.next = self.modify_index.val();
            self.unacknowledged.write_enable.next = self.starts_now.val();
            self.starts.d.next = self.starts_now.val();
            self.unacknowledged.write_data.next = self.modified.sq_psn.val();
        }
        if self.reset.val() {
            self.state.d.next = ReceiveState::Idle;
        }
    }
}
