//! `VIOLATION` and `VIOLATION_DATA`.
use crate::bench::{library, Bench};
use hca_rtl::control::ViolationLatch;

const DATA: u64 = 0x1C0;
const VIOLATION: u64 = 0x1F0;

struct Rig(Bench);

impl Rig {
    fn new() -> Rig {
        let mut bench = Bench::new(&library::<ViolationLatch>("violation_latch"), 1);
        for input in ["bus_write", "word_valid", "p_key", "q_key", "bus_read_address"] {
            bench.set(input, 0);
        }
        Rig(bench)
    }

    /// True if the latch takes a violation in this clock.
    fn clock(&mut self) -> bool {
        self.0.settle();
        let takes = self.0.is_set("taken");
        self.0.tick();
        for pulse in ["bus_write", "word_valid", "p_key", "q_key"] {
            self.0.set(pulse, 0);
        }
        takes
    }

    fn copy(&mut self, words: [u64; 12]) {
        for (place, word) in (0..).zip(words) {
            self.0.set("word_valid", 1);
            self.0.set("word_place", place);
            self.0.set("word_data", word);
            assert!(!self.clock());
        }
    }

    /// Counts the packet. Returns true if the latch takes its violation.
    fn count(&mut self, key: &str) -> bool {
        self.0.set(key, 1);
        self.clock() | self.clock()
    }

    fn write(&mut self, address: u64, value: u64) {
        self.0.set("bus_write", 1);
        self.0.set("bus_write_address", address);
        self.0.set("bus_write_data", value);
    }

    fn read(&mut self, address: u64) -> u64 {
        self.0.set("bus_read_address", address);
        self.0.settle();
        self.0.get("read_data")
    }

    fn words(&mut self) -> [u64; 12] {
        std::array::from_fn(|n| self.read(DATA + 4 * n as u64))
    }
}

fn words(from: u64) -> [u64; 12] {
    std::array::from_fn(|n| from + 0x0101 * n as u64)
}

#[test]
fn the_first_that_is_counted_stays_until_it_is_released() {
    let mut rig = Rig::new();
    assert_eq!(rig.read(VIOLATION), 0);
    rig.copy(words(0x8000_0010));
    assert_eq!(rig.read(VIOLATION), 0, "not counted yet");
    assert!(rig.count("q_key"));
    assert!(rig.0.is_set("latched"));
    assert_eq!(rig.read(VIOLATION), 3);
    assert_eq!(rig.words(), words(0x8000_0010));
    // One that follows is not copied, and counts without effect.
    assert!(!rig.count("p_key"));
    assert_eq!(rig.read(VIOLATION), 3);
    // Other bits and other registers release nothing.
    rig.write(VIOLATION, 0xFFFF_FFFE);
    rig.clock();
    rig.write(DATA, 1);
    rig.clock();
    assert_eq!((rig.read(VIOLATION), rig.read(DATA)), (3, 0x8000_0010));
    rig.write(VIOLATION, 1);
    rig.clock();
    assert_eq!(rig.read(VIOLATION) & 1, 0);
    rig.copy(words(0x20));
    assert!(rig.count("p_key"));
    assert_eq!(rig.read(VIOLATION), 1);
    assert_eq!(rig.words(), words(0x20));
    for address in [0x1BC, 0x200, 0x5C0, 0x5F0] {
        assert_eq!(rig.read(address), 0, "{address:X}h");
    }
}

/// The packet was not copied, because the latch was not free then.
#[test]
fn one_that_is_counted_behind_the_release_is_not_taken() {
    let mut rig = Rig::new();
    rig.copy(words(1));
    assert!(rig.count("p_key"));
    rig.write(VIOLATION, 1);
    rig.clock();
    assert!(!rig.count("p_key"));
    assert_eq!(rig.read(VIOLATION), 0);
    rig.copy(words(2));
    rig.write(VIOLATION, 1);
    assert!(rig.count("p_key"), "a release in the clock of the count");
    assert_eq!(rig.read(VIOLATION), 1);
    // What was copied and dropped for another reason makes room for the next.
    rig.write(VIOLATION, 1);
    rig.clock();
    rig.copy(words(3));
    rig.copy(words(4));
    assert!(rig.count("p_key"));
    assert_eq!(rig.words(), words(4));
}

#[test]
fn reset_frees_the_latch() {
    let mut rig = Rig::new();
    rig.copy(words(1));
    assert!(rig.count("q_key"));
    rig.copy(words(2));
    rig.0.set("reset", 1);
    rig.clock();
    rig.0.set("reset", 0);
    assert_eq!(rig.read(VIOLATION), 0);
    assert!(!rig.count("q_key"), "nothing is copied");
}
