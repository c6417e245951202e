//! Follows the request packets of each QP on the transmit path.
use super::{HandedPacket, LeavingPacket};
use crate::bundle::{EmittedPacketSink, QpOfferSource, QpPulseSource};
use crate::transmit::KIND_REQUEST;
use hca_hdl::prelude::*;

/// Packets leave the transmit path in the order in which they enter it; this block keeps their QP and PSN until then.
///
/// `QB`: QP index bits.
#[derive(LogicBlock, SmartDefault)]
pub struct Emissions<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when a packet enters the transmit path; only with `room`.
    pub leaves_valid: Signal<In, Bit>,
    /// QP of that packet.
    pub leaves_index: Signal<In, Bits<QB>>,
    /// PSN after the last one that the packet takes.
    pub leaves_next_psn: Signal<In, Bits<24>>,
    /// High if no ack is awaited for the packet because its service is unreliable.
    pub leaves_unreliable: Signal<In, Bit>,
    /// High while one more packet may enter.
    pub room: Signal<Out, Bit>,

    /// Packets of any kind that depart. The outputs follow one cycle later.
    pub departs: EmittedPacketSink<QB>,

    /// High for one cycle when the payload of the oldest departed request has been read
    /// ([`crate::transmit::RequestsRead`]).
    pub request_read: Signal<In, Bit>,

    /// High while QP `settle_index`, which has no packet here, is to start at `start_psn`; taken with `start_ready`.
    pub start_valid: Signal<In, Bit>,
    /// High if the start of a QP can be stored in this cycle.
    pub start_ready: Signal<Out, Bit>,
    /// First PSN of the QP that starts.
    pub start_psn: Signal<In, Bits<24>>,
    /// QP that `count` and `horizon` describe.
    pub index: Signal<In, Bits<QB>>,
    /// Number of packets of QP `index` that are gone, modulo 2^8.
    pub count: Signal<Out, Bits<8>>,
    /// Highest PSN sent of QP `index`, plus one; the responses of a Read count.
    pub horizon: Signal<Out, Bits<24>>,
    /// QP that `judge_horizon` and `judge_gone_psn` describe.
    pub judge_index: Signal<In, Bits<QB>>,
    /// Highest PSN sent of QP `judge_index`, plus one.
    pub judge_horizon: Signal<Out, Bits<24>>,
    /// PSN after the last packet of QP `judge_index` that is gone.
    pub judge_gone_psn: Signal<Out, Bits<24>>,
    /// QP that `settle_horizon` describes in the next clock, unless `settle_moves`.
    pub settle_index: Signal<In, Bits<QB>>,
    /// High if `settle_horizon` describes QP `judge_index` in the next clock.
    pub settle_moves: Signal<In, Bit>,
    /// Highest PSN sent, plus one, of the QP that `settle_index` and `settle_moves` chose one cycle earlier.
    pub settle_horizon: Signal<Out, Bits<24>>,

    /// High for one cycle when a request departs.
    pub left_valid: Signal<Out, Bit>,
    /// QPs with a request of a reliable service that is gone: it has departed, and its payload is not read from memory
    /// any more. A request of an unreliable service is gone with `finished_valid`.
    pub gone: QpPulseSource<QB>,
    /// The QP of each packet that has departed for the first time.
    pub sent: QpOfferSource<QB>,

    /// High for one cycle when the last beat of the oldest departed packet of an unreliable service leaves for the link
    /// ([`crate::transmit::Spoil`]).
    pub handed_valid: Signal<In, Bit>,
    /// With `handed_valid`: high if host memory failed to return some of the packet's payload.
    pub handed_spoiled: Signal<In, Bit>,
    /// High while a packet of an unreliable service that is handed to the link, or was discarded instead, is offered.
    pub done_valid: Signal<Out, Bit>,
    /// QP of that packet.
    pub done_index: Signal<Out, Bits<QB>>,
    /// PSN after the last one that the packet takes.
    pub done_next_psn: Signal<Out, Bits<24>>,
    /// High if host memory failed to return some of the packet's payload.
    pub done_spoiled: Signal<Out, Bit>,
    /// High when the offered packet is taken.
    pub done_ready: Signal<In, Bit>,
    /// High for one cycle when a packet of QP `settle_index` that `done` offered has been dealt with.
    pub finished_valid: Signal<In, Bit>,

    leaving: Fifo<LeavingPacket, 6>,
    /// A [`LeavingPacket`] for each packet that has departed and whose payload is still being read.
    reading: Fifo<LeavingPacket, 5>,
    first_sent: Fifo<Bits<QB>, 6>,
    /// A [`HandedPacket`] for each packet of an unreliable service that has departed.
    done: Fifo<HandedPacket, 6>,
    departing: Signal<Local, LeavingPacket>,
    done_waits: Signal<Local, Bit>,
    /// Spoiled 1, of each packet of an unreliable service that was handed to the link.
    handed: Fifo<Bits<1>, 6>,
    /// Number of packets in `leaving`, `first_sent` and `done`, or on the way there; each of these queues has a place
    /// for each of them.
    held: Register<Bits<7>>,
    passed_by: Signal<Local, Bit>,
    enters: Signal<Local, Bits<7>>,
    ends: Signal<Local, Bits<7>>,
    unreliable_left: Register<Bit>,
    /// Highest PSN sent, plus one, of each QP; in two tables, for four readers.
    horizons: LutRam<Bits<24>, QB>,
    more_horizons: LutRam<Bits<24>, QB>,
    /// Number of packets of each QP of a reliable service that are gone, modulo 2^8.
    counts: LutRam<Bits<8>, QB>,
    /// Number of packets of each QP of an unreliable service that are gone, modulo 2^8.
    finished: LutRam<Bits<8>, QB>,
    gone_psns: LutRam<Bits<24>, QB>,
    settled: Register<Bits<24>>,
    leaves: Signal<Local, Bit>,
    left: Register<Bit>,
    index_left: Register<Bits<QB>>,
    next_psn: Register<Bits<24>>,
    /// Highest PSN sent, plus one, of its QP before it left.
    horizon_left: Register<Bits<24>>,
    is_gone: Register<Bit>,
    index_gone: Register<Bits<QB>>,
    psn_gone: Register<Bits<24>>,
    unreliable_gone: Register<Bit>,
    ahead: Signal<Local, Bits<24>>,
    /// High if a packet departs for the first time.
    passes: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    moved: Signal<Local, Bits<QB>>,
    moved_to: Signal<Local, Bits<24>>,
    #[default(constant(KIND_REQUEST))]
    kind_request: Constant<Bits<2>>,
}

#[kernel]
impl<const QB: usize> Logic for Emissions<QB> {
    fn update(&mut self) {
        clock_and_reset!(self, leaving, reading, first_sent, done, handed);
        clock!(self, clock, horizons, more_horizons, counts, finished, gone_psns);

        self.room.next = !self.held.q.val().get_bit(6);
        self.leaving.write.valid.next = self.leaves_valid.val();
        self.leaving.write.item.next.unreliable = self.leaves_unreliable.val();
        self.leaving.write.item.next.index = bit_cast::<16, QB>(self.leaves_index.val());
        self.leaving.write.item.next.next_psn = self.leaves_next_psn.val();
        self.departing.next = self.leaving.read.item.val();
        self.leaves.next = self.departs.valid.val()
            && (self.departs.kind.val() == self.kind_request.val())
            && self.leaving.read.valid.val();
        self.leaving.read.ready.next = self.leaves.val();
        self.left.d.next = self.leaves.val() && !self.reset.val();
        self.index_left.d.next = self.departing.val().index.get_bits::<QB>(0);
        self.next_psn.d.next = self.departing.val().next_psn;
        self.unreliable_left.d.next = self.departing.val().unreliable;
        self.left_valid.next = self.left.q.val();

        inputs!(self.reading.write, valid: leaves, item: leaving.read.item);
        self.reading.read.ready.next = self.request_read.val();
        self.is_gone.d.next = self.request_read.val() && self.reading.read.valid.val() && !self.reset.val();
        self.index_gone.d.next = self.reading.read.item.val().index.get_bits::<QB>(0);
        self.psn_gone.d.next = self.reading.read.item.val().next_psn;
        self.unreliable_gone.d.next = self.reading.read.item.val().unreliable;
        self.done.write.valid.next = self.leaves.val() && self.departing.val().unreliable;
        self.done.write.item.next.discarded = self.departs.discard.val();
        self.done.write.item.next.index = self.departing.val().index;
        self.done.write.item.next.next_psn = self.departing.val().next_psn;
        self.handed.write.valid.next = self.handed_valid.val();
        self.handed.write.item.next = self.handed_spoiled.val().into();
        // In the order of their departure.
        self.done_waits.next = self.handed.read.valid.val();
        self.done_spoiled.next = self.handed.read.item.val().get_bit(0);
        self.handed.read.ready.next = self.done_ready.val();
        if self.done.read.item.val().discarded {
            self.done_waits.next = self.done.read.valid.val();
            self.done_spoiled.next = false;
            self.handed.read.ready.next = false;
        }
        self.done_valid.next = self.done_waits.val();
        self.done_index.next = self.done.read.item.val().index.get_bits::<QB>(0);
        self.done_next_psn.next = self.done.read.item.val().next_psn;
        self.done.read.ready.next = self.done_ready.val() && self.done_waits.val();
        self.gone.valid.next = self.is_gone.q.val() && !self.unreliable_gone.q.val();
        self.gone.index.next = self.index_gone.q.val();

        inputs!(self.counts, read_address_a: index_gone.q, read_address_b: index);
        self.counts.write_enable.next = self.is_gone.q.val() && !self.unreliable_gone.q.val();
        self.counts.write_address.next = self.index_gone.q.val();
        self.counts.write_data.next = self.counts.read_data_a.val() + 1;
        inputs!(self.finished, read_address_a: settle_index, read_address_b: index);
        inputs!(self.finished, write_enable: finished_valid, write_address: settle_index);
        self.finished.write_data.next = self.finished.read_data_a.val() + 1;
        self.count.next = self.counts.read_data_b.val() + self.finished.read_data_b.val();
        inputs!(self.gone_psns, read_address_a: judge_index, read_address_b: judge_index);
        inputs!(self.gone_psns, write_enable: is_gone.q, write_address: index_gone.q, write_data: psn_gone.q);
        self.judge_gone_psn.next = self.gone_psns.read_data_a.val();

        // Packets that are sent again do not move the highest PSN.
        self.horizons.read_address_a.next = self.departing.val().index.get_bits::<QB>(0);
        self.horizons.read_address_b.next = self.index.val();
        self.horizon.next = self.horizons.read_data_b.val();
        inputs!(self.more_horizons, read_address_a: judge_index, read_address_b: settle_index);
        self.judge_horizon.next = self.more_horizons.read_data_a.val();
        self.ahead.next = self.next_psn.q.val() - self.horizon_left.q.val();
        self.start_ready.next = !self.left.q.val();
        // A Read may take 2^23 PSNs at once (CF286); nothing that is sent again is as far behind.
        self.passes.next = self.left.q.val()
            && (!self.ahead.val().get_bit(23)
                || (self.next_psn.q.val().get_bits::<23>(0) == self.horizon_left.q.val().get_bits::<23>(0)));
        // What is sent again may be answered before it leaves.
        self.first_sent.write.valid.next =
            self.passes.val() && self.ahead.val().any() && !self.unreliable_left.q.val();
        self.first_sent.write.item.next = self.index_left.q.val();
        QpOfferSource::<QB>::link(&mut self.sent, &mut self.first_sent.read);
        // A packet gives its place back once it is taken from `first_sent` or `done`, or goes to neither.
        self.passed_by.next =
            self.left.q.val() && !self.first_sent.write.valid.val() && !self.unreliable_left.q.val();
        self.enters.next = bit_cast::<7, 1>(self.leaves_valid.val().into());
        self.ends.next = bit_cast::<7, 1>(self.passed_by.val().into())
            + bit_cast::<7, 1>((self.first_sent.read.valid.val() && self.sent.ready.val()).into())
            + bit_cast::<7, 1>((self.done_waits.val() && self.done_ready.val()).into());
        self.held.d.next = (self.held.q.val() + self.enters.val()) - self.ends.val();
        if self.reset.val() {
            self.held.d.next = 0.into();
        }
        // What leaves in this clock counts in the next; what starts is of no event that is here by then.
        self.settled.d.next = self.more_horizons.read_data_b.val();
        if self.passes.val() && (self.index_left.q.val() == self.settle_index.val()) {
            self.settled.d.next = self.next_psn.q.val();
        }
        if self.settle_moves.val() {
            self.settled.d.next = self.more_horizons.read_data_a.val();
            if self.passes.val() && (self.index_left.q.val() == self.judge_index.val()) {
                self.settled.d.next = self.next_psn.q.val();
            }
        }
        self.settle_horizon.next = self.settled.q.val();
        self.moved.next = self.index_left.q.val();
        self.moved_to.next = self.next_psn.q.val();
        self.moves.next = self.passes.val();
        if self.start_valid.val() && !self.left.q.val() {
            self.moves.next = true;
            self.moved.next = self.settle_index.val();
            self.moved_to.next = self.start_psn.val();
        }
        self.horizon_left.d.next = self.horizons.read_data_a.val();
        if self.moves.val() && (self.moved.val() == self.departing.val().index.get_bits::<QB>(0)) {
            self.horizon_left.d.next = self.moved_to.val();
        }
        inputs!(self.horizons, write_enable: moves, write_address: moved, write_data: moved_to);
        inputs!(self.more_horizons, write_enable: moves, write_address: moved, write_data: moved_to);
    }
}
