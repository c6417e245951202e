//! The register block behind its AXI4-Lite port: the words of commands and the packet counters, against plain arrays.
use crate::bench::{library_of, Bench};
use fastrand::Rng;
use hca_host::register as map;
use hca_rtl::control::Registers;
use hca_sim::verilated::Library;

/// Clocks after which a drop counts.
const COUNTED: usize = 8;
const WORDS: usize = map::ARGUMENT_COUNT as usize;
/// Those that engines see all at once.
const ROW: usize = 24;
const REASONS: usize = map::DROPPED_COUNT as usize;
/// Who drops packets.
const SOURCES: [&str; 3] = ["link", "responder", "requester"];

pub fn registers() -> Library {
    library_of(Registers::new(0, 0, false, 1), "registers")
}

/// The block, and software at its port.
pub struct Host {
    pub bench: Bench,
}

impl Host {
    pub fn new(library: &Library, seed: u64) -> Host {
        let mut bench = Bench::without_clock(library, seed);
        for input in [
            "axil_awvalid", "axil_wvalid", "axil_arvalid", "answer_valid", "command_done", "doorbell_ready",
            "cq_doorbell_ready", "event_written", "host_memory_failed", "packets_received", "packets_sent",
            "port_changing", "port_read_data", "link_drop_valid", "responder_drop_valid",
            "requester_drop_valid",
        ] {
            bench.set(input, 0);
        }
        bench.set("axil_bready", 1);
        bench.set("axil_rready", 1);
        let mut host = Host { bench };
        host.reset();
        host
    }

    fn reset(&mut self) {
        self.bench.set("reset", 1);
        for _ in 0..16 {
            self.clock();
        }
        self.bench.set("reset", 0);
    }

    fn clock(&mut self) {
        self.bench.settle();
        self.bench.tick();
    }

    /// Clocks until this is up, its clock included.
    fn until(&mut self, name: &str) {
        for _ in 0..20 {
            self.bench.settle();
            let there = self.bench.is_set(name);
            self.bench.tick();
            if there {
                return;
            }
        }
        panic!("{name} never comes");
    }

    pub fn write(&mut self, address: u32, value: u32) {
        self.bench.set("axil_awaddr", address.into());
        self.bench.set("axil_wdata", value.into());
        self.bench.set("axil_awvalid", 1);
        self.bench.set("axil_wvalid", 1);
        self.until("axil_awready");
        self.bench.set("axil_awvalid", 0);
        self.bench.set("axil_wvalid", 0);
        self.until("axil_bvalid");
    }

    pub fn read(&mut self, address: u32) -> u32 {
        self.bench.set("axil_araddr", address.into());
        self.bench.set("axil_arvalid", 1);
        self.until("axil_arready");
        self.bench.set("axil_arvalid", 0);
        for _ in 0..20 {
            self.bench.settle();
            let value = self
                .bench
                .is_set("axil_rvalid")
                .then(|| self.bench.get("axil_rdata") as u32);
            self.bench.tick();
            if let Some(value) = value {
                return value;
            }
        }
        panic!("no answer to the read of {address:05X}h");
    }

    /// One word of a command's answer.
    fn answer(&mut self, n: usize, word: u32) {
        self.bench.set("answer_valid", 1);
        self.bench.set("answer_index", n as u64);
        self.bench.set("answer", word.into());
        self.clock();
        self.bench.set("answer_valid", 0);
    }

    /// The words as software reads them, as the command reads them, and as the engines see them are these.
    fn has_words(&mut self, words: &[u32; WORDS]) {
        for (n, word) in words.iter().enumerate() {
            assert_eq!(self.read(map::ARGUMENT + 4 * n as u32), *word, "word {n} as read");
            self.bench.set("argument_index", n as u64);
            self.bench.settle();
            assert_eq!(self.bench.get("argument"), u64::from(*word), "argument {n}");
        }
        let row = self.bench.bytes("arguments");
        let row: Vec<u32> = row
            .chunks(4)
            .rev()
            .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
            .collect();
        assert_eq!(row, words[..ROW], "row");
    }
}

/// A word has what was put there last, by software between commands or by the command; the other words have not.
#[test]
fn every_word_is_the_same_to_software_command_and_engines() {
    let library = registers();
    let mut rng = Rng::with_seed(0xA26);
    let mut host = Host::new(&library, 1);
    let mut words = [0; WORDS];
    for (n, word) in words.iter_mut().enumerate() {
        *word = rng.u32(..);
        host.write(map::ARGUMENT + 4 * n as u32, *word);
    }
    host.has_words(&words);
    for _ in 0..150 {
        let code = rng.u32(..);
        host.write(map::COMMAND, code);
        host.bench.settle();
        assert!(host.bench.is_set("command_valid"));
        assert_eq!(host.bench.get("command"), u64::from(code));
        assert_eq!(host.read(map::COMMAND_STATUS) >> 31, 1, "busy");
        for _ in 0..rng.usize(..4) {
            let n = rng.usize(..WORDS);
            words[n] = rng.u32(..);
            host.answer(n, words[n]);
            host.write(map::ARGUMENT + 4 * rng.u32(..WORDS as u32), rng.u32(..));
        }
        host.has_words(&words);
        let result = rng.u8(..);
        host.bench.set("command_result", result.into());
        host.bench.set("command_done", 1);
        host.clock();
        host.bench.set("command_done", 0);
        assert_eq!(host.read(map::COMMAND_STATUS), result.into());
        for _ in 0..rng.usize(..3) {
            let n = rng.usize(..WORDS);
            words[n] = rng.u32(..);
            host.write(map::ARGUMENT + 4 * n as u32, words[n]);
        }
        host.has_words(&words);
    }
}

struct Counts {
    received: u32,
    sent: u32,
    dropped: [u32; REASONS],
}

impl Default for Counts {
    fn default() -> Counts {
        Counts {
            received: 0,
            sent: 0,
            dropped: [0; REASONS],
        }
    }
}

impl Host {
    fn counts(&mut self) -> Counts {
        let count = |host: &mut Host, n| host.read(map::DROPPED + 4 * n as u32);
        Counts {
            received: self.read(map::PACKETS_RECEIVED),
            sent: self.read(map::PACKETS_SENT),
            dropped: std::array::from_fn(|n| count(self, n)),
        }
    }

    /// So many packets in the next clock.
    fn number(&mut self, name: &str, number: u32) -> u32 {
        self.bench.set(name, number.into());
        number
    }

    /// One of a packet for the next clock, or none.
    fn pulse(&mut self, name: &str, up: bool) -> u32 {
        self.bench.set(name, up.into());
        up.into()
    }

    /// Once no more packets come.
    fn has_counts(&mut self, expected: &Counts) {
        self.number("packets_received", 0);
        self.number("packets_sent", 0);
        for source in SOURCES {
            self.pulse(&format!("{source}_drop_valid"), false);
        }
        for _ in 0..COUNTED {
            self.clock();
        }
        let counts = self.counts();
        assert_eq!(counts.dropped, expected.dropped, "by reason");
        assert_eq!((counts.received, counts.sent), (expected.received, expected.sent));
        let total = expected.dropped.iter().sum();
        assert_eq!(self.read(map::PACKETS_DROPPED), total, "all that were dropped");
    }
}

/// Each of three sources may drop a packet in every clock, for any reason; a count is of its reason alone, and 0 after
/// a reset, whatever its memory holds.
#[test]
fn packets_are_counted_by_what_became_of_them() {
    let library = registers();
    let mut rng = Rng::with_seed(0xD209);
    let mut host = Host::new(&library, 2);
    for _ in 0..4 {
        let mut counts = Counts::default();
        host.has_counts(&counts);
        for round in 0..60 {
            // One reason alone, then any of a few, then any.
            let reasons: Vec<u8> = match round {
                0..32 => vec![round],
                32..46 => (0..3).map(|_| rng.u8(..REASONS as u8)).collect(),
                _ => (0..REASONS as u8).collect(),
            };
            let often = rng.u8(1..=4);
            for _ in 0..rng.usize(1..30) {
                let up = |rng: &mut Rng| rng.u8(..4) < often;
                let number = |rng: &mut Rng| u32::from(up(rng)) + u32::from(up(rng));
                counts.received += host.number("packets_received", number(&mut rng));
                counts.sent += host.number("packets_sent", number(&mut rng));
                for source in SOURCES {
                    let dropped = host.pulse(&format!("{source}_drop_valid"), up(&mut rng));
                    let reason = reasons[rng.usize(..reasons.len())];
                    host.bench.set(&format!("{source}_drop_reason"), reason.into());
                    counts.dropped[usize::from(reason)] += dropped;
                }
                host.clock();
            }
            host.has_counts(&counts);
        }
        host.reset();
    }
}

impl Host {
    /// Each source drops a packet for its reason in this clock. Counts them.
    fn floods(&mut self, reasons: [u8; 3], counts: &mut Counts) {
        for (source, reason) in SOURCES.iter().zip(reasons) {
            self.pulse(&format!("{source}_drop_valid"), true);
            self.bench.set(&format!("{source}_drop_reason"), reason.into());
            counts.dropped[usize::from(reason)] += 1;
        }
    }
}

/// The reads take turns from the reasons, and a reason's count grows by three in every clock.
#[test]
fn a_flood_of_drops_is_counted_while_software_reads() {
    let library = registers();
    let mut rng = Rng::with_seed(0xF100D);
    let mut host = Host::new(&library, 3);
    let mut counts = Counts::default();
    for _ in 0..4 {
        let reason = rng.u8(..REASONS as u8);
        host.bench.set("axil_arvalid", 1);
        for _ in 0..2_000 {
            host.floods([reason; 3], &mut counts);
            let read = rng.usize(..REASONS) as u32;
            host.bench.set("axil_araddr", (map::DROPPED + 4 * read).into());
            host.clock();
        }
        host.bench.set("axil_arvalid", 0);
        host.has_counts(&counts);
    }
}

/// A source that drops only in the clocks in which software reads loses none: the turn waits.
#[test]
fn drops_beside_reads_alone_are_counted() {
    let library = registers();
    let mut host = Host::new(&library, 4);
    let mut counts = Counts::default();
    for delay in 0..4 {
        for _ in 0..700 {
            host.bench.set("axil_araddr", (map::DROPPED + 4 * 9).into());
            host.bench.set("axil_arvalid", 1);
            for clock in 0..4 {
                match clock == delay {
                    true => host.floods([7; 3], &mut counts),
                    false => SOURCES.iter().for_each(|source| {
                        host.pulse(&format!("{source}_drop_valid"), false);
                    }),
                }
                host.clock();
            }
        }
        host.bench.set("axil_arvalid", 0);
        host.has_counts(&counts);
    }
}

/// From the first clock after a reset on, software reads what was dropped since, not what the memory still holds.
#[test]
fn a_count_of_before_a_reset_is_never_read() {
    let library = registers();
    let mut host = Host::new(&library, 5);
    for _ in 0..3 {
        host.reset();
        let mut before = Counts::default();
        for clock in 0..20 * REASONS {
            host.floods([(clock % REASONS) as u8; 3], &mut before);
            host.clock();
        }
        host.has_counts(&before);
        host.reset();
        let mut counts = Counts::default();
        host.has_counts(&counts);
        // The reads between the drops see every place of the first round.
        for _ in 0..80 {
            host.floods([7; 3], &mut counts);
            host.clock();
            for source in SOURCES {
                host.pulse(&format!("{source}_drop_valid"), false);
            }
            for reason in [0, 6, 8, REASONS as u32 - 1] {
                assert_eq!(host.read(map::DROPPED + 4 * reason), 0, "reason {reason}");
            }
            assert_eq!(host.read(map::DROPPED + 4 * 7), counts.dropped[7], "reason 7");
        }
        host.has_counts(&counts);
    }
}

/// A read that is offered while the data of the one before it are not taken waits.
#[test]
fn a_second_address_waits_until_the_first_data_are_taken() {
    let mut host = Host::new(&registers(), 4);
    host.write(map::ARGUMENT, 0x1111);
    host.write(map::ARGUMENT + 4, 0x2222);
    host.bench.set("axil_rready", 0);
    host.bench.set("axil_araddr", map::ARGUMENT.into());
    host.bench.set("axil_arvalid", 1);
    host.until("axil_arready");
    host.bench.set("axil_araddr", u64::from(map::ARGUMENT) + 4);
    for clock in 0..10 {
        host.bench.settle();
        assert!(!host.bench.is_set("axil_arready"), "clock {clock}");
        host.bench.tick();
    }
    host.bench.set("axil_rready", 1);
    host.bench.settle();
    assert!(host.bench.is_set("axil_rvalid"));
    assert_eq!(host.bench.get("axil_rdata"), 0x1111);
    host.bench.tick();
    assert_eq!(host.read(map::ARGUMENT + 4), 0x2222);
}
