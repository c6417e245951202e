//! CF267: the GID table of the port (`link.md` section 2).
use crate::bench::peer::acknowledge;
use crate::bench::requester::{all_rights, work, SEND};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, port, request, Bench};
use crate::ud::{attributes as datagram_attributes, peer, send, success, HANDLE};
use hca_golden::event::DropReason;
use hca_golden::hca::changes_to;
use hca_golden::port::PortConfig;
use hca_golden::verbs::{AddressHandle, GlobalRoute, QpAttributes, QpState, Service, Status};
use hca_golden::wire::grh::Grh;
use hca_golden::wire::packet::{Packet, Route};
use hca_testbench::device::{Outcome, Reason, Verb};

on_both!(behind super::of_four_gids();
    cf267_requests_have_the_gid_of_their_index,
    cf267_answers_have_the_gid_of_the_index,
    cf267_datagrams_have_the_gid_of_their_handles_index,
    cf267_an_unreliable_connection_has_the_gid_of_its_index,
    packets_come_to_each_gid_of_the_table,
    packets_to_an_empty_entry_are_dropped,
    a_table_that_changes_counts_for_the_next_packet,
    an_index_beyond_the_table_is_refused,
    an_index_without_a_grh_does_not_count,
);

/// fe80::2:c903:0:2, and the other GUIDs of the table, the second of which is empty.
const GID: u128 = 0xFE80_0000_0000_0000_0002_C903_0000_0002;
const GUIDS: [u64; 3] = [0x0002_C903_0000_0102, 0, 0x8000_0000_0000_0001];
/// The whole table.
const TABLE: [u128; 4] = [
    GID,
    0xFE80_0000_0000_0000_0002_C903_0000_0102,
    0xFE80_0000_0000_0000_0000_0000_0000_0000,
    0xFE80_0000_0000_0000_8000_0000_0000_0001,
];
const PEER_GID: u128 = 0x2001_0DB8_0000_0000_0000_0000_0000_0007;
const TO_PEER: GlobalRoute = GlobalRoute {
    dgid: PEER_GID.to_be_bytes(),
    flow_label: 0x11111,
    traffic_class: 0x22,
    hop_limit: 0x33,
};

pub fn of_four_gids() -> PortConfig {
    PortConfig {
        gid: GID.to_be_bytes(),
        guids: GUIDS,
        ..port()
    }
}

/// Gives a QP this SGID index.
fn from_entry(index: u8) -> impl Fn(&mut QpAttributes) {
    move |a| {
        a.global = Some(TO_PEER);
        a.sgid_index = index;
    }
}

/// The peer's packet with a GRH to this GID.
fn to_gid(dgid: u128, mut packet: Packet) -> Packet {
    let grh = Grh {
        ipver: 6,
        nxt_hdr: 0x1B,
        hop_lmt: 3,
        sgid: PEER_GID.to_be_bytes(),
        dgid: dgid.to_be_bytes(),
        ..Grh::default()
    };
    packet.route = Route::Global(*packet.lrh().unwrap(), grh);
    packet
}

/// SGIDs of what goes out.
fn sources(y: &mut Bench) -> Vec<u128> {
    let source = |packet: &Packet| u128::from_be_bytes(packet.grh().unwrap().sgid);
    y.sent().iter().map(source).collect()
}

fn cf267_requests_have_the_gid_of_their_index(y: &mut Bench) {
    for (index, gid) in (0..).zip(TABLE) {
        y.renew(from_entry(index));
        y.post(work(1, SEND, 4));
        assert_eq!(sources(y), [gid], "entry {index}");
        let ack = to_gid(TABLE[0], acknowledge(all_rights().sq_psn, 0x1F));
        y.receive(&[ack.encode().unwrap()]);
        assert_eq!(y.completions(), [success(1, 0)], "entry {index}");
    }
}

fn cf267_answers_have_the_gid_of_the_index(y: &mut Bench) {
    for (index, gid) in (0..).zip(TABLE) {
        y.responder_with(1, from_entry(index));
        y.receive(&[to_gid(GID, request(0x04, 100, &[1; 4])).encode().unwrap()]);
        assert_eq!(sources(y), [gid], "entry {index}");
        assert_eq!(y.completions(), [(70, Status::Success, 4)]);
    }
}

fn cf267_datagrams_have_the_gid_of_their_handles_index(y: &mut Bench) {
    y.create(&datagram_attributes());
    y.enter_rts();
    for (index, gid) in (0..).zip(TABLE) {
        let handle = HANDLE + u32::from(index);
        let attributes = AddressHandle {
            global: Some(TO_PEER),
            sgid_index: index,
            ..peer()
        };
        assert_eq!(y.attempt(Verb::CreateAh { handle, attributes }), DONE);
        assert_eq!(y.attempt(Verb::QueryAh { handle }), Ok(Outcome::Ah(attributes)));
        let mut request = send(1, 4);
        request.datagram.as_mut().unwrap().handle = handle;
        y.post(request);
        assert_eq!(sources(y), [gid], "entry {index}");
        assert_eq!(y.completions(), [success(1, 0)]);
    }
    let beyond = AddressHandle {
        global: Some(TO_PEER),
        sgid_index: 4,
        ..peer()
    };
    let create = Verb::CreateAh {
        handle: 0,
        attributes: beyond,
    };
    assert_eq!(y.attempt(create), Err(Reason::BadAttribute));
}

fn cf267_an_unreliable_connection_has_the_gid_of_its_index(y: &mut Bench) {
    y.create(&QpAttributes {
        service: Service::Uc,
        max_rd_atomic: 0,
        max_dest_rd_atomic: 0,
        global: Some(TO_PEER),
        sgid_index: 3,
        ..all_rights()
    });
    y.enter_rts();
    y.post(work(1, SEND, 4));
    assert_eq!(sources(y), [TABLE[3]]);
    assert_eq!(y.completions(), [success(1, 0)]);
    assert_eq!(y.query().1.address.unwrap().sgid_index, 3);
}

fn packets_come_to_each_gid_of_the_table(y: &mut Bench) {
    y.responder_with(3, from_entry(0));
    for (psn, gid) in (100..).zip([TABLE[0], TABLE[1], TABLE[3]]) {
        y.receive(&[to_gid(gid, request(0x04, psn, &[1; 4])).encode().unwrap()]);
        assert_eq!(sources(y), [TABLE[0]], "{gid:032X}h");
    }
    let taken = [70, 71, 72].map(|wr_id| (wr_id, Status::Success, 4));
    assert_eq!((y.completions(), y.drops()), (taken.to_vec(), vec![]));
}

fn packets_to_an_empty_entry_are_dropped(y: &mut Bench) {
    y.responder_with(1, from_entry(0));
    // Entry 2, and GUIDs of the table that differ in one bit of prefix or GUID.
    let foreign = [
        TABLE[2],
        TABLE[1] ^ 1 << 64,
        TABLE[3] ^ 1 << 31,
        TABLE[0] ^ 1 << 127,
    ];
    for gid in foreign {
        y.receive(&[to_gid(gid, request(0x04, 100, &[1; 4])).encode().unwrap()]);
        assert_eq!(y.drops(), [(DropReason::Dgid, 1)], "{gid:032X}h");
    }
    assert_eq!((sources(y), y.completions()), (vec![], vec![]));
}

/// Entry 3 gets the GUID of entry 1, and all entries another prefix.
fn a_table_that_changes_counts_for_the_next_packet(y: &mut Bench) {
    y.responder_with(2, from_entry(3));
    let arrives =
        |y: &mut Bench, gid, psn| y.receive(&[to_gid(gid, request(0x04, psn, &[1; 4])).encode().unwrap()]);
    arrives(y, TABLE[3], 100);
    assert_eq!(sources(y), [TABLE[3]]);
    let other = GID ^ 1 << 70;
    let set = Verb::SetGids {
        gid: other.to_be_bytes(),
        guids: [0, 0, GUIDS[0]],
    };
    assert_eq!(y.attempt(set), DONE);
    for gid in [TABLE[3], TABLE[1], GID] {
        arrives(y, gid, 101);
        assert_eq!(y.drops(), [(DropReason::Dgid, 1)], "{gid:032X}h");
    }
    let now = TABLE[1] ^ 1 << 70;
    arrives(y, now, 101);
    assert_eq!(sources(y), [now]);
    assert_eq!(y.completions(), [success(70, 4), success(71, 4)]);
}

fn an_index_beyond_the_table_is_refused(y: &mut Bench) {
    y.create(&all_rights());
    assert_eq!(y.attempt_move(QpState::Init), DONE);
    let before = y.query();
    for index in [4, 5, 8, 16, 32, 64, 128, 255] {
        let mut attributes = all_rights();
        from_entry(index)(&mut attributes);
        let changes = changes_to(&attributes, QpState::Init, QpState::Rtr, 1);
        let refused = y.attempt_set(QpState::Rtr, &changes);
        assert_eq!(refused, Err(Reason::BadAttribute), "index {index}");
        assert_eq!(y.query(), before, "nothing changed");
    }
}

fn an_index_without_a_grh_does_not_count(y: &mut Bench) {
    y.connect_with(|a| a.sgid_index = 255);
    assert_eq!(y.query().1.address.unwrap().sgid_index, 255);
    y.post(work(1, SEND, 4));
    assert_eq!(y.sent().len(), 1);
}
