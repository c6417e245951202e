//! Standard output that survives a reader who has seen enough.
use crate::trace::output::OutputError;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Lines for the user. After a closed pipe nothing more is written and the run goes on.
pub struct Console {
    closed: bool,
}

impl Console {
    /// Standard output.
    pub fn new() -> Console {
        Console { closed: false }
    }

    /// Says nothing.
    pub fn silent() -> Console {
        Console { closed: true }
    }

    /// Writes a line; an error other than a closed pipe is one.
    pub fn line(&mut self, line: &str) -> Result<(), OutputError> {
        if self.closed {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        match writeln!(out, "{}", line.trim_end_matches('\n')).and_then(|()| out.flush()) {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            Err(e) => Err(OutputError {
                path: Path::new("standard output").to_owned(),
                source: e,
            }),
            Ok(()) => Ok(()),
        }
    }
}

impl Default for Console {
    fn default() -> Console {
        Console::new()
    }
}
