//! Packets of UC and UD that Linux's soft-RoCE sent (`testbench/captures/`) arrive at Y.
use crate::bench::requester::all_rights;
use crate::bench::verbs::DONE;
use crate::bench::{on_both, Bench, BUFFER};
use hca_golden::port::{Link, PortConfig};
use hca_golden::verbs::{
    DatagramSource, EthernetRoute, GlobalRoute, MemoryRegion, Pmtu, QpAttributes, RemoteAccess, Service,
    Status,
};
use hca_golden::wire::frame::Frame;
use hca_golden::wire::packet::Packet;
use hca_testbench::capture::Capture;
use hca_testbench::device::Verb;
use hca_testbench::scenario::region::all_memory;
use std::fs::File;
use std::net::Ipv4Addr;
use std::path::Path;

on_both!(behind super::linux_port();
    sends_of_uc_arrive_whole,
    writes_of_uc_arrive_whole,
    datagrams_arrive_with_their_senders_address,
    datagrams_for_a_group_reach_both_members,
);

/// The two hosts; Y stands in for the first.
const MACS: [[u8; 6]; 2] = [[0x52, 0x54, 0, 0, 0, 1], [0x52, 0x54, 0, 0, 0, 2]];
const HOSTS: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 77, 0, 1), Ipv4Addr::new(10, 77, 0, 2)];
/// Y's QPs, by their captures.
const SENDS: u32 = 0x12;
const WRITES: u32 = 0x14;
const DATAGRAMS: u32 = 0x13;
/// Q_Keys of `ibv_ud_pingpong` and of groups that `rdma_cm` makes.
const PINGPONG_KEY: u32 = 0x1111_1111;
const GROUP_KEY: u32 = 0x0123_4567;
const GROUP: Ipv4Addr = Ipv4Addr::new(239, 1, 2, 3);
/// Bytes from one receive buffer to the next.
const STRIDE: u64 = 4096;

fn linux_port() -> PortConfig {
    PortConfig {
        link: Link::Roce,
        mac: MACS[0],
        gid: HOSTS[0].to_ipv6_mapped().octets(),
        ..PortConfig::default()
    }
}

/// Frames of a capture that the second host sent, and the packets in them.
fn arriving(name: &str) -> Vec<(Vec<u8>, Packet)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("captures").join(name);
    Capture::new(File::open(file).unwrap())
        .unwrap()
        .map(|record| record.unwrap().bytes)
        .filter(|frame| frame[6..12] == MACS[1])
        .map(|frame| {
            let packet = Frame::decode(Link::Roce, &frame).unwrap().packet().unwrap();
            (frame, packet)
        })
        .collect()
}

/// A connection of UC to the second host, or a QP of datagrams.
fn attributes(qpn: u32, service: Service) -> QpAttributes {
    QpAttributes {
        qpn,
        dest_qpn: qpn,
        service,
        pmtu: Pmtu::B1024,
        dlid: 0,
        global: Some(GlobalRoute {
            dgid: HOSTS[1].to_ipv6_mapped().octets(),
            flow_label: 0,
            traffic_class: 0,
            hop_limit: 64,
        }),
        ethernet: Some(EthernetRoute {
            dest_mac: MACS[1],
            source_port: 0xDF94,
        }),
        access: RemoteAccess {
            write: service == Service::Uc,
            ..RemoteAccess::default()
        },
        max_rd_atomic: 0,
        max_dest_rd_atomic: 0,
        ..all_rights()
    }
}

/// Payloads of messages of three packets.
fn messages(packets: &[(Vec<u8>, Packet)]) -> Vec<Vec<u8>> {
    let payload = |(_, packet): &(Vec<u8>, Packet)| packet.payload.clone();
    packets
        .chunks(3)
        .map(|message| message.iter().flat_map(payload).collect())
        .collect()
}

fn frames(packets: &[(Vec<u8>, Packet)]) -> Vec<Vec<u8>> {
    packets.iter().map(|(frame, _)| frame.clone()).collect()
}

fn sends_of_uc_arrive_whole(y: &mut Bench) {
    let packets = arriving("uc_send.pcap");
    let messages = messages(&packets);
    assert_eq!(messages.iter().map(Vec::len).collect::<Vec<_>>(), [2600; 3]);
    y.create(&attributes(SENDS, Service::Uc));
    y.enter_rts();
    for n in 0..3 {
        y.post_receive(n, STRIDE * n, 2600);
    }
    y.receive(&frames(&packets));
    assert_eq!(y.completions(), [0, 1, 2].map(|n| (n, Status::Success, 2600)));
    for (n, message) in (0..).zip(messages) {
        assert_eq!(y.buffer(STRIDE * n, 2600), message);
    }
    assert_eq!(y.drops(), []);
}

fn writes_of_uc_arrive_whole(y: &mut Bench) {
    let packets = arriving("uc_write.pcap");
    let messages = messages(&packets);
    assert_eq!(messages.iter().map(Vec::len).collect::<Vec<_>>(), [2500; 5]);
    let reth = packets[0].1.reth().unwrap();
    y.create(&attributes(WRITES, Service::Uc));
    let region = MemoryRegion {
        l_key: reth.r_key ^ 1,
        r_key: reth.r_key,
        base: reth.va,
        length: 2500,
        ..all_memory()
    };
    assert_eq!(y.attempt(Verb::RegMr { region }), DONE);
    y.enter_rts();
    for (packets, message) in packets.chunks(3).zip(messages) {
        y.receive(&frames(packets));
        assert_eq!(y.buffer(reth.va - BUFFER, 2500), message);
    }
    assert_eq!((y.completions(), y.drops()), (vec![], vec![]));
}

fn datagrams_arrive_with_their_senders_address(y: &mut Bench) {
    let packets = arriving("ud_send.pcap");
    y.create(&QpAttributes {
        q_key: PINGPONG_KEY,
        ..attributes(DATAGRAMS, Service::Ud)
    });
    y.enter_rts();
    for (n, (frame, packet)) in (0..).zip(&packets) {
        y.post_receive(n, STRIDE * n, 740);
        y.receive(std::slice::from_ref(frame));
        let source = DatagramSource {
            qpn: DATAGRAMS,
            grh: true,
            source_mac: Some(MACS[1]),
            ..DatagramSource::default()
        };
        let taken: Vec<_> = y.taken().iter().map(|c| (c.byte_count, c.datagram)).collect();
        assert_eq!(taken, [(740, Some(source))]);
        let placed = y.buffer(STRIDE * n, 740);
        assert_eq!(placed[20..40], frame[14..34], "the IPv4 header");
        assert_eq!(placed[40..], packet.payload);
    }
    assert_eq!((packets.len(), y.drops()), (3, vec![]));
}

fn datagrams_for_a_group_reach_both_members(y: &mut Bench) {
    let packets = arriving("ud_multicast.pcap");
    let member = |qpn| QpAttributes {
        q_key: GROUP_KEY,
        ..attributes(qpn, Service::Ud)
    };
    y.create(&member(DATAGRAMS));
    y.enter_rts();
    y.create_another(&member(SENDS));
    y.enter_rts();
    for (at, qpn) in (0..).zip([DATAGRAMS, SENDS]) {
        let mgid = GROUP.to_ipv6_mapped().octets();
        assert_eq!(y.attempt(Verb::Attach { qpn, mgid, mlid: 0 }), DONE);
        y.turn_to(qpn);
        for n in 0..4 {
            y.post_receive(n, STRIDE * (4 * at + n), 340);
        }
    }
    y.receive(&frames(&packets));
    for (at, qpn) in (0..).zip([DATAGRAMS, SENDS]) {
        y.turn_to(qpn);
        let taken: Vec<_> = y
            .taken()
            .iter()
            .map(|c| (c.wr_id, c.byte_count, c.immediate))
            .collect();
        assert_eq!(taken, [0, 1, 2, 3].map(|n| (n, 340, Some([0, 0, 0, 0x11]))));
        for (n, (_, packet)) in (0..).zip(&packets) {
            let placed = y.buffer(STRIDE * (4 * at + n), 340);
            assert_eq!(placed[40..], packet.payload);
        }
    }
    assert_eq!((packets.len(), y.drops()), (4, vec![]));
}
