//! What lies between the two nodes.
mod adapters;
mod memory;

pub use adapters::AdapterCable;
pub use memory::MemoryCable;

use super::{MadPacket, Node};
use hca_sim::subnet::Ports;
use std::time::Duration;

/// The one port of each node.
pub const PORT: u8 = 1;

/// Two nodes, joined by a cable from [`PORT`] to [`PORT`]: the way of a MAD across the link, and the registers that the
/// agents read and write.
pub trait Cable {
    /// Why nothing moves any more.
    type Error: std::error::Error + 'static;
    type Ports: Ports<Error = Self::Error>;

    /// Registers of a node.
    fn ports(&mut self, node: Node) -> &mut Self::Ports;

    /// Sends a MAD by QP0 or QP1 of a node. On return it has left the port, or was dropped.
    fn send(&mut self, from: Node, packet: &MadPacket) -> Result<(), Self::Error>;

    /// The next MAD that came to a QP0 or QP1, and whose.
    fn receive(&mut self) -> Result<Option<(Node, MadPacket)>, Self::Error>;

    /// Lets the link follow what was asked of it; `now` never goes back.
    fn step(&mut self, now: Duration) -> Result<(), Self::Error>;

    /// When [`step`](Cable::step) has something to do.
    fn wakes(&self) -> Option<Duration>;

    /// Pulls the cable, or plugs it in.
    fn plug(&mut self, is_in: bool) -> Result<(), Self::Error>;

    /// Connects the nodes by reliable connections, one for each of these SLs; false if they have no queue pairs for it.
    fn connect(&mut self, sls: &[u8]) -> Result<bool, Self::Error> {
        let _ = sls;
        Ok(false)
    }

    /// Awaits the messages under way on the connections, and posts one more each way on each of them. Returns how many
    /// came, all of them as they were sent.
    fn exchange(&mut self) -> Result<u64, Self::Error> {
        Ok(0)
    }

    /// MADs that came to the other end so far.
    fn crossed(&self) -> u64;
}
