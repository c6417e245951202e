//! The subnet behind the sockets.
use super::super::cable::Cable;
use super::super::{Node, Nodes, Outbound};
use super::control::{Control, Kind};
use super::data::Data;
use super::sockets::{Inbound, Sent, SocketError, Sockets};
use hca_sim::subnet::SubnetAgent;
use std::time::{Duration, Instant};

/// The longest sleep while a trap waits for its port, which nothing announces.
const NAP: Duration = Duration::from_millis(20);

/// Messages that wait for a client that does not read, before it counts as gone.
const BACKLOG: usize = 1000;

/// Why the subnet serves nobody any more.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error(transparent)]
    Socket(#[from] SocketError),
    #[error("the cable failed: {0}")]
    Cable(#[source] Box<dyn std::error::Error>),
}

/// Nodes and their sockets, on one thread.
pub struct Server<C> {
    nodes: Nodes<C>,
    sockets: Sockets,
    begun: Instant,
}

impl<C: Cable> Server<C> {
    pub fn new(nodes: Nodes<C>, sockets: Sockets) -> Server<C> {
        Server {
            nodes,
            sockets,
            begun: Instant::now(),
        }
    }

    pub fn nodes(&mut self) -> &mut Nodes<C> {
        &mut self.nodes
    }

    /// The agent of a node, with the registers that it stands before.
    pub fn agent(&mut self, node: Node) -> (&mut SubnetAgent, &mut C::Ports) {
        self.nodes.agent(node)
    }

    /// Time of the agents: the wall clock's.
    pub fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Waits at most `limit` for what clients send or timers bring, and does it.
    pub fn serve(&mut self, limit: Duration) -> Result<(), ServerError> {
        let now = self.now();
        let sleep = self.nodes.wakes().map(|due| match due > now {
            true => due - now,
            false => NAP,
        });
        for inbound in self.sockets.receive(sleep.unwrap_or(limit).min(limit))? {
            let now = self.now();
            match inbound {
                Inbound::Control(bytes, from) => {
                    if let Some(request) = Control::parse(&bytes) {
                        let reply = self.control(&request, now)?;
                        self.sockets.answer(&reply.bytes(), &from);
                    }
                }
                Inbound::Data(client, bytes) => {
                    if let Some(data) = Data::parse(&bytes) {
                        self.nodes.from_client(client, &data, now).map_err(cable)?;
                    }
                }
            }
        }
        let now = self.now();
        self.nodes.step(now).map_err(cable)?;
        self.send();
        Ok(())
    }

    /// Sends what waits for clients. What a client does not take yet waits on, in its order.
    fn send(&mut self) {
        let mut waits: Vec<Outbound> = Vec::new();
        while let Some(outbound) = self.nodes.outbound() {
            let client = outbound.client;
            let before = waits.iter().filter(|waits| waits.client == client).count();
            let sent = match before {
                0 => self.sockets.send(client, &outbound.data.bytes()),
                BACKLOG => Sent::Gone,
                _ => Sent::Later,
            };
            match sent {
                Sent::Done => {}
                Sent::Later => waits.push(outbound),
                Sent::Gone => {
                    waits.retain(|waits| waits.client != client);
                    self.disconnect(client);
                }
            }
        }
        self.nodes.put_back(waits);
    }

    fn control(&mut self, request: &Control, now: Duration) -> Result<Control, ServerError> {
        if request.kind() == Some(Kind::Connect) {
            self.forget_the_dead();
        }
        let reply = self.nodes.control(request, now).map_err(cable)?;
        if reply.is_refused() {
            return Ok(reply);
        }
        match request.kind() {
            Some(Kind::Connect) => {
                let number = reply.word(0) as usize;
                if self.sockets.connect(number, request.word(0)).is_err() {
                    self.nodes.disconnect(number);
                    return Ok(request.refused());
                }
            }
            Some(Kind::Disconnect) => self.sockets.disconnect(request.client as usize),
            _ => {}
        }
        Ok(reply)
    }

    /// Disconnects clients that were killed.
    fn forget_the_dead(&mut self) {
        let clients = self.nodes.clients();
        let dead: Vec<usize> = clients
            .iter()
            .filter(|(_, client)| !self.sockets.is_alive(client.pid))
            .map(|(number, _)| number)
            .collect();
        dead.into_iter().for_each(|number| self.disconnect(number));
    }

    fn disconnect(&mut self, number: usize) {
        self.nodes.disconnect(number);
        self.sockets.disconnect(number);
    }
}

fn cable(error: impl std::error::Error + 'static) -> ServerError {
    ServerError::Cable(Box::new(error))
}
