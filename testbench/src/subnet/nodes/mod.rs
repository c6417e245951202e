//! Two nodes with their agents, and the clients at them.
mod node;
mod requests;
mod routes;

pub use node::Node;

use super::cable::Cable;
use super::clients::Clients;
use super::outstanding::{Due, Outstanding, Patience};
use super::socket::{Data, TIMED_OUT};
use hca_sim::subnet::mad::MadBytes;
use hca_sim::subnet::{MadPacket, QP0};
use hca_sim::subnet::{Record, SubnetAgent};
use std::collections::VecDeque;
use std::time::Duration;

/// A data message for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outbound {
    pub client: usize,
    pub data: Data,
}

/// Numbers of MADs that were lost, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// MADs that a rule of directed routes dropped.
    pub route: u64,
    /// MADs for which nobody at the node waits, or whose class nobody serves.
    pub unclaimed: u64,
    /// MADs whose request had been answered or given up.
    pub late: u64,
    /// Requests that were repeated.
    pub repeated: u64,
    /// Requests that were returned to their client because nobody answered them.
    pub timed_out: u64,
}

/// A MAD that arrives at a node.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    node: Node,
    packet: MadPacket,
    /// True if it never left the node.
    is_local: bool,
}

/// The subnet. It does no I/O of its own and keeps no clock.
pub struct Nodes<C> {
    cable: C,
    agents: [SubnetAgent; 2],
    clients: Clients,
    outstanding: Outstanding,
    arrivals: VecDeque<Arrival>,
    outbox: VecDeque<Outbound>,
    lost: Lost,
    now: Duration,
}

impl<C: Cable> Nodes<C> {
    /// Makes two nodes at reset, without clients.
    pub fn new(cable: C, agents: [SubnetAgent; 2], patience: Patience) -> Nodes<C> {
        Nodes {
            cable,
            agents,
            clients: Clients::default(),
            outstanding: Outstanding::new(patience),
            arrivals: VecDeque::new(),
            outbox: VecDeque::new(),
            lost: Lost::default(),
            now: Duration::ZERO,
        }
    }

    /// Returns the cable between the nodes.
    pub fn cable(&mut self) -> &mut C {
        &mut self.cable
    }

    /// Returns the agent of a node, and the registers that it manages.
    pub fn agent(&mut self, node: Node) -> (&mut SubnetAgent, &mut C::Ports) {
        (&mut self.agents[node as usize], self.cable.ports(node))
    }

    /// Returns the connected clients.
    pub fn clients(&self) -> &Clients {
        &self.clients
    }

    /// Returns the numbers of lost MADs so far.
    pub fn lost(&self) -> Lost {
        self.lost
    }

    /// Takes the next data message for a client.
    pub fn outbound(&mut self) -> Option<Outbound> {
        self.outbox.pop_front()
    }

    /// Puts back messages that their clients have not taken.
    pub fn put_back(&mut self, outbound: Vec<Outbound>) {
        self.outbox.extend(outbound);
    }

    /// Advances the time to `now`, and lets every MAD continue as far as it can.
    pub fn step(&mut self, now: Duration) -> Result<(), C::Error> {
        self.now = self.now.max(now);
        self.cable.step(self.now)?;
        while let Some(due) = self.outstanding.due(self.now) {
            match due {
                Due::Repeat(key, packet) => {
                    self.lost.repeated += 1;
                    self.forward(key.client, packet)?;
                }
                Due::TimedOut(key, packet) => {
                    self.lost.timed_out += 1;
                    self.trap_given_up(key, &packet);
                    let data = Data::of(&packet, TIMED_OUT);
                    self.outbox.push_back(Outbound {
                        client: key.client,
                        data,
                    });
                }
            }
        }
        self.send_traps()?;
        self.settle()?;
        // The link does what a reply required.
        self.cable.step(self.now)
    }

    /// Returns the time at which [`step`](Nodes::step) has something to do if no client sends anything.
    pub fn wakes(&self) -> Option<Duration> {
        let agents = self.agents.iter().filter_map(SubnetAgent::wakes);
        let others = [self.cable.wakes(), self.outstanding.wakes()];
        agents.chain(others.into_iter().flatten()).min()
    }

    fn send_traps(&mut self) -> Result<(), C::Error> {
        for node in Node::BOTH {
            let agent = &mut self.agents[node as usize];
            for port in agent.ports() {
                agent.take_violation(self.cable.ports(node), port)?;
                agent.watch_counters(self.cable.ports(node), port, self.now)?;
            }
            while let Some(trap) = agent.outgoing(self.cable.ports(node), self.now)? {
                let packet = MadPacket {
                    port: trap.port,
                    slid: trap.slid,
                    dlid: trap.dlid,
                    sl: trap.sl,
                    source_qpn: QP0,
                    destination_qpn: QP0,
                    mad: trap.smp.encode(),
                };
                send(&mut self.cable, &mut self.arrivals, node, packet)?;
            }
        }
        Ok(())
    }

    /// Handles everything that has arrived, and what arrives because of it.
    fn settle(&mut self) -> Result<(), C::Error> {
        loop {
            if let Some(arrival) = self.arrivals.pop_front() {
                self.arrive(arrival)?;
                continue;
            }
            match self.cable.receive()? {
                None => return Ok(()),
                Some((node, packet)) => self.arrivals.push_back(Arrival {
                    node,
                    packet,
                    is_local: false,
                }),
            }
        }
    }
}

/// Sends a packet by LID: over the cable, or to its own port of the node if the LID is that of the port.
fn send<C: Cable>(
    cable: &mut C,
    arrivals: &mut VecDeque<Arrival>,
    node: Node,
    packet: MadPacket,
) -> Result<(), C::Error> {
    use hca_sim::subnet::Ports;
    if cable.ports(node).settings(packet.port)?.is_own_lid(packet.dlid) {
        arrivals.push_back(Arrival {
            node,
            packet,
            is_local: true,
        });
        return Ok(());
    }
    cable.send(node, &packet)
}

/// Returns bits 31:0 of a MAD's transaction.
fn lower_transaction(mad: &MadBytes) -> u32 {
    u32::from_be_bytes([mad[12], mad[13], mad[14], mad[15]])
}
