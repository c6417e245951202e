//! Multicast on the receive side: the table of groups, with its two users.
use super::{PassageMark, Replicator};
use crate::bundle::GroupCommandSink;
use crate::datagram::{GroupTable, Membership};
use crate::wire::RxHeader;
use hca_hdl::primitive::{clock, comment};
use rust_hdl_core::prelude::*;

/// Replicates packets, and attaches and detaches queue pairs; a command has the table while it holds.
///
/// The table changes only while no packet for a group is undecided, so that packets and commands take effect in the
/// order in which they are reported. One of `IB` and `ROCE` is 1.
#[derive(LogicBlock, Default)]
pub struct Multicast<const IB: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Input of the same name of [`Replicator`].
    pub port_lid: Signal<In, Bits<16>>,
    /// Input of the same name of [`Replicator`].
    pub port_lmc: Signal<In, Bits<3>>,
    /// Input of the same name of [`Replicator`].
    pub port_gid: Signal<In, Bits<128>>,
    /// Input of the same name of [`Replicator`].
    pub port_mac: Signal<In, Bits<48>>,
    /// Input of the same name of [`Replicator`].
    pub header: Signal<In, RxHeader>,
    /// Input of the same name of [`Replicator`].
    pub header_valid: Signal<In, Bit>,
    /// Output of the same name of [`Replicator`].
    pub header_ready: Signal<Out, Bit>,
    /// Input of the same name of [`Replicator`].
    pub next_dest_qp: Signal<In, Bits<24>>,
    /// Output of the same name of [`Replicator`].
    pub passed: Signal<Out, RxHeader>,
    /// Output of the same name of [`Replicator`].
    pub mark: Signal<Out, PassageMark>,
    /// Output of the same name of [`Replicator`].
    pub passed_valid: Signal<Out, Bit>,
    /// Input of the same name of [`Replicator`].
    pub passed_ready: Signal<In, Bit>,
    /// Output of the same name of [`Replicator`].
    pub passed_next_dest_qp: Signal<Out, Bits<24>>,
    /// High for one cycle when a packet for a group is decided.
    pub decided: Signal<In, Bit>,
    /// Commands of software about groups.
    pub command: GroupCommandSink,
    /// High while a multicast packet of the port is between its launch and the look-up of its group.
    pub own_under_way: Signal<In, Bit>,
    /// High for one cycle when the group of an own packet has been looked up.
    pub own_done: Signal<Out, Bit>,

    table: GroupTable,
    replicator: Replicator<IB, ROCE>,
    membership: Membership,
}

impl<const IB: usize, const ROCE: usize> Logic for Multicast<IB, ROCE> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module multicast");
        clock!(self, clock, table, replicator, membership);
        self.table.reset.next = self.reset.val();
        self.replicator.reset.next = self.reset.val();
        self.membership.reset.next = self.reset.val();

        self.replicator.port_lid.next = self.port_lid.val();
        self.replicator.port_lmc.next = self.port_lmc.val();
        self.replicator.port_gid.next = self.port_gid.val();
        self.replicator.port_mac.next = self.port_mac.val();
        self.replicator.header.next = self.header.val();
        self.replicator.header_valid.next = self.header_valid.val();
        self.header_ready.next = self.replicator.header_ready.val();
        self.replicator.next_dest_qp.next = self.next_dest_qp.val();
        self.passed.next = self.replicator.passed.val();
        self.mark.next = self.replicator.mark.val();
        self.passed_valid.next = self.replicator.passed_valid.val();
        self.replicator.passed_ready.next = self.passed_ready.val();
        self.passed_next_dest_qp.next = self.replicator.passed_next_dest_qp.val();
        self.replicator.decided.next = self.decided.val();
        self.own_done.next = self.replicator.own_done.val();
        // An own packet under way has to get through: what is before it goes on, too.
        // A command waits for as long as the link takes nothing of a multicast datagram.
        self.replicator.hold.next = self.command.hold.val() && !self.own_under_way.val();
        self.command.still.next = self.replicator.still.val() && !self.own_under_way.val();

        self.membership.search.next = self.command.search.val();
        self.membership.qpn.next = self.command.qpn.val();
        self.membership.mgid.next = self.command.mgid.val();
        self.membership.mlid.next = self.command.mlid.val();
        self.command.searched.next = self.membership.searched.val();
        self.command.facts.next = self.membership.facts.val();
        self.membership.attaches.next = self.command.attaches.val();
        self.membership.detaches.next = self.command.detaches.val();

        self.table.start.next = self.replicator.start.val() || self.membership.start.val();
        self.table.mgid.next = self.replicator.mgid.val();
        self.table.mlid.next = self.replicator.mlid.val();
        self.table.mac.next = self.replicator.mac.val();
        self.table.member_address.next = self.replicator.member_address.val();
        if self.replicator.still.val() {
            self.table.mgid.next = self.command.mgid.val();
            self.table.mlid.next = self.command.mlid.val();
            self.table.member_address.next = self.membership.member_address.val();
        }
        self.replicator.ready.next = self.table.ready.val();
        self.replicator.done.next = self.table.done.val();
        self.replicator.found.next = self.table.outcome.val();
        self.replicator.member.next = self.table.member.val();
        self.membership.done.next = self.table.done.val();
        self.membership.found.next = self.table.outcome.val();
        self.membership.member.next = self.table.member.val();
        self.table.writes_group.next = self.membership.writes_group.val();
        self.table.group_index.next = self.membership.group_index.val();
        self.table.new_group.next = self.membership.new_group.val();
        self.table.writes_member.next = self.membership.writes_member.val();
        self.table.member_index.next = self.membership.member_index.val();
        self.table.new_member.next = self.membership.new_member.val();
    }
}
