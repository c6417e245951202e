//! The queue of answers against plain lists, one a QP.
use crate::bench::{bits, library, Bench};
use crate::engine::{put, QPS};
use fastrand::Rng;
use hca_rtl::response::queue::JobQueue;
use hca_rtl::response::{JOB_ACK, JOB_ATOMIC, JOB_READ};
use std::collections::VecDeque;

/// Jobs of a QP.
const DEPTH: usize = 32;
const NAK: u64 = 0x62;
/// Places and widths in a `ResponseJob`, and in a row behind it.
const KIND: (usize, usize) = (0, 2);
const QPN: (usize, usize) = (2, 24);
const PSN: (usize, usize) = (26, 24);
const SYNDROME: (usize, usize) = (50, 8);
const MSN: (usize, usize) = (58, 24);
/// SLID and SL.
const ADDRESS: (usize, usize) = (82, 20);
const VA: (usize, usize) = (102, 64);
const R_KEY: (usize, usize) = (166, 32);
const LENGTH: (usize, usize) = (198, 32);
const SLOT: (usize, usize) = (230, 4);
const FENCE: (usize, usize) = (234, 16);
const FENCE_ABOVE: (usize, usize) = (250, 16);
const FIELDS: [(usize, usize); 11] = [
    KIND, QPN, PSN, SYNDROME, MSN, ADDRESS, VA, R_KEY, LENGTH, SLOT, FENCE,
];

/// By `FIELDS`, and above them the fence's upper half.
#[derive(Clone, Debug, PartialEq)]
struct Job([u64; 12]);

impl Job {
    fn of(fields: &[((usize, usize), u64)]) -> Job {
        let mut job = Job([0; 12]);
        for (field, value) in fields {
            *job.at(*field) = *value;
        }
        job
    }

    fn at(&mut self, field: (usize, usize)) -> &mut u64 {
        let n = FIELDS.iter().position(|f| *f == field).unwrap_or(11);
        &mut self.0[n]
    }

    fn get(&self, field: (usize, usize)) -> u64 {
        self.clone().at(field).to_owned()
    }

    fn any(rng: &mut Rng, qp: usize, psn: u64, fence: u64) -> Job {
        let kind = [JOB_ACK, JOB_ACK, JOB_READ, JOB_ATOMIC][rng.usize(..4)];
        let mut fields = FIELDS.map(|(at, width)| ((at, width), rng.u64(..) >> (64 - width)));
        fields[1].1 = fields[1].1 & !15 | qp as u64;
        let mut job = Job::of(&fields);
        *job.at(KIND) = kind.into();
        *job.at(PSN) = psn;
        *job.at(FENCE) = fence & 0xFFFF;
        // Acks, RNR NAKs and NAKs.
        *job.at(SYNDROME) = if rng.u8(..6) > 0 {
            rng.u64(..0x20)
        } else {
            rng.u64(0x20..0x80)
        };
        job
    }

    fn is_ack(&self) -> bool {
        self.get(KIND) == u64::from(JOB_ACK) && self.get(SYNDROME) & 0x60 == 0
    }

    fn row(&self) -> Vec<u8> {
        let mut row = vec![0; 34];
        for ((at, width), value) in FIELDS.iter().chain([&FENCE_ABOVE]).zip(self.0) {
            put(&mut row, *at, *width, value);
        }
        row
    }
}

#[derive(Clone, Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// The last that came was an ack, and what is known of it.
    acked: Option<(u64, u64)>,
    refused: bool,
    /// Place of the oldest, modulo 64.
    head: usize,
    psn: u64,
}

impl Queue {
    fn takes(&self, job: &Job) -> bool {
        (job.is_ack() && self.acked.is_some()) || self.jobs.len() < DEPTH
    }

    fn take(&mut self, mut job: Job) {
        let ack = job.is_ack();
        if let (true, Some((psn, address)), 2..) = (ack, self.acked, self.jobs.len()) {
            self.jobs.pop_back();
            if job.get(PSN).wrapping_sub(psn) >> 23 & 1 == 1 {
                (*job.at(PSN), *job.at(ADDRESS)) = (psn, address);
            }
        }
        self.acked = ack.then(|| (job.get(PSN), job.get(ADDRESS)));
        self.jobs.push_back(job);
    }
}

/// Jobs of QPs that fill, drain, are refused and reset; the fence goes round 2^16, and is known to 2^32.
#[test]
fn jobs_wait_in_order_and_acks_that_wait_stand_for_each_other() {
    let mut bench = Bench::new(&library::<JobQueue<4, 9>>("job_queue"), 1);
    let mut rng = Rng::with_seed(0x10B);
    let mut queues = vec![Queue::default(); QPS];
    let mut held: Option<Job> = None;
    let mut written = 0xFFFF_0000_u64;
    let mut read: Option<Job> = None;
    let (mut rows, mut longest) = (0, 0);
    for clock in 0..60_000 {
        written = (written + rng.u64(..200) * u64::from(rng.u8(..4) == 0)) & 0xFFFF_FFFF;
        bench.set("written", written);
        let number = rng.u64(..4);
        bench.set("number", number);
        let starts = clock < QPS;
        let (jobs, done) = [(100, 12), (20, 300)][clock / 2_000 % 2];

        // The QP in hand ends a job, or begins anew.
        let hand = if starts { clock } else { rng.usize(..QPS) };
        let due = queues[hand].jobs.front().cloned();
        let what = rng.u32(..if starts { 1 } else { 1_000 });
        let clears = what == 0;
        let refuses = due.is_some() && (1..4).contains(&what);
        let ends = due.is_some() && (4..done).contains(&what);
        let head = queues[hand].head;
        for (port, value) in [
            ("clear_valid", u64::from(clears)),
            ("clear_index", hand as u64),
            ("refused_valid", refuses.into()),
            ("done_valid", ends.into()),
            ("done_index", hand as u64),
            ("done_head", head as u64),
        ] {
            bench.set(port, value);
        }
        let nak = due.as_ref().map(|job| {
            let kept = [QPN, PSN, MSN, ADDRESS].map(|field| (field, job.get(field)));
            let mut nak = Job::of(&kept);
            *nak.at(SYNDROME) = NAK;
            nak
        });
        let mut bytes = nak.as_ref().map_or(vec![0; 34], Job::row);
        bytes.truncate(32);
        bench.set_bytes("nak", &bytes);
        let (stops, stopped) = (rng.u8(..30) == 0, rng.usize(..QPS));
        bench.set("stop_valid", stops.into());
        bench.set("stop_index", stopped as u64);

        let qp = rng.usize(..QPS) & rng.usize(..QPS);
        // Duplicates are answered too.
        let psn = queues[qp].psn.wrapping_add(rng.u64(..8)).wrapping_sub(2) & 0xFF_FFFF;
        let ahead = rng.u64(..0x8000) >> rng.u32(..15);
        let fence = if rng.bool() {
            written + ahead
        } else {
            written.wrapping_sub(ahead)
        };
        let new = Job::any(&mut rng, qp, psn, fence);
        let offers = !starts && rng.u8(..100) < jobs;
        bench.set("job_valid", offers.into());
        let mut bytes = new.row();
        bytes.truncate(32);
        bench.set_bytes("job", &bytes);

        let looked = rng.usize(..QPS);
        bench.set("index", looked as u64);
        let asked = rng.usize(..QPS);
        bench.set("level_index", asked as u64);
        let row = queues[looked]
            .jobs
            .front()
            .filter(|_| !(refuses && hand == looked))
            .cloned();
        bench.set("row_index", looked as u64);
        bench.set("row_head", queues[looked].head as u64);
        bench.settle();
        if !starts {
            let queue = &queues[looked];
            assert_eq!(
                bench.is_set("filled"),
                !queue.jobs.is_empty(),
                "clock {clock}: QP {looked}"
            );
            assert_eq!(bench.get("head"), queue.head as u64);
            let waiting = queues[asked].jobs.len();
            assert_eq!(bench.is_set("level_many"), waiting >= 16, "clock {clock}");
            assert_eq!(bench.is_set("level_fill"), waiting >= 28, "clock {clock}");
            if let Some(job) = read {
                let got = bench.bytes("row");
                for ((at, width), value) in FIELDS.iter().chain([&FENCE_ABOVE]).zip(job.0) {
                    assert_eq!(
                        bits(&got, *at, *width),
                        value,
                        "clock {clock}: bit {at} for {job:x?}"
                    );
                }
                rows += 1;
            }
        }
        read = row;

        assert!(starts || bench.is_set("job_ready") == held.is_none());
        let waits = held.as_ref().map(|job| job.get(QPN) as usize % QPS);
        assert_eq!(bench.is_set("stopping"), waits == Some(stopped));
        let unwanted = |queue: &Queue, qp: usize| queue.refused || (stops && stopped == qp);
        let taken = held.take_if(|job| {
            let qp = job.get(QPN) as usize % QPS;
            !clears && !refuses && (unwanted(&queues[qp], qp) || queues[qp].takes(job))
        });
        let wanted = taken.filter(|job| {
            let qp = job.get(QPN) as usize % QPS;
            !unwanted(&queues[qp], qp)
        });
        assert_eq!(bench.is_set("wake_valid"), wanted.is_some(), "clock {clock}");
        if waits.is_none() && offers {
            queues[qp].psn = psn;
            held = Some(new);
        }
        if let Some(mut job) = wanted {
            let qp = job.get(QPN) as usize % QPS;
            assert_eq!(bench.get("wake_index") as usize, qp);
            let fence = job.get(FENCE) as u16;
            let fence = written.wrapping_add(fence.wrapping_sub(written as u16) as i16 as u64);
            *job.at(FENCE_ABOVE) = fence >> 16 & 0xFFFF;
            if job.get(KIND) == u64::from(JOB_ATOMIC) {
                *job.at(R_KEY) = job.get(R_KEY) & !3 | number;
            }
            queues[qp].take(job);
            longest = longest.max(queues[qp].jobs.len());
        }
        let queue = &mut queues[hand];
        if ends {
            queue.jobs.pop_front();
            queue.head = (head + 1) % 64;
        }
        if let Some(nak) = nak.filter(|_| refuses) {
            queue.jobs = VecDeque::from([nak]);
            (queue.refused, queue.acked) = (true, None);
        }
        if clears {
            *queue = Queue {
                psn: rng.u64(..1 << 24),
                ..Queue::default()
            };
        }
        bench.tick();
    }
    assert!(
        rows > 10_000 && longest == DEPTH,
        "{rows} rows, {longest} jobs at once"
    );
}
