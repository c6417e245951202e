//! Acks and NAKs of one queue pair: where they go, and which stands in for another.
use crate::bench::{self, Bench};
use crate::engine::{no_lanes, packet, put, set_job, set_modify, Engine, Job};
use hca_host::command;

const QP: usize = 1;
/// Place of a job's SL.
const SL: usize = 98;

/// Clocks up to one in which this output is up.
pub fn wait(bench: &mut Bench, output: &str) {
    loop {
        bench.settle();
        let is_up = bench.is_set(output);
        bench.tick();
        if is_up {
            return;
        }
    }
}

/// The queue pair has left Reset; nobody else has taken that up.
fn in_rtr(library: &hca_sim::verilated::Library) -> Bench {
    let mut bench = Bench::new(library, 1);
    for input in [
        "modify_valid", "receive_modified", "job_valid", "emitted_valid", "original_valid", "original_error",
        "responder_written", "walk_done", "walk_fault", "hold", "ack_ready",
    ] {
        bench.set(input, 0);
    }
    no_lanes(&mut bench);
    // It forgets all jobs first.
    wait(&mut bench, "job_ready");
    set_modify(&mut bench, QP, command::STATE_RTR, 0);
    bench.set_bytes("modify_row", &[0; 56]);
    bench.set("modify_valid", 1);
    wait(&mut bench, "modify_ready");
    bench.set("modify_valid", 0);
    set_modify(&mut bench, QP, command::STATE_RTR, 0);
    bench.set("receive_modified", 1);
    wait(&mut bench, "job_ready");
    bench.set("receive_modified", 0);
    bench
}

fn decide(bench: &mut Bench, job: &Job, sl: u64) {
    set_job(bench, QP, job);
    let mut row = bench.bytes("job").to_vec();
    put(&mut row, SL, 4, sl);
    bench.set_bytes("job", &row);
    bench.set("job_valid", 1);
    wait(bench, "job_ready");
    bench.set("job_valid", 0);
}

/// `qp_cq.md` section 1: the receive side answers from RTR on, before all others have taken it.
#[test]
fn an_answer_that_comes_before_the_modify_is_addressed_by_it() {
    let library = bench::library::<Engine>("response_engine");
    let mut bench = in_rtr(&library);
    let nak = Job {
        syndrome: 0x60,
        ..Job::default()
    };
    decide(&mut bench, &nak, 0);
    wait(&mut bench, "ack_valid");
    bench.settle();
    assert_eq!(packet(&bench, "ack").0, QP);
}

/// `responder.md` section 6 gives the ack of a duplicate the PSN of the last request that is neither Read nor atomic;
/// the peer takes credits from the PSN of its last response at the oldest (`requester.md` section 4). CF205, PSNs on
/// both sides of the wrap.
#[test]
fn the_ack_of_a_duplicate_takes_no_credits_away() {
    let library = bench::library::<Engine>("response_engine");
    let mut bench = in_rtr(&library);
    let ack = |psn, syndrome, msn, fence| Job {
        psn,
        syndrome,
        msn,
        fence,
        ..Job::default()
    };
    // It waits for a write, the others for it.
    decide(&mut bench, &ack(0xFF_FFF0, 1, 1, 1), 0);
    decide(&mut bench, &ack(2, 4, 5, 1), 0);
    decide(&mut bench, &ack(0xFF_FFF2, 6, 6, 1), 8);
    bench.set("responder_written", 1);
    bench.set("ack_ready", 1);
    let mut seen = vec![];
    for _ in 0..200 {
        bench.settle();
        let leaves = bench.is_set("ack_valid");
        if leaves {
            let (qp, packet) = packet(&bench, "ack");
            assert_eq!(qp, QP);
            seen.push((packet.psn, packet.syndrome, packet.msn));
        }
        bench.tick();
        bench.set("emitted_valid", leaves.into());
        bench.set("emitted_index", QP as u64);
        bench.set("emitted_kind", 3);
    }
    assert_eq!(seen, [(0xFF_FFF0, 1, 1), (2, 6, 6)]);
}

#[test]
fn every_bit_of_syndrome_and_msn_is_in_the_ack() {
    let library = bench::library::<Engine>("response_engine");
    let mut bench = in_rtr(&library);
    bench.set("ack_ready", 1);
    for (n, msn) in (0..24)
        .flat_map(|bit| [1 << bit, 0xFF_FFFF ^ 1 << bit])
        .enumerate()
    {
        let job = Job {
            psn: n as u32 + 1,
            syndrome: n as u8 % 0x20,
            msn,
            ..Job::default()
        };
        decide(&mut bench, &job, 0);
        for clocks in 0.. {
            assert!(clocks < 100, "no ack of MSN {msn:X}h");
            bench.settle();
            let leaves = bench.is_set("ack_valid");
            if leaves {
                let (_, packet) = packet(&bench, "ack");
                assert_eq!(
                    (packet.psn, packet.syndrome, packet.msn),
                    (job.psn, job.syndrome, msn)
                );
            }
            bench.tick();
            bench.set("emitted_valid", leaves.into());
            bench.set("emitted_index", QP as u64);
            bench.set("emitted_kind", 3);
            if leaves {
                break;
            }
        }
        bench.settle();
        bench.tick();
        bench.set("emitted_valid", 0);
    }
}
