//! The programs that talk to the subnet.
use super::Node;

/// Largest number of clients at a time, which is the number of data sockets in the protocol.
pub const MOST: usize = 10;

/// A program at a port of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    pub pid: u32,
    pub node: Node,
    /// Number of its port of the node.
    pub port: u8,
    /// True if it has announced itself as a subnet manager.
    pub is_sm: bool,
}

impl Client {
    /// Returns true if the client is at this port of this node.
    pub fn is_at(&self, node: Node, port: u8) -> bool {
        (self.node, self.port) == (node, port)
    }
}

/// Clients by number.
#[derive(Clone, Debug, Default)]
pub struct Clients([Option<Client>; MOST]);

impl Clients {
    /// Adds a client and returns its number; `None` if there is no room.
    pub fn connect(&mut self, client: Client) -> Option<usize> {
        let number = self.0.iter().position(Option::is_none)?;
        self.0[number] = Some(client);
        Some(number)
    }

    /// Removes and returns the client with this number.
    pub fn disconnect(&mut self, number: usize) -> Option<Client> {
        self.0.get_mut(number)?.take()
    }

    /// Returns the client with this number.
    pub fn get(&self, number: usize) -> Option<&Client> {
        self.0.get(number)?.as_ref()
    }

    /// Returns the client with this number, for changes.
    pub fn get_mut(&mut self, number: usize) -> Option<&mut Client> {
        self.0.get_mut(number)?.as_mut()
    }

    /// Returns the connected clients, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Client)> {
        let numbered = self.0.iter().enumerate();
        numbered.filter_map(|(number, client)| Some((number, client.as_ref()?)))
    }

    /// Returns the subnet manager at this port.
    pub fn manager(&self, node: Node, port: u8) -> Option<usize> {
        let mut there = self.iter().filter(|(_, client)| client.is_at(node, port));
        there.find(|(_, client)| client.is_sm).map(|(number, _)| number)
    }

    /// Returns the server of vendor classes at this port: the first client that is not a manager.
    pub fn vendor_server(&self, node: Node, port: u8) -> Option<usize> {
        let mut there = self.iter().filter(|(_, client)| client.is_at(node, port));
        there.find(|(_, client)| !client.is_sm).map(|(number, _)| number)
    }
}
