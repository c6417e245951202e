//! Makes copies of multicast packets, one for each member of the group.
use super::PassageMark;
use crate::bundle::{HeaderSink, HeaderSource};
use crate::datagram::{GidKind, GroupMatch, MemberRow};
use crate::drop_reasons::DropReasons;
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum ReplicatorState {
    /// Packets pass that are not addressed to a group.
    Pass,
    /// The group is searched.
    Search,
    /// The search is done; the packet is judged.
    Judge,
    /// Its members are read, up to the one behind the next that gets a copy.
    Scan,
    /// A copy is offered.
    Offer,
    /// The packet is offered as one to be dropped.
    Refuse,
}

/// Hands headers on, a packet for a group once for each member, with the member's QPN as its destination. The checks of
/// `protocol/ud.md` section 4 are made here, steps 6 to 15 for each copy by those that take it.
///
/// A packet that is not addressed to a group passes without delay. An own packet is the copy of one that the port has
/// sent (section 4.3): its sender gets none, and it is not reported where a packet of the link would be dropped.
/// One of `IB` and `ROCE` is 1.
#[derive(LogicBlock, SmartDefault)]
pub struct Replicator<const IB: usize, const ROCE: usize> {
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
    /// What admission has to know beside `passed`, in the same cycle.
    pub mark: Signal<Out, PassageMark>,

    /// High while no packet for a group may begin.
    pub hold: Signal<In, Bit>,
    /// High if no packet for a group is under way here, or on its way to its decisions.
    pub still: Signal<Out, Bit>,
    /// High for one cycle when one of the packets that were offered for a group is decided.
    pub decided: Signal<In, Bit>,
    /// High for one cycle when the group of an own packet has been looked up.
    pub own_done: Signal<Out, Bit>,

    /// High once the rows of the table are cleared.
    pub ready: Signal<In, Bit>,
    /// High for one cycle when a search among the groups starts.
    pub start: Signal<Out, Bit>,
    /// MGID to search for.
    pub mgid: Signal<Out, Bits<128>>,
    /// LID to search for; 0 over Ethernet.
    pub mlid: Signal<Out, Bits<16>>,
    /// MAC address to search for: its low 32 bits, and in bit 32 high for one of IPv6.
    pub mac: Signal<Out, Bits<33>>,
    /// High for one cycle when the search is done.
    pub done: Signal<In, Bit>,
    /// What the search has found.
    pub found: Signal<In, GroupMatch>,
    /// Place to read: group in bits 6:4, place in it in bits 3:0.
    pub member_address: Signal<Out, Bits<7>>,
    /// Row of that place, one clock after its address.
    pub member: Signal<In, MemberRow>,

    #[default(Register::new(ReplicatorState::Pass))]
    state: Register<ReplicatorState>,
    /// High if the address is that of a group, from the clock after the header comes.
    complete: Register<Bit>,
    /// All bits are high if the source is the port, from the clock after the header comes.
    from_here: Register<Bits<3>>,
    lid_mask: Register<Bits<16>>,
    reason: Register<Bits<8>>,
    at: Register<Bits<4>>,
    /// High in the clock in which `member` is the row of place `read_at`.
    has_read: Register<Bit>,
    /// Place whose row was addressed a clock ago.
    read_at: Register<Bits<4>>,
    /// The member that gets the next copy.
    pending: Register<Bits<24>>,
    has_pending: Register<Bit>,
    /// High if that member gets the last copy.
    is_last: Register<Bit>,
    /// Number of own packets that had a member, modulo 2^31.
    own_packets: Register<Bits<31>>,
    /// Packets for a group that were offered and are not decided.
    undecided: Register<Bits<6>>,

    judged: Signal<Local, Bits<8>>,
    goes: Signal<Local, Bit>,
    eligible: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    refuses: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    kind: GidKind,
    #[default(Constant::new(PassageMark::default()))]
    nothing: Constant<PassageMark>,
    why: DropReasons,
}

#[kernel]
impl<const IB: usize, const ROCE: usize> Logic for Replicator<IB, ROCE> {
    fn update(&mut self) {
        self.lid_mask.d.next = bits::<16>(0xFFFF) << self.port_lmc.val();
        self.mgid.next = self.header.item.val().dgid;
        self.mlid.next = self.header.item.val().dlid;
        self.mac.next = self.header.item.val().dest_mac;

        // The address is complete, and the source is the port.
        self.kind.gid.next = self.header.item.val().dgid;
        for _i in 0..IB {
            self.complete.d.next = self.header.item.val().dest_qp.all()
                && self.header.item.val().has_grh
                && self.kind.group.val()
                && (self.header.item.val().dlid.get_bits::<2>(14) == 3)
                && !self.header.item.val().dlid.all();
            self.from_here.d.next = bit_cast::<3, 1>(
                ((self.header.item.val().slid & self.lid_mask.q.val()) == self.port_lid.val()).into(),
            ) | bits::<3>(6);
        }
        for _i in 0..ROCE {
            self.complete.d.next = self.header.item.val().dest_qp.all()
                && self.header.item.val().group_mac
                && self.kind.roce_group.val();
            self.from_here.d.next =
                bit_cast::<3, 1>((self.header.item.val().source_mac == self.port_mac.val()).into())
                    | (bit_cast::<3, 1>(
                        (self.header.item.val().sgid.get_bits::<64>(0)
                            == self.port_gid.val().get_bits::<64>(0))
                        .into(),
                    ) << 1)
                    | (bit_cast::<3, 1>(
                        (self.header.item.val().sgid.get_bits::<64>(64)
                            == self.port_gid.val().get_bits::<64>(64))
                        .into(),
                    ) << 2);
        }

        // The first check that fails; 0 if none does.
        self.judged.next = bits::<8>(0);
        if self.header.item.val().group_mac && !self.found.val().mapped {
            // A group without members is a foreign MAC address.
            self.judged.next = self.why.dlid.val();
        } else if !self.complete.q.val() {
            self.judged.next = self.why.multicast_address.val();
        } else if self.from_here.q.val().all() && !self.header.item.val().own {
            // Section 4.3.
            self.judged.next = self.why.self_multicast.val();
        } else if !self.found.val().found {
            self.judged.next = self.why.multicast_address.val();
        } else if self.header.item.val().opcode.get_bits::<3>(5) != 3 {
            self.judged.next = self.why.opcode.val();
        }

        self.eligible.next = self.has_read.q.val()
            && self.member.val().exists
            && !(self.header.item.val().own && (self.member.val().qpn == self.header.item.val().source_qp));
        self.member_address.next =
            (bit_cast::<7, 3>(self.found.val().index) << 4) | bit_cast::<7, 4>(self.at.q.val());
        self.goes.next = self.header.valid.val()
            && self.header.item.val().for_group
            && self.ready.val()
            && !self.hold.val();
        self.offers.next = false;
        self.refuses.next = false;
        self.start.next = false;
        self.own_done.next = false;
        self.has_read.d.next = false;
        self.read_at.d.next = self.at.q.val();
        self.header.ready.next = false;
        self.passed.valid.next = false;
        match self.state.q.val() {
            ReplicatorState::Pass => {
                self.passed.valid.next = self.header.valid.val() && !self.header.item.val().for_group;
                self.header.ready.next = self.passed.ready.val() && !self.header.item.val().for_group;
                if self.goes.val() {
                    self.start.next = true;
                    self.state.d.next = ReplicatorState::Search;
                }
            }
            ReplicatorState::Search => {
                self.at.d.next = bits::<4>(0);
                self.has_pending.d.next = false;
                self.is_last.d.next = false;
                if self.done.val() {
                    self.state.d.next = ReplicatorState::Judge;
                }
            }
            ReplicatorState::Judge => {
                self.own_done.next = self.header.item.val().own;
                self.reason.d.next = self.judged.val();
                self.state.d.next = ReplicatorState::Scan;
                if self.judged.val().any() {
                    self.state.d.next = ReplicatorState::Refuse;
                    if self.header.item.val().own {
                        self.reason.d.next = bits::<8>(0);
                    }
                }
            }
            ReplicatorState::Scan => {
                self.has_read.d.next = true;
                self.at.d.next = self.at.q.val() + 1;
                if self.eligible.val() && self.has_pending.q.val() {
                    // This member is read again after the copy for the one before it.
                    self.has_read.d.next = false;
                    self.at.d.next = self.read_at.q.val();
                    self.state.d.next = ReplicatorState::Offer;
                } else {
                    if self.eligible.val() {
                        self.pending.d.next = self.member.val().qpn;
                        self.has_pending.d.next = true;
                    }
                    if self.has_read.q.val() && self.read_at.q.val().all() {
                        self.has_read.d.next = false;
                        self.is_last.d.next = true;
                        self.state.d.next = ReplicatorState::Offer;
                        if !self.eligible.val() && !self.has_pending.q.val() {
                            // The group has no member but the sender of an own packet.
                            self.state.d.next = ReplicatorState::Refuse;
                        }
                    }
                }
            }
            ReplicatorState::Offer => {
                self.offers.next = true;
                self.passed.valid.next = true;
                self.header.ready.next = self.passed.ready.val() && self.is_last.q.val();
                if self.passed.ready.val() {
                    self.has_pending.d.next = false;
                    self.state.d.next = ReplicatorState::Scan;
                    if self.is_last.q.val() {
                        self.state.d.next = ReplicatorState::Pass;
                        if self.header.item.val().own {
                            self.own_packets.d.next = self.own_packets.q.val() + 1;
                        }
                    }
                }
            }
            ReplicatorState::Refuse => {
                self.refuses.next = true;
                self.passed.valid.next = true;
                self.header.ready.next = self.passed.ready.val();
                if self.passed.ready.val() {
                    self.state.d.next = ReplicatorState::Pass;
                }
            }
        }

        inputs!(self.passed, item: header.item, next_dest_qp: header.next_dest_qp);
        self.mark.next = self.nothing.val();
        if self.offers.val() {
            self.passed.item.next.dest_qp = self.pending.q.val();
            self.passed.next_dest_qp.next = self.pending.q.val();
            self.mark.next.copy = true;
            self.mark.next.keeps = !self.is_last.q.val();
        }
        if self.header.item.val().own {
            self.passed.item.next.packet =
                bit_cast::<32, 31>(self.own_packets.q.val()) | (bits::<32>(1) << 31);
        }
        if self.refuses.val() {
            self.mark.next.refused = true;
            self.mark.next.reason = self.reason.q.val();
        }
        if self.offers.val() || self.refuses.val() {
            self.mark.next.grouped = true;
        }

        self.taken.next = (self.offers.val() || self.refuses.val()) && self.passed.ready.val();
        if self.taken.val() && !self.decided.val() {
            self.undecided.d.next = self.undecided.q.val() + 1;
        }
        if self.decided.val() && !self.taken.val() {
            self.undecided.d.next = self.undecided.q.val() - 1;
        }
        self.still.next = (self.state.q.val() == ReplicatorState::Pass) && !self.undecided.q.val().any();
        if self.reset.val() {
            self.state.d.next = ReplicatorState::Pass;
            clear!(self, has_read, own_packets, undecided);
        }
    }
}
