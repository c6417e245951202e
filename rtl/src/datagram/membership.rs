//! Attaches queue pairs to multicast groups, and detaches them.
use super::{GroupMatch, GroupRow, MemberRow};
use hca_hdl::prelude::*;

record! {
    /// Facts about queue pair and group of a command.
    pub struct GroupFacts {
        /// High if the MGID is that of a group with another LID.
        pub elsewhere: Bit,
        /// High if there is no room for the group, or for one more member of it.
        pub full: Bit,
        /// High if the queue pair is a member of the group.
        pub is_member: Bit,
    }
}

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum MembershipState {
    Idle,
    /// The group is searched.
    Search,
    /// Its members are read.
    Scan,
}

/// Finds a queue pair in a group, and then attaches or detaches it. No other block changes the table, or reads it,
/// meanwhile.
#[derive(LogicBlock, SmartDefault)]
pub struct Membership {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle to find out about queue pair and group. Both stay the same until the command ends.
    pub search: Signal<In, Bit>,
    /// QPN of the queue pair.
    pub qpn: Signal<In, Bits<24>>,
    /// MGID of the group.
    pub mgid: Signal<In, Bits<128>>,
    /// LID of the group; 0 over Ethernet.
    pub mlid: Signal<In, Bits<16>>,
    /// High if the group is one of port 2.
    pub port: Signal<In, Bit>,
    /// High for one cycle when `facts` is known.
    pub searched: Signal<Out, Bit>,
    /// What the search has found.
    pub facts: Signal<Out, GroupFacts>,
    /// High for one cycle, after `searched`, to attach the queue pair unless it is a member.
    pub attaches: Signal<In, Bit>,
    /// High for one cycle, after `searched`, to detach the queue pair.
    pub detaches: Signal<In, Bit>,

    /// High for one cycle when a search among the groups starts.
    pub start: Signal<Out, Bit>,
    /// High for one cycle when that search is done.
    pub done: Signal<In, Bit>,
    /// Result of that search.
    pub found: Signal<In, GroupMatch>,
    /// Place to read: group in bits 6:4, place in it in bits 3:0.
    pub member_address: Signal<Out, Bits<7>>,
    /// Row of that place, one clock after its address.
    pub member: Signal<In, MemberRow>,
    /// High for one cycle when `new_group` becomes row `group_index`.
    pub writes_group: Signal<Out, Bit>,
    /// With `writes_group`: row to write.
    pub group_index: Signal<Out, Bits<3>>,
    /// With `writes_group`: its new content.
    pub new_group: Signal<Out, GroupRow>,
    /// High for one cycle when `new_member` becomes row `member_index`.
    pub writes_member: Signal<Out, Bit>,
    /// With `writes_member`: row to write: group in bits 6:4, place in it in bits 3:0.
    pub member_index: Signal<Out, Bits<7>>,
    /// With `writes_member`: its new content.
    pub new_member: Signal<Out, MemberRow>,

    #[default(Register::new(MembershipState::Idle))]
    state: Register<MembershipState>,
    /// Next place to be read.
    at: Register<Bits<4>>,
    /// High in the clock in which `member` is the row of place `read_at`.
    has_read: Register<Bit>,
    /// Place whose row was addressed a clock ago.
    read_at: Register<Bits<4>>,
    ends: Register<Bit>,
    is_member: Register<Bit>,
    /// Place of the queue pair.
    own_place: Register<Bits<4>>,
    has_room: Register<Bit>,
    free_place: Register<Bits<4>>,
    /// High if the group has another member.
    others: Register<Bit>,
    group: Signal<Local, Bits<3>>,
    place: Signal<Local, Bits<4>>,
    is_own: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Membership {
    fn update(&mut self) {
        self.start.next = false;
        self.has_read.d.next = false;
        self.read_at.d.next = self.at.q.val();
        self.ends.d.next = false;
        match self.state.q.val() {
            MembershipState::Idle => {
                if self.search.val() {
                    self.start.next = true;
                    self.is_member.d.next = false;
                    self.has_room.d.next = false;
                    self.others.d.next = false;
                    self.at.d.next = bits::<4>(0);
                    self.state.d.next = MembershipState::Search;
                }
            }
            MembershipState::Search => {
                if self.done.val() {
                    self.state.d.next = MembershipState::Scan;
                    if !self.found.val().found {
                        // A new group has room in its first place.
                        self.has_room.d.next = self.found.val().room;
                        self.free_place.d.next = bits::<4>(0);
                        self.ends.d.next = true;
                        self.state.d.next = MembershipState::Idle;
                    }
                }
            }
            MembershipState::Scan => {
                self.has_read.d.next = true;
                self.at.d.next = self.at.q.val() + 1;
                if self.has_read.q.val() && self.read_at.q.val().all() {
                    self.has_read.d.next = false;
                    self.ends.d.next = true;
                    self.state.d.next = MembershipState::Idle;
                }
            }
        }
        self.is_own.next = self.member.val().qpn == self.qpn.val();
        if self.has_read.q.val() {
            if !self.member.val().exists {
                self.has_room.d.next = true;
                self.free_place.d.next = self.read_at.q.val();
            } else if self.is_own.val() {
                self.is_member.d.next = true;
                self.own_place.d.next = self.read_at.q.val();
            } else {
                self.others.d.next = true;
            }
        }
        self.searched.next = self.ends.q.val();
        self.facts.next.elsewhere = self.found.val().elsewhere;
        self.facts.next.full = !self.has_room.q.val();
        self.facts.next.is_member = self.is_member.q.val();

        self.group.next = self.found.val().free;
        if self.found.val().found {
            self.group.next = self.found.val().index;
        }
        self.place.next = self.free_place.q.val();
        if self.is_member.q.val() {
            self.place.next = self.own_place.q.val();
        }
        self.member_address.next =
            (bit_cast::<7, 3>(self.group.val()) << 4) | bit_cast::<7, 4>(self.at.q.val());
        // A group exists from its first attach to its last detach (`ud.md` section 4.1).
        self.writes_group.next =
            (self.attaches.val() && !self.found.val().found) || (self.detaches.val() && !self.others.q.val());
        self.group_index.next = self.group.val();
        self.new_group.next.exists = self.attaches.val();
        self.new_group.next.mlid = self.mlid.val();
        self.new_group.next.mgid = self.mgid.val();
        self.new_group.next.port = self.port.val();
        self.writes_member.next = self.attaches.val() || self.detaches.val();
        self.member_index.next =
            (bit_cast::<7, 3>(self.group.val()) << 4) | bit_cast::<7, 4>(self.place.val());
        self.new_member.next.exists = self.attaches.val();
        self.new_member.next.qpn = self.qpn.val();
        if self.reset.val() {
            self.state.d.next = MembershipState::Idle;
            clear!(self, has_read, ends);
        }
    }
}
