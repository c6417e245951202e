//! Random requests against the reference.
use crate::reference::{answer, Answer, Region, Request, Segment, REGIONS};
use crate::walk::{walker, Walk};
use fastrand::Rng;
use hca_rtl::memory::walker::FAULT_NONE;
use std::collections::VecDeque;

/// An SGE of a line that host memory did not give.
const UNREAD: Segment = (u64::MAX, u32::MAX, u32::MAX);

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
    if indirect && request.count != 0 && rng.u8(..4) == 0 {
        let lines = request.segments.chunks_mut(4);
        let at = rng.usize(..lines.len());
        lines.skip(at).take(1).for_each(|line| line.fill(UNREAD));
    }
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
    for (round, latency) in [1, 7, 60, 1, 1].into_iter().enumerate() {
        let mut walk = Walk::new(&library, rng.u64(..));
        walk.latency = latency;
        walk.has_rivals = round == 4;
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
                    let least = if walk.has_rivals { 5..=8 } else { 5..=5 };
                    assert!(
                        least.contains(&clocks),
                        "round {round}, {clocks} clocks: {request:?}"
                    );
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
