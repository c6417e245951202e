//! CF460: packets follow each other at the static rate of their source (`link.md` section 7).
use crate::bench::peer::{read, request};
use crate::bench::requester::{all_rights, decoded};
use crate::bench::responder::TARGET;
use crate::bench::verbs::DONE;
use crate::bench::{attributes_on, on_both, Bench, CYCLE_PS, PEER_QPN, QPN};
use crate::ud::{attributes, peer, send};
use hca_golden::hca::changes_to;
use hca_golden::port::Link;
use hca_golden::verbs::{AddressHandle, QpAttributes, QpState, Service};
use hca_testbench::device::Reason;

on_both!(
    cf460_requests_wait_for_their_queue_pair,
    cf460_requests_without_acks_wait_for_their_queue_pair,
    cf460_responses_and_acks_wait_for_their_queue_pair,
    cf460_packets_of_other_queue_pairs_go_between,
    cf460_datagrams_wait_for_their_address_handle,
    cf460_queue_pairs_with_one_address_handle_wait_for_it,
    cf460_nobody_waits_at_the_rate_of_the_port,
    cf460_a_queue_pair_tells_its_rate,
    cf460_a_code_that_no_rate_has_is_refused,
);

mod ethernet {
    use super::*;

    on_both!(behind super::super::super::roce::roce_port(); cf460_over_ethernet_nobody_waits);
}

/// Codes of 2.5 Gb/s and of 120 Gb/s.
const SLOW: u8 = 2;
const FAST: u8 = 10;

/// Returns the number of clock cycles in which a link of 2.5 Gb/s, with ten bits for each eight, carries so many bytes.
fn cycles(bytes: usize) -> u64 {
    bytes as u64 * 4_000 / CYCLE_PS
}

/// Bytes from LRH to VCRC of a middle packet of 256 bytes, the shortest of a longer message; it takes 141 cycles.
const MIDDLE: usize = 8 + 12 + 256 + 4 + 2;
/// Bytes from LRH to VCRC of a datagram of 256 bytes; it takes 145 cycles.
const DATAGRAM: usize = MIDDLE + 8;

/// Clock cycles of the first beats of the packets that came out since the last look.
fn starts(y: &mut Bench) -> Vec<u64> {
    y.packets();
    y.spans().into_iter().map(|(first, _)| first).collect()
}

/// Returns true if so many packets came out, each not before this time after the one before it.
fn follow(y: &mut Bench, packets: usize, gap: u64) -> bool {
    let starts = starts(y);
    assert_eq!(starts.len(), packets);
    starts.windows(2).all(|pair| pair[1] >= pair[0] + gap)
}

/// Largest number of clock cycles between a packet and the next.
fn longest_pause(y: &mut Bench) -> u64 {
    y.packets();
    let spans = y.spans();
    let pauses = spans.windows(2).map(|pair| pair[1].0 - pair[0].1);
    pauses.max().unwrap()
}

fn cf460_requests_wait_for_their_queue_pair(y: &mut Bench) {
    y.connect_with(|a| a.static_rate = SLOW);
    y.post_send(1, 1024);
    assert!(follow(y, 4, cycles(MIDDLE)));
}

fn cf460_requests_without_acks_wait_for_their_queue_pair(y: &mut Bench) {
    y.create(&QpAttributes {
        service: Service::Uc,
        max_rd_atomic: 0,
        max_dest_rd_atomic: 0,
        static_rate: SLOW,
        ..all_rights()
    });
    y.enter_rts();
    y.post_send(1, 1024);
    assert!(follow(y, 4, cycles(MIDDLE)));
    assert_eq!(y.completions().len(), 1);
}

/// The peer asks for a Read of four packets and a Send. The ack of the Send waits behind the read responses.
fn cf460_responses_and_acks_wait_for_their_queue_pair(y: &mut Bench) {
    y.responder_with(1, |a| a.static_rate = SLOW);
    let requests = [read(100, TARGET, 1024), request(0x04, 104, &[1; 4])];
    y.receive(&requests.map(|packet| packet.encode().unwrap()));
    assert!(follow(y, 5, cycles(MIDDLE)));
    assert_eq!(y.completions().len(), 1);
}

fn cf460_packets_of_other_queue_pairs_go_between(y: &mut Bench) {
    const OTHER: u32 = 0x00_0B24;
    y.connect_with(|a| a.static_rate = SLOW);
    y.connect_another(OTHER, |a| a.dest_qpn = PEER_QPN + 1);
    y.turn_to(QPN);
    y.submit_send(1, 2048);
    y.turn_to(OTHER);
    y.post_send(1, 1024);
    let peers = y.packets().into_iter().map(|bytes| decoded(&bytes).bth.dest_qp);
    let peers: Vec<_> = peers.collect();
    assert_eq!(peers.len(), 12);
    assert_eq!(peers.last(), Some(&PEER_QPN));
}

/// Y sends to two handles by turns. Packets of one handle do not wait for those of the other.
fn cf460_datagrams_wait_for_their_address_handle(y: &mut Bench) {
    y.datagrams();
    for handle in [1, 2] {
        slow(y, handle);
    }
    for (wr_id, handle) in [(1, 1), (2, 2), (3, 1), (4, 2)] {
        post_to(y, handle, wr_id);
    }
    y.settle();
    y.packets();
    let spans = y.spans();
    assert_eq!(spans.len(), 4);
    assert!(spans[2].0 >= spans[0].0 + cycles(DATAGRAM));
    assert!(spans[3].0 >= spans[1].0 + cycles(DATAGRAM));
    assert!(spans[1].0 < spans[0].1 + 100, "{spans:?}");
    assert_eq!(y.completions().len(), 4);
}

fn cf460_queue_pairs_with_one_address_handle_wait_for_it(y: &mut Bench) {
    y.datagrams();
    slow(y, 1);
    y.create_another(&QpAttributes {
        qpn: QPN + 1,
        ..attributes()
    });
    y.enter_rts();
    for qpn in [QPN, QPN + 1, QPN, QPN + 1] {
        y.turn_to(qpn);
        post_to(y, 1, 1);
    }
    y.settle();
    assert!(follow(y, 4, cycles(DATAGRAM)));
    for qpn in [QPN, QPN + 1] {
        y.turn_to(qpn);
        assert_eq!(y.completions().len(), 2);
    }
}

/// A queue pair with the rate of its port, a higher one, or none does not wait.
fn cf460_nobody_waits_at_the_rate_of_the_port(y: &mut Bench) {
    for rate in [0, FAST] {
        y.renew(|a| a.static_rate = rate);
        y.post_send(1, 2048);
        assert!(longest_pause(y) < 100);
    }
}

fn cf460_a_queue_pair_tells_its_rate(y: &mut Bench) {
    y.connect_with(|a| a.static_rate = FAST);
    assert_eq!(y.query().1.address.unwrap().static_rate, FAST);
}

fn cf460_a_code_that_no_rate_has_is_refused(y: &mut Bench) {
    y.create(&all_rights());
    assert_eq!(y.attempt_move(QpState::Init), DONE);
    let mut enter_rtr = |static_rate| {
        let attributes = QpAttributes {
            static_rate,
            ..all_rights()
        };
        let changes = changes_to(&attributes, QpState::Init, QpState::Rtr, 1);
        y.attempt_set(QpState::Rtr, &changes)
    };
    for code in [1, 11, 63] {
        assert_eq!(enter_rtr(code), Err(Reason::BadAttribute), "{code}");
    }
    assert_eq!(enter_rtr(FAST), DONE);
}

fn cf460_over_ethernet_nobody_waits(y: &mut Bench) {
    y.create(&QpAttributes {
        static_rate: SLOW,
        ..attributes_on(Link::Roce, 100)
    });
    y.enter_rts();
    y.post_send(1, 2048);
    assert!(longest_pause(y) < 100);
}

/// Makes a handle of the peer with the lowest rate.
fn slow(y: &mut Bench, handle: u32) {
    y.address(
        handle,
        AddressHandle {
            static_rate: SLOW,
            ..peer()
        },
    );
}

/// Posts a datagram of 256 bytes that names this handle.
fn post_to(y: &mut Bench, handle: u32, wr_id: u64) {
    let mut request = send(wr_id, 256);
    request.datagram.as_mut().unwrap().handle = handle;
    y.post(request);
}
