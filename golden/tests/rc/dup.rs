//! Duplicates (`responder.md` section 6, CF117 to CF126).
use super::case::*;
use super::pair::*;
use hca_golden::event::{DropReason, Event};
use hca_golden::hca::{Due, Hca, Rule};
use hca_golden::verbs::*;
use hca_golden::wire::packet::Packet;

#[test]
fn cf117_a_duplicate_send_is_acked_and_nothing_else() {
    let mut y = responder(2);
    let packets = [request(0x00, 100, &[1; 256]), request(0x02, 101, &[2; 4])];
    replies(&mut y, &packets);
    assert_eq!(completions(&mut y), [(70, Status::Success, 260)]);
    y.memory_mut().write(BUFFER_AT, &[0xEE; 260]);
    assert_eq!(replies(&mut y, &packets), [ack(101, 1), ack(101, 1)]);
    assert_eq!(y.memory().read(BUFFER_AT, 260), [0xEE; 260]);
    assert_eq!(completions(&mut y), []);
    assert_eq!(replies(&mut y, &[request(0x04, 102, &[])]), [ack(102, 2)]);
    assert_eq!(statuses(&mut y), [(71, Status::Success)]);
}

#[test]
fn cf118_a_duplicate_write_is_acked_and_not_written_again() {
    let mut y = responder(1);
    let write = rdma(0x0B, 100, TARGET, 4, &[0xAA; 4]);
    replies(&mut y, [&write]);
    y.memory_mut().write(TARGET, &[0xEE; 4]);
    assert_eq!(replies(&mut y, &[write]), [ack(100, 1)]);
    assert_eq!(y.memory().read(TARGET, 4), [0xEE; 4]);
    assert_eq!(completions(&mut y), [(70, Status::Success, 4)]);
}

#[test]
fn cf119_a_duplicate_read_reads_memory_again() {
    let mut y = responder(0);
    let first = answered(&mut y, &[read(100, TARGET, 4)]);
    assert_eq!(first[0].payload, message(4));
    y.memory_mut().write(TARGET, &[9, 8, 7, 6]);
    let again = answered(&mut y, &[read(100, TARGET, 4)]);
    assert_eq!(
        (rows(&again), &again[0].payload[..]),
        (vec![(0x10, 100)], &[9, 8, 7, 6][..])
    );
}

/// FB05.
#[test]
fn cf120_a_duplicate_read_from_inside_answers_from_its_psn() {
    let mut y = responder(0);
    let all = answered(&mut y, &[read(100, TARGET, 700)]);
    assert_eq!(rows(&all), [(0x0D, 100), (0x0E, 101), (0x0F, 102)]);
    let rest = answered(&mut y, &[read(101, TARGET + 256, 444)]);
    assert_eq!(rows(&rest), [(0x0D, 101), (0x0F, 102)]);
    let last = answered(&mut y, &[read(102, TARGET + 512, 188)]);
    assert_eq!(rows(&last), [(0x10, 102)]);
    assert_eq!(last[0].payload, message(700)[512..]);
    assert_eq!(epsn_msn(&y), (103, 1));
}

#[test]
fn cf121_a_duplicate_read_outside_any_stored_one_is_discarded() {
    let mut y = responder(1);
    replies(&mut y, &[request(0x0A, 100, &[]), read(101, TARGET, 700)]);
    for packet in [
        read(100, TARGET, 4),
        read(99, TARGET - 256, 956),
        read(101, TARGET + 4, 696),
        read(101, TARGET, 699),
        read(102, TARGET + 256, 700),
        with_reth(request(0x0C, 101, &[]), TARGET, R_KEY + 1, 700),
    ] {
        let reason = drop_reason(&mut y, &packet.encode().unwrap());
        assert_eq!(reason, DropReason::UnmatchedDuplicate, "{packet:?}");
    }
}

/// FB11.
#[test]
fn cf122_a_duplicate_atomic_returns_the_saved_value() {
    let mut y = responder(0);
    y.memory_mut().write(TARGET, &5_u64.to_le_bytes());
    let add = atomic(0x14, 100, TARGET, 10, 0);
    for _ in 0..3 {
        let packets = answered(&mut y, [&add]);
        assert_eq!(packets[0].atomic_ack_eth().unwrap().orig_rem_dt, 5);
        assert_eq!(y.memory().read_u64(TARGET), 15);
    }
    y.memory_mut().write(TARGET, &99_u64.to_le_bytes());
    let packets = answered(&mut y, &[add]);
    assert_eq!(packets[0].atomic_ack_eth().unwrap().orig_rem_dt, 5);
    assert_eq!(y.memory().read_u64(TARGET), 99);
}

#[test]
fn cf123_a_duplicate_atomic_that_is_not_stored_is_discarded() {
    let mut y = responder(0);
    for psn in 100..105 {
        replies(&mut y, &[atomic(0x14, psn, TARGET, 1, 0)]);
    }
    for packet in [
        atomic(0x14, 100, TARGET, 1, 0),
        atomic(0x13, 104, TARGET, 1, 0),
        atomic(0x14, 99, TARGET, 1, 0),
    ] {
        let reason = drop_reason(&mut y, &packet.encode().unwrap());
        assert_eq!(reason, DropReason::UnmatchedDuplicate);
    }
}

/// Section 6, adopted: four are kept. The duplicate of the first waits while atomics come; what the fourth of them takes is
/// the first one's resource, and not before that may the answer be dropped.
#[test]
fn a_replay_that_waits_is_dropped_once_a_newer_atomic_has_its_resource() {
    let mut y = responder(0);
    y.memory_mut().write(TARGET, &5_u64.to_le_bytes());
    let add = |psn| atomic(0x14, psn, TARGET, 10, 0);
    replies(&mut y, &[add(100)]);
    let qpn = Y_QPN;
    let dropped = Event::ReplayDropped { qpn, psn: 100 };
    for (packet, psn) in [(1, 100), (2, 101), (3, 102), (4, 103), (5, 104)] {
        assert_eq!(broken(&mut y, dropped), Rule::ReplayDropped, "before {psn}");
        y.receive(&add(psn).encode().unwrap());
        let event = match psn {
            100 => Event::DuplicateRequest { packet, qpn, psn },
            _ => Event::RequestExecuted { packet, qpn, psn },
        };
        y.apply(&event).unwrap();
    }
    // It has to be told, and no other may be.
    assert!(y.due().contains(&Due::Response { qpn, psn: 100 }));
    for psn in 101..=104 {
        assert_eq!(
            broken(&mut y, Event::ReplayDropped { qpn, psn }),
            Rule::ReplayDropped
        );
    }
    let mut answers = y.clone();
    let answered: Vec<_> = settle(&mut answers).0.iter().map(original).collect();
    assert_eq!(answered, [(100, 5), (101, 15), (102, 25), (103, 35), (104, 45)]);
    y.apply(&dropped).unwrap();
    assert_eq!(broken(&mut y, dropped), Rule::ReplayDropped, "it is told once");
    let answered: Vec<_> = settle(&mut y).0.iter().map(original).collect();
    assert_eq!(answered, [(101, 15), (102, 25), (103, 35), (104, 45)]);
}

/// Reads may take the resources, too; the value is lost to an atomic.
#[test]
fn a_replay_that_waits_behind_reads_is_not_dropped() {
    let mut y = responder(0);
    replies(&mut y, &[atomic(0x14, 100, TARGET, 10, 0)]);
    let qpn = Y_QPN;
    y.receive(&atomic(0x14, 100, TARGET, 10, 0).encode().unwrap());
    y.apply(&Event::DuplicateRequest {
        packet: 1,
        qpn,
        psn: 100,
    })
    .unwrap();
    for packet in 2..6 {
        let psn = 99 + packet;
        y.receive(&read(psn, TARGET, 1).encode().unwrap());
        y.apply(&Event::RequestExecuted { packet, qpn, psn }).unwrap();
    }
    let dropped = Event::ReplayDropped { qpn, psn: 100 };
    assert_eq!(broken(&mut y, dropped), Rule::ReplayDropped);
    assert_eq!(rows(&settle(&mut y).0)[0], (0x12, 100));
}

fn broken(y: &mut Hca, event: Event) -> Rule {
    y.apply(&event).unwrap_err().rule
}

fn original(packet: &Packet) -> (u32, u64) {
    (packet.bth.psn, packet.atomic_ack_eth().unwrap().orig_rem_dt)
}

#[test]
fn cf124_duplicates_never_advance_epsn_or_msn() {
    let mut y = responder(1);
    let packets = [
        request(0x04, 100, &[1]),
        rdma(0x0A, 101, TARGET, 1, &[1]),
        read(102, TARGET, 300),
        atomic(0x14, 104, TARGET, 1, 0),
    ];
    replies(&mut y, &packets);
    assert_eq!(epsn_msn(&y), (105, 4));
    let again = replies(&mut y, &packets);
    assert_eq!(epsn_msn(&y), (105, 4));
    assert!(again
        .iter()
        .all(|(_, _, aeth)| aeth.is_none_or(|a| a == (0x1F, 4))));
}

/// FB03: the read is answered, or its responses are still owed.
#[test]
fn cf125_the_ack_for_a_duplicate_never_carries_the_psn_of_a_read() {
    let mut y = responder(1);
    let send = request(0x04, 100, &[1]);
    replies(&mut y, &[send.clone(), read(101, TARGET, 300)]);
    assert_eq!(replies(&mut y, [&send]), [ack(100, 2)]);
    let mut y = responder(2);
    let later = request(0x04, 103, &[1]);
    assert_eq!(
        replies(&mut y, &[send.clone(), read(101, TARGET, 300), later, send]),
        [
            ack(100, 1),
            ack(100, 3),
            (0x0D, 101, Some((0x1F, 2))),
            (0x0F, 102, Some((0x1F, 2))),
            ack(103, 3)
        ]
    );
}

#[test]
fn cf126_max_dest_rd_atomic_operations_can_be_replayed() {
    let mut y = responder(0);
    let packets = [
        read(100, TARGET, 4),
        read(101, TARGET, 300),
        atomic(0x13, 103, TARGET, 1, 2),
        read(104, TARGET, 0),
    ];
    let first = rows(&answered(&mut y, &packets));
    assert_eq!(
        first,
        [(0x10, 100), (0x0D, 101), (0x0F, 102), (0x12, 103), (0x10, 104)]
    );
    assert_eq!(rows(&answered(&mut y, &packets)), first);
}

/// FB21: the key of a read of no bytes does not matter, but it is the same one.
#[test]
fn a_duplicate_read_of_no_bytes_needs_no_key() {
    let mut y = responder(0);
    let nowhere = with_reth(request(0x0C, 100, &[]), u64::MAX, 0xBAD, 0);
    for _ in 0..2 {
        assert_eq!(rows(&answered(&mut y, [&nowhere])), [(0x10, 100)]);
    }
}
