//! The packets of a data VL that wait for the link, and its credits.
use super::SendRule;
use hca_hdl::prelude::*;

/// Says whether the oldest packet of a data VL may start (`protocol/link.md` section 5). The bytes of the packets are
/// in [`super::LaneStore`].
///
/// A packet is judged two clocks after it has become the oldest, and again in each later clock. Every packet that waits
/// is to be discarded once the port ceases to send data, or once the VL ceases to be operational, so that none of them
/// counts after the next Init.
#[derive(LogicBlock, SmartDefault)]
pub struct VlQueue {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while packets need credits. While it is low the oldest packet may start, and no block is counted.
    pub flow_control: Signal<In, Bit>,
    /// High for one cycle when the port enters Init: the VL has no credits until the first limit for it comes.
    pub init: Signal<In, Bit>,
    /// High while packets of this VL are sent: the port sends data, and the VL is operational.
    pub sends: Signal<In, Bit>,

    /// High for one cycle when a flow-control packet of this VL is taken.
    pub limit_valid: Signal<In, Bit>,
    /// With `limit_valid`: FCCL of that packet: blocks that may be sent since Init, modulo 4096.
    pub limit: Signal<In, Bits<12>>,

    /// High for one cycle when a packet joins.
    pub joins: Signal<In, Bit>,
    /// With `joins`: blocks of 64 bytes of the packet.
    pub blocks: Signal<In, Bits<7>>,
    /// With `joins`: high if the packet needs no credits, because none were needed when it departed.
    pub exempt: Signal<In, Bit>,
    /// High while one more packet may join.
    pub room: Signal<Out, Bit>,
    /// High while no packet waits.
    pub empty: Signal<Out, Bit>,

    /// High while the oldest packet may start.
    pub ready: Signal<Out, Bit>,
    /// High while the oldest packet is to be discarded.
    pub gives_up: Signal<Out, Bit>,
    /// High while the oldest packet waits for credits.
    pub waits: Signal<Out, Bit>,
    /// Blocks of the oldest packet, at most 66.
    pub size: Signal<Out, Bits<11>>,
    /// High for one cycle when the oldest packet starts or is discarded.
    pub starts: Signal<In, Bit>,
    /// FCTBS: blocks of the packets that have started since Init, modulo 4096.
    pub sent: Signal<Out, Bits<12>>,

    /// Exempt 7 | blocks 6:0.
    sizes: Fifo<Bits<8>, 7>,
    rule: SendRule,
    front_valid: Register<Bit>,
    front: Register<Bits<8>>,
    judged: Register<Bit>,
    allowed: Register<Bit>,
    /// High once a limit has come.
    known: Register<Bit>,
    last_limit: Register<Bits<12>>,
    total: Register<Bits<12>>,
    /// Number of packets that wait.
    count: Register<Bits<8>>,
    /// Number of the oldest packets that are to be discarded.
    stale: Register<Bits<8>>,
    /// Number of the oldest packets that have waited while no credits were needed: they need none.
    free: Register<Bits<8>>,
    /// `count` in the next clock.
    remain: Signal<Local, Bits<8>>,
    clears: Signal<Local, Bit>,
    needs: Signal<Local, Bit>,
    is_stale: Signal<Local, Bit>,
    #[default(constant(1))]
    one: Constant<Bits<8>>,
}

#[kernel]
impl Logic for VlQueue {
    fn update(&mut self) {
        clock!(self, clock, sizes);
        self.sizes.reset.next = self.reset.val();
        self.clears.next = self.init.val() || !self.flow_control.val();

        self.sizes.write.valid.next = self.joins.val();
        self.sizes.write.item.next =
            (bit_cast::<8, 1>(self.exempt.val().into()) << 7) | bit_cast::<8, 7>(self.blocks.val());
        self.room.next = self.sizes.write.ready.val();
        self.sizes.read.ready.next = self.starts.val() || !self.front_valid.q.val();
        if self.starts.val() || !self.front_valid.q.val() {
            self.front_valid.d.next = self.sizes.read.valid.val();
            self.front.d.next = self.sizes.read.item.val();
        }

        // Counts the packets that wait, and those among them that take no credits.
        self.remain.next = self.count.q.val();
        if self.joins.val() && !self.starts.val() {
            self.remain.next = self.count.q.val() + self.one.val();
        }
        if self.starts.val() && !self.joins.val() {
            self.remain.next = self.count.q.val() - self.one.val();
        }
        self.count.d.next = self.remain.val();
        if self.starts.val() && self.stale.q.val().any() {
            self.stale.d.next = self.stale.q.val() - self.one.val();
        }
        if self.flow_control.val() && !self.sends.val() {
            self.stale.d.next = self.remain.val();
        }
        if self.starts.val() && self.free.q.val().any() {
            self.free.d.next = self.free.q.val() - self.one.val();
        }
        if !self.flow_control.val() {
            self.free.d.next = self.remain.val();
        }
        self.empty.next = !self.count.q.val().any();
        self.is_stale.next = self.stale.q.val().any();
        self.needs.next =
            self.flow_control.val() && !self.front.q.val().get_bit(7) && !self.free.q.val().any();

        inputs!(self.rule, limit: last_limit.q, sent: total.q);
        self.rule.blocks.next = bit_cast::<12, 7>(self.front.q.val().get_bits::<7>(0));
        self.allowed.d.next = self.known.q.val() && self.rule.allowed.val();
        self.judged.d.next = self.front_valid.q.val() && !self.starts.val() && !self.clears.val();
        self.ready.next = !self.is_stale.val()
            && ((self.front_valid.q.val() && !self.needs.val())
                || (self.judged.q.val() && self.allowed.q.val() && !self.init.val()));
        self.gives_up.next = self.front_valid.q.val() && self.is_stale.val();
        self.waits.next =
            self.judged.q.val() && self.needs.val() && !self.allowed.q.val() && !self.is_stale.val();
        self.size.next = bit_cast::<11, 7>(self.front.q.val().get_bits::<7>(0));

        if self.limit_valid.val() {
            self.known.d.next = true;
            self.last_limit.d.next = self.limit.val();
        }
        if self.starts.val() && self.needs.val() && !self.is_stale.val() {
            self.total.d.next = self.total.q.val() + bit_cast::<12, 7>(self.front.q.val().get_bits::<7>(0));
        }
        if self.clears.val() || self.reset.val() {
            clear!(self, known, total);
        }
        self.sent.next = self.total.q.val();
        if self.reset.val() {
            clear!(self, front_valid, judged, count, stale, free);
        }
    }
}
