//! The 64-bit counters of a native port.
use crate::bundle::{LinkCountSink, RegisterBusSink, SendCountSink};
use hca_hdl::prelude::*;
use hca_host::register as map;

/// The registers `PORT_WIDE` (`protocol/port_counters.csv`, rows "ext"): they count from reset on, and software only
/// reads them.
///
/// One adder serves all counters in turn, a word of 32 bits each clock, in rounds of 16 clocks, as long as events come;
/// what is to be added waits meanwhile. A count is correct 18 clocks after its event. The high word of a counter
/// follows its low word by one clock, so that software, whose reads are further apart, sees a count that passes 2^32 by
/// the change of the high word between two reads of it.
#[derive(LogicBlock, SmartDefault)]
pub struct WideCounters {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    /// Events from the way to the link.
    pub departures: SendCountSink,
    /// Events from the checks of the link.
    pub counts: LinkCountSink,

    /// Low word of counter `n` at `2 * n`, its high word behind it.
    words: LutRam<Bits<32>, 4>,
    /// The word whose turn it is.
    place: Register<Bits<4>>,
    /// High if an event has come since the round began.
    waits: Register<Bit>,
    /// High once each word has had its turn since reset. The memory keeps older words.
    begun: Register<Bit>,
    /// What the next low word gets.
    amount: Register<Bits<15>>,
    /// What the next high word gets.
    carry: Register<Bit>,
    /// Words sent and received that wait: at most 16 packets of 2047.
    lengths: [Register<Bits<15>>; 2],
    /// Packets sent and received, and multicast packets sent and received, that wait: at most 16.
    packets: [Register<Bits<5>>; 4],

    is_high: Signal<Local, Bit>,
    /// The counter whose turn is next; its low word comes in the next clock if `is_high`.
    coming: Signal<Local, Bits<3>>,
    /// `coming`, counted from the first counter of packets.
    coming_packets: Signal<Local, Bits<3>>,
    /// Words sent and received in this clock.
    came: [Signal<Local, Bits<15>>; 2],
    /// Packets sent and received in this clock, and multicast packets among them: 0 or 1 each.
    arrives: [Signal<Local, Bits<5>>; 4],
    /// What the counter gets whose turn is next; one of them is 0.
    words_due: Signal<Local, Bits<15>>,
    packets_due: Signal<Local, Bits<5>>,
    former: Signal<Local, Bits<32>>,
    sum: Signal<Local, Bits<33>>,
    in_page: Signal<Local, Bit>,
    #[default(constant(map::PORT_WIDE as usize >> 6))]
    page: Constant<Bits<14>>,
    #[default(constant(15))]
    last: Constant<Bits<4>>,
}

#[kernel]
impl Logic for WideCounters {
    fn update(&mut self) {
        clock!(self, clock, words);
        // Without events the last word has its turn again and again, and nothing is added to it.
        self.place.d.next = self.place.q.val() + 1;
        self.waits.d.next = self.waits.q.val() || self.departures.left.val() || self.counts.received.val();
        if self.place.q.val() == self.last.val() {
            self.begun.d.next = true;
            if !self.waits.q.val() {
                self.place.d.next = self.last.val();
            }
            self.waits.d.next = self.departures.left.val() || self.counts.received.val();
        }
        self.is_high.next = self.place.q.val().get_bit(0);
        self.coming.next = self.place.q.val().get_bits::<3>(1) + 1;
        self.coming_packets.next = self.coming.val() - 2;

        // Events wait for their counter's turn; those of the clock in which it comes wait for the next one.
        self.came[0].next = bits::<15>(0);
        if self.departures.left.val() {
            self.came[0].next = bit_cast::<15, 11>(self.departures.words.val());
        }
        self.came[1].next = bits::<15>(0);
        if self.counts.received.val() {
            self.came[1].next = bit_cast::<15, 11>(self.counts.words.val());
        }
        self.arrives[0].next = bit_cast::<5, 1>(self.departures.left.val().into());
        self.arrives[1].next = bit_cast::<5, 1>(self.counts.received.val().into());
        self.arrives[2].next =
            bit_cast::<5, 1>((self.departures.left.val() && self.departures.multicast.val()).into());
        self.arrives[3].next =
            bit_cast::<5, 1>((self.counts.received.val() && self.counts.multicast.val()).into());
        self.words_due.next = bits::<15>(0);
        for i in 0..2 {
            inputs!(self.lengths[i], clock);
            self.lengths[i].d.next = self.lengths[i].q.val() + self.came[i].val();
            if self.is_high.val() && (self.coming.val() == i.to_bits::<3>()) {
                self.words_due.next = self.lengths[i].q.val();
                self.lengths[i].d.next = self.came[i].val();
            }
            if self.reset.val() {
                self.lengths[i].d.next = bits::<15>(0);
            }
        }
        self.packets_due.next = bits::<5>(0);
        for i in 0..4 {
            inputs!(self.packets[i], clock);
            self.packets[i].d.next = self.packets[i].q.val() + self.arrives[i].val();
            if self.is_high.val() && (self.coming_packets.val() == i.to_bits::<3>()) {
                self.packets_due.next = self.packets[i].q.val();
                self.packets[i].d.next = self.arrives[i].val();
            }
            if self.reset.val() {
                self.packets[i].d.next = bits::<5>(0);
            }
        }
        self.amount.d.next = self.words_due.val() | bit_cast::<15, 5>(self.packets_due.val());

        self.words.read_address_a.next = self.place.q.val();
        self.former.next = bits::<32>(0);
        if self.begun.q.val() {
            self.former.next = self.words.read_data_a.val();
        }
        self.sum.next = bit_cast::<33, 32>(self.former.val()) + bit_cast::<33, 15>(self.amount.q.val());
        if self.is_high.val() {
            self.sum.next =
                bit_cast::<33, 32>(self.former.val()) + bit_cast::<33, 1>(self.carry.q.val().into());
        }
        self.carry.d.next = self.sum.val().get_bit(32);
        self.words.write_enable.next = true;
        self.words.write_address.next = self.place.q.val();
        self.words.write_data.next = self.sum.val().get_bits::<32>(0);

        self.in_page.next = self.bus.read_address.val().get_bits::<14>(6) == self.page.val();
        self.words.read_address_b.next = self.bus.read_address.val().get_bits::<4>(2);
        self.read_data.next = bits::<32>(0);
        if self.in_page.val() && self.begun.q.val() {
            self.read_data.next = self.words.read_data_b.val();
        }
        if self.reset.val() {
            clear!(self, place, waits, begun, amount, carry);
        }
    }
}
