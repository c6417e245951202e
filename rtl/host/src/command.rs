//! Commands: a code in `COMMAND`, arguments in `ARGUMENT[n]` (32-bit words), a result in `COMMAND_STATUS`.

/// Command codes.
pub const CREATE_CQ: u32 = 1;
/// Sets a QP's state and some of its attributes. Some new states have further effects: Reset clears both queues; RTR
/// loads the receive side (ePSN, and MSN 0); RTS, coming from RTR, loads the send side.
pub const MODIFY_QP: u32 = 2;
/// Registers a memory region in the protection table.
pub const REG_MR: u32 = 3;
/// Removes a memory region from the protection table.
pub const DEREG_MR: u32 = 4;
/// Invalidates both keys of a memory region, as a peer does by Send with Invalidate.
pub const INVALIDATE: u32 = 5;
/// Removes a CQ that no QP uses.
pub const DESTROY_CQ: u32 = 6;
/// Moves a CQ to another ring.
pub const RESIZE_CQ: u32 = 7;
/// Returns the state of a CQ.
pub const QUERY_CQ: u32 = 8;
/// Creates a QP in Reset.
pub const CREATE_QP: u32 = 9;
/// Returns a QP's attributes and state.
pub const QUERY_QP: u32 = 10;
/// Removes a QP once nothing of the QP is under way.
pub const DESTROY_QP: u32 = 11;
/// Creates an address handle.
pub const CREATE_AH: u32 = 12;
/// Replaces the address of a handle. The handle keeps its protection domain.
pub const MODIFY_AH: u32 = 13;
/// Returns the address of a handle.
pub const QUERY_AH: u32 = 14;
/// Removes an address handle.
pub const DESTROY_AH: u32 = 15;
/// Attaches a QP to a multicast group.
pub const ATTACH: u32 = 16;
/// Detaches a QP from a multicast group.
pub const DETACH: u32 = 17;

/// Results in `COMMAND_STATUS[7:0]`.
pub const OK: u32 = 0;
/// Unknown command code.
pub const BAD_COMMAND: u32 = 1;
/// The CQN or the address handle is outside the limits, or L_Key and R_Key name different entries of the table.
pub const BAD_INDEX: u32 = 2;
/// A ring size, or a number of Reads and atomics, is outside the limits; or there is no room for a group or for a
/// member of it.
pub const BAD_SIZE: u32 = 3;

/// The object to create exists already, or the object to remove is in use.
pub const IN_USE: u32 = 4;
/// The QP, CQ, memory region or address handle does not exist, or the QP is not attached to the group.
pub const NOT_FOUND: u32 = 5;
/// There is no transition from the QP's state to the new one (`protocol/qp_cq.md` section 1).
pub const BAD_TRANSITION: u32 = 6;
/// An attribute that the transition requires is not given.
pub const MISSING_ATTRIBUTE: u32 = 7;
/// An attribute is given that the transition does not allow.
pub const FORBIDDEN_ATTRIBUTE: u32 = 8;
/// The value of a given attribute is outside its limits.
pub const BAD_ATTRIBUTE: u32 = 9;
/// The CQ has failed.
pub const CQ_FAILED: u32 = 10;
/// The address of a ring is not 64-byte aligned.
pub const BAD_ADDRESS: u32 = 11;
/// A CQ of QP0 or QP1 is given for another QP, or the reverse (CF253).
pub const CQ_RESERVED: u32 = 12;

/// Largest log2 of a completion ring and of a receive ring.
pub const MAX_LOG_SIZE: u32 = 15;
/// Largest log2 of a send ring. The hardware remembers the last PSN of each WQE in it.
pub const MAX_SQ_LOG_SIZE: u32 = 6;
/// Largest number of Reads and atomics of a QP under way, both as requester and as responder.
pub const MAX_RD_ATOMIC: u32 = 16;

/// The QP states, as `MODIFY_QP` and the retire port number them.
pub const STATE_RESET: u32 = 0;
pub const STATE_INIT: u32 = 1;
pub const STATE_RTR: u32 = 2;
pub const STATE_RTS: u32 = 3;
pub const STATE_SQD: u32 = 4;
pub const STATE_SQE: u32 = 5;
pub const STATE_ERROR: u32 = 6;

/// The transport services, as `CREATE_QP` numbers them.
pub const SERVICE_RC: u32 = 0;
pub const SERVICE_UC: u32 = 1;
pub const SERVICE_UD: u32 = 2;

/// Arguments of `CREATE_CQ`, by index into `ARGUMENT`.
pub mod create_cq {
    pub const CQN: usize = 0;
    /// Ring base address, 64-byte aligned.
    pub const BASE_HIGH: usize = 1;
    pub const BASE_LOW: usize = 2;
    /// Log2 of the number of CQEs, 0 to 15.
    pub const LOG_SIZE: usize = 3;
}

/// Arguments of `MODIFY_QP` and `CREATE_QP`, by index into `ARGUMENT`.
pub mod modify_qp {
    /// QPN, 24 bits. Its low bits, as many as the profile has, are the QP's index. 0 and 1 are QP0 and QP1; with two
    /// ports they are those of port 1, and 2 and 3 are those of port 2. Other QPNs have another index than 0 and 1.
    pub const QPN: usize = 0;
    /// State [2:0], service [6:4], PMTU code [10:8].
    pub const STATE: usize = 1;
    /// Log2 of the number of send WQEs [3:0], log2 of the number of receive WQEs [11:8].
    pub const LOG_SIZES: usize = 2;
    /// Send ring base address, 64-byte aligned.
    pub const SQ_BASE_HIGH: usize = 3;
    pub const SQ_BASE_LOW: usize = 4;
    /// Receive ring base address, 64-byte aligned.
    pub const RQ_BASE_HIGH: usize = 5;
    pub const RQ_BASE_LOW: usize = 6;
    /// Send CQ [15:0], receive CQ [31:16].
    pub const CQNS: usize = 7;
    /// Destination QPN, 24 bits.
    pub const DEST_QPN: usize = 8;
    /// DLID [15:0], SL [19:16], source path bits [30:24].
    pub const ADDRESS: usize = 9;
    /// Index into the port's P_Key table [15:0], port [23:16].
    pub const P_KEY: usize = 10;
    /// First PSN sent, 24 bits.
    pub const SQ_PSN: usize = 11;
    /// First PSN expected, 24 bits.
    pub const RQ_PSN: usize = 12;
    /// Minimum RNR timer code [4:0], ack timeout code [12:8], retry count [18:16], RNR retry count [26:24].
    pub const TIMERS: usize = 13;
    /// Flow label [19:0]; packets carry a GRH [31], always set with RoCEv2.
    pub const GRH: usize = 14;
    /// Hop limit [7:0], traffic class [15:8], static rate [21:16], a code of `static_rate.csv`.
    pub const HOP: usize = 15;
    /// DGID, four words, first word first. With RoCEv2 it is the IP address, IPv4 as ::ffff:a.b.c.d.
    pub const DGID: usize = 16;
    /// First two bytes of the destination MAC address [15:0], UDP source port [31:16]; RoCEv2 only.
    pub const MAC_HIGH: usize = 20;
    /// Last four bytes of the destination MAC address; RoCEv2 only.
    pub const MAC_LOW: usize = 21;
    /// Largest number of Reads and atomics under way, as requester [4:0] and as responder [12:8]; the peer may write
    /// [16], read [17], do atomics [18]; end-to-end credits are supplied to the peer [24], expected from it [25].
    pub const LIMITS: usize = 22;
    /// Protection domain, 24 bits.
    pub const PD: usize = 23;
    /// The given attributes, as bits of [`attribute`](super::attribute).
    pub const ATTRIBUTES: usize = 24;
    /// Q_Key of a UD QP.
    pub const Q_KEY: usize = 25;
}

/// Attributes of `MODIFY_QP`, as bits of its `ATTRIBUTES`.
pub mod attribute {
    pub const P_KEY_INDEX: u32 = 1 << 0;
    pub const PORT: u32 = 1 << 1;
    pub const ACCESS: u32 = 1 << 2;
    /// The words `ADDRESS`, `GRH`, `HOP`, `DGID`, `MAC_HIGH` and `MAC_LOW`.
    pub const ADDRESS: u32 = 1 << 3;
    pub const PMTU: u32 = 1 << 4;
    pub const DEST_QPN: u32 = 1 << 5;
    pub const RQ_PSN: u32 = 1 << 6;
    pub const MAX_DEST_RD_ATOMIC: u32 = 1 << 7;
    pub const MIN_RNR_TIMER: u32 = 1 << 8;
    pub const SQ_PSN: u32 = 1 << 9;
    pub const TIMEOUT: u32 = 1 << 10;
    pub const RETRY_CNT: u32 = 1 << 11;
    pub const RNR_RETRY: u32 = 1 << 12;
    pub const MAX_RD_ATOMIC: u32 = 1 << 13;
    /// End-to-end credits, supplied and expected.
    pub const CREDITS: u32 = 1 << 14;
    /// Software wants an event once the send queue is drained.
    pub const DRAINED_EVENT: u32 = 1 << 15;
    pub const Q_KEY: u32 = 1 << 16;
}

/// Arguments of `DESTROY_CQ`, by index into `ARGUMENT`.
pub mod destroy_cq {
    pub const CQN: usize = 0;
}

/// Arguments of `RESIZE_CQ`, by index into `ARGUMENT`, and its answer.
pub mod resize_cq {
    pub const CQN: usize = 0;
    /// Address of the new ring, 64-byte aligned.
    pub const BASE_HIGH: usize = 1;
    pub const BASE_LOW: usize = 2;
    /// Log2 of the number of CQEs, 0 to 15.
    pub const LOG_SIZE: usize = 3;
    /// Answer: CQEs with an index before this one, modulo 2^16, are in the old ring.
    pub const PRODUCER: usize = 4;
}

/// Arguments of `QUERY_CQ`, by index into `ARGUMENT`, and its answer.
pub mod query_cq {
    pub const CQN: usize = 0;
    pub const BASE_HIGH: usize = 1;
    pub const BASE_LOW: usize = 2;
    pub const LOG_SIZE: usize = 3;
    /// Number of CQEs written [15:0] and polled according to the doorbells [31:16], modulo 2^16.
    pub const COUNTS: usize = 4;
    /// The CQ has failed [0]; armed [9:8]: 0 not, 1 for solicited completions, 2 for the next completion.
    pub const STATUS: usize = 5;
}

/// Arguments of `QUERY_QP` and `DESTROY_QP`, by index into `ARGUMENT`. The answer to a query has the layout of
/// `MODIFY_QP` and `CREATE_QP`.
pub mod query_qp {
    pub const QPN: usize = 0;
}

/// Arguments of `REG_MR`, by index into `ARGUMENT`. Bits [`region_bits` + 7:8] of both keys are equal and select the
/// entry of the table; the low eight bits are a tag.
pub mod reg_mr {
    pub const L_KEY: usize = 0;
    pub const R_KEY: usize = 1;
    /// Protection domain, 24 bits.
    pub const PD: usize = 2;
    /// Address of the first byte.
    pub const BASE_HIGH: usize = 3;
    pub const BASE_LOW: usize = 4;
    /// Size in bytes.
    pub const LENGTH_HIGH: usize = 5;
    pub const LENGTH_LOW: usize = 6;
    /// Bits of [`RIGHT_LOCAL_WRITE`](super::RIGHT_LOCAL_WRITE) and the other rights.
    pub const RIGHTS: usize = 7;
}

/// Arguments of `DEREG_MR`, by index into `ARGUMENT`.
pub mod dereg_mr {
    pub const L_KEY: usize = 0;
}

/// Arguments of `INVALIDATE`, by index into `ARGUMENT`.
pub mod invalidate {
    pub const R_KEY: usize = 0;
}

/// Rights to a memory region, as bits of [`reg_mr::RIGHTS`]. A local read needs none.
pub const RIGHT_LOCAL_WRITE: u32 = 1;
pub const RIGHT_REMOTE_WRITE: u32 = 2;
pub const RIGHT_REMOTE_READ: u32 = 4;
pub const RIGHT_REMOTE_ATOMIC: u32 = 8;
/// Addresses in the region count from 0 rather than from its base.
pub const ZERO_BASED: u32 = 16;

/// Arguments of the commands of address handles, by index into `ARGUMENT`. The address has the words of [`modify_qp`]
/// from `ADDRESS` to `PD`.
pub mod address_handle {
    /// Number of the handle, below 2^`log_handles` of `DATAGRAM_LIMITS`.
    pub const HANDLE: usize = 0;
}

/// Arguments of `ATTACH` and `DETACH`, by index into `ARGUMENT`.
pub mod multicast {
    pub const QPN: usize = 0;
    /// LID of the group [15:0]; ignored with RoCEv2.
    pub const MLID: usize = super::modify_qp::ADDRESS;
    /// MGID, four words, first word first. With RoCEv2 it is the IP address, IPv4 as ::ffff:a.b.c.d.
    pub const MGID: usize = super::modify_qp::DGID;
}
