//! Runs a program once, and measures its time and its largest amount of memory.
use std::fs;
use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two readings of its memory.
const PAUSE: Duration = Duration::from_millis(2);

/// The measurements of a run.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    pub took: Duration,
    /// Largest number of bytes of memory used at once, if Linux reports it.
    pub memory: Option<u64>,
    pub status: ExitStatus,
}

/// Writes the input of a program.
pub type Feed<'a> = &'a mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>;

/// Starts the program, discards its output, and waits for its end. `feed` writes its input.
pub fn run(command: &mut Command, feed: Option<Feed<'_>>) -> io::Result<Measured> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.stdin(if feed.is_some() {
        Stdio::piped()
    } else {
        Stdio::null()
    });
    let begun = Instant::now();
    let mut child = command.spawn()?;
    let watch = |child: &Child| {
        let id = child.id();
        thread::spawn(move || peak(id))
    };
    let watched = watch(&child);
    if let (Some(feed), Some(mut input)) = (feed, child.stdin.take()) {
        match feed(&mut input) {
            // The program has read enough; its status gives the reason.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {}
            fed => fed?,
        }
    }
    let memory = watched.join().unwrap_or(None);
    let status = child.wait()?;
    Ok(Measured {
        took: begun.elapsed(),
        memory,
        status,
    })
}

/// Reads the largest amount of memory of a process until it ends. Linux keeps the maximum itself.
fn peak(id: u32) -> Option<u64> {
    let mut most = None;
    loop {
        let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let Some(line) = line else { return most };
        let kilobytes: Option<u64> = line.split_whitespace().next().and_then(|text| text.parse().ok());
        most = kilobytes.map(|kilobytes| kilobytes * 1024).or(most);
        thread::sleep(PAUSE);
    }
}
