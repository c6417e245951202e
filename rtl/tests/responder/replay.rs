//! The search for what a duplicate repeats, against a plain list (`protocol/responder.md` section 6).
use crate::bench::{library, Bench};
use crate::packet::Fields;
use fastrand::Rng;
use hca_rtl::responder::ReplaySearch;

const SLOTS: usize = 16;
/// Clocks of a search at most.
const LONGEST: u64 = 24;

/// A Read or atomic as it was executed, or as a duplicate has it.
#[derive(Clone, Copy, Debug, Default)]
struct Operation {
    psn: u32,
    /// PSNs after the first.
    span: u32,
    read: bool,
    fetch_add: bool,
    va: u64,
    r_key: u32,
    length: u32,
}

fn wrap(psn: u32) -> u32 {
    psn & 0xFF_FFFF
}

impl Operation {
    fn any(rng: &mut Rng, psn: u32, pmtu: u32) -> Operation {
        let read = rng.u8(..3) > 0;
        // Any number of bits, up to 2^31 bytes.
        let length = if read {
            rng.u32(..=1 << 31) >> rng.u32(..32)
        } else {
            8
        };
        Operation {
            psn,
            span: if read { length.div_ceil(pmtu).max(1) - 1 } else { 0 },
            read,
            fetch_add: !read && rng.bool(),
            va: rng.u64(..),
            r_key: rng.u32(..),
            length,
        }
    }

    fn row(&self) -> Vec<u8> {
        Fields::default()
            .put(self.psn.into(), 24)
            .put(self.span.into(), 24)
            .put(self.read.into(), 1)
            .put(self.fetch_add.into(), 1)
            .put(self.va.into(), 64)
            .put(self.r_key.into(), 32)
            .put(self.length.into(), 32)
            .bytes()
    }

    /// A duplicate from one of its packets on, at times with something else in it.
    fn repeated(&self, rng: &mut Rng, pmtu: u32) -> Operation {
        let skipped = match rng.u8(..3) {
            0 => 0,
            1 => self.span,
            _ => rng.u32(..=self.span),
        };
        let mut again = *self;
        again.psn = wrap(self.psn + skipped);
        if self.read {
            again.va = self.va.wrapping_add(u64::from(skipped) * u64::from(pmtu));
            again.length = self.length - skipped * pmtu;
        }
        match rng.u8(..12) {
            0 => again.va ^= 1 << rng.u32(..64),
            1 => again.r_key ^= 1 << rng.u32(..32),
            2 => again.length ^= 1 << rng.u32(..32),
            3 => again.read = !again.read,
            4 => again.fetch_add = !again.fetch_add,
            // Behind its last packet, or before its first.
            5 => again.psn = wrap(self.psn + self.span + 1 + rng.u32(..1 << 12)),
            6 => again.psn = wrap(self.psn.wrapping_sub(1 + rng.u32(..1 << 12))),
            _ => {}
        }
        again
    }

    /// Whether the duplicate is this operation from that PSN on (CF120 to CF123).
    fn is_repeated_by(&self, duplicate: &Operation, pmtu: u32) -> bool {
        if !duplicate.read {
            return !self.read && self.fetch_add == duplicate.fetch_add;
        }
        let skipped = wrap(duplicate.psn.wrapping_sub(self.psn)) * pmtu;
        self.read
            && self.r_key == duplicate.r_key
            && self.va.wrapping_add(skipped.into()) == duplicate.va
            && self.length.wrapping_sub(skipped) == duplicate.length
    }
}

struct Search(Bench);

impl Search {
    /// Whether it is found, and the place.
    fn of(&mut self, index: usize, next: usize, stored: usize, code: u64, of: &Operation) -> Option<usize> {
        for (port, value) in [
            ("start", 1),
            ("index", index as u64),
            ("next_place", next as u64),
            ("stored", stored as u64),
            ("psn", of.psn.into()),
            ("read", of.read.into()),
            ("fetch_add", of.fetch_add.into()),
            ("va", of.va),
            ("r_key", of.r_key.into()),
            ("dma_len", of.length.into()),
            ("pmtu", code),
        ] {
            self.0.set(port, value);
        }
        // One packet is in hand: it is what may be stored, too.
        self.0.set_bytes("store", &of.row());
        let start = self.0.cycle;
        loop {
            self.0.settle();
            let done = self.0.is_set("done");
            let place = self.0.is_set("found").then(|| self.0.get("place") as usize);
            self.0.tick();
            self.0.set("start", 0);
            if done {
                return place;
            }
            assert!(self.0.cycle <= start + LONGEST, "it searches without end");
        }
    }
}

/// Of every QP up to 16, with gaps of other requests between them, the newest first.
#[test]
fn a_duplicate_finds_the_newest_operation_of_its_psn_if_it_is_the_same() {
    let mut search = Search(Bench::new(&library::<ReplaySearch<4, 8>>("replay_search"), 1));
    search.0.set("store_valid", 0);
    search.0.set("start", 0);
    let mut rng = Rng::with_seed(0x4E91);
    let (mut found, mut missed) = (0, 0);
    for _ in 0..3_000 {
        let (index, code) = (rng.usize(..16), rng.u32(1..=5));
        let pmtu = 128 << code;
        let (stored, mut next) = (rng.usize(..=SLOTS), rng.usize(..SLOTS));
        let mut psn = rng.u32(..1 << 24);
        let mut operations = Vec::new();
        for _ in 0..stored {
            let operation = Operation::any(&mut rng, psn, pmtu);
            psn = wrap(psn + operation.span + 1 + [0, 1, rng.u32(..5000)][rng.usize(..3)]);
            search.0.set("store_valid", 1);
            search.0.set("store_slot", (index * SLOTS + next) as u64);
            search.0.set_bytes("store", &operation.row());
            search.0.settle();
            search.0.tick();
            operations.push((next, operation));
            next = (next + 1) % SLOTS;
        }
        search.0.set("store_valid", 0);
        for _ in 0..10 {
            let of = match operations.get(rng.usize(..=stored)) {
                Some((_, operation)) => operation.repeated(&mut rng, pmtu),
                None => Operation::any(&mut rng, psn, pmtu),
            };
            let holds = |o: &Operation| wrap(of.psn.wrapping_sub(o.psn)) <= o.span;
            let expected = operations
                .iter()
                .rev()
                .find(|(_, operation)| holds(operation))
                .filter(|(_, operation)| operation.is_repeated_by(&of, pmtu))
                .map(|(place, _)| *place);
            let got = search.of(index, next, stored, code.into(), &of);
            assert_eq!(got, expected, "{of:x?} among {operations:x?}");
            found += u32::from(got.is_some());
            missed += u32::from(got.is_none());
        }
    }
    assert!(found > 5_000 && missed > 5_000, "{found} found, {missed} not");
}
