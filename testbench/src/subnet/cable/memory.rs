//! Cables in memory, without adapters in the path of a MAD.
use super::super::Node;
use super::line::Line;
use super::Cable;
use hca_sim::subnet::attribute::{PortCounters, PortCountersExtended};
use hca_sim::subnet::directed_route::PERMISSIVE_LID;
use hca_sim::subnet::{Capabilities, LinkCommand, MemoryPorts, PhysicalState, PortState, Ports, Restart};
use hca_sim::subnet::{MadPacket, QP0};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Duration of the link's training.
const TRAINING: Duration = Duration::from_millis(20);
/// Number of words of a MAD's packet, from LRH to ICRC (`port_counters.csv`).
const WORDS: u32 = 72;

/// Two nodes whose registers are memory.
#[derive(Debug)]
pub struct MemoryCable {
    ports: [MemoryPorts; 2],
    /// By number of the ports, the first at place 0.
    lines: Vec<Line>,
    now: Duration,
    arrived: VecDeque<(Node, MadPacket)>,
    crossed: u64,
}

impl MemoryCable {
    /// Makes two nodes at reset, of so many ports each, joined by cables whose links are up.
    pub fn new(capabilities: [&Capabilities; 2]) -> MemoryCable {
        let ports = capabilities[0].ports;
        let mut cable = MemoryCable {
            ports: capabilities.map(MemoryPorts::new),
            lines: vec![Line::new(); ports.into()],
            now: Duration::ZERO,
            arrived: VecDeque::new(),
            crossed: 0,
        };
        cable.numbers().for_each(|port| cable.train_ends(port));
        cable
    }

    /// Returns the numbers of the ports.
    fn numbers(&self) -> RangeInclusive<u8> {
        1..=self.lines.len() as u8
    }

    fn line(&mut self, port: u8) -> &mut Line {
        &mut self.lines[usize::from(port) - 1]
    }

    fn physical(&mut self, node: Node, port: u8) -> PhysicalState {
        let Ok(link) = self.ports(node).link(port);
        link.physical
    }

    fn state(&mut self, node: Node, port: u8) -> PortState {
        let Ok(link) = self.ports(node).link(port);
        link.state
    }

    /// Ends the training: the link comes up if both ends look for each other.
    fn train_ends(&mut self, port: u8) {
        let polls = |physical| physical == PhysicalState::Polling;
        let both_poll = Node::BOTH
            .into_iter()
            .all(|node| polls(self.physical(node, port)));
        if self.line(port).is_in && both_poll {
            Node::BOTH
                .into_iter()
                .for_each(|node| self.ports(node).link_up(port));
        }
    }

    /// Lets the link between the ports of this number do what was requested.
    fn step_line(&mut self, port: u8) {
        let now = self.now;
        for node in Node::BOTH {
            if let Some(restart) = self.ports(node).restart(port) {
                self.ports(node.other()).link_lost(port);
                self.line(port).up_at = (restart == Restart::Train).then_some(now + TRAINING);
            }
        }
        if self.line(port).up_at.is_some_and(|up_at| up_at <= now) {
            self.line(port).up_at = None;
            self.train_ends(port);
        }
    }

    /// Returns true if a port in this state sends the packet (`protocol/link.md` section 1).
    fn may_send(state: PortState, packet: &MadPacket) -> bool {
        match state {
            PortState::Down | PortState::ActiveDefer => false,
            PortState::Init | PortState::Armed => packet.destination_qpn == QP0,
            PortState::Active => true,
        }
    }

    fn is_taken(&mut self, node: Node, packet: &MadPacket) -> bool {
        let is_smp = packet.destination_qpn == QP0;
        let Ok(settings) = self.ports(node).settings(packet.port);
        let is_own = settings.is_own_lid(packet.dlid) || is_smp && packet.dlid == PERMISSIVE_LID;
        let is_accepted = match self.state(node, packet.port) {
            PortState::Down | PortState::ActiveDefer => false,
            PortState::Init => is_smp,
            PortState::Armed | PortState::Active => true,
        };
        is_own && is_accepted
    }
}

impl Cable for MemoryCable {
    type Error = Infallible;
    type Ports = MemoryPorts;

    fn ports(&mut self, node: Node) -> &mut MemoryPorts {
        &mut self.ports[node as usize]
    }

    fn send(&mut self, from: Node, packet: &MadPacket) -> Result<(), Infallible> {
        let port = packet.port;
        let (state, to) = (self.state(from, port), from.other());
        let (counters, extended) = self.ports(from).counters_mut(port);
        if !Self::may_send(state, packet) {
            counters.xmit_discards = counters.xmit_discards.saturating_add(1);
            return Ok(());
        }
        count_sent(counters, extended);
        if !self.is_taken(to, packet) {
            return Ok(());
        }
        let (counters, extended) = self.ports(to).counters_mut(port);
        count_received(counters, extended);
        if packet.destination_qpn != QP0 && self.state(to, port) == PortState::Armed {
            self.ports(to).command(port, LinkCommand::Activate)?;
        }
        self.crossed += 1;
        self.arrived.push_back((to, *packet));
        Ok(())
    }

    fn receive(&mut self) -> Result<Option<(Node, MadPacket)>, Infallible> {
        Ok(self.arrived.pop_front())
    }

    fn step(&mut self, now: Duration) -> Result<(), Infallible> {
        self.now = now;
        self.numbers().for_each(|port| self.step_line(port));
        Ok(())
    }

    fn wakes(&self) -> Option<Duration> {
        self.lines.iter().filter_map(|line| line.up_at).min()
    }

    fn plug(&mut self, port: u8, is_in: bool) -> Result<(), Infallible> {
        self.line(port).is_in = is_in;
        match is_in {
            true => self.line(port).up_at = Some(self.now + TRAINING),
            false => Node::BOTH
                .into_iter()
                .for_each(|node| self.ports(node).link_lost(port)),
        }
        Ok(())
    }

    fn crossed(&self) -> u64 {
        self.crossed
    }
}

fn count_sent(counters: &mut PortCounters, extended: &mut PortCountersExtended) {
    counters.xmit_data = counters.xmit_data.saturating_add(WORDS);
    counters.xmit_pkts = counters.xmit_pkts.saturating_add(1);
    extended.xmit_data = extended.xmit_data.saturating_add(WORDS.into());
    extended.xmit_pkts = extended.xmit_pkts.saturating_add(1);
    extended.unicast_xmit_pkts = extended.unicast_xmit_pkts.saturating_add(1);
}

fn count_received(counters: &mut PortCounters, extended: &mut PortCountersExtended) {
    counters.rcv_data = counters.rcv_data.saturating_add(WORDS);
    counters.rcv_pkts = counters.rcv_pkts.saturating_add(1);
    extended.rcv_data = extended.rcv_data.saturating_add(WORDS.into());
    extended.rcv_pkts = extended.rcv_pkts.saturating_add(1);
    extended.unicast_rcv_pkts = extended.unicast_rcv_pkts.saturating_add(1);
}
