//! The rules that every VALID/READY channel shares.
use crate::verilated::{Model, Port};

/// The hardware broke a rule of a bus.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{channel} in cycle {cycle}: {rule}{}{detail}", if detail.is_empty() { "" } else { ": " })]
pub struct Violation {
    pub channel: String,
    pub cycle: u64,
    /// The rule, with its place in the AMBA specification.
    pub rule: &'static str,
    pub detail: String,
}

/// The side of a channel that the hardware drives: VALID and what goes with it.
pub(crate) struct Channel {
    name: String,
    valid: Port,
    payload: Vec<Port>,
    /// Payload of a transfer that waits for READY.
    waiting: Option<Vec<u8>>,
}

impl Channel {
    pub fn new(name: &str, valid: Port, payload: Vec<Port>) -> Channel {
        Channel {
            name: name.to_owned(),
            valid,
            payload,
            waiting: None,
        }
    }

    /// Whether a transfer happens in this clock, given READY; checks that an offer stands until it is taken.
    pub fn transfers(&mut self, model: &Model, ready: bool, cycle: u64) -> Result<bool, Violation> {
        let valid = model.is_set(self.valid);
        if let Some(waiting) = self.waiting.take() {
            if !valid {
                return Err(self.violation(cycle, "VALID must stay until READY (AXI A3.2.1)", String::new()));
            }
            if waiting != self.gather(model) {
                let rule = "what goes with VALID must not change until READY (AXI A3.2.1)";
                return Err(self.violation(cycle, rule, String::new()));
            }
        }
        if valid && !ready {
            self.waiting = Some(self.gather(model));
        }
        Ok(valid && ready)
    }

    /// Nothing waits for READY.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_none()
    }

    pub fn violation(&self, cycle: u64, rule: &'static str, detail: String) -> Violation {
        Violation {
            channel: self.name.clone(),
            cycle,
            rule,
            detail,
        }
    }

    fn gather(&self, model: &Model) -> Vec<u8> {
        let bytes = self.payload.iter().flat_map(|p| model.bytes(*p));
        bytes.copied().collect()
    }
}
