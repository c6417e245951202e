//! The programs that talk to the subnet.
use super::Node;

/// Clients at a time, as many as the socket's protocol has data sockets for.
pub const MOST: usize = 10;

/// A program at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    pub pid: u32,
    pub node: Node,
    /// It says that it is a subnet manager.
    pub is_sm: bool,
}

/// Clients by number.
#[derive(Clone, Debug, Default)]
pub struct Clients([Option<Client>; MOST]);

impl Clients {
    /// Takes a client in; `None` where there is no room.
    pub fn connect(&mut self, client: Client) -> Option<usize> {
        let number = self.0.iter().position(Option::is_none)?;
        self.0[number] = Some(client);
        Some(number)
    }

    pub fn disconnect(&mut self, number: usize) -> Option<Client> {
        self.0.get_mut(number)?.take()
    }

    pub fn get(&self, number: usize) -> Option<&Client> {
        self.0.get(number)?.as_ref()
    }

    pub fn get_mut(&mut self, number: usize) -> Option<&mut Client> {
        self.0.get_mut(number)?.as_mut()
    }

    /// Those that are connected.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Client)> {
        let numbered = self.0.iter().enumerate();
        numbered.filter_map(|(number, client)| Some((number, client.as_ref()?)))
    }

    /// The subnet manager at this node.
    pub fn manager(&self, node: Node) -> Option<usize> {
        let mut there = self.iter().filter(|(_, client)| client.node == node);
        there.find(|(_, client)| client.is_sm).map(|(number, _)| number)
    }

    /// The server of vendor classes at this node: the first client that is no manager.
    pub fn vendor_server(&self, node: Node) -> Option<usize> {
        let mut there = self.iter().filter(|(_, client)| client.node == node);
        there.find(|(_, client)| !client.is_sm).map(|(number, _)| number)
    }
}
