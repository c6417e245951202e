//! Two of the project's HCAs back to back under random traffic, without the golden model: messages arrive whole and in
//! order whatever the buses' timing, and damage to one connection never reaches another.
use hca_host::profile::SMALL;
use hca_host::wqe::Segment;
use hca_sim::chance::Chance;
use hca_sim::driver::{
    AddressVector, Completion, QpChanges, QpInit, QpState, ReceiveWork, Region, RegionAccess, RemoteAccess,
    SendWork, Service, Ticket,
};
use hca_sim::verilated::Library;
use hca_sim::{SimConfig, SimHca};

const SEND_CQ: u32 = 1;
const RECEIVE_CQ: u32 = 2;
/// Key of all of memory.
const L_KEY: u32 = 0x5100_0101;
/// Clock cycles without any progress that count as a hang.
const LIVENESS: u64 = 20_000;
/// Offset of the destination QP's lowest byte in a packet.
const DEST_QP_LOW: usize = 15;

fn library() -> Library {
    hca_sim::design::library(&hca_rtl::export::hca(&SMALL).unwrap()).unwrap()
}

fn all_memory() -> Region {
    Region {
        l_key: L_KEY,
        r_key: 0x5200_0102,
        pd: 0,
        base: 0,
        length: 1 << 63,
        access: RegionAccess {
            local_write: true,
            ..RegionAccess::default()
        },
        zero_based: false,
    }
}

/// QPN of a connection's end at side 0 or 1.
fn qpn(side: usize, connection: usize) -> u32 {
    (side as u32 + 1) * 0x1100 + connection as u32 + 2
}

/// Clocks until the call is granted.
fn wait(hca: &mut SimHca, ticket: Ticket) {
    while hca.outcome(ticket).is_none() {
        hca.clock().unwrap();
    }
    assert_eq!(hca.outcome(ticket), Some(Ok(0)));
}

fn connect(hca: &mut SimHca, side: usize, connection: usize, pmtu: u32) {
    // Close to the end of the 24 bits, to wrap soon.
    let first_psn = |side: usize| 0xFF_FFF0 + (side * 7 + connection) as u32;
    let qpn_here = qpn(side, connection);
    let init = QpInit {
        service: Service::Rc,
        qpn: qpn_here,
        send_cq: SEND_CQ,
        receive_cq: RECEIVE_CQ,
        send_entries: 8,
        receive_entries: 8,
        pd: 0,
        dry_event: false,
    };
    let initialise = QpChanges {
        p_key_index: Some(0),
        port: Some(1),
        access: Some(RemoteAccess::default()),
        ..QpChanges::default()
    };
    let receive = QpChanges {
        address: Some(AddressVector {
            dlid: 2 - side as u16,
            ..AddressVector::default()
        }),
        pmtu: Some(pmtu),
        dest_qpn: Some(qpn(1 - side, connection)),
        rq_psn: Some(first_psn(1 - side)),
        max_dest_rd_atomic: Some(0),
        min_rnr_timer: Some(12),
        ..QpChanges::default()
    };
    let send = QpChanges {
        sq_psn: Some(first_psn(side)),
        timeout: Some(14),
        retry_cnt: Some(7),
        rnr_retry: Some(7),
        max_rd_atomic: Some(0),
        ..QpChanges::default()
    };
    let ticket = hca.driver().create_qp(&init).unwrap();
    wait(hca, ticket);
    for (state, changes) in [
        (QpState::Init, initialise),
        (QpState::Rtr, receive),
        (QpState::Rts, send),
    ] {
        let ticket = hca.driver().modify_qp(qpn_here, state, &changes).unwrap();
        wait(hca, ticket);
    }
}

/// What one side sends on one connection, and how far it is.
#[derive(Default)]
struct Flow {
    messages: Vec<Vec<u8>>,
    /// Where each posted receive buffer of the other side is, and its doorbell.
    buffers: Vec<(u64, Ticket)>,
    sent: usize,
    acknowledged: usize,
    received: usize,
}

impl Flow {
    fn random(chance: &mut Chance, count: usize) -> Flow {
        let message = |_| {
            let most = [0, 8, 300, 5_000, 20_000][chance.pick(&(0..=4)) as usize];
            let length = chance.pick(&(0..=most));
            (0..length).map(|_| chance.pick(&(0..=255)) as u8).collect()
        };
        Flow {
            messages: (0..count).map(message).collect(),
            ..Flow::default()
        }
    }

    fn is_done(&self) -> bool {
        let count = self.messages.len();
        (self.sent, self.acknowledged, self.received) == (count, count, count)
    }
}

struct Pair {
    hcas: [SimHca; 2],
    /// By sending side, then by connection.
    flows: [Vec<Flow>; 2],
    chance: Chance,
    /// Next free buffer address of each side.
    free: [u64; 2],
    /// Connection 0 suffers faults, and nothing is expected of it.
    faults: Option<Chance>,
    /// Packets of connection 0 held back, by the side they go to.
    held: [Vec<Vec<u8>>; 2],
}

impl Pair {
    fn new(library: &Library, seed: u64, faults: bool) -> Pair {
        let mut chance = Chance::new(seed, 99);
        let connections = chance.pick(&(2..=4)) as usize;
        let pauses = 60 * chance.pick(&(0..=2));
        let hca = |side| {
            let config = SimConfig {
                seed: seed * 2 + side,
                memory_latency: if seed.is_multiple_of(3) { 1..=3 } else { 4..=200 },
                memory_pauses: pauses,
                stream_gaps: pauses,
                stream_stalls: pauses,
                register_pauses: pauses,
                ..SimConfig::default()
            };
            SimHca::new(library, &config).unwrap()
        };
        let mut hcas = [hca(0), hca(1)];
        let pmtus: Vec<u32> = (0..connections).map(|_| 256 << chance.pick(&(0..=4))).collect();
        for (side, hca) in hcas.iter_mut().enumerate() {
            hca.activate_ports().unwrap();
            hca.driver().set_port(side as u16 + 1, 0);
            hca.driver().set_p_keys(&[0xFFFF, 0, 0, 0]);
            hca.reg_mr(&all_memory()).unwrap();
            hca.create_cq(SEND_CQ, 64).unwrap();
            hca.create_cq(RECEIVE_CQ, 64).unwrap();
            for (connection, pmtu) in pmtus.iter().enumerate() {
                connect(hca, side, connection, *pmtu);
            }
        }
        let mut flows = || (0..connections).map(|_| Flow::random(&mut chance, 6)).collect();
        Pair {
            hcas,
            flows: [flows(), flows()],
            chance,
            free: [0x2000_0000; 2],
            faults: faults.then(|| Chance::new(seed, 98)),
            held: [Vec::new(), Vec::new()],
        }
    }

    /// A buffer of that many bytes at any alignment, as a segment; none for zero.
    fn buffer(&mut self, side: usize, length: usize) -> (u64, Vec<Segment>) {
        let addr = self.free[side] + u64::from(self.chance.pick(&(0..=15)));
        self.free[side] = addr + length as u64 + 64;
        let length = length as u32;
        let segment = Segment {
            addr,
            length,
            l_key: L_KEY,
        };
        (addr, if length == 0 { vec![] } else { vec![segment] })
    }

    /// Posts receive buffers as rings have room, and Sends once their buffer's doorbell has rung.
    fn post(&mut self, from: usize, connection: usize) {
        let to = 1 - from;
        let flow = &self.flows[from][connection];
        let (posted, sent) = (flow.buffers.len(), flow.sent);
        if let Some(length) = flow.messages.get(posted).map(Vec::len) {
            let (addr, segments) = self.buffer(to, length);
            let wr_id = posted as u64;
            let work = ReceiveWork { wr_id, segments };
            if let Ok((ticket, _)) = self.hcas[to].post_receive(qpn(to, connection), &work) {
                self.flows[from][connection].buffers.push((addr, ticket));
            }
        }
        let flow = &self.flows[from][connection];
        let rung = |(_, ticket): &(u64, Ticket)| self.hcas[to].outcome(*ticket).is_some();
        if !flow.buffers.get(sent).is_some_and(rung) {
            return;
        }
        let message = flow.messages[sent].clone();
        let (addr, segments) = self.buffer(from, message.len());
        self.hcas[from].memory_mut().write(addr, &message);
        let work = SendWork {
            wr_id: sent as u64,
            segments,
            signaled: true,
            ..SendWork::default()
        };
        if self.hcas[from].post_send(qpn(from, connection), &work).is_ok() {
            self.flows[from][connection].sent += 1;
        }
    }

    fn take(&mut self, side: usize, completion: &Completion) {
        let connection = completion.qpn as usize % 16 - 2;
        if connection == 0 && self.faults.is_some() {
            return;
        }
        assert_eq!(completion.status, 0, "{completion:?}");
        if !completion.receive {
            let flow = &mut self.flows[side][connection];
            assert_eq!(completion.wr_id, Some(flow.acknowledged as u64), "{completion:?}");
            flow.acknowledged += 1;
            return;
        }
        let flow = &mut self.flows[1 - side][connection];
        let number = flow.received;
        let message = &flow.messages[number];
        assert_eq!(completion.wr_id, Some(number as u64), "{completion:?}");
        assert_eq!(completion.byte_count as usize, message.len(), "{completion:?}");
        // Eight bytes around it stay untouched.
        let mut expected = vec![0; message.len() + 16];
        expected[8..8 + message.len()].copy_from_slice(message);
        let mut found = vec![0; expected.len()];
        self.hcas[side]
            .memory()
            .read(flow.buffers[number].0 - 8, &mut found);
        assert!(found == expected, "{completion:?}");
        flow.received += 1;
    }

    /// Carries a packet over, or does something worse to one of connection 0.
    fn carry(&mut self, to: usize, mut packet: Vec<u8>) {
        let hca = &mut self.hcas[to];
        let suffers = usize::from(packet[DEST_QP_LOW]) % 16 == 2;
        let Some(chance) = self.faults.as_mut().filter(|_| suffers) else {
            return hca.send_packet(packet);
        };
        let at = chance.pick(&(0..=packet.len() as u32 - 1)) as usize;
        let noise: Vec<u8> = (0..=at).map(|_| chance.pick(&(0..=255)) as u8).collect();
        match chance.pick(&(0..=9)) {
            0 => return,
            1 => hca.send_packet(packet.clone()),
            2 => packet[at] ^= 1 << chance.pick(&(0..=7)),
            3 => packet.truncate(at + 1),
            4 => packet.extend(noise),
            5 => hca.send_packet(noise),
            6 => return self.held[to].push(packet),
            7 => self.held[to].drain(..).for_each(|late| hca.send_packet(late)),
            _ => {}
        }
        hca.send_packet(packet);
    }

    fn run(&mut self) {
        let first = usize::from(self.faults.is_some());
        let (mut progress, mut since) = (0, 0);
        while !self
            .flows
            .iter()
            .all(|flows| flows[first..].iter().all(Flow::is_done))
        {
            let cycle = self.hcas[0].cycle();
            for side in [0, 1] {
                (0..self.flows[side].len()).for_each(|connection| self.post(side, connection));
                for cqn in [SEND_CQ, RECEIVE_CQ] {
                    while let Some(completion) = self.hcas[side].poll_cq(cqn).unwrap() {
                        self.take(side, &completion);
                    }
                }
                self.hcas[side].clock().unwrap();
                while self.hcas[side].retired().is_some() {}
                while let Some(packet) = self.hcas[side].packet_out() {
                    self.carry(1 - side, packet.bytes);
                }
            }
            let moved = self
                .hcas
                .iter()
                .map(|h| h.counters().retired + h.counters().m_axis_beats)
                .sum();
            if progress != moved {
                (progress, since) = (moved, cycle);
            }
            assert!(cycle - since < LIVENESS, "nothing moves since cycle {since}");
        }
    }
}

#[test]
fn messages_arrive_whole_and_in_order() {
    let library = library();
    for seed in 0..8 {
        println!("seed {seed}");
        Pair::new(&library, seed, false).run();
    }
}

#[test]
fn faults_on_one_connection_do_not_reach_another() {
    let library = library();
    for seed in 100..108 {
        println!("seed {seed}");
        Pair::new(&library, seed, true).run();
    }
}
