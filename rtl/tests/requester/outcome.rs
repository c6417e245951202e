//! Fields of a row that no event of a kind has a say in.
use crate::bench::{bits, library, Bench};
use crate::row::{draw, Row};
use fastrand::Rng;
use hca_rtl::requester::EventOutcome;

const DRAWS: usize = 40_000;

/// Events in the order of `EventKind`, besides a modification; what each may change.
const EVENTS: [(u64, &[&str]); 6] = [
    (1, &["state", "flushing", "unreported"]),
    (2, &["flushing"]),
    (
        3,
        &[
            "psn", "current", "offset", "refused", "refused_first", "refused_wqe", "refused_status",
        ],
    ),
    (TIMER, RETRY),
    (RESPONSE, RETRY),
    (TURN, &["state", "owes", "owes_failure", "flushing", "unreported"]),
];
const TIMER: u64 = 4;
const RESPONSE: u64 = 5;
const TURN: u64 = 6;

/// `requester.md` sections 6 and 7.
const RETRY: &[&str] = &[
    "state", "wrapped", "retries", "retrying", "rewinding", "cause", "waiting", "refused_status", "owes",
    "owes_failure",
];
/// A response besides: what it acknowledges, and the Read or atomic that is the oldest then.
const ANSWER: &[&str] = &[
    "una", "rnr_retries", "read_head", "reads", "read_first", "read_last", "read_wqe", "read_length",
    "read_atomic",
];
/// What an own packet besides: host memory failed it, and the send queue alone fails (`uc.md` section 2).
const OWN: &[&str] = &["flushing", "unreported", "broken"];
/// And what it tells of credits (section 4).
const CREDITS: &[&str] = &["allowance", "unlimited", "probes"];

/// The row with the next packet at the oldest PSN.
fn found_from(row: &Row, rng: &mut Rng) -> Row {
    let una = row.get("una");
    let names = ["current", "offset"].iter();
    let found = names.fold(row.clone(), |row, name| row.with(name, rng.u64(..)));
    found
        .with("psn", una)
        .with("resent", una)
        .with("rewinding", 0)
        .with("refused", 0)
}

/// From any row, whatever else there is: an event leaves alone what is not its own, and one that goes back takes the
/// row that was found.
#[test]
fn an_event_changes_what_is_its_own() {
    let library = library::<EventOutcome>("event_outcome");
    let mut bench = Bench::without_clock(&library, 1);
    let mut rng = Rng::with_seed(0x0C0E);
    let mut written = [0; EVENTS.len()];
    let mut went_back = 0;
    for number in 0..DRAWS {
        let at = number % EVENTS.len();
        let (kind, own) = EVENTS[at];
        draw(&mut bench, &library, &mut rng);
        let row = Row::any(&mut rng).with("state", rng.u64(2..7));
        let found = found_from(&row, &mut rng);
        let verdict = bench.bytes("verdict");
        let is_own = bits(&bench.bytes("arrival"), 206, 1) == 1;
        bench.set("kind", kind);
        bench.set_bytes("row", &row.0);
        bench.set_bytes("found_row", &found.0);
        bench.follow();
        if !bench.is_set("write_row") {
            continue;
        }
        written[at] += 1;
        let after = Row::of(&bench, "new_row");
        if bench.is_set("goes_back") {
            assert_eq!(kind, TURN);
            assert_eq!(after.unlike(&found), [""; 0]);
            went_back += 1;
            continue;
        }
        let answers = kind == RESPONSE;
        let credits = answers && bits(&verdict, 10, 1) == 1;
        for name in after.unlike(&row) {
            assert!(
                own.contains(&name)
                    || (answers && ANSWER.contains(&name))
                    || (answers && is_own && OWN.contains(&name))
                    || (credits && CREDITS.contains(&name)),
                "event {kind} changes {name} of {row:?}"
            );
        }
        if credits && after.get("allowance") != row.get("allowance") {
            assert!(bench.is_set("allows_more"));
            assert_eq!(after.get("allowance"), bench.get("allowance"));
        }
    }
    assert!(
        went_back > 100 && written.iter().all(|count| *count > 100),
        "all were seen: {written:?}, {went_back}"
    );
}
