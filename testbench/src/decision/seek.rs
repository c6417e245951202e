//! Compares which WQE holds the oldest unacknowledged position (`requester.md` section 7).
use super::comparison::Comparison;
use super::flight::{span, Flight};
use super::subject::Subject;
use crate::wire::draw::Draw;
use hca_golden::decision::requester::{plan, psn_of, rewind, Rewind};
use hca_golden::event::RewindCause;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;

pub(super) struct Seek;

#[derive(Debug)]
pub(super) struct Case {
    flight: Flight,
}

impl Subject for Seek {
    type Case = Case;
    const NAME: &'static str = "seek";
    const BLOCK: &'static str = "seek_outcome";
    const OUTCOMES: &'static [&'static str] = &[
        "at once",
        "ahead",
        "within a message",
        "behind all that has started",
    ];

    fn draw(draw: &mut Draw) -> Case {
        loop {
            let mut flight = Flight::draw(draw);
            let end = flight.end();
            flight.tell(end);
            if flight.started.is_empty() {
                continue;
            }
            // Up to any packet, or all of them.
            let una = flight.context.unacknowledged;
            flight.context.unacknowledged += match draw.below(4) {
                0 => 0,
                1 => end - una,
                _ => draw.below((end - una) as usize + 1) as u64,
            };
            return Case { flight };
        }
    }

    /// The search starts at the oldest WQE.
    fn put(case: &Case, block: &mut DecisionBlock) {
        case.flight.put(block);
        block.set("pmtu", case.flight.pmtu.code().into());
        look_at(case, 0, block);
    }

    fn compare(case: &Case, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error> {
        let Flight {
            context,
            started,
            fresh,
            ..
        } = &case.flight;
        let una = context.unacknowledged;
        let mut back = context.clone();
        back.rewind = Some(Rewind {
            position: una,
            cause: RewindCause::AckTimeout,
            not_before: 0,
            late: 0,
        });
        // `None` if all is acknowledged.
        let plan = plan(&rewind(back, 0));
        let mut at = 0;
        while !block.is_set("found") && at + 1 < started.len() {
            c.same("ahead", true, block.get("ahead"));
            at += 1;
            look_at(case, at, block);
            block.settle()?;
        }
        c.outcome(if at == 0 { "at once" } else { "ahead" });
        c.same("found", true, block.get("found"));
        let (index, offset) = plan.as_ref().map_or((*fresh, 0), |p| (p.index, p.offset));
        // A Read is also restarted at a position inside it.
        c.same("new_row.psn", psn_of(una), block.get("new_row.psn"));
        c.same("new_row.current", index, block.get("new_row.current"));
        c.same("new_row.offset", offset, block.get("new_row.offset"));
        c.same("new_row.resent", psn_of(una), block.get("new_row.resent"));
        c.same("new_row.rewinding", false, block.get("new_row.rewinding"));
        c.same("new_row.started", *fresh, block.get("new_row.started"));
        c.same("new_row.una", psn_of(una), block.get("new_row.una"));
        if offset != 0 {
            c.outcome("within a message");
        }
        if plan.is_none() {
            c.outcome("behind all that has started");
        }
        Ok(())
    }
}

fn look_at(case: &Case, at: usize, block: &mut DecisionBlock) {
    let message = &case.flight.started[at];
    let (first, last) = span(message, case.flight.pmtu);
    block.set("wqe", message.index.into());
    block.set("first", first.into());
    block.set("last", last.into());
}
