//! Turns of what the responder does besides packets.
use crate::bench::{library, Bench};
use hca_rtl::responder::ResponderEvents;

/// `ResponderEventKind` as ports have it.
const PACKET: u64 = 0;
const FLUSH: u64 = 5;
const CREDIT: u64 = 6;

/// So many events, while all these inputs wait all the time.
fn events(waiting: &[&str]) -> Vec<u64> {
    let mut bench = Bench::new(&library::<ResponderEvents<4>>("responder_events"), 1);
    for input in [
        "arrival", "reported", "fail", "unreadable", "modify", "turn", "credit",
    ] {
        bench.set(&format!("{input}_valid"), u64::from(waiting.contains(&input)));
        let index = match input {
            "reported" | "modify" => format!("{input}_index"),
            _ => input.to_owned(),
        };
        bench.set(&index, 3);
    }
    bench.set("modify_done", 0);
    bench.set("event_ready", 1);
    let mut events = Vec::new();
    for _ in 0..40 {
        bench.settle();
        if bench.is_set("event_valid") {
            events.push(bench.get("event_kind"));
        }
        bench.tick();
    }
    assert!(events.len() >= 10, "{events:?}");
    events
}

/// The rows of a QP come one clock after `read_index`, and so does the event that needs them.
#[test]
fn the_rows_of_an_event_are_read_as_it_is_chosen() {
    let library = library::<ResponderEvents<4>>("responder_events");
    for qp in 0..16 {
        let mut bench = Bench::new(&library, 1);
        for input in ["arrival", "fail", "unreadable", "modify", "turn"] {
            bench.set(&format!("{input}_valid"), 0);
        }
        for (input, value) in [
            ("reported_valid", 0),
            ("credit_valid", 1),
            ("credit", qp),
            ("event_ready", 1),
        ] {
            bench.set(input, value);
        }
        let (mut read, mut events) = (None, 0);
        for _ in 0..40 {
            bench.settle();
            if bench.is_set("event_valid") {
                assert_eq!(bench.get("event_index"), qp);
                assert_eq!(read, Some(qp));
                events += 1;
            }
            read = Some(bench.get("read_index"));
            bench.tick();
        }
        assert!(events >= 10, "{events}");
    }
}

#[test]
fn packets_and_what_else_there_is_take_turns() {
    for (input, kind) in [("turn", FLUSH), ("credit", CREDIT)] {
        for pair in events(&["arrival", input]).windows(2) {
            assert!(
                matches!(pair, [a, b] if [*a.min(b), *a.max(b)] == [PACKET, kind]),
                "{input}: {pair:?}"
            );
        }
    }
}

#[test]
fn without_packets_flushes_go_on() {
    assert!(events(&["turn"]).iter().all(|kind| *kind == FLUSH));
    assert!(events(&["credit"]).iter().all(|kind| *kind == CREDIT));
}
