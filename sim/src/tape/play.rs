//! A recording played into a bare model.
use super::meaning::Meaning;
use super::{PlayError, Recorded, Reel, Tape, CLOCK, RESET, SELECT};
use crate::verilated::{Direction, Error, Library, Model};

impl Tape {
    /// Runs a bare model with the recorded inputs; it must end with the recorded outputs.
    pub fn play(&self, library: &Library) -> Result<(), PlayError> {
        let reel = self.reel();
        let model = reel.run(library, |_, _| Ok(()))?;
        for (output, recorded) in reel.ports.iter().filter_map(|port| reel.output(port)) {
            output.compare(&model, &recorded.value, reel.cycles - 1)?;
        }
        Ok(())
    }

    /// The same, and at every clock each output must be the recorded one; what goes with a `valid` counts while that
    /// is high.
    pub fn compare(&self, library: &Library) -> Result<(), PlayError> {
        let reel = self.reel();
        let outputs: Vec<_> = reel.ports.iter().map(|port| reel.output(port)).collect();
        let mut values: Vec<&[u8]> = vec![&[]; reel.ports.len()];
        let mut changes = reel.changes().peekable();
        reel.run(library, |cycle, model| {
            while let Some((change, _, value)) = changes.next_if(|(change, ..)| change.cycle == cycle) {
                values[change.index as usize] = value;
            }
            for (output, value) in outputs.iter().zip(&values) {
                if let Some((output, _)) = output {
                    output.compare(model, value, cycle)?;
                }
            }
            Ok(())
        })?;
        Ok(())
    }
}

/// A recorded output, and when it says something.
struct Output<'a> {
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
    fn output<'a>(&'a self, recorded: &'a Recorded) -> Option<(Output<'a>, &'a Recorded)> {
        let meaning = Meaning::of(recorded, &self.ports);
        (recorded.direction == Direction::Out).then_some((Output { recorded, meaning }, recorded))
    }

    /// Gives the recorded inputs to a fresh model; `settled` sees it in each clock cycle before the clock's edge. The
    /// model is left before the last edge.
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
    use super::super::tests::{counter, recorded};
    use super::*;

    #[test]
    fn played_it_gives_the_same_run() {
        let library = counter(3);
        let tape = recorded(&library);
        assert_eq!(tape.cycles(), 5);
        tape.play(&library).unwrap();
        tape.compare(&library).unwrap();
        let words = |played: Result<(), PlayError>| played.unwrap_err().to_string();
        let other = counter(4);
        let differs = |cycle| format!("played again, output `count` is another value in clock cycle {cycle}");
        assert_eq!(words(tape.play(&other)), differs(4));
        assert_eq!(words(tape.compare(&other)), differs(1));
        assert!(matches!(Tape::new().play(&library), Err(PlayError::Empty)));
    }
}
