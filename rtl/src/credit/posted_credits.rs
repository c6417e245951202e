//! Counts the credits that a responder may advertise for its receive queue.
use super::CreditTable;
use crate::bundle::AnnouncedSink;
use hca_hdl::prelude::*;

/// The credits of one QP at a time: receive WQEs that are posted, less those that were taken (`protocol/aeth.md`
/// section 5), as a code, and whether they are worth an unsolicited ack.
///
/// If the cycle in which `index`, `consumer` or `advertised` changes is the first, `waits` is valid in the third, the
/// codes in the fourth, `due` in the fifth. A doorbell takes as long to count. `QB`: QP index bits.
#[derive(LogicBlock, Default)]
pub struct PostedCredits<const QB: usize> {
    pub clock: Signal<In, Clock>,

    /// Pulses when the number of announced WQEs of a QP changes.
    pub announced: AnnouncedSink<QB>,

    /// Index of the QP that is looked at.
    pub index: Signal<In, Bits<QB>>,
    /// WQEs of the QP that were taken, modulo 2^16.
    pub consumer: Signal<In, Bits<16>>,
    /// Credit code of the latest positive answer.
    pub advertised: Signal<In, Bits<5>>,

    /// High if a WQE is posted that has possibly not arrived in the WQE cache yet.
    pub waits: Signal<Out, Bit>,
    /// Credit code of the WQEs that are posted and not taken.
    pub code: Signal<Out, Bits<5>>,
    /// Credit code of one WQE fewer.
    pub code_less_one: Signal<Out, Bits<5>>,
    /// High if the peer may starve: it knows of at most half of the credits that are there.
    pub due: Signal<Out, Bit>,

    producers: LutRam<Bits<16>, QB>,
    table: CreditTable,
    table_less_one: CreditTable,
    producer: Register<Bits<16>>,
    ahead: Register<Bit>,
    count: Register<Bits<16>>,
    count_less_one: Register<Bits<16>>,
    encoded: Register<Bits<5>>,
    encoded_less_one: Register<Bits<5>>,
    starves: Register<Bit>,
    fresh: Signal<Local, Bits<17>>,
    known: Signal<Local, Bits<17>>,
}

#[kernel]
impl<const QB: usize> Logic for PostedCredits<QB> {
    fn update(&mut self) {
        clock!(self, clock, producers);
        self.producers.write_enable.next = self.announced.valid.val();
        inputs!(self.producers, write_address: announced.index, write_data: announced.producer);
        inputs!(self.producers, read_address_a: index, read_address_b: index);
        self.producer.d.next = self.producers.read_data_a.val();
        self.ahead.d.next = self.producer.q.val() != self.consumer.val();
        self.waits.next = self.ahead.q.val();

        self.count.d.next = self.producer.q.val() - self.consumer.val();
        self.count_less_one.d.next = (self.producer.q.val() - self.consumer.val()) - 1;
        self.table.count.next = self.count.q.val();
        self.table_less_one.count.next = self.count_less_one.q.val();
        self.encoded.d.next = self.table.code.val();
        self.encoded_less_one.d.next = self.table_less_one.code.val();
        self.code.next = self.encoded.q.val();
        self.code_less_one.next = self.encoded_less_one.q.val();

        // Advertised credits are not taken yet: an answer goes with each WQE that is.
        self.table.given.next = self.encoded.q.val();
        self.table_less_one.given.next = self.advertised.val();
        self.fresh.next = bit_cast::<17, 16>(self.table.credits.val());
        self.known.next = bit_cast::<17, 16>(self.table_less_one.credits.val());
        self.starves.d.next =
            (self.fresh.val() > self.known.val()) && ((self.known.val() << 1) <= self.fresh.val());
        self.due.next = self.starves.q.val();
    }
}
