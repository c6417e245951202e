//! VL arbitration (`protocol/link.md` section 6).
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::link::VlArbiter;

/// VL and weight of each entry.
type Table = [(u64, u64); 8];

const EMPTY: Table = [(0, 0); 8];

struct Arbiter(Bench);

impl Arbiter {
    fn new(high: Table, low: Table, limit: u64) -> Arbiter {
        let mut bench = Bench::new(&library::<VlArbiter>("vl_arbiter"), 1);
        for input in ["starts", "arbitration_anew", "eligible"] {
            bench.set(input, 0);
        }
        let mut arbiter = Arbiter(bench);
        arbiter.set(high, low, limit);
        arbiter
    }

    fn set(&mut self, high: Table, low: Table, limit: u64) {
        for (name, table) in [("arbitration_high", high), ("arbitration_low", low)] {
            let joined = table.iter().rev().fold(0u128, |all, (vl, weight)| {
                all << 12 | u128::from(vl << 8 | weight)
            });
            self.0.set_bytes(name, &joined.to_le_bytes()[..12]);
        }
        self.0.set("arbitration_limit", limit);
        self.0.set("arbitration_anew", 1);
        self.tick();
        self.0.set("arbitration_anew", 0);
    }

    fn tick(&mut self) {
        self.0.settle();
        self.0.tick();
    }

    /// The VL that is chosen, if one is, among those that may start.
    fn chosen(&mut self, eligible: u64) -> Option<u64> {
        self.0.set("eligible", eligible);
        self.tick();
        self.0.settle();
        self.0.is_set("valid").then(|| self.0.get("vl"))
    }

    /// Starts a packet of so many blocks by the choice that stands.
    fn start(&mut self, blocks: u64) {
        self.0.set("blocks", blocks);
        self.0.set("starts", 1);
        self.tick();
        self.0.set("starts", 0);
        for _ in 0..2 {
            self.0.settle();
            assert!(!self.0.is_set("valid"), "a choice by what was");
            self.0.tick();
        }
    }

    /// The VLs of so many packets, all VLs having such packets.
    fn sequence(&mut self, packets: usize, eligible: u64, blocks: u64) -> Vec<u64> {
        let next = |_| {
            let vl = self.chosen(eligible).expect("a VL has its turn");
            self.start(blocks);
            vl
        };
        (0..packets).map(next).collect()
    }
}

fn table(entries: &[(u64, u64)]) -> Table {
    let mut table = EMPTY;
    table[..entries.len()].copy_from_slice(entries);
    table
}

/// CF269, CF461: weights of 0, and VLs without packets.
#[test]
fn entries_without_weight_or_packets_are_skipped() {
    let mut arbiter = Arbiter::new(EMPTY, table(&[(0, 0), (1, 1), (2, 1), (3, 0), (0, 1)]), 0);
    assert_eq!(arbiter.sequence(6, 0b1111, 1), [1, 2, 0, 1, 2, 0]);
    assert_eq!(arbiter.sequence(4, 0b1010, 1), [1, 1, 1, 1]);
    assert_eq!(arbiter.chosen(0b1000), None);
    assert_eq!(arbiter.chosen(0), None);
}

/// No entry of a VL above 14 sends an SMP.
#[test]
fn vl_15_has_no_entry() {
    let mut arbiter = Arbiter::new(table(&[(15, 9)]), table(&[(15, 9), (1, 1)]), 255);
    assert_eq!(arbiter.sequence(3, 0b10, 1), [1, 1, 1]);
}

/// The last packet of a turn may exceed the weight.
#[test]
fn an_entry_sends_while_it_has_sent_less_than_its_weight() {
    let mut arbiter = Arbiter::new(EMPTY, table(&[(0, 4), (1, 5)]), 0);
    assert_eq!(arbiter.sequence(8, 0b11, 2), [0, 0, 1, 1, 1, 0, 0, 1]);
    // One that is left begins anew.
    arbiter.set(EMPTY, table(&[(0, 4), (1, 1)]), 0);
    assert_eq!(arbiter.sequence(1, 0b11, 3), [0]);
    assert_eq!(arbiter.sequence(1, 0b10, 1), [1]);
    assert_eq!(arbiter.sequence(3, 0b11, 3), [0, 0, 1]);
}

#[test]
fn a_vl_may_have_several_entries() {
    let mut arbiter = Arbiter::new(EMPTY, table(&[(0, 1), (1, 1), (0, 2)]), 0);
    assert_eq!(arbiter.sequence(8, 0b11, 1), [0, 1, 0, 0, 0, 1, 0, 0]);
}

/// CF279: after one packet of the high table one of the low.
#[test]
fn a_limit_of_0_is_one_packet() {
    let mut arbiter = Arbiter::new(table(&[(0, 255)]), table(&[(1, 255)]), 0);
    assert_eq!(arbiter.sequence(6, 0b11, 66), [0, 1, 0, 1, 0, 1]);
    assert_eq!(arbiter.sequence(6, 0b11, 1), [0, 1, 0, 1, 0, 1]);
}

/// CF280.
#[test]
fn a_limit_of_255_lets_the_low_table_starve() {
    let mut arbiter = Arbiter::new(table(&[(0, 1)]), table(&[(1, 255)]), 255);
    assert_eq!(arbiter.sequence(3_000, 0b11, 66), [0; 3_000]);
    // CF281.
    assert_eq!(arbiter.sequence(3, 0b10, 66), [1; 3]);
}

/// CF268: one packet of the low table behind `limit` times 64 blocks of the high one.
#[test]
fn within_the_limit_the_high_table_goes_first() {
    for (limit, blocks, high) in [(1, 1, 64), (1, 64, 1), (1, 33, 2), (3, 64, 3), (254, 64, 254)] {
        let mut arbiter = Arbiter::new(table(&[(0, 7)]), table(&[(1, 255)]), limit);
        let mut expected = vec![0; high];
        expected.push(1);
        let twice = [expected.clone(), expected].concat();
        assert_eq!(
            arbiter.sequence(twice.len(), 0b11, blocks),
            twice,
            "limit {limit}"
        );
    }
}

/// A limit that is used up waits for the low table, however long the high one sends alone.
#[test]
fn the_limit_is_reloaded_by_the_low_table_alone() {
    let mut arbiter = Arbiter::new(table(&[(0, 7)]), table(&[(1, 255)]), 1);
    assert_eq!(arbiter.sequence(20, 0b01, 60), [0; 20]);
    assert_eq!(arbiter.sequence(4, 0b11, 60), [1, 0, 0, 1]);
}

/// The rules of section 6, one after the other.
struct Rules {
    tables: [Table; 2],
    limit: u64,
    current: [usize; 2],
    used: [u64; 2],
    left: u64,
}

impl Rules {
    fn whole(limit: u64) -> u64 {
        (64 * limit).max(1)
    }

    /// The entry of a table, and whether its turn goes on.
    fn entry(&self, of: usize, eligible: u64) -> Option<(usize, bool)> {
        let may = |n: usize| {
            let (vl, weight) = self.tables[of][n];
            weight > 0 && vl < 15 && eligible >> vl & 1 == 1
        };
        let now = self.current[of];
        if may(now) && self.used[of] < self.tables[of][now].1 {
            return Some((now, true));
        }
        (1..=8)
            .map(|n| (now + n) % 8)
            .find(|n| may(*n))
            .map(|n| (n, false))
    }

    fn next(&mut self, eligible: u64, blocks: u64) -> Option<u64> {
        let both = [0, 1].map(|of| self.entry(of, eligible));
        let high_first = self.limit == 255 || self.left > 0;
        let of = match both {
            [None, None] => return None,
            [Some(_), Some(_)] if !high_first => 1,
            [Some(_), _] => 0,
            _ => 1,
        };
        let (entry, goes_on) = both[of].expect("it has an entry");
        self.used[of] = if goes_on { self.used[of] + blocks } else { blocks };
        self.current[of] = entry;
        self.left = match of {
            0 => self.left.saturating_sub(blocks),
            _ => Rules::whole(self.limit),
        };
        Some(self.tables[of][entry].0)
    }
}

/// Tables, limits, packets and VLs at random.
#[test]
fn every_choice_is_that_of_the_rules() {
    let mut rng = Rng::with_seed(268);
    let mut arbiter = Arbiter::new(EMPTY, EMPTY, 0);
    let (mut chosen, mut none) = (0, 0);
    for _ in 0..300 {
        let mut draw = || -> Table {
            let most = [1, 4, 255][rng.usize(..3)];
            std::array::from_fn(|_| (rng.u64(..16), rng.u64(..=most) * rng.u64(..2)))
        };
        let tables = [draw(), draw()];
        let limit = [0, 1, 2, 254, 255, rng.u64(..256)][rng.usize(..6)];
        arbiter.set(tables[0], tables[1], limit);
        let mut rules = Rules {
            tables,
            limit,
            current: [0; 2],
            used: [0; 2],
            left: Rules::whole(limit),
        };
        for _ in 0..200 {
            let eligible = (rng.u64(..1 << 15) | (rng.u64(..1 << 15) * rng.u64(..2))) & 0x7FFF;
            let blocks = rng.u64(1..=66);
            let actual = arbiter.chosen(eligible);
            assert_eq!(
                actual,
                rules.next(eligible, blocks),
                "{:?}, {limit}",
                rules.tables
            );
            if actual.is_some() {
                arbiter.start(blocks);
                chosen += 1;
            } else {
                none += 1;
            }
        }
    }
    assert!(chosen > 20_000 && none > 500, "{chosen}, {none}");
}

/// CF270: shares of two VLs that always have packets, within one packet an entry and round.
#[test]
fn shares_follow_the_weights() {
    let mut rng = Rng::with_seed(270);
    for (first, second) in [(1, 1), (10, 30), (64, 192), (255, 100)] {
        let mut arbiter = Arbiter::new(EMPTY, table(&[(0, first), (1, second)]), 0);
        let mut sent = [0, 0];
        let mut rounds = [0, 0];
        let mut last = 2;
        for _ in 0..4_000 {
            let blocks = rng.u64(1..=66);
            let vl = arbiter.chosen(0b11).expect("both have packets") as usize;
            arbiter.start(blocks);
            sent[vl] += blocks;
            rounds[vl] += u64::from(vl != last);
            last = vl;
        }
        for (vl, weight) in [first, second].into_iter().enumerate() {
            let range = weight * (rounds[vl] - 1)..=(weight + 65) * rounds[vl];
            assert!(
                range.contains(&sent[vl]),
                "VL {vl}: {} in {} rounds",
                sent[vl],
                rounds[vl]
            );
        }
        assert!(rounds[0].abs_diff(rounds[1]) <= 1);
    }
}

/// Counts what each entry of a table sends. No two neighbouring entries have the same VL, so that a change of VL is the
/// next entry.
struct Shares {
    table: Table,
    entry: usize,
    sent: [u64; 8],
    turns: [u64; 8],
}

impl Shares {
    fn new(table: Table) -> Shares {
        // The first packet begins a turn.
        Shares {
            table,
            entry: 7,
            sent: [0; 8],
            turns: [0; 8],
        }
    }

    fn add(&mut self, vl: u64, blocks: u64) {
        if self.table[self.entry].0 != vl {
            self.entry = (self.entry + 1) % 8;
            assert_eq!(
                self.table[self.entry].0, vl,
                "entry {} is passed over",
                self.entry
            );
            self.turns[self.entry] += 1;
        }
        self.sent[self.entry] += blocks;
    }

    /// CF270: by weight, within one packet a turn.
    fn check(&self) {
        for (n, (_, weight)) in self.table.into_iter().enumerate() {
            let turns = self.turns[n];
            let range = weight * (turns - 1)..=(weight + 65) * turns;
            assert!(
                range.contains(&self.sent[n]),
                "entry {n}: {} in {turns} turns",
                self.sent[n]
            );
            assert!(turns.abs_diff(self.turns[0]) <= 1);
        }
    }
}

/// CF268, CF270, CF271: eight VLs that always have packets, in all entries of both tables. Between two packets of the
/// low table the high one sends its limit, within one packet.
#[test]
fn shares_follow_weights_and_limit_over_long_runs() {
    let mut rng = Rng::with_seed(271);
    for limit in [0, 1, 3, 20] {
        let mut weights =
            |first: u64| -> Table { std::array::from_fn(|n| (first + n as u64 % 4, rng.u64(1..=255))) };
        let tables = [weights(4), weights(0)];
        let mut arbiter = Arbiter::new(tables[0], tables[1], limit);
        let mut shares = tables.map(Shares::new);
        let mut packets = [0, 0];
        for _ in 0..40_000 {
            let blocks = rng.u64(1..=66);
            let vl = arbiter.chosen(0xFF).expect("all have packets");
            arbiter.start(blocks);
            let of = usize::from(vl < 4);
            shares[of].add(vl, blocks);
            packets[of] += 1;
        }
        shares.iter().for_each(Shares::check);
        let high: u64 = shares[0].sent.iter().sum();
        let low: u64 = packets[1];
        let range = Rules::whole(limit) * (low - 1)..=(Rules::whole(limit) + 65) * (low + 1);
        assert!(
            range.contains(&high),
            "limit {limit}: {high} blocks for {low} packets"
        );
    }
}
