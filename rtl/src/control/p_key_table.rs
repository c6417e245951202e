//! The registers of the port's P_Key table.
use crate::bundle::{RegisterBusSink, ReportSource};
use crate::retire::RetireRecord;
use hca_hdl::prelude::*;
use hca_host::register as map;
use hca_host::retire::kind;

/// The registers `PORT_P_KEY`, all 0 after reset. An entry that is written counts for the next packet (CF464).
///
/// No packet departs in the clock after the write, so that the record of the new entry stands between the packets that
/// left with the old one and those that leave with the new one.
#[derive(LogicBlock, SmartDefault)]
pub struct PKeyTable {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Writes and reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    /// Entry `n` at bits `16 * n + 15 : 16 * n`.
    pub p_keys: Signal<Out, Bits<64>>,
    /// High in the first cycle of a new entry: no packet may depart.
    pub send_hold: Signal<Out, Bit>,
    /// Retire records, for `LANE_TRANSMIT` of `host::retire`, two cycles after `send_hold`.
    pub retire: ReportSource,
    #[default(array_init::array_init(|_| Default::default()))]
    entry: [Register<Bits<32>>; 4],
    joined: Concat<16, 4, 64>,
    // The way of a record, as long as that of a departing packet's: high with a new entry; its index 16 | P_Key 16.
    written: Register<Bit>,
    written_entry: Register<Bits<32>>,
    taken: Register<Bit>,
    taken_entry: Register<Bits<32>>,
    reports: Register<Bit>,
    reported_entry: Register<Bits<32>>,
    here: Signal<Local, Bit>,
    #[default(constant(map::PORT_P_KEY as usize >> 4))]
    page: Constant<Bits<16>>,
    #[default(crate::retire::kind(kind::P_KEY_SET))]
    p_key_set: Constant<RetireRecord>,
}

#[kernel]
impl Logic for PKeyTable {
    fn update(&mut self) {
        self.here.next =
            self.bus.write.val() && (self.bus.write_address.val().get_bits::<16>(4) == self.page.val());
        self.read_data.next = bits::<32>(0);
        for i in 0..4 {
            dff_setup!(self, clock, entry[i]);
            self.joined.i[3 - i].next = self.entry[i].q.val().get_bits::<16>(0);
            if self.here.val() && (self.bus.write_address.val().get_bits::<2>(2) == i.to_bits::<2>()) {
                self.entry[i].d.next = bit_cast::<32, 16>(self.bus.write_data.val().get_bits::<16>(0));
            }
            if (self.bus.read_address.val().get_bits::<16>(4) == self.page.val())
                && (self.bus.read_address.val().get_bits::<2>(2) == i.to_bits::<2>())
            {
                self.read_data.next = self.entry[i].q.val();
            }
        }
        self.p_keys.next = self.joined.o.val();

        self.written.d.next = self.here.val();
        self.written_entry.d.next = (bit_cast::<32, 2>(self.bus.write_address.val().get_bits::<2>(2)) << 16)
            | bit_cast::<32, 16>(self.bus.write_data.val().get_bits::<16>(0));
        self.taken.d.next = self.written.q.val();
        self.taken_entry.d.next = self.written_entry.q.val();
        self.reports.d.next = self.taken.q.val();
        self.reported_entry.d.next = self.taken_entry.q.val();
        self.send_hold.next = self.written.q.val();
        inputs!(self.retire, valid: reports.q, record: p_key_set);
        self.retire.record.next.code = bit_cast::<8, 2>(self.reported_entry.q.val().get_bits::<2>(16));
        self.retire.record.next.index = bit_cast::<32, 16>(self.reported_entry.q.val().get_bits::<16>(0));
        if self.reset.val() {
            for i in 0..4 {
                self.entry[i].d.next = bits::<32>(0);
            }
            clear!(self, written, taken, reports);
        }
    }
}
