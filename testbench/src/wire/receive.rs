//! Compares what the parser makes of frames with what the model makes of them.
use super::case::{Batch, Case};
use super::fields::{listed, received};
use super::framing::addresses;
use super::hardware::Blocks;
use super::mismatch::{Difference, Mismatch, Stop};
use crate::report::side_by_side::{payload_row, row, Row};
use crate::trace::drop_reason;
use hca_golden::decision::link::judge_with_groups;
use hca_golden::event::DropReason;
use hca_golden::port::PortConfig;
use hca_golden::wire::malformed::Malformed;
use hca_golden::wire::packet::Packet;
use hca_sim::wire::receive::{Header, Outcome, ReceiveError, Receiver};

/// Judges a frame at the link as the model does. Whether a multicast group has members is checked later (`ud.md`
/// section 4).
pub fn judge(port: &PortConfig, frame: &[u8]) -> Result<Packet, Malformed> {
    judge_with_groups(port, true, frame)
}

/// Sends the cases through the parser. Returns what the model makes of each, in order.
pub fn compare(
    batch: &Batch,
    cases: &[Case],
    blocks: &Blocks,
    seed: u64,
) -> Result<Vec<Result<Packet, Malformed>>, Stop> {
    let (manners, _) = batch.manners(seed, blocks.width);
    let ports = addresses(&batch.port);
    let mut receiver = Receiver::new(&blocks.receive, blocks.width, &ports, seed ^ batch.number)?;
    let frames: Vec<&[u8]> = cases.iter().map(|c| &c.mutant.frame[..]).collect();
    let mismatch = |case: &Case, difference| Mismatch {
        case: case.number,
        width: blocks.width,
        framing: batch.framing,
        mutation: Some(case.mutant.to_string()),
        frame: case.mutant.frame.clone(),
        difference,
    };
    let arrivals = receiver.run(&frames, manners).map_err(|error| match error {
        ReceiveError::Model(error) => Stop::Build(error),
        broken => {
            let case = match broken {
                ReceiveError::Lost { number }
                | ReceiveError::Twice { number }
                | ReceiveError::Order { number }
                | ReceiveError::Last { number } => cases.get(number),
                _ => None,
            };
            // Without a number, the error concerns the whole batch.
            Stop::from(mismatch(
                case.unwrap_or(&cases[0]),
                Difference::Rule(broken.to_string()),
            ))
        }
    })?;
    let mut judgements = Vec::new();
    for (case, arrival) in cases.iter().zip(arrivals) {
        let judgement = judge(&batch.port, &case.mutant.frame);
        let rows = differing(&judgement, &arrival.outcome);
        if rows.iter().any(|r| r.differs) {
            return Err(mismatch(case, Difference::Rows(rows)).into());
        }
        judgements.push(judgement);
    }
    Ok(judgements)
}

/// Returns verdict, fields and payload of both sides, side by side.
pub fn differing(expected: &Result<Packet, Malformed>, actual: &Outcome) -> Vec<Row> {
    let verdict = match expected {
        Ok(_) => "accepted".to_owned(),
        Err(malformed) => format!("dropped, {}", drop_reason::name(malformed.reason)),
    };
    let (header, payload, found) = match actual {
        Outcome::Accepted { header, payload } => (Some(header), Some(payload), "accepted".to_owned()),
        Outcome::Discarded(header) => (Some(header), None, "accepted".to_owned()),
        Outcome::Dropped(code) => (None, None, dropped(*code)),
    };
    let mut rows = vec![row("verdict", verdict, found)];
    if let (Ok(packet), Some(header)) = (expected, header) {
        // The bench itself checks the arrival numbers.
        rows.extend(field_rows(&received(packet, header.packet), header));
        rows.extend(payload.map(|payload| payload_row(&packet.payload, payload)));
    }
    rows
}

fn dropped(code: u8) -> String {
    let reason: Result<DropReason, String> = crate::device::translation::drop_reason(code);
    match reason {
        Ok(reason) => format!("dropped, {}", drop_reason::name(reason)),
        Err(_) => format!("dropped, unknown reason {code}"),
    }
}

fn field_rows(expected: &Header, actual: &Header) -> Vec<Row> {
    let pairs = listed(expected).into_iter().zip(listed(actual));
    pairs
        .map(|((name, expected), (_, actual))| row(name, expected, actual))
        .collect()
}
