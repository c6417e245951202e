//! Lengths, and local faults of a request (`responder.md` section 1, steps 13 and 15). CF084 is in `responder`.
use crate::bench::peer::{atomic, rdma, read, send_with_invalidate};
use crate::bench::responder::{ack, nak, Reply, ENDED, FLUSHED, TARGET, TARGET_KEY};
use crate::bench::{on_both, request, Bench, BUFFER};
use hca_golden::verbs::{MemoryAccess, QpState, Sge, Status};
use hca_golden::wire::packet::Packet;
use hca_testbench::scenario::region::{l_key, L_KEY};

on_both!(
    cf078_first_and_middle_carry_exactly_pmtu,
    cf079_last_is_not_empty,
    cf080_only_and_last_carry_no_more_than_pmtu,
    cf081_a_write_with_more_data_than_dmalen,
    cf082_a_write_that_ends_short_of_dmalen,
    cf083_dmalen_above_2_to_31,
    cf083_dmalen_of_2_to_31,
    cf090_a_misaligned_atomic,
    cf091_an_unknown_l_key_in_the_receive_wqe,
    cf091_a_receive_wqe_that_may_not_be_written,
    cf092_after_a_nak_that_ends_it_the_qp_is_silent,
    a_key_that_cannot_be_invalidated,
    a_send_takes_a_key_out_of_use,
);

const REFUSED: Reply = (0x11, 100, Some((0x61, 0)));

/// A Send is open, then this comes.
fn inside_a_send(y: &mut Bench, second: &Packet) {
    y.responder(1);
    assert_eq!(y.replies_to(&[request(0x00, 100, &[1; 256])]), [ack(100, 0)]);
    y.refused(second, nak(101, 0x61, 0), ENDED);
}

/// A Write of `dma_len` bytes is open, then this comes; the QP has a receive WQE for its immediate.
fn inside_a_write(y: &mut Bench, dma_len: u32, second: &Packet) {
    y.responder(1);
    let first = rdma(0x06, 100, TARGET, dma_len, &[1; 256]);
    assert_eq!(y.replies_to(&[first]), [ack(100, 0)]);
    let written = y.target(256, 1024);
    y.refused(second, nak(101, 0x61, 0), FLUSHED);
    assert_eq!(y.target(256, 1024), written, "the refused packet leaves no byte");
}

/// The first packet of a Write, or its only one.
fn a_write(y: &mut Bench, packet: &Packet) {
    y.responder(1);
    y.refused(packet, REFUSED, FLUSHED);
    y.nothing_written();
}

fn cf078_first_and_middle_carry_exactly_pmtu(y: &mut Bench) {
    for length in [0, 252, 260] {
        let payload = vec![1; length];
        y.responder(1);
        y.refused_for_length(&request(0x00, 100, &payload), REFUSED);
        y.nothing_written();
        a_write(y, &rdma(0x06, 100, TARGET, 1024, &payload));
        inside_a_send(y, &request(0x01, 101, &payload));
        inside_a_write(y, 1024, &request(0x07, 101, &payload));
    }
}

fn cf079_last_is_not_empty(y: &mut Bench) {
    for opcode in [0x02, 0x03, 0x16] {
        inside_a_send(y, &request(opcode, 101, &[]));
    }
    for opcode in [0x08, 0x09] {
        inside_a_write(y, 256, &request(opcode, 101, &[]));
    }
}

fn cf080_only_and_last_carry_no_more_than_pmtu(y: &mut Bench) {
    for opcode in [0x04, 0x05] {
        y.responder(1);
        y.refused_for_length(&request(opcode, 100, &[1; 257]), REFUSED);
        y.nothing_written();
    }
    a_write(y, &rdma(0x0A, 100, TARGET, 257, &[1; 257]));
    inside_a_send(y, &request(0x02, 101, &[1; 257]));
    inside_a_write(y, 513, &request(0x08, 101, &[1; 257]));
}

/// FB13.
fn cf081_a_write_with_more_data_than_dmalen(y: &mut Bench) {
    a_write(y, &rdma(0x0A, 100, TARGET, 3, &[1; 4]));
    a_write(y, &rdma(0x0A, 100, TARGET, 0, &[1; 4]));
    a_write(y, &rdma(0x06, 100, TARGET, 255, &[1; 256]));
    inside_a_write(y, 300, &request(0x08, 101, &[1; 45]));
    inside_a_write(y, 300, &request(0x07, 101, &[1; 256]));
}

fn cf082_a_write_that_ends_short_of_dmalen(y: &mut Bench) {
    a_write(y, &rdma(0x0A, 100, TARGET, 5, &[1; 4]));
    a_write(y, &rdma(0x0B, 100, TARGET, 5, &[1; 4]));
    inside_a_write(y, 300, &request(0x08, 101, &[1; 43]));
    inside_a_write(y, 513, &request(0x09, 101, &[1; 256]));
}

fn cf083_dmalen_above_2_to_31(y: &mut Bench) {
    a_write(y, &read(100, 0, (1 << 31) + 1));
    a_write(y, &read(100, 0, u32::MAX));
    a_write(y, &rdma(0x06, 100, TARGET, (1 << 31) + 1, &[1; 256]));
}

fn cf083_dmalen_of_2_to_31(y: &mut Bench) {
    y.responder(0);
    let first = rdma(0x06, 100, TARGET, 1 << 31, &[1; 256]);
    assert_eq!(y.replies_to(&[first]), [ack(100, 0)]);
    assert_eq!(y.target(0, 256), [1; 256]);
}

fn cf090_a_misaligned_atomic(y: &mut Bench) {
    for offset in [1, 2, 4, 7] {
        for opcode in [0x13, 0x14] {
            a_write(y, &atomic(opcode, 100, TARGET + offset, 0, 0));
        }
    }
}

/// Software is told LOC_PROT_ERR or LOC_QP_OP_ERR (section 5).
fn local_fault(y: &mut Bench, sges: &[Sge]) {
    y.responder(1);
    y.post_receive_of(9, sges);
    y.post_receive(10, 0, 64);
    let packets = [request(0x04, 100, &[1; 4]), request(0x04, 101, &[2; 4])];
    assert_eq!(y.replies_to(&packets), [ack(100, 1), nak(101, 0x63, 1)]);
    assert_eq!(y.state(), QpState::Error);
    let completions = y.completions();
    let [served, failed, flushed] = completions[..] else {
        panic!("{completions:?}");
    };
    assert_eq!(served, (70, Status::Success, 4));
    let told = [(9, Status::LocProtErr, 0), (9, Status::LocQpOpErr, 0)];
    assert!(told.contains(&failed), "{failed:?}");
    assert_eq!(flushed, (10, Status::WrFlushErr, 0));
    assert_eq!(y.replies_to(&[request(0x04, 102, &[3; 4])]), [], "CF092");
}

fn cf091_an_unknown_l_key_in_the_receive_wqe(y: &mut Bench) {
    let sge = |l_key| Sge {
        addr: BUFFER + 1024,
        length: 64,
        l_key,
    };
    // One of no region, one with another tag, an R_Key.
    for l_key in [l_key(2), L_KEY ^ 1, TARGET_KEY] {
        local_fault(y, &[sge(l_key)]);
        assert_eq!(y.buffer(1024, 64), [0xA5; 64]);
    }
}

/// Without local write, beyond the region's end, of another protection domain; the bytes come to lie behind an SGE
/// of no bytes, whose key does not matter.
fn cf091_a_receive_wqe_that_may_not_be_written(y: &mut Bench) {
    let empty = Sge {
        addr: 0,
        length: 0,
        l_key: 0xBAD,
    };
    let sge = |addr| Sge {
        addr,
        length: 4,
        l_key: l_key(2),
    };
    y.register_target(|r| r.access = MemoryAccess::default());
    local_fault(y, &[empty, sge(TARGET)]);
    y.deregister_target();
    y.register_target(|_| {});
    local_fault(y, &[empty, sge(TARGET + 1021)]);
    y.deregister_target();
    y.register_target(|r| r.pd = 1);
    local_fault(y, &[empty, sge(TARGET)]);
    assert_eq!(y.target(0, 4), [0, 13, 26, 39]);
}

fn cf092_after_a_nak_that_ends_it_the_qp_is_silent(y: &mut Bench) {
    let cases = [
        (request(0x01, 100, &[1; 256]), 0x61),
        (rdma(0x0A, 100, TARGET, 5, &[1; 4]), 0x61),
        (atomic(0x14, 100, TARGET + 1, 1, 0), 0x61),
        (
            crate::bench::peer::with_reth(read(100, 0, 4), TARGET, 0xBAD, 4),
            0x62,
        ),
    ];
    for (packet, syndrome) in cases {
        y.responder(3);
        assert_eq!(y.replies_to(&[packet]), [nak(100, syndrome, 0)]);
        // FB23, FB24: each receive WQE is flushed, in order, none is used.
        let flushed = [70, 71, 72].map(|id| (id, Status::WrFlushErr, 0));
        assert_eq!(y.completions(), flushed);
        let after = [
            request(0x04, 100, &[1]),
            request(0x04, 99, &[1]),
            request(0x04, 105, &[1]),
            rdma(0x0A, 100, TARGET, 1, &[1]),
            read(100, TARGET, 4),
            atomic(0x14, 100, TARGET, 1, 0),
        ];
        assert_eq!(y.replies_to(&after), []);
        y.nothing_written();
        // FB23: one that is posted now is flushed too.
        y.post_receive(73, 0, 16);
        assert_eq!(y.completions(), [(73, Status::WrFlushErr, 0)]);
    }
}

/// `responder.md` section 5: no answer, the receive WQE ends in error.
fn a_key_that_cannot_be_invalidated(y: &mut Bench) {
    y.responder(1);
    assert_eq!(y.replies_to(&[send_with_invalidate(100, 0xBAD, &[1])]), []);
    let completions = y.completions();
    let told = [(70, Status::RemInvReqErr, 0), (70, Status::LocQpOpErr, 0)];
    assert!(
        completions.len() == 1 && told.contains(&completions[0]),
        "{completions:?}"
    );
    assert_eq!(y.state(), QpState::Error);
}

fn a_send_takes_a_key_out_of_use(y: &mut Bench) {
    y.responder(1);
    y.register_target(|_| {});
    let read = |psn| crate::bench::peer::with_reth(read(psn, 0, 4), TARGET, TARGET_KEY, 4);
    assert_eq!(
        y.replies_to(&[read(100), send_with_invalidate(101, TARGET_KEY, &[])]),
        [(0x10, 100, Some((0x1F, 1))), ack(101, 2)]
    );
    let completions = y.taken();
    assert_eq!(completions.len(), 1);
    assert_eq!(
        (
            completions[0].wr_id,
            completions[0].status,
            completions[0].invalidated
        ),
        (70, Status::Success, Some(TARGET_KEY))
    );
    assert_eq!(y.replies_to(&[read(102)]), [nak(102, 0x62, 2)]);
}
