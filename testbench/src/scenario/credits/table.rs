//! Prints SSN, MSN, LSN and the packets of each WQE, and compares them with literal expectations.
use super::ends::Ends;
use crate::fabric::{Fabric, Stop};
use crate::trace::PacketRecord;
use crate::Side;

/// Number of clock cycles after which every permitted packet has left.
const SETTLED: u64 = 3_000;

/// A WQE and its packets on the wire before the next ack.
pub struct Row {
    /// SSN, 24 bits.
    pub ssn: u32,
    pub operation: &'static str,
    /// Opcodes of the packets.
    pub sent: &'static [u64],
    pub decision: Decision,
}

/// Why a WQE is sent or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is unlimited: SSN <= LSN.
    Unlimited,
    /// It takes no receive WQE.
    Free,
    /// It is limited, SSN > LSN: it is sent as far as `requester.md` section 4 permits, and nothing behind it.
    Limited,
    /// It is behind a limited one.
    Waits,
    /// It was sent before.
    Again,
}

impl Decision {
    fn text(self) -> &'static str {
        match self {
            Decision::Unlimited => "unlimited",
            Decision::Free => "needs none",
            Decision::Limited => "limited, A=1, stops",
            Decision::Waits => "waits",
            Decision::Again => "sent again",
        }
    }
}

/// The state of X, and its packets from `mark` on.
pub struct Table<'a> {
    pub msn: u32,
    pub lsn: u32,
    pub mark: usize,
    pub rows: &'a [Row],
}

impl Table<'_> {
    /// Prints the table, and fails if X differs.
    pub fn check(&self, fabric: &mut Fabric<'_>, ends: &Ends) -> Result<(), Stop> {
        fabric.note("       SSN  operation            MSN      LSN      opcodes sent          decision")?;
        for row in self.rows {
            let sent: Vec<String> = row.sent.iter().map(|opcode| format!("{opcode:02X}h")).collect();
            fabric.note(&format!(
                "   {:06X}h  {:<19}  {:06X}h  {:06X}h  {:<20}  {}",
                row.ssn,
                row.operation,
                self.msn,
                self.lsn,
                sent.join(" "),
                row.decision.text()
            ))?;
        }
        let requests: Vec<PacketRecord> = requests(fabric, self.mark).cloned().collect();
        let value = |p: &PacketRecord, name: &str| p.dissection().value(name).unwrap_or_default();
        let opcodes: Vec<u64> = requests.iter().map(|p| value(p, "BTH.Opcode")).collect();
        let expected: Vec<u64> = self.rows.iter().flat_map(|row| row.sent).copied().collect();
        fabric.expect("opcodes of X's requests", &expected, &opcodes)?;
        if self.rows.iter().any(|row| row.decision == Decision::Limited) {
            let a = requests.last().map(|p| value(p, "BTH.A"));
            fabric.expect("A of the last packet of a limited WQE", Some(1), a)?;
        }
        expect_limit(fabric, ends, self.lsn)
    }
}

/// Checks X's LSN in the model that follows X.
pub fn expect_limit(fabric: &mut Fabric<'_>, ends: &Ends, lsn: u32) -> Result<(), Stop> {
    let qpn = ends.qpn(Side::X);
    match fabric.station(Side::X).query(qpn) {
        Some(status) => fabric.expect("LSN", Some(lsn), status.lsn),
        None => Ok(()),
    }
}

/// Returns X's packets from `mark` on.
pub fn requests<'a>(fabric: &'a Fabric<'_>, mark: usize) -> impl Iterator<Item = &'a PacketRecord> {
    let all = fabric.kept_packets().iter().skip(mark);
    all.filter(|packet| packet.from == Side::X)
}

/// Returns syndrome and MSN of the latest packet of Y with an AETH.
pub fn latest_answer(fabric: &Fabric<'_>) -> Option<(u64, u64)> {
    let answers = fabric.kept_packets().iter().rev().filter(|p| p.from == Side::Y);
    answers
        .map(PacketRecord::dissection)
        .find_map(|d| Some((d.value("AETH.Syndrome")?, d.value("AETH.MSN")?)))
}

/// Runs until every permitted packet has left.
pub fn settle(fabric: &mut Fabric<'_>) -> Result<(), Stop> {
    for _ in 0..SETTLED {
        fabric.step()?;
    }
    Ok(())
}
