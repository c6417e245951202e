//! The HCA as a pure state machine: it takes verbs and packets, judges the events of a device, and returns exact bytes.
mod advertised;
mod arrival;
mod choice;
mod completion_queue;
mod completions;
mod counter_verb;
mod cq_verb;
mod credit;
mod credit_codes;
mod datagram;
mod due;
mod effect;
mod facts;
mod flow_control;
mod former_vls;
mod group;
mod groups;
mod handles;
mod hca_verb;
mod host_event;
mod host_events;
mod inbound;
mod lanes;
mod link_packets;
mod memory_errors;
mod memory_fault;
mod met;
mod modification;
mod modify;
mod moment;
mod multicast;
mod operational_vls;
mod outbound;
mod p_key_table;
mod p_keys;
mod pace;
mod paces;
mod pending;
mod port;
mod port_counters;
mod port_state;
mod port_states;
mod post;
mod qp_status;
mod qp_verb;
mod queue_pair;
mod readmission;
mod regions;
mod response;
mod response_queue;
mod retry;
mod room;
mod send_wqe;
mod shut_out;
mod sl_to_vl;
mod sl_to_vl_table;
mod transmit;
mod turns;
mod verb;
mod violation;
mod violation_latch;
mod violation_verb;
mod window;
mod work;

pub use cq_verb::CqStatus;
pub use due::Due;
pub use paces::{Pace, Source};
pub use port::Port;
pub use qp_status::QpStatus;
pub use qp_verb::changes_to;
pub use violation::{Rule, Violation};

use crate::capabilities::Capabilities;
use crate::decision::{requester, Verdict};
use crate::event::Event;
use crate::memory::Memory;
use crate::port::PortConfig;
use crate::verbs::{AddressHandle, Completion, HostEvent};
use crate::wire::malformed::Malformed;
use arrival::{Arrival, Discarded};
use completion_queue::CompletionQueue;
use group::Group;
use host_events::HostEvents;
use moment::{Moment, MOST_PORTS};
use paces::Paces;
use queue_pair::QueuePair;
use regions::{Lookup, Regions};
use std::collections::BTreeMap;

/// An output that an event requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// These bytes, first LRH byte to last VCRC byte, are the next packet on the link of this port.
    Transmit { port: u8, bytes: Vec<u8> },
    /// This packet may replace the one before: an ack that several requests asked for may take the route back of any of
    /// them (`responder.md` section 8).
    Instead(Vec<u8>),
    /// This completion is in the completion queue now.
    Complete(Completion),
    /// This is the next event for software.
    Event(HostEvent),
}

/// The golden model of one HCA.
#[derive(Clone, Debug)]
pub struct Hca {
    ports: Vec<Port>,
    capabilities: Capabilities,
    /// Picoseconds since the start.
    now: u64,
    memory: Memory,
    regions: Regions,
    events: HostEvents,
    qps: BTreeMap<u32, QueuePair>,
    cqs: BTreeMap<u32, CompletionQueue>,
    handles: BTreeMap<u32, AddressHandle>,
    paces: Paces,
    /// Multicast groups by their ports and GIDs.
    groups: BTreeMap<(u8, [u8; 16]), Group>,
    /// Number of copies that the ports made of their own multicast packets.
    looped: u32,
    /// Packets that the device has not decided about, by number.
    arrivals: BTreeMap<u32, Arrival>,
}

impl Hca {
    /// Makes an HCA with every capability, without queues, and with memory that is all zero.
    pub fn new(port: PortConfig) -> Hca {
        Hca::with(port, Capabilities::FULL)
    }

    /// Makes an HCA with these capabilities. `port` is its first port; another port has no addresses yet.
    pub fn with(port: PortConfig, capabilities: Capabilities) -> Hca {
        let others = (2..=capabilities.ports).map(|number| PortConfig {
            number,
            link: port.link,
            ..PortConfig::default()
        });
        let ports = std::iter::once(port).chain(others);
        Hca {
            ports: ports.map(|port| Port::new(port, capabilities)).collect(),
            capabilities,
            now: 0,
            memory: Memory::new(),
            regions: Regions::new(capabilities.protects, capabilities.region_bits),
            events: HostEvents::default(),
            qps: BTreeMap::new(),
            cqs: BTreeMap::new(),
            handles: BTreeMap::new(),
            paces: Paces::default(),
            groups: BTreeMap::new(),
            looped: 0,
            arrivals: BTreeMap::new(),
        }
    }

    /// Returns host memory as the rules require it.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Returns host memory, for software to write messages.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Sets the device's clock to `now`, in picoseconds since the start; it never goes back. The windows of timers are
    /// judged by this clock.
    pub fn advance_to(&mut self, now: u64) {
        self.now = self.now.max(now);
        self.ports.iter_mut().for_each(|port| port.now = self.now);
    }

    /// Returns the port of this number, from 1 to [`Capabilities::ports`].
    pub fn port(&self, number: u8) -> &Port {
        &self.ports[usize::from(number) - 1]
    }

    /// Returns the port of this number for its verbs and its link packets.
    pub fn port_mut(&mut self, number: u8) -> &mut Port {
        &mut self.ports[usize::from(number) - 1]
    }

    /// Returns true if the device has a port of this number.
    pub fn has_port(&self, number: u8) -> bool {
        (1..=self.capabilities.ports).contains(&number)
    }

    /// Takes a frame from the wire of this port, as [`Frame::decode`](crate::wire::frame::Frame::decode) does, and
    /// returns its number; the first of port 1 is 0, the first of port 2 is 2^30. A later event decides about it.
    pub fn receive(&mut self, port: u8, packet: &[u8]) -> u32 {
        let arrival = Arrival::of(&self.port(port).with_all_vls(), &self.capabilities, packet);
        self.arrive(port, arrival, packet, false)
    }

    /// Takes a frame that a native link has marked as bad at its end (EBP), and returns its number.
    pub fn receive_bad(&mut self, port: u8, packet: &[u8]) -> u32 {
        let malformed = Malformed::ended_bad();
        let arrival = Arrival::Malformed(Discarded { malformed, port });
        self.arrive(port, arrival, packet, true)
    }

    fn arrive(&mut self, at: u8, arrival: Arrival, packet: &[u8], ended_bad: bool) -> u32 {
        let port = self.port_mut(at);
        let number = port.next_number();
        port.meets_port_state(number, packet, ended_bad);
        if !ended_bad {
            port.charge(packet);
        }
        port.arrived += 1;
        self.arrivals.insert(number, arrival);
        number
    }

    /// Returns the present moment in the order of packets.
    fn moment(&self) -> Moment {
        let mut arrived = [0; MOST_PORTS];
        arrived
            .iter_mut()
            .zip(&self.ports)
            .for_each(|(count, port)| *count = port.arrived);
        let looped = self.looped;
        Moment { arrived, looped }
    }

    /// Returns the port that an event names.
    fn port_of_event(&mut self, number: u8) -> Result<&mut Port, Violation> {
        match self.has_port(number) {
            true => Ok(self.port_mut(number)),
            false => {
                let expected = format!("a port up to {}", self.capabilities.ports);
                Err(Rule::Port.broken(None, expected, format!("names port {number}")))
            }
        }
    }

    /// Follows one event of the device. If the event is permitted, the state changes and the required outputs are
    /// returned.
    ///
    /// Returns `Err` if the event is not permitted; nothing changes then.
    pub fn apply(&mut self, event: &Event) -> Result<Vec<Output>, Violation> {
        self.follow_by_any_table(event)
    }

    /// Follows an event whose accesses may have met an earlier table of regions.
    fn follow_by_any_region(&mut self, event: &Event) -> Result<Vec<Output>, Violation> {
        let applied = self.follow(event);
        let Err(violation) = applied else {
            self.regions.pass();
            return applied;
        };
        // The event may have looked its keys up before a region was added or removed.
        for view in self.regions.former(self.lookup_of(event)) {
            self.regions.look_back(Some(view));
            let applied = self.follow(event);
            self.regions.look_back(None);
            if applied.is_ok() {
                self.regions.pass();
                return applied;
            }
        }
        Err(violation)
    }

    /// Returns whose access an event reports.
    fn lookup_of(&self, event: &Event) -> Lookup {
        use Event::{DuplicateRequest, RequestEmitted, RequestExecuted, RequestRefused, SendRefused};
        match *event {
            RequestExecuted { packet, .. }
            | DuplicateRequest { packet, .. }
            | RequestRefused { packet, .. } => Lookup::Request(packet),
            RequestEmitted { qpn, psn } => self.lookup_of_work(qpn, |qp| {
                let plans = requester::plans(&qp.requester);
                plans.iter().find(|plan| plan.psn == psn).map(|plan| plan.index)
            }),
            SendRefused { qpn, index, .. } => self.lookup_of_work(qpn, |_| Some(index)),
            _ => Lookup::UnderWay,
        }
    }

    /// Returns the access of the send request that this function finds.
    fn lookup_of_work(&self, qpn: u32, index: impl Fn(&QueuePair) -> Option<u16>) -> Lookup {
        let wqe = self.qps.get(&qpn).and_then(|qp| qp.started(index(qp)?));
        wqe.map_or(Lookup::UnderWay, |wqe| Lookup::Posted(wqe.stood))
    }

    fn follow(&mut self, event: &Event) -> Result<Vec<Output>, Violation> {
        let outputs = self.follow_any(event)?;
        Ok(self.let_out(event, outputs))
    }

    fn follow_any(&mut self, event: &Event) -> Result<Vec<Output>, Violation> {
        match *event {
            Event::Doorbell { qpn, side, producer } => self.ring(qpn, side, producer),
            Event::WqeFetched { qpn, side, index } => self.take(qpn, side, index),
            Event::RequestExecuted { packet, qpn, psn } => {
                self.decide(packet, Some(qpn), Some(psn), Verdict::Execute)
            }
            Event::DuplicateRequest { packet, qpn, psn } => {
                self.decide(packet, Some(qpn), Some(psn), Verdict::Duplicate)
            }
            Event::RequestRefused {
                packet,
                qpn,
                psn,
                syndrome,
            } => self.decide(packet, Some(qpn), None, Verdict::Refuse { syndrome, psn }),
            Event::ResponseAccepted {
                packet,
                qpn,
                psn,
                syndrome,
            } => self.accept(packet, qpn, psn, syndrome),
            Event::PacketDropped { packet, reason } => self.decide(packet, None, None, Verdict::Drop(reason)),
            Event::CopyDropped { packet, qpn, reason } => self.drop_copy(packet, qpn, reason),
            Event::RequestEmitted { qpn, psn } => self.emit_request(qpn, psn),
            Event::RequestDiscarded { qpn, psn } => self.discard_request(qpn, psn),
            Event::UnsolicitedAck { qpn, psn } => self.report_credits(qpn, psn),
            Event::AckEmitted { qpn, psn, syndrome } => self.emit_ack(qpn, psn, syndrome),
            Event::ReadFetched { qpn, psn } => self.fetch_data(qpn, psn),
            Event::ReadResponseEmitted { qpn, psn, syndrome } => self.emit_data(qpn, psn, syndrome),
            Event::AtomicAckEmitted { qpn, psn, syndrome } => self.emit_original(qpn, psn, syndrome),
            Event::ReadRefused { qpn, psn, syndrome } => self.refuse_data(qpn, psn, syndrome),
            Event::ReplayDropped { qpn, psn } => self.drop_replay(qpn, psn),
            Event::SendRefused { qpn, index, status } => self.refuse_send(qpn, index, status),
            Event::AckTimerExpired { qpn, psn } => self.expire(qpn, psn),
            Event::Rewound { qpn, psn, cause } => self.rewind(qpn, psn, cause),
            Event::CompletionWritten {
                cqn,
                qpn,
                side,
                index,
                status,
            } => self.complete(cqn, qpn, side, index, status),
            Event::CompletionLost {
                cqn,
                qpn,
                side,
                index,
                status,
            } => self.overflow(cqn, qpn, side, index, status),
            // The caller that follows the device carries the verb out.
            Event::Command { .. } => Ok(Vec::new()),
            Event::QpModified { qpn, side, state } => self.modified(qpn, side, state),
            Event::CqArmed { cqn, solicited } => self.armed(cqn, solicited),
            Event::CqConsumed { cqn, consumer } => self.consumed(cqn, consumer),
            Event::EventWritten(event) => self.event_written(event),
            Event::DoorbellRefused { qpn, side, producer } => self.refuse_doorbell(qpn, side, producer),
            Event::StateChanged { qpn, state } => self.report_state(qpn, state),
            Event::PortModified { port, side, state } => self.port_of_event(port)?.port_modified(side, state),
            Event::PKeySet { port, index, p_key } => self.p_key_set(port, index, p_key),
            Event::SlToVlSet { port, from_sl, vls } => self.port_of_event(port)?.sl_to_vl_set(from_sl, vls),
            Event::MemoryFault { qpn, fault } => self.fail_memory(qpn, fault),
        }
    }

    /// Returns true if the device owes no action.
    pub fn idle(&self) -> bool {
        self.due().is_empty()
    }

    fn qp(&self, qpn: u32) -> Result<&QueuePair, Violation> {
        self.qps.get(&qpn).ok_or_else(|| no_qp(qpn))
    }

    fn qp_mut(&mut self, qpn: u32) -> Result<&mut QueuePair, Violation> {
        self.qps.get_mut(&qpn).ok_or_else(|| no_qp(qpn))
    }
}

fn no_qp(qpn: u32) -> Violation {
    Rule::QueuePair.broken(qpn, "a QP that exists", format!("names QP {qpn:06X}h"))
}
