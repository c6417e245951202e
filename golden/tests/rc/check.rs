//! Lengths, keys and local faults of a request (`responder.md` section 1, steps 13 to 15).
use super::case::*;
use super::pair::*;
use hca_golden::hca::Hca;
use hca_golden::verbs::*;
use hca_golden::wire::packet::Packet;

/// After a first packet that is taken, this one gets NAK 61h.
fn second_is_refused(first: Packet, second: Packet) {
    let text = format!("{second:?}");
    let answers = replies(&mut responder(1), &[first, second]);
    assert_eq!(answers, [ack(100, 0), nak(101, 0x61, 0)], "{text}");
}

fn send_first() -> Packet {
    request(0x00, 100, &[1; 256])
}

fn write_first(dma_len: u32) -> Packet {
    rdma(0x06, 100, TARGET, dma_len, &[1; 256])
}

#[test]
fn cf078_first_and_middle_carry_exactly_pmtu() {
    for length in [0, 252, 260] {
        refused_by(responder(1), request(0x00, 100, &vec![1; length]), 0x61);
        refused_by(
            responder(1),
            rdma(0x06, 100, TARGET, 1024, &vec![1; length]),
            0x61,
        );
        second_is_refused(send_first(), request(0x01, 101, &vec![1; length]));
        second_is_refused(write_first(1024), request(0x07, 101, &vec![1; length]));
    }
}

#[test]
fn cf079_last_is_not_empty() {
    for opcode in [0x02, 0x03] {
        second_is_refused(send_first(), request(opcode, 101, &[]));
    }
    for opcode in [0x08, 0x09] {
        second_is_refused(write_first(256), request(opcode, 101, &[]));
    }
}

#[test]
fn cf080_only_and_last_carry_no_more_than_pmtu() {
    refused_by(responder(1), request(0x04, 100, &[1; 257]), 0x61);
    refused_by(responder(1), rdma(0x0A, 100, TARGET, 257, &[1; 257]), 0x61);
    second_is_refused(send_first(), request(0x02, 101, &[1; 257]));
    second_is_refused(write_first(513), request(0x08, 101, &[1; 257]));
}

/// FB13.
#[test]
fn cf081_a_write_with_more_data_than_dmalen() {
    refused_by(responder(1), rdma(0x0A, 100, TARGET, 3, &[1; 4]), 0x61);
    refused_by(responder(1), rdma(0x06, 100, TARGET, 255, &[1; 256]), 0x61);
    second_is_refused(write_first(300), request(0x08, 101, &[1; 45]));
    second_is_refused(write_first(300), request(0x07, 101, &[1; 256]));
}

#[test]
fn cf082_a_write_that_ends_short_of_dmalen() {
    refused_by(responder(1), rdma(0x0A, 100, TARGET, 5, &[1; 4]), 0x61);
    second_is_refused(write_first(300), request(0x08, 101, &[1; 43]));
}

#[test]
fn cf083_dmalen_above_2_to_31() {
    refused_by(responder(1), read(100, 0, (1 << 31) + 1), 0x61);
    refused_by(responder(1), rdma(0x06, 100, 0, (1 << 31) + 1, &[1; 256]), 0x61);
    let mut y = responder(0);
    let first = rdma(0x06, 100, TARGET, 1 << 31, &[1; 256]);
    assert_eq!(replies(&mut y, &[first]), [ack(100, 0)]);
}

#[test]
fn cf084_a_send_larger_than_the_receive_wqe() {
    let mut y = responder(0);
    y.post_receive(Y_QPN, receive(9, &[sge(BUFFER_AT, 258)])).unwrap();
    let packets = [send_first(), request(0x02, 101, &[2; 3])];
    assert_eq!(replies(&mut y, &packets), [ack(100, 0), nak(101, 0x61, 0)]);
    assert_eq!(statuses(&mut y), [(9, Status::LocLenErr)]);
    assert_eq!(y.memory().read(BUFFER_AT + 256, 3), [0; 3]);
}

/// Write, read and atomic at [`TARGET`] under this key.
fn under_key(r_key: u32) -> [Packet; 4] {
    let reth = |opcode, payload: &[u8]| with_reth(request(opcode, 100, payload), TARGET, r_key, 8);
    let mut atomic = atomic(0x14, 100, TARGET, 1, 0);
    if let Some(hca_golden::wire::extension::Extension::AtomicEth(h)) = atomic.extensions.first_mut() {
        h.r_key = r_key;
    }
    let write = reth(0x0A, &[0xEE; 8]);
    let write_with_immediate = reth(0x0B, &[0xEE; 8]);
    [write, write_with_immediate, reth(0x0C, &[]), atomic]
}

/// NAK 62h, an access error, not a byte written, no receive WQE used.
fn access_refused(mut y: Hca, packet: Packet) {
    let text = format!("{packet:?}");
    assert_eq!(replies(&mut y, &[packet]), [nak(100, 0x62, 0)], "{text}");
    assert_eq!(y.memory().read(TARGET, 4096), message(4096), "{text}");
    assert_eq!(y.poll_async(), Some(AsyncEvent::AccessError { qpn: Y_QPN }));
    assert_eq!(statuses(&mut y), [(70, Status::WrFlushErr)]);
}

#[test]
fn cf085_an_unknown_r_key() {
    for packet in under_key(0x23) {
        access_refused(responder(1), packet);
    }
}

#[test]
fn cf085_a_key_that_was_invalidated_or_deregistered() {
    for packet in under_key(0x22) {
        let mut y = responder_of_region(|_| {});
        y.invalidate(0x22);
        access_refused(y, packet.clone());
        let mut y = responder_of_region(|_| {});
        y.dereg_mr(0x11).unwrap();
        access_refused(y, packet);
    }
}

#[test]
fn cf086_an_r_key_without_the_right() {
    let none = |region: &mut MemoryRegion| region.access = MemoryAccess::default();
    for packet in under_key(0x22) {
        access_refused(responder_of_region(none), packet);
    }
    let reads_only = |region: &mut MemoryRegion| {
        region.access = MemoryAccess {
            remote_read: true,
            ..MemoryAccess::default()
        }
    };
    let [write, _, read, _] = under_key(0x22);
    access_refused(responder_of_region(reads_only), write);
    let answers = replies(&mut responder_of_region(reads_only), &[read]);
    assert_eq!(answers, [(0x10, 100, Some((0x1F, 1)))]);
}

/// FB20: the region ends at [`TARGET`] + 1024.
#[test]
fn cf087_access_outside_the_region() {
    let outside = [
        (TARGET - 1, 8),
        (TARGET + 1017, 8),
        (TARGET + 1024, 1),
        (0, 8),
        (u64::MAX - 3, 8),
    ];
    for (va, dma_len) in outside {
        let write = request(0x0A, 100, &vec![0xEE; dma_len as usize]);
        access_refused(responder_of_region(|_| {}), with_reth(write, va, 0x22, dma_len));
        let read = with_reth(request(0x0C, 100, &[]), va, 0x22, dma_len);
        access_refused(responder_of_region(|_| {}), read);
    }
    // The whole of a Write is looked at with its first packet.
    let first = with_reth(request(0x06, 100, &[0xEE; 256]), TARGET + 512, 0x22, 513);
    access_refused(responder_of_region(|_| {}), first);
    let mut y = responder_of_region(|_| {});
    let last_byte = with_reth(request(0x0A, 100, &[0xEE]), TARGET + 1023, 0x22, 1);
    assert_eq!(replies(&mut y, &[last_byte]), [ack(100, 1)]);
    assert_eq!(y.memory().read(TARGET + 1023, 1), [0xEE]);
}

#[test]
fn cf087_a_zero_based_region_counts_from_0() {
    let mut y = responder_of_region(|r| r.zero_based = true);
    let read = with_reth(request(0x0C, 100, &[]), 1000, 0x22, 24);
    assert_eq!(answered(&mut y, &[read])[0].payload, message(1024)[1000..]);
    let beyond = with_reth(request(0x0C, 100, &[]), 1001, 0x22, 24);
    access_refused(responder_of_region(|r| r.zero_based = true), beyond);
}

#[test]
fn cf088_an_r_key_of_another_protection_domain() {
    for packet in under_key(0x22) {
        access_refused(responder_of_region(|r| r.pd = PD + 1), packet);
    }
}

/// FB21.
#[test]
fn cf089_no_bytes_need_no_key() {
    let mut y = responder(1);
    let nowhere = |opcode, psn| with_reth(request(opcode, psn, &[]), u64::MAX, 0xBAD, 0);
    let packets = [nowhere(0x0A, 100), nowhere(0x0C, 101), nowhere(0x0B, 102)];
    assert_eq!(
        replies(&mut y, &packets),
        [ack(100, 1), (0x10, 101, Some((0x1F, 2))), ack(102, 3)]
    );
    assert_eq!(statuses(&mut y), [(70, Status::Success)]);
}

#[test]
fn cf090_a_misaligned_atomic() {
    for opcode in [0x13, 0x14] {
        for offset in [1, 2, 4, 7] {
            refused_by(responder(0), atomic(opcode, 100, TARGET + offset, 0, 0), 0x61);
        }
    }
}

#[test]
fn cf091_a_bad_l_key_in_the_receive_wqe() {
    let bad = Sge {
        addr: BUFFER_AT,
        length: 64,
        l_key: 0x99,
    };
    let mut y = responder(0);
    y.post_receive(Y_QPN, receive(9, &[bad])).unwrap();
    assert_eq!(
        replies(&mut y, &[request(0x04, 100, &[1; 4])]),
        [nak(100, 0x63, 0)]
    );
    assert_eq!(statuses(&mut y), [(9, Status::LocProtErr)]);
    assert_eq!(y.memory().read(BUFFER_AT, 4), [0; 4]);
    // An SGE that may only be read, and bytes that come to lie behind the bad one.
    let read_only = |r: &mut MemoryRegion| r.access = MemoryAccess::default();
    let mut y = responder_of_region(read_only);
    let sges = [
        sge(BUFFER_AT, 0),
        Sge {
            addr: TARGET,
            length: 8,
            l_key: 0x11,
        },
    ];
    y.post_receive(Y_QPN, receive(9, &sges)).unwrap();
    let packets = [request(0x04, 100, &[1; 4]), request(0x04, 101, &[1; 4])];
    assert_eq!(replies(&mut y, &packets), [ack(100, 1), nak(101, 0x63, 1)]);
}

#[test]
fn cf092_after_a_nak_that_ends_it_the_qp_is_silent() {
    let cases = [
        (request(0x01, 100, &[]), 0x61),
        (with_reth(request(0x0C, 100, &[]), 0, 0xBAD, 4), 0x62),
    ];
    for (packet, syndrome) in cases {
        let mut y = responder(3);
        assert_eq!(replies(&mut y, &[packet]), [nak(100, syndrome, 0)]);
        let after = [
            request(0x04, 100, &[]),
            request(0x04, 99, &[]),
            read(101, TARGET, 4),
        ];
        assert_eq!(replies(&mut y, &after), []);
        // FB23, FB24: each receive WQE is flushed, none is used.
        let flushed = [70, 71, 72].map(|id| (id, Status::WrFlushErr));
        assert_eq!(statuses(&mut y), flushed);
    }
}

/// FB12: they are refused although they use no receive WQE.
#[test]
fn cf093_a_write_that_fails_its_key_check_uses_no_receive_wqe() {
    let bad = with_reth(request(0x0B, 100, &[1; 4]), TARGET, 0xBAD, 4);
    access_refused(responder(1), bad);
}

/// `responder.md` section 5: no answer, the receive WQE ends in error.
#[test]
fn a_key_that_cannot_be_invalidated() {
    let mut y = responder(1);
    assert_eq!(replies(&mut y, &[send_with_invalidate(100, 0xBAD)]), []);
    assert_eq!(statuses(&mut y), [(70, Status::RemInvReqErr)]);
    assert_eq!(state(&y), QpState::Error);
}

#[test]
fn a_send_takes_a_key_out_of_use() {
    let mut y = responder_of_region(|_| {});
    assert_eq!(replies(&mut y, &[send_with_invalidate(100, 0x22)]), [ack(100, 1)]);
    let completion = y.poll_cq(CQN).unwrap();
    assert_eq!(
        (completion.status, completion.invalidated),
        (Status::Success, Some(0x22))
    );
    let read = with_reth(request(0x0C, 101, &[]), TARGET, 0x22, 4);
    assert_eq!(replies(&mut y, &[read]), [nak(101, 0x62, 1)]);
}
