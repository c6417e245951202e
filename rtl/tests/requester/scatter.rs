//! The walker of responses, and the queue of the pieces that it brings: each response is committed with its own.
use crate::bench::{bits, Bench};
use crate::peer::Response;
use crate::rig::BAD_KEY;
use fastrand::Rng;
use std::collections::VecDeque;

/// A walk under way.
struct Walk {
    /// Clocks to its end.
    left: u32,
    fault: u64,
    bytes: u64,
}

#[derive(Default)]
pub struct Scatter {
    walks: VecDeque<Walk>,
    /// Bytes of the pieces of the packet that is not closed, and of the closed ones.
    pushed: Vec<u64>,
    closed: VecDeque<Vec<u64>>,
    /// Bytes to write of the responses that were taken and are not committed.
    taken: VecDeque<u64>,
    /// Largest number of walks under way, and how often pieces were removed.
    pub most: usize,
    pub aborts: u32,
}

impl Scatter {
    /// A response is taken.
    pub fn take(&mut self, response: &Response) {
        let is_atomic = response.opcode == 0x12;
        self.taken
            .push_back(if is_atomic { 8 } else { response.payload.into() });
    }

    /// Sets the walker's outputs of this clock.
    pub fn drive(&mut self, bench: &mut Bench, rng: &mut Rng) {
        let ends = self.walks.front().is_some_and(|walk| walk.left == 0);
        let done = ends.then(|| self.walks.pop_front()).flatten();
        for walk in &mut self.walks {
            walk.left = walk.left.saturating_sub(1);
        }
        bench.set("scatter_walk_done", u64::from(done.is_some()));
        bench.set("scatter_walk_fault", done.as_ref().map_or(0, |walk| walk.fault));
        bench.set("scatter_walk_ready", u64::from(rng.u32(0..3) != 0));
        // Some pieces come before a fault.
        self.pushed.extend(done.map(|walk| walk.bytes));
    }

    /// Observes this clock. Returns true if a response is committed.
    pub fn observe(&mut self, bench: &Bench, rng: &mut Rng) -> bool {
        if bench.is_set("scatter_walk_valid") && bench.is_set("scatter_walk_ready") {
            let list = bench.bytes("scatter_walk");
            let bytes = bits(&list, 297, 13);
            assert!(bytes > 0, "a walk of nothing");
            assert_eq!(bits(&list, 314, 24), 7, "protection domain");
            assert_eq!(bits(&list, 311, 3), 1, "a local write");
            let is_bad = bits(&list, 128, 32) as u32 == BAD_KEY;
            self.walks.push_back(Walk {
                left: rng.u32(0..6),
                fault: if is_bad { 2 } else { 0 },
                bytes,
            });
            self.most = self.most.max(self.walks.len());
        }
        if bench.is_set("scatter_pieces_close") {
            self.closed.push_back(std::mem::take(&mut self.pushed));
        }
        if bench.is_set("scatter_pieces_abort") {
            assert!(
                self.walks.is_empty(),
                "a walk brings pieces after those that are removed"
            );
            self.pushed.clear();
            self.closed.clear();
            self.aborts += 1;
        }
        let commits = bench.is_set("scatter_pieces_commit");
        if commits {
            let pieces = self.closed.pop_front().expect("no packet is closed");
            let bytes = self.taken.pop_front().expect("no response was taken");
            assert!(
                pieces.is_empty() || pieces == [bytes],
                "{pieces:?} of {bytes} bytes"
            );
        }
        commits
    }
}
