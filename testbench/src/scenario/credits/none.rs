//! `scenario_seed001.md` section 3: packets that leave before an ack when there are no credits.
use super::ends::{completed, Ends, FETCH_ADD, READ, SEND, WRITE, WRITE_WITH_IMMEDIATE};
use super::table::{requests, settle, Decision, Row, Table};
use crate::fabric::{Fabric, Stop};
use crate::faults::Faults;
use hca_golden::verbs::SendOperation;
use Decision::{Again, Free, Limited, Unlimited, Waits};

const THREE_PACKETS: u32 = 600;

const fn row(ssn: u32, operation: &'static str, sent: &'static [u64], decision: Decision) -> Row {
    Row {
        ssn,
        operation,
        sent,
        decision,
    }
}

/// Requests of a step, MSN before, LSN after, and their expected results. After that, each limited request gets its
/// receive WQE.
type Step = (&'static [(SendOperation, u32)], u32, u32, &'static [Row]);

const STEPS: [Step; 4] = [
    (
        &[(WRITE, THREE_PACKETS), (READ, THREE_PACKETS), (FETCH_ADD, 8)],
        0,
        3,
        &[
            row(1, "Write, 3 packets", &[0x06, 0x07, 0x08], Free),
            row(2, "Read, 3 responses", &[0x0C], Free),
            row(3, "FetchAdd", &[0x14], Free),
        ],
    ),
    (
        &[(SEND, THREE_PACKETS)],
        3,
        3,
        &[row(4, "Send, 3 packets", &[0x00], Limited)],
    ),
    (
        &[(SEND, 8), (WRITE, 8)],
        4,
        4,
        &[
            row(5, "Send, 1 packet", &[0x04], Limited),
            row(6, "Write, 1 packet", &[], Waits),
        ],
    ),
    (
        &[(WRITE_WITH_IMMEDIATE, THREE_PACKETS), (WRITE, 8)],
        6,
        6,
        &[
            row(7, "Write+imm, 3 packets", &[0x06, 0x07, 0x09], Limited),
            row(8, "Write, 1 packet", &[], Waits),
        ],
    ),
];

/// Packets that are lost and sent again: those of two requests that had credits, and the first packet of one that has
/// none.
const AGAIN: [Row; 3] = [
    row(9, "Send, 3 packets", &[0x00, 0x01, 0x02], Again),
    row(10, "Send, 3 packets", &[0x00, 0x01, 0x02], Again),
    row(11, "Send, 3 packets", &[0x00], Limited),
];

pub(super) fn run(fabric: &mut Fabric<'_>, seed: u64) -> Result<(), Stop> {
    let ends = Ends::default();
    fabric.keep_packets();
    ends.open(fabric, 0)?;
    settle(fabric)?;
    for (work, msn, lsn, rows) in STEPS {
        let mark = fabric.kept_packets().len();
        ends.post(fabric, work)?;
        settle(fabric)?;
        let table = Table { msn, lsn, mark, rows };
        table.check(fabric, &ends)?;
        if rows.iter().any(|row| row.decision == Limited) {
            ends.bring(fabric, 0..1)?;
        }
        completed(fabric, work.len())?;
    }
    // Two receive WQEs, announced one after the other.
    for wr_id in 0..2 {
        ends.bring(fabric, wr_id..wr_id + 1)?;
        settle(fabric)?;
    }
    let lost = Faults {
        lost: 1000,
        ..Faults::default()
    };
    fabric.suffer(lost, seed);
    let mark = fabric.kept_packets().len();
    ends.post(fabric, &[(SEND, THREE_PACKETS); 3])?;
    settle(fabric)?;
    let (msn, lsn) = (8, 10);
    let first = [
        row(9, "Send, 3 packets", &[0x00, 0x01, 0x02], Unlimited),
        row(10, "Send, 3 packets", &[0x00, 0x01, 0x02], Unlimited),
        row(11, "Send, 3 packets", &[0x00], Limited),
    ];
    Table {
        msn,
        lsn,
        mark,
        rows: &first,
    }
    .check(fabric, &ends)?;
    let sent = mark + requests(fabric, mark).count();
    fabric.run_until("what is lost is sent again", |fabric| {
        requests(fabric, sent).count() >= 7
    })?;
    Table {
        msn,
        lsn,
        mark: sent,
        rows: &AGAIN,
    }
    .check(fabric, &ends)?;
    fabric.suffer(Faults::default(), seed);
    ends.bring(fabric, 2..3)?;
    completed(fabric, 3)
}
