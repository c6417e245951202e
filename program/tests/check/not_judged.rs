//! What a capture of UC and UD does not show is counted, and is no finding.
use super::unreliable::{datagram, mad, messages, sent_by};
use super::*;
use hca_golden::wire::packet::Route;
use hca_golden::wire::roce::{Endpoint, Roce};

/// The part of the summary about messages of UC that were not judged as a whole, with a capture of these packets.
fn messages_not_judged(packets: &[Packet]) -> Vec<String> {
    clauses(packets, " of UC ", "not judged")
}

/// The clauses of the summary that contain both texts. No rule is broken.
fn clauses(packets: &[Packet], one: &str, other: &str) -> Vec<String> {
    let output = judged(packets).code(0);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let clauses = text.trim_end().split("; ");
    let meant = clauses.filter(|clause| clause.contains(one) && clause.contains(other));
    meant.map(str::to_owned).collect()
}

#[test]
fn messages_of_uc_that_began_before_the_capture_are_counted() {
    let before = ["1 message of UC that began before the capture: its length not judged"];
    let none: [&str; 0] = [];
    for begin in 0..6 {
        let expected = if matches!(begin, 0 | 3) {
            &none[..]
        } else {
            &before
        };
        assert_eq!(
            messages_not_judged(&messages()[begin..]),
            expected,
            "from {begin} on"
        );
    }
    // Packets far from the one before belong to another life of the queue pair.
    let mut packets = messages();
    for packet in &mut packets[4..] {
        packet.bth.psn += 1 << 20;
    }
    let broken = "1 message of UC with a loss or in another order: its length not judged";
    assert_eq!(messages_not_judged(&packets), [before[0], broken]);
}

#[test]
fn messages_of_uc_with_losses_are_counted() {
    let one = "1 message of UC with a loss or in another order: its length not judged";
    let two = "2 messages of UC with losses or in another order: their lengths not judged";
    // The end of one message and the beginning of the next count as one, since the rest might be of the same message.
    for lost in [1..2, 2..3, 3..4, 4..5, 1..3, 2..4] {
        let mut packets = messages();
        packets.drain(lost.clone());
        assert_eq!(messages_not_judged(&packets), [one], "without {lost:?}");
    }
    // A message that is lost whole shows in its PSNs alone.
    let mut packets = [messages(), messages()].concat();
    for packet in &mut packets[6..] {
        packet.bth.psn += 6;
    }
    packets.drain(3..6);
    assert!(messages_not_judged(&packets).is_empty());
    for swapped in 0..5 {
        let mut packets = messages();
        packets.swap(swapped, swapped + 1);
        let expected = match swapped {
            0 => "1 message of UC that began before the capture: its length not judged",
            2 => two,
            _ => one,
        };
        assert_eq!(
            messages_not_judged(&packets),
            [expected],
            "{swapped} behind the next"
        );
    }
}

#[test]
fn messages_of_uc_that_have_not_ended_are_counted() {
    let not_ended = ["1 message of UC that had not ended: its length not judged"];
    for end in [1, 2, 4, 5] {
        assert_eq!(messages_not_judged(&messages()[..end]), not_ended, "up to {end}");
    }
    assert!(messages_not_judged(&messages()[..3]).is_empty());
}

/// The packet in the other direction between the same ports.
fn back(mut packet: Packet) -> Packet {
    let Route::Roce(roce) = &packet.route else {
        unreachable!("the capture is of RoCEv2")
    };
    let [from, to] = [
        (roce.ethernet.source, roce.network.sgid()),
        (roce.ethernet.destination, roce.network.dgid()),
    ];
    let end = |(mac, gid)| Endpoint { mac, gid };
    packet.route = Route::Roce(Roce::between(end(to), end(from), 0xC000));
    packet
}

const NOT_SHOWN: &str =
    "datagrams to queue pairs whose Q_Keys the capture does not show: the Q_Keys not judged";

/// The part of the summary about Q_Keys.
fn q_keys(packets: &[Packet]) -> Vec<String> {
    clauses(packets, "Q_Key", "")
}

#[test]
fn q_keys_that_no_packet_shows_are_counted() {
    let one = "1 datagram to a queue pair whose Q_Key the capture does not show: the Q_Key not judged";
    assert_eq!(q_keys(&[datagram(0x40, 1, 8)]), [one]);
    let same = [8, 9, 10].map(|bytes| datagram(0x40, 1, bytes));
    assert_eq!(q_keys(&same), [format!("3 {NOT_SHOWN}")]);
    // Each queue pair has a key of its own.
    let others = [1, 2, 3].map(|n| datagram(0x40 + n, n, 8));
    assert_eq!(q_keys(&others), [format!("3 {NOT_SHOWN}")]);
    let changing = [(1, 8), (2, 9), (2, 10), (1, 11)].map(|(q_key, bytes)| datagram(0x40, q_key, bytes));
    let some = "2 of them whose Q_Keys differ from the ones before to the same queue pairs";
    assert_eq!(q_keys(&changing), [format!("4 {NOT_SHOWN}"), some.to_owned()]);
    // QP0 takes any key, and that of QP1 is known.
    let to_qp0 = datagram(0, 5, 256);
    assert!(q_keys(&[to_qp0, mad(0x10)]).is_empty());
}

/// A queue pair that sends a key with bit 31 set shows its own one.
#[test]
fn q_keys_that_a_queue_pair_has_shown_are_compared() {
    let shows = |q_key| sent_by(datagram(0x40, q_key, 8), 0x77);
    let to_it = |q_key| back(datagram(0x77, q_key, 8));
    let one = "1 datagram to a queue pair whose Q_Key the capture does not show: the Q_Key not judged";
    assert_eq!(q_keys(&[shows(0x8000_0005), to_it(0x8000_0005)]), [one]);
    let refused =
        "1 datagram with another Q_Key than its queue pair has shown: dropped there, unless a verb changed it";
    for q_key in [5, 0x8000_0004] {
        assert_eq!(q_keys(&[shows(0x8000_0005), to_it(q_key)]), [one, refused]);
    }
    // A key without bit 31 is the work request's, and shows nothing.
    assert_eq!(q_keys(&[shows(5), to_it(6)]), [format!("2 {NOT_SHOWN}")]);
    // The same number at the other port is another queue pair.
    let elsewhere = [shows(0x8000_0005), datagram(0x77, 6, 8)];
    assert_eq!(q_keys(&elsewhere), [format!("2 {NOT_SHOWN}")]);
}

#[test]
fn own_q_keys_that_change_are_counted() {
    let shows = |by, q_key, bytes| sent_by(datagram(0x40, q_key, bytes), by);
    let own = |keys: &[u32]| {
        let packets: Vec<Packet> = (8..).zip(keys).map(|(n, key)| shows(0x77, *key, n)).collect();
        clauses(&packets, "own Q_Key", "")
    };
    assert!(own(&[0x8000_0005, 0x8000_0005]).is_empty());
    let once =
        "1 own Q_Key, with bit 31 set, that differs from the one that its queue pair sent before: not judged";
    assert_eq!(own(&[0x8000_0005, 5, 0x8000_0006, 0x8000_0006]), [once]);
    let of_two = [shows(0x77, 0x8000_0005, 8), shows(0x78, 0x8000_0006, 8)];
    assert!(clauses(&of_two, "own Q_Key", "").is_empty());
}

/// The totals of the JSON document about these packets.
fn totals(packets: &[Packet]) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.pcap");
    let records = packets.iter().map(|packet| packet.encode().unwrap());
    let timed = (0..).map(Duration::from_micros).zip(records);
    written(&path, timed.map(|(time, bytes)| (time, bytes.len(), bytes)));
    let mut command = Command::cargo_bin("hca").unwrap();
    let output = command.args(["check", "--json", "-"]).arg(&path).assert().code(0);
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

#[test]
fn the_document_has_each_count() {
    let mut uc = messages();
    // The first message begins before the capture, the next lacks a packet, two more do and the last does not end.
    let mut more = [messages(), messages()].concat();
    for (psn, packet) in (11..).zip(&mut more) {
        packet.bth.psn = psn;
    }
    uc.extend(more);
    for at in [16, 13, 10, 7, 4, 0] {
        uc.remove(at);
    }
    uc.pop();
    let shows = |q_key, bytes| sent_by(datagram(0x40, q_key, bytes), 0x77);
    let ud = [
        shows(0x8000_0005, 8),
        shows(0x8000_0006, 9),
        shows(0x8000_0006, 10),
        shows(0x8000_0007, 11),
        back(datagram(0x77, 5, 12)),
    ];
    let of_uc = totals(&uc);
    assert_eq!(of_uc["messages_of_uc_begun_before"], 1);
    assert_eq!(of_uc["messages_of_uc_with_losses"], 4);
    assert_eq!(of_uc["messages_of_uc_not_ended"], 1);
    assert_eq!(of_uc["q_keys_not_shown"], 0);
    let of_ud = totals(&ud);
    assert_eq!(of_ud["q_keys_not_shown"], 4);
    assert_eq!(of_ud["q_keys_not_shown_and_differing"], 2);
    assert_eq!(of_ud["q_keys_unlike_those_shown"], 1);
    assert_eq!(of_ud["own_q_keys_changed"], 2);
    assert_eq!(of_ud["messages_of_uc_begun_before"], 0);
}
