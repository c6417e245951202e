//! The trace of `scenario_seed001.md` section 1: 5120 bytes at PMTU 2048 from PSN 100, either end of it.
use crate::bench::requester::{decoded, source_byte, work, SEND};
use crate::bench::responder::{ack, replies};
use crate::bench::{on_both, request, response, Bench, PEER_QPN, UNTOUCHED};
use hca_golden::verbs::{Pmtu, QpAttributes, QpState, Status};
use hca_golden::wire::packet::Packet;

on_both!(cf272_the_sender, cf272_the_receiver, cf272_variations);

const MESSAGE: usize = 5120;
/// VL 0, SL 3, LNH 10; DLID; PktLen 518; SLID. Opcode 00h; P_Key; destination QP; AckReq and PSN 100.
const FIRST_HEADERS: [u8; 20] = [
    0x00, 0x32, 0x00, 0x01, 0x02, 0x06, 0x00, 0x02, // LRH
    0x00, 0x00, 0xFF, 0xFF, 0x00, 0x00, 0x0A, 0x12, 0x80, 0x00, 0x00, 0x64, // BTH
];

fn message() -> Vec<u8> {
    (0..MESSAGE).map(source_byte).collect()
}

fn of_the_scenario(a: &mut QpAttributes) {
    (a.pmtu, a.sl) = (Pmtu::B2048, 3);
    (a.sq_psn, a.rq_psn) = (100, 2000);
    (a.retry_cnt, a.rnr_retry) = (7, 7);
}

/// Opcode, PSN, payload bytes, PadCnt, PktLen, SL.
fn row(p: &Packet) -> (u8, u32, usize, u8, u16, u8) {
    let lrh = p.lrh().unwrap();
    let b = &p.bth;
    (b.opcode, b.psn, p.payload.len(), b.pad_cnt, lrh.pkt_len, lrh.sl)
}

/// Y is X of the table. Nothing waits for the acks of 100 and 101, which retire nothing.
fn cf272_the_sender(y: &mut Bench) {
    y.connect_with(of_the_scenario);
    y.overwrite_source(&message());
    y.post(work(55, SEND, MESSAGE as u32));
    y.settle();
    let bytes = y.packets();
    assert_eq!(
        (&bytes[0][..20], bytes[0].len()),
        (&FIRST_HEADERS[..], 518 * 4 + 2)
    );
    let packets: Vec<Packet> = bytes.iter().map(|bytes| decoded(bytes)).collect();
    let rows: Vec<_> = packets.iter().map(row).collect();
    let expected = [
        (0x00, 100, 2048, 0, 518, 3),
        (0x01, 101, 2048, 0, 518, 3),
        (0x02, 102, 1024, 0, 262, 3),
    ];
    assert_eq!(rows, expected);
    assert!(packets[2].bth.a, "the last asks for an ack");
    for packet in &packets {
        let (lrh, bth) = (packet.lrh().unwrap(), packet.bth);
        assert_eq!((lrh.slid, lrh.dlid, lrh.vl), (2, 1, 0));
        assert_eq!((bth.dest_qp, bth.p_key, bth.se), (PEER_QPN, 0xFFFF, false));
    }
    let payload: Vec<u8> = packets.iter().flat_map(|p| p.payload.clone()).collect();
    assert!(payload == message());
    for psn in [100, 101] {
        y.receive(&[response(psn, 0x1F, 0)]);
        assert_eq!(y.completions(), []);
    }
    y.receive(&[response(102, 0x1F, 1)]);
    assert_eq!(y.completions(), [(55, Status::Success, 0)]);
}

/// The requests of the table.
fn requests() -> [Packet; 3] {
    let message = message();
    [
        (0x00, 100, 0..2048),
        (0x01, 101, 2048..4096),
        (0x02, 102, 4096..5120),
    ]
    .map(|(opcode, psn, part)| {
        let mut packet = request(opcode, psn, &message[part]);
        packet.lrh_mut().unwrap().sl = 3;
        packet
    })
}

fn receiver(y: &mut Bench, receives: u64) {
    y.responder_with(0, |a| {
        of_the_scenario(a);
        (a.sq_psn, a.rq_psn) = (2000, 100);
    });
    y.write_buffer(0, &[UNTOUCHED; MESSAGE + 64]);
    for n in 0..receives {
        y.post_receive(77 + n, 0, MESSAGE as u32);
    }
}

/// Y is Y of the table; every request asks for its ack.
fn cf272_the_receiver(y: &mut Bench) {
    receiver(y, 1);
    let answers = y.answered(&requests());
    assert_eq!(replies(&answers), [ack(100, 0), ack(101, 0), ack(102, 1)]);
    let acks: Vec<_> = answers.iter().map(row).collect();
    let expected = [100, 101, 102].map(|psn| (0x11, psn, 0, 0, 7, 3));
    assert_eq!(acks, expected);
    assert!(y.buffer(0, MESSAGE) == message());
    assert_eq!(y.buffer(MESSAGE as u64, 64), [UNTOUCHED; 64]);
    assert_eq!(y.completions(), [(77, Status::Success, 5120)]);
}

/// Those that S1 names: beyond the expected PSN, a duplicate, no WQE, a wrong opcode.
fn cf272_variations(y: &mut Bench) {
    receiver(y, 0);
    let [first, middle, last] = requests();
    let nak = |psn, syndrome, msn| (0x11, psn, Some((syndrome, msn)));
    assert_eq!(y.replies_to(std::slice::from_ref(&middle)), [nak(100, 0x60, 0)]);
    assert_eq!(y.replies_to(std::slice::from_ref(&first)), [nak(100, 0x2C, 0)]);
    assert_eq!(y.buffer(0, MESSAGE), [UNTOUCHED; MESSAGE]);
    y.post_receive(77, 0, MESSAGE as u32);
    assert_eq!(y.replies_to(std::slice::from_ref(&first)), [ack(100, 0)]);
    y.write_buffer(0, &[0xEE; 2048]);
    assert_eq!(y.replies_to(&[first]), [ack(100, 0)], "a duplicate");
    assert_eq!(y.buffer(0, 2048), [0xEE; 2048]);
    assert_eq!(y.replies_to(&[middle, last]), [ack(101, 0), ack(102, 1)]);
    assert_eq!(y.completions(), [(77, Status::Success, 5120)]);
    assert_eq!(y.replies_to(&[request(0x02, 103, &[1; 4])]), [nak(103, 0x61, 1)]);
    assert_eq!(y.state(), QpState::Error);
}
