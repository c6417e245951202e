//! The retire port: a simulation-only report of every decision, in order.
//!
//! Bit l of `retire_valid[LANES]` is high if lane l reports in this clock. `retire_order[31:0]` is the order number of
//! the lowest valid lane; the others follow by ascending lane, so that numbers have no gap. Lane l of `retire_record`
//! is bits `96 * l + 95 : 96 * l`, a [`Record`] from the most significant end: kind 8, code 8, QPN 24, PSN 24, index
//! 32. Synthesis leaves the ports open and removes them.

/// Number of lanes. Decisions of one clock are ordered by lane.
pub const LANES: usize = 16;
/// First arrival number of packets of port 2.
pub const SECOND_PORT: u32 = 1 << 30;
/// Number of bits of a record.
pub const RECORD_BITS: usize = 96;

/// Lane of send doorbells, once their WQEs are in the cache.
pub const LANE_SEND_QUEUE: usize = 0;
/// Lane of receive doorbells, once the responder's answers include their WQEs.
pub const LANE_RECEIVE_QUEUE: usize = 1;
/// Lane of drops at the link, before any engine sees the packet.
pub const LANE_LINK: usize = 2;
/// Lane of receive WQEs that the responder takes.
pub const LANE_RECEIVE_WQE: usize = 3;
/// Lane of the responder's decisions.
pub const LANE_RESPONDER: usize = 4;
/// Lane of send WQEs that the requester takes.
pub const LANE_SEND_WQE: usize = 5;
/// Lane of the requester's decisions.
pub const LANE_REQUESTER: usize = 6;
/// Lane of reads from memory for read responses.
pub const LANE_RESPONSE: usize = 7;
/// Lane of packets as they enter the packet builder.
pub const LANE_TRANSMIT: usize = 8;
/// Lane of completions that are written or lost, and of consumer doorbells of CQs.
pub const LANE_COMPLETION: usize = 9;
/// Lane of errors of host memory, except those of WQEs.
pub const LANE_MEMORY: usize = 10;
/// Lane of WQEs that could not be read.
pub const LANE_WQE: usize = 11;
/// Lane of CQs that are armed.
pub const LANE_ARM: usize = 12;
/// Lane of events that are written to the event queue.
pub const LANE_EVENT: usize = 13;
/// Lane of refused doorbells.
pub const LANE_REFUSED_DOORBELL: usize = 14;
/// Lane of commands, and of contexts that take effect.
pub const LANE_COMMAND: usize = 15;

/// Kinds of records. Each comment lists the fields that the kind uses; other fields are 0. `index` of a packet is its
/// arrival number at its port, from 0; from 2^30 on it is that of a packet of port 2.
pub mod kind {
    /// code: queue; index: producer.
    pub const DOORBELL: u8 = 1;
    /// code: queue; index: WQE index.
    pub const WQE_FETCHED: u8 = 2;
    /// psn; index: packet.
    pub const REQUEST_EXECUTED: u8 = 3;
    /// psn; index: packet.
    pub const DUPLICATE_REQUEST: u8 = 4;
    /// code: syndrome, 0 for a failed invalidate, which has no NAK; psn: PSN of the NAK; index: packet.
    pub const REQUEST_REFUSED: u8 = 5;
    /// code: syndrome; psn; index: packet.
    pub const RESPONSE_ACCEPTED: u8 = 6;
    /// code: [`super::drop`]; psn: any; index: packet.
    pub const PACKET_DROPPED: u8 = 7;
    /// psn.
    pub const REQUEST_EMITTED: u8 = 8;
    /// code: syndrome; psn.
    pub const ACK_EMITTED: u8 = 9;
    /// code: status; psn: CQN; index: WQE index [15:0], queue [16].
    pub const COMPLETION_WRITTEN: u8 = 10;
    /// code: state.
    pub const STATE_CHANGED: u8 = 11;
    /// psn: PSN of the response whose data was read from memory.
    pub const READ_FETCHED: u8 = 12;
    /// code: syndrome, 0 for a middle response, which has none; psn.
    pub const READ_RESPONSE_EMITTED: u8 = 13;
    /// code: syndrome; psn.
    pub const ATOMIC_ACK_EMITTED: u8 = 14;
    /// code: syndrome; psn: PSN of the response that a NAK replaces.
    pub const READ_REFUSED: u8 = 15;
    /// code: status; index: WQE index.
    pub const SEND_REFUSED: u8 = 16;
    /// psn: oldest PSN that is not acknowledged; index: any.
    pub const ACK_TIMER_EXPIRED: u8 = 17;
    /// code: [`super::rewind`]; psn: PSN of the next request.
    pub const REWOUND: u8 = 18;
    /// code: [`super::memory_fault`]; psn: PSN of the packet whose data failed; index: index of the WQE that failed.
    pub const MEMORY_FAULT: u8 = 19;
    /// psn: PSN of the latest positive answer, which the ack repeats.
    pub const UNSOLICITED_ACK: u8 = 20;
    /// A command has its result and, except for `MODIFY_QP` and `DESTROY_QP`, is in effect. code: result; qpn: low 24
    /// bits of argument 0; index: command.
    pub const COMMAND: u8 = 21;
    /// This side uses the new context from here on; the receive side comes first. For a QP that goes to Reset, the
    /// record of the send side says that nothing of the QP is under way any more. code: [`super::SIDE_RECEIVE`] or
    /// [`super::SIDE_SEND`]; index: state.
    pub const QP_MODIFIED: u8 = 22;
    /// code: 1 for solicited completions, 0 for the next one; qpn: CQN.
    pub const CQ_ARMED: u8 = 23;
    /// qpn: CQN; index: consumer.
    pub const CQ_CONSUMED: u8 = 24;
    /// This completion found no room and is lost. The fields are as in [`COMPLETION_WRITTEN`].
    pub const CQ_OVERFLOW: u8 = 25;
    /// code: kind of [`eqe`](crate::eqe); qpn: QPN or CQN.
    pub const EVENT: u8 = 26;
    /// This doorbell was refused. The fields are as in [`DOORBELL`].
    pub const DOORBELL_REFUSED: u8 = 27;
    /// psn: PSN of the duplicate of an atomic that gets no answer, because a newer operation has taken its resource.
    pub const REPLAY_DROPPED: u8 = 28;
    /// psn: PSN of the datagram, which is longer than the port's MTU and is not sent.
    pub const REQUEST_DISCARDED: u8 = 29;
    /// The copy of a packet for a member of a multicast group was dropped. The fields are as in [`PACKET_DROPPED`];
    /// qpn: QPN of the member. Packet numbers from 2^31 on are those of the port's own packets.
    pub const COPY_DROPPED: u8 = 30;
    /// This side of the port uses the new state from here on. code: [`super::SIDE_RECEIVE`] or [`super::SIDE_SEND`];
    /// qpn: 0 for port 1, 1 for port 2; index: state, as in register `PORT_STATE`.
    pub const PORT_MODIFIED: u8 = 31;
    /// The port uses an entry of its P_Key table from here on, for packets that leave and for those that arrive after
    /// this record. code: its index; qpn: 0 for port 1, 1 for port 2; index: the P_Key.
    pub const P_KEY_SET: u8 = 32;
    /// Eight SLs map to these VLs from here on, for packets that leave. code: the first SL; qpn: 0 for port 1, 1 for
    /// port 2; index: the VL of SL code + n in bits 4n+3 to 4n.
    pub const SL_TO_VL_SET: u8 = 33;
}

/// Accesses of `MEMORY_FAULT` that host memory answered with an error.
pub mod memory_fault {
    /// Data of an outgoing request.
    pub const REQUEST_DATA: u8 = 0;
    /// Data of an outgoing read response.
    pub const RESPONSE_DATA: u8 = 1;
    /// Data of an incoming request.
    pub const REQUEST_PLACEMENT: u8 = 2;
    /// Data of an incoming response.
    pub const RESPONSE_PLACEMENT: u8 = 3;
    /// The read of an atomic.
    pub const ATOMIC: u8 = 4;
    /// A send WQE, and the WQEs behind it in the same read.
    pub const SEND_WQE: u8 = 5;
    /// A receive WQE, and the WQEs behind it in the same read.
    pub const RECEIVE_WQE: u8 = 6;
}

/// Sides of a QP.
pub const SIDE_RECEIVE: u8 = 0;
pub const SIDE_SEND: u8 = 1;

/// Queue codes.
pub const QUEUE_SEND: u8 = 0;
pub const QUEUE_RECEIVE: u8 = 1;

/// Causes of `REWOUND`.
pub mod rewind {
    pub const SEQUENCE_NAK: u8 = 0;
    pub const IMPLIED_NAK: u8 = 1;
    pub const RNR_WAIT_OVER: u8 = 2;
    pub const ACK_TIMEOUT: u8 = 3;
}

/// Reasons of `PACKET_DROPPED` and `COPY_DROPPED`.
pub mod drop {
    pub const VCRC: u8 = 1;
    pub const ICRC: u8 = 2;
    pub const LINK_VERSION: u8 = 3;
    pub const LENGTH: u8 = 4;
    pub const NETWORK_HEADER: u8 = 5;
    pub const TRANSPORT_VERSION: u8 = 6;
    pub const OPCODE: u8 = 7;
    pub const HEADER_INCOMPLETE: u8 = 8;
    pub const DLID: u8 = 9;
    pub const DEST_QP: u8 = 10;
    pub const QP_STATE: u8 = 11;
    pub const SOURCE: u8 = 12;
    pub const P_KEY: u8 = 13;
    pub const NAK_OUTSTANDING: u8 = 14;
    pub const GHOST_RESPONSE: u8 = 15;
    pub const DUPLICATE_RESPONSE: u8 = 16;
    pub const RESERVED_SYNDROME: u8 = 17;
    pub const UNEXPECTED_RESPONSE: u8 = 18;
    pub const GRH: u8 = 19;
    pub const DGID: u8 = 20;
    pub const PAD_COUNT: u8 = 21;
    pub const PAYLOAD_LENGTH: u8 = 22;
    pub const UNMATCHED_DUPLICATE: u8 = 23;
    pub const UNRELIABLE_SEQUENCE: u8 = 24;
    pub const UNRELIABLE_ACCESS: u8 = 25;
    pub const UNRELIABLE_LENGTH: u8 = 26;
    pub const NO_RECEIVE_WQE: u8 = 27;
    pub const Q_KEY: u8 = 28;
    pub const BUFFER_TOO_SMALL: u8 = 29;
    pub const MULTICAST_ADDRESS: u8 = 30;
    pub const SELF_MULTICAST: u8 = 31;
    pub const VL: u8 = 32;
    pub const VL15: u8 = 33;
    pub const PORT_STATE: u8 = 34;
    pub const OVERRUN: u8 = 35;
    pub const ANSWERS_WAIT: u8 = 36;
}

/// Returns the bits that a record of this kind and code may set. Fields that the kind does not name are 0, except the
/// PSN of a packet that an engine drops and the index of a timer's expiry, which are ignored.
fn named_bits(kind: u8, code: u8) -> u128 {
    const KIND: u128 = 0xFF << 88;
    const CODE: u128 = 0xFF << 80;
    const QPN: u128 = 0xFF_FFFF << 56;
    const PSN: u128 = 0xFF_FFFF << 32;
    const PACKET: u128 = 0xFFFF_FFFF;
    const WQE: u128 = 0xFFFF;
    const PORT: u128 = 1 << 56;
    const PORT_STATE: u128 = 7;
    const P_KEY: u128 = 0xFFFF;
    // A WQE index and its queue.
    const OF_QUEUE: u128 = 0x1_FFFF;
    let named = match kind {
        kind::DOORBELL | kind::DOORBELL_REFUSED | kind::WQE_FETCHED | kind::SEND_REFUSED => CODE | QPN | WQE,
        kind::REQUEST_EXECUTED | kind::DUPLICATE_REQUEST | kind::ACK_TIMER_EXPIRED => QPN | PSN | PACKET,
        kind::REQUEST_REFUSED | kind::RESPONSE_ACCEPTED => CODE | QPN | PSN | PACKET,
        kind::PACKET_DROPPED | kind::COPY_DROPPED => CODE | QPN | PSN | PACKET,
        kind::REQUEST_EMITTED
        | kind::REQUEST_DISCARDED
        | kind::READ_FETCHED
        | kind::UNSOLICITED_ACK
        | kind::REPLAY_DROPPED => QPN | PSN,
        kind::ACK_EMITTED
        | kind::READ_RESPONSE_EMITTED
        | kind::ATOMIC_ACK_EMITTED
        | kind::READ_REFUSED
        | kind::REWOUND => CODE | QPN | PSN,
        kind::COMPLETION_WRITTEN | kind::CQ_OVERFLOW => CODE | QPN | PSN | OF_QUEUE,
        kind::STATE_CHANGED | kind::CQ_ARMED | kind::EVENT => CODE | QPN,
        kind::MEMORY_FAULT => {
            let place = match code {
                memory_fault::REQUEST_DATA | memory_fault::RESPONSE_DATA => PSN,
                memory_fault::SEND_WQE | memory_fault::RECEIVE_WQE => WQE,
                _ => 0,
            };
            CODE | QPN | place
        }
        kind::COMMAND | kind::QP_MODIFIED => CODE | QPN | WQE,
        kind::PORT_MODIFIED => CODE | PORT | PORT_STATE,
        kind::P_KEY_SET => CODE | PORT | P_KEY,
        kind::SL_TO_VL_SET => CODE | PORT | PACKET,
        kind::CQ_CONSUMED => QPN | WQE,
        _ => u128::MAX,
    };
    KIND | named
}

/// One retired decision, with its order number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Order number, modulo 2^32.
    pub order: u32,
    /// Kind of the decision ([`kind`]).
    pub kind: u8,
    /// Code, depending on the kind.
    pub code: u8,
    /// QPN, CQN or another number, depending on the kind; 24 bits.
    pub qpn: u32,
    /// PSN or another number, depending on the kind; 24 bits.
    pub psn: u32,
    /// Index of a WQE or another number, depending on the kind.
    pub index: u32,
}

impl Record {
    /// Decodes a record from the bits of a lane.
    pub fn from_bits(order: u32, bits: u128) -> Record {
        Record {
            order,
            kind: (bits >> 88) as u8,
            code: (bits >> 80) as u8,
            qpn: (bits >> 56) as u32 & 0xFF_FFFF,
            psn: (bits >> 32) as u32 & 0xFF_FFFF,
            index: bits as u32,
        }
    }

    /// Returns the bits that are set in fields that the kind does not name; they are 0 if the hardware is correct.
    pub fn unnamed_bits(&self) -> u128 {
        let bits = u128::from(self.kind) << 88
            | u128::from(self.code) << 80
            | u128::from(self.qpn) << 56
            | u128::from(self.psn) << 32
            | u128::from(self.index);
        bits & !named_bits(self.kind, self.code)
    }
}
