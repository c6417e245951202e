//! The adapter: every block of the datapath, wired. Long because it is nothing but ports and wires.
use crate::completion::CompletionWriter;
use crate::control::{Commands, Doorbells, Registers};
use crate::host::retire::kind;
use crate::memory::{MemoryRead, MemoryWrite};
use crate::primitive::{comment, dff_setup, Register};
use crate::receive::{AckSchedule, ReceiveEngine};
use crate::retire::Retire;
use crate::send::{Completer, Scheduler, SendEngine};
use crate::transmit::{Routing, TransmitArbiter};
use crate::wire::{LinkReceive, PacketBuilder};
use rust_hdl_core::prelude::*;

/// The HCA. Ports follow AXI's lane order: byte 0 in the least significant lane.
///
/// `W`: bits of the streams and of the memory bus, `K` = `W` / 8, `NB`: beats that hold the first 120 bytes of a packet,
/// `RA`, `PA`: log2 of the beats of the receive and of the transmit buffer, `QB`: QP index bits, `NQ` = 2^`QB`,
/// `QF` = `QB` + 1, `OA` = `QB` + 6, `CB`: CQ index bits, `MB`: index bits of the protection table. One of `IB` and `ROCE` is 1:
/// native InfiniBand, or RoCEv2 in Ethernet frames without FCS.
#[derive(LogicBlock)]
pub struct Hca<
    const W: usize,
    const K: usize,
    const NB: usize,
    const RA: usize,
    const PA: usize,
    const QB: usize,
    const NQ: usize,
    const QF: usize,
    const OA: usize,
    const CB: usize,
    const MB: usize,
    const IB: usize,
    const ROCE: usize,
> {
    pub clock: Signal<In, Clock>,
    /// At least 16 clocks (`crate::wire`).
    pub reset: Signal<In, Bit>,

    pub s_axis_tdata: Signal<In, Bits<W>>,
    pub s_axis_tkeep: Signal<In, Bits<K>>,
    pub s_axis_tlast: Signal<In, Bit>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tready: Signal<Out, Bit>,

    pub m_axis_tdata: Signal<Out, Bits<W>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,

    pub m_axi_awid: Signal<Out, Bits<4>>,
    pub m_axi_awaddr: Signal<Out, Bits<64>>,
    pub m_axi_awlen: Signal<Out, Bits<8>>,
    pub m_axi_awsize: Signal<Out, Bits<3>>,
    pub m_axi_awburst: Signal<Out, Bits<2>>,
    pub m_axi_awvalid: Signal<Out, Bit>,
    pub m_axi_awready: Signal<In, Bit>,
    pub m_axi_wdata: Signal<Out, Bits<W>>,
    pub m_axi_wstrb: Signal<Out, Bits<K>>,
    pub m_axi_wlast: Signal<Out, Bit>,
    pub m_axi_wvalid: Signal<Out, Bit>,
    pub m_axi_wready: Signal<In, Bit>,
    pub m_axi_bid: Signal<In, Bits<4>>,
    pub m_axi_bresp: Signal<In, Bits<2>>,
    pub m_axi_bvalid: Signal<In, Bit>,
    pub m_axi_bready: Signal<Out, Bit>,
    pub m_axi_arid: Signal<Out, Bits<4>>,
    pub m_axi_araddr: Signal<Out, Bits<64>>,
    pub m_axi_arlen: Signal<Out, Bits<8>>,
    pub m_axi_arsize: Signal<Out, Bits<3>>,
    pub m_axi_arburst: Signal<Out, Bits<2>>,
    pub m_axi_arvalid: Signal<Out, Bit>,
    pub m_axi_arready: Signal<In, Bit>,
    pub m_axi_rid: Signal<In, Bits<4>>,
    pub m_axi_rdata: Signal<In, Bits<W>>,
    pub m_axi_rresp: Signal<In, Bits<2>>,
    pub m_axi_rlast: Signal<In, Bit>,
    pub m_axi_rvalid: Signal<In, Bit>,
    pub m_axi_rready: Signal<Out, Bit>,

    pub s_axil_awaddr: Signal<In, Bits<20>>,
    pub s_axil_awvalid: Signal<In, Bit>,
    pub s_axil_awready: Signal<Out, Bit>,
    pub s_axil_wdata: Signal<In, Bits<32>>,
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    pub s_axil_wvalid: Signal<In, Bit>,
    pub s_axil_wready: Signal<Out, Bit>,
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    pub s_axil_bvalid: Signal<Out, Bit>,
    pub s_axil_bready: Signal<In, Bit>,
    pub s_axil_araddr: Signal<In, Bits<20>>,
    pub s_axil_arvalid: Signal<In, Bit>,
    pub s_axil_arready: Signal<Out, Bit>,
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    pub s_axil_rvalid: Signal<Out, Bit>,
    pub s_axil_rready: Signal<In, Bit>,

    pub irq: Signal<Out, Bit>,

    pub retire_valid: Signal<Out, Bits<6>>,
    pub retire_order: Signal<Out, Bits<32>>,
    pub retire_record: Signal<Out, Bits<576>>,

    registers: Registers,
    commands: Commands<QB, CB, MB>,
    doorbells: Doorbells<QB>,
    link_receive: LinkReceive<W, K, NB, RA, IB, ROCE>,
    receive_engine: ReceiveEngine<QB>,
    ack_schedule: AckSchedule<QB, NQ, QF>,
    scheduler: Scheduler<QB, NQ, QF>,
    send_engine: SendEngine<QB>,
    completer: Completer<QB, OA>,
    completion_writer: CompletionWriter<CB>,
    transmit_arbiter: TransmitArbiter<QB>,
    routing: Routing<QB>,
    packet_builder: PacketBuilder<W, K, ROCE>,
    memory_read: MemoryRead<W, K, PA>,
    memory_write: MemoryWrite<W, K>,
    retirement: Retire,
    doorbell_retires: Register<Bit>,
    doorbell_record: Register<Bits<96>>,

    modify_receive: Signal<Local, Bit>,
    modify_send: Signal<Local, Bit>,
    beat_size: Constant<Bits<3>>,
    burst_increments: Constant<Bits<2>>,
    kind_dropped: Constant<Bits<96>>,
    starts_sending: Signal<Local, Bit>,
}

impl<
        const W: usize,
        const K: usize,
        const NB: usize,
        const RA: usize,
        const PA: usize,
        const QB: usize,
        const NQ: usize,
        const QF: usize,
        const OA: usize,
        const CB: usize,
        const MB: usize,
        const IB: usize,
        const ROCE: usize,
    > Default for Hca<W, K, NB, RA, PA, QB, NQ, QF, OA, CB, MB, IB, ROCE>
{
    fn default() -> Self {
        assert!(
            K * 8 == W && NQ == 1 << QB && QF == QB + 1,
            "the generics contradict each other"
        );
        Hca {
            clock: Default::default(),
            reset: Default::default(),
            s_axis_tdata: Default::default(),
            s_axis_tkeep: Default::default(),
            s_axis_tlast: Default::default(),
            s_axis_tvalid: Default::default(),
            s_axis_tready: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tkeep: Default::default(),
            m_axis_tlast: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            m_axi_awid: Default::default(),
            m_axi_awaddr: Default::default(),
            m_axi_awlen: Default::default(),
            m_axi_awsize: Default::default(),
            m_axi_awburst: Default::default(),
            m_axi_awvalid: Default::default(),
            m_axi_awready: Default::default(),
            m_axi_wdata: Default::default(),
            m_axi_wstrb: Default::default(),
            m_axi_wlast: Default::default(),
            m_axi_wvalid: Default::default(),
            m_axi_wready: Default::default(),
            m_axi_bid: Default::default(),
            m_axi_bresp: Default::default(),
            m_axi_bvalid: Default::default(),
            m_axi_bready: Default::default(),
            m_axi_arid: Default::default(),
            m_axi_araddr: Default::default(),
            m_axi_arlen: Default::default(),
            m_axi_arsize: Default::default(),
            m_axi_arburst: Default::default(),
            m_axi_arvalid: Default::default(),
            m_axi_arready: Default::default(),
            m_axi_rid: Default::default(),
            m_axi_rdata: Default::default(),
            m_axi_rresp: Default::default(),
            m_axi_rlast: Default::default(),
            m_axi_rvalid: Default::default(),
            m_axi_rready: Default::default(),
            s_axil_awaddr: Default::default(),
            s_axil_awvalid: Default::default(),
            s_axil_awready: Default::default(),
            s_axil_wdata: Default::default(),
            s_axil_wstrb: Default::default(),
            s_axil_wvalid: Default::default(),
            s_axil_wready: Default::default(),
            s_axil_bresp: Default::default(),
            s_axil_bvalid: Default::default(),
            s_axil_bready: Default::default(),
            s_axil_araddr: Default::default(),
            s_axil_arvalid: Default::default(),
            s_axil_arready: Default::default(),
            s_axil_rdata: Default::default(),
            s_axil_rresp: Default::default(),
            s_axil_rvalid: Default::default(),
            s_axil_rready: Default::default(),
            irq: Default::default(),
            retire_valid: Default::default(),
            retire_order: Default::default(),
            retire_record: Default::default(),
            commands: Default::default(),
            doorbells: Default::default(),
            link_receive: Default::default(),
            receive_engine: Default::default(),
            ack_schedule: Default::default(),
            scheduler: Default::default(),
            send_engine: Default::default(),
            completer: Default::default(),
            completion_writer: Default::default(),
            transmit_arbiter: Default::default(),
            routing: Default::default(),
            packet_builder: Default::default(),
            memory_read: Default::default(),
            memory_write: Default::default(),
            retirement: Default::default(),
            doorbell_retires: Default::default(),
            doorbell_record: Default::default(),
            modify_receive: Default::default(),
            modify_send: Default::default(),
            starts_sending: Default::default(),
            registers: Registers::new((MB << 24 | K << 16 | CB << 8 | QB) as u32),
            beat_size: Constant::new((K.trailing_zeros() as usize).to_bits()),
            burst_increments: Constant::new(1usize.to_bits()),
            kind_dropped: crate::retire::kind(kind::PACKET_DROPPED),
        }
    }
}

impl<
        const W: usize,
        const K: usize,
        const NB: usize,
        const RA: usize,
        const PA: usize,
        const QB: usize,
        const NQ: usize,
        const QF: usize,
        const OA: usize,
        const CB: usize,
        const MB: usize,
        const IB: usize,
        const ROCE: usize,
    > Logic for Hca<W, K, NB, RA, PA, QB, NQ, QF, OA, CB, MB, IB, ROCE>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module hca");
        dff_setup!(self, clock, doorbell_retires, doorbell_record);
        self.registers.clock.next = self.clock.val();
        self.registers.reset.next = self.reset.val();
        self.commands.clock.next = self.clock.val();
        self.commands.reset.next = self.reset.val();
        self.doorbells.clock.next = self.clock.val();
        self.link_receive.clock.next = self.clock.val();
        self.link_receive.reset.next = self.reset.val();
        self.receive_engine.clock.next = self.clock.val();
        self.receive_engine.reset.next = self.reset.val();
        self.ack_schedule.clock.next = self.clock.val();
        self.ack_schedule.reset.next = self.reset.val();
        self.scheduler.clock.next = self.clock.val();
        self.scheduler.reset.next = self.reset.val();
        self.send_engine.clock.next = self.clock.val();
        self.send_engine.reset.next = self.reset.val();
        self.completer.clock.next = self.clock.val();
        self.completer.reset.next = self.reset.val();
        self.completion_writer.clock.next = self.clock.val();
        self.completion_writer.reset.next = self.reset.val();
        self.transmit_arbiter.clock.next = self.clock.val();
        self.transmit_arbiter.reset.next = self.reset.val();
        self.packet_builder.clock.next = self.clock.val();
        self.packet_builder.reset.next = self.reset.val();
        self.memory_read.clock.next = self.clock.val();
        self.memory_read.reset.next = self.reset.val();
        self.memory_write.clock.next = self.clock.val();
        self.memory_write.reset.next = self.reset.val();
        self.retirement.clock.next = self.clock.val();
        self.retirement.reset.next = self.reset.val();

        // Host control.
        self.registers.awaddr.next = self.s_axil_awaddr.val();
        self.registers.awvalid.next = self.s_axil_awvalid.val();
        self.s_axil_awready.next = self.registers.awready.val();
        self.registers.wdata.next = self.s_axil_wdata.val();
        self.registers.wvalid.next = self.s_axil_wvalid.val();
        self.s_axil_wready.next = self.registers.wready.val();
        self.s_axil_bvalid.next = self.registers.bvalid.val();
        self.s_axil_bresp.next = bits::<2>(0);
        self.registers.bready.next = self.s_axil_bready.val();
        self.registers.araddr.next = self.s_axil_araddr.val();
        self.registers.arvalid.next = self.s_axil_arvalid.val();
        self.s_axil_arready.next = self.registers.arready.val();
        self.s_axil_rdata.next = self.registers.rdata.val();
        self.s_axil_rresp.next = bits::<2>(0);
        self.s_axil_rvalid.next = self.registers.rvalid.val();
        self.registers.rready.next = self.s_axil_rready.val();
        self.irq.next = self.registers.irq.val();
        self.registers.completion_written.next = self.memory_write.cqe_written.val();
        self.registers.packet_received.next =
            self.s_axis_tvalid.val() && self.link_receive.s_axis_tready.val() && self.s_axis_tlast.val();
        self.registers.packet_sent.next = self.packet_builder.sent.val();
        self.registers.packet_dropped_by_link.next = self.link_receive.drop_valid.val();
        self.registers.link_drop_reason.next = self.link_receive.drop_reason.val();
        self.registers.packet_dropped_by_engine.next = self.receive_engine.dropped.val();
        self.registers.engine_drop_reason.next = self.receive_engine.drop_reason.val();

        self.commands.command.next = self.registers.command.val();
        self.commands.command_valid.next = self.registers.command_valid.val();
        self.commands.arguments.next = self.registers.arguments.val();
        self.registers.command_done.next = self.commands.command_done.val();
        self.registers.command_result.next = self.commands.command_result.val();
        self.commands.to_receive_ready.next = self.receive_engine.modify_ready.val();
        self.commands.to_response_ready.next = true;
        self.commands.to_requester_ready.next = self.send_engine.modify_ready.val();
        self.modify_receive.next = self.receive_engine.modify_ready.val();
        self.modify_send.next = self.send_engine.modify_ready.val();

        self.doorbells.doorbell_valid.next = self.registers.doorbell_valid.val();
        self.registers.doorbell_ready.next = self.doorbells.doorbell_ready.val();
        self.doorbells.doorbell_receive.next = self.registers.doorbell_receive.val();
        self.doorbells.doorbell_index.next = self.registers.doorbell_index.val();
        self.doorbells.doorbell_producer.next = self.registers.doorbell_producer.val();
        self.doorbells.modify_valid.next = self.modify_receive.val();
        self.doorbells.modify_index.next = self.commands.qp_index.val();
        self.doorbells.modify_qpn.next = self.commands.qp_row.val().get_bits::<24>(416);
        self.doorbells.modify_state.next = self.commands.qp_row.val().get_bits::<3>(384);
        self.doorbells.send_index.next = self.send_engine.index.val();
        self.doorbells.receive_index.next = self.receive_engine.index.val();

        // Receive side.
        self.link_receive.s_axis_tdata.next = self.s_axis_tdata.val();
        self.link_receive.s_axis_tkeep.next = self.s_axis_tkeep.val();
        self.link_receive.s_axis_tlast.next = self.s_axis_tlast.val();
        self.link_receive.s_axis_tvalid.next = self.s_axis_tvalid.val();
        self.s_axis_tready.next = self.link_receive.s_axis_tready.val();
        self.link_receive.port_lid.next = self.registers.port_lid.val();
        self.link_receive.port_lmc.next = self.registers.port_lmc.val();
        self.link_receive.port_gid.next = self.registers.port_gid.val();
        self.link_receive.port_mac.next = self.registers.port_mac.val();
        self.link_receive.header_ready.next = self.receive_engine.header_ready.val();
        self.link_receive.payload_command_valid.next = self.receive_engine.payload_valid.val();
        self.link_receive.payload_command_discard.next = self.receive_engine.payload_discard.val();
        self.link_receive.payload_ready.next = self.memory_write.payload_ready.val();

        self.receive_engine.modify_valid.next = self.commands.to_receive_valid.val();
        self.receive_engine.modify_index.next = self.commands.qp_index.val();
        self.receive_engine.modify_row.next = self.commands.qp_row.val();
        self.receive_engine.modify_route.next = self.commands.qp_route.val();
        self.receive_engine.port_p_keys.next = self.registers.port_p_keys.val();
        self.receive_engine.header.next = self.link_receive.header.val();
        self.receive_engine.header_valid.next = self.link_receive.header_valid.val();
        self.receive_engine.payload_ready.next = self.link_receive.payload_command_ready.val();
        self.receive_engine.write_ready.next = self.memory_write.payload_command_ready.val();
        self.receive_engine.wqe_ready.next = self.memory_read.receive_wqe_ready.val();
        self.receive_engine.wqe_valid.next = self.memory_read.receive_wqe_valid.val();
        self.receive_engine.wqe.next = self.memory_read.receive_wqe.val();
        self.receive_engine.receive_producer.next = self.doorbells.receive_producer.val();
        self.receive_engine.next_psn.next = self.transmit_arbiter.next_psn.val();
        self.receive_engine.response_ready.next = self.completer.response_ready.val();
        self.receive_engine.completion_ready.next = self.completion_writer.receive_ready.val();
        self.receive_engine.state_index.next = self.send_engine.index.val();

        self.ack_schedule.ack_valid.next = self.receive_engine.ack_valid.val();
        self.ack_schedule.ack_index.next = self.receive_engine.index.val();
        self.ack_schedule.ack.next = self.receive_engine.ack.val();
        self.ack_schedule.ack_negative.next = self.receive_engine.ack_negative.val();
        self.ack_schedule.next_ready.next = self.transmit_arbiter.ack_ready.val();

        // Send side.
        self.scheduler.wake_valid.next = self.doorbells.wake_valid.val();
        self.scheduler.wake_index.next = self.doorbells.wake_index.val();
        self.doorbells.wake_ready.next = self.scheduler.wake_ready.val();
        self.scheduler.again_valid.next = self.send_engine.again_valid.val();
        self.scheduler.again_index.next = self.send_engine.again_index.val();
        self.scheduler.next_ready.next = self.send_engine.turn_ready.val();

        self.send_engine.modify_valid.next = self.commands.to_requester_valid.val();
        self.send_engine.modify_index.next = self.commands.qp_index.val();
        self.send_engine.modify_row.next = self.commands.qp_row.val();
        self.send_engine.modify_starts.next = self.receive_engine.modify_starts.val();
        self.send_engine.port_lid.next = self.registers.port_lid.val();
        self.send_engine.turn_valid.next = self.scheduler.next_valid.val();
        self.send_engine.turn_index.next = self.scheduler.next_index.val();
        self.send_engine.send_producer.next = self.doorbells.send_producer.val();
        self.send_engine.turn_state.next = self.receive_engine.state_value.val();
        self.send_engine.wqe_ready.next = self.memory_read.send_wqe_ready.val();
        self.send_engine.wqe_valid.next = self.memory_read.send_wqe_valid.val();
        self.send_engine.wqe.next = self.memory_read.send_wqe.val();
        self.send_engine.request_ready.next = self.transmit_arbiter.request_ready.val();
        self.send_engine.read_ready.next = self.memory_read.payload_command_ready.val();

        self.completer.modify_valid.next = self.modify_send.val();
        self.completer.modify_index.next = self.commands.qp_index.val();
        self.completer.modify_row.next = self.commands.qp_row.val();
        self.completer.sent_valid.next = self.send_engine.sent_valid.val();
        self.completer.sent_index.next = self.send_engine.index.val();
        self.completer.sent_wqe.next = self.send_engine.sent_wqe.val();
        self.completer.sent_psn.next = self.send_engine.sent_psn.val();
        self.completer.sent_signaled.next = self.send_engine.sent_signaled.val();
        self.completer.response_valid.next = self.receive_engine.response_valid.val();
        self.completer.response_index.next = self.receive_engine.index.val();
        self.completer.response_psn.next = self.receive_engine.response_psn.val();
        self.completer.response_syndrome.next = self.receive_engine.response_syndrome.val();
        self.completer.completion_ready.next = self.completion_writer.send_ready.val();

        // Completions.
        self.completion_writer.create_valid.next = self.commands.cq_valid.val();
        self.completion_writer.create_index.next = self.commands.cq_index.val();
        self.completion_writer.create_base.next = self.commands.cq_base.val();
        self.completion_writer.create_log_size.next = self.commands.cq_log_size.val();
        self.completion_writer.receive.next = self.receive_engine.completion.val();
        self.completion_writer.receive_valid.next = self.receive_engine.completion_valid.val();
        self.completion_writer.send.next = self.completer.completion.val();
        self.completion_writer.send_valid.next = self.completer.completion_valid.val();
        self.completion_writer.cqe_ready.next = self.memory_write.cqe_ready.val();

        // Transmit.
        self.transmit_arbiter.ack.next = self.ack_schedule.next_ack.val();
        self.transmit_arbiter.ack_valid.next = self.ack_schedule.next_valid.val();
        self.transmit_arbiter.request.next = self.send_engine.request.val();
        self.transmit_arbiter.request_valid.next = self.send_engine.request_valid.val();
        self.transmit_arbiter.header_ready.next = self.routing.header_ready.val();
        self.starts_sending.next = self.modify_send.val() && self.receive_engine.modify_starts.val();
        self.transmit_arbiter.start_valid.next = self.starts_sending.val();
        self.transmit_arbiter.start_index.next = self.commands.qp_index.val();
        self.transmit_arbiter.start_psn.next = self.commands.qp_row.val().get_bits::<24>(64);
        self.transmit_arbiter.next_psn_index.next = self.receive_engine.index.val();

        self.routing.clock.next = self.clock.val();
        self.routing.reset.next = self.reset.val();
        self.routing.modify_valid.next = self.modify_send.val();
        self.routing.modify_index.next = self.commands.qp_index.val();
        self.routing.modify_route.next = self.commands.qp_route.val();
        self.routing.port_gid.next = self.registers.port_gid.val();
        self.routing.port_mac.next = self.registers.port_mac.val();
        self.routing.header.next = self.transmit_arbiter.header.val();
        self.routing.header_index.next = self.transmit_arbiter.header_index.val();
        self.routing.header_valid.next = self.transmit_arbiter.header_valid.val();
        self.routing.routed_ready.next = self.packet_builder.header_ready.val();
        self.packet_builder.header.next = self.routing.routed.val();
        self.packet_builder.header_valid.next = self.routing.routed_valid.val();
        self.packet_builder.payload_data.next = self.memory_read.payload_data.val();
        self.packet_builder.payload_valid.next = self.memory_read.payload_valid.val();
        self.m_axis_tdata.next = self.packet_builder.m_axis_tdata.val();
        self.m_axis_tkeep.next = self.packet_builder.m_axis_tkeep.val();
        self.m_axis_tlast.next = self.packet_builder.m_axis_tlast.val();
        self.m_axis_tvalid.next = self.packet_builder.m_axis_tvalid.val();
        self.packet_builder.m_axis_tready.next = self.m_axis_tready.val();

        // Host memory.
        self.memory_read.send_wqe_request.next = self.send_engine.wqe_request.val();
        self.memory_read.send_wqe_address.next = self.send_engine.wqe_address.val();
        self.memory_read.receive_wqe_request.next = self.receive_engine.wqe_request.val();
        self.memory_read.receive_wqe_address.next = self.receive_engine.wqe_address.val();
        self.memory_read.payload_command_valid.next = self.send_engine.read_valid.val();
        self.memory_read.payload_address.next = self.send_engine.read_address.val();
        self.memory_read.payload_length.next = self.send_engine.read_length.val();
        self.memory_read.payload_ready.next = self.packet_builder.payload_ready.val();
        self.m_axi_arid.next = self.memory_read.arid.val();
        self.m_axi_araddr.next = self.memory_read.araddr.val();
        self.m_axi_arlen.next = self.memory_read.arlen.val();
        self.m_axi_arsize.next = self.beat_size.val();
        self.m_axi_arburst.next = self.burst_increments.val();
        self.m_axi_arvalid.next = self.memory_read.arvalid.val();
        self.memory_read.arready.next = self.m_axi_arready.val();
        self.memory_read.rid.next = self.m_axi_rid.val();
        self.memory_read.rdata.next = self.m_axi_rdata.val();
        self.memory_read.rlast.next = self.m_axi_rlast.val();
        self.memory_read.rvalid.next = self.m_axi_rvalid.val();
        self.m_axi_rready.next = self.memory_read.rready.val();

        self.memory_write.payload_command_valid.next = self.receive_engine.write_valid.val();
        self.memory_write.payload_address.next = self.receive_engine.write_address.val();
        self.memory_write.payload_length.next = self.receive_engine.write_length.val();
        self.memory_write.payload_data.next = self.link_receive.payload_data.val();
        self.memory_write.payload_valid.next = self.link_receive.payload_valid.val();
        self.memory_write.cqe_valid.next = self.completion_writer.cqe_valid.val();
        self.memory_write.cqe_address.next = self.completion_writer.cqe_address.val();
        self.memory_write.cqe.next = self.completion_writer.cqe.val();
        self.m_axi_awid.next = self.memory_write.awid.val();
        self.m_axi_awaddr.next = self.memory_write.awaddr.val();
        self.m_axi_awlen.next = self.memory_write.awlen.val();
        self.m_axi_awsize.next = self.beat_size.val();
        self.m_axi_awburst.next = self.burst_increments.val();
        self.m_axi_awvalid.next = self.memory_write.awvalid.val();
        self.memory_write.awready.next = self.m_axi_awready.val();
        self.m_axi_wdata.next = self.memory_write.wdata.val();
        self.m_axi_wstrb.next = self.memory_write.wstrb.val();
        self.m_axi_wlast.next = self.memory_write.wlast.val();
        self.m_axi_wvalid.next = self.memory_write.wvalid.val();
        self.memory_write.wready.next = self.m_axi_wready.val();
        self.memory_write.bid.next = self.m_axi_bid.val();
        self.memory_write.bvalid.next = self.m_axi_bvalid.val();
        self.m_axi_bready.next = self.memory_write.bready.val();

        // Retire port. A doorbell counts from the clock in which the engines see it, the one after it is taken.
        self.doorbell_retires.d.next = self.doorbells.retire_valid.val() && !self.reset.val();
        self.doorbell_record.d.next = self.doorbells.retire_record.val();
        self.retirement.valid.next = bit_cast::<6, 1>(self.doorbell_retires.q.val().into())
            | (bit_cast::<6, 1>(self.link_receive.drop_valid.val().into()) << 1)
            | (bit_cast::<6, 1>(self.receive_engine.retire_valid.val().into()) << 2)
            | (bit_cast::<6, 1>(self.send_engine.retire_valid.val().into()) << 3)
            | (bit_cast::<6, 1>(self.transmit_arbiter.retire_valid.val().into()) << 4)
            | (bit_cast::<6, 1>(self.completion_writer.retire_valid.val().into()) << 5);
        self.retirement.host.next = self.doorbell_record.q.val();
        self.retirement.link.next = self.kind_dropped.val()
            | (bit_cast::<96, 8>(self.link_receive.drop_reason.val()) << 80)
            | bit_cast::<96, 32>(self.link_receive.drop_packet.val());
        self.retirement.receive.next = self.receive_engine.retire_record.val();
        self.retirement.send.next = self.send_engine.retire_record.val();
        self.retirement.transmit.next = self.transmit_arbiter.retire_record.val();
        self.retirement.completion.next = self.completion_writer.retire_record.val();
        self.retire_valid.next = self.retirement.retire_valid.val();
        self.retire_order.next = self.retirement.retire_order.val();
        self.retire_record.next = self.retirement.retire_record.val();
    }
}

/// The `small` profile's hardware; one of `IB` and `ROCE` is 1.
pub type Small<const IB: usize, const ROCE: usize> = Hca<64, 8, 15, 11, 10, 4, 16, 5, 10, 4, 6, IB, ROCE>;
