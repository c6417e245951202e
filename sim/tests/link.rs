//! The receive side of a native port's link, in the whole adapter: what it counts, link packets, and room.
use hca_host::profile::SMALL;
use hca_host::register::{self, port_state};
use hca_host::retire::{drop, kind, SIDE_RECEIVE};
use hca_host::wqe::Segment;
use hca_sim::driver::{PortCounter, ReceiveWork, Service, Ticket};
use hca_sim::verbs::{MrAttributes, Port, QpInitAttributes, Single};
use hca_sim::verilated::Library;
use hca_sim::{SimConfig, SimHca};

/// LID of the port.
const LID: u16 = 0x12;
/// Rows of `fcp_vectors.csv`: F4, Op 1 on VL 0; F6, Op 0 on VL 1; F2, Op 0 on VL 3.
const INITIAL: [u8; 6] = [0x10, 0x00, 0x00, 0x00, 0x58, 0x05];
const NORMAL: [u8; 6] = [0x00, 0x20, 0x18, 0x20, 0x29, 0x8F];
const OF_VL_3: [u8; 6] = [0x01, 0x23, 0x34, 0x56, 0xD1, 0x9F];

fn library() -> Library {
    hca_sim::design::library(&hca_rtl::export::hca(&SMALL).unwrap()).unwrap()
}

/// Wire bytes of a reflected CRC (`crc.md`).
fn crc(width: u32, polynomial: u32, bytes: impl Iterator<Item = u8>) -> u32 {
    let mut register = u32::MAX >> (32 - width);
    for byte in bytes {
        for bit in 0..8 {
            let feedback = register & 1 ^ u32::from(byte >> bit & 1);
            register = register >> 1 ^ if feedback == 1 { polynomial } else { 0 };
        }
    }
    !register
}

fn with_vcrc(mut bytes: Vec<u8>) -> Vec<u8> {
    let vcrc = crc(16, 0xD008, bytes.iter().copied()) as u16;
    bytes.extend(vcrc.to_le_bytes());
    bytes
}

/// A datagram, without a GRH, to a queue pair.
fn datagram(vl: u8, dlid: u16, qpn: u32, q_key: u32, payload: usize) -> Vec<u8> {
    let words = ((8 + 12 + 8 + payload + 4) / 4) as u16;
    let mut bytes = vec![vl << 4, 2];
    for half in [dlid, words, 7] {
        bytes.extend(half.to_be_bytes());
    }
    bytes.extend([0x64, 0x40, 0xFF, 0xFF]);
    for word in [qpn, 100, q_key, 9] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend((0..payload).map(|at| at as u8));
    let covered = bytes.iter().enumerate().map(|(at, byte)| match at {
        0 => byte | 0xF0,
        12 => 0xFF,
        _ => *byte,
    });
    let icrc = crc(32, 0xEDB8_8320, covered);
    bytes.extend(icrc.to_le_bytes());
    with_vcrc(bytes)
}

/// For no queue pair that there is.
fn data(vl: u8) -> Vec<u8> {
    datagram(vl, LID, 0xABCD, 0, 32)
}

/// Changed, with a good VCRC.
fn changed(change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = data(0);
    bytes.truncate(bytes.len() - 2);
    change(&mut bytes);
    with_vcrc(bytes)
}

struct Adapter {
    hca: SimHca,
    /// Reasons to drop packets, in their order.
    dropped: Vec<u8>,
    /// States of the receive side.
    states: Vec<u32>,
}

impl Adapter {
    /// In Init.
    fn new(library: &Library) -> Adapter {
        let hca = SimHca::new(library, &SimConfig::default()).unwrap();
        let mut adapter = Adapter {
            hca,
            dropped: Vec::new(),
            states: Vec::new(),
        };
        adapter.run(100);
        let ticket = adapter.hca.driver().set_port(LID, 0);
        adapter.call(ticket);
        assert_eq!(std::mem::take(&mut adapter.states), [port_state::INIT]);
        adapter
    }

    fn clock(&mut self) {
        self.hca.clock().unwrap();
        while let Some(retired) = self.hca.retired() {
            let record = retired.record;
            match (record.kind, record.code) {
                (kind::PACKET_DROPPED, reason) => self.dropped.push(reason),
                (kind::PORT_MODIFIED, SIDE_RECEIVE) => self.states.push(record.index),
                _ => {}
            }
        }
    }

    fn run(&mut self, clocks: u32) {
        for _ in 0..clocks {
            self.clock();
        }
    }

    fn call(&mut self, ticket: Ticket) -> u32 {
        for _ in 0..10_000 {
            if let Some(outcome) = self.hca.outcome(ticket) {
                return outcome.unwrap();
            }
            self.clock();
        }
        panic!("no outcome");
    }

    fn go_to(&mut self, state: u32) {
        let ticket = self.hca.driver().set_port_state(state);
        self.call(ticket);
        self.run(50);
    }

    fn set_vls(&mut self, operational: u8, flow_control: bool) {
        self.hca.driver().set_flow_control(flow_control);
        let ticket = self.hca.driver().set_operational_vls(operational);
        self.call(ticket);
    }

    fn read(&mut self, address: u32) -> u32 {
        let ticket = self.hca.driver().read_register(address);
        self.call(ticket)
    }

    fn count(&mut self, counter: PortCounter) -> u32 {
        let ticket = self.hca.driver().port_counter(counter);
        self.call(ticket)
    }

    /// Once all is taken: packets with errors, that ended as bad, that were received, and words of these.
    fn counts(&mut self) -> [u32; 4] {
        for _ in 0..10_000 {
            self.clock();
            if self.hca.quiet() {
                break;
            }
        }
        self.run(200);
        use PortCounter::{RcvData, RcvErrors, RcvPackets, RcvRemotePhysicalErrors};
        [RcvErrors, RcvRemotePhysicalErrors, RcvPackets, RcvData].map(|counter| self.count(counter))
    }
}

/// CF456, CF457, CF459 and CF465, with flow control and without.
#[test]
fn arriving_packets_are_counted() {
    let library = library();
    for flow_control in [false, true] {
        let mut adapter = Adapter::new(&library);
        adapter.set_vls(2, flow_control);
        adapter.hca.send_packet(data(0));
        // Discarded in Init, and not counted.
        assert_eq!(adapter.counts(), [0; 4]);
        adapter.go_to(port_state::ARMED);
        // One by one: what it is, why it is dropped, errors and bad ends so far, packets and words.
        let good = data(1);
        let mut vcrc = data(0);
        vcrc[30] ^= 1;
        let cases: [(Vec<u8>, u8, [u32; 4]); 7] = [
            (good, drop::DEST_QP, [0, 0, 1, 16]),
            (vcrc, drop::VCRC, [1, 0, 1, 16]),
            (data(2), drop::VL, [2, 0, 1, 16]),
            (data(14), drop::VL, [3, 0, 1, 16]),
            (changed(|b| b[5] += 1), drop::LENGTH, [4, 0, 1, 16]),
            (changed(|b| b[2..4].fill(0)), drop::DLID, [5, 0, 1, 16]),
            // For another port: it was received.
            (datagram(0, 0x13, 5, 0, 256), drop::DLID, [5, 0, 2, 88]),
        ];
        for (packet, reason, counts) in cases {
            adapter.dropped.clear();
            adapter.hca.send_packet(packet);
            assert_eq!(adapter.counts(), counts, "flow control: {flow_control}");
            assert_eq!(adapter.dropped, [reason]);
        }
        adapter.dropped.clear();
        adapter.hca.send_bad(data(0));
        assert_eq!(adapter.counts(), [5, 1, 2, 88]);
        adapter.hca.send_bad(data(0)[..29].to_vec());
        assert_eq!(adapter.counts(), [5, 2, 2, 88]);
        assert_eq!(adapter.dropped, [drop::VCRC; 2]);
        // One VL less.
        adapter.set_vls(1, flow_control);
        adapter.hca.send_packet(data(1));
        assert_eq!(adapter.counts(), [6, 2, 2, 88]);
        assert_eq!(adapter.dropped, [drop::VCRC, drop::VCRC, drop::VL]);
    }
}

/// CF436 and CF440 to CF442.
#[test]
fn link_packets_are_no_packets() {
    let mut adapter = Adapter::new(&library());
    let flipped = |bit: usize| {
        let mut bytes = NORMAL.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    };
    // Without flow control they go nowhere, in any state.
    adapter.go_to(port_state::ARMED);
    adapter.go_to(port_state::ACTIVE);
    for bytes in [INITIAL.to_vec(), flipped(9), vec![7; 40]] {
        adapter.hca.send_link_packet(bytes);
    }
    assert_eq!(adapter.counts(), [0; 4]);
    assert_eq!(adapter.states, [port_state::ARMED, port_state::ACTIVE]);

    // The neighbour starts anew.
    adapter.states.clear();
    adapter.set_vls(2, true);
    adapter.hca.send_link_packet(NORMAL.to_vec());
    assert_eq!(adapter.counts(), [0; 4]);
    assert!(adapter.states.is_empty());
    adapter.hca.send_link_packet(INITIAL.to_vec());
    assert_eq!(adapter.counts(), [0; 4]);
    assert_eq!(adapter.states, [port_state::DOWN, port_state::INIT]);
    assert_eq!(adapter.count(PortCounter::LinkDowned), 0);
    adapter.go_to(port_state::ARMED);
    adapter.hca.send_link_packet(INITIAL.to_vec());
    assert_eq!(adapter.counts(), [0; 4]);
    assert_eq!(adapter.read(register::PORT_STATE) & 7, port_state::ARMED);

    // Errors, data between them.
    for (n, bytes) in (1..).zip([flipped(0), flipped(47), OF_VL_3.to_vec(), NORMAL[..5].to_vec()]) {
        adapter.hca.send_packet(data(0));
        adapter.hca.send_link_packet(bytes);
        assert_eq!(adapter.counts(), [n, 0, n, 16 * n]);
    }
    // VL 1 is not operational, which is an error but in Init.
    adapter.set_vls(1, true);
    adapter.hca.send_link_packet(NORMAL.to_vec());
    assert_eq!(adapter.counts(), [5, 0, 4, 64]);
    adapter.go_to(port_state::DOWN);
    assert_eq!(adapter.read(register::PORT_STATE) & 7, port_state::INIT);
    adapter.hca.send_link_packet(NORMAL.to_vec());
    assert_eq!(adapter.counts(), [5, 0, 4, 64]);
    adapter.hca.send_link_packet(OF_VL_3.to_vec());
    assert_eq!(adapter.counts(), [6, 0, 4, 64]);
    assert_eq!(adapter.read(register::PACKETS_RECEIVED), 4);
}

/// CF283: what is longer than the buffer of VL 15 finds no room there.
#[test]
fn vl_15_has_room_of_its_own() {
    let mut adapter = Adapter::new(&library());
    adapter.set_vls(2, true);
    let smp = |payload| datagram(15, LID, 0, 0x8001_0000, payload);
    adapter.hca.send_packet(smp(256));
    adapter.hca.send_packet(smp(640));
    adapter.hca.send_packet(smp(256));
    // There is no QP0 for the others.
    assert_eq!(adapter.counts(), [0, 0, 2, 144]);
    assert_eq!(adapter.count(PortCounter::Vl15Dropped), 1);
    assert_eq!(adapter.count(PortCounter::ExcessiveBufferOverrun), 0);
    adapter.dropped.sort_unstable();
    assert_eq!(adapter.dropped, [drop::DEST_QP, drop::DEST_QP, drop::VL15]);
}

/// CF452: memory is too slow for what a neighbour without manners sends.
#[test]
fn packets_without_room_are_dropped_and_the_next_are_fine() {
    const BUFFER: u64 = 0x2000_0000;
    const Q_KEY: u32 = 0x1122_3344;
    const PACKETS: usize = 14;
    let config = SimConfig {
        memory_pauses: 250,
        ..SimConfig::default()
    };
    let mut single = Single::new(&library(), &config, &Port::of(0)).unwrap();
    let mut host = single.host();
    let mr = host.reg_mr(&MrAttributes::shared(BUFFER, 1 << 24)).unwrap();
    let (cq, _) = host.create_cq(64).unwrap();
    let attributes = QpInitAttributes {
        service: Service::Ud,
        ..QpInitAttributes::new(cq, cq)
    };
    let qp = host.create_qp(&attributes).unwrap();
    host.open(qp, Q_KEY, 0).unwrap();
    host.hca().driver().set_flow_control(true);
    for n in 0..PACKETS as u64 {
        let segments: Vec<Segment> = vec![mr.sge(BUFFER + n * 0x2000, 0x2000)];
        host.post_recv(qp, &ReceiveWork { wr_id: n, segments }).unwrap();
    }
    host.settle().unwrap();
    for n in 0..PACKETS {
        // Both VLs have room for little more than a packet each.
        host.hca()
            .send_packet(datagram(n as u8 % 2, 1, qp.qpn, Q_KEY, 4096));
    }
    host.settle().unwrap();
    let mut read = |counter| {
        let ticket = host.hca().driver().port_counter(counter);
        loop {
            if let Some(outcome) = host.hca().outcome(ticket) {
                break outcome.unwrap();
            }
            host.hca().clock().unwrap();
        }
    };
    let received = read(PortCounter::RcvPackets);
    let overran = read(PortCounter::ExcessiveBufferOverrun);
    assert_eq!(read(PortCounter::RcvErrors), PACKETS as u32 - received);
    assert_eq!(overran, (PACKETS as u32 - received).min(15));
    assert!(
        overran > 0 && received >= 4,
        "{received} received, {overran} without room"
    );
    let mut completed = 0;
    while let Some(completion) = host.poll_cq(cq).unwrap() {
        assert_eq!((completion.status, completion.byte_count), (0, 4136));
        completed += 1;
    }
    assert_eq!(completed, received);
    // There is room again.
    host.hca().send_packet(datagram(0, 1, qp.qpn, Q_KEY, 4096));
    assert_eq!(host.next_completion(cq).unwrap().byte_count, 4136);
}
