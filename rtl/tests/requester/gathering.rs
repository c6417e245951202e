//! Packets on their way through the gather: each is handed on as it was decided, or stays behind and is reported as it
//! was.
use crate::bench::{bits, library, Bench};
use fastrand::Rng;
use hca_rtl::requester::RequestGather;
use std::collections::VecDeque;

const QPS: usize = 16;

/// A job's and a packet's bits (`GatherJob`, `TransmitPacket`).
struct Decided {
    job: Vec<u8>,
    packet: Vec<u8>,
}

impl Decided {
    fn any(rng: &mut Rng) -> Decided {
        let bytes = |count, rng: &mut Rng| -> Vec<u8> { (0..count).map(|_| rng.u8(..)).collect() };
        let (mut job, mut packet) = (bytes(52, rng), bytes(47, rng));
        job[51] &= 0x7F;
        packet[46] &= 0xF;
        // A request, and not the last packet of a response.
        packet[0] &= !7;
        (job[0], job[1]) = (rng.u8(0..QPS as u8), 0);
        if rng.u8(0..4) == 0 {
            (job[8], job[9]) = (0, job[9] & 0xE0);
        }
        Decided { job, packet }
    }

    fn field(&self, low: usize, width: usize) -> u64 {
        bits(&self.job, low, width)
    }

    fn qp(&self) -> usize {
        self.field(0, 16) as usize
    }

    fn has_payload(&self) -> bool {
        self.field(64, 13) > 0
    }
}

/// What the walk for a packet's payload came to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Walk {
    None,
    Asked,
    /// With this fault.
    Done(u64),
}

/// A walk under way.
struct Walking {
    clocks: u32,
    fault: u64,
    indirect: bool,
}

fn new_bench() -> Bench {
    let mut bench = Bench::new(&library::<RequestGather<4>>("request_gather"), 1);
    for input in [
        "job_valid", "walk_ready", "walk_done", "walk_fault", "request_ready", "room", "fault_ready",
        "count_index", "hold",
    ] {
        bench.set(input, 0);
    }
    bench.set("pieces_ready", 1);
    bench.set("resume_valid", 1);
    for qp in 0..QPS as u64 {
        bench.set("resume_index", qp);
        bench.settle();
        bench.tick();
    }
    bench.set("resume_valid", 0);
    for _ in 0..4 {
        bench.settle();
        bench.tick();
    }
    bench
}

/// The walker is asked for the payload of this packet.
fn check_walk(bench: &Bench, head: &Decided) {
    assert!(head.has_payload(), "a walk of nothing");
    let list: Vec<u8> = (0..32).map(|n| head.field(159 + 8 * n, 8) as u8).collect();
    let walk = bench.bytes("walk");
    assert_eq!(walk[..32], list);
    for (field, at, low, width) in [
        ("count", 256, 149, 8),
        ("indirect", 264, 157, 1),
        ("offset", 265, 32, 32),
        ("length", 297, 64, 13),
        ("pd", 314, 125, 24),
        ("unchecked", 339, 158, 1),
    ] {
        assert_eq!(bits(&walk, at, width), head.field(low, width), "{field}");
    }
    assert_eq!((bits(&walk, 310, 1), bits(&walk, 311, 3)), (0, 0), "a local read");
}

/// `requester.md` section 8: what follows a packet that stays behind stays behind too, until the requester goes back.
#[test]
fn packets_go_on_as_they_were_decided() {
    let mut bench = new_bench();
    let mut rng = Rng::with_seed(0x6A74);
    let mut queue: VecDeque<(Decided, Walk)> = VecDeque::new();
    let mut stopped = [false; QPS];
    let mut stayed: [u64; QPS] = std::array::from_fn(|qp| {
        bench.set("count_index", qp as u64);
        bench.settle();
        bench.get("count")
    });
    let (mut under_way, mut most, mut looked): (VecDeque<Walking>, _, _) = (VecDeque::new(), 0, 0);
    let (mut held, mut gone, mut resumes, mut aborted) = (0, 0, false, false);
    for clock in 0..40_000 {
        held = if resumes { 4 } else { held.max(1) - 1 };
        resumes = queue.is_empty() && held == 0 && stopped.contains(&true) && rng.bool();
        bench.set("resume_valid", resumes.into());
        let decided = Decided::any(&mut rng);
        bench.set_bytes("job", &decided.job);
        bench.set_bytes("packet", &decided.packet);
        let count_index = rng.usize(0..QPS);
        bench.set("count_index", count_index as u64);
        if let Some(first) = under_way.front_mut() {
            first.clocks = first.clocks.saturating_sub(1);
        }
        let done = under_way
            .front()
            .is_some_and(|first| first.clocks == 0)
            .then(|| under_way.pop_front())
            .flatten();
        let fault = done.as_ref().map_or(0, |walk| walk.fault);
        bench.set("walk_done", done.is_some().into());
        bench.set("walk_fault", fault);
        for (port, one_in) in [("walk_ready", 2), ("hold", 20), ("pieces_ready", 8)] {
            let unlikely = rng.u8(0..one_in) == 0;
            bench.set(port, u64::from(if port == "hold" { unlikely } else { !unlikely }));
        }
        for port in ["request_ready", "room", "fault_ready"] {
            bench.set(port, u64::from(rng.u8(0..4) != 0));
        }
        bench.settle();
        assert_eq!(bench.get("count"), stayed[count_index] % 256, "QP {count_index}");
        let pushes = !resumes && held == 0 && bench.is_set("job_room") && rng.u8(0..3) != 0;
        bench.set("job_valid", pushes.into());
        bench.settle();

        if resumes {
            let qp = stopped.iter().position(|stopped| *stopped).expect("there is one");
            bench.set("resume_index", qp as u64);
            stopped[qp] = false;
        }
        assert_eq!(bench.is_set("pieces_close"), done.is_some());
        // Pieces that were found are not left behind while others take the keys they had.
        let known = queue.iter().any(|(_, walk)| matches!(walk, Walk::Done(_)));
        if !under_way.is_empty() || done.is_some() || known {
            assert!(bench.is_set("looks"), "clock {clock}");
        }
        if done.is_some() {
            let walk = queue
                .iter_mut()
                .map(|(_, walk)| walk)
                .find(|walk| **walk == Walk::Asked);
            *walk.expect("its packet waits") = Walk::Done(fault);
        }
        if bench.is_set("walk_valid") {
            assert!(!bench.is_set("hold") && bench.is_set("pieces_ready"));
            let next = queue
                .iter_mut()
                .find(|(decided, walk)| decided.has_payload() && *walk == Walk::None);
            let (decided, walk) = next.expect("a walk is one of a packet");
            assert!(!stopped[decided.qp()], "a walk for nothing");
            check_walk(&bench, decided);
            let overlaps = !under_way.is_empty() || done.is_some();
            let indirect = decided.field(157, 1) == 1;
            assert!(!overlaps || !indirect, "17 pieces are promised");
            assert!(under_way.iter().all(|walk| !walk.indirect));
            if bench.is_set("walk_ready") {
                *walk = Walk::Asked;
                let fault = if rng.u8(0..20) == 0 { rng.u64(1..3) } else { 0 };
                under_way.push_back(Walking {
                    clocks: rng.u32(1..5),
                    fault,
                    indirect,
                });
                most = most.max(under_way.len());
            }
        }
        looked += usize::from(bench.is_set("looks"));
        if bench.is_set("pieces_abort") {
            assert!(
                under_way.is_empty() && done.is_none(),
                "pieces would come after the abort"
            );
            stopped[queue[0].0.qp()] = true;
            aborted = true;
            for (_, walk) in queue.iter_mut().skip(1) {
                *walk = Walk::None;
            }
        }
        let head = queue.front();
        if bench.is_set("fault_valid") {
            let (decided, walk) = head.expect("it is one of a packet");
            assert_eq!(*walk, Walk::Done(bench.get("fault_kind")));
            assert!(bench.get("fault_kind") != 0 && aborted);
            assert_eq!(bench.bytes("fault"), decided.job);
        }
        let (leaves, stays) = (bench.is_set("leaves_valid"), bench.is_set("discarded_valid"));
        let handed_on = bench.is_set("request_valid") && bench.is_set("request_ready");
        assert_eq!(leaves, handed_on);
        if leaves || stays {
            let (head, walk) = queue.pop_front().expect("it is one that was decided");
            if leaves {
                assert_eq!(bench.bytes("request"), head.packet, "clock {clock}");
                assert_eq!(bench.get("leaves_next_psn"), head.field(101, 24));
                assert_eq!(bench.is_set("pieces_commit"), head.has_payload());
                let walked = if head.has_payload() {
                    Walk::Done(0)
                } else {
                    Walk::None
                };
                assert!(!stopped[head.qp()] && walk == walked);
                gone += 1;
            } else {
                assert_eq!(bench.get("discarded_index"), head.qp() as u64);
                assert!(stopped[head.qp()] && walk != Walk::Done(0) && walk != Walk::Asked);
                stayed[head.qp()] += 1;
            }
            aborted = false;
        }
        if pushes {
            queue.push_back((decided, Walk::None));
        }
        bench.tick();
    }
    assert!(gone > 2000, "{gone} went on");
    assert!(stayed.iter().sum::<u64>() > 200);
    assert!(most >= 3 && looked < 40_000, "{most} walks at once");
}

/// Packets of one direct SGE each, whose walks take five clocks and may begin every second one: so do they leave.
#[test]
fn walks_overlap() {
    let mut bench = new_bench();
    let mut rng = Rng::with_seed(0x6A75);
    let mut packet = Decided::any(&mut rng);
    // 64 bytes of a direct SGE.
    (packet.job[8], packet.job[9]) = (64, packet.job[9] & 0xE0);
    packet.job[19] &= !0x20;
    assert_eq!((packet.field(64, 13), packet.field(157, 1)), (64, 0));
    bench.set_bytes("job", &packet.job);
    bench.set_bytes("packet", &packet.packet);
    for port in ["request_ready", "room", "pieces_ready"] {
        bench.set(port, 1);
    }
    let (mut walks, mut last, mut left) = ([false; 5], 0, 0);
    for clock in 1..=210 {
        bench.set("walk_done", walks[4].into());
        bench.set("walk_ready", u64::from(clock - last >= 2));
        bench.settle();
        bench.set("job_valid", bench.get("job_room"));
        bench.settle();
        let asked = bench.is_set("walk_valid") && bench.is_set("walk_ready");
        last = if asked { clock } else { last };
        walks.rotate_right(1);
        walks[0] = asked;
        left += usize::from(bench.is_set("leaves_valid"));
        bench.tick();
    }
    assert!(left >= 100, "{left} left");
}
