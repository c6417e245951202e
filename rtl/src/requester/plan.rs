//! The next request packet of a message.
use hca_hdl::prelude::*;
use hca_host::wqe;

record! {
    /// A request packet as its message, and its place in that, define it.
    pub struct Plan {
        /// Opcode of the packet if the service is RC.
        pub opcode: Bits<8>,
        /// Bytes of payload.
        pub payload: Bits<13>,
        /// Bytes that the RETH names: of a Read what is left of it (CF018, CF175).
        pub dma_len: Bits<32>,
        /// AckReq: high on first, last and only packets, on Reads and atomics (CF159), and on every 64th packet of a
        /// message.
        pub ack_req: Bit,
        /// High if the packet carries the end of the message, or requests it.
        pub ends: Bit,
        /// High if the SE bit of the packet may be set (CF160, CF161).
        pub may_solicit: Bit,
        /// PSNs from this packet to the message's last, less one (CF156).
        pub psns: Bits<24>,
    }
}

/// `protocol/requester.md` section 2, `headers.md` section 4. Pure function of the message and of a place in it.
#[derive(LogicBlock, SmartDefault)]
pub struct RequestPlan {
    /// Operation of the WQE (`host::wqe`).
    pub operation: Signal<In, Bits<8>>,
    /// Bytes of the message before this packet.
    pub offset: Signal<In, Bits<32>>,
    /// Bytes of the message up to the end of this packet, if it is full: `offset` and PMTU.
    pub reach: Signal<In, Bits<33>>,
    /// Bytes of the message.
    pub length: Signal<In, Bits<32>>,
    /// Code of `pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,

    /// The packet.
    pub plan: Signal<Out, Plan>,

    remaining: Signal<Local, Bits<32>>,
    /// `remaining` less one.
    behind_first: Signal<Local, Bits<32>>,
    pmtu_bytes: Signal<Local, Bits<32>>,
    packets: Signal<Local, Bits<32>>,
    begins: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    last: Signal<Local, Bits<8>>,
    #[default(operation(wqe::OP_SEND_IMMEDIATE))]
    op_send_immediate: Constant<Bits<8>>,
    #[default(operation(wqe::OP_SEND_INVALIDATE))]
    op_send_invalidate: Constant<Bits<8>>,
    #[default(operation(wqe::OP_WRITE))]
    op_write: Constant<Bits<8>>,
    #[default(operation(wqe::OP_WRITE_IMMEDIATE))]
    op_write_immediate: Constant<Bits<8>>,
    #[default(operation(wqe::OP_READ))]
    op_read: Constant<Bits<8>>,
    #[default(operation(wqe::OP_COMPARE_SWAP))]
    op_compare_swap: Constant<Bits<8>>,
}

fn operation(value: u8) -> Constant<Bits<8>> {
    constant(value)
}

#[kernel]
impl Logic for RequestPlan {
    fn update(&mut self) {
        self.pmtu_bytes.next = bits::<32>(128) << self.pmtu.val();
        self.remaining.next = self.length.val() - self.offset.val();
        self.begins.next = !self.offset.val().any();
        self.sends.next = self.operation.val() < self.op_write.val();

        // All packets but the last are full: the last one's number is that of the byte it ends with.
        self.behind_first.next = self.length.val() + !self.offset.val();
        self.packets.next = self.behind_first.val() >> (bits::<5>(7) + bit_cast::<5, 3>(self.pmtu.val()));
        self.whole.next = bit_cast::<33, 32>(self.length.val()) <= self.reach.val();
        self.plan.next.psns = bit_cast::<24, 32>(self.packets.val());
        if self.whole.val() {
            self.plan.next.psns = bits::<24>(0);
        }

        // Of a message of Sends or Writes: last 02h to 09h, only two more (CF002).
        self.last.next = bits::<8>(0x02);
        if self.operation.val() == self.op_send_immediate.val() {
            self.last.next = bits::<8>(0x03);
        }
        if self.operation.val() == self.op_write.val() {
            self.last.next = bits::<8>(0x08);
        }
        if self.operation.val() == self.op_write_immediate.val() {
            self.last.next = bits::<8>(0x09);
        }

        self.plan.next.payload = bit_cast::<13, 32>(self.pmtu_bytes.val());
        self.plan.next.dma_len = self.length.val();
        self.plan.next.may_solicit = false;
        self.plan.next.ends = self.whole.val();
        // Every 64th packet.
        self.plan.next.ack_req = self.begins.val()
            || self.whole.val()
            || ((self.offset.val() >> (bits::<5>(7) + bit_cast::<5, 3>(self.pmtu.val()))).get_bits::<6>(0)
                == 63);
        if self.operation.val() == self.op_read.val() {
            self.plan.next.opcode = bits::<8>(0x0C);
            self.plan.next.payload = bits::<13>(0);
            self.plan.next.dma_len = self.remaining.val();
            self.plan.next.ack_req = true;
            self.plan.next.ends = true;
        } else if self.operation.val() > self.op_read.val() {
            // CompareSwap 13h, FetchAdd 14h.
            self.plan.next.opcode = bits::<8>(0x14);
            if self.operation.val() == self.op_compare_swap.val() {
                self.plan.next.opcode = bits::<8>(0x13);
            }
            self.plan.next.payload = bits::<13>(0);
            self.plan.next.psns = bits::<24>(0);
            self.plan.next.ack_req = true;
            self.plan.next.ends = true;
        } else if self.whole.val() {
            self.plan.next.payload = bit_cast::<13, 32>(self.remaining.val());
            self.plan.next.may_solicit = self.operation.val() != self.op_write.val();
            self.plan.next.opcode = self.last.val();
            if self.operation.val() == self.op_send_invalidate.val() {
                self.plan.next.opcode = bits::<8>(0x16);
            }
            if self.begins.val() {
                self.plan.next.opcode = self.last.val() + 2;
                if self.operation.val() == self.op_send_invalidate.val() {
                    self.plan.next.opcode = bits::<8>(0x17);
                }
            }
        } else {
            // First, or middle.
            self.plan.next.opcode = bits::<8>(0x07);
            if self.sends.val() {
                self.plan.next.opcode = bits::<8>(0x01);
            }
            if self.begins.val() {
                self.plan.next.opcode = bits::<8>(0x06);
                if self.sends.val() {
                    self.plan.next.opcode = bits::<8>(0x00);
                }
            }
        }
    }
}
