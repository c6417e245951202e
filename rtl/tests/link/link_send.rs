//! The send side between a builder that keeps it busy and a neighbour that gives credits: what stands on the link.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::link::LinkSend;
use hca_sim::verilated::Library;
use std::collections::VecDeque;

/// A packet that waits, or is on its way.
#[derive(Clone, Copy)]
struct Packet {
    vl: u64,
    opcode: u64,
    payload: u64,
    /// PktLen.
    words: u64,
    discards: bool,
}

/// What stands on the link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Down,
    Init,
    Armed,
    Active,
}

struct World {
    bench: Bench,
    rng: Rng,
    lanes: u64,
    vls: usize,
    state: State,
    waiting: Option<Packet>,
    /// Packets between the routing and the link, with the clock in which their first beat may come.
    way: VecDeque<(Packet, u64)>,
    /// Beats of the front packet that were taken.
    taken: u64,
    offering: bool,
    /// Blocks of what has started, and of what has left, since Init.
    started: Vec<u64>,
    left: Vec<u64>,
    /// Packets of `way` from before Init.
    stale: usize,
    /// Blocks that the neighbour has room for since Init, if it has said so.
    granted: Vec<Option<u64>>,
    fccl: Vec<u64>,
    last_fccl: Vec<u64>,
    last_link: Vec<Option<u64>>,
    /// Whether there are SMPs.
    smps: bool,
    /// Whether the neighbour gives no more credits.
    silent: bool,
    /// Whether a link packet was offered and not taken.
    link_stands: bool,
    open: bool,
    packets: u64,
    links: u64,
    given_up: u64,
    words: u64,
}

impl World {
    fn new(library: &Library, lanes: u64, vls: usize, seed: u64) -> World {
        let mut bench = Bench::new(library, seed);
        for input in [
            "flow_control", "init", "initialises", "runs", "sends_data", "limit_valid",
        ] {
            bench.set(input, 0);
        }
        for input in ["waits", "starts", "s_axis_tvalid", "m_axis_tready"] {
            bench.set(input, 0);
        }
        bench.set("data_vls", vls as u64);
        bench.set("fccl_step", 16);
        bench.set("flow_control", 1);
        World {
            bench,
            rng: Rng::with_seed(seed),
            lanes,
            vls,
            state: State::Down,
            waiting: None,
            way: VecDeque::new(),
            taken: 0,
            offering: false,
            started: vec![0; vls],
            left: vec![0; vls],
            stale: 0,
            granted: vec![None; vls],
            fccl: vec![66; vls],
            last_fccl: vec![66; vls],
            last_link: vec![None; vls],
            smps: false,
            silent: false,
            link_stands: false,
            open: false,
            packets: 0,
            links: 0,
            given_up: 0,
            words: 0,
        }
    }

    /// Enters a state in the next clock.
    fn enter(&mut self, state: State) {
        if state == State::Init {
            self.bench.set("init", 1);
            self.clock();
            self.bench.set("init", 0);
            self.started.fill(0);
            self.left.fill(0);
            self.granted.fill(None);
            self.stale = self.way.len();
        }
        self.state = state;
        self.last_link.fill(None);
        self.bench.set("initialises", (state == State::Init).into());
        self.bench
            .set("runs", matches!(state, State::Armed | State::Active).into());
        self.bench.set("sends_data", (state == State::Active).into());
    }

    /// Send Only, or an SMP.
    fn draw(&mut self) -> Packet {
        let is_smp = self.rng.u8(..8) == 0 && self.smps;
        if is_smp {
            return Packet {
                vl: 15,
                opcode: 0x64,
                payload: 256,
                words: 72,
                discards: self.state == State::Down,
            };
        }
        let payload = match self.rng.u8(..4) {
            0 => self.rng.u64(..=4096),
            _ => self.rng.u64(..=200),
        };
        Packet {
            vl: self.rng.u64(..self.vls as u64),
            opcode: 0x04,
            payload,
            words: 6 + payload.div_ceil(4),
            discards: self.state != State::Active || self.rng.u8(..16) == 0,
        }
    }

    fn clock(&mut self) {
        let now = self.bench.cycle;
        // The neighbour.
        let vl = self.rng.usize(..self.vls);
        let grants = self.rng.u8(..32) == 0 && self.state != State::Down && !self.silent;
        self.bench.set("limit_valid", grants.into());
        if grants {
            let room = self.started[vl] + self.rng.u64(..140);
            let limit = room.max(self.granted[vl].unwrap_or(0));
            self.bench.set("limit_vl", vl as u64);
            self.bench.set("limit", limit % 4096);
            self.granted[vl] = Some(limit);
        }
        // The own receive side.
        let vl = self.rng.usize(..self.vls);
        self.fccl[vl] += u64::from(self.rng.u8(..64) == 0) * self.rng.u64(..20);
        let mut bus = [0; 12];
        for (n, fccl) in self.fccl.iter().enumerate() {
            let at = 12 * n;
            let value = (fccl % 4096) << (at % 8);
            bus[at / 8] |= value as u8;
            bus[at / 8 + 1] |= (value >> 8) as u8;
        }
        self.bench.set_bytes("fccl", &bus);
        // A packet that waits.
        if self.waiting.is_none() && self.way.len() < 30 && self.rng.u8(..4) > 0 {
            self.waiting = Some(self.draw());
        }
        self.bench.set("waits", self.waiting.is_some().into());
        if let Some(packet) = self.waiting {
            self.bench.set("vl", packet.vl);
            self.bench.set("opcode", packet.opcode);
            self.bench.set("payload", packet.payload);
            self.bench.set("discards", packet.discards.into());
        }
        self.bench.set("has_grh", 0);
        // Beats.
        let front = self.way.front().copied();
        let comes = |at: u64| at <= now;
        self.offering |= front.is_some_and(|(_, at)| comes(at)) && self.rng.u8(..8) > 0;
        self.bench.set("s_axis_tvalid", self.offering.into());
        let lanes = self.lanes;
        let beats = |packet: &Packet| (4 * packet.words + 2).div_ceil(lanes);
        if let Some((packet, _)) = front {
            let mut beat = vec![0x5A; self.lanes as usize];
            if self.taken == 0 {
                beat[0] = (packet.vl as u8) << 4;
                beat[4] = (packet.words >> 8) as u8;
                beat[5] = packet.words as u8;
            }
            self.bench.set_bytes("s_axis_tdata", &beat);
            self.bench.set("s_axis_tkeep", u64::MAX >> (64 - self.lanes));
            self.bench
                .set("s_axis_tlast", (self.taken + 1 == beats(&packet)).into());
        }
        self.bench.set("m_axis_tready", (self.rng.u8(..16) > 0).into());
        self.bench.settle();
        let starts = self.waiting.is_some() && self.bench.is_set("open") && self.rng.u8(..4) > 0;
        self.bench.set("starts", starts.into());
        self.bench.settle();
        if let Some(packet) = self.waiting.take_if(|_| starts) {
            self.start(packet, now);
        }
        self.look(now);
        if self.offering && self.bench.is_set("s_axis_tready") {
            self.offering = false;
            self.taken += 1;
            if front.is_some_and(|(packet, _)| self.taken == beats(&packet)) {
                self.taken = 0;
                self.way.pop_front();
                self.stale = self.stale.saturating_sub(1);
            }
        }
        self.bench.tick();
        self.bench.set("starts", 0);
    }

    fn start(&mut self, packet: Packet, now: u64) {
        let gives_up = self.bench.is_set("gives_up");
        if packet.discards || packet.vl == 15 {
            assert!(!gives_up);
        }
        if packet.discards {
            return;
        }
        if gives_up {
            assert_ne!(self.state, State::Active);
            self.given_up += 1;
            return;
        }
        if packet.vl < 15 {
            let vl = packet.vl as usize;
            self.started[vl] += packet.words / 16 + 1;
            let granted = self.granted[vl].expect("no flow-control packet has come");
            assert!(
                self.started[vl] <= granted,
                "{} of {granted} blocks",
                self.started[vl]
            );
        }
        self.way.push_back((packet, now + 4 + self.rng.u64(..4)));
    }

    /// What the link is offered and takes in this clock.
    fn look(&mut self, now: u64) {
        let is_link = self.bench.is_set("m_axis_tuser");
        if is_link && !self.link_stands {
            let smp = self.way.front().is_some_and(|(packet, _)| packet.vl == 15);
            assert!(!(self.offering && self.taken == 0 && smp), "an SMP waits");
        }
        self.link_stands = is_link && !self.bench.is_set("m_axis_tready");
        if !(self.bench.is_set("m_axis_tvalid") && self.bench.is_set("m_axis_tready")) {
            return;
        }
        let beat = self.bench.bytes("m_axis_tdata");
        if self.bench.is_set("m_axis_tuser") {
            assert!(!self.open, "inside a packet");
            self.link(&beat, now);
            return;
        }
        let first = !self.open;
        self.open = !self.bench.is_set("m_axis_tlast");
        if first {
            let vl = usize::from(beat[0] >> 4);
            self.packets += 1;
            self.words += u64::from(beat[4]) << 8 | u64::from(beat[5]);
            if vl < 15 && self.stale == 0 {
                self.left[vl] += (u64::from(beat[4]) << 8 | u64::from(beat[5])) / 16 + 1;
            }
        }
    }

    fn link(&mut self, beat: &[u8], now: u64) {
        let crc = beat[..4].iter().fold(0xFFFFu16, |crc, byte| {
            (0..8).fold(crc ^ u16::from(*byte), |crc, _| {
                crc >> 1 ^ if crc & 1 == 1 { 0xD008 } else { 0 }
            })
        });
        assert_eq!(beat[4..6], (!crc).to_le_bytes());
        let word = u64::from(u32::from_be_bytes([beat[0], beat[1], beat[2], beat[3]]));
        let (op, fctbs, vl, fccl) = (
            word >> 28,
            word >> 16 & 0xFFF,
            (word >> 12 & 0xF) as usize,
            word & 0xFFF,
        );
        assert_ne!(self.state, State::Down);
        assert_eq!(op == 1, self.state == State::Init, "{:?}", self.state);
        assert_eq!(fctbs, self.left[vl] % 4096, "VL {vl}");
        let told = self.last_fccl[vl] + (fccl.wrapping_sub(self.last_fccl[vl]) & 0xFFF);
        assert!(told <= self.fccl[vl], "VL {vl}: {told} of {:?}", self.fccl);
        self.last_fccl[vl] = told;
        if let Some(before) = self.last_link[vl] {
            // A largest packet at 15 of 16 clocks, and other link packets.
            let interval = (4 * 65_536 + 4_500) / self.lanes + 40;
            assert!(now - before <= interval, "VL {vl}: {} clocks", now - before);
        }
        self.last_link[vl] = Some(now);
        self.links += 1;
    }

    fn run(&mut self, clocks: u64) {
        for _ in 0..clocks {
            self.clock();
        }
    }

    /// Waits until no link packet stands.
    fn settle(&mut self) {
        while self.bench.is_set("m_axis_tvalid") && self.bench.is_set("m_axis_tuser") {
            self.clock();
        }
    }
}

fn goes_through_all_states(library: &Library, lanes: u64, vls: usize, seed: u64) {
    let mut world = World::new(library, lanes, vls, seed);
    world.run(200);
    assert_eq!((world.packets, world.links), (0, 0));
    for round in 0..6 {
        world.smps = round % 2 == 1;
        for state in [State::Init, State::Armed, State::Active, State::Down] {
            world.enter(state);
            let clocks = 12_000 + world.rng.u64(..3_000);
            world.run(if state == State::Active {
                3 * clocks
            } else {
                clocks / 4
            });
            world.settle();
            if state == State::Active {
                // A largest packet may be on its way meanwhile.
                let most = 16 + 60 + 1_000 / lanes;
                let behind = (0..vls).find(|vl| world.fccl[*vl] >= world.last_fccl[*vl] + most);
                assert_eq!(behind, None, "round {round}");
                world.silent = true;
                world.run(10_000);
                world.settle();
                assert!(
                    world.waiting.is_some(),
                    "round {round}: there are credits without end"
                );
                world.silent = false;
            }
        }
    }
    let counts = [world.packets, world.links, world.given_up];
    assert!(
        counts[0] > 3_000 && counts[1] > 300 && counts[2] > 3,
        "{counts:?}"
    );
}

#[test]
fn beats_of_8_bytes_and_2_vls() {
    let library = library::<LinkSend<64, 8, 2>>("link_send");
    goes_through_all_states(&library, 8, 2, 1);
}

#[test]
fn beats_of_64_bytes_and_8_vls() {
    let library = library::<LinkSend<512, 64, 8>>("link_send_of_8");
    for seed in 1..4 {
        goes_through_all_states(&library, 64, 8, seed);
    }
}
