//! CF464: an entry of the P_Key table that software changes while queue pairs use it (`link.md` section 2).
use crate::bench::peer::{acknowledge, atomic, read, to};
use crate::bench::requester::{work, SEND};
use crate::bench::responder::TARGET;
use crate::bench::verbs::DONE;
use crate::bench::{on_both, port, request, Bench, FIRST_PSN};
use crate::ud::{attributes, packet, send, with_q_key};
use hca_golden::event::DropReason;
use hca_golden::port::PortConfig;
use hca_golden::verbs::{QpAttributes, QpState, Status};
use hca_golden::wire::packet::Packet;
use hca_testbench::device::Verb;

on_both!(behind super::four_p_keys();
    cf464_a_request_is_checked_by_the_entry_of_now,
    cf464_a_response_is_checked_by_the_entry_of_now,
    cf464_a_response_has_the_entry_of_now,
    cf464_a_request_has_the_entry_of_now,
    cf464_a_datagram_has_the_entry_of_now,
    cf464_only_the_entry_of_the_queue_pair_counts,
    cf464_qp1_finds_the_entries_of_now,
);

fn four_p_keys() -> PortConfig {
    PortConfig {
        p_keys: [0xFFFF, 0x9234, 0, 0x1235],
        ..port()
    }
}

/// The packet with this P_Key.
fn with_p_key(p_key: u16, mut packet: Packet) -> Packet {
    packet.bth.p_key = p_key;
    packet
}

fn set(y: &mut Bench, index: u16, p_key: u16) {
    assert_eq!(y.attempt(Verb::SetPKey { index, p_key }), DONE);
}

/// P_Keys of what goes out.
fn sent(y: &mut Bench) -> Vec<u16> {
    y.sent().iter().map(|packet| packet.bth.p_key).collect()
}

fn cf464_a_request_is_checked_by_the_entry_of_now(y: &mut Bench) {
    y.responder(3);
    y.receive(&[request(0x04, 100, &[1; 4]).encode().unwrap()]);
    assert_eq!(sent(y), [0xFFFF]);
    set(y, 0, 0x9111);
    for p_key in [0xFFFF, 0x7FFF, 0x9234] {
        let old = with_p_key(p_key, request(0x04, 101, &[2; 4]));
        y.receive(&[old.encode().unwrap()]);
        assert_eq!(y.drops(), [(DropReason::PKey, 1)], "{p_key:04X}h");
    }
    assert_eq!(y.completions(), [(70, Status::Success, 4)]);
    let new = with_p_key(0x1111, request(0x04, 101, &[3; 4]));
    y.receive(&[new.encode().unwrap()]);
    assert_eq!(y.completions(), [(71, Status::Success, 4)]);
    assert_eq!(sent(y), [0x9111]);
    // Two limited members, then no partition at all, then the first again.
    for p_key in [0x1111, 0] {
        set(y, 0, p_key);
        let other = with_p_key(0x1111, request(0x04, 102, &[4; 4]));
        y.receive(&[other.encode().unwrap()]);
        assert_eq!(y.drops(), [(DropReason::PKey, 1)], "{p_key:04X}h");
    }
    set(y, 0, 0xFFFF);
    y.receive(&[request(0x04, 102, &[5; 4]).encode().unwrap()]);
    assert_eq!(y.completions(), [(72, Status::Success, 4)]);
    assert_eq!(sent(y), [0xFFFF]);
    assert_eq!(y.state(), QpState::Rts);
}

fn cf464_a_response_is_checked_by_the_entry_of_now(y: &mut Bench) {
    y.connect_with(|_| {});
    y.post(work(1, SEND, 4));
    assert_eq!(sent(y), [0xFFFF]);
    set(y, 0, 0x9111);
    y.receive(&[acknowledge(FIRST_PSN, 0x1F).encode().unwrap()]);
    assert_eq!(y.drops(), [(DropReason::PKey, 1)]);
    assert_eq!(y.completions(), []);
    y.receive(&[with_p_key(0x1111, acknowledge(FIRST_PSN, 0x1F)).encode().unwrap()]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
}

/// Of a Read in three packets, and of an atomic; the second by a limited member.
fn cf464_a_response_has_the_entry_of_now(y: &mut Bench) {
    y.responder(0);
    set(y, 0, 0x9111);
    y.receive(&[with_p_key(0x9111, read(100, TARGET, 600)).encode().unwrap()]);
    assert_eq!(sent(y), [0x9111; 3]);
    set(y, 0, 0x1111);
    let atomic = atomic(0x14, 103, TARGET, 1, 0);
    y.receive(&[with_p_key(0x9111, atomic).encode().unwrap()]);
    assert_eq!(sent(y), [0x1111]);
}

/// What is sent again has it, too.
fn cf464_a_request_has_the_entry_of_now(y: &mut Bench) {
    y.connect_with(|_| {});
    y.post(work(1, SEND, 600));
    assert_eq!(sent(y), [0xFFFF; 3]);
    set(y, 0, 0x9111);
    y.receive(&[with_p_key(0x1111, acknowledge(FIRST_PSN, 0x60)).encode().unwrap()]);
    assert_eq!(sent(y), [0x9111; 3]);
    y.post(work(2, SEND, 4));
    assert_eq!(sent(y), [0x9111]);
}

fn cf464_a_datagram_has_the_entry_of_now(y: &mut Bench) {
    y.datagrams();
    y.post(send(1, 4));
    assert_eq!(sent(y), [0xFFFF]);
    set(y, 0, 0x9111);
    y.post(send(2, 4));
    assert_eq!(sent(y), [0x9111]);
    assert_eq!(
        y.completions(),
        [(1, Status::Success, 0), (2, Status::Success, 0)]
    );
    y.post_receive(3, 0, 64);
    y.take(&[packet(0x64, 7, &[1; 4])]);
    assert_eq!(y.drops(), [(DropReason::PKey, 1)]);
    y.take(&[with_p_key(0x1111, packet(0x64, 8, &[1; 4]))]);
    assert_eq!(y.completions(), [(3, Status::Success, 44)]);
}

/// A queue pair of index 3 beside what becomes of the other entries.
fn cf464_only_the_entry_of_the_queue_pair_counts(y: &mut Bench) {
    y.responder_with(2, |a| a.p_key_index = 3);
    set(y, 0, 0x9111);
    set(y, 1, 0x9235);
    set(y, 2, 0);
    y.receive(&[with_p_key(0x9111, request(0x04, 100, &[1; 4])).encode().unwrap()]);
    assert_eq!(y.drops(), [(DropReason::PKey, 1)]);
    y.receive(&[with_p_key(0x9235, request(0x04, 100, &[1; 4])).encode().unwrap()]);
    assert_eq!(sent(y), [0x1235]);
    assert_eq!(y.completions(), [(70, Status::Success, 4)]);
    set(y, 3, 0x9111);
    y.receive(&[with_p_key(0x9111, request(0x04, 101, &[1; 4])).encode().unwrap()]);
    assert_eq!(sent(y), [0x9111]);
    assert_eq!(y.completions(), [(71, Status::Success, 4)]);
}

/// The lowest entry that matches, of now.
fn cf464_qp1_finds_the_entries_of_now(y: &mut Bench) {
    y.create(&QpAttributes {
        qpn: 1,
        ..attributes()
    });
    y.enter_rts();
    let mad = || {
        to(
            1,
            with_p_key(0x9777, with_q_key(0x8001_0000, request(0x64, 7, &[1; 256]))),
        )
    };
    for wr_id in 70..73 {
        y.post_receive(wr_id, 0, 296);
    }
    y.take(&[mad()]);
    assert_eq!(y.drops(), [(DropReason::PKey, 1)]);
    for (index, p_key) in [(2, 0x9777), (3, 0x1777), (1, 0x1777)] {
        set(y, index, p_key);
        y.take(&[mad()]);
    }
    assert_eq!(y.p_key_indices(), [(70, Some(2)), (71, Some(2)), (72, Some(1))]);
}
