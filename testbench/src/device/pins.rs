//! The ports of the hardware that the test bench reaches. Pins and registers of a second port are attached here.
use super::verilated::VerilatedDevice;
use super::{Reason, Refusal};

/// Number of ports whose pins and registers the test bench reaches.
const ATTACHED: u8 = 1;

/// Returns true if the test bench reaches the pins and registers of this port.
pub fn is_attached(port: u8) -> bool {
    (1..=ATTACHED).contains(&port)
}

impl VerilatedDevice {
    /// Returns true if the test bench reaches this port. If it does not, the run fails.
    pub(super) fn reaches(&mut self, port: u8) -> bool {
        let reaches = is_attached(port);
        if !reaches {
            let missing = || format!("the test bench does not reach port {port} of the hardware");
            self.broken.get_or_insert_with(missing);
        }
        reaches
    }

    /// Returns why software starts no verb of this port; `None` if it does.
    pub(super) fn refuses_port(&mut self, port: u8) -> Option<Refusal> {
        let has_port = (1..=self.profile.ports()).contains(&port.into());
        let refusal = Refusal {
            code: Reason::BadAttribute,
            reason: format!("the adapter has no port {port}"),
        };
        (!has_port || !self.reaches(port)).then_some(refusal)
    }
}
