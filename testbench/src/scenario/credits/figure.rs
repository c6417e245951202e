//! `scenario_seed001.md` section 3: MSN 18h and 6 credits.
use super::ends::{completed, Ends, FETCH_ADD, SEND, WRITE};
use super::table::{expect_limit, latest_answer, settle, Decision, Row, Table};
use crate::fabric::{Fabric, Stop};
use hca_golden::verbs::SendOperation;
use Decision::{Free, Limited, Unlimited, Waits};

/// Number of messages that are complete: SSN 1 to 18h.
const COMPLETE: usize = 0x18;
/// Credits at that moment.
const CREDITS: usize = 6;
const TWO_PACKETS: u32 = 300;

const fn row(ssn: u32, operation: &'static str, sent: &'static [u64], decision: Decision) -> Row {
    Row {
        ssn,
        operation,
        sent,
        decision,
    }
}

const WHOLE: &[u64] = &[0x00, 0x02];

const FIGURE: [Row; 8] = [
    row(0x19, "Send, 2 packets", WHOLE, Unlimited),
    row(0x1A, "Send, 2 packets", WHOLE, Unlimited),
    row(0x1B, "Send, 2 packets", WHOLE, Unlimited),
    row(0x1C, "Send, 2 packets", WHOLE, Unlimited),
    row(0x1D, "Send, 2 packets", WHOLE, Unlimited),
    row(0x1E, "Send, 2 packets", WHOLE, Unlimited),
    row(0x1F, "Send, 2 packets", &[0x00], Limited),
    row(0x20, "Send, 2 packets", &[], Waits),
];

/// Messages 27 and 29 of the figure take no receive WQE.
const NON_CONSUMING: [Row; 10] = [
    row(0x19, "Send, 2 packets", WHOLE, Unlimited),
    row(0x1A, "Send, 2 packets", WHOLE, Unlimited),
    row(0x1B, "Write, 2 packets", &[0x06, 0x08], Free),
    row(0x1C, "Send, 2 packets", WHOLE, Unlimited),
    row(0x1D, "FetchAdd", &[0x14], Free),
    row(0x1E, "Send, 2 packets", WHOLE, Unlimited),
    row(0x1F, "Send, 2 packets", WHOLE, Unlimited),
    row(0x20, "Send, 2 packets", WHOLE, Unlimited),
    row(0x21, "Send, 2 packets", &[0x00], Limited),
    row(0x22, "Send, 2 packets", &[], Waits),
];

/// Runs the figure: 18h + 6 = 1Eh.
pub(super) fn run(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    run_with(fabric, &[SEND; 8], 0x1E, &FIGURE)
}

/// Runs the figure with messages that take no receive WQE: 18h + 6 + 2 = 20h.
pub(super) fn run_non_consuming(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    let mut operations = [SEND; 10];
    (operations[2], operations[4]) = (WRITE, FETCH_ADD);
    run_with(fabric, &operations, 0x20, &NON_CONSUMING)
}

fn run_with(
    fabric: &mut Fabric<'_>,
    operations: &[SendOperation],
    lsn: u32,
    rows: &[Row],
) -> Result<(), Stop> {
    let ends = Ends::default();
    fabric.keep_packets();
    ends.open(fabric, (COMPLETE + CREDITS) as u64)?;
    settle(fabric)?;
    ends.post(fabric, &[(SEND, 0); COMPLETE])?;
    completed(fabric, COMPLETE)?;
    let said = Some((5, COMPLETE as u64));
    fabric.expect("credit code and MSN of the last ack", said, latest_answer(fabric))?;
    expect_limit(fabric, &ends, (COMPLETE + CREDITS) as u32)?;
    let mark = fabric.kept_packets().len();
    let length = |operation: SendOperation| if operation.is_atomic() { 8 } else { TWO_PACKETS };
    let work: Vec<_> = operations.iter().map(|&o| (o, length(o))).collect();
    ends.post(fabric, &work)?;
    settle(fabric)?;
    let msn = COMPLETE as u32;
    Table { msn, lsn, mark, rows }.check(fabric, &ends)?;
    ends.bring(fabric, 0..2)?;
    completed(fabric, operations.len())
}
