//! CF319, CF457: the active MTU of a native port (`link.md` section 13), and what services.md section 13 says of the
//! packets of connections.
use crate::bench::peer::read;
use crate::bench::requester::{work, SEND};
use crate::bench::responder::TARGET;
use crate::bench::verbs::DONE;
use crate::bench::{on_both, request, Bench};
use crate::ud::{packet, send, success, with_q_key};
use hca_golden::event::DropReason;
use hca_golden::verbs::PortCounter::{QKeyViolations, RcvData, RcvErrors, RcvPackets};
use hca_golden::verbs::{Pmtu, Service};
use hca_testbench::device::Verb;

on_both!(
    cf319_the_longest_datagram_has_the_active_mtu,
    cf319_a_code_that_is_none_changes_nothing,
    cf457_the_longest_packet_that_arrives_follows_from_the_active_mtu,
    a_datagram_that_arrives_with_more_than_the_active_mtu_is_dropped,
    requests_of_a_connection_with_more_than_the_active_mtu_are_discarded,
    read_responses_with_more_than_the_active_mtu_are_discarded,
);

fn set_mtu(y: &mut Bench, mtu: u8) {
    assert_eq!(y.attempt(Verb::SetMtu { mtu }), DONE);
    y.settle();
}

/// Payloads of what leaves.
fn sent(y: &mut Bench) -> Vec<usize> {
    y.sent().iter().map(|packet| packet.payload.len()).collect()
}

/// A message of so many bytes leaves, and one of a byte more does not, and counts.
fn is_the_longest(y: &mut Bench, bytes: u32) {
    let before = y.xmit_discards();
    y.post(send(1, bytes));
    y.post(send(2, bytes + 1));
    y.settle();
    assert_eq!(sent(y), [bytes as usize]);
    assert_eq!(y.completions(), [success(1, 0), success(2, 0)]);
    assert_eq!(y.xmit_discards(), before + 1, "{bytes} bytes");
}

fn cf319_the_longest_datagram_has_the_active_mtu(y: &mut Bench) {
    y.datagrams();
    is_the_longest(y, 4096);
    for (mtu, bytes) in [(1, 256), (2, 512), (3, 1024), (4, 2048), (5, 4096), (1, 256)] {
        set_mtu(y, mtu);
        is_the_longest(y, bytes);
    }
}

fn cf319_a_code_that_is_none_changes_nothing(y: &mut Bench) {
    y.datagrams();
    set_mtu(y, 2);
    for mtu in [0, 6, 7, 8, 9, 10, 13, 15] {
        set_mtu(y, mtu);
        is_the_longest(y, 512);
    }
}

/// (MTU + 124) / 4 words, of a packet that no QP takes. The counts are of packets with an error and of others, and of
/// the words of those.
fn cf457_the_longest_packet_that_arrives_follows_from_the_active_mtu(y: &mut Bench) {
    let mut counts = [0; 3];
    for (mtu, words) in [(1, 95), (2, 159), (3, 287), (4, 543)] {
        set_mtu(y, mtu);
        // The LRH, the BTH and the ICRC are six words.
        let of = |words: usize| request(0x04, 100, &vec![7; 4 * (words - 6)]);
        y.take(&[of(words)]);
        assert_eq!(y.drops(), [(DropReason::DestQp, 1)], "{words} words");
        y.take(&[of(words + 1)]);
        assert_eq!(y.drops(), [(DropReason::Length, 1)], "{} words", words + 1);
        let [errors, packets, in_words] = counts;
        counts = [errors + 1, packets + 1, in_words + words as u32];
        let found = [RcvErrors, RcvPackets, RcvData].map(|counter| y.port_counter(counter));
        assert_eq!(found, counts, "MTU {mtu}");
    }
}

/// Whatever its key is: it has come whole, and the port looks at its length before the QP is looked up.
fn a_datagram_that_arrives_with_more_than_the_active_mtu_is_dropped(y: &mut Bench) {
    y.datagrams();
    y.post_receive(1, 0, 700);
    y.post_receive(2, 0, 700);
    set_mtu(y, 1);
    let longer = packet(0x64, 7, &[1; 257]);
    y.take(&[longer.clone(), with_q_key(5, longer.clone())]);
    assert_eq!(y.drops(), [(DropReason::PayloadLength, 2)]);
    let found = [RcvErrors, RcvPackets, QKeyViolations].map(|counter| y.port_counter(counter));
    assert_eq!((found, y.told()), ([0, 2, 0], vec![]));
    y.take(&[packet(0x64, 7, &[1; 256])]);
    assert_eq!(y.completions(), [success(1, 296)]);
    set_mtu(y, 2);
    y.take(&[longer]);
    assert_eq!(y.completions(), [success(2, 297)]);
}

/// Of a PMTU that the port does not carry: the first packet, not the last, which is shorter. The queue pair goes on as
/// if both had left.
fn requests_of_a_connection_with_more_than_the_active_mtu_are_discarded(y: &mut Bench) {
    y.connect_with(|a| (a.service, a.pmtu) = (Service::Uc, Pmtu::B1024));
    set_mtu(y, 2);
    y.post(work(1, SEND, 1024 + 512));
    assert_eq!((sent(y), y.xmit_discards()), (vec![512], 1));
    y.post(work(2, SEND, 513));
    assert_eq!((sent(y), y.xmit_discards()), (vec![], 2));
    set_mtu(y, 3);
    y.post(work(3, SEND, 1024 + 513));
    assert_eq!((sent(y), y.xmit_discards()), (vec![1024, 513], 2));
    assert_eq!(y.completions(), [1, 2, 3].map(|wr_id| success(wr_id, 0)));
}

fn read_responses_with_more_than_the_active_mtu_are_discarded(y: &mut Bench) {
    y.responder_with(0, |a| a.pmtu = Pmtu::B512);
    set_mtu(y, 1);
    y.receive(&[read(100, TARGET, 512 + 200).encode().unwrap()]);
    assert_eq!((sent(y), y.xmit_discards()), (vec![200], 1));
    set_mtu(y, 2);
    y.receive(&[read(102, TARGET, 512 + 200).encode().unwrap()]);
    assert_eq!((sent(y), y.xmit_discards()), (vec![512, 200], 1));
}
