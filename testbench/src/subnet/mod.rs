//! A subnet of two adapters that a real subnet manager brings up. `opensm` and the programs of infiniband-diags connect
//! to it over the socket of ibsim, through Debian's `libumad2sim`.
pub mod cable;
mod clients;
mod nodes;
mod outstanding;
pub mod recording;
pub mod session;
pub mod socket;
pub mod step;

pub use clients::{Client, Clients};
pub use hca_sim::subnet::MadPacket;
pub use nodes::{Lost, Node, Nodes, Outbound};
pub use outstanding::Patience;
