//! A run as data, for the output of `--json`.
use super::PacketRecord;
use crate::fabric::Reaped;
use crate::Side;
use hca_golden::verbs::{CompletedOperation, Status};
use serde::Serialize;

/// One scenario's run.
#[derive(Clone, Debug, Serialize)]
pub struct RunResult {
    pub scenario: &'static str,
    pub seed: u64,
    pub profile: &'static str,
    pub link: &'static str,
    pub golden_only: bool,
    /// True if nothing differed.
    pub held: bool,
    pub cycles: u64,
    /// Number of reported decisions that were judged.
    pub decisions: u64,
    pub packets: Vec<PacketResult>,
    pub completions: Vec<CompletionResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureResult>,
}

/// A failed check.
#[derive(Clone, Debug, Serialize)]
pub struct FailureResult {
    /// Name of the field or rule.
    pub field: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<Side>,
    pub cycle: u64,
    /// The report as printed.
    pub report: String,
    pub replay: String,
}

/// A packet on the link.
#[derive(Clone, Debug, Serialize)]
pub struct PacketResult {
    pub cycle: u64,
    pub from: Side,
    pub to: Side,
    /// Number of the port of both.
    pub port: u8,
    pub opcode: Option<u64>,
    pub opcode_name: String,
    pub psn: Option<u64>,
    pub payload_bytes: usize,
    pub ack_req: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syndrome: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub msn: Option<u64>,
}

impl PacketResult {
    /// Makes the result of a packet.
    pub fn of(packet: &PacketRecord) -> PacketResult {
        let d = packet.dissection();
        PacketResult {
            cycle: packet.cycle,
            from: packet.from,
            to: packet.from.other(),
            port: packet.port,
            opcode: d.value("BTH.Opcode"),
            opcode_name: d.opcode_name(),
            psn: d.value("BTH.PSN"),
            payload_bytes: d.payload.len(),
            ack_req: d.value("BTH.A").map(|a| a != 0),
            syndrome: d.value("AETH.Syndrome"),
            msn: d.value("AETH.MSN"),
        }
    }
}

/// A completion that software has polled.
#[derive(Clone, Debug, Serialize)]
pub struct CompletionResult {
    pub cycle: u64,
    pub device: Side,
    pub wr_id: u64,
    pub status: String,
    pub qpn: u32,
    /// Present only for a success, like the byte count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_count: Option<u32>,
}

impl CompletionResult {
    /// Makes the result of a completion.
    pub fn of(reaped: &Reaped) -> CompletionResult {
        let c = &reaped.completion;
        let success = c.status == Status::Success;
        let receive = c.operation == CompletedOperation::Receive;
        CompletionResult {
            cycle: reaped.cycle,
            device: reaped.side,
            wr_id: c.wr_id,
            status: format!("{:?}", c.status),
            qpn: c.qpn,
            operation: success.then(|| format!("{:?}", c.operation)),
            byte_count: (success && receive).then_some(c.byte_count),
        }
    }

    /// Returns the text as in the log.
    pub fn line(&self) -> String {
        let mut text = format!(
            "{:>8}  {} CQE    {}, wr_id {}, QP {:06X}h",
            self.cycle, self.device, self.status, self.wr_id, self.qpn
        );
        if let Some(operation) = &self.operation {
            text += &format!(", {operation}");
        }
        if let Some(bytes) = self.byte_count {
            text += &format!(", {bytes} bytes");
        }
        text
    }
}
