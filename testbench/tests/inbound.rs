//! Packets that a peer should not send, and those it may: every one leads to what the model says, and never to a hang.
use hca_golden::port::Link;
use hca_golden::verbs::{QpState, ReceiveRequest, SendOperation, SendRequest, Sge};
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::crc;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::packet::{Packet, Route};
use hca_host::profile::SMALL;
use hca_rtl::export::DESIGNS;
use hca_sim::hca::SimConfig;
use hca_testbench::cli::hardware::{config, Hardware};
use hca_testbench::device::{port_of, Verb};
use hca_testbench::report::{render, Context};
use hca_testbench::scenario::connection::{qpn_of, Connection, RECEIVE_CQ, SEND_CQ};
use hca_testbench::scenario::region::{all_memory, L_KEY};
use hca_testbench::scoreboard::failure::Failure;
use hca_testbench::scoreboard::Checked;
use hca_testbench::station::Station;
use hca_testbench::Side;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PMTU: usize = 256;
const ENTRIES: u32 = 8;
const PATIENCE: u64 = 20_000;

/// The device is Y; the test is its peer X.
struct Peer {
    station: Checked,
    random: ChaCha8Rng,
    connection: Connection,
    posted: u64,
}

impl Peer {
    fn new(hardware: &Hardware, seed: u64) -> Peer {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let busy = seed % 2 * 60;
        let config = SimConfig {
            memory_latency: 1..=60,
            memory_pauses: 64,
            stream_gaps: busy as u32,
            stream_stalls: busy as u32,
            register_pauses: busy as u32,
            ..config(&SMALL, seed, Side::Y)
        };
        let device = Box::new(hardware.device(Side::Y, &config).unwrap());
        let near_wrap = |r: &mut ChaCha8Rng| match r.next_u32() % 2 {
            0 => 0x100_0000 - 1 - r.next_u32() % 8,
            _ => r.next_u32() % 0x100_0000,
        };
        Peer {
            station: Checked::new(Side::Y, device, port_of(Side::Y), PATIENCE),
            connection: Connection {
                link: Link::InfiniBand,
                pmtu: hca_golden::verbs::Pmtu::B256,
                x_psn: near_wrap(&mut random),
                y_psn: near_wrap(&mut random),
                entries: ENTRIES,
            },
            random,
            posted: 0,
        }
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.random.next_u32() % limit
    }

    fn run(&mut self, cycles: u64) -> Result<(), Box<Failure>> {
        for _ in 0..cycles {
            self.station.step()?;
            while self.station.transmitted().is_some() {}
            while self.station.completion().is_some() {}
        }
        Ok(())
    }

    fn verbs(&mut self, verbs: Vec<Verb>) -> Result<(), Box<Failure>> {
        for verb in verbs {
            self.station.submit(verb);
        }
        while self.station.verbs_open() > 0 {
            self.run(1)?;
        }
        Ok(())
    }

    fn establish(&mut self) -> Result<(), Box<Failure>> {
        let qpn = qpn_of(Side::Y);
        let cq = |cqn| Verb::CreateCq {
            cqn,
            entries: 2 * ENTRIES,
        };
        let modify = |state| Verb::ModifyQp { qpn, state };
        self.verbs(vec![
            cq(SEND_CQ),
            cq(RECEIVE_CQ),
            Verb::RegMr { region: all_memory() },
            Verb::CreateQp {
                attributes: self.connection.attributes(Side::Y),
                send_entries: ENTRIES,
                receive_entries: ENTRIES,
            },
            modify(QpState::Init),
            modify(QpState::Rtr),
            modify(QpState::Rts),
        ])
    }

    /// Posts receives and Sends, fewer than the rings hold, so that they sometimes run out.
    fn post_work(&mut self) -> Result<(), Box<Failure>> {
        let qpn = qpn_of(Side::Y);
        let mut verbs = Vec::new();
        for n in 0..u64::from(self.below(ENTRIES)) {
            let length = [0, 1, 100, 256, 300, 700, 2_000][self.below(7) as usize];
            let addr = 0x2000_0000 + n * 0x1000 + u64::from(self.below(8));
            self.station.register(addr, length.into());
            verbs.push(Verb::PostReceive {
                qpn,
                request: ReceiveRequest {
                    wr_id: 100 + n,
                    sges: vec![Sge {
                        addr,
                        length,
                        l_key: L_KEY,
                    }],
                },
            });
        }
        for n in 0..u64::from(self.below(ENTRIES)) {
            let length = [0, 1, 100, 256, 257, 700, 1_024][self.below(7) as usize];
            let addr = 0x3000_0000 + n * 0x1000 + u64::from(self.below(8));
            self.posted += 1;
            verbs.push(Verb::PostSend {
                qpn,
                request: SendRequest {
                    wr_id: 200 + n,
                    operation: SendOperation::Send,
                    sges: vec![Sge {
                        addr,
                        length,
                        l_key: L_KEY,
                    }],
                    signaled: self.below(4) > 0,
                    solicited: self.below(4) == 0,
                    ..SendRequest::default()
                },
            });
        }
        self.verbs(verbs)
    }

    fn packet(&mut self) -> Vec<u8> {
        let status = self.station.model().query(qpn_of(Side::Y)).unwrap();
        let mut packet = match self.below(3) {
            0 => self.response(status.unacknowledged_psn, status.next_psn),
            _ => self.request(status.expected_psn),
        };
        self.spoil(&mut packet);
        let mut bytes = packet.encode().unwrap();
        self.spoil_bytes(&mut bytes);
        bytes
    }

    fn headers(&self, opcode: u8, psn: u32) -> Packet {
        let (x, y) = (port_of(Side::X).lid, port_of(Side::Y).lid);
        Packet {
            route: Route::Local(Lrh {
                dlid: y,
                slid: x,
                ..Lrh::default()
            }),
            bth: Bth {
                opcode,
                p_key: 0xFFFF,
                dest_qp: qpn_of(Side::Y),
                psn: psn & 0xFF_FFFF,
                ..Bth::default()
            },
            extensions: Vec::new(),
            payload: Vec::new(),
        }
    }

    fn request(&mut self, expected: u32) -> Packet {
        let step = [0, 0, 0, 0, 0, 0, 1, 2, 0xFF_FFFF, 0xFF_FFF0][self.below(10) as usize];
        let opcode = [0, 1, 1, 2, 2, 4, 4, 4][self.below(8) as usize];
        let full = self.below(8) > 0;
        let length = match opcode {
            0 | 1 if full => PMTU,
            _ => self.below(PMTU as u32 + 2) as usize,
        };
        let mut packet = self.headers(opcode, expected.wrapping_add(step));
        packet.bth.a = self.below(2) == 0;
        packet.bth.se = self.below(8) == 0;
        packet.payload = (0..length).map(|_| self.random.next_u32() as u8).collect();
        packet
    }

    fn response(&mut self, oldest: u32, next: u32) -> Packet {
        let open = next.wrapping_sub(oldest) & 0xFF_FFFF;
        let psn = match self.below(6) {
            0 => oldest.wrapping_sub(1 + self.below(3)),
            1 => next.wrapping_add(self.below(3)),
            _ => oldest.wrapping_add(self.below(open.max(1))),
        };
        let syndrome = match self.below(12) {
            0 => 0x60,
            1 => 0x61 + self.below(3) as u8,
            2 => 0x20 + self.below(32) as u8,
            3 => self.random.next_u32() as u8,
            n => [0x1F, 0x00, 0x05][n as usize % 3],
        };
        let mut packet = self.headers(0x11, psn);
        let msn = self.below(1 << 24);
        packet.extensions = vec![Extension::Aeth(Aeth { syndrome, msn })];
        packet
    }

    /// Rarely, a field that a right peer would not send.
    fn spoil(&mut self, packet: &mut Packet) {
        match self.below(60) {
            0 => {
                packet.bth.opcode = self.random.next_u32() as u8;
                // One fault at a time: whatever headers the opcode has, they fit.
                packet.payload.resize(PMTU, 0x3C);
            }
            1 => packet.bth.dest_qp ^= 1 << self.below(24),
            2 => packet.bth.p_key = [0x7FFF, 0x8001, 0x0000][self.below(3) as usize],
            3 => packet.bth.tver = 1,
            4 => packet.lrh_mut().unwrap().lver = 1,
            5 => packet.lrh_mut().unwrap().dlid ^= 1 << self.below(16),
            6 => packet.lrh_mut().unwrap().slid ^= 1 << self.below(16),
            7 => packet.lrh_mut().unwrap().sl = self.below(16) as u8,
            8 => packet.bth.m = true,
            9 => packet.bth.resv7 = self.below(128) as u8,
            10 => packet.bth.resv6 = self.below(64) as u8,
            11 => packet.payload.extend([0; 300]),
            _ => {}
        }
    }

    /// Rarely, damage after the CRCs, or none that the CRCs would show.
    fn spoil_bytes(&mut self, bytes: &mut Vec<u8>) {
        let length = bytes.len() as u32;
        match self.below(60) {
            0 => {
                let at = self.below(length) as usize;
                bytes[at] ^= 1 << self.below(8);
            }
            1 => bytes.truncate(1 + self.below(length) as usize),
            2 => bytes.extend(vec![0xA5; 1 + self.below(40) as usize]),
            3 => {
                // The VCRC right, the ICRC wrong.
                let at = bytes.len() - 6 + self.below(4) as usize;
                bytes[at] ^= 1 << self.below(8);
                bytes.truncate(length as usize - 2);
                bytes.extend(crc::vcrc(bytes));
            }
            4 => {
                // PktLen and the CRCs agree with a packet cut short within its headers.
                bytes.truncate(8 + 4 * self.below(4) as usize);
                bytes[5] = (bytes.len() / 4 + 1) as u8;
                bytes.extend(crc::icrc(bytes));
                bytes.extend(crc::vcrc(bytes));
            }
            _ => {}
        }
    }

    fn whole(&mut self) -> Result<(), Box<Failure>> {
        self.establish()?;
        self.post_work()?;
        for _ in 0..40 {
            let packet = self.packet();
            self.station.receive(1, packet);
            let pause = [0, 20, 300, 1_500][self.below(4) as usize];
            self.run(pause)?;
        }
        for _ in 0..100_000 {
            self.run(1)?;
            if self.station.at_rest() {
                break;
            }
        }
        self.run(2_000)?;
        self.station.finish()
    }
}

#[test]
fn whatever_comes_in_leads_to_what_the_model_says() {
    let hardware = Hardware::build(DESIGNS, &SMALL, None, false).unwrap();
    let runs = match std::env::var("HCA_TIER").as_deref() {
        Ok("nightly") => 2_000,
        _ => 60,
    };
    let first: u64 = std::env::var("HCA_SEED").map_or(0, |s| s.parse().unwrap());
    for seed in first..first + runs {
        let mut peer = Peer::new(&hardware, seed);
        if let Err(failure) = peer.whole() {
            let context = Context {
                scenario: "inbound",
                seed,
                replay: "cargo test --workspace --test inbound, HCA_SEED set to the seed",
            };
            panic!("{}", render(&failure, &context));
        }
    }
}
