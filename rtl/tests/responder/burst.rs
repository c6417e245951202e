//! The count of answers behind the way out of the `line` profile, whose link takes them one right behind the other.
use crate::bench::{library, Bench};
use hca_rtl::hca::Outbound;
use hca_rtl::responder::AnswerCount;
use hca_rtl::transmit::KIND_ATOMIC_ACK;

/// Clocks from one answer of the responder to the next.
const PACE: u64 = 8;
/// Read/atomic resources of a QP.
const DEPTH: u64 = 16;
const QPS: u64 = 7;
/// Clocks for which the link takes nothing, until all answers that find room wait.
const PAUSE: u64 = 1_200;
/// Clocks from one packet to the next at least.
const SPACING: u64 = 2;

/// A `TransmitPacket` of this QP and PSN, without payload.
fn atomic_ack(qp: u64, psn: u64) -> Vec<u8> {
    let mut bits = vec![false; 372];
    for (at, width, value) in [
        (0, 2, u64::from(KIND_ATOMIC_ACK)),
        (3, 24, qp),
        (63, 8, 0x12),
        (99, 24, psn),
        // It takes no room.
        (361, 5, 16),
    ] {
        for bit in 0..width {
            bits[at + bit] = value >> bit & 1 == 1;
        }
    }
    bits.chunks(8)
        .map(|byte| {
            byte.iter()
                .enumerate()
                .fold(0, |sum, (bit, set)| sum | u8::from(*set) << bit)
        })
        .collect()
}

/// Each QP owes as many atomics as it can, all of which are answered while the link pauses, or right after.
#[test]
fn every_answer_behind_a_pause_of_the_link_is_counted() {
    // The block comes into being on the stack.
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let run = thread
        .spawn(counts_every_answer)
        .expect("a thread can be started");
    run.join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

fn counts_every_answer() {
    let mut out = Bench::new(
        &library::<Outbound<512, 64, 512, 1024, 8, 8, 10, 11, 1, 0>>("outbound"),
        1,
    );
    let mut count = Bench::new(&library::<AnswerCount<8, 12>>("answer_count"), 1);
    for port in [
        "request_valid", "request_piece_valid", "response_piece_valid", "ack_valid", "read_ready",
        "read_valid", "fault_ready", "modify_valid", "drain_mark", "m_axis_tready", "response_valid",
        "request_piece_nothing", "response_piece_nothing", "handle_valid", "send_hold", "leaving_vl",
    ] {
        out.set(port, 0);
    }
    out.set("leaving_room", 1);
    for port in ["accept_valid", "clear_valid", "answered_valid"] {
        count.set(port, 0);
    }
    // PSN n is a QP's operation n.
    for qp in 0..QPS {
        count.set("clear_valid", 1);
        count.set("clear_index", qp);
        count.settle();
        count.tick();
        count.set("clear_valid", 0);
        for n in 0..DEPTH {
            count.set("accept_valid", 1);
            count.set("accept_index", qp);
            count.set("accept_taken", n);
            count.set("accept_last_psn", n);
            count.settle();
            count.tick();
            count.set("accept_valid", 0);
        }
    }

    let all = QPS * DEPTH;
    let (mut sent, mut left, mut gap, mut since) = (0, 0, u64::MAX, PAUSE);
    for clock in 0..PAUSE + 1_000 {
        out.set("m_axis_tready", u64::from(clock >= PAUSE));
        let offers = sent < all && clock >= sent * PACE;
        out.set("response_valid", offers.into());
        out.set_bytes("response", &atomic_ack(sent % QPS, sent / QPS));
        out.settle();
        // As `hca::Hca` wires them.
        let emitted = out.is_set("emitted_valid") && out.get("emitted_kind") == u64::from(KIND_ATOMIC_ACK);
        count.set("answered_valid", emitted.into());
        count.set("answered_index", out.get("emitted_index"));
        count.set("answered_psn", out.get("emitted_psn"));
        count.settle();
        since += 1;
        if emitted {
            left += 1;
            gap = gap.min(since);
            since = 0;
        }
        sent += u64::from(offers && out.is_set("response_ready"));
        out.tick();
        count.tick();
    }
    assert_eq!(
        (sent, left, gap),
        (all, all, SPACING),
        "all have left, some right behind another"
    );
    let counted: Vec<u64> = (0..QPS)
        .map(|qp| {
            count.set("lookup_index", qp);
            count.settle();
            count.get("lookup")
        })
        .collect();
    assert_eq!(counted, [DEPTH; QPS as usize]);
}
