//! An adapter whose QP0 and QP1 carry MADs. The agents manage it.
mod buffers;
mod connections;
mod counters;
mod error;
mod ports;

pub use buffers::{CONNECTIONS, MESSAGE_BYTES};
pub use error::ManagedError;

use super::attribute::PortCountersExtended;
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
use std::collections::VecDeque;

/// Number of the adapter's port.
pub const PORT: u8 = 1;
/// Largest number of clock cycles within which a driver call is carried out or a MAD has left.
const PATIENCE: u64 = 200_000;
/// Number of clock cycles in a row without a transfer at any port, after which no packet is inside the adapter.
const SETTLING: u64 = 400;
/// CQN of the completion queue of QP0 and QP1, which no other queue pair may share.
const CQN: u32 = 0;
const CQ_ENTRIES: u32 = 64;
const SENDS: u32 = 4;
/// Entries of the event queue.
const EVENTS: u32 = 16;
/// Q_Keys of QP0 and QP1 (`protocol/special_qps.md` section 1).
const Q_KEYS: [u32; 2] = [0, 0x8001_0000];
/// P_Key of the default partition, full member.
const DEFAULT_P_KEY: u16 = 0xFFFF;

/// A simulated native adapter with QP0 and QP1 in RTS. Its port is as after reset: Down, or in Init once its link is
/// up.
pub struct ManagedHca {
    hca: SimHca,
    /// Settings for which the adapter has no registers.
    kept: MemoryPorts,
    /// The 64-bit counters as they were when a manager cleared each of them.
    cleared: PortCountersExtended,
    arrived: VecDeque<MadPacket>,
    /// Completions of sends that no caller has waited for.
    sent: VecDeque<(u32, u8)>,
}

impl ManagedHca {
    /// Makes an adapter out of reset, without a cable in its port.
    pub fn new(
        library: &Library,
        config: &SimConfig,
        capabilities: &Capabilities,
    ) -> Result<ManagedHca, ManagedError> {
        let mut hca = SimHca::new(library, config)?;
        hca.set_cable(false);
        let mut managed = ManagedHca {
            hca,
            kept: MemoryPorts::new(capabilities),
            cleared: PortCountersExtended::default(),
            arrived: VecDeque::new(),
            sent: VecDeque::new(),
        };
        managed.set_up_port()?;
        managed.set_up_queue_pairs()?;
        let ticket = managed.hca.start_events(EVENTS)?;
        managed.call(ticket)?;
        Ok(managed)
    }

    /// Turns flow control of the port on: data packets leave by the credits that the neighbour gives, and by the tables
    /// of VL arbitration. The port is Down or in Init, and so is that of the neighbour, which has it, too.
    pub fn control_flow(&mut self) -> Result<(), ManagedError> {
        let ticket = self.hca.driver().set_flow_control(true);
        self.call(ticket).map(drop)
    }

    /// Sets whether the cable and the neighbour provide a link for the port.
    pub fn set_link(&mut self, is_up: bool) {
        self.hca.set_cable(is_up);
    }

    /// Returns true if the port has a link. The port loses it when the adapter takes it down, and gets none until
    /// [`set_link`](ManagedHca::set_link) is called.
    pub fn is_linked(&self) -> bool {
        self.hca.has_cable()
    }

    /// Returns the adapter.
    pub fn hca(&mut self) -> &mut SimHca {
        &mut self.hca
    }

    /// Sets the port up: entry 0 of the P_Key table is the default partition (`protocol/mad.md` section 5.4).
    fn set_up_port(&mut self) -> Result<(), ManagedError> {
        let ticket = self.hca.driver().set_p_keys(&[DEFAULT_P_KEY, 0, 0, 0]);
        self.call(ticket)?;
        self.set_gids()
    }

    fn set_up_queue_pairs(&mut self) -> Result<(), ManagedError> {
        let ticket = self.hca.reg_mr(&buffers::region())?;
        self.call(ticket)?;
        let ticket = self.hca.create_cq(CQN, CQ_ENTRIES)?;
        self.call(ticket)?;
        for qpn in [0, 1] {
            let init = QpInit {
                qpn,
                service: Service::Ud,
                send_cq: CQN,
                receive_cq: CQN,
                send_entries: SENDS,
                receive_entries: RECEIVES as u32,
                ..QpInit::default()
            };
            let ticket = self.hca.driver().create_qp(&init)?;
            self.call(ticket)?;
            let initialise = QpChanges {
                p_key_index: Some(0),
                q_key: Some(Q_KEYS[qpn as usize]),
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
                port: PORT,
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

    /// Sends a MAD through QP0 or QP1. On return it has left the port, or was discarded there.
    pub fn send(&mut self, packet: &MadPacket) -> Result<(), ManagedError> {
        let qpn = packet.source_qpn;
        let address = AddressHandle {
            port: PORT,
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
                q_key: Q_KEYS[qpn as usize],
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

    /// Takes the events that came. Returns true if one of them was of the port's violation latch.
    fn was_violated(&mut self) -> Result<bool, ManagedError> {
        let mut was_violated = false;
        while let Some(event) = self.hca.poll_event()? {
            was_violated |= event == Event::Violation { port: PORT };
        }
        Ok(was_violated)
    }

    /// Takes the available completions.
    fn poll(&mut self) -> Result<(), ManagedError> {
        while let Some(completion) = self.hca.poll_cq(CQN)? {
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
            // A completion does not distinguish the permissive LID from the port's own.
            let is_directed = qpn == QP0 && mad[1] == class::SUBNET_DIRECTED;
            let own = u16::from_be_bytes([from.sender[0], from.sender[1]]);
            self.arrived.push_back(MadPacket {
                slid: from.slid,
                dlid: if is_directed { PERMISSIVE_LID } else { own },
                sl: from.sl,
                source_qpn: from.source_qpn,
                destination_qpn: qpn,
                mad,
            });
        }
        Ok(())
    }

    /// Runs one clock cycle.
    pub fn clock(&mut self) -> Result<(), ManagedError> {
        self.hca.clock()?;
        if self.is_linked() && !self.hca.link_enable() {
            self.set_link(false);
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
