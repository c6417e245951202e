//! Rows of the area `port-state` (`link.md` section 1), and of what software sets at a port.
mod answers;
pub mod arbitration;
mod counters;
mod credits;
mod gids;
mod lanes;
mod link;
mod mtu;
mod overrun;
mod p_keys;
mod pace;
mod pair;
mod precedence;
mod roce;
mod state;
mod steps;

use crate::bench::Bench;
use hca_golden::port::PortState;
use hca_golden::verbs::PortCounter;
use hca_testbench::device::{Outcome, Verb};

impl Bench {
    /// Asks the port for these states, one after the other.
    pub fn set_port_state(&mut self, states: &[PortState]) {
        for &state in states {
            self.submit(Verb::SetPortState { state });
        }
        self.settle();
    }

    pub fn port_state(&mut self) -> PortState {
        match self.attempt(Verb::QueryPortState) {
            Ok(Outcome::PortState(state)) => state,
            other => panic!("{other:?}"),
        }
    }

    /// Packets that the port was not to send.
    fn xmit_discards(&mut self) -> u32 {
        self.port_counter(PortCounter::XmitDiscards)
    }
}
