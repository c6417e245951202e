//! When an output says something: what lies beside a `valid` that is low is nobody's, and may differ from build to build.
use super::Recorded;
use crate::verilated::{Direction, Model, Port};
use hca_host::retire::RECORD_BITS;

const VALID: &str = "valid";
const READY: &str = "ready";
/// A record for each bit of its `valid`.
const LANES: &str = "retire_record";

/// Of one output.
pub(super) enum Meaning {
    /// At every clock.
    Always,
    /// While a bit of this port is 1.
    With(Port),
    /// By lanes: each while its bit of this port is 1.
    Lanes(Port),
}

impl Meaning {
    /// `m_axi_awaddr` goes with `m_axi_awvalid`, and so on.
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

    /// Whether an output of the model is the recorded value, as far as it means something.
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
