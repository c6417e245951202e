//! The cable to a peer.
pub mod framing;
pub mod stream;
pub mod tap;

use framing::NoFrame;
use std::io;
use std::path::PathBuf;

/// Bytes that wait for a peer that does not read, before the cable counts as broken.
const BACKLOG: usize = 64 << 20;

/// Carries whole Ethernet frames, without their FCS, in both directions. No call waits.
pub trait Cable {
    /// Queues a frame; [`Cable::exchange`] sends it.
    fn send(&mut self, frame: &[u8]);

    /// Sends what waits, as far as the other side takes it, and takes what came.
    fn exchange(&mut self) -> Result<(), CableError>;

    /// The next frame that came, or why none will. Frames that came before the end of the cable come before the error.
    fn frame(&mut self) -> Result<Option<Vec<u8>>, CableError>;
}

/// Why the cable carries nothing any more, or never did.
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
