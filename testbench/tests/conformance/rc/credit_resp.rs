//! Credits that Y gives as a responder (`aeth.md` section 3 and 5, `responder.md` section 8), from PSN 100 on at PMTU
//! 256.
use crate::bench::credits::told;
use crate::bench::peer::{atomic, rdma, read, with_immediate};
use crate::bench::responder::{replies, TARGET};
use crate::bench::{on_both, request, Bench};
use hca_golden::verbs::{QpState, Status};
use hca_golden::wire::packet::Packet;

on_both!(
    cf144_cf145_cf148_the_initial_ack_tells_of_the_receive_wqes,
    cf145_each_code_up_to_hundreds_of_receive_wqes,
    cf146_code_31_where_credits_are_not_supplied,
    cf147_cf238_the_count_is_zero_after_create_and_reset,
    cf149_a_send_takes_its_wqe_with_the_first_packet,
    cf149_a_write_with_immediate_takes_its_wqe_with_the_last_packet,
    cf150_cf273_the_initial_ack_has_the_psn_before_the_first,
    cf151_an_unsolicited_ack_when_the_peer_may_starve,
    cf151_a_send_takes_from_what_the_peer_knows_of,
    cf152_an_unsolicited_ack_after_a_read_or_an_atomic_is_an_acknowledge,
    cf153_no_unsolicited_ack_while_a_nak_is_the_latest_answer,
    cf153_after_the_nak_it_tells_again,
    credits_of_one_queue_pair_are_not_those_of_another_life,
);

/// The code of each count (`credit_table.csv`).
const CODES: [u8; 34] = [
    0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 10, 10,
];

fn cf144_cf145_cf148_the_initial_ack_tells_of_the_receive_wqes(y: &mut Bench) {
    for (count, code) in (0..).zip(CODES) {
        y.in_init(true, count, |_| {});
        assert_eq!(y.enter_rtr(), [told(99, code, 0)], "{count}");
    }
}

/// The least count of each further code (`credit_table.csv`), and one less.
fn cf145_each_code_up_to_hundreds_of_receive_wqes(y: &mut Bench) {
    const POSTED: u32 = 512;
    let least = [384, 256, 192, 128, 96, 64, 48, 32];
    y.supplier_of_many(POSTED);
    let mut sent = 0;
    let mut take_to = |y: &mut Bench, left: u32| {
        let sends: Vec<_> = (sent..POSTED - left)
            .map(|n| request(0x04, 100 + n, &[]))
            .collect();
        sent = POSTED - left;
        let last = y.replies_to(&sends).pop();
        y.completions();
        (last, sent)
    };
    for (count, code) in least.into_iter().zip((0..=17).rev()) {
        let (last, msn) = take_to(y, count);
        assert_eq!(last, Some(told(99 + msn, code, msn)), "{count}");
        let (last, msn) = take_to(y, count - 1);
        assert_eq!(last, Some(told(99 + msn, code - 1, msn)), "{count} less one");
    }
}

fn cf146_code_31_where_credits_are_not_supplied(y: &mut Bench) {
    y.in_init(false, 2, |_| {});
    assert_eq!(y.enter_rtr(), []);
    assert_eq!(y.replies_to(&[request(0x04, 100, &[1])]), [told(100, 0x1F, 1)]);
    assert_eq!(y.told_after(72), []);
    let aeth = Some((0x1F, 2));
    assert_eq!(y.replies_to(&[read(101, TARGET, 4)]), [(0x10, 101, aeth)]);
    assert_eq!(y.completions(), [(70, Status::Success, 1)]);
}

fn cf147_cf238_the_count_is_zero_after_create_and_reset(y: &mut Bench) {
    y.supplier(0);
    assert_eq!(y.told_after(70), [told(99, 1, 0)]);
    assert_eq!(y.replies_to(&[read(100, TARGET, 4)]), [(0x10, 100, Some((1, 1)))]);
    for state in [QpState::Reset, QpState::Init] {
        y.modify(state);
    }
    assert_eq!(y.enter_rtr(), [told(99, 0, 0)]);
}

fn cf149_a_send_takes_its_wqe_with_the_first_packet(y: &mut Bench) {
    y.supplier(4);
    let packets = [
        request(0x00, 100, &[1; 256]),
        request(0x02, 101, &[1; 4]),
        request(0x04, 102, &[1; 4]),
    ];
    let acks = [told(100, 3, 0), told(101, 3, 1), told(102, 2, 2)];
    assert_eq!(y.replies_to(&packets), acks);
    let taken = [(70, Status::Success, 260), (71, Status::Success, 4)];
    assert_eq!(y.completions(), taken);
}

/// `aeth.md` section 5: at the packet with the immediate data.
fn cf149_a_write_with_immediate_takes_its_wqe_with_the_last_packet(y: &mut Bench) {
    y.supplier(2);
    let packets = [
        rdma(0x06, 100, TARGET, 260, &[1; 256]),
        with_immediate(request(0x09, 101, &[1; 4]), [0; 4]),
        rdma(0x0A, 102, TARGET, 4, &[1; 4]),
    ];
    let acks = [told(100, 2, 0), told(101, 1, 1), told(102, 1, 2)];
    assert_eq!(y.replies_to(&packets), acks);
    assert_eq!(y.completions(), [(70, Status::Success, 260)]);
}

/// Its address is that of Y's requests.
fn cf150_cf273_the_initial_ack_has_the_psn_before_the_first(y: &mut Bench) {
    for (epsn, psn) in [(0, 0xFF_FFFF), (100, 99)] {
        y.in_init(true, 1, |a| (a.rq_psn, a.sl) = (epsn, 5));
        y.modify(QpState::Rtr);
        let came: Vec<Packet> = y.came();
        assert_eq!(replies(&came), [told(psn, 1, 0)]);
        assert_eq!(came[0].lrh().unwrap().sl, 5);
    }
}

/// The peer knows of no more than half: one of two, two of four, but not two of three or four of five.
fn cf151_an_unsolicited_ack_when_the_peer_may_starve(y: &mut Bench) {
    y.supplier(0);
    let acks = [
        vec![told(99, 1, 0)],
        vec![told(99, 2, 0)],
        vec![],
        vec![told(99, 4, 0)],
        vec![],
    ];
    for (wr_id, acks) in (70..).zip(acks) {
        assert_eq!(y.told_after(wr_id), acks, "{wr_id}");
    }
    let sends = [100, 101, 102].map(|psn| request(0x04, psn, &[]));
    let acks = [told(100, 4, 1), told(101, 3, 2), told(102, 2, 3)];
    assert_eq!(y.replies_to(&sends), acks);
    assert_eq!(y.told_after(75), []);
    assert_eq!(y.told_after(76), [told(102, 4, 3)]);
    y.completions();
}

/// Three are there and known of; two Sends without AckReq take two.
fn cf151_a_send_takes_from_what_the_peer_knows_of(y: &mut Bench) {
    y.supplier(3);
    for psn in [100, 101] {
        let mut send = request(0x04, psn, &[]);
        send.bth.a = false;
        y.replies_to(&[send]);
    }
    assert_eq!(y.told_after(73).last(), Some(&told(101, 2, 2)));
    y.completions();
}

fn cf152_an_unsolicited_ack_after_a_read_or_an_atomic_is_an_acknowledge(y: &mut Bench) {
    y.supplier(0);
    let aeth = Some((0, 1));
    assert_eq!(
        y.replies_to(&[read(100, TARGET, 600)]),
        [(0x0D, 100, aeth), (0x0E, 101, None), (0x0F, 102, aeth)]
    );
    assert_eq!(y.told_after(70), [told(102, 1, 1)]);
    let add = atomic(0x14, 103, TARGET, 1, 0);
    assert_eq!(y.replies_to(&[add]), [(0x12, 103, Some((1, 2)))]);
    assert_eq!(y.told_after(71), [told(103, 2, 2)]);
}

/// RNR and sequence NAK; the answer to what comes again tells all.
fn cf153_no_unsolicited_ack_while_a_nak_is_the_latest_answer(y: &mut Bench) {
    for (packet, syndrome) in [(request(0x04, 100, &[]), 0x2C), (request(0x04, 102, &[]), 0x60)] {
        y.supplier(0);
        assert_eq!(y.replies_to(&[packet]), [told(100, syndrome, 0)]);
        for wr_id in [70, 71, 72] {
            assert_eq!(y.told_after(wr_id), []);
        }
        assert_eq!(y.replies_to(&[request(0x04, 100, &[])]), [told(100, 2, 1)]);
        y.completions();
    }
}

fn cf153_after_the_nak_it_tells_again(y: &mut Bench) {
    y.supplier(0);
    assert_eq!(y.replies_to(&[request(0x04, 100, &[])]), [told(100, 0x2C, 0)]);
    let write = rdma(0x0A, 100, TARGET, 4, &[1; 4]);
    assert_eq!(y.replies_to(&[write]), [told(100, 0, 1)]);
    assert_eq!(y.told_after(70), [told(100, 1, 1)]);
}

fn credits_of_one_queue_pair_are_not_those_of_another_life(y: &mut Bench) {
    y.supplier(9);
    y.supplier(2);
    assert_eq!(y.replies_to(&[request(0x04, 100, &[])]), [told(100, 1, 1)]);
    y.completions();
}
