//! Writes the event queue, a ring in host memory.
use crate::bundle::{EqeSource, EventRingSink, EventSink, ReportSource};
use crate::retire::RetireRecord;
use hca_hdl::prelude::*;
use hca_host::{eqe, retire::kind};

/// Writes EQEs, first those of the port, then those of CQs and of QPs in turn, as long as the queue is on and has room;
/// an EQE every two clocks at most. `CB`: CQ index bits.
#[derive(LogicBlock, SmartDefault)]
pub struct EventQueue<const CB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// The ring. An EQE that waits here when the queue starts anew or stops goes to the next ring.
    pub eq: EventRingSink,
    /// Events of CQs.
    pub cq: EventSink<CB>,
    /// Events of QPs.
    pub qp: EventSink<24>,
    /// Events of the ports.
    pub port: EventSink<1>,
    /// The EQEs.
    pub eqe: EqeSource,
    /// Retire records of `LANE_EVENT` in `host::retire`.
    pub retire: ReportSource,

    enabled: Register<Bit>,
    ring_base: Register<Bits<64>>,
    ring_log_size: Register<Bits<4>>,
    producer: Register<Bits<16>>,
    /// High if the ring had room in the last clock, and no EQE has taken it since.
    room: Register<Bit>,
    cq_was_last: Register<Bit>,
    filled: Register<Bit>,
    /// High if `kind` and `number` were withdrawn: they come first in the next ring.
    displaced: Register<Bit>,
    address: Register<Bits<64>>,
    kind: Register<Bits<8>>,
    number: Register<Bits<24>>,
    phase: Register<Bit>,

    size: Signal<Local, Bits<16>>,
    untaken: Signal<Local, Bits<16>>,
    /// High if an EQE may get its place.
    free: Signal<Local, Bit>,
    places: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    open_to_others: Signal<Local, Bit>,
    takes_port: Signal<Local, Bit>,
    takes_cq: Signal<Local, Bit>,
    takes_qp: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    next_kind: Signal<Local, Bits<8>>,
    next_number: Signal<Local, Bits<24>>,
    #[default(crate::retire::kind(kind::EVENT))]
    kind_event: Constant<RetireRecord>,
    /// Number of port 1.
    #[default(constant(1))]
    the_port: Constant<Bits<24>>,
    #[default(constant(eqe::BYTES.trailing_zeros() as usize))]
    entry_shift: Constant<Bits<3>>,
}

#[kernel]
impl<const CB: usize> Logic for EventQueue<CB> {
    fn update(&mut self) {
        self.size.next = bits::<16>(1) << self.ring_log_size.q.val();
        self.untaken.next = self.producer.q.val() - self.eq.consumer.val();
        self.room.d.next = self.untaken.val() < self.size.val();

        // Whose event goes.
        self.free.next =
            self.enabled.q.val() && self.room.q.val() && !self.filled.q.val() && !self.eq.control_valid.val();
        self.open.next = self.free.val() && !self.displaced.q.val();
        self.takes_port.next = self.open.val() && self.port.valid.val();
        self.port.ready.next = self.open.val();
        self.open_to_others.next = self.open.val() && !self.port.valid.val();
        self.takes_cq.next = self.open_to_others.val()
            && self.cq.valid.val()
            && (!self.qp.valid.val() || !self.cq_was_last.q.val());
        self.takes_qp.next = self.open_to_others.val() && self.qp.valid.val() && !self.takes_cq.val();
        self.cq.ready.next = self.open_to_others.val() && (!self.qp.valid.val() || !self.cq_was_last.q.val());
        self.qp.ready.next = self.takes_qp.val();
        outputs!(self.qp, next_kind: kind, next_number: number);
        if self.takes_cq.val() {
            self.next_kind.next = self.cq.kind.val();
            self.next_number.next = bit_cast::<24, CB>(self.cq.number.val());
        }
        if self.takes_port.val() {
            self.next_kind.next = self.port.kind.val();
            self.next_number.next = self.the_port.val() + bit_cast::<24, 1>(self.port.number.val());
        }
        self.takes.next = self.takes_cq.val() || self.takes_qp.val() || self.takes_port.val();
        if self.takes_cq.val() || self.takes_qp.val() {
            self.cq_was_last.d.next = self.takes_cq.val();
        }
        if self.takes.val() {
            self.kind.d.next = self.next_kind.val();
            self.number.d.next = self.next_number.val();
        }

        // Its place.
        self.places.next = self.free.val()
            && (self.displaced.q.val()
                || self.cq.valid.val()
                || self.qp.valid.val()
                || self.port.valid.val());
        if self.places.val() {
            self.filled.d.next = true;
            self.displaced.d.next = false;
            self.room.d.next = false;
            self.producer.d.next = self.producer.q.val() + 1;
            self.address.d.next = self.ring_base.q.val()
                + (bit_cast::<64, 16>(self.producer.q.val() & (self.size.val() - 1))
                    << self.entry_shift.val());
            self.phase.d.next = !(self.producer.q.val() >> self.ring_log_size.q.val()).get_bit(0);
        }

        // Its entry.
        if self.filled.q.val() && self.eqe.ready.val() {
            self.filled.d.next = false;
        }
        inputs!(self.eqe, valid: filled.q, address: address.q);
        self.eqe.item.next = (bit_cast::<128, 8>(self.kind.q.val()) << 120)
            | (bit_cast::<128, 24>(self.number.q.val()) << 96)
            | bit_cast::<128, 1>(self.phase.q.val().into());
        inputs!(self.retire, valid: takes, record: kind_event);
        self.retire.record.next.code = self.next_kind.val();
        self.retire.record.next.qpn = self.next_number.val();

        if self.eq.control_valid.val() {
            self.enabled.d.next = self.eq.enable.val();
            self.ring_base.d.next = self.eq.base.val();
            self.ring_log_size.d.next = self.eq.log_size.val();
            self.producer.d.next = bits::<16>(0);
            self.room.d.next = false;
            if self.filled.q.val() && !self.eqe.ready.val() {
                self.filled.d.next = false;
                self.displaced.d.next = true;
            }
        }
        if self.reset.val() {
            clear!(self, enabled, filled, displaced);
        }
    }
}
