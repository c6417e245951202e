//! Drives the transmit side and holds each packet, report and table to what was put in.
use crate::bench::{bits, Bench};
use crate::memory::{bytes, Memory};
use crate::packet::{Packet, Route, KIND_ACK, KIND_ATOMIC_ACK, KIND_READ_RESPONSE, KIND_REQUEST};
use crate::packet::{SGID, SOURCE_MAC, TABLE};
use crate::reference::packet as wire_bytes;
use hca_host::profile::Link;
use hca_sim::verilated::Library;
use hca_sim::wire::transmit::Header;
use std::collections::VecDeque;

pub const REQUESTS: usize = 0;
pub const RESPONSES: usize = 1;
pub const ACKS: usize = 2;
const SIDES: [&str; 3] = ["request", "response", "ack"];
const QPS: usize = 16;

/// Clocks without a beat after which the rig gives up.
const PATIENCE: u64 = 20_000;

#[derive(Clone, Copy, Default)]
pub struct Conditions {
    pub latency: u64,
    /// Up to so many clocks more.
    pub jitter: u64,
    /// Chance in 256 that a side holds back, drawn each clock.
    pub hold: u8,
    /// The same for the link.
    pub slow: u8,
    /// Routes and PSNs change meanwhile.
    pub changes: bool,
}

/// A packet on the link.
pub struct Beats {
    pub kind: u8,
    pub first: u64,
    pub last: u64,
    pub beats: u64,
}

struct Side {
    packets: VecDeque<Packet>,
    /// (address, bytes, last).
    pieces: VecDeque<(u64, usize, bool)>,
    /// Not yet emitted.
    waiting: VecDeque<Packet>,
    offers: bool,
    offers_piece: bool,
}

pub struct Rig {
    bench: Bench,
    memory: Memory,
    rng: fastrand::Rng,
    conditions: Conditions,
    stream_bytes: usize,
    sides: [Side; 3],
    routes: Vec<Route>,
    /// Emitted and not yet on the link.
    leaving: VecDeque<(u8, Header, Vec<u8>)>,
    link: Vec<u8>,
    link_began: u64,
    left: Vec<Beats>,
}

impl Rig {
    pub fn new(library: &Library, stream_bits: usize, bus_bits: usize, conditions: Conditions) -> Rig {
        let latency = conditions.latency..=conditions.latency + conditions.jitter;
        let mut rig = Rig {
            bench: Bench::new(library, 3),
            memory: Memory::new(bus_bits, latency, conditions.hold, 4),
            rng: fastrand::Rng::with_seed(5),
            conditions,
            stream_bytes: stream_bits / 8,
            sides: std::array::from_fn(|_| Side {
                packets: VecDeque::new(),
                pieces: VecDeque::new(),
                waiting: VecDeque::new(),
                offers: false,
                offers_piece: false,
            }),
            routes: vec![Route::default(); QPS],
            leaving: VecDeque::new(),
            link: vec![],
            link_began: 0,
            left: vec![],
        };
        rig.reset();
        rig
    }

    /// All inputs known, a route and a first PSN for each QP.
    fn reset(&mut self) {
        let mut gid = SGID;
        gid.reverse();
        let mut mac = SOURCE_MAC;
        mac.reverse();
        self.bench.set("port_p_keys", TABLE);
        self.bench.set_bytes("port_gid", &gid);
        self.bench.set_bytes("port_mac", &mac);
        for name in [
            "request_valid", "response_valid", "ack_valid", "rvalid", "m_axis_tready",
        ] {
            self.bench.set(name, 0);
        }
        self.bench.set("request_piece_valid", 0);
        self.bench.set("response_piece_valid", 0);
        for qp in 0..QPS {
            let route = Route::any(&mut self.rng);
            self.modify(qp, Some(route));
            self.bench.settle();
            self.bench.tick();
        }
        self.modify(0, None);
        self.bench.cycle = 0;
    }

    fn modify(&mut self, qp: usize, route: Option<Route>) {
        self.bench.set("modify_valid", u64::from(route.is_some()));
        self.bench.set("modify_index", qp as u64);
        if let Some(route) = route {
            self.bench.set_bytes("modify_route", &route.row());
            self.routes[qp] = route;
        }
    }

    pub fn queue(&mut self, side: usize, packet: Packet) {
        let side = &mut self.sides[side];
        let last = packet.pieces.len().saturating_sub(1);
        let pieces = packet.pieces.iter().enumerate();
        side.pieces
            .extend(pieces.map(|(at, (address, length))| (*address, *length, at == last)));
        // A queue may have an empty entry for a packet without payload.
        if packet.pieces.is_empty() && packet.kind != KIND_ACK && packet.header.psn.is_multiple_of(2) {
            side.pieces.push_back((0, 0, true));
        }
        side.packets.push_back(packet.clone());
        side.waiting.push_back(packet);
    }

    fn go(&mut self) -> bool {
        self.rng.u8(..) >= self.conditions.hold
    }

    /// Until all has left; the packets in the order of the link.
    pub fn run(&mut self) -> &[Beats] {
        let wanted: usize = self.sides.iter().map(|side| side.packets.len()).sum();
        let mut moved = 0;
        while self.left.len() < wanted {
            let before = (self.left.len(), self.link.len());
            self.step();
            if before != (self.left.len(), self.link.len()) {
                moved = self.bench.cycle;
            }
            let (clock, left) = (self.bench.cycle, self.left.len());
            assert!(
                clock - moved < PATIENCE,
                "{left} of {wanted} packets left, then nothing moves"
            );
        }
        assert!(self.leaving.is_empty(), "more emissions than packets");
        &self.left
    }

    fn step(&mut self) {
        self.offer();
        // The changes of this clock are not in force in it.
        let routes = self.routes.clone();
        self.change();
        let arready = self.go();
        self.bench.set("arready", arready.into());
        let answer = self.memory.answer(self.bench.cycle);
        self.bench.set("rvalid", answer.is_some().into());
        if let Some(data) = answer {
            self.bench.set("rid", data.id.into());
            self.bench.set("rlast", data.last.into());
            self.bench.set_bytes("rdata", &data.bytes);
        }
        let link_ready = self.rng.u8(..) >= self.conditions.slow;
        self.bench.set("m_axis_tready", link_ready.into());
        self.bench.settle();

        assert!(
            self.bench.is_set("rready"),
            "data that was asked for has its place"
        );
        if arready && self.bench.is_set("arvalid") {
            let (id, address) = (self.bench.get("arid"), self.bench.get("araddr"));
            self.memory
                .ask(self.bench.cycle, id, address, self.bench.get("arlen"));
        }
        self.take_offers();
        assert_eq!(
            self.bench.is_set("retire_valid"),
            self.bench.is_set("emitted_valid")
        );
        if self.bench.is_set("emitted_valid") {
            self.emitted(&routes);
        }
        if link_ready && self.bench.is_set("m_axis_tvalid") {
            self.link_beat();
        }
        self.bench.tick();
    }

    /// Valids stay until they are taken.
    fn offer(&mut self) {
        for (number, name) in SIDES.into_iter().enumerate() {
            let go = self.go();
            let side = &mut self.sides[number];
            if let Some(packet) = side.packets.front() {
                if go && !side.offers {
                    packet.drive(&mut self.bench, name);
                    side.offers = true;
                }
            }
            self.bench.set(&format!("{name}_valid"), side.offers.into());
        }
        for (number, name) in SIDES.into_iter().enumerate().take(2) {
            let go = self.go();
            let side = &mut self.sides[number];
            if let Some((address, length, last)) = side.pieces.front() {
                if go && !side.offers_piece {
                    self.bench.set(&format!("{name}_piece_address"), *address);
                    self.bench.set(&format!("{name}_piece_length"), *length as u64);
                    self.bench.set(&format!("{name}_piece_last"), u64::from(*last));
                    side.offers_piece = true;
                }
            }
            self.bench
                .set(&format!("{name}_piece_valid"), side.offers_piece.into());
        }
    }

    fn take_offers(&mut self) {
        for (number, name) in SIDES.into_iter().enumerate() {
            let side = &mut self.sides[number];
            if side.offers && self.bench.is_set(&format!("{name}_ready")) {
                side.packets.pop_front();
                side.offers = false;
            }
            if side.offers_piece && self.bench.is_set(&format!("{name}_piece_ready")) {
                side.pieces.pop_front();
                side.offers_piece = false;
            }
        }
    }

    /// A new route for some QP, now and then.
    fn change(&mut self) {
        let route = (self.conditions.changes && self.rng.u8(..4) == 0).then(|| Route::any(&mut self.rng));
        let qp = self.rng.usize(..QPS);
        self.modify(qp, route);
    }

    fn emitted(&mut self, routes: &[Route]) {
        let kind = self.bench.get("emitted_kind") as u8;
        let side = match kind {
            KIND_REQUEST => REQUESTS,
            KIND_READ_RESPONSE | KIND_ATOMIC_ACK => RESPONSES,
            _ => ACKS,
        };
        let Some(packet) = self.sides[side].waiting.pop_front() else {
            panic!("a packet of kind {kind} leaves that nobody gave");
        };
        let qp = packet.qpn as usize % QPS;
        let header = &packet.header;
        let last = packet.last && kind == KIND_READ_RESPONSE;
        let index = self.bench.get("emitted_index") as usize % QPS;
        let is = (
            kind,
            index,
            self.bench.get("emitted_psn") as u32,
            self.bench.is_set("emitted_last"),
        );
        assert_eq!(
            is,
            (packet.kind, qp, header.psn, last),
            "kind, QP, PSN and last of an emission"
        );

        let record = self.bench.bytes("retire_record");
        let field = |at, width| bits(&record, at, width) as u32;
        // Kinds of the retire port: 8, 13, 14, 9. A middle response has no syndrome.
        let (code, syndrome) = match kind {
            KIND_REQUEST => (8, 0),
            KIND_READ_RESPONSE if header.opcode == 0x0E => (13, 0),
            KIND_READ_RESPONSE => (13, header.syndrome.into()),
            KIND_ATOMIC_ACK => (14, header.syndrome.into()),
            KIND_ACK.. => (9, header.syndrome.into()),
        };
        let is = [
            field(88, 8),
            field(80, 8),
            field(56, 24),
            field(32, 24),
            field(0, 32),
        ];
        assert_eq!(
            is,
            [code, syndrome, packet.qpn, header.psn, 0],
            "the retired record"
        );

        let payload = packet.pieces.iter().flat_map(|(at, length)| bytes(*at, *length));
        self.leaving
            .push_back((kind, packet.routed(&routes[qp]), payload.collect()));
    }

    fn link_beat(&mut self) {
        if self.link.is_empty() {
            self.link_began = self.bench.cycle;
        }
        let keep = self.bench.get("m_axis_tkeep").count_ones() as usize;
        let data = self.bench.bytes("m_axis_tdata");
        self.link.extend(&data[..keep]);
        if self.bench.is_set("m_axis_tlast") {
            let (kind, header, payload) = self.leaving.pop_front().expect("it was emitted");
            let expected = wire_bytes(Link::InfiniBand, &header, &payload);
            let number = self.left.len();
            assert_eq!(self.link, expected, "packet {number} on the link: {header:?}");
            self.left.push(Beats {
                kind,
                first: self.link_began,
                last: self.bench.cycle,
                beats: self.link.len().div_ceil(self.stream_bytes) as u64,
            });
            self.link.clear();
        }
    }
}
