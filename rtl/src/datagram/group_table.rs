//! The multicast groups of the ports, and the queue pairs that are attached to them.
use super::{GidKind, GroupMatch, GroupRow, MemberRow};
use hca_hdl::prelude::*;

/// 8 groups of 16 members. A search reads the groups one a clock; the members of a group are read by whoever needs
/// them. The rows are cleared one by one after reset.
///
/// A group is known by its MGID and its LID, over Ethernet by its MGID alone; its MAC address follows from the MGID
/// (`protocol/ud.md` section 4).
#[derive(LogicBlock, SmartDefault)]
pub struct GroupTable {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High once the rows are cleared.
    pub ready: Signal<Out, Bit>,

    /// High for one cycle when a search starts. `mgid`, `mlid`, `mac` and `port` stay the same until `done`.
    pub start: Signal<In, Bit>,
    /// MGID to search for.
    pub mgid: Signal<In, Bits<128>>,
    /// LID to search for; 0 over Ethernet.
    pub mlid: Signal<In, Bits<16>>,
    /// MAC address to search for: its low 32 bits, and in bit 32 high for one of IPv6.
    pub mac: Signal<In, Bits<33>>,
    /// High to search among the groups of port 2, low for those of port 1.
    pub port: Signal<In, Bit>,
    /// High for one cycle when the search is done.
    pub done: Signal<Out, Bit>,
    /// What the latest search found, from `done` until another search starts.
    pub outcome: Signal<Out, GroupMatch>,

    /// Place to read: group in bits 6:4, place in it in bits 3:0.
    pub member_address: Signal<In, Bits<7>>,
    /// Row of that place, one clock after its address.
    pub member: Signal<Out, MemberRow>,

    /// High for one cycle when `new_group` becomes row `group_index`.
    pub writes_group: Signal<In, Bit>,
    /// With `writes_group`: row to write.
    pub group_index: Signal<In, Bits<3>>,
    /// With `writes_group`: its new content.
    pub new_group: Signal<In, GroupRow>,
    /// High for one cycle when `new_member` becomes row `member_index`.
    pub writes_member: Signal<In, Bit>,
    /// With `writes_member`: row to write: group in bits 6:4, place in it in bits 3:0.
    pub member_index: Signal<In, Bits<7>>,
    /// With `writes_member`: its new content.
    pub new_member: Signal<In, MemberRow>,

    groups: BlockRam<GroupRow, 3>,
    members: BlockRam<MemberRow, 7>,
    #[default(Register::new(true))]
    clears: Register<Bit>,
    cleared: Register<Bits<7>>,
    /// High while groups are read.
    reads: Register<Bit>,
    at: Register<Bits<3>>,
    has_read: Register<Bit>,
    read_index: Register<Bits<3>>,
    compared: Register<Bit>,
    compared_index: Register<Bits<3>>,
    /// Comparisons of the MGID by 16 bits.
    agrees: Register<Bits<8>>,
    same_lid: Register<Bit>,
    same_mac: Register<Bit>,
    same_port: Register<Bit>,
    exists: Register<Bit>,
    ends: Register<Bit>,
    result: Register<GroupMatch>,

    row: Signal<Local, GroupRow>,
    group_mac: Signal<Local, Bits<33>>,
    kind: GidKind,
    #[default(Constant::new(GroupMatch::default()))]
    nothing: Constant<GroupMatch>,
    #[default(Constant::new(GroupRow::default()))]
    no_group: Constant<GroupRow>,
    #[default(Constant::new(MemberRow::default()))]
    no_member: Constant<MemberRow>,
}

#[kernel]
impl Logic for GroupTable {
    fn update(&mut self) {
        clock!(self, clock, groups, members);
        self.ready.next = !self.clears.q.val();

        // Search: read, compare, collect.
        self.groups.read_address.next = self.at.q.val();
        self.has_read.d.next = self.reads.q.val();
        self.read_index.d.next = self.at.q.val();
        if self.reads.q.val() {
            self.at.d.next = self.at.q.val() + 1;
            self.reads.d.next = !self.at.q.val().all();
        }
        if self.start.val() {
            self.at.d.next = bits::<3>(0);
            self.reads.d.next = true;
            self.result.d.next = self.nothing.val();
        }
        self.row.next = self.groups.read_data.val();
        self.compared.d.next = self.has_read.q.val();
        self.compared_index.d.next = self.read_index.q.val();
        self.exists.d.next = self.row.val().exists;
        self.same_port.d.next = self.row.val().port == self.port.val();
        self.same_lid.d.next = self.row.val().mlid == self.mlid.val();
        self.agrees.d.next = bit_cast::<8, 1>(
            (self.row.val().mgid.get_bits::<16>(0) == self.mgid.val().get_bits::<16>(0)).into(),
        ) | (bit_cast::<8, 1>(
            (self.row.val().mgid.get_bits::<16>(16) == self.mgid.val().get_bits::<16>(16)).into(),
        ) << 1)
            | (bit_cast::<8, 1>(
                (self.row.val().mgid.get_bits::<16>(32) == self.mgid.val().get_bits::<16>(32)).into(),
            ) << 2)
            | (bit_cast::<8, 1>(
                (self.row.val().mgid.get_bits::<16>(48) == self.mgid.val().get_bits::<16>(48)).into(),
            ) << 3)
            | (bit_cast::<8, 1>(
                (self.row.val().mgid.get_bits::<16>(64) == self.mgid.val().get_bits::<16>(64)).into(),
            ) << 4)
            | (bit_cast::<8, 1>(
                (self.row.val().mgid.get_bits::<16>(80) == self.mgid.val().get_bits::<16>(80)).into(),
            ) << 5)
            | (bit_cast::<8, 1>(
                (self.row.val().mgid.get_bits::<16>(96) == self.mgid.val().get_bits::<16>(96)).into(),
            ) << 6)
            | (bit_cast::<8, 1>(
                (self.row.val().mgid.get_bits::<16>(112) == self.mgid.val().get_bits::<16>(112)).into(),
            ) << 7);
        // 01-00-5E and the low 23 bits of an IPv4 address, or 33-33 and the low 32 of one of IPv6.
        self.kind.gid.next = self.row.val().mgid;
        self.group_mac.next =
            bit_cast::<33, 32>(self.row.val().mgid.get_bits::<32>(0)) | (bits::<33>(1) << 32);
        if self.kind.ipv4.val() {
            self.group_mac.next =
                bit_cast::<33, 23>(self.row.val().mgid.get_bits::<23>(0)) | (bits::<33>(0x5E) << 24);
        }
        self.same_mac.d.next = self.group_mac.val() == self.mac.val();
        if self.compared.q.val() {
            if self.exists.q.val() {
                if self.agrees.q.val().all() && self.same_lid.q.val() && self.same_port.q.val() {
                    self.result.d.next.found = true;
                    self.result.d.next.index = self.compared_index.q.val();
                }
                if self.agrees.q.val().all() && !self.same_lid.q.val() && self.same_port.q.val() {
                    self.result.d.next.elsewhere = true;
                }
                if self.same_mac.q.val() && self.same_port.q.val() {
                    self.result.d.next.mapped = true;
                }
            } else {
                self.result.d.next.room = true;
                self.result.d.next.free = self.compared_index.q.val();
            }
        }
        self.ends.d.next = self.compared.q.val() && self.compared_index.q.val().all();
        self.done.next = self.ends.q.val();
        self.outcome.next = self.result.q.val();

        self.members.read_address.next = self.member_address.val();
        self.member.next = self.members.read_data.val();

        // Writes.
        inputs!(self.groups, write_enable: writes_group, write_address: group_index, write_data: new_group);
        inputs!(self.members, write_enable: writes_member, write_address: member_index);
        self.members.write_data.next = self.new_member.val();
        if self.clears.q.val() {
            self.groups.write_enable.next = true;
            self.groups.write_address.next = self.cleared.q.val().get_bits::<3>(0);
            self.groups.write_data.next = self.no_group.val();
            self.members.write_enable.next = true;
            inputs!(self.members, write_address: cleared.q, write_data: no_member);
            self.cleared.d.next = self.cleared.q.val() + 1;
            self.clears.d.next = !self.cleared.q.val().all();
        }
        if self.reset.val() {
            self.clears.d.next = true;
            clear!(self, cleared, reads, has_read, compared, ends);
        }
    }
}
