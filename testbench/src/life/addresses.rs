//! What the small numbers of a life stand for, and where its data is.
use hca_golden::verbs::{MemoryAccess, MemoryRegion};

/// Queue pairs of a life, on each side; those of the same number are each other's peers.
pub const QPS: u8 = 3;
/// Completion queues.
pub const CQS: u8 = 3;
/// Memory regions; 0 stands from the start.
pub const REGIONS: u8 = 3;

/// Bytes that a work request may have.
pub const MAX_LENGTH: u32 = 6000;
/// Room of a work request.
pub const AREA: u64 = 8192;
/// Requests of a queue pair that name its peer's words, one after the other.
const WORDS_IN_TURN: u64 = 8;
/// Areas of a queue pair before they come again.
const AREAS: u64 = 64;

/// Data that is sent, and read by the peer: nothing writes here.
const SOURCES: u64 = 0x1000_0000;
/// Receive buffers, and what Reads and atomics bring.
const RESULTS: u64 = 0x2000_0000;
/// What the peer writes.
const TARGETS: u64 = 0x3000_0000;
/// Targets of the peer's atomics.
const WORDS: u64 = 0x4000_0000;

fn area(base: u64, qp: u8, count: u64) -> u64 {
    base + (u64::from(qp) * AREAS + count % AREAS) * AREA
}

/// Of the n-th work request of a queue pair.
pub fn source(qp: u8, count: u64) -> u64 {
    area(SOURCES, qp, count)
}

pub fn result(qp: u8, count: u64) -> u64 {
    area(RESULTS, qp, count)
}

pub fn target(qp: u8, count: u64) -> u64 {
    area(TARGETS, qp, count)
}

/// The word of its n-th work request that is none of the forger's.
pub fn word_in_turn(qp: u8, count: u64) -> u64 {
    word(qp, count % WORDS_IN_TURN)
}

pub fn word(qp: u8, count: u64) -> u64 {
    area(WORDS, qp, count)
}

/// All that is sent lies from here.
pub fn all_sources() -> (u64, u64) {
    (SOURCES, u64::from(QPS) * AREAS * AREA)
}

/// Where the peer's atomics go, and what stands there at first: neighbours differ, and some are what a CompareSwap looks for.
pub fn all_words() -> impl Iterator<Item = (u64, u64)> {
    (0..QPS).flat_map(|qp| (0..WORDS_IN_TURN).map(move |n| (word(qp, n), n % 3)))
}

/// The QPN of a queue pair that was made so many times: no two are alike, and the index is the same in all profiles.
pub fn qpn(qp: u8, times: u32) -> u32 {
    (u32::from(qp) + 2) | (times & 0xFFFF) << 8
}

/// Keys of a region that was registered so many times.
pub fn keys(region: u8, times: u32) -> (u32, u32) {
    let entry = (u32::from(region) + 1) << 8;
    let tag = times & 0x7F;
    (0x5100_0000 | entry | tag, 0xA200_0080 | entry | tag)
}

/// All memory. Region 0 permits everything, 1 no remote access, 2 is of another protection domain.
pub fn region(region: u8, times: u32) -> MemoryRegion {
    let (l_key, r_key) = keys(region, times);
    let remote = region != 1;
    MemoryRegion {
        l_key,
        r_key,
        pd: u32::from(region == 2),
        base: 0,
        length: u64::MAX,
        access: MemoryAccess {
            local_write: true,
            remote_write: remote,
            remote_read: remote,
            remote_atomic: remote,
        },
        zero_based: false,
    }
}
