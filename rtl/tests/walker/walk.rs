//! The walker in a bench, with the memory that its lists lie in, and how long a walk takes.
use crate::bench::{library, vector, Bench};
use crate::keyed_walker::KeyedWalker;
use crate::reference::{Answer, Region, Request, Segment, REGIONS};
use fastrand::Rng;
use hca_rtl::memory::walker::{FAULT_LIST, FAULT_NONE};
use hca_rtl::memory::WalkRequest;
use hca_sim::verilated::Library;
use rust_hdl_core::prelude::Bits;
use std::collections::VecDeque;

/// The walker with the memory that its lists lie in.
pub struct Walk {
    pub bench: Bench,
    pub regions: Vec<Region>,
    rng: Rng,
    /// Clocks that a line of a list takes at most.
    pub latency: u64,
    /// Whether rivals offer SGEs, each in some clocks.
    pub has_rivals: bool,
    /// Clocks since each rival asked.
    rivals: [Option<u64>; 3],
    /// Clock of arrival, line.
    lines: VecDeque<(u64, [u8; 64])>,
    list: Vec<u8>,
    list_address: u64,
    lines_asked: u64,
    taken: VecDeque<(u64, Request)>,
    pieces: Vec<(u64, u64)>,
    /// Clocks from request to `done`, pieces, fault.
    pub answers: VecDeque<(u64, Answer)>,
}

pub fn walker() -> Library {
    library::<KeyedWalker>("keyed_walker")
}

/// Byte 0 of a port's vector stands at its most significant end.
fn most_significant_first(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().rev().copied().collect()
}

fn segment_bytes(&(address, length, key): &Segment) -> Vec<u8> {
    [
        &address.to_be_bytes()[..],
        &length.to_be_bytes(),
        &key.to_be_bytes(),
    ]
    .concat()
}

impl Walk {
    pub fn new(library: &Library, seed: u64) -> Walk {
        let mut bench = Bench::new(library, seed);
        for name in [
            "walk_valid", "update_valid", "invalidate_valid", "hold", "list_valid", "list_ready", "rivals",
            "rival_left",
        ] {
            bench.set(name, 0);
        }
        // A line is one beat.
        bench.set("list_last", 1);
        bench.set("list_error", 0);
        Walk {
            bench,
            regions: vec![Region::default(); REGIONS as usize],
            rng: Rng::with_seed(seed),
            latency: 1,
            has_rivals: false,
            rivals: [None; 3],
            lines: VecDeque::new(),
            list: Vec::new(),
            list_address: 0,
            lines_asked: 0,
            taken: VecDeque::new(),
            pieces: Vec::new(),
            answers: VecDeque::new(),
        }
    }

    /// One clock.
    pub fn clock(&mut self) {
        self.bench
            .set("list_ready", u64::from(self.latency == 1 || self.rng.bool()));
        let line = self.lines.front().filter(|line| line.0 <= self.bench.cycle);
        self.bench.set("list_valid", line.is_some().into());
        if let Some((_, line)) = line {
            self.bench.set_bytes("list_data", &most_significant_first(line));
            self.lines.pop_front();
        }
        self.ask_beside();
        self.bench.settle();
        self.serve_rivals();
        if self.bench.is_set("list_request") && self.bench.is_set("list_ready") {
            self.lines_asked += 1;
            let at = (self.bench.get("list_address") - self.list_address) as usize;
            let mut line = [0xA5; 64];
            let rest = &self.list[at..];
            line[..rest.len().min(64)].copy_from_slice(&rest[..rest.len().min(64)]);
            let after = self.lines.back().map_or(0, |line| line.0 + 1);
            let due = (self.bench.cycle + self.rng.u64(1..=self.latency)).max(after);
            self.lines.push_back((due, line));
        }
        if self.bench.is_set("piece_valid") {
            let piece = (self.bench.get("piece_address"), self.bench.get("piece_length"));
            self.pieces.push(piece);
        }
        if self.bench.is_set("walk_done") {
            let (since, _) = self.taken.pop_front().expect("no answer without its request");
            let answer = (
                std::mem::take(&mut self.pieces),
                self.bench.get("walk_fault") as usize,
            );
            self.answers.push_back((self.bench.cycle - since, answer));
        }
        self.bench.tick();
    }

    /// Rivals offer SGEs of any kind.
    fn ask_beside(&mut self) {
        let mut asks = 0;
        for (rival, since) in self.rivals.iter_mut().enumerate() {
            if since.is_none() && self.has_rivals && self.rng.bool() {
                *since = Some(self.bench.cycle);
            }
            asks |= u64::from(since.is_some()) << rival;
        }
        self.bench.set("rivals", asks);
        if asks != 0 {
            let access: Vec<u8> = std::iter::repeat_with(|| self.rng.u8(..)).take(22).collect();
            self.bench.set_bytes("rival_access", &access);
            self.bench.set("rival_left", self.rng.u64(..1 << 13));
        }
    }

    /// No rival waits longer than for the three others, but where a row is written.
    fn serve_rivals(&mut self) {
        let taken = self.bench.get("rivals_taken");
        assert!(taken.count_ones() <= 1, "one row a clock: {taken:03b}");
        let is_written = self.bench.is_set("update_valid") || self.bench.is_set("busy");
        for (rival, since) in self.rivals.iter_mut().enumerate() {
            let Some(from) = *since else {
                assert_eq!(taken >> rival & 1, 0, "rival {rival} did not ask");
                continue;
            };
            match taken >> rival & 1 {
                1 => *since = None,
                _ if is_written => *since = Some(self.bench.cycle + 1),
                _ => assert!(self.bench.cycle - from < 3, "rival {rival} waits"),
            }
        }
    }

    /// Registers, or removes, a region.
    pub fn register(&mut self, index: u32, region: Region) {
        self.regions[index as usize] = region;
        self.bench.set("update_valid", 1);
        self.bench.set("update_index", index.into());
        self.bench.set_bytes("update", &region.to_bytes());
        self.clock();
        self.bench.set("update_valid", 0);
    }

    /// One pulse of an invalidation.
    pub fn invalidate(&mut self, key: u32) {
        self.bench.set("invalidate_valid", 1);
        self.bench.set("invalidate_key", key.into());
        self.clock();
        self.bench.set("invalidate_valid", 0);
        let region = &mut self.regions[((key >> 8) % REGIONS) as usize];
        region.valid &= region.r_key != key;
    }

    /// Hands a request over; how many clocks it waited.
    pub fn request(&mut self, request: &Request) -> u64 {
        let listed: Vec<u8> = request.segments.iter().flat_map(segment_bytes).collect();
        let mut list = [0; 32];
        if let Some(address) = request.indirect {
            list[..8].copy_from_slice(&address.to_be_bytes());
        } else {
            let inline = &listed[..listed.len().min(32)];
            list[..inline.len()].copy_from_slice(inline);
        }
        let bit = |at: usize| list[31 - at / 8] >> (at % 8) & 1 == 1;
        let list = (0..256).fold(Bits::default(), |bits, at| bits.replace_bit(at, bit(at)));
        let walk = WalkRequest {
            list,
            count: u64::from(request.count).into(),
            indirect: request.indirect.is_some(),
            offset: u64::from(request.offset).into(),
            length: u64::from(request.length).into(),
            entire: request.entire,
            right: u64::from(request.right).into(),
            pd: u64::from(request.pd).into(),
            alone: false,
            unchecked: request.unchecked,
        };
        self.bench.set_bytes("walk", &vector::<340>(walk.into()));
        self.bench.set("walk_valid", 1);
        let since = self.bench.cycle;
        loop {
            self.bench.settle();
            if self.bench.is_set("walk_ready") {
                break;
            }
            assert!(self.bench.cycle < since + 4000, "never taken: {request:?}");
            self.clock();
        }
        if let Some(address) = request.indirect {
            (self.list, self.list_address) = (listed, address);
        }
        self.taken.push_back((self.bench.cycle, request.clone()));
        let waited = self.bench.cycle - since;
        self.clock();
        self.bench.set("walk_valid", 0);
        waited
    }

    /// One request by itself: clocks to its answer, and the answer.
    pub fn ask(&mut self, request: &Request) -> (u64, Answer) {
        self.request(request);
        let since = self.bench.cycle;
        while self.answers.is_empty() {
            assert!(self.bench.cycle < since + 4000, "never done: {request:?}");
            self.clock();
        }
        self.answers.pop_front().expect("there is one")
    }

    pub fn quiet(&mut self) -> bool {
        self.bench.settle();
        self.bench.is_set("quiet")
    }
}

/// One SGE: 5 clocks to its answer, and a request every second clock, every third if another SGE follows. Sixteen SGEs:
/// one clock each.
#[test]
fn a_walk_takes_a_clock_an_sge() {
    let library = walker();
    let mut walk = Walk::new(&library, 5);
    let region = Region {
        valid: true,
        l_key: 0x1234_0378,
        base: 0x10_0000,
        length: 0x10_0000,
        ..Region::default()
    };
    walk.register(3, region);
    let one = Request::one((0x10_0040, 64, region.l_key), 64, 0, 0);
    assert_eq!(walk.ask(&one), (5, (vec![(0x10_0040, 64)], FAULT_NONE)));
    walk.request(&one);
    assert_eq!((walk.request(&one), walk.request(&one)), (1, 1));
    let mut two = one.clone();
    two.segments.push((0x10_0080, 64, region.l_key));
    two.count = 2;
    walk.request(&two);
    assert_eq!((walk.request(&two), walk.request(&two)), (2, 2));
    while walk.answers.len() < 6 {
        walk.clock();
    }
    walk.answers.clear();

    let segments: Vec<Segment> = (0..16)
        .map(|i| (0x10_0000 + i * 0x100, 16, region.l_key))
        .collect();
    let pieces: Vec<_> = segments.iter().map(|s| (s.0, 16)).collect();
    let sixteen = Request {
        segments,
        count: 16,
        indirect: Some(0x7_0000),
        length: 256,
        ..Request::default()
    };
    let (clocks, seen) = walk.ask(&sixteen);
    assert_eq!(seen, (pieces, FAULT_NONE));
    assert!(clocks <= 5 + 15 + 6, "{clocks} clocks");
}

/// A list, asked for in the second clock after the request, is walked as soon as it is there.
#[test]
fn a_list_costs_its_latency_once() {
    let library = walker();
    let mut walk = Walk::new(&library, 6);
    walk.register(
        0,
        Region {
            valid: true,
            l_key: 0x7F,
            length: u64::MAX,
            ..Region::default()
        },
    );
    let segments: Vec<Segment> = (0..12).map(|i| (i * 0x1000, 100, 0x7F)).collect();
    let request = Request {
        segments,
        count: 12,
        indirect: Some(0x40),
        offset: 1150,
        length: 50,
        ..Request::default()
    };
    let (clocks, seen) = walk.ask(&request);
    assert_eq!(seen, (vec![(0xB000 + 50, 50)], FAULT_NONE));
    assert!(clocks <= 5 + 11 + 6, "{clocks} clocks");
}

/// A message's walks follow each other and read its list once; what does not follow reads it anew.
#[test]
fn a_message_reads_its_list_once() {
    let library = walker();
    let mut walk = Walk::new(&library, 7);
    walk.register(
        0,
        Region {
            valid: true,
            l_key: 0x7F,
            length: u64::MAX,
            ..Region::default()
        },
    );
    let list = |address: u64, from: u64| Request {
        segments: (0..16).map(|i| (from + i * 0x1000, 100, 0x7F)).collect(),
        count: 16,
        indirect: Some(address),
        length: 400,
        ..Request::default()
    };
    let pieces =
        |from: u64, first: u64| -> Vec<_> { (first..first + 4).map(|i| (from + i * 0x1000, 100)).collect() };
    let asked = |walk: &mut Walk, request: &Request| {
        let before = walk.lines_asked;
        let (_, answer) = walk.ask(request);
        (walk.lines_asked - before, answer)
    };
    for message in 0..3 {
        // The host has put another list there meanwhile.
        let from = message << 20;
        for packet in 0..4u32 {
            let request = Request {
                offset: 400 * packet,
                ..list(0x40, from)
            };
            let expected = (pieces(from, 4 * u64::from(packet)), FAULT_NONE);
            let lines = if packet == 0 { 4 } else { 0 };
            assert_eq!(asked(&mut walk, &request), (lines, expected), "packet {packet}");
        }
    }

    // Messages of four lists, packet by packet, find theirs; a fifth takes the oldest's place.
    let packet = |walk: &mut Walk, n: u64, packet: u32| {
        let request = Request {
            offset: 400 * packet,
            ..list(0x1000 * n, n << 20)
        };
        let (lines, answer) = asked(walk, &request);
        assert_eq!(answer, (pieces(n << 20, 4 * u64::from(packet)), FAULT_NONE));
        lines
    };
    for n in 1..=4 {
        assert_eq!(packet(&mut walk, n, 0), 4);
    }
    for n in 1..=4 {
        assert_eq!(packet(&mut walk, n, 1), 0);
    }
    assert_eq!(packet(&mut walk, 5, 0), 4);
    assert_eq!(packet(&mut walk, 1, 2), 4);
    assert_eq!(packet(&mut walk, 3, 2), 0);
    // Back, and on from there.
    assert_eq!(packet(&mut walk, 3, 1), 4);
    assert_eq!(packet(&mut walk, 3, 2), 0);
}

/// Lengths up to 2^31, of an SGE at each place of a request and of a list: the last eight bytes of it are found where
/// they lie, not one more.
#[test]
fn every_bit_of_a_length_counts() {
    const KEY: u32 = 0x1234_0378;
    let library = walker();
    let mut walk = Walk::new(&library, 9);
    let whole = Region {
        valid: true,
        l_key: KEY,
        length: u64::MAX,
        ..Region::default()
    };
    walk.register(3, whole);
    for (listed, at, bit) in [(false, 2), (true, 4)].into_iter().flat_map(|(listed, places)| {
        (0..places).flat_map(move |at| (4_u32..32).map(move |bit| (listed, at, bit)))
    }) {
        let address = |place: u64| place << 40;
        let length = |place: u64| if place == at { 1 << bit } else { 64 };
        let places = at + 1;
        let request = Request {
            segments: (0..places).map(|n| (address(n), length(n), KEY)).collect(),
            count: places as u8,
            indirect: listed.then(|| (u64::from(bit) << 20) + (at << 10)),
            offset: 64 * at as u32 + (1 << bit) - 8,
            length: 8,
            ..Request::default()
        };
        let (_, answer) = walk.ask(&request);
        let expected = vec![(address(at) + (1 << bit) - 8, 8)];
        assert_eq!(answer, (expected, FAULT_NONE), "{request:x?}");
        let beyond = Request { length: 9, ..request };
        assert_eq!(walk.ask(&beyond).1 .1, FAULT_LIST, "{beyond:x?}");
    }
}
