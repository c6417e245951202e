//! The cables between the two nodes.
mod adapters;
mod line;
mod memory;

pub use adapters::AdapterCable;
pub use memory::MemoryCable;

use super::{MadPacket, Node};
use hca_sim::subnet::Ports;
use std::time::Duration;

/// Number of the first port of each node.
pub const FIRST: u8 = 1;

/// Two nodes, joined by a cable from each port of one to the port of the same number of the other. It carries MADs
/// across the links, and has the registers that the agents read and write.
pub trait Cable {
    /// Why the cable does not work any more.
    type Error: std::error::Error + 'static;
    /// The registers of a node's ports.
    type Ports: Ports<Error = Self::Error>;

    /// Returns the registers of a node.
    fn ports(&mut self, node: Node) -> &mut Self::Ports;

    /// Sends a MAD through QP0 or QP1 of its port of a node. On return it has left the port, or was dropped.
    fn send(&mut self, from: Node, packet: &MadPacket) -> Result<(), Self::Error>;

    /// Takes the next MAD that came to a QP0 or QP1, with its node.
    fn receive(&mut self) -> Result<Option<(Node, MadPacket)>, Self::Error>;

    /// Lets the links do what was requested. `now` never goes back.
    fn step(&mut self, now: Duration) -> Result<(), Self::Error>;

    /// Returns the time at which [`step`](Cable::step) has something to do.
    fn wakes(&self) -> Option<Duration>;

    /// Pulls the cable between the ports of this number, or plugs it in.
    fn plug(&mut self, port: u8, is_in: bool) -> Result<(), Self::Error>;

    /// Connects the nodes by reliable connections from port to port, one for each of these SLs. Returns false if they
    /// have no queue pairs for it.
    fn connect(&mut self, port: u8, sls: &[u8]) -> Result<bool, Self::Error> {
        let _ = (port, sls);
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
