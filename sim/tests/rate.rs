//! Static rates (`protocol/link.md` section 7, CF460): when packets of a native HCA start on the link.
use hca_host::command;
use hca_host::profile::{Profile, LINE, MID, SMALL};
use hca_sim::driver::{AddressHandle, AddressVector, DriverError, Operation, SendWork, Service};
use hca_sim::stream::Packet;
use hca_sim::verbs::{Ah, Connection, Cq, Error, Mr, MrAttributes, Port, Qp, QpInitAttributes, Single};
use hca_sim::SimConfig;

const BUFFER: u64 = 0x1000_0000;
const Q_KEY: u32 = 0x1122_3344;
/// Codes of 2.5 and of 5 Gb/s.
const QUARTER: u8 = 2;
const HALF: u8 = 5;
/// Clocks by which a packet may start later than its rate asks for: from the engine to the link.
const LATE: u64 = 260;

/// One HCA of two, with a queue pair of RC for each pair of rates.
struct End {
    hca: Single,
    cq: Cq,
    mr: Mr,
    sent: Vec<Packet>,
}

/// Two HCAs on a cable whose packets are written down.
struct Cable {
    ends: [End; 2],
    profile: Profile,
}

impl Cable {
    fn new(profile: Profile) -> Cable {
        let library = hca_sim::design::library(&hca_rtl::export::hca(&profile).unwrap()).unwrap();
        let config = SimConfig {
            profile,
            memory_pauses: 0,
            ..SimConfig::default()
        };
        let ends = [0, 1].map(|side| {
            let mut hca = Single::new(&library, &config, &Port::of(side)).unwrap();
            let (cq, _) = hca.host().create_cq(256).unwrap();
            let mr = hca.host().reg_mr(&MrAttributes::shared(BUFFER, 1 << 20)).unwrap();
            End {
                hca,
                cq,
                mr,
                sent: Vec::new(),
            }
        });
        Cable { ends, profile }
    }

    /// A queue pair of each end, connected, with the rate of each.
    fn connect(&mut self, rates: [u8; 2]) -> [Qp; 2] {
        let qps = [0, 1].map(|side: usize| {
            let end = &mut self.ends[side];
            let attributes = QpInitAttributes::new(end.cq, end.cq);
            end.hca.host().create_qp(&attributes).unwrap()
        });
        for side in [0, 1] {
            let connection = Connection {
                address: AddressVector {
                    static_rate: rates[side],
                    ..AddressVector::default()
                },
                ..Connection::default()
            };
            let connection = connection.with_peer(&Port::of(1 - side), qps[1 - side], false);
            let mut host = self.ends[side].hca.host();
            host.connect(qps[side], &connection).unwrap();
            let status = host.query_qp(qps[side]).unwrap();
            assert_eq!(status.attributes.address.unwrap().static_rate, rates[side]);
        }
        qps
    }

    fn post(&mut self, qp: Qp, operation: Operation, bytes: usize) {
        let end = &mut self.ends[0];
        let work = SendWork::signaled(1, operation, vec![end.mr.sge(BUFFER, bytes)]);
        end.hca.host().post_send(qp, &work).unwrap();
    }

    fn write(&mut self, qp: Qp, bytes: usize) {
        let (va, r_key) = (BUFFER, self.ends[1].mr.r_key);
        self.post(qp, Operation::Write { va, r_key }, bytes);
    }

    fn read(&mut self, qp: Qp, bytes: usize) {
        let (va, r_key) = (BUFFER, self.ends[1].mr.r_key);
        self.post(qp, Operation::Read { va, r_key }, bytes);
    }

    fn run(&mut self, clocks: u64) {
        for _ in 0..clocks {
            for side in [0, 1] {
                self.ends[side].hca.clock().unwrap();
                while let Some(packet) = self.ends[side].hca.sent() {
                    let mut host = self.ends[1 - side].hca.host();
                    match packet.is_link {
                        true => host.hca().send_link_packet(packet.bytes.clone()),
                        false => host.hca().send_packet(packet.bytes.clone()),
                    }
                    self.ends[side].sent.push(packet);
                }
            }
        }
    }

    fn credits(&mut self) {
        for end in &mut self.ends {
            end.hca.host().hca().driver().set_flow_control(true);
        }
        self.run(2_000);
    }

    /// Completions of the first end so far; all succeeded.
    fn completions(&mut self) -> usize {
        let end = &mut self.ends[0];
        let mut count = 0;
        while let Some(completion) = end.hca.host().poll_cq(end.cq).unwrap() {
            assert_eq!(completion.status, 0);
            count += 1;
        }
        count
    }

    /// The packets of an end to a queue pair, by its number.
    fn to(&self, side: usize, qpn: u32) -> Vec<&Packet> {
        let dest = |packet: &&Packet| !packet.is_link && packet.bytes[13..16] == qpn.to_be_bytes()[1..];
        self.ends[side].sent.iter().filter(dest).collect()
    }

    /// Asserts that each packet starts `times` the time of the one before it after that, and not much later.
    fn assert_spaced(&self, packets: &[&Packet], times: u64, late: u64) {
        let lanes = self.profile.stream_bits / 8;
        for pair in packets.windows(2) {
            let beats = pair[0].bytes.len().div_ceil(lanes) as u64;
            let apart = pair[1].first_beat - pair[0].first_beat;
            assert!(apart >= times * beats, "{apart} clocks after {beats} beats");
            assert!(
                apart <= times * beats + late,
                "{apart} clocks after {beats} beats"
            );
        }
    }
}

/// Long messages, messages of a packet, and a queue pair without a rate between them, with credits and without.
#[test]
fn requests_are_spaced_and_others_go_between() {
    for credits in [false, true] {
        let mut cable = Cable::new(SMALL);
        let slow = cable.connect([QUARTER, 0]);
        let half = cable.connect([HALF, 0]);
        let fast = cable.connect([0, 0]);
        if credits {
            cable.credits();
        }
        for qp in [slow, half, fast] {
            for bytes in [10_000, 1, 0, 600] {
                cable.write(qp[0], bytes);
            }
        }
        cable.write(fast[0], 30_000);
        cable.run(20_000);
        assert_eq!(cable.completions(), 13);
        let packets = [slow, half, fast].map(|qp| cable.to(0, qp[1].qpn));
        assert_eq!(packets.each_ref().map(Vec::len), [13, 13, 43]);
        // Once made, they stand behind the packets of others on the way to the link.
        cable.assert_spaced(&packets[0], 4, 6_500);
        cable.assert_spaced(&packets[1], 2, 6_500);
        // What has no rate does not wait for what has one.
        let (from, until) = (packets[2][0].first_beat, packets[2][42].last_beat);
        let sent = cable.ends[0].sent.iter();
        let during = sent.filter(|packet| (from..=until).contains(&packet.first_beat));
        let beats: usize = during.map(|packet| packet.bytes.len().div_ceil(8)).sum();
        let clocks = until - from + 1;
        assert!(
            100 * beats as u64 > 95 * clocks,
            "{beats} beats in {clocks} clocks"
        );
    }
}

#[test]
fn without_a_rate_packets_follow_each_other() {
    for rate in [0, 3, 10] {
        let mut cable = Cable::new(SMALL);
        let qp = cable.connect([rate, rate]);
        cable.write(qp[0], 20_000);
        cable.run(5_000);
        assert_eq!(cable.completions(), 1);
        let packets = cable.to(0, qp[1].qpn);
        assert_eq!(packets.len(), 20);
        let gap = |pair: &[&Packet]| pair[1].first_beat - pair[0].last_beat;
        let gaps: Vec<u64> = packets.windows(2).map(gap).collect();
        assert!(gaps.iter().all(|gap| *gap < 4), "{gaps:?}");
    }
}

/// Read responses and acks have the rate of the queue pair that answers, requests that of the one that asks.
#[test]
fn answers_are_spaced() {
    for credits in [false, true] {
        let mut cable = Cable::new(SMALL);
        let qp = cable.connect([0, QUARTER]);
        if credits {
            cable.credits();
        }
        cable.read(qp[0], 8_192);
        cable.run(8_000);
        assert_eq!(cable.completions(), 1);
        let answers = cable.to(1, qp[0].qpn);
        assert_eq!(answers.len(), 8);
        cable.assert_spaced(&answers, 4, LATE);

        cable.ends[1].sent.clear();
        for _ in 0..12 {
            cable.write(qp[0], 8);
        }
        cable.run(8_000);
        assert_eq!(cable.completions(), 12);
        let acks = cable.to(1, qp[0].qpn);
        assert!(acks.len() > 2 && acks.iter().all(|ack| ack.bytes[8] == 0x11));
        cable.assert_spaced(&acks, 4, 8_000);
    }
}

/// The rate of a datagram is that of its address handle.
#[test]
fn datagrams_are_spaced_by_their_address_handle() {
    for credits in [false, true] {
        let mut cable = Cable::new(SMALL);
        if credits {
            cable.credits();
        }
        let end = &mut cable.ends[0];
        let attributes = QpInitAttributes {
            service: Service::Ud,
            ..QpInitAttributes::new(end.cq, end.cq)
        };
        let mut host = end.hca.host();
        let qps = [0, 0].map(|_| {
            let qp = host.create_qp(&attributes).unwrap();
            host.open(qp, Q_KEY, 0).unwrap();
            qp
        });
        let handle = |rate, sl| AddressHandle {
            port: 1,
            dlid: 2,
            sl,
            static_rate: rate,
            ..AddressHandle::default()
        };
        let handles: [Ah; 3] =
            [(QUARTER, 1), (HALF, 2), (0, 3)].map(|(rate, sl)| host.create_ah(&handle(rate, sl)).unwrap());
        // Two queue pairs share each handle.
        for n in 0..30 {
            let qp = qps[n % 2];
            let work = SendWork {
                datagram: Some(handles[n % 3].to(qp, Q_KEY)),
                ..SendWork::signaled(1, Operation::Send, vec![end.mr.sge(BUFFER, 300 + n)])
            };
            host.post_send(qp, &work).unwrap();
        }
        cable.run(8_000);
        assert_eq!(cable.completions(), 30);
        let of = |sl: u8| -> Vec<&Packet> {
            let data = cable.ends[0].sent.iter().filter(|packet| !packet.is_link);
            data.filter(|packet| packet.bytes[1] >> 4 == sl).collect()
        };
        for (sl, times) in [(1, 4), (2, 2), (3, 1)] {
            assert_eq!(of(sl).len(), 10);
            cable.assert_spaced(&of(sl), times, 1_000);
        }
    }
}

/// More sources than there are marks; none is starved, and none is too fast.
#[test]
fn many_sources_take_turns() {
    for profile in [SMALL, MID, LINE] {
        let mut cable = Cable::new(profile);
        let qps: Vec<[Qp; 2]> = (0..12).map(|_| cable.connect([QUARTER, QUARTER])).collect();
        for qp in &qps {
            cable.write(qp[0], 3_000);
        }
        cable.run(20_000);
        assert_eq!(cable.completions(), 12);
        let times = profile.port_rate() as u64;
        for qp in &qps {
            let packets = cable.to(0, qp[1].qpn);
            assert_eq!(packets.len(), 3);
            cable.assert_spaced(&packets, times, 20_000);
        }
    }
}

/// A retransmission keeps its distance, too; what fails while its source is closed leaves nothing behind.
#[test]
fn a_source_opens_again_when_its_queue_pair_goes() {
    let mut cable = Cable::new(SMALL);
    for _ in 0..20 {
        let qp = cable.connect([QUARTER, QUARTER]);
        cable.write(qp[0], 10_000);
        cable.run(700);
        for side in [0, 1] {
            cable.ends[side].hca.host().destroy_qp(qp[side]).unwrap();
        }
        cable.completions();
    }
    let qp = cable.connect([QUARTER, QUARTER]);
    cable.run(4_000);
    cable.ends[0].sent.clear();
    cable.write(qp[0], 10_000);
    cable.run(8_000);
    assert_eq!(cable.completions(), 1);
    cable.assert_spaced(&cable.to(0, qp[1].qpn), 4, LATE);
}

#[test]
fn an_unknown_rate_is_refused() {
    let mut cable = Cable::new(SMALL);
    for rate in [1, 11, 63] {
        let end = &mut cable.ends[0];
        let attributes = QpInitAttributes::new(end.cq, end.cq);
        let qp = end.hca.host().create_qp(&attributes).unwrap();
        let connection = Connection {
            address: AddressVector {
                static_rate: rate,
                ..AddressVector::default()
            },
            ..Connection::default()
        };
        let connection = connection.with_peer(&Port::of(1), qp, false);
        let refused = end.hca.host().connect(qp, &connection);
        assert!(
            matches!(refused, Err(Error::Refused(DriverError::Refused(code))) if code == command::BAD_ATTRIBUTE),
            "{refused:?}"
        );
    }
}
