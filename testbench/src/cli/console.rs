//! Standard output whose reader may close it early.
use crate::trace::output::OutputError;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

/// Writes lines for the user. After a closed pipe nothing more is written, and the run continues.
pub struct Console {
    closed: bool,
    /// Lines that are not written yet, if lines are buffered.
    gathered: Option<Vec<u8>>,
}

/// Number of bytes that are buffered before they are written.
const GATHERED: usize = 1 << 16;

impl Console {
    /// Returns standard output.
    pub fn new() -> Console {
        Console {
            closed: false,
            gathered: None,
        }
    }

    /// Returns standard output that buffers lines if it is not a terminal. [`Console::flush`] writes the rest.
    pub fn gathering() -> Console {
        Console {
            gathered: (!io::stdout().is_terminal()).then(Vec::new),
            ..Console::new()
        }
    }

    /// Returns an output that discards everything.
    pub fn silent() -> Console {
        Console {
            closed: true,
            gathered: None,
        }
    }

    /// Writes a line. A closed pipe is no error; any other failure is one.
    pub fn line(&mut self, line: &str) -> Result<(), OutputError> {
        if self.closed {
            return Ok(());
        }
        let line = line.trim_end_matches('\n');
        let Some(gathered) = &mut self.gathered else {
            return self.write(&[line.as_bytes(), b"\n"].concat());
        };
        gathered.extend(line.as_bytes());
        gathered.push(b'\n');
        match gathered.len() < GATHERED {
            true => Ok(()),
            false => self.flush(),
        }
    }

    /// Writes the buffered lines.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        match self.gathered.as_mut().map(std::mem::take) {
            Some(lines) if !self.closed => self.write(&lines),
            _ => Ok(()),
        }
    }

    fn write(&mut self, lines: &[u8]) -> Result<(), OutputError> {
        let mut out = io::stdout().lock();
        match out.write_all(lines).and_then(|()| out.flush()) {
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
