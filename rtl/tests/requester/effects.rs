//! What an event makes of a QP's row, from any row: what it names changes, and nothing else.
use crate::bench::{bits, library, Bench};
use crate::row::{draw, Row};
use fastrand::Rng;
use hca_rtl::requester::{ModifyEffect, SeekStep, TurnEffect};

const PSNS: u64 = 1 << 24;
const DRAWS: usize = 4000;

/// `requester.md` section 6: the oldest PSN is in the first WQE whose last is not before it; behind the newest if all
/// that was started is acknowledged.
#[test]
fn going_back() {
    let library = library::<SeekStep>("seek_step");
    let mut bench = Bench::without_clock(&library, 1);
    let mut rng = Rng::with_seed(0x5EE4);
    for _ in 0..DRAWS {
        draw(&mut bench, &library, &mut rng);
        let row = Row::any(&mut rng);
        let (una, wqe, pmtu) = (row.get("una"), rng.u16(..), rng.u64(0..6));
        let (into, length) = (rng.u64(0..3000), rng.u64(0..3000));
        let (first, newest) = ((una + PSNS - into) % PSNS, rng.bool());
        bench.set_bytes("row", &row.0);
        bench.set("first", first);
        bench.set("last", (first + length) % PSNS);
        bench.set("wqe", wqe.into());
        bench.set("newest", newest.into());
        bench.set("pmtu", pmtu);
        bench.follow();
        let holds = into <= length;
        assert_eq!(bench.is_set("found"), holds || newest, "PSN {into} of {length}");
        if !holds && !newest {
            continue;
        }
        let (current, offset) = match holds {
            true => (wqe, into << (7 + pmtu)),
            false => (wqe.wrapping_add(1), 0),
        };
        let mut expected = row
            .clone()
            .with("current", current.into())
            .with("offset", offset)
            .with("rewinding", 0)
            .with("refused", 0);
        if row.get("rewinding") == 1 {
            expected = expected.with("went_back", 1).with("since", bench.get("gone"));
        }
        // Its PSN is the oldest, wherever that is.
        let unlike = Row::of(&bench, "new_row").unlike(&expected);
        let other = unlike.iter().filter(|name| !["psn", "resent"].contains(name));
        assert_eq!(other.count(), 0, "PSN {into} of {length}: {unlike:?}");
    }
}

/// `qp_cq.md` section 1.
#[test]
fn a_modification() {
    const RESET: u64 = 0;
    const RTR: u64 = 2;
    const RTS: u64 = 3;
    const SQD: u64 = 4;
    const SQE: u64 = 5;
    const ERROR: u64 = 6;
    let library = library::<ModifyEffect>("modify_effect");
    let mut bench = Bench::without_clock(&library, 1);
    let mut rng = Rng::with_seed(0x30D1);
    for _ in 0..DRAWS {
        draw(&mut bench, &library, &mut rng);
        let state = rng.u64(0..7);
        let row = Row::any(&mut rng).with("state", rng.u64(0..7));
        let mut arguments: [u32; 14] = std::array::from_fn(|_| rng.u32(..));
        arguments[1] = arguments[1] & !0xFF | state as u32;
        let command: Vec<u8> = arguments.iter().rev().flat_map(|a| a.to_le_bytes()).collect();
        bench.set_bytes("modify_row", &command);
        bench.set_bytes("row", &row.0);
        let (restarts, oldest) = (state == RTS && rng.bool(), rng.u64(0..1 << 16));
        bench.set("restarts", restarts.into());
        bench.set("oldest", oldest);
        bench.follow();
        let begins = row.get("state") == RTR && state == RTS;
        assert_eq!(bench.is_set("resets"), state == RESET);
        assert_eq!(bench.is_set("starts"), begins);
        assert_eq!(bench.is_set("errs"), state == ERROR);
        assert_eq!(Row::of(&bench, "cleared_row").unlike(&Row::cleared()), [""; 0]);
        bench.set("reset_asked", (state == RESET).into());
        bench.set("start_asked", begins.into());
        bench.set("error_asked", (state == ERROR).into());
        bench.follow();
        let mut expected = row.clone();
        // `uc.md` section 2: nothing but Reset, Error and a restart leaves SQE.
        let stays = row.get("state") == SQE && [RTS, SQD].contains(&state) && !restarts;
        if row.get("state") != ERROR && !stays {
            expected = expected.with("state", state);
        }
        if row.get("state") == SQE && restarts {
            for name in ["flushing", "refused", "broken", "offset"] {
                expected = expected.with(name, 0);
            }
            for name in ["started", "current"] {
                expected = expected.with(name, oldest);
            }
            expected = expected.with("una", row.get("psn"));
        }
        if state == RESET {
            expected = Row::cleared().with("issued", row.get("issued"));
        }
        if begins {
            let psn = u64::from(arguments[11]) % PSNS;
            assert_eq!(bench.get("start_psn"), psn);
            for name in ["una", "psn", "start", "resent"] {
                expected = expected.with(name, psn);
            }
            expected = expected
                .with("went_back", 1)
                .with("since", bench.get("gone"))
                .with("retries", u64::from(arguments[13] >> 16))
                .with("rnr_retries", u64::from(arguments[13] >> 24));
        }
        if state == ERROR {
            expected = expected.with("flushing", 1).with("unreported", 0);
        }
        let after = Row::of(&bench, "new_row");
        assert_eq!(after.unlike(&expected), [""; 0], "from {row:?} to {state}");
    }
}

/// `requester.md` sections 1, 4 and 8: after a packet, and after its WQE was found bad.
#[test]
fn a_turn() {
    let library = library::<TurnEffect>("turn_effect");
    let mut bench = Bench::without_clock(&library, 1);
    let mut rng = Rng::with_seed(0x7EA1);
    for _ in 0..DRAWS {
        draw(&mut bench, &library, &mut rng);
        let mut row = Row::any(&mut rng);
        let begins = rng.bool();
        if begins {
            row = row.clone().with("current", row.get("started"));
        }
        if rng.bool() {
            row = row.with("reads", 0);
        }
        let plan = bench.bytes("plan");
        let (ends, psns) = (bits(&plan, 54, 1) == 1, bits(&plan, 56, 24));
        let (is_read, is_atomic) = (bench.is_set("is_read"), bench.is_set("is_atomic"));
        let pmtu = bench.get("pmtu");
        bench.set_bytes("row", &row.0);
        bench.follow();
        let (psn, current) = (row.get("psn"), row.get("current"));
        let message_last = (psn + psns) % PSNS;
        let packet_last = if is_read { message_last } else { psn };
        assert_eq!(bench.is_set("begins"), current == row.get("started"));
        assert_eq!(bench.get("message_last"), message_last);
        assert_eq!(bench.get("packet_last"), packet_last);
        let slot = (row.get("read_head") + row.get("reads")) % 16;
        assert_eq!(bench.get("read_slot"), slot);
        let begins = bench.is_set("begins");

        let gone = bench.get("gone") == row.get("since");
        let mut sent = row.clone().plus("issued", 1).with("psn", packet_last + 1);
        sent = match ends {
            true => sent.with("offset", 0).plus("current", 1),
            false => sent.plus("offset", 128 << pmtu),
        };
        sent = sent.with("went_back", row.get("went_back") & u64::from(gone));
        if begins {
            let consumes = bench.is_set("consumes");
            let many = row.get("many") == 1 || row.get("ssn") % 64 == 63;
            sent = sent.plus("started", 1).plus("ssn", 1).with("many", many.into());
            sent = match consumes {
                true => sent.plus("allowance", u64::MAX),
                false => sent.plus("free", 1),
            };
            // CF197: of a limited Send one packet; CF200: of a limited Write all of it.
            let stop = if bench.is_set("is_send") {
                psn
            } else {
                message_last
            };
            sent = sent
                .with("probes", u64::from(consumes && bench.is_set("limited")))
                .with("stop_psn", stop + 1);
            if is_read || is_atomic {
                sent = sent.plus("reads", 1);
                if row.get("reads") == 0 {
                    sent = sent
                        .with("read_first", psn)
                        .with("read_last", message_last)
                        .with("read_wqe", current)
                        .with("read_length", bench.get("length"))
                        .with("read_atomic", is_atomic.into());
                }
            }
        }
        assert_eq!(Row::of(&bench, "sent_row").unlike(&sent), [""; 0]);
        // Nothing else of it is looked at.
        let bad = Row::of(&bench, "bad_row");
        assert_eq!(bad.get("refused"), 1);
        assert_eq!(bad.get("refused_status"), bench.get("status"));
        for name in ["psn", "current", "offset", "ssn", "allowance", "stop_psn"] {
            assert_eq!(bad.get(name), row.get(name), "{name}");
        }
        let started = row.clone().plus("started", begins.into()).get("started");
        assert_eq!(bad.get("started"), started);
    }
}
