//! How often the hardware's pipes stood still in the rows of a benchmark.
use hca_sim::pipes::{Clocks, Pipe, Pipes};

/// The clocks of the pipes over all rows.
#[derive(Default)]
pub struct PipeTable {
    sums: [Clocks; Pipe::ALL.len()],
    /// The row in which each pipe stood still for most clocks within a packet or burst, behind a colon.
    worst: [String; Pipe::ALL.len()],
}

impl PipeTable {
    /// Adds the clocks of a row.
    pub fn add(&mut self, row: &str, pipes: &Pipes) {
        for pipe in Pipe::ALL {
            let clocks = pipes.clocks(pipe);
            let sum = &mut self.sums[pipe as usize];
            sum.moved += clocks.moved;
            sum.stood += clocks.stood;
            if clocks.most > sum.most {
                sum.most = clocks.most;
                self.worst[pipe as usize] = format!(": {row}");
            }
        }
    }

    /// Returns a heading and a line for each pipe.
    pub fn lines(&self) -> Vec<String> {
        let heading = "Clocks of pipes        with a beat  stood still  most within one packet or burst";
        let line = |pipe: Pipe| {
            let sum = self.sums[pipe as usize];
            let worst = &self.worst[pipe as usize];
            let name = pipe.name();
            format!(
                "{name:<23} {:>10} {:>12}  {}{worst}",
                sum.moved, sum.stood, sum.most
            )
        };
        std::iter::once(heading.to_owned())
            .chain(Pipe::ALL.map(line))
            .collect()
    }
}
