//! Requests as they leave (`requester.md` sections 1 to 3). Y starts at PSN 2000 with PMTU 256.
use crate::bench::peer::{atomic_ack, data};
use crate::bench::requester::{
    source_byte, work, COMPARE_SWAP, FETCH_ADD, IMMEDIATE, READ, SEND, WRITE, WRITE_WITH_IMMEDIATE,
};
use crate::bench::{on_both, Bench, FIRST_PSN, SOURCE};
use hca_golden::verbs::{SendOperation, SendRequest, Sge, Status};
use hca_testbench::scenario::region::L_KEY;

on_both!(
    cf154_the_first_psn_is_the_configured_one,
    cf155_psns_increase_by_one_across_messages,
    cf156_a_read_takes_the_psns_of_its_responses,
    cf157_wqes_are_sent_in_post_order,
    cf158_nothing_waits_for_acks,
    cf159_the_last_packet_of_each_request_asks_for_an_ack,
    cf160_se_stands_on_the_last_packet_of_sends_and_write_with_immediate,
    cf161_se_is_0_for_write_read_and_atomic,
    cf162_a_fence_waits_for_earlier_reads_and_atomics,
    cf163_without_a_fence_a_wqe_starts_after_a_read,
    cf164_no_more_than_max_rd_atomic_reads_and_atomics,
    cf165_a_blocked_read_blocks_what_comes_after_it,
    cf166_inline_data_is_copied_when_it_is_posted,
    cf018_cf019_cf020_what_requests_carry,
);

fn cf154_the_first_psn_is_the_configured_one(y: &mut Bench) {
    y.connect_with(|a| a.sq_psn = 0);
    y.post(work(1, SEND, 1));
    assert_eq!(y.sent_rows(), [(0x04, 0)]);
    for (qpn, sq_psn) in [(0x0C04, 10), (0x0D05, 0xFF_FFFF)] {
        y.connect_another(qpn, |a| a.sq_psn = sq_psn);
        y.post(work(1, SEND, 1));
        assert_eq!(y.sent_rows(), [(0x04, sq_psn)]);
    }
}

fn cf155_psns_increase_by_one_across_messages(y: &mut Bench) {
    y.connect_with(|a| a.sq_psn = 0xFF_FFFE);
    y.post(work(1, SEND, 257));
    y.post(work(2, WRITE, 600));
    y.post(work(3, FETCH_ADD, 8));
    y.post(work(4, SEND, 0));
    let expected = [
        (0x00, 0xFF_FFFE),
        (0x02, 0xFF_FFFF),
        (0x06, 0),
        (0x07, 1),
        (0x08, 2),
        (0x14, 3),
        (0x04, 4),
    ];
    assert_eq!(y.sent_rows(), expected);
}

/// PMTU 256: a Read of 0, 256, 257 and 1024 bytes, a Send behind each.
fn cf156_a_read_takes_the_psns_of_its_responses(y: &mut Bench) {
    y.connect_with(|_| {});
    for length in [0, 256, 257, 1024] {
        y.post(work(1, READ, length));
        y.post(work(2, SEND, 1));
    }
    let expected = [
        (0x0C, 2000),
        (0x04, 2001),
        (0x0C, 2002),
        (0x04, 2003),
        (0x0C, 2004),
        (0x04, 2006),
        (0x0C, 2007),
        (0x04, 2011),
    ];
    assert_eq!(y.sent_rows(), expected);
}

fn cf157_wqes_are_sent_in_post_order(y: &mut Bench) {
    y.connect_with(|_| {});
    for (wr_id, operation) in [
        (1, READ),
        (2, SEND),
        (3, COMPARE_SWAP),
        (4, WRITE_WITH_IMMEDIATE),
        (5, FETCH_ADD),
        (6, WRITE),
    ] {
        y.post(work(wr_id, operation, 8));
    }
    let expected = [
        (0x0C, 2000),
        (0x04, 2001),
        (0x13, 2002),
        (0x0B, 2003),
        (0x14, 2004),
        (0x0A, 2005),
    ];
    assert_eq!(y.sent_rows(), expected);
}

/// A full send queue, of two packets each.
fn cf158_nothing_waits_for_acks(y: &mut Bench) {
    y.connect_with(|_| {});
    for n in 0..16 {
        y.post(work(n, SEND, 300));
    }
    let expected: Vec<_> = (0..16)
        .flat_map(|n| [(0x00, 2000 + 2 * n), (0x02, 2001 + 2 * n)])
        .collect();
    assert_eq!(y.sent_rows(), expected);
    assert_eq!(y.completions(), []);
}

/// The middle packet of the three may ask too.
fn cf159_the_last_packet_of_each_request_asks_for_an_ack(y: &mut Bench) {
    y.connect_with(|_| {});
    for operation in [SEND, WRITE, WRITE_WITH_IMMEDIATE] {
        y.post(work(1, operation, 600));
        y.post(work(2, operation, 6));
    }
    for operation in [READ, COMPARE_SWAP, FETCH_ADD] {
        y.post(work(3, operation, 8));
    }
    let asks: Vec<(u8, bool)> = y.sent().iter().map(|p| (p.bth.opcode, p.bth.a)).collect();
    let opcodes: Vec<u8> = asks.iter().map(|a| a.0).collect();
    assert_eq!(
        opcodes,
        [
            0x00, 0x01, 0x02, 0x04, // Send
            0x06, 0x07, 0x08, 0x0A, // Write
            0x06, 0x07, 0x09, 0x0B, // Write with immediate
            0x0C, 0x13, 0x14
        ]
    );
    let ends = [0x02, 0x04, 0x08, 0x0A, 0x09, 0x0B, 0x0C, 0x13, 0x14];
    for (opcode, a) in asks {
        assert!(a || !ends.contains(&opcode), "{opcode:02X}h");
    }
}

/// SE of each packet of a solicited request.
fn solicited(y: &mut Bench, operation: SendOperation, length: u32) -> Vec<bool> {
    y.post(SendRequest {
        solicited: true,
        ..work(1, operation, length)
    });
    y.sent().iter().map(|p| p.bth.se).collect()
}

fn cf160_se_stands_on_the_last_packet_of_sends_and_write_with_immediate(y: &mut Bench) {
    y.connect_with(|_| {});
    let immediate = IMMEDIATE;
    for operation in [
        SEND,
        SendOperation::SendWithImmediate { immediate },
        SendOperation::SendWithInvalidate { r_key: 1 },
        WRITE_WITH_IMMEDIATE,
    ] {
        assert_eq!(
            solicited(y, operation, 600),
            [false, false, true],
            "{operation:?}"
        );
        assert_eq!(solicited(y, operation, 6), [true], "{operation:?}");
    }
    y.post(work(1, SEND, 600));
    assert!(y.sent().iter().all(|p| !p.bth.se), "only when the request asks");
}

fn cf161_se_is_0_for_write_read_and_atomic(y: &mut Bench) {
    y.connect_with(|_| {});
    assert_eq!(solicited(y, WRITE, 600), [false; 3]);
    for operation in [WRITE, READ, COMPARE_SWAP, FETCH_ADD] {
        assert_eq!(solicited(y, operation, 8), [false], "{operation:?}");
    }
}

/// FB25: the fence waits for the Read and the atomic, not for the Send before it.
fn cf162_a_fence_waits_for_earlier_reads_and_atomics(y: &mut Bench) {
    y.connect_with(|_| {});
    y.post(work(1, READ, 300));
    y.post(work(2, FETCH_ADD, 8));
    y.post(work(3, SEND, 1));
    y.post(SendRequest {
        fence: true,
        ..work(4, SEND, 1)
    });
    y.post(work(5, SEND, 1));
    assert_eq!(y.sent_rows(), [(0x0C, 2000), (0x14, 2002), (0x04, 2003)]);
    assert_eq!(y.sent_after(&[data(0x0D, 2000, &[1; 256])]), []);
    assert_eq!(y.sent_after(&[data(0x0F, 2001, &[2; 44])]), []);
    assert_eq!(y.completions(), [(1, Status::Success, 300)]);
    assert_eq!(y.sent_after(&[atomic_ack(2002, 5)]), [(0x04, 2004), (0x04, 2005)]);
    assert_eq!(y.completions(), [(2, Status::Success, 8)]);
}

fn cf163_without_a_fence_a_wqe_starts_after_a_read(y: &mut Bench) {
    y.connect_with(|_| {});
    y.post(work(1, READ, 300));
    y.post(work(2, SEND, 1));
    assert_eq!(y.sent_rows(), [(0x0C, 2000), (0x04, 2002)]);
}

fn cf164_no_more_than_max_rd_atomic_reads_and_atomics(y: &mut Bench) {
    y.connect_with(|a| a.max_rd_atomic = 2);
    for (wr_id, operation) in [(1, READ), (2, FETCH_ADD), (3, READ), (4, FETCH_ADD)] {
        y.post(work(wr_id, operation, 8));
    }
    assert_eq!(y.sent_rows(), [(0x0C, 2000), (0x14, 2001)]);
    assert_eq!(y.sent_after(&[data(0x10, 2000, &[1; 8])]), [(0x0C, 2002)]);
    assert_eq!(y.sent_after(&[atomic_ack(2001, 7)]), [(0x14, 2003)]);
    let success = [(1, Status::Success, 8), (2, Status::Success, 8)];
    assert_eq!(y.completions(), success);
    y.connect_another(0x0C05, |a| a.max_rd_atomic = 16);
    for n in 0..16 {
        y.post(work(n, READ, 8));
    }
    let all: Vec<_> = (0..16).map(|n| (0x0C, FIRST_PSN + n)).collect();
    assert_eq!(y.sent_rows(), all, "as many as the adapter keeps");
}

fn cf165_a_blocked_read_blocks_what_comes_after_it(y: &mut Bench) {
    y.connect_with(|a| a.max_rd_atomic = 1);
    for (wr_id, operation) in [(1, READ), (2, READ), (3, SEND)] {
        y.post(work(wr_id, operation, 8));
    }
    assert_eq!(y.sent_rows(), [(0x0C, 2000)]);
    assert_eq!(
        y.sent_after(&[data(0x10, 2000, &[1; 8])]),
        [(0x0C, 2001), (0x04, 2002)]
    );
    assert_eq!(y.completions(), [(1, Status::Success, 8)]);
}

/// Two SGEs, a key that no region has: it is not looked at.
fn cf166_inline_data_is_copied_when_it_is_posted(y: &mut Bench) {
    y.connect_with(|_| {});
    let old: Vec<u8> = (0..200).map(source_byte).collect();
    for inline in [true, false] {
        y.overwrite_source(&old);
        let l_key = if inline { 0x99 } else { L_KEY };
        let part = |addr, length| Sge { addr, length, l_key };
        y.post(SendRequest {
            inline,
            sges: vec![part(SOURCE, 190), part(SOURCE + 7, 66)],
            ..work(1, SEND, 0)
        });
        y.overwrite_source(&[0xEE; 200]);
        let payload: Vec<u8> = y.sent().iter().flat_map(|p| p.payload.clone()).collect();
        let posted = [&old[..190], &old[7..73]].concat();
        assert_eq!(payload, if inline { posted } else { vec![0xEE; 256] });
    }
}

/// RETH, AtomicETH, ImmDt, IETH, and what they stand on.
fn cf018_cf019_cf020_what_requests_carry(y: &mut Bench) {
    y.connect_with(|_| {});
    y.post(work(1, WRITE_WITH_IMMEDIATE, 300));
    y.post(work(2, COMPARE_SWAP, 8));
    y.post(work(3, FETCH_ADD, 8));
    y.post(work(4, READ, 700));
    let invalidate = SendOperation::SendWithInvalidate { r_key: 0x1234_5678 };
    y.post(work(5, invalidate, 0));
    let packets = y.sent();
    let opcodes: Vec<_> = packets.iter().map(|p| (p.bth.opcode, p.bth.psn)).collect();
    let expected = [
        (0x06, 2000),
        (0x09, 2001),
        (0x13, 2002),
        (0x14, 2003),
        (0x0C, 2004),
        (0x17, 2007),
    ];
    assert_eq!(opcodes, expected);
    let reth = |n: usize| packets[n].reth().map(|r| (r.va, r.r_key, r.dma_len));
    assert_eq!(reth(0), Some((0x40_0000, 0x5A5A_5A5A, 300)));
    assert_eq!((reth(1), packets[0].immediate()), (None, None));
    assert_eq!(packets[1].immediate(), Some([0xDE, 0xAD, 0xBE, 0xEF]));
    assert_eq!(reth(4), Some((0x40_0000, 0x5A5A_5A5A, 700)));
    let operands = |n: usize| {
        let a = packets[n].atomic_eth().unwrap();
        (a.va, a.r_key, a.swap_dt_add_dt, a.cmp_dt)
    };
    assert_eq!(operands(2), (0x40_0000, 0x5A5A_5A5A, 2, 1));
    assert_eq!(operands(3), (0x40_0000, 0x5A5A_5A5A, 3, 0));
    assert_eq!(packets[5].ieth().unwrap().r_key, 0x1234_5678);
    let payload: Vec<u8> = packets[..2].iter().flat_map(|p| p.payload.clone()).collect();
    assert_eq!(payload, (0..300).map(source_byte).collect::<Vec<u8>>());
}
