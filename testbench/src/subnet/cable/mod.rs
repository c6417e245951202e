//! The cable between the two nodes.
mod adapters;
mod memory;

pub use adapters::AdapterCable;
pub use memory::MemoryCable;

use super::{MadPacket, Node};
use hca_sim::subnet::Ports;
use std::time::Duration;

/// Number of the only port of each node.
pub const PORT: u8 = 1;

/// Two nodes, joined by a cable from [`PORT`] to [`PORT`]. It carries MADs across the link, and has the registers that
/// the agents read and write.
pub trait Cable {
    /// Why the cable does not work any more.
    type Error: std::error::Error + 'static;
    /// The registers of a node's ports.
    type Ports: Ports<Error = Self::Error>;

    /// Returns the registers of a node.
    fn ports(&mut self, node: Node) -> &mut Self::Ports;

    /// Sends a MAD through QP0 or QP1 of a node. On return it has left the port, or was dropped.
    fn send(&mut self, from: Node, packet: &MadPacket) -> Result<(), Self::Error>;

    /// Takes the next MAD that came to a QP0 or QP1, with its node.
    fn receive(&mut self) -> Result<Option<(Node, MadPacket)>, Self::Error>;

    /// Lets the link do what was requested. `now` never goes back.
    fn step(&mut self, now: Duration) -> Result<(), Self::Error>;

    /// Returns the time at which [`step`](Cable::step) has something to do.
    fn wakes(&self) -> Option<Duration>;

    /// Pulls the cable, or plugs it in.
    fn plug(&mut self, is_in: bool) -> Result<(), Self::Error>;

    /// Connects the nodes by reliable connections, one for each of these SLs. Returns false if they have no queue pairs
    /// for it.
    fn connect(&mut self, sls: &[u8]) -> Result<bool, Self::Error> {
        let _ = sls;
        Ok(false)
    }

    /// Waits for the messages under way on the connections, and posts one more in each direction on each of them.
    /// Returns how many came; all of them came as they were sent.
    fn exchange(&mut self) -> Result<u64, Self::Error> {
        Ok(0)
    }

    /// Returns the number of link packets that crossed so far, by which data packets have their credits.
    fn link_packets(&self) -> u64 {
        0
    }

    /// Returns the number of MADs that reached the other end so far.
    fn crossed(&self) -> u64;
}
