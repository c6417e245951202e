//! Collects the events of queue pairs.
use crate::bundle::{EventSource, QpNoticeSink, QpOfferSink};
use hca_hdl::prelude::*;
use hca_host::eqe;

/// `protocol/qp_cq.md` section 8: reports one event for each kind of event that a QP has had since the last of that
/// kind, and communication established at most once between one Reset and the next.
///
/// Kinds are numbered from `host::eqe::COMMUNICATION_ESTABLISHED` up, a bit each. An event waits as a mark of its QP
/// until it is taken; until then its QP is in the queue `waiting`, once. One operation a clock. `QB`: QP
/// index bits.
#[derive(LogicBlock, SmartDefault)]
pub struct QpNotices<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when `MODIFY_QP` takes effect, which gives a QP its QPN.
    pub modify_valid: Signal<In, Bit>,
    /// With `modify_valid`: index of the QP.
    pub modify_index: Signal<In, Bits<QB>>,
    /// With `modify_valid`: QPN of the QP.
    pub modify_qpn: Signal<In, Bits<24>>,
    /// With `modify_valid`: high if the events of the QP are forgotten.
    pub modify_resets: Signal<In, Bit>,
    /// Events of a QP from the responder, at most every fourth clock; always taken except in the first 2^`QB` clocks
    /// after a reset. Nothing happens if no kind is set.
    pub request: QpNoticeSink<QB>,
    /// Queue pairs that have an event `QP_FATAL`.
    pub fatal: QpOfferSink<QB>,
    /// Offers a QP one of whose Reads was refused when its data was to be read.
    pub refused: QpOfferSink<QB>,
    /// Offers a QP whose doorbell was refused.
    pub bad_doorbell: QpOfferSink<QB>,
    /// Queue pairs that have an event `SQ_DRAINED`.
    pub drained: QpOfferSink<QB>,

    /// The events, with the QPN of their QP.
    pub event: EventSource<24>,

    /// A row for each queue pair. Bit 7 is high from the first message of the connection on. Bit 6 is high while the
    /// queue pair waits in `waiting` for its event. Each of bits 5:0 is high while an event of that kind is to be
    /// written.
    rows: LutRam<Bits<8>, QB>,
    qpns: BlockRam<Bits<24>, QB>,
    waiting: Fifo<Bits<QB>, QB>,
    /// High while rows are cleared one by one after a reset.
    clears: Register<Bit>,
    cleared: Register<Bits<QB>>,
    forgets: Register<Bit>,
    forget_index: Register<Bits<QB>>,
    /// What happened in the last clock. Registered for timing: its input settles late in the clock.
    acts: Register<Bit>,
    acts_index: Register<Bits<QB>>,
    acts_kinds: Register<Bits<6>>,
    wipes: Register<Bit>,
    /// High if the number of the QP at the head of `waiting` is read.
    fetched: Register<Bit>,
    /// The row of that QP.
    reported_row: Register<Bits<8>>,
    /// High if that row has a kind to be reported.
    has_event: Register<Bit>,
    /// High if the row is still the present one, unless something happens in this clock.
    stands: Register<Bit>,

    index: Signal<Local, Bits<QB>>,
    row: Signal<Local, Bits<8>>,
    waiting_row: Signal<Local, Bits<8>>,
    happens: Signal<Local, Bit>,
    kinds: Signal<Local, Bits<6>>,
    fresh: Signal<Local, Bits<6>>,
    idle: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    remaining: Signal<Local, Bits<8>>,
    #[default(code(eqe::COMMUNICATION_ESTABLISHED))]
    established: Constant<Bits<8>>,
    #[default(code(eqe::SQ_DRAINED))]
    kind_drained: Constant<Bits<8>>,
    #[default(code(eqe::QP_REQUEST_ERROR))]
    request_error: Constant<Bits<8>>,
    #[default(code(eqe::QP_ACCESS_ERROR))]
    access_error: Constant<Bits<8>>,
    #[default(code(eqe::QP_FATAL))]
    kind_fatal: Constant<Bits<8>>,
    #[default(code(eqe::RQ_DRY))]
    dry: Constant<Bits<8>>,
}

fn code(value: u8) -> Constant<Bits<8>> {
    constant(value)
}

#[kernel]
impl<const QB: usize> Logic for QpNotices<QB> {
    fn update(&mut self) {
        clock!(self, clock, rows, qpns, waiting);
        self.waiting.reset.next = self.reset.val();

        // What happens, in this order: to whom, and what.
        self.happens.next = true;
        self.kinds.next = bits::<6>(0);
        self.index.next = self.request.index.val();
        self.fatal.ready.next = false;
        self.refused.ready.next = false;
        self.bad_doorbell.ready.next = false;
        self.drained.ready.next = false;
        self.wipes.d.next = false;
        if self.clears.q.val() {
            self.happens.next = false;
        } else if self.request.valid.val() {
            self.kinds.next = self.request.kinds.val();
        } else if self.forgets.q.val() {
            self.happens.next = false;
            self.index.next = self.forget_index.q.val();
            self.wipes.d.next = true;
            self.forgets.d.next = false;
        } else if self.fatal.valid.val() {
            self.fatal.ready.next = true;
            self.index.next = self.fatal.item.val();
            self.kinds.next = bits::<6>(0x10);
        } else if self.refused.valid.val() {
            self.refused.ready.next = true;
            self.index.next = self.refused.item.val();
            self.kinds.next = bits::<6>(0x08);
        } else if self.bad_doorbell.valid.val() {
            self.bad_doorbell.ready.next = true;
            self.index.next = self.bad_doorbell.item.val();
            self.kinds.next = bits::<6>(0x10);
        } else if self.drained.valid.val() {
            self.drained.ready.next = true;
            self.index.next = self.drained.item.val();
            self.kinds.next = bits::<6>(0x02);
        } else {
            self.happens.next = false;
        }
        self.acts.d.next = self.happens.val();
        self.acts_index.d.next = self.index.val();
        self.acts_kinds.d.next = self.kinds.val();

        // Its row.
        self.idle.next =
            !self.clears.q.val() && !self.forgets.q.val() && !self.acts.q.val() && !self.wipes.q.val();
        inputs!(self.rows, read_address_a: acts_index.q, read_address_b: waiting.read.item);
        outputs!(self.rows, row: read_data_a, waiting_row: read_data_b);

        self.rows.write_enable.next = false;
        inputs!(self.rows, write_address: acts_index.q, write_data: row);
        self.waiting.write.item.next = self.acts_index.q.val();
        self.waiting.read.ready.next = false;
        self.enters.next = false;
        self.fresh.next = self.acts_kinds.q.val();
        if self.row.val().get_bit(7) {
            self.fresh.next = self.acts_kinds.q.val() & 0x3E;
        }
        if self.acts.q.val() && self.fresh.val().any() {
            self.rows.write_enable.next = true;
            self.rows.write_data.next = self.row.val()
                | bit_cast::<8, 6>(self.fresh.val())
                | (bit_cast::<8, 1>(self.fresh.val().get_bits::<1>(0)) << 7)
                | 0x40;
            self.enters.next = !self.row.val().get_bit(6);
        }
        if self.wipes.q.val() {
            self.rows.write_enable.next = true;
            self.rows.write_data.next = self.row.val() & 0x40;
        }
        self.waiting.write.valid.next = self.enters.val();

        // The reports: of the QP at the head, one kind after the other.
        inputs!(self.qpns, read_address: waiting.read.item, write_enable: modify_valid);
        inputs!(self.qpns, write_address: modify_index, write_data: modify_qpn);
        self.fetched.d.next = self.waiting.read.valid.val();
        self.event.number.next = self.qpns.read_data.val();
        self.remaining.next = bits::<8>(0xDF);
        self.event.kind.next = self.dry.val();
        if self.reported_row.q.val().get_bit(4) {
            self.remaining.next = bits::<8>(0xEF);
            self.event.kind.next = self.kind_fatal.val();
        }
        if self.reported_row.q.val().get_bit(3) {
            self.remaining.next = bits::<8>(0xF7);
            self.event.kind.next = self.access_error.val();
        }
        if self.reported_row.q.val().get_bit(2) {
            self.remaining.next = bits::<8>(0xFB);
            self.event.kind.next = self.request_error.val();
        }
        if self.reported_row.q.val().get_bit(1) {
            self.remaining.next = bits::<8>(0xFD);
            self.event.kind.next = self.kind_drained.val();
        }
        if self.reported_row.q.val().get_bit(0) {
            self.remaining.next = bits::<8>(0xFE);
            self.event.kind.next = self.established.val();
        }
        self.reported_row.d.next = self.waiting_row.val();
        self.has_event.d.next = self.waiting_row.val().get_bits::<6>(0).any();
        self.stands.d.next = self.idle.val() && self.waiting.read.valid.val() && self.fetched.q.val();
        self.offers.next = self.stands.q.val() && self.idle.val();
        self.event.valid.next = self.offers.val() && self.has_event.q.val();
        if self.offers.val() {
            self.rows.write_address.next = self.waiting.read.item.val();
            if self.has_event.q.val() {
                self.rows.write_enable.next = self.event.ready.val();
                self.rows.write_data.next = self.reported_row.q.val() & self.remaining.val();
                if self.event.ready.val() {
                    self.stands.d.next = false;
                }
            } else {
                self.rows.write_enable.next = true;
                self.rows.write_data.next = self.reported_row.q.val() & 0xBF;
                self.stands.d.next = false;
                self.waiting.read.ready.next = true;
                self.fetched.d.next = false;
            }
        }

        if self.modify_valid.val() && self.modify_resets.val() {
            self.forgets.d.next = true;
            self.forget_index.d.next = self.modify_index.val();
        }
        if self.clears.q.val() {
            self.rows.write_enable.next = true;
            self.rows.write_address.next = self.cleared.q.val();
            self.rows.write_data.next = bits::<8>(0);
            self.cleared.d.next = self.cleared.q.val() + 1;
            self.clears.d.next = !self.cleared.q.val().all();
        }
        if self.reset.val() {
            self.clears.d.next = true;
            clear!(self, cleared, forgets, acts, wipes, fetched, stands);
        }
    }
}
