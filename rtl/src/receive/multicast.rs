//! Multicast on the receive side: the table of groups, with its two users.
use super::{PassageMark, Replicator};
use crate::bundle::{GroupCommandSink, HeaderSink, HeaderSource};
use crate::datagram::{GroupTable, Membership};
use hca_hdl::prelude::*;

/// Replicates packets, and attaches and detaches queue pairs; a command has the table while it holds.
///
/// The table changes only while no packet for a group is undecided, so that packets and commands take effect in the
/// order in which they are reported. One of `IB` and `ROCE` is 1.
#[derive(LogicBlock, Default)]
pub struct Multicast<const IB: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Base LID of the port, whose low `port_lmc` bits are zero.
    pub port_lid: Signal<In, Bits<16>>,
    /// LMC of the port: number of low bits of the LID that name a path.
    pub port_lmc: Signal<In, Bits<3>>,
    /// GID of the port; over Ethernet its IP address.
    pub port_gid: Signal<In, Bits<128>>,
    /// MAC address of the port; used over Ethernet only.
    pub port_mac: Signal<In, Bits<48>>,
    /// Headers of the accepted packets.
    pub header: HeaderSink,
    /// The same headers; the header of a packet for a group comes once for each member.
    pub passed: HeaderSource,
    /// What the replicator has found about the packet of `passed`, in the same cycle.
    pub mark: Signal<Out, PassageMark>,
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

#[kernel]
impl<const IB: usize, const ROCE: usize> Logic for Multicast<IB, ROCE> {
    fn update(&mut self) {
        clock_and_reset!(self, table, replicator, membership);

        inputs!(self.replicator, port_lid, port_lmc, port_gid, port_mac, decided);
        HeaderSink::link(&mut self.header, &mut self.replicator.header);
        HeaderSource::link(&mut self.passed, &mut self.replicator.passed);
        outputs!(self.replicator, mark, own_done);
        // An own packet under way has to get through, so the packets before it go on.
        // A command waits for as long as the link takes nothing of a multicast datagram.
        self.replicator.hold.next = self.command.hold.val() && !self.own_under_way.val();
        self.command.still.next = self.replicator.still.val() && !self.own_under_way.val();

        wires!(self.command, self.membership, search, qpn, port, mgid, mlid, attaches, detaches);
        wires!(self.membership, self.command, searched, facts);

        self.table.start.next = self.replicator.start.val() || self.membership.start.val();
        inputs!(self.table, mgid: replicator.mgid, mlid: replicator.mlid, mac: replicator.mac);
        self.table.port.next = self.header.item.val().port;
        self.table.member_address.next = self.replicator.member_address.val();
        if self.replicator.still.val() {
            inputs!(self.table, mgid: command.mgid, mlid: command.mlid, port: command.port);
            self.table.member_address.next = self.membership.member_address.val();
        }
        wires!(self.table, self.replicator, ready, done, member);
        self.replicator.found.next = self.table.outcome.val();
        wires!(self.table, self.membership, done, member);
        self.membership.found.next = self.table.outcome.val();
        wires!(
            self.membership, self.table, writes_group, group_index, new_group, writes_member, member_index,
            new_member
        );
    }
}
