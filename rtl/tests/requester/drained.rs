//! Send queues that software wants to know drained (CF239).
use crate::bench::{library, Bench};
use hca_rtl::requester::SqDrained;

const RTS: u32 = 3;
const SQD: u32 = 4;
const ERROR: u32 = 6;

struct Queues(Bench);

impl Queues {
    fn new() -> Queues {
        let mut bench = Bench::new(&library::<SqDrained<4>>("sq_drained"), 1);
        for input in [
            "modify_valid", "modify_index", "modify_wants", "row_write", "row_index",
        ] {
            bench.set(input, 0);
        }
        for input in [
            "row_state", "row_started", "consumer_valid", "consumer_index", "consumer",
        ] {
            bench.set(input, 0);
        }
        bench.set_bytes("modify_row", &[0; 56]);
        bench.set("drained_ready", 1);
        let mut queues = Queues(bench);
        for index in 0..16 {
            queues.modify(index, 0, 0, false);
            queues.step();
        }
        queues
    }

    fn step(&mut self) -> Option<u64> {
        self.0.settle();
        let drained = self.0.is_set("drained_valid").then(|| self.0.get("drained"));
        self.0.tick();
        drained
    }

    fn row(&mut self, index: u64, state: u32, started: u64) -> Option<u64> {
        self.0.set("row_write", 1);
        self.0.set("row_index", index);
        self.0.set("row_state", u64::from(state));
        self.0.set("row_started", started);
        let drained = self.step();
        self.0.set("row_write", 0);
        drained
    }

    /// MODIFY_QP, which writes the row in its clock.
    fn modify(&mut self, index: u64, state: u32, started: u64, wants: bool) {
        let mut row = [0; 56];
        row[4 * 12] = state as u8;
        self.0.set_bytes("modify_row", &row);
        self.0.set("modify_valid", 1);
        self.0.set("modify_index", index);
        self.0.set("modify_wants", u64::from(wants));
        assert_eq!(self.row(index, state, started), None);
        self.0.set("modify_valid", 0);
    }

    fn complete(&mut self, index: u64, consumer: u64) -> Option<u64> {
        self.0.set("consumer_valid", 1);
        self.0.set("consumer_index", index);
        self.0.set("consumer", consumer);
        let drained = self.step();
        self.0.set("consumer_valid", 0);
        drained
    }

    fn wait(&mut self) -> Vec<u64> {
        (0..40).filter_map(|_| self.step()).collect()
    }
}

#[test]
fn it_is_told_once_the_last_message_is_complete() {
    let mut queues = Queues::new();
    for index in [2, 7] {
        assert_eq!(queues.row(index, RTS, 5), None);
        queues.complete(index, 3);
    }
    queues.modify(2, SQD, 5, true);
    queues.modify(7, SQD, 5, false);
    assert!(queues.wait().is_empty());
    queues.complete(2, 4);
    queues.complete(7, 5);
    assert!(queues.wait().is_empty());
    // The clock of the completion does not count yet.
    assert_eq!(queues.complete(2, 5), None);
    assert_eq!(queues.wait(), [2]);
    assert!(queues.wait().is_empty());
}

#[test]
fn one_that_is_empty_is_told_at_once_and_each_time() {
    let mut queues = Queues::new();
    for _ in 0..3 {
        queues.modify(4, RTS, 0, false);
        queues.modify(4, SQD, 0, true);
        assert_eq!(queues.wait(), [4]);
    }
}

#[test]
fn one_that_leaves_sqd_is_not_told() {
    let mut queues = Queues::new();
    for (state, started) in [(RTS, 6), (ERROR, 6)] {
        queues.row(1, RTS, started);
        queues.modify(1, SQD, started, true);
        assert!(queues.wait().is_empty());
        queues.row(1, state, started);
        queues.wait();
        queues.complete(1, started);
        assert!(queues.wait().is_empty());
        queues.complete(1, 0);
    }
    // Reset starts the counts anew.
    queues.complete(1, 6);
    queues.modify(1, 0, 0, false);
    queues.wait();
    queues.row(1, RTS, 0);
    queues.modify(1, SQD, 0, true);
    assert_eq!(queues.wait(), [1]);
}

/// Nothing is lost while nobody listens.
#[test]
fn it_waits_until_it_is_taken() {
    let mut queues = Queues::new();
    queues.0.set("drained_ready", 0);
    for index in 0..16 {
        queues.modify(index, SQD, 0, true);
    }
    queues.wait();
    queues.0.set("drained_ready", 1);
    let mut told = queues.wait();
    told.sort_unstable();
    assert_eq!(told, (0..16).collect::<Vec<_>>());
}

/// Nothing is looked at while no queue pair asks; each that asks, in whatever clock before or after, gets its event.
#[test]
fn who_asks_is_told_whenever_it_asks() {
    let mut queues = Queues::new();
    for pause in 0..70 {
        for index in [0, 8, 15] {
            queues.modify(index, RTS, 0, false);
            queues.modify(index, SQD, 0, true);
            // The next one asks while the event of this one is offered, or after.
            let mut told: Vec<u64> = (0..pause).filter_map(|_| queues.step()).collect();
            queues.modify(5, RTS, 0, false);
            queues.modify(5, SQD, 0, true);
            told.extend(queues.wait());
            told.sort_unstable();
            let mut both = vec![5, index];
            both.sort_unstable();
            assert_eq!(told, both, "{pause} clocks after QP {index}");
        }
    }
}
