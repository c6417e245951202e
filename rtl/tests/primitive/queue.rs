//! Queues: nothing lost, nothing twice, in order, no more than they hold and all that they hold.
use crate::bench::Bench;
use crate::parts::{self, Part};
use fastrand::Rng;
use std::collections::VecDeque;

/// Clocks of each way to use them: longer than the longest takes to fill up or to run empty.
const SPELL: u64 = 700;
/// How often in 100 clocks a word is offered, and one is asked for.
const SPELLS: [(u8, u8); 9] = [
    (100, 0),
    (100, 100),
    (0, 100),
    (100, 100),
    (50, 50),
    (90, 60),
    (30, 90),
    (100, 50),
    (5, 95),
];

/// A queue beside what it has to be.
struct Queue {
    part: Part,
    depth: usize,
    /// Clocks from a write to `read_valid`.
    latency: u64,
    /// It may hold one more, in front of its memory.
    front: bool,
    /// Words in it, with the clock in which each moved in.
    words: VecDeque<(Vec<u8>, u64)>,
    offered: Option<Vec<u8>>,
    asked: bool,
    /// Bits of a word that come out as they went in.
    kept: Vec<u8>,
}

impl Queue {
    fn new(part: Part, ram: &str, latency: u64, front: bool) -> Queue {
        // `lut_ram_4x16` has 16 words.
        let words = part
            .word_behind(ram)
            .split('_')
            .next()
            .and_then(|size| size.split_once('x'));
        let depth = words
            .expect("its memory says how much it holds")
            .1
            .parse()
            .expect("a number");
        let width = part.width("write");
        Queue {
            part,
            depth,
            latency,
            front,
            words: VecDeque::new(),
            offered: None,
            asked: false,
            kept: vec![0xFF; width.div_ceil(8)],
        }
    }

    fn drive(&mut self, bench: &mut Bench, rng: &mut Rng, (offers, asks): (u8, u8)) {
        let width = self.part.width("write");
        let mut word: Vec<u8> = (0..width.div_ceil(8)).map(|_| rng.u8(..)).collect();
        if !width.is_multiple_of(8) {
            *word.last_mut().expect("it has a bit") &= (1 << (width % 8)) - 1;
        }
        // Where nobody asks whether there is room, there is.
        let room = self.part.tells("write_ready") || self.words.len() < self.depth;
        let offered = rng.u8(0..100) < offers && room;
        self.asked = rng.u8(0..100) < asks;
        bench.set_bytes(&self.part.port("write"), &word);
        bench.set(&self.part.port("write_valid"), offered.into());
        bench.set(&self.part.port("read_ready"), self.asked.into());
        self.offered = offered.then_some(word);
    }

    /// Looks at the outputs, and moves words as the clock's edge will.
    /// `learns`: which bits it keeps.
    fn check(&mut self, bench: &Bench, learns: bool) {
        let Part { name, .. } = &self.part;
        let cycle = bench.cycle;
        let held = self.words.len();
        let ready = match self.part.tells("write_ready") {
            true => bench.is_set(&self.part.port("write_ready")),
            false => held < self.depth,
        };
        match (held < self.depth, held > self.depth || !self.front) {
            (true, _) => assert!(
                ready,
                "{name}, clock {cycle}: not ready, with {held} words of {}",
                self.depth
            ),
            (false, true) => assert!(
                !ready,
                "{name}, clock {cycle}: ready, with {held} words of {}",
                self.depth
            ),
            (false, false) => {}
        }
        let shows = self
            .words
            .front()
            .is_some_and(|(_, since)| since + self.latency <= cycle);
        if self.part.tells("read_valid") {
            let valid = bench.is_set(&self.part.port("read_valid"));
            assert_eq!(
                valid, shows,
                "{name}, clock {cycle}: read_valid, with {held} words"
            );
        }
        if shows {
            let (word, _) = &self.words[0];
            let read = bench.bytes(&self.part.port("read"));
            let wrong = word.iter().zip(&read).map(|(word, read)| word ^ read);
            if learns {
                let kept = self.kept.iter().zip(wrong).map(|(kept, wrong)| kept & !wrong);
                self.kept = kept.collect();
            } else {
                let wrong = wrong.zip(&self.kept).any(|(wrong, kept)| wrong & kept != 0);
                assert!(!wrong, "{name}, clock {cycle}: read is {read:X?}, not {word:X?}");
            }
            if self.asked {
                self.words.pop_front();
            }
        }
        if ready {
            self.words.extend(self.offered.take().map(|word| (word, cycle)));
        }
    }
}

fn run(beginning: &str, ram: &str, latency: u64, front: bool) -> usize {
    let (parts, library) = parts::of(beginning);
    let mut queues: Vec<Queue> = parts
        .into_iter()
        .map(|part| Queue::new(part, ram, latency, front))
        .collect();
    // A design that has them may have left out bits that are always the same there.
    if parts::elsewhere() {
        live(&mut queues, Bench::as_designed(&library, 1), true);
    }
    live(&mut queues, Bench::new(&library, 1), false);
    queues.len()
}

fn live(queues: &mut [Queue], mut bench: Bench, learns: bool) {
    let mut rng = Rng::with_seed(1);
    for _ in 0..2 {
        for spell in SPELLS {
            for _ in 0..SPELL {
                queues
                    .iter_mut()
                    .for_each(|queue| queue.drive(&mut bench, &mut rng, spell));
                bench.settle();
                queues.iter_mut().for_each(|queue| queue.check(&bench, learns));
                bench.tick();
            }
        }
        // A reset empties them, whatever is offered.
        queues
            .iter_mut()
            .for_each(|queue| queue.drive(&mut bench, &mut rng, (100, 0)));
        bench.set("reset", 1);
        bench.settle();
        bench.tick();
        bench.set("reset", 0);
        queues.iter_mut().for_each(|queue| queue.words.clear());
    }
}

#[test]
fn a_queue_in_distributed_ram_tells_its_state_a_clock_later() {
    let queues = run("fifo_", "lut_ram_", 1, false);
    assert!(queues > 40, "the adapter has {queues} of them");
}

#[test]
fn a_queue_in_block_ram_tells_a_word_three_clocks_later() {
    assert_ne!(run("block_fifo_", "block_ram_", 3, true), 0);
}
