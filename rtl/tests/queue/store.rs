//! Work queue entries as they come from host memory, at both sizes and for both queues.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::queue::WqeStore;
use hca_sim::verilated::Library;
use std::collections::{HashMap, VecDeque};

const QPS: u64 = 16;
const BYTES: usize = 64;

/// A read under way.
struct Read {
    index: u64,
    end: u16,
    count: u16,
    epoch: u64,
    /// What the beats bring, and those that host memory does not give.
    bytes: Vec<u8>,
    fails: Vec<bool>,
    beats: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    bytes: Vec<u8>,
    failed: bool,
}

/// Entries are where they belong, whatever else comes between, and one that is held stays.
fn run(library: &Library, slots: u16, bus_bytes: usize, holds: bool) {
    let mut bench = Bench::new(library, 1);
    for input in [
        "issue_valid", "data_valid", "data_last", "data_error", "read_hold",
    ] {
        bench.set(input, 0);
    }
    let mut rng = Rng::with_seed(0x3704);
    let mut ends: Vec<u16> = (0..QPS).map(|_| rng.u16(..)).collect();
    let mut reads: VecDeque<Read> = VecDeque::new();
    let mut entries: HashMap<(u64, u16), Entry> = HashMap::new();
    let mut shown: Option<Entry> = None;
    let mut landed = 0;
    for clock in 0..30_000 {
        let index = rng.u64(0..QPS);
        let count = rng.u16(1..9);
        let end = ends[index as usize].wrapping_add(count);
        let issues = rng.u8(0..8) == 0;
        let epoch = rng.u64(0..16);
        bench.set("issue_valid", issues.into());
        bench.set("issue_index", index);
        bench.set("issue_end", end.into());
        bench.set("issue_count", count.into());
        bench.set("issue_epoch", epoch);
        let comes = !reads.is_empty() && rng.u8(0..4) != 0;
        bench.set("data_valid", comes.into());
        let (mut last, mut first_failed) = (false, None);
        if let Some(read) = reads.front().filter(|_| comes) {
            let mut beat = read.bytes[read.beats * bus_bytes..][..bus_bytes].to_vec();
            beat.reverse();
            bench.set_bytes("data", &beat);
            last = (read.beats + 1) * bus_bytes == read.bytes.len();
            bench.set("data_error", read.fails[read.beats].into());
            first_failed = read.fails[..=read.beats].iter().position(|fails| *fails);
        }
        bench.set("data_last", last.into());
        // An entry that comes in is not looked at.
        let (of, slot) = (rng.u64(0..QPS), rng.u16(0..slots));
        let comes_in = |read: &Read| {
            let first = read.end.wrapping_sub(read.count);
            read.index == of && slot.wrapping_sub(first) % slots < read.count
        };
        let looked_at = (!reads.iter().any(comes_in))
            .then(|| entries.get(&(of, slot)).cloned())
            .flatten();
        let hold = holds && rng.bool();
        bench.set("read_index", of);
        bench.set("read_slot", slot.into());
        bench.set("read_hold", hold.into());
        bench.settle();

        if let Some(entry) = &shown {
            let mut bytes = bench.bytes("wqe");
            bytes.reverse();
            assert_eq!(bytes, entry.bytes, "clock {clock}");
            assert_eq!(bench.is_set("wqe_failed"), entry.failed, "clock {clock}");
        }
        assert_eq!(bench.is_set("landed_valid"), last, "clock {clock}");
        if last {
            let read = reads.front().expect("its last beat is here");
            assert_eq!(bench.get("landed_index"), read.index);
            assert_eq!(bench.get("landed_end"), u64::from(read.end));
            assert_eq!(bench.get("landed_epoch"), read.epoch);
            assert_eq!(bench.is_set("landed_failed"), first_failed.is_some());
            if let Some(beat) = first_failed {
                let entry = (beat * bus_bytes / BYTES) as u16;
                let slot = read.end.wrapping_sub(read.count).wrapping_add(entry) % slots;
                assert_eq!(bench.get("landed_failed_slot"), u64::from(slot));
            }
            landed += 1;
        }
        let taken = issues && bench.is_set("issue_ready");
        bench.tick();

        if !hold {
            shown = looked_at;
        }
        if comes {
            let read = reads.front_mut().expect("a beat of it came");
            read.beats += 1;
            let got = read.beats * bus_bytes;
            if got.is_multiple_of(BYTES) {
                let number = got / BYTES - 1;
                let first = read.end.wrapping_sub(read.count);
                let beats = number * BYTES / bus_bytes..read.beats;
                let entry = Entry {
                    bytes: read.bytes[number * BYTES..got].to_vec(),
                    failed: read.fails[beats].contains(&true),
                };
                entries.insert((read.index, first.wrapping_add(number as u16) % slots), entry);
            }
            if last {
                reads.pop_front();
            }
        }
        if taken {
            ends[index as usize] = end;
            let size = usize::from(count) * BYTES;
            reads.push_back(Read {
                index,
                end,
                count,
                epoch,
                bytes: (0..size).map(|_| rng.u8(..)).collect(),
                fails: (0..size / bus_bytes).map(|_| rng.u8(0..60) == 0).collect(),
                beats: 0,
            });
        }
    }
    assert!(landed > 500, "{landed} landed");
}

#[test]
fn send_queue_entries() {
    run(&library::<WqeStore<4, 6, 10, 128, 4>>("wqe_store"), 64, 16, true);
}

/// Who reads them holds none.
#[test]
fn receive_queue_entries() {
    run(&library::<WqeStore<4, 5, 9, 128, 4>>("wqe_store"), 32, 16, false);
}
