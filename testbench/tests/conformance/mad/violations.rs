//! CF482: the violation latch and the traps 257 and 258 (`mad.md` sections 6 and 6.1).
use super::*;
use crate::bench::peer::response_packet;
use crate::bench::verbs::DONE;
use crate::bench::{on_both, PEER_QPN, QPN};
use crate::ud::{attributes, packet};
use hca_golden::event::DropReason;
use hca_golden::port::Link;
use hca_golden::verbs::{GlobalRoute, HostEvent, KeyViolation, PortCounter, Service, WrongKey};
use hca_golden::wire::grh::Grh;
use hca_golden::wire::packet::Route;
use hca_golden::wire::roce::{Endpoint, Roce};
use hca_testbench::device::{port_on, Outcome};
use hca_testbench::Side;

mod managed {
    use super::*;

    on_both!(behind super::super::managed();
        cf482_trap_257_tells_of_a_bad_p_key,
        cf482_trap_258_tells_of_a_bad_q_key,
        cf482_the_traps_keep_their_distance,
    );
}

mod latch {
    use super::*;

    on_both!(
        cf482_the_first_violation_stays_until_it_is_released,
        cf482_a_connection_names_no_sender,
        cf482_a_response_violates_as_a_request_does,
        cf482_a_copy_names_the_member,
        cf482_other_drops_are_no_violations,
        cf482_a_port_that_goes_down_keeps_it,
    );
}

mod roce {
    use super::*;

    on_both!(behind super::super::ethernet(); cf482_over_ethernet_nothing_is_latched);
}

fn ethernet() -> PortConfig {
    port_on(Link::Roce, Side::Y)
}

const EVENT: HostEvent = HostEvent::Violation { port: 1 };
/// More than 4.096 us * 2^18.
const GAP: Duration = Duration::from_millis(1100);

/// What the latch holds.
fn latched(y: &mut Bench) -> Option<KeyViolation> {
    y.settle();
    match y.attempt(Verb::QueryViolation) {
        Ok(Outcome::Violation(held)) => held.map(|held| *held),
        other => panic!("{other:?}"),
    }
}

fn release(y: &mut Bench) {
    assert_eq!(y.attempt(Verb::ReleaseViolation), DONE);
}

/// A violation of the peer's datagrams or requests, without GRH.
fn of(key: WrongKey) -> KeyViolation {
    KeyViolation {
        key,
        slid: 1,
        dlid: 2,
        sl: 0,
        source_qpn: PEER_QPN,
        dest_qpn: QPN,
        sgid: [0; 16],
        dgid: [0; 16],
    }
}

/// The packet with this P_Key.
fn with_p_key(p_key: u16, mut packet: Packet) -> Packet {
    packet.bth.p_key = p_key;
    packet
}

fn with_grh(mut packet: Packet, sgid: u128, dgid: u128) -> Packet {
    let grh = Grh {
        hop_lmt: 1,
        sgid: sgid.to_be_bytes(),
        dgid: dgid.to_be_bytes(),
        ..Grh::default()
    };
    packet.route = Route::Global(*packet.lrh().unwrap(), grh);
    packet
}

/// Y with a manager at LID 1; Y's LIDs are 14h to 17h.
fn known(y: &mut Bench) -> Node<'_> {
    let mut node = Node::new(y);
    node.data(&smp(SET, PORT_INFO, 1, &written()));
    node.y.told();
    node
}

/// A MAD for QP1 that comes from LID 33h with SL 5 to LID 15h.
fn mad() -> Packet {
    let mut packet = Node::packet(1, 0x33, 0x15, &[7; 256]);
    packet.lrh_mut().unwrap().sl = 5;
    packet
}

/// Y drops this packet. Its software receives the event of the latch, and its agent reads the latch.
fn violate(node: &mut Node<'_>, packet: Packet) {
    node.y.take(&[packet]);
    node.y.drops();
    assert_eq!(node.y.told(), [EVENT]);
    let mut registers = Registers {
        y: node.y,
        kept: &mut node.kept,
    };
    let Ok(()) = node.agent.take_violation(&mut registers, PORT);
}

fn cf482_trap_257_tells_of_a_bad_p_key(y: &mut Bench) {
    let mut node = known(y);
    violate(&mut node, with_p_key(0x9234, mad()));
    let (slid, dlid, trap) = node.trap().expect("a trap");
    assert_eq!((slid, dlid), (0x14, 1), "to MasterSMLID");
    assert_eq!(trap[..4], [1, 1, 1, 0x05], "Trap of class 01h");
    assert_eq!(trap[16..18], [0x00, 0x02], "Notice");
    assert_eq!(trap[24..32], [0; 8], "M_Key");
    let notice = &trap[DATA..DATA + 64];
    assert_eq!(notice[..8], [0x82, 0, 0, 1, 0x01, 0x01, 0x00, 0x14]);
    assert_eq!(
        notice[12..28],
        [
            0x00, 0x33, 0x00, 0x15, // LIDs
            0x00, 0x00, 0x92, 0x34, // P_Key
            0x50, 0x00, 0x0A, 0x12, // SL and sender
            0, 0, 0, 1, // QP1
        ]
    );
    assert_eq!(notice[28..64], [0; 36], "no GRH");
    assert_eq!(latched(node.y), None);
}

fn cf482_trap_258_tells_of_a_bad_q_key(y: &mut Bench) {
    let mut node = known(y);
    let (sgid, dgid) = (
        0xFE80_0000_0000_0000_0102_0304_0506_0708,
        0xFE80_0000_0000_0000_5555_6666_7777_8881,
    );
    let bad = with_q_key(0x8001_0001, mad());
    violate(&mut node, with_grh(bad, sgid, dgid));
    let (_, dlid, trap) = node.trap().expect("a trap");
    assert_eq!(dlid, 1);
    let notice = &trap[DATA..DATA + 64];
    assert_eq!(notice[..8], [0x82, 0, 0, 1, 0x01, 0x02, 0x00, 0x14]);
    assert_eq!(
        notice[12..20],
        [0x00, 0x33, 0x00, 0x15, 0x80, 0x01, 0x00, 0x01],
        "LIDs and Q_Key"
    );
    assert_eq!(notice[20], 0x50);
    assert_eq!(
        notice[28..44],
        [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    );
    assert_eq!(
        notice[44..60],
        [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, 0x81]
    );
}

/// While a trap waits for its time, a later violation replaces it.
fn cf482_the_traps_keep_their_distance(y: &mut Bench) {
    let mut node = known(y);
    let p_key = |trap: (u16, u16, MadBytes)| trap.2[DATA + 18..DATA + 20].to_vec();
    violate(&mut node, with_p_key(0x9001, mad()));
    assert_eq!(node.trap().map(p_key), Some(vec![0x90, 0x01]));
    for key in [0x9002, 0x9003] {
        violate(&mut node, with_p_key(key, mad()));
        node.now += Duration::from_millis(500);
        assert_eq!(node.trap(), None, "{key:04X}h comes 1.07 s after the first");
    }
    node.now += GAP - Duration::from_secs(1);
    assert_eq!(node.trap().map(p_key), Some(vec![0x90, 0x03]));
}

fn cf482_the_first_violation_stays_until_it_is_released(y: &mut Bench) {
    y.datagrams();
    assert_eq!(latched(y), None);
    let bad_q_key = with_q_key(0x1122_3345, packet(0x64, 7, &[1; 4]));
    let bad_p_key = |p_key| with_p_key(p_key, packet(0x64, 7, &[1; 4]));
    y.take(&[bad_q_key, bad_p_key(0x9001), bad_p_key(0x9002)]);
    y.drops();
    assert_eq!(y.told(), [EVENT], "one, for the one that is latched");
    let first = Some(of(WrongKey::QKey(0x1122_3345)));
    assert_eq!(latched(y), first);
    assert_eq!(latched(y), first, "reading releases nothing");
    for counter in [PortCounter::PKeyViolations, PortCounter::QKeyViolations] {
        assert_eq!(y.attempt(Verb::SetPortCounter { counter, count: 0 }), DONE);
    }
    y.take(&[bad_p_key(0x9003)]);
    assert_eq!(latched(y), first, "nor do the counters");
    release(y);
    assert_eq!(latched(y), None);
    assert_eq!(y.told(), []);
    y.take(&[bad_p_key(0x9004), bad_p_key(0x9005)]);
    y.drops();
    assert_eq!(latched(y), Some(of(WrongKey::PKey(0x9004))));
    assert_eq!(y.told(), [EVENT]);
    assert_eq!(y.port_counter(PortCounter::PKeyViolations), 3);
}

/// RC and UC: the sender's QPN is not in the packet.
fn cf482_a_connection_names_no_sender(y: &mut Bench) {
    y.connect_with(|_| {});
    y.connect_another(QPN + 1, |attributes| {
        attributes.service = Service::Uc;
        (attributes.max_rd_atomic, attributes.max_dest_rd_atomic) = (0, 0);
    });
    for (qpn, opcode) in [(QPN, 0x04), (QPN + 1, 0x24)] {
        let mut bad = with_p_key(0x1234, to(qpn, request(opcode, 100, &[1; 4])));
        bad.lrh_mut().unwrap().sl = 9;
        y.take(&[bad]);
        assert_eq!(y.drops(), [(DropReason::PKey, 1)]);
        let expected = KeyViolation {
            sl: 9,
            source_qpn: 0,
            dest_qpn: qpn,
            ..of(WrongKey::PKey(0x1234))
        };
        assert_eq!(latched(y), Some(expected), "{opcode:02X}h");
        assert_eq!(y.told(), [EVENT]);
        release(y);
    }
}

fn cf482_a_response_violates_as_a_request_does(y: &mut Bench) {
    y.connect_with(|_| {});
    y.post(work(1, SEND, 4));
    y.settle();
    assert_eq!(y.sent().len(), 1);
    y.take(&[with_p_key(0x7FFE, response_packet(2000, 0x1F, 1))]);
    assert_eq!(y.drops(), [(DropReason::PKey, 1)]);
    let expected = KeyViolation {
        source_qpn: 0,
        ..of(WrongKey::PKey(0x7FFE))
    };
    assert_eq!(latched(y), Some(expected));
    assert_eq!(y.told(), [EVENT]);
    // The request behind it counts alone.
    y.take(&[with_p_key(0x7FFD, request(0x04, 100, &[1; 4]))]);
    assert_eq!(latched(y), Some(expected));
    assert_eq!(y.port_counter(PortCounter::PKeyViolations), 2);
    y.drops();
    y.take(&[response_packet(2000, 0x1F, 1)]);
    assert_eq!(y.completions(), [success(1, 0)]);
}

fn cf482_a_copy_names_the_member(y: &mut Bench) {
    const MGID: u128 = 0xFF12_401B_FFFF_0000_0000_0000_0000_0005;
    const MLID: u16 = 0xC005;
    y.datagrams();
    y.create_another(&QpAttributes {
        qpn: QPN + 1,
        q_key: 0x0BAD_0BAD,
        ..attributes()
    });
    y.enter_rts();
    for qpn in [QPN, QPN + 1] {
        y.turn_to(qpn);
        y.post_receive(70, 0, 64);
        let (mgid, mlid) = (MGID.to_be_bytes(), MLID);
        assert_eq!(y.attempt(Verb::Attach { qpn, mgid, mlid }), DONE);
    }
    let mut multicast = to(0xFF_FFFF, packet(0x64, 7, &[1; 4]));
    multicast.lrh_mut().unwrap().dlid = MLID;
    y.take(&[with_grh(multicast, 0xFE80 << 112 | 9, MGID)]);
    assert_eq!(y.drops(), [(DropReason::QKey, 1)]);
    y.turn_to(QPN);
    assert_eq!(y.completions(), [success(70, 44)]);
    let expected = KeyViolation {
        dlid: MLID,
        dest_qpn: QPN + 1,
        sgid: [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9],
        dgid: MGID.to_be_bytes(),
        ..of(WrongKey::QKey(0x1122_3344))
    };
    assert_eq!(latched(y), Some(expected));
    assert_eq!(y.told(), [EVENT]);
}

/// The packet also fails a check that comes before those of the keys, or it passes those of the keys.
fn cf482_other_drops_are_no_violations(y: &mut Bench) {
    y.datagrams();
    let unknown = with_p_key(0x9234, to(QPN + 0x100, packet(0x64, 7, &[1; 4])));
    let other_opcode = with_p_key(0x9234, request(0x04, 100, &[1; 4]));
    let no_wqe = packet(0x64, 7, &[1; 4]);
    y.take(&[unknown, other_opcode, no_wqe]);
    assert_eq!(
        y.drops(),
        [
            (DropReason::Opcode, 1),
            (DropReason::DestQp, 1),
            (DropReason::NoReceiveWqe, 1)
        ]
    );
    assert_eq!(latched(y), None);
    assert_eq!(y.told(), []);
}

fn cf482_a_port_that_goes_down_keeps_it(y: &mut Bench) {
    use hca_golden::port::PortState::{Active, Armed, Down};
    y.datagrams();
    y.take(&[with_p_key(0x9001, packet(0x64, 7, &[1; 4]))]);
    y.drops();
    y.set_port_state(&[Down, Armed, Active]);
    assert_eq!(y.told()[0], EVENT);
    assert_eq!(latched(y), Some(of(WrongKey::PKey(0x9001))));
    y.take(&[with_p_key(0x9002, packet(0x64, 7, &[1; 4]))]);
    assert_eq!(latched(y), Some(of(WrongKey::PKey(0x9001))));
}

fn cf482_over_ethernet_nothing_is_latched(y: &mut Bench) {
    let peer = port_on(Link::Roce, Side::X);
    let end = |mac, gid| Endpoint { mac, gid };
    y.create(&attributes());
    y.address(
        HANDLE,
        AddressHandle {
            global: Some(GlobalRoute {
                dgid: peer.gid,
                flow_label: 0,
                traffic_class: 0,
                hop_limit: 1,
            }),
            dest_mac: Some(peer.mac),
            ..crate::ud::peer()
        },
    );
    y.enter_rts();
    let own = ethernet();
    let mut bad = with_p_key(0x9234, packet(0x64, 7, &[1; 4]));
    bad.route = Route::Roce(Roce::between(
        end(peer.mac, peer.gid),
        end(own.mac, own.gid),
        0xC123,
    ));
    y.take(&[bad]);
    assert_eq!(y.drops(), [(DropReason::PKey, 1)]);
    assert_eq!(y.port_counter(PortCounter::PKeyViolations), 1);
    assert_eq!(latched(y), None);
    assert_eq!(y.told(), []);
}
