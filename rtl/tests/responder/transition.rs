//! What befalls a QP besides packets, against plain rules (`protocol/qp_cq.md` section 1).
use crate::bench::{bits, library, Bench};
use crate::packet::Fields;
use crate::reference::{ERROR, RESET, RTR};
use fastrand::Rng;
use hca_rtl::responder::Transition;

// As `ResponderEventKind` has them.
const REPORTED: u8 = 1;
const FAIL: u8 = 2;
const UNREADABLE: u8 = 3;
const MODIFY: u8 = 4;
const FLUSH: u8 = 5;
const CREDIT: u8 = 6;

/// Widths of the fields of a `ResponderContext`, by name of their places below.
const WIDTHS: [usize; 17] = [3, 1, 24, 24, 16, 1, 1, 1, 24, 32, 64, 32, 32, 5, 5, 5, 1];
const STATE: usize = 0;
const TOLD_OF_ERROR: usize = 1;
const EPSN: usize = 2;
const MSN: usize = 3;
const CONSUMER: usize = 4;
const OPEN_SEND: usize = 5;
const OPEN_WRITE: usize = 6;
const NAK: usize = 7;
const ACKED_PSN: usize = 8;
const TAKEN: usize = 13;
const STORED: usize = 14;
const CREDITS_TOLD: usize = 15;
const UNANSWERED: usize = 16;

type Context = [u64; 17];

/// What comes of an event besides the context, in the order of `OUTPUTS`.
const OUTPUTS: [&str; 5] = ["reports", "fails", "flushes", "advertises", "clears"];
type Outcome = [bool; 5];

#[derive(Debug)]
struct Event {
    kind: u8,
    state: u8,
    rq_psn: u64,
    supplied: bool,
    credit_due: bool,
    code: u64,
    arrived: u64,
}

/// RTR and all behind it but Error.
fn receives(state: u64) -> bool {
    (u64::from(RTR)..u64::from(ERROR)).contains(&state)
}

fn modify(c: &mut Context, event: &Event) -> bool {
    let ended = c[STATE] == u64::from(ERROR);
    if ended && event.state != RESET {
        // Nothing but Reset leaves Error.
        c[TOLD_OF_ERROR] |= u64::from(event.state == ERROR);
        return false;
    }
    c[STATE] = event.state.into();
    c[TOLD_OF_ERROR] = u64::from(event.state == ERROR);
    if event.state == RTR {
        (c[EPSN], c[MSN]) = (event.rq_psn, 0);
        c[ACKED_PSN] = event.rq_psn.wrapping_sub(1) & 0xFF_FFFF;
        (c[CREDITS_TOLD], c[UNANSWERED]) = (0, 1);
    }
    if event.state == RESET {
        c[CONSUMER] = 0;
    }
    let anew = matches!(event.state, RTR | RESET);
    if anew {
        for field in [OPEN_SEND, OPEN_WRITE, NAK, TAKEN, STORED] {
            c[field] = 0;
        }
    }
    anew
}

fn befall(c: &mut Context, event: &Event) -> Outcome {
    let ended = c[STATE] == u64::from(ERROR);
    let lives = !ended && c[STATE] != u64::from(RESET);
    let mut outcome = [false; 5];
    match event.kind {
        REPORTED => c[TOLD_OF_ERROR] = ended.into(),
        FAIL | UNREADABLE if lives => {
            c[STATE] = ERROR.into();
            c[TOLD_OF_ERROR] = u64::from(event.kind == FAIL);
            outcome[usize::from(event.kind == UNREADABLE)] = true;
        }
        MODIFY => outcome[4] = modify(c, event),
        // The message that has begun, then those that are at hand.
        FLUSH if ended && c[TOLD_OF_ERROR] == 1 => {
            if c[OPEN_SEND] == 1 {
                (c[OPEN_SEND], outcome[2]) = (0, true);
            } else if c[CONSUMER] != event.arrived {
                (c[CONSUMER], outcome[2]) = ((c[CONSUMER] + 1) & 0xFFFF, true);
            }
        }
        CREDIT if receives(c[STATE]) && c[NAK] == 0 => {
            outcome[3] = event.supplied && (c[UNANSWERED] == 1 || event.credit_due);
            if outcome[3] {
                (c[CREDITS_TOLD], c[UNANSWERED]) = (event.code, 0);
            }
        }
        _ => {}
    }
    outcome
}

#[test]
fn a_context_changes_as_the_event_says_and_otherwise_not_at_all() {
    let mut bench = Bench::without_clock(&library::<Transition>("responder_transition"), 1);
    let mut rng = Rng::with_seed(0x7245);
    let mut met = [0; OUTPUTS.len()];
    for _ in 0..100_000 {
        let mut context = WIDTHS.map(|width| rng.u64(..) >> (64 - width));
        context[STATE] = u64::from(rng.u8(..=ERROR));
        let event = Event {
            kind: rng.u8(REPORTED..=CREDIT),
            state: rng.u8(..=ERROR),
            rq_psn: if rng.u8(..4) == 0 {
                rng.u64(..2)
            } else {
                rng.u64(..1 << 24)
            },
            supplied: rng.bool(),
            credit_due: rng.bool(),
            code: rng.u64(..32),
            arrived: if rng.bool() {
                context[CONSUMER]
            } else {
                rng.u64(..1 << 16)
            },
        };
        let row = WIDTHS
            .iter()
            .zip(context)
            .fold(Fields::default(), |row, (width, value)| {
                row.put(value.into(), *width)
            });
        bench.set_bytes("context_", &row.bytes());
        for (port, value) in [
            ("kind", event.kind.into()),
            ("modified_state", event.state.into()),
            ("modified_rq_psn", event.rq_psn),
            ("supplied", event.supplied.into()),
            ("credit_due", event.credit_due.into()),
            ("code", event.code),
            ("arrived", event.arrived),
        ] {
            bench.set(port, value);
        }
        bench.follow();
        let changed = bench.bytes("changed");
        let mut at = 0;
        let got = WIDTHS.map(|width| {
            at += width;
            bits(&changed, at - width, width)
        });
        let mut expected = context;
        let outcome = befall(&mut expected, &event);
        assert_eq!(got, expected, "{event:x?} in {context:x?}");
        assert_eq!(
            OUTPUTS.map(|output| bench.is_set(output)),
            outcome,
            "{event:x?} in {context:x?}"
        );
        for (met, holds) in met.iter_mut().zip(outcome) {
            *met += u32::from(holds);
        }
    }
    assert!(met.iter().all(|met| *met > 500), "{met:?}");
}
