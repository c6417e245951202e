//! Responses of a kind that the WQE does not wait for (`requester.md` section 6, `aeth.md` section 1).
use crate::bench::peer::{atomic_ack, data};
use crate::bench::requester::{work, FETCH_ADD, READ};
use crate::bench::{on_both, Bench};
use hca_golden::verbs::Status;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::packet::Packet;

on_both!(
    cf185_an_atomic_ack_within_a_read_is_a_bad_response,
    cf185_a_nak_is_an_acknowledge_packet_and_no_other,
);

/// RNR NAK, PSN sequence error, invalid request, remote access error, remote operational error.
const NAKS: [u8; 5] = [0x2C, 0x60, 0x61, 0x62, 0x63];

/// Before the response that the Read waits for is there, and in its place.
fn cf185_an_atomic_ack_within_a_read_is_a_bad_response(y: &mut Bench) {
    y.connect_with(|_| {});
    for (psn, qpn) in (100..103).zip(0x0E06..) {
        y.connect_another(qpn, |a| a.sq_psn = 100);
        y.post(work(1, READ, 600));
        assert_eq!(y.sent_rows(), [(0x0C, 100)]);
        assert_eq!(y.sent_after(&[to(qpn, atomic_ack(psn, 7))]), []);
        assert_eq!(y.completions(), [(1, Status::BadRespErr, 0)]);
    }
}

fn cf185_a_nak_is_an_acknowledge_packet_and_no_other(y: &mut Bench) {
    y.connect_with(|_| {});
    for (syndrome, qpn) in NAKS.into_iter().zip((0x0E06..).step_by(2)) {
        y.connect_another(qpn, |a| a.sq_psn = 100);
        y.post(work(1, READ, 8));
        y.sent();
        let answer = data(0x10, 100, &[3; 8]);
        assert_eq!(y.sent_after(&[to(qpn, with_syndrome(answer, syndrome))]), []);
        assert_eq!(y.completions(), [(1, Status::BadRespErr, 0)], "{syndrome:X}h");

        y.connect_another(qpn + 1, |a| a.sq_psn = 100);
        y.post(work(2, FETCH_ADD, 8));
        y.sent();
        let answer = atomic_ack(100, 7);
        assert_eq!(y.sent_after(&[to(qpn + 1, with_syndrome(answer, syndrome))]), []);
        assert_eq!(y.completions(), [(2, Status::BadRespErr, 0)], "{syndrome:X}h");
    }
}

fn to(qpn: u32, mut packet: Packet) -> Packet {
    packet.bth.dest_qp = qpn;
    packet
}

fn with_syndrome(mut packet: Packet, syndrome: u8) -> Packet {
    for extension in &mut packet.extensions {
        if let Extension::Aeth(aeth) = extension {
            aeth.syndrome = syndrome;
        }
    }
    packet
}
