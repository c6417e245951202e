//! The pause behind a packet that is paced: never too short, and its mark comes back whatever becomes of the packet.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::link::RatePace;
use std::collections::VecDeque;

const VLS: usize = 2;

/// A packet from its departure on.
#[derive(Clone, Debug)]
struct Packet {
    mark: usize,
    delay: u64,
    beats: u64,
    vl: usize,
    straight: bool,
    /// Clock in which its first beat came.
    since: u64,
}

struct Link {
    bench: Bench,
    rng: Rng,
    clock: u64,
    /// Packets that departed and are not built yet, and those that come.
    departed: Option<Packet>,
    coming: VecDeque<Packet>,
    came: u64,
    /// By VL: packets that wait, and beats of each that are here.
    waiting: Vec<VecDeque<(Packet, u64)>>,
    /// The packet under way, its beats that have left, and whether it is given up.
    under_way: Option<(Packet, u64)>,
    /// By mark: it is taken.
    taken: [bool; 8],
    /// For each mark, the first and the last clock in which it may come back.
    due: [Option<(u64, u64)>; 8],
    fates: [u32; 4],
}

impl Link {
    fn new() -> Link {
        let mut bench = Bench::new(&library::<RatePace<VLS>>("rate_pace"), 1);
        for input in ["departs", "builds", "comes", "starts", "drops", "beat", "marked"] {
            bench.set(input, 0);
        }
        bench.set("reset", 1);
        for _ in 0..4 {
            bench.settle();
            bench.tick();
        }
        bench.set("reset", 0);
        Link {
            bench,
            rng: Rng::with_seed(7),
            clock: 0,
            departed: None,
            coming: VecDeque::new(),
            came: 0,
            waiting: vec![VecDeque::new(); 16],
            under_way: None,
            taken: [false; 8],
            due: [None; 8],
            fates: [0; 4],
        }
    }

    fn any_packet(&mut self) -> Packet {
        let marks: Vec<usize> = (1..8).filter(|n| !self.taken[*n]).collect();
        let mark = match self.rng.choice(&marks) {
            Some(mark) if self.rng.bool() => *mark,
            _ => 0,
        };
        self.taken[mark] = mark > 0;
        let vls = [0, 1, 15];
        Packet {
            mark,
            delay: self.rng.u64(0..4),
            beats: if self.rng.u8(0..20) == 0 {
                500
            } else {
                self.rng.u64(1..30)
            },
            vl: vls[self.rng.usize(0..3)],
            straight: false,
            since: 0,
        }
    }

    fn expect(&mut self, mark: usize, from: u64, until: u64) {
        if mark > 0 {
            self.due[mark] = Some((self.clock + from, self.clock + until));
        }
    }

    /// Departure, and the start of the building.
    fn depart(&mut self) {
        self.bench.set("departs", 0);
        self.bench.set("builds", 0);
        match self.departed.take() {
            Some(mut packet) if self.rng.bool() => {
                let nothing_kept = self.waiting.iter().all(VecDeque::is_empty)
                    && self.under_way.as_ref().is_none_or(|(packet, _)| packet.straight)
                    && self.coming.iter().all(|packet| packet.straight);
                packet.straight = nothing_kept && self.rng.bool();
                let discards = self.rng.u8(0..8) == 0;
                self.bench.set("builds", 1);
                self.bench.set("discards", discards.into());
                self.bench.set("delay", packet.delay);
                self.bench.settle();
                assert_eq!(self.bench.get("built_mark"), packet.mark as u64);
                match discards {
                    true => {
                        self.expect(packet.mark, 1, 1);
                        self.fates[0] += u32::from(packet.mark > 0);
                    }
                    false => self.coming.push_back(packet),
                }
            }
            Some(packet) => self.departed = Some(packet),
            // Seasons in which the queues run empty, so that packets go straight to the link.
            None if self.coming.len() < 8
                && ((self.clock / 4_000).is_multiple_of(2) || self.rng.u8(0..16) == 0)
                && self.rng.u8(0..4) == 0 =>
            {
                let packet = self.any_packet();
                self.bench.set("departs", 1);
                self.bench.set("departs_mark", packet.mark as u64);
                self.departed = Some(packet);
            }
            None => {}
        }
    }

    /// One beat that is built, to the queue of its VL.
    fn come(&mut self) {
        self.bench.set("comes", 0);
        let Some(packet) = self.coming.front().cloned() else {
            return;
        };
        if packet.straight || self.rng.u8(0..8) == 0 {
            return;
        }
        self.show(&packet);
        self.came += 1;
        let since = self.clock;
        match self.came {
            1 => self.waiting[packet.vl].push_back((
                Packet {
                    since,
                    ..packet.clone()
                },
                1,
            )),
            came => self.waiting[packet.vl].back_mut().unwrap().1 = came,
        }
        if self.came == packet.beats {
            self.coming.pop_front();
            self.came = 0;
        }
    }

    /// Shows the next beat of the packet that comes.
    fn show(&mut self, packet: &Packet) {
        self.bench.set("comes", 1);
        self.bench.set("comes_mark", packet.mark as u64);
        self.bench
            .set("comes_last", (self.came + 1 == packet.beats).into());
        self.bench.set("straight", packet.straight.into());
        self.bench.set("vl", packet.vl as u64);
    }

    /// One beat that leaves, of a packet that waits or of one that goes straight to the link.
    fn leave(&mut self) {
        for input in ["starts", "drops", "beat"] {
            self.bench.set(input, 0);
        }
        let marked = (0..16).filter(|vl| {
            self.waiting[*vl]
                .front()
                .is_some_and(|(packet, _)| packet.mark > 0)
        });
        let marked = marked.fold(0, |bits, vl| bits | 1 << vl);
        self.bench.set("marked", marked);
        let is_here =
            |packet: &Packet, came: u64| packet.since + 3 <= self.clock && came >= packet.beats.min(4);
        let on_link =
            |vl| matches!(&self.under_way, Some((packet, _)) if !packet.straight && packet.vl == vl);
        // A beat comes out of the store three clocks after it went in, or later.
        let ready: Vec<usize> = (0..16)
            .filter(|vl| matches!(self.waiting[*vl].front(), Some((packet, came)) if is_here(packet, *came)))
            .filter(|vl| !on_link(*vl))
            .collect();
        if let Some(vl) = self
            .rng
            .choice(&ready)
            .copied()
            .filter(|_| self.rng.u8(0..30) == 0)
        {
            let (packet, came) = self.waiting[vl].front().cloned().unwrap();
            if vl < VLS && came == packet.beats && self.came_is_over(vl) {
                self.bench.set("drops", 1 << vl);
                self.waiting[vl].pop_front();
                self.expect(packet.mark, 2, 2);
                self.fates[1] += u32::from(packet.mark > 0);
                return;
            }
        }
        if self.under_way.is_none() && self.rng.u8(0..4) > 0 {
            let straight = self.coming.front().filter(|packet| packet.straight).cloned();
            if let Some(packet) = straight.filter(|_| ready.is_empty()) {
                self.show(&packet);
                self.under_way = Some((packet, 0));
            } else if let Some(vl) = self.rng.choice(&ready).copied() {
                self.bench.set("starts", 1 << vl);
                let packet = self.waiting[vl].front().unwrap().0.clone();
                self.under_way = Some((packet, 0));
            } else {
                return;
            }
        } else if self.under_way.is_none() || self.rng.u8(0..8) == 0 {
            return;
        }
        let (packet, left) = self.under_way.clone().unwrap();
        if packet.straight {
            self.show(&packet);
            self.came += 1;
        } else if self.waiting[packet.vl].front().unwrap().1 <= left {
            return;
        }
        let last = left + 1 == packet.beats;
        self.bench.set("beat", 1);
        self.bench.set("last", last.into());
        self.under_way = Some((packet.clone(), left + 1));
        if last {
            self.under_way = None;
            match packet.straight {
                true => {
                    self.coming.pop_front();
                    self.came = 0;
                }
                false => drop(self.waiting[packet.vl].pop_front()),
            }
            let pause = packet.beats * packet.delay;
            self.expect(packet.mark, pause + 1, pause + 14);
            self.fates[if packet.straight { 2 } else { 3 }] += u32::from(packet.mark > 0);
        }
    }

    /// No more beats of the oldest packet of this VL are to come.
    fn came_is_over(&self, vl: usize) -> bool {
        self.waiting[vl].len() > 1 || self.came == 0 || self.coming[0].vl != vl
    }

    fn step(&mut self) {
        self.clock += 1;
        self.depart();
        self.come();
        self.leave();
        self.bench.settle();
        let freed = self.bench.get("freed");
        for mark in 1..8 {
            let is_freed = freed >> mark & 1 == 1;
            let (from, until) = self.due[mark].unwrap_or((u64::MAX, u64::MAX));
            assert!(
                !is_freed || self.clock >= from,
                "mark {mark} in {} before {from}",
                self.clock
            );
            assert!(
                is_freed || self.clock < until,
                "mark {mark} in {} after {until}",
                self.clock
            );
            if is_freed {
                self.due[mark] = None;
                self.taken[mark] = false;
            }
        }
        self.bench.tick();
    }
}

#[test]
fn every_mark_comes_back_when_its_pause_is_over() {
    let mut link = Link::new();
    for _ in 0..200_000 {
        link.step();
    }
    assert!(link.fates.iter().all(|count| *count > 50), "{:?}", link.fates);
}
