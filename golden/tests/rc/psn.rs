//! PSN regions (`responder.md` section 2).
use super::case::*;
use super::pair::*;
use hca_golden::event::DropReason;
use hca_golden::verbs::*;
use hca_golden::wire::packet::Packet;

fn only(psn: u32) -> Packet {
    request(0x04, psn, &[1; 8])
}

#[test]
fn cf057_the_expected_psn_is_executed_and_epsn_advances_by_one() {
    let mut y = responder(2);
    assert_eq!(
        replies(&mut y, &[only(100), only(101)]),
        [ack(100, 1), ack(101, 2)]
    );
    assert_eq!(epsn_msn(&y), (102, 2));
}

#[test]
fn cf058_a_read_advances_epsn_by_its_responses() {
    for (length, next) in [
        (0, 101),
        (1, 101),
        (256, 101),
        (257, 102),
        (1024, 104),
        (1025, 105),
    ] {
        let mut y = responder(0);
        replies(&mut y, &[read(100, TARGET, length)]);
        assert_eq!(epsn_msn(&y), (next, 1), "{length}");
    }
}

#[test]
fn cf059_a_psn_beyond_epsn_gets_nak_60h_at_epsn() {
    assert_eq!(replies(&mut responder(1), &[only(101)]), [nak(100, 0x60, 0)]);
}

#[test]
fn cf060_an_out_of_sequence_request_is_not_executed() {
    let mut y = responder(1);
    replies(&mut y, &[rdma(0x0A, 105, TARGET, 4, &[0xEE; 4]), only(106)]);
    assert_eq!(y.memory().read(TARGET, 4), message(4));
    assert_eq!(y.memory().read(BUFFER_AT, 8), [0; 8]);
    assert_eq!((epsn_msn(&y), completions(&mut y)), ((100, 0), vec![]));
}

#[test]
fn cf061_one_sequence_nak_until_the_expected_psn_arrives() {
    let mut y = responder(1);
    let burst: Vec<Packet> = (101..120).map(only).collect();
    assert_eq!(replies(&mut y, &burst), [nak(100, 0x60, 0)]);
    assert_eq!(
        drop_reason(&mut y, &only(120).encode().unwrap()),
        DropReason::NakOutstanding
    );
}

#[test]
fn cf062_a_new_gap_gives_a_new_nak() {
    let mut y = responder(2);
    let packets = [only(101), only(100), only(102)];
    assert_eq!(
        replies(&mut y, &packets),
        [nak(100, 0x60, 0), ack(100, 1), nak(101, 0x60, 1)]
    );
}

#[test]
fn cf063_the_psns_before_epsn_are_duplicates() {
    for distance in [1, 2, (1 << 23) - 1] {
        let psn = 100_u32.wrapping_sub(distance) & 0xFF_FFFF;
        assert_eq!(
            replies(&mut responder(1), &[only(psn)]),
            [ack(99, 0)],
            "{distance}"
        );
    }
}

#[test]
fn cf064_the_psns_after_epsn_are_out_of_sequence() {
    for distance in [1, 2, (1 << 23) - 1] {
        let psn = 100 + distance;
        assert_eq!(
            replies(&mut responder(1), &[only(psn)]),
            [nak(100, 0x60, 0)],
            "{distance}"
        );
    }
}

#[test]
fn cf065_the_psn_wraps() {
    let attributes = QpAttributes {
        rq_psn: 0xFF_FFFE,
        ..responder_attributes()
    };
    let mut y = responder_with(&attributes, 1);
    // The read takes FFFFFEh, FFFFFFh and 0.
    let packets = [read(0xFF_FFFE, TARGET, 600), only(1)];
    assert_eq!(
        replies(&mut y, &packets),
        [
            (0x0D, 0xFF_FFFE, Some((0x1F, 1))),
            (0x0E, 0xFF_FFFF, None),
            (0x0F, 0, Some((0x1F, 1))),
            ack(1, 2)
        ]
    );
    assert_eq!(epsn_msn(&y), (2, 2));
}

#[test]
fn cf066_duplicates_are_answered_while_a_nak_is_outstanding() {
    let mut y = responder(1);
    replies(&mut y, &[only(100), read(101, TARGET, 4)]);
    let packets = [only(105), only(100), read(101, TARGET, 4)];
    assert_eq!(
        replies(&mut y, &packets),
        [nak(102, 0x60, 2), ack(100, 2), (0x10, 101, Some((0x1F, 2)))]
    );
}

#[test]
fn cf067_a_sequence_nak_carries_the_current_msn() {
    let mut y = responder(3);
    let packets = [only(100), only(101), request(0x00, 102, &[1; 256]), only(105)];
    assert_eq!(replies(&mut y, &packets)[3], nak(103, 0x60, 2));
}

/// A message of 2^31 bytes at PMTU 256 has 2^23 packets; the window is that of the requester. FB01: also where it wraps.
#[test]
fn cf286_no_more_than_2_to_23_psns_are_outstanding() {
    for (sq_psn, next) in [(10, 0x80_000A), (0xFF_FFF0, 0x7F_FFF0)] {
        let mut x = requester_with(|a| a.sq_psn = sq_psn);
        let gib = sge(0, 1 << 30);
        let long_read = SendRequest {
            operation: READ,
            ..send(1, &[gib, gib])
        };
        x.post_send(X_QPN, long_read).unwrap();
        post(&mut x, 2, SEND, 1);
        assert_eq!(sent(&mut x), [(0x0C, sq_psn)], "its responses take 2^23 PSNs");
        let first = data(0x0D, sq_psn, &[1; 256]);
        assert_eq!(sent_after(&mut x, &[first]), [(0x04, next)]);
    }
}
