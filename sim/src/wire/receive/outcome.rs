//! The outcomes of packets.
use super::Header;
use crate::verilated::Error;

/// The outcome of a packet at the receive side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Accepted {
        header: Header,
        payload: Vec<u8>,
    },
    /// The packet was accepted; its payload was then discarded at the bench's command.
    Discarded(Header),
    /// The packet was dropped; the code of the reason (`hca_host::retire::drop`).
    Dropped(u8),
}

/// A packet's outcome and the times of its steps, in clock cycles since reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    pub outcome: Outcome,
    /// Clock cycle in which the first beat was taken.
    pub first_beat: u64,
    /// Clock cycle in which the last beat was taken.
    pub last_beat: u64,
    /// Clock cycle in which the header was offered, or the drop reported.
    pub known: u64,
    /// Clock cycle of the last beat of payload, or of the command that leaves none; for a dropped packet, equal to
    /// `known`.
    pub done: u64,
}

/// How the block broke a rule. Packets are numbered from 0 in each run.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveError {
    #[error(transparent)]
    Model(#[from] Error),
    #[error("nothing came of packet {number}, and nothing moves any more")]
    Lost { number: usize },
    #[error("packet {number} came out twice")]
    Twice { number: usize },
    #[error("packet {number} came out of order")]
    Order { number: usize },
    #[error("a header or a drop names arrival number {arrival}, which has not come in")]
    Number { arrival: u32 },
    #[error("packet {number}: the last beat of payload is not marked so, or an earlier one is")]
    Last { number: usize },
    #[error("packet {number}: the payload that was read once more is another")]
    Kept { number: usize },
    #[error("payload comes in cycle {cycle} that no command asked for")]
    Unasked { cycle: u64 },
    #[error("the {channel} changed in cycle {cycle} while it waited")]
    Unstable { channel: &'static str, cycle: u64 },
}
