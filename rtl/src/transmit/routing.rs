//! Adds the network part of their QP's address to departing packets.
use crate::bundle::RouteModifySink;
use crate::context::RouteFields;
use crate::wire::TxHeader;
use hca_hdl::primitive::{clock, comment, dff_setup, HeldRam, Register};
use rust_hdl_core::prelude::*;

/// Takes a header every other clock, reads the route of its QP and passes on the complete header. `QB`: QP index bits.
///
/// A packet gets the route that its QP has in the clock in which it is taken, however long it then waits for the link.
/// `header_ready` depends on no input but `modify`, so that the link's pace reaches no engine within a clock.
#[derive(LogicBlock, Default)]
pub struct Routing<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// `MODIFY_QP`: sets the route of QP `modify_index` from now on.
    pub modify: RouteModifySink<QB>,

    pub port_gid: Signal<In, Bits<128>>,
    pub port_mac: Signal<In, Bits<48>>,

    /// Header without the route.
    pub header: Signal<In, TxHeader>,
    /// Index of the QP of this side that the packet belongs to.
    pub header_index: Signal<In, Bits<QB>>,
    pub header_valid: Signal<In, Bit>,
    pub header_ready: Signal<Out, Bit>,

    pub routed: Signal<Out, TxHeader>,
    pub routed_valid: Signal<Out, Bit>,
    pub routed_ready: Signal<In, Bit>,

    /// Holds the row of a header that waits.
    rows: HeldRam<256, QB>,
    route: RouteFields,
    waiting: Register<TxHeader>,
    waits: Register<Bit>,
}

impl<const QB: usize> Logic for Routing<QB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module routing");
        dff_setup!(self, clock, waiting, waits);
        clock!(self, clock, rows);
        self.rows.write_enable.next = self.modify.valid.val();
        self.rows.write_address.next = self.modify.index.val();
        self.rows.write_data.next = self.modify.route.val();

        // No row is read while one is written.
        self.header_ready.next = !self.waits.q.val() && !self.modify.valid.val();
        self.rows.read_address.next = self.header_index.val();
        self.rows.hold.next = self.waits.q.val();
        if self.routed_ready.val() {
            self.waits.d.next = false;
        }
        if !self.waits.q.val() && !self.modify.valid.val() {
            self.waits.d.next = self.header_valid.val();
            self.waiting.d.next = self.header.val();
        }
        if self.reset.val() {
            self.waits.d.next = false;
        }

        self.route.row.next = self.rows.read_data.val();
        self.routed_valid.next = self.waits.q.val();
        self.routed.next = self.waiting.q.val();
        self.routed.next.has_grh = self.route.has_grh.val();
        self.routed.next.ipv4 = self.route.ipv4.val();
        self.routed.next.traffic_class = self.route.traffic_class.val();
        self.routed.next.flow_label = self.route.flow_label.val();
        self.routed.next.hop_limit = self.route.hop_limit.val();
        self.routed.next.sgid = self.port_gid.val();
        self.routed.next.dgid = self.route.dgid.val();
        self.routed.next.dest_mac = self.route.dest_mac.val();
        self.routed.next.source_mac = self.port_mac.val();
        self.routed.next.source_port = self.route.source_port.val();
    }
}
