//! What to do with an inbound packet, as far as the QP context alone can tell.
//!
//! `protocol/responder.md` section 1, steps 4 to 13, and `protocol/requester.md` section 5, in that order; the
//! first check that fails decides. What needs the receive WQE is [`super::fit`].
use super::PartitionCheck;
use crate::context::state::StateRights;
use crate::host::{command, retire::drop};
use crate::primitive::comment;
use crate::retire::drop_reason;
use rust_hdl_core::prelude::*;

/// Pure function of header, QP context and queue levels. Exactly one of `drop`, `response`, `duplicate`,
/// `refuse` and `execute` is up.
#[derive(LogicBlock)]
pub struct ReceiveDecision {
    // Header.
    pub opcode: Signal<In, Bits<8>>,
    pub dest_qp: Signal<In, Bits<24>>,
    pub psn: Signal<In, Bits<24>>,
    pub slid: Signal<In, Bits<16>>,
    pub has_grh: Signal<In, Bit>,
    pub sgid: Signal<In, Bits<128>>,
    pub p_key: Signal<In, Bits<16>>,
    pub syndrome: Signal<In, Bits<8>>,
    /// Payload bytes without pad.
    pub payload: Signal<In, Bits<13>>,

    // Configuration and state of the QP that the header's low QPN bits select.
    pub qpn: Signal<In, Bits<24>>,
    pub service: Signal<In, Bits<3>>,
    pub pmtu: Signal<In, Bits<3>>,
    pub connected_lid: Signal<In, Bits<16>>,
    pub connected_has_grh: Signal<In, Bit>,
    pub connected_gid: Signal<In, Bits<128>>,
    pub own_p_key: Signal<In, Bits<16>>,
    pub min_rnr_timer: Signal<In, Bits<5>>,
    pub state: Signal<In, Bits<3>>,
    /// The port's P_Key table ([`PartitionCheck`]).
    pub port_p_keys: Signal<In, Bits<64>>,

    // Responder context.
    pub epsn: Signal<In, Bits<24>>,
    /// A Send has begun and not ended.
    pub open: Signal<In, Bit>,
    /// A sequence or RNR NAK went out and ePSN has not come since.
    pub nak_outstanding: Signal<In, Bit>,
    /// A receive WQE is posted.
    pub posted: Signal<In, Bit>,

    // Requester context.
    /// Oldest unacknowledged PSN.
    pub unacknowledged: Signal<In, Bits<24>>,
    /// Highest PSN sent, plus one.
    pub next_psn: Signal<In, Bits<24>>,

    pub drop: Signal<Out, Bit>,
    pub drop_reason: Signal<Out, Bits<8>>,
    pub response: Signal<Out, Bit>,
    pub duplicate: Signal<Out, Bit>,
    pub refuse: Signal<Out, Bit>,
    pub execute: Signal<Out, Bit>,
    /// Of `refuse`.
    pub refuse_syndrome: Signal<Out, Bits<8>>,
    /// Of `refuse`: the QP goes to Error.
    pub fatal: Signal<Out, Bit>,
    /// Of `response`: anything but an ACK.
    pub negative: Signal<Out, Bit>,
    /// First or only: takes a receive WQE.
    pub begins: Signal<Out, Bit>,
    /// Last or only.
    pub ends: Signal<Out, Bit>,
    pub has_immediate: Signal<Out, Bit>,
    /// The P_Key is entry `p_key_index` of the port's table: a packet for QP1.
    pub has_p_key_index: Signal<Out, Bit>,
    pub p_key_index: Signal<Out, Bits<2>>,

    rights: StateRights,
    partition: PartitionCheck,
    code: Signal<Local, Bits<5>>,
    class: Signal<Local, Bits<3>>,
    is_response: Signal<Local, Bit>,
    is_acknowledge: Signal<Local, Bit>,
    is_replayable: Signal<Local, Bit>,
    from_peer: Signal<Local, Bit>,
    distance: Signal<Local, Bits<24>>,
    response_distance: Signal<Local, Bits<24>>,
    outstanding: Signal<Local, Bits<24>>,
    syndrome_type: Signal<Local, Bits<2>>,
    reserved_syndrome: Signal<Local, Bit>,
    pmtu_bytes: Signal<Local, Bits<13>>,
    sequence_legal: Signal<Local, Bit>,
    length_legal: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    middle: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    only: Signal<Local, Bit>,

    state_reset: Constant<Bits<3>>,
    why_opcode: Constant<Bits<8>>,
    why_dest_qp: Constant<Bits<8>>,
    why_state: Constant<Bits<8>>,
    why_source: Constant<Bits<8>>,
    why_p_key: Constant<Bits<8>>,
    why_nak_outstanding: Constant<Bits<8>>,
    why_ghost: Constant<Bits<8>>,
    why_duplicate: Constant<Bits<8>>,
    why_syndrome: Constant<Bits<8>>,
    why_unexpected: Constant<Bits<8>>,
}

impl Default for ReceiveDecision {
    fn default() -> Self {
        ReceiveDecision {
            opcode: Default::default(),
            dest_qp: Default::default(),
            psn: Default::default(),
            slid: Default::default(),
            has_grh: Default::default(),
            sgid: Default::default(),
            p_key: Default::default(),
            syndrome: Default::default(),
            payload: Default::default(),
            qpn: Default::default(),
            service: Default::default(),
            pmtu: Default::default(),
            connected_lid: Default::default(),
            connected_has_grh: Default::default(),
            connected_gid: Default::default(),
            from_peer: Default::default(),
            own_p_key: Default::default(),
            min_rnr_timer: Default::default(),
            state: Default::default(),
            port_p_keys: Default::default(),
            epsn: Default::default(),
            open: Default::default(),
            nak_outstanding: Default::default(),
            posted: Default::default(),
            unacknowledged: Default::default(),
            next_psn: Default::default(),
            drop: Default::default(),
            drop_reason: Default::default(),
            response: Default::default(),
            duplicate: Default::default(),
            refuse: Default::default(),
            execute: Default::default(),
            refuse_syndrome: Default::default(),
            fatal: Default::default(),
            negative: Default::default(),
            begins: Default::default(),
            ends: Default::default(),
            has_immediate: Default::default(),
            has_p_key_index: Default::default(),
            p_key_index: Default::default(),
            rights: Default::default(),
            partition: Default::default(),
            code: Default::default(),
            class: Default::default(),
            is_response: Default::default(),
            is_acknowledge: Default::default(),
            is_replayable: Default::default(),
            distance: Default::default(),
            response_distance: Default::default(),
            outstanding: Default::default(),
            syndrome_type: Default::default(),
            reserved_syndrome: Default::default(),
            pmtu_bytes: Default::default(),
            sequence_legal: Default::default(),
            length_legal: Default::default(),
            first: Default::default(),
            middle: Default::default(),
            last: Default::default(),
            only: Default::default(),
            state_reset: crate::context::state::constant(command::STATE_RESET),
            why_opcode: drop_reason(drop::OPCODE),
            why_dest_qp: drop_reason(drop::DEST_QP),
            why_state: drop_reason(drop::QP_STATE),
            why_source: drop_reason(drop::SOURCE),
            why_p_key: drop_reason(drop::P_KEY),
            why_nak_outstanding: drop_reason(drop::NAK_OUTSTANDING),
            why_ghost: drop_reason(drop::GHOST_RESPONSE),
            why_duplicate: drop_reason(drop::DUPLICATE_RESPONSE),
            why_syndrome: drop_reason(drop::RESERVED_SYNDROME),
            why_unexpected: drop_reason(drop::UNEXPECTED_RESPONSE),
        }
    }
}

impl Logic for ReceiveDecision {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module receive_decision");
        self.rights.state.next = self.state.val();

        // Opcode (opcodes.csv): class in bits 7:5; Send 00h-05h, responses 0Dh-12h.
        self.class.next = self.opcode.val().get_bits::<3>(5);
        self.code.next = self.opcode.val().get_bits::<5>(0);
        self.first.next = self.code.val() == 0x00;
        self.middle.next = self.code.val() == 0x01;
        self.last.next = (self.code.val() == 0x02) || (self.code.val() == 0x03);
        self.only.next = (self.code.val() == 0x04) || (self.code.val() == 0x05);
        self.has_immediate.next = (self.code.val() == 0x03) || (self.code.val() == 0x05);
        self.is_response.next = (self.code.val() >= 0x0D) && (self.code.val() <= 0x12);
        self.is_acknowledge.next = self.code.val() == 0x11;
        // Read and atomics are answered from stored resources; none is stored yet.
        self.is_replayable.next =
            (self.code.val() == 0x0C) || (self.code.val() == 0x13) || (self.code.val() == 0x14);
        self.begins.next = self.first.val() || self.only.val();
        self.ends.next = self.last.val() || self.only.val();

        self.partition.dest_qp.next = self.dest_qp.val();
        self.partition.p_key.next = self.p_key.val();
        self.partition.own_p_key.next = self.own_p_key.val();
        self.partition.port_p_keys.next = self.port_p_keys.val();
        self.has_p_key_index.next = self.partition.in_table.val();
        self.p_key_index.next = self.partition.index.val();

        // PSN regions, 24-bit signed distance (responder.md section 2, requester.md section 5).
        self.distance.next = self.psn.val() - self.epsn.val();
        self.response_distance.next = self.psn.val() - self.unacknowledged.val();
        self.outstanding.next = self.next_psn.val() - self.unacknowledged.val();

        // Syndrome (aeth.md section 2): 64h answers RD only.
        self.syndrome_type.next = self.syndrome.val().get_bits::<2>(5);
        self.reserved_syndrome.next = self.syndrome.val().get_bit(7)
            || (self.syndrome_type.val() == 2)
            || ((self.syndrome_type.val() == 3) && (self.syndrome.val().get_bits::<5>(0) > 3));
        self.negative.next = self.syndrome_type.val().any();

        // Opcode sequence and support (responder.md section 3, section 1 step 11): only Send is supported.
        self.sequence_legal.next = self.begins.val();
        if self.open.val() {
            self.sequence_legal.next = self.middle.val() || self.last.val();
        }
        // Payload length by position (headers.md section 4).
        self.pmtu_bytes.next = bits::<13>(128) << self.pmtu.val();
        self.length_legal.next = self.payload.val() <= self.pmtu_bytes.val();
        if self.first.val() || self.middle.val() {
            self.length_legal.next = self.payload.val() == self.pmtu_bytes.val();
        }
        if self.last.val() {
            self.length_legal.next =
                self.payload.val().any() && (self.payload.val() <= self.pmtu_bytes.val());
        }

        // The address that the QP is connected with: LID, and GID where packets carry one.
        self.from_peer.next = (self.slid.val() == self.connected_lid.val())
            && (self.has_grh.val() == self.connected_has_grh.val());
        if self.has_grh.val() && (self.sgid.val() != self.connected_gid.val()) {
            self.from_peer.next = false;
        }

        self.drop.next = false;
        self.drop_reason.next = bits::<8>(0);
        self.response.next = false;
        self.duplicate.next = false;
        self.refuse.next = false;
        self.refuse_syndrome.next = bits::<8>(0);
        self.fatal.next = false;
        self.execute.next = false;
        if (self.dest_qp.val() != self.qpn.val()) || (self.state.val() == self.state_reset.val()) {
            // Step 5, CF041, CF043. The row of a QP in Reset may never have been written: then it reads as QP0's.
            self.drop.next = true;
            self.drop_reason.next = self.why_dest_qp.val();
        } else if self.class.val() != self.service.val() {
            // Step 4, CF042.
            self.drop.next = true;
            self.drop_reason.next = self.why_opcode.val();
        } else if (self.is_response.val() && !self.rights.takes_responses.val())
            || (!self.is_response.val() && !self.rights.receives.val())
        {
            // Step 5, CF043 and CF044.
            self.drop.next = true;
            self.drop_reason.next = self.why_state.val();
        } else if !self.from_peer.val() {
            // Step 6, CF049.
            self.drop.next = true;
            self.drop_reason.next = self.why_source.val();
        } else if !self.partition.passes.val() {
            // Step 7, CF050 to CF052.
            self.drop.next = true;
            self.drop_reason.next = self.why_p_key.val();
        } else if self.is_response.val() {
            // Step 8: the requester's side.
            if !self.is_acknowledge.val() {
                // Only Sends are outstanding, and only Acknowledge answers them.
                self.drop.next = true;
                self.drop_reason.next = self.why_unexpected.val();
            } else if self.response_distance.val().get_bit(23) {
                // CF171.
                self.drop.next = true;
                self.drop_reason.next = self.why_duplicate.val();
            } else if self.response_distance.val() >= self.outstanding.val() {
                // CF172.
                self.drop.next = true;
                self.drop_reason.next = self.why_ghost.val();
            } else if self.reserved_syndrome.val() {
                // CF183.
                self.drop.next = true;
                self.drop_reason.next = self.why_syndrome.val();
            } else {
                self.response.next = true;
            }
        } else if self.distance.val().get_bit(23) {
            // Step 9, duplicate region (section 6).
            if self.is_replayable.val() {
                // CF121, CF123.
                self.drop.next = true;
                self.drop_reason.next = self.why_opcode.val();
            } else {
                self.duplicate.next = true;
            }
        } else if self.distance.val().any() {
            // Step 9, out of sequence: one NAK until ePSN comes (CF059, CF061).
            if self.nak_outstanding.val() {
                self.drop.next = true;
                self.drop_reason.next = self.why_nak_outstanding.val();
            } else {
                self.refuse.next = true;
                self.refuse_syndrome.next = bits::<8>(0x60);
            }
        } else if !self.sequence_legal.val() {
            // Steps 10 and 11, CF068 to CF073.
            self.refuse.next = true;
            self.fatal.next = true;
            self.refuse_syndrome.next = bits::<8>(0x61);
        } else if self.begins.val() && !self.posted.val() {
            // Step 12, CF106.
            self.refuse.next = true;
            self.refuse_syndrome.next = bits::<8>(0x20) | bit_cast::<8, 5>(self.min_rnr_timer.val());
        } else if !self.length_legal.val() {
            // Step 13, CF078 to CF080.
            self.refuse.next = true;
            self.fatal.next = true;
            self.refuse_syndrome.next = bits::<8>(0x61);
        } else {
            self.execute.next = true;
        }
    }
}
