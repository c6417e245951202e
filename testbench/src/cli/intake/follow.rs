//! A growing file, or a pipe, read until Ctrl-C.
use crate::cli::error::CallError;
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time between two looks at the file, and at whether Ctrl-C was pressed.
const PAUSE: Duration = Duration::from_millis(50);

static STOPPED: AtomicBool = AtomicBool::new(false);

/// A reader for which the end of a regular file is not the end of the data.
pub struct Following {
    file: File,
    is_regular: bool,
}

impl Following {
    pub fn new(file: File) -> Result<Following, CallError> {
        ctrlc::set_handler(|| STOPPED.store(true, Ordering::Relaxed)).map_err(CallError::Signals)?;
        let is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
        Ok(Following { file, is_regular })
    }
}

impl Read for Following {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !STOPPED.load(Ordering::Relaxed) {
            let pause = Timespec {
                tv_sec: 0,
                tv_nsec: PAUSE.subsec_nanos().into(),
            };
            let mut wanted = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut wanted, Some(&pause)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            match self.file.read(buffer)? {
                0 if self.is_regular => std::thread::sleep(PAUSE),
                read => return Ok(read),
            }
        }
        Ok(0)
    }
}

/// Returns standard input as a file.
pub fn standard_input() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}
