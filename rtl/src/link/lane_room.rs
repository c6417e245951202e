//! Room of the queues before the link.
use super::LaneHolds;
use crate::bundle::LaneShareSink;
use hca_hdl::prelude::*;

/// Counts the blocks of 64 bytes that packets take in the queue of their VL, from the clock in which an engine makes
/// them until they start on the link, and says to the engines which VLs have room.
///
/// Until a packet joins the queue it counts as the whole blocks of its payload and three more; then it counts as the
/// blocks that it has. An ack counts only once it has joined. While a VL has room for one packet and not for two,
/// requests and responses are made by turns, so that the two engines never take the same room. `NV`: data VLs, up to 8.
#[derive(LogicBlock, SmartDefault)]
pub struct LaneRoom<const NV: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while packets wait in queues of their VLs.
    pub active: Signal<In, Bit>,
    /// VL of SL `n` at bits `4 * n + 3 : 4 * n`.
    pub sl_to_vl: Signal<In, Bits<64>>,
    /// Number of data VLs that are operational, from VL 0 on.
    pub data_vls: Signal<In, Bits<4>>,
    /// Room for requests, by VL. It counts a request of the requester one cycle later.
    pub request_hold: Signal<Out, LaneHolds>,
    /// Room for responses, by VL. It counts a response of the response engine two cycles later.
    pub response_hold: Signal<Out, LaneHolds>,
    /// Valid for one cycle when a request is made: it takes room on its VL.
    pub request: LaneShareSink,
    /// Valid for one cycle when a response is made: it takes room on its VL.
    pub response: LaneShareSink,
    /// Valid for one cycle when a request ends before it departs: it gives its room back.
    pub request_back: LaneShareSink,
    /// Valid for one cycle when a response ends before it departs: it gives its room back.
    pub response_back: LaneShareSink,
    /// Valid for one cycle when a packet departs that will be built; an ack takes no room. None departs before the last
    /// one has begun to be built.
    pub departs: LaneShareSink,
    /// High for one cycle when the packet that departed last begins to be built.
    pub builds: Signal<In, Bit>,
    /// High for one cycle when a packet joins a queue, one clock after its `builds`.
    pub joins: Signal<In, Bit>,
    /// With `joins`: VL of the packet.
    pub joining_vl: Signal<In, Bits<4>>,
    /// With `joins`: blocks of the packet.
    pub joining_blocks: Signal<In, Bits<7>>,
    /// Bit `n`: high for one cycle when the oldest packet of VL `n` leaves its queue.
    pub leaves: Signal<In, Bits<8>>,
    /// Blocks of the oldest packet of each VL.
    #[default(array_init::array_init(|_| Default::default()))]
    pub sizes: [Signal<In, Bits<11>>; NV],

    /// High while the response engine is busy.
    pub responds: Signal<In, Bit>,

    #[default(array_init::array_init(|_| Default::default()))]
    taken: [Register<Bits<11>>; NV],
    /// Sum that is added to `taken` one cycle later, modulo 2^11.
    #[default(array_init::array_init(|_| Default::default()))]
    change: [Register<Bits<11>>; NV],
    /// `lane` of the packet that departed last.
    departed_lane: Register<Bits<5>>,
    /// Blocks that the packet counts as until it joins its queue.
    departed: Register<Bits<11>>,
    built: Register<Bit>,
    /// Clocks modulo 16; stays at 0 while no response is made.
    phase: Register<Bits<4>>,
    // Bit by bit, for each VL: high if it has no room for a short packet, for a short and a long one, for a long one,
    // for two long ones, for an ack.
    short: Concat<1, 8, 8>,
    short_and_long: Concat<1, 8, 8>,
    long: Concat<1, 8, 8>,
    two_long: Concat<1, 8, 8>,
    ack: Concat<1, 8, 8>,
    #[default(array_init::array_init(|_| Default::default()))]
    made: [Signal<Local, Bits<11>>; NV],
    #[default(array_init::array_init(|_| Default::default()))]
    answered: [Signal<Local, Bits<11>>; NV],
    #[default(array_init::array_init(|_| Default::default()))]
    joined: [Signal<Local, Bits<11>>; NV],
    #[default(array_init::array_init(|_| Default::default()))]
    counted: [Signal<Local, Bits<11>>; NV],
    #[default(array_init::array_init(|_| Default::default()))]
    returned: [Signal<Local, Bits<11>>; NV],
    #[default(array_init::array_init(|_| Default::default()))]
    refused: [Signal<Local, Bits<11>>; NV],
    #[default(array_init::array_init(|_| Default::default()))]
    left: [Signal<Local, Bits<11>>; NV],
    #[default(array_init::array_init(|_| Default::default()))]
    delta: [Signal<Local, Bits<11>>; NV],
    #[default(array_init::array_init(|_| Default::default()))]
    sum: [Signal<Local, Bits<11>>; NV],
    request_blocks: Signal<Local, Bits<11>>,
    response_blocks: Signal<Local, Bits<11>>,
    request_back_blocks: Signal<Local, Bits<11>>,
    response_back_blocks: Signal<Local, Bits<11>>,
    request_waits: Signal<Local, Bits<8>>,
    response_waits: Signal<Local, Bits<8>>,
    #[default(constant(HEADERS))]
    headers: Constant<Bits<11>>,
    /// Blocks that packets may take, acks on their way not counted.
    #[default(constant(0))]
    capacity: Constant<Bits<11>>,
    #[default(constant(0))]
    ack_limit: Constant<Bits<11>>,
    #[default(constant(SHORT))]
    short_size: Constant<Bits<11>>,
    #[default(constant(SHORT + LONG))]
    short_and_long_size: Constant<Bits<11>>,
    #[default(constant(LONG))]
    long_size: Constant<Bits<11>>,
    #[default(constant(2 * LONG))]
    two_long_size: Constant<Bits<11>>,
}

/// Blocks of the headers and CRCs of a packet, and of a payload that is no multiple of 64 bytes.
const HEADERS: usize = 3;
/// Blocks that a short packet counts as at most, and a long one.
const SHORT: usize = 15 + HEADERS;
const LONG: usize = 64 + HEADERS;
/// Blocks that are kept for acks on their way to the queue.
const ACKS: usize = 16;
/// Number of packets that a queue has room for; acks take the least, one block.
const MOST: usize = 126;

impl<const NV: usize> LaneRoom<NV> {
    /// Makes the block for queues of `bytes` bytes each.
    pub fn new(bytes: usize) -> Self {
        let blocks = (bytes / 64).min(HEADERS * MOST) - ACKS;
        Self {
            capacity: constant(blocks),
            ack_limit: constant(blocks.min(MOST - ACKS)),
            ..Self::default()
        }
    }
}

#[kernel]
impl<const NV: usize> Logic for LaneRoom<NV> {
    fn update(&mut self) {
        self.phase.d.next = self.phase.q.val() + 1;
        if !self.phase.q.val().any() && !self.responds.val() {
            self.phase.d.next = bits::<4>(0);
        }
        self.request_waits.next = bits::<8>(0xFF);
        if self.phase.q.val() < 6 {
            self.request_waits.next = bits::<8>(0);
        }
        self.response_waits.next = bits::<8>(0xFF);
        if (self.phase.q.val() >= 8) && (self.phase.q.val() < 12) {
            self.response_waits.next = bits::<8>(0);
        }

        // The departed packet counts as before until it joins, and then as it is.
        self.built.d.next = self.builds.val() && !self.reset.val();
        if self.departs.valid.val() {
            self.departed_lane.d.next = self.departs.lane.val();
            self.departed.d.next = bit_cast::<11, 13>(self.departs.payload.val() >> 6) + self.headers.val();
        }
        self.request_blocks.next = bit_cast::<11, 13>(self.request.payload.val() >> 6) + self.headers.val();
        self.response_blocks.next = bit_cast::<11, 13>(self.response.payload.val() >> 6) + self.headers.val();
        self.request_back_blocks.next =
            bit_cast::<11, 13>(self.request_back.payload.val() >> 6) + self.headers.val();
        self.response_back_blocks.next =
            bit_cast::<11, 13>(self.response_back.payload.val() >> 6) + self.headers.val();
        for i in NV..8 {
            self.short.i[7 - i].next = bits::<1>(0);
            self.short_and_long.i[7 - i].next = bits::<1>(0);
            self.long.i[7 - i].next = bits::<1>(0);
            self.two_long.i[7 - i].next = bits::<1>(0);
            self.ack.i[7 - i].next = bits::<1>(0);
        }
        for i in 0..NV {
            dff_setup!(self, clock, taken[i], change[i]);
            self.made[i].next = bits::<11>(0);
            if self.request.valid.val()
                && !self.request.lane.val().get_bit(4)
                && (self.request.lane.val().get_bits::<3>(0) == i.to_bits::<3>())
            {
                self.made[i].next = self.request_blocks.val();
            }
            self.answered[i].next = bits::<11>(0);
            if self.response.valid.val()
                && !self.response.lane.val().get_bit(4)
                && (self.response.lane.val().get_bits::<3>(0) == i.to_bits::<3>())
            {
                self.answered[i].next = self.response_blocks.val();
            }
            self.returned[i].next = bits::<11>(0);
            if self.request_back.valid.val()
                && !self.request_back.lane.val().get_bit(4)
                && (self.request_back.lane.val().get_bits::<3>(0) == i.to_bits::<3>())
            {
                self.returned[i].next = self.request_back_blocks.val();
            }
            self.refused[i].next = bits::<11>(0);
            if self.response_back.valid.val()
                && !self.response_back.lane.val().get_bit(4)
                && (self.response_back.lane.val().get_bits::<3>(0) == i.to_bits::<3>())
            {
                self.refused[i].next = self.response_back_blocks.val();
            }
            self.counted[i].next = bits::<11>(0);
            if self.built.q.val()
                && !self.departed_lane.q.val().get_bit(4)
                && (self.departed_lane.q.val().get_bits::<3>(0) == i.to_bits::<3>())
            {
                self.counted[i].next = self.departed.q.val();
            }
            self.joined[i].next = bits::<11>(0);
            if self.joins.val() && (self.joining_vl.val() == i.to_bits::<4>()) {
                self.joined[i].next = bit_cast::<11, 7>(self.joining_blocks.val());
            }
            self.left[i].next = bits::<11>(0);
            if self.leaves.val().get_bit(i) {
                self.left[i].next = self.sizes[i].val();
            }
            self.delta[i].next = (self.joined[i].val() - self.counted[i].val())
                - ((self.returned[i].val() + self.refused[i].val()) + self.left[i].val());
            self.sum[i].next = (self.taken[i].q.val() + self.change[i].q.val())
                + (self.made[i].val() + self.answered[i].val());
            if self.reset.val() {
                self.taken[i].d.next = bits::<11>(0);
                self.change[i].d.next = bits::<11>(0);
            } else {
                self.taken[i].d.next = self.sum[i].val();
                self.change[i].d.next = self.delta[i].val();
            }
            self.short.i[7 - i].next =
                ((self.taken[i].q.val() + self.short_size.val()) > self.capacity.val()).into();
            self.short_and_long.i[7 - i].next =
                ((self.taken[i].q.val() + self.short_and_long_size.val()) > self.capacity.val()).into();
            self.long.i[7 - i].next =
                ((self.taken[i].q.val() + self.long_size.val()) > self.capacity.val()).into();
            self.two_long.i[7 - i].next =
                ((self.taken[i].q.val() + self.two_long_size.val()) > self.capacity.val()).into();
            self.ack.i[7 - i].next = (self.taken[i].q.val() >= self.ack_limit.val()).into();
        }
        self.request_hold.next.active = self.active.val();
        self.request_hold.next.sl_to_vl = self.sl_to_vl.val();
        self.request_hold.next.data_vls = self.data_vls.val();
        self.request_hold.next.short =
            self.short.o.val() | (self.short_and_long.o.val() & self.request_waits.val());
        self.request_hold.next.long = self.long.o.val() | (self.two_long.o.val() & self.request_waits.val());
        self.request_hold.next.ack = self.ack.o.val();
        self.response_hold.next.active = self.active.val();
        self.response_hold.next.sl_to_vl = self.sl_to_vl.val();
        self.response_hold.next.data_vls = self.data_vls.val();
        self.response_hold.next.short =
            self.short.o.val() | (self.short_and_long.o.val() & self.response_waits.val());
        self.response_hold.next.long =
            self.long.o.val() | (self.two_long.o.val() & self.response_waits.val());
        self.response_hold.next.ack = self.ack.o.val();
        if self.reset.val() {
            self.phase.d.next = bits::<4>(0);
        }
    }
}
