//! Virtual lanes of one native HCA: which VL packets leave on, and what stands between them under flow control
//! (`protocol/link.md` sections 3 to 5).
use hca_host::profile::{Profile, LINE, SMALL};
use hca_host::register::PORT_STATE;
use hca_sim::driver::{
    vl_arbitration_table, AddressHandle, Operation, PortCounter, SendWork, Service, Ticket,
    VlArbitrationTable,
};
use hca_sim::stream::Packet;
use hca_sim::verbs::{Ah, Cq, Mr, MrAttributes, Port, Qp, QpInitAttributes, Single};
use hca_sim::SimConfig;

const SOURCE: u64 = 0x1000_0000;
const Q_KEY: u32 = 0x1122_3344;

/// A queue pair of UD, and an address of each SL.
struct Lanes {
    hca: Single,
    cq: Cq,
    qp: Qp,
    mr: Mr,
    addresses: Vec<Ah>,
}

impl Lanes {
    fn new(profile: Profile) -> Lanes {
        let library = hca_sim::design::library(&hca_rtl::export::hca(&profile).unwrap()).unwrap();
        let config = SimConfig {
            profile,
            ..SimConfig::default()
        };
        let mut hca = Single::new(&library, &config, &Port::of(0)).unwrap();
        let mut host = hca.host();
        let (cq, _) = host.create_cq(64).unwrap();
        let mr = host.reg_mr(&MrAttributes::shared(SOURCE, 1 << 20)).unwrap();
        let attributes = QpInitAttributes {
            service: Service::Ud,
            ..QpInitAttributes::new(cq, cq)
        };
        let qp = host.create_qp(&attributes).unwrap();
        host.open(qp, Q_KEY, 0).unwrap();
        let address = |sl| AddressHandle {
            port: 1,
            dlid: 2,
            sl,
            ..AddressHandle::default()
        };
        let addresses = (0..16).map(|sl| host.create_ah(&address(sl)).unwrap()).collect();
        Lanes {
            hca,
            cq,
            qp,
            mr,
            addresses,
        }
    }

    fn answer(&mut self, ticket: Ticket) -> u32 {
        loop {
            if let Some(outcome) = self.hca.host().hca().outcome(ticket) {
                return outcome.unwrap();
            }
            self.hca.clock().unwrap();
        }
    }

    fn count(&mut self, counter: PortCounter) -> u32 {
        let ticket = self.hca.host().hca().driver().port_counter(counter);
        self.answer(ticket)
    }

    /// Words, packets and discards.
    fn counts(&mut self) -> [u32; 3] {
        [
            PortCounter::XmitData,
            PortCounter::XmitPackets,
            PortCounter::XmitDiscards,
        ]
        .map(|of| self.count(of))
    }

    fn set_table(&mut self, vls: [u8; 16]) {
        let ticket = self.hca.host().hca().driver().set_sl_to_vl(&vls);
        self.answer(ticket);
        let [low, high] = self.hca.host().hca().driver().sl_to_vl();
        let nibbles = |word: u32| (0..8).map(move |n| (word >> (4 * n) & 0xF) as u8);
        let read: Vec<u8> = nibbles(self.answer(low))
            .chain(nibbles(self.answer(high)))
            .collect();
        assert_eq!(read, vls);
    }

    fn arbitration(&mut self, is_high: bool) -> VlArbitrationTable {
        let tickets = self.hca.host().hca().driver().vl_arbitration(is_high);
        vl_arbitration_table(tickets.map(|ticket| self.answer(ticket)))
    }

    fn high_limit(&mut self) -> u32 {
        let ticket = self.hca.host().hca().driver().vl_high_limit();
        self.answer(ticket)
    }

    fn set_operational(&mut self, code: u8) -> u32 {
        let ticket = self.hca.host().hca().driver().set_operational_vls(code);
        self.answer(ticket);
        let ticket = self.hca.host().hca().driver().port_vls();
        self.answer(ticket)
    }

    /// A datagram of so many bytes; PktLen is 8 words more.
    fn post(&mut self, sl: usize, bytes: usize) {
        let work = SendWork {
            datagram: Some(self.addresses[sl].to(self.qp, Q_KEY)),
            ..SendWork::signaled(1, Operation::Send, vec![self.mr.sge(SOURCE, bytes)])
        };
        self.hca.host().post_send(self.qp, &work).unwrap();
    }

    fn run(&mut self, clocks: u64) -> Vec<Packet> {
        (0..clocks).for_each(|_| self.hca.clock().unwrap());
        std::iter::from_fn(|| self.hca.sent()).collect()
    }

    /// VL of the datagram of each SL that left; to the queue pair all are sent.
    fn vls(&mut self) -> Vec<Option<u8>> {
        (0..16)
            .map(|sl| {
                self.post(sl, 256);
                let sent = self.hca.host().next_completion(self.cq).unwrap();
                assert_eq!(sent.status, 0);
                let packets = self.run(300);
                assert!(packets
                    .iter()
                    .all(|packet| !packet.is_link && packet.bytes[1] >> 4 == sl as u8));
                assert!(packets.len() < 2);
                packets.first().map(|packet| packet.bytes[0] >> 4)
            })
            .collect()
    }
}

/// After a reset the low table serves every data VL alike. Each table has eight entries, and writing one leaves the
/// other.
#[test]
fn arbitration_tables_are_read_as_they_were_written() {
    let mut lanes = Lanes::new(SMALL);
    let reset = [(0, 64), (1, 64), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0)];
    assert_eq!(lanes.arbitration(true), [(0, 0); 8]);
    assert_eq!(lanes.arbitration(false), reset);
    assert_eq!(lanes.high_limit(), 8 << 8);
    let high = [
        (14, 1),
        (1, 255),
        (0, 0),
        (7, 128),
        (2, 2),
        (3, 3),
        (4, 4),
        (15, 5),
    ];
    let ticket = lanes.hca.host().hca().driver().set_vl_arbitration(true, &high);
    lanes.answer(ticket);
    assert_eq!(lanes.arbitration(true), high);
    assert_eq!(lanes.arbitration(false), reset);
    let low = [(1, 9), (0, 8), (1, 7), (0, 6), (1, 5), (0, 4), (1, 3), (0, 2)];
    let ticket = lanes.hca.host().hca().driver().set_vl_arbitration(false, &low);
    lanes.answer(ticket);
    assert_eq!(lanes.arbitration(true), high);
    assert_eq!(lanes.arbitration(false), low);
    for limit in [255, 1, 0] {
        let ticket = lanes.hca.host().hca().driver().set_vl_high_limit(limit);
        lanes.answer(ticket);
        assert_eq!(lanes.high_limit(), 8 << 8 | u32::from(limit));
    }
}

/// CF265, CF455, CF465.
#[test]
fn each_sl_leaves_on_its_vl_or_not_at_all() {
    let mut lanes = Lanes::new(SMALL);
    assert_eq!(lanes.vls(), [Some(0); 16]);
    assert_eq!(lanes.counts(), [16 * 72, 16, 0]);
    lanes.set_table([1, 0, 1, 2, 3, 7, 8, 14, 15, 0, 1, 1, 0, 15, 1, 1]);
    let (zero, one) = (Some(0), Some(1));
    let expected = [
        one, zero, one, None, None, None, None, None, None, zero, one, one, zero, None, one, one,
    ];
    assert_eq!(lanes.vls(), expected);
    assert_eq!(lanes.counts(), [25 * 72, 25, 7]);
    assert_eq!(lanes.set_operational(1), 0x21);
    let only_zero = expected.map(|vl| vl.filter(|vl| *vl == 0));
    assert_eq!(lanes.vls(), only_zero);
    assert_eq!(lanes.counts(), [28 * 72, 28, 20]);
    // More than there are, and none at all.
    assert_eq!([3, 0, 15].map(|code| lanes.set_operational(code)), [0x21; 3]);
    assert_eq!(lanes.set_operational(2), 0x22);
    assert_eq!(lanes.vls(), expected);
}

/// In `line` all of 8 VLs are there.
#[test]
fn eight_vls() {
    let mut lanes = Lanes::new(LINE);
    let table = [7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11, 12, 13, 14, 15];
    lanes.set_table(table);
    let on = |operational| table.map(|vl| (vl < operational).then_some(vl));
    assert_eq!(lanes.vls(), on(8));
    assert_eq!(lanes.set_operational(3), 0x43);
    assert_eq!(lanes.vls(), on(4));
    assert_eq!(lanes.set_operational(5), 0x43);
}

/// CF443, CF444, CF450: the neighbour, which is not there, gives no credits.
#[test]
fn under_flow_control_packets_wait_and_link_packets_leave() {
    let mut lanes = Lanes::new(SMALL);
    let ticket = lanes.hca.host().hca().driver().set_flow_control(true);
    lanes.answer(ticket);
    assert_eq!(lanes.set_operational(2), 0x122);
    lanes.post(0, 256);
    let packets = lanes.run(100_000);
    // FCTBS 0 and 180 blocks of room.
    let first = [[0x00, 0x00, 0x00, 0xB4], [0x00, 0x00, 0x10, 0xB4]];
    for (vl, expected) in first.iter().enumerate() {
        let of: Vec<&Packet> = packets
            .iter()
            .filter(|packet| packet.bytes[2] >> 4 == vl as u8)
            .collect();
        assert!(of.len() >= 4);
        assert!(of
            .iter()
            .all(|packet| packet.is_link && packet.bytes[..4] == *expected && packet.bytes.len() == 6));
        // 65,536 symbol times at 8 bytes a clock.
        assert!(of.windows(2).all(|w| w[1].first_beat - w[0].first_beat <= 32_768));
    }
    assert_eq!(lanes.counts(), [0; 3]);
    let waited = lanes.count(PortCounter::XmitWait);
    assert!((99_000..101_000).contains(&waited), "{waited}");
    // The port is restarted: the packet is given up, and Op is 1 in Init.
    let ticket = lanes.hca.host().hca().driver().write_register(PORT_STATE, 1);
    lanes.answer(ticket);
    let packets = lanes.run(1_000);
    assert!(packets.iter().all(|packet| packet.is_link));
    let begin: Vec<[u8; 2]> = packets
        .iter()
        .map(|packet| [packet.bytes[0], packet.bytes[2]])
        .collect();
    assert_eq!(begin, [[0x10, 0x00], [0x10, 0x10]]);
    assert_eq!(lanes.counts(), [0, 0, 1]);
    let ticket = lanes.hca.host().hca().driver().set_flow_control(false);
    lanes.answer(ticket);
    assert_eq!(lanes.run(40_000), []);
}
