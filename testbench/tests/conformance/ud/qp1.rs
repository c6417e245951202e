//! CF052, CF228, CF418, CF419, CF424 to CF426, CF428, as far as QP1 goes: general services (`special_qps.md`).
use super::{attributes, flushed, peer, success, with_q_key, HANDLE, VIOLATION};
use crate::bench::peer::to;
use crate::bench::requester::{source_byte, IMMEDIATE, SEND};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, port, request, Bench, PEER_QPN, UNTOUCHED};
use hca_golden::event::DropReason;
use hca_golden::modification::{Attribute, QpChanges};
use hca_golden::port::{Link, PortConfig};
use hca_golden::verbs::{
    AddressHandle, Datagram, DatagramSource, GlobalRoute, QpAttributes, QpState, SendOperation, SendRequest,
    Service, Status,
};
use hca_golden::wire::frame::Frame;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::roce::{Endpoint, Roce};
use hca_testbench::capture::Capture;
use hca_testbench::device::{port_on, Reason, Verb};
use hca_testbench::scenario::connection::{RECEIVE_CQ, SEND_CQ};
use hca_testbench::Side;
use std::fs::File;
use std::net::Ipv4Addr;
use std::path::Path;

mod native {
    use super::*;

    on_both!(behind super::super::four_p_keys();
        cf052_cf425_the_lowest_p_key_that_matches_is_named,
        cf052_cf425_any_other_p_key_is_dropped,
        cf228_the_q_key_is_that_of_general_services,
        cf418_a_message_that_is_not_of_256_bytes_ends_in_sqe,
        cf418_a_send_with_immediate_ends_in_sqe,
        cf419_the_request_names_the_p_key,
        cf419_cf426_what_cannot_be_sent_ends_in_sqe,
        cf424_other_lengths_are_dropped,
        cf424_only_a_send_without_immediate_arrives,
        cf426_the_permissive_lid_is_dropped,
        its_transitions_take_no_port,
        it_takes_the_cqs_of_no_other,
        it_and_qp0_are_of_ud,
    );
}

mod roce {
    use super::*;

    on_both!(behind super::super::roce_port(); cf428_general_services_alone);
}

mod soft_roce {
    use super::*;

    on_both!(behind super::super::answering_port(); cf428_the_mads_of_linux_arrive);
}

/// QP1 takes this key, whatever its own is.
const MANAGEMENT_KEY: u32 = 0x8001_0000;
/// A datagram of 256 bytes with the area before it.
const ROOM: u32 = 296;

fn four_p_keys() -> PortConfig {
    PortConfig {
        p_keys: [0x9234, 0x1235, 0x1234, 0x9234],
        ..port()
    }
}

fn roce_port() -> PortConfig {
    port_on(Link::Roce, Side::Y)
}

/// The port that the MADs of `testbench/captures/ud_cm.pcap` are for.
fn answering_port() -> PortConfig {
    PortConfig {
        mac: [2, 0, 0, 0, 0, 1],
        gid: Ipv4Addr::new(10, 0, 0, 1).to_ipv6_mapped().octets(),
        ..roce_port()
    }
}

fn qp1() -> QpAttributes {
    QpAttributes {
        qpn: 1,
        ..attributes()
    }
}

/// Y's QP1 in RTS, with so many receive WQEs.
fn connect(y: &mut Bench, address: AddressHandle, receives: u64) {
    y.create(&qp1());
    y.address(HANDLE, address);
    y.enter_rts();
    for n in 0..receives {
        y.post_receive(70 + n, 320 * n, ROOM);
    }
}

/// A MAD of the peer for QP1, of the P_Key 9234h.
fn mad(opcode: u8, payload: &[u8]) -> Packet {
    let mut packet = with_q_key(MANAGEMENT_KEY, to(1, request(opcode, 7, payload)));
    packet.bth.p_key = 0x9234;
    packet
}

/// A message for the QP1 of the peer.
fn message(wr_id: u64, operation: SendOperation, length: u32) -> SendRequest {
    SendRequest {
        datagram: Some(Datagram {
            handle: HANDLE,
            dest_qpn: 1,
            q_key: MANAGEMENT_KEY,
            p_key_index: 3,
        }),
        ..super::datagram(wr_id, operation, length)
    }
}

/// Full and limited members; a P_Key that is there twice; a limited entry meets full members alone.
fn cf052_cf425_the_lowest_p_key_that_matches_is_named(y: &mut Bench) {
    connect(y, peer(), 0);
    for (wr_id, (p_key, index)) in (1..).zip([(0x9234, 0), (0x1234, 0), (0x9235, 1)]) {
        y.post_receive(wr_id, 0, ROOM);
        let mut sent = mad(0x64, &[7; 256]);
        sent.bth.p_key = p_key;
        y.take(&[sent]);
        assert_eq!(y.p_key_indices(), [(wr_id, Some(index))], "{p_key:04X}h");
    }
    assert_eq!(
        y.buffer(0, 300),
        [vec![UNTOUCHED; 40], vec![7; 256], vec![UNTOUCHED; 4]].concat()
    );
    assert_eq!(y.drops(), []);
}

fn cf052_cf425_any_other_p_key_is_dropped(y: &mut Bench) {
    connect(y, peer(), 1);
    for p_key in [0x1235, 0xFFFF, 0x9236, 0x8000, 0x0000] {
        let mut sent = mad(0x64, &[7; 256]);
        sent.bth.p_key = p_key;
        // Before the Q_Key (step 10 and 11).
        y.take(&[with_q_key(1, sent)]);
        assert_eq!(y.drops(), [(DropReason::PKey, 1)], "{p_key:04X}h");
    }
    assert_eq!((y.taken(), y.told()), (vec![], vec![VIOLATION]));
}

/// That of the QP is 11223344h.
fn cf228_the_q_key_is_that_of_general_services(y: &mut Bench) {
    connect(y, peer(), 1);
    for q_key in [0x1122_3344, 0x0001_0000, 0x8001_0001, 0] {
        y.take(&[with_q_key(q_key, mad(0x64, &[7; 256]))]);
        assert_eq!(y.drops(), [(DropReason::QKey, 1)], "{q_key:08X}h");
    }
    y.take(&[mad(0x64, &[7; 256])]);
    let completions = y.taken();
    let completed: Vec<_> = completions
        .iter()
        .map(|c| (c.wr_id, c.byte_count, c.datagram))
        .collect();
    let source = DatagramSource {
        qpn: PEER_QPN,
        slid: 1,
        lid: 2,
        ..DatagramSource::default()
    };
    assert_eq!(completed, [(70, 296, Some(source))]);
    // With bit 31 of the request's, it is the same; without it, the request's own.
    for (q_key, sent) in [(0xFFFF_FFFF, MANAGEMENT_KEY), (0x1234, 0x1234)] {
        let mut request = message(1, SEND, 256);
        request.datagram.as_mut().unwrap().q_key = q_key;
        y.post(request);
        let keys: Vec<_> = y
            .sent()
            .iter()
            .map(|p| (p.deth().unwrap().q_key, p.deth().unwrap().src_qp))
            .collect();
        assert_eq!(keys, [(sent, 1)]);
        assert_eq!(y.completions(), [success(1, 0)]);
    }
}

/// Not even one that is longer than the MTU is discarded with success.
fn cf418_a_message_that_is_not_of_256_bytes_ends_in_sqe(y: &mut Bench) {
    connect(y, peer(), 0);
    for length in [0, 255, 257, 4097] {
        y.post(message(1, SEND, length));
        y.post(message(2, SEND, 256));
        assert_eq!(y.sent_rows(), [], "{length}");
        assert_eq!(
            y.completions(),
            [(1, Status::LocLenErr, 0), flushed(2)],
            "{length}"
        );
        assert_eq!(y.query().0, QpState::Sqe, "{length}");
        y.modify(QpState::Rts);
    }
}

fn cf418_a_send_with_immediate_ends_in_sqe(y: &mut Bench) {
    connect(y, peer(), 0);
    y.post(message(
        1,
        SendOperation::SendWithImmediate { immediate: IMMEDIATE },
        256,
    ));
    assert_eq!(y.sent_rows(), []);
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0)]);
    assert_eq!(y.query().0, QpState::Sqe);
}

/// 72 words; the P_Key is not that of the QP's own entry.
fn cf419_the_request_names_the_p_key(y: &mut Bench) {
    connect(y, peer(), 0);
    for (p_key_index, p_key) in [(0, 0x9234), (1, 0x1235), (2, 0x1234), (3, 0x9234)] {
        let mut request = message(1, SEND, 256);
        request.datagram.as_mut().unwrap().p_key_index = p_key_index;
        y.post(request);
        let sent = y.sent();
        assert_eq!(sent.len(), 1);
        assert_eq!(sent[0].lrh().unwrap().pkt_len, 72);
        assert_eq!((sent[0].bth.opcode, sent[0].bth.p_key), (0x64, p_key));
        let expected: Vec<u8> = (0..256).map(source_byte).collect();
        assert_eq!(sent[0].payload, expected);
        assert_eq!(y.completions(), [success(1, 0)]);
    }
}

/// An entry that the table has not, and the permissive LID.
fn cf419_cf426_what_cannot_be_sent_ends_in_sqe(y: &mut Bench) {
    connect(y, peer(), 0);
    y.address(
        HANDLE + 1,
        AddressHandle {
            dlid: 0xFFFF,
            ..peer()
        },
    );
    for (handle, p_key_index) in [(HANDLE, 4), (HANDLE, 0xFFFF), (HANDLE + 1, 0)] {
        let mut request = message(1, SEND, 256);
        let datagram = request.datagram.as_mut().unwrap();
        (datagram.handle, datagram.p_key_index) = (handle, p_key_index);
        y.post(request);
        assert_eq!(y.sent_rows(), []);
        assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0)]);
        assert_eq!(y.query().0, QpState::Sqe);
        y.modify(QpState::Rts);
    }
}

fn cf424_other_lengths_are_dropped(y: &mut Bench) {
    connect(y, peer(), 1);
    for length in [0, 252, 255, 257, 260] {
        y.take(&[mad(0x64, &vec![7; length])]);
        assert_eq!(y.drops(), [(DropReason::PayloadLength, 1)], "{length}");
    }
    y.take(&[mad(0x64, &[7; 256])]);
    assert_eq!(y.p_key_indices(), [(70, Some(0))]);
}

fn cf424_only_a_send_without_immediate_arrives(y: &mut Bench) {
    connect(y, peer(), 1);
    for opcode in [0x65, 0x04, 0x24] {
        y.take(&[mad(opcode, &[7; 256])]);
        assert_eq!(y.drops(), [(DropReason::Opcode, 1)], "{opcode:02X}h");
    }
}

/// Before it is looked up whether there is a QP1 (step 4 and 6).
fn cf426_the_permissive_lid_is_dropped(y: &mut Bench) {
    let mut early = mad(0x64, &[7; 256]);
    early.lrh_mut().unwrap().slid = 0xFFFF;
    y.take(&[early]);
    assert_eq!(y.drops(), [(DropReason::Dlid, 1)]);
    connect(y, peer(), 1);
    for (slid, dlid) in [(0xFFFF, 2), (1, 0xFFFF)] {
        let mut sent = mad(0x64, &[7; 256]);
        let lrh = sent.lrh_mut().unwrap();
        (lrh.slid, lrh.dlid) = (slid, dlid);
        y.take(&[sent]);
        assert_eq!(y.drops(), [(DropReason::Dlid, 1)]);
    }
}

/// The port is part of its name (`special_qps.md` section 5).
fn its_transitions_take_no_port(y: &mut Bench) {
    y.create(&qp1());
    let of = |given: &[Attribute]| QpChanges::of(&qp1(), given.iter().copied().collect());
    use Attribute::{PKeyIndex, Port, QKey, SqPsn};
    let with_port = y.attempt_set(QpState::Init, &of(&[PKeyIndex, Port, QKey]));
    assert_eq!(with_port, Err(Reason::ForbiddenAttribute));
    for (state, given) in [
        (QpState::Init, &[PKeyIndex, QKey][..]),
        (QpState::Rtr, &[]),
        (QpState::Rts, &[SqPsn, QKey]),
    ] {
        assert_eq!(y.attempt_set(state, &of(given)), DONE, "{state:?}");
    }
}

fn it_takes_the_cqs_of_no_other(y: &mut Bench) {
    y.create(&attributes());
    let attributes = qp1();
    let reason = y.refusal_of(Verb::CreateQp {
        attributes: attributes.clone(),
        send_entries: 16,
        receive_entries: 16,
    });
    assert_eq!(reason, Reason::CqReserved);
    assert_eq!((attributes.send_cq, attributes.receive_cq), (SEND_CQ, RECEIVE_CQ));
}

/// REQ, RTU and DREQ of a connection manager, as Linux's soft-RoCE sends them.
fn cf428_the_mads_of_linux_arrive(y: &mut Bench) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("captures/ud_cm.pcap");
    let records = Capture::new(File::open(file).unwrap()).unwrap();
    let frames: Vec<Vec<u8>> = records.map(|record| record.unwrap().bytes).collect();
    let packets = frames
        .iter()
        .map(|frame| Frame::decode(Link::Roce, frame).unwrap().packet().unwrap());
    let packets: Vec<Packet> = packets.collect();
    let attributes: Vec<u8> = packets.iter().map(|packet| packet.payload[17]).collect();
    assert_eq!(attributes, [0x10, 0x14, 0x15]);
    y.create(&qp1());
    y.enter_rts();
    for (n, packet) in (0..).zip(&packets) {
        y.post_receive(n, 320 * n, ROOM);
        y.take(std::slice::from_ref(packet));
        assert_eq!(y.p_key_indices(), [(n, Some(0))]);
        let placed = y.buffer(320 * n, 296);
        assert_eq!(placed[20..40], frames[n as usize][14..34], "the IPv4 header");
        assert_eq!(placed[40..], packet.payload);
    }
    assert_eq!(y.drops(), []);
}

/// `special_qps.md` section 1.
fn it_and_qp0_are_of_ud(y: &mut Bench) {
    y.create(&qp1());
    assert_eq!(y.attempt(Verb::DestroyQp { qpn: 1 }), DONE);
    let create = |qpn, service| Verb::CreateQp {
        attributes: QpAttributes {
            qpn,
            service,
            ..attributes()
        },
        send_entries: 16,
        receive_entries: 16,
    };
    for qpn in [0, 1] {
        for service in [Service::Rc, Service::Uc] {
            assert_eq!(y.refusal_of(create(qpn, service)), Reason::BadSize, "{service:?}");
        }
        assert_eq!(y.attempt(create(qpn, Service::Ud)), DONE);
    }
}

/// A RoCE port has no QP0: a packet for it finds none.
fn cf428_general_services_alone(y: &mut Bench) {
    let peers = port_on(Link::Roce, Side::X);
    let address = AddressHandle {
        port: 1,
        global: Some(GlobalRoute {
            dgid: peers.gid,
            flow_label: 0,
            traffic_class: 0,
            hop_limit: 64,
        }),
        dest_mac: Some(peers.mac),
        ..AddressHandle::default()
    };
    connect(y, address, 1);
    let reason = y.refusal_of(Verb::CreateQp {
        attributes: QpAttributes {
            qpn: 0,
            ..attributes()
        },
        send_entries: 16,
        receive_entries: 16,
    });
    assert_eq!(reason, Reason::BadSize);
    let over_ip = |mut packet: Packet| {
        let end = |port: PortConfig| Endpoint {
            mac: port.mac,
            gid: port.gid,
        };
        packet.bth.p_key = 0xFFFF;
        packet.route = Route::Roce(Roce::between(end(peers), end(roce_port()), 0xC000));
        packet
    };
    y.take(&[over_ip(to(0, mad(0x64, &[7; 256])))]);
    assert_eq!(y.drops(), [(DropReason::DestQp, 1)]);
    y.take(&[over_ip(with_q_key(0x1122_3344, mad(0x64, &[7; 256])))]);
    assert_eq!(y.drops(), [(DropReason::QKey, 1)]);
    y.take(&[over_ip(mad(0x64, &[7; 256]))]);
    assert_eq!(y.p_key_indices(), [(70, Some(0))]);
    let mut request = message(1, SEND, 256);
    request.datagram.as_mut().unwrap().p_key_index = 0;
    y.post(request);
    let sent = y.packets_after();
    // Ethernet, IPv4 and UDP, BTH and DETH, MAD and ICRC.
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].len(), 42 + 20 + 256 + 4);
    assert_eq!(sent[0][54..62], [0x80, 0x01, 0, 0, 0, 0, 0, 1]);
    assert_eq!(y.completions(), [success(1, 0)]);
}
