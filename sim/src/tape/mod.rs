//! Recordings of the values at the ports of a running device, clock by clock.
//!
//! Played into a bare model, a recording repeats the run without buses, host memory or driver. As a file, it gives
//! another bench the inputs and outputs of this device.
mod meaning;
mod play;

use crate::verilated::{Direction, Error, Library, Model, Port};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Prefix of the ports that exist for simulation only, which other benches do not have.
const SIMULATION_ONLY: &str = "retire_";

/// A recording that a device writes and that its caller can read meanwhile.
#[derive(Clone, Debug, Default)]
pub struct Tape(Arc<Mutex<Reel>>);

#[derive(Debug, Default)]
struct Reel {
    start: Option<Start>,
    ports: Vec<Recorded>,
    changes: Vec<Change>,
    /// The new values of all changes, one after the other, as bytes.
    bytes: Vec<u8>,
    cycles: u64,
}

/// What a model needs to begin in the same way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub seed: u64,
    pub select: u64,
    pub reset_cycles: u64,
}

#[derive(Debug)]
struct Recorded {
    name: String,
    port: Port,
    direction: Direction,
    /// The last recorded value; empty before the first clock.
    value: Vec<u8>,
}

/// A change of a port's value. The next bytes of the recording are the new value.
#[derive(Clone, Copy, Debug)]
struct Change {
    cycle: u64,
    /// Index into `ports`.
    index: u32,
}

/// Why a recording does not give the same run on this design.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    #[error(transparent)]
    Model(#[from] Error),
    #[error("played again, output `{port}` is another value in clock cycle {cycle}")]
    Differs { port: String, cycle: u64 },
    #[error("port `{0}` has another place or width than in the design that was recorded")]
    OtherPorts(String),
    #[error("nothing is recorded: give the tape to a device before it runs")]
    Empty,
}

/// Port that is not recorded because the player drives it.
pub(crate) const CLOCK: &str = "clock";
pub(crate) const RESET: &str = "reset";
/// Input that selects the variant of a design, of up to 64 bits.
pub(crate) const SELECT: &str = "select";

impl Tape {
    /// Makes an empty recording.
    pub fn new() -> Tape {
        Tape::default()
    }

    fn reel(&self) -> MutexGuard<'_, Reel> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a recording of this design and discards an earlier one.
    pub(crate) fn begin(&self, library: &Library, start: Start) -> Result<(), Error> {
        let mut ports = Vec::new();
        for info in library.ports() {
            if ![CLOCK, RESET, SELECT].contains(&info.name.as_str()) {
                ports.push(Recorded {
                    name: info.name.clone(),
                    port: library.port(&info.name)?,
                    direction: info.direction,
                    value: Vec::new(),
                });
            }
        }
        *self.reel() = Reel {
            start: Some(start),
            ports,
            ..Reel::default()
        };
        Ok(())
    }

    /// Records a clock whose inputs have settled.
    pub(crate) fn record(&self, model: &Model) {
        let mut reel = self.reel();
        let Reel {
            ports,
            changes,
            bytes,
            cycles,
            ..
        } = &mut *reel;
        for (recorded, index) in ports.iter_mut().zip(0..) {
            let value = model.bytes(recorded.port);
            if recorded.value != value {
                recorded.value = value.to_vec();
                bytes.extend_from_slice(value);
                changes.push(Change {
                    cycle: *cycles,
                    index,
                });
            }
        }
        *cycles += 1;
    }

    /// Number of recorded clock cycles after reset.
    pub fn cycles(&self) -> u64 {
        self.reel().cycles
    }

    /// Writes the recording as text: a line `CYCLE PORT VALUE` for each change, with the value in hexadecimal, and a
    /// last line `CYCLES end 0`. Ports that exist for simulation only are left out.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let reel = self.reel();
        for (change, recorded, value) in reel.changes() {
            if recorded.name.starts_with(SIMULATION_ONLY) {
                continue;
            }
            write!(out, "{} {} ", change.cycle, recorded.name)?;
            for byte in value.iter().rev() {
                write!(out, "{byte:02x}")?;
            }
            writeln!(out)?;
        }
        writeln!(out, "{} end 0", reel.cycles)
    }
}

impl Reel {
    /// Returns the changes in order, each with its port and value.
    fn changes(&self) -> impl Iterator<Item = (Change, &Recorded, &[u8])> {
        let mut bytes = &self.bytes[..];
        self.changes.iter().map(move |change| {
            let recorded = &self.ports[change.index as usize];
            let (value, rest) = bytes.split_at(recorded.port.byte_len());
            bytes = rest;
            (*change, recorded, value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verilated::{Build, Evaluation, Lints, Source};

    /// Builds a counter that rises by `step` in each clock in which it is enabled.
    pub(super) fn counter(step: u32) -> Library {
        let text = format!(
            "module counter (input clock, input reset, input enable, output reg [71:0] count);\n\
             always @(posedge clock) if (reset) count <= 72'd0; else if (enable) count <= count + 72'd{step};\n\
             endmodule\n"
        );
        library(&text)
    }

    /// Builds the module `counter` with inputs `clock`, `reset` and `enable`.
    pub(super) fn library(text: &str) -> Library {
        let build = Build {
            lints: Lints::Lenient,
            trace: false,
            evaluation: Evaluation::Divided,
        };
        let source = Source::from_texts("counter", [("counter.v", text)]);
        build.library(&source).unwrap()
    }

    pub(super) fn recorded(library: &Library) -> Tape {
        let start = Start {
            seed: 1,
            select: 0,
            reset_cycles: 2,
        };
        let tape = Tape::new();
        tape.begin(library, start).unwrap();
        let mut model = Model::new(library, start.seed).unwrap();
        let port = |name| library.port(name).unwrap();
        let mut level = |reset: bool, enable: bool, tape: Option<&Tape>| {
            model.set(port("reset"), reset);
            model.set(port("enable"), enable);
            model.set(port("clock"), false);
            model.eval().unwrap();
            if let Some(tape) = tape {
                tape.record(&model);
            }
            model.set(port("clock"), true);
            model.eval().unwrap();
        };
        (0..2).for_each(|_| level(true, false, None));
        for enable in [true, true, false, true, false] {
            level(false, enable, Some(&tape));
        }
        tape
    }

    #[test]
    fn its_text_has_a_line_for_each_change() {
        let mut text = Vec::new();
        recorded(&counter(3)).write(&mut text).unwrap();
        let expected = [
            "0 enable 01",
            "0 count 000000000000000000",
            "1 count 000000000000000003",
            "2 enable 00",
            "2 count 000000000000000006",
            "3 enable 01",
            "4 enable 00",
            "4 count 000000000000000009",
            "5 end 0\n",
        ];
        assert_eq!(String::from_utf8(text).unwrap(), expected.join("\n"));
    }
}
