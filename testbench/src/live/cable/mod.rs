//! The cable to a peer.
pub mod framing;
pub mod stream;
pub mod tap;

use framing::NoFrame;
use std::io;
use std::path::PathBuf;

/// Number of bytes that wait for a peer that does not read, from which on the cable counts as broken.
const BACKLOG: usize = 64 << 20;

/// Carries whole Ethernet frames, without their FCS, in both directions. No call waits.
pub trait Cable {
    /// Queues a frame; [`Cable::exchange`] sends it.
    fn send(&mut self, frame: &[u8]);

    /// Sends what waits, as far as the other side takes it, and receives what came.
    fn exchange(&mut self) -> Result<(), CableError>;

    /// Takes the next frame that came. Returns `Err` once none will come; frames that came before the end of the cable
    /// are returned first.
    fn frame(&mut self) -> Result<Option<Vec<u8>>, CableError>;
}

/// Why the cable does not work, or does not work any more.
#[derive(Debug, thiserror::Error)]
pub enum CableError {
    #[error("the peer closed the socket `{}`", .0.display())]
    Closed(PathBuf),
    #[error("the peer closed the socket `{}` in the middle of a frame", .0.display())]
    Cut(PathBuf),
    #[error("the peer has read nothing from the socket `{}` for {BACKLOG} bytes", .0.display())]
    Unread(PathBuf),
    #[error("socket `{}`: {source}", path.display())]
    NoFrame { path: PathBuf, source: NoFrame },
    #[error("socket `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("`{}` is no socket, and would be overwritten", .0.display())]
    Taken(PathBuf),
    #[error("somebody else listens on the socket `{}`", .0.display())]
    InUse(PathBuf),
    #[error("this system has no network interface `{0}`")]
    NoInterface(String),
    #[error("network interface `{name}`: {source}")]
    Interface { name: String, source: io::Error },
    #[error("network interface `{0}` is down, or gone")]
    Down(String),
}
