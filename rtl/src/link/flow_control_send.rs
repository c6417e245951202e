//! Sends flow-control packets.
use super::FlowControlPacket;
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum SendState {
    /// The block looks at one VL each clock, in turn, until it meets one whose flow-control packet is due.
    Search,
    /// No data packet may start, and those that have started are counted.
    Settle,
    /// The packet is offered, and waits until the link takes it between two packets.
    Offer,
}

/// Decides when each VL sends a flow-control packet (`protocol/link.md` section 4.2, CF450), in round robin. `NV`: data
/// VLs; `K`: bytes of a beat.
///
/// A packet is due when the port enters Init or Armed or comes back to Active, when flow control is switched on,
/// regularly, and when the credit limit has grown by `fccl_step` since the last packet. A waiting packet carries the
/// limit of the cycle before it is offered to the link, and is withdrawn once the state of the port does not permit it.
#[derive(LogicBlock, SmartDefault)]
pub struct FlowControlSend<const NV: usize, const K: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while flow-control packets are sent.
    pub flow_control: Signal<In, Bit>,
    /// High while the port is in Init.
    pub initialises: Signal<In, Bit>,
    /// High while the port is in Armed or Active.
    pub runs: Signal<In, Bit>,
    /// Number of data VLs that are operational, from VL 0 on.
    pub data_vls: Signal<In, Bits<4>>,
    /// FCCL to send for each VL: its credit limit in blocks, modulo 4096.
    #[default(array_init::array_init(|_| Default::default()))]
    pub fccl: [Signal<In, Bits<12>>; NV],
    /// For each VL: number of blocks by which FCCL must be ahead of the last one sent for the next packet to be due.
    #[default(array_init::array_init(|_| Default::default()))]
    pub fccl_step: [Signal<In, Bits<8>>; NV],
    /// FCTBS for each VL; it grows a clock after a packet has started.
    #[default(array_init::array_init(|_| Default::default()))]
    pub fctbs: [Signal<In, Bits<12>>; NV],

    /// High while no data packet may start, because a flow-control packet is due.
    pub hold: Signal<Out, Bit>,
    /// The flow-control packet, byte 0 at the most significant end.
    pub packet: Signal<Out, Bits<48>>,
    /// High while that packet may be offered to the link.
    pub packet_valid: Signal<Out, Bit>,
    /// High while the packet is offered to the link.
    pub packet_offered: Signal<In, Bit>,
    /// High for one cycle when the link takes the packet.
    pub packet_taken: Signal<In, Bit>,

    layout: FlowControlPacket,
    state: Register<SendState>,
    /// The VL that is looked at, or whose packet is sent.
    at: Register<Bits<4>>,
    /// High if the packet of the VL was due in the cycle before.
    #[default(array_init::array_init(|_| Default::default()))]
    wants: [Register<Bit>; NV],
    #[default(array_init::array_init(|_| Default::default()))]
    due: [Register<Bit>; NV],
    /// FCCL of the last packet of each VL.
    #[default(array_init::array_init(|_| Default::default()))]
    last: [Register<Bits<12>>; NV],
    bytes: Register<Bits<48>>,
    /// High if the packet was offered and not taken.
    stands: Register<Bit>,
    initialised: Register<Bit>,
    clocks: Register<Bits<16>>,
    limit: Signal<Local, Bits<12>>,
    blocks: Signal<Local, Bits<12>>,
    /// Blocks by which the credit limit of each VL is ahead of the last one sent.
    #[default(array_init::array_init(|_| Default::default()))]
    ahead: [Signal<Local, Bits<12>>; NV],
    any_wants: Signal<Local, Bit>,
    this_wants: Signal<Local, Bit>,
    permitted: Signal<Local, Bit>,
    current: Signal<Local, Bit>,
    all_due: Signal<Local, Bit>,
    #[default(constant(NV - 1))]
    last_vl: Constant<Bits<4>>,
    #[default(constant(interval(K) - 1))]
    last_clock: Constant<Bits<16>>,
}

/// Clocks between the regular packets of a VL. Two largest packets less than 65,536 symbol times of a 4X link, so that
/// they come in time when one of them waits for a packet on its way and the other does not.
fn interval(bytes: usize) -> usize {
    (4 * 65_536 - 2 * 4_096) / bytes
}

#[kernel]
impl<const NV: usize, const K: usize> Logic for FlowControlSend<NV, K> {
    fn update(&mut self) {
        self.clocks.d.next = self.clocks.q.val() + 1;
        if self.clocks.q.val() == self.last_clock.val() {
            self.clocks.d.next = bits::<16>(0);
        }
        self.initialised.d.next = self.initialises.val();
        self.all_due.next = (self.clocks.q.val() == self.last_clock.val())
            || (self.initialised.q.val() != self.initialises.val())
            || !(self.initialises.val() || self.runs.val())
            || !self.flow_control.val();

        // The VL that is looked at, or whose packet is sent.
        self.any_wants.next = false;
        self.this_wants.next = false;
        self.limit.next = bits::<12>(0);
        self.blocks.next = bits::<12>(0);
        for i in 0..NV {
            if self.wants[i].q.val() {
                self.any_wants.next = true;
            }
            if self.at.q.val() == i.to_bits::<4>() {
                self.this_wants.next = self.wants[i].q.val();
                self.limit.next = self.fccl[i].val();
                self.blocks.next = self.fctbs[i].val();
            }
        }
        self.permitted.next = self.flow_control.val()
            && (self.initialises.val() || (self.runs.val() && (self.at.q.val() < self.data_vls.val())));
        self.layout.op.next = bit_cast::<4, 1>(self.initialises.val().into());
        inputs!(self.layout, fctbs: blocks, vl: at.q, fccl: limit);
        // The Op of the packet is that of the state.
        self.current.next =
            self.permitted.val() && (self.bytes.q.val().get_bit(44) == self.initialises.val());

        self.hold.next = false;
        self.packet_valid.next = false;
        self.stands.d.next = false;
        match self.state.q.val() {
            SendState::Search => {
                if self.this_wants.val() {
                    self.state.d.next = SendState::Settle;
                } else if self.any_wants.val() {
                    self.at.d.next = self.at.q.val() + 1;
                    if self.at.q.val() == self.last_vl.val() {
                        self.at.d.next = bits::<4>(0);
                    }
                }
            }
            SendState::Settle => {
                self.hold.next = true;
                self.bytes.d.next = self.layout.bytes.val();
                self.state.d.next = SendState::Offer;
                if !self.permitted.val() {
                    self.state.d.next = SendState::Search;
                }
            }
            SendState::Offer => {
                self.hold.next = true;
                self.packet_valid.next = self.current.val() || self.stands.q.val();
                self.stands.d.next = self.packet_offered.val() && !self.packet_taken.val();
                if !self.packet_offered.val() {
                    self.bytes.d.next = self.layout.bytes.val();
                }
                if self.packet_taken.val() || (!self.current.val() && !self.stands.q.val()) {
                    self.state.d.next = SendState::Search;
                }
            }
        }
        if self.packet_taken.val() {
            self.at.d.next = self.at.q.val() + 1;
            if self.at.q.val() == self.last_vl.val() {
                self.at.d.next = bits::<4>(0);
            }
        }

        for i in 0..NV {
            dff_setup!(self, clock, due[i], last[i]);
            inputs!(self.wants[i], clock);
            self.ahead[i].next = self.fccl[i].val() - self.last[i].q.val();
            self.wants[i].d.next = self.flow_control.val()
                && (self.initialises.val() || (self.runs.val() && (i.to_bits::<4>() < self.data_vls.val())))
                && (self.due[i].q.val()
                    || ((self.ahead[i].val() <= 2048)
                        && (self.ahead[i].val().get_bits::<4>(8).any()
                            || (self.ahead[i].val().get_bits::<8>(0) >= self.fccl_step[i].val()))));
            if self.packet_taken.val() && (self.at.q.val() == i.to_bits::<4>()) {
                self.last[i].d.next = self.bytes.q.val().get_bits::<12>(16);
                self.wants[i].d.next = false;
                // A packet that was offered before the state changed is not the one that is due since.
                if self.current.val() {
                    self.due[i].d.next = false;
                }
            }
            if self.all_due.val() || self.reset.val() {
                self.due[i].d.next = true;
            }
            if self.reset.val() {
                self.wants[i].d.next = false;
            }
        }
        self.packet.next = self.bytes.q.val();
        if self.reset.val() {
            self.state.d.next = SendState::Search;
            clear!(self, at, stands, initialised, clocks);
        }
    }
}
