//! Addresses of the data of a case, relative to its base.
use crate::case::limits::QPS;

/// Largest length of a work request in bytes.
pub const MAX_LENGTH: u32 = 6000;
/// Distance of the areas of work requests in bytes. A long Write also uses the next two areas.
pub const AREA: u64 = 8192;
/// Number of requests of a queue pair that use different words of the peer, one after another.
const WORDS_IN_TURN: u64 = 8;
/// Number of areas of a queue pair before they are used again, and number including the room that the last may need.
const AREAS: u64 = 64;
/// Number of areas of a queue pair that are filled before the first request, so that a byte that the device wrongly
/// clears is seen. Few cases use more areas.
const FILLED: u64 = 8;
const PITCH: u64 = AREAS + 2;

/// Area of data that is sent, or read by the peer. Nothing is written here.
const SOURCES: u64 = 0x1000_0000;
/// Area of receive buffers, and of the data of Reads and atomics.
const RESULTS: u64 = 0x2000_0000;
/// Area of the targets of the peer's Writes.
const TARGETS: u64 = 0x3000_0000;
/// Area of the targets of the peer's atomics.
const WORDS: u64 = 0x4000_0000;
/// Number of bytes of an atomic's target.
const WORD: u64 = 8;

fn area(base: u64, qp: u8, count: u64) -> u64 {
    base + (u64::from(qp) * PITCH + count % AREAS) * AREA
}

/// Returns the area of the n-th work request of a queue pair.
pub fn source(qp: u8, count: u64) -> u64 {
    area(SOURCES, qp, count)
}

pub fn result(qp: u8, count: u64) -> u64 {
    area(RESULTS, qp, count)
}

pub fn target(qp: u8, count: u64) -> u64 {
    area(TARGETS, qp, count)
}

/// Returns the word of its n-th work request, which forged packets do not use.
pub fn word_in_turn(qp: u8, count: u64) -> u64 {
    word(qp, count % WORDS_IN_TURN)
}

pub fn word(qp: u8, count: u64) -> u64 {
    area(WORDS, qp, count)
}

/// Returns begin and length of the data that is sent.
pub fn all_sources() -> (u64, u64) {
    (SOURCES, u64::from(QPS) * PITCH * AREA)
}

/// Returns begin and length of the places that get bytes other than 0 before the first request: the first areas of
/// receive buffers and results, those of the targets of Writes, and each target of an atomic with the word behind it.
pub fn all_filled() -> impl Iterator<Item = (u64, u64)> {
    let areas = |of: fn(u8, u64) -> u64, qps: u8| {
        (0..qps).flat_map(move |qp| (0..FILLED).map(move |count| (of(qp, count), AREA)))
    };
    let words = all_words().map(|(word, _)| (word, 2 * WORD));
    areas(result, 2 * QPS).chain(areas(target, QPS)).chain(words)
}

/// Returns the targets of the peer's atomics with their initial values. Neighbouring values differ, and some match a
/// CompareSwap.
pub fn all_words() -> impl Iterator<Item = (u64, u64)> {
    (0..QPS).flat_map(|qp| (0..WORDS_IN_TURN).map(move |n| (word(qp, n), n % 3)))
}
