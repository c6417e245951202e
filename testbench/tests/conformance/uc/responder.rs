//! CF209, CF211 to CF216, CF297 to CF307: what becomes of UC packets that arrive (`uc.md` section 3).
use super::{attributes, packet, write};
use crate::bench::peer::{with_immediate, with_reth};
use crate::bench::responder::{message, TARGET, TARGET_KEY};
use crate::bench::{on_both, Bench, BUFFER, QPN, UNTOUCHED};
use hca_golden::event::DropReason;
use hca_golden::verbs::{AsyncEvent, CompletedOperation, QpState, RemoteAccess, Sge, Status};
use hca_golden::wire::packet::Packet;

on_both!(
    cf209_no_packet_is_ever_answered,
    cf211_a_lost_middle_drops_its_message_and_its_wqe_is_used_again,
    cf212_a_first_packet_resynchronises,
    cf213_what_continues_nothing_is_dropped_until_the_next_first,
    cf214_cf297_a_first_inside_a_message_starts_anew,
    cf215_a_message_without_a_receive_wqe_is_dropped,
    cf216_cf300_a_write_outside_its_region_is_dropped,
    cf298_a_last_at_the_right_psn_needs_an_open_message,
    cf299_a_write_that_the_flags_forbid_is_dropped,
    cf301_a_write_of_no_bytes_needs_no_key,
    cf302_immediate_data_without_a_receive_wqe_writes_nothing,
    cf303_a_send_that_its_wqe_cannot_hold_is_dropped,
    cf304_lengths_that_do_not_fit_are_dropped,
    cf305_a_receive_wqe_with_a_bad_key_ends_the_queue_pair,
    cf306_other_opcodes_are_dropped,
    cf307_the_first_packet_establishes_the_communication_once,
    cf209_a_write_is_placed_and_tells_nothing,
);

const LOST: DropReason = DropReason::UnreliableSequence;

fn success(wr_id: u64, bytes: u32) -> (u64, Status, u32) {
    (wr_id, Status::Success, bytes)
}

/// Packets arrive one by one; nothing goes out.
fn arrive(y: &mut Bench, packets: &[Packet]) {
    assert_eq!(y.replies_to(packets), []);
}

/// Sends and Writes of one packet and of several; AckReq is ignored (AD).
fn cf209_no_packet_is_ever_answered(y: &mut Bench) {
    y.unreliable_responder(3);
    let mut asks = packet(0x24, 100, &[1; 5]);
    asks.bth.a = true;
    arrive(
        y,
        &[
            asks,
            packet(0x20, 101, &[2; 256]),
            packet(0x21, 102, &[3; 256]),
            with_immediate(packet(0x23, 103, &[4; 9]), [9, 8, 7, 6]),
            with_immediate(write(0x2B, 104, TARGET, 2, &[5; 2]), [1, 2, 3, 4]),
        ],
    );
    let completions = y.taken();
    let told: Vec<_> = completions
        .iter()
        .map(|c| (c.wr_id, c.operation, c.byte_count, c.immediate))
        .collect();
    assert_eq!(
        told,
        [
            (70, CompletedOperation::Receive, 5, None),
            (71, CompletedOperation::Receive, 521, Some([9, 8, 7, 6])),
            (
                72,
                CompletedOperation::ReceiveWithImmediate,
                2,
                Some([1, 2, 3, 4])
            ),
        ]
    );
    assert_eq!(
        y.buffer(640, 521),
        [vec![2; 256], vec![3; 256], vec![4; 9]].concat()
    );
    assert_eq!(y.target(0, 2), [5; 2]);
    assert_eq!(y.drops(), []);
}

fn cf209_a_write_is_placed_and_tells_nothing(y: &mut Bench) {
    y.unreliable_responder(1);
    let data = message(600);
    arrive(
        y,
        &[
            write(0x26, 100, TARGET + 9, 600, &data[..256]),
            packet(0x27, 101, &data[256..512]),
            packet(0x28, 102, &data[512..]),
        ],
    );
    assert_eq!(y.target(9, 600), data);
    assert_eq!(y.completions(), []);
    assert_eq!(y.drops(), []);
}

fn cf211_a_lost_middle_drops_its_message_and_its_wqe_is_used_again(y: &mut Bench) {
    y.unreliable_responder(2);
    arrive(
        y,
        &[
            packet(0x20, 100, &[1; 256]),
            // 101 is lost.
            packet(0x21, 102, &[2; 256]),
            packet(0x22, 103, &[3; 4]),
        ],
    );
    assert_eq!(y.completions(), []);
    assert_eq!(y.drops(), [(LOST, 2)]);
    arrive(y, &[packet(0x24, 104, &[7; 3])]);
    assert_eq!(y.completions(), [success(70, 3)]);
    // What the message had brought stays.
    assert_eq!(y.buffer(0, 5), [7, 7, 7, 1, 1]);
    arrive(y, &[packet(0x24, 105, &[8; 2])]);
    assert_eq!(y.completions(), [success(71, 2)]);
}

fn cf212_a_first_packet_resynchronises(y: &mut Bench) {
    y.unreliable_responder(3);
    arrive(y, &[packet(0x24, 7, &[1; 2])]);
    assert_eq!(y.completions(), [success(70, 2)]);
    arrive(y, &[packet(0x20, 0xFF_FFFF, &[2; 256]), packet(0x22, 0, &[3; 1])]);
    assert_eq!(y.completions(), [success(71, 257)]);
    arrive(y, &[write(0x2A, 50, TARGET, 1, &[4])]);
    assert_eq!(y.target(0, 1), [4]);
    assert_eq!(y.drops(), []);
}

fn cf213_what_continues_nothing_is_dropped_until_the_next_first(y: &mut Bench) {
    y.unreliable_responder(1);
    arrive(y, &[packet(0x20, 100, &[1; 256]), packet(0x22, 102, &[2; 4])]);
    // Even at the PSN that was missing, and at that after it.
    arrive(
        y,
        &[
            packet(0x22, 101, &[3; 4]),
            packet(0x21, 103, &[4; 256]),
            packet(0x22, 104, &[5; 4]),
        ],
    );
    assert_eq!(y.drops(), [(LOST, 4)]);
    assert_eq!(y.completions(), []);
    arrive(y, &[packet(0x24, 99, &[6])]);
    assert_eq!(y.completions(), [success(70, 1)]);
}

/// The first packet comes with the expected PSN, and with another.
fn cf214_cf297_a_first_inside_a_message_starts_anew(y: &mut Bench) {
    y.unreliable_responder(2);
    arrive(
        y,
        &[
            packet(0x20, 100, &[1; 256]),
            packet(0x20, 101, &[2; 256]),
            packet(0x22, 102, &[3; 4]),
        ],
    );
    assert_eq!(y.completions(), [success(70, 260)]);
    assert_eq!(
        y.buffer(0, 261),
        [vec![2; 256], vec![3; 4], vec![UNTOUCHED]].concat()
    );
    arrive(
        y,
        &[
            packet(0x20, 103, &[4; 256]),
            packet(0x24, 200, &[5; 6]),
            // The open message of a Write is left as well.
            write(0x26, 201, TARGET, 300, &[6; 256]),
            packet(0x22, 202, &[7; 44]),
        ],
    );
    assert_eq!(y.completions(), [success(71, 6)]);
    assert_eq!(y.drops(), [(LOST, 1)]);
}

fn cf215_a_message_without_a_receive_wqe_is_dropped(y: &mut Bench) {
    y.unreliable_responder(0);
    arrive(
        y,
        &[
            packet(0x20, 100, &[1; 256]),
            packet(0x21, 101, &[1; 256]),
            packet(0x22, 102, &[1; 4]),
        ],
    );
    assert_eq!(y.drops(), [(LOST, 2), (DropReason::NoReceiveWqe, 1)]);
    assert_eq!((y.completions(), y.state()), (vec![], QpState::Rts));
    y.post_receive(5, 0, 64);
    arrive(y, &[packet(0x24, 103, &[2; 9])]);
    assert_eq!(y.completions(), [success(5, 9)]);
}

/// A wrong key, a range that leaves the region by a byte: nothing of the message is written.
fn cf216_cf300_a_write_outside_its_region_is_dropped(y: &mut Bench) {
    y.unreliable_responder(0);
    y.register_target(|_| {});
    let under = |key, packet| with_reth(packet, TARGET + 768, key, 257);
    arrive(
        y,
        &[
            under(TARGET_KEY, packet(0x26, 100, &[1; 256])),
            packet(0x28, 101, &[2; 1]),
            under(TARGET_KEY ^ 1, packet(0x26, 102, &[3; 256])),
            packet(0x28, 103, &[4; 1]),
        ],
    );
    y.nothing_written();
    assert_eq!(y.drops(), [(LOST, 2), (DropReason::UnreliableAccess, 2)]);
    assert_eq!((y.events(), y.state()), (vec![], QpState::Rts));
    let fits = with_reth(packet(0x2A, 104, &[5; 2]), TARGET, TARGET_KEY, 2);
    arrive(y, &[fits]);
    assert_eq!(y.target(0, 2), [5; 2]);
}

fn cf298_a_last_at_the_right_psn_needs_an_open_message(y: &mut Bench) {
    y.unreliable_responder(1);
    arrive(y, &[packet(0x22, 100, &[1; 4]), packet(0x28, 101, &[1; 4])]);
    // A Send's last does not continue a Write.
    arrive(
        y,
        &[
            write(0x26, 102, TARGET, 260, &[2; 256]),
            packet(0x22, 103, &[3; 4]),
        ],
    );
    assert_eq!(y.drops(), [(LOST, 3)]);
    arrive(y, &[packet(0x24, 104, &[4; 4])]);
    assert_eq!(y.completions(), [success(70, 4)]);
}

fn cf299_a_write_that_the_flags_forbid_is_dropped(y: &mut Bench) {
    let mut forbids = attributes();
    forbids.access = RemoteAccess::default();
    y.create(&forbids);
    y.enter_rts();
    y.fill_target();
    y.post_receives(1);
    arrive(
        y,
        &[
            write(0x26, 100, TARGET, 260, &[1; 256]),
            packet(0x28, 101, &[2; 4]),
            with_immediate(write(0x2B, 102, TARGET, 2, &[3; 2]), [0; 4]),
        ],
    );
    y.nothing_written();
    assert_eq!(y.drops(), [(LOST, 1), (DropReason::UnreliableAccess, 2)]);
    assert_eq!((y.events(), y.state()), (vec![], QpState::Rts));
    arrive(y, &[packet(0x24, 103, &[4])]);
    assert_eq!(y.completions(), [success(70, 1)]);
}

fn cf301_a_write_of_no_bytes_needs_no_key(y: &mut Bench) {
    y.unreliable_responder(1);
    let nothing = with_reth(packet(0x2A, 100, &[]), 0xDEAD, 0x1234_5678, 0);
    let tells = with_immediate(with_reth(packet(0x2B, 101, &[]), 0xDEAD, 0x1234_5678, 0), [1; 4]);
    arrive(y, &[nothing, tells]);
    assert_eq!(y.drops(), []);
    assert_eq!(y.completions(), [success(70, 0)]);
}

fn cf302_immediate_data_without_a_receive_wqe_writes_nothing(y: &mut Bench) {
    y.unreliable_responder(0);
    arrive(
        y,
        &[
            write(0x26, 100, TARGET, 260, &[1; 256]),
            with_immediate(packet(0x29, 101, &[2; 4]), [0; 4]),
        ],
    );
    let before = message(260);
    assert_eq!(y.target(0, 260), [&[1; 256][..], &before[256..]].concat());
    assert_eq!(y.drops(), [(DropReason::NoReceiveWqe, 1)]);
    assert_eq!(y.completions(), []);
}

/// The packet with which the message exceeds the WQE is dropped; the bytes before it stay.
fn cf303_a_send_that_its_wqe_cannot_hold_is_dropped(y: &mut Bench) {
    y.unreliable_responder(0);
    y.post_receive(1, 0, 300);
    y.post_receive(2, 512, 300);
    arrive(y, &[packet(0x20, 100, &[1; 256]), packet(0x22, 101, &[2; 45])]);
    assert_eq!(y.drops(), [(DropReason::UnreliableLength, 1)]);
    assert_eq!(y.buffer(0, 257), [vec![1; 256], vec![UNTOUCHED]].concat());
    arrive(y, &[packet(0x24, 102, &[3; 7])]);
    assert_eq!(y.completions(), [success(1, 7)]);
    arrive(y, &[packet(0x20, 103, &[4; 256]), packet(0x22, 104, &[5; 44])]);
    assert_eq!(y.completions(), [success(2, 300)]);
}

fn cf304_lengths_that_do_not_fit_are_dropped(y: &mut Bench) {
    y.unreliable_responder(1);
    for (n, wrong) in [
        packet(0x20, 100, &[1; 255]),
        packet(0x24, 101, &[1; 257]),
        write(0x26, 102, TARGET, 600, &[1; 252]),
        write(0x2A, 103, TARGET, 9, &[1; 10]),
        write(0x2A, 104, TARGET, 11, &[1; 10]),
        write(0x26, 105, TARGET, 0x8000_0001, &[1; 256]),
    ]
    .into_iter()
    .enumerate()
    {
        arrive(y, &[wrong]);
        assert_eq!(y.drops(), [(DropReason::UnreliableLength, 1)], "packet {n}");
    }
    y.nothing_written();
    // A Write whose last packet brings less than was announced, and an empty last one.
    arrive(
        y,
        &[
            write(0x26, 106, TARGET, 300, &[2; 256]),
            packet(0x28, 107, &[3; 40]),
            packet(0x20, 108, &[4; 256]),
            packet(0x22, 109, &[]),
        ],
    );
    assert_eq!(y.drops(), [(DropReason::UnreliableLength, 2)]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.target(0, 256), [2; 256]);
}

/// `uc.md` section 3.2: a fault of the receive side leads to Error, not to SQE.
fn cf305_a_receive_wqe_with_a_bad_key_ends_the_queue_pair(y: &mut Bench) {
    y.unreliable_responder(0);
    let l_key = 0x7777_7777;
    let sges = [Sge {
        addr: BUFFER,
        length: 64,
        l_key,
    }];
    y.post_receive_of(1, &sges);
    y.post_receive(2, 0, 64);
    arrive(y, &[packet(0x24, 100, &[1; 8])]);
    assert_eq!(
        y.completions(),
        [(1, Status::LocProtErr, 0), (2, Status::WrFlushErr, 0)]
    );
    assert_eq!((y.state(), y.events()), (QpState::Error, vec![]));
    arrive(y, &[packet(0x24, 101, &[1; 8])]);
    assert_eq!(y.drops(), [(DropReason::QpState, 1)]);
}

/// Opcodes that are not of UC are dropped: unknown ones, and those of other services.
fn cf306_other_opcodes_are_dropped(y: &mut Bench) {
    y.unreliable_responder(1);
    for opcode in (0x2C..=0x3F).chain([0x04, 0x0A, 0x11, 0x17, 0x64]) {
        arrive(y, &[packet(opcode, 100, &[])]);
        let drops = y.drops();
        assert_eq!(drops, [(DropReason::Opcode, 1)], "opcode {opcode:02X}h");
    }
    arrive(y, &[packet(0x24, 100, &[1])]);
    assert_eq!(y.completions(), [success(70, 1)]);
}

/// Section 3.2: the first packet that passes step 7 counts, even if it is dropped later.
fn cf307_the_first_packet_establishes_the_communication_once(y: &mut Bench) {
    y.create(&attributes());
    for state in [QpState::Init, QpState::Rtr] {
        y.modify(state);
    }
    arrive(y, &[packet(0x22, 100, &[1; 4])]);
    let event = AsyncEvent::CommunicationEstablished { qpn: QPN };
    assert_eq!(y.events(), [event]);
    y.post_receive(1, 0, 64);
    arrive(y, &[packet(0x24, 101, &[1; 4])]);
    assert_eq!(y.events(), [event]);
    assert_eq!(y.completions(), [success(1, 4)]);
    y.drops();
}
