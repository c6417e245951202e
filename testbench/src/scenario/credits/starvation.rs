//! A responder that posts receive WQEs late, in bursts, and with pauses, over a faulty link.
use super::ends::{Ends, ENTRIES, FETCH_ADD, MESSAGE, MOST, READ, SEND, WRITE, WRITE_WITH_IMMEDIATE};
use crate::fabric::{Fabric, Stop};
use crate::faults::Faults;
use crate::trace::PacketRecord;
use crate::Side;
use hca_golden::psn;
use hca_golden::verbs::{SendOperation, Status};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::ops::Range;

/// Numbers of receive WQEs that the code table distinguishes (`credit_table.csv`), without code 0.
const CREDITS: [u64; 31] = [
    1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
    6144, 8192, 12288, 16384, 24576, 32767, 32768,
];
/// Largest number of verbs of a side under way.
const VERBS: usize = 8;
/// Largest number of clock cycles that a message may take. More is a deadlock.
const PATIENCE: u64 = 400_000;

/// Parameters of the scenario.
#[derive(Clone, Copy, Debug)]
pub struct Starvation {
    /// True if Y supplies credits and X respects them.
    pub credits: bool,
    pub messages: usize,
    /// Number of packets lost, of a thousand. Half as many are delayed, so that others overtake them.
    pub lost: u32,
    /// Clock cycles that Y's packets, and so its credits, take.
    pub late: u64,
    /// True if another connection counts up to 32768 receive WQEs, so that every code is sent.
    pub all_codes: bool,
}

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub rnr_naks: u64,
    /// Number of requests that were sent again.
    pub again: u64,
    pub requests: u64,
    pub cycles: u64,
}

impl Starvation {
    /// Messages with credits, over a faulty link.
    pub const WITH: Starvation = Starvation {
        credits: true,
        messages: 200,
        lost: 10,
        late: 0,
        all_codes: true,
    };
    /// Credits that come late over a sound link.
    pub const LATE: Starvation = Starvation {
        lost: 0,
        late: 3000,
        all_codes: false,
        ..Starvation::WITH
    };
    /// The messages of `WITH`, without credits.
    pub const WITHOUT: Starvation = Starvation {
        credits: false,
        ..Starvation::WITH
    };

    /// Runs the scenario to its end.
    pub fn run(&self, fabric: &mut Fabric<'_>, seed: u64) -> Result<Cost, Stop> {
        let ends = Ends {
            x_psn: 0xFF_FFF0,
            expected: self.credits,
            supplied: self.credits,
            rnr_timer: 1,
            ..Ends::default()
        };
        fabric.keep_packets();
        ends.open(fabric, 0)?;
        let faults = Faults {
            lost: self.lost,
            delayed: self.lost / 2,
            ..Faults::default()
        };
        fabric.suffer(faults, seed);
        fabric.delay(Side::X, self.late);
        let mut run = Run {
            starvation: self,
            ends,
            random: ChaCha8Rng::seed_from_u64(seed),
            seen: fabric.kept_packets().len(),
            newest: psn::subtract(ends.x_psn, 1),
            cost: Cost::default(),
        };
        let began = fabric.cycle();
        run.messages(fabric)?;
        run.cost.cycles = fabric.cycle() - began;
        if self.credits && self.all_codes {
            all_codes(fabric)?;
        }
        Ok(run.cost)
    }
}

struct Run<'a> {
    starvation: &'a Starvation,
    ends: Ends,
    random: ChaCha8Rng,
    /// Number of packets examined.
    seen: usize,
    /// Newest PSN that X has sent.
    newest: u32,
    cost: Cost,
}

impl Run<'_> {
    fn below(&mut self, range: Range<u32>) -> u32 {
        range.start + self.random.next_u32() % (range.end - range.start)
    }

    fn operation(&mut self) -> (SendOperation, u32) {
        let length = self.below(0..MESSAGE + 1);
        match self.below(0..20) {
            0..=11 => (SEND, length),
            12..=14 => (WRITE_WITH_IMMEDIATE, length),
            15..=16 => (WRITE, length),
            17..=18 => (READ, length),
            _ => (FETCH_ADD, 8),
        }
    }

    /// Returns the clock cycles until the next receive WQEs, and their number: few and often, many, or none for long.
    fn burst(&mut self) -> (u64, u64) {
        let (pause, count) = match self.below(0..8) {
            0..=3 => (self.below(200..2_000), self.below(1..3)),
            4..=5 => (self.below(2_000..8_000), self.below(2..9)),
            6 => (self.below(500..4_000), self.below(8..25)),
            _ => (self.below(20_000..60_000), self.below(1..5)),
        };
        (pause.into(), count.into())
    }

    fn messages(&mut self, fabric: &mut Fabric<'_>) -> Result<(), Stop> {
        let work: Vec<_> = (0..self.starvation.messages).map(|_| self.operation()).collect();
        let receives = work.iter().filter(|(o, _)| o.takes_receive_wqe()).count() as u64;
        let (mut posted, mut sent, mut received, mut brought) = (0, 0, 0, 0);
        let (mut pause, mut burst) = self.burst();
        let mut progress = fabric.cycle();
        while sent < work.len() || received < receives {
            fabric.step()?;
            let entries = ENTRIES as usize;
            if posted < work.len() && posted - sent < entries && fabric.station(Side::X).verbs_open() < VERBS
            {
                let (operation, length) = work[posted];
                let verb = self.ends.request(posted as u64, operation, length);
                fabric.station(Side::X).submit(verb);
                posted += 1;
            }
            pause = pause.saturating_sub(1);
            let room = brought < receives && brought - received < entries as u64;
            if pause == 0 && room && fabric.station(Side::Y).verbs_open() < VERBS {
                let verb = self.ends.receive(brought);
                fabric.station(Side::Y).submit(verb);
                brought += 1;
                burst -= 1;
                if burst == 0 {
                    (pause, burst) = self.burst();
                }
            }
            for side in Side::BOTH {
                while let Some(reaped) = fabric.reap(side) {
                    let status = reaped.completion.status;
                    fabric.expect("status of a completion", Status::Success, status)?;
                    match side {
                        Side::X => sent += 1,
                        Side::Y => received += 1,
                    }
                    progress = fabric.cycle();
                }
            }
            fabric.expect("a dead-lock", false, fabric.cycle() - progress > PATIENCE)?;
            self.look(fabric)?;
        }
        Ok(())
    }

    /// Counts packets on the link. With credits, an RNR NAK only answers the newest packet: the probe of a limited WQE,
    /// behind which nothing was sent.
    fn look(&mut self, fabric: &Fabric<'_>) -> Result<(), Stop> {
        let packets: &[PacketRecord] = &fabric.kept_packets()[self.seen..];
        self.seen += packets.len();
        for packet in packets {
            let dissection = packet.dissection();
            let value = |name: &str| dissection.value(name).map(|value| value as u32);
            let packet_psn = value("BTH.PSN").unwrap_or_default();
            if packet.from == Side::X {
                self.cost.requests += 1;
                match psn::difference(packet_psn, self.newest) > 0 {
                    true => self.newest = packet_psn,
                    false => self.cost.again += 1,
                }
            } else if value("AETH.Syndrome").is_some_and(|syndrome| syndrome >> 5 == 1) {
                self.cost.rnr_naks += 1;
                if self.starvation.credits {
                    fabric.expect(
                        "PSN of an RNR NAK: a limited WQE's probe",
                        self.newest,
                        packet_psn,
                    )?;
                }
            }
        }
        Ok(())
    }
}

/// Raises the number of Y's receive WQEs to each number that the table distinguishes, and answers a Write each time.
fn all_codes(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    let ends = Ends {
        n: 1,
        receive_entries: MOST,
        ..Ends::default()
    };
    ends.open(fabric, 0)?;
    let mark = fabric.kept_packets().len();
    let mut count = 0;
    for credits in std::iter::once(0).chain(CREDITS) {
        ends.bring(fabric, count..credits)?;
        count = credits;
        ends.post(fabric, &[(WRITE, 0)])?;
        super::ends::completed(fabric, 1)?;
    }
    let of_y = fabric.kept_packets()[mark..].iter().filter(|p| p.from == Side::Y);
    let advertised: BTreeSet<u64> = of_y
        .filter_map(|p| p.dissection().value("AETH.Syndrome"))
        .collect();
    fabric.note(&format!("   credit codes advertised: {} of 31", advertised.len()))?;
    fabric.expect("credit codes advertised", (0..31).collect(), advertised)
}
