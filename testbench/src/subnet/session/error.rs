//! Why a session ends early.
use super::super::socket::ServerError;
use std::io;
use std::path::PathBuf;

/// Why a step did not hold, or could not be played.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A program or the subnet did not do what it should.
    #[error("{0}")]
    Wrong(String),
    #[error("interrupted")]
    Interrupted,
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error("cannot start `{program}`: {source}")]
    Start { program: String, source: io::Error },
    #[error("cannot use the folder `{}`: {source}", folder.display())]
    Folder { folder: PathBuf, source: io::Error },
}

/// The result of steps.
pub type Ran<T> = Result<T, SessionError>;
