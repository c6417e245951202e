//! The walker beside a plain reference, and the requests that drive both.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::memory::walker::{FAULT_LIST, FAULT_NONE, FAULT_PROTECTION};
use hca_rtl::memory::Walker;
use hca_sim::verilated::Library;
use std::collections::VecDeque;

/// 2^`MB` regions.
pub const MB: usize = 4;
pub const REGIONS: u32 = 1 << MB;

/// A memory region (`protocol/qp_cq.md` section 3), as the test knows it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Region {
    pub valid: bool,
    pub l_key: u32,
    pub r_key: u32,
    pub pd: u32,
    pub base: u64,
    pub length: u64,
    /// Local write, remote write, remote read, remote atomic.
    pub rights: [bool; 4],
    pub zero_based: bool,
}

impl Region {
    /// The 222 bits of a row, least significant byte first.
    fn to_bytes(self) -> [u8; 28] {
        let mut row = [0; 28];
        let mut at = 0;
        let mut put = |value: u64, width: usize| {
            for bit in 0..width {
                row[(at + bit) / 8] |= ((value >> bit & 1) as u8) << ((at + bit) % 8);
            }
            at += width;
        };
        put(self.valid.into(), 1);
        put(self.l_key.into(), 32);
        put(self.r_key.into(), 32);
        put(self.pd.into(), 24);
        put(self.base, 64);
        put(self.length, 64);
        for right in self.rights {
            put(right.into(), 1);
        }
        put(self.zero_based.into(), 1);
        row
    }
}

/// Address, length, key.
pub type Segment = (u64, u32, u32);

#[derive(Clone, Debug, Default)]
pub struct Request {
    pub segments: Vec<Segment>,
    pub count: u8,
    /// The list's address in host memory.
    pub indirect: Option<u64>,
    pub unchecked: bool,
    pub offset: u32,
    pub length: u32,
    pub entire: bool,
    pub right: u8,
    pub pd: u32,
}

impl Request {
    /// One SGE.
    pub fn one(segment: Segment, length: u32, right: u8, pd: u32) -> Request {
        Request {
            segments: vec![segment],
            count: 1,
            length,
            right,
            pd,
            ..Request::default()
        }
    }
}

/// Pieces of host memory and the fault, if any; pieces mean nothing beside a fault.
pub type Answer = (Vec<(u64, u64)>, usize);

/// Where an access lies in host memory, if it is allowed (responder.md section 1 steps 14 and 15).
fn access(regions: &[Region], (address, length, key): Segment, right: u8, pd: u32) -> Option<u64> {
    let region = regions[(key >> 8) as usize % regions.len()];
    let named = if right >= 2 { region.r_key } else { region.l_key };
    let entitled = match right {
        0 | 5 => true,
        right => region.rights[right as usize - 1],
    };
    if !region.valid || named != key || region.pd != pd || !entitled {
        return None;
    }
    let start = if region.zero_based { 0 } else { region.base };
    let end = u128::from(address) + u128::from(length);
    let inside = address >= start && end <= u128::from(start) + u128::from(region.length) && end <= 1 << 64;
    let real = if region.zero_based {
        address.wrapping_add(region.base)
    } else {
        address
    };
    (inside || right == 5).then_some(real)
}

/// What a request has to bring.
pub fn answer(regions: &[Region], request: &Request) -> Answer {
    let listed = usize::from(request.count);
    if listed > 16 || (request.indirect.is_none() && listed > 2) {
        return (Vec::new(), FAULT_LIST);
    }
    let (mut skip, mut left) = (request.offset, request.length);
    let mut pieces = Vec::new();
    let mut forbidden = false;
    for &(address, length, key) in &request.segments[..listed] {
        let take = length.saturating_sub(skip).min(left);
        let checked = if request.entire { length } else { take };
        if checked != 0 {
            let address = address.wrapping_add(skip.into());
            let real = match request.unchecked {
                true => Some(address),
                false => access(regions, (address, checked, key), request.right, request.pd),
            };
            forbidden |= real.is_none();
            if let Some(real) = real.filter(|_| take != 0) {
                pieces.push((real, u64::from(take)));
            }
        }
        skip = skip.saturating_sub(length);
        left -= take;
        if left == 0 {
            break;
        }
    }
    let fault = match (left != 0 || (request.entire && listed == 0), forbidden) {
        (true, _) => FAULT_LIST,
        (false, true) => FAULT_PROTECTION,
        (false, false) => FAULT_NONE,
    };
    (pieces, fault)
}

/// The walker with the memory that its lists lie in.
pub struct Walk {
    pub bench: Bench,
    pub regions: Vec<Region>,
    rng: Rng,
    /// Clocks that a line of a list takes at most.
    pub latency: u64,
    /// Clock of arrival, line.
    lines: VecDeque<(u64, [u8; 64])>,
    list: Vec<u8>,
    list_address: u64,
    taken: VecDeque<(u64, Request)>,
    pieces: Vec<(u64, u64)>,
    /// Clocks from request to `done`, pieces, fault.
    pub answers: VecDeque<(u64, Answer)>,
}

pub fn walker() -> Library {
    library::<Walker<MB>>("walker")
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
            "request_valid",
            "update_valid",
            "invalidate_valid",
            "hold",
            "list_valid",
            "list_ready",
        ] {
            bench.set(name, 0);
        }
        Walk {
            bench,
            regions: vec![Region::default(); REGIONS as usize],
            rng: Rng::with_seed(seed),
            latency: 1,
            lines: VecDeque::new(),
            list: Vec::new(),
            list_address: 0,
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
        self.bench.settle();
        if self.bench.is_set("list_request") && self.bench.is_set("list_ready") {
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
        if self.bench.is_set("done") {
            let (since, _) = self.taken.pop_front().expect("no answer without its request");
            let answer = (std::mem::take(&mut self.pieces), self.bench.get("fault") as usize);
            self.answers.push_back((self.bench.cycle - since, answer));
        }
        self.bench.tick();
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
        self.bench.set_bytes("segments", &most_significant_first(&list));
        self.bench.set("count", request.count.into());
        self.bench.set("indirect", request.indirect.is_some().into());
        self.bench.set("unchecked", request.unchecked.into());
        self.bench.set("offset", request.offset.into());
        self.bench.set("length", request.length.into());
        self.bench.set("entire", request.entire.into());
        self.bench.set("right", request.right.into());
        self.bench.set("pd", request.pd.into());
        self.bench.set("request_valid", 1);
        let since = self.bench.cycle;
        loop {
            self.bench.settle();
            if self.bench.is_set("request_ready") {
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
        self.bench.set("request_valid", 0);
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

/// A random table: small regions and huge ones, at the ends of the address space too.
fn random_region(rng: &mut Rng, index: u32) -> Region {
    let tag = |rng: &mut Rng| rng.u32(..1 << 20) << 12 | index << 8 | rng.u32(..256);
    let length = match rng.u8(..4) {
        0 => rng.u64(1..64),
        1 => rng.u64(1..1 << 32),
        _ => rng.u64(1..0x4000),
    };
    let base = match rng.u8(..4) {
        0 => 0u64.wrapping_sub(length),
        1 => 0,
        _ => rng.u64(..u64::MAX - length),
    };
    Region {
        valid: rng.u8(..10) != 0,
        l_key: tag(rng),
        r_key: tag(rng),
        pd: rng.u32(..2),
        base,
        length,
        rights: [(); 4].map(|()| rng.u8(..8) != 0),
        zero_based: rng.u8(..4) == 0,
    }
}

/// A segment that mostly lies in its region and fits the right, sometimes misses by a byte.
fn random_segment(rng: &mut Rng, regions: &[Region], right: u8, pd: u32) -> Segment {
    let candidates: Vec<_> = regions.iter().filter(|r| r.valid && r.pd == pd).collect();
    let region = match rng.u8(..12) {
        0 => regions[rng.usize(..regions.len())],
        _ => *candidates[rng.usize(..candidates.len())],
    };
    let mut key = if (right >= 2) ^ (rng.u8(..40) == 0) {
        region.r_key
    } else {
        region.l_key
    };
    if rng.u8(..40) == 0 {
        key ^= 1 << rng.u8(..32);
    }
    let start = if region.zero_based { 0 } else { region.base };
    let length = match rng.u8(..6) {
        0 => 0,
        1 => rng.u32(1..=8),
        _ => rng.u32(1..=8192),
    };
    let length = length.min(region.length.try_into().unwrap_or(u32::MAX));
    let slack = region.length - u64::from(length);
    let within = match rng.u8(..8) {
        0 => slack,
        1 => slack.wrapping_add(1),
        2 => u64::MAX,
        _ => rng.u64(..=slack),
    };
    (start.wrapping_add(within), length, key)
}

fn random_request(rng: &mut Rng, regions: &[Region]) -> Request {
    let right = rng.u8(..6);
    let pd = rng.u32(..2);
    let mut request = Request {
        unchecked: rng.u8(..16) == 0,
        right,
        pd,
        ..Request::default()
    };
    if right == 5 || rng.u8(..4) == 0 {
        let (address, length, key) = random_segment(rng, regions, right, pd);
        request.segments = vec![(address, if right == 5 { 1 } else { length }, key)];
        request.count = 1;
        request.entire = true;
        request.unchecked = false;
        request.length = if right == 5 {
            0
        } else {
            length.min(4096).min(rng.u32(..=4096))
        };
        return request;
    }
    let indirect = rng.u8(..3) == 0;
    request.count = match indirect {
        true => rng.u8(0..=17),
        false => rng.u8(0..=3),
    };
    request.indirect = indirect.then(|| rng.u64(..1 << 50) << 6);
    request.segments = (0..request.count)
        .map(|_| random_segment(rng, regions, right, pd))
        .collect();
    let total: u32 = request.segments.iter().map(|segment| segment.1).sum();
    request.offset = rng.u32(..=total);
    request.length = rng
        .u32(..=4096)
        .min(total - request.offset + u32::from(rng.u8(..8) == 0));
    request
}

fn same(expected: &Answer, seen: &Answer, request: &Request) {
    assert_eq!(expected.1, seen.1, "fault of {request:x?}");
    if expected.1 == FAULT_NONE {
        assert_eq!(expected.0, seen.0, "pieces of {request:x?}");
    }
    // A wrong key never reads or writes a byte.
    assert!(
        seen.0.iter().all(|piece| expected.0.contains(piece)),
        "{seen:x?} of {request:x?}"
    );
}

/// Requests of every kind, one behind the other as fast as they are taken, with regions that come and go between.
#[test]
fn pieces_and_faults_are_those_of_the_list() {
    let library = walker();
    let mut rng = Rng::with_seed(0x3A1);
    let mut counts = [0; 3];
    for (round, latency) in [1, 7, 60, 1].into_iter().enumerate() {
        let mut walk = Walk::new(&library, rng.u64(..));
        walk.latency = latency;
        for index in 0..REGIONS {
            let region = random_region(&mut rng, index);
            walk.register(index, region);
        }
        let mut asked = VecDeque::new();
        for _ in 0..6000 {
            match rng.u8(..40) {
                0 => {
                    let index = rng.u32(..REGIONS);
                    let region = random_region(&mut rng, index);
                    while !walk.quiet() {
                        walk.clock();
                    }
                    walk.register(index, region);
                }
                1 => {
                    let region = walk.regions[rng.usize(..REGIONS as usize)];
                    while !walk.quiet() {
                        walk.clock();
                    }
                    walk.invalidate(if rng.u8(..4) == 0 {
                        region.r_key ^ 1
                    } else {
                        region.r_key
                    });
                }
                _ => {
                    if !walk.regions.iter().any(|r| r.valid && r.pd == 0)
                        || !walk.regions.iter().any(|r| r.valid && r.pd == 1)
                    {
                        continue;
                    }
                    let request = random_request(&mut rng, &walk.regions);
                    asked.push_back((answer(&walk.regions, &request), request.clone()));
                    walk.request(&request);
                    if rng.bool() {
                        for _ in 0..rng.u8(..6) {
                            walk.clock();
                        }
                    }
                }
            }
            while let Some((clocks, seen)) = walk.answers.pop_front() {
                let (expected, request) = asked.pop_front().expect("an answer has a request");
                counts[expected.1] += 1;
                same(&expected, &seen, &request);
                if request.count == 1 && request.indirect.is_none() {
                    assert_eq!(clocks, 4, "round {round}: {request:?}");
                }
            }
        }
        assert!(asked.len() < 4, "{} requests without answer", asked.len());
    }
    assert!(
        counts.iter().all(|&count| count > 1500),
        "none, list, protection: {counts:?}"
    );
}

/// One SGE: 4 clocks to its answer, and a request every second clock. Sixteen SGEs: one clock each.
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
    assert_eq!(walk.ask(&one), (4, (vec![(0x10_0040, 64)], FAULT_NONE)));
    walk.request(&one);
    assert_eq!((walk.request(&one), walk.request(&one)), (1, 1));
    while walk.answers.len() < 3 {
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
    assert!(clocks <= 4 + 15 + 3, "{clocks} clocks");
}

/// A list of one line, asked for in the clock after the request, is walked as soon as it is there.
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
    assert!(clocks <= 4 + 11 + 3, "{clocks} clocks");
}
