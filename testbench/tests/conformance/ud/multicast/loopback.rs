//! CF229, CF357 to CF359: copies of what the port itself sends (`ud.md` section 4.3).
use super::{attach, detach, each, members, multicast, one, to_the_group, MGID, MLID, SECOND, THIRD};
use crate::bench::requester::SEND;
use crate::bench::verbs::DONE;
use crate::bench::{on_both, Bench, QPN};
use crate::ud::{datagram, peer, success, HANDLE};
use hca_golden::event::DropReason;
use hca_golden::port::PortState;
use hca_golden::verbs::{AddressHandle, GlobalRoute, SendRequest, Status};

on_both!(behind super::super::eight_lids();
    cf358_the_packet_of_the_port_itself_is_dropped,
    cf229_cf357_the_other_members_get_one_copy_of_what_is_sent,
    cf229_two_send_while_one_leaves,
    cf229_what_does_not_leave_has_no_copy,
    cf359_a_port_that_is_not_active_makes_no_copy,
);

/// The address of the group, for Y.
fn group_address(path_bits: u8) -> AddressHandle {
    AddressHandle {
        dlid: MLID,
        source_path_bits: path_bits,
        global: Some(GlobalRoute {
            dgid: MGID,
            flow_label: 0,
            traffic_class: 0,
            hop_limit: 1,
        }),
        ..peer()
    }
}

/// To the group of [`HANDLE`] + 1, of so many bytes.
fn datagram_to_the_group(length: u32) -> SendRequest {
    SendRequest {
        datagram: to_the_group(9, HANDLE + 1).datagram,
        ..datagram(9, SEND, length)
    }
}

/// From any of its LIDs: the fabric has sent it back.
fn cf358_the_packet_of_the_port_itself_is_dropped(y: &mut Bench) {
    members(y);
    for slid in [0x28, 0x2F] {
        let mut own = multicast(0, &[7; 4]);
        own.lrh_mut().unwrap().slid = slid;
        y.take(&[own]);
        assert_eq!(y.drops(), [(DropReason::SelfMulticast, 1)], "{slid:04X}h");
    }
    let mut other = multicast(0, &[7; 4]);
    other.lrh_mut().unwrap().slid = 0x30;
    y.take(&[other]);
    assert_eq!(each(y), [one(44), one(44), one(44)]);
}

/// The sender gets none, also when the fabric sends the packet back; the same of a sender that is no member.
fn cf229_cf357_the_other_members_get_one_copy_of_what_is_sent(y: &mut Bench) {
    members(y);
    y.address(HANDLE + 1, group_address(3));
    y.post(to_the_group(9, HANDLE + 1));
    let sent = y.packets_after();
    assert_eq!(sent.len(), 1);
    y.receive(&sent);
    assert_eq!(y.drops(), [(DropReason::SelfMulticast, 1)]);
    assert_eq!(each(y), [vec![success(9, 0)], one(44), one(44)]);
    let placed = y.buffer(64, 64);
    assert_eq!(placed[24..44], [&MGID[..], &[0, 7, 14, 21]].concat());
    assert_eq!(y.buffer(128, 44), placed[..44]);
    // Nobody else has a receive WQE now.
    assert_eq!(y.attempt(detach(QPN)), DONE);
    y.post(to_the_group(9, HANDLE + 1));
    assert_eq!(y.packets_after().len(), 1);
    assert_eq!(y.drops(), [(DropReason::NoReceiveWqe, 2)]);
    assert_eq!(y.completions(), [success(9, 0)]);
    // A packet for one of the own LIDs is sent like any other.
    y.address(HANDLE + 2, AddressHandle { dlid: 0x28, ..peer() });
    let mut request = datagram(9, SEND, 4);
    request.datagram.as_mut().unwrap().handle = HANDLE + 2;
    y.post(request);
    assert_eq!(y.packets_after().len(), 1);
    assert_eq!(y.completions(), [success(9, 0)]);
}

/// Two members send at once, and the third leaves meanwhile.
fn cf229_two_send_while_one_leaves(y: &mut Bench) {
    members(y);
    for (n, qpn) in (0..).zip([QPN, SECOND, THIRD]) {
        y.turn_to(qpn);
        for wr_id in 2..9 {
            y.post_receive(wr_id, 512 * n, 512);
        }
    }
    y.address(HANDLE + 1, group_address(0));
    for qpn in [QPN, SECOND, QPN, SECOND, QPN, SECOND] {
        y.turn_to(qpn);
        y.post(to_the_group(9, HANDLE + 1));
    }
    assert_eq!(y.attempt(detach(THIRD)), DONE);
    assert_eq!(y.packets_after().len(), 6);
    let [first, second, third] = each(y);
    for mut rows in [first, second] {
        rows.sort_by_key(|row| row.0);
        assert_eq!(rows[..3], [success(1, 44), success(2, 44), success(3, 44)]);
        assert_eq!(rows[3..], vec![success(9, 0); 3]);
    }
    // Of those that left before it did, in their order.
    let all: Vec<_> = (1..7).map(|wr_id| success(wr_id, 44)).collect();
    assert_eq!(third, all[..third.len()]);
    assert_eq!(y.attempt(attach(THIRD)), DONE);
    y.turn_to(QPN);
    y.post(datagram_to_the_group(24));
    assert_eq!(y.packets_after().len(), 1);
    let next = third.len() as u64 + 1;
    assert_eq!(
        each(y),
        [vec![success(9, 0)], vec![success(4, 64)], vec![success(next, 64)]]
    );
}

/// It is longer than the MTU, its keys are bad, or its data cannot be read; the next one has its copies.
fn cf229_what_does_not_leave_has_no_copy(y: &mut Bench) {
    members(y);
    y.address(HANDLE + 1, group_address(0));
    y.post(datagram_to_the_group(4097));
    assert_eq!(y.packets_after(), Vec::<Vec<u8>>::new());
    assert_eq!(each(y), [vec![success(9, 0)], vec![], vec![]]);
    let mut bad = datagram_to_the_group(4);
    bad.sges[0].l_key += 1;
    y.post(bad);
    assert_eq!(y.packets_after(), Vec::<Vec<u8>>::new());
    assert_eq!(each(y), [vec![(9, Status::LocProtErr, 0)], vec![], vec![]]);
    y.turn_to(SECOND);
    y.post(datagram_to_the_group(4));
    assert_eq!(y.packets_after().len(), 1);
    assert_eq!(each(y), [one(44), vec![success(9, 0)], one(44)]);
    y.turn_to(SECOND);
    y.fail_source(0, 64);
    y.post(datagram_to_the_group(4));
    y.settle();
    assert_eq!(y.drop_spoiled(), 1);
    assert_eq!(each(y), [vec![], vec![(9, Status::LocQpOpErr, 0)], vec![]]);
    assert_eq!(y.drops(), []);
    y.turn_to(THIRD);
    let mut sound = datagram_to_the_group(4);
    sound.sges[0].addr += 64;
    y.post(sound);
    assert_eq!(y.packets_after().len(), 1);
    assert_eq!(y.drops(), [(DropReason::NoReceiveWqe, 1)]);
    assert_eq!(each(y), [vec![], one(44), vec![success(9, 0)]]);
}

/// In Init and Armed; the sender's work completes.
fn cf359_a_port_that_is_not_active_makes_no_copy(y: &mut Bench) {
    members(y);
    y.address(HANDLE + 1, group_address(0));
    for state in [PortState::Down, PortState::Armed] {
        y.set_port_state(&[state]);
        y.post(to_the_group(9, HANDLE + 1));
        assert_eq!(y.packets_after(), Vec::<Vec<u8>>::new());
        assert_eq!(each(y), [vec![success(9, 0)], vec![], vec![]], "{state:?}");
    }
    y.set_port_state(&[PortState::Active]);
    y.post(to_the_group(9, HANDLE + 1));
    assert_eq!(y.packets_after().len(), 1);
    assert_eq!(each(y), [vec![success(9, 0)], one(44), one(44)]);
    assert_eq!(y.drops(), []);
}
