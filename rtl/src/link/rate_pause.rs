//! The pauses behind packets that are paced.
use hca_hdl::prelude::*;

/// Measures the packets of a port that have a mark, and says when the pause behind each is over: IPD times as many
/// clocks as the packet had beats, from its last beat on (`protocol/link.md` section 7).
///
/// While a pause lasts, the marks are looked at in turn, so that it may be 8 clocks longer. It lasts 2047 clocks at
/// most: the largest packet has 524 beats at an IPD of 3, 132 at 15, or 66 at 31.
#[derive(LogicBlock, SmartDefault)]
pub struct RatePause {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when a packet that has a mark, or none, begins to be built.
    pub builds: Signal<In, Bit>,
    /// With `builds`: its mark, or 0.
    pub built_mark: Signal<In, Bits<3>>,
    /// With `builds`: IPD of its source.
    pub delay: Signal<In, Bits<6>>,
    /// High for one cycle when a packet starts, with its first beat or before it.
    pub starts: Signal<In, Bit>,
    /// With `starts`: its mark, or 0.
    pub mark: Signal<In, Bits<3>>,
    /// High for one cycle for each beat of packets that leaves.
    pub beat: Signal<In, Bit>,
    /// With `beat`: high if it is the last of its packet.
    pub last: Signal<In, Bit>,
    /// For one cycle the mark whose pause is over, else 0.
    pub over: Signal<Out, Bits<3>>,

    /// IPD of each mark.
    delays: LutRam<Bits<6>, 3>,
    /// Time at which the pause of each mark ends.
    ends: LutRam<Bits<12>, 3>,
    /// Bit `n`: high during the pause of mark `n`.
    pausing: Register<Bits<8>>,
    current: Register<Bits<3>>,
    /// IPD times the beats so far of the packet under way.
    sum: Register<Bits<12>>,
    /// High for one cycle, the one after a last beat.
    ended: Register<Bit>,
    /// Clocks with a pause.
    time: Register<Bits<12>>,
    /// The mark that is looked at.
    turn: Register<Bits<3>>,
    now: Signal<Local, Bits<3>>,
    before: Signal<Local, Bits<12>>,
    enters: Signal<Local, Bits<8>>,
    leaves: Signal<Local, Bits<8>>,
    since: Signal<Local, Bits<12>>,
    #[default(constant(1))]
    one: Constant<Bits<8>>,
}

#[kernel]
impl Logic for RatePause {
    fn update(&mut self) {
        clock!(self, clock, delays, ends);
        inputs!(self.delays, write_enable: builds, write_address: built_mark, write_data: delay);

        self.now.next = self.current.q.val();
        self.before.next = self.sum.q.val();
        if self.starts.val() {
            self.now.next = self.mark.val();
            self.before.next = bits::<12>(0);
        }
        self.current.d.next = self.now.val();
        inputs!(self.delays, read_address_a: now, read_address_b: now);
        self.sum.d.next = self.before.val();
        if self.beat.val() {
            self.sum.d.next = self.before.val() + bit_cast::<12, 6>(self.delays.read_data_a.val());
        }
        self.ended.d.next = self.beat.val() && self.last.val() && self.now.val().any();

        if self.pausing.q.val().any() || self.ended.q.val() {
            self.time.d.next = self.time.q.val() + 1;
            self.turn.d.next = self.turn.q.val() + 1;
        }
        inputs!(self.ends, write_enable: ended.q, write_address: current.q);
        self.ends.write_data.next = self.time.q.val() + self.sum.q.val();
        self.enters.next = bits::<8>(0);
        if self.ended.q.val() {
            self.enters.next = self.one.val() << self.current.q.val();
        }
        inputs!(self.ends, read_address_a: turn.q, read_address_b: turn.q);
        self.since.next = self.time.q.val() - self.ends.read_data_a.val();
        self.over.next = bits::<3>(0);
        self.leaves.next = bits::<8>(0);
        if self.pausing.q.val().get_bit(self.turn.q.val().index()) && !self.since.val().get_bit(11) {
            self.over.next = self.turn.q.val();
            self.leaves.next = self.one.val() << self.turn.q.val();
        }
        self.pausing.d.next = (self.pausing.q.val() & !self.leaves.val()) | self.enters.val();
        if self.reset.val() {
            clear!(self, pausing, ended, time, turn);
        }
    }
}
