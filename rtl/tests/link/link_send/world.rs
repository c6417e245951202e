//! The send side with a builder before it and a neighbour behind it, and all that has to hold on the link between.
use crate::bench::Bench;
use fastrand::Rng;
use hca_sim::verilated::Library;
use std::collections::VecDeque;

/// A packet that waits, or is on its way.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    pub vl: u64,
    pub opcode: u64,
    pub payload: u64,
    pub has_grh: bool,
    /// PktLen.
    pub words: u64,
    pub discards: bool,
    /// Number that its bytes carry.
    pub number: u16,
    /// How often the port has been in Init when it departs.
    pub epoch: u32,
    /// The port has ceased to send it, so it may be given up.
    pub may_go: bool,
}

impl Packet {
    pub fn blocks(&self) -> u64 {
        self.words / 16 + 1
    }
}

/// State of the port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    Down,
    Init,
    Armed,
    Active,
}

pub struct World {
    pub bench: Bench,
    pub rng: Rng,
    pub lanes: u64,
    pub vls: usize,
    pub state: State,
    pub epoch: u32,
    /// The packet that has departed and is not built.
    pub waiting: Option<Packet>,
    /// Packets that are built, with the clock in which their first beat may come.
    pub way: VecDeque<(Packet, u64)>,
    /// Beats of the front packet that were taken.
    pub taken: u64,
    pub offering: bool,
    /// Packets whose first beat has come, of each VL, with the clock of that beat.
    pub kept: Vec<VecDeque<(Packet, u64)>>,
    /// The packet that is under way on the link, and its beats that have left.
    pub leaving: Option<(Packet, u64)>,
    /// Blocks of what has started since Init.
    pub started: Vec<u64>,
    /// Blocks that the neighbour has room for since Init, if it has said so.
    pub granted: Vec<Option<u64>>,
    pub fccl: Vec<u64>,
    pub last_fccl: Vec<u64>,
    pub last_link: Vec<Option<u64>>,
    /// Number of a packet that goes straight to the link, until its first beat is taken.
    pub straight: Option<u16>,
    /// Whether there are SMPs.
    pub smps: bool,
    /// Whether packets need credits.
    pub flow_control: bool,
    /// Packets that depart next; then one is drawn in one of so many clocks, or none is if this is 0.
    pub planned: VecDeque<Packet>,
    pub odds: u8,
    /// Whether the link takes nothing.
    pub is_held: bool,
    /// Whether the neighbour gives no more credits on these VLs, bit by bit.
    pub silent: u64,
    /// Whether a beat was offered and not taken.
    pub stands: bool,
    pub numbers: u16,
    pub packets: u64,
    pub links: u64,
    /// Packets that the block says it has given up, and those that were found missing.
    pub given_up: u64,
    pub missing: u64,
    pub of_vl: Vec<u64>,
}

impl World {
    pub fn new(library: &Library, lanes: u64, vls: usize, seed: u64) -> World {
        let mut bench = Bench::new(library, seed);
        for input in [
            "init", "initialises", "runs", "sends_data", "limit_valid", "departs_valid", "builds",
            "gives_up_hold", "request_valid", "response_valid", "request_back_valid", "response_back_valid",
            "responds", "s_axis_tvalid", "m_axis_tready", "arbitration_limit", "arbitration_anew", "has_grh",
        ] {
            bench.set(input, 0);
        }
        bench.set("data_vls", vls as u64);
        bench.set("departs_lane", 16);
        // Steps of 16 blocks.
        let steps = (0..8).fold(0u64, |steps, vl| steps | 16 << (8 * vl));
        bench.set("fccl_step", steps);
        bench.set("flow_control", 1);
        // Each VL has an entry of its weight, 1 to 8 blocks, in the low table.
        let low = (0..vls as u128).fold(0, |table, vl| table | (vl << 8 | (vl + 1)) << (12 * vl));
        bench.set_bytes("arbitration_low", &low.to_le_bytes()[..12]);
        bench.set_bytes("arbitration_high", &[0; 12]);
        World {
            bench,
            rng: Rng::with_seed(seed),
            lanes,
            vls,
            state: State::Down,
            epoch: 0,
            waiting: None,
            way: VecDeque::new(),
            taken: 0,
            offering: false,
            kept: vec![VecDeque::new(); 16],
            leaving: None,
            started: vec![0; vls],
            granted: vec![None; vls],
            fccl: vec![66; vls],
            last_fccl: vec![66; vls],
            last_link: vec![None; vls],
            straight: None,
            smps: false,
            flow_control: true,
            planned: VecDeque::new(),
            odds: 1,
            is_held: false,
            silent: 0,
            stands: false,
            numbers: 0,
            packets: 0,
            links: 0,
            given_up: 0,
            missing: 0,
            of_vl: vec![0; 16],
        }
    }

    /// Enters a state in the next clock.
    pub fn enter(&mut self, state: State) {
        if state == State::Init {
            self.bench.set("init", 1);
            self.clock();
            self.bench.set("init", 0);
            self.started.fill(0);
            self.granted.fill(None);
            self.epoch += 1;
        }
        self.state = state;
        self.last_link.fill(None);
        self.bench.set("initialises", (state == State::Init).into());
        self.bench
            .set("runs", matches!(state, State::Armed | State::Active).into());
        self.bench.set("sends_data", (state == State::Active).into());
    }

    /// Switches flow control in the next clock: the counts begin anew, and what has departed is not counted.
    pub fn switch(&mut self, is_on: bool) {
        self.flow_control = is_on;
        self.bench.set("flow_control", is_on.into());
        self.started.fill(0);
        self.granted.fill(None);
        self.last_link.fill(None);
        self.epoch += 1;
    }

    /// Send Only, or an SMP.
    pub fn draw(&mut self) -> Packet {
        self.numbers = self.numbers.wrapping_add(1);
        let number = self.numbers;
        let epoch = self.epoch;
        let may_go = false;
        let is_smp = self.rng.u8(..8) == 0 && self.smps;
        let has_grh = number % 4 == 3;
        let grh_words = 10 * u64::from(has_grh);
        if is_smp {
            return Packet {
                vl: 15,
                opcode: 0x64,
                payload: 256,
                has_grh,
                words: 72 + grh_words,
                discards: self.state == State::Down,
                number,
                epoch,
                may_go,
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
            has_grh,
            words: 6 + grh_words + payload.div_ceil(4),
            discards: self.state != State::Active || self.rng.u8(..16) == 0,
            number,
            epoch,
            may_go,
        }
    }

    pub fn beats(&self, packet: &Packet) -> u64 {
        (4 * packet.words + 2).div_ceil(self.lanes)
    }

    /// A beat of a packet; every one has the packet's number behind the fields of the LRH.
    pub fn beat(&self, packet: &Packet, at: u64) -> Vec<u8> {
        let mut beat = vec![0x5A; self.lanes as usize];
        if at == 0 {
            beat[0] = (packet.vl as u8) << 4;
            beat[4] = (packet.words >> 8) as u8;
            beat[5] = packet.words as u8;
        }
        beat[6..8].copy_from_slice(&packet.number.to_be_bytes());
        beat
    }

    pub fn clock(&mut self) {
        let now = self.bench.cycle;
        self.neighbour();
        // What has departed, and what is built.
        self.bench.set("departs_valid", 0);
        let ceases = self.state != State::Active;
        match &mut self.waiting {
            Some(packet) => packet.discards |= ceases && packet.vl < 15,
            None => {
                let draws = self.odds > 0 && self.rng.u8(..4) > 0 && self.rng.u8(..self.odds) == 0;
                let drawn = (self.way.len() < 30 && draws).then(|| self.draw());
                self.waiting = self.planned.pop_front().or(drawn);
                self.bench.set("departs_valid", self.waiting.is_some().into());
            }
        }
        let departs = self.bench.get("departs_valid") == 1;
        let may_build = self.waiting.is_some() && !departs && self.rng.u8(..4) > 0;
        if let Some(packet) = self.waiting {
            self.bench.set("vl", packet.vl);
            self.bench.set("opcode", packet.opcode);
            self.bench.set("payload", packet.payload);
            self.bench.set("has_grh", packet.has_grh.into());
            self.bench.set("discards", packet.discards.into());
        }
        // Beats.
        let front = self.way.front().copied();
        self.offering |= front.is_some_and(|(_, at)| at <= now) && self.rng.u8(..8) > 0;
        self.bench.set("s_axis_tvalid", self.offering.into());
        if let Some((packet, _)) = front {
            let beat = self.beat(&packet, self.taken);
            self.bench.set_bytes("s_axis_tdata", &beat);
            self.bench.set("s_axis_tkeep", u64::MAX >> (64 - self.lanes));
            let is_last = self.taken + 1 == self.beats(&packet);
            self.bench.set("s_axis_tlast", is_last.into());
        }
        self.bench
            .set("m_axis_tready", (self.rng.u8(..16) > 0 && !self.is_held).into());
        self.bench.set("gives_up_hold", (self.rng.u8(..4) == 0).into());
        self.bench.set("builds", 0);
        self.bench.settle();
        let builds = may_build && self.bench.is_set("room");
        self.bench.set("builds", builds.into());
        self.bench.settle();
        self.given_up += u64::from(self.bench.is_set("gives_up"));

        self.look(now);
        if let Some(packet) = self.waiting.take_if(|_| builds) {
            if !packet.discards {
                self.way.push_back((packet, now + 4 + self.rng.u64(..4)));
            }
        }
        if self.offering && self.bench.is_set("s_axis_tready") {
            self.offering = false;
            let (packet, _) = front.expect("it is offered");
            if self.taken == 0 && self.straight.take() != Some(packet.number) {
                self.kept[packet.vl as usize].push_back((packet, now));
            }
            self.taken += 1;
            if self.taken == self.beats(&packet) {
                self.taken = 0;
                self.way.pop_front();
            }
        }
        if ceases {
            let of_way = self.way.iter_mut().chain(self.kept.iter_mut().flatten());
            of_way
                .filter(|(packet, _)| packet.vl < 15)
                .for_each(|(packet, _)| packet.may_go = true);
        }
        self.bench.tick();
    }

    /// Credits of the neighbour, and those of this side.
    pub fn neighbour(&mut self) {
        let vl = self.rng.usize(..self.vls);
        let is_silent = self.silent >> vl & 1 == 1;
        let may_grant = self.state != State::Down && !is_silent && self.flow_control;
        let grants = self.rng.u8(..32) == 0 && may_grant;
        self.bench.set("limit_valid", grants.into());
        if grants {
            let room = self.started[vl] + self.rng.u64(..140);
            let limit = room.max(self.granted[vl].unwrap_or(0));
            self.bench.set("limit_vl", vl as u64);
            self.bench.set("limit", limit % 4096);
            self.granted[vl] = Some(limit);
        }
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
    }

    /// What the link is offered and takes in this clock.
    pub fn look(&mut self, now: u64) {
        if !self.bench.is_set("m_axis_tvalid") {
            assert!(!self.stands, "a beat is withdrawn");
            return;
        }
        let beat = self.bench.bytes("m_axis_tdata");
        let is_link = self.bench.is_set("m_axis_tuser");
        let is_new = !std::mem::replace(&mut self.stands, !self.bench.is_set("m_axis_tready"));
        if self.leaving.is_none() && is_new {
            // CF282, CF451.
            let waits = self.kept[15].front().is_some_and(|(_, came)| came + 8 < now) && self.flow_control;
            assert!(!waits || (!is_link && beat[0] >> 4 == 15), "an SMP waits");
        }
        if is_link {
            assert!(self.leaving.is_none(), "inside a packet");
            if self.bench.is_set("m_axis_tready") {
                self.link(&beat, now);
            }
            return;
        }
        if self.leaving.is_none() {
            self.leaving = Some((self.start(usize::from(beat[0] >> 4), &beat, now), 0));
        }
        let (packet, at) = self.leaving.expect("it has started");
        assert_eq!(beat, self.beat(&packet, at), "{packet:?}");
        let is_last = at + 1 == self.beats(&packet);
        assert_eq!(self.bench.is_set("m_axis_tlast"), is_last);
        if self.bench.is_set("m_axis_tready") {
            self.leaving = (!is_last).then_some((packet, at + 1));
        }
    }

    /// A packet starts. Those before it that the port has ceased to send may be missing.
    pub fn start(&mut self, vl: usize, beat: &[u8], now: u64) -> Packet {
        let number = u16::from_be_bytes([beat[6], beat[7]]);
        if self.kept[vl].is_empty() {
            let (packet, _) = self.way.front().expect("it comes");
            self.kept[vl].push_back((*packet, now));
            self.straight = Some(number);
        }
        let packet = loop {
            let (packet, _) = self.kept[vl].pop_front().expect("it came");
            if packet.number == number {
                break packet;
            }
            assert!(packet.may_go, "{packet:?} is missing before {number}");
            self.missing += 1;
        };
        self.packets += 1;
        self.of_vl[vl] += 1;
        if vl < 15 && packet.epoch == self.epoch && self.flow_control {
            self.started[vl] += packet.blocks();
            let granted = self.granted[vl].expect("no flow-control packet has come");
            let started = self.started[vl];
            assert!(started <= granted, "{started} of {granted} blocks");
        }
        packet
    }

    pub fn link(&mut self, beat: &[u8], now: u64) {
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
        if !self.flow_control {
            // It stood before.
            return;
        }
        assert_ne!(self.state, State::Down);
        assert_eq!(op == 1, self.state == State::Init, "{:?}", self.state);
        assert_eq!(fctbs, self.started[vl] % 4096, "VL {vl}");
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

    pub fn run(&mut self, clocks: u64) {
        for _ in 0..clocks {
            self.clock();
        }
    }

    /// Waits until no link packet stands.
    pub fn settle(&mut self) {
        while self.bench.is_set("m_axis_tvalid") && self.bench.is_set("m_axis_tuser") {
            self.clock();
        }
    }
}
