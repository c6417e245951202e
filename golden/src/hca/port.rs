//! A port of the model (`link.md` section 8): nothing of one port acts on another.
use super::former_vls::Former;
use super::lanes::Lanes;
use super::met::Met;
use super::moment::first_of;
use super::p_keys::PKeys;
use super::port_counters::PortCounters;
use super::port_states::PortStates;
use super::shut_out::ShutOut;
use super::sl_to_vl::SlToVl;
use super::violation_latch::ViolationLatch;
use crate::arbitration::Arbitration;
use crate::capabilities::Capabilities;
use crate::decision::arbitration::Turns;
use crate::port::{PortConfig, GIDS};
use crate::verbs::{HostEvent, Pmtu};
use std::collections::VecDeque;

/// A port: its settings, its counters, and what the model knows of its state and of the packets on its link.
#[derive(Clone, Debug)]
pub struct Port {
    pub(super) config: PortConfig,
    pub(super) capabilities: Capabilities,
    /// Picoseconds since the start.
    pub(super) now: u64,
    pub(super) counters: PortCounters,
    pub(super) latch: ViolationLatch,
    pub(super) states: PortStates,
    pub(super) p_keys: PKeys,
    pub(super) sl_to_vl: SlToVl,
    pub(super) lanes: Lanes,
    /// Link packets that the device may not have looked at.
    pub(super) met: Vec<Met>,
    /// Earlier numbers of operational VLs that the device may go by.
    pub(super) former_vls: Vec<Former>,
    /// Packets that were discarded lately because of their VL.
    pub(super) shut_out: Vec<ShutOut>,
    pub(super) turns: Turns,
    /// Events for software that are due, one for each change, in order (CF438).
    pub(super) events: VecDeque<HostEvent>,
    /// Number of packets that arrived so far.
    pub(super) arrived: u32,
    /// True while host memory does not answer, so that arriving packets wait in the buffers of their VLs.
    pub(super) waits_for_memory: bool,
}

impl Port {
    /// Makes an Active port. All data VLs of the device are operational.
    pub(super) fn new(config: PortConfig, capabilities: Capabilities) -> Port {
        let config = PortConfig {
            data_vls: capabilities.data_vls,
            arbitration: Arbitration::of(capabilities.data_vls),
            ..config
        };
        Port {
            config,
            capabilities,
            now: 0,
            counters: PortCounters::default(),
            latch: ViolationLatch::default(),
            states: PortStates::default(),
            p_keys: PKeys::default(),
            sl_to_vl: SlToVl::default(),
            lanes: Lanes::default(),
            met: Vec::new(),
            former_vls: Vec::new(),
            shut_out: Vec::new(),
            turns: Turns::begin(&config.arbitration),
            events: VecDeque::new(),
            arrived: 0,
            waits_for_memory: false,
        }
    }

    /// Makes an Active port with flow control.
    #[cfg(test)]
    pub(super) fn flow_controlled() -> Port {
        let mut port = Port::new(PortConfig::default(), Capabilities::HARDWARE);
        port.set_flow_control(true);
        port
    }

    /// Returns the number of the port, from 1 on.
    pub fn number(&self) -> u8 {
        self.config.number
    }

    /// Returns the number of the next packet that arrives.
    pub(super) fn next_number(&self) -> u32 {
        first_of(self.number()) + self.arrived
    }

    /// Sets the base LID of a native port, whose low `lmc` bits are 0, and its LMC (`link.md` section 2). It applies to
    /// the packets that are judged, or leave, from then on, as do the other settings.
    pub fn set_lid(&mut self, lid: u16, lmc: u8) {
        (self.config.lid, self.config.lmc) = (lid, lmc);
    }

    /// Sets the GID table of a native port: entry 0, and the GUIDs of the others, 0 for an empty one (`link.md`
    /// section 2).
    pub fn set_gids(&mut self, gid: [u8; 16], guids: [u64; GIDS - 1]) {
        (self.config.gid, self.config.guids) = (gid, guids);
    }

    /// Sets the active MTU, a code of `pmtu.csv`. Any other code changes nothing (`link.md` section 13).
    pub fn set_mtu(&mut self, code: u8) {
        self.config.mtu = Pmtu::of_code(code).unwrap_or(self.config.mtu);
    }
}
