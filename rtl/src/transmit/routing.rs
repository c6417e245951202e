//! Adds the network part of their QP's address, or of their address handle, to departing packets.
use crate::bundle::{HandleUpdateSink, RouteModifySink};
use crate::context::QpRoute;
use crate::wire::TxHeader;
use hca_hdl::prelude::*;

/// Takes a header every other clock, reads the route of its QP or handle and passes on the complete header. The routes
/// of QPs are numbers 0 to 2^`QB` - 1; those of handles begin at 2^(`TA` - 1). `QB`, `AB`: index bits of a QP and of a
/// handle; `TA`: one more than the larger of them.
///
/// A packet gets the route that its QP or handle has in the clock in which it is taken, however long it then waits for
/// the link. `header_ready` depends on no input but `modify` and `handle`, so that the link's pace reaches no engine
/// within a clock.
#[derive(LogicBlock, SmartDefault)]
pub struct Routing<const QB: usize, const AB: usize, const TA: usize> {
    #[default(provided(TA == QB.max(AB) + 1, "the numbers of routes contradict each other"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// `MODIFY_QP`: sets the route of a QP from now on.
    pub modify: RouteModifySink<QB>,

    /// Sets the route of an address handle from now on; never with `modify`.
    pub handle: HandleUpdateSink<AB>,

    /// Index of the packet's source GID.
    pub sgid_index: Signal<Out, Bits<2>>,
    /// Source GID that `sgid_index` names, in the same cycle; over Ethernet the port's IP address.
    pub sgid: Signal<In, Bits<128>>,
    /// High if that packet leaves by port 2.
    pub routed_port: Signal<Out, Bit>,
    /// IPD of the source of that packet ([`crate::control::StaticRate`]).
    pub delay: Signal<Out, Bits<6>>,
    /// MAC address of the port, for RoCEv2 frames.
    pub port_mac: Signal<In, Bits<48>>,

    /// Headers without the route.
    pub header: OfferSink<TxHeader>,
    /// High if that packet leaves by port 2.
    pub header_port: Signal<In, Bit>,
    /// Number of the route of that header.
    pub header_route: Signal<In, Bits<TA>>,

    /// Headers with the route.
    pub routed: OfferSource<TxHeader>,

    /// Holds the row of a header that waits.
    rows: HeldRam<QpRoute, TA>,
    waiting: Register<TxHeader>,
    waiting_port: Register<Bit>,
    waits: Register<Bit>,
    writes: Signal<Local, Bit>,
    #[default(constant(1usize << (TA - 1)))]
    of_handle: Constant<Bits<TA>>,
}

#[kernel]
impl<const QB: usize, const AB: usize, const TA: usize> Logic for Routing<QB, AB, TA> {
    fn update(&mut self) {
        clock!(self, clock, rows);
        self.writes.next = self.modify.valid.val() || self.handle.valid.val();
        self.rows.write_enable.next = self.writes.val();
        self.rows.write_address.next = bit_cast::<TA, QB>(self.modify.index.val());
        self.rows.write_data.next = self.modify.route.val();
        if self.handle.valid.val() {
            self.rows.write_address.next = bit_cast::<TA, AB>(self.handle.index.val()) | self.of_handle.val();
            self.rows.write_data.next = self.handle.route.val();
        }

        // No row is read while one is written.
        self.header.ready.next = !self.waits.q.val() && !self.writes.val();
        inputs!(self.rows, read_address: header_route, hold: waits.q);
        if self.routed.ready.val() {
            self.waits.d.next = false;
        }
        if !self.waits.q.val() && !self.writes.val() {
            self.waits.d.next = self.header.valid.val();
            self.waiting.d.next = self.header.item.val();
            self.waiting_port.d.next = self.header_port.val();
        }
        if self.reset.val() {
            self.waits.d.next = false;
        }

        inputs!(self.routed, valid: waits.q, item: waiting.q);
        // No packet on VL 15 has a GRH (`protocol/special_qps.md` section 1).
        self.routed.item.next.has_grh = self.rows.read_data.val().has_grh && !self.waiting.q.val().vl.all();
        // The address is ::ffff:a.b.c.d (`protocol/headers.md` section 7).
        self.routed.item.next.ipv4 = self.rows.read_data.val().dgid.get_bits::<96>(32) == 0xFFFF;
        self.routed.item.next.traffic_class = self.rows.read_data.val().traffic_class;
        self.routed.item.next.flow_label = self.rows.read_data.val().flow_label;
        self.routed.item.next.hop_limit = self.rows.read_data.val().hop_limit;
        self.sgid_index.next = self.rows.read_data.val().sgid_index;
        self.delay.next = self.rows.read_data.val().delay;
        self.routed_port.next = self.waiting_port.q.val();
        self.routed.item.next.sgid = self.sgid.val();
        self.routed.item.next.dgid = self.rows.read_data.val().dgid;
        self.routed.item.next.dest_mac = self.rows.read_data.val().dest_mac;
        self.routed.item.next.source_mac = self.port_mac.val();
        self.routed.item.next.source_port = self.rows.read_data.val().source_port;
    }
}
