//! LSN = MSN + credits (`protocol/aeth.md` section 4, `protocol/scenario_seed001.md` section 3).
use crate::bench::{library, Bench};
use hca_rtl::credit::CreditLimit;

/// A requester's messages.
struct Messages {
    bench: Bench,
    ssn: u64,
    free: u64,
    lsn: u64,
}

const MASK: u64 = 0xFF_FFFF;

impl Messages {
    fn new() -> Messages {
        let mut bench = Bench::without_clock(&library::<CreditLimit<4, 10>>("credit_limit"), 1);
        for input in [
            "starts", "starts_index", "starts_ssn", "starts_free", "asks", "index", "msn", "code", "ssn",
            "free", "many", "allowance",
        ] {
            bench.set(input, 0);
        }
        Messages {
            bench,
            ssn: 0,
            free: 0,
            lsn: 0,
        }
    }

    fn clock(&mut self) {
        self.bench.settle();
        self.bench.tick();
    }

    /// A message starts: a Send, or one that takes no receive WQE.
    fn start(&mut self, consumes: bool) {
        self.ssn += 1;
        if !consumes {
            self.free += 1;
            self.lsn += 1;
        }
        self.bench.set("starts", 1);
        self.bench.set("starts_index", 5);
        self.bench.set("starts_ssn", self.ssn & 63);
        self.bench.set("starts_free", self.free & 127);
        self.clock();
        self.bench.set("starts", 0);
    }

    fn starts(&mut self, messages: usize, consume: bool) {
        for _ in 0..messages {
            self.start(consume);
        }
    }

    /// The LSN that an answer gives, and whether it replaces the one before.
    fn answer(&mut self, msn: u64, code: u64) -> (u64, bool) {
        let inputs = [
            ("index", 5),
            ("msn", msn),
            ("code", code),
            ("ssn", self.ssn & MASK),
            ("free", self.free & 127),
            ("many", u64::from(self.ssn >= 64)),
            ("allowance", self.lsn.wrapping_sub(self.ssn) & MASK),
        ];
        self.bench.set("asks", 1);
        self.clock();
        self.bench.set("asks", 0);
        for (port, value) in inputs {
            self.bench.set(port, value);
        }
        let mut clocks = 0;
        loop {
            self.bench.settle();
            let done = self.bench.is_set("done");
            self.bench.tick();
            clocks += 1;
            assert!(clocks < 16, "it never stands");
            if done {
                break;
            }
        }
        self.bench.settle();
        let lsn = (self.bench.get("new_allowance") + self.ssn) & MASK;
        (lsn, self.bench.is_set("newer"))
    }
}

/// CF194: 24 completed, MSN 18h and 6 credits.
#[test]
fn msn_18h_and_6_credits_are_1eh() {
    let mut messages = Messages::new();
    messages.starts(24, true);
    assert_eq!(messages.answer(0x18, 5), (0x1E, true));
}

/// CF196: two Reads, Writes or atomics among those that the MSN does not count.
#[test]
fn two_messages_without_need_of_credits_make_it_20h() {
    let mut messages = Messages::new();
    messages.starts(24, true);
    for consumes in [true, false, true, false] {
        messages.start(consumes);
    }
    assert_eq!(messages.answer(0x18, 5), (0x20, true));
}

/// The same messages, answered one by one: each that the MSN counts adds nothing any more.
#[test]
fn what_the_msn_counts_is_not_counted_twice() {
    let mut messages = Messages::new();
    messages.starts(24, true);
    for consumes in [true, false, true, false] {
        messages.start(consumes);
    }
    assert_eq!(messages.answer(0x19, 5).0, 0x19 + 6 + 2);
    assert_eq!(messages.answer(0x1A, 5).0, 0x1A + 6 + 1);
    assert_eq!(messages.answer(0x1B, 5).0, 0x1B + 6 + 1);
    assert_eq!(messages.answer(0x1C, 5).0, 0x1C + 6);
}

/// CF207.
#[test]
fn an_older_limit_is_none() {
    let mut messages = Messages::new();
    messages.starts(3, true);
    messages.lsn = 5;
    assert_eq!(messages.answer(3, 2), (5, false));
    assert_eq!(messages.answer(3, 1), (4, false));
    assert_eq!(messages.answer(3, 3), (6, true));
}

/// CF285: MSN FFFFFEh and 4 credits are 000002h, before and after 2^24 messages.
#[test]
fn it_wraps_at_2_24() {
    let mut messages = Messages::new();
    assert_eq!(messages.answer(0xFF_FFFE, 4), (2, true));
    messages.ssn = 0xFF_FFF0;
    messages.lsn = 0xFF_FFFE;
    messages.starts(14, true);
    assert_eq!(messages.answer(0xFF_FFFE, 4), (2, true));
    messages.lsn = 0x100_0002;
    messages.start(true);
    messages.start(true);
    messages.start(false);
    assert_eq!(messages.ssn, 0x100_0001);
    assert_eq!(
        messages.answer(0xFF_FFFE, 4),
        (3, false),
        "as of the Write's start"
    );
    assert_eq!(messages.answer(0xFF_FFFE, 5), (5, true));
}

/// CF206.
#[test]
fn code_31_is_no_limit() {
    let mut messages = Messages::new();
    messages.answer(0, 31);
    assert!(messages.bench.is_set("unlimited"));
    messages.answer(0, 30);
    assert!(!messages.bench.is_set("unlimited"));
}

/// However far behind an answer is, each message that it does not count and that takes no receive WQE adds one.
#[test]
fn every_message_that_is_not_counted_yet() {
    let mut rng = fastrand::Rng::with_seed(0x15A);
    for number in 0..100 {
        let mut messages = Messages::new();
        let consume: Vec<bool> = (0..rng.usize(0..200)).map(|_| rng.bool()).collect();
        for consumes in &consume {
            messages.start(*consumes);
        }
        let started = consume.len();
        for behind in (0..=started.min(63)).rev() {
            let msn = started - behind;
            let free = consume[msn..].iter().filter(|consumes| !**consumes).count();
            let lsn = (msn + 2 + free) as u64;
            messages.lsn = lsn - 1;
            assert_eq!(
                messages.answer(msn as u64, 2),
                (lsn, true),
                "{number}: {behind} behind"
            );
            messages.lsn = lsn;
            assert!(!messages.answer(msn as u64, 2).1, "{number}: it is told again");
        }
    }
}
