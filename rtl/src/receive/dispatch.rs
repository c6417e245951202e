//! Hands inbound packets to the responder or to the requester.
use super::{
    Admission, ArrivalOrder, PartitionCheck, PassageMark, PeerAddress, RequestArrival, ResponseArrival,
    SourceCheck, ViolationCopy, ViolationTurn,
};
use crate::bundle::{HeaderSink, PayloadOrderSource, QpPulseSink, ViolationWordSource};
use crate::context::{QpConfig, QpRoute};
use crate::drop_reasons::DropReasons;
use hca_hdl::prelude::*;
use hca_host::command;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum DispatchState {
    /// Waits for a packet; its source is judged once its QP's rows are there.
    Idle,
    /// Admission.
    Admit,
    /// A key of the packet may be wrong, so that the verdict of admission is awaited.
    Suspect,
    /// The fields that a trap needs are copied from the header to the violation latch of the port.
    Copy,
    /// The packet goes on with the verdict of admission.
    Pass,
}

/// Admits packets in arrival order: each in two clocks, or three if its QP was not known ahead. `QB`: QP index bits;
/// `IB` is 1 with native ports.
///
/// The QP state here is a copy: the engine that decides on the packet checks its own again. Behind a native port, a
/// packet with a wrong key waits until the one before it is decided: whether the violation latch takes it is then known
/// here (`protocol/mad.md` section 6.1).
#[derive(LogicBlock, SmartDefault)]
pub struct Dispatch<const QB: usize, const IB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High while `MODIFY_QP` waits: no packet is begun until `modify_done`.
    pub modify_valid: Signal<In, Bit>,
    /// With `modify_valid`: index of the QP that is modified.
    pub modify_index: Signal<In, Bits<QB>>,
    /// With `modify_valid`: arguments 0 to 13 of `MODIFY_QP`.
    pub modify_row: Signal<In, QpConfig>,
    /// With `modify_valid`: arguments 14 to 21 of `MODIFY_QP`.
    pub modify_route: Signal<In, QpRoute>,
    /// High while no packet is being admitted and no request waits here.
    pub drained: Signal<Out, Bit>,
    /// High for one cycle when the modification takes effect.
    pub modify_done: Signal<In, Bit>,
    /// Pulses when the requester reports a QP in Error.
    pub requester_error: QpPulseSink<QB>,
    /// Pulses when the responder reports a QP in Error.
    pub responder_error: QpPulseSink<QB>,

    /// The P_Key table of port 1 ([`super::PartitionCheck`]); from bit 64 on that of port 2.
    pub port_p_keys: Signal<In, Bits<128>>,
    /// Headers of the accepted packets.
    pub header: HeaderSink,
    /// Result of the replicator for the header's packet ([`super::Replicator`]).
    pub mark: Signal<In, PassageMark>,

    /// Request packets in the order of arrival, for the responder.
    pub request: OfferSource<RequestArrival>,
    /// Response packets in the order of arrival, for the requester.
    pub response: OfferSource<ResponseArrival>,
    /// Destinations of the payloads of the packets.
    pub order: PayloadOrderSource<QB>,

    /// High while the violation latch of port 1 is not free; bit 1 for port 2.
    pub latched: Signal<In, Bits<2>>,
    /// High for one cycle when the responder decides on a packet whose key admission has found wrong.
    pub request_key_decided: Signal<In, Bit>,
    /// High for one cycle when the requester decides on a packet whose key admission has found wrong.
    pub response_key_decided: Signal<In, Bit>,
    /// Fields of such packets for the violation latch of their port, if it is free.
    pub violation: ViolationWordSource,

    #[default(Register::new(DispatchState::Idle))]
    state: Register<DispatchState>,
    /// QP whose rows were read.
    rows_index: Register<Bits<QB>>,
    /// High if rows were written while these were read.
    outdated: Register<Bit>,
    row_index: Signal<Local, Bits<QB>>,
    leaves: Signal<Local, Bit>,
    #[default(BlockRam::without_collisions())]
    config_rows: BlockRam<QpConfig, QB>,
    #[default(BlockRam::without_collisions())]
    peers: BlockRam<PeerAddress, QB>,
    states: LutRam<Bits<3>, QB>,
    source: SourceCheck,
    partition: PartitionCheck,
    admission: Admission,
    agrees: Register<Bits<10>>,
    /// High if the header's packet is a response; valid from the clock after the first clock of the header.
    is_response: Register<Bit>,
    /// High if the packet came by the port of the QP.
    at_port: Register<Bit>,
    qpn: Register<Bits<24>>,
    subnet: Register<Bit>,
    general: Register<Bit>,
    service: Register<Bits<3>>,
    in_partition: Register<Bits<5>>,
    in_table: Register<Bit>,
    /// Comparisons of the Q_Key, byte by byte.
    q_key_agrees: Register<Bits<4>>,
    permissive: Register<Bit>,
    datagram: Signal<Local, Bit>,
    table_index: Register<Bits<2>>,
    /// High while a change to Error waits for the write port of the state table; a QP in Reset stays in Reset.
    late_error: Register<Bit>,
    /// With `late_error`: index of the QP.
    late_index: Register<Bits<QB>>,

    /// High if admission drops the packet.
    judged_drop: Register<Bit>,
    /// Reason for which admission drops the packet.
    judged_reason: Register<Bits<8>>,
    turn: ViolationTurn,
    copy: ViolationCopy,
    /// High if a key of the packet may be wrong. It settles early in the clock.
    suspect: Signal<Local, Bit>,
    wrong_q_key: Signal<Local, Bit>,
    wrong_key: Signal<Local, Bit>,
    why: DropReasons,
    requests: Fifo<RequestArrival, 3>,
    responses: Fifo<ResponseArrival, 3>,
    orders: Fifo<ArrivalOrder, 6>,
    goes: Signal<Local, Bit>,
    #[default(constant(command::STATE_RESET))]
    state_reset: Constant<Bits<3>>,
    #[default(constant(command::STATE_ERROR))]
    state_error: Constant<Bits<3>>,
}

#[kernel]
impl<const QB: usize, const IB: usize> Logic for Dispatch<QB, IB> {
    fn update(&mut self) {
        clock_and_reset!(self, turn, copy, requests, responses, orders);
        clock!(self, clock, config_rows, peers, states);

        self.states.read_address_a.next = self.header.item.val().dest_qp.get_bits::<QB>(0);
        self.states.read_address_b.next = self.late_index.q.val();
        self.source.slid.next = self.header.item.val().slid;
        self.source.has_grh.next = self.header.item.val().has_grh;
        self.source.sgid.next = self.header.item.val().sgid;
        self.source.connected_lid.next = self.config_rows.read_data.val().dlid;
        self.source.connected_has_grh.next = self.peers.read_data.val().has_grh;
        self.source.connected_gid.next = self.peers.read_data.val().gid;
        self.agrees.d.next = self.source.agrees.val();
        self.qpn.d.next = self.config_rows.read_data.val().qpn;
        self.service.d.next = self.config_rows.read_data.val().service;
        self.partition.subnet.next = self.header.item.val().subnet;
        self.partition.general.next = self.header.item.val().general;
        self.partition.p_key.next = self.header.item.val().p_key;
        self.partition.own_index.next = self.config_rows.read_data.val().p_key_index;
        self.partition.port_p_keys.next = self.port_p_keys.val().get_bits::<64>(0);
        if self.header.item.val().port {
            self.partition.port_p_keys.next = self.port_p_keys.val().get_bits::<64>(64);
        }
        self.at_port.d.next = self.header.item.val().port == self.config_rows.read_data.val().port;
        self.subnet.d.next = self.config_rows.read_data.val().subnet;
        self.general.d.next = self.config_rows.read_data.val().general;
        self.in_partition.d.next = self.partition.passes.val();
        // A QP of UD has its Q_Key in the place of the peer's QPN.
        self.q_key_agrees.d.next = bit_cast::<4, 1>(
            (self.header.item.val().q_key.get_bits::<8>(0)
                == self.config_rows.read_data.val().peer.get_bits::<8>(0))
            .into(),
        ) | (bit_cast::<4, 1>(
            (self.header.item.val().q_key.get_bits::<8>(8)
                == self.config_rows.read_data.val().peer.get_bits::<8>(8))
            .into(),
        ) << 1)
            | (bit_cast::<4, 1>(
                (self.header.item.val().q_key.get_bits::<8>(16)
                    == self.config_rows.read_data.val().peer.get_bits::<8>(16))
                .into(),
            ) << 2)
            | (bit_cast::<4, 1>(
                (self.header.item.val().q_key.get_bits::<8>(24)
                    == self.config_rows.read_data.val().peer.get_bits::<8>(24))
                .into(),
            ) << 3);
        self.permissive.d.next = self.header.item.val().slid.all();
        self.in_table.d.next = self.partition.in_table.val();
        self.table_index.d.next = self.partition.index.val();

        self.admission.refused.next = self.mark.val().refused;
        self.admission.refusal.next = self.mark.val().reason;
        self.admission.opcode.next = self.header.item.val().opcode;
        self.admission.dest_qp.next = self.header.item.val().dest_qp;
        self.admission.from_peer.next = self.agrees.q.val().all();
        self.admission.to_subnet.next = self.header.item.val().subnet;
        self.admission.to_general.next = self.header.item.val().general;
        inputs!(self.admission, at_port: at_port.q, qpn: qpn.q, subnet: subnet.q, general: general.q);
        self.admission.service.next = self.service.q.val();
        self.admission.in_partition.next = self.in_partition.q.val().all();
        self.admission.permissive.next = self.permissive.q.val();
        self.admission.holds_q_key.next = self.q_key_agrees.q.val().all();
        self.admission.state.next = self.states.read_data_a.val();
        self.requests.write.item.next.packet = self.header.item.val().packet;
        self.requests.write.item.next.dest_qp = self.header.item.val().dest_qp;
        self.requests.write.item.next.dlid = self.header.item.val().dlid;
        self.requests.write.item.next.sl = self.header.item.val().sl;
        self.requests.write.item.next.opcode = self.header.item.val().opcode;
        self.requests.write.item.next.solicited = self.header.item.val().solicited;
        self.requests.write.item.next.ack_req = self.header.item.val().ack_req;
        self.requests.write.item.next.psn = self.header.item.val().psn;
        self.requests.write.item.next.va = self.header.item.val().va;
        self.requests.write.item.next.r_key = self.header.item.val().r_key;
        self.requests.write.item.next.dma_len = self.header.item.val().dma_len;
        self.requests.write.item.next.swap_add = self.header.item.val().swap_add;
        self.requests.write.item.next.compare = self.header.item.val().compare;
        self.datagram.next = self.header.item.val().opcode.get_bits::<3>(5) == 3;
        if self.datagram.val() {
            self.requests.write.item.next.va = (bit_cast::<64, 1>(self.header.item.val().has_grh.into())
                << 40)
                | (bit_cast::<64, 16>(self.header.item.val().slid) << 24)
                | bit_cast::<64, 24>(self.header.item.val().source_qp);
            self.requests.write.item.next.swap_add = bit_cast::<64, 48>(self.header.item.val().source_mac)
                | (bit_cast::<64, 16>(self.header.item.val().dlid) << 32);
        }
        self.requests.write.item.next.immediate = self.header.item.val().immediate;
        self.requests.write.item.next.payload = self.header.item.val().payload;
        self.requests.write.item.next.has_p_key_index = self.in_table.q.val();
        self.requests.write.item.next.p_key_index = self.table_index.q.val();
        self.requests.write.item.next.grouped = self.mark.val().grouped;
        self.requests.write.item.next.copy = self.mark.val().copy;
        self.requests.write.item.next.port = self.header.item.val().port;
        self.requests.write.item.next.subnet = self.header.item.val().subnet;
        self.requests.write.item.next.general = self.header.item.val().general;
        self.requests.write.item.next.drop = self.admission.drop.val();
        self.requests.write.item.next.drop_reason = self.admission.drop_reason.val();
        self.responses.write.item.next.packet = self.header.item.val().packet;
        self.responses.write.item.next.dest_qp = self.header.item.val().dest_qp;
        self.responses.write.item.next.opcode = self.header.item.val().opcode;
        self.responses.write.item.next.psn = self.header.item.val().psn;
        self.responses.write.item.next.syndrome = self.header.item.val().syndrome;
        self.responses.write.item.next.msn = self.header.item.val().msn;
        self.responses.write.item.next.original = self.header.item.val().original;
        self.responses.write.item.next.payload = self.header.item.val().payload;
        self.responses.write.item.next.drop = self.admission.drop.val();
        self.responses.write.item.next.drop_reason = self.admission.drop_reason.val();
        self.responses.write.item.next.own = false;
        self.responses.write.item.next.port = self.header.item.val().port;

        // Packets with a wrong key.
        for _i in IB..1 {
            self.suspect.next = false;
        }
        for _i in 0..IB {
            self.suspect.next =
                !self.in_partition.q.val().all() || (self.datagram.val() && !self.q_key_agrees.q.val().all());
        }
        if self.state.q.val() == DispatchState::Admit {
            self.judged_drop.d.next = self.admission.drop.val();
            self.judged_reason.d.next = self.admission.drop_reason.val();
        }
        self.wrong_q_key.next = self.judged_reason.q.val() == self.why.q_key.val();
        self.wrong_key.next = self.wrong_q_key.val() || (self.judged_reason.q.val() == self.why.p_key.val());
        inputs!(self.turn, latched);
        self.turn.port.next = self.header.item.val().port;
        inputs!(self.turn, request_decided: request_key_decided, response_decided: response_key_decided);
        inputs!(self.copy, header: header.item, q_key: wrong_q_key);
        self.copy.runs.next = self.state.q.val() == DispatchState::Copy;
        ViolationWordSource::link(&mut self.violation, &mut self.copy.word);
        if self.state.q.val() == DispatchState::Pass {
            self.requests.write.item.next.drop = self.judged_drop.q.val();
            self.requests.write.item.next.drop_reason = self.judged_reason.q.val();
            self.responses.write.item.next.drop = self.judged_drop.q.val();
            self.responses.write.item.next.drop_reason = self.judged_reason.q.val();
        }

        self.orders.write.item.next.response = self.is_response.q.val();
        self.orders.write.item.next.index =
            bit_cast::<12, QB>(self.header.item.val().dest_qp.get_bits::<QB>(0));
        self.orders.write.item.next.keeps = self.mark.val().keeps;
        // A packet that is refused for its group goes to the responder, even if its opcode is that of a response.
        self.is_response.d.next = self.admission.response.val() && !self.mark.val().grouped;
        self.goes.next = self.orders.write.ready.val() && self.requests.write.ready.val();
        if self.is_response.q.val() {
            self.goes.next = self.orders.write.ready.val() && self.responses.write.ready.val();
        }
        self.leaves.next = self.goes.val()
            && (((self.state.q.val() == DispatchState::Admit) && !self.suspect.val())
                || (self.state.q.val() == DispatchState::Pass));
        self.header.ready.next = self.leaves.val();
        self.turn.goes.next = false;
        self.orders.write.valid.next = self.leaves.val();
        self.requests.write.valid.next = self.leaves.val() && !self.is_response.q.val();
        self.responses.write.valid.next = self.leaves.val() && self.is_response.q.val();
        match self.state.q.val() {
            DispatchState::Idle => {
                if self.header.valid.val()
                    && !self.modify_valid.val()
                    && !self.outdated.q.val()
                    && (self.rows_index.q.val() == self.header.item.val().dest_qp.get_bits::<QB>(0))
                {
                    self.state.d.next = DispatchState::Admit;
                }
            }
            DispatchState::Admit => {
                if self.leaves.val() {
                    self.state.d.next = DispatchState::Idle;
                } else if self.suspect.val() {
                    self.state.d.next = DispatchState::Suspect;
                }
            }
            DispatchState::Suspect => {
                if !self.wrong_key.val() {
                    self.state.d.next = DispatchState::Pass;
                } else if !self.turn.waits.val() {
                    self.state.d.next = DispatchState::Pass;
                    if self.turn.free.val() {
                        self.state.d.next = DispatchState::Copy;
                    }
                }
            }
            DispatchState::Copy => {
                if self.copy.done.val() {
                    self.state.d.next = DispatchState::Pass;
                }
            }
            DispatchState::Pass => {
                if self.leaves.val() {
                    self.state.d.next = DispatchState::Idle;
                    self.turn.goes.next = self.wrong_key.val();
                }
            }
        }
        // Rows of the QP that the header will name.
        self.row_index.next = self.header.next_dest_qp.val().get_bits::<QB>(0);
        self.config_rows.read_address.next = self.row_index.val();
        self.peers.read_address.next = self.row_index.val();
        self.rows_index.d.next = self.row_index.val();
        self.outdated.d.next = self.modify_done.val();
        self.drained.next = (self.state.q.val() == DispatchState::Idle) && !self.requests.read.valid.val();

        OfferSource::<RequestArrival>::link(&mut self.request, &mut self.requests.read);
        OfferSource::<ResponseArrival>::link(&mut self.response, &mut self.responses.read);
        self.order.valid.next = self.orders.read.valid.val();
        self.orders.read.ready.next = self.order.ready.val();
        self.order.response.next = self.orders.read.item.val().response;
        self.order.keeps.next = self.orders.read.item.val().keeps;
        self.order.index.next = self.orders.read.item.val().index.get_bits::<QB>(0);

        // Rows: a modification, or a change to Error; two of those in one clock take two.
        inputs!(self.config_rows, write_enable: modify_done, write_address: modify_index);
        self.config_rows.write_data.next = self.modify_row.val();
        inputs!(self.peers, write_enable: modify_done, write_address: modify_index);
        self.peers.write_data.next.gid = self.modify_route.val().dgid;
        self.peers.write_data.next.has_grh = self.modify_route.val().has_grh;
        self.states.write_enable.next = false;
        inputs!(self.states, write_address: late_index.q, write_data: state_error);
        if self.modify_done.val() {
            self.states.write_enable.next = true;
            self.states.write_address.next = self.modify_index.val();
            self.states.write_data.next = self.modify_row.val().state;
        } else if self.responder_error.valid.val() {
            self.states.write_enable.next = true;
            self.states.write_address.next = self.responder_error.index.val();
        } else if self.late_error.q.val() {
            // The requester learns of Reset after this side, and may fail the QP in between.
            self.states.write_enable.next = self.states.read_data_b.val() != self.state_reset.val();
            self.late_error.d.next = false;
        }
        if self.requester_error.valid.val() {
            self.late_error.d.next = true;
            self.late_index.d.next = self.requester_error.index.val();
        }
        if self.reset.val() {
            self.state.d.next = DispatchState::Idle;
            self.late_error.d.next = false;
        }
    }
}
