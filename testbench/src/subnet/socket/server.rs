//! The subnet behind the sockets.
use super::super::cable::Cable;
use super::super::recording::{end_of, Recorder, What};
use super::super::{Node, Nodes, Outbound};
use super::control::{Control, Kind};
use super::data::Data;
use super::sockets::{Inbound, Sent, SocketError, Sockets};
use crate::trace::lines::Hex;
use crate::trace::output::OutputError;
use hca_sim::subnet::SubnetAgent;
use std::time::{Duration, Instant};

/// Longest sleep while a trap waits for its port, because nothing announces when it may leave.
const NAP: Duration = Duration::from_millis(20);

/// Largest number of messages that wait for a client that does not read, before it counts as gone.
const BACKLOG: usize = 1000;

/// Why the subnet cannot serve any more.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error(transparent)]
    Socket(#[from] SocketError),
    #[error("the cable failed: {0}")]
    Cable(#[source] Box<dyn std::error::Error>),
    #[error(transparent)]
    Recording(#[from] OutputError),
}

/// Nodes and their sockets, on one thread.
pub struct Server<C> {
    nodes: Nodes<C>,
    sockets: Sockets,
    begun: Instant,
    recorder: Option<Recorder>,
}

impl<C: Cable> Server<C> {
    /// Makes a server of these nodes behind these sockets.
    pub fn new(nodes: Nodes<C>, sockets: Sockets) -> Server<C> {
        Server {
            nodes,
            sockets,
            begun: Instant::now(),
            recorder: None,
        }
    }

    /// Records everything from now on. Nothing may have happened so far.
    pub fn record(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder);
    }

    /// Ends the recording, if there is one, with the state of the nodes' ports of this number.
    pub fn finish_recording(&mut self, port: u8) -> Result<(), ServerError> {
        let Some(recorder) = self.recorder.take() else {
            return Ok(());
        };
        let end = end_of(&mut self.nodes, port).map_err(cable)?;
        Ok(recorder.finish(self.now(), end)?)
    }

    fn note(&mut self, now: Duration, what: impl FnOnce() -> What) -> Result<(), ServerError> {
        match &mut self.recorder {
            Some(recorder) => Ok(recorder.entry(now, what())?),
            None => Ok(()),
        }
    }

    /// Returns the nodes.
    pub fn nodes(&mut self) -> &mut Nodes<C> {
        &mut self.nodes
    }

    /// Returns the agent of a node, and the registers that it manages.
    pub fn agent(&mut self, node: Node) -> (&mut SubnetAgent, &mut C::Ports) {
        self.nodes.agent(node)
    }

    /// Returns the time of the agents, which is that of the wall clock.
    pub fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Waits at most `limit` for messages of clients or timers, and handles them.
    pub fn serve(&mut self, limit: Duration) -> Result<(), ServerError> {
        let now = self.now();
        let sleep = self.nodes.wakes().map(|due| match due > now {
            true => due - now,
            false => NAP,
        });
        let inbound = self.sockets.receive(sleep.unwrap_or(limit).min(limit))?;
        let is_new = !inbound.is_empty();
        for inbound in inbound {
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
                        self.note(now, || What::Data {
                            client,
                            message: Hex(data.bytes().to_vec()),
                        })?;
                        self.nodes.from_client(client, &data, now).map_err(cable)?;
                    }
                }
            }
        }
        let now = self.now();
        let is_due = self.nodes.wakes().is_some_and(|due| due <= now);
        if is_new || is_due {
            self.note(now, || What::Step)?;
        }
        self.nodes.step(now).map_err(cable)?;
        self.send()
    }

    /// Pulls the cable between the ports of this number, or plugs it in.
    pub fn plug(&mut self, port: u8, is_in: bool) -> Result<(), ServerError> {
        self.note(self.now(), || What::Cable { port, is_in })?;
        self.nodes.cable().plug(port, is_in).map_err(cable)
    }

    /// Connects the nodes by reliable connections from port to port, one for each of these SLs. Returns false if they
    /// have no queue pairs for it.
    pub fn connect_nodes(&mut self, port: u8, sls: &[u8]) -> Result<bool, ServerError> {
        self.nodes.cable().connect(port, sls).map_err(cable)
    }

    /// Lets messages cross on these connections. Returns how many came.
    pub fn exchange(&mut self) -> Result<u64, ServerError> {
        self.nodes.cable().exchange().map_err(cable)
    }

    /// Sends what waits for clients. What a client does not take yet continues to wait, in order.
    fn send(&mut self) -> Result<(), ServerError> {
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
                Sent::Done => {
                    let now = self.now();
                    self.note(now, || What::Sent {
                        client,
                        message: Hex(outbound.data.bytes().to_vec()),
                    })?;
                }
                Sent::Later => waits.push(outbound),
                Sent::Gone => {
                    waits.retain(|waits| waits.client != client);
                    self.disconnect(client)?;
                }
            }
        }
        self.nodes.put_back(waits);
        Ok(())
    }

    fn control(&mut self, request: &Control, now: Duration) -> Result<Control, ServerError> {
        if request.kind() == Some(Kind::Connect) {
            self.forget_the_dead()?;
        }
        let reply = self.nodes.control(request, now).map_err(cable)?;
        self.note(now, || What::Control {
            request: Hex(request.bytes().to_vec()),
            reply: Hex(reply.bytes().to_vec()),
        })?;
        if reply.is_refused() {
            return Ok(reply);
        }
        match request.kind() {
            Some(Kind::Connect) => {
                let number = reply.word(0) as usize;
                if self.sockets.connect(number, request.word(0)).is_err() {
                    self.leave(number)?;
                    return Ok(request.refused());
                }
            }
            Some(Kind::Disconnect) => self.sockets.disconnect(request.client as usize),
            _ => {}
        }
        Ok(reply)
    }

    /// Disconnects clients that were killed.
    fn forget_the_dead(&mut self) -> Result<(), ServerError> {
        let clients = self.nodes.clients();
        let dead: Vec<usize> = clients
            .iter()
            .filter(|(_, client)| !self.sockets.is_alive(client.pid))
            .map(|(number, _)| number)
            .collect();
        dead.into_iter().try_for_each(|number| self.disconnect(number))
    }

    fn disconnect(&mut self, number: usize) -> Result<(), ServerError> {
        self.leave(number)?;
        self.sockets.disconnect(number);
        Ok(())
    }

    fn leave(&mut self, client: usize) -> Result<(), ServerError> {
        let now = self.now();
        self.note(now, || What::Gone { client })?;
        self.nodes.disconnect(client);
        Ok(())
    }
}

fn cable(error: impl std::error::Error + 'static) -> ServerError {
    ServerError::Cable(Box::new(error))
}
