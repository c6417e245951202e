//! `scenario_seed001.md` section 2: the ack before the first request.
use super::ends::{completed, Ends, SEND};
use super::table::{expect_limit, settle, Decision, Row, Table};
use crate::fabric::{Fabric, Stop};
use crate::Side;

/// Connection, first PSN of X, number of receive WQEs, and PSN and syndrome of the ack.
const ACKS: [(u32, u32, u64, u64, u64); 2] = [(0, 0, 1, 0xFF_FFFF, 1), (1, 100, 1, 99, 1)];

pub(super) fn run(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    for (n, x_psn, receives, psn, syndrome) in ACKS {
        let ends = Ends {
            n,
            x_psn,
            ..Ends::default()
        };
        fabric.keep_packets();
        let before = fabric.kept_packets().len();
        ends.open(fabric, receives)?;
        settle(fabric)?;
        let came = fabric.kept_packets()[before..].to_vec();
        fabric.expect("packets before the first request", 1, came.len())?;
        fabric.expect("sender", Side::Y, came[0].from)?;
        let ack = came[0].dissection();
        for (name, value) in [
            ("BTH.Opcode", 0x11),
            ("BTH.PSN", psn),
            ("BTH.A", 0),
            ("BTH.DestQP", ends.qpn(Side::X).into()),
            ("AETH.Syndrome", syndrome),
            ("AETH.MSN", 0),
        ] {
            fabric.expect(
                &format!("{name} of the initial ack"),
                Some(value),
                ack.value(name),
            )?;
        }
        let completes = fabric.reap(Side::X).is_some();
        fabric.expect("the initial ack completes a WQE", false, completes)?;
        expect_limit(fabric, &ends, 1)?;
        let mark = fabric.kept_packets().len();
        ends.post(fabric, &[(SEND, 600), (SEND, 600)])?;
        settle(fabric)?;
        let rows = [
            Row {
                ssn: 1,
                operation: "Send, 3 packets",
                sent: &[0x00, 0x01, 0x02],
                decision: Decision::Unlimited,
            },
            Row {
                ssn: 2,
                operation: "Send, 3 packets",
                sent: &[0x00],
                decision: Decision::Limited,
            },
        ];
        let (msn, lsn) = (0, 1);
        Table {
            msn,
            lsn,
            mark,
            rows: &rows,
        }
        .check(fabric, &ends)?;
        ends.bring(fabric, 1..2)?;
        completed(fabric, 2)?;
        while fabric.reap(Side::Y).is_some() {}
    }
    Ok(())
}
