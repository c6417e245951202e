//! A cable in memory, without adapters in the path of a MAD.
use super::super::Node;
use super::{Cable, PORT};
use hca_sim::subnet::attribute::{PortCounters, PortCountersExtended};
use hca_sim::subnet::directed_route::PERMISSIVE_LID;
use hca_sim::subnet::{Capabilities, LinkCommand, MemoryPorts, PhysicalState, PortState, Ports, Restart};
use hca_sim::subnet::{MadPacket, QP0};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

/// Duration of the link's training.
const TRAINING: Duration = Duration::from_millis(20);
/// Number of words of a MAD's packet, from LRH to ICRC (`port_counters.csv`).
const WORDS: u32 = 72;

/// Two nodes whose registers are memory.
#[derive(Debug)]
pub struct MemoryCable {
    ports: [MemoryPorts; 2],
    is_in: bool,
    /// Time at which the training ends.
    up_at: Option<Duration>,
    now: Duration,
    arrived: VecDeque<(Node, MadPacket)>,
    crossed: u64,
}

impl MemoryCable {
    /// Makes two nodes at reset, joined by a cable whose link is up.
    pub fn new(capabilities: [&Capabilities; 2]) -> MemoryCable {
        let mut cable = MemoryCable {
            ports: capabilities.map(MemoryPorts::new),
            is_in: true,
            up_at: None,
            now: Duration::ZERO,
            arrived: VecDeque::new(),
            crossed: 0,
        };
        cable.train_ends();
        cable
    }

    fn physical(&mut self, node: Node) -> PhysicalState {
        let Ok(link) = self.ports(node).link(PORT);
        link.physical
    }

    fn state(&mut self, node: Node) -> PortState {
        let Ok(link) = self.ports(node).link(PORT);
        link.state
    }

    /// Ends the training: the link comes up if both ends look for each other.
    fn train_ends(&mut self) {
        let polls = |physical| physical == PhysicalState::Polling;
        if self.is_in && Node::BOTH.into_iter().all(|node| polls(self.physical(node))) {
            Node::BOTH
                .into_iter()
                .for_each(|node| self.ports(node).link_up(PORT));
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
        let Ok(settings) = self.ports(node).settings(PORT);
        let is_own = settings.is_own_lid(packet.dlid) || is_smp && packet.dlid == PERMISSIVE_LID;
        let is_accepted = match self.state(node) {
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
        let (state, to) = (self.state(from), from.other());
        let (counters, extended) = self.ports(from).counters_mut(PORT);
        if !Self::may_send(state, packet) {
            counters.xmit_discards = counters.xmit_discards.saturating_add(1);
            return Ok(());
        }
        count_sent(counters, extended);
        if !self.is_taken(to, packet) {
            return Ok(());
        }
        let (counters, extended) = self.ports(to).counters_mut(PORT);
        count_received(counters, extended);
        if packet.destination_qpn != QP0 && self.state(to) == PortState::Armed {
            self.ports(to).command(PORT, LinkCommand::Activate)?;
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
        for node in Node::BOTH {
            if let Some(restart) = self.ports(node).restart(PORT) {
                self.ports(node.other()).link_lost(PORT);
                self.up_at = (restart == Restart::Train).then_some(now + TRAINING);
            }
        }
        if self.up_at.is_some_and(|up_at| up_at <= now) {
            self.up_at = None;
            self.train_ends();
        }
        Ok(())
    }

    fn wakes(&self) -> Option<Duration> {
        self.up_at
    }

    fn plug(&mut self, is_in: bool) -> Result<(), Infallible> {
        self.is_in = is_in;
        match is_in {
            true => self.up_at = Some(self.now + TRAINING),
            false => Node::BOTH
                .into_iter()
                .for_each(|node| self.ports(node).link_lost(PORT)),
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
