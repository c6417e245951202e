//! How many entries one read takes, against plain arithmetic.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::memory::BURST_BYTES;
use hca_rtl::queue::ReadPlan;

const ENTRY: u64 = 64;
/// Entries of one read at most.
const MOST: u64 = 8;

/// A number that is often small, and often of few bits.
fn number(rng: &mut Rng) -> u64 {
    rng.u64(..) & 0xFFFF >> rng.u32(..16)
}

#[test]
fn a_read_takes_what_is_posted_fits_and_lies_together() {
    let mut bench = Bench::without_clock(&library::<ReadPlan>("read_plan"), 1);
    let mut rng = Rng::with_seed(0x5EAD);
    let (mut reads, mut waits) = (0, 0);
    for _ in 0..200_000 {
        let entries = 1 << rng.u32(..17);
        let base = rng.u64(..1 << 40) * ENTRY;
        let position = rng.u64(..entries);
        let (posted, room) = (number(&mut rng), number(&mut rng));
        for (port, value) in [
            ("base", base),
            ("base_entry", base / ENTRY % 16),
            ("ring_mask", entries - 1),
            ("position", position),
            ("posted", posted),
            ("room", room),
        ] {
            bench.set(port, value);
        }
        bench.follow();
        let due = posted > 0 && room >= posted.min(MOST);
        assert_eq!(bench.is_set("due"), due, "{posted} posted, room for {room}");
        let low = base % (1 << 26) + position * ENTRY;
        assert_eq!(bench.get("low_address"), low);
        if !due {
            waits += 1;
            continue;
        }
        reads += 1;
        let burst = BURST_BYTES as u64;
        let in_burst = (burst - (base + position * ENTRY) % burst) / ENTRY;
        let count = MOST.min(posted).min(entries - position).min(in_burst);
        assert_eq!(
            bench.get("count"),
            count,
            "{posted} posted at {position} of {entries}"
        );
    }
    assert!(reads > 50_000 && waits > 10_000, "{reads} reads, {waits} waits");
}
