//! The transmit path: packets of the engines in, headers in the order of the link out.
use super::{Departure, Intake, PreparedPacket, TransmitPacket};
use crate::bundle::{EmittedPacketSource, PieceSource, PlannedPieceSink, ReportSource};
use crate::wire::TxHeader;
use hca_hdl::prelude::*;

/// Queues up to 64 packets in the order in which they leave, and has their payload gathered ahead. `QB`: QP index
/// bits; `TA`: bits of the number of a route.
///
/// A request or response with payload has its pieces, the last of them marked, on the piece port beside it.
#[derive(LogicBlock, Default)]
pub struct TransmitPath<const QB: usize, const TA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// The P_Key table of port 1: entry `n` at bits `16 * n + 15 : 16 * n`; from bit 64 on that of port 2.
    pub port_p_keys: Signal<In, Bits<128>>,
    /// Request packets.
    pub request: OfferSink<TransmitPacket>,
    /// Pieces of the payload of requests.
    pub request_piece: PlannedPieceSink,

    /// Read responses and atomic acks.
    pub response: OfferSink<TransmitPacket>,
    /// Pieces of the payload of responses.
    pub response_piece: PlannedPieceSink,

    /// ACKs, NAKs and RNR NAKs: without payload; they overtake requests and responses.
    pub ack: OfferSink<TransmitPacket>,

    /// Pieces of payload for the gather (`memory::Gather`).
    pub piece: PieceSource,
    /// High for one cycle for each packet with payload, when its first bytes are gathered.
    pub packet_begins: Signal<In, Bit>,

    /// Header of the packet that departs, without the route.
    pub header: OfferSource<TxHeader>,
    /// Index of the packet's P_Key in the table.
    pub header_p_key_index: Signal<Out, Bits<2>>,
    /// High if the packet leaves by port 2.
    pub header_port: Signal<Out, Bit>,
    /// Number of the packet's route ([`super::Routing`]).
    pub header_route: Signal<Out, Bits<TA>>,

    /// Each packet when it enters the routing.
    pub emitted: EmittedPacketSource<QB>,
    /// Place whose room the packet takes ([`crate::link::PacketLane`]).
    pub emitted_lane: Signal<Out, Bits<5>>,
    /// Mark of the packet, 0 if it is not paced.
    pub emitted_mark: Signal<Out, Bits<3>>,
    /// QPN of the QP of this side.
    pub emitted_qpn: Signal<Out, Bits<24>>,

    /// Retire records of packets that depart.
    pub retire: ReportSource,

    // Packets settle late in the clock and wait here for the next one; the pieces of a request come a clock after it.
    waiting_request: Register<TransmitPacket>,
    /// High if the waiting request has payload.
    request_carries: Register<Bit>,
    request_waits: Register<Bit>,
    /// The response or atomic ack that waits.
    waiting: Register<TransmitPacket>,
    /// High if the waiting response has payload.
    carries: Register<Bit>,
    waits: Register<Bit>,
    /// High if a request waits in the next clock.
    request_stands: Signal<Local, Bit>,
    /// High if a response waits in the next clock.
    stands: Signal<Local, Bit>,
    intake: Intake,
    queue: BlockFifo<PreparedPacket, 6>,
    departure: Departure<QB, TA>,
}

#[kernel]
impl<const QB: usize, const TA: usize> Logic for TransmitPath<QB, TA> {
    fn update(&mut self) {
        clock_and_reset!(self, intake, queue, departure);

        self.intake.request.item.next = self.waiting_request.q.val();
        self.intake.request_carries.next = self.request_carries.q.val();
        self.intake.request.valid.next = self.request_waits.q.val();
        self.request.ready.next = !self.request_waits.q.val();
        self.request_stands.next = !self.intake.request.ready.val();
        if !self.request_waits.q.val() {
            self.waiting_request.d.next = self.request.item.val();
            self.request_carries.d.next = self.request.item.val().payload.any();
            self.request_stands.next = self.request.valid.val();
        }
        self.intake.request_comes.next = self.request_stands.val() && !self.reset.val();
        self.request_waits.d.next = self.request_stands.val() && !self.reset.val();
        PlannedPieceSink::link(&mut self.request_piece, &mut self.intake.request_piece);
        self.intake.response.item.next = self.waiting.q.val();
        self.intake.response_carries.next = self.carries.q.val();
        self.intake.response.valid.next = self.waits.q.val();
        self.response.ready.next = !self.waits.q.val();
        self.stands.next = !self.intake.response.ready.val();
        if !self.waits.q.val() {
            self.waiting.d.next = self.response.item.val();
            self.carries.d.next = self.response.item.val().payload.any();
            self.stands.next = self.response.valid.val();
        }
        self.intake.response_comes.next = self.stands.val() && !self.reset.val();
        self.waits.d.next = self.stands.val() && !self.reset.val();
        PlannedPieceSink::link(&mut self.response_piece, &mut self.intake.response_piece);

        PieceSource::link(&mut self.piece, &mut self.intake.piece);

        self.queue.write.item.next.packet = self.intake.packet.item.val();
        self.queue.write.item.next.carries = self.intake.packet_carries.val();
        self.queue.write.valid.next = self.intake.packet.valid.val();
        self.intake.packet.ready.next = self.queue.write.ready.val();
        self.departure.packet.item.next = self.queue.read.item.val().packet;
        self.departure.packet_carries.next = self.queue.read.item.val().carries;
        self.departure.packet.valid.next = self.queue.read.valid.val();
        self.queue.read.ready.next = self.departure.packet.ready.val();
        self.departure.payload_begins.next = self.packet_begins.val();

        self.departure.port_p_keys.next = self.port_p_keys.val();
        OfferSink::<TransmitPacket>::link(&mut self.ack, &mut self.departure.ack);

        OfferSource::<TxHeader>::link(&mut self.header, &mut self.departure.header);
        outputs!(self.departure, header_p_key_index, header_port, header_route);

        EmittedPacketSource::<QB>::link(&mut self.emitted, &mut self.departure.emitted);
        outputs!(self.departure, emitted_lane, emitted_mark, emitted_qpn);
        ReportSource::link(&mut self.retire, &mut self.departure.retire);
    }
}
