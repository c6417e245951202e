//! Messages on their way to the completer: each arrives as it was given, in order, and its QP is not idle before.
use crate::bench::{bits, library, Bench};
use crate::engine::put;
use fastrand::Rng;
use hca_rtl::requester::CompleterMessages;
use std::collections::VecDeque;

const QPS: usize = 16;
/// Index 16 | kind 2 | bound 24 | status 8 | fence 16.
const WIDTH: usize = 66;

#[test]
fn messages_arrive_as_they_were_given_and_their_qp_is_not_idle_before() {
    let mut bench = Bench::new(&library::<CompleterMessages<4>>("completer_messages"), 1);
    let mut rng = Rng::with_seed(0x3E55);
    // On their way; read and not carried out.
    let mut given: VecDeque<(usize, Vec<u8>)> = VecDeque::new();
    let mut read: VecDeque<usize> = VecDeque::new();
    let (mut carried_out, mut offered) = (0, None);
    for clock in 0..20_000 {
        let starts = clock < QPS;
        let reads = [30, 90, 5][clock / 200 % 3];
        let (index, message) = offered.take().unwrap_or_else(|| {
            let index = rng.usize(..QPS);
            let mut message = vec![0; WIDTH.div_ceil(8)];
            put(&mut message, 0, 50, rng.u64(..));
            put(&mut message, 50, 16, index as u64);
            (index, message)
        });
        // It comes late in its clock, and another may have been seen before.
        let writes = !starts && rng.u8(..100) < 60;
        bench.set("write_valid", writes.into());
        bench.set("write_index", index as u64);
        for (field, at, width) in [
            ("fence", 0, 16),
            ("status", 16, 8),
            ("bound", 24, 24),
            ("kind", 48, 2),
        ] {
            bench.set(&format!("write_{field}"), bits(&message, at, width));
        }
        bench.set("read_ready", (rng.u8(..100) < reads).into());
        let done = if rng.bool() { read.pop_front() } else { None };
        bench.set("done", done.is_some().into());
        bench.set("done_index", done.unwrap_or(0) as u64);
        bench.set("clears", starts.into());
        bench.set("clears_index", (clock % QPS) as u64);
        let looked = rng.usize(..QPS);
        bench.set("idle_index", looked as u64);
        bench.settle();
        if !starts {
            let busy =
                given.iter().any(|(qp, _)| *qp == looked) || read.contains(&looked) || done == Some(looked);
            assert_eq!(bench.is_set("idle"), !busy, "clock {clock}: QP {looked}");
        }
        if bench.is_set("read_valid") && bench.is_set("read_ready") {
            let (qp, message) = given.pop_front().expect("one was given");
            let data = bench.bytes("read");
            assert_eq!(bits(&data, 0, 64), bits(&message, 0, 64), "clock {clock}");
            assert_eq!(bits(&data, 64, 2), bits(&message, 64, 2), "clock {clock}");
            read.push_back(qp);
            carried_out += 1;
        }
        if writes && bench.is_set("write_ready") {
            given.push_back((index, message));
        } else if writes {
            offered = Some((index, message));
        }
        bench.tick();
    }
    assert!(carried_out > 3_000, "{carried_out} were carried out");
}
