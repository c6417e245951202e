//! The transmit path with everything between it, host memory and the link.
use hca_hdl::prelude::*;
use hca_rtl::bundle::WqeReadSource;
use hca_rtl::context::QpRoute;
use hca_rtl::datagram::HandleRow;
use hca_rtl::memory::{Gather, ReadArbiter};
use hca_rtl::retire::RetireRecord;
use hca_rtl::transmit::{Routing, TransmitPacket, TransmitPath};
use hca_rtl::wire::PacketBuilder;

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

#[kernel]
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
    fn update(&mut self) {
        clock_and_reset!(self, path, gather, reads, routing, builder);

        self.path.port_p_keys.next = bit_cast::<128, 64>(self.port_p_keys.val());
        self.routing.header_port.next = self.path.header_port.val();
        inputs!(self.path.request, item: request, valid: request_valid);
        self.request_ready.next = self.path.request.ready.val();
        self.path.request_piece.valid.next = self.request_piece_valid.val();
        self.request_piece_ready.next = self.path.request_piece.ready.val();
        inputs!(self.path.request_piece, address: request_piece_address, length: request_piece_length);
        self.path.request_piece.nothing.next = !self.request_piece_length.val().any();
        self.path.request_piece.last.next = self.request_piece_last.val();
        inputs!(self.path.response, item: response, valid: response_valid);
        self.response_ready.next = self.path.response.ready.val();
        self.path.response_piece.valid.next = self.response_piece_valid.val();
        self.response_piece_ready.next = self.path.response_piece.ready.val();
        inputs!(self.path.response_piece, address: response_piece_address, length: response_piece_length);
        self.path.response_piece.nothing.next = !self.response_piece_length.val().any();
        self.path.response_piece.last.next = self.response_piece_last.val();
        inputs!(self.path.ack, item: ack, valid: ack_valid);
        self.ack_ready.next = self.path.ack.ready.val();

        outputs!(self.path.emitted, emitted_valid: valid, emitted_index: index, emitted_kind: kind);
        outputs!(self.path.emitted, emitted_psn: psn, emitted_last: last);
        outputs!(self.path.retire, retire_valid: valid, retire_record: record);

        self.gather.piece.valid.next = self.path.piece.valid.val();
        self.path.piece.ready.next = self.gather.piece.ready.val();
        inputs!(self.gather.piece, address: path.piece.address, length: path.piece.length);
        self.gather.piece.last.next = self.path.piece.last.val();
        self.path.packet_begins.next = self.gather.packet_begins.val();

        WqeReadSource::join(&mut self.gather.read, &mut self.reads.payload);
        inputs!(self.gather.beat, item: reads.data.item, last: reads.data.last, error: reads.data.error);
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
        outputs!(self.reads.axi, arid, araddr, arlen, arvalid);
        inputs!(self.reads.axi, arready, rid, rdata, rlast);
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
        inputs!(self.routing.modify, valid: modify_valid, index: modify_index, route: modify_route);
        inputs!(self.routing, sgid: port_gid, port_mac);
        self.routing.header.item.next = self.path.header.item.val();
        self.routing.header_route.next = self.path.header_route.val();
        self.routing.header.valid.next = self.path.header.valid.val();
        self.path.header.ready.next = self.routing.header.ready.val();
        self.routing.routed.ready.next = self.builder.header.ready.val();

        self.builder.header.item.next = self.routing.routed.item.val();
        self.builder.header.valid.next = self.routing.routed.valid.val();
        inputs!(self.builder, payload_data: gather.payload_data, payload_valid: gather.payload_valid);
        self.gather.payload_ready.next = self.builder.payload_ready.val();
        outputs!(self.builder.m_axis, m_axis_tdata: tdata, m_axis_tkeep: tkeep, m_axis_tlast: tlast);
        self.m_axis_tvalid.next = self.builder.m_axis.tvalid.val();
        self.builder.m_axis.tready.next = self.m_axis_tready.val();
    }
}

/// The `small` profile's widths.
pub type Small = TransmitSide<64, 8, 128, 192, 8, 4, 5>;
/// The `line` profile's widths.
pub type Line = TransmitSide<512, 64, 512, 1024, 9, 8, 9>;
