//! When an output is valid: the value beside a low `valid` is undefined and may differ from build to build.
use super::Recorded;
use crate::verilated::{Direction, Model, Port};
use hca_host::retire::RECORD_BITS;

const VALID: &str = "valid";
const READY: &str = "ready";
/// A record for each bit of its `valid`.
const LANES: &str = "retire_record";

/// When an output is valid.
pub(super) enum Meaning {
    /// At every clock.
    Always,
    /// While a bit of this port is 1.
    With(Port),
    /// By lanes: each lane while its bit of this port is 1.
    Lanes(Port),
}

impl Meaning {
    /// Outputs with their valid signals: `m_axi_awaddr` is valid with `m_axi_awvalid`, and so on.
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

    /// Whether an output of the model equals the recorded value where that is valid.
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
