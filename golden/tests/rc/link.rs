//! A link between two models that loses, repeats, delays, reorders and corrupts packets, all by one seed.
use super::case::MICROSECOND;
use hca_golden::event::Event;
use hca_golden::hca::{Hca, Output};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Time that an event takes.
const EVENT: u64 = 100_000;
/// Events after which a run counts as hung.
const PATIENCE: u64 = 3_000_000;

/// Faults in parts of a thousand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    pub lost: u32,
    pub repeated: u32,
    pub corrupted: u32,
    /// Packets that take a way of their own, so that others pass them.
    pub delayed: u32,
}

/// X and Y with a clock and a link.
pub struct Net {
    pub hcas: [Hca; 2],
    faults: Faults,
    random: ChaCha8Rng,
    now: u64,
    /// Packets on their way, by time of arrival and number.
    flying: BTreeMap<(u64, u64), (usize, Vec<u8>)>,
    sent: u64,
    /// Events so far, by name, of both.
    pub seen: BTreeMap<String, u64>,
}

impl Net {
    pub fn new(hcas: [Hca; 2], faults: Faults, seed: u64) -> Net {
        Net {
            hcas,
            faults,
            random: ChaCha8Rng::seed_from_u64(seed),
            now: 0,
            flying: BTreeMap::new(),
            sent: 0,
            seen: BTreeMap::new(),
        }
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        self.random.next_u32() % end
    }

    fn chance(&mut self, parts: u32) -> bool {
        self.below(1000) < parts
    }

    /// Runs until nothing can happen any more; `between` is called before every event and says whether more may come
    /// from it.
    pub fn run(&mut self, mut between: impl FnMut(&mut Net) -> bool) {
        for _ in 0..PATIENCE {
            let more = between(self);
            self.arrive();
            let side = self.below(2) as usize;
            if self.act(side) || self.act(1 - side) {
                continue;
            }
            let arrival = self.flying.keys().next().map(|k| k.0);
            let timers = self.hcas.iter().filter_map(Hca::deadline);
            match arrival.into_iter().chain(timers).min() {
                Some(at) => self.advance(at.saturating_sub(self.now)),
                None if more => self.advance(EVENT),
                None => return,
            }
        }
        panic!("the run does not end: {:?}", self.hcas[0].due());
    }

    /// One of the choices of this side.
    fn act(&mut self, side: usize) -> bool {
        let choices = self.hcas[side].choices();
        if choices.is_empty() {
            return false;
        }
        // Mostly in the model's own order, so that timers do not starve.
        let pick = match self.below(4) {
            0 => self.below(choices.len() as u32) as usize,
            _ => 0,
        };
        let event = choices[pick];
        *self.seen.entry(name(&event)).or_default() += 1;
        for output in self.hcas[side].apply(&event).unwrap() {
            if let Output::Transmit { bytes, .. } = output {
                self.carry(1 - side, bytes);
            }
        }
        self.advance(EVENT);
        true
    }

    fn carry(&mut self, to: usize, mut bytes: Vec<u8>) {
        if self.chance(self.faults.lost) {
            return;
        }
        let copies = if self.chance(self.faults.repeated) { 2 } else { 1 };
        if self.chance(self.faults.corrupted) {
            let bit = self.below(bytes.len() as u32 * 8) as usize;
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        for _ in 0..copies {
            let mut delay = 2 * MICROSECOND;
            if self.chance(self.faults.delayed) {
                delay += u64::from(self.below(10_000_000));
            }
            self.sent += 1;
            self.flying
                .insert((self.now + delay, self.sent), (to, bytes.clone()));
        }
    }

    fn arrive(&mut self) {
        while let Some(first) = self.flying.first_entry() {
            if first.key().0 > self.now {
                break;
            }
            let (to, bytes) = first.remove();
            self.hcas[to].receive(1, &bytes);
        }
    }

    fn advance(&mut self, by: u64) {
        self.now += by;
        for hca in &mut self.hcas {
            hca.advance_to(self.now);
        }
    }
}

/// An event without its fields; a rewind with its cause.
fn name(event: &Event) -> String {
    match event {
        Event::Rewound { cause, .. } => format!("Rewound {cause:?}"),
        Event::RequestRefused { syndrome, .. } => format!("RequestRefused {syndrome:02X}h"),
        other => {
            let text = format!("{other:?}");
            text.split(' ').next().unwrap_or_default().to_owned()
        }
    }
}
