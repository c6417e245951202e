//! Shows packets to the pairing before they are judged, so that one reading of a capture is enough.
use super::finding::Rule;
use super::judge::Judge;
use super::observed::Observed;
use super::pairing::Pairing;
use std::collections::VecDeque;

/// Packets that are read before the first of them is judged; a shorter capture is read as a whole.
const AHEAD: usize = 1 << 16;
/// After this many more packets, the pairs of queue pairs known by then are settled.
const ANEW: usize = 1 << 14;
/// A mirror shows each packet of at least one direction twice: at least one packet in this many is a copy.
const MIRROR: u64 = 4;
/// If copies come in groups, nearly every packet has one: at least this many of 40.
const GROUPED: u64 = 19;

/// A packet of RDMA, and what can be judged about it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub number: u64,
    /// In nanoseconds since 1970.
    pub time: u64,
    /// True if it equals the packet before it, byte for byte: a mirror's copy, or a retry.
    pub is_repeated: bool,
    /// The packet equals one of the few packets before it, byte for byte, which had no copy yet.
    pub is_copied: bool,
    pub what: What,
}

/// What can be judged about a packet.
#[derive(Clone, Debug)]
pub enum What {
    Sound(Observed),
    /// The opcode was added to RC later.
    Newer(Observed),
    /// Whoever it was for could not take it: the packet, where its headers can be read, the rule that it breaks and
    /// how.
    Malformed(Option<Box<Observed>>, Rule, String),
    /// The capture cuts the packet within its headers: nothing is known of it.
    Cut,
    /// The service is not judged.
    Foreign,
}

impl What {
    /// The packet, as far as it is known.
    pub fn packet(&self) -> Option<&Observed> {
        match self {
            What::Sound(packet) | What::Newer(packet) => Some(packet),
            What::Malformed(packet, ..) => packet.as_deref(),
            What::Cut | What::Foreign => None,
        }
    }
}

/// Takes packets in the order of a capture.
#[derive(Debug, Default)]
pub struct Ahead {
    pub judge: Judge,
    pairing: Pairing,
    waiting: VecDeque<Seen>,
    /// Packets that came since queue pairs were settled.
    since: usize,
    begun: bool,
    /// Packets, and those that are the same as the one before, NAKs not counted.
    packets: u64,
    repeated: u64,
    /// Those that are the same as one of the few before.
    copied: u64,
    /// Packets that are the same as the one before, in a mirror.
    pub twice: u64,
    /// Packets that were cut short within their headers.
    pub cut: u64,
}

impl Ahead {
    /// Judges connections of these queue pairs alone, or of all if there are none.
    pub fn of(queue_pairs: &[u32]) -> Ahead {
        let mut ahead = Ahead::default();
        ahead.judge.select(queue_pairs);
        ahead
    }

    /// Takes the next packet.
    pub fn packet(&mut self, seen: Seen) {
        match &seen.what {
            What::Sound(packet) => self.pairing.packet(packet),
            What::Newer(packet) => self.pairing.newer(packet),
            What::Malformed(..) | What::Cut | What::Foreign => {}
        }
        self.packets += 1;
        let counts = seen.is_repeated && seen.what.packet().is_none_or(Observed::is_positive);
        self.repeated += u64::from(counts);
        self.copied += u64::from(seen.is_copied);
        self.since += 1;
        if self.waiting.len() == AHEAD {
            if !self.begun || self.since >= ANEW {
                self.settle(false);
            }
            self.judge_next();
        }
        self.waiting.push_back(seen);
    }

    /// Judges what was captured before this time, in nanoseconds since 1970, without a look at more.
    pub fn pass(&mut self, before: u64) {
        if self.waiting.front().is_some_and(|seen| seen.time < before) {
            self.settle(false);
        }
        while self.waiting.front().is_some_and(|seen| seen.time < before) {
            self.judge_next();
        }
    }

    /// Ends the capture.
    pub fn end(&mut self) {
        self.settle(true);
        while !self.waiting.is_empty() {
            self.judge_next();
        }
    }

    /// Settles the pairs that fit by now.
    fn settle(&mut self, last: bool) {
        (self.begun, self.since) = (true, 0);
        if !self.pairing.is_open() {
            return;
        }
        for (answers, asked) in self.judge.learn(self.pairing.pairs(last)) {
            self.pairing.settle(answers, asked);
        }
    }

    fn judge_next(&mut self) {
        let Some(seen) = self.waiting.pop_front() else {
            return;
        };
        let is_mirror = seen.is_repeated && self.repeated * MIRROR >= self.packets;
        let is_grouped = seen.is_copied && self.copied * 40 >= self.packets * GROUPED;
        // Nobody asks for the same response twice in a row: the link has doubled it.
        let is_doubled = seen.is_repeated && seen.what.packet().is_some_and(Observed::is_read_response);
        if is_mirror || is_grouped || is_doubled {
            self.twice += 1;
            return;
        }
        let Seen { number, time, .. } = seen;
        match seen.what {
            What::Sound(packet) => self.judge.packet(number, time, &packet),
            What::Newer(packet) => self.judge.newer(number, time, &packet),
            What::Malformed(packet, rule, why) => {
                self.judge.malformed(number, time, packet.as_deref(), (rule, why));
            }
            What::Cut => {
                self.cut += 1;
                self.judge.cut();
            }
            What::Foreign => self.judge.foreign(),
        }
    }
}
