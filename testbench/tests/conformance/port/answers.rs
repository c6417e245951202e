//! CF549: requests whose answers wait for credits of the link (`responder.md` section 6, `link.md` section 5).
use super::credits::{grant, restart};
use crate::bench::peer::{read, to};
use crate::bench::responder::{answer, replies, TARGET};
use crate::bench::{on_both, request, Bench, QPN};
use hca_golden::event::DropReason;
use hca_golden::verbs::Status;
use hca_golden::wire::packet::Packet;

on_both!(cf549_requests_are_decided_while_no_answer_can_leave,);

/// Times that every Read is asked for again: more in all than any device keeps answers.
const AGAIN: usize = 30;

fn encoded(packets: &[Packet]) -> Vec<Vec<u8>> {
    packets.iter().map(|packet| packet.encode().unwrap()).collect()
}

/// Four Reads come again and again, then a Send to another queue pair. What has been kept of the answers leaves later,
/// and the Reads among them once at least.
fn cf549_requests_are_decided_while_no_answer_can_leave(y: &mut Bench) {
    let other = QPN + 1;
    y.responder(0);
    y.connect_another(other, |_| {});
    y.post_receive(70, 0, 64);
    restart(y);
    let reads: Vec<Packet> = (0..4)
        .map(|n| read(100 + n, TARGET + 256 * u64::from(n), 256))
        .collect();
    y.receive(&encoded(&reads));
    for _ in 0..AGAIN {
        y.receive(&encoded(&reads));
    }
    y.receive(&[to(other, request(0x04, 100, &[5; 8])).encode().unwrap()]);
    y.turn_to(other);
    assert_eq!(y.completions(), [(70, Status::Success, 8)]);
    assert_eq!(y.packets(), Vec::<Vec<u8>>::new(), "without credits");
    y.turn_to(QPN);
    let dropped = match y.drops()[..] {
        [] => 0,
        [(DropReason::AnswersWait, count)] => count as usize,
        ref others => panic!("{others:?}"),
    };
    assert!(dropped <= reads.len() * (AGAIN + 1) - 8, "{dropped} dropped");

    grant(y, 2000);
    let came = y.sent();
    let data = replies(&came).into_iter().filter(|(opcode, ..)| *opcode == 0x10);
    let data: Vec<_> = data.collect();
    assert_eq!(data.len(), reads.len() * (AGAIN + 1) - dropped);
    let first: Vec<_> = (0..4).map(|n| answer(0x10, 100 + n, 1 + n)).collect();
    assert_eq!(data[..4], first);
}
