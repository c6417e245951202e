//! When an output is valid. The value of an output whose `valid` is low is undefined, and may differ between builds.
use super::Recorded;
use crate::verilated::{Direction, Model, Port};
use hca_host::retire::RECORD_BITS;

const VALID: &str = "valid";
const READY: &str = "ready";
/// The port that carries one record for each bit of its `valid`.
const LANES: &str = "retire_record";

/// The times at which an output is valid.
pub(super) enum Meaning {
    /// The output is valid at every clock.
    Always,
    /// The output is valid while a bit of this port is 1.
    With(Port),
    /// Each lane of the output is valid while its bit of this port is 1.
    Lanes(Port),
}

impl Meaning {
    /// Finds the valid signal of an output: `m_axi_awaddr` is valid with `m_axi_awvalid`, and so on.
    pub fn of(output: &Recorded, ports: &[Recorded]) -> Meaning {
        let name = &output.name;
        if name.ends_with(VALID) || name.ends_with(READY) {
            return Meaning::Always;
        }
        let valid = ports.iter().find(|port| {
            let prefix = port.name.strip_suffix(VALID);
            port.direction == Direction::Out && prefix.is_some_and(|prefix| name.starts_with(prefix))
        });
        match valid {
            None => Meaning::Always,
            Some(valid) if name == LANES => Meaning::Lanes(valid.port),
            Some(valid) => Meaning::With(valid.port),
        }
    }

    /// Returns true if an output of the model equals the recorded value where that value is valid.
    pub fn agrees(&self, model: &Model, port: Port, recorded: &[u8]) -> bool {
        let value = model.bytes(port);
        if value == recorded {
            return true;
        }
        match self {
            Meaning::Always => false,
            Meaning::With(valid) => !model.is_set(*valid),
            Meaning::Lanes(valid) => {
                let valid = model.get(*valid);
                let lanes = value
                    .chunks(RECORD_BITS / 8)
                    .zip(recorded.chunks(RECORD_BITS / 8));
                (0..)
                    .zip(lanes)
                    .all(|(lane, (value, recorded))| valid >> lane & 1 == 0 || value == recorded)
            }
        }
    }
}
