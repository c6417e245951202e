//! The 64-bit counters of a port (`protocol/port_counters.csv`, rows "ext").
use crate::bench::{library, Bench};
use hca_host::register::PORT_WIDE;
use hca_rtl::control::WideCounters;

/// Clocks after an event until it is counted.
const LATE: u32 = 18;
const INPUTS: [&str; 6] = [
    "departures_left", "departures_words", "departures_multicast", "counts_received", "counts_words",
    "counts_multicast",
];

struct Counters(Bench);

impl Counters {
    fn new() -> Counters {
        let mut bench = Bench::new(&library::<WideCounters>("wide_counters"), 1);
        INPUTS.into_iter().for_each(|input| bench.set(input, 0));
        Counters(bench)
    }

    fn run(&mut self, clocks: u32) {
        for _ in 0..clocks {
            self.0.settle();
            self.0.tick();
        }
    }

    /// A clock with these inputs, and those until it is counted.
    fn count(&mut self, inputs: &[(&str, u64)]) {
        for (input, value) in inputs {
            self.0.set(input, *value);
        }
        self.run(1);
        for (input, _) in inputs {
            self.0.set(input, 0);
        }
        self.run(LATE);
    }

    fn word(&mut self, n: u32) -> u64 {
        self.0.set("bus_read_address", (PORT_WIDE + 4 * n).into());
        self.0.settle();
        self.0.get("read_data")
    }

    fn all(&mut self) -> [u64; 6] {
        std::array::from_fn(|n| self.word(2 * n as u32 + 1) << 32 | self.word(2 * n as u32))
    }
}

#[test]
fn each_event_has_its_counters() {
    let mut counters = Counters::new();
    counters.run(LATE);
    assert_eq!(counters.all(), [0; 6]);
    counters.count(&[("departures_left", 1), ("departures_words", 72)]);
    assert_eq!(counters.all(), [72, 0, 1, 0, 0, 0]);
    counters.count(&[("counts_received", 1), ("counts_words", 9)]);
    assert_eq!(counters.all(), [72, 9, 1, 1, 0, 0]);
    counters.count(&[
        ("departures_left", 1),
        ("departures_words", 1055),
        ("departures_multicast", 1),
    ]);
    assert_eq!(counters.all(), [1127, 9, 2, 1, 1, 0]);
    counters.count(&[
        ("counts_received", 1),
        ("counts_words", 30),
        ("counts_multicast", 1),
    ]);
    assert_eq!(counters.all(), [1127, 39, 2, 2, 1, 1]);
    // What stands beside no event.
    let beside = [
        "departures_words", "departures_multicast", "counts_words", "counts_multicast",
    ];
    counters.count(&beside.map(|input| (input, 1)));
    assert_eq!(counters.all(), [1127, 39, 2, 2, 1, 1]);
    for other in [PORT_WIDE - 4, PORT_WIDE + 64, PORT_WIDE + 0x400] {
        counters.0.set("bus_read_address", other.into());
        counters.0.settle();
        assert_eq!(counters.0.get("read_data"), 0);
    }
}

/// An event every clock, whatever counter has its turn, and all of them at once.
#[test]
fn no_event_is_lost() {
    let mut counters = Counters::new();
    for clocks in 1..=40 {
        let before = counters.all();
        INPUTS.into_iter().for_each(|input| counters.0.set(input, 1));
        counters.0.set("departures_words", 2047);
        counters.0.set("counts_words", 2046);
        counters.run(clocks);
        INPUTS.into_iter().for_each(|input| counters.0.set(input, 0));
        counters.run(LATE);
        let clocks = u64::from(clocks);
        let more = [2047 * clocks, 2046 * clocks, clocks, clocks, clocks, clocks];
        assert_eq!(counters.all(), std::array::from_fn(|n| before[n] + more[n]));
    }
}

/// A count passes 2^32, and software that reads high, low and high word, four clocks apart or more, sees no count that
/// never was.
#[test]
fn a_count_passes_32_bits() {
    let mut counters = Counters::new();
    counters.0.set("departures_left", 1);
    counters.0.set("departures_words", 2047);
    // 2047 * 2_098_176 = 2^32 - 1024.
    counters.run(2_098_000);
    let mut seen: Vec<[u64; 2]> = vec![];
    for _ in 0..300 {
        counters.run(1);
        seen.push([counters.word(1), counters.word(0)]);
    }
    counters.0.set("departures_left", 0);
    counters.run(LATE);
    let total = 2047 * 2_098_300;
    assert_eq!(counters.all(), [total, 0, 2_098_300, 0, 0, 0]);
    assert_eq!((seen[0][0], seen[299][0]), (0, 1));
    for gap in 4..20 {
        let reads = |n: usize| match (seen[n][0], seen[n + 2 * gap][0]) {
            (before, after) if before == after => before << 32 | seen[n + gap][1],
            (_, after) => after << 32,
        };
        let counts: Vec<u64> = (0..300 - 2 * gap).map(reads).collect();
        assert!(counts.is_sorted(), "{gap} clocks");
        assert!(counts
            .iter()
            .all(|count| (total - 700_000..=total).contains(count)));
    }
}

#[test]
fn a_reset_clears_what_the_memory_keeps() {
    let mut counters = Counters::new();
    let sent = [("departures_left", 1), ("departures_words", 5)];
    counters.count(&sent);
    assert_eq!(counters.all(), [5, 0, 1, 0, 0, 0]);
    counters.0.set("departures_left", 1);
    counters.0.set("departures_words", 5);
    counters.run(3);
    counters.0.set("reset", 1);
    counters.run(1);
    counters.0.set("reset", 0);
    counters.0.set("departures_left", 0);
    assert_eq!(counters.all(), [0; 6]);
    counters.run(2 * LATE);
    assert_eq!(counters.all(), [0; 6]);
    counters.count(&sent);
    assert_eq!(counters.all(), [5, 0, 1, 0, 0, 0]);
}
