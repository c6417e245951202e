//! R_Key, right, bounds and protection domain (`responder.md` section 1 step 14).
use crate::bench::peer::{atomic, rdma, read, with_reth};
use crate::bench::responder::{ack, answer, message, nak, FLUSHED, TARGET, TARGET_KEY};
use crate::bench::{on_both, request, Bench};
use hca_golden::verbs::{MemoryAccess, MemoryRegion, Status};
use hca_golden::wire::extension::Extension;
use hca_golden::wire::packet::Packet;
use hca_testbench::scenario::region::{l_key, r_key_of_all};

on_both!(
    cf085_cf093_an_unknown_r_key,
    cf085_a_key_that_was_invalidated_or_deregistered,
    cf086_an_r_key_without_the_right,
    cf086_each_right_permits_what_it_names,
    cf087_access_outside_the_region,
    cf087_all_of_a_write_is_looked_at_with_its_first_packet,
    cf087_a_zero_based_region_counts_from_0,
    cf088_an_r_key_of_another_protection_domain,
    cf088_every_bit_of_the_protection_domain_counts,
    cf089_no_bytes_need_no_key,
    cf093_a_write_that_fails_its_key_check_uses_no_receive_wqe,
);

/// Write, Write with immediate, Read and FetchAdd of 8 bytes at the target, under this key.
fn under_key(r_key: u32) -> [Packet; 4] {
    let reth = |opcode, payload: &[u8]| with_reth(request(opcode, 100, payload), TARGET, r_key, 8);
    let mut add = atomic(0x14, 100, TARGET, 1, 0);
    for extension in &mut add.extensions {
        if let Extension::AtomicEth(header) = extension {
            header.r_key = r_key;
        }
    }
    let write = |opcode| reth(opcode, &[0xEE; 8]);
    [write(0x0A), write(0x0B), reth(0x0C, &[]), add]
}

/// NAK 62h, not a byte written, no receive WQE used.
fn refused(y: &mut Bench, packet: &Packet) {
    y.responder(1);
    y.refused(packet, nak(100, 0x62, 0), FLUSHED);
    y.nothing_written();
}

/// One of no region, one with another tag, an L_Key.
fn cf085_cf093_an_unknown_r_key(y: &mut Bench) {
    for r_key in [TARGET_KEY, r_key_of_all() ^ 1, l_key(1)] {
        for packet in &under_key(r_key) {
            refused(y, packet);
        }
    }
}

fn cf085_a_key_that_was_invalidated_or_deregistered(y: &mut Bench) {
    let [write, _, read, add] = under_key(TARGET_KEY);
    y.responder(0);
    y.register_target(|_| {});
    assert_eq!(y.replies_to(std::slice::from_ref(&read)), [answer(0x10, 100, 1)]);
    y.invalidate_target();
    for packet in [&write, &read, &add] {
        refused(y, packet);
    }
    y.deregister_target();
    y.register_target(|_| {});
    y.responder(0);
    assert_eq!(y.replies_to(std::slice::from_ref(&read)), [answer(0x10, 100, 1)]);
    y.deregister_target();
    for packet in [&write, &read, &add] {
        refused(y, packet);
    }
}

/// The region with these rights, writes and reads of the host among them.
fn rights(y: &mut Bench, remote_write: bool, remote_read: bool, remote_atomic: bool) {
    let access = MemoryAccess {
        local_write: true,
        remote_write,
        remote_read,
        remote_atomic,
    };
    y.register_target(|r| r.access = access);
}

/// Each right but the one that is needed.
fn cf086_an_r_key_without_the_right(y: &mut Bench) {
    let [write, write_with_immediate, read, add] = under_key(TARGET_KEY);
    let cases = [
        (vec![&write, &write_with_immediate], (false, true, true)),
        (vec![&read], (true, false, true)),
        (vec![&add], (true, true, false)),
    ];
    for (packets, (w, r, a)) in cases {
        rights(y, w, r, a);
        for packet in packets {
            refused(y, packet);
        }
        y.deregister_target();
    }
}

fn cf086_each_right_permits_what_it_names(y: &mut Bench) {
    let [write, _, read, add] = under_key(TARGET_KEY);
    let cases = [
        (write, (true, false, false), ack(100, 1)),
        (read, (false, true, false), answer(0x10, 100, 1)),
        (add, (false, false, true), answer(0x12, 100, 1)),
    ];
    for (packet, (w, r, a), reply) in cases {
        rights(y, w, r, a);
        y.responder(0);
        assert_eq!(y.replies_to(&[packet]), [reply]);
        y.deregister_target();
    }
}

/// FB20: the region ends at the target + 1024.
fn cf087_access_outside_the_region(y: &mut Bench) {
    y.register_target(|_| {});
    let outside = [
        (TARGET - 1, 8),
        (TARGET + 1017, 8),
        (TARGET + 1024, 1),
        (0, 8),
        (u64::MAX - 3, 8),
        // 2^32 away: all 64 bits count.
        (TARGET + (1 << 32), 8),
    ];
    for (va, dma_len) in outside {
        let write = request(0x0A, 100, &vec![0xEE; dma_len as usize]);
        refused(y, &with_reth(write, va, TARGET_KEY, dma_len));
        refused(y, &with_reth(read(100, 0, 0), va, TARGET_KEY, dma_len));
    }
    y.responder(0);
    let last_byte = with_reth(request(0x0A, 100, &[0xEE]), TARGET + 1023, TARGET_KEY, 1);
    assert_eq!(y.replies_to(&[last_byte]), [ack(100, 1)]);
    let around = message(1025);
    assert_eq!(y.target(1022, 3), [around[1022], 0xEE, around[1024]]);
}

fn cf087_all_of_a_write_is_looked_at_with_its_first_packet(y: &mut Bench) {
    y.register_target(|_| {});
    let first = |dma_len| {
        let packet = request(0x06, 100, &[0xEE; 256]);
        with_reth(packet, TARGET + 512, TARGET_KEY, dma_len)
    };
    refused(y, &first(513));
    y.responder(0);
    let packets = [first(512), request(0x08, 101, &[0xEF; 256])];
    assert_eq!(y.replies_to(&packets), [ack(100, 0), ack(101, 1)]);
    assert_eq!(y.target(512, 512), [[0xEE; 256], [0xEF; 256]].concat());
}

fn cf087_a_zero_based_region_counts_from_0(y: &mut Bench) {
    let at = |va| with_reth(read(100, 0, 0), va, TARGET_KEY, 24);
    y.register_target(|r: &mut MemoryRegion| r.zero_based = true);
    y.responder(0);
    assert_eq!(y.answered(&[at(1000)])[0].payload, message(1024)[1000..]);
    refused(y, &at(1001));
    refused(y, &at(TARGET));
    y.responder(0);
    let write = with_reth(request(0x0A, 100, &[0xEE; 4]), 3, TARGET_KEY, 4);
    assert_eq!(y.replies_to(&[write]), [ack(100, 1)]);
    assert_eq!(y.target(2, 6), [26, 0xEE, 0xEE, 0xEE, 0xEE, 91]);
}

fn cf088_an_r_key_of_another_protection_domain(y: &mut Bench) {
    y.register_target(|r| r.pd = 1);
    for packet in &under_key(TARGET_KEY) {
        refused(y, packet);
    }
    let [_, _, read, _] = under_key(TARGET_KEY);
    y.responder_with(0, |a| a.pd = 1);
    assert_eq!(y.replies_to(&[read]), [answer(0x10, 100, 1)]);
    let [_, _, of_another, _] = under_key(r_key_of_all());
    y.responder_with(0, |a| a.pd = 1);
    assert_eq!(y.replies_to(&[of_another]), [nak(100, 0x62, 0)]);
}

fn cf088_every_bit_of_the_protection_domain_counts(y: &mut Bench) {
    let [write, _, read, _] = under_key(TARGET_KEY);
    for bit in 0..24 {
        let pd = 1 << bit;
        y.register_target(|r| r.pd = pd);
        y.responder_with(0, |a| a.pd = pd);
        let next = with_reth(request(0x0A, 101, &[0xEE; 8]), TARGET, TARGET_KEY, 8);
        let expected = [answer(0x10, 100, 1), ack(101, 2)];
        assert_eq!(y.replies_to(&[read.clone(), next]), expected, "PD {pd:x}");
        y.responder_with(0, |a| a.pd = 0);
        assert_eq!(
            y.replies_to(std::slice::from_ref(&write)),
            [nak(100, 0x62, 0)],
            "PD {pd:x}"
        );
        y.deregister_target();
    }
}

/// FB21.
fn cf089_no_bytes_need_no_key(y: &mut Bench) {
    y.responder_with(1, |a| a.pd = 0xF0F0F0);
    let nowhere = |opcode, psn| with_reth(request(opcode, psn, &[]), u64::MAX, 0xBAD, 0);
    let packets = [nowhere(0x0A, 100), nowhere(0x0C, 101), nowhere(0x0B, 102)];
    let expected = [ack(100, 1), answer(0x10, 101, 2), ack(102, 3)];
    assert_eq!(y.replies_to(&packets), expected);
    assert_eq!(y.completions(), [(70, Status::Success, 0)]);
    let again = [nowhere(0x0C, 101), nowhere(0x0A, 100)];
    assert_eq!(y.replies_to(&again), [answer(0x10, 101, 3), ack(102, 3)]);
}

/// FB12: C10-87, of a Write only and of one whose immediate packet comes last.
fn cf093_a_write_that_fails_its_key_check_uses_no_receive_wqe(y: &mut Bench) {
    let bad = |opcode, dma_len| {
        let packet = rdma(opcode, 100, TARGET, dma_len, &vec![1; 256.min(dma_len as usize)]);
        with_reth(packet, TARGET, 0xBAD, dma_len)
    };
    for packet in [bad(0x0B, 4), bad(0x06, 300)] {
        y.responder(2);
        assert_eq!(y.replies_to(&[packet]), [nak(100, 0x62, 0)]);
        let flushed = [70, 71].map(|id| (id, Status::WrFlushErr, 0));
        assert_eq!(y.completions(), flushed);
        y.nothing_written();
    }
}
