//! Checks the rules that hold for every VALID/READY channel.
use crate::verilated::{Model, Port};

/// The hardware broke a rule of a bus.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{channel} in cycle {cycle}: {rule}{}{detail}", if detail.is_empty() { "" } else { ": " })]
pub struct Violation {
    pub channel: String,
    pub cycle: u64,
    /// The broken rule, with its section in the AMBA specification.
    pub rule: &'static str,
    pub detail: String,
}

/// The side of a channel that the hardware drives: VALID and the payload.
pub(crate) struct Channel {
    name: String,
    valid: Port,
    payload: Vec<Port>,
    /// True while the payload of an offered transfer waits for READY.
    waits: bool,
    waiting: Vec<u8>,
}

impl Channel {
    pub fn new(name: &str, valid: Port, payload: Vec<Port>) -> Channel {
        Channel {
            name: name.to_owned(),
            valid,
            payload,
            waits: false,
            waiting: Vec::new(),
        }
    }

    /// Returns whether a transfer happens in this clock, given READY. Returns `Err` if an offer is withdrawn before it
    /// is taken.
    pub fn transfers(&mut self, model: &Model, ready: bool, cycle: u64) -> Result<bool, Violation> {
        let valid = model.is_set(self.valid);
        if self.waits {
            if !valid {
                return Err(self.violation(cycle, "VALID must stay until READY (AXI A3.2.1)", String::new()));
            }
            if !self.stands(model) {
                let rule = "what goes with VALID must not change until READY (AXI A3.2.1)";
                return Err(self.violation(cycle, rule, String::new()));
            }
        } else if valid && !ready {
            self.waiting.clear();
            for port in &self.payload {
                self.waiting.extend_from_slice(model.bytes(*port));
            }
        }
        self.waits = valid && !ready;
        Ok(valid && ready)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if nothing waits for READY.
    pub fn is_idle(&self) -> bool {
        !self.waits
    }

    pub fn violation(&self, cycle: u64, rule: &'static str, detail: String) -> Violation {
        Violation {
            channel: self.name.clone(),
            cycle,
            rule,
            detail,
        }
    }

    /// Returns true if the waiting payload is unchanged.
    fn stands(&self, model: &Model) -> bool {
        let mut rest = &self.waiting[..];
        self.payload.iter().all(|port| {
            let now = model.bytes(*port);
            let (waiting, behind) = rest.split_at(now.len());
            rest = behind;
            waiting == now
        })
    }
}
