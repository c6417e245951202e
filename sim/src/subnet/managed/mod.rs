//! An adapter whose QP0 and QP1 carry MADs. The agents manage it.
mod buffers;
mod connections;
mod counters;
mod error;
mod ports;
mod seat;

pub use buffers::{CONNECTIONS, MESSAGE_BYTES};
pub use error::ManagedError;

use super::directed_route::PERMISSIVE_LID;
use super::mad::{class, MadBytes, MAD_BYTES};
use super::packet::{MadPacket, QP0};
use super::{Capabilities, MemoryPorts};
use crate::driver::{
    AddressHandle, Event, QpChanges, QpInit, QpState, ReceiveWork, SendWork, Service, Ticket,
};
use crate::hca::{SimConfig, SimHca};
use crate::verilated::Library;
use buffers::{GRH_AREA, RECEIVES};
use hca_host::wqe::Datagram;
use seat::Seat;
use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// Largest number of clock cycles within which a driver call is carried out or a MAD has left.
const PATIENCE: u64 = 200_000;
/// Number of clock cycles in a row without a transfer at any port, after which no packet is inside the adapter.
const SETTLING: u64 = 400;
const CQ_ENTRIES: u32 = 64;
const SENDS: u32 = 4;
/// Entries of the event queue.
const EVENTS: u32 = 16;
/// Q_Keys of QP0 and QP1 (`protocol/special_qps.md` section 1).
const Q_KEYS: [u32; 2] = [0, 0x8001_0000];
/// P_Key of the default partition, full member.
const DEFAULT_P_KEY: u16 = 0xFFFF;

/// Returns the QPN in verbs and completions of QP0 or QP1 of a port (`protocol/link.md` section 8).
fn qpn_of(port: u8, qpn: u32) -> u32 {
    2 * u32::from(port - 1) + qpn
}

/// Returns the CQN of the completion queue of QP0 and QP1 of a port, which no other queue pair may share.
fn cqn_of(port: u8) -> u32 {
    u32::from(port - 1)
}

/// A simulated native adapter with QP0 and QP1 of each port in RTS. Its ports are as after reset: Down, or in Init once
/// their links are up.
pub struct ManagedHca {
    hca: SimHca,
    /// Settings for which the adapter has no registers.
    kept: MemoryPorts,
    /// By number of the port, the first at place 0.
    seats: Vec<Seat>,
    arrived: VecDeque<MadPacket>,
    /// Completions of sends that no caller has waited for.
    sent: VecDeque<(u32, u8)>,
}

impl ManagedHca {
    /// Makes an adapter out of reset, without a cable in its ports. The capabilities name the ports of the profile.
    pub fn new(
        library: &Library,
        config: &SimConfig,
        capabilities: &Capabilities,
    ) -> Result<ManagedHca, ManagedError> {
        let hca = SimHca::new(library, config)?;
        let ports = hca.profile().ports();
        let mut managed = ManagedHca {
            hca,
            kept: MemoryPorts::new(capabilities),
            seats: vec![Seat::default(); ports],
            arrived: VecDeque::new(),
            sent: VecDeque::new(),
        };
        let ticket = managed.hca.reg_mr(&buffers::region())?;
        managed.call(ticket)?;
        for port in managed.ports() {
            managed.set_link(port, false);
            managed.set_up_port(port)?;
            managed.set_up_queue_pairs(port)?;
        }
        let ticket = managed.hca.start_events(EVENTS)?;
        managed.call(ticket)?;
        Ok(managed)
    }

    /// Turns flow control of all ports on: data packets leave by the credits that the neighbour gives, and by the
    /// tables of VL arbitration. The ports are Down or in Init, and so are those of the neighbour, which have it, too.
    pub fn control_flow(&mut self) -> Result<(), ManagedError> {
        for port in self.ports() {
            let ticket = self.hca.driver().port(port).set_flow_control(true);
            self.call(ticket)?;
        }
        Ok(())
    }

    /// Returns the numbers of the ports.
    pub fn ports(&self) -> RangeInclusive<u8> {
        1..=self.seats.len() as u8
    }

    /// Sets whether the cable and the neighbour provide a link for a port.
    pub fn set_link(&mut self, port: u8, is_up: bool) {
        self.hca.port(port).set_cable(is_up);
    }

    /// Returns true if a port has a link. The port loses it when the adapter takes it down, and gets none until
    /// [`set_link`](ManagedHca::set_link) is called.
    pub fn is_linked(&mut self, port: u8) -> bool {
        self.hca.port(port).has_cable()
    }

    fn seat(&mut self, port: u8) -> &mut Seat {
        &mut self.seats[usize::from(port) - 1]
    }

    /// Returns the adapter.
    pub fn hca(&mut self) -> &mut SimHca {
        &mut self.hca
    }

    /// Sets a port up: entry 0 of the P_Key table is the default partition (`protocol/mad.md` section 5.4).
    fn set_up_port(&mut self, port: u8) -> Result<(), ManagedError> {
        let p_keys = [DEFAULT_P_KEY, 0, 0, 0];
        let ticket = self.hca.driver().port(port).set_p_keys(&p_keys);
        self.call(ticket)?;
        self.set_gids(port)
    }

    fn set_up_queue_pairs(&mut self, port: u8) -> Result<(), ManagedError> {
        let cqn = cqn_of(port);
        let ticket = self.hca.create_cq(cqn, CQ_ENTRIES)?;
        self.call(ticket)?;
        for (in_packets, q_key) in (0..).zip(Q_KEYS) {
            let qpn = qpn_of(port, in_packets);
            let init = QpInit {
                qpn,
                service: Service::Ud,
                send_cq: cqn,
                receive_cq: cqn,
                send_entries: SENDS,
                receive_entries: RECEIVES as u32,
                ..QpInit::default()
            };
            let ticket = self.hca.driver().create_qp(&init)?;
            self.call(ticket)?;
            let initialise = QpChanges {
                p_key_index: Some(0),
                q_key: Some(q_key),
                ..QpChanges::default()
            };
            let transitions = [
                (QpState::Init, initialise),
                (QpState::Rtr, QpChanges::default()),
                (
                    QpState::Rts,
                    QpChanges {
                        sq_psn: Some(0),
                        ..QpChanges::default()
                    },
                ),
            ];
            for (state, changes) in transitions {
                let ticket = self.hca.driver().modify_qp(qpn, state, &changes)?;
                self.call(ticket)?;
            }
            let address = AddressHandle {
                port,
                dlid: PERMISSIVE_LID,
                ..AddressHandle::default()
            };
            let ticket = self.hca.driver().create_ah(qpn, &address);
            self.call(ticket)?;
            for n in 0..RECEIVES {
                self.post_receive(qpn, n)?;
            }
        }
        Ok(())
    }

    fn post_receive(&mut self, qpn: u32, n: u64) -> Result<(), ManagedError> {
        let work = ReceiveWork {
            wr_id: n,
            segments: vec![buffers::receive(qpn, n)],
        };
        let (ticket, _) = self.hca.post_receive(qpn, &work)?;
        self.call(ticket).map(drop)
    }

    /// Sends a MAD through QP0 or QP1 of its port. On return it has left the port, or was discarded there.
    pub fn send(&mut self, packet: &MadPacket) -> Result<(), ManagedError> {
        let qpn = qpn_of(packet.port, packet.source_qpn);
        let address = AddressHandle {
            port: packet.port,
            dlid: packet.dlid,
            sl: packet.sl,
            // The bits above the port's LMC have no effect.
            source_path_bits: (packet.slid & 0x7F) as u8,
            ..AddressHandle::default()
        };
        let ticket = self.hca.driver().modify_ah(qpn, &address);
        self.call(ticket)?;
        let source = buffers::send(qpn);
        self.hca.memory_mut().write(source.addr, &packet.mad);
        let work = SendWork {
            segments: vec![source],
            signaled: true,
            datagram: Some(Datagram {
                q_key: Q_KEYS[packet.source_qpn as usize],
                dest_qpn: packet.destination_qpn,
                handle: qpn,
                p_key_index: 0,
            }),
            ..SendWork::default()
        };
        let (ticket, _) = self.hca.post_send(qpn, &work)?;
        self.call(ticket)?;
        let (qpn, status) = self.until("the completion of a MAD", |managed| {
            managed.poll()?;
            Ok(managed.sent.pop_front())
        })?;
        match status {
            0 => Ok(()),
            status => Err(ManagedError::Failed { qpn, status }),
        }
    }

    /// Takes the next MAD that arrived.
    pub fn receive(&mut self) -> Result<Option<MadPacket>, ManagedError> {
        self.poll()?;
        Ok(self.arrived.pop_front())
    }

    /// Takes the events that came. Returns true if one of them, or of those before, was of the port's violation latch,
    /// and forgets that.
    fn was_violated(&mut self, port: u8) -> Result<bool, ManagedError> {
        while let Some(event) = self.hca.poll_event()? {
            if let Event::Violation { port } = event {
                self.seat(port).is_violated = true;
            }
        }
        Ok(std::mem::take(&mut self.seat(port).is_violated))
    }

    /// Takes the available completions.
    fn poll(&mut self) -> Result<(), ManagedError> {
        self.ports().try_for_each(|port| self.poll_port(port))
    }

    fn poll_port(&mut self, port: u8) -> Result<(), ManagedError> {
        while let Some(completion) = self.hca.poll_cq(cqn_of(port))? {
            let qpn = completion.qpn;
            if !completion.receive {
                self.sent.push_back((qpn, completion.status));
                continue;
            }
            let no_mad = ManagedError::NoMad {
                qpn,
                length: completion.byte_count,
            };
            let (Some(n), Some(from)) = (completion.wr_id, completion.datagram) else {
                return Err(no_mad);
            };
            if completion.byte_count != GRH_AREA + MAD_BYTES as u32 {
                return Err(no_mad);
            }
            let mut mad: MadBytes = [0; MAD_BYTES];
            let place = buffers::receive(qpn, n).addr + u64::from(GRH_AREA);
            self.hca.memory().read(place, &mut mad);
            self.post_receive(qpn, n)?;
            let in_packets = qpn - qpn_of(port, 0);
            // A completion does not distinguish the permissive LID from the port's own.
            let is_directed = in_packets == QP0 && mad[1] == class::SUBNET_DIRECTED;
            let own = u16::from_be_bytes([from.sender[0], from.sender[1]]);
            self.arrived.push_back(MadPacket {
                port,
                slid: from.slid,
                dlid: if is_directed { PERMISSIVE_LID } else { own },
                sl: from.sl,
                source_qpn: from.source_qpn,
                destination_qpn: in_packets,
                mad,
            });
        }
        Ok(())
    }

    /// Runs one clock cycle.
    pub fn clock(&mut self) -> Result<(), ManagedError> {
        self.hca.clock()?;
        for port in self.ports() {
            if !self.hca.link_enable(port) {
                self.set_link(port, false);
            }
        }
        while self.hca.retired().is_some() {}
        Ok(())
    }

    /// Runs clocks until no packet is inside the adapter.
    pub fn settle(&mut self) -> Result<(), ManagedError> {
        let mut still = 0;
        self.until("a pause of all transfers", |managed| {
            still = if managed.hca.quiet() { still + 1 } else { 0 };
            Ok((still > SETTLING).then_some(()))
        })
    }

    /// Runs clocks until a call has its outcome, and returns it.
    fn call(&mut self, ticket: Ticket) -> Result<u32, ManagedError> {
        self.until("the outcome of a call", |managed| {
            Ok(managed.hca.outcome(ticket).transpose()?)
        })
    }

    /// Runs clocks until `come` returns a value, and returns it.
    fn until<T>(
        &mut self,
        what: &'static str,
        mut come: impl FnMut(&mut ManagedHca) -> Result<Option<T>, ManagedError>,
    ) -> Result<T, ManagedError> {
        for _ in 0..PATIENCE {
            if let Some(come) = come(self)? {
                return Ok(come);
            }
            self.clock()?;
        }
        let cycles = PATIENCE;
        Err(ManagedError::Stalled { what, cycles })
    }
}
