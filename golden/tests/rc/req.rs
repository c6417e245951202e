//! Requests as they leave (`requester.md` section 2 and 3, CF154 to CF166, CF022).
use super::case::*;
use super::pair::*;
use hca_golden::event::Event;
use hca_golden::hca::{Due, Rule};
use hca_golden::refusal::VerbError;
use hca_golden::verbs::*;
use hca_golden::wire::atomic_eth::AtomicEth;
use hca_golden::wire::reth::Reth;

const IMMEDIATE: [u8; 4] = [0xDE, 0xAD, 0xBE, 0xEF];
const WRITE_WITH_IMMEDIATE: SendOperation = SendOperation::WriteWithImmediate {
    va: TARGET,
    r_key: R_KEY,
    immediate: IMMEDIATE,
};
const COMPARE_SWAP: SendOperation = SendOperation::CompareSwap {
    va: TARGET,
    r_key: R_KEY,
    compare: 1,
    swap: 2,
};

#[test]
fn cf154_the_first_psn_is_the_configured_one() {
    for sq_psn in [0, 10, 0xFF_FFFF] {
        let mut x = requester_with(|a| a.sq_psn = sq_psn);
        post(&mut x, 1, SEND, 1);
        assert_eq!(sent(&mut x), [(0x04, sq_psn)]);
    }
}

#[test]
fn cf155_psns_increase_by_one_across_messages() {
    let mut x = requester_with(|a| a.sq_psn = 0xFF_FFFE);
    post(&mut x, 1, SEND, 257);
    post(&mut x, 2, WRITE, 600);
    post(&mut x, 3, FETCH_ADD, 8);
    let expected = [
        (0x00, 0xFF_FFFE),
        (0x02, 0xFF_FFFF),
        (0x06, 0),
        (0x07, 1),
        (0x08, 2),
        (0x14, 3),
    ];
    assert_eq!(sent(&mut x), expected);
}

#[test]
fn cf156_a_read_takes_the_psns_of_its_responses() {
    for (length, next) in [(0, 11), (256, 11), (257, 12), (1024, 14)] {
        let mut x = requester();
        post(&mut x, 1, READ, length);
        post(&mut x, 2, SEND, 1);
        assert_eq!(sent(&mut x), [(0x0C, 10), (0x04, next)], "{length}");
    }
}

#[test]
fn cf157_wqes_are_sent_in_post_order() {
    let mut x = requester();
    for (wr_id, operation) in [(1, READ), (2, SEND), (3, COMPARE_SWAP), (4, WRITE_WITH_IMMEDIATE)] {
        post(&mut x, wr_id, operation, 8);
    }
    assert_eq!(sent(&mut x), [(0x0C, 10), (0x04, 11), (0x13, 12), (0x0B, 13)]);
}

#[test]
fn cf158_nothing_waits_for_acks() {
    let mut x = requester();
    for n in 0..20 {
        post(&mut x, n, SEND, 300);
    }
    assert_eq!(sent(&mut x).len(), 40);
}

#[test]
fn cf159_the_last_packet_of_each_request_asks_for_an_ack() {
    let mut x = requester();
    for operation in [SEND, WRITE, WRITE_WITH_IMMEDIATE] {
        post(&mut x, 1, operation, 600);
        post(&mut x, 1, operation, 6);
    }
    for operation in [READ, COMPARE_SWAP, FETCH_ADD] {
        post(&mut x, 1, operation, 8);
    }
    for packet in settle(&mut x).0 {
        let ends = packet.opcode().unwrap().ends();
        assert!(packet.bth.a || !ends, "{:?}", packet.bth);
    }
}

/// Section 2: at least every so many packets, here 64.
#[test]
fn a_long_message_asks_for_acks_on_its_way() {
    let mut x = requester();
    post(&mut x, 1, SEND, 256 * 130);
    let asking: Vec<u32> = settle(&mut x)
        .0
        .iter()
        .filter(|p| p.bth.a)
        .map(|p| p.bth.psn)
        .collect();
    assert_eq!(asking, [10, 73, 137, 139]);
}

fn solicited(operation: SendOperation, length: u32) -> Vec<bool> {
    let mut x = requester();
    let request = SendRequest {
        solicited: true,
        ..work(1, operation, length)
    };
    x.post_send(X_QPN, request).unwrap();
    settle(&mut x).0.iter().map(|p| p.bth.se).collect()
}

#[test]
fn cf160_se_stands_on_the_last_packet_of_send_and_write_with_immediate() {
    let immediate = IMMEDIATE;
    for operation in [
        SEND,
        SendOperation::SendWithImmediate { immediate },
        SendOperation::SendWithInvalidate { r_key: 1 },
        WRITE_WITH_IMMEDIATE,
    ] {
        assert_eq!(solicited(operation, 600), [false, false, true]);
        assert_eq!(solicited(operation, 6), [true]);
    }
}

#[test]
fn cf161_se_is_0_for_write_read_and_atomic() {
    assert_eq!(solicited(WRITE, 600), [false; 3]);
    for operation in [READ, COMPARE_SWAP, FETCH_ADD] {
        assert_eq!(solicited(operation, 8), [false]);
    }
}

fn fenced(x: &mut hca_golden::hca::Hca, wr_id: u64) {
    let fence = true;
    x.post_send(
        X_QPN,
        SendRequest {
            fence,
            ..work(wr_id, SEND, 1)
        },
    )
    .unwrap();
}

/// FB25.
#[test]
fn cf162_a_fence_waits_for_earlier_reads_and_atomics() {
    let mut x = requester();
    post(&mut x, 1, READ, 300);
    post(&mut x, 2, FETCH_ADD, 8);
    post(&mut x, 3, SEND, 1);
    fenced(&mut x, 4);
    post(&mut x, 5, SEND, 1);
    assert_eq!(sent(&mut x), [(0x0C, 10), (0x14, 12), (0x04, 13)]);
    let emitted = Event::RequestEmitted { qpn: X_QPN, psn: 14 };
    assert_eq!(x.apply(&emitted).unwrap_err().rule, Rule::Fence);
    let first = [data(0x0D, 10, &[1; 256]), data(0x0F, 11, &[2; 44])];
    assert_eq!(sent_after(&mut x, &first), []);
    // The Send before it is not acknowledged.
    let last = [atomic_ack(12, 5)];
    assert_eq!(sent_after(&mut x, &last), [(0x04, 14), (0x04, 15)]);
}

#[test]
fn cf163_without_a_fence_a_wqe_starts_after_a_read() {
    let mut x = requester();
    post(&mut x, 1, READ, 300);
    post(&mut x, 2, SEND, 1);
    assert_eq!(sent(&mut x), [(0x0C, 10), (0x04, 12)]);
}

#[test]
fn cf164_no_more_than_max_rd_atomic_reads_and_atomics() {
    let mut x = requester_with(|a| a.max_rd_atomic = 2);
    for (wr_id, operation) in [(1, READ), (2, FETCH_ADD), (3, READ)] {
        post(&mut x, wr_id, operation, 8);
    }
    assert_eq!(sent(&mut x), [(0x0C, 10), (0x14, 11)]);
    let emitted = Event::RequestEmitted { qpn: X_QPN, psn: 12 };
    assert_eq!(x.apply(&emitted).unwrap_err().rule, Rule::ReadDepth);
    assert_eq!(sent_after(&mut x, &[data(0x10, 10, &[1; 8])]), [(0x0C, 12)]);
}

/// A device may leave the WQE until the Read before it is answered.
#[test]
fn a_blocked_wqe_is_not_due_before_it_is_taken() {
    let mut x = requester_with(|a| a.max_rd_atomic = 1);
    post(&mut x, 1, READ, 8);
    assert_eq!(sent(&mut x), [(0x0C, 10)]);
    post(&mut x, 2, READ, 8);
    let doorbell = x.choices()[0];
    x.apply(&doorbell).unwrap();
    let (qpn, side, index) = (X_QPN, QueueSide::Send, 1);
    assert_eq!(x.choices(), [Event::WqeFetched { qpn, side, index }]);
    assert!(x.idle());
    x.receive(&data(0x10, 10, &[1; 8]).encode().unwrap());
    for _ in 0..2 {
        let event = x.choices()[0];
        x.apply(&event).unwrap();
    }
    assert_eq!(x.due(), [Due::Request { qpn, psn: 11 }]);
}

#[test]
fn cf165_a_blocked_read_blocks_what_comes_after_it() {
    let mut x = requester_with(|a| a.max_rd_atomic = 1);
    for (wr_id, operation) in [(1, READ), (2, READ), (3, SEND)] {
        post(&mut x, wr_id, operation, 8);
    }
    assert_eq!(sent(&mut x), [(0x0C, 10)]);
    assert_eq!(
        sent_after(&mut x, &[data(0x10, 10, &[1; 8])]),
        [(0x0C, 11), (0x04, 12)]
    );
}

#[test]
fn cf166_inline_data_is_copied_when_it_is_posted() {
    for inline in [true, false] {
        let mut x = requester();
        let unkeyed = |addr, length| Sge {
            addr,
            length,
            l_key: if inline { 0x99 } else { L_KEY },
        };
        let request = SendRequest {
            inline,
            ..send(1, &[unkeyed(MESSAGE_AT, 300), unkeyed(MESSAGE_AT + 7, 3)])
        };
        x.post_send(X_QPN, request).unwrap();
        x.memory_mut().write(MESSAGE_AT, &[0xEE; 1000]);
        let (packets, _) = settle(&mut x);
        let payload: Vec<u8> = packets.iter().flat_map(|p| p.payload.clone()).collect();
        let old = [&message(300)[..], &message(300)[7..10]].concat();
        assert_eq!(payload, if inline { old } else { vec![0xEE; 303] });
    }
}

#[test]
fn cf018_cf019_cf020_extended_headers() {
    let mut x = requester();
    post(&mut x, 1, WRITE_WITH_IMMEDIATE, 300);
    post(&mut x, 2, COMPARE_SWAP, 8);
    post(&mut x, 3, FETCH_ADD, 8);
    post(
        &mut x,
        4,
        SendOperation::SendWithInvalidate { r_key: 0x1234_5678 },
        0,
    );
    let (packets, _) = settle(&mut x);
    let reth = Reth {
        va: TARGET,
        r_key: R_KEY,
        dma_len: 300,
    };
    assert_eq!((packets[0].reth(), packets[0].immediate()), (Some(reth), None));
    assert_eq!(
        (packets[1].reth(), packets[1].immediate()),
        (None, Some(IMMEDIATE))
    );
    let swap = AtomicEth {
        va: TARGET,
        r_key: R_KEY,
        swap_dt_add_dt: 2,
        cmp_dt: 1,
    };
    assert_eq!(packets[2].atomic_eth(), Some(swap));
    let add = AtomicEth {
        swap_dt_add_dt: 3,
        cmp_dt: 0,
        ..swap
    };
    assert_eq!(packets[3].atomic_eth(), Some(add));
    assert_eq!(packets[4].ieth().unwrap().r_key, 0x1234_5678);
    assert_eq!(
        rows(&packets),
        [(0x06, 10), (0x09, 11), (0x13, 12), (0x14, 13), (0x17, 14)]
    );
}

#[test]
fn cf022_a_message_may_have_2_to_31_bytes() {
    let mut x = requester();
    let gib = sge(0, 1 << 30);
    for operation in [SEND, WRITE, READ] {
        let of = |sges: &[Sge]| SendRequest {
            operation,
            ..send(1, sges)
        };
        assert!(x.post_send(X_QPN, of(&[gib, gib])).is_ok());
        assert_eq!(
            x.post_send(X_QPN, of(&[gib, gib, sge(0, 1)])),
            Err(VerbError::MessageTooLong((1 << 31) + 1))
        );
    }
}

#[test]
fn cf242_more_sges_than_the_device_takes() {
    let mut x = requester();
    let many = |n| vec![sge(0, 1); n];
    assert!(x.post_send(X_QPN, send(1, &many(32))).is_ok());
    let refusal = VerbError::TooManySges { count: 33, limit: 32 };
    assert_eq!(x.post_send(X_QPN, send(1, &many(33))), Err(refusal.clone()));
    assert_eq!(x.post_receive(X_QPN, receive(1, &many(33))), Err(refusal));
}

#[test]
fn cf244_an_atomic_has_one_aligned_sge_of_8_bytes() {
    let mut x = requester();
    let sges: [&[Sge]; 4] = [&[], &[sge(8, 7)], &[sge(4, 8)], &[sge(8, 4), sge(16, 4)]];
    for operation in [COMPARE_SWAP, FETCH_ADD] {
        for sges in sges {
            let request = SendRequest {
                operation,
                ..send(1, sges)
            };
            assert_eq!(x.post_send(X_QPN, request), Err(VerbError::AtomicSge));
        }
    }
}

#[test]
fn work_requests_that_are_refused() {
    let mut x = requester_with(|a| a.max_rd_atomic = 0);
    for operation in [READ, FETCH_ADD] {
        let refusal = Err(VerbError::NoReadDepth(X_QPN));
        assert_eq!(x.post_send(X_QPN, work(1, operation, 8)), refusal);
    }
    let inline = true;
    for (operation, length) in [(READ, 8), (SEND, 513)] {
        let request = SendRequest {
            inline,
            ..work(1, operation, length)
        };
        let refusal = x.post_send(X_QPN, request).unwrap_err();
        assert!(
            matches!(refusal, VerbError::Inline { limit: 512, .. }),
            "{refusal}"
        );
    }
}

/// `requester.md` section 8: what came before it completes first, what comes after it is flushed.
#[test]
fn a_local_fault_ends_the_qp_in_post_order() {
    let protected = |operation| SendRequest {
        operation,
        ..send(
            2,
            &[
                sge(MESSAGE_AT, 256),
                Sge {
                    addr: 0,
                    length: 300,
                    l_key: 0x99,
                },
            ],
        )
    };
    for operation in [SEND, WRITE, READ] {
        let mut x = requester();
        post(&mut x, 1, SEND, 1);
        x.post_send(X_QPN, protected(operation)).unwrap();
        post(&mut x, 3, SEND, 1);
        let good = sent(&mut x);
        assert!(good.iter().all(|&(_, psn)| psn <= 11), "{good:?}");
        assert_eq!(completions(&mut x), []);
        replies(&mut x, &[response(10, 0x1F, 1)]);
        let expected = [
            (1, Status::Success),
            (2, Status::LocProtErr),
            (3, Status::WrFlushErr),
        ];
        assert_eq!(statuses(&mut x), expected, "{operation:?}");
    }
}
