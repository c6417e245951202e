//! Packets on their way through the gather: each is handed on as it was decided, or stays behind and is told as it was.
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
        packet[46] &= 0x3F;
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

fn new_bench() -> Bench {
    let mut bench = Bench::new(&library::<RequestGather<4>>("request_gather"), 1);
    for input in [
        "job_valid", "walk_ready", "walk_done", "walk_fault", "request_ready", "room", "fault_ready",
        "count_index",
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
    assert_eq!(bench.bytes("walk_list"), list);
    for (port, low, width) in [
        ("walk_count", 149, 8),
        ("walk_indirect", 157, 1),
        ("walk_unchecked", 158, 1),
        ("walk_offset", 32, 32),
        ("walk_length", 64, 13),
        ("walk_pd", 125, 24),
    ] {
        assert_eq!(bench.get(port), head.field(low, width), "{port}");
    }
}

/// `requester.md` section 8: what follows a packet that stays behind stays behind too, until the requester goes back.
#[test]
fn packets_go_on_as_they_were_decided() {
    let mut bench = new_bench();
    let mut rng = Rng::with_seed(0x6A74);
    let mut queue: VecDeque<Decided> = VecDeque::new();
    let mut stopped = [false; QPS];
    let mut stayed: [u64; QPS] = std::array::from_fn(|qp| {
        bench.set("count_index", qp as u64);
        bench.settle();
        bench.get("count")
    });
    let (mut walk, mut fault): (Option<u32>, u64) = (None, 0);
    let (mut walked, mut held, mut gone, mut resumes) = (false, 0, 0, false);
    for clock in 0..40_000 {
        held = if resumes { 4 } else { held.max(1) - 1 };
        resumes = queue.is_empty() && held == 0 && stopped.contains(&true) && rng.bool();
        bench.set("resume_valid", resumes.into());
        let decided = Decided::any(&mut rng);
        bench.set_bytes("job", &decided.job);
        bench.set_bytes("packet", &decided.packet);
        let count_index = rng.usize(0..QPS);
        bench.set("count_index", count_index as u64);
        let done = walk == Some(0);
        walk = walk.and_then(|left| left.checked_sub(1));
        bench.set("walk_done", done.into());
        bench.set("walk_fault", if done { fault } else { 0 });
        bench.set("walk_ready", u64::from(!done && walk.is_none() && rng.bool()));
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
        let head = queue.front();
        if bench.is_set("walk_valid") && bench.is_set("walk_ready") {
            let head = head.expect("a walk is one of a packet");
            check_walk(&bench, head);
            walk = Some(rng.u32(0..4));
            fault = if rng.u8(0..20) == 0 { rng.u64(1..3) } else { 0 };
        }
        walked |= done && fault == 0;
        if bench.is_set("abort_valid") {
            stopped[head.expect("it is one of a packet").qp()] = true;
        }
        if bench.is_set("fault_valid") {
            assert_eq!(bench.get("fault_kind"), fault);
            assert_eq!(bench.bytes("fault"), head.expect("it is one of a packet").job);
        }
        let (leaves, stays) = (bench.is_set("leaves_valid"), bench.is_set("discarded_valid"));
        let handed_on = bench.is_set("request_valid") && bench.is_set("request_ready");
        assert_eq!(leaves, handed_on);
        if leaves || stays {
            let head = queue.pop_front().expect("it is one that was decided");
            if leaves {
                assert_eq!(bench.bytes("request"), head.packet, "clock {clock}");
                assert_eq!(bench.get("leaves_next_psn"), head.field(101, 24));
                assert_eq!(bench.is_set("commit_valid"), head.has_payload());
                assert!(!stopped[head.qp()] && walked == head.has_payload());
                gone += 1;
            } else {
                assert_eq!(bench.get("discarded_index"), head.qp() as u64);
                assert!(stopped[head.qp()]);
                stayed[head.qp()] += 1;
            }
            walked = false;
        }
        if pushes {
            queue.push_back(decided);
        }
        bench.tick();
    }
    assert!(gone > 2000, "{gone} went on");
    assert!(stayed.iter().sum::<u64>() > 200);
}
