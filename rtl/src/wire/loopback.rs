//! Feeds copies of the port's own multicast packets into its receive side.
use crate::bundle::CopiedBeatSink;
use hca_hdl::prelude::*;

/// Passes the stream of the link on. Between two of its packets it inserts the copy of a packet that has been handed to
/// the link (`protocol/ud.md` section 4.3), once the copy is complete; so neither direction of the link waits for the
/// other.
///
/// There is room for one copy; no other may come before it has been passed on. `W`: stream bits; `K` = `W` / 8; 2^`A`
/// beats hold the largest packet.
#[derive(LogicBlock, SmartDefault)]
pub struct Loopback<const W: usize, const K: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The stream of the link.
    pub s_axis: StreamSink<W, K>,
    /// The stream to the link's checks: packets of the link, and copies between them.
    pub m_axis: StreamSource<W, K>,
    /// High with the beats of a copy.
    pub own: Signal<Out, Bit>,

    /// Beats of the port's own multicast datagrams.
    pub copy: CopiedBeatSink<W, K>,

    beats: BlockFifo<Bits<W>, A>,
    // The beat that comes, a clock late.
    comes: Register<Bit>,
    data: Register<Bits<W>>,
    keep: Register<Bits<K>>,
    last: Register<Bit>,
    /// Byte enables of the last beat.
    last_keep: Register<Bits<K>>,
    /// Number of beats of the copy that are stored here.
    left: Register<Bits<A>>,
    /// High if all beats of the copy are stored here.
    whole: Register<Bit>,
    /// High while a packet of the link has begun and not ended.
    inside: Register<Bit>,
    /// High while the copy is passed on.
    turn: Register<Bit>,
    goes_on: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize, const K: usize, const A: usize> Logic for Loopback<W, K, A> {
    fn update(&mut self) {
        clock!(self, clock, beats);
        self.beats.reset.next = self.reset.val();

        self.comes.d.next = self.copy.valid.val();
        self.data.d.next = self.copy.data.val();
        self.keep.d.next = self.copy.keep.val();
        self.last.d.next = self.copy.last.val();
        inputs!(self.beats.write, valid: comes.q, item: data.q);
        self.ends.next = self.left.q.val() == 1;
        self.leaves.next = self.turn.q.val() && self.beats.read.valid.val() && self.m_axis.tready.val();
        self.beats.read.ready.next = self.turn.q.val() && self.m_axis.tready.val();
        if self.comes.q.val() {
            self.left.d.next = self.left.q.val() + 1;
            if self.last.q.val() {
                self.last_keep.d.next = self.keep.q.val();
                self.whole.d.next = true;
            }
        }
        if self.leaves.val() {
            self.left.d.next = self.left.q.val() - 1;
            if self.ends.val() {
                self.whole.d.next = false;
            }
        }

        inputs!(self.m_axis, tvalid: s_axis.tvalid, tdata: s_axis.tdata, tkeep: s_axis.tkeep);
        self.m_axis.tlast.next = self.s_axis.tlast.val();
        self.s_axis.tready.next = self.m_axis.tready.val() && !self.turn.q.val();
        if self.turn.q.val() {
            self.m_axis.tvalid.next = self.beats.read.valid.val();
            inputs!(self.m_axis, tdata: beats.read.item, tkeep: last_keep.q, tlast: ends);
        }
        self.own.next = self.turn.q.val();

        self.goes_on.next = self.inside.q.val();
        if self.s_axis.tvalid.val() && self.m_axis.tready.val() && !self.turn.q.val() {
            self.goes_on.next = !self.s_axis.tlast.val();
        }
        self.inside.d.next = self.goes_on.val();
        if self.turn.q.val() {
            self.turn.d.next = !(self.leaves.val() && self.ends.val());
        } else {
            self.turn.d.next = self.whole.q.val() && !self.goes_on.val();
        }
        if self.reset.val() {
            clear!(self, comes, left, whole, inside, turn);
        }
    }
}
