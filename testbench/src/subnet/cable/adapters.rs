//! Cables between two simulated adapters. Every MAD crosses their hardware, on VL 15 or VL 0.
use super::super::Node;
use super::line::Line;
use super::Cable;
use hca_host::profile::Profile;
use hca_sim::subnet::{Capabilities, MadPacket, ManagedError, ManagedHca, PortState, Ports};
use hca_sim::subnet::{CONNECTIONS, MESSAGE_BYTES};
use hca_sim::verilated::Library;
use hca_sim::{SimConfig, SimHca};
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Duration of the link's training.
const TRAINING: Duration = Duration::from_millis(20);
/// Number of clock cycles in which an adapter that a manager took down enables its link again, and a port follows its
/// link.
const HANDSHAKE: u64 = 64;
/// Number of clock cycles that run in a step while a port waits for its link to come back, which takes 10 ms. Clients
/// are served between steps.
const SLICE: u64 = 100_000;
/// Number of clock cycles in a row without a transfer, after which nothing is on its way.
const STILL: u64 = 400;

/// Number of clock cycles in which a message of each connection crosses the link in both directions.
const MESSAGES_TAKE: u64 = 200_000;

/// Returns the message that a node sends on a connection in this round.
fn pattern(from: Node, connection: u32, round: u64) -> [u8; MESSAGE_BYTES] {
    let first = 64 * connection + 128 * from as u32;
    std::array::from_fn(|n| (first as usize + 7 * n + 13 * round as usize) as u8)
}

/// Passes on what has left the port of an adapter. Returns the number of link packets.
fn carry_from(from: &mut SimHca, to: &mut SimHca, port: u8) -> u64 {
    let mut link_packets = 0;
    while let Some(packet) = from.port(port).packet_out() {
        match packet.is_link {
            true => {
                link_packets += 1;
                to.port(port).send_link_packet(packet.bytes);
            }
            false => to.port(port).send_packet(packet.bytes),
        }
    }
    link_packets
}

/// Two adapters and the cables between their ports. Clocks run only while something is on its way.
pub struct AdapterCable {
    ends: [ManagedHca; 2],
    /// By number of the ports, the first at place 0.
    lines: Vec<Line>,
    now: Duration,
    arrived: VecDeque<(Node, MadPacket)>,
    crossed: u64,
    link_packets: u64,
    connections: u32,
    /// Number of messages that were posted so far on each connection in each direction.
    posted: u64,
}

impl AdapterCable {
    /// Returns the capabilities of an adapter with the limits of this profile: its ports, its data VLs, and tables as
    /// long as those in the adapter.
    pub fn capabilities(node: Node, profile: &Profile) -> Capabilities {
        Capabilities {
            ports: profile.ports() as u8,
            // Codes 1, 2, 3 and 4 are 1, 2, 4 and 8 VLs.
            vl_cap: profile.vl_bits as u8 + 1,
            vl_arb_high_cap: hca_sim::driver::VL_ARBITRATION_ENTRIES as u8,
            vl_arb_low_cap: hca_sim::driver::VL_ARBITRATION_ENTRIES as u8,
            p_key_cap: hca_sim::driver::P_KEYS as u16,
            guid_cap: hca_sim::driver::GIDS as u8,
            ..node.capabilities()
        }
    }

    /// Makes two adapters out of reset, joined by cables whose links are up.
    pub fn new(library: &Library, config: &SimConfig) -> Result<AdapterCable, ManagedError> {
        let end = |node: Node| {
            let config = SimConfig {
                seed: config.seed + node as u64,
                ..config.clone()
            };
            let capabilities = AdapterCable::capabilities(node, &config.profile);
            let mut end = ManagedHca::new(library, &config, &capabilities)?;
            end.control_flow()?;
            Ok::<ManagedHca, ManagedError>(end)
        };
        let mut cable = AdapterCable {
            ends: [end(Node::Alpha)?, end(Node::Beta)?],
            lines: vec![Line::new(); config.profile.ports()],
            now: Duration::ZERO,
            arrived: VecDeque::new(),
            crossed: 0,
            link_packets: 0,
            connections: 0,
            posted: 0,
        };
        for port in cable.numbers() {
            cable.set_up(port, true)?;
        }
        Ok(cable)
    }

    /// Returns the numbers of the ports.
    fn numbers(&self) -> RangeInclusive<u8> {
        1..=self.lines.len() as u8
    }

    fn line(&mut self, port: u8) -> &mut Line {
        &mut self.lines[usize::from(port) - 1]
    }

    /// Runs one clock cycle of both adapters. What leaves one arrives at the other.
    fn clock(&mut self) -> Result<(), ManagedError> {
        for end in &mut self.ends {
            end.clock()?;
        }
        self.carry();
        Ok(())
    }

    fn carry(&mut self) {
        let numbers = self.numbers();
        let [alpha, beta] = &mut self.ends;
        for port in numbers {
            self.link_packets += carry_from(alpha.hca(), beta.hca(), port);
            self.link_packets += carry_from(beta.hca(), alpha.hca(), port);
        }
    }

    fn run(&mut self, cycles: u64) -> Result<(), ManagedError> {
        (0..cycles).try_for_each(|_| self.clock())
    }

    /// Runs clocks until nothing is on its way.
    fn settle(&mut self) -> Result<(), ManagedError> {
        let mut still = 0;
        while still < STILL {
            self.clock()?;
            let is_quiet = self.ends.iter_mut().all(|end| end.hca().quiet());
            still = if is_quiet { still + 1 } else { 0 };
        }
        self.take()
    }

    /// Takes the MADs that have come.
    fn take(&mut self) -> Result<(), ManagedError> {
        for node in Node::BOTH {
            while let Some(packet) = self.ends[node as usize].receive()? {
                self.crossed += 1;
                self.arrived.push_back((node, packet));
            }
        }
        Ok(())
    }

    /// Returns true if both ends enable the link.
    fn is_wanted(&mut self, port: u8) -> bool {
        self.line(port).is_in && self.ends.iter_mut().all(|end| end.hca().link_enable(port))
    }

    /// Brings the link up at both ends, or takes it down at both.
    fn set_up(&mut self, port: u8, is_up: bool) -> Result<(), ManagedError> {
        self.line(port).is_up = is_up;
        for end in &mut self.ends {
            end.set_link(port, is_up);
        }
        self.run(HANDSHAKE)
    }

    /// Waits for the last message of each connection at each node.
    fn take_messages(&mut self) -> Result<u64, ManagedError> {
        let expected = 2 * u64::from(self.connections);
        let mut came = 0;
        for _ in 0..MESSAGES_TAKE {
            for node in Node::BOTH {
                while let Some((connection, message)) = self.ends[node as usize].take_message()? {
                    if message != pattern(node.other(), connection, self.posted) {
                        return Err(ManagedError::OtherMessage { connection });
                    }
                    came += 1;
                }
            }
            if came == expected {
                return Ok(came);
            }
            self.clock()?;
        }
        let (what, cycles) = ("the messages of all connections", MESSAGES_TAKE);
        Err(ManagedError::Stalled { what, cycles })
    }

    /// Returns true if a port of this number waits for the link.
    fn waits(&mut self, port: u8) -> Result<bool, ManagedError> {
        let mut waits = false;
        for end in &mut self.ends {
            waits |= end.link(port)?.state == PortState::ActiveDefer;
        }
        Ok(waits)
    }

    /// Lets the link between the ports of this number do what was requested.
    fn step_line(&mut self, port: u8) -> Result<(), ManagedError> {
        let is_linked = self.ends.iter_mut().all(|end| end.is_linked(port));
        let line = self.line(port);
        if line.is_up && !(line.is_in && is_linked) {
            self.set_up(port, false)?;
            self.line(port).is_awaited = true;
        }
        if self.line(port).is_awaited {
            let waits = self.waits(port)?;
            self.line(port).is_awaited = waits;
            if waits {
                return self.run(SLICE);
            }
        }
        let (now, is_wanted) = (self.now, self.is_wanted(port));
        let line = self.line(port);
        if line.is_up || !is_wanted {
            line.up_at = None;
        } else if *line.up_at.get_or_insert(now + TRAINING) <= now {
            line.up_at = None;
            self.set_up(port, true)?;
        }
        Ok(())
    }
}

impl Cable for AdapterCable {
    type Error = ManagedError;
    type Ports = ManagedHca;

    fn ports(&mut self, node: Node) -> &mut ManagedHca {
        &mut self.ends[node as usize]
    }

    fn send(&mut self, from: Node, packet: &MadPacket) -> Result<(), ManagedError> {
        self.ends[from as usize].send(packet)?;
        self.carry();
        self.settle()
    }

    fn receive(&mut self) -> Result<Option<(Node, MadPacket)>, ManagedError> {
        Ok(self.arrived.pop_front())
    }

    fn step(&mut self, now: Duration) -> Result<(), ManagedError> {
        self.now = now;
        self.numbers().try_for_each(|port| self.step_line(port))
    }

    fn wakes(&self) -> Option<Duration> {
        let due = |line: &Line| match line.is_awaited {
            true => Some(self.now),
            false => line.up_at,
        };
        self.lines.iter().filter_map(due).min()
    }

    fn plug(&mut self, port: u8, is_in: bool) -> Result<(), ManagedError> {
        self.line(port).is_in = is_in;
        self.step(self.now)
    }

    fn connect(&mut self, port: u8, sls: &[u8]) -> Result<bool, ManagedError> {
        let lid = |end: &mut ManagedHca| Ok::<u16, ManagedError>(end.settings(port)?.lid);
        let [alpha, beta] = &mut self.ends;
        let lids = [lid(alpha)?, lid(beta)?];
        for (n, &sl) in (0..CONNECTIONS).zip(sls) {
            for node in Node::BOTH {
                self.ends[node as usize].connect(n, port, lids[node.other() as usize], sl)?;
            }
            self.connections = n + 1;
        }
        Ok(true)
    }

    fn exchange(&mut self) -> Result<u64, ManagedError> {
        let came = match self.posted {
            0 => 0,
            _ => self.take_messages()?,
        };
        self.posted += 1;
        for node in Node::BOTH {
            for n in 0..self.connections {
                self.ends[node as usize].post_message(n, &pattern(node, n, self.posted))?;
            }
        }
        Ok(came)
    }

    fn link_packets(&self) -> u64 {
        self.link_packets
    }

    fn crossed(&self) -> u64 {
        self.crossed
    }
}
