//! The counters of a native port.
use super::port_counter::PortCounter;
use crate::bundle::{LinkCountSink, RegisterBusSink, SendCountSink};
use hca_hdl::prelude::*;
use hca_host::register as map;

/// Address of the register of each counter.
const COUNTED: [u32; 12] = [
    map::VL15_DROPPED,
    map::PORT_XMIT_DISCARDS,
    map::LINK_ERROR_RECOVERY,
    map::LINK_DOWNED,
    map::PORT_RCV_ERRORS,
    map::PORT_RCV_REMOTE_PHYSICAL_ERRORS,
    map::EXCESSIVE_BUFFER_OVERRUN,
    map::PORT_XMIT_DATA,
    map::PORT_XMIT_PKTS,
    map::PORT_XMIT_WAIT,
    map::PORT_RCV_DATA,
    map::PORT_RCV_PKTS,
];

/// The counters of group `MANAGEMENT` (`protocol/link.md` section 10, `protocol/port_counters.csv`).
#[derive(LogicBlock, SmartDefault)]
pub struct PortCounters {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Writes and reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    /// High for one cycle for each packet for QP0 that finds no receive WQE, or no queue pair that receives.
    pub smp_dropped: Signal<In, Bit>,
    /// Events for the counters, from the way to the link.
    pub departures: SendCountSink,
    /// Events for the counters, from the checks of the link.
    pub counts: LinkCountSink,
    /// High for one cycle for each link packet with an error.
    pub link_packet_faulty: Signal<In, Bit>,
    /// High for one cycle when an Active port has the physical link back in time.
    pub link_recovered: Signal<In, Bit>,
    /// High for one cycle when the port goes Down because the physical link was lost.
    pub link_lost: Signal<In, Bit>,

    #[default(COUNTED.map(PortCounter::at))]
    counter: [PortCounter; 12],
}

#[kernel]
impl Logic for PortCounters {
    fn update(&mut self) {
        for i in 0..12 {
            RegisterBusSink::link(&mut self.bus, &mut self.counter[i].bus);
            inputs!(self.counter[i], clock, reset);
        }
        // In the order of `COUNTED`.
        self.counter[0].amount.next = bit_cast::<11, 1>(self.smp_dropped.val().into())
            + bit_cast::<11, 1>(self.counts.management_overran.val().into());
        self.counter[1].amount.next = bit_cast::<11, 1>(self.departures.discarded.val().into())
            + bit_cast::<11, 1>(self.departures.unsent.val().into());
        self.counter[2].amount.next = bit_cast::<11, 1>(self.link_recovered.val().into());
        self.counter[3].amount.next = bit_cast::<11, 1>(self.link_lost.val().into());
        self.counter[4].amount.next = bit_cast::<11, 1>(self.link_packet_faulty.val().into())
            + bit_cast::<11, 1>(self.counts.faulty.val().into());
        self.counter[5].amount.next = bit_cast::<11, 1>(self.counts.ended_bad.val().into());
        self.counter[6].amount.next = bit_cast::<11, 1>(self.counts.overran.val().into());
        self.counter[7].amount.next = bits::<11>(0);
        if self.departures.left.val() {
            self.counter[7].amount.next = self.departures.words.val();
        }
        self.counter[8].amount.next = bit_cast::<11, 1>(self.departures.left.val().into());
        self.counter[9].amount.next = bit_cast::<11, 1>(self.departures.waits.val().into());
        self.counter[10].amount.next = bits::<11>(0);
        if self.counts.received.val() {
            self.counter[10].amount.next = self.counts.words.val();
        }
        self.counter[11].amount.next = bit_cast::<11, 1>(self.counts.received.val().into());

        // At most one of them is not 0.
        self.read_data.next = self.counter[0].read_data.val()
            | self.counter[1].read_data.val()
            | self.counter[2].read_data.val()
            | self.counter[3].read_data.val()
            | self.counter[4].read_data.val()
            | self.counter[5].read_data.val()
            | self.counter[6].read_data.val()
            | self.counter[7].read_data.val()
            | self.counter[8].read_data.val()
            | self.counter[9].read_data.val()
            | self.counter[10].read_data.val()
            | self.counter[11].read_data.val();
    }
}
