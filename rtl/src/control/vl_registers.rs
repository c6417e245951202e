//! The registers of virtual lanes.
use crate::bundle::{RegisterBusSink, ReportSource};
use crate::retire::RetireRecord;
use hca_hdl::prelude::*;
use hca_host::register as map;
use hca_host::retire::kind;

/// The registers `PORT_VLS` and `SL_TO_VL` (`protocol/link.md` section 3). What is written counts from the next clock
/// on. `VB`: log2 of the data VLs that the port has, 0 to 3.
///
/// No packet departs in the clock after a write to the table, so that its record stands between the packets that left
/// with the old VLs and those that leave with the new ones.
#[derive(LogicBlock, SmartDefault)]
pub struct VlRegisters<const VB: usize> {
    #[default(provided(VB <= 3, "a port has up to 8 data VLs"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Writes and reads of software.
    pub bus: RegisterBusSink,
    /// Value of the register; 0 for other addresses.
    pub read_data: Signal<Out, Bits<32>>,
    /// Number of data VLs that are operational, from VL 0 on.
    pub data_vls: Signal<Out, Bits<4>>,
    /// VL of SL `n` at bits `4 * n + 3 : 4 * n`.
    pub sl_to_vl: Signal<Out, Bits<64>>,
    /// High while data packets leave by credits, and flow-control packets are sent and taken.
    pub flow_control: Signal<Out, Bit>,
    /// High in the first cycle of new VLs: no packet may depart.
    pub send_hold: Signal<Out, Bit>,
    /// Retire records of the table, for `LANE_TRANSMIT` of `host::retire`, two cycles after `send_hold`.
    pub retire: ReportSource,

    /// Code of the number of operational VLs: 1, 2, 3, 4 for 1, 2, 4, 8.
    #[default(Register::new((VB + 1).to_bits()))]
    operational: Register<Bits<4>>,
    controls: Register<Bit>,
    low_table: Register<Bits<32>>,
    high_table: Register<Bits<32>>,
    // The way of a record, as long as that of a departing packet's: the half of the table 32 | its VLs 31:0.
    written: Register<Bit>,
    written_vls: Register<Bits<33>>,
    taken: Register<Bit>,
    taken_vls: Register<Bits<33>>,
    reports: Register<Bit>,
    reported_vls: Register<Bits<33>>,
    asked: Signal<Local, Bits<4>>,
    in_low: Signal<Local, Bit>,
    in_high: Signal<Local, Bit>,
    #[default(crate::retire::kind(kind::SL_TO_VL_SET))]
    sl_to_vl_set: Constant<RetireRecord>,
    #[default(constant(VB + 1))]
    cap: Constant<Bits<4>>,
    #[default(constant(map::PORT_VLS))]
    a_port_vls: Constant<Bits<20>>,
    #[default(constant(map::SL_TO_VL))]
    a_low_table: Constant<Bits<20>>,
    #[default(constant(map::SL_TO_VL + 4))]
    a_high_table: Constant<Bits<20>>,
}

#[kernel]
impl<const VB: usize> Logic for VlRegisters<VB> {
    fn update(&mut self) {
        self.asked.next = self.bus.write_data.val().get_bits::<4>(0);
        if self.bus.write.val() && (self.bus.write_address.val() == self.a_port_vls.val()) {
            self.controls.d.next = self.bus.write_data.val().get_bit(8);
            if self.asked.val().any() && (self.asked.val() <= self.cap.val()) {
                self.operational.d.next = self.asked.val();
            }
        }
        self.in_low.next = self.bus.write.val() && (self.bus.write_address.val() == self.a_low_table.val());
        self.in_high.next = self.bus.write.val() && (self.bus.write_address.val() == self.a_high_table.val());
        if self.in_low.val() {
            self.low_table.d.next = self.bus.write_data.val();
        }
        if self.in_high.val() {
            self.high_table.d.next = self.bus.write_data.val();
        }
        self.written.d.next = self.in_low.val() || self.in_high.val();
        self.written_vls.d.next = (bit_cast::<33, 1>(self.in_high.val().into()) << 32)
            | bit_cast::<33, 32>(self.bus.write_data.val());
        self.taken.d.next = self.written.q.val();
        self.taken_vls.d.next = self.written_vls.q.val();
        self.reports.d.next = self.taken.q.val();
        self.reported_vls.d.next = self.taken_vls.q.val();
        self.send_hold.next = self.written.q.val();
        inputs!(self.retire, valid: reports.q, record: sl_to_vl_set);
        self.retire.record.next.code = bit_cast::<8, 1>(self.reported_vls.q.val().get_bits::<1>(32)) << 3;
        self.retire.record.next.index = self.reported_vls.q.val().get_bits::<32>(0);

        self.data_vls.next = bits::<4>(1) << (self.operational.q.val() - 1);
        self.sl_to_vl.next =
            (bit_cast::<64, 32>(self.high_table.q.val()) << 32) | bit_cast::<64, 32>(self.low_table.q.val());
        self.flow_control.next = self.controls.q.val();

        self.read_data.next = bits::<32>(0);
        if self.bus.read_address.val() == self.a_port_vls.val() {
            self.read_data.next = (bit_cast::<32, 1>(self.controls.q.val().into()) << 8)
                | (bit_cast::<32, 4>(self.cap.val()) << 4)
                | bit_cast::<32, 4>(self.operational.q.val());
        }
        if self.bus.read_address.val() == self.a_low_table.val() {
            self.read_data.next = self.low_table.q.val();
        }
        if self.bus.read_address.val() == self.a_high_table.val() {
            self.read_data.next = self.high_table.q.val();
        }
        if self.reset.val() {
            self.operational.d.next = self.cap.val();
            clear!(self, controls, low_table, high_table, written, taken, reports);
        }
    }
}
