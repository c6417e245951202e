//! How soon an SMP leaves beside data VLs that are full, in the whole adapter (`protocol/link.md` section 6, rows
//! "order of classes" and "point of decision").
//!
//! `cargo test` takes the smallest hardware; with `HCA_TIER=nightly` the widest, too.
use hca_host::profile::{Profile, LINE, SMALL};
use hca_host::retire::kind;
use hca_host::wqe::{Datagram, Segment};
use hca_sim::driver::{
    AddressHandle, Operation, QpChanges, QpInit, QpState, Region, RegionAccess, SendWork, Service, Ticket,
};
use hca_sim::stream::Packet;
use hca_sim::{SimConfig, SimHca};

const SOURCE: u64 = 0x1000_0000;
const KEY: u32 = 0x100;
const Q_KEY: u32 = 0x1122_3344;
/// CQN of the completion queue of QP0, and of that of the others.
const SMP_CQ: u32 = 0;
const DATA_CQ: u32 = 1;
/// QPN of the queue pair of VL 0. Those of the other VLs follow.
const FIRST_QPN: u32 = 2;
/// Bytes of a datagram, and of an SMP.
const DATAGRAM: u32 = 4096;
const SMP: u32 = 256;
/// Entries of a send queue.
const ENTRIES: u32 = 64;

/// An adapter whose queue pairs fill all data VLs, and a neighbour that always has room.
struct Lanes {
    hca: SimHca,
    vls: usize,
    /// Blocks of 64 bytes that have left on each VL, modulo 4096.
    sent: Vec<u64>,
    /// What has left on all VLs, link packets not counted.
    packets: Vec<Packet>,
    /// Clock cycles in which SMPs departed: their first bytes had come from host memory, and all before them had begun
    /// to be built.
    departed: Vec<u64>,
}

impl Lanes {
    fn new(profile: Profile) -> Lanes {
        let library = hca_sim::design::library(&hca_rtl::export::hca(&profile).unwrap()).unwrap();
        let config = SimConfig {
            profile,
            memory_latency: 1..=1,
            memory_pauses: 0,
            stream_gaps: 0,
            stream_stalls: 0,
            ..SimConfig::default()
        };
        let vls = 1 << profile.vl_bits;
        let mut lanes = Lanes {
            hca: SimHca::new(&library, &config).unwrap(),
            vls,
            sent: vec![0; vls],
            packets: Vec::new(),
            departed: Vec::new(),
        };
        lanes.hca.driver().set_port(1, 0);
        lanes.hca.driver().set_p_keys(&[0xFFFF, 0, 0, 0]);
        lanes.hca.activate_ports().unwrap();
        lanes.hca.driver().set_flow_control(true);
        let sl_to_vl = std::array::from_fn(|sl| (sl % vls) as u8);
        lanes.hca.driver().set_sl_to_vl(&sl_to_vl);
        let region = Region {
            l_key: KEY,
            r_key: KEY,
            pd: 0,
            base: SOURCE,
            length: 1 << 16,
            access: RegionAccess::default(),
            zero_based: false,
        };
        let last = lanes.hca.reg_mr(&region).unwrap();
        lanes.call(last);
        lanes.create_qp(0, SMP_CQ, 0, 0);
        for vl in 0..vls as u32 {
            lanes.create_qp(FIRST_QPN + vl, DATA_CQ, Q_KEY, vl as u8);
        }
        lanes.run(20_000);
        lanes
    }

    /// A queue pair in RTS, and an address of this SL whose handle has its number.
    fn create_qp(&mut self, qpn: u32, cqn: u32, q_key: u32, sl: u8) {
        if sl == 0 {
            let ticket = self.hca.create_cq(cqn, 1024).unwrap();
            self.call(ticket);
        }
        let init = QpInit {
            qpn,
            service: Service::Ud,
            send_cq: cqn,
            receive_cq: cqn,
            send_entries: ENTRIES,
            receive_entries: 1,
            ..QpInit::default()
        };
        let ticket = self.hca.driver().create_qp(&init).unwrap();
        self.call(ticket);
        let initialise = QpChanges {
            port: (qpn != 0).then_some(1),
            p_key_index: Some(0),
            q_key: Some(q_key),
            ..QpChanges::default()
        };
        let start = QpChanges {
            sq_psn: Some(0),
            ..QpChanges::default()
        };
        for (state, changes) in [
            (QpState::Init, initialise),
            (QpState::Rtr, QpChanges::default()),
            (QpState::Rts, start),
        ] {
            let ticket = self.hca.driver().modify_qp(qpn, state, &changes).unwrap();
            self.call(ticket);
        }
        let address = AddressHandle {
            port: 1,
            dlid: 2,
            sl,
            ..AddressHandle::default()
        };
        let ticket = self.hca.driver().create_ah(qpn, &address);
        self.call(ticket);
    }

    fn call(&mut self, ticket: Ticket) {
        loop {
            if let Some(outcome) = self.hca.outcome(ticket) {
                outcome.unwrap();
                return;
            }
            self.clock();
        }
    }

    /// Posts a datagram to the peer's queue pair of the same number. Returns false if the send queue is full.
    fn post(&mut self, qpn: u32, bytes: u32, q_key: u32) -> bool {
        let source = Segment {
            addr: SOURCE,
            length: bytes,
            l_key: KEY,
        };
        let work = SendWork {
            datagram: Some(Datagram {
                q_key,
                dest_qpn: qpn,
                handle: qpn,
                p_key_index: 0,
            }),
            ..SendWork::signaled(1, Operation::Send, vec![source])
        };
        self.hca.post_send(qpn, &work).is_ok()
    }

    /// Fills the send queues of all data VLs.
    fn fill(&mut self) {
        for cqn in [SMP_CQ, DATA_CQ] {
            while self.hca.poll_cq(cqn).unwrap().is_some() {}
        }
        for vl in 0..self.vls as u32 {
            while self.post(FIRST_QPN + vl, DATAGRAM, Q_KEY) {}
        }
    }

    fn clock(&mut self) {
        self.hca.clock().unwrap();
        while let Some(retired) = self.hca.retired() {
            if retired.record.kind == kind::REQUEST_EMITTED && retired.record.qpn == 0 {
                self.departed.push(retired.cycle);
            }
        }
        while let Some(packet) = self.hca.packet_out() {
            if packet.is_link {
                continue;
            }
            let vl = usize::from(packet.bytes[0] >> 4);
            if let Some(sent) = self.sent.get_mut(vl) {
                *sent += packet.bytes.len().div_ceil(64) as u64;
            }
            self.packets.push(packet);
        }
        let vl = (self.hca.cycle() / 32) as usize % self.vls;
        if self.hca.cycle().is_multiple_of(32) {
            // FCCL; the FCTBS of the neighbour does not matter to what this side sends.
            let limit = (self.sent[vl] + 1_000) as u16 & 0xFFF;
            let limit = limit.to_be_bytes();
            let mut packet = vec![0, 0, (vl as u8) << 4 | limit[0], limit[1]];
            packet.extend(crc(&packet).to_le_bytes());
            self.hca.send_link_packet(packet);
        }
    }

    fn run(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.clock());
    }
}

/// LPCRC (`protocol/link.md` section 4).
fn crc(bytes: &[u8]) -> u16 {
    !bytes.iter().fold(0xFFFF, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte), |crc, _| {
            crc >> 1 ^ if crc & 1 == 1 { 0xD008 } else { 0 }
        })
    })
}

fn is_smp(packet: &Packet) -> bool {
    packet.bytes[0] >> 4 == 15
}

/// Clocks that an SMP takes from its departure to its first beat when nothing else leaves.
fn pipeline(lanes: &mut Lanes) -> u64 {
    lanes.post(0, SMP, 0);
    lanes.run(1_000);
    let (departed, smp) = (lanes.departed.pop().unwrap(), lanes.packets.pop().unwrap());
    assert!(lanes.departed.is_empty() && lanes.packets.is_empty() && is_smp(&smp));
    smp.first_beat - departed
}

/// From its departure on an SMP waits for the rest of the packet that departed before it, which is still being built,
/// and for the packet that is then under way: for nothing else.
fn waits_for_no_other(profile: Profile, smps: u64) {
    let mut lanes = Lanes::new(profile);
    let pipeline = pipeline(&mut lanes);
    assert!(pipeline < 10, "{pipeline} clocks on an idle link");
    lanes.fill();
    lanes.run(5_000);
    for n in 0..smps {
        lanes.post(0, SMP, 0);
        lanes.run(2_500 + 97 * n);
        lanes.fill();
    }
    let longest = u64::from(DATAGRAM + 34).div_ceil(profile.stream_bits as u64 / 8);
    let mut departed = std::mem::take(&mut lanes.departed).into_iter();
    let mut beside = 0;
    for pair in lanes.packets.windows(2) {
        let [before, smp] = pair else { unreachable!() };
        if !is_smp(smp) {
            continue;
        }
        let waited = smp.first_beat - departed.next().unwrap();
        assert!(
            waited <= pipeline + 2 * longest,
            "{}: {waited} clocks",
            profile.name
        );
        beside += u64::from(smp.first_beat == before.last_beat + 1);
    }
    // Data packets are around each of them.
    assert_eq!(beside, smps, "{}", profile.name);
    assert!(!is_smp(lanes.packets.last().unwrap()));
}

/// The neighbour takes no beat of the packet that is under way while the SMP comes: it is the next, right behind it.
fn is_the_next(profile: Profile) {
    let mut lanes = Lanes::new(profile);
    for round in 0..6 {
        lanes.fill();
        lanes.run(3_000 + 97 * round);
        lanes.hca.hold_link(true);
        lanes.run(3_000);
        lanes.packets.clear();
        lanes.post(0, SMP, 0);
        lanes.run(1_000);
        assert_eq!(lanes.packets, []);
        lanes.hca.hold_link(false);
        lanes.run(2_000);
        let [under_way, smp, behind] = &lanes.packets[..3] else {
            panic!("{} packets", lanes.packets.len());
        };
        let name = profile.name;
        assert_eq!(
            [under_way, smp, behind].map(is_smp),
            [false, true, false],
            "{name}, round {round}"
        );
        assert_eq!(smp.first_beat, under_way.last_beat + 1, "{name}, round {round}");
    }
}

#[test]
fn beside_two_vls_of_64_bits() {
    waits_for_no_other(SMALL, 12);
    is_the_next(SMALL);
}

#[test]
fn beside_eight_vls_of_512_bits() {
    if std::env::var("HCA_TIER").is_ok_and(|tier| tier == "nightly") {
        waits_for_no_other(LINE, 20);
        is_the_next(LINE);
    }
}
