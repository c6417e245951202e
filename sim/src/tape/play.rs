//! Plays a recording into a bare model.
use super::meaning::Meaning;
use super::{PlayError, Recorded, Reel, Tape, CLOCK, RESET, SELECT};
use crate::verilated::{Direction, Error, Library, Model};

impl Tape {
    /// Runs a bare model with the recorded inputs. Its outputs must end with the recorded values.
    pub fn play(&self, library: &Library) -> Result<(), PlayError> {
        let reel = self.reel();
        let model = reel.run(library, |_, _| Ok(()))?;
        for output in reel.outputs() {
            output.compare(&model, &output.recorded.value, reel.cycles - 1)?;
        }
        Ok(())
    }

    /// Runs a bare model with the recorded inputs. Each output must equal the recorded one at every clock; an output
    /// with a `valid` signal is compared only while that signal is high.
    pub fn compare(&self, library: &Library) -> Result<(), PlayError> {
        let reel = self.reel();
        let outputs: Vec<_> = reel.outputs().collect();
        let mut values: Vec<&[u8]> = vec![&[]; reel.ports.len()];
        let mut changes = reel.changes().peekable();
        reel.run(library, |cycle, model| {
            while let Some((change, _, value)) = changes.next_if(|(change, ..)| change.cycle == cycle) {
                values[change.index as usize] = value;
            }
            for output in &outputs {
                output.compare(model, values[output.index], cycle)?;
            }
            Ok(())
        })?;
        Ok(())
    }
}

/// A recorded output, and when it is valid.
struct Output<'a> {
    /// Index of the output among the recorded ports.
    index: usize,
    recorded: &'a Recorded,
    meaning: Meaning,
}

impl Output<'_> {
    fn compare(&self, model: &Model, value: &[u8], cycle: u64) -> Result<(), PlayError> {
        match self.meaning.agrees(model, self.recorded.port, value) {
            true => Ok(()),
            false => Err(PlayError::Differs {
                port: self.recorded.name.clone(),
                cycle,
            }),
        }
    }
}

impl Reel {
    fn outputs(&self) -> impl Iterator<Item = Output<'_>> {
        let ports = self.ports.iter().enumerate();
        let outputs = ports.filter(|(_, port)| port.direction == Direction::Out);
        outputs.map(|(index, recorded)| Output {
            index,
            recorded,
            meaning: Meaning::of(recorded, &self.ports),
        })
    }

    /// Gives the recorded inputs to a fresh model. `settled` sees the model in each clock cycle before the clock's
    /// edge. The last edge is not run.
    fn run(
        &self,
        library: &Library,
        mut settled: impl FnMut(u64, &Model) -> Result<(), PlayError>,
    ) -> Result<Model, PlayError> {
        let start = self.start.filter(|_| self.cycles > 0).ok_or(PlayError::Empty)?;
        let mut model = Model::new(library, start.seed)?;
        let (clock, reset) = (library.port(CLOCK)?, library.port(RESET)?);
        for recorded in &self.ports {
            if library.port(&recorded.name)? != recorded.port {
                return Err(PlayError::OtherPorts(recorded.name.clone()));
            }
        }
        let level = |model: &mut Model, level: bool| -> Result<(), Error> {
            model.set(clock, level);
            model.eval()
        };
        if let Ok(select) = library.port(SELECT) {
            model.set(select, start.select);
        }
        model.set(reset, true);
        for _ in 0..start.reset_cycles {
            level(&mut model, false)?;
            level(&mut model, true)?;
        }
        model.set(reset, false);
        let mut changes = self.changes().peekable();
        for cycle in 0..self.cycles {
            while let Some((_, recorded, value)) = changes.next_if(|(change, ..)| change.cycle == cycle) {
                if recorded.direction == Direction::In {
                    model.set_bytes(recorded.port, value);
                }
            }
            level(&mut model, false)?;
            settled(cycle, &model)?;
            if cycle + 1 < self.cycles {
                level(&mut model, true)?;
            }
        }
        Ok(model)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{counter, library, recorded};
    use super::*;

    fn words(played: Result<(), PlayError>) -> String {
        played.unwrap_err().to_string()
    }

    fn differs(port: &str, cycle: u64) -> String {
        format!("played again, output `{port}` is another value in clock cycle {cycle}")
    }

    #[test]
    fn played_it_gives_the_same_run() {
        let library = counter(3);
        let tape = recorded(&library);
        assert_eq!(tape.cycles(), 5);
        tape.play(&library).unwrap();
        tape.compare(&library).unwrap();
        let other = counter(4);
        assert_eq!(words(tape.play(&other)), differs("count", 4));
        assert_eq!(words(tape.compare(&other)), differs("count", 1));
        assert!(matches!(Tape::new().play(&library), Err(PlayError::Empty)));
    }

    /// Builds a module that, in each cycle in which `enable` is high, offers `data` on a stream and reports the record
    /// `lower` on retire lane 0. Lane 1 carries the record `upper` and is never valid; `ready` is the module's other
    /// output.
    fn stream(data: &str, upper: &str, lower: &str, ready: &str) -> Library {
        library(&format!(
            "module counter (input clock, input reset, input enable, output m_tvalid, output [7:0] m_tdata,
             output s_tready, output [1:0] retire_valid, output [191:0] retire_record);
             assign m_tvalid = enable; assign m_tdata = {data}; assign s_tready = {ready};
             assign retire_valid = {{1'b0, enable}}; assign retire_record = {{96'd{upper}, 96'd{lower}}};
             endmodule"
        ))
    }

    #[test]
    fn what_goes_with_a_low_valid_says_nothing() {
        let tape = recorded(&stream("8'd1", "1", "1", "1'b1"));
        let same = ["8'd1", "enable ? 8'd1 : 8'd2"].map(|data| stream(data, "2", "1", "1'b1"));
        for library in &same {
            tape.compare(library).unwrap();
        }
        for (other, port) in [
            (stream("8'd2", "1", "1", "1'b1"), "m_tdata"),
            (stream("8'd1", "1", "2", "1'b1"), "retire_record"),
            (stream("8'd1", "1", "1", "!enable"), "s_tready"),
        ] {
            assert_eq!(words(tape.compare(&other)), differs(port, 0));
        }
    }
}
