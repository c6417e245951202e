//! Where the data of a life is, from the base of all.
use crate::case::limits::QPS;

/// Bytes that a work request may have.
pub const MAX_LENGTH: u32 = 6000;
/// Room of a work request; a long Write takes that of the next two as well.
pub const AREA: u64 = 8192;
/// Requests of a queue pair that name its peer's words, one after the other.
const WORDS_IN_TURN: u64 = 8;
/// Areas of a queue pair before they come again, and with what the last may take.
const AREAS: u64 = 64;
const PITCH: u64 = AREAS + 2;

/// Data that is sent, and read by the peer: nothing writes here.
const SOURCES: u64 = 0x1000_0000;
/// Receive buffers, and what Reads and atomics bring.
const RESULTS: u64 = 0x2000_0000;
/// What the peer writes.
const TARGETS: u64 = 0x3000_0000;
/// Targets of the peer's atomics.
const WORDS: u64 = 0x4000_0000;

fn area(base: u64, qp: u8, count: u64) -> u64 {
    base + (u64::from(qp) * PITCH + count % AREAS) * AREA
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
    (SOURCES, u64::from(QPS) * PITCH * AREA)
}

/// Where the peer's atomics go, and what stands there at first: neighbours differ, and some are what a CompareSwap looks for.
pub fn all_words() -> impl Iterator<Item = (u64, u64)> {
    (0..QPS).flat_map(|qp| (0..WORDS_IN_TURN).map(move |n| (word(qp, n), n % 3)))
}
