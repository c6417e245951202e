//! The engines never make more than the queues hold.
use crate::bench::{bits, library, library_of, vector, Bench};
use fastrand::Rng;
use hca_rtl::link::{LaneHolds, LaneRoom, PacketLane};
use std::collections::VecDeque;

/// Bytes of each queue: 128 blocks, 16 of them for acks.
const BYTES: usize = 8192;
const VLS: usize = 2;

/// Blocks that a packet counts as until it joins its queue.
fn counts(payload: u64) -> u64 {
    payload / 64 + 3
}

/// A packet on its way: VL, payload, and the clock of its next step.
type Packet = (usize, u64, u64);

struct World {
    bench: Bench,
    rng: Rng,
    /// Made requests and responses that have not departed.
    made: [VecDeque<Packet>; 2],
    /// The packet that has departed, and is built at this clock.
    departed: Option<Packet>,
    built: Option<Packet>,
    /// Blocks of what waits in the queue of each VL.
    queues: Vec<VecDeque<u64>>,
    /// What the response engine has decided on: it says so a clock later.
    decided: Option<Packet>,
    /// Blocks of each VL from the clock in which an engine decides.
    taken: Vec<u64>,
    counts: [u64; 2],
    most: u64,
}

impl World {
    fn new() -> World {
        let library = library_of(LaneRoom::<VLS>::new(BYTES), "lane_room");
        let mut bench = Bench::new(&library, 1);
        for input in [
            "request_valid", "response_valid", "request_back_valid", "response_back_valid", "departs_valid",
            "builds", "joins", "leaves", "responds",
        ] {
            bench.set(input, 0);
        }
        bench.set("active", 1);
        bench.set("data_vls", VLS as u64);
        World {
            bench,
            rng: Rng::with_seed(449),
            made: Default::default(),
            departed: None,
            built: None,
            queues: vec![VecDeque::new(); VLS],
            decided: None,
            taken: vec![0; VLS],
            counts: [0; 2],
            most: 0,
        }
    }

    fn payload(&mut self) -> u64 {
        match self.rng.u8(..3) {
            0 => self.rng.u64(..=4096),
            1 => 4096,
            _ => self.rng.u64(..1024),
        }
    }

    /// Returns true if the engine may make this packet: that of requests, or that of responses.
    fn may(&mut self, hold: &str, (vl, payload, _): Packet) -> bool {
        self.bench.settle();
        let at = if payload < 1024 { 69 } else { 77 };
        bits(&self.bench.bytes(&format!("{hold}_hold")), at + vl, 1) == 0
    }

    /// A clock, in which each VL of `open` may start a packet on the link.
    fn clock(&mut self, open: u64) {
        let now = self.bench.cycle;
        let payload = self.payload();
        let share = |bench: &mut Bench, name: &str, packet: Option<Packet>| {
            bench.set(&format!("{name}_valid"), packet.is_some().into());
            if let Some((vl, payload, _)) = packet {
                bench.set(&format!("{name}_lane"), vl as u64);
                bench.set(&format!("{name}_payload"), payload);
            }
        };
        // The requester.
        let request = (self.rng.usize(..VLS), payload, now + self.rng.u64(20..200));
        let makes = self.made[0].len() < 64 && self.rng.bool() && self.may("request", request);
        let request = makes.then_some(request);
        share(&mut self.bench, "request", request);
        // The response engine: every other clock at most.
        let decided = self.decided.take();
        share(&mut self.bench, "response", decided);
        let payload = self.payload();
        let response = (self.rng.usize(..VLS), payload, now + self.rng.u64(20..200));
        let busy = self.rng.u16(..) > 200;
        self.bench.set("responds", busy.into());
        let makes = busy && decided.is_none() && self.made[1].len() < 64 && self.may("response", response);
        self.decided = makes.then_some(response);
        // Some end before they depart.
        for (side, name) in ["request_back", "response_back"].into_iter().enumerate() {
            let ends = self.rng.u8(..20) == 0;
            let back = self.made[side]
                .front()
                .copied()
                .filter(|packet| packet.2 <= now && ends);
            share(&mut self.bench, name, back);
            if let Some((vl, payload, _)) = back {
                self.made[side].pop_front();
                self.taken[vl] -= counts(payload);
            }
        }
        // Departure, and what joins two clocks after it at the earliest.
        let joins = self.built.take();
        self.bench.set("joins", joins.is_some().into());
        if let Some((vl, payload, _)) = joins {
            let blocks = payload / 64 + 1 + self.rng.u64(..2);
            self.bench.set("joining_vl", vl as u64);
            self.bench.set("joining_blocks", blocks);
            self.taken[vl] -= counts(payload);
            self.taken[vl] += blocks;
            self.queues[vl].push_back(blocks);
        }
        let builds = self.departed.take_if(|packet| packet.2 <= now);
        self.bench.set("builds", builds.is_some().into());
        let side = self.rng.usize(..2);
        let may_depart = self.departed.is_none() && builds.is_none();
        let departs = self.made[side]
            .front()
            .copied()
            .filter(|packet| packet.2 <= now && may_depart);
        share(&mut self.bench, "departs", departs);
        if let Some((vl, payload, _)) = departs {
            self.made[side].pop_front();
            self.departed = Some((vl, payload, now + self.rng.u64(1..4)));
        }
        self.built = builds;
        // The link.
        let mut leaves = 0;
        for vl in 0..VLS {
            // What has joined in this clock does not leave in it.
            let fresh = usize::from(joins.is_some_and(|joins| joins.0 == vl));
            let oldest = self.queues[vl].front().copied().unwrap_or(0);
            self.bench.set(&format!("sizes_{vl}"), oldest);
            let goes = open >> vl & 1 == 1 && self.queues[vl].len() > fresh && self.rng.u8(..4) == 0;
            if goes {
                self.queues[vl].pop_front();
                self.taken[vl] -= oldest;
                leaves |= 1 << vl;
            }
        }
        self.bench.set("leaves", leaves);
        self.bench.settle();
        self.bench.tick();
        for (side, made) in [request, self.decided].into_iter().enumerate() {
            if let Some(packet) = made {
                self.made[side].push_back(packet);
                self.taken[packet.0] += counts(packet.1);
                self.counts[side] += 1;
            }
        }
        for vl in 0..VLS {
            assert!(self.taken[vl] <= 112, "VL {vl}: {} blocks", self.taken[vl]);
            self.most = self.most.max(self.taken[vl]);
        }
    }
}

/// What both engines make fits, whether a VL stands still or not, and a VL that stands still holds up no other.
#[test]
fn no_queue_is_promised_more_than_it_holds() {
    let mut world = World::new();
    for round in 0..200 {
        // Both, none, one of them.
        let open = [3, 0, 1, 2][round % 4];
        let before = world.counts;
        for _ in 0..1_000 {
            world.clock(open);
        }
        let made = [0, 1].map(|side| world.counts[side] - before[side]);
        if open == 0 {
            assert!(made[0] + made[1] < 80, "{made:?}");
        } else {
            assert!(made[0] > 3 && made[1] > 3, "round {round}, open {open}: {made:?}");
        }
    }
    assert!(world.most > 100, "{}", world.most);
}

/// The VL of a packet's SL, unless the packet takes no room.
#[test]
fn a_packet_takes_room_on_the_vl_of_its_sl() {
    let mut bench = Bench::without_clock(&library::<PacketLane>("packet_lane"), 1);
    let mut rng = Rng::with_seed(5);
    for _ in 0..2_000 {
        let (table, sl, vls) = (rng.u64(..), rng.u64(..16), 1 << rng.u64(..4));
        let (active, exempt) = (rng.u8(..4) > 0, rng.u8(..4) == 0);
        let port = rng.u64(..2);
        let mut lanes = |is_own: bool| LaneHolds {
            active: is_own == active,
            sl_to_vl: if is_own { table } else { rng.u64(..) }.into(),
            data_vls: if is_own { vls } else { 8 }.into(),
            ..Default::default()
        };
        for (n, name) in ["first", "second"].into_iter().enumerate() {
            bench.set_bytes(name, &vector::<93>(lanes(n as u64 == port).into()));
        }
        bench.set("port", port);
        bench.set("sl", sl);
        bench.set("exempt", exempt.into());
        bench.follow();
        let vl = table >> (4 * sl) & 15;
        let none = !active || exempt || vl >= vls;
        assert_eq!(bench.get("lane"), if none { 16 } else { port << 3 | vl });
    }
}
