//! Standard output whose reader may close it early.
use crate::trace::output::OutputError;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

/// Lines for the user. After a closed pipe nothing more is written and the run goes on.
pub struct Console {
    closed: bool,
    /// Lines that are not written yet, if they are gathered.
    gathered: Option<Vec<u8>>,
}

/// Bytes that are gathered before they are written.
const GATHERED: usize = 1 << 16;

impl Console {
    /// Standard output.
    pub fn new() -> Console {
        Console {
            closed: false,
            gathered: None,
        }
    }

    /// Standard output that gathers lines where nobody looks on; [`Console::flush`] ends it.
    pub fn gathering() -> Console {
        Console {
            gathered: (!io::stdout().is_terminal()).then(Vec::new),
            ..Console::new()
        }
    }

    /// Says nothing.
    pub fn silent() -> Console {
        Console {
            closed: true,
            gathered: None,
        }
    }

    /// Writes a line; an error other than a closed pipe is one.
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

    /// Writes what was gathered.
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
