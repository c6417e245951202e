//! The socket that ibsim's clients connect to: unix datagrams with abstract names.
mod control;
mod data;
mod server;
mod sockets;

pub use control::{Control, Kind, DATA_BYTES};
pub use data::{Data, TIMED_OUT};
pub use server::{Server, ServerError};
pub use sockets::{SocketError, Sockets};
