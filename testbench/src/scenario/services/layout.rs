//! Queue pairs and places in memory of runs with several services.
use super::super::uc;
use crate::fabric::Fabric;
use crate::Side;
use hca_golden::verbs::{Completion, Sge};
use rand_chacha::ChaCha8Rng;

/// Number of queue pairs of a side. With the smallest profile, two indices stay free.
pub(super) const QPS: u32 = 12;
/// Number of messages of a queue pair. As many receive WQEs wait for them.
pub(super) const MESSAGES: u32 = 24;
/// Number of entries of every work queue, a power of two.
pub(super) const ENTRIES: u32 = 32;
/// Length of the longest message in bytes.
pub(super) const LONGEST: u32 = 6000;
/// Distance from one message's place to the next, in bytes.
pub(super) const STRIDE: u64 = 0x2000;
/// Areas of the sources of messages, and of their targets: of a Send by its receive WQE, of a Write by its own number.
pub(super) const SOURCES: u64 = 0x1000_0000;
pub(super) const BUFFERS: u64 = 0x2000_0000;
pub(super) const TARGETS: u64 = 0x3000_0000;
/// Area of the bytes that Reads return.
pub(super) const READ: u64 = 0x4000_0000;
pub(super) const BROUGHT: u64 = 0x5000_0000;
/// Bit of `wr_id` that marks a receive WQE.
pub(super) const RECEIVE: u64 = 1 << 32;
/// Index of the first queue pair. Those before it are QP0 and QP1.
pub(super) const FIRST: u32 = 2;

pub(super) fn qpn_of(side: Side, n: u32) -> u32 {
    let own = match side {
        Side::X => 0x0A_0000,
        Side::Y => 0x0B_0000,
    };
    own | n << 8 | (n + FIRST)
}

/// Returns the number of a queue pair with this QPN.
pub(super) fn number_of(qpn: u32) -> u32 {
    qpn >> 8 & 0xFF
}

/// Returns the place of message `m` of queue pair `n` in an area.
pub(super) fn place(area: u64, n: u32, m: u32) -> u64 {
    area + u64::from(n * ENTRIES + m) * STRIDE
}

/// Returns true if a completion is that of a receive WQE.
pub(super) fn is_received(completion: &Completion) -> bool {
    completion.wr_id & RECEIVE != 0
}

/// Returns SGEs that follow each other in memory and have this many bytes together.
pub(super) fn split(random: &mut ChaCha8Rng, addr: u64, length: u32) -> Vec<Sge> {
    uc::split(random, addr, length)
}

/// Returns bytes of a side's memory.
pub(super) fn read(fabric: &mut Fabric<'_>, side: Side, addr: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    fabric.station(side).read_memory(addr, &mut bytes);
    bytes
}
