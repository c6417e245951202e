//! The transmit path with everything between it, host memory and the link.
use hca_hdl::primitive::comment;
use hca_rtl::bundle::WqeReadSource;
use hca_rtl::context::QpRoute;
use hca_rtl::datagram::HandleRow;
use hca_rtl::memory::{Gather, ReadArbiter};
use hca_rtl::retire::RetireRecord;
use hca_rtl::transmit::{Routing, TransmitPacket, TransmitPath};
use hca_rtl::wire::PacketBuilder;
use rust_hdl_core::prelude::*;

#[derive(LogicBlock, Default)]
pub struct TransmitSide<
    const W: usize,
    const K: usize,
    const M: usize,
    const A: usize,
    const PA: usize,
    const QB: usize,
    const TA: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub port_p_keys: Signal<In, Bits<64>>,
    pub request: Signal<In, TransmitPacket>,
    pub request_valid: Signal<In, Bit>,
    pub request_ready: Signal<Out, Bit>,
    pub request_piece_valid: Signal<In, Bit>,
    pub request_piece_ready: Signal<Out, Bit>,
    pub request_piece_address: Signal<In, Bits<64>>,
    pub request_piece_length: Signal<In, Bits<13>>,
    pub request_piece_last: Signal<In, Bit>,
    pub response: Signal<In, TransmitPacket>,
    pub response_valid: Signal<In, Bit>,
    pub response_ready: Signal<Out, Bit>,
    pub response_piece_valid: Signal<In, Bit>,
    pub response_piece_ready: Signal<Out, Bit>,
    pub response_piece_address: Signal<In, Bits<64>>,
    pub response_piece_length: Signal<In, Bits<13>>,
    pub response_piece_last: Signal<In, Bit>,
    pub ack: Signal<In, TransmitPacket>,
    pub ack_valid: Signal<In, Bit>,
    pub ack_ready: Signal<Out, Bit>,

    pub emitted_valid: Signal<Out, Bit>,
    pub emitted_index: Signal<Out, Bits<QB>>,
    pub emitted_kind: Signal<Out, Bits<2>>,
    pub emitted_psn: Signal<Out, Bits<24>>,
    pub emitted_last: Signal<Out, Bit>,
    pub retire_valid: Signal<Out, Bit>,
    pub retire_record: Signal<Out, RetireRecord>,

    pub modify_valid: Signal<In, Bit>,
    pub modify_index: Signal<In, Bits<QB>>,
    pub modify_route: Signal<In, QpRoute>,
    pub port_gid: Signal<In, Bits<128>>,
    pub port_mac: Signal<In, Bits<48>>,

    pub arid: Signal<Out, Bits<4>>,
    pub araddr: Signal<Out, Bits<64>>,
    pub arlen: Signal<Out, Bits<8>>,
    pub arvalid: Signal<Out, Bit>,
    pub arready: Signal<In, Bit>,
    pub rid: Signal<In, Bits<4>>,
    pub rdata: Signal<In, Bits<M>>,
    pub rlast: Signal<In, Bit>,
    pub rvalid: Signal<In, Bit>,
    pub rready: Signal<Out, Bit>,

    pub m_axis_tdata: Signal<Out, Bits<W>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,

    path: TransmitPath<QB, TA>,
    gather: Gather<W, M, A, PA>,
    reads: ReadArbiter<M>,
    routing: Routing<QB, QB, TA>,
    builder: PacketBuilder<W, K, 0>,
    /// No command about an address handle comes.
    no_handle: Signal<Local, HandleRow>,
}

impl<
        const W: usize,
        const K: usize,
        const M: usize,
        const A: usize,
        const PA: usize,
        const QB: usize,
        const TA: usize,
    > Logic for TransmitSide<W, K, M, A, PA, QB, TA>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module transmit_side");
        self.path.clock.next = self.clock.val();
        self.path.reset.next = self.reset.val();
        self.gather.clock.next = self.clock.val();
        self.gather.reset.next = self.reset.val();
        self.reads.clock.next = self.clock.val();
        self.reads.reset.next = self.reset.val();
        self.routing.clock.next = self.clock.val();
        self.routing.reset.next = self.reset.val();
        self.builder.clock.next = self.clock.val();
        self.builder.reset.next = self.reset.val();

        self.path.port_p_keys.next = bit_cast::<128, 64>(self.port_p_keys.val());
        self.routing.header_port.next = self.path.header_port.val();
        self.path.request.item.next = self.request.val();
        self.path.request.valid.next = self.request_valid.val();
        self.request_ready.next = self.path.request.ready.val();
        self.path.request_piece.valid.next = self.request_piece_valid.val();
        self.request_piece_ready.next = self.path.request_piece.ready.val();
        self.path.request_piece.address.next = self.request_piece_address.val();
        self.path.request_piece.length.next = self.request_piece_length.val();
        self.path.request_piece.nothing.next = !self.request_piece_length.val().any();
        self.path.request_piece.last.next = self.request_piece_last.val();
        self.path.response.item.next = self.response.val();
        self.path.response.valid.next = self.response_valid.val();
        self.response_ready.next = self.path.response.ready.val();
        self.path.response_piece.valid.next = self.response_piece_valid.val();
        self.response_piece_ready.next = self.path.response_piece.ready.val();
        self.path.response_piece.address.next = self.response_piece_address.val();
        self.path.response_piece.length.next = self.response_piece_length.val();
        self.path.response_piece.nothing.next = !self.response_piece_length.val().any();
        self.path.response_piece.last.next = self.response_piece_last.val();
        self.path.ack.item.next = self.ack.val();
        self.path.ack.valid.next = self.ack_valid.val();
        self.ack_ready.next = self.path.ack.ready.val();

        self.emitted_valid.next = self.path.emitted.valid.val();
        self.emitted_index.next = self.path.emitted.index.val();
        self.emitted_kind.next = self.path.emitted.kind.val();
        self.emitted_psn.next = self.path.emitted.psn.val();
        self.emitted_last.next = self.path.emitted.last.val();
        self.retire_valid.next = self.path.retire.valid.val();
        self.retire_record.next = self.path.retire.record.val();

        self.gather.piece.valid.next = self.path.piece.valid.val();
        self.path.piece.ready.next = self.gather.piece.ready.val();
        self.gather.piece.address.next = self.path.piece.address.val();
        self.gather.piece.length.next = self.path.piece.length.val();
        self.gather.piece.last.next = self.path.piece.last.val();
        self.path.packet_begins.next = self.gather.packet_begins.val();

        WqeReadSource::join(&mut self.gather.read, &mut self.reads.payload);
        self.gather.beat.item.next = self.reads.data.item.val();
        self.gather.beat.last.next = self.reads.data.last.val();
        self.gather.beat.error.next = self.reads.data.error.val();
        self.reads.send_wqe.request.next = false;
        self.reads.send_wqe.address.next = 0.into();
        self.reads.send_wqe.beats.next = 0.into();
        self.reads.receive_wqe.request.next = false;
        self.reads.receive_wqe.address.next = 0.into();
        self.reads.receive_wqe.beats.next = 0.into();
        self.reads.responder_list.request.next = false;
        self.reads.responder_list.address.next = 0.into();
        self.reads.requester_list.request.next = false;
        self.reads.requester_list.address.next = 0.into();
        self.reads.response_list.request.next = false;
        self.reads.response_list.address.next = 0.into();
        self.reads.atomic.request.next = false;
        self.reads.atomic.address.next = 0.into();
        self.arid.next = self.reads.axi.arid.val();
        self.araddr.next = self.reads.axi.araddr.val();
        self.arlen.next = self.reads.axi.arlen.val();
        self.arvalid.next = self.reads.axi.arvalid.val();
        self.reads.axi.arready.next = self.arready.val();
        self.reads.axi.rid.next = self.rid.val();
        self.reads.axi.rdata.next = self.rdata.val();
        self.reads.axi.rlast.next = self.rlast.val();
        self.reads.axi.rresp.next = bits::<2>(0);
        self.reads.axi.rvalid.next = self.rvalid.val();
        self.rready.next = self.reads.axi.rready.val();

        self.routing.handle.valid.next = false;
        self.routing.handle.index.next = bits::<QB>(0);
        self.no_handle.next.exists = false;
        self.no_handle.next.pd = bits::<24>(0);
        self.no_handle.next.dlid = bits::<16>(0);
        self.no_handle.next.sl = bits::<4>(0);
        self.no_handle.next.path_bits = bits::<7>(0);
        self.no_handle.next.port = false;
        self.no_handle.next.paced = false;
        self.routing.handle.row.next = self.no_handle.val();
        self.routing.handle.route.next = bits::<256>(0).into();
        self.routing.modify.valid.next = self.modify_valid.val();
        self.routing.modify.index.next = self.modify_index.val();
        self.routing.modify.route.next = self.modify_route.val();
        self.routing.sgid.next = self.port_gid.val();
        self.routing.port_mac.next = self.port_mac.val();
        self.routing.header.item.next = self.path.header.item.val();
        self.routing.header_route.next = self.path.header_route.val();
        self.routing.header.valid.next = self.path.header.valid.val();
        self.path.header.ready.next = self.routing.header.ready.val();
        self.routing.routed.ready.next = self.builder.header.ready.val();

        self.builder.header.item.next = self.routing.routed.item.val();
        self.builder.header.valid.next = self.routing.routed.valid.val();
        self.builder.payload_data.next = self.gather.payload_data.val();
        self.builder.payload_valid.next = self.gather.payload_valid.val();
        self.gather.payload_ready.next = self.builder.payload_ready.val();
        self.m_axis_tdata.next = self.builder.m_axis.tdata.val();
        self.m_axis_tkeep.next = self.builder.m_axis.tkeep.val();
        self.m_axis_tlast.next = self.builder.m_axis.tlast.val();
        self.m_axis_tvalid.next = self.builder.m_axis.tvalid.val();
        self.builder.m_axis.tready.next = self.m_axis_tready.val();
    }
}

/// The `small` profile's widths.
pub type Small = TransmitSide<64, 8, 128, 192, 8, 4, 5>;
/// The `line` profile's widths.
pub type Line = TransmitSide<512, 64, 512, 1024, 9, 8, 9>;
